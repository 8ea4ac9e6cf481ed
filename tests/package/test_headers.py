"""Every declaration of the public headers has a comment: the check of it sees them all."""
import importlib.machinery
import importlib.util
import os
import pathlib
import re
import unittest

SOURCE = pathlib.Path(os.environ["OCTANT_SOURCE"])


def load(name):
    loader = importlib.machinery.SourceFileLoader(name, str(SOURCE / "tools" / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


class Headers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tool = load("check-headers")
        cls.public = sorted((SOURCE / "include" / "octant").glob("*.h"))

    def test_nothing_is_without(self):
        self.assertEqual([line for path in self.public for line in self.tool.uncommented(path)], [])

    def test_all_that_is_on_record_is_seen(self):
        found = [text for path in self.public
                 for _, _, text in self.tool.declarations(path.read_text(encoding="utf-8"))]
        record = (SOURCE / "tests/package/octant.abi").read_text(encoding="utf-8")
        names = re.findall(r"(?m)^(?:function|callback) (\w+)|^struct (\w+):", record)
        self.assertGreater(len(names), 100)
        for name in map("".join, names):
            self.assertTrue(any(re.search(rf"\b{name}\b", text) for text in found), name)

    def test_whose_a_comment_is(self):
        text = """/* What the file is for. */
#define A 1

/* Section ------- */
void bare(void);
/* Above. */
int above(int x,
          int y);
int behind(void); /* here */
int next(void);

/* Of nothing. */

typedef struct s {
    int x; /* a member */
} s;
"""
        seen = {re.search(r"\w+(?=\(|;$)", declaration)[0]: comment
                for _, comment, declaration in self.tool.declarations(text)}
        self.assertEqual(seen, {"bare": "", "above": "/* Above. */", "behind": "/* here */",
                                "next": "", "s": ""})
        lines = [line for line, _, _ in self.tool.declarations(text)]
        self.assertEqual(lines, [5, 7, 9, 10, 14])


if __name__ == "__main__":
    unittest.main()
