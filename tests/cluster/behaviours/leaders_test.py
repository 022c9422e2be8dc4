"""`kubectl dynamo doctor` finds the leader of dynamo-reconciler, whose Lease has a different name in
each release."""

import json
import subprocess

from harness.programs import program

from .graph_fixture import SOON, GraphTest
from .support import wait_until

LEASE = "release-dynamo-operator-reconciler"


class Leaders(GraphTest):
    def finding(self):
        done = subprocess.run(
            [program("kubectl-dynamo"), "doctor", "--kubeconfig", self.state.kubeconfig, "--restricted-namespace",
             self.namespace, "-o", "json"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=130, check=False)
        found, = (each for each in json.loads(done.stdout)["findings"] if each["check"] == "cluster.controllers")
        return found["level"], f"{found['subject']}: {found['text']}"

    def test_leader_is_found_by_lease_label(self):
        self.start("reconciler", "--leader-election-id", LEASE)

        def leads():
            level, text = self.finding()
            return level == "ok" and LEASE in text and f"runs the controllers of namespace {self.namespace}" in text

        wait_until("the doctor finding the leader", leads, SOON)
        self.kill("reconciler")
        wait_until("the doctor missing the leader", lambda: self.finding()[0] == "failed", SOON)
        self.assertIn(f"Lease {self.namespace}/{LEASE}: must have a live leader", self.finding()[1])
