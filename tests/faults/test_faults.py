"""A sample of what tests/slow/faults tries: of every other kind and mode one fault a command."""

import os
import pathlib
import shutil
import tempfile
import unittest

from fault_jobs import make_jobs
from octant_faults import Broken, Machine

LIBRARY = pathlib.Path(os.environ["OCTANT_BUILD"]) / "tests" / "libfault.so"
JOBS = ["run", "resume", "force", "view", "render", "convert", "convert-csv", "compare",
        "stability", "info"]


class Sample(unittest.TestCase):
    def setUp(self):
        base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        root = pathlib.Path(tempfile.mkdtemp(prefix="octant-faults-", dir=base))
        self.addCleanup(shutil.rmtree, root)
        self.machine = Machine(os.environ["OCTANT"], LIBRARY, root)


def make_test(job):
    def test(self):
        job.prepare(self.machine)
        faults = job.faults(most=1)[JOBS.index(job.name) % 2::2]
        self.assertGreater(len(faults), 5)
        words = []
        for fault in faults:
            with self.subTest(f"tests/slow/faults --job {job.name} --fault {fault}"):
                try:
                    words.append(job.attempt(fault))
                except Broken as broken:
                    self.fail(str(broken))
        self.assertIn("refused", words)
        self.assertIn("killed", words)
    return test


for one in make_jobs():
    if one.name in JOBS:
        setattr(Sample, "test_" + one.name.replace("-", "_"), make_test(one))

if __name__ == "__main__":
    unittest.main()
