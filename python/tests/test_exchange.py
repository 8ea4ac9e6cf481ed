"""AMUSE's sets, AGAMA's samples and quantities of other packages: in, out, and what is refused."""

import types
import unittest
import warnings

import numpy as np

from support import PythonTest, octant

try:
    from amuse.datamodel import Particles
    from amuse.units import constants, nbody_system, units
except ImportError:
    Particles = None

METHODS = {"gravity": {"method": "direct", "softening": 0.01}, "integrator": {"dt": 0.01}}
# agama needs a compiler, GSL and a file from GitHub to install: these are its conventions.
AGAMA_UNITS = {"length": 1.0, "velocity": 1.0, "mass": 1.0, "time": 977.79222}
AGAMA_G = 4.30091727e-06  # kpc (km/s)^2 / Msun


@unittest.skipIf(Particles is None, "AMUSE, which comes from PyPI, is not installed")
class Amuse(PythonTest):
    def system(self):
        particles = Particles(2)
        particles.mass = [1.0, 1e-3] | units.MSun
        particles.position = [[0, 0, 0], [1, 0, 0]] | units.AU
        speed = (constants.G * particles.mass.sum() / (1 | units.AU)).sqrt()
        particles.velocity = [[0, 0, 0], [0, 1, 0]] * speed
        particles.radius = [1, 0.1] | units.RSun
        return particles

    def test_a_set_becomes_a_simulation_and_comes_back(self):
        particles = self.system()
        sim = octant.from_amuse(particles, gravity="direct", integrator={"dt": 1 | units.day})
        self.assertEqual((sim.units.name, sim.dt), ("solar", 1.0))
        np.testing.assert_allclose(sim.bodies.position[1], [1, 0, 0], rtol=1e-9)
        np.testing.assert_array_equal(sim.bodies.id, particles.key)
        again = octant.to_amuse(sim)
        for name in ("mass", "x", "y", "z", "vx", "vy", "vz", "radius"):
            ours, theirs = getattr(again, name), getattr(particles, name)
            difference = (ours - theirs).value_in(theirs.unit)
            scale = np.abs(theirs.value_in(theirs.unit)).max() or 1
            self.assertLess(np.abs(difference).max() / scale, 1e-14, name)

    def test_an_orbit_later_the_set_is_where_the_planet_is(self):
        particles = self.system()
        sim = octant.from_amuse(
            particles, gravity="direct", integrator={"dt": 0.5 | units.day}, precision="double"
        )
        sim.run(until=1 | units.yr)
        octant.to_amuse(sim).new_channel_to(particles).copy()
        apart = (particles[1].position - particles[0].position).value_in(units.AU)
        # A circular orbit; a step of half a day is 8.6e-3 of a radian.
        self.assertAlmostEqual(np.linalg.norm(apart), 1, 4)
        angle = np.sqrt(sim.units.G * sim.bodies.mass.sum()) * sim.time - 2 * np.pi
        self.assertAlmostEqual(np.arctan2(apart[1], apart[0]), angle, 3)

    def test_numbers_of_the_nbody_system(self):
        particles = Particles(3)
        particles.mass = [1, 2, 3] | nbody_system.mass
        particles.position = np.eye(3) | nbody_system.length
        particles.velocity = -np.eye(3) | nbody_system.speed
        sim = octant.from_amuse(particles, **METHODS)
        self.assertEqual((sim.units.name, sim.n), ("nbody", 3))
        np.testing.assert_array_equal(sim.bodies.velocity, -np.eye(3))
        back = octant.to_amuse(sim)
        np.testing.assert_array_equal(back.position.value_in(nbody_system.length), np.eye(3))

    def test_a_galaxy_has_galactic_units(self):
        particles = self.system()
        particles.position *= 1e9
        self.assertEqual(octant.from_amuse(particles, **METHODS).units.name, "galactic")
        near = octant.from_amuse(self.system(), units="galactic", **METHODS)
        self.assertEqual(near.units.name, "galactic")

    def test_what_is_missing_or_wrong_is_named(self):
        bare = Particles(2)
        bare.mass = 1 | units.MSun
        with self.assertRaisesRegex(octant.InputError, "no x, y, z, vx, vy, vz; expected mass"):
            octant.from_amuse(bare, **METHODS)
        wrong = self.system().copy_to_memory()
        del wrong.mass
        wrong.mass = [1, 2] | units.m
        with self.assertRaisesRegex(octant.InputError, "mass: 'm' is no unit of mass"):
            octant.from_amuse(wrong, **METHODS)
        with self.assertRaisesRegex(octant.InputError, "no units 'furlong'"):
            octant.from_amuse(self.system(), units="furlong", **METHODS)
        with self.assertRaisesRegex(octant.InputError, "means nothing"):
            octant.from_amuse(self.system(), units="nbody", **METHODS)


class Stand(PythonTest):
    """Anything with these attributes."""

    def test_plain_numbers(self):
        rows = np.arange(12.0).reshape(2, 6)
        names = ("x", "y", "z", "vx", "vy", "vz")
        thing = types.SimpleNamespace(mass=np.ones(2), **dict(zip(names, rows.T)))
        sim = octant.from_amuse(thing, **METHODS)
        np.testing.assert_array_equal(sim.bodies.position, rows[:, :3])
        np.testing.assert_array_equal(sim.bodies.velocity, rows[:, 3:])
        thing.x = thing.x * np.nan
        with self.assertRaisesRegex(octant.InputError, "position nan"):
            octant.from_amuse(thing, **METHODS)


class Agama(PythonTest):
    def sample(self, n=50):
        random = np.random.default_rng(2)
        return random.normal(size=(n, 6)) * [8, 8, 1, 200, 200, 50], np.full(n, 1e10 / n)

    def test_units_of_the_milky_way(self):
        table, mass = self.sample()
        sim = octant.from_agama((table, mass), agama_units=AGAMA_UNITS, **METHODS)
        self.assertEqual(sim.units.name, "galactic")
        np.testing.assert_allclose(sim.bodies.position, table[:, :3], rtol=1e-12)
        # AGAMA's time is kpc/(km/s), and so is that of galactic units.
        np.testing.assert_allclose(sim.bodies.velocity, table[:, 3:], rtol=1e-9)
        product = sim.units.G * sim.bodies.mass.sum() / (AGAMA_G * mass.sum())
        self.assertAlmostEqual(product, 1, 5)
        again, weights = octant.to_agama(sim)
        np.testing.assert_allclose(again, table, rtol=1e-12)
        np.testing.assert_allclose(weights, mass, rtol=1e-12)

    def test_other_units_and_none(self):
        table, mass = self.sample()
        other = {"length": 10.0, "velocity": 100.0, "mass": 1e9}
        sim = octant.from_agama(table, mass, agama_units=other, **METHODS)
        np.testing.assert_allclose(sim.bodies.position, 10 * table[:, :3], rtol=1e-12)
        np.testing.assert_allclose(octant.to_agama(sim, other)[0], table, rtol=1e-12)
        plain = octant.from_agama(table, 1.0, **METHODS)
        self.assertEqual((plain.units.name, plain.units.G), ("nbody", 1.0))
        np.testing.assert_array_equal(octant.to_agama(plain)[0], table)
        np.testing.assert_array_equal(octant.to_agama(plain)[1], np.ones(50))

    def test_what_is_refused(self):
        table, mass = self.sample()
        for words, arguments, keys in (
            ("no masses", (table,), {}),
            (r"shape \(50, 5\); expected \(n, 6\)", (table[:, :5], mass), {}),
            (r"masses have the shape \(49,\)", (table, mass[1:]), {}),
            ("a sample is a pair", ((table, mass, mass),), {}),
            ("have no velocity", (table, mass), {"agama_units": {"length": 1, "mass": 1}}),
            ("unit of mass is 0", (table, mass), {"agama_units": dict(AGAMA_UNITS, mass=0)}),
            ("which units", (table, mass), {"units": "galactic"}),
            ("physical", (table, mass), {"agama_units": AGAMA_UNITS, "units": "nbody"}),
        ):
            with self.assertRaisesRegex(octant.InputError, words):
                octant.from_agama(*arguments, **keys, **METHODS)
        sim = octant.from_agama(table, mass, **METHODS)
        with self.assertRaisesRegex(octant.InputError, "nbody"):
            octant.to_agama(sim, AGAMA_UNITS)


class Readers(PythonTest):
    """What yt, pynbody and swiftsimio have read goes into a simulation, with its units."""

    def setUp(self):
        super().setUp()
        self.sim = octant.Simulation(
            position=np.random.default_rng(3).uniform(-5, 5, (20, 3)),
            velocity=[1, 2, 3],
            mass=0.5,
            units="galactic",
            **METHODS,
        )
        self.path = self.folder / "snapshot.hdf5"
        self.sim.snapshot(self.path)

    def same(self, position, velocity, mass, rtol):
        again = octant.Simulation(
            position=position, velocity=velocity, mass=mass, units="galactic", **METHODS
        )
        for name in ("position", "velocity", "mass"):
            ours, theirs = getattr(self.sim.bodies, name), getattr(again.bodies, name)
            if name == "position":  # files count from a corner of the box
                ours, theirs = ours - ours.min(axis=0) + 1, theirs - theirs.min(axis=0) + 1
            np.testing.assert_allclose(np.sort(theirs, 0), np.sort(ours, 0), rtol=rtol)
        with self.assertRaisesRegex(octant.InputError, "is no unit of length"):
            again.bodies.position = velocity

    def test_yt(self):
        try:
            import yt
        except ImportError:
            self.skipTest("yt is not installed")
        yt.set_log_level(50)
        data = yt.load(str(self.path)).all_data()
        names = ("particle_position", "particle_velocity", "particle_mass")
        self.same(*[data["all", name] for name in names], rtol=1e-6)

    def test_pynbody(self):
        try:
            import pynbody
        except ImportError:
            self.skipTest("pynbody is not installed")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            data = pynbody.load(str(self.path))
            self.same(data["pos"], data["vel"], data["mass"], rtol=1e-6)

    def test_swiftsimio(self):
        try:
            import swiftsimio
        except ImportError:
            self.skipTest("swiftsimio is not installed")
        data = swiftsimio.load(str(self.path)).dark_matter
        # It rounds units of time to five digits.
        self.same(data.coordinates, data.velocities, data.masses, rtol=1e-5)  # measured 2.3e-6


if __name__ == "__main__":
    unittest.main()
