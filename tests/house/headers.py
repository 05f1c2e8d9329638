"""Compiles every public header on its own, syntax only: whoever includes one needs to include nothing before it."""
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor

from tree import code


def check(root, compiler):
    """`compiler` is the command and flags that compile a translation unit of the project."""
    def compile_alone(path):
        header = path.relative_to(root / "include")
        unit = f"#include <{header}>\n"
        done = subprocess.run([*compiler, "-fsyntax-only", "-x", "c++", "-"], input=unit, text=True, capture_output=True)
        return None if done.returncode == 0 else f"include/{header} does not compile alone:\n{done.stderr}"

    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        return [complaint for complaint in pool.map(compile_alone, code(root, ("include",))) if complaint]
