"""The binary interface is the one on record, and what breaks it is told from what adds to it."""
import importlib.machinery
import importlib.util
import os
import pathlib
import re
import subprocess
import unittest

SOURCE = pathlib.Path(os.environ["OCTANT_SOURCE"])
TOOL = SOURCE / "tools" / "check-abi"


def load():
    loader = importlib.machinery.SourceFileLoader("check_abi", str(TOOL))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_abi", loader))
    loader.exec_module(module)
    return module


class Abi(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tool = load()
        lines = cls.tool.RECORD.read_text(encoding="utf-8").splitlines()[1:]
        cls.record = dict(line.split(": ", 1) for line in lines)

    def breaks(self, *removed, **changed):
        """What is said about an interface that differs so from the one on record."""
        new = {key: how for key, how in self.record.items() if key not in removed}
        new.update({key.replace("__", "."): how for key, how in changed.items()})
        return list(self.tool.breaks(self.record, new))

    def test_it_is_as_on_record(self):
        result = subprocess.run([TOOL, os.environ["OCTANT_BUILD"]], check=False, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual((result.returncode, result.stdout), (0, ""))

    def test_the_record_is_whole(self):
        # Counted in another way: names in the headers, without what is in comments.
        text = self.tool.headers()
        for name in ("oct_sim_create", "oct_units_names", "oct_touching", "oct_version"):
            self.assertIn(f"function {name}", self.record)
        self.assertEqual(sum(key.startswith("struct ") and "." not in key for key in self.record),
                         len(re.findall(r"typedef struct \w+ \{", text)))
        self.assertEqual(sum(key.startswith("enum ") for key in self.record),
                         len(re.findall(r"\bOCT_[A-Z0-9_]+(?: = -?\d+)?(?=,| \})", text)))
        self.assertEqual(self.record["struct oct_units.G"], "at 40, 8 bytes")
        self.assertEqual(self.record["enum OCT_STATUS_INTERNAL"], "-5")

    def test_what_is_added_breaks_nothing(self):
        end = int(self.record["struct oct_plan"].split()[0])
        self.assertEqual(self.breaks(), [])
        self.assertEqual(self.breaks(**{"function oct_new": "void (void)",
                                        "struct oct_new__size": "at 0, 8 bytes",
                                        "struct oct_new": "8 bytes",
                                        "enum OCT_STATUS_NEW": "5",
                                        "struct oct_plan__later": f"at {end}, 8 bytes",
                                        "struct oct_plan": f"{end + 8} bytes"}), [])

    def test_what_is_changed_does(self):
        end = int(self.record["struct oct_bodies"].split()[0])
        for found in (self.breaks("function oct_run"),
                      self.breaks(**{"function oct_run": "void (oct_sim *)"}),
                      self.breaks(**{"callback oct_log": "void (const char *)"}),
                      self.breaks(**{"enum OCT_RUN_REFUSE": "1"}),
                      self.breaks("struct oct_plan__title".replace("__", ".")),
                      self.breaks(**{"struct oct_plan__dt": "at 512, 8 bytes"}),
                      self.breaks(**{"struct oct_plan__dt": "at 504, 4 bytes"}),
                      self.breaks(**{"struct oct_bodies": f"{end + 8} bytes"}),
                      self.breaks(**{"struct oct_bodies__late": f"at {end}, 8 bytes"})):
            self.assertEqual(len(found), 1, found)

    def test_padding_is_no_room(self):
        # oct_estimate ends with a bool and seven bytes that may hold anything.
        self.assertEqual(self.record["struct oct_estimate.fits"], "at 48, 1 bytes")
        self.assertEqual(self.record["struct oct_estimate"], "56 bytes")
        self.assertEqual(self.breaks(**{"struct oct_estimate__late": "at 52, 4 bytes"}),
                         ["struct oct_estimate.late: at 52, 4 bytes is new, where struct "
                          "oct_estimate had 56 bytes"])

    def test_a_release_fixes_the_soname(self):
        for number, heading, released in [("0.1", "0.1.0 (unreleased)", False),
                                          ("0.1", "0.1.0 (2027-01-31)", True),
                                          ("0.2", "0.1.0 (2027-01-31)", False),
                                          ("1", "1.4.2 (2027-01-31)", True),
                                          ("1", "0.1.0 (2027-01-31)", False)]:
            text = f"# Changelog\n\n## {heading}\n\nText.\n"
            self.assertEqual(self.tool.is_released(number, text), released, heading)


if __name__ == "__main__":
    unittest.main()
