"""Kubernetes' own autoscaler scales graphs through the scaling adapters of dynamo-reconciler."""

import json

from harness import processes, webhook

from .controller_cluster import SOON, ControllerClusterTest
from .reconciler_processes import ReconcilerProcesses
from .support import graph, thing, wait_until, worker


def adapter(replicas):
    return thing("DynamoGraphDeploymentScalingAdapter", "g-decode",
                 {"replicas": replicas, "dgdRef": {"name": "g", "serviceName": "Decode"}},
                 labels={"nvidia.com/dynamo-graph-deployment-name": "g"})


def autoscaler(lowest, highest):
    """No metrics are served here: only the bounds make it act."""
    return {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "g"},
            "spec": {"scaleTargetRef": {"apiVersion": "nvidia.com/v1alpha1", "name": "g-decode",
                                        "kind": "DynamoGraphDeploymentScalingAdapter"},
                     "minReplicas": lowest, "maxReplicas": highest,
                     "metrics": [{"type": "Resource", "resource": {
                         "name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}}}]}}


class Autoscaling(ReconcilerProcesses, ControllerClusterTest):
    LABELS = {webhook.VALIDATED_BY: webhook.NO_WEBHOOK}

    def setUp(self):
        super().setUp()
        self.make(graph("g", {"Decode": worker(scalingAdapter={"enabled": True})}), adapter(1))
        self.start_reconciler("reconciler", "--mode", "replacement", "--controllers", "scaling-adapter")
        self.wait_for_replicas(1)

    def wait_for_replicas(self, wanted):
        def numbers():
            decode = self.kubectl.get("dgd", "g")["spec"]["services"]["Decode"]
            status = self.kubectl.get("dgdsa", "g-decode").get("status", {})
            found = [decode.get("replicas"), status.get("replicas")]
            if found != [wanted, wanted]:
                raise processes.RetryError(f"graph and adapter have {found}")
            return True

        wait_until(f"{wanted} replicas", numbers, SOON)

    def conditions(self):
        status = self.kubectl.get("hpa", "g").get("status", {})
        return {each["type"]: (each["status"], each["reason"]) for each in status.get("conditions", [])}

    def test_autoscaler_moves_graph_into_its_bounds(self):
        self.make(autoscaler(3, 5))
        self.wait_for_replicas(3)
        # It reads its own value back from the adapter's scale.
        wait_until("the autoscaler knowing the replicas",
                   lambda: self.kubectl.get("hpa", "g")["status"].get("currentReplicas") == 3, SOON)
        self.assertEqual(self.conditions()["AbleToScale"][0], "True")
        self.kubectl.must("patch", "hpa", "g", "--type", "merge", "--patch",
                          json.dumps({"spec": {"minReplicas": 1, "maxReplicas": 2}}))
        self.wait_for_replicas(2)

    def test_autoscaler_overrides_manual_scaling(self):
        self.make(autoscaler(2, 4))
        self.wait_for_replicas(2)
        self.kubectl.must("scale", "dgdsa", "g-decode", "--replicas", "9")
        self.wait_for_replicas(4)
        self.kubectl.must("scale", "dgdsa", "g-decode", "--replicas", "3")
        self.wait_for_replicas(3)

    def test_zero_replicas_disable_the_autoscaler(self):
        self.make(autoscaler(2, 4))
        self.wait_for_replicas(2)
        self.kubectl.must("scale", "dgdsa", "g-decode", "--replicas", "0")
        self.wait_for_replicas(0)
        wait_until("the autoscaler standing aside",
                   lambda: self.conditions().get("ScalingActive") == ("False", "ScalingDisabled"), SOON)
        self.wait_for_replicas(0)
