"""The wheel in an empty virtual environment, as a new user has it, with and without OpenCL."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

import tomllib

from support import BINARY, PACKAGE, SOURCE, PythonTest, octant

PAGE = SOURCE / "docs" / "python.md"
ADVICE = "no OpenCL device was found: type: pip install 'octant[cpu]'"


# Makes a machine without OpenCL of this one, for a command: neither a loader nor a driver is there.
HIDE = """\
for library in $(/sbin/ldconfig -p | sed -n 's/.*libOpenCL.* => //p'); do
    mount --bind /dev/null "$(readlink -f "$library")"
done
if [ -d /etc/OpenCL ]; then mount -t tmpfs none /etc/OpenCL; fi
exec "$@"
"""
WITHOUT_OPENCL = ["unshare", "--mount", "--", "sh", "-ec", HIDE, "sh"]


def can_hide():
    """Whether this user may do that."""
    try:
        done = subprocess.run([*WITHOUT_OPENCL, "true"], capture_output=True, check=False)
    except FileNotFoundError:
        return False
    return done.returncode == 0


class Package(PythonTest):
    """The installed package, which a new user's is."""

    def test_the_wheel_has_all_that_the_library_needs(self):
        own = re.compile(r"^(ld-linux.*|lib(c|m|mvec|pthread|dl|rt|resolv|util|anl|nsl)\.so.*)$")
        library = next((PACKAGE / "octant/lib").glob("liboctant.so.*"))
        text = subprocess.run(["ldd", library], capture_output=True, text=True, check=True).stdout
        outside = {
            name
            for name, path in re.findall(r"(\S+) => (\S+)", text)
            if not pathlib.Path(path).resolve().is_relative_to(PACKAGE.resolve())
        }
        left = {name for name in outside if not own.match(name)}
        self.assertLessEqual(left, {"libOpenCL.so.1"})
        self.assertTrue((PACKAGE / "octant/loader/libOpenCL.so.1").exists())

    def test_a_machine_without_a_driver_is_told_what_to_type(self):
        code = "import octant\ntry:\n    octant.Simulation('two-body')\n"
        code += "except octant.MissingError as e:\n    print(e, octant.devices())\n"
        # No driver, neither of the system nor of a package.
        words = self.python(
            "import octant._drivers as d\nd.packaged_driver = lambda: None\n" + code,
            OCL_ICD_VENDORS="/nonexistent",
        )
        self.assertIn(ADVICE, words)
        self.assertIn("[]", words)

    @unittest.skipUnless(can_hide(), "needs the right to mount")
    def test_a_machine_without_any_opencl_is_told_so_too(self):
        code = (
            "import octant, octant._drivers as d\n"
            "d.packaged_driver = lambda: None\n"
            "print(octant.devices())\n"
            "try:\n    octant.Simulation('two-body')\n"
            "except octant.MissingError as e:\n    print(e)\n"
            "print([l.split()[-1] for l in open('/proc/self/maps') if 'libOpenCL' in l][0])\n"
        )
        done = subprocess.run(
            [*WITHOUT_OPENCL, sys.executable, "-B", "-c", code],
            env=dict(os.environ, PYTHONPATH=str(PACKAGE)),
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        none, words, loader = done.stdout.splitlines()
        self.assertEqual(none, "[]")
        self.assertTrue(words.startswith(ADVICE), words)
        self.assertTrue(loader.startswith(str(PACKAGE.resolve())), loader)

    def test_without_a_loader_of_the_system_the_packages_is_opened(self):
        code = (
            "import octant._drivers as d\n"
            "d.system_has_loader = lambda: False\n"
            "import octant\nprint(octant.__version__)\n"
            "print([l.split()[-1] for l in open('/proc/self/maps') if 'libOpenCL' in l][0])\n"
        )
        version, path = self.python(code).splitlines()
        self.assertEqual(version, octant.__version__)
        self.assertTrue(path.startswith(str(PACKAGE.resolve())), path)

    def test_what_pip_cannot_find_is_named(self):
        with (SOURCE / "pyproject.toml").open("rb") as file:
            defined = tomllib.load(file)["tool"]["scikit-build"]["cmake"]["define"]
        options = [f"-D{name}={value}" for name, value in defined.items()]
        absent = [f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}=ON" for name in ("HDF5", "PNG")]
        absent.append("-DRANDOM123_DIR=RANDOM123_DIR-NOTFOUND")
        absent.append("-DCMAKE_DISABLE_FIND_PACKAGE_OpenCL=ON")
        absent.append("-DCMAKE_FIND_ROOT_PATH=/nonexistent")
        absent.append("-DCMAKE_FIND_ROOT_PATH_MODE_INCLUDE=ONLY")
        done = subprocess.run(
            ["cmake", "-S", SOURCE, "-B", self.folder, *options, *absent],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        self.assertNotEqual(done.returncode, 0)
        words = " ".join(done.stderr.split())
        self.assertIn("Not found: OpenCL, HDF5, libpng, Random123.", words)

    def test_the_program_comes_along(self):
        code = "import sys; sys.argv = ['octant', '--version']\n"
        code += "from octant._command import main; main()"
        expected = subprocess.run([BINARY, "--version"], capture_output=True, text=True, check=True)
        self.assertEqual(self.python(code), expected.stdout)


@unittest.skipUnless(os.environ.get("OCTANT_INSTALL"), "takes minutes and 500 MB: OCTANT_INSTALL=1")
class Fresh(PythonTest):
    """``pip install .`` and the tutorial in environments that have nothing else."""

    def environment(self, *packages):
        folder = self.folder / "venv"
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        pip = [folder / "bin/python", "-m", "pip", "install", "--quiet", *packages]
        subprocess.run(pip, check=True, cwd=SOURCE)
        return folder / "bin"

    def type_tutorial(self, folder, before=(), **environment):
        """Types the Python of the first ten minutes, block by block, and the commands."""
        blocks = re.findall(r"```(python|sh)\n(.*?)```", PAGE.read_text().split("\n## ")[2], re.S)
        self.assertGreater(len(blocks), 4)
        code = "import matplotlib; matplotlib.use('Agg')\n"
        code += "\n".join(text for kind, text in blocks if kind == "python")
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "OCTANT"))}
        clean.update(environment, PATH=f"{folder}:{clean['PATH']}")
        done = subprocess.run(
            [*before, folder / "python", "-c", code],
            env=clean, cwd=self.folder, capture_output=True, text=True, check=False,
        )  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for text in (text for kind, text in blocks if kind == "sh"):
            subprocess.run([*before, "sh", "-c", text], env=clean, cwd=self.folder, check=True)
        return done.stdout

    def test_with_the_systems_opencl(self):
        self.assertTrue(self.type_tutorial(self.environment(".[plot]")))

    def test_without_any_opencl(self):
        folder = self.environment(".[cpu,plot]")
        self.assertTrue(shutil.which("octant", path=str(folder)))
        if can_hide():
            self.assertTrue(self.type_tutorial(folder, WITHOUT_OPENCL))
        else:
            self.assertTrue(self.type_tutorial(folder, OCL_ICD_VENDORS="/nonexistent"))


if __name__ == "__main__":
    unittest.main()
