"""Tests of validators/texts/generate.py: its output for good files, and its errors for malformed ones."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

GENERATOR = pathlib.Path(__file__).resolve().parents[2] / "validators" / "texts" / "generate.py"
GOOD = """# A group

- group: first

## a.rule

- since: 0.1.0
- summary: what must "hold"

One sentence.
Another one.

```yaml wrong
# before
a: 1
---
# after
a: 2
```

```yaml right
a: |
  \\n is not a line break

  ## and this no heading
```
"""


SOURCE = """namespace dynamo::validators::here {
namespace {
}  // namespace

extern constexpr Rule kOneRule{
    .id = "a.rule",
};

}  // namespace dynamo::validators::here
"""


def generate(*texts, command="texts", sources=()):
    """Returns the exit code, the output file (or None) and the error output."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder, "out.cpp")
        names = [f"group{number}.md" for number in range(len(texts))]
        names += [f"source{number}.cpp" for number in range(len(sources))]
        for name, text in zip(names, (*texts, *sources)):
            pathlib.Path(folder, name).write_text(text, encoding="utf-8")
        done = subprocess.run([sys.executable, "-B", str(GENERATOR), command, "out.cpp", *names], cwd=folder,
                              capture_output=True, text=True, check=False, timeout=60)
        return done.returncode, out.read_text(encoding="utf-8") if out.exists() else None, done.stderr


class GeneratorTest(unittest.TestCase):
    def test_texts_are_generated_unchanged(self):
        code, out, _ = generate(GOOD)
        self.assertEqual(code, 0)
        self.assertIn('{"a.rule", R"text(0.1.0)text",\n     R"text(what must "hold")text",\n'
                      '     R"text(One sentence.\nAnother one.\n)text",\n'
                      '     R"text(# before\na: 1\n---\n# after\na: 2\n)text",\n'
                      '     R"text(a: |\n  \\n is not a line break\n\n  ## and this no heading\n)text"}', out)

    def test_groups_follow_file_order(self):
        code, out, _ = generate(GOOD.replace("a.rule", "b.rule"), GOOD)
        self.assertEqual(code, 0)
        self.assertIn("kGroups[] = {kGroup0, kGroup1};", out)
        self.assertLess(out.index('"b.rule"'), out.index('"a.rule"'))

    def test_malformed_file_is_refused_with_line(self):
        for changed, line in [
            (GOOD.replace("# A group", "A group"), 1),
            (GOOD.replace("## a.rule", "## A Rule"), 5),
            (GOOD.replace("## a.rule", "### a.rule"), 5),
            (GOOD.replace("- since: 0.1.0\n", ""), 7),
            (GOOD.replace("- summary: what", "- sumary: what"), 8),
            (GOOD.replace("One sentence.\nAnother one.\n", ""), 11),
            (GOOD.replace("yaml wrong", "yaml"), 13),
            (GOOD.replace("yaml right", "yaml wrong"), 21),
            (GOOD.rstrip("`\n") + "\n", 26),
            (GOOD + "\nmore\n", 28),
            ("# A group\n", 2),
            ("# A group\n\n- group: first\n", 4),
            (GOOD.replace("- group: first\n\n", ""), 3),
        ]:
            with self.subTest(line=line, changed=changed):
                code, out, complaint = generate(changed)
                self.assertEqual((code, out), (1, None), complaint)
                self.assertRegex(complaint, rf"^generate\.py: group0\.md:{line}: must ")
                self.assertEqual(complaint.count("\n"), 1)

    def test_text_with_raw_delimiter_is_refused(self):
        code, out, complaint = generate(GOOD.replace("One sentence.", 'One )text" sentence.'))
        self.assertEqual((code, out), (1, None))
        self.assertIn("must not stand in a text", complaint)

    def test_rules_follow_order_of_texts(self):
        other = SOURCE.replace("a.rule", "b.rule").replace("here", "there")
        code, out, _ = generate(GOOD.replace("a.rule", "b.rule").replace("first", "zero"), GOOD, command="rules",
                                sources=(SOURCE, other))
        self.assertEqual(code, 0)
        self.assertIn("constexpr const Rule* kZero[] = {\n    &dynamo::validators::there::kOneRule,\n};", out)
        self.assertIn('{"zero", kZero},\n    {"first", kFirst},', out)

    def test_unmatched_rule_is_refused_with_place(self):
        for texts, sources, complaint in [
            ([GOOD], [], "group0.md:5: no source defines the rule a.rule"),
            ([GOOD.replace("a.rule", "b.rule")], [SOURCE, SOURCE.replace("a.rule", "b.rule")],
             "source0.cpp:5: no file of validators/texts explains the rule a.rule"),
            ([GOOD], [SOURCE, SOURCE], "source1.cpp:5: a.rule is defined at source0.cpp:5, too"),
            ([GOOD], [SOURCE.replace('    .id = "a.rule",\n', "")], "source0.cpp:5: a rule must begin with its id"),
            ([GOOD], [SOURCE.replace("}  // namespace\n", "", 1)], "source0.cpp:4: kOneRule must be outside of the"),
            ([GOOD, GOOD.replace("a.rule", "b.rule").replace("first", "other"), GOOD.replace("a.rule", "c.rule")],
             [SOURCE.replace("a.rule", f"{name}.rule") for name in "abc"], "group2.md:5: the files of group first"),
        ]:
            with self.subTest(complaint=complaint):
                code, out, errors = generate(*texts, command="rules", sources=sources)
                self.assertEqual((code, out), (1, None))
                self.assertIn("generate.py: " + complaint, errors)


if __name__ == "__main__":
    unittest.main()
