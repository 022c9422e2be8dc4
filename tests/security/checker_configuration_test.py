#!/usr/bin/env python3
"""A checked repository must not read its reader's files, nor silently disable its own check."""

import json
import os
import re
import subprocess
import unittest
from pathlib import Path

from checked_tree import BAD, CheckedTree

SECRET = '{"auths": {"registry.example": {"auth": "c2VjcmV0"}}}\ntoken: [c2VjcmV0\n'
NAME = ".dynamo-admission.yaml"

# Every option that a configuration may set: a value, and how far the run names it: in each
# configuration ("always"), in one that was found ("found"), or not, since it only finds more.
SETTINGS = {
    "exclude": ("['*']", "always"),
    "only": ("[dgd.pvc.name]", "always"),
    "skip": ("['*']", "always"),
    "min-severity": ("error", "always"),
    "baseline": ("b.json", "always"),
    "policy": ("p.yaml", "always"),
    "namespace": ("other", "found"),
    "user": ("system:serviceaccount:a:b", "found"),
    "namespace-scope": ("other", "found"),
    "operator-service-account": ("a/b", "found"),
    "operator-version": ("1.2.0", "found"),
    "inference-pool": ("'yes'", "found"),
    "pathway": ("component", "found"),
    "kubernetes-version": ("'1.33'", "found"),
    "operator-generation": ("later", "found"),
    "operator-replaced": ("true", "found"),
    "unserved-kinds": ("DynamoCheckpoint", "found"),
    "discovery-backend": ("etcd", "found"),
    "operator-checkpoints": ("enabled", "found"),
    "operator-gpu-discovery": ("enabled", "found"),
    "dgdr-default-image": ("r/p:1", "found"),
    "strict-versions": ("true", "never"),
    "require-objects": ("true", "never"),
    "no-ignores": ("true", "never"),
    "warnings-as-errors": ("true", "never"),
}
FORMATS = ("json", "sarif", "junit", "tap", "github")
GRAPH = """\
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {name: g}
spec:
  backendFramework: %s
  services:
    Frontend:
      componentType: frontend
      extraPodSpec: {mainContainer: {image: registry.example/a:1}}
"""


class Configuration(CheckedTree):
    def setUp(self):
        super().setUp()
        self.write("deploy/bad.yaml", BAD)
        self.secret = self.home / "secret.json"
        self.secret.write_text(SECRET)
        self.git("init", "--quiet", "--initial-branch=main", ".")

    def git(self, *arguments):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", self.tree, *arguments], check=True,
                       capture_output=True)

    def commit(self):
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", "start")

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

    def configure(self, option):
        """Sets this option alone, and returns how a report names the setting."""
        value = SETTINGS[option][0]
        self.write("p.yaml", "version: 1\n")
        self.write("b.json", '{"formatVersion": 1, "findings": []}\n')
        self.write(NAME, f"{option}: {value}\n")
        return rf"{NAME}:1: {option}: "

    def test_every_setting_is_classified(self):
        self.write(NAME, "")
        shown = json.loads(self.run_checker("config", "--show-all", "-o", "json", "-f", "deploy").stdout)
        names = {each["name"] for each in shown["settings"] if not each["name"].startswith("operatorFlags.")}
        self.assertEqual(names, set(SETTINGS))

    def test_silencing_is_reported_loudly(self):
        for option, (_, named) in SETTINGS.items():
            line = self.configure(option)
            for more in ((), ("--quiet",), ("--write-baseline", "new.json"), ("--fix", "--diff")):
                with self.subTest(option, more=more):
                    done = self.validate(*more)
                    warning = rf"warning: .*{line}.*--config none"
                    if named == "never":
                        self.assertNotRegex(done.stderr, warning)
                    else:
                        self.assertRegex(done.stderr, warning)

    def test_reports_name_the_setting_that_silences(self):
        for option, (_, named) in SETTINGS.items():
            line = self.configure(option)
            for form in FORMATS:
                with self.subTest(option, form=form):
                    report = self.validate("-o", form).stdout
                    if named == "never":
                        self.assertNotRegex(report, line)
                    else:
                        self.assertRegex(report, line)

    def test_named_configuration_may_describe_the_cluster(self):
        for option, (_, named) in SETTINGS.items():
            line = self.configure(option)
            self.commit()
            for source in (("--config", NAME), ("--config-from", "main")):
                with self.subTest(option, source=source):
                    done = self.validate(*source)
                    self.assertEqual(bool(re.search(line, done.stderr)), named == "always", done.stderr)

    def test_settings_of_one_file_are_one_line(self):
        self.write(NAME, "kubernetes-version: '1.33'\noperator-version: 1.2.0\nskip: ['*']\n")
        done = self.validate("--quiet")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertRegex(done.stderr, rf"warning: .*{NAME}:2: operator-version: 1.2.0; line 1: kubernetes-version: 1.33; "
                                      r"line 3: skip: \* \(.*--config none validates without the file")
        self.assertEqual(len(json.loads(self.validate("-o", "json").stdout)["summary"]["silencedBy"]), 3)

    def test_context_that_admits_a_change_is_reported(self):
        self.write("deploy/bad.yaml", GRAPH % "vllm")
        self.commit()
        self.write("deploy/bad.yaml", GRAPH % "sglang")
        self.assertEqual(self.validate("--against", "main").returncode, 1)
        self.write(NAME, "namespace-scope: other\n")
        done = self.validate("--against", "main", "--quiet")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stderr, rf"warning: .*{NAME}:1: namespace-scope: other ")

    def test_exclusion_of_a_nested_configuration_is_reported(self):
        self.write("deploy/good.yaml", BAD.replace("large", "base"))
        self.write("deploy/sub/bad.yaml", BAD)
        (self.tree / "deploy/bad.yaml").unlink()
        self.write("deploy/sub/" + NAME, "exclude: ['*']\n")
        done = self.validate("--quiet")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stderr, rf"warning: .*deploy/sub/{NAME}:1: exclude: \* ")
        for form in FORMATS:
            with self.subTest(form):
                self.assertRegex(self.validate("-o", form).stdout, rf"deploy/sub/{NAME}:1: exclude: \*")

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

    def test_link_in_a_revision_is_an_error(self):
        self.write("settings/strict.yaml", "warnings-as-errors: true\n")
        (self.tree / NAME).symlink_to("settings/strict.yaml")
        self.commit()
        done = self.validate("--config-from", "main")
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn(f"{NAME} must be a file in main", done.stderr)

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
