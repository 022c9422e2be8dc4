"""The controllers of scaling adapters and models in dynamo-reconciler on a real API server: the scale
subresource, concurrent writes of others, EndpointSlices as Kubernetes stores them, and deletion."""

import json
import os
import signal
import time

from harness import webhook

from .reconciler_processes import ReconcilerProcesses
from .support import ClusterTest, graph, thing, wait_until, worker

SOON = 30
HASH = "fb68f5a6"  # of Qwen/Qwen3-0.6B
FINALIZER = "nvidia.com/finalizer"


def adapter(replicas=5, **metadata):
    return thing("DynamoGraphDeploymentScalingAdapter", "g-decode",
                 {"replicas": replicas, "dgdRef": {"name": "g", "serviceName": "Decode"}},
                 labels={"nvidia.com/dynamo-graph-deployment-name": "g"}, **metadata)


def model(name="m", **spec):
    return thing("DynamoModel", name, {"modelName": "Qwen/Qwen3-0.6B",
                                       "baseModelName": "Qwen/Qwen3-0.6B", **spec})


def endpoint_slice(name, family, *addresses):
    return {"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "addressType": family,
            "metadata": {"name": name, "labels": {
                "kubernetes.io/service-name": "svc-a", "nvidia.com/dynamo-base-model-hash": HASH}},
            "endpoints": [{"addresses": [each], "targetRef": {"kind": "Pod", "name": f"p{at}"}}
                          for at, each in enumerate(addresses)]}


class AdaptersAndModels(ReconcilerProcesses, ClusterTest):
    """Each test has a namespace that no webhook validates; its reconciler is restricted to it."""

    LABELS = {webhook.VALIDATED_BY: webhook.NO_WEBHOOK}

    def start(self, name="reconciler"):
        self.start_reconciler(name, "--mode", "replacement", "--controllers", "model,scaling-adapter")

    def make(self, *objects):
        for each in objects:
            self.kubectl.must("apply", "--filename", "-", stdin=each)

    def merge(self, resource, name, patch, *options):
        self.kubectl.must("patch", resource, name, "--type", "merge", "--patch", json.dumps(patch),
                          *options)

    def reasons(self, name):
        return [each["reason"] for each in self.kubectl.get("events.events.k8s.io")["items"]
                if each["regarding"]["name"] == name]

    # --- Adapters.

    def of_graph(self):
        return self.kubectl.get("dgd", "g")["spec"]["services"]["Decode"].get("replicas")

    def wait_for_replicas(self, wanted):
        wait_until(f"{wanted} replicas of the graph", lambda: self.of_graph() == wanted, SOON)
        wait_until(f"{wanted} replicas in the adapter's status", lambda: self.kubectl.get(
            "dgdsa", "g-decode").get("status", {}).get("replicas") == wanted, SOON)

    def versions(self):
        return [self.kubectl.get(*each)["metadata"]["resourceVersion"]
                for each in (("dgd", "g"), ("dgdsa", "g-decode"))]

    def settled(self):
        """Waits until two reads, a second apart, return the same."""
        def still():
            before = self.versions()
            time.sleep(1)
            return self.versions() == before

        wait_until("an end of writes", still, SOON)

    def scaled_graph(self):
        return graph("g", {"Decode": worker(scalingAdapter={"enabled": True}), "Other": worker()})

    def test_graph_is_scaled_through_scale_subresource(self):
        self.make(self.scaled_graph(), adapter(2))
        self.start()
        self.wait_for_replicas(2)
        self.kubectl.must("scale", "dgdsa", "g-decode", "--replicas", "4")
        self.wait_for_replicas(4)
        scale = json.loads(self.kubectl.must(
            "get", "--raw", f"/apis/nvidia.com/v1alpha1/namespaces/{self.namespace}"
            "/dynamographdeploymentscalingadapters/g-decode/scale").stdout)
        self.assertEqual(scale["spec"]["replicas"], 4)
        self.assertEqual(scale["status"], {
            "replicas": 4,
            "selector": "nvidia.com/dynamo-graph-deployment-name=g,nvidia.com/dynamo-component=Decode"})
        self.assertTrue(self.kubectl.get("dgdsa", "g-decode")["status"]["lastScaleTime"])
        self.assertEqual(self.kubectl.get("dgd", "g")["spec"]["services"]["Other"], worker())
        wait_until("its event", lambda: "Scaled" in self.reasons("g-decode"), SOON)

    def test_replica_count_is_enforced_without_repeated_writes(self):
        self.make(self.scaled_graph(), adapter(3))
        self.start()
        self.wait_for_replicas(3)
        self.merge("dgd", "g", {"spec": {"services": {"Decode": {"replicas": 9}}}})
        self.wait_for_replicas(3)
        self.merge("dgdsa", "g-decode", {"status": None}, "--subresource", "status")
        self.wait_for_replicas(3)
        self.merge("dgd", "g", {"metadata": {"labels": {"some": "thing"}}})
        self.kubectl.must("scale", "dgdsa", "g-decode", "--replicas", "3")
        self.settled()
        self.merge("dgd", "g", {"metadata": {"labels": {"some": "other"}}})
        before = self.versions()
        time.sleep(2)
        self.assertEqual(self.versions(), before)

    def test_last_replica_count_wins_despite_leader_kill(self):
        self.make(self.scaled_graph(), adapter(1))
        self.start("first")
        self.wait_for_replicas(1)
        self.start("second")
        for number in range(2, 12):
            self.kubectl.must("scale", "dgdsa", "g-decode", "--replicas", str(number))
            if number == 6:
                os.kill(self.state.process("first")["pid"], signal.SIGKILL)
        self.wait_for_replicas(11)
        self.assertEqual(self.kubectl.get("dgdsa", "g-decode")["spec"]["replicas"], 11)

    # --- Models of type base, so that nothing is sent to the fake addresses.

    def wait_for_model(self, *urls, reason):
        def reported():
            status = self.kubectl.get("dm", "m").get("status", {})
            found = [each["address"] for each in status.get("endpoints", [])]
            reasons = [each["reason"] for each in status.get("conditions", [])]
            return found == list(urls) and reason in reasons and status

        return wait_until(f"{reason} of {len(urls)} endpoints", reported, SOON)

    def test_endpoints_match_endpoint_slices(self):
        self.make(model())
        self.start()
        self.wait_for_model(reason="NoEndpoints")
        self.make(endpoint_slice("s1", "IPv4", "10.1.2.3", "10.1.2.4"))
        self.wait_for_model("http://10.1.2.3:9090", "http://10.1.2.4:9090",
                            reason="EndpointsDiscovered")
        self.make(endpoint_slice("s2", "IPv6", "fd00::1"))
        status = self.wait_for_model("http://10.1.2.3:9090", "http://10.1.2.4:9090",
                                     "http://[fd00::1]:9090", reason="EndpointsDiscovered")
        self.assertEqual([each["type"] for each in status["conditions"]],
                         ["Valid", "ServicesFound", "EndpointsReady"])
        self.assertEqual((status["totalEndpoints"], status["readyEndpoints"]), (3, 0))
        self.kubectl.must("delete", "endpointslice", "s1", "s2")
        self.wait_for_model(reason="NoEndpoints")
        self.assertIn("EndpointsDiscovered", self.reasons("m"))

    def test_model_gets_finalizer_and_is_deleted(self):
        self.make(model(), model("wrong", modelType="lora"))
        self.start()
        wait_until("the finalizer", lambda: FINALIZER in self.kubectl.get("dm", "m")["metadata"].get(
            "finalizers", []), SOON)
        wait_until("the word that one is wrong",
                   lambda: "ValidationFailed" in self.reasons("wrong"), SOON)
        # An earlier operator may have left it.
        self.merge("dm", "wrong", {"metadata": {"finalizers": [FINALIZER]}})
        self.kubectl.must("delete", "dm", "m", "wrong", "--timeout", f"{SOON}s")
