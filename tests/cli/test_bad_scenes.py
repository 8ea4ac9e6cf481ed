"""Broken scenes: each gets one sentence that helps, the right exit status, and leaves nothing."""

import os
import unittest
from unittest import mock

from octant_cli import OctantTest

MODELS = "models:\n  - plummer: {n: 10}\n"
GOOD = {
    "units": "units: nbody\n",
    "models": MODELS,
    "gravity": "gravity: {method: direct, softening: 0.1}\n",
    "integrator": "integrator: {dt: 0.1}\n",
    "run": "run: {until: 0.2}\n",
}
CSV = "id,mass,x,y,z,vx,vy,vz\n"


def scene(extra="", **changed):
    """A scene that works, but for the sections that are changed (None leaves one out)."""
    sections = {**GOOD, **changed}
    return "".join(text for text in sections.values() if text) + extra


def model(text):
    return scene(models=f"models:\n  - {text}\n")


def ring(fields, size="[100, 100, 100]"):
    """A patch of a ring with these fields in a box of this size."""
    return scene(units="units: si\n", models=f"models:\n  - {fields}\n",
                 box=f"box: {{boundary: shear, size: {size}, omega: 1e-4}}\n",
                 integrator="integrator: {method: sei, dt: 1}\n")


# name: (text, words that the sentence must hold)
BROKEN = {
    # YAML itself
    "empty": ("", ["bad.yaml:1", "nothing in it", "expected a scene"]),
    "only a comment": ("# nothing\n", ["nothing in it"]),
    "only text": ("hello\n", ["bad.yaml:1", "no scene"]),
    "a list at the top": ("- a\n- b\n", ["no scene", "expected keys"]),
    "binary": (bytes(range(256)), ["not a text file", "UTF-8"]),
    "zero bytes": (b"title: a\0b\n", ["not a text file"]),
    "latin-1": ("title: Orbit um Jüpiter\n".encode("latin-1"), ["not a text file", "UTF-8"]),
    "utf-16": (scene().encode("utf-16"), ["not a text file"]),
    "tab": (scene("box:\n\tboundary: open\n"), ["bad.yaml:8", "tab", "expected spaces"]),
    "unclosed quote": (scene('title: "never\n'), ["not valid YAML", "quoted scalar", "line 7"]),
    "unclosed bracket": (scene("title: [1, 2\n"), ["not valid YAML", "line 7"]),
    "bad indentation": (scene("title: a\n   seed: 1\n"), ["bad.yaml:8", "not valid YAML"]),
    "two documents": (scene("---\ntitle: b\n"), ["bad.yaml:7", "second document"]),
    "anchor": (scene("title: &a b\n"), ["title", "anchor '&a'", "not allowed"]),
    "alias": (scene("title: *a\n"), ["bad.yaml:7", "title", "alias '*a'"]),
    "alias bomb": ("a: &a [x, x, x, x, x, x, x, x, x]\n"
                   + "".join(f"{n}: &{n} [{', '.join([f'*{p}'] * 9)}]\n"
                             for p, n in zip("abcdefgh", "bcdefghi")), ["not allowed"]),
    "merge key": (scene("box: {<<: 1}\n"), ["box.<<", "unknown key"]),
    "tag": (scene("title: !!python/object a\n"), ["title", "tag", "not allowed"]),
    "control character": (scene('title: "a\\u0007b"\n'), ["title", "control character"]),
    "multi-line value": (scene("title: |\n  a\n  b\n"), ["title", "line break"]),
    "key that is a list": (scene("? [a]\n: b\n"), ["key is expected"]),
    "deep": (scene("title: " + "[" * 40 + "]" * 40 + "\n"), ["title", "too deep", "16"]),
    "very deep": ("[" * 500000, ["too deep"]),
    "10 MB line": (scene("title2: " + "x" * 10_000_000 + "\n"), ["unknown key 'title2'", "title"]),
    "10 MB key": (scene("x" * 10_000_000 + ": 1\n"), []),
    "10 MB value": (scene("seed: " + "9" * 10_000_000 + "\n"), ["seed", "999...", "expected"]),
    "over 16 MiB": ("#" * (17 << 20), ["bytes"]),
    # keys
    "unknown section": (scene("grvity: {}\n"), ["grvity", "unknown key", "did you mean 'gravity'"]),
    "section to come": (scene("colisions: {}\n"), ["colisions", "unknown key", "expected one of"]),
    "unknown key of gravity": (scene(gravity="gravity: {sofening: 1}\n"),
                               ["bad.yaml:4", "gravity.sofening", "did you mean 'softening'"]),
    "unknown key of a model": (model("plummer: {n: 3, scal: 1}"),
                               ["bad.yaml:3", "models.0.plummer.scal", "did you mean 'scale'"]),
    "unknown key of run": (scene(run="run: {untl: 1}\n"), ["run.untl", "expected until"]),
    "unknown key of output": (scene("output: {snapshots: 1}\n"), ["did you mean 'snapshot'"]),
    "unknown key of box": (scene("box: {size: [1, 1, 1]}\n"), ["box.size", "removal_radius"]),
    "duplicate section": (scene("run: {until: 2}\n"), ["bad.yaml:7", "run", "duplicate", "line 6"]),
    "duplicate key": (model("plummer: {n: 3, n: 4}"), ["models.0.plummer.n", "duplicate"]),
    "no models": (scene(models=None), ["models", "missing"]),
    "empty models": (scene(models="models: []\n"), ["models", "empty", "expected one"]),
    "models is a map": (scene(models="models: {plummer: {n: 3}}\n"), ["models", "no list"]),
    "model without fields": (model("plummer"), ["models.0", "expected 'NAME: {...}'"]),
    "two models in an entry": (model("{plummer: {n: 3}, two-body: {}}"),
                               ["models.0", "names 'plummer' already"]),
    "gravity is a list": (scene(gravity="gravity: [direct]\n"), ["gravity", "list", "map"]),
    "gravity is a word": (scene(gravity="gravity: direct\n"), ["gravity", "'direct' is no map"]),
    "no run": (scene(run=None), ["run.until", "missing", "a number above 0"]),
    "no dt": (scene(integrator=None), ["integrator.dt", "missing"]),
    "no n": (model("plummer: {}"), ["models.0.plummer.n", "missing", "an integer"]),
    "no value": (scene(run="run:\n  until:\n"), ["run.until", "no value"]),
    # names of modules
    "unknown model": (model("plumer: {n: 3}"), ["models.0.plumer", "did you mean 'plummer'"]),
    "unknown gravity": (scene(gravity="gravity: {method: dirct}\n"), ["did you mean 'direct'"]),
    "unknown boundary": (scene("box: {boundary: periodc}\n"), ["did you mean 'periodic'"]),
    "unknown integrator": (scene(integrator="integrator: {dt: 1, method: leapfog}\n"),
                           ["integrator.method", "did you mean 'leapfrog'"]),
    "extra force as gravity": (scene(gravity="gravity: {method: custom}\n"),
                               ["gravity.method", "unknown name 'custom'", "direct"]),
    "gravity as extra force": (scene("forces:\n  - direct: {}\n"),
                               ["forces.0.direct", "unknown name", "custom"]),
    "name that is a list": (scene(gravity="gravity: {method: [direct]}\n"), ["gravity.method"]),
    # values
    "unknown units": (scene(units="units: solr\n"), ["units", "did you mean 'solar'"]),
    "negative seed": (scene("seed: -4\n"), ["seed", "out of range", "not below 0"]),
    "fractional seed": (scene("seed: 1.5\n"), ["seed", "whole number"]),
    "G of zero": (scene("G: 0\n"), ["G", "above 0"]),
    "negative count": (model("plummer: {n: -5}"), ["models.0.plummer.n", "'-5'", "from 1"]),
    "N of zero": (model("plummer: {n: 0}"), ["models.0.plummer.n", "'0'", "from 1"]),
    "fractional count": (model("plummer: {n: 2.5}"), ["whole number"]),
    "huge count": (model("plummer: {n: 1e18}"), ["out of range"]),
    "count in words": (model("plummer: {n: ten}"), ["'ten' is not an integer"]),
    "count with a unit": (model("plummer: {n: 10 kg}"), ["'10 kg' is not an integer"]),
    "n is a list": (model("plummer: {n: [3]}"), ["this is a list", "an integer"]),
    "n is a map": (model("plummer: {n: {a: 3}}"), ["this is a map", "an integer"]),
    "NaN mass": (model("plummer: {n: 3, mass: nan}"), ["mass", "'nan' is not a number"]),
    "YAML's NaN": (model("plummer: {n: 3, mass: .nan}"), ["mass", "'.nan' is not a number"]),
    "infinite mass": (model("plummer: {n: 3, mass: inf}"), ["mass", "out of range"]),
    "hexadecimal": (model("plummer: {n: 3, mass: 0x10}"), ["'0x10' is not a number"]),
    "overflow": (model("plummer: {n: 3, mass: 1e999}"), ["'1e999' is not a number"]),
    "dt of zero": (scene(integrator="integrator: {dt: 0}\n"), ["integrator.dt", "above 0"]),
    "negative dt": (scene(integrator="integrator: {dt: -1}\n"), ["integrator.dt", "above 0"]),
    "infinite dt": (scene(integrator="integrator: {dt: inf}\n"), ["integrator.dt", "above 0"]),
    "until below zero": (scene(run="run: {until: -1}\n"), ["run.until", "'-1'", "above 0"]),
    "negative softening": (scene(gravity="gravity: {softening: -1}\n"), ["gravity.softening"]),
    "negative interval": (scene("output: {snapshot: -1}\n"), ["output.snapshot", "not below 0"]),
    "box of size 0": (scene("box: {boundary: periodic, size: [0, 1, 1]}\n"),
                      ["bad.yaml:7", "box.size.0", "above 0"]),
    "box without size": (scene("box: {boundary: periodic}\n"),
                         ["box.size", "missing", "list of 3"]),
    "box of two sides": (scene("box: {boundary: periodic, size: [1, 1]}\n"), ["box.size", "3"]),
    "box of one number": (scene("box: {boundary: periodic, size: 1}\n"), ["box.size", "list of 3"]),
    "yes for true": (model("solar-system: {sun: yes}"), ["sun", "'yes'", "true or false"]),
    "unknown planet": (model("solar-system: {planets: [earth, marz]}"),
                       ["planets.1", "did you mean 'mars'"]),
    "eccentricity of 1": (model("two-body: {mass1: 1, mass2: 1, semi_major_axis: 1, "
                                "eccentricity: 1}"), ["eccentricity", "out of range"]),
    # rings
    "ring in an open box": (model("ring: {n: 9, density: 1, radius: 1}"),
                            ["models.0.ring", "rotating box", "boundary: open", "shear"]),
    "ring in a box at rest": (scene("box: {boundary: periodic, size: [9, 9, 9]}\n",
                                    models="models:\n  - ring: {n: 9, density: 1, radius: 1}\n"),
                              ["models.0.ring", "boundary: periodic", "shear"]),
    "ring of no number": (ring("ring: {density: 1, radius: 1}"),
                          ["none of surface_density, optical_depth and n", "exactly one"]),
    "ring of two numbers": (ring("ring: {n: 9, optical_depth: 1, density: 1, radius: 1}"),
                            ["more than one of surface_density", "exactly one"]),
    "ring without density": (ring("ring: {n: 9, radius: 1}"), ["ring.density", "missing"]),
    "ring of density 0": (ring("ring: {n: 9, density: 0, radius: 1}"),
                          ["ring.density", "above 0"]),
    "negative surface density": (ring("ring: {surface_density: -1, density: 1, radius: 1}"),
                                 ["ring.surface_density", "not below 0"]),
    "surface density as density": (ring("ring: {surface_density: 400 kg/m^3, density: 1, "
                                        "radius: 1}"), ["surface_density", "kg/m^3"]),
    "ring without radius": (ring("ring: {n: 9, density: 1}"), ["radius is missing or 0"]),
    "radii of zero": (ring("ring: {n: 9, density: 1, radius: 0}"), ["radius is missing or 0"]),
    "negative radius": (ring("ring: {n: 9, density: 1, radius: -1 m}"),
                        ["ring.radius.value", "'-1 m'", "not below 0"]),
    "radius in words": (ring("ring: {n: 9, density: 1, radius: big}"),
                        ["ring.radius.value", "'big' is not a number"]),
    "radius as a list": (ring("ring: {n: 9, density: 1, radius: [1, 2]}"),
                         ["ring.radius", "list", "map"]),
    "unknown law of radii": (ring("ring: {n: 9, density: 1, radius: {law: powr}}"),
                             ["ring.radius.law", "did you mean 'power'"]),
    "range of a fixed radius": (ring("ring: {n: 9, density: 1, radius: {min: 1, max: 2}}"),
                                ["radius.min", "law: power"]),
    "value of a power law": (ring("ring: {n: 9, density: 1, radius: {law: power, value: 1, min: 1, "
                                  "max: 2}}"), ["radius.value", "law: fixed"]),
    "power law from 0": (ring("ring: {n: 9, density: 1, radius: {law: power, max: 2}}"),
                         ["radius.min is missing or 0", "above 0"]),
    "power law backwards": (ring("ring: {n: 9, density: 1, radius: {law: power, min: 2, max: 1}}"),
                            ["radius.max is 1 and radius.min 2", "1 to 1e6 times"]),
    "steep power law": (ring("ring: {n: 9, density: 1, radius: {law: power, slope: -90, min: 1, "
                             "max: 2}}"), ["ring.radius.slope", "-20 to 20"]),
    "negative spread": (ring("ring: {n: 9, density: 1, radius: 1, spread: -1 m}"),
                        ["ring.spread", "not below 0"]),
    "flat ring with heights": (ring("ring: {n: 9, density: 1, radius: 1, spread: 1 m, flat: true}"),
                               ["models.0.ring", "spread is 1 and flat is true", "one of the two"]),
    "ring without gravity": (ring("ring: {n: 9, density: 1, radius: 1}").replace(
        GOOD["gravity"], ""),
        ["gravity.method", "missing", "rotating box", "{method: none}", "{method: tree"]),
    "ring without a method": (ring("ring: {n: 9, density: 1, radius: 1}").replace(
        "method: direct, ", ""), ["gravity.method", "missing", "rotating box"]),
    "box smaller than a particle": (ring("ring: {n: 9, density: 1, radius: {law: power, min: 1, "
                                         "max: 6}}", size="[100, 10, 100]"),
                                    ["box.size", "a side of 10", "diameter 12"]),
    "box for less than a particle": (ring("ring: {optical_depth: 1e-9, density: 1, radius: 1}"),
                                     ["100 by 100", "0 particles", "1 to 2147483648"]),
    "box for too many particles": (ring("ring: {optical_depth: 1, density: 1, radius: 1e-9}"),
                                   ["particles", "1 to 2147483648"]),
    "body without mass": (model("body: {radius: 1}"), ["neither of mass and density"]),
    "body of two masses": (model("body: {mass: 1, density: 1, radius: 1}"),
                           ["each of mass and density", "exactly one"]),
    "body of density without radius": (model("body: {density: 1}"), ["radius is missing or 0"]),
    "box smaller than a body": (ring("body: {mass: 1, radius: 60}"),
                                ["models.0.body", "a side of 100", "diameter 120"]),
    # units
    "unknown unit": (scene(units="units: si\n", run="run: {until: 3 Myrs}\n"),
                     ["run.until", "unknown unit 'Myrs'", "expected time", "did you mean 'Myr'"]),
    "wrong dimension": (scene(units="units: si\n", run="run: {until: 3 km}\n"),
                        ["run.until", "'3 km' is a length", "expected time, such as '1 s'"]),
    "unit of nothing": (model("hernquist: {n: 3, truncation: 3 m}"), ["truncation"]),
    "unit in nbody": (scene(run="run: {until: 3 s}\n"), ["run.until", "units: nbody"]),
    "orbit without omega": (scene(run="run: {until: 3 orbit}\n"), ["run.until", "omega"]),
    "half a unit": (scene(units="units: si\n", run="run: {until: 3 m/}\n"),
                    ["run.until", "'3 m/'"]),
    "two numbers": (scene(units="units: si\n", run="run: {until: 3 4}\n"), ["run.until", "'3 4'"]),
    "bad power": (scene(units="units: si\n", run="run: {until: 3 s^1000}\n"), ["power"]),
    # files that a scene names
    "missing bodies": (model("file: {path: nowhere.csv}"), ["nowhere.csv"]),
    "folder as bodies": (model("file: {path: .}"), []),
}

# What shows only when the bodies are made or the kernels are built.
LATE = {
    "twice the same id": (model("file: {path: twice.csv}"), ["models", "two bodies have the id 1"]),
    "negative mass": (model("file: {path: negative.csv}"), ["models.0.file", "mass -1"]),
    "missing force": (scene("forces:\n  - custom: {file: nowhere.cl}\n"), ["nowhere.cl"]),
}

BODIES = {
    "NaN mass": (CSV + "1,nan,0,0,0,0,0,0\n", ["mass"]),
    "infinite place": (CSV + "1,1,inf,0,0,0,0,0\n", []),
    "no bodies": (CSV, []),
    "not a number": (CSV + "1,one,0,0,0,0,0,0\n", ["one"]),
    "too few columns": (CSV + "1,1,0\n", []),
    "empty": ("", []),
}

ASSIGNMENTS = {
    "gravity.softening": ["KEY=VALUE"],
    "=1": ["KEY=VALUE"],
    "gravity.softening=": ["gravity.softening", "nothing after '='"],
    "gravity.softening=[1": ["--set gravity.softening", "not valid YAML"],
    "gravity.softening=fast": ["--set gravity.softening", "'fast' is not a number"],
    "gravity.softning=1": ["--set gravity.softning", "did you mean 'softening'"],
    "gravty.softening=1": ["--set gravty", "did you mean 'gravity'"],
    "gravity..softening=1": ["empty"],
    "models.1.plummer.n=5": ["--set models.1", "no such entry", "has 1"],
    "models.first.plummer.n=5": ["--set models.first", "expected an index"],
    "models.0.plumer.n=5": ["models.0", "names 'plummer' already"],
    "units.length=5": ["--set units.length", "single value"],
    "run.until=*a": ["--set run.until", "alias"],
    "box.boundary=shera": ["--set box.boundary", "unknown name 'shera'"],
}


class BadScenes(OctantTest):
    def sentence(self, *arguments, words, commands=("check", "run")):
        """Checks and runs a bad scene; the sentence holds the words and no file is left."""
        before = self.listing(".")
        for command in commands:
            out = ["--out", "out"] if command == "run" else []
            line = self.refused(command, *arguments, *out)
            self.assertLess(len(line), 1300, line[:2000])
            for word in words:
                self.assertIn(word, line)
            self.assertEqual(self.listing("."), before)

    def test_broken_scenes(self):
        self.assertGreaterEqual(len(BROKEN), 45)
        for name, (text, words) in BROKEN.items():
            with self.subTest(name):
                path = self.folder / "bad.yaml"
                path.write_bytes(text if isinstance(text, bytes) else text.encode())
                self.sentence("bad.yaml", words=words)

    def try_device(self):
        """The first use of a device is noted, but not later ones."""
        self.octant("run", self.scene, "--steps", 1, "--out", "none", "--quiet")

    def test_bad_scenes_do_not_get_to_the_device(self):
        self.write("bad.yaml", scene(run="run: {until: -1}\n"))
        with mock.patch.dict(os.environ, XDG_CACHE_HOME=str(self.folder / "cache")):
            self.sentence("bad.yaml", words=["run.until"])

    def test_bad_bodies(self):
        self.try_device()
        self.write("bad.yaml", model("file: {path: bodies.csv}"))
        for name, (text, words) in BODIES.items():
            with self.subTest(name):
                self.write("bodies.csv", text)
                self.sentence("bad.yaml", words=words)

    def test_scenes_that_fail_at_the_start_of_a_run(self):
        self.try_device()
        self.write("twice.csv", CSV + "1,1,0,0,0,0,0,0\n1,1,1,0,0,0,0,0\n")
        self.write("negative.csv", CSV + "1,-1,0,0,0,0,0,0\n")
        for name, (text, words) in LATE.items():
            with self.subTest(name):
                self.write("bad.yaml", text)
                self.sentence("bad.yaml", words=words, commands=["run"])

    def test_bad_assignments(self):
        self.write("good.yaml", scene())
        for assignment, words in ASSIGNMENTS.items():
            with self.subTest(assignment):
                self.sentence("good.yaml", "--set", assignment, words=words)

    def test_scenes_that_are_no_files(self):
        self.sentence("nowhere.yaml", words=["nowhere.yaml"])
        self.sentence("plumer", words=["did you mean 'plummer'"])
        self.sentence("x" * 5000, words=[])
        self.sentence(".", words=["folder"])
        self.sentence("", words=[])
        os.mkfifo(self.folder / "pipe")
        self.sentence("pipe", words=["pipe"])

    @unittest.skipIf(os.geteuid() == 0, "root may read every file")
    def test_a_file_that_may_not_be_read(self):
        self.write("secret.yaml", scene()).chmod(0)
        self.sentence("secret.yaml", words=["secret.yaml"])


class OddScenes(OctantTest):
    """What looks wrong but is not."""

    def run_scene(self, text, *arguments):
        self.write("odd.yaml", text)
        records = self.octant_lines("run", "odd.yaml", "--out", "out", *arguments)
        self.assertTrue(records[-1]["final"])
        return records[-1]

    def test_one_particle_moves_straight_on(self):
        last = self.run_scene(model("plummer: {n: 1, velocity: [1, 2, 3]}"))
        self.assertEqual(last["n"], 1)
        for value, expected in zip(last["momentum"], [1, 2, 3]):
            self.assertAlmostEqual(value, expected, delta=1e-12)  # measured: 0

    def test_two_particles_in_one_place(self):
        self.write("bodies.csv", CSV + "1,1,0.5,0,0,0,0,0\n2,1,0.5,0,0,0,0,0\n")
        last = self.run_scene(model("file: {path: bodies.csv}"), "--set", "gravity.softening=0")
        self.assertEqual(last["n"], 2)
        self.assertEqual(last["momentum"], [0, 0, 0])

    def test_the_resolved_scene_gives_the_same_run(self):
        first = self.run_scene(scene())
        (self.folder / "out" / "scene.yaml").rename(self.folder / "again.yaml")
        second = self.octant_lines("run", "again.yaml", "--out", "out2")[-1]
        self.assertEqual(first["state_hash"], second["state_hash"])

    def test_assignments_override_the_file(self):
        self.write("odd.yaml", scene())
        found = self.octant_json("check", "odd.yaml", "--set", "models.0.plummer.n=77")
        self.assertEqual(found["n"], 77)

    def test_built_in_scenes_are_sound(self):
        for name in ["two-body", "solar-system", "plummer", "cold-collapse", "saturn-ring",
                     "saturn-ring-table1", "saturn-ring-moonlet", "overstable-ring"]:
            with self.subTest(name):
                self.assertEqual(self.octant_json("check", name)["problems"], [])


if __name__ == "__main__":
    unittest.main()
