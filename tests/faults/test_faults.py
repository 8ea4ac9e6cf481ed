"""A sample of what tests/slow/faults tries: of every other kind and mode one fault a command."""

import os
import pathlib
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))
from fault_jobs import make_jobs  # noqa: E402
from octant_cli import needs  # noqa: E402
from octant_faults import Broken, Fault, Machine  # noqa: E402

LIBRARY = pathlib.Path(os.environ["OCTANT_BUILD"]) / "tests" / "libfault.so"
# What failed once: the job, the calls, and how many of them are tried.
FOUND = [("run", "access", 6), ("compare", "write", 8), ("force", "readdir", 8),
         ("force", "lstat", 4), ("view", "print", 3), ("devices", "realloc", 9)]
JOBS = ["run", "resume", "force", "view", "render", "convert", "convert-csv", "compare",
        "stability", "info", "sweep"]


@needs("hdf5", "png", "viewer")
class Faults(unittest.TestCase):
    def setUp(self):
        base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        root = pathlib.Path(tempfile.mkdtemp(prefix="octant-faults-", dir=base))
        self.addCleanup(shutil.rmtree, root)
        self.machine = Machine(os.environ["OCTANT"], LIBRARY, root)

    def test_a_ring_takes_few_programs(self):
        """To start a compiler costs PoCL 0.1 s a program: state, octree, arrays, walk, collisions,
        sheet and measurements are one each, and GPUs have the sort apart."""
        command = ["run", "saturn-ring", "--steps", "1", "--out", "none", "--set",
                   "box.size=[60 m, 60 m, 200 m]"]
        self.machine.good(command, self.machine.root)
        done = self.machine.run(command, self.machine.root, Fault("clBuildProgram", 0, "fail"))
        self.assertEqual(done.code, 0, done.err)
        self.assertIn(done.log["clBuildProgram"], (7, 8), done.log)

    def attempt(self, job, faults):
        """What came of each fault."""
        words = []
        for fault in faults:
            with self.subTest(f"tests/slow/faults --job {job.name} --fault {fault}"):
                try:
                    words.append(job.attempt(fault))
                except Broken as broken:
                    self.fail(str(broken))
        return words


def sample(job):
    def test(self):
        job.prepare(self.machine)
        faults = job.faults(most=1)[JOBS.index(job.name) % 2::2]
        self.assertGreater(len(faults), 5)
        words = self.attempt(job, faults)
        self.assertIn("refused", words)
        self.assertIn("killed", words)
    return test


def found(job, calls, most):
    def test(self):
        job.prepare(self.machine)
        faults = [fault for fault in job.faults([calls], most) if fault.mode == "fail"]
        self.assertGreater(len(faults), 0)
        self.attempt(job, faults)
    return test


ALL = {one.name: one for one in make_jobs()}
for name in JOBS:
    setattr(Faults, "test_" + name.replace("-", "_"), sample(ALL[name]))
for name, calls, most in FOUND:
    setattr(Faults, f"test_{name}_{calls}", found(ALL[name], calls, most))

if __name__ == "__main__":
    unittest.main()
