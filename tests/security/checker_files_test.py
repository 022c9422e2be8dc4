#!/usr/bin/env python3
"""File names must not become options, and reports must not overwrite the target of a link."""

import re
import shlex
import subprocess
import unittest
from pathlib import Path

from checked_tree import BAD, CHECKER, CheckedTree

SOURCE = Path(__file__).resolve().parents[2]


class Workspace(CheckedTree):
    def setUp(self):
        super().setUp()
        (self.tree / "bad.yaml").write_text(BAD)
        self.secret = self.home / "secret"
        self.secret.write_text("keep me\n")

    def assert_kept(self, done):
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn("must not lead through a link", done.stderr)
        self.assertEqual(self.secret.read_text(), "keep me\n")


class NamesOfFiles(Workspace):
    def hooks(self):
        text = (SOURCE / ".pre-commit-hooks.yaml").read_text()
        found = re.findall(r"^ *entry: (.*)\n *args: \[(.*)\]$", text, re.MULTILINE)
        return [[*shlex.split(entry), *arguments.split(", ")] for entry, arguments in found]

    def test_every_hook_ends_its_options(self):
        self.assertEqual([words[-1] for words in self.hooks()], ["--", "--"])

    def test_file_named_like_an_option_is_a_file(self):
        for name in ("--write-baseline=b.json", "--exclude=*.yaml", "--skip=*", "-h", "--config=x.yaml", "--version"):
            with self.subTest(name):
                (self.tree / name).write_text(BAD)
                words = self.hooks()[0]
                done = self.run_checker(*words[1:], name, "bad.yaml")
                self.assertNotEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertFalse((self.tree / "b.json").exists())

    def test_examples_run_nothing_from_the_workspace(self):
        for path in (SOURCE / "deploy/examples").glob("*.yaml"):
            text = path.read_text()
            self.assertNotIn("GITHUB_PATH", text, path)
            self.assertNotRegex(text, r"run: \.?/?(?!opt)[\w.]*kubectl-dynamo ", path)


class Links(Workspace):
    def test_report_does_not_follow_a_link(self):
        (self.tree / "report").symlink_to(self.secret)
        for form in ("json", "sarif", "junit", "tap", "github", "text"):
            with self.subTest(form):
                self.assert_kept(self.run_checker("validate", "-f", "bad.yaml", "-o", f"{form}=report"))

    def test_report_does_not_follow_a_linked_folder(self):
        (self.tree / "out").symlink_to(self.home)
        self.assert_kept(self.run_checker("validate", "-f", "bad.yaml", "-o", "json=out/secret"))

    def test_linked_folder_of_another_repository_is_refused(self):
        (self.tree / ".git").mkdir()
        (self.tree / "out").symlink_to(self.home)
        other = self.home / "other"
        other.mkdir()
        (other / "bad.yaml").write_text(BAD)
        for name in ("../tree/out/secret", str(self.tree / "out/secret")):
            with self.subTest(name):
                done = subprocess.run([CHECKER, "validate", "-f", "bad.yaml", "-o", f"json={name}"], cwd=other,
                                      capture_output=True, text=True, timeout=60, check=False)
                self.assert_kept(done)

    def test_link_to_a_device_is_refused(self):
        (self.tree / "report").symlink_to("/dev/null")
        self.assert_kept(self.run_checker("validate", "-f", "bad.yaml", "-o", "json=report"))

    def test_schemas_create_no_folder_behind_a_link(self):
        (self.home / "real").mkdir()
        (self.tree / "schemas").symlink_to(self.home / "real")
        self.assert_kept(self.run_checker("schema", "-o", "schemas/new"))
        self.assertEqual(list((self.home / "real").iterdir()), [])

    def test_manifest_link_out_of_repository_is_not_read(self):
        (self.tree / ".git").mkdir()
        (self.tree / "deploy").mkdir()
        self.secret.write_text(BAD + "token: c2VjcmV0\n")
        (self.tree / "deploy/a.yaml").symlink_to("../../secret")
        done = self.run_checker("validate", "-R", "-f", "deploy")
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertNotIn("c2VjcmV0", done.stdout + done.stderr)
        self.assertIn("it is a link out of its repository", done.stdout + done.stderr)

    def test_named_folder_behind_a_link_is_not_read(self):
        (self.tree / ".git").mkdir()
        folder = self.home / "elsewhere"
        (folder / "sub").mkdir(parents=True)
        for place in (folder, folder / "sub"):
            (place / "a.yaml").write_text(BAD + "token: c2VjcmV0\n")
            (place / ".dynamo-admission.yaml").write_text("c2VjcmV0: 1\n")
        (self.tree / "deploy").symlink_to(folder)
        (self.tree / "a.yaml").symlink_to(folder / "a.yaml")
        (self.tree / "chain").symlink_to("deploy")
        for words in (["-R", "-f", "deploy"], ["-R", "-f", "deploy/"], ["-R", "-f", "deploy/sub"], ["-f", "chain"],
                      ["-f", self.tree / "deploy"], ["--as-found", "--", "a.yaml"],
                      ["--as-found", "--", "deploy/a.yaml"]):
            with self.subTest(words):
                done = self.run_checker("validate", *words)
                self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
                self.assertNotIn("c2VjcmV0", done.stdout + done.stderr)
                self.assertIn("leads through a link out of its repository", done.stderr)

    def test_named_links_elsewhere_are_read(self):
        self.assertEqual(self.run_checker("validate", "-f", "/dev/stdin", input=BAD).returncode, 1)
        (self.tree / "link").symlink_to(self.home)
        self.assertEqual(self.run_checker("validate", "-R", "-f", "link/tree").returncode, 1)
        (self.tree / ".git").mkdir()
        (self.tree / "here").mkdir()
        (self.tree / "here/b.yaml").write_text(BAD)
        (self.tree / "inside").symlink_to("here")
        self.assertEqual(self.run_checker("validate", "-f", "inside").returncode, 1)

    def test_dangling_link_creates_no_file(self):
        (self.tree / "report").symlink_to(self.home / "new")
        self.assert_kept(self.run_checker("validate", "-f", "bad.yaml", "-o", "json=report"))
        self.assertFalse((self.home / "new").exists())

    def test_baseline_does_not_follow_a_link(self):
        (self.tree / "baseline").symlink_to(self.secret)
        self.assert_kept(self.run_checker("validate", "-f", "bad.yaml", "--write-baseline", "baseline"))

    def test_schemas_do_not_follow_a_link(self):
        (self.tree / "schemas").mkdir()
        (self.tree / "schemas/all.json").symlink_to(self.secret)
        self.assert_kept(self.run_checker("schema", "-o", "schemas"))

    def test_fix_does_not_follow_a_link(self):
        self.secret.write_text(BAD)
        (self.tree / "linked.yaml").symlink_to(self.secret)
        self.run_checker("validate", "-f", "linked.yaml", "--fix")
        self.assertEqual(self.secret.read_text(), BAD)
        self.assertTrue((self.tree / "linked.yaml").is_symlink())

    def test_report_replaces_a_file_whole(self):
        report = self.tree / "report"
        report.write_text("old")
        report.chmod(0o640)
        done = self.run_checker("validate", "-f", "bad.yaml", "-o", "json=report")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertTrue(report.read_text().startswith("{"))
        self.assertEqual(report.stat().st_mode & 0o777, 0o640)
        self.assertEqual(sorted(path.name for path in self.tree.iterdir()), ["bad.yaml", "report"])

    def test_standard_output_may_be_named(self):
        done = self.run_checker("validate", "-f", "bad.yaml", "-o", "json=/dev/stdout", "-o", "text=/dev/stderr")
        self.assertIn('"formatVersion"', done.stdout)
        self.assertEqual(done.returncode, 1)


if __name__ == "__main__":
    unittest.main()
