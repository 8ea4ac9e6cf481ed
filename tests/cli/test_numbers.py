"""What is no number any more is never written, not even in the very last step."""

import unittest

from octant_cli import OctantTest

# Two bodies that merge in the second step. In single precision their masses together are none.
SCENE = """\
units: nbody
models:
  - body: {mass: 3e38, radius: 1}
  - body: {mass: 3e38, radius: 1, offset: [2.015, 0, 0], velocity: [-1, 0, 0]}
gravity: {method: none}
collisions: {method: direct, outcome: merge}
integrator: {method: leapfrog, dt: 0.01}
run: {until: 0.01}
"""

# A pebble that is nearly a point hits a sphere in the last step.
PEBBLE = """\
units: nbody
models:
  - body: {mass: 1, radius: 1}
  - body: {mass: 1, radius: 1e-30, offset: [1.005, 0, 0], velocity: [-1, 0, 0]}
gravity: {method: none}
collisions: {method: direct, restitution: 0.5, minimum_speed: 0.1}
integrator: {method: leapfrog, dt: 0.01}
run: {until: 0.01}
"""


class Numbers(OctantTest):
    def test_the_last_step_leaves_the_last_good_checkpoint(self):
        scene = self.write("merge.yaml", SCENE)
        self.octant("run", scene, "--out", "results", "--precision", "single")
        results = self.folder / "results"
        files = {path.name: path.read_bytes() for path in results.iterdir()}
        done = self.octant("run", "--resume", "--out", "results", "--until", "0.02", status=1)
        self.assertIn("particle 1 is no number any more", done.stderr)
        self.assertIn("in step 2", done.stderr)
        for name in ("checkpoint.hdf5", "diagnostics.csv"):
            self.assertEqual((results / name).read_bytes(), files[name])
        self.assertLessEqual({path.name for path in results.glob("snapshot_*")}, set(files))

    def test_a_pebble_that_is_nearly_a_point_parts_with_a_finite_speed(self):
        scene = self.write("pebble.yaml", PEBBLE)
        for precision in ("single", "mixed", "double"):
            last = self.octant_lines("run", scene, "--out", "none", "--precision", precision)[-1]
            self.assertEqual(last["momentum"][0], -1)
            # Half of the speed is left: they go on with -0.25 and -0.75.
            self.assertAlmostEqual(last["energy"], 0.3125, places=6)


if __name__ == "__main__":
    unittest.main()
