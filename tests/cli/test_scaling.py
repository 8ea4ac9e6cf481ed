"""octant scaling, and parts of a CPU as devices."""

import unittest

from octant_cli import OctantTest

QUICK = ["--n=200", "--seconds=0.01"]


class Scaling(OctantTest):
    def rows(self, *arguments):
        return self.octant_json("scaling", *QUICK, *arguments)

    def test_sources_are_those_of_the_model(self):
        found = self.rows("direct", "--domains=1,2,3")
        self.assertEqual([(row["scaling"], row["domains"], row["n"]) for row in found],
                         [("strong", 1, 200), ("strong", 2, 200), ("strong", 3, 200),
                          ("weak", 1, 200), ("weak", 2, 282), ("weak", 3, 346)])
        self.assertEqual(found[0]["efficiency"], 1)
        self.assertEqual(found[0]["exchange"], {})
        self.assertEqual([row["apart_s"] is None for row in found], [True] * 4 + [False] * 2)
        self.assertGreater(found[5]["apart_s"], 0)
        for row in found[1:3] + found[4:]:
            sources, others = row["exchange"]["sources"], row["domains"] - 1
            self.assertAlmostEqual(sources["messages"], others)
            self.assertAlmostEqual(sources["bytes"], others * row["n"] / row["domains"] * 32)
            for what in ["messages", "bytes"]:
                self.assertAlmostEqual(sources[what], sources[f"expected_{what}"])
            self.assertGreater(row["step_s"], 0)
            self.assertGreater(row["processor_s"], 0)
            self.assertGreater(row["phases"]["pairs"], 0)

    def expect(self, row, kind, what, within):
        counted = row["exchange"][kind][f"{what}_cut"]
        expected = row["exchange"][kind][f"expected_{what}"]
        self.assertLess(abs(expected / counted - 1), within, (row["case"], row["n"], kind, what))

    # Measured: trees are off by 5.3 % at most, spheres that are lent by 4.9 %.
    def test_messages_are_those_of_the_model(self):
        found = self.octant_json("scaling", "tree", "cube", "ring", "--n=1000", "--seconds=0.01",
                                 "--domains=3")
        self.assertEqual(len(found), 6)
        for row in found:
            for kind in ["boxes", "trees"] + ["lent"] * (row["case"] == "ring"):
                self.expect(row, kind, "messages", 1e-9)
                self.expect(row, kind, "bytes", 1e-9 if kind == "boxes" else 0.1)
            self.assertGreater(row["phases"]["walk"], 0)

    def test_what_is_no_case_is_refused(self):
        self.assertIn("expected tree, ring, cube or direct", self.refused("scaling", "sphere"))
        for bad in ["0", "1,", "two", "1,2,3,4,5,6,7,8,9", "1000"]:
            self.assertIn("--domains", self.refused("scaling", "--domains", bad))

    def test_a_table_is_for_people(self):
        text = self.octant("scaling", "ring", *QUICK, "--domains=1,2").stdout
        self.assertRegex(text, r"ring, weak(.|\n)* 2 +400 (.|\n)*lent +\d")


class Parts(OctantTest):
    def hash(self, *arguments):
        text = self.octant("run", "small.yaml", "--steps=3", "--out=none", "--json", *arguments)
        return text.stdout.split('"state_hash": ')[1][:18]

    def test_of_a_cpu_have_the_bits_of_the_whole(self):
        cores = [d["compute_units"] for d in self.octant_json("devices") if d["kind"] == "cpu"]
        if not cores or cores[0] < 2:
            self.skipTest("there is no CPU with two cores here")
        self.assertEqual(self.hash("--device=cpu/2"), self.hash("--device=cpu", "--domains=2"))
        self.assertEqual(self.hash("--device=cpu/1"), self.hash("--device=cpu"))
        self.assertIn("cannot be divided",
                      self.refused("run", "small.yaml", "--out=none", "--device=cpu/999"))


if __name__ == "__main__":
    unittest.main()
