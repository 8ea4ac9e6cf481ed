"""Rings as a user runs them: what is measured, stopped and resumed, averaged, and bad input."""

import csv
import json
import math
import unittest

from octant_cli import OctantTest, needs

SCENE = """\
title: A small ring
seed: 3
box: {boundary: shear, size: [50 m, 40 m, 60 m], omega: 1.3143527e-4 /s}
models:
  - ring: {optical_depth: 0.5, density: 900, radius: {law: power, min: 1, max: 2}, spread: 1,
           dispersion: 2e-4}
gravity: {method: tree, theta: 0.5, softening: 0.1 m}
collisions: {method: tree, restitution: bridges, relax: 50}
integrator: {method: sei, dt: 2e-3 orbit}
run: {until: 0.3 orbit}
output: {diagnostics: 0.03 orbit, wake_scale: 6 m}
"""

MEASURED = {"dispersion": 3, "dispersion_mass": 3, "thickness": 1, "filling": 1, "tau": 1,
            "toomre_q": 1, "collisions": 1, "viscosity_local": 1, "viscosity_collisional": 1,
            "viscosity_gravity": 1, "viscosity_dissipation": 1, "overlap_mean": 1,
            "overlap_max": 1, "wake_angle": 1, "wake_amplitude": 1, "wake_noise": 1,
            "wake_error": 1, "wake_scale": 1, "orbits": 1, "viscosity": 1, "radius_mean": 1,
            "dispersion_scaled": 3, "rays": 1, "tau_normal": 1, "tau_normal_error": 1}
RATES = ["collisions", "viscosity_collisional", "viscosity_dissipation", "viscosity"]

# What is changed, and words of the sentence.
BAD = {
    "gravity.theta=0": ["gravity.theta", "above 0"],
    "gravity.theta=-0.5": ["gravity.theta", "above 0"],
    "collisions.restitution=1.5": ["collisions", "'1.5' is no law", "from 0 to 1"],
    "collisions.restitution=-0.1": ["collisions", "'-0.1' is no law", "from 0 to 1"],
    "collisions.restitution=nan": ["collisions", "'nan' is no law", "from 0 to 1"],
    "collisions.restitution=custom": ["restitution_file", "belong together"],
    "collisions.tangential=2": ["collisions.tangential", "out of range"],
    "collisions.minimum_speed=-1": ["collisions.minimum_speed", "not below 0"],
    "collisions.relax=-1": ["collisions.relax", "from 0"],
    "collisions.outcome=explode": ["collisions.outcome", "bounce", "merge"],
    "models.0.ring.radius={law: power, min: 0, max: 2}": ["radius.min is missing or 0"],
    "models.0.ring.radius=0": ["radius is missing or 0"],
    "box.size=[3, 40, 60]": ["box.size", "a side of 3", "diameter 4"],
    "box.ghosts=[99, 1, 0]": ["box.ghosts", "from 0 to 16"],
    "box.ghosts=[16, 16, 1]": ["3267 boxes", "1089 or fewer"],
    "box.omega=0": ["box.omega", "above 0"],
}


class RingTest(OctantTest):
    def setUp(self):
        super().setUp()
        self.ring = self.write("ring.yaml", SCENE)


class Ring(RingTest):
    def test_every_measurement_is_there(self):
        records = self.octant_lines("run", self.ring, "--out", "out")
        self.assertEqual([record["step"] for record in records], list(range(0, 151, 15)))
        for record in records:
            for name, count in MEASURED.items():
                values = record[name] if count == 3 else [record[name]]
                self.assertEqual(len(values), count)
                if record["step"] == 0 and name in RATES:
                    self.assertEqual(values, [None], name)
                elif name != "wake_angle":
                    self.assertTrue(all(math.isfinite(value) for value in values), name)
        first, last = records[0], records[-1]
        self.assertIsNone(first["wake_angle"])
        self.assertTrue(0 < last["wake_angle"] < 60)  # seen: 22
        self.assertGreater(last["wake_amplitude"], 0.3)  # seen: 0.72
        self.assertTrue(last["final"])
        for key in ["wall_s", "steps_per_s", "device", "precision", "state_hash", "momentum"]:
            self.assertIn(key, last)
        self.assertAlmostEqual(last["tau"], 0.5, delta=0.005)  # seen: 0.4995
        self.assertGreater(last["collisions"], 0)
        self.assertGreater(last["viscosity_dissipation"], 0)
        self.assertGreater(last["energy_lost"], 0)
        self.assertEqual(last["viscosity"], sum(last[f"viscosity_{part}"] for part in
                                                ("local", "collisional", "gravity")))
        self.assertAlmostEqual(last["orbits"], 0.3, delta=1e-12)
        self.assertAlmostEqual(last["radius_mean"], 4 / 3, delta=1e-3)  # n(r) ~ r^-3 from 1 to 2
        for scaled, plain in zip(last["dispersion_scaled"], last["dispersion"]):
            self.assertAlmostEqual(scaled * last["radius_mean"] * 1.3143527e-4 / plain, 1,
                                   delta=1e-12)

    def test_the_viscosity_without_gravity(self):
        last = self.octant_lines("run", self.ring, "--set", "gravity={method: none}", "--out",
                                 "none", "--until", "0.1 orbit")[-1]
        self.assertNotIn("viscosity_gravity", last)
        self.assertEqual(last["viscosity"],
                         last["viscosity_local"] + last["viscosity_collisional"])

    def test_units_stand_below_the_names(self):
        self.octant("run", self.ring, "--out", "out", "--steps", 1, "--quiet")
        units = self.units("out/diagnostics.csv")
        for name, unit in {"step": "1", "time": "s", "orbits": "orbit", "dispersion_x": "m/s",
                           "viscosity": "m^2/s", "wake_angle": "deg", "wake_scale": "m",
                           "wake_amplitude": "1", "angular_momentum_z": "kg m^2/s"}.items():
            self.assertEqual(units[name], unit, name)
        for name in units:
            self.assertRegex(name, "^[a-z_]+$")

    def test_times_are_told_in_orbits(self):
        text = self.octant("run", self.ring, "--out", "out").stdout
        self.assertIn("time 14341.3 (0.3 orbits), in ", text)
        self.assertRegex(text, r"step 15/150  time 1434.13 \(0\.03 orbits\)  ")
        page = (self.folder / "out/report.html").read_text(encoding="utf-8")
        self.assertRegex(page, r"<td>14341\.\d+ s \(0\.3 orbit\)</td>")
        self.assertIn("time [orbit]", page)
        self.assertNotIn("<h2>orbits</h2>", page)

    def test_what_relaxing_did_is_told(self):
        done = self.octant("run", self.ring, "--set", "collisions.relax=200", "--out", "out",
                           "--json", "--steps", 5)
        records = [json.loads(line) for line in done.stdout.splitlines()]
        relaxed = records[-1]["relaxed"]
        self.assertEqual(set(relaxed), {"sweeps", "moved", "move_mean", "move_max", "pairs",
                                        "pairs_left", "overlap_max", "overlap_max_left",
                                        "thickness", "thickness_left"})
        n = records[0]["n"]
        self.assertTrue(0 < relaxed["moved"] <= n)
        self.assertEqual(relaxed["pairs_left"], 0)
        self.assertAlmostEqual(relaxed["thickness_left"], records[0]["thickness"], places=12)
        sentence = f"relax moved {relaxed['moved']:.0f} of {n} bodies before"
        self.assertIn(f"octant: note: {sentence}", done.stderr)
        self.assertIn(sentence, (self.folder / "out" / "report.html").read_text())
        resumed = self.octant("run", "--resume", "--out", "out", "--json")
        self.assertNotIn("relax moved", resumed.stderr)
        self.assertEqual(json.loads(resumed.stdout.splitlines()[-1])["relaxed"], relaxed)
        self.assertIn(sentence, (self.folder / "out" / "report.html").read_text())

    @needs("hdf5")
    def test_spins_are_in_the_files(self):
        self.octant("run", self.ring, "--set", "collisions.tangential=0.5", "--set",
                    "output.snapshot=0.3 orbit", "--out", "rough", "--quiet")
        first, last = "snapshot_0000.hdf5", "snapshot_0001.hdf5"
        for name in [first, last]:
            self.octant("convert", f"rough/{name}", "bodies.csv")
            with open(self.folder / "bodies.csv") as file:
                rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
            spins = [[float(row[f"w{axis}"]) for axis in "xyz"] for row in rows]
            found = self.octant_json("info", f"rough/{name}")
            for k in range(3):
                mean = sum(spin[k] for spin in spins) / len(spins)
                self.assertAlmostEqual(found["spin"][k], mean, delta=1e-12 * found["spin_max"])
            fastest = max(math.hypot(*spin) for spin in spins)
            self.assertAlmostEqual(found["spin_max"], fastest, delta=1e-12 * fastest)
            self.assertEqual(fastest > 0, name == last)
        # Back again, through CSV, to the same bits.
        self.octant("convert", "bodies.csv", "again.hdf5", "--units", "si")
        self.octant("convert", "again.hdf5", "again.csv")
        self.assertEqual((self.folder / "again.csv").read_text().splitlines()[1:],
                         (self.folder / "bodies.csv").read_text().splitlines()[1:])

    def rows(self, folder):
        return self.table(f"{folder}/diagnostics.csv")

    def test_a_resumed_run_leaves_the_same_files(self):
        for contact in ["minimum_speed=1e-3", "outcome=merge", "tangential=0.5"]:
            run = ["run", self.ring, "--set", f"collisions.{contact}", "--out"]
            whole, stopped = f"{contact}-whole", f"{contact}-stopped"
            straight = self.octant_lines(*run, whole)
            self.octant(*run, stopped, "--steps", 67, "--quiet")
            resumed = self.octant_lines("run", "--resume", "--out", stopped)
            with self.subTest(contact):
                self.assertEqual(straight[-1]["state_hash"], resumed[-1]["state_hash"])
                self.assertEqual(len(self.rows(whole)), 11)
                self.assert_same_files(whole, stopped,
                                       ["diagnostics.csv", "impacts.csv", "report.html"])

    def test_means_over_a_window(self):
        self.octant("run", self.ring, "--out", "plain", "--quiet")
        last = self.octant_lines("run", self.ring, "--out", "mean", "--average", "0.15 orbit")[-1]
        window = self.rows("plain")[-5:]
        for name in ["thickness", "collisions", "viscosity_gravity"]:
            mean = sum(row[name] for row in window) / 5
            self.assertAlmostEqual(last[name] / mean, 1, delta=1e-12)  # seen: 2e-16
        squares = sum(row["dispersion_x"] ** 2 for row in window) / 5
        self.assertAlmostEqual(last["dispersion"][0] / math.sqrt(squares), 1, delta=1e-12)
        self.assert_same_files("plain", "mean", ["diagnostics.csv"])


class Check(RingTest):
    def check(self, *changes):
        arguments = [word for change in changes for word in ("--set", change)]
        return self.octant_json("check", self.ring, *arguments)

    def test_what_was_chosen_is_said(self):
        said = self.check("models.0.ring.spread=0")
        self.assertEqual((said["notes"], said["problems"]),
                         (["ring: heights are spread by 1.33333 m, the mean radius (no spread "
                           "given)"], []))
        text = self.octant("check", self.ring, "--set", "models.0.ring.spread=0").stdout
        self.assertIn("note         ring: heights are spread by 1.33333 m", text)
        self.assertIn("steps        150 of 95.6088, until 14341.3 (0.3 orbits)\n", text)
        said = self.check()
        self.assertEqual((said["notes"], said["problems"]), ([], []))

    def test_what_is_hardly_meant_is_said(self):
        direct = "gravity={method: direct, softening: 0.1 m}"
        self.assertEqual(self.check(direct)["problems"], [])
        problems = self.check(direct, "box.size=[600 m, 600 m, 60 m]")["problems"]
        self.assertEqual(len(problems), 1)
        self.assertIn("direct sums", problems[0])
        self.assertIn("bodies in 9 boxes", problems[0])
        problems = self.check("gravity.softening=0", "collisions={method: none}")["problems"]
        self.assertEqual(len(problems), 1)
        self.assertIn("without softening", problems[0])

    def test_a_ring_becomes_thick_by_itself(self):
        fields = ["models.0.ring.spread=0", "models.0.ring.dispersion=0"]
        run = ["run", self.ring, "--out", "none"]
        for more, thick in [([], True), (["models.0.ring.flat=true"], False)]:
            sets = [word for field in fields + more for word in ("--set", field)]
            last = self.octant_lines(*run, *sets)[-1]
            self.assertEqual(last["thickness"] > 0.5, thick, last["thickness"])  # seen: 1.4, 0


class BadRing(RingTest):
    def test_bad_values(self):
        before = self.listing(".")
        for assignment, words in BAD.items():
            for command in ["check", "run"]:
                with self.subTest(assignment, command=command):
                    line = self.refused(command, self.ring, "--set", assignment)
                    for word in words:
                        self.assertIn(word, line)
                    self.assertEqual(self.listing("."), before)

    def law(self, name, body):
        self.write(name, "real octant_restitution(real speed, real radius_a, real radius_b)\n"
                         f"{{\n    {body}\n}}\n")
        return ["run", self.ring, "--set", "collisions.restitution=custom", "--set",
                f"collisions.restitution_file={name}", "--set", "collisions.relax=0", "--out",
                "out", "--quiet"]

    @needs("hdf5")
    def test_a_law_that_is_no_law(self):
        for name, value in {"nan": "NAN", "above": "(real)1.01", "below": "(real)-0.01"}.items():
            with self.subTest(name):
                line = self.refused(*self.law(f"{name}.cl", f"return {value};"), "--force",
                                    status=1)
                self.assertIn(f"{name}.cl' returned no number from 0 to 1", line)
                self.assertRegex(line, r"particle \d+")

    def test_a_law_that_does_not_compile(self):
        done = self.octant(*self.law("broken.cl", "return speeed;"), status=2)
        self.assertIn("broken.cl' is not valid OpenCL C", done.stderr)
        self.assertFalse((self.folder / "out").exists())


if __name__ == "__main__":
    unittest.main()
