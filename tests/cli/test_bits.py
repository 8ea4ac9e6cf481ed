"""The same bits, however many threads there are and in whatever order they arrive."""

import os
import random
import unittest
from unittest import mock

from octant_cli import OctantTest

# Spheres so large that a pair touches in several images of the box at once.
SCENE = """\
units: nbody
box: {boundary: periodic, size: [1, 1, 1]}
models:
  - file: {path: crowd.csv}
gravity: {method: none}
collisions: {restitution: 0.5}
integrator: {method: leapfrog, dt: 1e-3}
run: {until: 0.004}
"""


class Bits(OctantTest):
    def crowd(self, n):
        source = random.Random(1)
        rows = ["x,y,z,vx,vy,vz,mass,radius"]
        for _ in range(n):
            place = [source.random() - 0.5 for _ in range(3)]
            speed = [source.gauss(0, 1) for _ in range(3)]
            rows.append(",".join(f"{x:.6f}" for x in place + speed + [1, 0.3]))
        self.write("crowd.csv", "\n".join(rows) + "\n")
        return self.write("crowd.yaml", SCENE)

    def hashes(self, scene, *settings):
        """Of runs with one to four threads, the limits of PoCL 3 and of later ones."""
        found = set()
        for run in range(8):
            threads = {name: str(run % 4 + 1)
                       for name in ("POCL_MAX_PTHREAD_COUNT", "POCL_CPU_MAX_CU_COUNT")}
            with mock.patch.dict(os.environ, threads):
                last = self.octant_lines("run", scene, "--out", "none", *settings)[-1]
            found.add(last["state_hash"])
        return found

    def test_pairs_that_touch_in_several_images_have_an_order(self):
        for method in ["direct", "tree --set collisions.kernel=portable",
                       "tree --set collisions.kernel=lanes",
                       "direct --set collisions.outcome=merge"]:
            with self.subTest(method=method):
                settings = f"--set collisions.method={method}".split()
                self.assertEqual(len(self.hashes(self.crowd(200), *settings)), 1)


if __name__ == "__main__":
    unittest.main()
