"""What the tests share whose cluster has controllers, a scheduler and nodes: cluster.py up --controllers."""

import sys
import unittest

from harness import controllers

from .support import ClusterTest, HarnessError, IMAGE, wait_until

SOON = 60


def deployment(name, replicas=1, **metadata):
    labels = {"app": name}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, **metadata},
            "spec": {"replicas": replicas, "selector": {"matchLabels": labels},
                     "template": {"metadata": {"labels": labels},
                                  "spec": {"containers": [{"name": "main", "image": IMAGE}]}}}}


class LivingClusterTest(ClusterTest):
    """A test with a namespace of its own, which goes with it. Pods become ready within moments, without
    running; what they would answer is nobody's: their addresses lead nowhere.

    Skipped where the programs cannot be had.
    """

    NEEDS = "controllers"

    @classmethod
    def setUpClass(cls):
        try:
            controllers.programs()
        except controllers.Unavailable as error:
            print(f"skipped: {error}", file=sys.stderr)
            raise unittest.SkipTest(str(error)) from None
        super().setUpClass()
        if "controllers" not in cls.state.facts:
            raise HarnessError("the cluster has no controllers; start it with cluster.py up --controllers")

    def setUp(self):
        super().setUp()
        # Pods need it, and it is made a moment after its namespace.
        wait_until("the namespace's service account",
                   lambda: self.kubectl.run("get", "serviceaccount", "default").ok, SOON)

    def new_namespace(self, name, labels=None):
        name = super().new_namespace(name, labels)
        self.addCleanup(self.admin.run, "delete", "namespace", name, "--wait=false")
        return name

    def make(self, *objects):
        for each in objects:
            self.kubectl.must("apply", "--filename", "-", stdin=each)

    def wait_for_ready(self, name, replicas):
        """Until a Deployment has so many ready pods and no others; its status."""
        def ready():
            status = self.kubectl.get("deployment", name).get("status", {})
            counts = [status.get(key, 0) for key in ("replicas", "readyReplicas", "updatedReplicas")]
            return counts == [replicas] * 3 and status

        return wait_until(f"{replicas} ready pods of {name}", ready, SOON)

    def names(self, resource, *selection):
        return [each["metadata"]["name"] for each in self.kubectl.get(resource, *selection)["items"]]
