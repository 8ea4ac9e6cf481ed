"""Runs from Python: ends, records, callbacks, Ctrl-C, progress."""

import io
import math
import os
import pty
import signal
import sys
import threading
import time
import unittest
import urllib.request
from unittest import mock

import numpy as np

from support import SMALL, PythonTest, octant


class Ends(PythonTest):
    def test_until_steps_and_the_scenes_own_end(self):
        sim = self.small()
        sim.run(until=0.255)
        self.assertEqual(sim.steps, 26)
        sim.run(steps=4)
        self.assertEqual(sim.steps, 30)
        sim.run("0.4")
        self.assertEqual(sim.steps, 40)
        sim.run()
        self.assertEqual((sim.steps, sim.time), (100, 1.0))

    def test_what_is_no_end(self):
        sim = self.small()
        sim.step(10)
        for wrong in (0, -1, math.nan, math.inf, "soon", "3 m", [1], 0.05):
            with self.assertRaises(octant.InputError, msg=wrong):
                sim.run(until=wrong)
        for wrong in (0, -1, 1.5, True):
            with self.assertRaises(octant.InputError, msg=wrong):
                sim.run(steps=wrong)
        for wrong in (-1, 1.5, True):
            with self.assertRaises(octant.InputError, msg=wrong):
                sim.step(wrong)
        with self.assertRaises(octant.InputError):
            sim.run(until=1, steps=1)
        with self.assertRaises(octant.InputError):
            sim.run(existing="remove")
        self.assertEqual(sim.steps, 10)

    def test_a_scene_without_an_end_asks_for_one(self):
        scene = {key: value for key, value in SMALL.items() if key != "run"}
        sim = octant.Simulation(scene)
        with self.assertRaisesRegex(octant.InputError, "until"):
            sim.run()
        with self.assertRaisesRegex(octant.InputError, "until"):
            list(sim.records(0.1))
        sim.run(until=0.1)
        self.assertEqual(sim.steps, 10)

    def test_a_folder_goes_on(self):
        folder = self.folder / "run"
        first = self.small()
        first.run(until=0.5, out=folder)
        second = octant.Simulation.restore(folder / "checkpoint.hdf5")
        second.run(out=folder, existing="continue")
        whole = self.small()
        whole.run(out=self.folder / "whole")
        self.assertEqual(second.state_hash, whole.state_hash)


class Records(PythonTest):
    def test_by_steps_by_time_and_by_the_scene(self):
        self.assertEqual(
            [r.step for r in self.small().records(30, steps=100)], [0, 30, 60, 90, 100]
        )
        times = [r.time for r in self.small().records(0.25)]
        np.testing.assert_allclose(times, [0, 0.25, 0.5, 0.75, 1])
        self.assertEqual(len(list(self.small().records())), 11)
        self.assertEqual([r.step for r in self.small().records("0.3", until=0.7)], [0, 30, 60, 70])

    def test_rows_are_those_of_a_run(self):
        rows = self.small().run()
        for record, row in zip(self.small().records(), rows):
            self.assertEqual(dict(record, step=0)["energy"], row.energy)

    def test_intervals_that_are_none(self):
        for wrong in (0, -1, math.nan, "x"):
            with self.assertRaises(octant.InputError):
                self.small().records(wrong)


class Calls(PythonTest):
    def test_steps_times_and_moments(self):
        sim, seen = self.small(), []
        sim.call(lambda s: seen.append(("steps", s.steps)), steps=40)
        sim.call(lambda s: seen.append(("time", s.steps)), time=0.33)
        sim.call(lambda s: seen.append(("at", s.steps)), at=[0.505, "0.9"])
        sim.run()
        self.assertEqual([n for what, n in seen if what == "steps"], [0, 40, 80])
        self.assertEqual([n for what, n in seen if what == "time"], [0, 33, 66, 99])
        self.assertEqual([n for what, n in seen if what == "at"], [51, 90])
        plain = self.small()
        plain.step(100)
        self.assertEqual(sim.state_hash, plain.state_hash)

    def test_two_runs_call_as_one(self):
        seen = []
        sim = self.small()
        sim.call(lambda s: seen.append(s.steps), time=0.25)
        sim.run(until=0.3)
        sim.run()
        self.assertEqual(seen, [0, 25, 50, 75, 100])

    def test_a_call_may_change_bodies_and_end_the_run(self):
        sim = self.small()

        def push(sim):
            sim.bodies[0].velocity = [9, 0, 0]
            sim.gravity.softening = 0.1
            return sim.steps < 50

        call = sim.call(push, steps=25)
        sim.run()
        self.assertEqual(sim.steps, 50)
        self.assertEqual(sim.bodies.velocity[0, 0], 9)
        sim.cancel(call)
        sim.run()
        self.assertEqual(sim.steps, 100)

    def test_what_a_call_raises_comes_out_and_the_state_is_whole(self):
        sim = self.small()
        call = sim.call(lambda s: 1 / 0, at=0.5)
        with self.assertRaises(ZeroDivisionError):
            sim.run()
        self.assertEqual(sim.steps, 50)
        sim.cancel(call)
        sim.run()
        plain = self.small()
        plain.step(100)
        self.assertEqual(sim.state_hash, plain.state_hash)

    def test_what_is_no_call(self):
        sim = self.small()
        for wrong in ({}, {"steps": 0}, {"steps": 1, "time": 1}, {"time": 0}, {"at": "x"}):
            with self.assertRaises(octant.InputError):
                sim.call(print, **wrong)
        with self.assertRaises(octant.InputError):
            sim.call(3, steps=1)

    def test_a_call_takes_no_steps(self):
        for wrong in (lambda s: s.step(), lambda s: s.run(steps=1)):
            sim = self.small()
            sim.call(wrong, at=0.5)
            with self.assertRaisesRegex(octant.InputError, "in a run already"):
                sim.run()

    def test_a_call_cannot_close_what_runs(self):
        # In a process of its own, which ended by a segmentation fault once.
        code = (
            "import octant\n"
            f"sim = octant.Simulation({SMALL!r})\n"
            "sim.call(lambda sim: sim.close(), at=0.5)\n"
            "try:\n    sim.run()\n"
            "except octant.InputError as error:\n    print(sim.steps, error)\n"
        )
        self.assertEqual(
            self.python(code), "50 a call cannot close the simulation; False ends the run\n"
        )


class Interrupts(PythonTest):
    def interrupted(self, work):
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        try:
            with self.assertRaises(KeyboardInterrupt):
                work()
        finally:
            timer.join()

    def test_ctrl_c_ends_a_run_and_leaves_the_state_whole(self):
        folder = self.folder / "run"
        for work in (
            lambda sim: sim.run(until=1e6),
            lambda sim: sim.run(until=1e6, out=folder),
            lambda sim: sim.step(10**9),
            lambda sim: list(sim.records(10**8, until=1e6)),
        ):
            sim = self.small()
            self.interrupted(lambda: work(sim))
            plain = self.small()
            plain.step(sim.steps)
            self.assertGreater(sim.steps, 0)
            self.assertEqual(sim.state_hash, plain.state_hash)
            sim.run(steps=5)
        self.assertTrue((folder / "checkpoint.hdf5").exists())

    def test_ctrl_c_in_a_self_test_or_a_note_is_not_lost(self):
        from octant._core import callbacks
        from octant._library import opened

        sim = self.small()
        core, null = sim._core, opened().ffi.NULL

        def interrupt(*_):
            raise KeyboardInterrupt

        core.on_trust = interrupt
        callbacks().trust(core.handle, 1, 2, null)
        with self.assertRaises(KeyboardInterrupt):
            core.raise_pending()
        with mock.patch.object(octant._core.LOG, "info", interrupt):
            sim.call(lambda s: callbacks().log(core.handle, null), at=0.5)
            with self.assertRaises(KeyboardInterrupt):
                sim.run()
        self.assertEqual(sim.steps, 50)
        core.raise_pending()

    def test_the_end_of_the_interpreter_ends_a_run(self):
        for work in ("run", "step"):
            code = (
                "import octant, threading, time\n"
                f"sim = octant.Simulation({SMALL!r})\n"
                f"threading.Thread(target=sim.{work}, args=(10**9,), daemon=True).start()\n"
                "time.sleep(0.5)\nprint('end')\n"
            )
            began = time.monotonic()
            self.assertEqual(self.python(code), "end\n")
            self.assertLess(time.monotonic() - began, 20)  # measured 1 s; 31 s without its look


class Views(PythonTest):
    def test_a_page_shows_a_run_that_goes_on_to_the_same_bits(self):
        sim, moved = self.small(), threading.Event()
        sim.call(lambda s: moved.set(), at=0.05)
        try:
            viewer = sim.view()
        except octant.AbsentError as error:
            self.skipTest(str(error))
        with viewer:
            with urllib.request.urlopen(viewer.url, timeout=60) as page:
                self.assertIn(b"<html", page.read().lower())
            self.assertIn("<iframe", viewer._repr_html_())
            with self.assertRaises(octant.BusyError):
                sim.step()
            self.assertTrue(moved.wait(120))
        self.assertFalse(viewer.running)
        steps = sim.steps
        self.assertGreaterEqual(steps, 5)
        plain = self.small()
        plain.step(steps + 3)
        sim.step(3)
        self.assertEqual(sim.state_hash, plain.state_hash)

    def test_the_end_of_the_interpreter_ends_a_viewer(self):
        code = f"import octant\nviewer = octant.Simulation({SMALL!r}).view()\nprint('end')\n"
        self.assertEqual(self.python(code), "end\n")


class Progress(PythonTest):
    def test_a_terminal_sees_a_bar_and_a_file_does_not(self):
        main, other = pty.openpty()
        terminal = os.fdopen(other, "w")
        self.addCleanup(terminal.close)
        self.addCleanup(os.close, main)
        with (
            mock.patch("octant._progress.QUIET_S", 0),
            mock.patch("octant._progress.INTERVAL_S", 0),
        ):
            with mock.patch.object(sys, "stderr", terminal):
                self.small().run()
            self.assertRegex(os.read(main, 100000).decode(), r"octant \[[#.]{30}\] +\d+ % step")
            with mock.patch.object(sys, "stderr", io.StringIO()) as file:
                self.small().run()
                self.assertEqual(file.getvalue(), "")
                self.small().run(progress=True)
                self.assertIn("octant [", file.getvalue())

    def test_a_notebook_sees_a_bar(self):
        from octant import _progress

        shown = []

        class Display:
            def update(self, page):
                shown.append(page)

        page = mock.MagicMock()
        page.HTML = lambda text: text
        page.display = lambda text, display_id: shown.append(text) or Display()
        shell = mock.MagicMock()
        type(shell.get_ipython.return_value).__name__ = "ZMQInteractiveShell"
        modules = {"IPython": shell, "IPython.display": page}
        with mock.patch.dict(sys.modules, modules), mock.patch.object(_progress, "QUIET_S", 0):
            with mock.patch.object(_progress, "INTERVAL_S", 0):
                self.small().run()
        self.assertIn("<progress", shown[0])
        self.assertEqual(shown[-1], "")


if __name__ == "__main__":
    unittest.main()
