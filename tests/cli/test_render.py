"""Pictures as a user asks for them."""

import os
import shutil
import struct
import signal
import subprocess
import unittest
import zlib

from octant_cli import OctantTest, needs

CSV = "id,mass,x,y,z,vx,vy,vz,radius\n"


def rows(count, scale):
    """A spiral of bodies, without any random numbers."""
    return CSV + "".join(
        f"{i + 1},1,{scale * i * ((i * 7) % 5 - 2)},{scale * i * ((i * 3) % 7 - 3)},{i},0,0,0,0\n"
        for i in range(count))


def png(path):
    """Width, height and the chunk names of a PNG file, with every checksum verified."""
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, names = 8, []
    while at < len(data):
        length, name = struct.unpack(">I4s", data[at:at + 8])
        (crc,) = struct.unpack(">I", data[at + 8 + length:at + 12 + length])
        assert crc == zlib.crc32(data[at + 4:at + 8 + length])
        names.append(name.decode())
        at += 12 + length
    return (*struct.unpack(">II", data[16:24]), names)


@needs("hdf5", "png")
class Render(OctantTest):
    def setUp(self):
        super().setUp()
        self.one = self.write("one.csv", rows(40, 1))
        self.two = self.write("two.csv", rows(40, 3))

    def names(self):
        return sorted(path.name for path in self.folder.iterdir())

    def test_a_picture_lies_beside_its_file(self):
        self.octant("render", "one.csv")
        width, height, chunks = png(self.folder / "one.png")
        self.assertEqual((width, height), (1200, 1000))
        self.assertIn("sRGB", chunks)
        self.assertNotIn("tIME", chunks)

    def test_a_name_or_a_folder_may_be_given(self):
        (self.folder / "pictures").mkdir()
        self.octant("render", "one.csv", "--out", "a.png", "--size", "400x300")
        self.assertEqual(png(self.folder / "a.png")[:2], (400, 300))
        self.octant("render", "one.csv", "--out", "pictures")
        self.assertEqual(self.listing("pictures"), ["one.png"])

    def test_several_files_share_frame_and_colours(self):
        self.octant("render", "one.csv", "two.csv", "--out", "all", "--size", "400x300")
        self.assertEqual(self.listing("all"), ["one.png", "two.png"])
        alone = self.octant("render", "one.csv", "--size", "400x300", "--out", "alone.png")
        self.assertEqual(alone.stderr, "")
        # The common frame is that of the larger set, so the smaller one looks different in it.
        self.assertNotEqual((self.folder / "alone.png").read_bytes(),
                            (self.folder / "all" / "one.png").read_bytes())
        self.octant("render", "two.csv", "two.csv.copy", "--out", "same", status=2)
        self.write("copy.csv", self.two.read_text())
        self.octant("render", "two.csv", "copy.csv", "--out", "same", "--title", "T")
        self.assertEqual((self.folder / "same" / "two.png").read_bytes(),
                         (self.folder / "same" / "copy.png").read_bytes())

    def test_every_option_changes_the_picture(self):
        self.octant("render", "one.csv", "--out", "plain.png", "--size", "400x300")
        plain = (self.folder / "plain.png").read_bytes()
        seen = {plain}
        for option in (["--axis", "x"], ["--axis", "y"], ["--mode", "particles"],
                       ["--map", "ice"], ["--extent", "5"], ["--centre", "-3,4,1e1"],
                       ["--title", "µ-title"], ["--mode", "particles", "--map", "ember"],
                       ["--azimuth", "30"], ["--elevation", "20"], ["--roll", "10"],
                       ["--fov", "40"], ["--fov", "40", "--distance", "300"], ["--bare"],
                       ["--text", "a line"], ["--theme", "light"], ["--font-size", "20"],
                       ["--range", "1e-3:1"], ["--extent", "9x9"], ["--follow", "7"]):
            self.octant("render", "one.csv", "--out", "other.png", "--size", "400x300", *option)
            seen.add((self.folder / "other.png").read_bytes())
        self.assertEqual(len(seen), 21)
        self.octant("render", "one.csv", "--out", "again.png", "--size", "400x300")
        self.assertEqual((self.folder / "again.png").read_bytes(), plain)

    def test_spheres_are_lit_from_where_the_light_is(self):
        self.write("ball.csv", CSV + "1,1,0,0,0,0,0,0,1\n")
        seen = set()
        for light in ([], ["--light", "90,0"], ["--light", "0,30"], ["--light=-90,0"]):
            self.octant("render", "ball.csv", "--mode", "spheres", "--out", "ball.png", "--size",
                        "240x200", "--axis", "y", "--bare", *light)
            seen.add((self.folder / "ball.png").read_bytes())
        self.assertEqual(len(seen), 4)

    def test_the_distance_is_another_word_for_the_extent(self):
        # Seen under 90 degrees, the eye is half the width away.
        for name, words in (("a", ["--distance", "5"]), ("b", ["--extent", "10"])):
            self.octant("render", "one.csv", "--out", f"{name}.png", "--size", "240x200",
                        "--fov", "90", *words)
        self.assertEqual((self.folder / "a.png").read_bytes(),
                         (self.folder / "b.png").read_bytes())

    def test_every_map_that_is_listed_exists(self):
        maps = self.octant("render", "--list-maps").stdout.split()
        self.assertGreaterEqual(len(maps), 6)
        for name in maps:
            self.octant("render", "one.csv", "--map", name, "--size", "240x200")

    def test_json(self):
        made = self.octant_json("render", "one.csv", "two.csv", "--size", "240x200")
        self.assertEqual([m["file"] for m in made], ["one.csv", "two.csv"])
        self.assertEqual([m["picture"] for m in made], ["one.png", "two.png"])
        self.assertEqual([m["n"] for m in made], [40, 40])

    def test_snapshots_of_a_run(self):
        self.octant("run", self.scene, "--out", "run")
        shots = sorted(path.name for path in (self.folder / "run").glob("snapshot_*.hdf5"))
        self.assertGreater(len(shots), 1)
        self.octant("render", *(f"run/{name}" for name in shots), "--size", "400x300")
        for name in shots:
            png(self.folder / "run" / name.replace(".hdf5", ".png"))


@needs("hdf5")
class Film(OctantTest):
    def setUp(self):
        super().setUp()
        for i in range(5):
            self.write(f"shot{i}.csv", rows(40, 1 + i))
        self.shots = [f"shot{i}.csv" for i in range(5)]
        self.before = self.names()

    def names(self):
        return sorted(path.name for path in self.folder.iterdir())

    def encoder(self, script):
        """Lets a script take the place of ffmpeg."""
        tools = self.folder / "tools"
        tools.mkdir()
        (tools / "ffmpeg").write_text(f"#!/bin/sh\n{script}\n")
        (tools / "ffmpeg").chmod(0o755)
        self.path(f"{tools}:{os.environ['PATH']}")
        self.before = self.names()

    def path(self, value):
        self.addCleanup(os.environ.__setitem__, "PATH", os.environ["PATH"])
        os.environ["PATH"] = value

    @unittest.skipUnless(shutil.which("ffmpeg") and shutil.which("ffprobe"), "there is no ffmpeg")
    def test_a_frame_for_each_snapshot(self):
        done = self.octant("render", *self.shots, "--film", "a film.mp4", "--fps", "5",
                           "--size", "320x240")
        self.assertEqual(done.stdout, "a film.mp4: 5 frames\n")
        self.assertEqual(done.stderr, "")
        self.assertEqual(self.names(), sorted(self.before + ["a film.mp4"]))
        seen = subprocess.run(
            ["ffprobe", "-v", "error", "-count_frames", "-show_entries",
             "stream=codec_name,width,height,nb_read_frames,duration", "-of", "csv=p=0",
             "a film.mp4"], cwd=self.folder, text=True, capture_output=True, check=True).stdout
        self.assertEqual(seen.strip(), "h264,320,240,1.000000,5")

    def test_frames_share_frame_and_colours(self):
        self.encoder('for last; do :; done; cat >"${last#file:}"')
        shots, size = ["shot0.csv", "shot4.csv", "shot0.csv"], 240 * 200 * 3
        made = self.octant_json("render", *shots, "--film", "a.mp4", "--size", "240x200")
        self.assertEqual([m["file"] for m in made], shots)
        self.assertEqual([m["film"] for m in made], ["a.mp4"] * 3)
        data = (self.folder / "a.mp4").read_bytes()
        frames = [data[i:i + size] for i in range(0, len(data), size)]
        self.assertEqual(len(frames), 3)
        self.assertEqual(frames[0], frames[2])
        # The common frame is that of the larger set, so the smaller one looks different in it.
        self.octant("render", "shot0.csv", "--film", "b.mp4", "--size", "240x200")
        self.assertNotIn((self.folder / "b.mp4").read_bytes(), frames)

    def test_a_camera_moves_through_a_film(self):
        self.encoder('for last; do :; done; cat >"${last#file:}"')
        size, shots = 240 * 200 * 3, ["shot0.csv"] * 3
        words = ["--size", "240x200", "--extent", "90", "--map", "ice", "--centre", "0,0,0"]
        self.octant("render", *shots, "--film", "a.mp4", *words, "--camera", "t=0 elevation=90",
                    "--camera", "t=1 elevation=10 azimuth=40")
        data = (self.folder / "a.mp4").read_bytes()
        frames = [data[i:i + size] for i in range(0, len(data), size)]
        self.assertEqual((len(frames), len(set(frames))), (3, 3))
        # The frame in the middle is half way, and shares its colours with the others.
        self.octant("render", *shots, "--film", "b.mp4", *words, "--azimuth", "40", "--camera",
                    "t=0 elevation=90", "--camera", "t=1 elevation=10")
        self.assertEqual((self.folder / "b.mp4").read_bytes()[size:2 * size], frames[1])
        self.octant("render", *shots, "--film", "c.mp4", *words, "--turn", "360")
        data = (self.folder / "c.mp4").read_bytes()
        self.assertEqual(data[:size], data[2 * size:])
        self.assertNotEqual(data[:size], data[size:2 * size])

    def test_a_film_follows_a_body(self):
        self.encoder('for last; do :; done; cat >"${last#file:}"')
        size = 240 * 200 * 3
        for i in range(4):
            # The third body drifts away, and the last file does not have it any more.
            gone = "" if i == 3 else f"3,1,{7 * i},{3 * i},0,0,0,0,0\n"
            self.write(f"move{i}.csv", CSV + "1,1,0,0,0,0,0,0,0\n2,1,5,5,0,0,0,0,0\n" + gone)
        self.octant("render", *(f"move{i}.csv" for i in range(4)), "--film", "a.mp4", "--size",
                    "240x200", "--mode", "particles", "--extent", "8", "--bare", "--follow", "3")
        data = (self.folder / "a.mp4").read_bytes()
        middle = [data[i * size + 3 * (100 * 240 + 120)] for i in range(4)]
        self.assertGreater(min(middle[:3]), 80)
        self.assertLess(middle[3], 80)
        # It stays where the body was last: nothing else is near.
        self.assertLess(max(data[3 * size:]), 80)

    def test_a_failed_encoder_leaves_nothing(self):
        self.encoder("cat >/dev/null; echo one >&2; echo two >&2; exit 1")
        sentence = self.refused("render", *self.shots, "--film", "a.mp4", status=1)
        self.assertIn("it said: two", sentence)
        self.assertEqual(self.names(), self.before)

    def test_a_missing_encoder_is_named(self):
        self.path(str(self.folder))
        sentence = self.refused("render", "shot0.csv", "--film", "a.mp4")
        self.assertIn("install the package ffmpeg", sentence)
        self.assertEqual(self.names(), self.before)

    def test_bad_films(self):
        self.write("bad.csv", "id,mass\n1,2\n")
        self.encoder("exec cat >/dev/null")
        for words, word in ((["--film", "a.avi"], ".mp4"), (["--film", ""], ".mp4"),
                            (["--film", "a.mp4", "--size", "401x300"], "even"),
                            (["--film", "a.mp4", "--fps", "0"], "--fps"),
                            (["--film", "a.mp4", "--fps", "1000"], "frames a second"),
                            (["--film", "a.mp4", "--fps", "99999999999"], "frames a second"),
                            (["--film", "no/a.mp4"], "no/a.mp4"), (["--fps", "5"], "--film"),
                            (["--film", "a.mp4", "--out", "b.png"], "--out"),
                            (["--film", "a.mp4", "--map", "icy"], "`ice`"),
                            (["--film", "a.mp4", "--camera", "t=0 up=1"], "`up`"),
                            (["--film", "a.mp4", "--turn", "round"], "--turn"),
                            (["--turn", "90"], "--film"), (["--camera", "t=0 roll=1"], "--film"),
                            (["bad.csv", "--film", "a.mp4"], "bad.csv")):
            with self.subTest(words=words):
                self.assertIn(word, self.refused("render", "shot0.csv", *words))
                self.assertEqual(self.names(), self.before)

    def test_an_interrupt_leaves_nothing(self):
        os.mkfifo(self.folder / "started")
        self.encoder("echo >started; exec cat >/dev/null")
        many = self.shots * 200
        with subprocess.Popen(self.command("render", *many, "--film", "a.mp4"), cwd=self.folder,
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            (self.folder / "started").read_text()  # returns when the encoder has started
            process.terminate()
            output, sentence = process.communicate(timeout=60)
        self.assertEqual((process.returncode, output), (128 + signal.SIGTERM, ""))
        self.assertIn("nothing is kept", sentence)
        self.assertEqual(self.names(), self.before)


class Refused(OctantTest):
    def setUp(self):
        super().setUp()
        self.write("one.csv", rows(5, 1))
        (self.folder / "sub").mkdir()
        self.write("sub/one.csv", rows(5, 1))
        self.before = self.names()

    def names(self):
        return sorted(path.name for path in self.folder.rglob("*"))

    def refuse(self, *arguments, word):
        sentence = self.refused("render", *arguments)
        self.assertIn(word, sentence)
        self.assertEqual(self.names(), self.before)

    def test_bad_options(self):
        for option, value, word in (("axis", "w", "--axis"), ("axis", "", "--axis"),
                                    ("axis", "xy", "--axis"), ("mode", "movie", "movie"),
                                    ("map", "icy", "`ice`"), ("map", "", "colour map"),
                                    ("size", "big", "--size"), ("size", "400", "--size"),
                                    ("size", "400x", "--size"), ("size", "0x0", "--size"),
                                    ("size", "400x300x", "--size"), ("size", "10x10", "pixels"),
                                    ("size", "99999x99999", "pixels"),
                                    ("size", "99999999999999999999x5", "--size"),
                                    ("extent", "0", "--extent"), ("extent", "-2", "--extent"),
                                    ("extent", "wide", "--extent"), ("extent", "nan", "extent"),
                                    ("centre", "1,2", "--centre"),
                                    ("centre", "1,2,3,4", "--centre"),
                                    ("centre", "1,2,nan", "--centre"),
                                    ("azimuth", "east", "--azimuth"), ("azimuth", "nan", "azimuth"),
                                    ("elevation", "91", "elevation"),
                                    ("fov", "180", "field of view"),
                                    ("distance", "5", "--fov"), ("light", "3", "--light"),
                                    ("light", "0,91", "light"), ("ghosts", "x", "--ghosts"),
                                    ("ghosts", "99", "rings"),
                                    ("out", "picture.jpg", ".png"),
                                    ("range", "5", "--range"), ("range", "5:4", "--range"),
                                    ("range", "0:4", "above 0"), ("range", "-1:4", "--range"),
                                    ("range", "1:2:3", "--range"), ("range", "a:b", "--range"),
                                    ("range", "1:inf", "finite"), ("range", "1:2 m", "--range"),
                                    ("extent", "2x", "--extent"), ("extent", "2x3x4", "--extent"),
                                    ("extent", "5 parsec", "--extent"),
                                    ("extent", "1000x1", "100 times"),
                                    ("theme", "pink", "dark or light"), ("theme", "", "theme"),
                                    ("font-size", "0", "--font-size"),
                                    ("font-size", "500", "6 to 200"),
                                    ("font-size", "big", "--font-size"),
                                    ("follow", "x", "--follow"), ("follow", "-1", "--follow"),
                                    ("follow", "99999", "99999"), ("format", "gif", "--format")):
            with self.subTest(option=option, value=value):
                self.refuse("one.csv", f"--{option}", value, word=word)

    def test_options_that_contradict_each_other(self):
        self.refuse("one.csv", "--axis", "x", "--azimuth", "3", word="--axis")
        self.refuse("one.csv", "--fov", "40", "--distance", "5", "--extent", "3", word="--extent")

        self.refuse("one.csv", "--follow", "3", "--centre", "0,0,0", word="--centre")
        self.refuse("one.csv", "--mode", "spheres", "--range", "1:2", word="--map")
        self.refuse("one.csv", "--format", "svg", "--out", "a.pdf", word="--format")
        self.refuse("one.csv", "--film", "a.mp4", "--format", "svg", word="--format")
        self.refuse("one.csv", "--film", "a.mp4", "--follow", "3", "--camera", "t=0 centre=1,2,3",
                    word="centre")

    def test_no_file(self):
        self.refuse(word="SNAPSHOT")

    def test_missing_and_damaged_files(self):
        self.refuse("none.hdf5", word="none.hdf5")
        self.write("bad.hdf5", "not a snapshot")
        self.before = self.names()
        self.refuse("bad.hdf5", word="bad.hdf5")
        self.refuse("one.csv", "bad.hdf5", "--out", "pictures", word="bad.hdf5")

    def test_two_files_for_one_picture(self):
        self.refuse("one.csv", "sub/one.csv", "--out", "pictures", word="both")
        self.refuse("one.csv", "sub/one.csv", "--out", "both.svg", word="folder")

    def test_a_folder_that_is_not_there(self):
        self.refuse("one.csv", "--out", "no/such/a.png", word="no/such")
        self.refuse("one.csv", "sub/one.csv", "--axis", "w", "--out", "no/such", word="--axis")


if __name__ == "__main__":
    unittest.main()
