"""The benchmarks, small."""
import unittest

from octant_cli import OctantTest

QUICK = ["--seconds", "0.01", "--precision", "single"]


class Bench(OctantTest):
    def test_tree(self):
        [row] = self.octant_json("bench", "tree", "--n", 2048, "--theta", 0.6, *QUICK)
        self.assertEqual((row["name"], row["n"], row["theta"], row["precision"]),
                         ("tree", 2048, 0.6, "single"))
        self.assertAlmostEqual(sum(row["phases"].values()), row["ms_step"], places=6)
        self.assertTrue(any(name.startswith("force_tree_") for name in row["phases"]))
        self.assertGreater(row["interactions_per_s"], 1e6)
        self.assertGreater(row["ratio"], 0)
        self.assertEqual(row["reference"], "direct, same device")

    def test_a_reference_too_long_to_run_is_scaled(self):
        [row] = self.octant_json("bench", "tree", "--n", 300000, *QUICK)
        self.assertIn("as n^2 from n = ", row["reference"])
        self.assertGreater(row["ratio"], 5)  # measured 50 and more on two cores

    def test_direct(self):
        [row] = self.octant_json("bench", "direct", "--n", 1024, *QUICK)
        self.assertIsNone(row["theta"])
        self.assertGreater(row["interactions_per_s"], 1e6)
        self.assertGreater(row["ratio"], 0)

    def test_table(self):
        text = self.octant("bench", "direct", "tree", "--n", 1024, *QUICK).stdout
        lines = text.splitlines()
        self.assertIn("ms/step", lines[1])
        [tree] = [line for line in lines if line.startswith("tree")]
        phases = [part.split()[0] for part in tree.split("  ")[-1].split(", ")]
        self.assertEqual(phases, ["keys", "sort", "build", "moments", "walk", "step"])
        [direct] = [line for line in lines if line.startswith("direct")]
        self.assertIn("pairs", direct)
        self.assertEqual(text.count("ratio to:"), 2)

    def test_help_lists_the_benchmarks(self):
        text = self.octant("bench", "--help").stdout
        for name in ("direct", "tree"):
            self.assertRegex(text, f"(?m)^  {name} ")

    def test_refuses(self):
        self.assertIn("expected direct", self.refused("bench", "nothing"))
        self.assertIn("--theta", self.refused("bench", "tree", "--theta", "-1"))


if __name__ == "__main__":
    unittest.main()
