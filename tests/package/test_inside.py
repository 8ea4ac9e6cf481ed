"""Octant inside another project, by add_subdirectory, and in a build that does without the
libraries which it can do without: both libraries and the binary, as small as they get."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from package import run

SOURCE = pathlib.Path(os.environ["OCTANT_SOURCE"])
# Names, flags and a build type of its own, which must be left alone.
PROJECT = """cmake_minimum_required(VERSION 3.22)
project(outer VERSION 7.8.9 LANGUAGES C)
set(CMAKE_C_STANDARD 99)
foreach(name IN ITEMS fault test_reference util core tests examples)
    add_custom_target(${{name}})
endforeach()
add_subdirectory({source} nbody)
foreach(library IN ITEMS octant static)
    add_executable(by_${{library}} {source}/examples/installed.c)
    target_link_libraries(by_${{library}} PRIVATE octant::${{library}} m)
    install(TARGETS by_${{library}} DESTINATION bin)
endforeach()
get_directory_property(options COMPILE_OPTIONS)
get_directory_property(definitions COMPILE_DEFINITIONS)
get_directory_property(links LINK_OPTIONS)
get_directory_property(tests DIRECTORY {source} TESTS)
message(STATUS "left: [${{options}}${{definitions}}${{links}}${{tests}}] [${{CMAKE_BUILD_TYPE}}] "
               "[${{BUILD_TESTING}}] ${{PROJECT_VERSION}} ${{CMAKE_C_STANDARD}}")
"""
HDF5 = ("this build of Octant has no HDF5: snapshots and checkpoints can be neither written nor "
        "read, CSV files can; to have it, install HDF5 (libhdf5-dev in Debian) and build Octant "
        "with -DOCT_WITH_HDF5=ON")
PNG = ("this build of Octant has no libpng: pictures cannot be drawn, films can; to have it, "
       "install libpng (libpng-dev in Debian) and build Octant with -DOCT_WITH_PNG=ON")
VIEWER = ("this build of Octant has no libmicrohttpd: nothing can be shown in a browser; to have "
          "it, install libmicrohttpd (libmicrohttpd-dev in Debian) and build Octant with "
          "-DOCT_WITH_VIEWER=ON")
SMALL = ("plummer", "--set", "models.0.plummer.n=64")


class Inside(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.root = pathlib.Path(folder.name)
        (cls.root / "CMakeLists.txt").write_text(PROJECT.format(source=SOURCE))
        cls.build = cls.root / "build"
        run("cmake", "-S", cls.root, "-B", cls.build, "-DCMAKE_C_FLAGS=-O0", "-DOCT_CLI=ON",
            "-DOCT_WERROR=ON", "-DOCT_WITH_HDF5=OFF", "-DOCT_WITH_PNG=OFF", "-DOCT_WITH_VIEWER=OFF",
            "-DOCT_WITH_MPI=OFF")
        run("cmake", "--build", cls.build, "--parallel", "2")
        cls.binary = cls.build / "nbody" / "octant"
        cls.files = cls.root / "files"
        run(cls.binary, "run", *SMALL, "--steps", "4", "--out", cls.files)

    def octant(self, *arguments):
        return subprocess.run([self.binary, *map(str, arguments)], capture_output=True, text=True,
                              check=False, cwd=self.root)

    def refused(self, sentence, *arguments):
        """It says so at once, and leaves nothing behind."""
        before = sorted(self.root.rglob("*"))
        result = self.octant(*arguments)
        self.assertEqual((result.returncode, result.stdout, result.stderr),
                         (2, "", f"octant: {sentence}\n"))
        self.assertEqual(sorted(self.root.rglob("*")), before)

    def test_the_project_around_it_is_left_alone(self):
        plain = self.root / "plain"
        said = run("cmake", "-S", self.root, "-B", plain)
        self.assertIn("left: [] [] [] 7.8.9 99\n", said)
        targets = run("cmake", "--build", plain, "--target", "help")
        self.assertIn("octant_static", targets)
        self.assertNotRegex(targets, r"octant_cli|octant_manual|example_|\btest_(?!reference)")

    def test_both_libraries_run(self):
        for library in ("octant", "static"):
            program = self.build / f"by_{library}"
            output = run(program, self.root / "eight.csv")
            back = re.search(r"4096 steps, back within (\S+),", output)
            self.assertLess(float(back[1]), 2e-5)  # measured 5.0e-6 in mixed precision
            linked = run("ldd", program)
            self.assertEqual("liboctant" in linked, library == "octant")
            self.assertNotRegex(linked, "hdf5|png|microhttpd")

    def test_nothing_of_it_is_installed_unasked(self):
        prefix = self.root / "prefix"
        run("cmake", "--install", self.build, "--prefix", prefix)
        files = {path.name for path in prefix.rglob("*") if path.is_file()}
        self.assertEqual(files, {"by_octant", "by_static"})

    def test_it_says_what_it_has(self):
        self.assertRegex(run(self.binary, "--version"),
                         r"^octant \d+\.\d+\.\d+\nwithout hdf5, png, viewer, mpi\n$")

    def test_what_is_missed_is_said_before_anything_begins(self):
        rows = self.files / "snapshot_0000.csv"
        self.refused(HDF5, "run", "--resume", "--out", self.files)
        self.refused(HDF5, "convert", rows, "bodies.hdf5")
        self.refused(PNG, "render", rows, "--out", "picture.png")
        self.refused(PNG, "render", rows, "--out", "picture.svg")
        self.refused(PNG, "render", rows, rows, "--out", "pictures")
        self.refused(VIEWER, "view", self.files)
        self.refused(VIEWER, "view", "plummer")
        self.refused(VIEWER, "run", *SMALL, "--view", "--out", "viewed")

    def test_files_of_other_builds_are_refused(self):
        # A snapshot of another code begins so; what follows is not looked at.
        file = self.root / "other.hdf5"
        file.write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(1024))
        self.refused(HDF5, "info", file)
        scene = self.root / "scene.yaml"
        scene.write_text("units: nbody\nmodels: [{file: {path: other.hdf5}}]\n"
                         "gravity: {method: direct}\nintegrator: {method: leapfrog, dt: 0.1}\n"
                         "run: {until: 1}\n")
        self.assertIn("has no HDF5", self.octant("run", scene, "--out", "none").stderr)

    def test_a_run_leaves_tables_and_says_once_what_it_does_not(self):
        out = self.root / "run"
        result = self.octant("run", *SMALL, "--steps", "8", "--out", out, "--quiet")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stderr, "octant: note: this build of Octant has no HDF5: the run "
                         "leaves no checkpoint to go on from, and its snapshots are CSV files\n")
        self.assertEqual({path.name for path in out.iterdir()},
                         {"scene.yaml", "diagnostics.csv", "report.html", "snapshot_0000.csv",
                          "snapshot_0001.csv"})
        self.assertIn("time 0.0625, step 8, units nbody",
                      (out / "snapshot_0001.csv").read_text().splitlines()[0])

    def test_a_run_is_replaced_whole_or_not_at_all(self):
        out = self.root / "again"
        run(self.binary, "run", *SMALL, "--steps", "4", "--out", out)
        result = self.octant("run", *SMALL, "--out", out)
        self.assertEqual(result.returncode, 2)
        self.assertIn("holds a run already", result.stderr)
        before = {path.name: path.read_bytes() for path in out.iterdir()}
        # One that fails on its way gives the folder back as it was.
        result = self.octant("run", *SMALL, "--steps", "4", "--out", out, "--force",
                             "--set", "models.0.plummer.scale=1e-300")
        self.assertNotEqual(result.returncode, 0)
        self.assertEqual({path.name: path.read_bytes() for path in out.iterdir()}, before)
        run(self.binary, "run", *SMALL, "--steps", "6", "--out", out, "--force")
        self.assertEqual({path.name for path in out.iterdir()}, set(before))
        self.assertIn("step 6,", (out / "snapshot_0001.csv").read_text())

    def test_a_run_that_is_stopped_says_that_it_cannot_go_on(self):
        out = self.root / "stopped"
        with subprocess.Popen([self.binary, "run", *SMALL, "--steps", "1000000000", "--out", out],
                              stdout=subprocess.PIPE, text=True) as process:
            process.stdout.readline()
            process.terminate()
            said, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 143)
        self.assertIn("there is no checkpoint to go on from\n", said)
        self.assertTrue((out / "report.html").is_file())

    def test_what_needs_none_of_them_passes_its_tests(self):
        test = SOURCE / "tests" / "cli" / "test_compare.py"
        run(sys.executable, "-B", test, env=dict(os.environ, OCTANT=str(self.binary)))


if __name__ == "__main__":
    unittest.main()
