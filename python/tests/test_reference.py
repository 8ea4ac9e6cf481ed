"""The page of the reference is what the docstrings say."""

import importlib.util
import inspect
import unittest

from support import SOURCE, PythonTest, octant


class Reference(PythonTest):
    def test_the_page_is_up_to_date(self):
        path = SOURCE / "python" / "make_reference.py"
        spec = importlib.util.spec_from_file_location("make_reference", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        page = (SOURCE / "docs" / "python-reference.md").read_text()
        self.assertEqual(page, module.page(), "to make it anew: make docs-python")

    def test_all_that_is_public_has_a_docstring(self):
        for name in octant.__all__:
            if name == "__version__":
                continue
            thing = getattr(octant, name)
            self.assertTrue(inspect.getdoc(thing), name)
            for member, value in vars(thing).items() if inspect.isclass(thing) else ():
                if not member.startswith("_") and callable(value):
                    self.assertTrue(inspect.getdoc(value), f"{name}.{member}")


if __name__ == "__main__":
    unittest.main()
