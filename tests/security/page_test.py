"""Every file and every test that SECURITY.md names exists."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class PageTest(unittest.TestCase):
    def test_named_tests_exist(self):
        page = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
        evidence = re.findall(r"\[`([^`]+)`\]\(([^)]+)\)((?: `\w+`)*)", page)
        self.assertGreater(len(evidence), 40)
        for name, path, tests in evidence:
            self.assertEqual(pathlib.PurePath(path).name, name)
            source = (ROOT / path).read_text(encoding="utf-8")
            for test in re.findall(r"`(\w+)`", tests):
                self.assertRegex(source, rf"(TEST(_F|_P)?\(\w+,\s*{test}\)|def {test}\()", path)

    def test_every_row_names_its_evidence(self):
        page = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
        for table in re.findall(r"shown by \|\n\|[-|]+\|\n((?:\|.*\n)+)", page):
            for row in table.splitlines():
                self.assertIn("`", row.rsplit(" | ", 1)[1], row)


if __name__ == "__main__":
    unittest.main()
