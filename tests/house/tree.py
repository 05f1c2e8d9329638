"""The files of the checkout that the house rules speak about. Build folders and git's own are not among them."""
from pathlib import Path

FOLDERS = (".ci", "config", "deploy", "include", "migrations", "src", "tests")
CODE = (".cpp", ".hpp")


def files(root, folders=FOLDERS):
    """Every regular file of `folders`, and those of the top level when all folders are asked for, in a stable order."""
    found = [path for folder in folders if (root / folder).is_dir() for path in (root / folder).rglob("*") if path.is_file()]
    if folders is FOLDERS:
        found += [path for path in root.iterdir() if path.is_file()]
    return sorted(path for path in found if "__pycache__" not in path.parts)


def code(root, folders=("include", "src", "tests")):
    return [path for path in files(root, folders) if path.suffix in CODE]
