"""Celestial's stability tables and threshold test (Hommeland 2015, chapter 4), as a user runs them.
tests/slow/celestial-tables has every row."""

import unittest

from octant_cli import OctantTest

RATIO = "models.0.galaxy-of-systems.mass_ratio"
DIRECT = ["--set", "gravity.method=direct"]
EULER = [*DIRECT, "--set", "integrator.method=symplectic-euler", "--set", "integrator.dt=40 day"]
# His method: each body sums over centres of mass, whatever the distance.
CENTRES = ["far=bodies", "opening=0", "order=monopole"]


class Celestial(OctantTest):
    def stable_years(self, scan, *arguments):
        found = self.octant_json("stability", "galaxy", "--scan", scan, *arguments)
        return [(run["event"], run["stable_until"] / 365.25) for run in found]

    def test_explicit_euler_loses_every_planet(self):
        """Table 4.1: none of the steps is short enough; he saw 27, 8, 5, 0 and 0 years."""
        found = self.stable_years("integrator.dt=10 day,20 day,30 day,40 day,50 day", *DIRECT,
                                  "--set", "integrator.method=euler", "--until", "100 yr",
                                  "--interval", "1 yr")
        self.assertEqual([event for event, _ in found], ["unbound"] * 5)
        years = [time for _, time in found]
        self.assertTrue(40 < years[0] < 100, years)  # seen: 64.8
        self.assertTrue(15 < years[1] < 40, years)  # seen: 22.5
        self.assertLess(max(years[2:]), 3)  # seen: 1, which is the first look

    def test_a_heavy_black_hole_needs_a_short_step(self):
        """Table 4.2: at a ratio of 10000 his 12 years are the step's: with wh nothing happens."""
        short = ["--interval", "1 yr", "--until", "100 yr"]
        (event, years), = self.stable_years(f"{RATIO}=10000", *EULER, *short)
        self.assertEqual(event, "unbound")
        self.assertLess(years, 12)  # seen: 3.9
        (event, years), = self.stable_years(f"{RATIO}=10000", *short)
        self.assertIsNone(event)

    def test_two_rate_steps_keep_the_galaxy(self):
        """Table 4.4: about 330 years with steps of 160 days, in eight parts instead of his 40."""
        sets = [part for key in CENTRES for part in ("--set", f"gravity.{key}")]
        (event, years), = self.stable_years("integrator.dt=160 day", *sets, "--interval", "1 yr",
                                            "--set", "integrator.method=two-rate", "--set",
                                            "integrator.substeps=8", "--until", "600 yr")
        self.assertIn(event, ("unbound", "torn"))
        self.assertTrue(330 / 1.5 < years < 330 * 1.5, years)  # seen: 415

    def test_the_threshold_is_reached_after_61_years(self):
        """Figure 4.9: from there on both are all pairs."""
        a = [part for key in ("method=systems", *CENTRES, "threshold=50 AU")
             for part in ("--a", f"gravity.{key}")]
        done = self.octant("compare", "galaxy", *EULER[2:], *a, "--b", "gravity.method=direct",
                           "--until", "62 yr", "--interval", "400 day", "--json")
        note, = [line for line in done.stderr.splitlines() if "forces by" in line]
        self.assertRegex(note, "are 49.99.* apart: forces by method direct")
        step = int(note.split("step ")[1].split(":")[0])
        self.assertAlmostEqual(step * 40 / 365.25, 61, delta=0.5)  # seen: 60.9


if __name__ == "__main__":
    unittest.main()
