"""The installed libraries as a user meets them: through pkg-config and through a CMake package."""
import os
import pathlib
import re
import tempfile
import unittest

from package import run

SOURCE = pathlib.Path(os.environ["OCTANT_SOURCE"])
BUILD = pathlib.Path(os.environ["OCTANT_BUILD"])
PROGRAM = SOURCE / "examples" / "installed.c"
PROJECT = """cmake_minimum_required(VERSION 3.22)
project(user LANGUAGES C)
find_package(octant 0.1 REQUIRED {components})
add_executable(user {program})
target_link_libraries(user PRIVATE octant::{library} m)
"""


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.root = pathlib.Path(folder.name)
        cls.prefix = cls.root / "prefix"
        run("cmake", "--install", BUILD, "--prefix", cls.prefix)
        cls.pkgconfig = next(cls.prefix.rglob("octant.pc")).parent

    def pkg_config(self, *options):
        environment = dict(os.environ, PKG_CONFIG_PATH=str(self.pkgconfig))
        return run("pkg-config", *options, "octant", env=environment).split()

    def check_program(self, program, **options):
        """Runs the example, which must come back to its start after 4096 steps."""
        output = run(program, self.root / "eight.csv", **options)
        match = re.fullmatch(r"octant (\S+): (\d+) steps, back within (\S+), state [0-9a-f]{16}\n",
                             output)
        self.assertIsNotNone(match, output)
        self.assertEqual(match[1], self.pkg_config("--modversion")[0])
        self.assertEqual(match[2], "4096")
        self.assertLess(float(match[3]), 2e-5)  # measured 5.0e-6 in mixed precision

    def test_pkg_config(self):
        program = self.root / "by-pkg-config"
        run("cc", "-std=c11", PROGRAM, *self.pkg_config("--cflags", "--libs"), "-lm", "-o", program)
        library = self.pkg_config("--variable=libdir")[0]
        self.check_program(program, env=dict(os.environ, LD_LIBRARY_PATH=library))

    def test_pkg_config_with_the_static_library(self):
        program = self.root / "static-by-pkg-config"
        environment = dict(os.environ, PKG_CONFIG_PATH=str(self.pkgconfig))
        flags = run("pkg-config", "--cflags", "--libs", "octant-static", env=environment).split()
        run("cc", "-std=c11", PROGRAM, *flags, "-o", program)
        self.check_program(program)
        self.assertNotIn("liboctant", run("ldd", program))
        # What --static adds is all that the archive needs.
        private = set(self.pkg_config("--static", "--libs")) - set(self.pkg_config("--libs"))
        self.assertLessEqual(private, set(flags))
        self.assertIn("-lOpenCL", private)

    def project(self, library, *components, options=()):
        """Configures a project of a user; what CMake says where that fails."""
        folder = self.root / f"project-{library}"
        folder.mkdir(exist_ok=True)
        wanted = " ".join(("COMPONENTS", *components)) if components else ""
        (folder / "CMakeLists.txt").write_text(
            PROJECT.format(program=PROGRAM, library=library, components=wanted))
        run("cmake", "-S", folder, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={self.prefix}",
            *options)
        return folder / "build"

    def test_cmake_package(self):
        build = self.project("octant")
        run("cmake", "--build", build)
        self.check_program(build / "user")

    def test_cmake_package_with_the_static_library(self):
        build = self.project("static", "static")
        run("cmake", "--build", build)
        self.check_program(build / "user")
        self.assertNotIn("liboctant", run("ldd", build / "user"))

    def test_cmake_package_says_what_it_lacks(self):
        with self.assertRaisesRegex(AssertionError, "no component statics; there are octant"):
            self.project("none", "statics")
        # As on a machine without the headers of HDF5, where the shared library will do.
        blind = "-DCMAKE_DISABLE_FIND_PACKAGE_HDF5=ON"
        self.project("octant", options=[blind])
        with self.assertRaisesRegex(AssertionError,
                                    r"static library needs what is not found\s+here: HDF5\."):
            self.project("blind", "static", options=[blind])

    def test_below_another_root(self):
        root = self.root / "root"
        run("cmake", "--install", BUILD, "--prefix", "/usr", env=dict(os.environ, DESTDIR=root))
        files = {path.relative_to(root) for path in root.rglob("*") if path.is_file()}
        here = {"usr" / path.relative_to(self.prefix)
                for path in self.prefix.rglob("*") if path.is_file()}
        self.assertEqual(files, here)

    def test_binary_finds_its_library_after_a_move(self):
        moved = self.root / "moved"
        run("cp", "-r", self.prefix, moved)
        output = run("ldd", moved / "bin" / "octant")
        found = re.search(r"liboctant\.so\.0\.\d+ => (\S+)", output)
        self.assertIsNotNone(found, output)
        self.assertTrue(pathlib.Path(found[1]).resolve().is_relative_to(moved.resolve()), output)

    def test_manual_pages_and_completions_are_where_they_are_looked_for(self):
        share = self.prefix / "share"
        binary = self.prefix / "bin" / "octant"
        for name, *arguments in [("man/man1/octant.1", "--man"),
                                 ("man/man1/octant-run.1", "--man", "run"),
                                 ("man/man5/octant-scene.5", "--man", "scene"),
                                 ("bash-completion/completions/octant", "--completion", "bash"),
                                 ("zsh/site-functions/_octant", "--completion", "zsh"),
                                 ("fish/vendor_completions.d/octant.fish", "--completion", "fish")]:
            self.assertEqual((share / name).read_text(encoding="utf-8"),
                             run(binary, "help", *arguments))
        commands = re.findall(r"(?m)^  ([a-z]+)  ", run(binary, "help"))
        self.assertEqual({page.name for page in (share / "man/man1").iterdir()},
                         {"octant.1"} | {f"octant-{command}.1" for command in commands})

    def test_only_public_headers_are_installed(self):
        headers = {str(path.relative_to(self.prefix)) for path in self.prefix.rglob("*.h")}
        public = (SOURCE / "include").rglob("*.h")
        self.assertEqual(headers, {str(path.relative_to(SOURCE)) for path in public})


if __name__ == "__main__":
    unittest.main()
