"""octant run: what it prints, what it writes, and that it does both again in the same way."""

import json
import math
import os
import pty
import subprocess
import unittest

from octant_cli import OctantTest, needs

FILES = ["checkpoint.hdf5", "diagnostics.csv", "report.html", "scene.yaml", "snapshot_0000.hdf5",
         "snapshot_0001.hdf5", "snapshot_0002.hdf5", "snapshot_0003.hdf5", "snapshot_0004.hdf5"]


class Bodies(OctantTest):
    """A scene from a file that another one wrote."""

    def write_scene(self, path):
        self.file_scene = self.write("from.yaml", f"models: [file: {{path: {path}}}]\n"
                                     "integrator: {dt: 1}\nrun: {until: 1}\n"
                                     "output: {snapshot: 1}\n")

    def start(self, units, *settings):
        """The bodies that a scene in these units begins with."""
        self.octant("run", self.file_scene, "--set", f"units={units}", *settings, "--out", units,
                    "--force", "--quiet")
        return self.octant_json("info", f"{units}/snapshot_0000.hdf5")

    @needs("hdf5")
    def test_a_sun_is_a_sun_in_any_units(self):
        self.octant("run", "solar-system", "--steps=1", "--out=sun", "--quiet")
        self.write_scene("sun.csv")
        self.octant("convert", "sun/snapshot_0000.hdf5", "sun.csv")
        before = self.octant_json("info", "sun/snapshot_0000.hdf5")
        kilograms = before["mass"] * before["units"]["mass"]
        self.assertAlmostEqual(kilograms / 1.9911e30, 1, places=4)  # the Sun and its planets
        for units in ["si", "solar", "galactic"]:
            for settings in ([], ["--set", "G=2"]):
                found = self.start(units, *settings)
                # Measured: 2e-16.
                self.assertAlmostEqual(found["mass"] * found["units"]["mass"] / kilograms, 1,
                                       places=14)
                self.assertAlmostEqual(found["max"][0] * found["units"]["length"] /
                                       (before["max"][0] * before["units"]["length"]), 1, places=12)
        self.assertIn("nbody", self.refused("run", self.file_scene, "--set", "units=nbody",
                                            "--out", "none"))
        self.assertIn("solar, not si", self.refused("run", self.file_scene, "--set",
                                                    "models.0.file.units=si", "--out", "none"))

    @needs("hdf5")
    def test_a_file_that_says_nothing_is_in_the_units_of_the_scene(self):
        self.write("plain.csv", "mass,x,y,z,vx,vy,vz\n1,0,0,0,0,0,0\n1e-6,1,0,0,0,1,0\n")
        self.write_scene("plain.csv")
        for units in ["si", "nbody", "solar", "galactic"]:
            self.assertEqual(self.start(units)["mass"], 1.000001)
        found = self.start("solar", "--set", "models.0.file.units=AU, Msun, yr")
        self.assertAlmostEqual(found["mass"] / (1.000001 * 1.3271244e20 / 3.986004e14), 1,
                               places=14)
        self.assertIn("models.0.file", self.refused("run", self.file_scene, "--out", "none",
                                                    "--set", "models.0.file.units=solr"))


class Results(OctantTest):
    def rows(self, folder="out"):
        return self.table(f"{folder}/diagnostics.csv")

    @needs("hdf5")
    def test_files(self):
        self.octant("run", self.scene, "--out", "out", "--quiet")
        self.assertEqual(self.listing("out"), FILES)
        rows = self.rows()
        self.assertEqual([row["step"] for row in rows], list(range(0, 101, 10)))
        self.assertEqual([row["time"] for row in rows],
                         [step * 0.01 for step in range(0, 101, 10)])
        units = self.units("out/diagnostics.csv")
        for name, unit in {"time": "time", "energy_error": "1", "momentum_x": "mass length/time",
                           "angular_momentum_z": "mass length^2/time", "virial": "1",
                           "n": "1"}.items():
            self.assertEqual(units[name], unit)
        # Measured: 2e-5 in mixed precision.
        self.assertTrue(0 < abs(rows[-1]["energy_error"]) < 1e-3)

    def test_years(self):
        done = self.octant("run", "solar-system", "--steps", 731, "--out", "out")
        self.assertIn("(1.001 years)", done.stdout)  # 365.5 of 365.25 days
        self.assertEqual(self.units("out/diagnostics.csv")["years"], "yr")
        self.assertAlmostEqual(self.table("out/diagnostics.csv")[-1]["years"], 365.5 / 365.25,
                               delta=1e-12)
        page = (self.folder / "out/report.html").read_text(encoding="utf-8")
        self.assertIn("365.5 day (1.000684463 yr)", page)
        self.assertIn("time [yr]", page)
        # A cluster in units of its own has neither orbits nor years.
        self.octant("run", self.scene, "--out", "plain", "--quiet")
        self.assertFalse({"orbits", "years"} & set(self.units("plain/diagnostics.csv")))

    @needs("hdf5")
    def test_snapshots_are_of_their_times(self):
        self.octant("run", self.scene, "--out", "out", "--quiet")
        for index, step in enumerate([0, 25, 50, 75, 100]):
            found = self.octant_json("info", f"out/snapshot_{index:04}.hdf5")
            self.assertAlmostEqual(found["time"], step * 0.01, places=12)

    @needs("hdf5")
    def test_the_resolved_scene_gives_the_same_run(self):
        first = self.octant_lines("run", self.scene, "--out", "a")[-1]
        second = self.octant_lines("run", "a/scene.yaml", "--out", "b")[-1]
        self.assertEqual(first["state_hash"], second["state_hash"])
        self.assert_same_files("a", "b", FILES)

    @needs("hdf5")
    def test_two_runs_are_identical(self):
        for precision in ["single", "mixed", "double"]:
            a, b = f"{precision}-a", f"{precision}-b"
            ends = [self.octant_lines("run", self.scene, "--precision", precision, "--out", out)[-1]
                    for out in (a, b)]
            self.assertEqual(ends[0]["state_hash"], ends[1]["state_hash"])
            self.assert_same_files(a, b, FILES)

    def test_outputs_do_not_change_the_trajectory(self):
        quiet = self.octant_lines("run", self.scene, "--out", "none", "--set",
                                  "output.diagnostics=1", "--set", "output.snapshot=0")[-1]
        busy = self.octant_lines("run", self.scene, "--out", "busy", "--set",
                                 "output.diagnostics=0.01", "--set", "output.snapshot=0.01",
                                 "--set", "output.checkpoint=0.001 s")[-1]
        self.assertEqual(quiet["state_hash"], busy["state_hash"])
        self.assertEqual(len(self.rows("busy")), 101)

    @needs("hdf5")
    def test_checkpoints_by_the_clock_leave_no_trace(self):
        setting = ["--set", "output.checkpoint=1e-9 s"]
        self.octant("run", self.scene, *setting, "--out", "a", "--quiet")
        self.octant("run", self.scene, *setting, "--out", "b", "--quiet")
        self.assertEqual(self.listing("a"), FILES)
        self.assertEqual(self.listing("b"), FILES)
        self.assert_same_files("a", "b", FILES)

    def test_a_step_longer_than_the_run_is_refused(self):
        for dt in ("2", "2e9", "1.001"):
            longer = ["--set", f"integrator.dt={dt}"]
            sentence = self.refused("run", self.scene, *longer, "--out", "out")
            self.assertIn(f"integrator.dt is {dt.replace('2e9', '2e+09')}, more than the whole run",
                          sentence)
            self.assertFalse((self.folder / "out").exists())
            self.assertEqual(self.refused("check", self.scene, *longer), sentence)
            self.assertEqual(self.refused("compare", self.scene, self.scene, *longer), sentence)
        self.assertIn("ends at 0.005", self.refused("run", self.scene, "--until", "0.005"))
        # Steps that are counted do not ask for the end.
        end = self.octant_lines("run", self.scene, "--steps", 3, "--set", "integrator.dt=2",
                                "--out", "none")[-1]
        self.assertEqual((end["step"], end["time"]), (3, 6))
        end = self.octant_lines("run", self.scene, "--set", "integrator.dt=1", "--out", "none")[-1]
        self.assertEqual((end["step"], end["time"]), (1, 1))

    # Two bodies that leave the scene, in step 6.
    LEAVING = "mass,x,y,z,vx,vy,vz,radius\n1,0.5,0,0,10,0,0,0.001\n1,-0.5,0,0,-10,0,0,0.001\n"

    @needs("hdf5")
    def test_no_bodies_left(self):
        self.write("leaving.csv", self.LEAVING)
        scene = self.write("leaving.yaml", """\
box: {boundary: open, removal_radius: 1}
units: nbody
models: [file: {path: leaving.csv}]
gravity: {method: direct, softening: 0.1}
integrator: {dt: 0.01}
run: {until: 1}
output: {diagnostics: 0.1, snapshot: 0.05}
""")
        note = "octant: note: no bodies are left at step 10 of 100: the run ends here"
        for setting in ("gravity.method=direct", "gravity.method=tree", "gravity.method=none",
                        "collisions={method: tree}", "collisions={method: tree, outcome: merge}"):
            with self.subTest(setting=setting):
                done = self.octant("run", scene, "--out", "out", "--force", "--set", setting)
                self.assertIn(note, done.stderr.splitlines())
                self.assertIn("10 steps, time 0.1", done.stdout)
                self.assertIn("results in out", done.stdout)
                rows = self.rows()
                self.assertEqual([(row["step"], row["n"], row["removed"]) for row in rows],
                                 [(0, 2, 0), (10, 0, 2)])
                files = [name for name in self.listing("out") if name != "impacts.csv"]
                self.assertEqual(files, FILES[:6])
                self.assertEqual(self.octant_json("info", "out/checkpoint.hdf5")["step"], 10)
        # Nothing changes however often one asks, and --json has the end too.
        kept = [name for name in self.listing("out") if name != "report.html"]
        before = {name: (self.folder / "out" / name).read_bytes() for name in kept}
        end = self.octant_lines("run", "--resume", "--out", "out")[-1]
        self.assertEqual((end["step"], end["n"], end["stopped"]), (10, 0, False))
        self.assertEqual(before, {name: (self.folder / "out" / name).read_bytes() for name in kept})

    def test_out_none_writes_nothing(self):
        before = self.listing(".")
        self.octant("run", self.scene, "--out", "none", "--quiet")
        self.assertEqual(self.listing("."), before)

    def test_default_folder(self):
        self.octant("run", self.scene, "--steps", 1, "--quiet")
        self.octant("run", "two-body", "--steps", 1, "--quiet")
        self.assertIn("scene.yaml", self.listing("octant-small"))
        self.assertIn("scene.yaml", self.listing("octant-two-body"))

    @needs("hdf5")
    def test_a_run_is_not_overwritten(self):
        self.octant("run", self.scene, "--out", "deep/er", "--quiet")
        before = (self.folder / "deep/er/checkpoint.hdf5").read_bytes()
        sentence = self.refused("run", self.scene, "--out", "deep/er", "--steps", 1)
        self.assertIn("holds a run already", sentence)
        self.assertEqual((self.folder / "deep/er/checkpoint.hdf5").read_bytes(), before)

    @needs("hdf5")
    def test_force_replaces_it(self):
        self.octant("run", self.scene, "--out", "out", "--quiet")
        self.octant("run", self.scene, "--out", "out", "--quiet", "--force", "--steps", 1)
        self.assertEqual(self.listing("out"), FILES[:6])
        self.assertEqual([row["step"] for row in self.rows()], [0, 1])

    def test_steps_and_until(self):
        for arguments, step in [(["--steps", 7], 7), (["--until", "0.105"], 11),
                                (["--set", "run.until=0.3"], 30), (["--steps", 120], 120)]:
            end = self.octant_lines("run", self.scene, "--out", "none", *arguments)[-1]
            self.assertEqual(end["step"], step, arguments)

    def test_a_folder_that_cannot_be(self):
        self.write("file", "")
        self.refused("run", self.scene, "--out", "file")
        self.refused("run", self.scene, "--out", "")
        self.refused("run", self.scene, "--out", "/proc/octant", status=1)


class Printed(OctantTest):
    def test_json(self):
        lines = self.octant_lines("run", self.scene, "--out", "none")
        self.assertEqual([line["step"] for line in lines], list(range(0, 101, 10)))
        for line in lines:
            self.assertEqual(line["n"], 48)
            self.assertAlmostEqual(line["time"], 0.01 * line["step"], places=12)
            self.assertTrue(math.isfinite(line["energy_error"]))
            self.assertEqual((len(line["momentum"]), len(line["angular_momentum"])), (3, 3))
            self.assertLess(line["energy"], 0)
        self.assertEqual(["final" in line for line in lines], [False] * 10 + [True])
        end = lines[-1]
        self.assertTrue(end["final"])
        self.assertRegex(end["state_hash"], r"^[0-9a-f]{16}$")
        self.assertGreater(end["wall_s"], 0)
        self.assertGreater(end["steps_per_s"], 0)
        self.assertIn(end["device"], [device["name"] for device in self.octant_json("devices")])
        self.assertIn(end["precision"], ["single", "mixed"])

    def test_json_has_the_columns_of_the_csv(self):
        end = self.octant_lines("run", self.scene, "--out", "out")[-1]
        for name, number in self.table("out/diagnostics.csv")[-1].items():
            value = end[name[:-2]]["xyz".index(name[-1])] if name[-2:] in ("_x", "_y", "_z") \
                else end[name]
            self.assertEqual(number, value, name)

    def test_plain_lines(self):
        lines = self.octant("run", self.scene, "--out", "out").stdout.splitlines()
        self.assertEqual(len(lines), 13)
        self.assertTrue(lines[0].startswith("step 0/100"), lines[0])
        self.assertIn("100 steps", lines[-3])
        # What took less than half a millisecond is not named, as rows of few bodies may.
        self.assertRegex(lines[-2], r"^outputs took [0-9.e+]+ % of it[:;] ")
        self.assertEqual(lines[-1], "results in out")

    @needs("hdf5")
    def test_what_outputs_cost(self):
        lines = self.octant("run", self.scene, "--out", "out", "--json").stdout.splitlines()
        costs = json.loads(lines[-1])["outputs"]
        kinds = [costs[kind] for kind in
                 ("diagnostics_s", "snapshots_s", "checkpoints_s", "film_s")]
        self.assertTrue(all(kind > 0 for kind in kinds[:3]), costs)
        self.assertEqual(kinds[3], 0)
        self.assertAlmostEqual(costs["total_s"], sum(kinds), places=9)
        self.assertGreater(costs["beside_s"], 0)
        self.assertTrue(0 < costs["share"] <= 1, costs)
        # 100 steps, a row every ten: those of the start and the end are not on the way.
        self.assertEqual((costs["rows"], costs["checkpoints"], costs["frames"]), (9, 0, 0))
        self.assertEqual(costs["snapshots"], len(list((self.folder / "out").glob("snap*"))) - 2)
        self.assertTrue(0 < costs["due_share"] < 1, costs)

    @needs("hdf5")
    def test_quiet(self):
        done = self.octant("run", self.scene, "--out", "out", "--quiet")
        self.assertEqual((done.stdout, done.stderr), ("", ""))

    def test_progress_on_a_terminal(self):
        ours, theirs = pty.openpty()
        done = subprocess.run(self.command("run", self.scene, "--out", "none"), stderr=theirs,
                              stdout=subprocess.PIPE, text=True, cwd=self.folder, timeout=120)
        os.close(theirs)
        shown = os.read(ours, 65536).decode()
        os.close(ours)
        self.assertEqual(done.returncode, 0)
        self.assertIn("\r\033[Kstep ", shown)
        self.assertTrue(shown.endswith("\r\033[K"), shown)
        self.assertNotIn("\n", shown)
        self.assertEqual(len(done.stdout.splitlines()), 2)

    @needs("hdf5")
    def test_profile(self):
        shown = self.octant("run", self.scene, "--set", "integrator.bursts=false", "--out", "out",
                            "--profile", "trace.json").stdout
        for line in ("device", "steps", "outputs", "writer"):
            self.assertRegex(shown, rf"(?m)^{line} +\|.{{60}}\| +\S+ s +[0-9.]+ %$")
        self.assertRegex(shown, r"(?m)^kernel +launches +ms +ms each +share$")
        events = json.loads((self.folder / "trace.json").read_text())["traceEvents"]
        names = {e["tid"]: e["args"]["name"] for e in events if e["ph"] == "M"}
        self.assertEqual((names[2], names[3]), ("host", "writer"))
        spans = [e for e in events if e["ph"] == "X"]
        self.assertGreater(len([e for e in spans if e["tid"] == 1]), 100)
        # One time line: what was launched in steps ran before the host had waited for them.
        steps = [e for e in spans if e["tid"] == 2 and e["name"] == "steps"]
        self.assertGreater(len(steps), 0)
        kicks = [e for e in spans if e["name"].startswith("state_kick")]
        within = [any(s["ts"] - 50 <= k["ts"] and k["ts"] + k["dur"] <= s["ts"] + s["dur"] + 50
                      for s in steps) for k in kicks]
        self.assertGreater(sum(within), 0.9 * len(kicks))
        self.assertTrue({"snapshots", "checkpoints"} <= {e["name"] for e in spans
                                                         if e["tid"] == 3})


class Trouble(OctantTest):
    # A force of the user's that has no value for one particle from a certain time on.
    FORCE = """\
real4 octant_force(real3 position, real3 velocity, real mass, ulong id, real time)
{
    return (real4)(id == 17 && time > (real)0.405 ? NAN : (real)0, 0, 0, 0);
}
"""

    @needs("hdf5")
    def test_a_nan_stops_the_run_and_keeps_the_checkpoint(self):
        self.write("broken.cl", self.FORCE)
        run = ["run", self.scene, "--set", "forces=[custom: {file: broken.cl}]", "--out", "out"]
        self.octant(*run, "--steps", 37, "--quiet")
        before = (self.folder / "out/checkpoint.hdf5").read_bytes()
        sentence = self.refused("run", "--resume", "--out", "out", "--quiet", status=1)
        self.assertRegex(sentence, r"particle 17 .*step 41\b")
        self.assertEqual((self.folder / "out/checkpoint.hdf5").read_bytes(), before)
        rows = self.table("out/diagnostics.csv")
        self.assertEqual([row["step"] for row in rows], [0, 10, 20, 30, 40])

    @needs("hdf5")
    def test_a_row_is_written_when_the_steps_that_it_waits_for_fail(self):
        # The host waits after 64 steps, before it has written the row that they began with.
        self.write("broken.cl", self.FORCE.replace("0.405", "1.405"))
        sentence = self.refused("run", self.scene, "--set", "forces=[custom: {file: broken.cl}]",
                                "--set", "run.until=3", "--set", "output.diagnostics=1", "--out",
                                "out", "--quiet", status=1)
        self.assertRegex(sentence, r"particle 17 .*step 141\b")
        rows = self.table("out/diagnostics.csv")
        self.assertEqual([row["step"] for row in rows], [0, 100])


if __name__ == "__main__":
    unittest.main()
