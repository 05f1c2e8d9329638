"""check.py floors|texts|headers ROOT [COMPILER FLAG ...]: prints every breach of a house rule; exits 1 when there is one."""
import sys
from pathlib import Path

import floors
import headers
import texts


def main(rule, root, *compiler):
    root = Path(root).resolve()
    complaints = headers.check(root, compiler) if rule == "headers" else {"floors": floors, "texts": texts}[rule].check(root)
    for complaint in complaints:
        print(complaint)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
