"""Columns of the user's own: from a scene and from files, through a run, to wherever bodies go."""
import csv
import unittest

from octant_cli import OctantTest, needs
from octant_view import Viewer

SCENE = """\
units: si
columns:
  charge: {unit: C, default: 2}
  kind: {type: integer}
  axis: {width: 3}
models:
  - body: {mass: 1 kg, columns: {charge: 1.5, axis: [1, 0, 2]}}
  - body: {mass: 2 kg, offset: [100 m, 0, 0], columns: {kind: 3, axis: [0, 1, 0]}}
gravity: {method: none}
forces: [custom: {file: mine.cl, parameters: {field: [10, 0, 0]}}]
integrator: {dt: 1 s}
run: {until: 1 s}
"""

FORCE = """\
real4 octant_force(real3 position, real3 velocity, real mass, ulong id, real time,
                   octant_columns columns, constant octant_parameters *parameters)
{
    return (real4)(columns.charge / mass * parameters->field + columns.kind * columns.axis, 0);
}
"""

# What is wrong with a scene, and what is said.
MISTAKES = {
    "columns.mass={}": ["columns.mass: a column cannot be called 'mass'"],
    "columns.axis_x={}": ["columns.axis_x: a column cannot be called 'axis_x'"],
    "columns.while={}": ["columns.while: 'while' is no name for a column"],
    "columns.charge.width=2": ["columns.charge: width is 2; expected 1, or 3 for a vector"],
    "columns.charge.width=4": ["columns.charge.width: '4' is out of range"],
    "columns.charge.units=C": ["columns.charge.units: unknown key", "did you mean 'unit'"],
    "columns.kind.default=0.5": ["columns.kind: column 'kind' has a value of 0.5",
                                 "expected a whole number"],
    "columns.charge.default=1 C": ["columns.charge.default: '1 C' is no plain number"],
    "columns.charge.default=[1, 2, 3]": ["columns.charge: 3 numbers for a column that has 1"],
    "columns.charge.type=complex": ["columns.charge.type: unknown value 'complex'"],
    "columns=[charge]": ["columns: this is no map; expected 'NAME: {...}' lines"],
    "columns.charge=C": ["columns.charge: 'C' is no map"],
    "models.0.body.columns.chrage=1": ["models.0.body.columns.chrage: unknown column 'chrage'",
                                       "did you mean 'charge'"],
    "models.0.body.columns.axis=[1, 2]": ["models.0.body.columns.axis: 2 numbers for a column"],
    "models.0.body.columns.kind=0.5": ["models.0.body.columns.kind: column 'kind' has a value"],
    "models.0.body.columns.charge=1 kg": ["'1 kg' is no plain number"],
    "models.0.body.columns.charge=inf": ["'inf' is no plain number"],
}


class Columns(OctantTest):
    def setUp(self):
        super().setUp()
        self.mine = self.write("columns.yaml", SCENE)
        self.write("mine.cl", FORCE)

    def bodies(self, path):
        self.octant("convert", path, "bodies.csv")
        with open(self.folder / "bodies.csv", encoding="utf-8") as file:
            return list(csv.DictReader(line for line in file if not line.startswith("#")))

    def numbers(self, path, *names):
        return [[float(row[name]) for name in names] for row in self.bodies(path)]

    @needs("hdf5")
    def test_a_force_sees_them_and_files_have_them(self):
        for precision in ("single", "mixed", "double"):
            with self.subTest(precision):
                self.octant("run", self.mine, "--precision", precision, "--out", "out", "--force",
                            "--quiet")
                for file in ("out/checkpoint.hdf5", "out/snapshot_0000.hdf5"):
                    # From rest, in a step of a second: charge/mass 10 along x, and kind along axis.
                    self.assertEqual(self.numbers(file, "vx", "vy", "vz"), [[15, 0, 0], [10, 3, 0]])
                    names = ("charge", "kind", "axis_x", "axis_y", "axis_z")
                    self.assertEqual(self.numbers(file, *names),
                                     [[1.5, 0, 1, 0, 2], [2, 3, 0, 1, 0]])
        found = self.octant_json("info", "out/snapshot_0000.hdf5")["columns"]
        self.assertEqual(found["charge"], {"unit": "C", "type": "real", "min": [1.5], "max": [2]})
        self.assertEqual(found["axis"]["max"], [1, 1, 2])
        text = self.octant("info", "out/snapshot_0000.hdf5").stdout
        self.assertIn("charge       1.5 to 2 C\nkind         0 to 3\naxis_x       0 to 1\n", text)
        text = (self.folder / "bodies.csv").read_text()
        self.assertIn("# column charge: real in C\n# column kind: integer\n"
                      "# column axis: real vector\n", text)

    @needs("hdf5")
    def test_a_force_without_them_stays_as_it_was(self):
        self.write("mine.cl", FORCE.replace(
            "octant_columns columns, ", "/* octant_columns */ ").replace(
            "columns.charge / mass * parameters->field + columns.kind * columns.axis",
            "parameters->field"))
        self.octant("run", self.mine, "--out", "out", "--quiet")
        self.assertEqual(self.numbers("out/checkpoint.hdf5", "vx"), [[10], [10]])

    def test_mistakes_in_a_force_are_told(self):
        self.write("mine.cl", FORCE.replace("columns.kind", "columns.kidn"))
        said = self.octant("run", self.mine, "--out", "none", status=2).stderr
        self.assertIn("mine.cl:4:", said)
        self.assertIn("kidn", said)
        self.write("mine.cl", FORCE.replace("octant_columns columns, ", "").replace(
            "columns.charge / mass * parameters->field + columns.kind * columns.axis",
            "parameters->field") + "typedef octant_columns mine;\n")
        said = self.octant("run", self.mine, "--out", "none", status=2).stderr
        self.assertIn("mine.cl:1: octant_force has another form; expected real4 octant_force(real3 "
                      "position, real3 velocity, real mass, ulong id, real time, octant_columns "
                      "columns, constant octant_parameters *parameters)", said)

    def test_mistakes_in_a_scene_are_told(self):
        for change, words in MISTAKES.items():
            with self.subTest(change):
                said = self.octant("check", self.mine, "--set", change, status=2).stderr
                self.assertEqual(said.count("\n"), 1, said)
                for word in words:
                    self.assertIn(word, said)

    @needs("hdf5")
    def test_the_resolved_scene_is_the_same_scene(self):
        self.octant("run", self.mine, "--out", "a", "--quiet")
        self.octant("run", "a/scene.yaml", "--out", "b", "--quiet")
        self.assertEqual(self.bodies("a/checkpoint.hdf5"), self.bodies("b/checkpoint.hdf5"))
        text = (self.folder / "a/scene.yaml").read_text()
        self.assertIn('  charge:\n    unit: "C"\n    width: 1\n    type: real\n    default: 2\n'
                      "    merge: keep\n", text)

    def test_a_resumed_run_has_them(self):
        self.octant("run", self.mine, "--until", "40 s", "--out", "straight", "--quiet")
        self.octant("run", self.mine, "--until", "40 s", "--out", "halves", "--steps", 13,
                    "--quiet")
        self.octant("run", "--resume", "--out", "halves", "--quiet")
        self.assert_same_files("straight", "halves",
                               ["checkpoint.hdf5", "snapshot_0000.hdf5", "scene.yaml"])
        said = self.octant("run", self.mine, "--set", "columns.charge.unit=e", "--resume", "--out",
                           "halves", "--until", "50 s", status=2).stderr
        self.assertIn("columns.charge.unit is e in the scene and C in the checkpoint", said)

    @needs("hdf5")
    def test_files_fill_them(self):
        self.write("in.csv", "mass,x,y,z,vx,vy,vz,kind,charge\n"
                             "1,0,0,0,0,0,0,5,0.25\n2,100,0,0,0,0,0,-6,0.5\n")
        scene = SCENE.split("models:")[0] + (
            "models:\n  - file: {path: in.csv, rotation: [0, 0, 90]}\n"
            "  - body: {mass: 3, offset: [0, 50, 0]}\n"
            "gravity: {method: none}\nintegrator: {dt: 1}\nrun: {until: 1}\n")
        self.octant("run", self.write("file.yaml", scene), "--out", "a", "--quiet")
        self.assertEqual(self.numbers("a/snapshot_0000.hdf5", "charge", "kind", "axis_x"),
                         [[0.25, 5, 0], [0.5, -6, 0], [2, 0, 0]])
        # From a snapshot: a vector turns with its model, which may set values.
        self.octant("run", self.mine, "--out", "c", "--quiet")
        self.write("again.yaml", scene.replace(
            "in.csv, rotation", "c/snapshot_0000.hdf5, columns: {kind: 8}, rotation"))
        self.octant("run", "again.yaml", "--out", "b", "--quiet")
        self.assertEqual(self.numbers("b/snapshot_0000.hdf5", "charge", "kind", "axis_x", "axis_y",
                                      "axis_z"),
                         [[1.5, 8, 0, 1, 2], [2, 8, -1, 0, 0], [2, 0, 0, 0, 0]])
        for file in ("c/snapshot_0000.hdf5", "c/checkpoint.hdf5"):
            self.write("e.yaml", scene.replace("unit: C", "unit: e").replace("in.csv", file))
            said = self.octant("run", "e.yaml", "--out", "none", status=2).stderr
            self.assertIn("column 'charge' is in '", said)
            self.write("e.yaml", scene.replace("{width: 3}", "{}").replace("in.csv", file))
            said = self.octant("run", "e.yaml", "--out", "none", status=2).stderr
            self.assertIn("column 'axis' has ", said)

    @needs("viewer")
    def test_the_viewer_tells_them(self):
        wanted = {"charge": {"value": 1.5, "unit": "C"}, "kind": {"value": 0, "unit": ""},
                  "axis": {"value": [1, 0, 2], "unit": ""}}
        viewer = Viewer(self, "view", str(self.mine))
        body = viewer.get("/api/body?slot=0")["bodies"][0]
        self.assertEqual(body["columns"], wanted)
        self.assertEqual([body[key] for key in ("id", "slot", "type", "mass", "position")],
                         ["1", 0, 1, 1, [0, 0, 0]])
        viewer.end()
        self.octant("run", self.mine, "--out", "out", "--quiet")
        viewer = Viewer(self, "view", "out/snapshot_0000.hdf5")
        self.assertEqual(viewer.get("/api/body?slot=0")["bodies"][0]["columns"], wanted)

    def test_memory_is_counted(self):
        check = ["check", self.mine, "--precision", "double", "--set", "forces=[]"]
        fewer = ["--set", "columns={charge: {}, axis: {}}", "--set",
                 "models=[body: {mass: 1}, body: {mass: 2, offset: [1, 0, 0]}]"]
        with_columns, without = self.octant_json(*check), self.octant_json(*check, *fewer)
        # For two bodies an integer, and a vector of 4 numbers in place of one.
        self.assertEqual(with_columns["bytes_total"] - without["bytes_total"], 2 * (8 + 24))


if __name__ == "__main__":
    unittest.main()
