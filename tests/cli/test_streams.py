"""Standard streams that are closed or left by their reader, and foreign text on a terminal."""

import json
import os
import subprocess
import unittest

from octant_cli import OctantTest, needs
from test_run import FILES


class Streams(OctantTest):
    def shell(self, line):
        """Runs a line of sh with $octant; returns what it printed and its status."""
        environment = {**os.environ, "octant": self.command()[0]}
        return subprocess.run(["sh", "-c", line], cwd=self.folder, env=environment, text=True,
                              capture_output=True, timeout=120)

    def assert_whole(self, folder):
        self.octant("run", self.scene, "--out", "plain", "--quiet", "--force")
        self.assertEqual(self.listing(folder), FILES)
        self.assert_same_files("plain", folder, FILES)

    def unread(self, *arguments):
        """Runs a command with a pipe that nobody reads; its status and standard error."""
        ours, theirs = os.pipe()
        os.close(ours)
        done = subprocess.run(self.command(*arguments), cwd=self.folder, text=True, stdout=theirs,
                              stderr=subprocess.PIPE, timeout=120, restore_signals=True)
        os.close(theirs)
        return done.returncode, done.stderr

    @needs("hdf5")
    def test_a_run_survives_its_reader(self):
        self.assertEqual(self.unread("run", self.scene, "--out", "out"), (0, ""))
        self.assert_whole("out")
        done = self.shell(f"$octant run {self.scene} --out whole | head -n 1")
        self.assertEqual(done.stderr, "")
        self.assertTrue(done.stdout.startswith("step 0/100"), done.stdout)
        self.assert_whole("whole")

    @needs("hdf5")
    def test_what_was_printed_to_be_read_was_not(self):
        for arguments in (["run", self.scene, "--out", "out", "--json"],
                          ["run", self.scene, "--out", "none"], ["list", "--markdown"]):
            status, said = self.unread(*arguments)
            self.assertEqual((status, said), (1, "octant: cannot write to standard output\n"),
                             arguments)
        # The run itself is whole.
        self.assert_whole("out")

    @needs("hdf5")
    def test_closed_descriptors(self):
        for number, closed in enumerate(("<&- >&- 2>&-", ">&- 2>&-", "2>&-", "<&- >&-")):
            done = self.shell(f"$octant run {self.scene} --out out{number} {closed}")
            self.assertEqual(done.returncode, 0, closed + done.stderr)
            self.assert_whole(f"out{number}")

    def test_closed_output_is_an_error_of_what_prints(self):
        self.assertEqual(self.shell("$octant list >&-").returncode, 1)
        self.assertEqual(self.shell("$octant list >&- 2>&-").returncode, 1)
        self.assertEqual(self.shell(f"$octant run {self.scene} --json --out none >&-").returncode,
                         1)


class Terminal(OctantTest):
    """What came from elsewhere cannot steer a terminal."""

    # Sets the window's title, colours (with a C1 introducer too), turns the direction, ends a line.
    HOSTILE = b"\x1b]0;owned\x07\x1b[31m\xc2\x9b32m\xe2\x80\xae\xff\nchecksum     ok"

    def hostile_file(self):
        """A snapshot of another program: without a seal, with a title and a generator."""
        plain = "T" * len(self.HOSTILE)
        scene = self.write("titled.yaml", self.scene.read_text().replace("A small cluster", plain))
        self.octant("run", scene, "--steps", 1, "--out", "out", "--quiet")
        data = (self.folder / "out/snapshot_0000.hdf5").read_bytes()[512:]
        self.assertIn(plain.encode(), data)
        path = self.folder / "foreign.hdf5"
        path.write_bytes(data.replace(plain.encode(), self.HOSTILE))
        return path

    def raw(self, *arguments):
        return subprocess.run(self.command(*arguments), cwd=self.folder, capture_output=True,
                              timeout=120)

    def assert_tame(self, printed):
        self.assertFalse(set(printed) & (set(range(0x20)) - {0x0a, 0x09} | {0x7f}), printed)
        text = printed.decode("utf-8")
        self.assertFalse([c for c in text if 0x80 <= ord(c) < 0xa0 or ord(c) == 0x202e], printed)

    @needs("hdf5")
    def test_a_foreign_title(self):
        path = self.hostile_file()
        shown = self.raw("info", path).stdout
        self.assert_tame(shown)
        self.assertIn(rb"\x1b]0;owned\x07\x1b[31m\x9b32m\u202e\xff\x0achecksum     ok", shown)
        self.assertEqual(shown.count(b"\nchecksum "), 1)

    @needs("hdf5")
    def test_a_foreign_title_in_json(self):
        shown = self.raw("info", self.hostile_file(), "--json").stdout
        self.assert_tame(shown)
        expected = self.HOSTILE.decode("utf-8", errors="replace")
        self.assertEqual(json.loads(shown)["title"], expected)

    def test_names(self):
        for name in (b"x\x1b[31m", b"x\xc2\x9b31m", "caf\u00e9".encode()):
            done = self.raw("info", os.fsdecode(name))
            self.assertEqual(done.returncode, 2)
            self.assert_tame(done.stderr)
            done = self.raw("run", self.scene, "--steps", 1, "--out", os.fsdecode(name))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assert_tame(done.stdout + done.stderr)
        self.assertIn("caf\u00e9", done.stdout.decode())

    def test_words_of_the_command_line(self):
        for arguments in (["fly\x1b[31m"], ["run", "--fly\x1b[31m"], ["run", "x\x1b[31m"],
                          ["run", self.scene, "--set", "title\x1b[31m=1"],
                          ["run", self.scene, "--steps", "\x1b[31m"],
                          ["run", self.scene, "--device", "\x1b[31m"]):
            done = self.raw(*arguments)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assert_tame(done.stderr)

    def test_cells_of_a_table(self):
        path = self.folder / "t.csv"
        path.write_bytes(b"mass,x,y,z,vx,vy,vz\n1,0,0,0,0,0,\x1b[31mred\n")
        done = self.raw("info", path)
        self.assertEqual(done.returncode, 2)
        self.assert_tame(done.stderr)
        path.write_bytes(b"mass,x,y,z,vx,vy,v\x1b[31m\n1,0,0,0,0,0,0\n")
        self.assert_tame(self.raw("info", path).stderr)


if __name__ == "__main__":
    unittest.main()
