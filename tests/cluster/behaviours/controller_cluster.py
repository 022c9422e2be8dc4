"""Shared by tests whose cluster has controllers, a scheduler and nodes: cluster.py up --controllers."""

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


class ControllerClusterTest(ClusterTest):
    """A test with its own namespace, which is deleted afterwards. Pods become ready almost immediately without
    running; their addresses are not routed.

    Skipped if the programs are not available.
    """

    NEEDS = "controllers"

    @classmethod
    def setUpClass(cls):
        try:
            controllers.programs()
        except controllers.UnavailableError as error:
            print(f"skipped: {error}", file=sys.stderr)
            raise unittest.SkipTest(str(error)) from None
        super().setUpClass()
        if "controllers" not in cls.state.facts:
            raise HarnessError("the cluster has no controllers; start it with cluster.py up --controllers")

    def setUp(self):
        super().setUp()
        # Pods need it, and it is created shortly after the namespace.
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
        """Waits until a Deployment has this many ready pods and no others; returns its status."""
        def ready():
            status = self.kubectl.get("deployment", name).get("status", {})
            counts = [status.get(key, 0) for key in ("replicas", "readyReplicas", "updatedReplicas")]
            return counts == [replicas] * 3 and status

        return wait_until(f"{replicas} ready pods of {name}", ready, SOON)

    def names(self, resource, *selection):
        return [each["metadata"]["name"] for each in self.kubectl.get(resource, *selection)["items"]]
