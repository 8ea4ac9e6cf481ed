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
KEYS = {"theta", "n", "precision", "median", "p90", "p99", "mean", "potential_mean", "cells",
        "particles"}


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

    def test_text(self):
        lines = self.octant("accuracy", self.tree, "--theta", "0.5,0.75").stdout.splitlines()
        self.assertIn("tree in", lines[0])
        self.assertEqual([line.split()[0] for line in lines[-3:]], ["theta", "0.5", "0.75"])

    def test_refuses(self):
        self.assertIn("no opening angle", self.refused("accuracy", self.scene, "--theta", "0.5"))
        self.assertIn("out of range", self.refused("accuracy", self.tree, "--theta", "9"))

    def test_a_failure_leaves_whole_json(self):
        done = self.octant("accuracy", self.tree, "--theta", "0.5,9", "--json", status=2)
        self.assertTrue(done.stdout.endswith("}\n]\n"), done.stdout)


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
    def rows(self, folder):
        with open(self.folder / folder / "diagnostics.csv", newline="") as file:
            return list(csv.DictReader(file))

    def test_interactions_are_measured(self):
        self.octant("run", self.write("tree.yaml", TREE), "--out", "tree")
        for row in self.rows("tree"):
            self.assertGreater(float(row["cells"]), 10)
            # Every particle meets those of its own leaf and not all of the others.
            self.assertTrue(1 < float(row["particles"]) < 2000)

    def test_only_where_there_are_any(self):
        self.octant("run", self.scene, "--out", "direct")
        self.assertNotIn("cells", self.rows("direct")[0])

    def test_resumed_counts_are_the_same(self):
        scene = self.write("tree.yaml", TREE)
        self.octant("run", scene, "--out", "whole")
        self.octant("run", scene, "--out", "parts", "--steps", 2)
        self.octant("run", scene, "--out", "parts", "--resume")
        self.assert_same_files("whole", "parts", ["diagnostics.csv"])


if __name__ == "__main__":
    unittest.main()
