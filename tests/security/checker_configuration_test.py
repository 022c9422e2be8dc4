#!/usr/bin/env python3
"""A checked repository must not read its reader's files, nor silently disable its own check."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

CHECKER = os.path.abspath(os.environ.get("DYNAMO_CHECKER_BINARY", "build/release/bin/kubectl-dynamo"))
BAD = """\
apiVersion: nvidia.com/v1alpha1
kind: DynamoModel
metadata: {name: m}
spec: {modelName: a/b, baseModelName: a/b, modelType: large}
"""
SECRET = '{"auths": {"registry.example": {"auth": "c2VjcmV0"}}}\ntoken: [c2VjcmV0\n'
NAME = ".dynamo-admission.yaml"


class Configuration(unittest.TestCase):
    def setUp(self):
        self.home = Path(tempfile.mkdtemp(prefix="dynamo-attack-"))
        self.addCleanup(shutil.rmtree, self.home)
        self.tree = self.home / "tree"
        self.write("deploy/bad.yaml", BAD)
        self.secret = self.home / "secret.json"
        self.secret.write_text(SECRET)
        self.git("init", "--quiet", "--initial-branch=main", ".")

    def write(self, name, text):
        path = self.tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def git(self, *arguments):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", self.tree, *arguments], check=True,
                       capture_output=True)

    def commit(self):
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "start")

    def run_checker(self, *arguments):
        return subprocess.run([CHECKER, *arguments], cwd=self.tree, capture_output=True, text=True, timeout=60, check=False)

    def validate(self, *arguments):
        return self.run_checker("validate", "-R", "-f", "deploy", *arguments)

    def assert_secret_is_kept(self, done):
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertNotIn("c2VjcmV0", done.stdout + done.stderr)
        self.assertNotIn("auths", done.stdout + done.stderr)

    def test_link_out_of_the_repository_is_refused(self):
        for target in (self.secret, Path("../secret.json"), Path("deploy/link")):
            with self.subTest(target):
                link = self.tree / NAME
                link.unlink(missing_ok=True)
                (self.tree / "deploy/link").unlink(missing_ok=True)
                (self.tree / "deploy/link").symlink_to(self.secret)
                link.symlink_to(target)
                done = self.validate()
                self.assert_secret_is_kept(done)
                self.assertIn("must not be a link out of its repository", done.stderr)
                self.assert_secret_is_kept(self.run_checker("config", "-f", "deploy"))

    def test_link_within_the_repository_is_read(self):
        self.write("shared.yaml", "warnings-as-errors: true\n")
        (self.tree / NAME).symlink_to("shared.yaml")
        self.assertEqual(self.validate().returncode, 1)

    def test_no_line_of_the_configuration_is_printed(self):
        self.write(NAME, SECRET)
        self.assert_secret_is_kept(self.validate())

    def test_policy_and_baseline_stay_in_the_repository(self):
        for option in ("policy", "baseline"):
            for name in (str(self.secret), "../secret.json", "link"):
                with self.subTest(f"{option}: {name}"):
                    (self.tree / "link").unlink(missing_ok=True)
                    (self.tree / "link").symlink_to(self.secret)
                    self.write(NAME, f"{option}: {name}\n")
                    done = self.validate()
                    self.assert_secret_is_kept(done)
                    self.assertIn("in the repository", done.stderr)

    @unittest.skipUnless(os.geteuid() == 0, "only root can give files away")
    def test_file_of_a_foreign_owner_is_refused(self):
        path = self.write(NAME, "skip: ['*']\n")
        os.chown(path, 12345, 12345)
        done = self.validate()
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("found the user 12345", done.stderr)
        os.chown(self.tree / "deploy", 12345, 12345)
        self.assertNotIn("found the user", self.validate().stderr)

    def test_silencing_is_reported_loudly(self):
        self.write("p.yaml", "version: 1\n")
        for text in ("skip: ['*']", "exclude: ['*']", "only: [dgd.pvc.name]", "min-severity: error", "policy: p.yaml"):
            for quiet in ((), ("--quiet",), ("--write-baseline", "b.json")):
                with self.subTest(text, quiet=quiet):
                    self.write(NAME, text + "\n")
                    done = self.validate(*quiet)
                    option = text.partition(":")[0]
                    self.assertRegex(done.stderr, rf"warning: .*{NAME}:1: {option}: .*--config none")

    def test_reports_name_the_setting_that_silences(self):
        self.write(NAME, "skip: ['*']\n")
        for form in ("json", "sarif", "junit", "tap", "github"):
            with self.subTest(form):
                self.assertRegex(self.validate("-o", form).stdout, rf"{NAME}:1: skip: \*")

    def test_configuration_of_a_revision_decides(self):
        self.write(NAME, "policy: policy.yaml\n")
        self.write("policy.yaml", "version: 1\n")
        self.commit()
        self.assertEqual(self.validate("--config-from", "main").returncode, 1)
        self.write(NAME, "skip: ['*']\nexclude: ['*']\n")
        self.write("policy.yaml", "version: 1\nseverities: [{rules: ['*'], severity: 'off'}]\n")
        self.write("deploy/" + NAME, "skip: ['*']\n")
        done = self.validate("--config-from", "main")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertNotIn("skip", done.stderr)
        self.assertNotIn("exclude", done.stderr)
        self.assertIn("bad.yaml:4", done.stdout)

    def test_revision_without_a_configuration_uses_none(self):
        self.commit()
        self.write(NAME, "skip: ['*']\n")
        self.assertEqual(self.validate("--config-from", "HEAD").returncode, 1)

    def test_unknown_revision_is_an_error(self):
        self.commit()
        done = self.validate("--config-from", "nowhere")
        self.assertEqual(done.returncode, 2)
        self.assertIn("there is no commit nowhere", done.stderr)

    def test_missing_policy_of_revision_is_an_error(self):
        self.write(NAME, "policy: policy.yaml\n")
        self.commit()
        self.write("policy.yaml", "version: 1\n")
        done = self.validate("--config-from", "main")
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("must name a file of the commit main", done.stderr)


if __name__ == "__main__":
    unittest.main()
