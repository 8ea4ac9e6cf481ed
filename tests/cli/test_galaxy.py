"""The galaxy of solar systems, as a user runs it."""

import unittest

from octant_cli import OctantTest, needs


class Galaxy(OctantTest):
    @needs("hdf5")
    def test_the_scene_runs(self):
        """A ring of ten falls inward: at 61 years neighbours are 50 AU apart, as in the thesis."""
        lines = self.octant_lines("run", "galaxy", "--until", "61 yr", "--set",
                                  "output.snapshot=61 yr", "--out", "a")
        end = lines[-1]
        self.assertEqual(end["n"], 21)
        self.assertLess(abs(end["energy_error"]), 1e-6)  # seen: 1e-7
        self.assertEqual(lines[0]["kepler_error_max"], 0)
        self.assertLess(end["kepler_error_mean"], end["kepler_error_max"])
        self.assertTrue(0.005 < end["kepler_error_max"] < 0.05)  # seen: 0.013
        self.octant("convert", "a/snapshot_0001.hdf5", "end.csv")
        rows = [line.split(",") for line in (self.folder / "end.csv").read_text().splitlines()[1:]]
        columns = {name: i for i, name in enumerate(rows[0])}
        bodies = [{name: float(row[i]) for name, i in columns.items()} for row in rows[1:]]
        self.assertEqual([b["system"] for b in bodies],
                         [0] + [s for s in range(1, 11) for _ in range(2)])
        self.assertEqual([bodies[0][k] for k in ("type", "x", "y", "z")], [21, 0, 0, 0])
        stars = [b for b in bodies if b["type"] == 4]
        gaps = [((a["x"] - b["x"]) ** 2 + (a["y"] - b["y"]) ** 2) ** 0.5
                for a, b in zip(stars, stars[1:] + stars[:1])]
        self.assertLess(max(gaps) - min(gaps), 0.02)  # seen: 0.005: planets pull their stars aside
        self.assertAlmostEqual(sum(gaps) / 10, 50, delta=0.1)  # seen: 50.011

    def test_a_stopped_run_measures_the_same(self):
        run = ["run", "galaxy", "--until", "2 yr", "--set", "output.diagnostics=20 day", "--quiet",
               "--out"]
        self.octant(*run, "a")
        self.octant(*run, "b", "--steps", 31)
        self.octant("run", "--resume", "--quiet", "--out", "b")
        self.assert_same_files("a", "b", ["diagnostics.csv", "snapshot_0001.hdf5"])

    def test_other_numbers_of_bodies(self):
        """His default, his largest, a million planets."""
        key = "models.0.galaxy-of-systems"
        counts = [(65, "systems=8", "bodies=8"),
                  (40001, "systems=5000", "bodies=8", "distance=20000 AU"),
                  (1125001, "systems=125000", "bodies=9", "planets=solar-system", "planes=100",
                   "plane_distance=100 AU", "distance=20000 AU")]
        for n, *keys in counts:
            with self.subTest(keys=keys):
                sets = [part for assignment in keys for part in ("--set", f"{key}.{assignment}")]
                found = self.octant_json("check", "galaxy", *sets)
                self.assertEqual((found["n"], found["problems"]), (n, []))
        large = self.octant_json("check", "galaxy-large")
        self.assertEqual((large["n"], large["problems"]), (27337, []))

    def test_bad_galaxies(self):
        key = "models.0.galaxy-of-systems"
        cases = {"star_radius=2 AU": "inside its star", "eccentricity=1": "out of range",
                 "bodies=0": "out of range", "planes=0": "out of range",
                 "mass_ratio=0": "out of range", "systems=0": "out of range",
                 "systems=5000": "would overlap", "distance=1 AU": "the black hole"}
        for assignment, part in cases.items():
            with self.subTest(assignment=assignment):
                said = self.refused("check", "galaxy", "--set", f"{key}.{assignment}")
                self.assertIn(part, said)
                self.assertIn(key, said)


if __name__ == "__main__":
    unittest.main()
