"""Simulations from Python: bodies, measurements, changes, files; the same bits as the binary."""

import copy
import json
import pickle
import subprocess
import unittest

import numpy as np

from support import BINARY, SMALL, PythonTest, octant

RESTITUTION = "real octant_restitution(real speed, real a, real b) { return law; }"
BINARY_LINE = ["--out", "none", "--json"]
COLUMNED = dict(SMALL, columns={"charge": {"unit": "C"}, "label": {"type": "integer"}})


class Bits(PythonTest):
    def binary(self, scene, *arguments):
        """The hash that the binary ends with."""
        file = self.folder / "scene.yaml"
        file.write_text(octant.Scene(scene).text)
        command = [BINARY, "run", str(file), *arguments, *BINARY_LINE]
        lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        return json.loads(lines.splitlines()[-1])["state_hash"]

    def test_python_and_the_binary_end_in_the_same_bits(self):
        ring = octant.Scene("saturn-ring", set={"box.size": [60, 60, 60]}).to_dict()
        for scene, steps in ((SMALL, 25), (ring, 5)):
            expected = self.binary(scene, "--steps", str(steps))
            stepped = octant.Simulation(scene)
            stepped.step(steps)
            self.assertEqual(stepped.state_hash, expected)
            one_by_one = octant.Simulation(scene)
            for _ in range(steps):
                one_by_one.step()
            self.assertEqual(one_by_one.state_hash, expected)
            ran = octant.Simulation(scene)
            ran.run(steps=steps)
            self.assertEqual(ran.state_hash, expected)

    def test_who_looks_changes_nothing(self):
        quiet, watched = self.small(), self.small()
        quiet.step(20)
        for _ in watched.records(2, steps=20):
            watched.bodies.acceleration, watched.bodies.position, watched._repr_html_()
        self.assertEqual(watched.steps, 20)
        self.assertEqual(watched.state_hash, quiet.state_hash)

    def test_a_folder_has_what_the_binary_leaves(self):
        file = self.folder / "scene.yaml"
        file.write_text(octant.Scene(SMALL).text)
        ours, theirs = self.folder / "ours", self.folder / "theirs"
        octant.Simulation(file).run(out=ours)
        subprocess.run([BINARY, "run", str(file), "--quiet", "--out", str(theirs)], check=True)
        names = {path.name for path in theirs.iterdir()}
        self.assertEqual({path.name for path in ours.iterdir()}, names)
        tables = [(path / "diagnostics.csv").read_text().splitlines() for path in (ours, theirs)]
        rows = [[line for line in table if line[:1] != "#"] for table in tables]
        self.assertEqual(rows[0], rows[1])
        self.assertEqual(len(rows[0]), 12)  # with the headings
        with self.assertRaisesRegex(octant.InputError, "already"):
            octant.Simulation(file).run(out=ours)
        octant.Simulation(file).run(out=ours, existing="replace")


class Bodies(PythonTest):
    def test_columns_are_numpy_arrays(self):
        sim = self.small()
        bodies = sim.bodies
        self.assertEqual(len(bodies), 48)
        self.assertEqual((sim.n, sim.time, sim.steps), (48, 0.0, 0))
        for name in ("position", "velocity", "acceleration", "spin"):
            self.assertEqual(getattr(bodies, name).shape, (48, 3))
        for name, dtype in (("mass", float), ("id", np.uint64), ("type", np.uint8)):
            self.assertEqual(getattr(bodies, name).dtype, dtype)
        self.assertAlmostEqual(bodies.mass.sum(), 1)
        for name in ("position", "mass", "id"):
            self.assertIn(name, dir(bodies))

    def test_arrays_read_cannot_be_mistaken_for_the_state(self):
        with self.assertRaises(ValueError):
            self.small().bodies.position[0] = 1

    def test_writing_and_selecting(self):
        sim = self.small()
        bodies, position = sim.bodies, sim.bodies.position.copy()
        bodies.position = position + 1
        np.testing.assert_array_equal(bodies.position, position + 1)
        bodies[::2].velocity = 0
        self.assertFalse(bodies.velocity[::2].any())
        self.assertTrue(bodies.velocity[1::2].all())
        bodies[bodies.position[:, 0] > 1].mass = 0.5
        np.testing.assert_array_equal(bodies.mass == 0.5, bodies.position[:, 0] > 1)
        bodies[[5, 3]].radius = [0.1, 0.2]
        self.assertEqual(list(bodies.radius[[3, 5]]), [0.2, 0.1])
        bodies[-1].velocity = [1, 2, 3]
        np.testing.assert_array_equal(bodies.velocity[47], [1, 2, 3])
        np.testing.assert_array_equal(bodies[10:20][2:4].id, [13, 14])
        np.testing.assert_array_equal(bodies.of([7, 3]).id, [7, 3])
        self.assertEqual(len(bodies[:0].position), 0)

    def test_bodies_one_by_one(self):
        sim = self.small()
        masses = [float(body.mass[0]) for body in sim.bodies]
        self.assertEqual(masses, sim.bodies.mass.tolist())
        self.assertEqual([int(body.id[0]) for body in sim.bodies[[5, 2]]], [6, 3])

    def test_columns_of_the_users(self):
        sim = octant.Simulation(COLUMNED)
        sim.bodies.charge = np.linspace(-1, 1, 48)
        sim.bodies[3].label = 12
        np.testing.assert_array_equal(sim.bodies.charge, np.linspace(-1, 1, 48))
        self.assertEqual(sim.bodies.label.dtype, np.int64)
        self.assertEqual(sim.bodies.label[3], 12)
        self.assertIn("charge", dir(sim.bodies))

    def test_arrays_make_a_simulation(self):
        random = np.random.default_rng(1)
        x, v, m = random.normal(size=(30, 3)), random.normal(size=(30, 3)), random.random(30)
        rest = {k: v for k, v in COLUMNED.items() if k != "models"}
        sim = octant.Simulation(
            rest, position=x, velocity=v, mass=m, bodies={"charge": np.arange(30), "label": 4}
        )
        for name, array in (("position", x), ("velocity", v), ("mass", m)):
            np.testing.assert_array_equal(getattr(sim.bodies, name), array)
        np.testing.assert_array_equal(sim.bodies.charge, np.arange(30.0))
        np.testing.assert_array_equal(sim.bodies.label, np.full(30, 4))
        np.testing.assert_array_equal(sim.bodies.id, np.arange(1, 31))
        other = octant.Simulation(rest, position=x[:, ::1].astype(np.float32))
        np.testing.assert_array_equal(other.bodies.position, x.astype(np.float32))
        fortran = octant.Simulation(rest, position=np.asfortranarray(x))
        np.testing.assert_array_equal(fortran.bodies.position, x)

    def test_add_and_remove(self):
        sim = self.small()
        ids = sim.add(position=[[1, 0, 0], [0, 1, 0]], mass=[0.1, 0.2], velocity=[0, 0, 1])
        self.assertEqual(list(ids), [49, 50])
        np.testing.assert_array_equal(sim.bodies[-2:].velocity, [[0, 0, 1], [0, 0, 1]])
        self.assertEqual(list(sim.add(position=[2, 0, 0])), [51])
        sim.remove(ids)
        sim.remove(sim.bodies[:3])
        sim.remove(51)
        sim.remove([])
        sim.remove(sim.bodies[sim.bodies.mass < 0])
        self.assertEqual(sim.n, 45)
        np.testing.assert_array_equal(sim.bodies.id, np.arange(4, 49))
        with self.assertRaises(octant.MissingError):
            sim.remove([999])

    def test_bodies_that_left_are_not_shown(self):
        sim = octant.Simulation(
            position=[[0, 0, 0], [1, 0, 0], [0, 9.9, 0], [2, 0, 0]],
            velocity=[[0, 0, 0], [0, 0, 0], [0, 50, 0], [0, 0, 0]],
            units="nbody",
            gravity="none",
            box={"removal_radius": 10},
            integrator={"dt": 0.01},
        )
        sim.step(1)
        self.assertEqual((sim.n, len(sim.bodies)), (3, 3))
        np.testing.assert_array_equal(sim.bodies.id, [1, 2, 4])
        sim.bodies[2].mass = 5
        np.testing.assert_array_equal(sim.bodies.mass, [0, 0, 5])

    def test_neighbours_densities_and_pairs_that_touch(self):
        sim = octant.Simulation(
            position=[[0, 0, 0], [1, 0, 0], [3, 0, 0]],
            radius=[0.6, 0.6, 0.1],
            mass=1,
            units="nbody",
            integrator={"dt": 0.1},
        )
        index, distance = sim.neighbours(2)
        np.testing.assert_array_equal(index, [[1, 2], [0, 2], [1, 0]])
        np.testing.assert_allclose(distance, [[1, 3], [1, 2], [2, 3]])
        np.testing.assert_array_equal(np.sort(sim.touching(), axis=1), [[0, 1]])
        np.testing.assert_allclose(sim.densities(2), 1 / (4 / 3 * np.pi * np.array([27, 8, 27])))


class Measurements(PythonTest):
    def test_energies_are_those_of_the_bodies(self):
        sim = self.small(precision="double")
        row, b = sim.measure(), sim.bodies
        kinetic = 0.5 * (b.mass * (b.velocity**2).sum(axis=1)).sum()
        difference = b.position[:, None] - b.position[None]
        distance = np.sqrt((difference**2).sum(axis=2) + 0.05**2)
        pairs = np.triu(np.outer(b.mass, b.mass) / distance, 1).sum()
        self.assertAlmostEqual(row.kinetic, kinetic, 12)
        self.assertAlmostEqual(row["potential"], -pairs, 12)
        self.assertEqual(row.momentum.shape, (3,))
        self.assertIn("energy", dir(row))
        with self.assertRaisesRegex(AttributeError, "is not measured"):
            row.enthalpy

    def test_tables(self):
        rows = self.small().run()
        self.assertEqual(len(rows), 11)
        np.testing.assert_allclose(rows.time, np.linspace(0, 1, 11))
        self.assertEqual(rows.momentum.shape, (11, 3))
        self.assertEqual([r.step for r in rows], list(range(0, 101, 10)))
        self.assertTrue(rows.doc("energy"))
        self.assertIn("<table>", rows._repr_html_())

    def test_pandas(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is not installed")
        sim = self.small()
        frame = sim.run(until=0.2).to_pandas()
        self.assertIsInstance(frame, pandas.DataFrame)
        self.assertEqual(list(frame.index), [0.0, 0.1, 0.2])
        self.assertIn("momentum_x", frame)
        self.assertEqual(sim.bodies.to_pandas().shape[0], 48)


class Changes(PythonTest):
    def test_settings_change_between_steps(self):
        sim = self.small()
        sim.step(3)
        sim.gravity.softening = 0.1
        self.assertEqual(sim.gravity.softening, 0.1)
        sim.gravity = {"method": "tree", "theta": 0.3}
        self.assertEqual((sim.gravity.method, sim.gravity.theta), ("tree", 0.3))
        sim.set(gravity={"theta": 0.7}, integrator={"dt": 0.005})
        self.assertEqual((sim.gravity.theta, sim.dt), (0.7, 0.005))
        sim.set(gravity="direct")
        sim.set(gravity={"theta": 0.7, "method": "tree"})
        self.assertEqual((sim.gravity.method, sim.gravity.theta), ("tree", 0.7))
        self.assertTrue(sim.can_set("gravity.theta"))
        self.assertFalse(sim.can_set("units"))
        before = sim.state_hash
        with self.assertRaises(octant.InputError):
            sim.set(gravity={"theta": 0.5}, integrator={"dt": -1})
        self.assertEqual((sim.gravity.theta, sim.state_hash), (0.7, before))
        with self.assertRaisesRegex(octant.InputError, "seed"):
            sim.seed = 3

    def test_forces_of_the_users(self):
        spring = "real4 octant_force(real3 p, real3 v, real m, ulong id, real t)\n{\n"
        sim = octant.Simulation(
            position=[1, 0, 0],
            units="nbody",
            gravity="none",
            integrator={"dt": 0.001},
            forces=[
                {"custom": {"code": spring + "    return (real4)(-p, 0.5f * dot(p, p));\n}\n"}}
            ],
            precision="double",
        )
        sim.step(1000)
        self.assertAlmostEqual(sim.bodies.position[0, 0], np.cos(1), 6)
        with self.assertRaisesRegex(octant.InputError, r"forces\.0\.custom\.code:3:12.*'oops'"):
            self.small(forces=[{"custom": {"code": spring + "    return oops;\n}\n"}}])

    def test_pair_forces_and_restitution_of_the_users(self):
        pair = (
            "void octant_pair(octant_sum *sum, octant_body i, octant_body j, octant_gap gap)\n{\n"
        )
        with self.assertRaisesRegex(octant.InputError, r"forces\.0\.pair\.code:3:.*'nothing'"):
            self.small(forces=[{"pair": {"code": pair + "    sum->potential = nothing;\n}\n"}}])
        with self.assertRaisesRegex(octant.InputError, r"restitution_code:1:.*'law'"):
            self.small(
                collisions={
                    "method": "direct",
                    "restitution": "custom",
                    "restitution_code": RESTITUTION,
                }
            )


class Files(PythonTest):
    def test_checkpoints_go_on_to_the_same_bits(self):
        path = self.folder / "state.hdf5"
        whole, first = self.small(), self.small()
        whole.step(20)
        first.step(8)
        first.checkpoint(path)
        second = octant.Simulation.restore(path)
        second.step(12)
        self.assertEqual(second.state_hash, whole.state_hash)
        self.assertEqual(second.identity, first.identity)
        other = octant.Simulation.restore(path, gravity={"softening": 0.2})
        self.assertEqual((other.gravity.softening, other.steps), (0.2, 8))
        with self.assertRaises(octant.MissingError):
            octant.Simulation.restore(self.folder / "none.hdf5")

    def test_pickles_are_whole(self):
        sim = octant.Simulation(COLUMNED)
        sim.bodies.charge = np.arange(48)
        sim.step(5)
        again = pickle.loads(pickle.dumps(sim))
        self.assertEqual(again.state_hash, sim.state_hash)
        sim.step(5)
        again.step(5)
        self.assertEqual(again.state_hash, sim.state_hash)
        np.testing.assert_array_equal(again.bodies.charge, np.arange(48.0))

    def test_what_was_found_is_pickled_too(self):
        sim = self.small()
        rows = sim.run(steps=20)
        for again in (pickle.loads(pickle.dumps(rows)), copy.deepcopy(rows)):
            np.testing.assert_array_equal(again.energy, rows.energy)
            self.assertEqual(again.names, rows.names)
        record = pickle.loads(pickle.dumps(sim.measure()))
        self.assertEqual((record.step, record.energy), (20, sim.measure().energy))
        chosen = pickle.loads(pickle.dumps(sim.bodies[3:5]))
        np.testing.assert_array_equal(chosen.position, sim.bodies.position[3:5])
        error = pickle.loads(pickle.dumps(octant.NumberError("a sentence", "a place")))
        self.assertEqual((str(error), error.place), ("a sentence", "a place"))

    def test_snapshots_are_read_back(self):
        sim = octant.Simulation(COLUMNED)
        sim.step(2)
        for name in ("a.hdf5", "a.csv"):
            sim.snapshot(self.folder / name)
            file = octant.read(self.folder / name)
            self.assertIn("not read yet", repr(file))
            np.testing.assert_array_equal(file.position, sim.bodies.position)
            np.testing.assert_array_equal(file["charge"], sim.bodies.charge)
            self.assertEqual(len(file), 48)
        self.assertEqual(
            (octant.read(self.folder / "a.hdf5").time, file.info["kind"]), (0.02, "csv")
        )
        with self.assertRaises(octant.MissingError):
            octant.read(self.folder / "b.hdf5")

    def test_pictures(self):
        sim = self.small()
        sim.render(self.folder / "a.png", mode="particles", elevation=20, width=300, height=200)
        self.assertEqual((self.folder / "a.png").read_bytes()[:4], b"\x89PNG")
        with self.assertRaisesRegex(octant.InputError, "did you mean 'elevation'"):
            sim.render(self.folder / "a.png", elevatio=20)
        with self.assertRaises(octant.InputError):
            sim.render(self.folder / "a.png", width="wide")
        self.assertIn("data:image/png", sim._repr_html_())
        self.assertIn("48 bodies", repr(sim))


class Units(PythonTest):
    def setUp(self):
        super().setUp()
        try:
            from astropy import units
        except ImportError:
            self.skipTest("astropy is not installed")
        self.units = units

    def test_in_and_out(self):
        u = self.units
        sim = octant.Simulation(
            position=[[1, 0, 0], [0, 0, 0]] * u.AU,
            velocity=[[0, 30, 0], [0, 0, 0]] * u.km / u.s,
            mass=1 * u.earthMass,
            units="solar",
            integrator={"dt": 1 * u.day},
            gravity={"method": "direct", "softening": 1000 * u.km},
        )
        np.testing.assert_allclose(sim.bodies.position[0], [1, 0, 0], rtol=1e-12)
        self.assertEqual(sim.dt, 1.0)
        self.assertAlmostEqual(sim.bodies.quantity("velocity")[0, 1].to_value(u.km / u.s), 30, 9)
        self.assertAlmostEqual(sim.gravity.softening * u.AU / (1000 * u.km).to(u.AU), 1, 9)
        sim.run(until=48 * u.hour)
        self.assertEqual(sim.quantity("time"), 2 * u.day)
        energy = sim.measure().quantity("kinetic")
        self.assertAlmostEqual(energy.to_value(u.J) / (0.5 * 5.972168e24 * 9e8), 1, 5)
        with self.assertRaisesRegex(octant.InputError, "is no unit of length"):
            sim.bodies.position = np.zeros((2, 3)) * u.kg

    def test_every_system_has_its_units(self):
        u = self.units
        for name in ("si", "solar", "galactic"):
            sim = octant.Simulation(position=np.eye(3), units=name, integrator={"dt": 1})
            for powers, si in (((1, 0, 0), "m"), ((0, 1, 0), "kg"), ((0, 0, 1), "s")):
                size = sim.units.unit(*powers).to(u.Unit(si))
                kind = (sim.units.length, sim.units.mass, sim.units.time)[powers.index(1)]
                self.assertAlmostEqual(size / kind, 1, 9)  # measured 1 to round-off

    def test_nbody_units_mean_nothing(self):
        with self.assertRaisesRegex(octant.InputError, "means nothing"):
            self.small().bodies.position = np.zeros((48, 3)) * self.units.m


if __name__ == "__main__":
    unittest.main()
