"""Kubernetes' own controllers act on ordinary objects in this cluster: the basis for tests of our
controllers that need ready pods, EndpointSlices and garbage collection."""

from .controller_cluster import SOON, ControllerClusterTest, deployment
from .support import IMAGE, wait_until


def service(name):
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name},
            "spec": {"selector": {"app": name}, "ports": [{"port": 9090}]}}


def addresses(slices):
    return sorted(address for each in slices["items"] for endpoint in each["endpoints"] or []
                  if endpoint["conditions"]["ready"] for address in endpoint["addresses"])


class Workloads(ControllerClusterTest):
    def test_deployment_pods_become_ready_endpoints(self):
        self.make(deployment("web", 3), service("web"))
        status = self.wait_for_ready("web", 3)
        self.assertEqual(status["availableReplicas"], 3)
        pods = self.kubectl.get("pods")["items"]
        # Really scheduled.
        self.assertLessEqual({each["spec"]["nodeName"] for each in pods}, {"node-a", "node-b"})
        wanted = sorted(each["status"]["podIP"] for each in pods)
        self.assertEqual(len(set(wanted)), 3)

        def found():
            return addresses(self.kubectl.get("endpointslices")) == wanted

        wait_until("an EndpointSlice with every pod", found, SOON)
        self.kubectl.must("scale", "deployment", "web", "--replicas", "1")
        self.wait_for_ready("web", 1)
        wait_until("one endpoint", lambda: len(addresses(self.kubectl.get("endpointslices"))) == 1, SOON)

    def test_owned_objects_are_deleted_with_owner(self):
        self.make(deployment("web", 2))
        self.wait_for_ready("web", 2)
        uid = self.kubectl.get("deployment", "web")["metadata"]["uid"]
        owner = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "uid": uid}
        self.make({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "kept"}},
                  {"apiVersion": "v1", "kind": "ConfigMap",
                   "metadata": {"name": "owned", "ownerReferences": [owner]}})
        self.kubectl.must("delete", "deployment", "web")
        wait_until("pods and all being gone", lambda: not self.names("pods,replicasets") and
                   "owned" not in self.names("configmaps"), SOON)
        self.assertIn("kept", self.names("configmaps"))

    def test_unschedulable_pod_stays_pending(self):
        greedy = deployment("greedy")
        greedy["spec"]["template"]["spec"]["containers"][0]["resources"] = {
            "limits": {"nvidia.com/gpu": "65"}}
        self.make(greedy)

        def refused():
            conditions = [each for pod in self.kubectl.get("pods")["items"]
                          for each in pod["status"].get("conditions", [])]
            return any(each["reason"] == "Unschedulable" for each in conditions if "reason" in each)

        wait_until("word that no node can take it", refused, SOON)
        self.assertEqual(self.kubectl.get("deployment", "greedy")["status"].get("readyReplicas", 0), 0)

    def test_job_completes(self):
        self.make({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "once"}, "spec": {
            "template": {"spec": {"restartPolicy": "Never",
                                  "containers": [{"name": "main", "image": IMAGE}]}}}})
        self.kubectl.must("wait", "job", "once", "--for", "condition=Complete", "--timeout", "25s")

    def test_quota_is_enforced(self):
        self.make({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "few"},
                   "spec": {"hard": {"pods": "1"}}})
        wait_until("the quota being counted", lambda: "hard" in self.kubectl.get(
            "resourcequota", "few").get("status", {}), SOON)
        self.make(deployment("web", 2))

        def refused():
            conditions = self.kubectl.get("deployment", "web").get("status", {}).get("conditions", [])
            return any(each["type"] == "ReplicaFailure" and "exceeded quota: few" in each["message"]
                       for each in conditions)

        wait_until("word of the quota", refused, SOON)
        wait_until("one pod", lambda: len(self.names("pods")) == 1, SOON)
