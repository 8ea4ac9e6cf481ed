"""octant check: what it finds out before anything is run, and how long a run will take."""
import os
import time
import unittest
import unittest.mock

from octant_cli import OctantTest, needs

BODIES = "id,mass,x,y,z,vx,vy,vz\n1,1,0,0,0,0,0,0\n2,1,1,0,0,0,0,0\n"
FROM_FILE = """\
units: nbody
models: [file: {path: bodies.csv}]
gravity: {method: direct, softening: 0.1}
integrator: {dt: 0.01}
run: {until: 1}
"""

# A file of bodies, and what is said of it.
DAMAGED = {
    "cut short": (BODIES[:-6], ["bodies.csv", "3"]),
    "no number": (BODIES.replace("2,1,1", "2,1,one"), ["bodies.csv", "one"]),
    "infinite mass": (BODIES.replace("2,1,1", "2,inf,1"), ["bodies.csv:3", "not a finite number"]),
    "negative mass": (BODIES.replace("2,1,1", "2,-1,1"), ["body 2 has mass -1"]),
    "the same id twice": (BODIES.replace("2,1,1", "1,1,1"), ["two bodies have the id 1"]),
    "no bodies": (BODIES.splitlines()[0] + "\n", ["bodies.csv' holds no bodies"]),
    "noise": ("\x01\x02\x03", ["bodies.csv"]),
}


class Files(OctantTest):
    def setUp(self):
        super().setUp()
        self.bodies = self.write("file.yaml", FROM_FILE)

    def test_files_that_the_scene_names_are_read(self):
        self.assertIn("there is no file", self.refused("check", self.bodies))
        self.write("bodies.csv", BODIES)
        self.assertEqual(self.octant_json("check", self.bodies)["n"], 2)
        for name, (text, words) in DAMAGED.items():
            with self.subTest(name):
                self.write("bodies.csv", text)
                line = self.refused("check", self.bodies)
                for word in words:
                    self.assertIn(word, line)
        (self.folder / "bodies.csv").unlink()
        (self.folder / "bodies.csv").mkdir()
        self.assertIn("is a folder", self.refused("check", self.bodies))

    @needs("hdf5")
    def test_a_snapshot_that_is_cut_short(self):
        self.octant("run", self.scene, "--out", "out", "--steps", 1, "--quiet")
        whole = (self.folder / "out/snapshot_0000.hdf5").read_bytes()
        (self.folder / "half.hdf5").write_bytes(whole[:len(whole) // 2])
        line = self.refused("check", self.bodies, "--set", "models.0.file.path=half.hdf5")
        self.assertIn("half.hdf5", line)

    def test_the_users_functions_are_compiled(self):
        sets = ["--set", "forces=[custom: {file: mine.cl, parameters: {rate: 1}}]"]
        self.assertIn("there is no file", self.refused("check", self.scene, *sets))
        head = ("real4 octant_force(real3 position, real3 velocity, real mass, ulong id, "
                "real time, constant octant_parameters *parameters)\n")
        self.write("mine.cl", head + "{ return (real4)(-position * parameters->rat, 0); }\n")
        found = self.octant_json("check", self.scene, *sets, status=2)
        self.assertEqual(len(found["problems"]), 1)
        self.assertRegex(found["problems"][0], r"mine\.cl:2:.*no member named 'rat'")
        self.assertIsNone(found["wall_s"])
        self.write("mine.cl", head + "{ return (real4)(-position * parameters->rate, 0); }\n")
        self.assertEqual(self.octant_json("check", self.scene, *sets)["problems"], [])
        law = ["--set", "collisions={method: direct, restitution: custom, restitution_file: l.cl}"]
        self.write("l.cl", "real octant_restitution(real speed) { return 1; }\n")
        found = self.octant_json("check", self.scene, *law, status=2)
        self.assertIn("l.cl:1: octant_restitution has another form", found["problems"][0])


class Forecast(OctantTest):
    def test_a_run_takes_about_as_long(self):
        sets = ["--set", "models.0.plummer.n=3000", "--set", "run.until=2"]
        found = self.octant_json("check", self.scene, *sets)
        start = time.monotonic()
        self.octant("run", self.scene, *sets, "--out", "out", "--quiet")
        # Of the built-in scenes 0.49 to 1.48 was seen, with ten programs on two cores.
        self.assertTrue(0.2 < found["wall_s"] / (time.monotonic() - start) < 5, found)
        timed = found["timed"]
        self.assertEqual((timed["n"], timed["law"]), (3000, None))
        self.assertGreaterEqual(timed["steps"], 3)
        due = (timed["start_s"] + found["steps"] * timed["step_s"] + found["rows"] * timed["row_s"]
               + (found["snapshots"] + 1) * timed["snapshot_s"])
        self.assertAlmostEqual(found["wall_s"] / due, 1, 12)

    def test_what_would_take_long_is_scaled(self):
        steps = {}
        for n, law in [(200000, "n^2"), (400000, "n^2"), (10000000, "n log n")]:
            sets = [f"models.0.plummer.n={n}"] + ["gravity.method=tree"] * (law == "n log n")
            start = time.monotonic()
            found = self.octant_json("check", self.scene, *(x for s in sets for x in ("--set", s)))
            self.assertLess(time.monotonic() - start, 60)  # seen: 2 to 3 s
            self.assertEqual((found["n"], found["timed"]["law"]), (n, law))
            self.assertLess(found["timed"]["n"], n / 3)
            steps[n] = found["timed"]["step_s"]
        self.assertTrue(1 < steps[400000] / steps[200000] < 16, steps)  # 4, but for the load
        self.assertLess(steps[10000000], 40 * steps[400000])

    def test_it_is_told_in_words(self):
        text = self.octant("check", self.scene).stdout
        time_of = r"[\d.]+ [mu]?s"
        self.assertRegex(text, rf"\ntime         about {time_of}: {time_of} to start, {time_of} a "
                               rf"step, {time_of} a row, {time_of} a snapshot\n"
                               r"             from \d+ steps of the run\n")
        text = self.octant("check", self.scene, "--set", "models.0.plummer.n=300000").stdout
        self.assertRegex(text, r"\n             from \d+ steps of \d+ of the particles, scaled by "
                               r"n\^2\n")

    def test_what_takes_the_memory(self):
        answer = self.octant_json("check", self.scene)
        parts = {part["part"]: part for part in answer["memory"]}
        self.assertEqual(sum(part["bytes"] for part in parts.values()), answer["bytes_total"])
        self.assertEqual((answer["n"], parts["column: type"]["bytes"]), (48, 48))
        text = self.octant("check", self.scene, "--memory").stdout
        self.assertRegex(text, r"\n +48 bytes +1\.00  column: type\n")
        self.assertNotIn("column: type", self.octant("check", self.scene).stdout)
        # Ids 1, 2, 3, ... take memory only where a kernel wants them.
        self.assertNotIn("column: id", text)
        text = self.octant("check", self.scene, "--memory", "--set",
                           "collisions.method=direct").stdout
        self.assertRegex(text, r"\n +384 bytes +8\.00  column: id\n")

    def test_nothing_is_left_behind(self):
        (self.folder / "tmp").mkdir()
        for place in (self.folder / "tmp", "/no/such/folder"):
            with unittest.mock.patch.dict(os.environ, {"TMPDIR": str(place)}):
                self.assertGreater(self.octant_json("check", self.scene)["wall_s"], 0)
        self.assertEqual(self.listing("tmp"), [])
        self.assertEqual(self.listing("."), ["small.yaml", "tmp"])

    def test_what_does_not_fit_is_not_tried(self):
        found = self.octant_json("check", self.scene, "--set", "models.0.plummer.n=2000000000",
                                 status=2)
        self.assertFalse(found["fits"])
        self.assertIsNone(found["wall_s"])

    def test_a_run_that_breaks_at_once(self):
        found = self.octant_json("check", self.scene, "--set", "integrator.dt=1e200", "--set",
                                 "run.until=1e201", status=1)
        self.assertIn("is no number any more", found["problems"][0])


if __name__ == "__main__":
    unittest.main()
