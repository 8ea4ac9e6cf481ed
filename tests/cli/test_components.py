"""Measurements of components as a user asks for them: columns, profiles.csv, the report."""

import csv
import math
import unittest

from octant_cli import OctantTest, needs

SCENE = """\
units: nbody
models:
  - plummer: {n: 60, name: near, type: disk}
  - plummer: {n: 40, name: far, type: bulge, offset: [9, 0, 0]}
gravity: {method: direct, softening: 0.05}
integrator: {method: leapfrog, dt: 0.01}
run: {until: 0.25}
output:
  diagnostics: 0.03
  components: [all, near, far_bulge]
  distance: [near/far, 1/61]
  every: {profiles: 3}
"""


class Components(OctantTest):
    def setUp(self):
        super().setUp()
        self.scene = self.write("scene.yaml", SCENE)

    def profiles(self, folder):
        with open(self.folder / folder / "profiles.csv", encoding="utf-8") as file:
            return list(csv.DictReader(line for line in file if not line.startswith("#")))

    def bodies(self, path):
        self.octant("convert", path, "bodies.csv")
        with open(self.folder / "bodies.csv", encoding="utf-8") as file:
            return [{name: float(value) for name, value in row.items()}
                    for row in csv.DictReader(line for line in file if not line.startswith("#"))]

    @needs("hdf5")
    def test_profiles_are_those_of_the_bodies(self):
        self.octant("run", self.scene, "--quiet", "--out", "o", "--set", "output.centre=origin")
        last = self.table("o/diagnostics.csv")[-1]
        bodies = self.bodies("o/snapshot_0000.hdf5")
        rows = [row for row in self.profiles("o") if row["step"] == "25"]
        self.assertEqual({row["component"] for row in rows}, {"all", "near", "far_bulge"})
        units = (self.folder / "o/profiles.csv").read_text().splitlines()[1]
        self.assertTrue(units.startswith("# units: 1,time,1,length,length,1,mass,mass/length^3,"))
        for component, kinds in (("all", (2, 3)), ("near", (2,)), ("far_bulge", (3,))):
            mine = [body for body in bodies if body["type"] in kinds]
            radii = sorted(math.dist((0, 0, 0), (b["x"], b["y"], b["z"])) for b in mine)
            enclosed = 0
            for row in (row for row in rows if row["component"] == component):
                inner, outer = float(row["r_inner"]), float(row["r_outer"])
                n = sum(inner <= r < outer for r in radii)
                enclosed += sum(b["mass"] for b in mine
                                if inner <= math.dist((0, 0, 0), (b["x"], b["y"], b["z"])) < outer)
                self.assertEqual(float(row["n"]), n)
                self.assertAlmostEqual(float(row["mass_enclosed"]), enclosed, delta=1e-12)
                self.assertAlmostEqual(float(row["v_circ"]), math.sqrt(enclosed / outer),
                                       delta=1e-12)
            if component != "all":  # equal masses: half of them are within either of two
                half, got = len(radii) // 2, last[f"lagrange_50_{component}"]
                self.assertGreater(got, radii[half - 1] * (1 - 4e-3))
                self.assertLess(got, radii[half] * (1 + 4e-3))
        first, other = ([b[k] for k in "xyz"] for b in bodies if b["id"] in (1, 61))
        self.assertAlmostEqual(last["distance_1_61"], math.dist(first, other), delta=1e-13)
        self.assertAlmostEqual(last["distance_near_far"], 9, delta=1)

    @needs("hdf5")
    def test_stopped_and_resumed_it_is_the_same_table(self):
        self.octant("run", self.scene, "--quiet", "--out", "straight")
        names = self.listing("straight")
        self.assertIn("profiles.csv", names)
        self.assertEqual(sorted({int(row["step"]) for row in self.profiles("straight")}),
                         [0, 9, 18, 25])
        for stops in ([9], [13], [18, 25], [1, 12]):
            with self.subTest(stops=stops):
                out = "-".join(map(str, stops))
                self.octant("run", self.scene, "--quiet", "--out", out, "--steps", stops[0])
                for stop in stops[1:]:
                    self.octant("run", "--resume", "--quiet", "--out", out, "--steps", stop)
                # A kill leaves rows of later steps, and half a line.
                table = self.folder / out / "profiles.csv"
                whole = table.read_text()
                later = "24," + whole.splitlines()[-1].partition(",")[2]
                if stops[-1] < 25:
                    table.write_text(whole + later + "\n" + later[:20])
                self.octant("run", "--resume", "--quiet", "--out", out)
                self.assert_same_files("straight", out, names)

    @needs("hdf5")
    def test_a_table_of_another_run_is_refused(self):
        self.octant("run", self.scene, "--quiet", "--out", "a", "--steps", 5)
        self.octant("run", self.scene, "--quiet", "--out", "b", "--steps", 5)
        (self.folder / "a/profiles.csv").write_bytes((self.folder / "b/profiles.csv").read_bytes())
        self.assertIn("profiles.csv", self.refused("run", "--resume", "--out", "a"))
        (self.folder / "a/profiles.csv").write_text("mine\n")
        self.refused("run", "--resume", "--out", "a")
        self.assertEqual((self.folder / "a/profiles.csv").read_text(), "mine\n")

    def test_the_report_shows_profiles(self):
        self.octant("run", self.scene, "--quiet", "--out", "o")
        page = (self.folder / "o/report.html").read_text()
        self.assertIn("profiles at the end", page)
        for name in ("v_circ", "surface_density", "lagrange_50", "bar_strength", "far_bulge"):
            self.assertIn(name, page)

    @needs("hdf5", "png")
    def test_pictures_of_components(self):
        self.octant("run", self.scene, "--quiet", "--out", "o", "--steps", 1)
        render = ["render", "o/snapshot_0000.hdf5", "--out", "p.png", "--size", "300x300"]
        self.octant(*render, "--mode", "components")
        components = (self.folder / "p.png").read_bytes()
        self.octant(*render, "--mode", "density")
        self.assertNotEqual((self.folder / "p.png").read_bytes(), components)
        self.assertIn("no colour map", self.refused(*render, "--mode", "components", "--map",
                                                    "dusk"))

    def test_components_change_no_bit(self):
        plain = self.octant_lines("run", self.scene, "--out", "none", "--set",
                                  "output.components=[]", "--set", "output.distance=[]", "--set",
                                  "output.every={}")[-1]
        full = self.octant_lines("run", self.scene, "--out", "none")[-1]
        self.assertEqual(plain["state_hash"], full["state_hash"])
        self.assertIn("lagrange_50_far_bulge", full)
        self.assertNotIn("lagrange_50_far_bulge", plain)


if __name__ == "__main__":
    unittest.main()
