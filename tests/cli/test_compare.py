"""`octant compare`: two scenes, or two settings of one, side by side."""

import math
import os
import pty
import signal
import subprocess
import time
import unittest

from octant_cli import FIRST_USE, OctantTest
from test_report import Page

FILES = ["bodies.csv", "compare.csv", "report.html", "scene_a.yaml", "scene_b.yaml"]
KEYS = ["time", "separation_max", "separation_mean", "separation_total", "energy_error_a",
        "energy_error_b", "farthest", "compared", "removed_a", "removed_b"]


class CompareTest(OctantTest):
    def table(self, name, folder="out"):
        return super().table(f"{folder}/{name}")


class Compared(CompareTest):
    def test_a_scene_with_itself(self):
        lines = self.octant_lines("compare", self.scene, self.scene)
        self.assertEqual(len(lines), 11)
        for line in lines:
            self.assertEqual([line["separation_" + of] for of in ("max", "mean", "total")], [0] * 3)
            self.assertIsNone(line["farthest"])
        end = lines[-1]
        self.assertEqual(end["state_hash_a"], end["state_hash_b"])
        alone = self.octant_lines("run", self.scene, "--out", "none")[-1]
        self.assertEqual(end["state_hash_a"], alone["state_hash"])
        self.assertEqual(end["energy_error_a"], alone["energy_error"])

    def test_two_settings_of_one_scene(self):
        end = self.octant_lines("compare", self.scene, "--set", "models.0.plummer.n=16",
                                "--a", "gravity.softening=0.1", "--a", "integrator.dt=0.02",
                                "--b", "gravity.softening=0.2", "--until", "0.4")[-1]
        self.assertEqual((end["compared"], end["time"]), (16, 0.4))
        alone = [self.octant_lines("run", self.scene, "--out", "none", "--until", "0.4",
                                   "--set", "models.0.plummer.n=16", *more)[-1]["state_hash"]
                 for more in (["--set", "gravity.softening=0.1", "--set", "integrator.dt=0.02"],
                              ["--set", "gravity.softening=0.2"])]
        self.assertEqual([end["state_hash_a"], end["state_hash_b"]], alone)
        self.assertGreater(end["separation_max"], 1e-4)

    def test_two_scenes(self):
        other = self.write("other.yaml", self.scene.read_text().replace("0.01}", "0.005}"))
        end = self.octant_lines("compare", self.scene, other)[-1]
        self.assertGreater(end["separation_max"], 0)
        # Energy errors of leapfrog go with the square of the step. Seen: 4.01.
        self.assertAlmostEqual(end["energy_error_a"] / end["energy_error_b"], 4, delta=0.1)

    def test_precisions(self):
        for options in (["--precision-a", "single", "--precision-b", "double"],
                        ["--precision", "single", "--precision-b", "double"]):
            end = self.octant_lines("compare", self.scene, *options)[-1]
            self.assertEqual((end["precision_a"], end["precision_b"]), ("single", "double"))
            # Seen: 5.6e-7.
            self.assertTrue(1e-8 < end["separation_max"] < 1e-5, end)

    def test_the_earlier_end_counts(self):
        for side in ("--a", "--b"):
            end = self.octant_lines("compare", self.scene, side, "run.until=0.3")[-1]
            self.assertEqual(end["time"], 0.3)

    def test_a_merged_body_is_not_compared(self):
        scene = self.write("pair.yaml", """\
units: nbody
models:
  - body: {mass: 1, radius: 1, offset: [-2, 0, 0], velocity: [1, 0, 0]}
  - body: {mass: 1, radius: 1, offset: [2, 0, 0], velocity: [-1, 0, 0]}
gravity: {method: none}
collisions: {method: direct, outcome: merge}
integrator: {method: leapfrog, dt: 0.1}
run: {until: 2}
""")
        done = self.octant("compare", scene, "--b", "collisions.outcome=bounce", "--json", "--out",
                           "out")
        self.assertIn("octant: note: a: particle 2 was merged into 1", done.stderr)
        end = self.table("compare.csv")[-1]
        self.assertEqual((end["compared"], end["removed_a"], end["removed_b"]), (1, 1, 0))
        self.assertTrue(math.isnan(self.table("bodies.csv")[-1]["2"]))


class Results(CompareTest):
    def setUp(self):
        super().setUp()
        self.lines = self.octant_lines("compare", "solar-system", "--b", "integrator.dt=1 day",
                                       "--until", "200 day", "--interval", "20 day", "--bodies",
                                       "--out", "out")

    def test_files(self):
        self.assertEqual(self.listing("out"), FILES)
        units = self.units("out/compare.csv")
        self.assertEqual([units[name] for name in ("time", "separation_max", "compared")],
                         ["day", "AU", "1"])

    def test_json_and_csv_agree(self):
        rows = self.table("compare.csv")
        self.assertEqual([line["time"] for line in self.lines], list(range(0, 201, 20)))
        self.assertEqual(len(rows), len(self.lines))
        for line, row in zip(self.lines, rows):
            self.assertEqual(list(row), KEYS)
            for key in KEYS:
                value = math.nan if line[key] is None else line[key]
                self.assertTrue(row[key] == value or math.isnan(row[key]) and math.isnan(value),
                                (key, line, row))

    def test_bodies_add_up(self):
        for line, row in zip(self.lines, self.table("bodies.csv")):
            self.assertEqual(row.pop("time"), line["time"])
            self.assertEqual(row, line["separations"])
            self.assertEqual(list(row), [str(i) for i in range(1, 10)])
            self.assertEqual(max(row.values()), line["separation_max"])
            # Seen: 1 ulp.
            self.assertTrue(math.isclose(sum(row.values()), line["separation_total"],
                                         rel_tol=1e-15))
            self.assertTrue(math.isclose(line["separation_mean"], line["separation_total"] / 9,
                                         rel_tol=1e-15))
            if line["farthest"]:
                self.assertEqual(row[str(line["farthest"])], line["separation_max"])

    def test_the_last_line(self):
        self.assertEqual(["final" in line for line in self.lines], [False] * 10 + [True])
        end = self.lines[-1]
        self.assertEqual((end["final"], end["stopped"]), (True, False))
        for key in ("state_hash_a", "state_hash_b"):
            self.assertRegex(end[key], r"^[0-9a-f]{16}$")

    def test_report(self):
        text = (self.folder / "out/report.html").read_text(encoding="utf-8")
        page = Page(text)
        self.assertEqual(page.links, [])
        self.assertEqual(page.tags.count("svg"), 3)
        self.assertEqual(page.text["h1"], ["The Sun and its eight planets: a and b compared"])
        end = self.lines[-1]
        self.assertIn(f"total {end['separation_total']:.6g}, max {end['separation_max']:.6g}, "
                      f"mean {end['separation_mean']:.6g} at the end", page.text["span"])
        self.assertIn(f"a {abs(end['energy_error_a']):.6g}, b {abs(end['energy_error_b']):.6g} "
                      "at the end", page.text["span"])
        by_size = sorted(end["separations"], key=end["separations"].get, reverse=True)
        self.assertEqual([name for name in page.text["th"] if name.startswith("body ")],
                         [f"body {name}" for name in by_size])
        # The step and what follows from it in the scenes are in bold.
        self.assertLessEqual({"0.5 day (0.001368925394 yr)", "1 day (0.002737850787 yr)",
                              "  dt: 0.5", "  dt: 1"}, set(page.text["b"]))
        self.assertNotIn("direct", page.text["b"])
        for scene in ("scene_a.yaml", "scene_b.yaml"):
            self.octant("check", f"out/{scene}")

    def test_two_comparisons_leave_the_same_bytes(self):
        self.octant("compare", "solar-system", "--b", "integrator.dt=1 day", "--until", "200 day",
                    "--interval", "20 day", "--quiet", "--out", "again")
        self.assert_same_files("out", "again", FILES)

    def test_an_old_comparison_is_kept_or_replaced(self):
        again = ["compare", self.scene, "--a", "integrator.dt=0.02", "--set",
                 "models.0.plummer.n=1001", "--until", "0.1", "--out", "out"]
        before = (self.folder / "out/compare.csv").read_bytes()
        self.assertIn("holds a run already", self.refused(*again))
        self.assertEqual((self.folder / "out/compare.csv").read_bytes(), before)
        self.octant(*again, "--force", "--quiet")
        self.assertEqual(len(self.table("compare.csv")), 2)
        # So many bodies have no table of their own, and that of the others is gone.
        self.assertEqual(self.listing("out"), FILES[1:])


class Printed(CompareTest):
    ARGUMENTS = ("--b", "integrator.dt=0.005")

    def test_plain_lines(self):
        lines = self.octant("compare", self.scene, *self.ARGUMENTS, "--out", "out").stdout \
            .splitlines()
        self.assertEqual(len(lines), 12)
        self.assertTrue(lines[1].startswith("time 0.1  separation max "), lines[1])
        self.assertEqual(lines[-1], "results in out")

    def test_quiet_and_nothing_written(self):
        before = self.listing(".")
        done = self.octant("compare", self.scene, *self.ARGUMENTS, "--quiet")
        self.assertEqual((done.stdout, done.stderr), ("", ""))
        self.assertEqual(self.listing("."), before)

    def test_many_bodies_only_when_asked_for(self):
        run = ["compare", self.scene, *self.ARGUMENTS, "--quiet", "--set",
               "models.0.plummer.n=1001", "--until", "0.02", "--interval", "0.01", "--out"]
        self.octant(*run, "few")
        self.octant(*run, "all", "--bodies")
        self.assertEqual(self.listing("few"), FILES[1:])
        self.assertEqual(self.listing("all"), FILES)
        self.assertEqual(len(self.table("bodies.csv", "all")[0]), 1002)

    def test_progress_on_a_terminal(self):
        ours, theirs = pty.openpty()
        done = subprocess.run(self.command("compare", self.scene, *self.ARGUMENTS), stderr=theirs,
                              stdout=subprocess.PIPE, text=True, cwd=self.folder, timeout=120)
        os.close(theirs)
        shown = os.read(ours, 65536).decode()
        os.close(ours)
        self.assertEqual(done.returncode, 0)
        self.assertIn("\r\033[Ktime ", shown)
        self.assertTrue(shown.endswith("\r\033[K"), shown)
        self.assertEqual(len(done.stdout.splitlines()), 1)

    def test_a_signal_ends_it_with_a_report(self):
        process = subprocess.Popen(
            self.command("compare", self.scene, *self.ARGUMENTS, "--until", "1e6", "--out", "out",
                         "--json"),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.folder)
        deadline = time.monotonic() + 60
        while not (self.folder / "out/compare.csv").exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=60)
        error = FIRST_USE.sub("", error)
        self.assertEqual((process.returncode, error), (128 + signal.SIGINT, ""))
        self.assertRegex(out.splitlines()[-1], r'"final": true, "stopped": true')
        self.assertEqual(self.listing("out"), FILES)


class Refused(CompareTest):
    def test_one_sentence_and_nothing_written(self):
        before = self.listing(".")
        scene, change = self.scene, ("--b", "integrator.dt=0.005")
        for arguments, words in [
                ([], "needs A [B]"),
                ([scene], "nothing differs"),
                ([scene, scene, scene], "no use for"),
                ([scene, "no-such-scene"], "no-such-scene"),
                ([scene, "--b", "integrator.dtt=1"], "dtt"),
                ([scene, "--b", "models.0.plummer.n=47"], "a has 48 bodies and b has 47"),
                ([scene, "two-body"], "a has 48 bodies and b has 2"),
                ([scene, "--b", "units=si"], "a is in units nbody and b in si"),
                ([scene, "--b", "integrator.dt=0.00314159"], "no common multiple"),
                ([scene, *change, "--interval", "0.0075"], "0.75 steps of a and 1.5 of b"),
                ([scene, *change, "--interval", "soon"], "--interval"),
                ([scene, *change, "--interval", "0"], "--interval"),
                ([scene, *change, "--until", "3 apples"], "apples"),
                ([scene, *change, "--until", "-1"], "run.until"),
                ([scene, "--precision-a", "doubel"], "--precision-a is single"),
                ([scene, *change, "--device", "no-such-device"], "no-such-device"),
                ([scene, "--b", "box={boundary: periodic, size: [9, 9, 9]}"], "boxes of a and b")]:
            with self.subTest(arguments=arguments):
                sentence = self.refused("compare", *arguments, "--out", "out")
                self.assertIn(words, sentence)
                self.assertEqual(self.listing("."), before)

    def test_a_folder_that_cannot_be(self):
        self.write("file", "")
        for out in ("file", ""):
            self.refused("compare", self.scene, "--b", "integrator.dt=0.005", "--out", out)


if __name__ == "__main__":
    unittest.main()
