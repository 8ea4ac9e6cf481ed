"""Misuse ends in a clear exception, and leaves nothing behind."""

import gc
import multiprocessing
import os
import pathlib
import threading
import unittest

import numpy as np

from support import SMALL, PythonTest, octant

MANY = int(os.environ.get("OCTANT_MANY", "200"))


def resident():
    """Bytes of memory that this process has."""
    pages = int(pathlib.Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def step_once(scene):
    """In a process of its own: the hash after a step."""
    sim = octant.Simulation(scene)
    sim.step()
    return sim.state_hash


class Arrays(PythonTest):
    def test_shapes_types_and_numbers(self):
        rest = {key: value for key, value in SMALL.items() if key != "models"}
        good = np.zeros((4, 3))
        bad = np.full((4, 3), np.nan)
        for words, arrays in (
            (r"shape \(4, 2\); expected \(4, 3\)", {"position": good[:, :2]}),
            (r"shape \(2,\); expected \(4,\)", {"position": good, "mass": [1, 2]}),
            ("position nan", {"position": bad}),
            ("velocity inf", {"position": good, "velocity": np.inf}),
            ("expected numbers", {"position": "abc"}),
            ("expected numbers", {"position": good, "mass": 1j}),
            ("expected numbers", {"position": good, "mass": [None] * 4}),
            ("position: ", {"position": [[1, 2, 3], [1, 2]]}),
            ("expected whole numbers", {"position": good, "id": [1.5, 2, 3, 4]}),
            ("type 300 is not from 0 to 255", {"position": good, "type": 300}),
            ("id -1 is not from 0", {"position": good, "id": [-1, 2, 3, 4]}),
            ("mass -1", {"position": good, "mass": -1}),
            ("id", {"position": good, "id": [1, 1, 2, 3]}),
            ("no position", {"mass": [1]}),
            ("no column 'charge'", {"bodies": {"position": good, "charge": 1}}),
            ("", {"position": good[:0]}),
        ):
            with self.assertRaisesRegex(octant.InputError, words):
                octant.Simulation(rest, **arrays)
        with self.assertRaisesRegex(octant.InputError, "models"):
            self.small(position=good)

    def test_writing(self):
        sim = self.small()
        before = sim.state_hash
        for name, value in (
            ("position", np.zeros((47, 3))),
            ("position", np.full((48, 3), np.nan)),
            ("mass", -np.ones(48)),
            ("mass", "heavy"),
            ("id", np.arange(48)),
            ("acceleration", np.zeros((48, 3))),
            ("type", 3.5),
            ("mass", np.ma.array(np.ones(48), mask=[True] + 47 * [False])),
        ):
            with self.assertRaises(octant.InputError, msg=name):
                setattr(sim.bodies, name, value)
        with self.assertRaisesRegex(AttributeError, "did you mean 'position'"):
            sim.bodies.positions = 1
        with self.assertRaisesRegex(AttributeError, "did you mean 'position'"):
            sim.bodies.positoin
        for which in (48, -49, 1.5, "x", (0, 1), np.zeros(3, bool), None, np.zeros((2, 2), int)):
            with self.assertRaises(octant.InputError, msg=which):
                sim.bodies[which]
        with self.assertRaises(octant.InputError):
            sim.bodies[[1, 1]].mass = 1
        for ids in ([999], 1.5, -1, "a", None, 2**64):
            with self.assertRaises(octant.InputError, msg=ids):
                sim.bodies.of(ids)
        with self.assertRaises(octant.InputError):
            sim.add(position=[np.nan, 0, 0])
        with self.assertRaises(octant.InputError):
            sim.remove(["a"])
        self.assertEqual(sim.state_hash, before)

    def test_a_selection_that_outlives_its_bodies(self):
        sim = self.small()
        last = sim.bodies[40:]
        sim.remove(sim.bodies[:20])
        with self.assertRaises(octant.InputError):
            last.mass

    def test_numbers_that_are_none(self):
        sim = self.small()
        calls = {
            "step": sim.step,
            "run": lambda x: sim.run(steps=x),
            "records": lambda x: sim.records(1, steps=x),
            "call": lambda x: sim.call(print, steps=x),
            "neighbours": sim.neighbours,
            "densities": sim.densities,
            "seeds": lambda x: octant.sweep(SMALL, {}, seeds=x),
            "workers": lambda x: octant.sweep(SMALL, {}, workers=x),
            "steps of a sweep": lambda x: octant.sweep(SMALL, {}, steps=x),
            "device": lambda x: self.small(device=[] if isinstance(x, str) else x),
        }
        for name, use in calls.items():
            for bad in ("a", np.nan, np.inf, 1.5, [1], np.array([1, 2]), True, 2**70, -1):
                with self.subTest(name, bad=bad), self.assertRaises(octant.Error):
                    use(bad)
        for when in ({"at": np.nan}, {"at": []}, {"at": [1, np.inf]}, {"time": np.nan}):
            with self.subTest(when=when), self.assertRaises(octant.InputError):
                sim.call(print, **when)
        self.assertEqual(sim.steps, 0)

    def test_things_of_another_kind(self):
        sim = self.small()
        for name, use in {
            "columns": lambda: octant.Simulation(bodies=[1]),
            "values": lambda: octant.Simulation(SMALL, set=[1]),
            "a sweep": lambda: octant.sweep(SMALL, [1]),
            "a folder": lambda: sim.run(steps=1, out=3),
            "a file": lambda: sim.checkpoint(None),
            "no file": lambda: octant.read(None),
            "a key": lambda: octant.Scene(SMALL).get(3),
            "a port": lambda: sim.view(port=-1),
            "a text as a port": lambda: sim.view(port="a"),
            "a picture": lambda: sim.render("picture.gif"),
            "a measurement": lambda: sim.quantity("enrgy"),
            "no interval": lambda: self.small(output={"diagnostics": 0}).records(),
        }.items():
            with self.subTest(name), self.assertRaises(octant.InputError):
                use()

    def test_devices_and_precisions_that_are_none(self):
        with self.assertRaises(octant.MissingError):
            self.small(device="no such device")
        with self.assertRaises(octant.MissingError):
            self.small(device=99)
        with self.assertRaisesRegex(octant.InputError, "auto, single, mixed, double"):
            self.small(precision="half")

    def test_a_nan_in_the_run_is_told(self):
        code = "real4 octant_force(real3 p, real3 v, real m, ulong i, real t)\n"
        code += "{ return (real4)(t > 0.05f ? NAN : 0, 0, 0, 0); }"
        sim = self.small(forces=[{"custom": {"code": code}}])
        with self.assertRaises(octant.NumberError) as caught:
            sim.run()
        self.assertIsInstance(caught.exception, ArithmeticError)
        with self.assertRaises(octant.NumberError):
            sim.bodies.position
        sim.close()


class Lives(PythonTest):
    def test_use_after_close(self):
        sim = self.small()
        bodies = sim.bodies
        sim.close()
        sim.close()
        for use in (
            lambda: sim.step(),
            lambda: sim.run(),
            lambda: sim.time,
            lambda: sim.n,
            lambda: bodies.position,
            lambda: len(bodies),
            lambda: sim.gravity,
            lambda: sim.measure(),
            lambda: sim.checkpoint("x"),
        ):
            with self.assertRaises(octant.ClosedError):
                use()
        self.assertIn("closed", repr(sim))
        self.assertIn("closed", sim._repr_html_())
        with self.small() as other:
            other.step()
        with self.assertRaises(octant.ClosedError):
            other.step()

    def test_two_threads_on_one_simulation(self):
        sim = self.small()
        inside, leave, seen = threading.Event(), threading.Event(), []

        def wait(_):
            inside.set()
            leave.wait(60)

        sim.call(wait, at=0.5)
        thread = threading.Thread(target=lambda: seen.append(sim.run()))
        thread.start()
        self.assertTrue(inside.wait(60))
        for use in (lambda: sim.step(), lambda: sim.bodies.position, lambda: sim.close()):
            with self.assertRaises(octant.BusyError):
                use()
        leave.set()
        thread.join()
        self.assertEqual(len(seen[0]), 11)
        sim.step()

    def test_threads_with_simulations_of_their_own(self):
        plain = self.small()
        plain.step(50)
        found = []

        def work():
            sim = self.small()
            sim.step(50)
            found.append(sim.state_hash)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [plain.state_hash] * 4)

    def test_a_fork_is_told_what_to_do(self):
        sim = self.small()
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            words = []
            for use in (lambda: sim.step(), lambda: octant.Simulation(SMALL), lambda: sim.close()):
                try:
                    use()
                    words.append("nothing")
                except octant.ForkError as error:
                    words.append(str(error)[:27])
            del sim
            gc.collect()
            os.write(write, "|".join(words).encode())
            os._exit(0)
        os.close(write)
        with os.fdopen(read) as pipe:
            told = pipe.read().split("|")
        os.waitpid(child, 0)
        self.assertEqual(told, ["this process was forked from"[:27]] * 3)
        sim.step()

    def test_workers_that_are_spawned(self):
        sim = self.small()
        sim.step()
        with multiprocessing.get_context("spawn").Pool(2) as pool:
            found = pool.map(step_once, [SMALL, SMALL])
        self.assertEqual(found, [sim.state_hash] * 2)

    def test_many_simulations_leave_the_memory_level(self):
        def make(n):
            for _ in range(n):
                sim = self.small()
                sim.step()
                sim.bodies.position
                del sim
            gc.collect()

        growth = []
        for _ in range(5):
            before = resident()
            make(MANY // 5)
            growth.append((resident() - before) / (MANY // 5))
        # What leaks grows in every round; drivers and malloc take and give in large pieces.
        self.assertLess(min(growth), 2e3, growth)  # measured 0; 9e5 where none is given back

    def test_objects_in_a_cycle_are_given_back(self):
        sim = self.small()
        sim.call(lambda s, own=sim: own, steps=10)
        core = sim._core
        del sim
        gc.collect()
        self.assertLessEqual(len(gc.get_referrers(core)), 2)


if __name__ == "__main__":
    unittest.main()
