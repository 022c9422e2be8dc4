"""Tests of validators/texts/generate.py: its output for a good file, and its errors for malformed ones."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

GENERATOR = pathlib.Path(__file__).resolve().parents[2] / "validators" / "texts" / "generate.py"
GOOD = """# A group

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


def generate(*texts):
    """Returns the exit code, the output file (or None) and the error output."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder, "out.cpp")
        names = [f"group{number}.md" for number in range(len(texts))]
        for name, text in zip(names, texts):
            pathlib.Path(folder, name).write_text(text, encoding="utf-8")
        done = subprocess.run([sys.executable, "-B", str(GENERATOR), "out.cpp", *names], cwd=folder,
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
            (GOOD.replace("## a.rule", "## A Rule"), 3),
            (GOOD.replace("## a.rule", "### a.rule"), 3),
            (GOOD.replace("- since: 0.1.0\n", ""), 5),
            (GOOD.replace("- summary: what", "- sumary: what"), 6),
            (GOOD.replace("One sentence.\nAnother one.\n", ""), 9),
            (GOOD.replace("yaml wrong", "yaml"), 11),
            (GOOD.replace("yaml right", "yaml wrong"), 19),
            (GOOD.rstrip("`\n") + "\n", 24),
            (GOOD + "\nmore\n", 26),
            ("# A group\n", 2),
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


if __name__ == "__main__":
    unittest.main()
