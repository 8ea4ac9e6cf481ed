"""The accuracy of tree gravity, as a user measures it."""
import csv
import unittest

from octant_cli import OctantTest

TREE = """\
units: nbody
models: [plummer: {n: 2000, truncation: 20}]
gravity: {method: tree, theta: 0.7}
integrator: {dt: 0.001}
run: {until: 0.004}
output: {diagnostics: 0.001}
"""
KEYS = {"theta", "criterion", "alpha", "value", "n", "targets", "precision", "median", "p90", "p99",
        "p999", "max", "mean", "potential_mean", "cells", "particles"}


class Accuracy(OctantTest):
    def setUp(self):
        super().setUp()
        self.tree = self.write("tree.yaml", TREE)

    def accuracy(self, *arguments):
        return self.octant_json("accuracy", self.tree, *arguments)

    def test_a_record_a_theta(self):
        rows = self.accuracy("--theta", "0.3,0.5,1")
        self.assertEqual([row["theta"] for row in rows], [0.3, 0.5, 1])
        for row in rows:
            self.assertEqual(set(row), KEYS)
            self.assertEqual(row["n"], 2000)
            self.assertLess(row["median"], row["p90"])
            self.assertLess(row["p90"], row["p99"])
            self.assertLess(row["p99"], row["p999"])
            self.assertLess(row["p999"], row["max"])
        for finer, coarser in zip(rows, rows[1:]):
            self.assertLess(finer["mean"], coarser["mean"])
            self.assertLess(finer["potential_mean"], coarser["potential_mean"])
            self.assertGreater(finer["particles"], coarser["particles"])
        # Measured 1.1e-5 and 5.3e-4.
        self.assertLess(rows[0]["median"], 2e-5)
        self.assertLess(rows[2]["median"], 1e-3)
        self.assertGreater(rows[2]["median"], 1e-4)

    def test_the_scenes_own_theta(self):
        [own] = self.accuracy()
        [same] = self.accuracy("--theta", "0.7")
        self.assertEqual(own, same)
        self.assertEqual(own["theta"], 0.7)

    def test_the_reference_is_softened_alike(self):
        # Measured 5.2e-4; a reference without softening differs by 0.1.
        [row] = self.accuracy("--set", "gravity.softening=0.5")
        self.assertLess(row["potential_mean"], 1e-3)

    def test_the_softenings_of_types_too(self):
        # Measured 1.9e-5; a reference without them differs by 0.098.
        [row] = self.accuracy("--set", "gravity.softenings.star=0.5")
        self.assertLess(row["potential_mean"], 1e-3)

    def test_some_bodies_stand_for_all(self):
        [every] = self.accuracy()
        [some] = self.accuracy("--targets", 500)
        self.assertEqual((every["targets"], some["targets"], some["n"]), (2000, 500, 2000))
        # What is counted is counted of all; measured 2.5e-4 both, 1.3e-3 and 1.4e-3.
        self.assertEqual((some["cells"], some["particles"]), (every["cells"], every["particles"]))
        self.assertLess(abs(some["median"] / every["median"] - 1), 0.15)
        self.assertLess(abs(some["p99"] / every["p99"] - 1), 0.5)
        self.assertNotEqual(some["mean"], every["mean"])
        self.assertEqual(self.accuracy("--targets", 3000), [every])

    def test_a_key_that_varies(self):
        rows = self.accuracy("--vary", "models.0.plummer.n=500,1000", "--theta", "0.4,0.8")
        self.assertEqual([(row["value"], row["n"], row["theta"]) for row in rows],
                         [("500", 500, 0.4), ("500", 500, 0.8), ("1000", 1000, 0.4),
                          ("1000", 1000, 0.8)])
        alone = self.accuracy("--set", "models.0.plummer.n=1000", "--theta", "0.4,0.8")
        self.assertEqual([{**row, "value": None} for row in rows[2:]], alone)
        text = self.octant("accuracy", self.tree, "--vary", "gravity.theta=0.4,0.8").stdout
        self.assertEqual(text.count("gravity.theta = "), 2)

    def test_curves(self):
        """The fraction of bodies with a larger error than each of some, from all to none."""
        rows = self.accuracy("--theta", "0.4,0.8", "--curves", "curves.csv")
        with open(self.folder / "curves.csv", encoding="utf-8") as file:
            points = list(csv.DictReader(file))
        for row in rows:
            curve = [(float(p["error"]), float(p["fraction"])) for p in points
                     if float(p["theta"]) == row["theta"]]
            self.assertEqual(curve, sorted(curve, key=lambda point: (point[0], -point[1])))
            self.assertEqual((curve[0][1], curve[-1][1]), (1999 / 2000, 0))
            for fraction, name in ((0.5, "median"), (0.1, "p90"), (0.01, "p99")):
                [above, below] = [min(e for e, f in curve if f <= fraction),
                                  max(e for e, f in curve if f >= fraction)]
                self.assertLessEqual(below, 1.000001 * row[name])
                self.assertGreaterEqual(above, 0.999999 * row[name])
        self.assertFalse((self.folder / "curves.csv.part").exists())

    def test_text(self):
        lines = self.octant("accuracy", self.tree, "--theta", "0.5,0.75").stdout.splitlines()
        self.assertIn("tree in", lines[0])
        self.assertEqual([line.split()[1] for line in lines[-3:]], ["theta", "0.5", "0.75"])
        self.assertEqual([line.split()[0] for line in lines[-2:]], ["offset", "offset"])

    def test_every_criterion_is_measured(self):
        rows = self.accuracy("--criterion", "offset,geometric,min-distance,relative")
        self.assertEqual([row["criterion"] for row in rows],
                         ["offset", "geometric", "min-distance", "relative"])
        self.assertEqual([row["alpha"] for row in rows], [None, None, None, 0.01])
        self.assertEqual(len({row["cells"] for row in rows}), 4)
        for row in rows:
            [own] = self.accuracy("--set", f"gravity.criterion={row['criterion']}")
            self.assertEqual(own, row)

    def test_a_record_an_alpha(self):
        rows = self.accuracy("--criterion", "offset,relative", "--theta", "0.4,0.9",
                             "--alpha", "0.001,0.01,0.1")
        self.assertEqual([(row["criterion"], row["theta"], row["alpha"]) for row in rows],
                         [("offset", 0.4, None), ("offset", 0.9, None), ("relative", 0.7, 0.001),
                          ("relative", 0.7, 0.01), ("relative", 0.7, 0.1)])
        for finer, coarser in zip(rows[2:], rows[3:]):
            # Measured 7.9e-5, 3.1e-4 and 9.4e-4.
            self.assertLess(1.5 * finer["median"], coarser["median"])
            self.assertGreater(finer["particles"], coarser["particles"])

    def test_relative_is_what_a_run_sees(self):
        """The counts are those of a run's second forces, found by the accelerations of the first:
        in its first step, too short to move a bit."""
        still = ["--set", "gravity.criterion=relative", "--set", "integrator.dt=1e-30",
                 "--set", "output.diagnostics=1e-30", "--set", "run.until=1e-30"]
        for alpha in ("0.001", "0.1"):
            setting = [*still, "--set", f"gravity.alpha={alpha}"]
            self.octant("run", self.tree, *setting, "--out", "still", "--force", "--quiet")
            [first, second] = self.table("still/diagnostics.csv")
            [row] = self.accuracy(*setting)
            self.assertNotEqual(first["cells"], second["cells"])
            self.assertEqual((row["cells"], row["particles"]),
                             (second["cells"], second["particles"]))

    def test_refuses(self):
        def refused(*arguments):
            return self.refused("accuracy", *arguments)
        self.assertIn("no opening angle", refused(self.scene, "--theta", "0.5"))
        self.assertIn("no criterion", refused(self.scene, "--alpha", "0.5"))
        self.assertIn("no criterion", refused(self.scene, "--criterion", "offset"))
        self.assertIn("out of range", refused(self.tree, "--theta", "9"))
        self.assertIn("out of range", refused(self.tree, "--criterion=relative", "--alpha=2"))
        self.assertIn("goes by α", refused(self.tree, "--criterion", "relative", "--theta", "0.5"))
        self.assertIn("goes by θ", refused(self.tree, "--alpha", "0.5"))
        self.assertIn("relative", refused(self.tree, "--criterion", "relativ"))
        for bad in ("", ",", "0.3,", "0.3;0.5", "nan", "inf"):
            self.assertIn("list of numbers", refused(self.tree, "--theta", bad))
            self.assertIn("list of n", refused(self.tree, "--criterion", "offset,", "--alpha", bad))

    def test_refuses_what_cannot_vary(self):
        for bad in ("", "n", "=3", "gravity.theta=", "gravity.theta=0.4,", "gravity.theta=,"):
            self.assertIn("list of values", self.refused("accuracy", self.tree, "--vary", bad))
        self.assertIn("softning", self.refused("accuracy", self.tree, "--vary",
                                               "gravity.softning=0.1"))
        self.refused("accuracy", self.tree, "--vary", "gravity.theta=0.4,9")
        self.assertIn("cannot be written", self.refused("accuracy", self.tree, "--curves",
                                                        "nowhere/curves.csv"))
        self.assertFalse((self.folder / "nowhere").exists())

    def test_a_bad_value_at_the_end_of_a_list_stops_the_first(self):
        done = self.octant("accuracy", self.tree, "--theta", "0.5,9", "--json", status=2)
        self.assertEqual(done.stdout, "")


class Auto(OctantTest):
    """Sizes on both sides of the crossover of any device."""

    def accuracy(self, n, *arguments):
        scene = self.write("auto.yaml", TREE.replace("tree", "auto").replace("2000", str(n)))
        [row] = self.octant_json("accuracy", scene, *arguments)
        return row

    def test_few_particles_are_summed_directly(self):
        row = self.accuracy(500, "--set", "gravity.softening=0.5")
        self.assertEqual((row["cells"], row["particles"]), (0, 500))
        self.assertLess(row["p99"], 1e-5)  # measured 3.7e-7
        self.assertLess(row["potential_mean"], 1e-6)  # measured 1.4e-7

    def test_many_particles_take_the_tree(self):
        row = self.accuracy(40000)
        self.assertGreater(row["cells"], 100)
        self.assertLess(row["particles"], 4000)
        self.assertLess(row["median"], 1e-3)  # measured 3.4e-4
        self.assertGreater(row["median"], 1e-4)

    def test_a_periodic_box(self):
        row = self.accuracy(8000, "--set", "box={boundary: periodic, size: [50, 50, 50]}")
        self.assertLess(row["median"], 1e-3)

    def test_theta_is_passed_on(self):
        fine, coarse = (self.accuracy(40000, "--theta", theta) for theta in ("0.4", "1"))
        self.assertLess(4 * fine["median"], coarse["median"])  # measured 5.0e-5 and 9.4e-4


class Counts(OctantTest):
    def test_interactions_are_measured(self):
        self.octant("run", self.write("tree.yaml", TREE), "--out", "tree")
        for row in self.table("tree/diagnostics.csv"):
            self.assertGreater(row["cells"], 10)
            # Every particle meets those of its own leaf and not all of the others.
            self.assertTrue(1 < row["particles"] < 2000)

    def test_only_where_there_are_any(self):
        self.octant("run", self.scene, "--out", "direct")
        self.assertNotIn("cells", self.table("direct/diagnostics.csv")[0])

    def test_resumed_counts_are_the_same(self):
        scene = self.write("tree.yaml", TREE)
        self.octant("run", scene, "--out", "whole")
        self.octant("run", scene, "--out", "parts", "--steps", 2)
        self.octant("run", scene, "--out", "parts", "--resume")
        self.assert_same_files("whole", "parts", ["diagnostics.csv"])


if __name__ == "__main__":
    unittest.main()
