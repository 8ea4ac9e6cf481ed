"""The binding says what the header says, and importing it costs nothing."""

import importlib.util
import pathlib
import re
import shutil
import time
import unittest

from support import PACKAGE, SOURCE, PythonTest, octant

from octant._library import opened


def make_binding():
    path = SOURCE / "python" / "make_binding.py"
    spec = importlib.util.spec_from_file_location("make_binding", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Binding(PythonTest):
    def interface(self):
        """The interface on record, which tools/check-abi compares with the header: key to how."""
        lines = (SOURCE / "tests/package/octant.abi").read_text().splitlines()[1:]
        return dict(line.split(": ", 1) for line in lines)

    def test_every_function_of_the_record_is_bound(self):
        library = opened()
        names = [key.split()[1] for key in self.interface() if key.startswith("function")]
        self.assertGreater(len(names), 100)
        for name in names:
            self.assertTrue(callable(getattr(library.lib, name)), name)
        known = re.findall(rb"oct_\w+", (PACKAGE / "octant/_binding.py").read_bytes())
        bound = {name.decode() for name in known}
        self.assertLessEqual(set(names), bound)

    def test_layouts_and_constants_are_those_of_the_compiler(self):
        library, checked = opened(), 0
        for key, how in self.interface().items():
            kind, name = key.split(" ", 1)
            if kind == "struct" and "." in name:
                struct, member = name.split(".")
                offset, size = re.fullmatch(r"at (\d+), (\d+) bytes", how).groups()
                fields = dict(library.ffi.typeof(struct).fields)
                self.assertEqual(fields[member].offset, int(offset), key)
                self.assertEqual(library.ffi.sizeof(fields[member].type), int(size), key)
            elif kind == "struct":
                self.assertEqual(library.ffi.sizeof(name), int(how.split()[0]), key)
            elif kind == "enum":
                self.assertEqual(getattr(library.lib, name), int(how), key)
            else:
                continue
            checked += 1
        self.assertGreater(checked, 200)

    def test_the_binding_is_what_the_header_makes_now(self):
        made = self.folder / "_binding.py"
        self.make(SOURCE / "include/octant/octant.h", made)
        self.assertEqual(made.read_text(), (PACKAGE / "octant/_binding.py").read_text())

    def test_another_header_makes_another_binding(self):
        headers = self.folder / "octant"
        shutil.copytree(SOURCE / "include/octant", headers)
        text = (headers / "octant.h").read_text()
        (headers / "octant.h").write_text(text.replace("double oct_sim_dt", "float oct_sim_dt"))
        made = self.folder / "_binding.py"
        self.make(headers / "octant.h", made)
        self.assertNotEqual(made.read_text(), (PACKAGE / "octant/_binding.py").read_text())

    def make(self, header, out):
        import contextlib
        import io

        import cffi

        module = make_binding()
        builder = cffi.FFI()
        builder.cdef(module.declarations("cc", pathlib.Path(header)))
        builder.set_source("octant._binding", None)
        with contextlib.redirect_stdout(io.StringIO()):
            builder.emit_python_code(str(out))

    def test_every_status_has_an_exception(self):
        for status, name in opened().ffi.typeof("oct_status").elements.items():
            if status != 0:
                kind = name[len("OCT_STATUS_") :].lower()
                self.assertIn(kind, octant._errors.BY_KIND)

    def test_elements_have_types_of_numpy(self):
        from octant._arrays import ELEMENTS

        names = opened().ffi.typeof("oct_element").elements.values()
        self.assertEqual(set(ELEMENTS), set(names))


class Import(PythonTest):
    def test_importing_is_quick_and_loads_neither_numpy_nor_the_library(self):
        code = (
            "import sys, time; t = time.perf_counter(); import octant; "
            "print(time.perf_counter() - t); "
            "print([m for m in ('numpy', 'astropy', 'matplotlib', '_cffi_backend') "
            "if m in sys.modules])"
        )
        best = min(float(self.python(code).splitlines()[0]) for _ in range(3))
        self.assertLess(best, 0.3)  # measured 0.04 s on a busy machine
        self.assertEqual(self.python(code).splitlines()[1], "[]")

    def test_all_names_are_there(self):
        for name in octant.__all__:
            if name != "plot":
                self.assertIsNotNone(getattr(octant, name), name)
        self.assertLessEqual(set(octant.__all__), set(dir(octant)))
        with self.assertRaises(AttributeError):
            octant.nothing

    def test_the_version_is_the_headers(self):
        text = (SOURCE / "include/octant/octant.h").read_text()
        numbers = re.findall(r"#define OCT_VERSION_\w+ (\d+)", text)
        self.assertEqual(octant.__version__, ".".join(numbers))

    def test_first_use_is_quick(self):
        began = time.perf_counter()
        octant.Scene("plummer")
        self.assertLess(time.perf_counter() - began, 5)


if __name__ == "__main__":
    unittest.main()
