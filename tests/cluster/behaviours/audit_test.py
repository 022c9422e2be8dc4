"""docs/audit.md: passes the stored objects of a cluster to the checker."""

import json
import os
import re
import subprocess
import tempfile
from pathlib import Path

from harness.programs import program

from .support import NO_HOST, REPOSITORY, ClusterTest, graph, no_host, worker

AUDIT_SECONDS = 60


def command():
    """The first command of the page, including its pipe."""
    block = re.search(r"```sh\n(.*?)```", (REPOSITORY / "docs/audit.md").read_text(), re.DOTALL)[1]
    return block.strip()


class Audit(ClusterTest):
    def audit(self, *more):
        """Runs the command as printed, with `kubectl dynamo` as a plugin of the test's kubectl."""
        with tempfile.TemporaryDirectory(prefix="dynamo-") as folder:
            tools = Path(folder)
            (tools / "kubectl").symlink_to(Path(self.state.facts["binaries"]) / "kubectl")
            (tools / "kubectl-dynamo").symlink_to(program("kubectl-dynamo"))
            environment = {"PATH": f"{tools}:{os.environ['PATH']}", "HOME": folder,
                           "KUBECONFIG": str(self.state.kubeconfig), "LC_ALL": "C.UTF-8"}
            return subprocess.run(
                ["bash", "-o", "pipefail", "-c", " ".join([command(), *more])], cwd=folder,
                env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                timeout=AUDIT_SECONDS, check=False)

    def test_documented_command_validates_stored_objects(self):
        self.assertRegex(command(), r"(?s)^kubectl get .* -o yaml \|\s+kubectl dynamo validate -f -$")
        self.kubectl.must("create", "--filename", "-", stdin=graph("good", {"Worker": worker()}))
        self.store_unvalidated(graph("bad", {"Main": worker(**NO_HOST)}))
        done = self.audit("-o json")
        self.assertEqual(done.returncode, 1, done.stderr)
        report = json.loads(done.stdout)
        self.assertEqual(report["summary"]["faults"], 0, report["summary"])
        ours = {each["name"]: each for each in report["results"]
                if each["result"] == "object" and each["namespace"] == self.namespace}
        self.assertEqual(sorted(ours), ["bad", "good"])
        self.assertTrue(ours["good"]["valid"], ours["good"])
        errors = [(each["field"], each["rule"]) for each in ours["bad"]["findings"]
                  if each["level"] == "error"]
        self.assertEqual(errors, [no_host("Main")])
