#!/usr/bin/env python3
"""The check of the words finds each kind of breach in a small tree, and accepts a clean one."""

import contextlib
import io
import json
import pathlib
import subprocess
import tempfile
import unittest

import prose_check


class ProseCheck(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "tests/layering").mkdir(parents=True)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def run_check(self, *arguments):
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            status = prose_check.main(["--root", str(self.root), *arguments])
        return status, output.getvalue()

    def found(self, name, text):
        self.write(name, text)
        status, output = self.run_check()
        self.assertEqual(status, 1, output)
        return output

    def test_clean_tree_passes(self):
        self.write("src/a.cpp", '// Returns nullopt if the field is absent; see a.cpp.\nconst auto kText = "what must hold";\n')
        self.write("docs/a.md", "# Certificates\n\nThe webhook reloads them.\n\n```sh\necho whoever\n```\n")
        self.assertEqual(self.run_check()[0], 0)

    def test_comment_is_read_with_its_line_and_advice(self):
        output = self.found("src/a.cpp", "int a;\n// The queue.\n// It is told anew.\n")
        self.assertIn("src/a.cpp:3: 'told': write report", output)
        self.assertIn("src/a.cpp:3: 'anew': write again", output)

    def test_phrase_over_two_lines_is_found(self):
        self.assertIn("'for ever'", self.found("src/a.cpp", "// It waits for\n// ever.\n"))

    def test_opening_counts_only_at_the_beginning(self):
        self.assertIn("What is", self.found("src/a.hpp", "// What is kept.\n"))
        self.write("src/a.hpp", "// Returns what is kept.\n")
        self.assertEqual(self.run_check()[0], 0)

    def test_code_and_short_strings_are_not_prose(self):
        self.write("src/a.cpp", 'int told = 1;\nconst auto kName = "told";\n')
        self.assertEqual(self.run_check()[0], 0)

    def test_text_for_users_is_read(self):
        self.assertIn("whoever", self.found("src/a.cpp", 'auto a = "The limit of whoever asks first";\n'))

    def test_raw_strings_are_read_as_markdown(self):
        output = self.found("src/a.cpp", 'auto a = R"(# Rules\n\nIds are `told` anew.\n\n```\nwhoever\n```\n)";\n')
        self.assertIn("src/a.cpp:3: 'anew'", output)
        self.assertNotIn("told", output)
        self.assertNotIn("whoever", output)
        self.write("src/a.cpp", "")
        self.assertIn("src/b.cpp:2: 'What it'", self.found("src/b.cpp", 'auto b = R"md(\nWhat it (the rule) does.\n)md";\n'))
        self.write("src/b.cpp", "")
        self.write("tests/c.cpp", 'auto c = R"(It is told anew.)";\n')
        self.assertEqual(self.run_check()[0], 0)

    def test_help_of_scripts_is_read(self):
        output = self.found("run", "#!/usr/bin/env bash\ncat <<'END'\nUsage: run COMMAND\n\n  told        What it does, and\n"
                            "              for ever.\n  test  Starts anew.\nEND\necho 'whoever waits'\n")
        self.assertIn("run:5: 'What it'", output)
        self.assertIn("run:6: 'for ever'", output)
        self.assertIn("run:7: 'anew'", output)
        self.assertNotIn("told", output)
        self.assertNotIn("whoever", output)

    def test_help_of_arguments_is_read(self):
        output = self.found("bench/a.py", 'import argparse\n\nparser = argparse.ArgumentParser(description="It mends.")\n'
                            'parser.add_argument("--told", help="figures of "\n                    "whoever")\nprint(end="anew")\n')
        self.assertIn("bench/a.py:3: 'mends'", output)
        self.assertIn("bench/a.py:4: 'figures'", output)
        self.assertIn("bench/a.py:4: 'whoever'", output)
        self.assertNotIn("told", output)
        self.assertNotIn("anew", output)

    def test_markdown_docstrings_and_shell_comments_are_read(self):
        self.assertIn("docs/a.md:3", self.found("docs/a.md", "# A\n\nIt is mended.\n"))
        self.assertIn("tests/a.py:1", self.found("tests/a.py", '"""Nobody waits."""\n'))
        self.assertIn("cmake/a.sh:1", self.found("cmake/a.sh", "# It is mended here.\n"))

    def test_descriptions_of_packages_are_read(self):
        output = self.found("cmake/a.cmake", 'set(CPACK_COMPONENT_DEB_A_DESCRIPTION "controllers\nValidates, and\ntells of it.")\n')
        self.assertIn("cmake/a.cmake:3: 'tells'", output)

    def test_descriptions_of_definitions_are_read(self):
        output = self.found("deploy/crds/sources/a.yaml", "description: >-\n  The state.\n  Nobody writes it.\n"
                            "fields:\n  told: string -- The name.\n  a!: list of told -- What it has.\n")
        self.assertIn("deploy/crds/sources/a.yaml:3: 'Nobody'", output)
        self.assertIn("deploy/crds/sources/a.yaml:6: 'What it'", output)
        self.assertNotIn("told", output)

    def test_generated_definitions_are_not_read(self):
        self.write("deploy/crds/nvidia.com_a.yaml", "# It is told anew.\n")
        self.assertEqual(self.run_check()[0], 0)

    def test_names_of_tests_are_read(self):
        self.assertIn("Told", self.found("tests/a_test.cpp", "TEST(Queue, IsToldOnce) {}\n"))
        self.assertIn("anew", self.found("tests/b_test.py", "def test_it_starts_anew():\n    pass\n"))

    def test_go_comments_are_read_without_strings(self):
        output = self.found("bench/a.go", "package a\n\n// It is told anew.\nvar b = `// whoever waits`\nvar c = \"// nobody\"\n")
        self.assertIn("bench/a.go:3: 'told'", output)
        self.assertNotIn("whoever", output)
        self.assertNotIn("nobody", output)
        self.assertIn("anew", self.found("bench/a_test.go", "func TestItStartsAnew(t *testing.T) {}\n"))

    def test_generated_go_is_not_read(self):
        self.write("bench/zz_generated.deepcopy.go", "// It is told anew.\n")
        self.write("bench/made.go", "// Code generated by a tool. DO NOT EDIT.\n// It is told anew.\n")
        self.assertEqual(self.run_check()[0], 0)

    def test_headers_of_c_are_read(self):
        self.assertIn("src/a.h:2: 'anew'", self.found("src/a.h", "/* The cache.\n * It is read anew. */\n"))

    def test_helm_comments_and_texts_are_read(self):
        chart = "deploy/charts/a/templates/"
        output = self.found(chart + "a.yaml", '{{- /* It is told\n     anew. */}}\n'
                            '{{ fail (printf "%s is asked for nothing" "told") }}\ntold: {{ .told }}\n')
        self.assertIn("a.yaml:1: 'told'", output)
        self.assertIn("a.yaml:2: 'anew'", output)
        self.assertIn("a.yaml:3: 'is asked for nothing'", output)
        self.assertEqual(output.count("'told'"), 1)
        output = self.found(chart + "NOTES.txt", "{{- if .told }}\nThe webhook {{ .anew }} tells\n"
                            "whoever it validates for ever.\n{{- end }}\n")
        self.assertIn("NOTES.txt:2: 'tells'", output)
        self.assertIn("NOTES.txt:3: 'whoever'", output)
        self.assertNotIn("NOTES.txt:2: 'anew'", output)
        self.assertIn("_a.tpl:2: 'beside'", self.found(chart + "_a.tpl", '{{- define "a" }}\nport must be set beside host\n{{- end }}\n'))

    def test_texts_of_alerts_are_read(self):
        output = self.found("deploy/alerts.yaml", "- alert: Told\n  expr: told\n  annotations:\n    summary: '{{ $told }} is mended'\n"
                            "    description: >-\n      The replica\n      starts anew.\n    runbook_url: told\n")
        self.assertIn("deploy/alerts.yaml:4: 'mended'", output)
        self.assertIn("deploy/alerts.yaml:7: 'anew'", output)
        self.assertNotIn("told", output)
        self.write("deploy/alerts.yaml", "summary: It is told anew.\n")
        self.assertEqual(self.run_check()[0], 0)

    def test_long_names_of_tests_are_reported(self):
        nine, eight = "OneTwoThreeFourFiveSixURLEightNine", "one_two_three_four_five_six_seven_eight"
        self.write("tests/a_test.cpp", f"TEST(Queue, OneTwoThreeFourFiveSixURLsEight) {{}}\n\nTEST_F(Queue, {nine}) {{}}\n")
        self.write("tests/b_test.py", f"def test_{eight}():\n    pass\ndef test_{eight}_nine():\n    pass\n")
        self.write("tests/CMakeLists.txt", f"add_test(NAME a.b.{eight})\nadd_test(NAME a.{eight}_nine)\n")
        self.write("tests/c_test.go", f"func Test{nine}(t *testing.T) {{}}\n")
        status, output = self.run_check()
        self.assertEqual(status, 1)
        for line in ("a_test.cpp:3", "b_test.py:3", "CMakeLists.txt:2", "c_test.go:1"):
            self.assertIn(f"tests/{line}: the name of a test has 9 words, at most 8", output)
        self.assertEqual(output.count("the name of a test has"), 4)

    def test_missing_file_in_comment_is_named(self):
        self.assertIn("names b_rules.cpp", self.found("src/a.hpp", "// Ids stand in b_rules.cpp.\n"))

    def test_count_may_only_fall(self):
        self.write("src/a.cpp", "// told told\n")
        self.write(prose_check.BASELINE, json.dumps({"src/a.cpp": 1}))
        self.assertIn("2 banned phrases, 1 allowed", self.run_check()[1])
        self.assertEqual(self.run_check("--update")[0], 1)
        self.write(prose_check.BASELINE, json.dumps({"src/a.cpp": 3}))
        self.assertIn("the baseline says 3", self.run_check()[1])
        self.assertEqual(self.run_check("--update")[0], 0)
        self.assertEqual(self.run_check()[0], 0)

    def test_missing_history_is_reported(self):
        status, output = self.run_check()
        self.assertEqual(status, 0)
        self.assertIn("subjects of commits are not checked", output)

    def test_long_subject_is_reported(self):
        def git(*arguments):
            return subprocess.run(["git", "-C", self.root, "-c", "user.name=a", "-c", "user.email=a@b", *arguments],
                                  check=True, capture_output=True, text=True).stdout.strip()

        git("init", "-q")
        git("commit", "-q", "--allow-empty", "-m", "x" * 80)
        self.addCleanup(setattr, prose_check, "SUBJECTS_SINCE", prose_check.SUBJECTS_SINCE)
        prose_check.SUBJECTS_SINCE = git("rev-parse", "HEAD")
        git("commit", "-q", "--allow-empty", "-m", "kube: close idle connections")
        status, output = self.run_check()
        self.assertEqual(status, 0)
        self.assertNotIn("not checked", output)
        git("commit", "-q", "--allow-empty", "-m", "y" * 61)
        self.assertIn("the subject has 61 characters", self.run_check()[1])


if __name__ == "__main__":
    unittest.main()
