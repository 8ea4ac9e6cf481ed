"""The tools that guard the house see what they are there to see."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["OCTANT_SOURCE"])
TOOLS = SOURCE / "tools"


# Where nothing is said about what must be there.
BARE = {name: value for name, value in os.environ.items() if not name.startswith("OCTANT_REQUIRE")}


def run(*command, env=None):
    return subprocess.run([str(part) for part in command], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False, env=env)


class SceneReference(unittest.TestCase):
    def test_is_what_the_tables_say(self):
        listed = run(os.environ["OCTANT"], "list", "--markdown")
        self.assertEqual(listed.returncode, 0, listed.stdout)
        stored = (SOURCE / "docs" / "scene-reference.md").read_text(encoding="utf-8")
        self.assertEqual(stored, listed.stdout, "run 'make docs'")


class PagesFromCode(unittest.TestCase):
    """What tools/reference makes of headers and of the commands' help for the site."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        done = run(sys.executable, TOOLS / "reference", os.environ["OCTANT"], folder.name)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.pages = {path.stem: path.read_text(encoding="utf-8")
                      for path in pathlib.Path(folder.name).iterdir()}

    def test_every_name_has_its_place(self):
        record = (SOURCE / "tests" / "package" / "octant.abi").read_text(encoding="utf-8")
        kinds = "callback|enum|function|struct"
        names = set(re.findall(rf"(?m)^(?:{kinds}) ((?:oct|OCT)_\w+)", record))
        self.assertGreater(len(names), 200)
        anchors = re.findall(r"(?m)^\((?:macro-)?(oct_\w+)\)=$", "".join(self.pages.values()))
        self.assertEqual({name.lower() for name in names} - set(anchors), set())

    def test_comments_stay_with_what_they_are_about(self):
        self.assertIn("### oct_scene_resolve\n\n```c\n"
                      "oct_status oct_scene_resolve(char **out, const oct_scene *scene);\n```\n\n"
                      "The scene with every default spelled out, as text",
                      self.pages["octant"])

    def test_every_command_and_option_is_there(self):
        page = self.pages["commands"]
        for name in re.findall(r"(?m)^  ([a-z]+) ", run(os.environ["OCTANT"], "help").stdout):
            part = page.partition(f"## octant {name}\n")[2].partition("\n## ")[0]
            text = run(os.environ["OCTANT"], "help", name).stdout
            options = re.findall(r"(?m)^  (--[a-z-]+)", text)
            self.assertEqual(re.findall(r"(?m)^\| `(--[a-z-]+)", part), options, name)


class Goals(unittest.TestCase):
    """What a user builds needs no tests and nothing that only they need."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def program(self, name, text):
        path = self.folder / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        return path

    def test_a_build_without_tests(self):
        for goals, tests in [(["build"], False), (["demo"], False), (["install"], False),
                             (["docs"], False), (["site"], False), (["check"], True),
                             (["bundle"], True)]:
            lines = run("make", "-n", "-C", SOURCE, *goals).stdout.splitlines()
            builds = [line for line in lines if "tools/build" in line]
            self.assertEqual(["BUILD_TESTING=OFF" not in line for line in builds], [tests], goals)
        blind = self.program("pkg-config", 'case "$*" in *cmocka*) exit 1 ;; esac\n'
                                           f'exec {shutil.which("pkg-config")} "$@"')
        options = ["-S", SOURCE, "-B", self.folder / "build", f"-DPKG_CONFIG_EXECUTABLE={blind}"]
        self.assertIn("cmocka", run("cmake", *options, "-DBUILD_TESTING=ON").stdout)
        done = run("cmake", *options, "-DBUILD_TESTING=OFF")
        self.assertEqual(done.returncode, 0, done.stdout)
        targets = run("cmake", "--build", self.folder / "build", "--target", "help").stdout
        self.assertIn("octant_manual", targets)
        self.assertNotRegex(targets, r"\btest_")

    def installed(self, *options, **environment):
        """What tools/setup would install on a machine that has nothing."""
        self.program("dpkg-query", "exit 1")
        self.program("apt-get", f'echo "$@" >> {self.folder}/wanted')
        self.program("sudo", 'exec "$@"')
        for name in ("setup", "requirements.txt"):
            (self.folder / "tree" / "tools").mkdir(parents=True, exist_ok=True)
            shutil.copy(TOOLS / name, self.folder / "tree" / "tools")
        self.program("python3", "exit 1")  # no packages from afar
        (self.folder / "wanted").write_text("")
        command = [self.folder / "tree" / "tools" / "setup", *options]
        path = f"{self.folder}:{os.environ['PATH']}"
        self.done = subprocess.run(command, check=False, capture_output=True, text=True,
                                   env=dict(BARE, PATH=path, **environment))
        return (self.folder / "wanted").read_text().split()

    def test_tests_need_more(self):
        needed = self.installed()
        self.assertLessEqual({"cmake", "libhdf5-dev", "ffmpeg"}, set(needed))
        for package in ("libcmocka-dev", "groff-base", "python3-venv", "clang-format", "zsh"):
            self.assertNotIn(package, needed)
        self.assertLessEqual({"libcmocka-dev", "groff-base"}, set(self.installed("--check")))
        for option in ("--bundle", "--fuzz"):
            self.assertIn("libcmocka-dev", self.installed(option))

    def test_without_pypi_the_rest_is_tested(self):
        self.installed("--check")
        self.assertEqual(self.done.returncode, 0, self.done.stderr)
        self.assertIn("PyPI cannot be reached: tests that need its packages are skipped",
                      self.done.stdout)
        self.assertFalse((self.folder / "tree" / ".venv").exists())
        done = run(TOOLS / "python-package", self.folder, env=dict(BARE, PYTHON="false"))
        self.assertEqual((done.returncode, done.stdout[:9]), (0, "skipped: "))

    def test_in_ci_pypi_is_needed(self):
        for name in ("OCTANT_REQUIRE_READERS", "OCTANT_REQUIRE_PYTHON"):
            self.installed("--check", **{name: "1"})
            self.assertEqual(self.done.returncode, 1)
        done = run(TOOLS / "python-package", self.folder,
                   env=dict(BARE, PYTHON="false", OCTANT_REQUIRE_PYTHON="1"))
        # ctest takes a line that begins with 'skipped: ' for more than a status.
        self.assertEqual((done.returncode, "skipped" in done.stdout), (1, False))

    def test_the_demo_builds_what_it_runs(self):
        for goal in ("demo", "docs", "site"):
            lines = run("make", "-n", "-C", SOURCE, goal).stdout.splitlines()
            builds = [line for line in lines if "tools/build" in line]
            self.assertRegex(builds[0], "TARGETS=octant_cli ")
            self.assertFalse([line for line in lines if "--check" in line])


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
