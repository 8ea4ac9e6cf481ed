"""Films of a run, made while it runs."""

import os
import re
import shutil
import signal
import subprocess
import unittest

from octant_cli import OctantTest, needs

SIZE = ["--film-set", "size=240x200"]
FRAME = 240 * 200 * 3


# A body that leaves a long box through its face, among some that are at rest.
LONG = """\
title: A long box
seed: 3
units: si
box: {boundary: periodic, size: [40 m, 10 m, 10 m]}
models:
  - body: {mass: 5 kg, radius: 1 m, offset: [17 m, 0, 0], velocity: [1 m/s, 0, 0]}
  - uniform-sphere: {n: 30, radius: 4 m, mass: 1 kg}
gravity: {method: none}
integrator: {method: leapfrog, dt: 1 s}
run: {until: 8 s}
"""


class RunFilm(OctantTest):
    def encoder(self, script):
        """Lets a script take the place of ffmpeg."""
        tools = self.folder / "tools"
        tools.mkdir()
        (tools / "ffmpeg").write_text(f"#!/bin/sh\n{script}\n")
        (tools / "ffmpeg").chmod(0o755)
        self.addCleanup(os.environ.__setitem__, "PATH", os.environ["PATH"])
        os.environ["PATH"] = f"{tools}:{os.environ['PATH']}"

    def keeping_encoder(self):
        """One that keeps the frames as they come."""
        self.encoder('for last; do :; done; exec cat >"${last#file:}"')

    def frames(self, name):
        data = (self.folder / name).read_bytes()
        self.assertEqual(len(data) % FRAME, 0)
        return [data[i:i + FRAME] for i in range(0, len(data), FRAME)]

    @unittest.skipUnless(shutil.which("ffmpeg") and shutil.which("ffprobe"), "there is no ffmpeg")
    def test_a_film_can_be_played(self):
        done = self.octant("run", self.scene, "--out", "none", "--film", "a.mp4",
                           "--film-interval", "0.1", "--film-set", "fps=5", *SIZE)
        self.assertIn("film in a.mp4\n", done.stdout)
        seen = subprocess.run(
            ["ffprobe", "-v", "error", "-count_frames", "-show_entries",
             "stream=codec_name,width,height,nb_read_frames,duration", "-of", "csv=p=0", "a.mp4"],
            cwd=self.folder, text=True, capture_output=True, check=True).stdout
        self.assertEqual(seen.strip(), "h264,240,200,2.200000,11")

    def test_the_run_does_not_change(self):
        self.keeping_encoder()
        plain = self.octant_lines("run", self.scene, "--out", "plain")
        filmed = self.octant_lines("run", self.scene, "--out", "filmed", "--film", "a.mp4",
                                   "--film-interval", "0.07", *SIZE)
        self.assertEqual(len(self.frames("a.mp4")), 15)
        self.assertEqual(plain[-1]["state_hash"], filmed[-1]["state_hash"])
        names = self.listing("plain")
        self.assertEqual(names, self.listing("filmed"))
        self.assert_same_files("plain", "filmed",
                               [name for name in names if name.startswith(("snap", "diag"))])

    @needs("hdf5")
    def test_frames_are_those_of_the_snapshots(self):
        self.keeping_encoder()
        options = {"mode": "particles", "size": "240x200", "centre": "0,0,0", "extent": "4",
                   "azimuth": "20", "elevation": "30", "fov": "40", "turn": "90"}
        self.octant("run", self.scene, "--out", "run", "--film", "live.mp4", "--film-interval",
                    "0.25", *(word for name, value in options.items()
                              for word in ("--film-set", f"{name}={value}")))
        shots = sorted(path for path in (self.folder / "run").glob("snapshot_*.hdf5"))
        self.octant("render", *shots, "--film", "later.mp4",
                    *(word for name, value in options.items() for word in (f"--{name}", value)))
        live = self.frames("live.mp4")
        self.assertEqual(len(live), 5)
        self.assertEqual(len(set(live)), 5)
        self.assertEqual(live, self.frames("later.mp4"))

    def test_a_film_follows_a_body_through_a_face(self):
        self.keeping_encoder()
        scene = self.write("long.yaml", LONG)
        words = ["--film-interval", "1 s", *SIZE, "--film-set", "mode=spheres", "--film-set",
                 "extent=6 m", "--film-set", "bare"]
        self.octant("run", scene, "--out", "none", "--film", "a.mp4", *words, "--film-set",
                    "follow=1")
        self.octant("run", scene, "--out", "none", "--film", "b.mp4", *words, "--film-set",
                    "centre=17 m,0,0")
        middle = 3 * (100 * 240 + 120)
        followed, fixed = self.frames("a.mp4"), self.frames("b.mp4")
        self.assertEqual(len(followed), 9)
        self.assertGreater(min(frame[middle] for frame in followed), 100)
        self.assertGreater(fixed[0][middle], 100)
        self.assertLess(fixed[-1][middle], 50)

    @needs("hdf5")
    def test_a_film_has_the_shape_of_its_box(self):
        self.encoder('echo "$*" >words; for last; do :; done; exec cat >"${last#file:}"')
        scene = self.write("long.yaml", LONG)
        sizes = []
        self.octant("run", scene, "--out", "run", "--set", "output.snapshot=4 s", "--film", "a.mp4",
                    "--film-interval", "4 s", "--film-set", "bare", "--film-set",
                    "range=0.001:10 kg/m^2")
        sizes.append(re.search(r"-video_size (\d+)x(\d+)", (self.folder / "words").read_text()))
        shots = sorted((self.folder / "run").glob("snapshot_*.hdf5"))
        self.octant("render", *shots, "--film", "b.mp4", "--bare", "--range", "0.001:10 kg/m^2")
        sizes.append(re.search(r"-video_size (\d+)x(\d+)", (self.folder / "words").read_text()))
        width, height = map(int, sizes[0].groups())
        self.assertEqual(sizes[0].groups(), sizes[1].groups())
        self.assertEqual((width % 2, height % 2), (0, 0))
        self.assertAlmostEqual(width / height, 4, delta=0.02)
        self.assertEqual((self.folder / "a.mp4").read_bytes(), (self.folder / "b.mp4").read_bytes())

    def test_without_an_interval_there_are_250_frames(self):
        self.keeping_encoder()
        self.octant("run", self.scene, "--out", "none", "--set", "run.until=6", "--film", "a.mp4",
                    "--film-set", "mode=particles", *SIZE)
        self.assertEqual(len(self.frames("a.mp4")), 250)

    def test_a_film_that_is_there_is_kept(self):
        self.keeping_encoder()
        self.write("a.mp4", "dear")
        words = ("run", self.scene, "--steps", "5", "--out", "run", "--film", "a.mp4", *SIZE)
        self.assertIn("a.mp4' is there already", self.refused(*words))
        self.assertEqual((self.folder / "a.mp4").read_text(), "dear")
        self.assertFalse((self.folder / "run").exists())
        self.octant(*words, "--force")
        self.assertEqual(len(self.frames("a.mp4")), 6)

    def test_a_resumed_run_has_a_film_of_its_own(self):
        self.keeping_encoder()
        self.octant("run", self.scene, "--steps", "5", "--out", "run", "--film", "a.mp4", *SIZE)
        words = ("run", "--resume", "--out", "run", "--steps", "8")
        self.assertIn("is there already", self.refused(*words, "--film", "a.mp4", *SIZE))
        self.octant(*words, "--film", "b.mp4", *SIZE)
        self.assertEqual(len(self.frames("a.mp4")), 6)
        self.assertEqual(len(self.frames("b.mp4")), 4)

    @needs("hdf5")
    def test_a_stopped_run_leaves_its_film_up_to_there(self):
        os.mkfifo(self.folder / "started")
        self.encoder('for last; do :; done; head -c 1000000 >"${last#file:}"; echo >started; '
                     'exec cat >>"${last#file:}"')
        words = self.command("run", self.scene, "--out", "run", "--set", "run.until=1000",
                             "--film", "a.mp4", "--film-interval", "0.01", *SIZE)
        with subprocess.Popen(words, cwd=self.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:
            (self.folder / "started").read_text()  # returns after some frames
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)
        self.assertEqual(process.returncode, 128 + signal.SIGINT)
        self.assertGreaterEqual(len(self.frames("a.mp4")), 6)
        self.assertFalse((self.folder / "a.mp4.tmp").exists())
        self.assertTrue((self.folder / "run" / "checkpoint.hdf5").exists())

    def test_a_failed_encoder_is_told_of_and_leaves_nothing(self):
        self.encoder("cat >/dev/null; echo no room >&2; exit 1")
        sentence = self.refused("run", self.scene, "--steps", "3", "--out", "none", "--quiet",
                                "--film", "a.mp4", *SIZE, status=1)
        self.assertIn("it said: no room", sentence)
        self.assertFalse((self.folder / "a.mp4").exists() or (self.folder / "a.mp4.tmp").exists())

    def test_bad_films(self):
        self.keeping_encoder()
        for words, word in ((["--film", "a.avi"], ".mp4"),
                            (["--film-set", "mode=spheres"], "--film"),
                            (["--film-interval", "1"], "--film"),
                            (["--film", "a.mp4", "--film-set", "mod=spheres"], "--mode"),
                            (["--film", "a.mp4", "--film-set", "mode=movie"], "movie"),
                            (["--film", "a.mp4", "--film-set", "size=241x200"], "even"),
                            (["--film", "a.mp4", "--film-set", "camera=t=2 roll=3"], "needs a t"),
                            (["--film", "a.mp4", "--film-interval", "-1"], "--film-interval"),
                            (["--film", "a.mp4", "--film-set", "follow=99"], "id 99"),
                            (["--film", "a.mp4", "--film-set", "extent=5 m"], "--extent"),
                            (["--film", "a.mp4", "--film-set", "range=2:1"], "--range"),
                            (["--film", "a.mp4", "--film-set", "theme=pink"], "pink"),
                            (["--film", "no/a.mp4"], "no/a.mp4")):
            with self.subTest(words=words):
                self.assertIn(word, self.refused("run", self.scene, "--out", "run", "--quiet",
                                                 *words))
                self.assertFalse((self.folder / "a.mp4").exists())


if __name__ == "__main__":
    unittest.main()
