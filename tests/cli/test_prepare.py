"""The first use of a device: a second process helps, and whatever becomes of it nothing is lost."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import time
import unittest

from octant_cli import OctantTest

# Tests of its removal of bodies are the cheapest: a second process begins with them.
SCENE = """\
seed: 7
units: nbody
box: {boundary: open, removal_radius: 30}
models:
  - plummer: {n: 48}
gravity: {method: direct, softening: 0.05}
integrator: {method: leapfrog, dt: 0.01}
run: {until: 1}
"""
TESTS = ["conserved sums mixed", "direct mixed, softened", "leapfrog mixed", "removal mixed"]


def find_assistant(parent):
    """The second process that a process has started; drivers start linkers, too."""
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rsplit(")", 1)[1].split()
            words = (path.parent / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if int(fields[1]) == parent and b"--assist" in words:
            return int(path.parent.name)
    return None


def is_there(process):
    try:
        return not pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].startswith(
            " Z")
    except OSError:
        return False


class FirstUse(OctantTest):
    def setUp(self):
        super().setUp()
        self.scene = self.write("scene.yaml", SCENE)

    def environment(self, cache):
        """Caches that nobody else has."""
        folder = self.folder / cache
        folder.mkdir(exist_ok=True)
        return {**os.environ, "XDG_CACHE_HOME": str(folder), "POCL_CACHE_DIR": str(folder / "pocl")}

    def start(self, cache, *arguments):
        return subprocess.Popen(self.command(*arguments), cwd=self.folder, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                env=self.environment(cache))

    def go(self, cache, *arguments, status=0):
        process = self.start(cache, *arguments)
        out, err = process.communicate(timeout=300)
        self.assertEqual(process.returncode, status, out + err)
        return out, err

    def prepare(self, cache, *more):
        return json.loads(self.go(cache, "prepare", self.scene, "--json", *more)[0])

    def needs_help(self):
        """Skips where a second process is of no use: on one core, or with another driver."""
        device = self.octant_json("devices")[0]
        if device["platform"] != "Portable Computing Language" or os.cpu_count() < 2:
            self.skipTest("this driver compiles for several threads, or there is one core")

    def passed(self, cache):
        records = list((self.folder / cache / "octant").glob("*.passed"))
        self.assertEqual(len(records), 1)
        return sorted(records[0].read_text().splitlines())

    def kernels(self, cache):
        return sorted(path.name for path in (self.folder / cache / "pocl").rglob("*.so"))

    def assistant(self, process):
        """The second process, once it is there."""
        end = time.monotonic() + 60
        while time.monotonic() < end and process.poll() is None:
            found = find_assistant(process.pid)
            if found:
                return found
            time.sleep(0.002)
        self.fail("there was no second process")

    def assert_ends(self, process):
        end = time.monotonic() + 20
        while is_there(process):
            self.assertLess(time.monotonic(), end, "the second process is still there")
            time.sleep(0.01)


class Prepare(FirstUse):
    def test_two_processes_leave_what_one_does(self):
        self.needs_help()
        alone = self.prepare("alone", "--alone")
        self.assertEqual((alone["tests"], alone["assisted"], alone["precision"]),
                         (len(TESTS), False, "mixed"))
        run = ["run", self.scene, "--steps", "5", "--out", "none", "--json"]
        out, err = self.go("both", *run)
        self.assertIn("first use", err)
        self.assertEqual(self.passed("alone"), TESTS)
        self.assertEqual(self.passed("both"), TESTS)
        ends = [json.loads(text.splitlines()[-1]) for text in (out, self.go("alone", *run)[0])]
        self.assertEqual(ends[0]["state_hash"], ends[1]["state_hash"])
        self.assertEqual(self.kernels("both"), self.kernels("alone"))

    def test_what_is_prepared_is_not_tested_again(self):
        first, again = self.prepare("a"), self.prepare("a")
        self.assertEqual((first["tests"], again["tests"], again["assisted"]),
                         (len(TESTS), 0, False))
        self.assertEqual(self.go("a", "run", self.scene, "--steps", "2", "--out", "none")[1], "")
        out, _ = self.go("a", "prepare", self.scene)
        self.assertIn("all self-tests of the scene had passed before\n", out)

    def test_files_are_found_from_another_folder(self):
        (self.folder / "scenes").mkdir()
        self.write("scenes/push.cl", "real4 octant_force(real3 position, real3 velocity, real mass,"
                                     " ulong id, real time)\n{\n    return (real4)(0.1);\n}\n")
        self.scene = self.write("scenes/pushed.yaml",
                                SCENE + "forces:\n  - custom: {file: push.cl}\n")
        self.assertEqual(self.prepare("a")["tests"], len(TESTS))
        self.assertEqual(self.passed("a"), TESTS)

    def test_two_runs_at_once_share_the_tests(self):
        self.needs_help()
        both = [self.start("a", "run", self.scene, "--steps", "2", "--out", "none")
                for _ in range(2)]
        for process in both:
            out, err = process.communicate(timeout=300)
            self.assertEqual(process.returncode, 0, out + err)
        self.assertEqual(self.passed("a"), TESTS)  # each of them once

    def test_a_wrong_use_is_refused(self):
        self.assertIn("needs SCENE", self.refused("prepare"))
        self.assertIn("no scene file", self.refused("prepare", "nowhere.yaml"))
        self.assertIn("standard input", self.refused("prepare", self.scene, "--assist"))
        done = subprocess.run(self.command("prepare", "--assist"), stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("nobody does", done.stderr)


class Assistant(FirstUse):
    def setUp(self):
        super().setUp()
        self.needs_help()

    def test_one_that_is_killed_is_survived(self):
        process = self.start("a", "prepare", self.scene, "--json")
        os.kill(self.assistant(process), signal.SIGKILL)
        out, err = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 0, err)
        self.assertEqual(json.loads(out)["tests"], len(TESTS))
        self.assertEqual(self.passed("a"), TESTS)

    def test_one_that_never_begins_is_not_waited_for(self):
        process = self.start("a", "prepare", self.scene, "--json")
        os.kill(self.assistant(process), signal.SIGSTOP)
        out, err = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 0, err)
        self.assertEqual(self.passed("a"), TESTS)

    def test_it_ends_with_the_first(self):
        for number, code in ((signal.SIGKILL, -9), (signal.SIGINT, 130), (signal.SIGTERM, 143)):
            shutil.rmtree(self.folder / "a", ignore_errors=True)
            process = self.start("a", "run", self.scene, "--steps", "2", "--out", "none")
            second = self.assistant(process)
            process.send_signal(number)
            out, err = process.communicate(timeout=60)
            self.assertEqual((process.returncode, out), (code, ""), err)
            self.assert_ends(second)

    def test_a_test_that_fails_in_it_is_told(self):
        """What PoCL has compiled for the removal of bodies becomes something that does nothing."""
        compiler = shutil.which("cc") or shutil.which("gcc")
        kernel = "boundary_open_remove"
        self.assertTrue(self.prepare("a")["assisted"])
        compiled = list((self.folder / "a" / "pocl").rglob(f"{kernel}.so"))
        if not compiler or not compiled:
            self.skipTest("there is no compiler, or the driver keeps its kernels elsewhere")
        source = self.write("idle.c", f"void _pocl_kernel_{kernel}_workgroup(void) {{}}\n")
        idle = source.with_suffix(".so")
        subprocess.run([compiler, "-shared", "-fPIC", "-o", idle, source], check=True)
        for path in compiled:
            shutil.copyfile(idle, path)
        said = []
        for more in ([], ["--alone"]):
            next((self.folder / "a" / "octant").glob("*.passed")).unlink()
            said.append(self.go("a", "prepare", self.scene, *more, status=1)[1])
            self.assertEqual(self.passed("a"), TESTS[:-1])
        self.assertEqual(said[0], said[1])
        self.assertRegex(said[0], r"does not compute what it should \(removal mixed: error ")


if __name__ == "__main__":
    unittest.main()
