"""What `kubectl dynamo doctor` finds of dynamo-reconciler's leader, whose Lease each release names for itself."""

import json
import subprocess

from harness.programs import program

from .graphing import SOON, GraphTest
from .support import wait_until

LEASE = "release-dynamo-operator-reconciler"


class Leaders(GraphTest):
    def finding(self):
        done = subprocess.run(
            [program("kubectl-dynamo"), "doctor", "--kubeconfig", self.state.kubeconfig, "--restricted-namespace",
             self.namespace, "-o", "json"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=130, check=False)
        found, = (each for each in json.loads(done.stdout)["findings"] if each["check"] == "cluster.controllers")
        return found["level"], f"{found['subject']}: {found['text']}"

    def test_a_leader_is_found_by_the_label_of_its_lease_and_missed_when_it_is_killed(self):
        self.start("reconciler", "--leader-election-id", LEASE)

        def leads():
            level, text = self.finding()
            return level == "ok" and LEASE in text and f"runs the controllers of namespace {self.namespace}" in text

        wait_until("the doctor finding the leader", leads, SOON)
        self.kill("reconciler")
        wait_until("the doctor missing the leader", lambda: self.finding()[0] == "failed", SOON)
        self.assertIn(f"Lease {self.namespace}/{LEASE}: must have a live leader", self.finding()[1])
