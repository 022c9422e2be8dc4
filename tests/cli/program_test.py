"""The program kubectl-dynamo as users and other programs run it.

Usage: program_test.py --program KUBECTL_DYNAMO --source SOURCES [TEST...]
       program_test.py --list     the names of the tests, as Class.behaviour

Also runs the command lines of the pre-commit hooks, the GitHub Actions example and the guide,
unchanged.
"""

import argparse
import json
import os
import pty
import re
import select
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from xml.etree import ElementTree

import yaml

PROGRAM = None
SOURCE = None

GOOD = """\
apiVersion: nvidia.com/v1alpha1
kind: DynamoModel
metadata: {name: m}
spec: {modelName: a/b, baseModelName: a/b, modelType: base}
"""
BAD = GOOD.replace("modelType: base", "modelType: large")
CHANGED = GOOD.replace("baseModelName: a/b", "baseModelName: a/c")
OTHER = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n"


def run(command, timeout=60, **options):
    options.setdefault("env", environment())
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout, **options)


def environment():
    """This process's environment, with the program and its completion helper on the PATH, and without git settings."""
    return {"PATH": f"{PROGRAM.parent}:{SOURCE / 'deploy/kubectl'}:{os.environ['PATH']}",
            "HOME": "/nonexistent", "LC_ALL": "C.UTF-8", "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_CONFIG_SYSTEM": "/dev/null"}


class Folder(unittest.TestCase):
    """Tests with a temporary folder."""

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="dynamo-program-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def commit_all(self):
        """Turns the folder into a git repository with its current content as main and origin/main."""
        for command in ("init --quiet --initial-branch=main .", "add --all",
                        "-c user.name=t -c user.email=t@t commit --quiet --message start",
                        "update-ref refs/remotes/origin/main HEAD"):
            done = run(["git", *shlex.split(command)], cwd=self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)

    def validate(self, *arguments, **options):
        return run([PROGRAM, "validate", *arguments], cwd=self.folder, **options)


class Program(Folder):
    def test_exit_codes_distinguish_valid_invalid_and_unusable(self):
        self.write("good.yaml", GOOD)
        self.write("bad.yaml", BAD)
        self.assertEqual(self.validate("good.yaml").returncode, 0)
        self.assertEqual(self.validate("bad.yaml").returncode, 1)
        self.assertEqual(self.validate("good.yaml", "bad.yaml").returncode, 1)
        self.assertEqual(self.validate("missing.yaml").returncode, 2)
        self.assertEqual(self.validate("--no-such-option").returncode, 2)

    def test_error_is_one_line_on_standard_error(self):
        done = self.validate("--recursve")
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr,
                         'kubectl-dynamo: unknown option "--recursve" of validate; did you mean '
                         "--recursive?; `kubectl dynamo validate --help` lists its options\n")

    def test_kubeconfig_error_names_source_of_path(self):
        (self.folder / ".kube").mkdir()
        (self.folder / ".kube/config").touch()
        model = self.write("m.yaml", GOOD)
        for command in (["doctor"], ["status"], ["diff", "-f", str(model)]):
            for arguments, variables, error in (
                    (["--kubeconfig", "/nonexist"], {}, "/nonexist: must exist (from --kubeconfig)"),
                    ([], {"KUBECONFIG": "/nonexist"}, "/nonexist: must exist (from KUBECONFIG)"),
                    ([], {"HOME": str(self.folder)}, "/.kube/config: must not be empty (the default path)")):
                done = run([PROGRAM, *command, *arguments], env={**environment(), **variables})
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(error + "\n", done.stderr)

    def test_reads_standard_input(self):
        done = self.validate("-f", "-", input=BAD)
        self.assertEqual(done.returncode, 1)
        self.assertIn("standard input:4:", done.stdout)

    def test_excludes_names_with_or_without_leading_dot(self):
        self.write("good.yaml", GOOD)
        self.write("drafts/bad.yaml", BAD)
        self.assertEqual(self.validate("-R", ".").returncode, 1)
        for glob in ("drafts/*", "./drafts/*", "drafts", "*/bad.yaml"):
            with self.subTest(glob=glob):
                self.assertEqual(self.validate("-R", ".", "--exclude", glob).returncode, 0)

    def test_shows_the_configuration_of_the_working_folder(self):
        self.write(".dynamo-admission.yaml", "pathway: lws\n")
        self.write("deploy/.dynamo-admission.yaml", "pathway: grove\n")
        self.write("deploy/good.yaml", GOOD)
        shown = run([PROGRAM, "config"], cwd=self.folder)
        self.assertEqual((shown.returncode, shown.stderr), (0, ""))
        self.assertRegex(shown.stdout, r"(?m)^  pathway +lws +.*/\.dynamo-admission\.yaml:1$")
        self.assertNotIn("grove", shown.stdout)
        both = run([PROGRAM, "config", "-R", "."], cwd=self.folder)
        self.assertEqual(re.findall(r"(?m)^  pathway +(\w+) ", both.stdout), ["lws", "grove"])

    def test_validates_this_whole_repository(self):
        done = run([PROGRAM, "validate", "-R", "-f", "deploy/"], cwd=SOURCE)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"(?m)^\d\d objects in \d+ files: all valid")

    def validated(self, repository):
        """The output for a whole repository of tests/testdata."""
        done = run([PROGRAM, "validate", "-R", "-f", ".", "-o", "json"], cwd=SOURCE / "tests/testdata/repositories" / repository)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        report = json.loads(done.stdout)
        return [one["name"] for one in report["results"]], report["summary"], done.stderr

    def test_validates_a_v1alpha1_repository(self):
        names, summary, output = self.validated("february")
        self.assertEqual(names, ["base", "vllm-agg", "vllm-disagg", "large"])
        self.assertEqual((summary["templates"], summary["otherVersions"], summary["faults"]), (1, 0, 0))
        self.assertGreaterEqual(summary["noManifests"], 5)
        self.assertIn("skipped the templates of 1 chart", output)
        self.assertIn("skipped 1 file that a kustomization names as its patch (./deploy/kustomize/overlay/ops.json)", output)
        self.assertRegex(output, r"warning: 1 file .* names it as its patch \(./deploy/kustomize/overlay/replicas.yaml\)")
        self.assertEqual((summary["patches"], summary["chartTemplates"]), (2, 1))

    def test_validates_a_v1beta1_repository(self):
        names, summary, output = self.validated("august")
        self.assertEqual(sorted(names), ["agg", "disagg", "kept-in-v1alpha1", "planner", "r", "router"])
        self.assertEqual((summary["templates"], summary["otherVersions"], summary["faults"]), (1, 0, 0))
        self.assertGreaterEqual(summary["noManifests"], 5)
        self.assertIn("skipped the templates of 1 chart", output)
        self.assertRegex(output, r"warning: 1 file .* names it as its patch \(./examples/agg/overlay/replicas.yaml\)")
        strict = run([PROGRAM, "validate", "-R", "-f", ".", "--strict-versions"], cwd=SOURCE / "tests/testdata/repositories/august")
        self.assertEqual(strict.returncode, 0)

    def test_colours_are_for_terminals_only(self):
        self.write("bad.yaml", BAD)
        self.assertNotIn("\x1b", self.validate("bad.yaml").stdout)
        self.assertIn("\x1b[1;31merror: ", self.on_terminal(environment()))
        self.assertNotIn("\x1b", self.on_terminal({**environment(), "NO_COLOR": "1"}))
        self.assertNotIn("\x1b", self.on_terminal({**environment(), "TERM": "dumb"}))

    def on_terminal(self, env):
        """The output of `validate bad.yaml` on a terminal."""
        ours, theirs = pty.openpty()
        child = subprocess.Popen([PROGRAM, "validate", "bad.yaml"], cwd=self.folder, env=env,
                                 stdout=theirs, stderr=theirs, stdin=subprocess.DEVNULL)
        os.close(theirs)
        text, deadline = b"", time.monotonic() + 30
        while time.monotonic() < deadline:
            if not select.select([ours], [], [], 1)[0]:
                continue
            try:
                part = os.read(ours, 65536)
            except OSError:  # the last writer has closed it
                break
            if not part:
                break
            text += part
        os.close(ours)
        self.assertEqual(child.wait(timeout=30), 1)
        return text.decode()

    def test_full_disk_is_reported_without_verdict(self):
        self.write("good.yaml", GOOD)
        with open("/dev/full", "w") as full:
            done = subprocess.run([PROGRAM, "validate", "good.yaml"], cwd=self.folder, stdout=full,
                                  stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual(done.returncode, 2)
        self.assertIn("standard output cannot be written", done.stderr)

    def test_closed_output_ends_quietly_with_complete_reports(self):
        for i in range(200):
            self.write(f"many/{i}.yaml", BAD)
        read, write = os.pipe()
        os.close(read)
        try:
            done = subprocess.run([PROGRAM, "validate", "many", "-o", "text", "-o", "json=all.json"],
                                  cwd=self.folder, stdout=write, stderr=subprocess.PIPE, timeout=60)
        finally:
            os.close(write)
        self.assertEqual((done.returncode, done.stderr), (2, b""))
        json.loads((self.folder / "all.json").read_text())

    def test_the_manual_page_is_clean_roff(self):
        groff = shutil.which("groff")
        page = run([PROGRAM, "man"]).stdout
        self.assertTrue(page.startswith(".TH KUBECTL\\-DYNAMO 1 "))
        if groff is None:
            self.skipTest("groff is not installed")
        done = run([groff, "-man", "-ww", "-Tascii", "-P-bcou"], input=page)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("DESCRIPTION", done.stdout)

    def annotated(self, *arguments, cwd, env=None):
        """The file names in an annotation and in a result, the latter with its base."""
        done = run([PROGRAM, "validate", *arguments, "-o", "github", "-o", "sarif=found.sarif"],
                   cwd=cwd, env={**environment(), **(env or {})})
        self.assertEqual(done.returncode, 1, done.stderr)
        run_of = json.loads((cwd / "found.sarif").read_text())["runs"][0]
        place = run_of["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
        annotation = re.search(r"^::error file=([^,]+),", done.stdout, re.MULTILINE).group(1)
        return annotation, place["uri"], place.get("uriBaseId")

    def test_reports_name_files_from_the_repository_root(self):
        path = self.write("deploy/models/bad.yaml", BAD)
        self.commit_all()
        expected = ("deploy/models/bad.yaml", "deploy/models/bad.yaml", "%SRCROOT%")
        for name, cwd in (("models/bad.yaml", self.folder / "deploy"), ("bad.yaml", path.parent),
                          ("../models/bad.yaml", path.parent), (path, self.folder / "deploy")):
            with self.subTest(name=name):
                self.assertEqual(self.annotated(name, cwd=cwd), expected)

    def test_reports_name_files_from_the_workspace(self):
        path = self.write("checkout/deploy/bad.yaml", BAD)
        workspace = {"GITHUB_WORKSPACE": str(self.folder)}
        expected = ("checkout/deploy/bad.yaml", "checkout/deploy/bad.yaml", "%SRCROOT%")
        self.assertEqual(self.annotated("deploy/bad.yaml", cwd=self.folder / "checkout",
                                        env=workspace), expected)
        elsewhere = {"GITHUB_WORKSPACE": "/nonexistent"}
        self.assertEqual(self.annotated(path, cwd=self.folder, env=elsewhere),
                         (str(path), f"file://{path}", None))


class Completion(Folder):
    def bash(self, *words):
        """Bash's completions of the last word, with the program's script."""
        script = f"""
            source <("{PROGRAM}" completion bash)
            COMP_WORDS=(kubectl-dynamo {' '.join(shlex.quote(word) for word in words)})
            COMP_CWORD={len(words)}
            __kubectl_dynamo 2>/dev/null
            printf '%s\\n' "${{COMPREPLY[@]}}"
        """
        done = run(["bash", "-c", script], cwd=self.folder)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_bash_completes_commands_options_values_and_files(self):
        self.write("graph.yaml", GOOD)
        self.assertEqual(self.bash("vali"), ["validate"])
        self.assertEqual(self.bash("validate", "--ol"), ["--old"])
        self.assertEqual(self.bash("validate", "-o", "ju"), ["junit"])
        self.assertEqual(self.bash("validate", "gr"), ["graph.yaml"])
        self.assertEqual(self.bash("explain", "dgd.pvc.n"), ["dgd.pvc.name"])

    def test_bash_completes_after_an_equals_sign(self):
        # Readline splits --output=s into words.
        self.assertEqual(self.bash("validate", "--output", "=", "s"), ["sarif"])
        self.assertEqual(self.bash("validate", "--colour", "="), ["auto", "always", "never"])

    def test_kubectl_completes_through_the_helper(self):
        helper = SOURCE / "deploy/kubectl/kubectl_complete-dynamo"
        self.assertTrue(os.access(helper, os.X_OK))
        done = run([helper, "explain", "dgd.pvc.n"])
        self.assertEqual(done.stdout, "dgd.pvc.name\ta volume claim has a name\n:4\n")


class PreCommitHooks(Folder):
    def hooks(self):
        hooks = yaml.safe_load((SOURCE / ".pre-commit-hooks.yaml").read_text())
        return {hook["id"]: hook for hook in hooks}

    def run_hook(self, identifier, *files):
        """Runs a hook like pre-commit: the entry, split like in a shell, the arguments, then the file names."""
        hook = self.hooks()[identifier]
        return run([*shlex.split(hook["entry"]), *hook["args"], *files], cwd=self.folder)

    def test_refuse_bad_manifests_only(self):
        self.write("good.yaml", GOOD)
        self.write("other.yaml", OTHER)
        self.write("bad.yaml", BAD)
        passed = self.run_hook("kubectl-dynamo-validate", "good.yaml", "other.yaml")
        self.assertEqual((passed.returncode, passed.stdout, passed.stderr), (0, "", ""))
        refused = self.run_hook("kubectl-dynamo-validate", "good.yaml", "bad.yaml")
        self.assertEqual(refused.returncode, 1)
        self.assertIn("bad.yaml:4:", refused.stdout)
        self.assertIn("[schema.enum]", refused.stdout)

    def test_skip_files_that_are_not_manifests(self):
        self.write("tsconfig.json", '{\n  // why\n  "strict": true,\n}\n')
        self.write("playbook.yaml", "- hosts: all\n")
        self.write("kustomization.yaml", "patches: [{path: patch.yaml}]\n")
        self.write("patch.yaml", "- {op: remove, path: /spec/x}\n")
        names = ["tsconfig.json", "playbook.yaml", "kustomization.yaml", "patch.yaml"]
        passed = self.run_hook("kubectl-dynamo-validate", *names)
        self.assertEqual((passed.returncode, passed.stdout, passed.stderr), (0, "", ""))

    def test_skip_files_that_folder_searches_skip(self):
        self.write(".dynamo-admission.yaml", "exclude: ['drafts/*', 'a/b']\n")
        names = [".dynamo-admission.yaml", "drafts/bad.yaml", "a/b/c/bad.yaml", ".cache/bad.yaml", ".bad.yaml"]
        for name in names[1:]:
            self.write(name, BAD)
        self.commit_all()
        for hook in self.hooks():
            passed = self.run_hook(hook, *names)
            self.assertEqual((passed.returncode, passed.stdout), (0, ""))
            # pre-commit shows it if the hook fails; a configuration must not silently exclude files.
            self.assertRegex(passed.stderr, r"\A.*\.dynamo-admission\.yaml:1: exclude: drafts/\*, a/b .*\n\Z")
        self.write("bad.yaml", BAD)
        self.assertEqual(self.run_hook("kubectl-dynamo-validate", *names, "bad.yaml").returncode, 1)

    def test_refuse_changes_that_the_cluster_would_refuse(self):
        self.write("model.yaml", GOOD)
        self.commit_all()
        self.assertEqual(self.run_hook("kubectl-dynamo-validate-change", "model.yaml").returncode, 0)
        self.write("model.yaml", CHANGED)
        refused = self.run_hook("kubectl-dynamo-validate-change", "model.yaml")
        self.assertEqual(refused.returncode, 1)
        self.assertIn("spec.baseModelName", refused.stdout)
        self.assertEqual(self.run_hook("kubectl-dynamo-validate", "model.yaml").returncode, 0)

    def test_match_the_example(self):
        example = yaml.safe_load((SOURCE / "deploy/examples/pre-commit-config.yaml").read_text())
        used = [hook["id"] for repository in example["repos"] for hook in repository["hooks"]]
        self.assertEqual(sorted(used), sorted(self.hooks()))
        for hook in self.hooks().values():
            self.assertEqual(hook["language"], "system")
            self.assertEqual(hook["types_or"], ["yaml", "json"])


class ContinuousIntegration(Folder):
    def line(self):
        """The command line of docs/ci.md, without `kubectl`, which would find the program by its name."""
        block = re.search(r"```sh\n(.*?)```", (SOURCE / "docs/ci.md").read_text(), re.DOTALL)[1]
        self.assertEqual(block.count("\n"), 1)
        self.assertTrue(block.startswith("kubectl dynamo validate "), block)
        return block.strip().replace("kubectl dynamo", "kubectl-dynamo", 1)

    def run_line(self):
        return run(["bash", "-c", self.line()], cwd=self.folder)

    def test_documented_line_validates_repository_and_changes(self):
        self.write("deploy/model.yaml", GOOD)
        self.write("deploy/site.yml", "- hosts: all\n")
        self.commit_all()
        passed = self.run_line()
        self.assertEqual(passed.returncode, 0, passed.stdout + passed.stderr)
        report = ElementTree.parse(self.folder / "dynamo.xml").getroot()
        self.assertEqual((report.tag, list(report.iter("failure"))), ("testsuites", []))
        self.write("deploy/model.yaml", CHANGED)
        refused = self.run_line()
        self.assertEqual(refused.returncode, 1, refused.stdout + refused.stderr)
        report = ElementTree.parse(self.folder / "dynamo.xml").getroot()
        self.assertEqual(len(list(report.iter("failure"))), 1)
        self.assertIn("[dm.base.immutable]", refused.stdout)


class GithubActions(Folder):
    def step(self):
        """The command line of the workflow's step, as passed to the runner's shell."""
        workflow = yaml.safe_load((SOURCE / "deploy/examples/github-actions.yaml").read_text())
        lines = [step["run"] for step in workflow["jobs"]["validate"]["steps"]
                 if "kubectl-dynamo validate" in step.get("run", "")]
        self.assertEqual(len(lines), 1)
        return lines[0].replace("/opt/kubectl-dynamo/bin/", f"{PROGRAM.parent}/")

    def run_step(self):
        env = {**environment(), "GITHUB_BASE_REF": "main"}
        return run(["bash", "-e", "-o", "pipefail", "-c", self.step()], cwd=self.folder, env=env)

    def findings(self):
        report = json.loads((self.folder / "dynamo.sarif").read_text())
        return report["runs"][0]["results"]

    def test_passes_good_manifests(self):
        self.write("deploy/models/model.yaml", GOOD)
        self.commit_all()
        done = self.run_step()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn("::", done.stdout)
        self.assertEqual(self.findings(), [])

    def test_annotates_bad_manifests_and_writes_the_report(self):
        self.write("deploy/models/model.yaml", GOOD)
        self.commit_all()
        self.write("deploy/models/second.yaml", BAD.replace("name: m", "name: other"))
        done = self.run_step()
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout,
                         r"(?m)^::error file=deploy/models/second\.yaml,line=4,col=\d+,.*::")
        self.assertEqual([finding["ruleId"] for finding in self.findings()], ["schema.enum"])

    def test_finds_changes_that_the_cluster_would_refuse(self):
        self.write("deploy/models/model.yaml", GOOD)
        self.commit_all()
        self.write("deploy/models/model.yaml", CHANGED)
        done = self.run_step()
        self.assertEqual(done.returncode, 1)
        self.assertIn("spec.baseModelName", done.stdout)

    def test_skips_chart_templates(self):
        self.write("deploy/models/model.yaml", GOOD)
        self.write("deploy/chart/Chart.yaml", "name: c\n")
        self.write("deploy/chart/templates/model.yaml", GOOD.replace("a/b", "{{ .Values.model }}"))
        self.commit_all()
        done = self.run_step()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_caches_the_build_by_pinned_version(self):
        workflow = yaml.safe_load((SOURCE / "deploy/examples/github-actions.yaml").read_text())
        self.assertRegex(workflow["env"]["DYNAMO_ADMISSION_REF"], r"^v\d+\.\d+\.\d+$")
        steps = workflow["jobs"]["validate"]["steps"]
        cache = next(step for step in steps if step.get("uses", "").startswith("actions/cache@"))
        ref = "${{ env.DYNAMO_ADMISSION_REF }}"
        self.assertTrue(cache["with"]["key"].endswith("-" + ref))
        self.assertEqual([step["with"]["ref"] for step in steps if "ref" in step.get("with", {})],
                         [ref])
        build = next(step["run"] for step in steps if "build release" in step.get("run", ""))
        self.assertIn(f"--component kubectl --prefix {cache['with']['path']}\n", build)
        missed = f"${{{{ steps.{cache['id']}.outputs.cache-hit != 'true' }}}}"
        guarded = [step for step in steps if step.get("if") == missed]
        self.assertEqual(len(guarded), 2)

    def test_uploads_the_written_report(self):
        text = (SOURCE / "deploy/examples/github-actions.yaml").read_text()
        written = re.search(r"-o sarif=(\S+)", text).group(1)
        self.assertIn(f"sarif_file: {written}\n", text)


class Guide(Folder):
    def shown(self, page):
        """The command lines of a page's console blocks, each with its output."""
        text = (SOURCE / page).read_text()
        blocks = re.findall(r"^```console\n((?s:.*?))^```$", text, re.MULTILINE)
        self.assertEqual(len(blocks), text.count("```console"))
        shown = [re.match(r"(.+)\n((?s:.*))", part) for block in blocks
                 for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
        self.assertGreaterEqual(len(shown), len(blocks))
        self.assertGreaterEqual(len(blocks), 3)
        return [match.groups() for match in shown]

    def test_readme_begins_with_a_real_refusal(self):
        """tests/cluster compares kubectl's output from a real API server with the same block."""
        (line, expected), *_ = self.shown("README.md")
        name = re.fullmatch(r"kubectl apply -f (\S+)", line).group(1)
        report = json.loads(run([PROGRAM, "validate", "-o", "json", "-f", name], cwd=SOURCE).stdout)
        graph, = report["results"][:1]
        warnings = [f"Warning: {each['message']}" for each in graph["findings"] if each["level"] == "warning"]
        causes = [f"* {each['message']}" for each in graph["findings"] if each["level"] == "error"]
        self.assertTrue(warnings and len(causes) > 1)
        self.assertEqual(expected.splitlines(), [
            *warnings, f'The {graph["kind"]} "{graph["name"]}" is invalid:', *sorted(causes)])

    def test_readme_is_short(self):
        self.assertLessEqual(len((SOURCE / "README.md").read_text().splitlines()), 120)

    def test_shows_actual_program_output(self):
        shown = self.shown("docs/kubectl-dynamo.md") + self.shown("README.md")[1:]
        for line, expected in shown:
            with self.subTest(line=line):
                self.assertTrue(line.startswith("kubectl dynamo "))
                # With a shell, because a block may use head.
                command = line.replace("kubectl dynamo ", "kubectl-dynamo ")
                printed = run(["bash", "-c", command], cwd=SOURCE).stdout
                self.assertEqual(self.without_time(printed), self.without_time(expected))

    def test_samples_readme_lists_refused_samples(self):
        rows = dict(re.findall(r"^\| \[(\S+\.yaml)\]\(\1\) \| (.*)$", (SOURCE / "deploy/samples/README.md").read_text(),
                               re.MULTILINE))
        self.assertEqual(set(rows), {each.name for each in (SOURCE / "deploy/samples").glob("*.yaml")})
        needing = {name for name, text in rows.items() if "API group inference.networking.k8s.io" in text}
        self.assertEqual(len(needing), 2)
        for served, refused in (("yes", set()), ("no", needing)):
            for more in ([], ["--operator-replaced"], ["--pathway", "component", "--kubernetes-version", "1.35"]):
                printed = run([PROGRAM, "validate", "-o", "json", "-f", "deploy/samples", "--inference-pool", served,
                               *more], cwd=SOURCE).stdout
                found = {Path(each["file"]).name for each in json.loads(printed)["results"]
                         if not each.get("valid", True)}
                self.assertEqual(found, refused, (served, more))

    def test_readme_of_v1beta1_samples_lists_refused_samples(self):
        folder = SOURCE / "deploy/samples-v1beta1"
        rows = dict(re.findall(r"^\| \[(\S+\.yaml)\]\(\1\) \| (.*)$", (folder / "README.md").read_text(), re.MULTILINE))
        self.assertEqual(set(rows), {each.name for each in folder.glob("*.yaml")})
        needing = {name for name, text in rows.items() if "API group inference.networking.k8s.io" in text}
        self.assertEqual(len(needing), 1)
        for served, refused in (("yes", set()), ("no", needing)):
            results = json.loads(run([PROGRAM, "validate", "-o", "json", "-f", folder, "--inference-pool", served]).stdout)["results"]
            self.assertEqual(len(results), len(rows))
            self.assertEqual({Path(each["file"]).name for each in results if not each["valid"]}, refused, served)

    @staticmethod
    def without_time(text):
        return re.sub(r"; [0-9.]+ s$", "; TIME", text, flags=re.MULTILINE)

    def test_names_every_format(self):
        guide = (SOURCE / "docs/kubectl-dynamo.md").read_text()
        for name in run([PROGRAM, "__complete", "validate", "-o", ""]).stdout.split()[:-1]:
            self.assertIn(f"| `{name}` |", guide)


def main():
    global PROGRAM, SOURCE
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path)
    parser.add_argument("--source", type=Path)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("tests", nargs="*")
    arguments = parser.parse_args()
    if arguments.list:
        for suite in unittest.defaultTestLoader.loadTestsFromModule(sys.modules[__name__]):
            for test in suite:
                print(test.id().removeprefix("__main__.").replace(".test_", "."))
        return
    if arguments.program is None or arguments.source is None:
        parser.error("--program and --source must be given")
    PROGRAM, SOURCE = arguments.program.resolve(), arguments.source.resolve()
    unittest.main(argv=[sys.argv[0], *arguments.tests], verbosity=2)


if __name__ == "__main__":
    main()
