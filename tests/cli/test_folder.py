"""Results folders: a run knows its files, nobody else's are touched, nothing stays half done."""

import os
import pathlib
import platform
import re
import shutil
import signal
import subprocess
import time
import unittest

from octant_cli import OctantTest, needs
from octant_view import Viewer

# Collides, so that there are impacts, and ends at a step with neither a row nor a snapshot due.
RING = """\
box: {boundary: shear, size: [40, 40, 40], omega: 1.3e-4}
models:
  - ring: {n: 60, density: 400, radius: 3, spread: 1}
gravity: {method: none}
collisions: {method: direct}
integrator: {method: sei, dt: 50}
run: {until: 620}
output: {diagnostics: 100, snapshot: 200}
"""
RING_STEPS = 13

FAULTS = pathlib.Path(os.environ.get("OCTANT_BUILD", ".")) / "tests/libfault.so"


@needs("hdf5")
class FolderTest(OctantTest):
    def contents(self, folder):
        """Every file below a folder, with what it holds."""
        root = self.folder / folder
        return {str(path.relative_to(root)): path.read_bytes()
                for path in sorted(root.rglob("*")) if path.is_file()}

    def run_of(self, path):
        return self.octant_json("info", path)["run"]

    def names_in(self, folder):
        """The names of runs that the files of a folder have."""
        found = set()
        for data in self.contents(folder).values():
            head = data[:512] if data.startswith(b"octant ") else data
            found |= set(re.findall(rb'(?:run: |run |octant-run" content=")([0-9a-f]{32})', head))
        return found

    def ring(self, out, *more):
        path = self.folder / "ring.yaml"
        if not path.exists():
            path.write_text(RING)
        self.octant("run", path, "--quiet", "--out", out, *more)

    def assert_same_folder(self, one, other):
        self.assertEqual(*([name for name in self.listing(folder) if name != "checkpoint.hdf5.prev"]
                           for folder in (one, other)))
        self.assert_same_files(one, other, [name for name in self.listing(one)
                                            if name != "checkpoint.hdf5.prev"])


class Names(FolderTest):
    def test_every_file_names_its_run(self):
        self.ring("a")
        name = self.run_of("a/checkpoint.hdf5")
        self.assertRegex(name, "^[0-9a-f]{32}$")
        for file, data in self.contents("a").items():
            self.assertIn(name.encode(), data[:512] if file.endswith("hdf5") else data, file)
        self.assertEqual(self.names_in("a"), {name.encode()})
        self.assertIn(f"run          {name}\n", self.octant("info", "a/snapshot_0001.hdf5").stdout)
        self.assertEqual(self.octant_lines("run", "--resume", "--out", "a")[-1]["run"], name)

    def test_runs_have_names_of_their_own_and_keep_them(self):
        for out in "ab":
            self.octant("run", self.scene, "--quiet", "--out", out, "--steps", 37)
        self.assertNotEqual(self.run_of("a/checkpoint.hdf5"), self.run_of("b/checkpoint.hdf5"))
        before = self.run_of("a/checkpoint.hdf5")
        self.octant("run", "--resume", "--quiet", "--out", "a", "--set", "gravity.softening=0.1")
        self.assertEqual(self.names_in("a"), {before.encode()})

    def test_a_converted_file_is_no_file_of_the_run(self):
        self.octant("run", self.scene, "--quiet", "--out", "a", "--steps", 3)
        self.octant("convert", "a/checkpoint.hdf5", "other.hdf5")
        self.assertEqual(self.run_of("other.hdf5"), "")

    def test_another_run_in_the_folder_is_refused_and_left_alone(self):
        # The second has the same columns, the third others.
        self.octant("run", self.scene, "--quiet", "--out", "a", "--steps", 37)
        self.octant("run", self.scene, "--quiet", "--out", "b", "--set", "seed=8")
        self.ring("c")
        for other in "bc":
            before = self.contents(other)
            sentence = self.refused("run", "--resume=a/checkpoint.hdf5", "--out", other)
            self.assertIn(self.run_of("a/checkpoint.hdf5"), sentence)
            self.assertIn(self.run_of(f"{other}/checkpoint.hdf5"), sentence)
            self.assertEqual(self.contents(other), before)

    def test_a_checkpoint_that_was_put_into_another_folder(self):
        for out, seed in ("a", 7), ("b", 8):
            self.octant("run", self.scene, "--quiet", "--out", out, "--steps", 37, "--set",
                        f"seed={seed}")
        shutil.copy(self.folder / "a/checkpoint.hdf5", self.folder / "b/checkpoint.hdf5")
        before = self.contents("b")
        self.assertIn("b holds run", self.refused("run", "--resume", "--out", "b"))
        self.assertEqual(self.contents("b"), before)

    def test_one_snapshot_of_another_run_is_enough(self):
        for out, seed in ("a", 7), ("b", 8):
            self.octant("run", self.scene, "--quiet", "--out", out, "--steps", 60, "--set",
                        f"seed={seed}")
        shutil.copy(self.folder / "b/snapshot_0001.hdf5", self.folder / "a/snapshot_0004.hdf5")
        before = self.contents("a")
        self.assertIn("snapshot_0004.hdf5", self.refused("run", "--resume", "--out", "a"))
        self.assertEqual(self.contents("a"), before)

    def test_a_new_folder_goes_on_with_the_run(self):
        self.octant("run", self.scene, "--quiet", "--out", "straight")
        self.octant("run", self.scene, "--quiet", "--out", "a", "--steps", 37)
        self.octant("run", "--resume=a/checkpoint.hdf5", "--quiet", "--out", "b", "--steps", 60)
        self.assertEqual(self.run_of("a/checkpoint.hdf5"), self.run_of("b/checkpoint.hdf5"))
        # And so it may come back.
        self.octant("run", "--resume=b/checkpoint.hdf5", "--quiet", "--out", "a", "--steps", 70)
        self.octant("run", "--resume", "--quiet", "--out", "b")
        self.assert_same_files("straight", "b", ["snapshot_0003.hdf5", "checkpoint.hdf5"])

    def test_a_changed_course_does_not_come_back(self):
        self.octant("run", self.scene, "--quiet", "--out", "a", "--steps", 37)
        self.octant("run", "--resume=a/checkpoint.hdf5", "--quiet", "--out", "b", "--set",
                    "gravity.softening=0.1", "--steps", 50)
        self.assertNotEqual(self.run_of("a/checkpoint.hdf5"), self.run_of("b/checkpoint.hdf5"))
        # Also when it was changed later, in a folder with the name of the first.
        self.octant("run", "--resume=a/checkpoint.hdf5", "--quiet", "--out", "c", "--steps", 40)
        self.octant("run", "--resume", "--quiet", "--out", "c", "--set", "gravity.softening=0.1",
                    "--steps", 50)
        self.octant("run", "--resume", "--quiet", "--out", "a", "--steps", 60)
        before = self.contents("a")
        for other in "bc":
            self.refused("run", f"--resume={other}/checkpoint.hdf5", "--out", "a")
        self.assertEqual(self.contents("a"), before)


class Replaced(FolderTest):
    def broken(self):
        """A scene that is in the folder's way and fails in its first step."""
        self.write("broken.cl", """\
real4 octant_force(real3 position, real3 velocity, real mass, ulong id, real time)
{
    return (real4)(id == 17 && time > (real)0.005 ? NAN : (real)0, 0, 0, 0);
}
""")
        return ["run", self.scene, "--set", "forces=[custom: {file: broken.cl}]"]

    def test_a_gap_in_the_numbers(self):
        self.octant("run", self.scene, "--quiet", "--out", "a")
        os.remove(self.folder / "a/snapshot_0002.hdf5")
        self.octant("run", self.scene, "--quiet", "--out", "a", "--force", "--steps", 1)
        self.assertEqual([name for name in self.listing("a") if name.startswith("snapshot")],
                         ["snapshot_0000.hdf5", "snapshot_0001.hdf5"])
        self.assertEqual(len(self.names_in("a")), 1)
        # A run that goes on leaves none of its own behind either.
        self.octant("run", self.scene, "--quiet", "--out", "b", "--steps", 30)
        shutil.copytree(self.folder / "b", self.folder / "early")
        self.octant("run", "--resume", "--quiet", "--out", "b")
        os.remove(self.folder / "b/snapshot_0003.hdf5")
        shutil.copy(self.folder / "early/checkpoint.hdf5", self.folder / "b/checkpoint.hdf5")
        self.octant("run", "--resume", "--quiet", "--out", "b", "--steps", 40)
        self.assertNotIn("snapshot_0004.hdf5", self.listing("b"))

    def test_snapshots_alone_are_a_run(self):
        self.octant("run", self.scene, "--quiet", "--out", "a")
        for name in self.listing("a"):
            if not name.startswith("snapshot") or name == "snapshot_0000.hdf5":
                os.remove(self.folder / "a" / name)
        before = self.contents("a")
        self.assertIn("snapshot_0001.hdf5", self.refused("run", self.scene, "--out", "a"))
        self.assertEqual(self.contents("a"), before)
        self.octant("run", self.scene, "--quiet", "--out", "a", "--force", "--steps", 1)
        self.assertEqual(len(self.names_in("a")), 1)
        self.assertNotIn("snapshot_0003.hdf5", self.listing("a"))

    def test_what_is_not_octants_is_not_removed(self):
        (self.folder / "a").mkdir()
        for name in "snapshot_0003.hdf5", "scene.yaml":
            path = self.write(f"a/{name}", "not of Octant")
            for force in [], ["--force"]:
                self.assertIn(name, self.refused("run", self.scene, "--out", "a", *force))
            self.assertEqual(path.read_text(), "not of Octant")
            path.unlink()
        for name in "snapshot_3.hdf5", "notes.txt", "saved_0000.hdf5":
            self.write(f"a/{name}", "mine")
        for force in [], ["--force"]:
            self.octant("run", self.scene, "--quiet", "--out", "a", "--steps", 1, *force)
        self.assertEqual((self.folder / "a/notes.txt").read_text(), "mine")
        self.assertIn("snapshot_3.hdf5", self.listing("a"))
        # Nor is it when a run goes on and would write there.
        self.write("a/snapshot_0002.hdf5", "mine")
        self.assertIn("snapshot_0002.hdf5", self.refused("run", "--resume", "--out", "a"))

    def test_the_old_run_is_back_when_the_new_one_fails(self):
        self.octant("run", self.scene, "--quiet", "--out", "a")
        before = self.contents("a")
        sentence = self.refused(*self.broken(), "--out", "a", "--force", status=1)
        self.assertIn("particle 17", sentence)
        self.assertEqual(self.contents("a"), before)

    def test_the_new_run_stays_once_it_has_a_checkpoint(self):
        self.octant("run", self.scene, "--quiet", "--out", "a")
        self.write("late.cl", """\
real4 octant_force(real3 position, real3 velocity, real mass, ulong id, real time)
{
    return (real4)(id == 17 && time > (real)0.405 ? NAN : (real)0, 0, 0, 0);
}
""")
        self.refused("run", self.scene, "--set", "forces=[custom: {file: late.cl}]", "--out", "a",
                     "--force", status=1)
        self.assertIn("forces", (self.folder / "a/scene.yaml").read_text())
        self.assertEqual(len(self.names_in("a")), 1)
        self.assertLess(self.octant_json("info", "a/checkpoint.hdf5")["step"], 41)

    def half_moved(self, names, note):
        """A folder as --force leaves it when it is killed."""
        aside = self.folder / "a/.octant-old"
        aside.mkdir()
        if note:
            self.write("a/.octant-old/replaced-by", note)
        for name in names:
            os.rename(self.folder / "a" / name, aside / name)

    def test_killed_while_it_moves_or_before_the_new_run_has_a_checkpoint(self):
        self.octant("run", self.scene, "--quiet", "--out", "a")
        before = self.contents("a")
        new = "0123456789abcdef" * 2
        for moved in 0, 1, 4, len(before):
            for command in (["--resume", "--out", "a"], [self.scene, "--out", "a"]):
                with self.subTest(moved=moved, command=command):
                    self.half_moved(sorted(before)[:moved], new if moved else "")
                    if moved == len(before):
                        self.write("a/scene.yaml", f"# run: {new}\ntitle: new\n")
                        self.write("a/diagnostics.csv", f"step\n# units: 1\n# run: {new}\n0\n")
                        self.write("a/checkpoint.hdf5.tmp", "half")
                    if command[0] == "--resume":
                        self.octant("run", *command, "--quiet")
                    else:
                        self.assertIn("holds a run already", self.refused("run", *command))
                    self.assertEqual(self.contents("a"), before)
                    self.assertFalse((self.folder / "a/.octant-old").exists())

    def test_killed_after_the_first_checkpoint(self):
        self.octant("run", self.scene, "--quiet", "--out", "a", "--set", "seed=8")
        self.octant("run", self.scene, "--quiet", "--out", "b")
        after = self.contents("b")
        name = self.run_of("b/checkpoint.hdf5")
        for aside, note in (".octant-old", name), (".octant-gone", name), (".octant-gone", None):
            with self.subTest(aside=aside, note=note):
                shutil.copytree(self.folder / "a", self.folder / "b" / aside)
                if note:
                    self.write(f"b/{aside}/replaced-by", note)
                else:
                    os.remove(self.folder / "b" / aside / "checkpoint.hdf5")
                self.octant("run", "--resume", "--out", "b", "--quiet")
                self.assertEqual(self.contents("b"), after)
                self.assertFalse((self.folder / "b" / aside).exists())

    def test_what_somebody_put_aside_is_named(self):
        self.octant("run", self.scene, "--quiet", "--out", "a", "--steps", 1)
        before = self.contents("a")
        self.half_moved(sorted(before)[:2], "0123456789abcdef" * 2)
        self.write("a/.octant-old/mine.txt", "mine")
        self.assertIn(".octant-old", self.refused("run", "--resume", "--out", "a"))
        self.assertEqual((self.folder / "a/.octant-old/mine.txt").read_text(), "mine")
        os.remove(self.folder / "a/.octant-old/mine.txt")
        self.octant("run", "--resume", "--out", "a", "--quiet", "--steps", 1)
        self.assertEqual(self.contents("a"), before)


class Compared(FolderTest):
    def test_a_run_is_no_comparison(self):
        # Both have a report.html, which --force would replace.
        self.octant("run", self.scene, "--quiet", "--out", "a", "--steps", 3)
        before = self.contents("a")
        compare = ["compare", self.scene, "--b", "integrator.dt=0.02", "--until", "0.1", "--out"]
        for force in [], ["--force"]:
            self.assertIn("a holds a run", self.refused(*compare, "a", *force))
        self.assertEqual(self.contents("a"), before)
        self.octant(*compare, "b", "--quiet")
        before = self.contents("b")
        for force in [], ["--force"]:
            self.refused("run", self.scene, "--out", "b", *force)
        self.assertEqual(self.contents("b"), before)


class Finished(FolderTest):
    def test_whatever_is_missing_is_made_again(self):
        self.ring("whole")
        self.assertGreater(len(self.table("whole/impacts.csv")), 0)
        whole = self.contents("whole")
        # In the order in which the files are written: those after a kill are not there.
        order = ["snapshot_0004.hdf5", "last row", "impacts.csv", "report.html"]
        for first in range(len(order)):
            with self.subTest(first=order[first]):
                shutil.rmtree(self.folder / "a", ignore_errors=True)
                shutil.copytree(self.folder / "whole", self.folder / "a")
                for missing in order[first:]:
                    if missing == "last row":
                        path = self.folder / "a/diagnostics.csv"
                        path.write_text("".join(path.read_text().splitlines(True)[:-1]))
                    else:
                        os.remove(self.folder / "a" / missing)
                self.write(f"a/{order[first]}.tmp" if first != 1 else "a/scene.yaml.tmp", "half")
                done = self.octant("run", "--resume", "--out", "a", "--quiet")
                self.assertIn("note: the run had reached its end", done.stderr)
                self.assertEqual(self.contents("a"), whole)
                self.assertEqual(self.octant("run", "--resume", "--out", "a", "--quiet").stderr, "")

    def test_rows_that_are_due_at_the_end_are_not_measured_again(self):
        # The rate of collisions since the last row must be that of the row, not of no time.
        self.ring("whole", "--set", "run.until=600")
        whole = self.contents("whole")
        os.remove(self.folder / "whole/report.html")
        self.octant("run", "--resume", "--out", "whole", "--quiet")
        self.assertEqual(self.contents("whole"), whole)

    def test_stopped_is_not_finished(self):
        # At a step with a row and a snapshot, so that only the report knows.
        self.octant("run", self.scene, "--quiet", "--out", "a", "--steps", 50)
        stopped = (self.folder / "a/report.html").read_text()
        self.assertIn("ended at step 50", stopped)
        path = self.write("a/report.html", stopped.replace("ended at step", "stopped at step"))
        self.octant("run", "--resume", "--quiet", "--out", "a", "--steps", 50)
        self.assertEqual(path.read_text(), stopped)


class Locked(FolderTest):
    LONG = ["--set", "integrator.dt=1e-6", "--set", "output.checkpoint=0.05 s", "--quiet"]

    def start(self, *arguments, verb="run"):
        process = subprocess.Popen(self.command(verb, *arguments), cwd=self.folder, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def wait_for(self, name, process):
        deadline = time.monotonic() + 60
        while not (self.folder / name).exists():
            self.assertIsNone(process.poll(), "the run ended too early")
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.005)

    def test_one_writer_at_a_time(self):
        process = self.start(self.scene, *self.LONG, "--out", "a")
        self.wait_for("a/checkpoint.hdf5", process)
        for more in (["--resume"], ["--resume", "--until", "2"], [self.scene, "--force"]):
            sentence = self.refused("run", *more, "--out", "a", "--quiet")
            self.assertRegex(sentence, rf"^octant: a is being written by process {process.pid} on "
                             rf"{re.escape(platform.node())} since \d{{4}}-\d\d-\d\d "
                             r"\d\d:\d\d:\d\d UTC: .*octant run .* --out a; wait for it")
        self.assertIsNone(process.poll())
        # It dies with its process, and its file goes with the next.
        process.send_signal(signal.SIGKILL)
        process.wait()
        self.assertIn(".octant-lock", self.listing("a"))
        step = self.octant_json("info", "a/checkpoint.hdf5")["step"]
        self.octant("run", "--resume", "--out", "a", "--quiet", "--steps", step + 10)
        self.assertNotIn(".octant-lock", self.listing("a"))

    def test_two_that_begin_at_once(self):
        processes = [self.start(self.scene, "--out", "a", "--quiet") for _ in range(3)]
        ends = sorted(process.wait(120) for process in processes)
        self.assertEqual(ends, [0, 2, 2])
        self.assertEqual(len(self.names_in("a")), 1)
        self.octant("run", self.scene, "--out", "b", "--quiet")
        self.assert_same_folder("a", "b")

    def test_a_viewer_keeps_out_too(self):
        process = self.start(self.scene, *self.LONG, "--out", "a")
        self.wait_for("a/checkpoint.hdf5", process)
        viewer = Viewer(self, "view", self.scene, "--paused", "--out", "a")
        for verb in "snapshot", "checkpoint":
            self.assertIn(f"being written by process {process.pid} ", viewer.refused(verb))
        process.kill()
        process.wait()
        self.assertEqual(viewer.post("snapshot")["file"], "saved_0000.hdf5")
        self.assertNotIn(".octant-lock", self.listing("a"))
        # That of a run saves into the folder that the run holds.
        viewer = Viewer(self, "run", self.scene, *self.LONG, "--out", "b", "--view")
        self.assertEqual(viewer.post("snapshot")["file"], "saved_0000.hdf5")

    def test_a_comparison_keeps_out_too(self):
        compare = [self.scene, "--b", "integrator.dt=2e-6", *self.LONG, "--out", "a"]
        process = self.start(*compare, verb="compare")
        self.wait_for("a/compare.csv", process)
        for verb, more in (("compare", compare), ("run", [self.scene, "--out", "a"])):
            self.assertIn(f"being written by process {process.pid} ",
                          self.refused(verb, *more, "--force"))
        self.assertIsNone(process.poll())

    def test_who_holds_it_cannot_command_a_terminal(self):
        process = self.start(self.scene, *self.LONG, "--out", "a")
        self.wait_for("a/checkpoint.hdf5", process)
        self.write("a/.octant-lock", "\033[2Jme\nand more")
        sentence = self.refused("run", "--resume", "--out", "a")
        self.assertIn("written by ?[2Jme; wait", sentence)


@unittest.skipUnless(FAULTS.exists(), "the library that makes calls fail was not built")
@unittest.skipIf(b"__asan_init" in pathlib.Path(os.environ["OCTANT"]).read_bytes(),
                 "a sanitizer wants to be loaded first")
class Killed(FolderTest):
    """Kills at every call that changes a folder; whatever comes next, nothing is lost or mixed."""

    def killed(self, kind, k, *arguments):
        """Runs a command that dies at the k-th call; False where it ended before."""
        environment = dict(os.environ, LD_PRELOAD=str(FAULTS), OCTANT_FAULT=f"{kind}:{k}:kill")
        done = subprocess.run(self.command(*arguments), cwd=self.folder, text=True,
                              capture_output=True, timeout=120, env=environment)
        self.assertIn(done.returncode, (0, -signal.SIGKILL), done.stderr)
        return done.returncode != 0

    def fresh(self, source):
        shutil.rmtree(self.folder / "a", ignore_errors=True)
        shutil.copytree(self.folder / source, self.folder / "a")

    def test_in_the_finish(self):
        self.ring("whole")
        self.ring("early", "--steps", RING_STEPS - 1)
        for kind in "rename", "unlink", "fsync":
            for k in range(1, 100):
                self.fresh("early")
                if not self.killed(kind, k, "run", "--resume", "--quiet", "--out", "a"):
                    break
                with self.subTest(kind=kind, k=k):
                    self.octant("run", "--resume", "--quiet", "--out", "a")
                    self.assert_same_folder("whole", "a")
                    self.assertEqual(self.names_in("a"), self.names_in("early"))
            self.assertGreater(k, 4)

    def test_in_a_step_back(self):
        # From the checkpoint before the last, or an earlier one that was kept: what is cut off
        # must come again.
        self.ring("whole")
        self.ring("early", "--steps", 3)
        shutil.copy(self.folder / "early/checkpoint.hdf5", self.folder / "kept.hdf5")
        self.octant("run", "--resume", "--quiet", "--out", "early")
        shutil.copy(self.folder / "kept.hdf5", self.folder / "early/checkpoint.hdf5.prev")
        for source in "a/checkpoint.hdf5.prev", "kept.hdf5":
            for k in range(1, 100):
                self.fresh("early")
                if not self.killed("rename", k, "run", f"--resume={source}", "--quiet", "--out",
                                   "a"):
                    break
                with self.subTest(source=source, k=k):
                    self.octant("run", "--resume", "--quiet", "--out", "a")
                    self.assert_same_folder("whole", "a")
            self.assertGreater(k, 4)

    def test_in_force(self):
        self.octant("run", self.scene, "--quiet", "--out", "old", "--set", "seed=8")
        self.octant("run", self.scene, "--quiet", "--out", "new", "--steps", 3)
        old = self.contents("old")
        force = ["run", self.scene, "--quiet", "--out", "a", "--force", "--steps", "3"]
        for kind in "rename", "unlink":
            outcomes = set()
            for k in range(1, 100):
                self.fresh("old")
                if not self.killed(kind, k, *force):
                    break
                with self.subTest(kind=kind, k=k):
                    self.octant("run", "--resume", "--quiet", "--out", "a", "--steps",
                                3 if self.is_new() else 100)
                    if self.contents("a") == old:
                        outcomes.add("old")
                    else:
                        outcomes.add("new")
                        self.assert_same_folder("new", "a")
                        self.assertEqual(len(self.names_in("a")), 1)
            self.assertEqual(outcomes, {"old", "new"})

    def is_new(self):
        """Whether the run that was to replace the other has its checkpoint."""
        path = self.folder / "a/checkpoint.hdf5"
        return path.exists() and b"run" in path.read_bytes()[:200] and \
            self.octant_json("info", path)["step"] <= 3


if __name__ == "__main__":
    unittest.main()
