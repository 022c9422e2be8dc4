#!/usr/bin/env python3
"""A checked tree must not choose the base of --against, nor run a program through Git."""

import os
import shutil
import stat
import subprocess
import tempfile
import unittest
from pathlib import Path

CHECKER = os.path.abspath(os.environ.get("DYNAMO_CHECKER_BINARY", "build/release/bin/kubectl-dynamo"))
GRAPH = """\
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {name: llama, namespace: team}
spec:
  backendFramework: BACKEND
  services:
    Worker:
      componentType: worker
      extraPodSpec: {mainContainer: {image: registry.example/worker:1.2.0}}
"""
BEFORE = GRAPH.replace("BACKEND", "vllm")
AFTER = GRAPH.replace("BACKEND", "sglang")


class HostileRepository(unittest.TestCase):
    def setUp(self):
        self.home = Path(tempfile.mkdtemp(prefix="dynamo-attack-"))
        self.addCleanup(shutil.rmtree, self.home)
        self.root = self.home / "repository"
        self.mark = self.home / "executed"
        self.commit("deploy/app.yaml", BEFORE)
        self.write("deploy/app.yaml", AFTER)

    def write(self, name, text, root=None):
        path = (root or self.root) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def git(self, *arguments, root=None):
        return subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", root or self.root, *arguments],
                              check=True, capture_output=True, text=True).stdout.strip()

    def commit(self, name, text, root=None):
        self.write(name, text, root)
        self.git("init", "--quiet", "--initial-branch=main", ".", root=root)
        self.git("add", "--all", root=root)
        self.git("commit", "--quiet", "--message", "start", root=root)

    def program(self, path, text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path

    def marking(self, path):
        return self.program(path, f"#!/bin/sh\ntouch '{self.mark}'\nexit 0\n")

    def check(self, *arguments, cwd=None, **variables):
        environment = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null", **variables}
        return subprocess.run([CHECKER, "validate", "--against", "main", *(arguments or ["-R", "-f", self.root / "deploy"])],
                              cwd=cwd or self.root, env=environment, capture_output=True, text=True, timeout=60, check=False)

    def assert_denied(self, done):
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("backendFramework", done.stdout)
        self.assertFalse(self.mark.exists(), "a program of the tree was executed")

    def test_submodule_does_not_bring_its_own_main(self):
        source = self.home / "source"
        self.commit("app.yaml", AFTER, source)
        shutil.rmtree(self.root / "deploy")
        self.git("rm", "--quiet", "-r", "--cached", "deploy")
        self.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", source, "deploy")
        for words in (["-R", "-f", "deploy"], ["deploy/app.yaml"], ["--as-found", "deploy/app.yaml"],
                      ["-R", "-f", "deploy", "--config-from", "main"]):
            with self.subTest(words):
                done = self.check(*words)
                self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
                self.assertIn("is in a submodule", done.stdout + done.stderr)
        self.assert_denied(self.check("-R", "-f", "."))
        self.assert_denied(self.check("-R", "-f", ".", "--config-from", "main"))
        # Who works in the submodule compares with its branches.
        self.assertEqual(self.check("-R", "-f", ".", cwd=self.root / "deploy").returncode, 0)

    def test_configuration_of_a_submodule_does_not_count(self):
        source = self.home / "source"
        self.write(".dynamo-admission.yaml", "skip: ['*']\n", source)
        self.commit("app.yaml", AFTER.replace("worker:1.2.0", "Worker:latest:x"), source)
        self.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", source, "other")
        done = self.check("-R", "-f", ".", "--config-from", "main")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertNotIn("skip", done.stderr)

    def add_bare_repository(self, where):
        """Adds a bare repository to the tree whose main already holds the forbidden change."""
        fake = self.home / "fake"
        self.commit("app.yaml", AFTER, fake)
        (fake / ".git/config").write_text(
            "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"
            f"\tsshCommand = touch '{self.mark}'\n\tfsmonitor = touch '{self.mark}'\n"
            "[extensions]\n\tpartialClone = origin\n[remote \"origin\"]\n\turl = ssh://attacker/x\n\tpromisor = true\n")
        where.mkdir(parents=True, exist_ok=True)
        for name in ("HEAD", "config", "objects", "refs"):
            source = fake / ".git" / name
            shutil.copytree(source, where / name) if source.is_dir() else shutil.copy(source, where / name)

    def test_change_is_denied_without_an_attack(self):
        self.assert_denied(self.check())

    def test_bare_repository_in_the_tree_is_ignored(self):
        self.add_bare_repository(self.root / "deploy")
        self.assert_denied(self.check())
        self.assert_denied(self.check("-f", "deploy/app.yaml"))
        self.assert_denied(self.check("-f", "app.yaml", cwd=self.root / "deploy"))

    def test_bare_repository_next_to_git_entry_is_ignored(self):
        self.add_bare_repository(self.root)
        self.assert_denied(self.check())

    def test_git_file_into_the_tree_is_refused(self):
        self.add_bare_repository(self.root / "deploy/bare")
        self.write("deploy/.git", "gitdir: bare\n")
        done = self.check()
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("must not lead into the tree", done.stderr)

    def test_git_link_into_the_tree_is_refused(self):
        self.add_bare_repository(self.root / "deploy/bare")
        (self.root / "deploy/.git").symlink_to("bare")
        self.assertIn("must not lead into the tree", self.check().stderr)

    def test_configuration_of_the_repository_runs_no_program(self):
        hook = self.marking(self.home / "hook")
        for key in ("core.sshCommand", "core.fsmonitor", "core.pager", "diff.external", "core.gitProxy", "core.editor"):
            self.git("config", key, str(hook))
        self.git("config", "core.hooksPath", str(self.home))
        self.marking(self.home / "post-checkout")
        self.assert_denied(self.check())

    def test_missing_object_is_not_fetched(self):
        hook = self.marking(self.home / "hook")
        identity = self.git("rev-parse", "main:deploy/app.yaml")
        for key, value in (("core.sshCommand", hook), ("extensions.partialClone", "origin"),
                           ("remote.origin.url", "ssh://attacker/x"), ("remote.origin.promisor", "true"),
                           ("core.repositoryFormatVersion", "1"), ("protocol.ssh.allow", "always")):
            self.git("config", key, str(value))
        (self.root / ".git/objects" / identity[:2] / identity[2:]).unlink()
        done = self.check()
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertFalse(self.mark.exists(), "the ssh command of the configuration was executed")

    def test_git_program_of_the_tree_is_not_executed(self):
        self.marking(self.root / "git")
        self.marking(self.root / "bin/git")
        path = os.environ["PATH"]
        for first in (".", "", "bin", f"{self.root}", f"{self.root}/bin", f"{self.root}/deploy/../bin"):
            with self.subTest(first):
                self.assert_denied(self.check(PATH=f"{first}:{path}"))
        done = self.check(PATH=f"{self.root}/bin")
        self.assertEqual(done.returncode, 2)
        self.assertIn("need the program git", done.stderr)

    def test_git_program_of_outer_tree_is_not_executed(self):
        outer = self.home / "outer"
        self.commit("readme", "x", outer)
        self.marking(outer / "bin/git")
        shutil.move(self.root, outer / "sub")
        done = self.check("-R", "-f", str(outer / "sub/deploy"), cwd=self.home, PATH=f"{outer}/bin:{os.environ['PATH']}")
        self.assert_denied(done)

    def test_git_file_into_an_outer_tree_is_refused(self):
        self.add_bare_repository(self.root / "bare")
        self.write("deploy/.git", "gitdir: ../bare\n")
        self.assertIn("must not lead into the tree", self.check().stderr)

    def test_old_git_is_refused(self):
        self.program(self.home / "old/git", "#!/bin/sh\necho git version 2.37.9\n")
        done = self.check(PATH=f"{self.home}/old")
        self.assertEqual(done.returncode, 2)
        self.assertIn("need Git 2.38 or newer", done.stderr)

    def test_variables_of_git_do_not_redirect_it(self):
        self.add_bare_repository(self.home / "elsewhere")
        done = self.check(GIT_DIR=str(self.home / "elsewhere"), GIT_OBJECT_DIRECTORY=str(self.home / "elsewhere/objects"),
                          GIT_EXEC_PATH=str(self.home), GIT_EXTERNAL_DIFF=str(self.marking(self.home / "hook")))
        self.assert_denied(done)

    def test_configuration_by_variables_still_counts(self):
        done = self.check(GIT_CONFIG_COUNT="1", GIT_CONFIG_KEY_0="safe.bareRepository", GIT_CONFIG_VALUE_0="all")
        self.assert_denied(done)


if __name__ == "__main__":
    unittest.main()
