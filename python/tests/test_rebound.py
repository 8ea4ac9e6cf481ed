"""REBOUND beside Octant: the same particles for a step, and both ways of the exchange."""

import math
import unittest

import numpy as np

from support import PythonTest, octant

try:
    import rebound
except ImportError:
    rebound = None

OMEGA = 1.3143527e-4


@unittest.skipIf(rebound is None, "REBOUND, which comes from PyPI, is not installed")
class Sheet(PythonTest):
    def sheet(self, gravity):
        """A patch of a ring in REBOUND, without collisions."""
        other = rebound.Simulation()
        other.integrator, other.boundary, other.gravity = "sei", "shear", gravity
        other.OMEGA, other.G = OMEGA, 6.67428e-11 if gravity != "none" else 0
        other.dt = 1e-3 * 2 * math.pi / OMEGA
        other.softening, other.root_size = 0.2, 100.0
        other.opening_angle2 = 0.25
        other.N_ghost_x = other.N_ghost_y = 1
        other.N_ghost_z = 0
        random = np.random.default_rng(5)
        for x, y, z in random.uniform(-50, 50, (400, 3)) * (1, 1, 0.05):
            drift = random.normal(0, 1e-4, 3)
            mass = 4 / 3 * math.pi * 400 * random.uniform(1, 2) ** 3
            other.add(
                m=mass, x=x, y=y, z=z, vx=drift[0], vy=-1.5 * OMEGA * x + drift[1], vz=drift[2]
            )
        return other

    def step(self, gravity, **keys):
        """How far the two are apart after a step, and what gravity did in it."""
        other = self.sheet(gravity)
        sim = octant.from_rebound(other, precision="double", **keys)
        np.testing.assert_array_equal(sim.bodies.position[:, 0], [p.x for p in other.particles])
        sim.step()
        other.steps(1)
        velocity = np.array([(p.vx, p.vy, p.vz) for p in other.particles])
        position = np.array([(p.x, p.y, p.z) for p in other.particles])
        difference = sim.bodies.position - position
        difference -= 100 * np.round(difference / 100)  # one may have wrapped at the very edge
        inside = np.abs(difference).max(axis=1)
        return np.abs(sim.bodies.velocity - velocity).max(axis=1), inside

    def test_without_gravity_to_round_off(self):
        velocity, position = self.step("none")
        # REBOUND's epicycles go through tan and sin of the same angles in another order.
        self.assertLess(position.max(), 1e-12)  # measured 1.4e-14 m of 100 m
        self.assertLess(velocity.max(), 1e-16)  # measured 1.7e-18 m/s of 1e-2 m/s

    def test_with_gravity_to_the_trees_error(self):
        velocity, _ = self.step("tree")
        free = self.kick()
        # Both have opening angles of 0.5; REBOUND's cells have no quadrupoles.
        self.assertLess(np.median(velocity) / free, 1e-2)  # measured 6.1e-3

    def kick(self):
        """The median change of velocity by gravity in a step."""
        with_it = octant.from_rebound(self.sheet("tree"), precision="double")
        without = octant.from_rebound(self.sheet("none"), precision="double")
        with_it.step()
        without.step()
        change = np.linalg.norm(with_it.bodies.velocity - without.bodies.velocity, axis=1)
        return np.median(change)


@unittest.skipIf(rebound is None, "REBOUND, which comes from PyPI, is not installed")
class Exchange(PythonTest):
    def system(self):
        other = rebound.Simulation()
        other.units = ("AU", "yr", "Msun")
        other.add(m=1, r=0.00465)
        other.add(m=1e-3, a=1, e=0.1)
        other.add(m=1e-6, a=2.5, inc=0.1)
        other.integrator, other.dt = "leapfrog", 0.001
        return other

    def test_units_and_an_orbit(self):
        other = self.system()
        sim = octant.from_rebound(other, precision="double")
        self.assertEqual(sim.units.name, "solar")
        self.assertAlmostEqual(sim.dt, 0.36525)
        sim.run(until="1 yr")
        other.steps(1000)
        position = np.array([(p.x, p.y, p.z) for p in other.particles])
        # A leapfrog in both, of the same steps: drift-kick-drift there, the other way round here.
        np.testing.assert_allclose(sim.bodies.position, position, atol=1e-4)  # measured 1.6e-5

    def test_back_again(self):
        other = self.system()
        again = octant.to_rebound(octant.from_rebound(other))
        sun = rebound.units.masses_SI["msun"]
        self.assertEqual(again.units, {"length": "m", "mass": "kg", "time": "s"})
        for ours, theirs in zip(again.particles, other.particles):
            self.assertAlmostEqual(ours.x / 149597870700, theirs.x, 12)
            self.assertAlmostEqual(ours.m / (theirs.m * sun), 1, 12)
            self.assertAlmostEqual(ours.vy * 31557600 / 149597870700, theirs.vy, 10)

    def test_archives_and_plain_units(self):
        other = rebound.Simulation()
        other.add(m=1)
        other.add(m=0.1, x=1, vy=1)
        other.save_to_file(str(self.folder / "a.bin"))
        sim = octant.from_rebound(self.folder / "a.bin", gravity="tree")
        self.assertEqual((sim.units.name, sim.units.G, sim.n), ("nbody", 1.0, 2))
        self.assertEqual(sim.gravity.method, "tree")
        self.assertEqual(octant.to_rebound(sim).particles[1].vy, 1.0)

    def test_an_archive_is_written_and_read(self):
        path = self.folder / "run.bin"
        sim = octant.from_rebound(self.system(), precision="double")
        sim.call(lambda s: octant.to_rebound(s, path) and None, time="0.1 yr")
        sim.run(until="0.3 yr")
        archive = rebound.Simulationarchive(str(path))
        self.assertEqual(len(archive), 4)
        np.testing.assert_allclose(
            [other.t / 31557600 for other in archive], [0, 0.1, 0.2, 0.3], atol=2e-6
        )
        for snapshot, other in enumerate(archive):
            again = octant.from_rebound(path, snapshot=snapshot)
            place = again.bodies.position[1] * again.units.length
            np.testing.assert_allclose(place, other.particles[1].xyz, rtol=1e-14)
        last = octant.from_rebound(path)
        np.testing.assert_allclose(last.bodies.position, sim.bodies.position, rtol=1e-13)

    def test_a_sheet_goes_there_and_back(self):
        scene = {"box.size": [100, 200, 100], "gravity.theta": 0.6}
        sim = octant.Simulation("saturn-ring", set=scene)
        other = octant.to_rebound(sim)
        self.assertEqual((other.boundary, other.integrator), ("shear", "sei"))
        self.assertEqual((other.N_root_x, other.N_root_y, other.N_root_z), (1, 2, 1))
        again = octant.from_rebound(other, units="si")
        for key in ("box.boundary", "gravity.method", "integrator.method"):
            self.assertEqual(again.scene.get(key), sim.scene.get(key))
        solar = octant.from_rebound(other)
        size = np.array(solar.scene.get("box.size"), float) * solar.units.length
        np.testing.assert_allclose(size, [100, 200, 100], rtol=1e-12)
        rate = float(solar.scene.get("box.omega")) / solar.units.time
        self.assertAlmostEqual(rate / 1.3143527e-4, 1, 12)
        self.assertAlmostEqual(float(solar.scene.get("gravity.theta")), 0.6, 12)
        with self.assertRaisesRegex(octant.InputError, "equal cubes"):
            octant.to_rebound(octant.Simulation("saturn-ring", set={"box.size": [100, 150, 100]}))

    def test_whfast_is_wisdom_and_holmans(self):
        other = self.system()
        other.integrator = "whfast"
        other.save_to_file(str(self.folder / "a.bin"))
        archive = rebound.Simulationarchive(str(self.folder / "a.bin"))
        sims = [octant.from_rebound(x, precision="double") for x in (other, archive)]
        other.steps(1000)
        place = np.array([particle.xyz for particle in other.particles])
        for sim in sims:
            self.assertEqual((sim.integrator.method, sim.gravity.method), ("wh", "systems"))
            sim.step(1000)
            np.testing.assert_allclose(sim.bodies.position, place, atol=1e-12)  # measured 1e-14
        other.softening = 0.01
        soft = octant.from_rebound(other)
        self.assertEqual((soft.integrator.method, soft.gravity.method), ("leapfrog", "direct"))

    def test_what_is_none_of_rebounds(self):
        path = self.folder / "a.bin"
        self.system().save_to_file(str(path))
        (self.folder / "text.bin").write_text("not an archive")
        for source, snapshot in (
            (3, -1), (None, -1), (path, 1), (path, "a"), (self.folder / "none.bin", -1),
            (self.folder / "text.bin", -1), (rebound.Simulation(), -1),
        ):  # fmt: skip
            with self.subTest(source=source), self.assertRaises(octant.InputError):
                octant.from_rebound(source, snapshot)

    def test_test_particles_with_masses_are_refused(self):
        other = self.system()
        other.N_active = 2
        with self.assertRaisesRegex(octant.InputError, "test particles"):
            octant.from_rebound(other)


if __name__ == "__main__":
    unittest.main()
