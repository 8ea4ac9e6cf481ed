"""The program in docs/library.md compiles with the public headers and does what the page says."""
import os
import pathlib
import re
import subprocess
import unittest

from octant_cli import OctantTest

SOURCE = pathlib.Path(os.environ["OCTANT_SOURCE"])
BUILD = pathlib.Path(os.environ["OCTANT_BUILD"])


class LibraryPage(OctantTest):
    def test_the_program_runs(self):
        page = (SOURCE / "docs/library.md").read_text()
        program = self.write("program.c", re.search(r"```c\n(.*?)```", page, re.S)[1])
        flags = ["-fsanitize=address,undefined"] if self.sanitized() else []
        subprocess.run([os.environ.get("CC", "cc"), "-std=c11", "-Wall", "-Wextra", "-Wpedantic",
                        "-Werror", *flags, f"-I{SOURCE / 'include'}", program, "-o",
                        self.folder / "program", f"-L{BUILD}", "-loctant",
                        f"-Wl,-rpath,{BUILD}"], check=True, timeout=120)
        before = sorted(self.folder.iterdir())
        done = subprocess.run([self.folder / "program"], text=True, capture_output=True,
                              cwd=self.folder, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = re.findall(r"t = (\S+): +(\S+) +(\S+)", done.stdout)
        self.assertEqual([row[0] for row in rows], ["0.5", "1.0", "1.5", "2.0"])
        # Two halves on a circle of radius 1/2 with G = 1: once around in 2 pi.
        for time, x, y in rows:
            self.assertAlmostEqual(float(x) ** 2 + float(y) ** 2, 0.25, delta=1e-4)
        self.assertEqual(sorted(self.folder.iterdir()), before)

    @staticmethod
    def sanitized():
        cache = (BUILD / "CMakeCache.txt").read_text()
        return re.search(r"^OCT_SANITIZE:\w+=(ON|1|TRUE)$", cache, re.M) is not None


if __name__ == "__main__":
    unittest.main()
