"""octant sweep: every combination once, to the bits of runs of their own, resumable."""

import csv
import json
import re
import signal
import subprocess
import time
import unittest

from octant_cli import OctantTest, needs

VARY = ["--vary", "gravity.softening=0.05,0.1", "--vary", "models.0.plummer.n=16,24"]
SHORT = ["--until", "0.1"]


class Sweep(OctantTest):
    def sweep(self, *arguments, status=0):
        """The records that members ended with, by their numbers, and the last one."""
        *members, last = self.octant_lines("sweep", "small.yaml", *arguments, status=status)
        self.assertTrue(last["final"])
        return {row["member"]: row for row in members}, last

    def rows(self, path):
        """The rows of a table in which there is text, by the names of columns."""
        with (self.folder / path).open(newline="") as file:
            names, units, *rows = csv.reader(file)
        self.assertTrue(units[0].startswith("# units: "))
        self.assertEqual(len(units), len(names))
        return [dict(zip(names, row, strict=True)) for row in rows]

    def test_every_combination_has_its_row_and_the_bits_of_a_run(self):
        members, last = self.sweep(*VARY, "--seeds", 2, *SHORT, "--workers", 3, "--out", "scan")
        self.assertEqual((last["members"], last["done"], last["failed"]), (8, 8, 0))
        rows = self.rows("scan/table.csv")
        self.assertEqual([row["models.0.plummer.n"] for row in rows], ["16", "16", "24", "24"] * 2)
        self.assertEqual([row["seed"] for row in rows], ["7", "8"] * 4)
        for i in (0, 3, 6):
            row = rows[i]
            keys = ("gravity.softening", "models.0.plummer.n", "seed")
            sets = [word for key in keys for word in ("--set", f"{key}={row[key]}")]
            run = self.octant_lines("run", "small.yaml", *sets, *SHORT, "--out", f"run-{i}")[-1]
            self.assertEqual(row["state_hash"], run["state_hash"])
            self.assertEqual(float(row["energy"]), run["energy"])
            self.assertEqual(members[i]["energy"], run["energy"])
            names = [name for name in self.listing(f"run-{i}") if name != "report.html"]
            self.assert_same_files(f"scan/000{i}", f"run-{i}", names)
        self.assertEqual(self.listing("scan")[8:], ["plot.svg", "report.html", "sweep.yaml",
                                                    "table.csv", "table.hdf5"])

    def test_members_that_share_launches_have_the_same_bits(self):
        words = [*VARY, "--seeds", 2, *SHORT]
        alone, _ = self.sweep(*words, "--batch", "off", "--out", "none")
        together, last = self.sweep(*words, "--batch", "on", "--out", "scan")
        self.assertEqual((last["members"], last["done"]), (8, 8))
        for rows in (alone, together):
            for row in rows.values():
                del row["wall_s"]
        self.assertEqual(together, alone)
        # One whose bodies fly off and one that is refused end alone.
        members, _ = self.sweep("--vary", "integrator.dt=0.01,1e200,-1,0.02", "--steps", 3,
                                "--batch", "on", "--out", "none", status=1)
        self.assertEqual([members[i]["status"] for i in range(4)],
                         ["done", "failed", "failed", "done"])
        self.assertIn("is no number any more", members[1]["failure"])
        self.assertIn("out of range", members[2]["failure"])
        self.assertIn("--batch is auto, on or off, not `of`",
                      self.octant("sweep", "small.yaml", "--batch", "of", status=2).stderr)

    def test_ranges_and_lists(self):
        def values(words):
            done = self.octant("sweep", "small.yaml", "--vary", words, "--dry-run", "--json")
            key = words.partition("=")[0]
            return [json.loads(line)[key] for line in done.stdout.splitlines()]

        self.assertEqual(values("gravity.softening=0.1:1.5:6"),
                         ["0.1", "0.38", "0.66", "0.94", "1.22", "1.5"])
        self.assertEqual(values("gravity.softening=0.001:1:4:log"), ["0.001", "0.01", "0.1", "1"])
        self.assertEqual(values("integrator.dt=0.01 :0.02 :2"), ["0.01", "0.02"])
        self.assertEqual(values("models.0.plummer.offset=[1, 2, 3], [4,5,6]"),
                         ["[1, 2, 3]", "[4,5,6]"])
        self.assertEqual(values('title="a, b",c'), ['"a, b"', "c"])

    def test_failures_are_listed_and_the_rest_is_done(self):
        done = self.octant("sweep", "small.yaml", "--vary", "gravity.softening=0.1,-1,0.2", *SHORT,
                           "--out", "scan", status=1)
        self.assertRegex(done.stderr, r"octant: 0001  softening -1  seed 7  failed: .*softening")
        self.assertIn("2 of 3 members are done, 1 failed", done.stdout)
        rows = self.rows("scan/table.csv")
        self.assertEqual([row["status"] for row in rows], ["done", "failed", "done"])
        self.assertIn("out of range", rows[1]["failure"])
        self.assertEqual((rows[1]["energy"], rows[1]["state_hash"]), ("nan", ""))
        self.assertIn("out of range", (self.folder / "scan/report.html").read_text())
        # A scan of which nothing can be run is refused, and leaves no folder.
        self.assertIn("softening", self.refused("sweep", "small.yaml", "--vary",
                                                "gravity.softening=-1,-2", "--out", "none-good"))
        self.assertNotIn("none-good", self.listing("."))

    def test_a_failure_on_the_way_is_its_own(self):
        """A step so long that bodies fly off to infinity ends one member alone."""
        members, _ = self.sweep("--vary", "integrator.dt=0.01,1e200", "--steps", 3, "--out", "scan",
                                status=1)
        self.assertEqual([members[i]["status"] for i in range(2)], ["done", "failed"])
        self.assertIn("is no number any more", members[1]["failure"])
        again, _ = self.sweep("--vary", "integrator.dt=0.01,1e200", "--steps", 3, "--out", "scan",
                              "--resume", status=1)
        self.assertEqual(list(again), [1])  # what has failed is tried again, and nothing else

    @needs("hdf5")
    def test_ended_by_a_signal_and_gone_on_with(self):
        words = [*VARY, "--until", "40", "--set", "output.snapshot=20"]
        whole, _ = self.sweep(*words, "--out", "none")
        with subprocess.Popen(self.command("sweep", "small.yaml", *words, "--out", "scan",
                                           "--workers", 2, "--quiet"), cwd=self.folder) as process:
            while not (self.folder / "scan/0002/diagnostics.csv").exists():
                time.sleep(0.005)
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(timeout=60), 130)
        before = self.rows("scan/table.csv")
        self.assertIn("stopped", [row["status"] for row in before])
        self.assertFalse([row for row in before if row["status"] == "failed"])
        again, last = self.sweep(*words, "--out", "scan", "--resume")
        self.assertEqual(last["done"], 4)
        done = [int(row["member"]) for row in before if row["status"] == "done"]
        self.assertFalse(set(done) & set(again))
        rows = self.rows("scan/table.csv")
        for i in done:
            self.assertEqual(rows[i], before[i])
        self.assertEqual([row["state_hash"] for row in rows],
                         [whole[i]["state_hash"] for i in range(4)])
        # A table that a kill has taken comes again from the members.
        (self.folder / "scan/table.csv").unlink()
        self.sweep(*words, "--out", "scan", "--resume")
        again = self.rows("scan/table.csv")
        for row in rows + again:
            del row["wall_s"]
        self.assertEqual(again, rows)

    def test_a_table_alone(self):
        members, _ = self.sweep(*VARY, *SHORT, "--table-only", "--out", "scan")
        self.assertEqual([name for name in self.listing("scan") if name.isdigit()], [])
        again, last = self.sweep(*VARY, *SHORT, "--table-only", "--out", "scan", "--resume")
        self.assertEqual((again, last["done"]), ({}, 4))
        self.assertEqual([row["state_hash"] for row in self.rows("scan/table.csv")],
                         [members[i]["state_hash"] for i in range(4)])

    def test_what_is_in_the_folder_is_kept(self):
        self.octant("sweep", "small.yaml", *VARY, *SHORT, "--out", "scan", "--quiet")
        before = (self.folder / "scan/table.csv").read_bytes()
        refusals = [
            ([*VARY, *SHORT], "holds a run already .sweep.yaml."),
            (["--vary", "gravity.softening=0.05,0.1", *SHORT, "--resume"], "another sweep"),
            ([*VARY, "--until", "0.2", "--resume"], "another sweep"),
            (["--vary", "gravity.softening=0.05,0.1", *SHORT, "--force"], "a member 0002"),
        ]
        for words, sentence in refusals:
            self.assertRegex(self.refused("sweep", "small.yaml", *words, "--out", "scan"), sentence)
        self.assertEqual((self.folder / "scan/table.csv").read_bytes(), before)
        self.octant("sweep", "small.yaml", *VARY, "--until", "0.05", "--out", "scan", "--force")
        self.assertEqual({row["time"] for row in self.rows("scan/table.csv")}, {"0.05"})
        self.octant("run", "small.yaml", *SHORT, "--out", "run", "--quiet")
        report = (self.folder / "run/report.html").read_bytes()
        self.assertRegex(self.refused("sweep", "small.yaml", *VARY, "--out", "run", "--force"),
                         "holds a run or a comparison")
        self.assertEqual((self.folder / "run/report.html").read_bytes(), report)
        self.assertRegex(self.refused("sweep", "small.yaml", *VARY, "--out", "new", "--resume"),
                         "no sweep in new")

    def test_what_is_no_sweep(self):
        wrong = [
            (["--vary", "gravity.softening"], "varies nothing"),
            (["--vary", "=1,2"], "varies nothing"),
            (["--vary", "gravity.softening=1,,2"], "a value is missing"),
            (["--vary", "gravity.softening=1:2:1"], "whole number of values from 2"),
            (["--vary", "gravity.softening=1:2:2.5"], "whole number of values from 2"),
            (["--vary", "gravity.softening=0:1:3:log"], "equal ratios"),
            (["--vary", "integrator.dt=1,2", "--vary", "integrator.dt=3"], "varied already"),
            (["--vary", "seed=1,2", "--seeds", "2"], "varied already"),
            (["--vary", "integrator.dt=1:2:400", "--vary", "seed=1:400:400"], "more than 100000"),
            (["--seeds", "0"], "--seeds needs a whole number above 0"),
            (["--vary", "gravity.softenin=1,2"], "did you mean 'softening'"),
            (["--resume", "--force"], "choose one"),
            (["--resume", "--out", "none"], "needs the folder"),
        ]
        for words, sentence in wrong:
            self.assertRegex(self.refused("sweep", "small.yaml", *words), sentence)
        self.assertEqual(self.listing("."), ["small.yaml"])

    def test_members_are_listed_without_a_run(self):
        done = self.octant("sweep", "small.yaml", "--vary", "gravity.softening=0.1,-1",
                           "--seeds", 2, "--dry-run")
        lines = done.stdout.splitlines()
        self.assertEqual(lines[0], "0000  softening 0.1  seed 7  100 steps of plummer")
        self.assertRegex(lines[3], "0003  softening -1  seed 8  will fail: .*out of range")
        self.assertEqual(self.listing("."), ["small.yaml"])

    def test_values_without_numbers_stand_below_the_plot(self):
        self.octant("sweep", "small.yaml", "--vary", "integrator.method=leapfrog,euler", *SHORT,
                    "--plot", "kinetic", "--out", "scan", "--quiet")
        svg = (self.folder / "scan/plot.svg").read_text()
        self.assertEqual(re.findall(r">(leapfrog|euler)<", svg), ["leapfrog", "euler"])

    def test_the_plot_shows_the_column_that_is_asked_for(self):
        words = ["sweep", "small.yaml", "--vary", "gravity.softening=0.1:0.3:3", "--seeds", 2,
                 *SHORT]
        self.octant(*words, "--plot", "kinetic", "--out", "scan", "--quiet")
        svg = (self.folder / "scan/plot.svg").read_text()
        self.assertIn(">kinetic [mass length^2/time^2], mean of the seeds<", svg)
        self.assertIn(">gravity.softening<", svg)
        line = re.search(r'<path class="line line-0" d="([^"]*)"', svg)[1]
        self.assertEqual(len(re.findall(r"[ML]", line)), 3)
        self.assertRegex(self.refused(*words, "--plot", "kinetc", "--out", "scan", "--force"),
                         "no column 'kinetc'")
        self.assertEqual(len(self.rows("scan/table.csv")), 6)

    @needs("hdf5")
    def test_the_table_in_hdf5(self):
        try:
            import h5py
        except ImportError:
            self.skipTest("h5py is not installed")
        self.octant("sweep", "small.yaml", "--vary", "gravity.softening=0.1,0.2,-1", "--vary",
                    "integrator.method=leapfrog,euler", *SHORT, "--out", "scan", "--quiet",
                    status=1)
        rows = self.rows("scan/table.csv")
        with h5py.File(self.folder / "scan/table.hdf5") as file:
            self.assertEqual(set(file), set(rows[0]))
            self.assertEqual(list(file["energy"][:4]), [float(row["energy"]) for row in rows[:4]])
            self.assertTrue((file["energy"][4:] != file["energy"][4:]).all())
            self.assertEqual(file["energy"].attrs["unit"].decode(), "mass length^2/time^2")
            self.assertEqual(list(file["gravity.softening"]), [0.1, 0.1, 0.2, 0.2, -1, -1])
            self.assertEqual(list(file["integrator.method"].asstr()), ["leapfrog", "euler"] * 3)
            self.assertEqual(list(file["failure"].asstr()), [row["failure"] for row in rows])


if __name__ == "__main__":
    unittest.main()
