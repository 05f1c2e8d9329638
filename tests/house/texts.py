"""Checks what every file looks like: last newline, length, the opening comment of a header, and what it may not name."""
import re

from tree import files

LONGEST = 450  # lines of a file of code; what is longer is two files
BINARY = (".png", ".ico", ".gz", ".zst", ".bin")
# Folders of one machine, and the hosts packages come from: a checkout works wherever it lies.
MACHINE_PATH = re.compile(r"(?<![\w.~}/-])/(home|root|Users|work)/\w|(?<![\w.~}/-])/tmp/\w")
PACKAGE_HOST = re.compile(
    r"\b(registry\.npmjs|files\.pythonhosted|pypi|crates|index\.crates|rubygems|proxy\.golang|repo1?\.maven|deb\.debian|"
    r"archive\.ubuntu|(?:registry-1|hub)\.docker|ghcr|conan|conancenter)\.(org|io|com)\b")
OWN_TEST = "checks_test.py"  # plants what this file looks for


def check(root):
    complaints = []
    for path in files(root):
        if path.suffix in BINARY or path.name == OWN_TEST:
            continue
        place = path.relative_to(root)
        complaints += [f"{place}{what}" for what in check_file(place, path.read_bytes())]
    return complaints


def check_file(place, content):
    text = content.decode("utf-8", errors="replace")
    lines = text.splitlines()
    in_code = place.parts[0] in ("include", "src")
    # Recorded dialogues are bytes of a device: they end as the device ended.
    recorded = place.parts[0] == "tests" and place.suffix not in (".cpp", ".hpp", ".py", ".txt", ".toml", ".md", "")
    if content and not content.endswith(b"\n") and not recorded:
        yield ": does not end with a newline"
    if in_code and place.suffix in (".cpp", ".hpp") and len(lines) > LONGEST:
        yield f": {len(lines)} lines; the limit is {LONGEST}"
    if place.parts[0] == "include" and place.suffix == ".hpp" and not text.startswith("//"):
        yield ": a public header opens with what it is and what it refuses to do"
    if recorded or place.name == "LICENSE":
        return
    for number, line in enumerate(lines, 1):
        if found := PACKAGE_HOST.search(line):
            yield f":{number}: names a package host ({found[0]})"
        if in_code or place.parts[0] in ("config", "migrations"):
            if found := MACHINE_PATH.search(line):
                yield f":{number}: names a folder of one machine ({found[0]}...)"
