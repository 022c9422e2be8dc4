#!/usr/bin/env python3
"""A file of the checked tree must not silently hide a manifest from the check."""

import json
import shutil
import unittest

from checked_tree import BAD, CheckedTree

SOPS = 'sops: {mac: "ENC[AES256_GCM,data:x,type:str]", version: 3.9.0}\n'
ENCRYPTED = '"ENC[AES256_GCM,data:eA==,type:str]"'
FORMATS = ("json", "sarif", "junit", "tap", "github")

# How a pull request hides deploy/bad.yaml or its own file: other files, the hidden file, its text, and the words
# and the name of the reason.
HIDDEN = {
    "patches": ({"deploy/kustomization.yaml": "patches: [{path: bad.yaml}]\n"}, "deploy/bad.yaml", BAD,
                "a kustomization names it as its patch", "kustomize-patch"),
    "patchesStrategicMerge": ({"deploy/kustomization.yaml": "patchesStrategicMerge: [bad.yaml]\n"}, "deploy/bad.yaml",
                              BAD, "a kustomization names it as its patch", "kustomize-patch"),
    "patchesJson6902": ({"deploy/Kustomization": "patchesJson6902: [{path: bad.yaml}]\n"}, "deploy/bad.yaml", BAD,
                        "a kustomization names it as its patch", "kustomize-patch"),
    "kustomization above": ({"kustomization.yml": "patches: [{path: deploy/bad.yaml}]\n"}, "deploy/bad.yaml", BAD,
                            "a kustomization names it as its patch", "kustomize-patch"),
    "component": ({"deploy/c/kustomization.yaml": "kind: Component\npatches: [{path: ../bad.yaml}]\n"},
                  "deploy/bad.yaml", BAD, "a kustomization names it as its patch", "kustomize-patch"),
    "chart": ({"deploy/Chart.yaml": "name: a\n"}, "deploy/templates/sub/bad.yaml", BAD,
              "it is below templates/ of a chart", "chart-template"),
    "broken object": ({"deploy/Chart.yaml": "name: a\n"}, "deploy/templates/bad.yaml", BAD + "a: [\n",
                      "it is below templates/ of a chart", "chart-template"),
    "expression": ({}, "deploy/bad.yaml", BAD.replace("a/b,", "$A,", 1), "a value looks like an expression", "template"),
    "encrypted value": ({}, "deploy/bad.yaml", BAD.replace("a/b,", ENCRYPTED + ",", 1) + SOPS,
                        "its spec has encrypted values", "encrypted"),
}


class SkippedFiles(CheckedTree):
    def setUp(self):
        super().setUp()
        (self.tree / ".git").mkdir()

    def hide(self, case):
        """Returns the hidden file, the words and the name of the reason."""
        shutil.rmtree(self.tree / "deploy", ignore_errors=True)
        (self.tree / "kustomization.yml").unlink(missing_ok=True)
        files, name, text, words, reason = HIDDEN[case]
        for each, content in files.items():
            self.write(each, content)
        self.write(name, text)
        return name, words, reason

    def validate(self, *arguments):
        return self.run_checker("validate", *arguments)

    def test_hidden_object_is_reported_loudly(self):
        for case in HIDDEN:
            name, words, _ = self.hide(case)
            for more in ((), ("--quiet",), ("--quiet", "--write-baseline", "../b.json")):
                with self.subTest(case, more=more):
                    done = self.validate("-R", "-f", "deploy", *more)
                    self.assertEqual(done.returncode, 0, done.stdout)
                    self.assertRegex(done.stderr, rf"(?m)^kubectl-dynamo: warning: 1 file .* was not validated, "
                                                  rf"because {words}.* \({name}\); to ")

    def test_hidden_object_of_a_hook_is_reported(self):
        for case in HIDDEN:
            name, words, _ = self.hide(case)
            with self.subTest(case):
                done = self.validate("--quiet", "--as-found", "--", name)
                if case == "component":  # below the file, so a hook validates the file
                    self.assertEqual(done.returncode, 1)
                    continue
                self.assertRegex(done.stderr, rf"warning: 1 file .* because {words}.* \({name}\)")

    def test_reports_name_the_hidden_object(self):
        for case in HIDDEN:
            name, words, reason = self.hide(case)
            for form in FORMATS:
                with self.subTest(case, form=form):
                    report = self.validate("-R", "-f", "deploy", "-o", form).stdout
                    if form == "json":
                        self.assertEqual(json.loads(report)["summary"]["unchecked"], [{"reason": reason, "files": [name]}])
                    else:
                        self.assertRegex(report, rf"because {words}.* \({name}\)")

    def test_summary_counts_files_passed_over(self):
        self.write("deploy/kustomization.yaml", "patches: [{path: a.yaml}, {path: b.yaml}]\n")
        for name in ("a", "b"):
            self.write(f"deploy/{name}.yaml", "- {op: remove, path: /spec}\n")
        self.write("deploy/chart/Chart.yaml", "name: a\n")
        self.write("deploy/chart/templates/t.yaml", "{{ if .Values.x }}\n" + BAD + "{{ end }}\n")
        done = self.validate("-R", "-f", "deploy")
        self.assertIn("; 2 files that are kustomize patches skipped; 1 file below templates/ of a chart skipped; ", done.stdout)
        self.assertNotIn("warning", done.stderr)
        summary = json.loads(self.validate("-R", "-f", "deploy", "-o", "json").stdout)["summary"]
        self.assertEqual((summary["patches"], summary["chartTemplates"], summary["unchecked"]), (2, 1, []))
        self.assertEqual(self.validate("-R", "-f", "deploy", "--quiet").stderr, "")

    def test_many_hidden_objects_are_one_line(self):
        self.write("deploy/Chart.yaml", "name: a\n")
        for number in range(9):
            self.write(f"deploy/templates/{number}.yaml", BAD)
        done = self.validate("-R", "-f", "deploy", "--quiet")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn("warning: 9 files with objects", done.stderr)
        self.assertIn("deploy/templates/2.yaml and 6 more)", done.stderr)
        report = json.loads(self.validate("-R", "-f", "deploy", "-o", "json").stdout)
        self.assertEqual(len(report["summary"]["unchecked"][0]["files"]), 9)

    def test_encrypted_value_outside_the_spec_hides_nothing(self):
        for text in (f"data: {{key: {ENCRYPTED}}}\n", f"status: {{x: {ENCRYPTED}}}\n"):
            with self.subTest(text):
                self.write("deploy/bad.yaml", BAD + text + SOPS)
                done = self.validate("-R", "-f", "deploy")
                self.assertEqual(done.returncode, 1, done.stdout)
                self.assertIn("bad.yaml:4:", done.stdout)
        self.write("deploy/bad.yaml", BAD.replace("name: m", f"name: m, annotations: {{a: {ENCRYPTED}}}") + SOPS)
        done = self.validate("-R", "-f", "deploy")
        self.assertIn("bad.yaml:4:", done.stdout)
        self.assertNotIn("sops", done.stdout)

    def test_link_out_of_the_repository_is_not_read(self):
        (self.home / "secret.yaml").write_text(BAD)
        self.write("deploy/Chart.yaml", "name: a\n")
        self.write("deploy/templates/t.yaml", "{{ x }}\n")
        (self.tree / "deploy/templates/link.yaml").symlink_to(self.home / "secret.yaml")
        self.assertEqual(self.validate("-R", "-f", "deploy", "--quiet").stderr, "")


if __name__ == "__main__":
    unittest.main()
