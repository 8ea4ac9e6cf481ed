"""Forces between pairs in OpenCL C: what the scene gives them, what is said of mistakes, the same
bits however they are found."""
import os
import subprocess
import unittest

from octant_cli import OctantTest

PAIR = "void octant_pair(octant_sum *sum, octant_body i, octant_body j, octant_gap gap"
GIVEN = ", constant octant_parameters *parameters"
PULL = "{ sum->acceleration += j.charge * gap.d; }\n"

SCENE = """\
units: nbody
columns:
  charge: {default: 2}
  load: {}
  load_rate: {}
  way: {width: 3}
  kind: {type: integer, default: 3}
models:
  - body: {mass: 1, offset: [0, 0, 0]}
  - body: {mass: 1, offset: [1, 0, 0], columns: {charge: -1}}
  - body: {mass: 1, offset: [0, 3, 0]}
gravity: {method: none}
forces: [pair: {source: mine.cl}]
integrator: {method: leapfrog, dt: 0.1}
run: {until: 0.1}
"""

# What the file may look like, settings of the pass, and what is then said.
IN_FILE = {
    "a name that is not there": (f"\n{PAIR})\n{{ sum->acceleration += gap.dd; }}\n", "",
                                 ["mine.cl:3:", "no member named 'dd'"]),
    "a column that is not there": (f"{PAIR})\n{{ sum->acceleration += j.chagre * gap.d; }}\n", "",
                                   ["mine.cl:2:", "no member named 'chagre'"]),
    "a column that is being written": (f"{PAIR})\n{{ sum->load += j.load; }}\n",
                                       "writes: [load]", ["mine.cl:2:", "no member named 'load'"]),
    "a sum that is not declared": (f"{PAIR})\n{{ sum->load += 1; }}\n", "",
                                   ["mine.cl:2:", "no member named 'load'"]),
    "parameters that nobody gives": (f"{PAIR}{GIVEN})\n{PULL}", "",
                                     ["mine.cl:1:", f"expected {PAIR})",
                                      "since the scene gives it no parameters"]),
    "parameters that are not taken": (f"/* */\n{PAIR})\n{PULL}", "parameters: {k: 1}",
                                      ["mine.cl:2: octant_pair has another form; expected "
                                       f"{PAIR}{GIVEN})"]),
    "other arguments": (f"\n{PAIR.replace('octant_sum', 'octant_gap')})\n{{ }}\n", "",
                        ["mine.cl:2: octant_pair has another form; expected " + PAIR]),
    "another result": (f"{PAIR.replace('void', 'real')})\n{{ return 0; }}\n", "",
                       ["mine.cl:1: octant_pair has another form; expected " + PAIR]),
    "no function": ("/* octant_pair */\nvoid pair(void);\n", "",
                    ["mine.cl' has no function octant_pair; expected " + PAIR]),
    "an open brace": (f"{PAIR})\n{{\n    if (i.mass > 0) {{\n", "", ["mine.cl:3:", "expected '}'"]),
    "an open comment": (f"{PAIR})\n{PULL}/* and so on", "",
                        ["mine.cl:3:", "unterminated /* comment"]),
    "a name of ours": (f"\nreal load_body(real a) {{ return a; }}\n{PAIR})\n{PULL}", "",
                       ["mine.cl:2:", "'load_body'"]),
}

IN_SCENE = {
    "a range of 0": ("range: 0", ["range: '0' is out of range; expected a length above 0"]),
    "a range below 0": ("range: -1", ["range: '-1' is out of range; expected a length above 0"]),
    "a range that is no length": ("range: 3 parsecs", ["'3 parsecs'"]),
    "a range by nothing": ("range: size", ["range: there is no column 'size'; expected a length, "
                                           "`radius`, or a column of the scene"]),
    "a range by a vector": ("range: way", ["range: column 'way' holds vectors"]),
    "a range by integers": ("range: kind", ["range: column 'kind' holds integers"]),
    "a range that is not known yet": ("range: load, writes: [load]",
                                      ["range: column 'load' is written by this pass or one after"
                                       " it"]),
    "writing nothing": ("writes: []", ["writes: the list is empty"]),
    "writing what is not declared": ("writes: [acceleration, lode]",
                                     ["writes: there is no column 'lode'; expected acceleration, "
                                      "potential or a column of the scene"]),
    "writing twice": ("writes: [load, load]", ["writes: 'load' is there twice"]),
    "writing integers": ("writes: [kind]", ["writes: column 'kind' holds integers"]),
    "a rate of nothing": ("rates: [lode]", ["rates: there is no column 'lode'"]),
    "a rate of what is written": ("writes: [load], rates: [load]",
                                  ["rates: column 'load' is there twice, or under writes too"]),
    "a rate with the name of a column": ("writes: [load_rate], rates: [load]",
                                         ["rates: the rate of 'load' is sum->load_rate, which is "
                                          "written too"]),
    "energy of nothing": ("energy: lode", ["energy: there is no column 'lode'"]),
    "energy of vectors": ("energy: way", ["energy: column 'way' holds vectors"]),
    "an unknown key": ("radius: 1", ["unknown key 'radius'"]),
    "another reach": ("reach: both", ["unknown value 'both'"]),
}


class Mistakes(OctantTest):
    def says(self, text, fields, words):
        self.write("mine.cl", text)
        scene = self.write("pair.yaml", SCENE.replace("mine.cl", f"mine.cl, {fields}"))
        said = self.octant("run", scene, "--out", "none", status=2).stderr.splitlines()
        # PoCL's compiler says things of its own on standard error, whatever it is asked for.
        ours = [k for k, line in enumerate(said) if line.startswith("octant: ")]
        self.assertEqual(len(ours), 1, said)
        sentence = "\n".join(said[ours[0]:])
        for word in words:
            self.assertIn(word, sentence)
        for name in ("force_pair", "user_check", ".clh:"):
            self.assertNotIn(name, sentence)

    def test_in_the_file_they_have_its_line(self):
        for name, (text, fields, words) in IN_FILE.items():
            with self.subTest(name):
                self.says(text, fields, words)

    def test_in_the_scene_they_are_sentences(self):
        for name, (fields, words) in IN_SCENE.items():
            with self.subTest(name):
                self.says(f"{PAIR})\n{PULL}", fields, words)

    def test_a_file_that_is_not_there(self):
        scene = self.write("pair.yaml", SCENE)
        self.assertIn("mine.cl", self.refused("run", scene, "--out", "none"))

    def test_a_range_beyond_the_images(self):
        for box, largest in (("{boundary: periodic, size: [4, 5, 6]}", "4"),
                             ("{boundary: shear, size: [4, 5, 6], omega: 1}", "2.5")):
            self.write("mine.cl", f"{PAIR})\n{PULL}")
            scene = self.write("pair.yaml", SCENE.replace("mine.cl", "mine.cl, range: 4.5").replace(
                "leapfrog", "sei" if "shear" in box else "leapfrog") + f"box: {box}\n")
            self.assertIn(f"range: 4.5 is more than the box has images for; expected {largest} "
                          "at most", self.refused("run", scene, "--out", "none"))

    def test_a_bad_range_in_a_column_names_the_body(self):
        self.write("mine.cl", f"{PAIR})\n{PULL}")
        scene = self.write("pair.yaml", SCENE.replace("mine.cl", "mine.cl, range: charge"))
        said = self.octant("run", scene, "--out", "none", status=1).stderr
        self.assertIn("particle 2 has a range, in column 'charge', that is no length; expected 0 "
                      "or more", said)


GAS = f"""{PAIR})
{{ sum->load += j.mass * (1 - gap.r2 / (gap.range * gap.range)); }}
"""
PUSH = f"""static inline {PAIR})
{{
    real edge = 1 - gap.r2 / (gap.range * gap.range);
    sum->acceleration -= (i.load + j.load) * edge * gap.d;
    sum->charge_rate += (real)0.01 * (j.load * edge - dot(gap.v, gap.d) * i.charge);
}}
"""
PASSES = """\
units: nbody
seed: 5
columns: {charge: {default: 1}, load: {}}
models: [plummer: {n: 300}]
gravity: {method: tree, softening: 0.1}
forces:
  - pair: {source: gas.cl, range: 0.4, self: true, writes: [load]}
  - pair: {source: push.cl, range: charge, writes: [acceleration], rates: [charge]}
integrator: {method: leapfrog, dt: 0.001}
run: {until: 0.04}
output: {diagnostics: 0.01}
"""
SHEARED = PASSES.replace("leapfrog", "sei") + (
    "box: {boundary: shear, size: [8, 8, 8], omega: 1}\n")


class Images(OctantTest):
    def test_the_nearest_image_is_met_along_each_axis(self):
        self.write("mine.cl", f"{PAIR})\n{{ sum->potential += gap.r2; }}\n")
        for place in ("0.45, 0, 0", "0, 0.45, 0", "0, 0, 0.45"):
            other = place.replace("0.45", "-0.45")
            scene = self.write("two.yaml", f"""\
units: nbody
box: {{boundary: periodic, size: [1, 1, 1]}}
models: [body: {{mass: 1, offset: [{place}]}}, body: {{mass: 1, offset: [{other}]}}]
gravity: {{method: none}}
forces: [pair: {{source: mine.cl, writes: [potential]}}]
integrator: {{method: leapfrog, dt: 0.1}}
run: {{until: 0.1}}
""")
            first = self.octant_lines("run", scene, "--out", "none")[0]
            self.assertAlmostEqual(first["potential"], 0.01, delta=1e-12)  # 0.1 apart


class Passes(OctantTest):
    def setUp(self):
        super().setUp()
        self.write("gas.cl", GAS)
        self.write("push.cl", PUSH)
        self.passes = self.write("passes.yaml", PASSES)

    def test_the_number_of_threads_makes_no_difference(self):
        hashes = set()
        for threads in ("1", "2"):
            done = subprocess.run(
                self.command("run", self.passes, "--out", "none", "--json"), cwd=self.folder,
                text=True, capture_output=True, timeout=120, check=True,
                env={**os.environ, "POCL_MAX_PTHREAD_COUNT": threads,
                     "POCL_CPU_MAX_CU_COUNT": threads})
            hashes.add(done.stdout.split('"state_hash": "')[1][:16])
        self.assertEqual(len(hashes), 1)

    def test_looking_changes_nothing(self):
        for text in (PASSES, SHEARED):
            scene = self.write("passes.yaml", text)
            hashes = {self.octant_lines("run", scene, "--out", "none", "--set",
                                        f"output.diagnostics={interval}")[-1]["state_hash"]
                      for interval in (0.001, 0.02, 0.04)}
            self.assertEqual(len(hashes), 1)

    def test_a_resumed_run_knows_its_energy(self):
        self.write("mine.cl", f"{PAIR})\n{{ sum->potential += gap.r2; }}\n")
        scene = self.write("pair.yaml", SCENE.replace("mine.cl", "mine.cl, writes: [potential]"))
        self.octant("run", scene, "--out", "out", "--quiet")
        row = self.table("out/diagnostics.csv")[-1]
        self.assertEqual(row["potential"], 20)  # squares of the distances: 1, 9 and 10
        again = self.octant_lines("run", "--resume", "--out", "out", "--until", "0.2")
        self.assertEqual(again[0]["potential"], 20)

    def test_a_resumed_run_goes_on(self):
        for precision in ("single", "mixed"):
            run = ["run", self.passes, "--precision", precision, "--quiet", "--force"]
            self.octant(*run, "--out", "straight")
            self.octant(*run, "--out", "halves", "--steps", 17)
            self.octant("run", "--resume", "--out", "halves", "--quiet")
            self.assert_same_files("straight", "halves", ["checkpoint.hdf5", "scene.yaml"])


if __name__ == "__main__":
    unittest.main()
