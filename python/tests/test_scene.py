"""Scenes from Python: what they are made of, their fields as attributes, what is refused."""

import pathlib
import pickle
import unittest

import numpy as np

from support import SMALL, PythonTest, octant

from octant._sections import reference, sections


class Making(PythonTest):
    def test_all_ways_give_one_scene(self):
        text = octant.Scene(SMALL).text
        file = self.folder / "small.yaml"
        file.write_text(text)
        ways = [file, str(file), text, octant.Scene(SMALL), dict(SMALL)]
        for way in ways:
            self.assertEqual(octant.Scene(way).text, text)
        self.assertEqual(octant.Scene(**SMALL).text, text)
        self.assertEqual(pickle.loads(pickle.dumps(octant.Scene(SMALL))).text, text)

    def test_keywords_go_over_the_rest(self):
        scene = octant.Scene(
            "plummer", gravity="tree", seed=3, set={"models.0.plummer.n": 17, "title": "a: b"}
        )
        self.assertEqual((scene.gravity.method, scene.seed, scene.title), ("tree", 3, "a: b"))
        self.assertEqual(scene.models[0].n, 17)
        self.assertEqual(scene.get("models.0.plummer.scale"), 0.5890486225480862)
        self.assertEqual(
            octant.Scene("plummer", gravity={"softening": 0.5}).gravity.method, "direct"
        )

    def test_a_column_may_have_nothing_but_its_name(self):
        scene = octant.Scene("plummer", columns={"support": {}, "charge": {"unit": "C"}}, output={})
        self.assertEqual(sorted(scene.columns), ["charge", "support"])
        self.assertEqual(scene.output.diagnostics, octant.Scene("plummer").output.diagnostics)

    def test_the_method_comes_first(self):
        scene = octant.Scene("plummer", gravity={"theta": 0.3, "method": "tree"})
        self.assertEqual(scene.gravity.theta, 0.3)

    def test_values_of_all_kinds(self):
        scene = octant.Scene("saturn-ring")
        scene.box.size = np.array([100.0, 200.0, 300.0])
        scene.box.ghosts = (2, 1, 0)
        scene.integrator.dt = "2e-3 orbit"
        scene.models[0].radius.min = "2 m"
        scene.output.kepler_error = False
        self.assertEqual(list(scene.box.size), [100, 200, 300])
        self.assertEqual(scene.box.ghosts, (2, 1, 0))
        self.assertAlmostEqual(scene.integrator.dt, 95.60881652511666)
        self.assertEqual(scene.models[0].radius.min, 2.0)
        self.assertIs(scene.output.kepler_error, False)

    def test_text_of_several_lines_stays_as_it_is(self):
        code = 'real4 octant_force(real3 p, real3 v, real m, ulong i, real t)\n{\n\t// "a": é\n}\n'
        scene = octant.Scene(SMALL, forces=[{"custom": {"code": code}}])
        self.assertEqual(scene.forces[0].code, code)

    def test_builtin_scenes_are_listed_and_load(self):
        scenes = octant.builtin_scenes()
        self.assertIn("saturn-ring", scenes)
        for name in scenes:
            self.assertTrue(octant.Scene(name).title, name)

    def test_plan_and_review(self):
        plan = octant.Scene(SMALL).plan()
        self.assertEqual((plan["steps"], plan["rows"], plan["units"]), (100, 11, "nbody"))
        for problem, sentence in octant.Scene("plummer").review():
            self.assertIsInstance(problem, bool)
            self.assertTrue(sentence)


class Fields(PythonTest):
    def test_every_field_of_every_module_is_an_attribute_with_a_docstring(self):
        from octant._sections import _make

        count = 0
        for section in sections().values():
            for module in section["modules"] or [{"name": None, "fields": []}]:
                made = _make(octant.Scene(SMALL), section, section["name"], module["name"])
                for field in [*module["fields"], *section["fields"]]:
                    attribute = getattr(type(made), field["name"])
                    if field["doc"]:
                        self.assertIn(field["doc"], attribute.__doc__)
                    self.assertIn(field["name"], dir(made))
                    count += 1
        self.assertGreater(count, 100)
        self.assertEqual(reference()["version"], octant.__version__)

    def test_help_has_the_table(self):
        scene = octant.Scene("plummer", gravity="tree")
        self.assertIn("theta", dir(scene.gravity))
        self.assertIn("opening angle", type(scene.gravity).theta.__doc__)
        self.assertIn("theta:", type(scene.gravity).__doc__)
        self.assertIn("theta = ", repr(scene.gravity))

    def test_completion_knows_sections(self):
        names = dir(octant.Scene(SMALL))
        for name in ("gravity", "models", "output", "title", "seed"):
            self.assertIn(name, names)

    def test_misspelled_names_are_answered_with_the_nearest(self):
        scene = octant.Scene(SMALL)
        with self.assertRaisesRegex(AttributeError, "did you mean 'softening'"):
            scene.gravity.softning = 1
        with self.assertRaisesRegex(AttributeError, "did you mean 'gravity'"):
            scene.gravitty
        with self.assertRaisesRegex(AttributeError, "did you mean 'gravity'"):
            scene.gravitty = "tree"
        with self.assertRaisesRegex(octant.InputError, "did you mean 'gravity'"):
            octant.Scene(SMALL, gravty="tree")


class Refusals(PythonTest):
    def test_what_is_no_scene(self):
        for wrong in (3, b"plummer", [1], object()):
            with self.assertRaises(octant.InputError):
                octant.Scene(wrong)
        with self.assertRaisesRegex(octant.MissingError, "built-in scenes"):
            octant.Scene("no-such-scene")
        with self.assertRaises(octant.MissingError):
            octant.Scene(pathlib.Path("nowhere.yaml"))

    def test_bad_values_have_the_librarys_sentence(self):
        with self.assertRaisesRegex(octant.InputError, "did you mean 'nbody'"):
            octant.Scene({"units": "nbodyy"}).text
        scene = octant.Scene(SMALL)
        scene.gravity.softening = float("nan")
        with self.assertRaisesRegex(octant.InputError, "not a number"):
            scene.text
        with self.assertRaisesRegex(octant.InputError, "cannot stand in a scene"):
            scene.gravity.softening = object()
        with self.assertRaisesRegex(octant.InputError, "zero byte"):
            scene.title = "a\0b"

    def test_a_scene_with_a_bad_value_can_be_put_right(self):
        scene = octant.Scene("saturn-ring")
        scene.models[0].radius.law = "fixed"  # which goes with no smallest and largest radius
        with self.assertRaisesRegex(octant.InputError, "belong to 'law: power'"):
            scene.models[0].radius.law
        scene.gravity.method = "direct"
        scene.models[0].radius.law = "power"
        self.assertEqual(scene.gravity.method, "direct")

    def test_a_scene_is_filled_from_nothing(self):
        scene = octant.Scene()
        scene.units = "nbody"
        scene.gravity.method = "tree"
        scene.gravity.theta = 0.4
        scene.models = [{"plummer": {"n": 10}}]
        with self.assertRaises(octant.InputError):
            scene.text
        scene.integrator.dt = 0.01
        self.assertEqual((scene.gravity.theta, scene.models[0].n), (0.4, 10))

    def test_errors_are_also_pythons_own(self):
        with self.assertRaises(ValueError):
            octant.Scene({"units": "nbodyy"}).text
        with self.assertRaises(LookupError):
            octant.Scene("no-such-scene")
        try:
            octant.Scene("no-such-scene")
        except octant.Error as error:
            self.assertEqual(error.kind, "missing")
            self.assertRegex(error.place, r"\w+\.c:\d+")

    def test_use_after_close(self):
        scene = octant.Scene(SMALL)
        scene.close()
        scene.close()
        with self.assertRaises(octant.ClosedError):
            scene.text
        with self.assertRaises(octant.ClosedError):
            octant.Simulation(scene)


if __name__ == "__main__":
    unittest.main()
