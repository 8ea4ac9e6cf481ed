"""Functions of the user's in OpenCL C: what the scene gives them, and what is said of mistakes."""
import csv
import unittest

from octant_cli import OctantTest, needs

FORCE = "real4 octant_force(real3 position, real3 velocity, real mass, ulong id, real time"
GIVEN = ", constant octant_parameters *parameters"
LAW = "real octant_restitution(real speed, real radius_a, real radius_b"
PULL = "{ return (real4)(-position * parameters->rate, 0); }\n"

SCENE = """\
units: si
models:
  - body: {mass: 1 kg, offset: [0, 0, 0]}
  - body: {mass: 1 kg, offset: [100 m, 0, 0]}
  - body: {mass: 1 kg, offset: [200 m, 0, 0]}
gravity: {method: none}
forces: [custom: {file: mine.cl}]
integrator: {method: leapfrog, dt: 1 s}
run: {until: 1 s}
"""

# What a force may look like, the scene's parameters, and what is then said.
MISTAKES = {
    "a name that is not there": (f"\n{FORCE})\n{{ return (real4)(veloc, 0); }}\n", "{}",
                                 ["mine.cl:3:", "undeclared identifier 'veloc'"]),
    "a parameter that is not there": (f"{FORCE}{GIVEN})\n{PULL}", "{rat: 1}",
                                      ["mine.cl:2:", "no member named 'rate'"]),
    "no parameters at all": (f"{FORCE}{GIVEN})\n{PULL}", "{}",
                             ["mine.cl:2:", "no member named 'rate'"]),
    "parameters that are not taken": (f"/* {FORCE} */\n\n{FORCE})\n{{ return 0; }}\n", "{rate: 1}",
                                      ["mine.cl:3: octant_force has another form; expected "
                                       f"{FORCE}{GIVEN})"]),
    "parameters that nobody gives": (f"{FORCE}{GIVEN})\n{{ return 0; }}\n", "{}",
                                     ["mine.cl:1:", f"expected {FORCE})",
                                      "since the scene gives it no parameters"]),
    "no function": ("/* octant_force */ // octant_force\nreal4 my_octant_force(void);\n", "{}",
                    ["mine.cl' has no function octant_force; expected " + FORCE]),
    "nothing": ("", "{}", ["mine.cl' has no function octant_force; expected " + FORCE]),
    "three numbers": (f"{FORCE.replace('real4', 'real3')})\n{{ return position; }}\n", "{}",
                      ["mine.cl:1: octant_force has another form"]),
    "one number": (f"{FORCE.replace('real4', 'real')})\n{{ return 1; }}\n", "{}",
                   ["mine.cl:1: octant_force has another form"]),
    "an open brace": (f"{FORCE})\n{{\n    return (real4)(0, 0, 0, 0);\n", "{}",
                      ["mine.cl:3:", "expected '}'"]),
    "an open comment": (f"{FORCE})\n{{ return (real4)(0, 0, 0, 0); }}\n/* and so on", "{}",
                        ["mine.cl:3:", "unterminated /* comment"]),
    "an open condition": (f"\n#if 1\n{FORCE})\n{{ return (real4)(0, 0, 0, 0); }}\n", "{}",
                          ["mine.cl:2:", "unterminated conditional"]),
    "a name of ours": (f"\nint is_number(int a) {{ return a; }}\n{FORCE})\n{{ return 0; }}\n", "{}",
                       ["mine.cl:2:", "'is_number'"]),
    "no name": ("", "{a-b: 1}", ["parameters.a-b: no name in OpenCL C"]),
    "a word of the language": ("", "{float: 1}", ["parameters.float: no name in OpenCL C"]),
    "a text": ("", "{rate: fast}", ["parameters.rate: 'fast' is not a number"]),
    "an unknown unit": ("", "{rate: 1 /dya}", ["parameters.rate: '1 /dya' has an unknown unit"]),
    "infinity": ("", "{rate: inf}", ["parameters.rate: 'inf' is not finite"]),
    "an empty list": ("", "{rate: []}", ["parameters.rate: expected a number or a list"]),
    "a list of lists": ("", "{rate: [[1]]}", ["parameters.rate.0: this is a list"]),
    "a map": ("", "{rate: {a: 1}}", ["parameters.rate: expected a number or a list"]),
    "a list of parameters": ("", "[1]", ["parameters: this is a list; expected names with"]),
}


class CustomTest(OctantTest):
    def bodies(self, path):
        self.octant("convert", path, "bodies.csv")
        with open(self.folder / "bodies.csv", encoding="utf-8") as file:
            return list(csv.DictReader(line for line in file if not line.startswith("#")))

    def assert_says(self, arguments, words):
        said = self.octant(*arguments, status=2).stderr.splitlines()
        # PoCL's compiler says things of its own on standard error, whatever it is asked for.
        ours = [i for i, line in enumerate(said) if line.startswith("octant: ")]
        self.assertEqual(len(ours), 1, said)
        sentence = "\n".join(said[ours[0]:])
        for word in words:
            self.assertIn(word, sentence)
        for name in ("force_custom", "collision_resolve", "user_check", ".clh:"):
            self.assertNotIn(name, sentence)


class Force(CustomTest):
    def setUp(self):
        super().setUp()
        self.custom = self.write("custom.yaml", SCENE)

    def test_mistakes_are_those_of_the_users_file(self):
        for name, (text, parameters, words) in MISTAKES.items():
            with self.subTest(name):
                self.write("mine.cl", text)
                self.assert_says(["run", self.custom, "--out", "none", "--set",
                                  f"forces.0.custom.parameters={parameters}"], words)

    @needs("hdf5")
    def test_every_number_arrives(self):
        # Vectors are aligned, numbers are not: each body looks at other members of the struct.
        self.write("mine.cl", f"""{FORCE}{GIVEN})
{{
    octant_parameters p = *parameters;
    if (id == 1)
        return (real4)(p.one, p.v.y, p.two, 0);
    if (id == 2)
        return (real4)(p.pair[1], p.w.x, p.w.z, 0);
    return (real4)(parameters->many[0], parameters->many[4], parameters->single[0], 0);
}}
""")
        given = ("{one: 1.5, v: [2, 3, 4], two: 5, pair: [6, 7], w: [8 m, 0.9 km, 10 m], "
                 "many: [11, 12, 13, 14, 15], single: [16 m/s^2]}")
        for precision in ("single", "mixed", "double"):
            with self.subTest(precision):
                self.octant("run", self.custom, "--set", f"forces.0.custom.parameters={given}",
                            "--precision", precision, "--out", "out", "--force", "--quiet")
                speeds = [[float(row[key]) for key in ("vx", "vy", "vz")]
                          for row in self.bodies("out/checkpoint.hdf5")]
                # From rest, in a step of a second.
                self.assertEqual(speeds, [[1.5, 3, 5], [7, 8, 10], [11, 15, 16]])

    def test_units_are_those_of_the_scene(self):
        self.write("mine.cl", f"{FORCE}{GIVEN})\n{PULL}")
        given = "forces.0.custom.parameters={rate: 9 /min^2, far: [1 km, 2, 3 m]}"
        text = self.octant("check", self.custom, "--scene", "--set", given).stdout
        self.assertIn("parameters: {rate: 0.0025, far: [1000, 2, 3]}", text)

    def test_single_precision_cannot_hold_everything(self):
        self.write("mine.cl", f"{FORCE}{GIVEN})\n{PULL}")
        self.assert_says(["run", self.custom, "--out", "none", "--precision", "single", "--set",
                          "forces.0.custom.parameters.rate=1e39"],
                         ["parameter 'rate' is 1e+39", "single precision"])

    def test_a_resumed_run_has_the_same_numbers(self):
        self.write("mine.cl", f"{FORCE}{GIVEN})\n{PULL}")
        run = ["run", self.custom, "--set", "forces.0.custom.parameters.rate=0.9 /min^2",
               "--until", "60 s", "--quiet"]
        self.octant(*run, "--out", "straight")
        self.octant(*run, "--out", "halves", "--steps", 23)
        self.octant("run", "--resume", "--out", "halves", "--quiet")
        self.assert_same_files("straight", "halves",
                               ["checkpoint.hdf5", "snapshot_0000.hdf5", "scene.yaml"])
        self.assertIn("parameters: {rate: 0.00025}",
                      (self.folder / "halves/scene.yaml").read_text())

    @needs("hdf5")
    def test_what_the_user_defines_stays_there(self):
        # Macros that would change our kernel if they came before it, and a function that is static.
        self.write("mine.cl", f"""#define acceleration velocity
#define OCT_TYPE_REMOVED 1
static inline {FORCE}{GIVEN})
{{ return (real4)(2 * parameters->rate, 0, 0, 0); }}
""")
        self.octant("run", self.custom, "--set", "forces.0.custom.parameters.rate=3", "--out",
                    "out", "--quiet")
        self.assertEqual(float(self.bodies("out/checkpoint.hdf5")[0]["vx"]), 6)

    @needs("hdf5")
    def test_a_file_beside_it_is_included(self):
        (self.folder / "near").mkdir()
        self.write("mine.cl", f"""#include "near/by.clh"
{FORCE}{GIVEN})
{{ return push(parameters->rate); }}
""")
        run = ["run", self.custom, "--set", "forces.0.custom.parameters.rate=3", "--out", "out",
               "--force", "--quiet"]
        self.assert_says(run, ["mine.cl:1:", "near/by.clh"])
        # Includes itself, which counts once; another text is another program, whatever is cached.
        for factor in (2, 5):
            self.write("near/by.clh", f"""#include "../near/by.clh"
static real4 push(real x) {{ return (real4)({factor} * x, 0, 0, 0); }}
""")
            self.octant(*run)
            self.assertEqual(float(self.bodies("out/checkpoint.hdf5")[0]["vx"]), 3 * factor)
        self.write("near/by.cl", "\n\nstatic real4 push(real x) { return y; }\n")
        self.write("mine.cl", '#include "near/by.cl"\n')
        self.assert_says(run, ["near/by.cl:3:", "undeclared identifier 'y'"])


RING = """\
units: si
models:
  - body: {mass: 1 kg, radius: 1 m, velocity: [1, 0, 0]}
  - body: {mass: 1 kg, radius: 1 m, offset: [2.05, 0, 0], velocity: [-1, 0, 0]}
gravity: {method: none}
collisions: {method: direct, restitution: custom, restitution_file: law.cl}
integrator: {method: leapfrog, dt: 0.1 s}
run: {until: 0.3 s}
"""


class Restitution(CustomTest):
    def setUp(self):
        super().setUp()
        self.custom = self.write("hit.yaml", RING)

    def law(self, body, *sets, arguments=LAW):
        self.write("law.cl", f"\n{arguments})\n{{ {body} }}\n")
        return ["run", self.custom, "--out", "out", "--force", "--quiet", *sets]

    @needs("hdf5")
    def test_the_scene_chooses_what_is_left(self):
        for part in (0.25, 0.75):
            self.octant(*self.law("return parameters->part * parameters->scale[1];", "--set",
                                  f"collisions.restitution_parameters={{part: {part}, "
                                  "scale: [0, 0.5]}", arguments=LAW + GIVEN))
            self.assertEqual([float(row["vx"]) for row in self.bodies("out/checkpoint.hdf5")],
                             [-part / 2, part / 2])

    def test_mistakes_are_those_of_the_users_file(self):
        some = ["--set", "collisions.restitution_parameters.part=1"]
        self.assert_says(self.law("return speeed;"), ["law.cl:3:", "'speeed'"])
        self.assert_says(self.law("return parameters->parts;", *some, arguments=LAW + GIVEN),
                         ["law.cl:3:", "no member named 'parts'"])
        self.assert_says(self.law("return 1;", *some),
                         [f"law.cl:2: octant_restitution has another form; expected {LAW}{GIVEN})"])
        self.assert_says(self.law("return 1;", arguments=LAW.replace("octant_", "")),
                         [f"law.cl' has no function octant_restitution; expected {LAW})"])
        self.assert_says(self.law("return speed; } int with_w(int a) { return a;"),
                         ["law.cl:3:", "'with_w'"])
        self.assert_says(["run", self.custom, "--out", "none", "--set", "collisions.restitution=1",
                          "--set", "collisions.restitution_file=''", *some],
                         ["restitution_parameters are for restitution: custom alone"])


if __name__ == "__main__":
    unittest.main()
