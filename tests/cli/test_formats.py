"""Files of other codes: Tipsy, GADGET's and NEMO's, made here byte by byte and by code of others,
and what others read of ours."""

import itertools
import os
import struct
import unittest
import warnings

from octant_cli import OctantTest, needs

try:
    import h5py
    import numpy as np
    import pynbody
    import yt
    yt.set_log_level(50)
    MISSING = None
except ImportError as error:
    MISSING = str(error)
    if os.environ.get("CI") or os.environ.get("OCTANT_REQUIRE_READERS"):
        raise
try:
    # The library that AGAMA writes GADGET's files with.
    import unsio.output as unsio
    NO_UNSIO = None
except ImportError as error:
    NO_UNSIO = str(error)

# mass, position, velocity: numbers that are floats, so that no format rounds them.
BODIES = [(0.5, (1.25, -2.5, 3.0), (0.125, 0.25, -0.5)), (1.5, (-4.0, 5.5, 6.25), (1, 2, 3)),
          (2.0, (7, 8, -9), (-0.75, 0, 4)), (3.0, (0.0625, 100, 1e10), (2.0**-34, 5, 6))]
KPC, SUNS, KMS = 3.0856775814913673e21, 1.988409870698051e43, 1e5


def tipsy(order, gas, dark, star, header=32, position="f", velocity="f", time=2.5):
    """A Tipsy file; tform of stars is -1 where the record has a mass of 3."""
    data = struct.pack(order + "d5i", time, len(gas) + len(dark) + len(star), 3, len(gas),
                       len(dark), len(star)) + bytes(header - 28)
    for bodies, kind in ((gas, 0), (dark, 1), (star, 2)):
        for mass, x, v in bodies:
            tail = [(7, 7, 7, 7, 9), (8, 9), (7, -1 if mass == 3 else 0, 8, 9)][kind]
            data += struct.pack(f"{order}f3{position}3{velocity}{len(tail)}f", mass, *x, *v, *tail)
    return data


def gadget(order, version, bodies, table=(0,) * 6, real="f", ids="I", **header):
    """A binary file of GADGET's of bodies by type; `table` has masses of types, or 0."""
    head = {"time": 0.75, "redshift": 0, "files": 1, "box": 10, "h": 0.7, "extra": b""} | header
    counts = [len(bodies.get(t, ())) for t in range(6)]
    flat = [(t, *b) for t in range(6) for b in bodies.get(t, ())]
    numbers = lambda form, values: struct.pack(f"{order}{len(values)}{form}", *values)
    blocks = [("HEAD", (numbers("i", counts) + numbers("d", table) +
                        numbers("d", [head["time"], head["redshift"]]) + numbers("i", [0, 0]) +
                        numbers("I", counts) + numbers("i", [0, head["files"]]) +
                        numbers("d", [head["box"], 0.3, 0.7, head["h"]])).ljust(256, b"\0")),
              ("POS ", numbers(real, [c for b in flat for c in b[2]])),
              ("VEL ", numbers(real, [c for b in flat for c in b[3]])),
              ("ID  ", numbers(ids, [10 + 3 * i for i in range(len(flat))]))]
    own = [b[1] for b in flat if table[b[0]] == 0]
    if own:
        blocks.append(("MASS", numbers(real, own)))
    blocks.append(("U   ", b"12345678"))
    data = b""
    for label, block in blocks:
        if version == 2:
            data += (numbers("I", [8]) + label.encode() + numbers("I", [len(block) + 8]) +
                     numbers("I", [8]))
        data += numbers("I", [len(block)]) + block + numbers("I", [len(block)])
    return data


def nemo(order, bodies, real="f", phase=True, more=b"", coordinates=0x10302):
    """A file of NEMO's with a history, as its own programs write one; `more` is in Particles."""
    def item(kind, tag, values=(), sides=()):
        magic = struct.pack(order + "H", 0x0b92 if sides else 0x0992)
        return (magic + kind.encode() + b"\0" + (tag.encode() + b"\0" if kind != ")" else b"") +
                (struct.pack(f"{order}{len(sides) + 1}i", *sides, 0) if sides else b"") +
                struct.pack(f"{order}{len(values)}{kind if kind in 'ifd' else 'b'}", *values))
    sets = lambda tag, *items: item("(", tag) + b"".join(items) + item(")", "")
    n = len(bodies)
    if phase:
        places = item(real, "PhaseSpace", [c for _, x, v in bodies for c in (*x, *v)], (n, 2, 3))
    else:
        places = (item(real, "Position", [c for b in bodies for c in b[1]], (n, 3)) +
                  item(real, "Velocity", [c for b in bodies for c in b[2]], (n, 3)))
    return (item("c", "History", b"mkplummer\0", (10,)) +
            sets("SnapShot", sets("Parameters", item("i", "Nobj", (n,)), item("d", "Time", (2.5,))),
                 sets("Particles", item("i", "CoordSystem", (coordinates,)),
                      item(real, "Mass", [b[0] for b in bodies], (n,)), places,
                      item("i", "Key", range(n), (n,)), more),
                 sets("Diagnostics", item("d", "Energy", (1, 2, 3), (3,)))))


class FilesTest(OctantTest):

    def read(self, name, *options):
        """The bodies of a file, by way of CSV: (id, type, mass, position, velocity)."""
        self.octant("convert", name, "out.csv", *options)
        lines = [line for line in (self.folder / "out.csv").read_text().splitlines()
                 if not line.startswith("#")]
        names = lines[0].split(",")
        rows = [dict(zip(names, line.split(","))) for line in lines[1:]]
        return [(int(r["id"]), int(r.get("type", 1)), float(r["mass"]),
                 tuple(float(r[k]) for k in "xyz"), tuple(float(r["v" + k]) for k in "xyz"))
                for r in rows]

    def put(self, name, data):
        (self.folder / name).write_bytes(data)


class FormatsTest(FilesTest):

    def test_tipsy_in_every_order_and_precision(self):
        a, b, c, d = BODIES
        expected = [(1, 1, *b), (2, 1, *a), (3, 4, *c), (4, 5, *d)]
        for order, header, (x, v) in itertools.product("<>", (28, 32), ("ff", "df", "dd")):
            with self.subTest(order=order, header=header, x=x, v=v):
                self.put("in.bin", tipsy(order, [b], [a], [c, d], header, x, v))
                self.assertEqual(self.read("in.bin"), expected)
                found = self.octant_json("info", "in.bin")
                self.assertEqual((found["kind"], found["time"]),
                                 ("tipsy" if order == ">" else "tipsy-native", 2.5))

    def test_gadget_binary_in_every_order_and_precision(self):
        a, b, c, d = BODIES
        bodies = {0: [b], 1: [a, c], 4: [d]}
        for order, version, real, ids in itertools.product("<>", (1, 2), "fd", "IQ"):
            with self.subTest(order=order, version=version, real=real, ids=ids):
                self.put("in.bin", gadget(order, version, bodies, (0, 0.25, 0, 0, 0, 0), real, ids))
                self.assertEqual(self.read("in.bin"), [
                    (10, 1, *b), (13, 1, 0.25, *a[1:]), (16, 1, 0.25, *c[1:]), (19, 4, *d)])
                found = self.octant_json("info", "in.bin")
                self.assertEqual((found["kind"], found["time"], found["box"]),
                                 ("gadget-binary", 0.75, [10, 10, 10]))

    def test_gadget_without_a_block_of_masses(self):
        self.put("in.bin", gadget("<", 1, {2: BODIES[:2], 5: BODIES[2:]}, (0, 0, 4, 0, 0, 8)))
        self.assertEqual([b[1:3] for b in self.read("in.bin")], [(2, 4), (2, 4), (5, 8), (5, 8)])

    def test_units_are_those_that_are_named(self):
        self.put("in.bin", tipsy(">", [], BODIES[:1], []))
        body = self.read("in.bin", "--from", "galactic", "--units", "si")[0]
        # Rounding: a product of four factors or fewer.
        for found, expected in zip((body[2], *body[3], *body[4]),
                                   (0.5 * SUNS / 1e3, *(x * KPC / 100 for x in BODIES[0][1]),
                                    *(v * KMS / 100 for v in BODIES[0][2]))):
            self.assertAlmostEqual(found / expected, 1, delta=1e-14)
        scene = "units: galactic\nmodels: [file: {path: in.bin%s}]\nrun: {until: 1}\n"
        self.write("kpc.yaml", scene % "" + "integrator: {dt: 1}\ngravity: {softening: 1}\n")
        self.assertEqual(self.octant_json("check", "kpc.yaml")["n"], 1)
        self.assertIn("the file does not say that its units are", self.octant(
            "convert", "in.bin", "out.tipsy", "--from", "galactic").stdout)

    def test_nemo_in_every_order_and_precision(self):
        expected = [(i + 1, 1, *body) for i, body in enumerate(BODIES)]
        for order, real, phase in itertools.product("<>", "fd", (True, False)):
            with self.subTest(order=order, real=real, phase=phase):
                self.put("in.snap", nemo(order, BODIES, real, phase))
                self.assertEqual(self.read("in.snap"), expected)
                found = self.octant_json("info", "in.snap")
                self.assertEqual((found["kind"], found["time"]), ("nemo", 2.5))

    def test_what_of_nemo_is_refused(self):
        whole, empty = nemo("<", BODIES), struct.pack("<H", 0x0992)
        for word, data in (
                ("several snapshots", 2 * whole), ("not Cartesian", nemo("<", BODIES, "f", True,
                                                                         b"", 0x10402)),
                ("neither PhaseSpace", whole.replace(b"PhaseSpace", b"PhaseSpice")),
                ("no Mass", whole.replace(b"Mass", b"Moss")),
                ("3 bodies need 3", whole.replace(b"Nobj\0\4", b"Nobj\0\3")),
                ("without a SnapShot", whole.replace(b"SnapShot", b"Snapshot")),
                ("no item", whole + empty + b"q\0tag\0"),
                ("of type 'i'", whole.replace(b"f\0Mass", b"i\0Mass")),
                ("ends twice", whole + empty + b")\0"),
                ("sets within more", whole + 9 * (empty + b"(\0a\0"))):
            with self.subTest(word):
                self.put("bad.snap", data)
                self.assertIn(word, self.refused("convert", "bad.snap", "out.csv"))
                self.assertFalse((self.folder / "out.csv").exists())

    def test_what_is_cut_off_or_damaged_is_refused(self):
        whole = {"nemo": nemo("<", BODIES), "swapped": nemo(">", BODIES),
                 "tipsy": tipsy(">", BODIES[:1], BODIES[1:2], BODIES[2:]),
                 "gadget": gadget("<", 1, {1: BODIES}), "labelled": gadget(">", 2, {1: BODIES})}
        for name, data in whole.items():
            for length in (1, 27, 100, len(data) // 2, len(data) - 1):
                with self.subTest(name, length=length):
                    self.put("cut.bin", data[:length])
                    self.refused("convert", "cut.bin", "out.csv")
                    self.assertFalse((self.folder / "out.csv").exists())
        self.put("long.bin", whole["tipsy"] + b"\0")
        self.assertIn("cut off or damaged", self.refused("info", "long.bin"))
        data = bytearray(whole["gadget"])
        data[264 + 4 + 48] ^= 1  # the mark behind the positions
        self.put("mark.bin", data)
        self.assertIn("48 bytes where it begins and 49", self.refused("info", "mark.bin"))

    def test_headers_that_claim_too_much(self):
        self.put("a.bin", struct.pack(">d6i", 0, 2**31 - 1, 3, 0, 2**31 - 1, 0, 0))
        self.assertIn("77309411324 bytes", self.refused("info", "a.bin"))
        data = bytearray(gadget("<", 1, {1: BODIES}))
        data[4 + 4:4 + 8] = struct.pack("<I", 2**32 - 1)
        self.put("b.bin", data)
        self.assertIn("block POS", self.refused("info", "b.bin"))
        self.put("c.bin", gadget("<", 1, {1: BODIES}, files=2))
        self.assertIn("one of 2 files", self.refused("info", "c.bin"))
        self.put("d.bin", gadget("<", 1, {1: BODIES}, time=0.25, redshift=3))
        self.assertIn("cosmological run at redshift 3", self.refused("info", "d.bin"))
        self.put("e.bin", gadget("<", 1, {1: BODIES}, (0, float("nan"), 0, 0, 0, 0)))
        self.assertIn("mass of type 1", self.refused("info", "e.bin"))

    def test_tipsy_there_and_back(self):
        self.put("in.bin", tipsy("<", [], BODIES[:2], BODIES[2:]))
        self.octant("convert", "in.bin", "standard.tipsy")
        self.octant("convert", "standard.tipsy", "native", "--to", "tipsy-native")
        expected = [(1, 1, *BODIES[0]), (2, 1, *BODIES[1]), (3, 4, *BODIES[2]), (4, 5, *BODIES[3])]
        self.assertEqual(self.read("standard.tipsy"), expected)
        self.assertEqual(self.read("native"), expected)
        self.assertEqual(self.octant_json("info", "native")["time"], 2.5)
        # Metals are not kept; all else is as it came, softenings and potentials too.
        strip = lambda data: ([struct.unpack("<9f", data[k:k + 36]) for k in (32, 68)] +
                              [struct.unpack("<7f4x3f", data[k:k + 44]) for k in (104, 148)])
        self.assertEqual(strip((self.folder / "native").read_bytes()),
                         strip((self.folder / "in.bin").read_bytes()))

    def test_numbers_beyond_floats_are_not_written(self):
        for numbers in ("1e40,0,0,0,0,0,0", "1e-40,0,0,0,0,0,0", "1,0,0,1e39,0,0,0"):
            self.write("in.csv", f"mass,x,y,z,vx,vy,vz\n{numbers}\n")
            self.assertIn("floats", self.refused("convert", "in.csv", "out.tipsy"))
            self.assertFalse((self.folder / "out.tipsy").exists())

    def test_kinds_that_are_not_written(self):
        self.assertIn("expected one of csv, gadget,",
                      self.refused("convert", "small.yaml", "out.csv", "--to", "checkpoint"))
        self.assertIn(".csv, .hdf5, .h5, .tipsy", self.refused("convert", "small.yaml", "out"))


@unittest.skipIf(MISSING, f"the readers are not installed ({MISSING})")
class OthersTest(FilesTest):

    def setUp(self):
        super().setUp()
        warnings.simplefilter("ignore")
        self.put("in.bin", tipsy(">", [], BODIES[:2], BODIES[2:]))

    def bodies(self):
        return (np.array([b[0] for b in BODIES]), np.array([b[1] for b in BODIES]),
                np.array([b[2] for b in BODIES]))

    def test_pynbody_reads_our_tipsy(self):
        mass, x, v = self.bodies()
        for kind in ("tipsy", "tipsy-native"):
            self.octant("convert", "in.bin", kind, "--to", kind)
            data = pynbody.load(str(self.folder / kind))
            self.assertEqual((len(data.gas), len(data.dm), len(data.star)), (0, 2, 2))
            np.testing.assert_array_equal(data["mass"], mass.astype("f"))
            np.testing.assert_array_equal(data["pos"], x.astype("f"))
            np.testing.assert_array_equal(data["vel"], v.astype("f"))
            self.assertEqual(list(data.star["tform"]), [0, -1])

    def written_by_pynbody(self, kind, name):
        mass, x, v = self.bodies()
        snap = pynbody.new(dm=2, star=2, order="dm,star")
        snap["mass"], snap["pos"], snap["vel"] = mass, x, v
        snap["eps"], snap["phi"] = 0.5, -1.0
        snap.star["tform"], snap.star["metals"] = 0, 0
        snap.properties.update(a=1.0, time=0.0, h=1.0, z=0.0, omegaM0=0, omegaL0=0, boxsize=0)
        snap.write(fmt=kind, filename=str(self.folder / name))

    def test_what_pynbody_writes_is_read(self):
        self.written_by_pynbody(pynbody.snapshot.tipsy.TipsySnap, "theirs.tipsy")
        expected = [(1, 1, *BODIES[0]), (2, 1, *BODIES[1]), (3, 4, *BODIES[2]), (4, 4, *BODIES[3])]
        self.assertEqual(self.read("theirs.tipsy"), expected)

    @unittest.skipIf(NO_UNSIO, f"UNSIO, AGAMA's writer of files, is not installed ({NO_UNSIO})")
    def test_what_unsio_writes_is_read(self):
        mass, x, v = (column.astype("f") for column in self.bodies())
        for kind in ("gadget1", "gadget2", "gadget3"):
            with self.subTest(kind):
                out = unsio.CUNS_OUT(str(self.folder / kind), kind, float32=True)
                ids = np.arange(20, 24, dtype="i")
                for name, column in (("pos", x), ("vel", v), ("mass", mass), ("id", ids)):
                    out.setData(column.ravel(), "halo", name)
                out.setData(1.5, "time")
                out.save()
                out.close()
                expected = [(20 + i, 1, *[tuple(map(float, np.atleast_1d(c).astype("f")))
                                          if np.ndim(c) else c for c in body])
                            for i, body in enumerate(BODIES)]
                self.assertEqual(self.read(kind), expected)
                self.assertEqual(self.octant_json("info", kind)["time"], 1.5)

    @unittest.skipIf(NO_UNSIO, f"UNSIO is not installed ({NO_UNSIO})")
    def test_what_unsio_writes_for_nemo_is_read(self):
        mass, x, v = (column.astype("f") for column in self.bodies())
        out = unsio.CUNS_OUT(str(self.folder / "in.snap"), "nemo", float32=True)
        for name, column in (("pos", x), ("vel", v), ("mass", mass)):
            out.setData(column.ravel(), "all", name)
        out.setData(1.5, "time")
        out.save()
        out.close()
        expected = [(i + 1, 1, float(mass[i]), tuple(map(float, x[i])), tuple(map(float, v[i])))
                    for i in range(len(BODIES))]
        self.assertEqual(self.read("in.snap"), expected)
        self.assertEqual(self.octant_json("info", "in.snap")["time"], 1.5)

    @needs("hdf5")
    def test_readers_of_our_gadget_files(self):
        mass, x, v = self.bodies()
        x[3, 2] = 20
        rows = "".join(f"{7 + i},{t},{m},{','.join(map(str, (*a, *b)))}\n"
                       for i, (t, m, a, b) in enumerate(zip((1, 1, 4, 5), mass, x, v)))
        self.write("in.csv", "# units: galactic\nid,type,mass,x,y,z,vx,vy,vz\n" + rows)
        self.octant("convert", "in.csv", "out.hdf5", "--to", "gadget")
        path = str(self.folder / "out.hdf5")
        with h5py.File(path) as file:
            self.assertEqual(list(file["Header"].attrs["NumPart_ThisFile"]), [0, 2, 0, 0, 1, 1])
            self.assertEqual(file["Header"].attrs["NumPart_ThisFile"].dtype, np.uint32)
            self.assertEqual(file["Header"].attrs["BoxSize"], 0)
            self.assertEqual(file.userblock_size, 0)
            np.testing.assert_array_equal(file["PartType1/Coordinates"], x[:2])
            np.testing.assert_array_equal(file["PartType5/ParticleIDs"], [10])
            self.assertAlmostEqual(file["Units"].attrs["UnitLength_in_cm"] / KPC, 1, delta=1e-14)
            self.assertAlmostEqual(file["Units"].attrs["UnitMass_in_g"] / SUNS, 1, delta=1e-14)
        data = pynbody.load(path)
        self.assertEqual(type(data).__name__, "GadgetHDFSnap")
        np.testing.assert_allclose(data.dm["pos"].in_units("cm"), x[:2] * KPC, rtol=1e-14)
        np.testing.assert_allclose(data.dm["mass"].in_units("g"), mass[:2] * SUNS, rtol=1e-14)
        np.testing.assert_allclose(data.star["vel"].in_units("km s**-1"), v[2:3], rtol=1e-14)
        # yt takes the units from the caller, and the box where the file has none.
        sphere = yt.load(path, bounding_box=[[-200, 200]] * 3, unit_base={
            "UnitLength_in_cm": KPC, "UnitMass_in_g": SUNS, "UnitVelocity_in_cm_per_s": KMS}
        ).all_data()
        for kind, part in ((1, slice(0, 2)), (4, slice(2, 3)), (5, slice(3, 4))):
            name = f"PartType{kind}"
            np.testing.assert_allclose(sphere[name, "particle_position"].to("cm").value,
                                       x[part] * KPC, rtol=1e-14)
            np.testing.assert_allclose(sphere[name, "particle_mass"].to("g").value,
                                       mass[part] * SUNS, rtol=1e-14)
        again = self.read("out.hdf5")
        self.assertEqual([b[:3] for b in again], [(7, 1, 0.5), (8, 1, 1.5), (9, 4, 2), (10, 5, 3)])
        np.testing.assert_array_equal([b[3] for b in again], x)

    @needs("hdf5")
    def test_a_periodic_box_begins_at_the_origin(self):
        self.write("box.yaml", "box: {boundary: periodic, size: [8, 8, 8]}\nmodels: [uniform-cube: "
                   "{n: 20, side: 8}]\ngravity: {softening: 1}\nintegrator: {dt: 0.1}\n"
                   "run: {until: 1}\n")
        self.octant("run", "box.yaml", "--steps", "1", "--out", "run")
        self.octant("convert", "run/snapshot_0000.hdf5", "out.hdf5", "--to", "gadget")
        self.octant("convert", "run/snapshot_0000.hdf5", "exact.csv")
        with h5py.File(self.folder / "out.hdf5") as file:
            self.assertEqual(file["Header"].attrs["BoxSize"], 8)
            found = file["PartType4/Coordinates"][:]
        exact = np.array([b[3] for b in self.read("exact.csv")])
        np.testing.assert_array_equal(found, exact + 4)

    def foreign(self, name, counts=(0, 2), ids=True, real="f4", **header):
        """A file in GADGET's layout with as little in it as some codes leave."""
        with h5py.File(self.folder / name, "w") as file:
            head = file.create_group("Header")
            head.attrs["NumPart_ThisFile"] = np.array((*counts, 0, 0, 0, 0)[:6], "i4")
            for key, value in header.items():
                group, _, attribute = key.rpartition("__")
                file.require_group(group or "Header").attrs[attribute] = value
            mass, x, v = (column.astype(real) for column in self.bodies())
            first = 0
            for kind, count in enumerate(counts):
                if not count:
                    continue
                part = file.create_group(f"PartType{kind}")
                here = slice(first, first + count)
                part["Coordinates"], part["Velocities"] = x[here], v[here]
                if "MassTable" not in header:
                    part["Masses"] = mass[here]
                if ids and (ids is True or kind in ids):
                    part["ParticleIDs"] = np.arange(50, 50 + count, dtype="u4")
                first += count

    @needs("hdf5")
    def test_gadget_files_with_little_in_them(self):
        self.foreign("a.hdf5", ids=False)
        self.assertEqual([b[0] for b in self.read("a.hdf5")], [1, 2])
        self.foreign("b.hdf5", (1, 0, 1), ids=(0, 1, 2), MassTable=np.array([7.0, 0, 8, 0, 0, 0]))
        self.assertEqual([b[:3] for b in self.read("b.hdf5")], [(50, 1, 7), (50, 2, 8)])
        self.foreign("c.hdf5", (1, 1), ids=(0,))
        self.assertIn("of some types", self.refused("info", "c.hdf5"))
        self.foreign("d.hdf5", (1, 1), ids=(1,))
        self.assertIn("of some types", self.refused("info", "d.hdf5"))
        self.foreign("e.hdf5", NumFilesPerSnapshot=4)
        self.assertIn("one of 4 files", self.refused("info", "e.hdf5"))

    @needs("hdf5")
    def test_hubble_and_expansion(self):
        units = {"UnitLength_in_cm": KPC, "UnitMass_in_g": SUNS, "UnitVelocity_in_cm_per_s": KMS}
        self.foreign("a.hdf5", HubbleParam=0.5, **units)
        body = self.read("a.hdf5", "--units", "galactic")[0]
        self.assertAlmostEqual(body[2], 2 * 0.5, delta=1e-14)
        self.assertAlmostEqual(body[3][0], 2 * 1.25, delta=1e-14)
        self.assertAlmostEqual(body[4][0], 0.125, delta=1e-15)
        for name, header in {"Parameters__ComovingIntegrationOn": {
                "Parameters__ComovingIntegrationOn": 1}, "Redshift": {"Redshift": 1.0, "Time": 0.5}
        }.items():
            self.foreign("b.hdf5", **header)
            self.assertIn("cosmological", self.refused("info", "b.hdf5"), name)


if __name__ == "__main__":
    unittest.main()
