"""A sample of what tests/slow/rank-faults tries: a rank is killed, or a call of it fails."""

import os
import pathlib
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))
from octant_cli import needs  # noqa: E402
from octant_faults import Broken, Fault, Machine  # noqa: E402
from rank_faults import RankRun  # noqa: E402

LIBRARY = pathlib.Path(os.environ["OCTANT_BUILD"]) / "tests" / "libfault.so"


@needs("hdf5")
class RankFaults(unittest.TestCase):
    def setUp(self):
        base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        root = pathlib.Path(tempfile.mkdtemp(prefix="octant-ranks-", dir=base))
        self.addCleanup(shutil.rmtree, root)
        self.machine = Machine(os.environ["OCTANT"], LIBRARY, root)

    def attempt(self, run, rows):
        words = []
        for fault, victim in rows:
            with self.subTest(f"{fault} in rank {victim} of {run.ranks}"):
                try:
                    words.append(run.attempt(fault, victim))
                except Broken as broken:
                    self.fail(str(broken))
        return words

    @needs("mpi")
    def test_a_process_fails(self):
        """A killed rank, a device that fails, a disk that is full on one machine."""
        run = RankRun(self.machine, 2, True, ["--set", "output.parts=true"])
        kernels = run.moments("clEnqueueNDRangeKernel", 1, 1000)[-1]
        words = self.attempt(run, [(Fault("clEnqueueNDRangeKernel", kernels * 2 // 3, "kill"), 1),
                                   (Fault("clEnqueueNDRangeKernel", kernels // 2, "fail"), 1),
                                   (Fault("write", run.moments("write", 1, 1)[0], "stay"), 1)])
        self.assertEqual(words, ["killed", "refused", "refused"])

    @needs("mpi")
    def test_a_process_is_killed_in_a_round_of_collisions(self):
        run = RankRun(self.machine, 2, True, scene="ring")
        kernels = run.moments("clEnqueueNDRangeKernel", 1, 1000)[-1]
        # Most launches of a step are those of its rounds.
        rows = [(Fault("clEnqueueNDRangeKernel", kernels * 3 // 5, "kill"), 1)]
        self.assertEqual(self.attempt(run, rows), ["killed"])

    def test_a_thread_fails(self):
        run = RankRun(self.machine, 3, False)
        rows = [(Fault("clEnqueueNDRangeKernel", k, "fail"), None)
                for k in run.moments("clEnqueueNDRangeKernel", None, 3)]
        rows += [(Fault("write", k, "stay"), None) for k in run.moments("write", None, 1)]
        self.assertIn("refused", self.attempt(run, rows))


if __name__ == "__main__":
    unittest.main()
