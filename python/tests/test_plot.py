"""Figures: what is drawn is what the bodies are."""

import unittest

import numpy as np

from support import SMALL, PythonTest, octant

try:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot
except ImportError:
    matplotlib = None


@unittest.skipIf(matplotlib is None, "matplotlib, which comes from PyPI, is not installed")
class Figures(PythonTest):
    def tearDown(self):
        pyplot.close("all")

    def save(self, ax):
        path = self.folder / "figure.png"
        ax.figure.savefig(path)
        self.assertGreater(path.stat().st_size, 2000)

    def test_bodies_are_where_they_are(self):
        sim = self.small()
        ax = octant.plot.bodies(sim, "xz", color="velocity")
        np.testing.assert_array_equal(
            ax.collections[0].get_offsets(), sim.bodies.position[:, [0, 2]]
        )
        speeds = np.linalg.norm(sim.bodies.velocity, axis=1)
        np.testing.assert_array_equal(ax.collections[0].get_array(), speeds)
        self.save(ax)
        sim.bodies.radius = 0.1
        discs = octant.plot.bodies(sim)
        self.assertLess(discs.get_xlim()[0], sim.bodies.position[:, 0].min() - 0.09)
        self.save(discs)
        for wrong in ("xx", "x", "xw"):
            with self.assertRaises(octant.InputError):
                octant.plot.bodies(sim, wrong)

    def test_surface_density_holds_the_mass(self):
        sim = self.small()
        ax = octant.plot.surface_density(sim, bins=20)
        mesh = ax.collections[0]
        x, y = sim.bodies.position[:, 0], sim.bodies.position[:, 1]
        cell = np.ptp(x) * np.ptp(y) / 400
        self.assertAlmostEqual(float(mesh.get_array().sum()) * cell, 1)
        self.save(ax)

    def test_a_profile_is_that_of_the_model(self):
        sim = octant.Simulation("plummer", set={"models.0.plummer.n": 4096})
        r, density, count = octant.plot.radial_profile(sim, 12, centre=[0, 0, 0])
        scale = sim.models[0].scale
        exact = 3 / (4 * np.pi * scale**3) * (1 + (r / scale) ** 2) ** -2.5
        near = np.abs(r - scale) < 0.6 * scale
        self.assertGreater(near.sum(), 4)
        # Poisson's error of 341 bodies in a shell is 5 %.
        np.testing.assert_allclose(density[near], exact[near], rtol=0.2)
        self.assertEqual(count.sum(), 4096)
        self.save(octant.plot.profile(sim))
        self.save(octant.plot.profile(sim, cylindrical=True))

    def test_measurements_over_time(self):
        rows = self.small().run()
        ax = octant.plot.diagnostics(rows, "kinetic", "momentum")
        self.assertEqual(len(ax.lines), 4)
        np.testing.assert_array_equal(ax.lines[0].get_ydata(), rows.kinetic)
        self.save(ax)

    def test_axes_have_units(self):
        for units, speed, mass in (
            ("si", "velocity [m s$^{-1}$]", "mass [kg]"),
            ("galactic", "velocity [km/s]", "mass [10¹⁰ solar masses]"),
            ("nbody", "velocity", "mass"),
        ):
            sim = octant.Simulation(
                position=np.eye(3), velocity=np.eye(3), mass=1, units=units, gravity="none",
                integrator={"dt": 0.01},
            )  # fmt: skip
            bar = octant.plot.bodies(sim, color="velocity").figure.axes[-1]
            self.assertEqual(bar.get_ylabel(), speed)
            ax = octant.plot.diagnostics(sim.run(steps=2), "mass")
            self.assertEqual((ax.get_ylabel(), ax.get_legend()), (mass, None))
            self.save(ax)

    def test_a_sweep_has_a_line_a_value_and_the_spread_of_seeds(self):
        vary = {"gravity.softening": [0.1, 0.2, 0.3], "models.0.plummer.n": [16, 24]}
        done = octant.sweep(SMALL, vary, seeds=3, until=0.05)
        ax = octant.plot.sweep(done, "gravity.softening", "energy", by="models.0.plummer.n")
        self.assertEqual(len(ax.lines), 2 * 3)  # each with two caps
        chosen = (done["gravity.softening"] == 0.2) & (done["models.0.plummer.n"] == 16)
        mean = done["energy"][chosen].mean()
        self.assertAlmostEqual(ax.containers[0].lines[0].get_ydata()[1], mean)
        self.save(ax)

    def test_wakes_have_the_pitch_of_the_stripes(self):
        omega, size = 1.3143527e-4, np.array([120.0, 180.0])
        random = np.random.default_rng(4)
        places = random.uniform(-0.5, 0.5, (60000, 3)) * [*size, 0]
        wave = 2 * np.pi * np.array([-2, 3]) / size  # leads at first, and shears into a wake
        chance = 0.5 * (1 + np.cos(places[:, :2] @ wave))
        places = places[random.random(len(places)) < chance][:20000]
        drift = np.zeros_like(places)
        drift[:, 1] = -1.5 * omega * places[:, 0]
        sim = octant.Simulation(
            position=places, velocity=drift, mass=1, radius=0.1, units="si", gravity="tree",
            box={"boundary": "shear", "size": [*size, 50], "omega": omega},
            integrator={"method": "sei", "dt": 1000}, output={"wake_scale": 10},
        )  # fmt: skip
        for steps in (0, 17):
            sim.step(steps)
            across = wave[0] + 1.5 * omega * sim.time * wave[1]
            exact = np.degrees(np.arctan(wave[1] / across))
            found = octant.plot.autocorrelation(sim)
            row = sim.measure()
            self.assertAlmostEqual(found.angle, exact, delta=0.1)  # measured 0.02
            self.assertAlmostEqual(found.angle, row.wake_angle, delta=0.02)  # measured 0.002
            self.assertAlmostEqual(found.amplitude, row.wake_amplitude, delta=0.01)  # seen: 0.004
            self.assertEqual(found.values[found.x == 0, found.y == 0], 1)
            # What is drawn varies as much, and by what chance adds.
            seen = np.hypot(row.wake_amplitude, row.wake_noise)
            self.assertAlmostEqual(found.density.std(), seen, delta=0.01)
        left, right = octant.plot.wakes(sim)
        self.assertIn(f"{found.angle:.1f}°", right.get_legend().get_texts()[0].get_text())
        self.save(left)
        file = self.folder / "sheet.hdf5"
        sim.snapshot(file)
        again = octant.plot.autocorrelation(octant.read(file), 10)
        self.assertAlmostEqual(again.angle, found.angle, 9)
        for wrong in (0, -1, 1000, np.nan):
            with self.assertRaisesRegex(octant.InputError, "is no resolution"):
                octant.plot.autocorrelation(sim, wrong)
        with self.assertRaisesRegex(octant.InputError, "with which resolution"):
            octant.plot.wakes(octant.read(file))
        with self.assertRaisesRegex(octant.InputError, "no box that shears"):
            octant.plot.wakes(self.small())

    def test_files_are_drawn_too(self):
        sim = octant.Simulation("saturn-ring", set={"box.size": [60, 60, 60]})
        sim.snapshot(self.folder / "a.hdf5")
        file = octant.read(self.folder / "a.hdf5")
        ax = octant.plot.bodies(file)
        self.assertEqual(ax.get_xlabel(), "x [m]")
        octant.plot.surface_density(file, bins=10)
        label = pyplot.gcf().axes[-1].get_ylabel()
        self.assertEqual(label, "surface density [kg m$^{-2}$]")
        self.save(ax)


if __name__ == "__main__":
    unittest.main()
