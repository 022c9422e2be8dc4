#!/usr/bin/env python3
"""The pure parts of tests/mutation: choosing changes, instrumenting sources, reading errors, counting results."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import changes  # noqa: E402
import programs  # noqa: E402
import report  # noqa: E402
import tree  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCE = b"""bool is_small(int a) {
  // A limit.
  if (a < 3) return true;
  return false;
}
"""


def mutant(text, after, path="src/json/patch.cpp", source=SOURCE):
    """The change of the first `text` in the source to `after`."""
    start = source.index(text.encode())
    line = source[:start].count(b"\n") + 1
    last = line + text.count("\n")
    return changes.Mutant(path, line, last, start, start + len(text), "comparison", text, after,
                          f"(active(@) ? ({after}) : (", "))", source.decode().split("\n")[line - 1].strip())


class Choice(unittest.TestCase):
    def test_quotas_are_proportional_and_complete(self):
        self.assertEqual(changes.quotas({"a": 50, "b": 30, "c": 20}, 10), {"a": 5, "b": 3, "c": 2})
        self.assertEqual(changes.quotas({"a": 1, "b": 1, "c": 1}, 5), {"a": 2, "b": 2, "c": 1})

    def test_sample_depends_only_on_the_seed(self):
        found = [mutant("a < 3", "a <= 3", f"src/json/{name}.cpp") for name in ("patch", "scan", "writer")]
        self.assertEqual(changes.sample(found, 7), changes.sample(found[::-1], 7))
        self.assertEqual(set(changes.sample(found, 7)), set(found))
        order = changes.sample(found, 7)
        self.assertEqual(changes.sample(found[1:], 7), [each for each in order if each != found[0]])

    def test_sample_has_one_change_per_line(self):
        self.assertEqual(len(changes.sample([mutant("a < 3", "a <= 3"), mutant("3", "4")], 7)), 1)


    def test_equal_changes_of_a_line_are_numbered(self):
        found = changes.numbered_repeats([mutant("3", "4"), mutant("3", "4"), mutant("true", "0")])
        self.assertEqual([each.change for each in found], ["3 -> 4", "3 -> 4 (no. 2)", "true -> 0"])


class Instrumentation(unittest.TestCase):
    def test_nested_changes_enclose_each_other(self):
        text = changes.instrument(SOURCE, [(7, mutant("3", "4")), (8, mutant("a < 3", "a <= 3"))]).decode()
        self.assertIn("if ((active(8) ? (a <= 3) : (a < (active(7) ? (4) : (3))))) return true;", text)

    def test_changes_of_one_place_enclose_each_other(self):
        text = changes.instrument(SOURCE, [(7, mutant("a < 3", "a <= 3")), (8, mutant("a < 3", "b"))]).decode()
        self.assertIn("if ((active(7) ? (a <= 3) : ((active(8) ? (b) : (a < 3))))) return true;", text)

    def test_lines_keep_their_numbers(self):
        text = changes.instrument(SOURCE, [(7, mutant("a < 3", "a <= 3"))])
        self.assertEqual(text.count(b"\n"), SOURCE.count(b"\n"))


class CompilerErrors(unittest.TestCase):
    def broken(self, output, *mutants):
        numbered = list(enumerate(mutants, 1))
        return tree.find_broken(output, numbered, pathlib.Path("/t/build/release"), pathlib.Path("/t"))

    def test_error_drops_the_change_of_its_line(self):
        output = "\x1b[01m../../src/json/patch.cpp:3:7:\x1b[m \x1b[31merror: \x1b[mno match for 'operator-'\n"
        there = [mutant("a < 3", "a <= 3"), mutant("true", "0")]
        self.assertEqual(self.broken(output, *there, mutant("false", "1")), {1, 2})

    def test_error_in_a_header_drops_its_instantiation(self):
        output = ("../../src/json/patch.cpp:4:9:   required from here\n"
                  "/usr/include/c++/12/optional:10:1: error: static assertion failed\n")
        self.assertEqual(self.broken(output, mutant("a < 3", "a <= 3"), mutant("false", "1")), {2})

    def test_error_elsewhere_drops_the_whole_source(self):
        output = "../../src/json/patch.cpp:1:6: error: redeclared\n"
        elsewhere = mutant("0", "1", "src/json/scan.cpp", b"0")
        self.assertEqual(self.broken(output, mutant("a < 3", "a <= 3"), elsewhere), {1})

    def test_warnings_drop_nothing(self):
        self.assertEqual(self.broken("../../src/json/patch.cpp:3:7: warning: a\n", mutant("a < 3", "a <= 3")), set())


class Results(unittest.TestCase):
    ENTRY = "src/json/patch.cpp\n  line: if (a < 3) return true;\n  change: a < 3 -> a <= 3\n  reason: a is never 3\n"

    def test_explained_changes_are_read(self):
        entries = report.read_explained(f"# A comment.\n\n{self.ENTRY}\n{self.ENTRY}")
        self.assertEqual([entry.key for entry in entries], [mutant("a < 3", "a <= 3").key] * 2)

    def test_entry_without_reason_is_malformed(self):
        with self.assertRaises(report.FormatError):
            report.read_explained(self.ENTRY.replace("  reason: a is never 3\n", ""))

    def test_entry_of_a_changed_line_is_outdated(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "src/json/patch.cpp")
            path.parent.mkdir(parents=True)
            path.write_bytes(SOURCE)
            entries = report.read_explained(self.ENTRY)
            self.assertEqual(report.outdated(entries, pathlib.Path(folder)), [])
            path.write_bytes(SOURCE.replace(b"3", b"4"))
            self.assertEqual(report.outdated(entries, pathlib.Path(folder)), entries)

    def test_committed_entries_name_existing_lines(self):
        entries = report.read_explained((ROOT / "tests/mutation/equivalent.txt").read_text())
        self.assertEqual(report.outdated(entries, ROOT), [])
        self.assertEqual(len({entry.key for entry in entries}), len(entries))

    def test_percentage_excludes_explained_changes(self):
        made = [mutant("a < 3", "a <= 3"), mutant("true", "0"), mutant("false", "1"), mutant("a", "b")]
        results = {made[0]: ("survived", "", ""), made[1]: ("noticed", "p", "crash"), made[2]: ("not reached", "", "")}
        row = report.count(made, results, {made[0].key})["src/json"]
        self.assertEqual(row, report.Row(made=4, compiled=3, reached=2, noticed=1, explained=1))
        self.assertEqual(row.percent, 50.0)
        self.assertEqual(row.unexplained, 1)

    def test_failing_and_slow_cases_are_left_out(self):
        cases = [{"name": "Good", "time": "0.1s"}, {"name": "Slow", "time": "2.5s"},
                 {"name": "Bad", "time": "0s", "failures": [{}]}]
        self.assertEqual(programs.unusable_cases({"testsuites": [{"name": "Suite", "testsuite": cases}]}),
                         (["Suite.Bad"], ["Suite.Slow"]))


if __name__ == "__main__":
    unittest.main()
