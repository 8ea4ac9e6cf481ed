"""The tools that guard the house see what they are there to see."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["OCTANT_SOURCE"])
TOOLS = SOURCE / "tools"


def run(*command):
    return subprocess.run([str(part) for part in command], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)


class SceneReference(unittest.TestCase):
    def test_is_what_the_tables_say(self):
        listed = run(os.environ["OCTANT"], "list", "--markdown")
        self.assertEqual(listed.returncode, 0, listed.stdout)
        stored = (SOURCE / "docs" / "scene-reference.md").read_text(encoding="utf-8")
        self.assertEqual(stored, listed.stdout, "run 'make docs'")


class CountTests(unittest.TestCase):
    def count(self, *entries):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "tests.xml")
            body = "".join(f'<testcase name="t" status="{status}"><system-out>{text}</system-out>'
                           "</testcase>" for status, text in entries)
            path.write_text(f"<testsuite>{body}</testsuite>")
            result = run(sys.executable, TOOLS / "count-tests", path)
        return result.stdout.splitlines()[-1], result.returncode

    def test_cases_are_counted_one_by_one(self):
        cmocka = ("[ RUN      ] a\n[       OK ] a\n[ RUN      ] b\n[  SKIPPED ] b\n"
                  "[  SKIPPED ] 1 test(s), listed below:\n[  SKIPPED ] b\n")
        script = "Ran 5 tests in 0.1s\n\nOK (skipped=2)\n"
        self.assertEqual(self.count(("run", cmocka), ("run", script)), ("4 passed, 0 failed", 0))

    def test_failures_are_counted_one_by_one(self):
        cmocka = "[ RUN      ] a\n[  FAILED  ] a\n[ RUN      ] b\n[       OK ] b\n"
        script = "Ran 5 tests in 0.1s\n\nFAILED (failures=1, errors=2)\n"
        self.assertEqual(self.count(("fail", cmocka), ("fail", script)), ("3 passed, 4 failed", 1))

    def test_a_crash_is_a_failure(self):
        self.assertEqual(self.count(("fail", "[ RUN      ] a\n")), ("0 passed, 1 failed", 1))
        self.assertEqual(self.count(("fail", "")), ("0 passed, 1 failed", 1))
        self.assertEqual(self.count(("fail", "[ RUN      ] a\n[       OK ] a\n")),
                         ("1 passed, 1 failed", 1))

    def test_no_result_is_a_failure(self):
        self.assertEqual(self.count(), ("0 passed, 1 failed", 1))
        missing = run(sys.executable, TOOLS / "count-tests", "/nonexistent.xml")
        self.assertEqual(missing.returncode, 1)


class IncludeGraph(unittest.TestCase):
    def check(self, path, include):
        """Checks a tree with one file that has one include."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "tools").mkdir()
            (root / path).parent.mkdir(parents=True)
            shutil.copy(TOOLS / "check-includes", root / "tools")
            (root / path).write_text(f"#include {include}\n")
            return run(sys.executable, root / "tools" / "check-includes").returncode

    def test_arrows_down_are_allowed(self):
        self.assertEqual(self.check("src/force/a.c", '"core/sim.h"'), 0)
        self.assertEqual(self.check("src/run/a.c", '"io/scene.h"'), 0)
        self.assertEqual(self.check("cli/a.c", '"octant/octant.h"'), 0)

    def test_arrows_up_and_across_are_not(self):
        self.assertEqual(self.check("src/core/a.c", '"force/direct.h"'), 1)
        self.assertEqual(self.check("src/force/a.c", '"model/plummer.h"'), 1)
        self.assertEqual(self.check("cli/a.c", '"core/sim.h"'), 1)

    def test_a_library_stays_with_its_folder(self):
        self.assertEqual(self.check("src/device/a.c", "<CL/cl.h>"), 0)
        self.assertEqual(self.check("src/core/a.c", "<CL/cl.h>"), 1)
        self.assertEqual(self.check("src/run/a.c", "<hdf5.h>"), 1)
        self.assertEqual(self.check("src/io/a.c", "<mpi.h>"), 1)


if __name__ == "__main__":
    unittest.main()
