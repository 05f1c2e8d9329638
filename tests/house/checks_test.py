"""Each house rule is shown rejecting what it forbids: a check that accepts everything looks just like a clean tree."""
import tempfile
import unittest
from pathlib import Path

import floors
import texts

MAP = """\
| floor | module | includes | what it is |
|---|---|---|---|
| 0 | `base` | | values |
| 1 pure | `rules` | | the cascade |
| 1 pure | `series` | also `rules` | the state machine |
| 2 | `runtime` | | the loop |
| 4 | `lab` | only `base`, `runtime` | a fleet |
"""


class TemporaryTree(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.write("src/README.md", MAP)

    def write(self, place, text):
        path = self.root / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


class Floors(TemporaryTree):
    def complaints(self, place, text):
        self.write(place, text)
        return floors.check(self.root)

    def test_a_lower_floor_and_a_named_neighbour_may_be_included(self):
        text = "#include <nightjar/base/id.hpp>\n#include <nightjar/rules/retry.hpp>\n#include <nightjar/series/series.hpp>\n"
        self.assertEqual(self.complaints("src/series/step.cpp", text), [])

    def test_a_higher_floor_may_not(self):
        found = self.complaints("include/nightjar/rules/retry.hpp", "// x\n#include <nightjar/runtime/clock.hpp>\n")
        self.assertEqual(found, ["include/nightjar/rules/retry.hpp:2: rules may not include runtime (floor 1; see the table)"])

    def test_an_unnamed_neighbour_may_not(self):
        self.assertEqual(len(self.complaints("src/rules/a.cpp", "#include <nightjar/series/series.hpp>\n")), 1)

    def test_only_means_nothing_else_of_the_lower_floors(self):
        self.assertEqual(len(self.complaints("src/lab/a.cpp", "#include <nightjar/series/series.hpp>\n")), 1)

    def test_a_private_header_of_another_module_may_not_be_included(self):
        self.assertEqual(len(self.complaints("src/lab/a.cpp", '#include "runtime/loop.hpp"\n')), 1)

    def test_a_precompiled_header_of_a_lower_floor_may_be_shared(self):
        self.assertEqual(self.complaints("src/lab/pch.hpp", '#include "runtime/pch.hpp"\n'), [])
        self.assertEqual(len(self.complaints("src/base/a.cpp", '#include "runtime/pch.hpp"\n')), 1)

    def test_the_pure_floor_includes_no_io(self):
        for header in ("boost/asio/awaitable.hpp", "sqlite3.h", "libssh/libssh.h", "curl/curl.h", "spdlog/spdlog.h"):
            with self.subTest(header):
                self.assertEqual(len(self.complaints("src/series/a.cpp", f"#include <{header}>\n")), 1)

    def test_the_pure_floor_reads_no_clock_and_no_dice(self):
        for call in ("std::chrono::system_clock::now()", "std::chrono::steady_clock::now()", "std::random_device{}()", "::time(nullptr)"):
            with self.subTest(call):
                self.assertEqual(len(self.complaints("src/rules/a.cpp", f"auto x = {call};\n")), 1)

    def test_a_comment_may_speak_of_a_clock(self):
        self.assertEqual(self.complaints("src/rules/a.cpp", "// never system_clock::now(): times come in\n"), [])

    def test_a_module_without_a_row_is_an_error(self):
        self.assertEqual(self.complaints("src/utils/a.cpp", "int x;\n"), ["src/utils/a.cpp: module utils is not in the map"])

    def test_a_map_that_names_an_unknown_module_is_an_error(self):
        with self.assertRaises(ValueError):
            floors.read_map("| 1 | `a` | also `b` | |\n")


class Texts(TemporaryTree):
    def complaints(self, place, text):
        self.write(place, text)
        return texts.check(self.root)

    def test_a_file_ends_with_a_newline(self):
        self.assertEqual(self.complaints("src/base/a.cpp", "int x;"), ["src/base/a.cpp: does not end with a newline"])

    def test_a_long_file_is_two_files(self):
        self.assertEqual(len(self.complaints("src/base/a.cpp", "int x;\n" * (texts.LONGEST + 1))), 1)

    def test_a_public_header_opens_with_a_comment(self):
        self.assertEqual(len(self.complaints("include/nightjar/base/a.hpp", "#pragma once\n")), 1)

    def test_no_source_names_a_folder_of_one_machine(self):
        for path in ("/home/ann/nightjar", "/root/x", "/tmp/scratch"):
            with self.subTest(path):
                self.assertEqual(len(self.complaints("src/base/a.cpp", f'auto p = "{path}";\n')), 1)

    def test_no_file_names_a_package_host(self):
        self.assertEqual(len(self.complaints("deploy/notes", "fetch https://pypi.org/simple\n")), 1)


if __name__ == "__main__":
    unittest.main()
