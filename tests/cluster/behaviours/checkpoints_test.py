"""The controller of checkpoints in dynamo-reconciler on a real API server, with the rights of deploy/rbac:
the life of a checkpoint, and Jobs of others. No controller of Jobs runs: the tests set their status."""

import json

from harness import webhook

from . import accounts
from .reconciler_processes import ReconcilerProcesses
from .support import IMAGE, ClusterTest, thing, wait_until

SOON = 30
HASH = "cfb060f4d0539cab"  # of model m with vllm


def checkpoint(name="warm", **metadata):
    return thing("DynamoCheckpoint", name, {
        "identity": {"model": "m", "backendFramework": "vllm"},
        "job": {"podTemplateSpec": {"spec": {"containers": [{"name": "main", "image": IMAGE}]}}}}, **metadata)


class Checkpoints(ReconcilerProcesses, ClusterTest):
    """Each test has a namespace that no webhook validates; its reconciler is restricted to it."""

    def setUp(self):
        super().setUp()
        self._label(f"{webhook.VALIDATED_BY}={webhook.NO_WEBHOOK}")
        self.kubeconfig = accounts.kubeconfig(self, files=("reconciler.yaml", "reconciler_checkpoints.yaml"))

    def start(self, name="reconciler"):
        self.start_reconciler(name, "--mode", "replacement", "--controllers", "checkpoint",
                              "--kubeconfig", self.kubeconfig)

    def make(self, *objects):
        for each in objects:
            self.kubectl.must("apply", "--filename", "-", stdin=each)

    def phase(self, name="warm"):
        return self.kubectl.get("dckpt", name).get("status", {}).get("phase")

    def until_phase(self, wanted, name="warm"):
        wait_until(f"the phase {wanted}", lambda: self.phase(name) == wanted, SOON)

    def test_checkpoint_becomes_ready_with_its_job(self):
        self.start()
        self.make(checkpoint())
        self.until_phase("Creating")
        job = self.kubectl.get("job", "checkpoint-warm")
        self.assertEqual(job["metadata"]["ownerReferences"][0]["name"], "warm")
        self.assertTrue(job["metadata"]["ownerReferences"][0]["blockOwnerDeletion"])
        self.kubectl.must("patch", "job", "checkpoint-warm", "--subresource", "status", "--type", "merge",
                          "--patch", json.dumps({"status": {"succeeded": 1}}))
        self.until_phase("Ready")
        found = self.kubectl.get("dckpt", "warm")
        self.assertEqual(found["metadata"]["labels"]["nvidia.com/checkpoint-hash"], HASH)
        self.assertEqual(found["status"]["location"], f"/checkpoints/{HASH}")
        self.assertEqual([each["type"] for each in found["status"]["conditions"]],
                         ["JobCreated", "JobCompleted", "TarAvailable"])

    def test_deleted_job_is_created_again(self):
        self.start()
        self.make(checkpoint())
        self.until_phase("Creating")
        before = self.kubectl.get("job", "checkpoint-warm")["metadata"]["uid"]
        self.kubectl.must("delete", "job", "checkpoint-warm")

        def is_another():
            jobs = self.kubectl.get("jobs")["items"]
            return [each for each in jobs if each["metadata"]["uid"] != before]

        wait_until("another Job", is_another, SOON)
        self.until_phase("Creating")

    def test_job_of_another_owner_is_kept_and_reported(self):
        self.make({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "checkpoint-warm"},
                   "spec": {"suspend": True, "template": {"spec": {
                       "restartPolicy": "Never", "containers": [{"name": "c", "image": IMAGE}]}}}})
        self.start()
        self.make(checkpoint())
        wait_until("the name being reported", lambda: "must be free" in self.kubectl.get(
            "dckpt", "warm").get("status", {}).get("message", ""), SOON)
        self.kubectl.must("delete", "job", "checkpoint-warm")
        self.until_phase("Creating")
