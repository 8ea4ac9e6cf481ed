"""The octant binary, as the tests drive it."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

BINARY = os.environ["OCTANT"]

# Softened, lively enough that every step changes every bit, and done in a moment.
SCENE = """\
title: A small cluster
seed: 7
units: nbody
models:
  - plummer: {n: 48}
gravity: {method: direct, softening: 0.05}
integrator: {method: leapfrog, dt: 0.01}
run: {until: 1}
output: {diagnostics: 0.1, snapshot: 0.25}
"""


# Where text says of which run it is: scenes, tables, and twice in a report.
RUN = re.compile(rb'(# run: |"octant-run" content="|>run</th><td>)[0-9a-f]{32}')


# What a build lacks: a command that needs it refuses with such a sentence.
LACKING = re.compile(r"this build of Octant has no \w+: .*; to have it, install")
LACKED = subprocess.run([BINARY, "--version"], capture_output=True, text=True,
                        check=False).stdout.partition("without ")[2]


def needs(*features):
    """Skips a test, or a class of them, in a build without one of these features."""
    missing = [name for name in features if re.search(rf"\b{name}\b", LACKED)]
    return unittest.skipIf(missing, f"this build of Octant has no {', '.join(missing)}")


# Said before anything else by whoever is the first to use some kernels, which may be any test.
FIRST_USE = re.compile(r"octant: note: first use of this device .*\n")


class OctantTest(unittest.TestCase):
    """A test with a folder of its own, where commands run."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="octant-test-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.scene = self.write("small.yaml", SCENE)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def command(self, *arguments):
        return [BINARY, *map(str, arguments)]

    def octant(self, *arguments, status=0):
        """Runs a command, checks its exit status and returns what it printed."""
        done = subprocess.run(self.command(*arguments), cwd=self.folder, text=True,
                              capture_output=True, timeout=120)
        done.stderr = FIRST_USE.sub("", done.stderr)
        lacking = LACKED and LACKING.search(done.stderr)
        if lacking:
            self.skipTest(lacking[0])
        self.assertEqual(done.returncode, status, f"{arguments}: {done.stdout}{done.stderr}")
        return done

    def octant_json(self, *arguments, status=0):
        return json.loads(self.octant(*arguments, "--json", status=status).stdout)

    def octant_lines(self, *arguments, status=0):
        """The JSON Lines that a command printed."""
        done = self.octant(*arguments, "--json", status=status)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def refused(self, *arguments, status=2):
        """Runs a command that must fail with one sentence, and returns the sentence."""
        done = self.octant(*arguments, status=status)
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertTrue(lines[0].startswith("octant: "), lines[0])
        return lines[0]

    def units(self, path):
        """The units of a table's columns by their names."""
        names, units = (self.folder / path).read_text().splitlines()[:2]
        self.assertTrue(units.startswith("# units: "), units)
        names, units = names.split(","), units.removeprefix("# units: ").split(",")
        self.assertEqual(len(names), len(units))
        return dict(zip(names, units))

    def table(self, path):
        """The rows of a table, numbers by the names of columns."""
        names = list(self.units(path))
        lines = (self.folder / path).read_text().splitlines()[1:]
        return [dict(zip(names, map(float, line.split(",")), strict=True)) for line in lines
                if not line.startswith("#")]

    def listing(self, folder):
        return sorted(path.name for path in (self.folder / folder).iterdir())

    def nameless(self, path):
        """What a file holds beside the name of its run."""
        data = (self.folder / path).read_bytes()
        if data.startswith(b"octant "):
            return data[512:]  # the seal has the name, and a hash of it all
        return re.sub(RUN, rb"\1", data)

    def assert_same_files(self, one, other, names):
        for name in names:
            first, second = (self.nameless(f"{folder}/{name}") for folder in (one, other))
            self.assertEqual(first, second, f"{name} of {one} and {other}")
