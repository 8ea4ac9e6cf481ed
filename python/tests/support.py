"""What the tests of the Python package share."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ.get("OCTANT_SOURCE", pathlib.Path(__file__).parents[2]))
BUILD = pathlib.Path(os.environ.get("OCTANT_BUILD", SOURCE / "build"))
BINARY = os.environ.get("OCTANT", str(BUILD / "octant"))
PACKAGE = pathlib.Path(os.environ.get("OCTANT_PYTHON", BUILD / "python"))

sys.path.insert(0, str(PACKAGE))
try:
    import cffi  # noqa: F401
    import numpy  # noqa: F401

    import octant
except ImportError as error:
    print(f"skipped: the tests of the Python package need what is not here: {error}")
    sys.exit(0)

# Lively enough that every step changes every bit, and done in a moment.
SMALL = {
    "title": "A small cluster",
    "seed": 7,
    "units": "nbody",
    "models": [{"plummer": {"n": 48}}],
    "gravity": {"method": "direct", "softening": 0.05},
    "integrator": {"method": "leapfrog", "dt": 0.01},
    "run": {"until": 1},
    "output": {"diagnostics": 0.1},
}


class PythonTest(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="octant-python-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def small(self, **keys):
        return octant.Simulation(SMALL, **keys)

    def python(self, code, status=0, **environment):
        """Runs a program in an interpreter of its own; what it printed."""
        result = subprocess.run(
            [sys.executable, "-B", "-c", code],
            env=dict(os.environ, PYTHONPATH=str(PACKAGE), **environment),
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        return result.stdout
