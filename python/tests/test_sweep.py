"""Scans: every combination once, side by side to the same bits, resumable, failures listed."""

import csv
import os
import signal
import time
import unittest

import numpy as np

from support import SMALL, PythonTest, octant

VARY = {"gravity.softening": [0.05, 0.1], "models.0.plummer.n": [16, 24]}


class Sweeps(PythonTest):
    def test_every_combination_has_its_row_and_bits(self):
        done = octant.sweep(SMALL, VARY, seeds=2, until=0.2, workers=3)
        self.assertEqual(len(done), 8)
        self.assertEqual(list(done["models.0.plummer.n"]), [16, 16, 24, 24] * 2)
        self.assertEqual(list(done["seed"]), [7, 8] * 4)
        for row in done.rows:
            changes = {key: row[key] for key in VARY}
            sim = octant.Simulation(SMALL, set=dict(changes, seed=row["seed"]))
            sim.run(until=0.2)
            self.assertEqual(row["state_hash"], sim.state_hash)
            self.assertEqual(row["energy"], sim.measure().energy)
        self.assertEqual(done["momentum_x"].shape, (8,))
        self.assertEqual(done.failures, {})
        with self.assertRaises(octant.InputError):
            done["nothing"]

    def test_members_that_share_launches_have_the_same_bits(self):
        def place(sim):
            return {"place": sim.bodies.position[0, 0]}

        alone = octant.sweep(SMALL, VARY, until=0.1, batch=False, measure=place)
        together = octant.sweep(SMALL, VARY, until=0.1, batch=True, measure=place)
        self.assertEqual(list(together["state_hash"]), list(alone["state_hash"]))
        self.assertEqual(list(together["place"]), list(alone["place"]))

    def test_values_as_the_command_line_takes_them(self):
        vary = {"gravity.softening": "0.1:0.2:2", "integrator.method": ["leapfrog", "euler"]}
        done = octant.sweep(SMALL, vary, until=0.05)
        self.assertEqual(list(done["gravity.softening"]), [0.1, 0.1, 0.2, 0.2])
        self.assertEqual(list(done["integrator.method"]), ["leapfrog", "euler"] * 2)
        self.assertEqual(len(set(done["state_hash"])), 4)

    def test_what_measure_raises_ends_the_sweep(self):
        kept = []

        def refuse(sim):
            kept.append(sim)
            raise ValueError("not today")

        with self.assertRaisesRegex(ValueError, "not today"):
            octant.sweep(SMALL, VARY, until=0.1, workers=1, measure=refuse)
        self.assertEqual(len(kept), 1)
        with self.assertRaises(octant.ClosedError):  # it was lent for the call
            kept[0].n

    def test_failures_are_listed_and_the_rest_is_done(self):
        done = octant.sweep(SMALL, {"gravity.softening": [0.1, -1, 0.2]}, until=0.1)
        self.assertEqual(list(done.failures), [1])
        self.assertIn("softening", done.failures[1])
        self.assertTrue(np.isnan(done["energy"][1]))
        self.assertFalse(np.isnan(done["energy"][[0, 2]]).any())

    def test_a_folder_is_gone_on_with(self):
        folder, calls = self.folder / "scan", []

        def extent(sim):
            calls.append(sim.n)
            return {"extent": float(np.abs(sim.bodies.position).max())}

        keys = {"until": 0.1, "out": folder, "measure": extent}
        first = octant.sweep(SMALL, VARY, **keys)
        second = octant.sweep(SMALL, VARY, **keys)
        self.assertEqual(len(calls), 4)
        self.assertEqual(second.rows, first.rows)
        with (folder / "table.csv").open(newline="") as file:
            rows = [row for row in csv.DictReader(file) if row["member"].isdigit()]
        self.assertEqual([float(row["extent"]) for row in rows], list(first["extent"]))
        self.assertTrue((folder / "0003" / "report.html").exists())
        with self.assertRaisesRegex(octant.InputError, "another sweep"):
            octant.sweep(SMALL, {"gravity.softening": [0.3]}, **keys)

    def test_ctrl_c_and_going_on_ends_in_the_same_rows(self):
        whole = octant.sweep(SMALL, VARY, until=20)
        folder = self.folder / "scan"

        def interrupt(sim):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(1)  # until the main thread has seen it
            return {}

        with self.assertRaises(KeyboardInterrupt):
            octant.sweep(SMALL, VARY, until=20, out=folder, workers=2, measure=interrupt)
        self.assertNotIn("3,0.1,24,7,done", (folder / "table.csv").read_text())
        again = octant.sweep(SMALL, VARY, until=20, out=folder)
        self.assertEqual(list(again["state_hash"]), list(whole["state_hash"]))

    def test_what_is_no_sweep(self):
        for wrong in (
            {"gravity.softening": 0.1},
            {"gravity.softening": "0.1"},
            {"gravity.softening": []},
            {"gravity.softening": "1:2:0"},
            {"": [1]},
        ):
            with self.assertRaises(octant.InputError):
                octant.sweep(SMALL, wrong)
        for words in ({"workers": -1}, {"seeds": 0}, {"workers": 1.5}):
            with self.assertRaises(octant.InputError):
                octant.sweep(SMALL, VARY, **words)


if __name__ == "__main__":
    unittest.main()
