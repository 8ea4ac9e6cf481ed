"""The built-in galaxies and their merger, as a user runs them."""

import csv
import unittest

from octant_cli import OctantTest, needs

GALAXIES = ("models.0.merger.first.disk-galaxy", "models.0.merger.second.disk-galaxy")
HOLES = "distance_primary_black_hole_secondary_black_hole"


def small(*more):
    """The merger with 2,402 bodies."""
    sets = [f"{galaxy}.{part}.n={n}" for galaxy in GALAXIES
            for part, n in (("disk", 160), ("bulge", 40), ("halo", 1000))]
    sets += ["integrator.dt=0.25", "gravity.softening=0.6", "output.snapshot=30", *more]
    return [word for assignment in sets for word in ("--set", assignment)]


class Merger(OctantTest):
    def rows(self, folder):
        lines = (self.folder / folder / "diagnostics.csv").read_text().splitlines()
        return list(csv.DictReader(line for line in lines if not line.startswith("#")))

    def test_the_scenes_have_their_bodies(self):
        for scene, n in (("merger", 240002), ("disk-galaxy", 200000), ("barred-galaxy", 200000)):
            found = self.octant_json("check", scene, "--set", "gravity.method=none")
            self.assertEqual((found["n"], found["problems"]), (n, []))

    def test_galaxies_pass_each_other(self):
        """Haloes pull less than points do: the holes pass beyond the pericentre, and later."""
        end = self.octant_lines("run", "merger", "--until", 60, "--out", "a", *small())[-1]
        self.assertEqual(end["n"], 2402)
        distances = [(float(row[HOLES]), float(row["time"])) for row in self.rows("a")]
        self.assertAlmostEqual(distances[0][0], 150, delta=3)  # seen: 151.4, noise of the holes
        nearest, time = min(distances)
        self.assertTrue(10 < nearest < 25 and 46 < time < 52)  # seen: 18.3 at 48; points: 10 at 46
        self.assertLess(abs(end["energy_error"]), 5e-3)  # seen: 1.0e-3
        self.octant("convert", min((self.folder / "a").glob("snapshot_*")), "start.csv")
        lines = [line for line in (self.folder / "start.csv").read_text().splitlines()
                 if not line.startswith("#")]
        bodies = list(csv.DictReader(lines))
        holes = [(b["id"], b["component"]) for b in bodies if b["type"] == "5"]
        self.assertEqual(holes, [("1", "1"), ("1202", "2")])
        masses = [sum(float(b["mass"]) for b in bodies if b["component"] == k) for k in "12"]
        self.assertAlmostEqual(masses[0] / masses[1], 3, delta=1e-9)
        for axis in ("x", "y", "z", "vx", "vy", "vz"):
            self.assertLess(abs(sum(float(b["mass"]) * float(b[axis]) for b in bodies)), 1e-9)

    def test_legends_have_the_names(self):
        """Of what a run, its checkpoint and a table of its bodies say."""
        self.octant("run", "merger", "--steps", 1, "--quiet", *small(), "--out", "a")
        start = min((self.folder / "a").glob("snapshot_*"))
        self.octant("convert", start, "start.csv")
        for file in (start, "start.csv", *(self.folder / "a").glob("checkpoint*")):
            self.octant("render", file, "--mode", "components", "--out", "a.svg", "--size",
                        "300x240")
            text = (self.folder / "a.svg").read_text()
            self.assertIn("primary", text)
            self.assertIn("secondary", text)
            self.assertNotIn("component", text)

    @needs("hdf5")
    def test_a_stopped_merger_is_the_same(self):
        run = ["run", "merger", "--until", 5, "--quiet", *small("output.snapshot=5"), "--out"]
        self.octant(*run, "a")
        self.octant(*run, "b", "--steps", 11)
        self.octant("run", "--resume", "--quiet", "--out", "b")
        self.assert_same_files("a", "b", ["diagnostics.csv", "snapshot_0001.hdf5"])


if __name__ == "__main__":
    unittest.main()
