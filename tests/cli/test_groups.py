"""octant groups: groups of a file, against plain Python, and their catalogue."""

import csv
import math
import random
import unittest

from octant_cli import OctantTest, needs

LINK, SIDE = 0.11, 1.0


def image(d, side):
    return d - side * round(d / side) if side else d


def friends(places, link, side):
    """Groups of indices by all pairs, the largest first."""
    parent = list(range(len(places)))

    def first(i):
        while parent[i] != i:
            i = parent[i]
        return i

    for i, a in enumerate(places):
        for j, b in enumerate(places[:i]):
            if math.dist([image(x - y, side) for x, y in zip(a, b)], (0, 0, 0)) <= link:
                low, high = sorted((first(i), first(j)))
                parent[high] = low
    groups = {}
    for i in range(len(places)):
        groups.setdefault(first(i), []).append(i)
    return sorted(groups.values(), key=lambda g: (-len(g), g[0]))


class GroupsTest(OctantTest):

    def setUp(self):
        super().setUp()
        chance = random.Random(4)
        self.rows = [(100 + i, chance.uniform(0.5, 2), *(chance.uniform(-0.5, 0.5)
                      for _ in range(3)), *(chance.gauss(0, 1) for _ in range(3)))
                     for i in range(400)]
        self.write("in.csv", "id,mass,x,y,z,vx,vy,vz\n" +
                   "".join(",".join(map(repr, row)) + "\n" for row in self.rows))

    def expected(self, members, side):
        rows = [self.rows[i] for i in members]
        mass = sum(r[1] for r in rows)
        away = [[image(r[2 + k] - rows[0][2 + k], side) for k in range(3)] for r in rows]
        mean = [sum(r[1] * a[k] for r, a in zip(rows, away)) / mass for k in range(3)]
        drift = [sum(r[1] * r[5 + k] for r in rows) / mass for k in range(3)]
        x = [[a[k] - mean[k] for k in range(3)] for a in away]
        v = [[r[5 + k] - drift[k] for k in range(3)] for r in rows]
        spin = [sum(r[1] * (a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3])
                    for r, a, b in zip(rows, x, v)) for k in range(3)]
        within, half = 0, None
        for distance, m in sorted((math.hypot(*a), r[1]) for r, a in zip(rows, x)):
            within += m
            if half is None and within >= mass / 2:
                half = distance
        return {"n": len(rows), "mass": mass, "velocity": drift, "half_radius": half,
                "position": [rows[0][2 + k] + mean[k] for k in range(3)],
                "radius": max(math.hypot(*a) for a in x), "angular_momentum": spin,
                "dispersion": math.sqrt(sum(r[1] * math.hypot(*b)**2
                                            for r, b in zip(rows, v)) / mass / 3),
                "heaviest": max(rows, key=lambda r: r[1])[0]}

    def compare(self, found, side):
        wanted = [g for g in friends([r[2:5] for r in self.rows], LINK, side) if len(g) >= 3]
        self.assertGreater(len(wanted), 5)
        self.assertEqual(len(found["groups"]), len(wanted))
        for group, members in zip(found["groups"], wanted):
            for name, value in self.expected(members, side).items():
                pairs = zip(group[name], value) if isinstance(value, list) else [(group[name],
                                                                                  value)]
                for one, other in pairs:
                    difference = one - other
                    if name == "position":
                        difference = image(difference, side)
                    # Measured: at most 1.6e-14, of an angular momentum.
                    self.assertLess(abs(difference), 1e-12, (name, members))
        return wanted

    def test_groups_are_those_of_all_pairs(self):
        found = self.octant_json("groups", "in.csv", "--length", str(LINK), "--least", "3")
        self.assertEqual((found["n"], found["link"], found["separation"]), (400, LINK, None))
        self.compare(found, 0)

    @needs("hdf5")
    def test_groups_reach_through_the_faces_of_a_box(self):
        self.write("box.yaml", "units: nbody\nbox: {boundary: periodic, size: [1, 1, 1]}\n"
                   "models: [file: {path: in.csv}]\ngravity: {method: none}\n"
                   "integrator: {dt: 1e-16}\nrun: {until: 1e-15}\n")
        self.octant("run", "box.yaml", "--steps", "1", "--out", "run")
        separation = (SIDE**3 / 400)**(1 / 3)
        found = self.octant_json("groups", "run/snapshot_0000.hdf5", "--linking",
                                 repr(LINK / separation), "--least", "3")
        self.assertAlmostEqual(found["separation"], separation, delta=1e-15)
        self.assertAlmostEqual(found["link"], LINK, delta=1e-15)
        wanted = self.compare(found, SIDE)
        alone = [g for g in friends([r[2:5] for r in self.rows], LINK, 0) if len(g) >= 3]
        self.assertNotEqual(wanted, alone)

    def test_a_catalogue_and_the_groups_of_bodies(self):
        self.octant("groups", "in.csv", "--length", str(LINK), "--least", "3", "--out", "cat.csv",
                    "--bodies", "with.csv")
        wanted = [g for g in friends([r[2:5] for r in self.rows], LINK, 0) if len(g) >= 3]
        self.assertEqual(self.units("cat.csv")["angular_momentum_x"], "mass length^2/time")
        table = self.table("cat.csv")
        self.assertEqual([(row["group"], row["n"]) for row in table],
                         [(i + 1, len(g)) for i, g in enumerate(wanted)])
        number = {i: k + 1 for k, g in enumerate(wanted) for i in g}
        with open(self.folder / "with.csv") as file:
            rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
        self.assertEqual([int(row["group"]) for row in rows],
                         [number.get(i, 0) for i in range(400)])

    @needs("hdf5")
    def test_a_catalogue_in_hdf5(self):
        try:
            import h5py
        except ImportError as error:
            self.skipTest(f"h5py is not installed ({error})")
        self.octant("groups", "in.csv", "--length", "50 pc", "--from", "pc, Msun, km/s", "--least",
                    "1", "--out", "cat.hdf5")
        with h5py.File(self.folder / "cat.hdf5") as file:
            self.assertEqual(list(file["Header"].attrs["Ngroups_Total"]), [1])
            self.assertEqual(list(file["Group/GroupLen"]), [400])
            self.assertAlmostEqual(file["Units"].attrs["UnitLength_in_cm"] / 3.0856775814913673e18,
                                   1, delta=1e-14)
            self.assertAlmostEqual(file["Group/GroupMass"][0], sum(r[1] for r in self.rows))

    def test_most_bound_by_the_potentials_of_a_snapshot(self):
        self.octant("run", "small.yaml", "--steps", "3", "--out", "run")
        found = self.octant_json("groups", "run/snapshot_0000.hdf5", "--length", "100")
        bodies = []
        self.octant("convert", "run/snapshot_0000.hdf5", "all.csv")
        with open(self.folder / "all.csv") as file:
            for row in csv.DictReader(line for line in file if not line.startswith("#")):
                bodies.append([float(row[k]) for k in ("id", "mass", "x", "y", "z", "vx", "vy",
                                                        "vz")])
        drift = [sum(b[1] * b[5 + k] for b in bodies) / sum(b[1] for b in bodies)
                 for k in range(3)]
        energy = lambda b: (sum((b[5 + k] - drift[k])**2 for k in range(3)) / 2 - sum(
            o[1] / math.sqrt(math.dist(b[2:5], o[2:5])**2 + 0.05**2) for o in bodies if o is not b))
        self.assertEqual(len(found["groups"]), 1)
        self.assertEqual(found["groups"][0]["most_bound"], min(bodies, key=energy)[0])

    def test_what_is_refused(self):
        self.assertIn("no mean separation", self.refused("groups", "in.csv"))
        self.assertIn("expected one", self.refused("groups", "in.csv", "--length", "1",
                                                   "--linking", "0.1"))
        for option in ("--linking=0", "--least=0", "--linking=-1"):
            self.assertIn("above 0", self.refused("groups", "in.csv", option))
        self.assertIn("length above 0", self.refused("groups", "in.csv", "--length=-1"))
        self.assertIn("side of 0", self.refused("groups", "in.csv", "--periodic"))
        self.assertIn(".csv", self.refused("groups", "in.csv", "--length=1", "--out", "cat.txt"))
        self.assertIn("no place for a column", self.refused("groups", "in.csv", "--length=1",
                                                            "--bodies", "with.tipsy"))


if __name__ == "__main__":
    unittest.main()
