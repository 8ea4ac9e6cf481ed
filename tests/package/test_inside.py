"""Octant inside another project, by add_subdirectory: both libraries, and nothing else of it."""
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["OCTANT_SOURCE"])
# Names, flags and a build type of its own, which must be left alone.
PROJECT = """cmake_minimum_required(VERSION 3.22)
project(outer VERSION 7.8.9 LANGUAGES C)
set(CMAKE_C_STANDARD 99)
foreach(name IN ITEMS fault test_reference util core tests examples octant_manual)
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


def run(*command, **options):
    result = subprocess.run([str(part) for part in command], check=False, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    if result.returncode != 0:
        raise AssertionError(f"{command} ended with {result.returncode}: {result.stdout}")
    return result.stdout


class Inside(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.root = pathlib.Path(folder.name)
        (cls.root / "CMakeLists.txt").write_text(PROJECT.format(source=SOURCE))
        cls.build = cls.root / "build"
        cls.said = run("cmake", "-S", cls.root, "-B", cls.build, "-DCMAKE_C_FLAGS=-O0")
        run("cmake", "--build", cls.build, "--parallel", "2")

    def test_the_project_around_it_is_left_alone(self):
        self.assertIn("left: [] [] [] 7.8.9 99\n", self.said)
        targets = run("cmake", "--build", self.build, "--target", "help")
        self.assertIn("octant_static", targets)
        self.assertNotRegex(targets, r"octant_cli|example_|\btest_(?!reference)")

    def test_both_libraries_run(self):
        for library in ("octant", "static"):
            program = self.build / f"by_{library}"
            output = run(program, self.root / "eight.csv")
            back = re.search(r"4096 steps, back within (\S+),", output)
            self.assertLess(float(back[1]), 2e-5)  # measured 5.0e-6 in mixed precision
            self.assertEqual("liboctant" in run("ldd", program), library == "octant")

    def test_nothing_of_it_is_installed_unasked(self):
        prefix = self.root / "prefix"
        run("cmake", "--install", self.build, "--prefix", prefix)
        files = {path.name for path in prefix.rglob("*") if path.is_file()}
        self.assertEqual(files, {"by_octant", "by_static"})


if __name__ == "__main__":
    unittest.main()
