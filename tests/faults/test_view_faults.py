"""A viewer in which a call fails: it says so, takes no step more, and begins again when asked."""

import os
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from octant_cli import OctantTest, needs  # noqa: E402
from octant_view import Viewer  # noqa: E402

LIBRARY = pathlib.Path(os.environ["OCTANT_BUILD"]) / "tests" / "libfault.so"

RING = """\
title: A small ring
seed: 1
units: si
box: {boundary: shear, size: [60 m, 60 m, 60 m], ghosts: [1, 1, 0], omega: 1.3143527e-4 /s}
models:
  - ring: {n: 60, density: 400 kg/m^3, radius: {law: fixed, value: 2 m}, spread: 1 m}
gravity: {method: tree, theta: 0.5, softening: 0.1 m}
collisions: {method: tree, restitution: 0.5}
integrator: {method: sei, dt: 1e-3 orbit}
run: {until: 1 orbit}
"""

ASKED = [("step", "steps=3"), ("body", ""), ("set", "gravity.theta=0.9"), ("step", "steps=2"),
         ("snapshot", ""), ("checkpoint", ""), ("step", "steps=2")]


@needs("viewer")
class ViewFaults(OctantTest):
    def start(self, kind, k):
        self.log = self.folder / "fault.log"
        return Viewer(self, "view", "ring.yaml", "--paused", "--out", "kept",
                      environment={"LD_PRELOAD": str(LIBRARY), "OCTANT_FAULT": f"{kind}:{k}",
                                   "OCTANT_FAULT_LOG": str(self.log)})

    def quit(self, viewer):
        viewer.post("quit")
        status, _, errors = viewer.wait()
        self.assertEqual((status, errors), (0, ""))

    def calls(self, kind, ask):
        """How many calls of a kind a viewer makes that is asked for something by `ask`."""
        viewer = self.start(kind, 0)
        viewer.state()
        ask(viewer)
        self.quit(viewer)
        lines = [line.split() for line in self.log.read_text().splitlines()]
        return sum(int(line[-1]) for line in lines if kind in line[:2])

    def ask(self, viewer, verb, line):
        method, path = ("GET", "/api/body?slot=0") if verb == "body" else ("POST", f"/api/{verb}")
        try:
            return viewer.request(method, path, line or None)[::2]
        except ConnectionError:  # no memory for the request itself: it has not begun
            return viewer.request(method, path, line or None)[::2]

    def state(self, viewer):
        try:
            return viewer.state()
        except (ConnectionError, AssertionError):  # no memory for this one
            return viewer.state()

    def attempt(self, kind, k):
        """What was asked for when the call failed, and whether the simulation has survived it."""
        viewer = self.start(kind, k)
        struck = None
        try:
            self.state(viewer)
        except ConnectionError:  # it has told its address, but was still beginning
            status, _, errors = viewer.wait()
            self.assertEqual(status, 1)
            self.assertRegex(errors, r"^octant: .+\n$")
            return "start", False
        for verb, line in ASKED:
            before = self.state(viewer)
            status, text = self.ask(viewer, verb, line)
            after = self.state(viewer)
            if before["error"] and verb != "body":
                self.assertEqual((status, "it cannot go on" in text), (400, True), text)
                self.assertEqual(after["step"], before["step"])
            elif status != 200 and not struck:
                self.assertEqual(status, 500, text)
                struck = verb, after["error"] is None
                if after["error"] is None and "it is done" not in text:
                    self.assertEqual([after[key] for key in ("step", "parameters", "saved")],
                                     [before[key] for key in ("step", "parameters", "saved")])
                self.assertTrue(after["paused"])
            else:
                self.assertEqual(status, 200, (text, struck))
        status, text = self.ask(viewer, "reset", "")
        if status != 200 and not struck:
            struck = "reset", True
            status, text = self.ask(viewer, "reset", "")
        self.assertEqual(status, 200, text)
        self.assertIsNone(self.state(viewer)["error"])
        self.assertEqual(viewer.post("step")["step"], 1)
        self.quit(viewer)
        return struck

    def check(self, kind, faults):
        self.write("ring.yaml", RING)
        # First use of a device tells of itself.
        self.octant("run", "ring.yaml", "--steps", "1", "--out", "none")
        begun = self.calls(kind, lambda viewer: None)
        ended = self.calls(kind, lambda viewer: [self.ask(viewer, *each) for each in ASKED])
        self.assertGreater(ended, begun + faults)
        found = {self.attempt(kind, begun + 1 + i * (ended - begun) // faults)
                 for i in range(faults)}
        return found

    def test_a_launch_that_fails(self):
        found = self.check("clEnqueueNDRangeKernel", 8)
        self.assertIn(("step", False), found)
        self.assertTrue(("body", False) in found or ("snapshot", False) in found, found)

    def test_memory_that_is_missing(self):
        self.assertIn(("set", True), self.check("malloc", 6))


if __name__ == "__main__":
    unittest.main()
