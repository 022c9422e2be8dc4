#!/usr/bin/env python3
"""cmake/tidy.py checks sources together if possible, and reports findings for each source."""

import pathlib
import stat
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "cmake"))
import tidy  # noqa: E402

# Reports every text with the word BAD, and two functions of the same name.
CLANG_TIDY = """#!/usr/bin/env python3
import json, pathlib, re, sys
with open(pathlib.Path(__file__).with_name("calls"), "a") as calls:
    calls.write("together\\n" if "--vfsoverlay" in sys.argv[1] else sys.argv[-1] + "\\n")
path = sys.argv[-1]
if sys.argv[1].startswith("--vfsoverlay="):
    overlay = json.load(open(sys.argv[1].partition("=")[2]))["roots"][0]
    assert overlay["name"] in sys.argv, "what is checked is what the overlay shows"
    path = overlay["external-contents"]
text = open(path).read()
names = re.findall(r"(\\w+)\\(", text)
if "BAD" in text or len(names) != len(set(names)):
    print(path + ":1: a finding")
    sys.exit(1)
"""


class Names(unittest.TestCase):
    def test_names_that_must_be_unique_are_found(self):
        text = """namespace dynamo::a {
namespace {
constexpr int kLimit = 3;
struct Row {
  int inner = 0;
};
enum class Colour { kRed };
bool is_digit(char c) {
  return c == '0';
}
}  // namespace
TEST(Suite, Case) {}
"""
        self.assertEqual(tidy.names_in(text), {"dynamo::a kLimit", "dynamo::a Row", "dynamo::a Colour",
                                               "dynamo::a is_digit", "TEST Suite Case"})

    def test_members_and_using_declarations_are_no_names(self):
        self.assertEqual(tidy.names_in("namespace a {\nint Store::find(int key) {\n}\nusing testing::HasSubstr;\n"
                                       "using namespace std::literals;\n}\n"), set())


class Batches(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        patch = mock.patch.object(tidy, "ROOT", self.root)
        patch.start()
        self.addCleanup(patch.stop)
        self.program = self.root / "clang-tidy"
        self.program.write_text(CLANG_TIDY, encoding="utf-8")
        self.program.chmod(self.program.stat().st_mode | stat.S_IXUSR)
        self.memory = tidy.Memory(self.root / "memory", "settings")

    def source(self, name, text, *flags):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return tidy.Source(name, str(self.root), ("g++", *flags, "-o", name + ".o", "-c", str(path)))

    def checked(self, *sources):
        found = tidy.check_batch(self.program, list(sources), self.root, self.memory)
        calls = (self.root / "calls").read_text(encoding="utf-8").splitlines()
        return {source.name: findings for source, findings, _ in found}, calls

    def names(self, sources):
        return sorted(sorted(source.name for source in batch) for batch in tidy.batches_of(sources))

    def test_batches_share_options_and_no_name(self):
        self.assertEqual(
            self.names([self.source("src/a.cpp", "int one();\n"), self.source("src/x/b.cpp", "int two();\n"),
                        self.source("src/c.cpp", "int one();\n"), self.source("src/d.cpp", "int four();\n", "-DX"),
                        self.source("tests/e.cpp", "int five();\n")]),
            [["src/a.cpp", "src/x/b.cpp"], ["src/c.cpp"], ["src/d.cpp"], ["tests/e.cpp"]])

    def test_batches_have_limited_size(self):
        batches = tidy.batches_of([self.source(f"src/{i}.cpp", f"int f{i}();\n") for i in range(30)])
        self.assertEqual([len(batch) for batch in batches], [12, 12, 6])

    def test_clean_batch_marks_each_source_clean(self):
        one, two = self.source("src/a.cpp", "int one();\n"), self.source("src/b.cpp", "int two();\n")
        self.assertEqual(self.checked(one, two), ({"src/a.cpp": "", "src/b.cpp": ""}, ["together"]))
        self.assertTrue(self.memory.is_clean(one) and self.memory.is_clean(two))
        (self.root / "src/a.cpp").write_text("int one(); // changed\n", encoding="utf-8")
        memory = tidy.Memory(self.root / "memory", "settings")
        self.assertEqual((memory.is_clean(one), memory.is_clean(two)), (False, True))

    def test_finding_is_reported_for_its_source(self):
        good, bad = self.source("src/a.cpp", "int one();\n"), self.source("src/b.cpp", "int BAD();\n")
        found, calls = self.checked(good, bad)
        self.assertEqual((found["src/a.cpp"], found["src/b.cpp"]), ("", "src/b.cpp:1: a finding"))
        self.assertEqual(len(calls), 3)
        self.assertEqual((self.memory.is_clean(good), self.memory.is_clean(bad)), (True, False))

    def test_batch_conflict_is_no_finding(self):
        # A name that the scan of the lines misses.
        sources = self.source("src/a.cpp", " int same();\n"), self.source("src/b.cpp", " int same();\n")
        self.assertEqual(self.names(sources), [["src/a.cpp", "src/b.cpp"]])
        self.assertEqual(self.checked(*sources)[0], {"src/a.cpp": "", "src/b.cpp": ""})


class AffectedSources(unittest.TestCase):
    """The sources that a change affects."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()
        patch = mock.patch.object(tidy, "ROOT", self.root)
        patch.start()
        self.addCleanup(patch.stop)
        self.git("init", "--quiet")
        self.put("src/a/a.hpp", "")
        self.put("src/b.hpp", '#include "a/a.hpp"\n')
        self.sources = [self.source("src/a/a.cpp", '#include "a/a.hpp"\n'), self.source("src/b.cpp", '#include "b.hpp"\n'),
                        self.source("src/c.cpp", '#include <vector>\n')]
        self.put(".clang-tidy", "")
        self.git("add", ".")
        self.git("commit", "--quiet", "--message", "all")

    def git(self, *arguments):
        subprocess.run(["git", "-C", str(self.root), "-c", "user.name=n", "-c", "user.email=e", *arguments],
                       check=True, capture_output=True)

    def put(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def source(self, name, text):
        self.put(name, text)
        return tidy.Source(name, str(self.root / "build"), ("g++", f"-I{self.root}/src", "-I../elsewhere", "-c", name))

    def touched(self):
        return [source.name for source in tidy.touched(self.sources, tidy.changed_since("HEAD"))]

    def test_no_change_affects_no_source(self):
        self.assertEqual(self.touched(), [])

    def test_source_is_affected_by_its_own_change(self):
        self.put("src/c.cpp", "int c();\n")
        self.assertEqual(self.touched(), ["src/c.cpp"])

    def test_header_affects_all_direct_and_indirect_includers(self):
        self.put("src/a/a.hpp", "int a();\n")
        self.assertEqual(self.touched(), ["src/a/a.cpp", "src/b.cpp"])

    def test_deleted_header_affects_its_includers(self):
        (self.root / "src/a/a.hpp").unlink()
        self.assertEqual(self.touched(), ["src/a/a.cpp", "src/b.cpp"])

    def test_untracked_source_is_new(self):
        self.sources.append(self.source("src/new.cpp", "int n();\n"))
        self.assertEqual(self.touched(), ["src/new.cpp"])

    def test_settings_affect_all_sources(self):
        self.put(".clang-tidy", "Checks: '*'\n")
        self.assertEqual(len(self.touched()), 3)

    def test_unknown_commit_is_reported(self):
        with self.assertRaisesRegex(ValueError, "must be a commit that git knows; found 'nonsense'"):
            tidy.changed_since("nonsense")


if __name__ == "__main__":
    unittest.main(verbosity=2)
