"""Folders of compiled kernels that cannot be written."""

import os
import subprocess
import unittest

from octant_cli import OctantTest


class Cache(OctantTest):
    def setUp(self):
        super().setUp()
        self.nowhere = self.write("file", "") / "cache"  # a file is no folder, not for root either
        self.temporary = self.folder / "tmp"
        self.temporary.mkdir()

    def run_in(self, *arguments, **environment):
        """Runs a command in an environment, of which None takes a variable away."""
        merged = {**os.environ, "TMPDIR": str(self.temporary), **environment}
        merged = {name: str(value) for name, value in merged.items() if value is not None}
        return subprocess.run(self.command(*arguments), cwd=self.folder, env=merged, text=True,
                              capture_output=True, timeout=300)

    def assert_noted(self, done, folder, remedy):
        self.assertEqual(done.returncode, 0, done.stderr)
        notes = [line for line in done.stderr.splitlines() if "cache" in line]
        self.assertEqual(notes, [f"octant: note: the cache folder {folder} cannot be written: "
                                 "kernels are compiled and checked anew each time; "
                                 f"{remedy} names another folder"])
        self.assertEqual(list(self.temporary.iterdir()), [])

    def test_a_device_is_found_without_it(self):
        done = self.run_in("devices", XDG_CACHE_HOME=self.nowhere, POCL_CACHE_DIR=None)
        self.assert_noted(done, self.nowhere / "octant", "XDG_CACHE_HOME")
        done = self.run_in("devices", XDG_CACHE_HOME=None, HOME=self.nowhere, POCL_CACHE_DIR=None)
        self.assert_noted(done, self.nowhere / ".cache/octant", "XDG_CACHE_HOME")
        done = self.run_in("devices", POCL_CACHE_DIR=self.nowhere)
        self.assert_noted(done, self.nowhere, "POCL_CACHE_DIR")

    def test_a_run_is_the_same_without_it(self):
        done = self.run_in("run", "two-body", "--steps", "9", "--out", "a",
                           XDG_CACHE_HOME=self.nowhere, POCL_CACHE_DIR=None)
        self.assert_noted(done, self.nowhere / "octant", "XDG_CACHE_HOME")
        self.octant("run", "two-body", "--steps", 9, "--out", "b", "--quiet")
        self.assertEqual(self.listing("a"), self.listing("b"))
        self.assert_same_files("a", "b", self.listing("a"))

    def test_where_nothing_can_be_written(self):
        done = self.run_in("devices", XDG_CACHE_HOME=self.nowhere, POCL_CACHE_DIR=None,
                           TMPDIR=self.nowhere)
        if done.returncode != 0:  # a driver that needs no folder is none the worse
            self.assertEqual(done.returncode, 2)
            self.assertIn("a folder for compiled kernels cannot be made", done.stderr)


if __name__ == "__main__":
    unittest.main()
