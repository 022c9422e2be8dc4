"""Shared by tests of graphs: a reconciler as a process, replacements for Kubernetes' controllers, and
helpers to read the results."""

import contextlib
import json
import os
import signal
import time
import urllib.request

from harness import processes, webhook
from harness.programs import program

from .support import ClusterTest, graph, wait_until, worker

SOON = 40
QUICK_LEADER = ("--leader-election-lease-duration", "6s", "--leader-election-renew-deadline", "3s",
                "--leader-election-retry-period", "1s")
INTENT = "nvidia.com/last-applied-intent"
FINALIZER = "nvidia.com/finalizer"
KINDS = ("dgd,dcd,dgdsa,deployments,services,ingresses,configmaps,persistentvolumeclaims,"
         "serviceaccounts,roles,rolebindings")
# Definitions of other projects: group, version, plural, kind.
DEFINITIONS = (("leaderworkerset.x-k8s.io", "v1", "leaderworkersets", "LeaderWorkerSet"),
               ("scheduling.volcano.sh", "v1beta1", "podgroups", "PodGroup"),
               ("inference.networking.k8s.io", "v1", "inferencepools", "InferencePool"))
MESH = ("networking.istio.io", "v1beta1", "virtualservices", "VirtualService")
# One owned object of each kind, for the graph of make_every_kind().
OF_GRAPH = {"dcd": "g-frontend", "deployment": "g-frontend", "service": "g-frontend",
            "ingress": "g-frontend", "leaderworkersets": "g-groups-0", "podgroups": "g-groups-0",
            "inferencepools": "g-pool", "configmap": "g-epp-config",
            "serviceaccount": "g-k8s-service-discovery", "role": "g-k8s-service-discovery-role",
            "rolebinding": "g-k8s-service-discovery-binding"}


def frontend(**more):
    return worker(componentType="frontend", **more)


def simple(name="g"):
    return graph(name, {"Frontend": frontend(), "Decode": worker()}, {"backendFramework": "vllm"})


def mpi_on_two_nodes(name="g"):
    """A graph whose Decode runs TensorRT-LLM on two nodes."""
    decode = worker(multinode={"nodeCount": 2}, resources={"limits": {"gpu": "1"}})
    decode["extraPodSpec"]["mainContainer"] |= {"command": ["python3"], "args": ["-m", "dynamo.trtllm"]}
    return graph(name, {"Frontend": frontend(), "Decode": decode}, {"backendFramework": "trtllm"})


def definition(group, version, plural, kind):
    """A minimal definition that preserves all fields."""
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{plural}.{group}", "annotations": {
                "api-approved.kubernetes.io": "unapproved, of a test"}},
            "spec": {"group": group, "scope": "Namespaced",
                     "names": {"plural": plural, "singular": kind.lower(), "kind": kind},
                     "versions": [{"name": version, "served": True, "storage": True,
                                   "subresources": {"status": {}},
                                   "schema": {"openAPIV3Schema": {
                                       "type": "object",
                                       "x-kubernetes-preserve-unknown-fields": True}}}]}}


class GraphTest(ClusterTest):
    """Each test has a namespace that no webhook validates; its reconciler is restricted to it."""

    LABELS = {webhook.VALIDATED_BY: webhook.NO_WEBHOOK}

    def start(self, name="reconciler", *flags, namespace=None, everywhere=False, before=()):
        """Starts a reconciler, restricted to the test's namespace, another, or none, as an argument of
        the command `before`; returns the address of its metrics."""
        home = namespace or self.namespace
        scope = () if everywhere else ("--restrictedNamespace", home)
        probes, metrics = processes.free_ports(2)
        self.state.start(name, (
            *before, program("dynamo-reconciler"), "--kubeconfig", self.state.kubeconfig, "--mode", "replacement",
            "--controllers", "component,graph", *scope,
            "--leader-election-namespace", home, *QUICK_LEADER,
            "--health-probe-bind-address", f"127.0.0.1:{probes}",
            "--metrics-bind-address", f"127.0.0.1:{metrics}", *flags), stop_seconds=20)
        self.addCleanup(self.state.forget, name)
        return f"http://127.0.0.1:{metrics}/metrics"

    @contextlib.contextmanager
    def using_kubectl(self, kubectl):
        """Switches the helpers to another namespace."""
        before, self.kubectl = self.kubectl, kubectl
        try:
            yield
        finally:
            self.kubectl = before

    def kill(self, name):
        os.kill(self.state.process(name)["pid"], signal.SIGKILL)

    def make(self, *objects):
        for each in objects:
            self.kubectl.must("apply", "--filename", "-", stdin=each)

    def merge(self, resource, name, patch, *options):
        self.kubectl.must("patch", resource, name, "--type", "merge", "--patch", json.dumps(patch),
                          *options)

    # --- Replacements for Kubernetes' controllers.

    def play(self, *, only=None):
        """Sets the status of every Deployment as if its pods were running."""
        for each in self.kubectl.get("deployments")["items"]:
            meta, wanted = each["metadata"], each["spec"].get("replicas", 1)
            if only is not None and meta["name"] not in only:
                continue
            status = {"observedGeneration": meta["generation"], "replicas": wanted,
                      "updatedReplicas": wanted, "readyReplicas": wanted,
                      "availableReplicas": wanted, "conditions": [{
                          "type": "Available", "status": "True", "reason": "MinimumReplicas"}]}
            reported = each.get("status", {})
            if any(reported.get(name) != value for name, value in status.items()
                   if name != "conditions"):
                self.merge("deployment", meta["name"], {"status": status},
                           "--subresource", "status")

    def play_groups(self):
        """Sets the status of every LeaderWorkerSet as if its pods were running."""
        for each in self.kubectl.get("leaderworkersets")["items"]:
            if "status" not in each:
                self.merge("leaderworkersets", each["metadata"]["name"], {"status": {
                    "replicas": 1, "readyReplicas": 1, "updatedReplicas": 1, "conditions": [
                        {"type": "Available", "status": "True"}]}}, "--subresource", "status")

    def state_of(self, name="g"):
        return self.kubectl.get("dgd", name).get("status", {}).get("state")

    def until_successful(self, *names, seconds=SOON):
        def done():
            self.play()
            return all(self.is_successful(name) for name in names or ("g",))

        wait_until("a graph that is successful", done, seconds)

    def is_successful(self, name):
        found = self.kubectl.get("dgd", name)
        ready = self.condition("dgd", name, "Ready")
        return (found.get("status", {}).get("state") == "successful" and
                ready.get("observedGeneration") == found["metadata"]["generation"])

    def condition(self, resource, name, kind):
        conditions = self.kubectl.get(resource, name).get("status", {}).get("conditions", [])
        return next((each for each in conditions if each["type"] == kind), {})

    def names(self, resource):
        return sorted(each["metadata"]["name"] for each in self.kubectl.get(resource)["items"])

    def versions(self):
        return {f"{each['kind']}/{each['metadata']['name']}": each["metadata"]["resourceVersion"]
                for each in self.kubectl.get(KINDS)["items"]}

    def settled(self):
        """Waits until two reads, a second apart, return the same value, and returns it."""
        def still():
            before = self.versions()
            time.sleep(1)
            return self.versions() == before and before

        return wait_until("an end of writes", still, SOON)

    def restart(self, identity, kind="Sequential"):
        self.merge("dgd", "g", {"spec": {"restart": {"id": identity, "strategy": {"type": kind}}}})

    def marks(self):
        """The last restart annotation of each Deployment."""
        return {each["metadata"]["name"]: each["spec"]["template"]["metadata"].get(
            "annotations", {}).get("nvidia.com/restartAt")
            for each in self.kubectl.get("deployments")["items"]}

    def until_marked(self, **wanted):
        wanted = {f"g-{name}": value for name, value in wanted.items()}
        wait_until(f"the marks {wanted}", lambda: self.marks() == wanted, SOON)
        time.sleep(1)
        self.assertEqual(self.marks(), wanted)

    def until_restarted(self, identity):
        def completed():
            self.play()
            reported = self.kubectl.get("dgd", "g")["status"].get("restart", {})
            return reported.get("phase") == "Completed" and reported.get("observedID") == identity

        wait_until("the end of the restart", completed, SOON)
        self.assertEqual(self.marks(), {"g-decode": identity, "g-frontend": identity})

    def delete_component(self, name):
        """Deletes an object that its graph recreates immediately: kubectl could mistake the new one
        for the one it waits for."""
        uid = self.kubectl.get("dcd", name)["metadata"]["uid"]
        self.kubectl.must("delete", "dcd", name, "--wait=false")
        wait_until(f"{name} being gone", lambda: uid not in {
            each["metadata"]["uid"] for each in self.kubectl.get("dcd")["items"]}, SOON)

    def notes(self, reason):
        return [each["note"] for each in self.kubectl.get("events.events.k8s.io")["items"]
                if each["reason"] == reason]

    def counted(self, metrics, name, **labels):
        """The sum of a reconciler's series of that name with these labels."""
        with urllib.request.urlopen(metrics, timeout=5) as answer:
            lines = answer.read().decode().splitlines()
        wanted = [f'{key}="{value}"' for key, value in labels.items()]
        return sum(float(line.rpartition(" ")[2]) for line in lines
                   if line.startswith(name + "{") and all(each in line for each in wanted))

    def passed(self, metrics, wanted):
        """Waits for this many reconciles of each kind."""
        wait_until("its reconciles", lambda: all(
            self.counted(metrics, "dynamo_operator_reconcile_total", resource_type=kind) >= count
            for kind, count in wanted.items()), SOON)

    def install(self, *definitions):
        for each in definitions:
            name = f"{each[2]}.{each[0]}"
            self.admin.must("apply", "--filename", "-", stdin=definition(*each))
            self.addCleanup(self.admin.must, "delete", "crd", name, "--timeout", f"{SOON}s")
            self.admin.until_established(name)

    def make_every_kind(self):
        groups = worker(multinode={"nodeCount": 2}, resources={"limits": {"gpu": "1"}})
        groups["extraPodSpec"]["mainContainer"] |= {"command": ["python3"],
                                                    "args": ["-m", "dynamo.vllm"]}
        self.make(graph("g", {
            "Frontend": frontend(scalingAdapter={"enabled": True}), "Groups": groups,
            "Epp": worker(componentType="epp", eppConfig={"config": {
                "plugins": [{"type": "label-filter"}], "schedulingProfiles": [
                    {"name": "default", "plugins": [{"pluginRef": "label-filter"}]}]}})},
            {"backendFramework": "vllm", "pvcs": [
                {"name": "models", "create": True, "size": "1Gi", "storageClass": "s",
                 "volumeAccessMode": "ReadWriteMany"}]}))

        def done():
            self.play()
            self.play_groups()
            return self.is_successful("g")

        wait_until("a graph that is successful", done, SOON)

    def all_versions(self, *definitions):
        """Includes objects of other projects' definitions."""
        more = ",".join(plural for _, _, plural, _ in definitions or DEFINITIONS)
        return self.versions() | {each["metadata"]["uid"]: each["metadata"]["resourceVersion"]
                                  for each in self.kubectl.get(more)["items"]}
