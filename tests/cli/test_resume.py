"""Stopped and resumed, a run leaves what a run that never stopped leaves, bit for bit."""

import os
import random
import re
import signal
import subprocess
import time
import unittest

from octant_cli import OctantTest, needs

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


RING = """\
box: {boundary: shear, size: [40, 40, 40], omega: 1.3e-4}
models:
  - ring: {n: 40, density: 400, radius: 1, spread: 1}
gravity: {method: none}
integrator: {method: sei, dt: 50}
run: {until: 500}
output: {diagnostics: 50}
"""


@needs("hdf5")
class SameRun(OctantTest):
    def assert_same_run(self, straight, resumed):
        """Diagnostics and snapshots, and no file too many or too few."""
        names = [[name for name in self.listing(folder) if not name.startswith("checkpoint")]
                 for folder in (straight, resumed)]
        self.assertEqual(*names)
        self.assert_same_files(straight, resumed, names[0])
        hashes = [self.hash_of(folder) for folder in (straight, resumed)]
        self.assertEqual(*hashes)

    def contents(self, folder):
        return {name: (self.folder / folder / name).read_bytes() for name in self.listing(folder)}

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
                    self.octant("run", "--quiet", "--resume", "--out", b)
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
                    self.octant("run", "--quiet", "--resume", "--out", b)
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
        before = self.contents("a")
        end = self.octant_lines("run", "--resume", "--out", "a")
        self.assertEqual([line["step"] for line in end], [100])
        self.assertEqual(before, self.contents("a"))

    def test_resume_from_a_file(self):
        self.octant("run", self.scene, "--quiet", "--out", "a", "--steps", 37)
        os.rename(self.folder / "a/checkpoint.hdf5", self.folder / "kept.hdf5")
        done = self.octant("run", "--resume=kept.hdf5", "--out", "b", "--quiet")
        self.assertIn("octant: note: b/diagnostics.csv has no rows from before step 37",
                      done.stderr)
        self.assertEqual([row["step"] for row in self.table("b/diagnostics.csv")],
                         [40, 50, 60, 70, 80, 90, 100])

    def test_the_same_scene_changes_nothing(self):
        change = ["--set", "gravity.softening=0.2"]
        self.octant("run", self.scene, *change, "--out", "a", "--quiet")
        self.octant("run", self.scene, *change, "--out", "b", "--steps", 37, "--quiet")
        same = self.octant("run", self.scene, *change, "--out", "b", "--resume")
        self.assertEqual(same.stderr, "")
        self.assert_same_run("a", "b")

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
        path = self.folder / "a/checkpoint.hdf5"
        before = path.read_bytes()
        self.octant("run", "--resume", "--quiet", "--out", "a", "--steps", 50)
        (self.folder / "a/checkpoint.hdf5.prev").write_bytes(before)
        damaged = bytearray(path.read_bytes())
        damaged[len(damaged) // 2] ^= 1
        path.write_bytes(damaged)
        sentence = self.refused("run", "--resume", "--out", "a", status=2)
        self.assertIn("checkpoint.hdf5.prev", sentence)
        self.octant("run", "--resume=a/checkpoint.hdf5.prev", "--quiet")
        self.octant("run", self.scene, "--quiet", "--out", "straight")
        self.assert_same_run("straight", "a")


class Changed(SameRun):
    """Runs that go on with another scene than they began with."""

    def bodies(self, folder):
        """Positions and velocities by id, from the checkpoint."""
        self.octant("convert", f"{folder}/checkpoint.hdf5", f"{folder}.csv")
        lines = (self.folder / f"{folder}.csv").read_text().splitlines()[2:]
        rows = [[float(x) for x in line.split(",")] for line in lines]
        return {int(row[0]): row[2:8] for row in rows}

    def assert_same_bodies(self, one, other):
        one, other = self.bodies(one), self.bodies(other)
        self.assertEqual(one.keys(), other.keys())
        for id, values in one.items():
            self.assertEqual(values, other[id])

    def rows(self, folder):
        return self.table(f"{folder}/diagnostics.csv")

    def begin(self, out, *more, steps=37):
        self.octant("run", self.scene, "--quiet", "--precision=double", "--out", out, "--steps",
                    steps, *more)

    def resume(self, out, *more):
        return self.octant("run", "--resume", "--out", out, *more)

    def test_another_time_step(self):
        self.begin("a")
        self.octant("convert", "a/checkpoint.hdf5", "state.csv")
        done = self.resume("a", "--set", "integrator.dt=0.004")
        self.assertEqual(done.stderr, "octant: note: since step 37, time 0.37: integrator.dt is "
                                      "0.004, not 0.01\n")
        # The same steps as of a scene that begins there: 158 of them lead from 0.37 past 1.
        self.octant("run", self.scene, "--quiet", "--precision=double", "--out", "fresh", "--set",
                    "models=[file: {path: state.csv}]", "--set", "integrator.dt=0.004", "--steps",
                    158)
        end = self.octant_json("info", "a/checkpoint.hdf5")
        self.assertEqual(end["step"], 37 + 158)
        self.assertAlmostEqual(end["time"], 0.37 + 158 * 0.004, places=15)
        self.assert_same_bodies("a", "fresh")
        # Rows and snapshots stay near their times, and none is there twice.
        times = [row["time"] for row in self.rows("a")]
        expected = [0, .1, .2, .3, .37, .4, .5, .6, .7, .8, .9, 1]
        self.assertEqual(len(times), len(expected))
        for time, wanted in zip(times, expected):
            self.assertAlmostEqual(time, wanted, delta=0.0021)
        for index, wanted in enumerate([0, .25, .5, .75, 1]):
            found = self.octant_json("info", f"a/snapshot_{index:04}.hdf5")
            self.assertAlmostEqual(found["time"], wanted, delta=0.0021)
        self.assertFalse((self.folder / "a/snapshot_0005.hdf5").exists())

    def test_a_changed_run_that_is_stopped_goes_on_to_the_same_bits(self):
        change = ["--set", "integrator.dt=0.004", "--set", "output.snapshot=0.06",
                  "--set", "gravity.softening=0.1"]
        for out in ["a", "b"]:
            self.begin(out)
        self.resume("a", *change)
        self.resume("b", *change, "--steps", 60)
        self.resume("b", "--steps", 61)
        self.resume("b")
        self.assert_same_run("a", "b")
        self.assertEqual(self.octant_json("info", "a/snapshot_0012.hdf5")["step"], 195)

    def test_outputs_and_the_end_change_no_bit_of_the_rest(self):
        self.octant("run", self.scene, "--quiet", "--precision=double", "--out", "straight",
                    "--until", 1.5)
        self.begin("a")
        self.resume("a", "--set", "output={snapshot: 0.1, diagnostics: 0.05}", "--until", "1.5")
        self.assertEqual(self.hash_of("a"), self.hash_of("straight"))
        steps = [row["step"] for row in self.rows("a")]
        self.assertEqual(steps, [0, 10, 20, 30, 37, *range(40, 151, 5)])
        times = [self.octant_json("info", f"a/{name}")["step"] for name in self.listing("a")
                 if name.startswith("snapshot")]
        self.assertEqual(times, [0, 25, *range(40, 151, 10)])

    def test_the_scene_of_a_longer_run_is_that_of_the_run(self):
        # Without an interval there are a hundred rows up to the end, wherever that is.
        for settings in ([], ["--set", "output={snapshot: 0.25}"]):
            self.octant("run", self.scene, "--quiet", *settings, "--until", 0.345, "--out", "a",
                        "--force")
            self.octant("run", "--resume", "--quiet", "--out", "a", "--until", 1)
            self.octant("run", "a/scene.yaml", "--quiet", "--out", "again", "--force")
            self.assertEqual(self.octant_json("info", "again/checkpoint.hdf5")["step"], 100)
            self.assertEqual(self.hash_of("a"), self.hash_of("again"))
            self.assert_same_files("a", "again", ["diagnostics.csv"])
            snapshots = [[name for name in self.listing(out) if name.startswith("snapshot")]
                         for out in ("a", "again")]
            self.assertEqual(*snapshots)

    def test_a_scene_that_is_named_is_obeyed(self):
        self.begin("a")
        self.scene.write_text(self.scene.read_text().replace("softening: 0.05", "softening: 0.3"))
        done = self.octant("run", self.scene, "--resume", "--out", "a")
        self.assertIn("since step 37, time 0.37: gravity.softening is 0.3, not 0.05", done.stderr)
        self.assertIn("softening: 0.3", (self.folder / "a/scene.yaml").read_text())
        # The energy is another one: its error counts from there. Measured: 7e-6; else 0.2.
        errors = [abs(row["energy_error"]) for row in self.rows("a")]
        self.assertLess(max(errors[5:]), 1e-4)

    def test_what_changed_is_in_the_scene_and_the_report(self):
        self.begin("a")
        self.resume("a", "--set", "gravity.softening=0.1", "--steps", 50)
        self.resume("a", "--set", "integrator.method=euler", "--set", "title=<other>\nlines",
                    "--steps", 60)
        self.resume("a")
        scene = (self.folder / "a/scene.yaml").read_text()
        self.assertRegex(scene, r"^# run: \w+\n# since step 37, time 0.37: gravity.softening is "
                                r"0.1, not 0.05\n")
        self.assertIn("\n# since step 50, time 0.5: integrator.method is euler, not leapfrog\n",
                      scene)
        report = (self.folder / "a/report.html").read_text()
        self.assertIn("<li>since step 37, time 0.37: gravity.softening is 0.1, not 0.05</li>",
                      report)
        self.assertIn("title is &#60;other&#62; lines, not A small cluster</li>", report)
        self.octant("run", "a/scene.yaml", "--quiet", "--out", "b", "--steps", 1)

    def test_any_method_may_follow_another(self):
        # A folder for each, since other methods measure other things.
        self.begin("0")
        for i, change in enumerate([
                "gravity={method: tree, criterion: relative, softening: 0.1}",
                "collisions={method: tree, restitution: 0.5}",
                "collisions.restitution=0.7", "collisions.tangential=0.5",
                "collisions.outcome=merge", "collisions.method=direct", "collisions.method=none",
                "gravity.method=none", "gravity.method=direct",
                "integrator.method=symplectic-euler", "box.removal_radius=3", "G=2"]):
            with self.subTest(change=change):
                done = self.octant("run", f"--resume={i}/checkpoint.hdf5", "--out", i + 1, "--set",
                                   change, "--steps", 38 + i)
                self.assertIn(f"since step {37 + i}", done.stderr)
        scene = (self.folder / "12/scene.yaml").read_text()
        self.assertEqual(re.findall("# since step 43.*", scene),
                         ["# since step 43, time 0.43: collisions.method is none, not direct"])

    def test_what_a_state_does_not_survive_is_refused(self):
        self.begin("a")
        before = self.contents("a")
        for change, key in [("seed=8", "seed"), ("units=solar", "units"),
                            ("models.0.plummer.n=49", "models.0.plummer.n"),
                            ("models=[plummer: {n: 24}, plummer: {n: 24}]", "models.0.plummer.n"),
                            ("box={boundary: periodic, size: [9, 9, 9]}", "box.boundary"),
                            ("collisions={method: direct, relax: 10}", "collisions.relax"),
                            ("output.kepler_error=true", "output.kepler_error")]:
            for scene in ([], [self.scene]):
                with self.subTest(change=change, named=bool(scene)):
                    sentence = self.refused("run", *scene, "--resume", "--out", "a", "--set",
                                            change)
                    self.assertTrue(sentence.startswith(f"octant: {key} is "), sentence)
                    self.assertIn("in the checkpoint", sentence)
        self.assertIn("unknown key", self.refused("run", "--resume", "--out", "a", "--set",
                                                  "gravity.sofening=1"))
        self.assertEqual(before, self.contents("a"))

    def test_other_columns_are_refused_before_anything_is_written(self):
        self.scene.write_text(RING)
        self.octant("run", self.scene, "--quiet", "--out", "a", "--steps", 3)
        before = self.contents("a")
        self.assertIn("other columns", self.refused("run", "--resume", "--out", "a", "--set",
                                                    "collisions.method=direct"))
        self.assertEqual(before, self.contents("a"))
        self.octant("run", "--resume=a/checkpoint.hdf5", "--out", "b", "--quiet", "--set",
                    "collisions.method=direct")

    def test_the_past(self):
        self.octant("run", self.scene, "--quiet", "--out", "a")
        before = self.contents("a")
        for end in (["--until", "0.5"], ["--set", "run.until=0.5"], ["--steps", "50"]):
            sentence = self.refused("run", "--resume", "--out", "a", *end)
            self.assertIn("already", sentence)
            self.assertIn("in the past", sentence)
        self.assertIn("at its end already", self.octant("run", "--resume", "--out", "a").stdout)
        self.assertEqual(before, self.contents("a"))


class Signals(SameRun):
    # Long enough to be caught in the middle: 40,000 steps of some 40 microseconds.
    LONG = ["--set", "integrator={dt: 2.5e-5, bursts: false}", "--set", "output.checkpoint=0.02 s",
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
        for number in [signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGHUP]:
            with self.subTest(signal=number):
                out = f"signal-{number}"
                process = self.start("run", self.scene, *self.LONG, "--out", out, "--set",
                                     "output.checkpoint=0", "--set", "output.snapshot=0.02")
                self.wait_for(f"{out}/snapshot_0001.hdf5", process)
                process.send_signal(number)
                _, stderr = process.communicate(timeout=60)
                self.assertEqual(process.returncode, 128 + number, stderr)
                self.assertRegex(stderr, r"^octant: stopped at step \d+ of 40000; to go on: "
                                         rf"octant run --resume --out {out}\n$")
                step = self.octant_json("info", f"{out}/checkpoint.hdf5")["step"]
                self.assertTrue(0 < step < 40000, step)
                self.octant("run", "--resume", "--quiet", "--out", out)
                self.assertEqual(self.hash_of(out), self.hash_of("straight"))
                self.assert_same_files("straight", out, ["diagnostics.csv"])

    def test_the_checkpoint_before_the_last(self):
        self.straight()
        process = self.start("run", self.scene, *self.LONG, "--out", "a")
        self.wait_for("a/checkpoint.hdf5.prev", process)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        steps = [self.octant_json("info", f"a/checkpoint.hdf5{end}")["step"]
                 for end in ("", ".prev")]
        self.assertTrue(0 < steps[1] <= steps[0] < 40000, steps)
        # Which step it was of is the clock's choice: at its end a run keeps none.
        self.octant("run", "--resume", "--quiet", "--out", "a")
        self.assertEqual(self.listing("a"), self.listing("straight"))
        self.assertNotIn("checkpoint.hdf5.prev", self.listing("straight"))

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
            self.assertEqual(process.returncode, 128 + number, stderr)
            self.assertLess(self.octant_json("info", f"{out}/checkpoint.hdf5")["step"], 1000000)

    def test_it_says_how_to_go_on(self):
        process = self.start("run", self.scene, *self.LONG[:-1], "--out", "out")
        self.wait_for("out/snapshot_0001.hdf5", process)
        process.terminate()
        printed, _ = process.communicate(timeout=60)
        self.assertRegex(printed, r"stopped at step \d+ of 40000; .*--resume --out out\n$")

    def test_it_says_so_without_a_folder(self):
        for option, regex in [([], r"\nstopped at step \d+ of 40000; nothing was written\n$"),
                              (["--json"], '"stopped": true, ')]:
            process = self.start("run", self.scene, *self.LONG[:-1], "--out", "none", *option)
            printed = process.stdout.readline()
            process.send_signal(signal.SIGINT)
            rest, _ = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 130)
            self.assertRegex(printed + rest, regex)
        self.assertEqual(self.listing("."), ["small.yaml"])

    def test_nohup_is_respected(self):
        """By drivers too, whose compilers a hangup ends: steps of few bodies are one launch."""
        process = subprocess.Popen(["nohup", *self.command("run", self.scene, *self.LONG, "--set",
                                                           "integrator.bursts=true", "--out",
                                                           "out")], cwd=self.folder,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        self.wait_for("out/snapshot_0000.hdf5", process)
        process.send_signal(signal.SIGHUP)
        self.assertEqual(process.wait(60), 0)

    def wait_for_watch(self, process):
        """Until the process waits for SIGUSR1."""
        blocked = 0
        while not blocked >> (signal.SIGUSR1 - 1) & 1:
            self.assertIsNone(process.poll())
            with open(f"/proc/{process.pid}/status") as status:
                blocked = int(re.search(r"SigBlk:\s*(\w+)", status.read())[1], 16)

    def test_a_signal_before_the_run_begins(self):
        # The first force takes a minute.
        for number in [signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGHUP]:
            process = self.start("run", self.scene, "--out", "early", "--quiet", "--set",
                                 "models.0.plummer.n=600000")
            self.addCleanup(process.kill)
            self.wait_for_watch(process)
            process.send_signal(number)
            _, stderr = process.communicate(timeout=10)
            self.assertEqual(process.returncode, 128 + number)
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
        self.assert_same_run("straight", "killed")


if __name__ == "__main__":
    unittest.main()
