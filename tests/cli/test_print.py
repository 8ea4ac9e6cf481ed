"""Pictures for print: vectors, units, and a light ground."""

import base64
import os
import re
import shutil
import struct
import subprocess
import unittest
import xml.etree.ElementTree
import zlib

from octant_cli import OctantTest


def png_pixels(data):
    """Width, height and rows of an 8-bit RGB file, decoded by hand."""
    at, body = 8, b""
    while at < len(data):
        length, name = struct.unpack(">I4s", data[at:at + 8])
        if name == b"IHDR":
            width, height = struct.unpack(">II", data[at + 8:at + 16])
        if name == b"IDAT":
            body += data[at + 8:at + 8 + length]
        at += 12 + length
    raw, rows_out, before = zlib.decompress(body), [], bytes(3 * width)
    for y in range(height):
        kind, line = raw[y * (3 * width + 1)], bytearray(raw[y * (3 * width + 1) + 1:
                                                             (y + 1) * (3 * width + 1)])
        for x in range(3 * width):
            a = line[x - 3] if x >= 3 else 0
            b, c = before[x], before[x - 3] if x >= 3 else 0
            nearest = min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]
            line[x] = (line[x] + (0, a, b, (a + b) // 2, nearest)[kind]) % 256
        before = bytes(line)
        rows_out.append(before)
    return width, height, rows_out


def needs(program):
    """Where CI has all that tests need, a program that is missing is a failure."""
    missing = not shutil.which(program) and not os.environ.get("OCTANT_REQUIRE_READERS")
    return unittest.skipIf(missing, f"there is no {program}")


# Two bodies in the solar system's units; the outer one moves by half an AU along x.
SOLAR = """\
title: Zwei Körper, σ ≥ 2
units: solar
models:
  - body: {mass: 1 Msun}
  - body: {mass: 1 Mjup, offset: [5, 0, 0], velocity: [0.5, 0, 0]}
gravity: {method: none}
integrator: {method: leapfrog, dt: 0.5}
run: {until: 1}
output: {snapshot: 1}
"""


class Print(OctantTest):
    """What a journal asks for."""

    def setUp(self):
        super().setUp()
        self.write("solar.yaml", SOLAR)
        self.octant("run", "solar.yaml", "--out", "run", "--quiet")
        self.shots = ["run/snapshot_0000.hdf5", "run/snapshot_0001.hdf5"]

    def drawn(self, *words, shot=0, name="a.png"):
        self.octant("render", self.shots[shot], "--out", name, *words)
        return (self.folder / name).read_bytes()

    def test_units_are_converted(self):
        for plain, with_units in (
                (["--extent", "8"], ["--extent", "1196782965600 m"]),
                (["--extent", "8"], ["--extent=8AU"]),
                (["--extent", "8x4"], ["--extent", "8 x 4 AU"]),
                (["--extent", "8x4"], ["--extent", "8 AU x 598391482.8 km"]),
                (["--centre", "1,2,3"], ["--centre", "1,2,3 AU"]),
                (["--centre", "1,0,0"], ["--centre", "149597870.7 km,0,0"]),
                (["--fov", "50", "--distance", "5"], ["--fov", "50", "--distance", "5 AU"]),
                (["--range", "10:2000"], ["--range", "10:2000 Mearth/AU^2"]),
                (["--range", "10:2000"], ["--range", "10 Mearth/AU^2:2000 Mearth/AU^2"]),
                (["--mode", "particles", "--map", "ice", "--range", "0:1"],
                 ["--mode", "particles", "--map", "ice", "--range", "0:1 AU/d"])):
            with self.subTest(with_units=with_units):
                size = ["--size", "300x240"]
                self.assertEqual(self.drawn(*plain, *size), self.drawn(*with_units, *size))

    def test_a_range_sets_the_colours(self):
        seen = {self.drawn("--size", "300x240", "--bare", *words)
                for words in ([], ["--range", "1:1e9"], ["--range", "1:1e3"])}
        self.assertEqual(len(seen), 3)
        rows_of = png_pixels(self.drawn("--size", "300x240", "--bare", "--range", "1e8:1e9"))[2]
        self.assertEqual(len(set(b"".join(rows_of)[i:i + 3] for i in range(0, 90000, 3))), 1)

    def test_several_pictures_keep_the_range_and_the_shape(self):
        self.octant("render", *self.shots, "--out", "all", "--range", "1:1e6", "--extent", "20 x 5",
                    "--title", "T", "--format", "svg")
        self.assertEqual(self.listing("all"), ["snapshot_0000.svg", "snapshot_0001.svg"])
        sizes = {re.search(r'<svg [^>]*width="(\d+)" height="(\d+)"', path.read_text()).groups()
                 for path in (self.folder / "all").iterdir()}
        self.assertEqual(len(sizes), 1)
        width, height = map(int, sizes.pop())
        self.assertGreater(width, 2.5 * height)

    def test_a_light_picture_is_white(self):
        for mode in ("density", "particles", "spheres"):
            words = ["--size", "300x240", "--mode", mode]
            for theme, first in (([], 0x0c), (["--theme", "dark"], 0x0c),
                                 (["--theme", "light"], 255)):
                rows_of = png_pixels(self.drawn(*words, *theme))[2]
                self.assertEqual(rows_of[0][0], first)
                self.assertEqual(rows_of[-1][-3], first)

    def test_an_svg_is_well_formed_and_holds_the_plot(self):
        data = self.drawn("--theme", "light", name="a.svg")
        root = xml.etree.ElementTree.fromstring(data)
        space = "{http://www.w3.org/2000/svg}"
        self.assertEqual((root.get("width"), root.get("height")), ("1200", "1000"))
        self.assertEqual(root.find(space + "title").text, "Zwei Körper, σ ≥ 2")
        texts = ["".join(text.itertext()) for text in root.iter(space + "text")]
        for label in ("x / AU", "y / AU", "−2", "0", "surface density / M⊕/AU2",
                      "N = 2  ·  along z", "Zwei Körper, σ ≥ 2"):
            self.assertIn(label, texts)
        image = root.find(space + "image")
        href = image.get("{http://www.w3.org/1999/xlink}href")
        width, height, _ = png_pixels(base64.b64decode(href.split(",")[1]))
        self.assertEqual((str(width), str(height)), (image.get("width"), image.get("height")))
        # No label is drawn in pixels: the image is the plot of the PNG without its labels.
        self.assertNotIn(b"<path", data)

    @needs("rsvg-convert")
    @needs("pdftoppm")
    def test_vectors_look_like_the_pixels(self):
        words = ["--theme", "light", "--size", "480x400", "--map", "grey"]
        png_data = self.drawn(*words)
        self.drawn(*words, name="a.svg")
        self.drawn(*words, name="a.pdf")
        subprocess.run(["rsvg-convert", "a.svg", "-o", "svg.png"], cwd=self.folder, check=True)
        subprocess.run(["pdftoppm", "-r", "96", "-png", "-singlefile", "a.pdf", "pdf"],
                       cwd=self.folder, check=True)
        width, height, pixels = png_pixels(png_data)
        for name in ("svg.png", "pdf.png"):
            with self.subTest(name=name):
                data = (self.folder / name).read_bytes()
                self.assertEqual(struct.unpack(">II", data[16:24]), (480, 400))
                channels = {2: 3, 6: 4}[data[25]]
                subprocess.run(["ffmpeg", "-loglevel", "error", "-y", "-i", name, "-pix_fmt",
                                "rgb24", "-f", "rawvideo", "raw"], cwd=self.folder, check=True)
                raw = (self.folder / "raw").read_bytes()
                self.assertIn(channels, (3, 4))
                # The middle of the plot is the same to rounding; the rest has other letters.
                away = [abs(raw[3 * (y * width + x)] - pixels[y][3 * x])
                        for y in range(100, 300) for x in range(120, 330)]
                self.assertLess(sum(away) / len(away), 4)
                dark = sum(raw[3 * i] < 100 for i in range(width * 30))
                self.assertGreater(dark, 100)

    @needs("pdftotext")
    def test_the_text_of_a_pdf(self):
        self.drawn("--theme", "light", name="a.pdf", shot=1)
        text = subprocess.run(["pdftotext", "a.pdf", "-"], cwd=self.folder, check=True, text=True,
                              capture_output=True)
        self.assertEqual(text.stderr, "")
        for label in ("Zwei Körper, σ ≥ 2", "x / AU", "M⊕/AU²", "−2", "t = 1.00 d"):
            self.assertIn(label, text.stdout)

    def test_formats(self):
        for name, start in (("a.png", b"\x89PNG"), ("a.svg", b"<?xml"), ("a.pdf", b"%PDF-1.4")):
            self.assertTrue(self.drawn(name=name).startswith(start))
        self.octant("render", "run/snapshot_0000.hdf5", "--format", "pdf")
        self.assertTrue((self.folder / "run/snapshot_0000.pdf").exists())
        self.assertEqual(self.drawn("--format", "svg", name="a.svg"), self.drawn(name="b.svg"))

    def test_a_body_is_followed(self):
        words = ["--size", "240x200", "--extent", "3", "--bare", "--mode", "particles"]
        middle = []
        for shot in (0, 1):
            rows_of = png_pixels(self.drawn(*words, "--follow", "2", shot=shot))[2]
            middle.append(sum(rows_of[100][360:363]))
        self.assertGreater(min(middle), 250)
        # Half an AU of 3 is 40 pixels: without it, the body leaves the middle.
        fixed = png_pixels(self.drawn(*words, "--centre", "5,0,0", shot=1))[2]
        self.assertLess(sum(fixed[100][360:363]), 250)
        sentence = self.refused("render", *self.shots, "--follow", "3", "--out", "both")
        self.assertIn("id 3", sentence)
        self.assertFalse((self.folder / "both").exists())


if __name__ == "__main__":
    unittest.main()
