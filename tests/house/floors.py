"""Checks every #include and every mention of a clock against the map, the table in src/README.md.

A row is `| floor | module | includes | what it is |`. The column "includes" reads
    (empty)                  any module of a lower floor
    also `a`, `b`            those as well, from the same floor
    only `a`, `b`            those and nothing else
and a floor marked "pure" does no I/O and reads no clock.
"""
import re

from tree import code

ROW = re.compile(r"^\|\s*(\d+)( pure)?\s*\|\s*`(\w+)`\s*\|\s*(also|only)?([^|]*)\|")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
COMMENT_OR_TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)

OUTSIDE_OF_PURE = re.compile(
    r"^(boost/asio|sqlite3|libssh/|curl/|spdlog/|nlohmann/|sys/|unistd\.h|fcntl\.h|fstream|filesystem|thread|mutex|future)")
CLOCKS_AND_DICE = re.compile(
    r"\b(system_clock|steady_clock|high_resolution_clock)::now\b|\brandom_device\b|\b(clock_gettime|gettimeofday|getenv|this_thread)\b"
    r"|\bstd::time\(|\btime\(nullptr\)|\bs?rand\(")


class Module:
    def __init__(self, floor, pure):
        self.floor, self.pure, self.allowed = floor, pure, set()


def read_map(text):
    """The modules of the table, each with the set of modules it may include (its own among them)."""
    modules, wishes = {}, {}
    for line in text.splitlines():
        if row := ROW.match(line):
            floor, pure, name, kind, cell = row.groups()
            modules[name] = Module(int(floor), bool(pure))
            wishes[name] = (kind, set(re.findall(r"`(\w+)`", cell)))
    for name, module in modules.items():
        kind, named = wishes[name]
        if unknown := named - modules.keys():
            raise ValueError(f"the map lets {name} include {', '.join(sorted(unknown))}, which has no row")
        below = {other for other, candidate in modules.items() if candidate.floor < module.floor}
        module.allowed = {name} | (named if kind == "only" else below | named)
    return modules


def check(root):
    """One complaint a line: file, line, and what the map says."""
    modules = read_map((root / "src/README.md").read_text())
    if not modules:
        return ["src/README.md: no table of floors was found"]
    complaints = []
    for path in code(root, ("include", "src")):
        place = path.relative_to(root)
        name = place.parts[2] if place.parts[0] == "include" else place.parts[1]
        if name not in modules:
            complaints.append(f"{place}: module {name} is not in the map")
            continue
        complaints += [f"{place}:{line}: {what}" for line, what in check_file(name, modules, path.read_text(errors="replace"))]
    return complaints


def lender(header, module):
    """The module whose precompiled header this is, where it may be shared: it is how a file is compiled, not what it uses."""
    owner = header.removesuffix("/pch.hpp")
    return owner if owner != header and owner in module.allowed else None


def check_file(name, modules, text):
    module = modules[name]
    for number, line in enumerate(text.splitlines(), 1):
        include = INCLUDE.match(line)
        if not include:
            continue
        quote, header = include.groups()
        public = re.match(r"nightjar/(\w+)/", header)
        private = re.match(r"(\w+)/", header) if quote == '"' else None
        if public and public[1] not in module.allowed:
            yield number, f"{name} may not include {public[1]} (floor {module.floor}; see the table)"
        elif private and private[1] in modules and private[1] not in (name, lender(header, module)):
            yield number, f"{name} includes a private header of {private[1]}"
        elif module.pure and OUTSIDE_OF_PURE.match(header):
            yield number, f"{name} is pure and may not include {header}"
    if module.pure or module.floor == 0:
        bare = COMMENT_OR_TEXT.sub(lambda found: "\n" * found[0].count("\n"), text)
        for number, line in enumerate(bare.splitlines(), 1):
            if found := CLOCKS_AND_DICE.search(line):
                yield number, f"{name} reads a clock, dice or the environment: {found[0]}"
