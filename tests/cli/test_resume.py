"""Stopped and resumed, a run leaves what a run that never stopped leaves, bit for bit."""

import os
import random
import re
import signal
import subprocess
import time
import unittest

from octant_cli import OctantTest

INTEGRATORS = ["leapfrog", "euler", "symplectic-euler"]
PRECISIONS = ["single", "mixed", "double"]

# Two solar systems and a body alone, for integrators that split forces.
SYSTEMS = """\
units: solar
models:
  - solar-system: {start: random}
  - solar-system: {planets: [mars, jupiter], offset: [90, 0, 10], velocity: [0, 0.001, 0]}
  - body: {mass: 1000, offset: [100, 90, 0]}
gravity: {method: systems}
integrator: {method: wh, dt: 10}
run: {until: 1000}
output: {diagnostics: 100, snapshot: 250}
"""


class SameRun(OctantTest):
    def assert_same_run(self, straight, resumed):
        """Diagnostics and snapshots, and no file too many or too few."""
        names = [[name for name in self.listing(folder) if not name.startswith("checkpoint")]
                 for folder in (straight, resumed)]
        self.assertEqual(*names)
        self.assert_same_files(straight, resumed, names[0])
        hashes = [self.hash_of(folder) for folder in (straight, resumed)]
        self.assertEqual(*hashes)

    def hash_of(self, folder):
        """The hash of a finished run; asking for it changes nothing."""
        return self.octant_lines("run", "--resume", "--out", folder)[-1]["state_hash"]


class Resume(SameRun):
    def test_every_integrator_and_precision(self):
        for integrator in INTEGRATORS:
            for precision in PRECISIONS:
                with self.subTest(integrator=integrator, precision=precision):
                    a, b = f"{integrator}-{precision}-a", f"{integrator}-{precision}-b"
                    run = ["run", self.scene, "--quiet", "--precision", precision, "--set",
                           f"integrator.method={integrator}", "--out"]
                    self.octant(*run, a)
                    self.octant(*run, b, "--steps", 37)
                    self.octant("run", self.scene, "--quiet", "--resume", "--out", b)
                    self.assert_same_run(a, b)

    def test_integrators_of_solar_systems(self):
        scene = self.write("systems.yaml", SYSTEMS)
        for integrator in ["{method: respa, substeps: 3}", "{method: two-rate, substeps: 3}",
                           "{method: wh}"]:
            for precision in PRECISIONS[integrator == "{method: wh}":]:
                with self.subTest(integrator=integrator, precision=precision):
                    a, b = (f"{integrator[9:12]}-{precision}-{run}" for run in "ab")
                    run = ["run", scene, "--quiet", "--precision", precision, "--set",
                           f"integrator={integrator[:-1]}, dt: 10}}", "--out"]
                    self.octant(*run, a)
                    self.octant(*run, b, "--steps", 37)
                    self.octant("run", scene, "--quiet", "--resume", "--out", b)
                    self.assert_same_run(a, b)

    def test_stops_at_awkward_steps(self):
        self.octant("run", self.scene, "--quiet", "--out", "straight")
        for stops in ([1], [50], [99], [25, 30], [3, 4, 77]):
            with self.subTest(stops=stops):
                out = "-".join(map(str, stops))
                self.octant("run", self.scene, "--quiet", "--out", out, "--steps", stops[0])
                for stop in stops[1:]:
                    self.octant("run", "--resume", "--quiet", "--out", out, "--steps", stop)
                self.octant("run", "--resume", "--quiet", "--out", out)
                self.assert_same_run("straight", out)

    def test_removed_particles_stay_removed(self):
        run = ["run", self.scene, "--quiet", "--set", "box={boundary: open, removal_radius: 0.8}",
               "--out"]
        self.octant(*run, "a")
        self.octant(*run, "b", "--steps", 37)
        self.octant("run", "--resume", "--quiet", "--out", "b")
        self.assertLess(self.octant_json("info", "a/checkpoint.hdf5")["n"], 48)
        self.assert_same_run("a", "b")

    def test_a_later_end(self):
        self.octant("run", self.scene, "--quiet", "--out", "a")
        self.octant("run", self.scene, "--quiet", "--out", "b", "--set", "run.until=0.345")
        end = self.octant_lines("run", "--resume", "--out", "b", "--until", "1")[-1]
        self.assertEqual((end["step"], end["state_hash"]), (100, self.hash_of("a")))

    def test_a_finished_run_is_left_alone(self):
        self.octant("run", self.scene, "--quiet", "--out", "a")
        before = {name: (self.folder / "a" / name).read_bytes() for name in self.listing("a")}
        end = self.octant_lines("run", "--resume", "--out", "a")
        self.assertEqual([line["step"] for line in end], [100])
        after = {name: (self.folder / "a" / name).read_bytes() for name in self.listing("a")}
        self.assertEqual(before, after)

    def test_resume_from_a_file(self):
        self.octant("run", self.scene, "--quiet", "--out", "a", "--steps", 37)
        os.rename(self.folder / "a/checkpoint.hdf5", self.folder / "kept.hdf5")
        done = self.octant("run", "--resume=kept.hdf5", "--out", "b", "--quiet")
        self.assertIn("octant: note: b/diagnostics.csv has no rows from before step 37",
                      done.stderr)
        self.assertEqual([row["step"] for row in self.table("b/diagnostics.csv")],
                         [40, 50, 60, 70, 80, 90, 100])

    def test_the_scene_comes_with_the_checkpoint(self):
        change = ["--set", "gravity.softening=0.2"]
        self.octant("run", self.scene, *change, "--out", "a", "--steps", 3, "--quiet")
        same = self.octant("run", self.scene, *change, "--out", "a", "--resume", "--quiet",
                           "--steps", 5)
        self.assertEqual(same.stderr, "")
        other = self.octant("run", self.scene, "--set", "seed=3", "--out", "a", "--resume",
                            "--quiet", "--steps", 7)
        self.assertIn("octant: note: ", other.stderr)

    def test_refusals(self):
        self.octant("run", self.scene, "--quiet", "--out", "a", "--steps", 3, "--precision=double")
        self.assertIn("double", self.refused("run", "--resume", "--out", "a", "--precision=single"))
        self.assertIn("choose one", self.refused("run", "--resume", "--out", "a", "--force"))
        self.assertIn("--out DIR", self.refused("run", "--resume"))
        self.assertIn("checkpoint.hdf5", self.refused("run", "--resume", "--out", "nothing"))
        self.assertFalse((self.folder / "nothing").exists())
        self.write("a/diagnostics.csv", "step,other\n0,1\n")
        self.assertIn("other columns", self.refused("run", "--resume", "--out", "a"))

    def test_a_table_with_other_units_is_refused(self):
        self.octant("run", self.scene, "--quiet", "--out", "a", "--steps", 30)
        path = self.folder / "a/diagnostics.csv"
        text = path.read_text()
        path.write_text(text.replace("# units: 1,time,", "# units: 1,s,"))
        self.assertIn("other columns", self.refused("run", "--resume", "--out", "a"))
        # A heading that was cut off is written again.
        path.write_text(text[:text.index("\n") + 20])
        self.octant("run", "--resume", "--out", "a", "--quiet")
        self.assertEqual(self.table("a/diagnostics.csv")[0]["step"], 30)

    def test_a_damaged_checkpoint_is_named_and_the_one_before_offered(self):
        self.octant("run", self.scene, "--quiet", "--out", "a", "--steps", 37)
        self.octant("run", "--resume", "--quiet", "--out", "a", "--steps", 50)
        path = self.folder / "a/checkpoint.hdf5"
        damaged = bytearray(path.read_bytes())
        damaged[len(damaged) // 2] ^= 1
        path.write_bytes(damaged)
        sentence = self.refused("run", "--resume", "--out", "a", status=2)
        self.assertIn("checkpoint.hdf5.prev", sentence)
        self.octant("run", "--resume=a/checkpoint.hdf5.prev", "--quiet")
        self.octant("run", self.scene, "--quiet", "--out", "straight")
        self.assert_same_run("straight", "a")


class Signals(SameRun):
    # Long enough to be caught in the middle: 20,000 steps of some 40 microseconds.
    LONG = ["--set", "integrator.dt=5e-5", "--set", "output.checkpoint=0.02 s",
            "--set", "run.until=1", "--quiet"]

    def start(self, *arguments):
        return subprocess.Popen(self.command(*arguments), cwd=self.folder, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def wait_for(self, name, process):
        deadline = time.monotonic() + 60
        while not (self.folder / name).exists():
            self.assertIsNone(process.poll(), "the run ended before it could be interrupted")
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.005)

    def straight(self):
        self.octant("run", self.scene, *self.LONG, "--out", "straight")

    def test_a_signal_ends_the_run_with_a_checkpoint(self):
        self.straight()
        for number in [signal.SIGTERM, signal.SIGINT, signal.SIGUSR1]:
            with self.subTest(signal=number):
                out = f"signal-{number}"
                process = self.start("run", self.scene, *self.LONG, "--out", out, "--set",
                                     "output.checkpoint=0")
                self.wait_for(f"{out}/snapshot_0001.hdf5", process)
                process.send_signal(number)
                _, stderr = process.communicate(timeout=60)
                self.assertEqual(process.returncode, 0, stderr)
                step = self.octant_json("info", f"{out}/checkpoint.hdf5")["step"]
                self.assertTrue(0 < step < 20000, step)
                self.octant("run", "--resume", "--quiet", "--out", out)
                self.assertEqual(self.hash_of(out), self.hash_of("straight"))
                self.assert_same_files("straight", out, ["diagnostics.csv"])

    def test_a_signal_after_the_driver_has_compiled(self):
        # Compilers inside OpenCL drivers install signal handlers; a new force has to be compiled.
        self.write("new.cl", f"""\
real4 octant_force(real3 position, real3 velocity, real mass, ulong id, real time)
{{
    return (real4)(0, 0, 0, 0); /* {time.time_ns()} */
}}
""")
        for number in [signal.SIGUSR1, signal.SIGTERM]:
            out = f"compiled-{number}"
            process = self.start("run", self.scene, *self.LONG, "--out", out, "--set",
                                 "forces=[custom: {file: new.cl}]", "--set", "run.until=60")
            self.wait_for(f"{out}/snapshot_0001.hdf5", process)
            process.send_signal(number)
            _, stderr = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 0, stderr)
            self.assertLess(self.octant_json("info", f"{out}/checkpoint.hdf5")["step"], 1000000)

    def test_it_says_how_to_go_on(self):
        process = self.start("run", self.scene, *self.LONG[:-1], "--out", "out")
        self.wait_for("out/snapshot_0001.hdf5", process)
        process.terminate()
        printed, _ = process.communicate(timeout=60)
        self.assertRegex(printed, r"stopped at step \d+ of 20000; .*--resume --out out\n$")

    def wait_for_watch(self, process):
        """Until the process waits for SIGUSR1."""
        blocked = 0
        while not blocked >> (signal.SIGUSR1 - 1) & 1:
            self.assertIsNone(process.poll())
            with open(f"/proc/{process.pid}/status") as status:
                blocked = int(re.search(r"SigBlk:\s*(\w+)", status.read())[1], 16)

    def test_a_signal_before_the_run_begins(self):
        # The first force takes a minute.
        for number in [signal.SIGTERM, signal.SIGINT, signal.SIGUSR1]:
            process = self.start("run", self.scene, "--out", "early", "--quiet", "--set",
                                 "models.0.plummer.n=600000")
            self.addCleanup(process.kill)
            self.wait_for_watch(process)
            process.send_signal(number)
            _, stderr = process.communicate(timeout=10)
            self.assertEqual(process.returncode, 1)
            self.assertEqual(stderr, "octant: stopped by a signal before the run began; nothing "
                                     "was written\n")
            self.assertFalse((self.folder / "early").exists())

    def test_a_second_signal_ends_it_now(self):
        # A single force takes seconds, and the first signal has to wait for it.
        process = self.start("run", self.scene, "--out", "out", "--quiet", "--set",
                             "models.0.plummer.n=100000")
        self.addCleanup(process.kill)
        self.wait_for("out/snapshot_0000.hdf5", process)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        time.sleep(0.3)
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=10)
        self.assertEqual(process.returncode, 128 + signal.SIGTERM)

    def test_killed_at_any_moment(self):
        self.straight()
        chance = random.Random(1)
        arguments = ["run", self.scene, *self.LONG, "--out", "killed"]
        process = self.start(*arguments)
        self.wait_for("killed/checkpoint.hdf5", process)
        for _ in range(8):
            time.sleep(chance.uniform(0, 0.1))
            process.kill()
            process.communicate()
            process = self.start("run", "--resume", "--quiet", "--out", "killed")
            time.sleep(0.1)
        _, stderr = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, stderr)
        for name in self.listing("killed"):
            if name.endswith(".tmp"):
                (self.folder / "killed" / name).unlink()
        self.assert_same_run("straight", "killed")


if __name__ == "__main__":
    unittest.main()
