"""report.html and `--average`: what a run shows of its measurements."""

import html.parser
import math
import unittest

from octant_cli import OctantTest

# Two bodies that meet at 3 m/s, once.
PAIR = """\
units: si
models:
  - body: {mass: 1 kg, radius: 1 m, offset: [-2.5 m, 0 m, 0 m], velocity: [1 m/s, 0 m/s, 0 m/s]}
  - body: {mass: 1 kg, radius: 1 m, offset: [2.5 m, 0 m, 0 m], velocity: [-2 m/s, 0 m/s, 0 m/s]}
gravity: {method: none}
collisions: {method: direct, restitution: 0.5}
integrator: {method: leapfrog, dt: 0.01 s}
run: {until: 3 s}
"""

VOID = {"meta", "br", "path"}


class Page(html.parser.HTMLParser):
    """A page whose tags must match, taken apart."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.text, self.links = [], [], {}, []
        self.feed(text)
        self.close()
        if self.open:
            raise AssertionError(f"left open: {self.open}")

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.links += [value for name, value in attrs if name in ("src", "href")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            raise AssertionError(f"</{tag}> at {self.getpos()} closes something else")

    def handle_data(self, data):
        for tag in self.open[-1:]:
            self.text.setdefault(tag, []).append(data)


class Report(OctantTest):
    def page(self, folder="out"):
        return Page((self.folder / folder / "report.html").read_text(encoding="utf-8"))

    def columns(self, folder="out"):
        """The measured columns, vectors once."""
        names = list(self.units(f"{folder}/diagnostics.csv"))[2:]
        return {name[:-2] if name[-2:] in ("_x", "_y", "_z") else name for name in names}

    def test_every_column_is_there(self):
        self.octant("run", self.scene, "--out", "out", "--quiet")
        page = self.page()
        self.assertEqual(set(page.text["b"]), self.columns())
        self.assertEqual(page.text["h1"], ["A small cluster"])
        # n, removed and mass do not change; all the others are drawn.
        self.assertEqual(page.tags.count("svg"), len(self.columns()) - 3)
        self.assertIn("Unchanged: ", page.text["p"])
        scene = (self.folder / "out/scene.yaml").read_text()
        self.assertEqual("".join(page.text["pre"]), scene[scene.index("\n") + 1:])  # its run

    def test_it_needs_nothing_else(self):
        self.octant("run", self.scene, "--out", "out", "--quiet")
        page = self.page()
        self.assertEqual(page.links, [])
        self.assertNotIn("script", page.tags)
        text = (self.folder / "out/report.html").read_text(encoding="utf-8")
        for outside in ["http:", "https:", "@import", "url("]:
            self.assertNotIn(outside, text)

    def test_text_is_escaped(self):
        title = "A <b>bold</b> & \"quoted\" 'one'"
        scene = self.scene.read_text().replace("A small cluster", "'" + title.replace("'", "''")
                                               + "'")
        self.octant("run", self.write("odd.yaml", scene), "--out", "out", "--quiet", "--steps", 1)
        self.assertEqual("".join(self.page().text["h1"]), title)

    def test_a_stopped_run_has_one_and_a_resumed_one_shows_all_rows(self):
        self.octant("run", self.scene, "--out", "straight", "--quiet")
        self.octant("run", self.scene, "--out", "out", "--quiet", "--steps", 37)
        self.assertIn("37", self.page().text["td"])
        self.octant("run", "--resume", "--out", "out", "--quiet")
        self.assert_same_files("straight", "out", ["report.html"])

    def test_impacts(self):
        self.octant("run", self.write("pair.yaml", PAIR), "--out", "out", "--quiet")
        self.assertEqual(self.units("out/impacts.csv"),
                         {"lower": "m/s", "upper": "m/s", "count": "1"})
        bins = self.table("out/impacts.csv")
        self.assertEqual(len(bins), 1)
        lower, upper, count = bins[0].values()
        self.assertTrue(lower <= 3 < upper, bins)
        # Bins are an eighth of an octave wide.
        self.assertAlmostEqual(upper / lower, 2 ** 0.125, places=12)
        self.assertEqual(count, 1)
        self.assertIn("impacts", self.page().text["h2"])
        self.assertIn('class="bar" d="M', (self.folder / "out/report.html").read_text())

    def test_a_table_that_is_none(self):
        self.octant("run", self.scene, "--out", "out", "--quiet", "--steps", 37)
        self.write("out/impacts.csv", "lower,upper,count\n0,1\n")
        sentence = self.refused("run", "--resume", "--out", "out", "--quiet")
        self.assertIn("impacts.csv, line 2: there are 2 columns; expected 3", sentence)


class Average(OctantTest):
    def rows(self, folder):
        return self.table(f"{folder}/diagnostics.csv")

    def test_means_over_the_window(self):
        lines = self.octant_lines("run", self.scene, "--out", "out", "--average", "0.3")
        rows = self.rows("out")
        self.assertEqual(len(lines), len(rows))
        for i, (line, row) in enumerate(zip(lines, rows)):
            window = rows[max(0, i - 2):i + 1]
            for name in ["kinetic", "virial"]:
                mean = sum(r[name] for r in window) / len(window)
                # Seen: equal, or 1 ulp where the sums differ in order.
                self.assertTrue(math.isclose(line[name], mean, rel_tol=1e-15), (name, i))
            self.assertEqual((line["step"], line["energy_error"], line["n"]),
                             (row["step"], row["energy_error"], row["n"]))
        self.assertNotEqual(lines[-1]["kinetic"], rows[-1]["kinetic"])

    def test_the_table_and_the_trajectory_stay(self):
        ends = [self.octant_lines("run", self.scene, "--out", out, *more)[-1]
                for out, more in [("a", []), ("b", ["--average", "0.5"])]]
        self.assertEqual(ends[0]["state_hash"], ends[1]["state_hash"])
        self.assert_same_files("a", "b", ["diagnostics.csv"])

    def test_a_short_window_is_the_present_row(self):
        line = self.octant_lines("run", self.scene, "--out", "out", "--average", "0.01")[-1]
        self.assertEqual(line["kinetic"], self.rows("out")[-1]["kinetic"])

    def test_a_resumed_window_starts_empty(self):
        self.octant("run", self.scene, "--out", "out", "--quiet", "--steps", 80)
        line = self.octant_lines("run", "--resume", "--out", "out", "--average", "100")[-1]
        last = [row["kinetic"] for row in self.rows("out")[-2:]]
        self.assertTrue(math.isclose(line["kinetic"], sum(last) / 2, rel_tol=1e-15))

    def test_units(self):
        ends = [self.octant_lines("run", "solar-system", "--out", "none", "--steps", 400,
                                  "--average", time)[-1]
                for time in ["0.25yr", "0.25 yr", "91.3125"]]
        self.assertEqual(ends[0]["kinetic"], ends[1]["kinetic"])
        self.assertEqual(ends[0]["kinetic"], ends[2]["kinetic"])

    def test_orbits(self):
        # An orbit of 1 s, so that half of one is 0.5 s of the rows every 0.03 s.
        sheet = PAIR.replace("leapfrog", "sei") + \
            "box: {boundary: shear, size: [20 m, 20 m, 20 m], omega: 6.283185307179586 /s}\n"
        scene = self.write("sheet.yaml", sheet)
        ends = [self.octant_lines("run", scene, "--out", out, "--average", time)[-1]
                for out, time in [("a", "0.5 orbit"), ("b", "0.5"), ("c", "1 orbit")]]
        self.assertEqual(ends[0]["kinetic"], ends[1]["kinetic"])
        self.assertNotEqual(ends[0]["kinetic"], ends[2]["kinetic"])
        self.assertIn("time [orbit]", (self.folder / "a/report.html").read_text(encoding="utf-8"))

    def test_bad_times(self):
        for time in ["soon", "3 apples", "-1", "0", "inf", "1 kg", "1 orbit"]:
            sentence = self.refused("run", self.scene, "--out", "bad", "--average", time)
            self.assertIn("--average", sentence)
        self.assertFalse((self.folder / "bad").exists())


if __name__ == "__main__":
    unittest.main()
