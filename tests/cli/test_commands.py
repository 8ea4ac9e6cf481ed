"""The commands as a user types them: help, usage errors, and what --json prints."""

import json
import os
import re
import subprocess
import unittest

from octant_cli import BINARY, OctantTest, needs

COMMANDS = ["accuracy", "check", "cite", "compare", "convert", "devices", "groups", "help", "info",
            "list", "prepare", "run", "selftest"]


class Help(OctantTest):
    def test_the_program_lists_its_commands(self):
        text = self.octant("--help").stdout
        for name in COMMANDS:
            self.assertRegex(text, rf"(?m)^  {name} +\S")
        self.assertIn("example: octant ", text)

    def test_every_command_has_usage_options_and_an_example(self):
        listed = re.findall(r"(?m)^  ([a-z]+)  ", self.octant("--help").stdout)
        self.assertLessEqual(set(COMMANDS), set(listed))
        for name in listed:
            text = self.octant(name, "--help").stdout
            self.assertIn(f"usage: octant {name}", text)
            self.assertIn("  --help", text)
            self.assertRegex(text, rf"(?m)^example: octant {name}")
            self.assertLessEqual(max(map(len, text.splitlines()[1:])), 100)

    def test_help_wins_over_missing_arguments(self):
        self.octant("info", "--help")
        self.octant("run", "-h")

    def test_version(self):
        self.assertRegex(self.octant("--version").stdout,
                         r"^octant \d+\.\d+\.\d+\n(with(out)? hdf5, png, viewer, mpi\n|"
                         r"with hdf5, png, viewer\nwithout mpi\n)$")


class Usage(OctantTest):
    def test_no_command(self):
        self.assertIn("--help", self.refused())

    def test_unknown_command(self):
        self.assertIn("did you mean `devices`?", self.refused("devises"))
        self.assertIn("`octant --help` lists them", self.refused("xyzzy"))

    def test_option_before_the_command(self):
        self.assertIn("a command comes first", self.refused("--json", "devices"))

    def test_unknown_option(self):
        self.assertIn("did you mean --precision?",
                      self.refused("run", "two-body", "--precison", "single"))
        self.assertIn("`octant run --help`", self.refused("run", "two-body", "--xyzzy"))
        self.assertIn("two dashes", self.refused("run", "two-body", "-j"))

    def test_option_values(self):
        self.assertIn("needs a value", self.refused("run", self.scene, "--out"))
        self.assertIn("takes no value", self.refused("run", self.scene, "--json=yes"))
        self.assertIn("given twice", self.refused("run", self.scene, "--steps=1", "--steps", "2"))

    def test_numbers(self):
        for text in ["0", "-1", "ten", "1.5", "", "99999999999999999999999"]:
            self.assertIn("whole number", self.refused("run", self.scene, f"--steps={text}"))

    def test_precision(self):
        self.assertIn("did you mean double?", self.refused("run", self.scene, "--precision=doubel"))

    def test_number_of_arguments(self):
        self.assertIn("needs FILE", self.refused("info"))
        self.assertIn("needs SCENE", self.refused("run"))
        self.assertIn("no use for `b`", self.refused("info", "a", "b"))

    def test_two_dashes_end_the_options(self):
        self.assertIn("--help", self.refused("info", "--", "--help"))

    def test_nothing_is_written_by_a_refused_run(self):
        before = self.listing(".")
        self.refused("run", self.scene, "--set", "gravity.softning=1")
        self.refused("run", "no-such-scene")
        self.refused("run", self.scene, "--until", "3 apples")
        self.refused("run", self.scene, "--device", "no-such-device")
        self.assertEqual(self.listing("."), before)

    def test_a_full_disk_under_standard_output_is_a_failure(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full here")
        with open("/dev/full", "w") as full:
            done = subprocess.run([BINARY, "cite"], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("standard output", done.stderr)


class Devices(OctantTest):
    def test_json(self):
        devices = self.octant_json("devices")
        self.assertGreater(len(devices), 0)
        for index, device in enumerate(devices):
            self.assertEqual(device["index"], index)
            self.assertIn(device["kind"], ["cpu", "gpu", "other"])
            self.assertGreater(device["memory"], 0)
            self.assertGreater(device["max_buffer"], 0)
            self.assertIsInstance(device["fp64"], bool)
            for key in ["name", "vendor", "driver"]:
                self.assertTrue(device[key], key)

    def test_table(self):
        name = self.octant_json("devices")[0]["name"]
        self.assertIn(name, self.octant("devices").stdout)


class List(OctantTest):
    def test_modules(self):
        text = self.octant("list").stdout
        for word in ["leapfrog", "direct", "plummer", "softening"]:
            self.assertIn(word, text)
        self.assertIn("leapfrog", json.dumps(self.octant_json("list")))
        self.assertIn("leapfrog", self.octant("list", "--markdown").stdout)

    def test_scenes(self):
        scenes = {scene["name"]: scene for scene in self.octant_json("list", "scenes")}
        self.assertLessEqual({"plummer", "two-body", "solar-system"}, set(scenes))
        for name, scene in scenes.items():
            self.assertTrue(scene["title"], name)
            self.assertEqual(self.octant("list", "--show", name).stdout, scene["text"])
            self.assertIn(name, self.octant("list", "scenes").stdout)

    def test_names(self):
        self.assertIn("did you mean `plummer`?", self.refused("list", "--show", "plumer"))

    def keys(self, name):
        """The keys that `list NAME` shows, as section.module.key."""
        found = self.octant_json("list", name)
        def walk(prefix, fields):
            for field in fields:
                yield prefix + field["name"]
                yield from walk(f"{prefix}{field['name']}.", field.get("fields", []))
        keys = {*walk("", found["top"]["fields"]), *walk("", found["constants"]["fields"])}
        for section in found["sections"]:
            keys |= {*walk(f"{section['name']}.", section["fields"])}
            for module in section["modules"]:
                keys |= {*walk(f"{section['name']}.{module['name']}.", module["fields"])}
        columns = {column["name"] for diag in found["diagnostics"] for column in diag["columns"]}
        return keys, columns

    def test_a_module(self):
        keys, columns = self.keys("ring")
        self.assertIn("models.ring.surface_density", keys)
        self.assertIn("models.ring.radius.law", keys)
        # What every model has stands beside its own.
        self.assertEqual({key for key in keys if ".ring." not in key},
                         {f"models.{key}" for key in ("offset", "velocity", "rotation",
                                                      "inclination", "node", "columns", "name",
                                                      "type", "softening")})
        self.assertEqual(self.keys("leapfrog")[0], {"integrator.dt", "integrator.leapfrog.bursts"})
        self.assertEqual(columns, set())
        text = self.octant("list", "ring").stdout
        self.assertRegex(text, r"(?m)^  ring: ")
        self.assertRegex(text, r"density +a number above 0 \(density\), required")
        self.assertRegex(text, r"radius\.slope +a number.*, default -3")
        self.assertIn("octant list units", text)
        self.assertNotIn("plummer", text)
        self.assertLessEqual(max(map(len, text.splitlines())), 100)

    def test_a_key_wherever_it_is(self):
        keys, _ = self.keys("softening")
        self.assertLessEqual({"gravity.tree.softening", "gravity.direct.softening"}, keys)
        self.assertEqual({key.split(".")[-1] for key in keys}, {"softening"})
        self.assertEqual(self.keys("gravity.criterion")[0], {"gravity.tree.criterion"})
        self.assertEqual(self.keys("relative")[0], {"gravity.tree.criterion"})
        self.assertEqual(self.keys("models.0.ring.radius.min")[0],
                         {"models.ring.radius", "models.ring.radius.min"})

    def test_a_family(self):
        everything, columns = self.keys("modules")
        for name, section in [("models", "models"), ("model", "models"), ("boundary", "box"),
                              ("force", "forces"), ("collision", "collisions"), ("run", "run"),
                              ("gravity.method", "gravity")]:
            self.assertEqual({key for key in everything if key.startswith(section + ".")},
                             {key for key in self.keys(name)[0] if key.startswith(section + ".")})
        self.assertEqual(self.keys("diagnostics")[1], columns)
        self.assertEqual(self.keys("toomre_q"), (set(), {"toomre_q"}))
        self.assertIn("kpc", self.octant("list", "units").stdout)

    def test_a_scene(self):
        self.assertRegex(self.octant("list", "saturn-ring").stdout, r"^saturn-ring +\S.*\n$")
        [scene] = self.octant_json("list", "saturn-ring")
        self.assertEqual(scene["name"], "saturn-ring")
        text = self.octant("list", "plummer").stdout
        self.assertRegex(text, r"(?m)^  plummer: ")
        self.assertIn("octant list --show plummer", text)

    def test_no_such_name(self):
        self.assertIn("did you mean 'ring'?", self.refused("list", "rng"))
        for name in ("xyzzy", "", ".", "gravity.", "gravity.ring", "x.theta", "gravity.theta.x"):
            self.assertIn("nothing in a scene is called", self.refused("list", name))

    def test_a_shown_scene_is_a_scene(self):
        self.write("copy.yaml", self.octant("list", "--show", "two-body").stdout)
        self.assertEqual(self.octant_json("check", "copy.yaml")["n"],
                         self.octant_json("check", "two-body")["n"])


class Check(OctantTest):
    def test_json(self):
        found = self.octant_json("check", self.scene)
        self.assertEqual(found["n"], 48)
        self.assertEqual((found["steps"], found["rows"], found["snapshots"]), (100, 11, 5))
        self.assertEqual(found["models"], "plummer")
        self.assertTrue(found["fits"])
        self.assertEqual(found["problems"], [])
        self.assertGreater(found["device_memory"], found["bytes_total"])
        self.assertAlmostEqual(found["bytes_per_particle"] * 48, found["bytes_total"], delta=2e6)

    def test_text(self):
        text = self.octant("check", self.scene, "--scene").stdout
        self.assertRegex(text, r"particles +48\n")
        self.assertRegex(text, r"(?m)^ *softening: 0.05")

    def test_every_builtin_scene_is_sound(self):
        for scene in self.octant_json("list", "scenes"):
            self.assertTrue(self.octant_json("check", scene["name"])["fits"], scene["name"])

    def test_what_does_not_fit_is_told(self):
        many = "models.0.plummer.n=2147483648"
        done = self.octant("check", self.scene, "--set", many, "--json", status=2)
        found = json.loads(done.stdout)
        self.assertFalse(found["fits"])
        self.assertEqual(len(found["problems"]), 1)
        self.assertGreater(found["fitting"], 0)
        self.assertIn("would fit", done.stderr)

    def test_a_bad_scene_is_a_problem(self):
        done = self.octant("check", self.scene, "--set", "integrator.dt=-1", "--json", status=2)
        self.assertEqual(len(json.loads(done.stdout)["problems"]), 1)
        self.assertIn("dt", done.stderr)


class Files(OctantTest):
    def setUp(self):
        super().setUp()
        self.octant("run", self.scene, "--steps", 3, "--out", "out", "--quiet")

    @needs("hdf5")
    def test_info_of_every_kind(self):
        self.octant("convert", "out/snapshot_0000.hdf5", "bodies.csv")
        kinds = {"out/snapshot_0000.hdf5": "snapshot", "out/checkpoint.hdf5": "checkpoint",
                 "bodies.csv": "csv"}
        for name, kind in kinds.items():
            found = self.octant_json("info", name)
            self.assertEqual((found["kind"], found["n"]), (kind, 48))
            self.assertEqual(sum(found["types"].values()), 48)
            self.assertAlmostEqual(found["mass"], 1, places=12)
            self.assertEqual(found["checksum"], None if kind == "csv" else "ok")
            self.assertIn("48", self.octant("info", name).stdout)
            for low, centre, high in zip(found["min"], found["centre"], found["max"]):
                self.assertTrue(low < centre < high)

    @needs("hdf5")
    def test_info_knows_time_and_step(self):
        found = self.octant_json("info", "out/checkpoint.hdf5")
        self.assertEqual(found["step"], 3)
        self.assertAlmostEqual(found["time"], 0.03, places=15)

    def bodies(self, name):
        """The rows of a CSV file of bodies, by id."""
        lines = [line for line in (self.folder / name).read_text().splitlines() if line[0] != "#"]
        names, *rows = (line.split(",") for line in lines)
        table = [dict(zip(names, map(float, row))) for row in rows]
        return {row["id"]: row for row in table}

    @needs("hdf5")
    def test_convert_there_and_back(self):
        self.octant("convert", "out/checkpoint.hdf5", "a.csv")
        self.octant("convert", "a.csv", "b.hdf5")
        self.octant("convert", "b.hdf5", "c.csv")
        before, after = self.bodies("a.csv"), self.bodies("c.csv")
        self.assertEqual(len(before), 48)
        self.assertEqual(set(before), set(after))
        for id, body in before.items():
            for name, value in body.items():
                # A snapshot shifts coordinates into its box: measured 9e-16.
                self.assertAlmostEqual(value, after[id][name], delta=1e-14)

    @needs("hdf5")
    def test_convert_units(self):
        self.octant("run", "solar-system", "--steps=1", "--out=sun", "--quiet")
        self.octant("convert", "sun/checkpoint.hdf5", "si.hdf5", "--units", "si")
        ours, si = (self.octant_json("info", name) for name in ("sun/checkpoint.hdf5", "si.hdf5"))
        self.assertEqual(si["units"]["mass"], 1)
        for key, power in [("mass", "mass"), ("time", "time")]:
            self.assertAlmostEqual(ours[key] * ours["units"][power] / si[key], 1, places=12)
        for x, y in zip(ours["max"], si["max"]):
            self.assertAlmostEqual(x * ours["units"]["length"], y, delta=1e-12 * max(si["max"]))

    def test_convert_refuses(self):
        self.assertIn("did you mean 'solar'?",
                      self.refused("convert", "out/checkpoint.hdf5", "a.csv", "--units=soler"))
        self.refused("convert", "out/checkpoint.hdf5", "a.txt")
        self.refused("convert", "none.hdf5", "a.csv")
        self.assertFalse((self.folder / "a.csv").exists())

    def test_info_refuses_what_it_cannot_read(self):
        self.refused("info", "nothing.hdf5")
        self.refused("info", ".")
        self.write("text.hdf5", "no HDF5 at all")
        self.refused("info", "text.hdf5")


class Others(OctantTest):
    def test_cite(self):
        self.assertIn("doi", self.octant("cite").stdout)
        self.assertEqual(self.octant("cite", "--bibtex").stdout.count("@"),
                         1 + len(self.octant_json("cite")))

    def test_selftest(self):
        found = self.octant_json("selftest")
        self.assertTrue(found["passed"])
        self.assertGreater(len(found["cases"]), 3)
        for case in found["cases"]:
            self.assertTrue(case["passed"], case)
            self.assertLessEqual(case["error"], case["tolerance"])

    def test_accuracy(self):
        [single] = self.octant_json("accuracy", self.scene, "--precision", "single")
        [double] = self.octant_json("accuracy", self.scene, "--precision", "double")
        self.assertIsNone(single["theta"])
        self.assertEqual((single["n"], single["cells"]), (48, 0))
        self.assertTrue(0 < single["median"] <= single["p90"] <= single["p99"])
        self.assertLess(single["p99"], 1e-5)
        self.assertTrue(0 < single["potential_mean"] < 1e-5)
        self.assertEqual(double["p99"], 0)
        self.assertIn("median", self.octant("accuracy", self.scene).stdout)

    def test_accuracy_refuses(self):
        self.assertIn("no gravity", self.refused("accuracy", self.scene, "--set",
                                                 "gravity={method: none}"))
        self.assertIn("--theta", self.refused("accuracy", self.scene, "--theta", "0.3,x"))


if __name__ == "__main__":
    unittest.main()
