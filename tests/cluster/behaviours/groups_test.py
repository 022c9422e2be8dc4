"""Graphs with a multi-node service, with the real controller of LeaderWorkerSets and other projects'
published definitions; and every sample of deploy/samples in the same cluster."""

import sys
import unittest

from harness import controllers, groups
from harness.processes import RetryError

from .graph_fixture import SOON, frontend
from .running_graphs import LONG, RunningGraphTest
from .support import REPOSITORY, graph, takes_long, thing, wait_until, worker

QUIET_SECONDS = 5
RECORD = "dynamo-admission/last-admitted"
# Waiting pods get half a minute before the controller reads their missing references.
QUIET_OF_THE_LATE = 40
SAMPLES = REPOSITORY / "deploy/samples"
OTHERS = ("leaderworkersets", "podgroups", "inferencepools")
# Prerequisites of the samples; README.md in the samples' folder lists them.
SECRETS = ("hf-token-secret", "lora-store", "chat-models-example-com-tls", "mpi-keys")
CONFIG_MAPS = ("trtllm-engine", "planner-profile-data", "endpoint-picker")
ACCOUNTS = ("planner-serviceaccount", "epp-serviceaccount")  # the chart's, in one namespace
CLAIMS = ("model-store", "chrek-pvc")
MADE_CLAIM = "vllm-compile-cache"
# Samples that are neither graphs nor components; of models only one that is not loaded, because no
# pod serves here.
UNRELATED = ("checkpoint_vllm", "model_base", "scaling_adapter")
KINDS = ("dgd,dcd,dgdsa,deployments,replicasets,statefulsets,pods,services,ingresses,configmaps,roles,"
         "rolebindings,serviceaccounts,persistentvolumeclaims," + ",".join(OTHERS))


def group_of_three(**more):
    """A service that is a group of three nodes."""
    decode = worker(multinode={"nodeCount": 3}, resources={"limits": {"gpu": "2"}})
    decode["extraPodSpec"] |= more
    decode["extraPodSpec"]["mainContainer"] |= {
        "command": ["python3"], "args": ["-m", "dynamo.vllm", "--tensor-parallel-size", "6"]}
    return decode


def spread(name="g", **more):
    """A graph whose Decode is a group of three nodes."""
    return graph(name, {"Frontend": frontend(), "Decode": group_of_three(), **more}, {"backendFramework": "vllm"})


def picker():
    return worker(componentType="epp", eppConfig={"config": {
        "plugins": [{"type": "label-filter"}], "schedulingProfiles": [
            {"name": "default", "plugins": [{"pluginRef": "label-filter"}]}]}})


class Groups(RunningGraphTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        try:
            cls.controller, cls.definitions = groups.programs()
        except controllers.UnavailableError as error:
            print(f"skipped: {error}", file=sys.stderr)
            raise unittest.SkipTest(str(error)) from None

    def setUp(self):
        super().setUp()
        names = groups.define(self.admin, self.definitions, *OTHERS)
        self.addCleanup(self.admin.run, "delete", "crd", *names, "--timeout", f"{SOON}s")
        groups.start(self.state, self.controller, self.namespace)
        self.addCleanup(groups.stop, self.state)

    # --- Groups.

    def ready_pods(self, group):
        """The pods of a LeaderWorkerSet by role."""
        roles = []
        for each in self.kubectl.get("pods", "--selector", f"leaderworkerset.sigs.k8s.io/name={group}")["items"]:
            if any(condition["type"] == "Ready" and condition["status"] == "True"
                   for condition in each["status"].get("conditions", [])):
                roles.append(each["metadata"]["labels"]["role"])
        return sorted(roles)

    def until_groups(self, *names, running=None):
        """Waits until exactly these LeaderWorkerSets exist, and each (or each in `running`) has its
        leader and two workers."""
        wait_until(f"the groups {names}", lambda: self.names("leaderworkersets") == list(names), LONG)
        for name in names if running is None else running:
            wait_until(f"the pods of {name}",
                       lambda name=name: self.ready_pods(name) == ["leader", "worker", "worker"], LONG)
        # The group is deleted before its PodGroup.
        wait_until(f"the PodGroups {names}", lambda: self.names("podgroups") == list(names), SOON)

    @takes_long
    def test_groups_run_scale_change_and_settle(self):
        self.start()
        self.make(spread())
        self.until_groups("g-decode-0")
        self.until_all_are_successful("g")
        self.assert_is_up_to_date("g-decode-0")
        self.assert_writes_nothing(QUIET_SECONDS)
        self.merge("dgd", "g", {"spec": {"services": {"Decode": {"replicas": 2}}}})
        self.until_groups("g-decode-0", "g-decode-1")
        self.until_all_are_successful("g")
        status = self.kubectl.get("dgd", "g")["status"]["services"]["Decode"]
        self.assertEqual((status["componentKind"], status["componentName"], status["readyReplicas"]),
                         ("LeaderWorkerSet", "g-decode-0", 2))
        self.merge("dgd", "g", {"spec": {"services": {"Decode": {"envs": [{"name": "MORE", "value": "1"}]}}}})

        def rolled():
            pods = self.kubectl.get("pods", "--selector", "leaderworkerset.sigs.k8s.io/name")["items"]
            return len(pods) == 6 and all({"name": "MORE", "value": "1"} in each["spec"]["containers"][0]["env"]
                                          for each in pods)

        wait_until("new pods in both groups", rolled, LONG)
        self.until_groups("g-decode-0", "g-decode-1")
        self.until_all_are_successful("g")
        self.merge("dgd", "g", {"spec": {"services": {"Decode": {"replicas": 1}}}})
        self.until_groups("g-decode-0")
        self.until_all_are_successful("g")
        self.assert_writes_nothing(QUIET_SECONDS)
        self.assertNotIn("orbidden", self.log())

    def assert_is_up_to_date(self, name):
        pods = self.kubectl.get("pods", "--selector", f"leaderworkerset.sigs.k8s.io/name={name}")["items"]
        self.assertEqual({each["spec"]["schedulerName"] for each in pods}, {"volcano"})
        self.assertEqual({each["metadata"]["annotations"]["scheduling.k8s.io/group-name"] for each in pods}, {name})
        self.assertEqual(self.kubectl.get("podgroup.scheduling.volcano.sh", name)["spec"]["minMember"], 3)
        # Services select leaders, the only pods that serve.
        leader, = [each for each in pods if each["metadata"]["labels"]["role"] == "leader"]
        slices = self.kubectl.get("endpointslices", "--selector", "kubernetes.io/service-name=g-decode")["items"]
        self.assertEqual([endpoint["addresses"] for each in slices for endpoint in each["endpoints"] or []],
                         [[leader["status"]["podIP"]]])
        for resource in ("leaderworkersets", "podgroups"):
            self.assert_applied(resource, name)

    def assert_applied(self, resource, name):
        fields = self.kubectl.get(resource, name, "--show-managed-fields")["metadata"]["managedFields"]
        self.assertEqual({"Apply"}, {each["operation"] for each in fields
                                     if each["manager"].startswith("dynamo-reconciler-")}, resource)

    # --- Blocked groups.

    def reported(self, component="g-decode"):
        return self.condition("dcd", component, "Available").get("message", "")

    def until_reported(self, *words):
        def all_of_them():
            if not all(word in self.reported() for word in words):
                raise RetryError(self.reported())
            return True

        wait_until(f"a word of {words}", all_of_them, LONG)

    def try_again(self, stateful_set):
        """Triggers its controller, whose retries become less frequent."""
        self.kubectl.must("annotate", "statefulset", stateful_set, "example.com/look=again", "--overwrite")

    @takes_long
    def test_refused_group_pods_are_reported_with_cause(self):
        self.make({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "few"},
                   "spec": {"hard": {"pods": "2"}}})
        wait_until("the quota being counted", lambda: "hard" in self.kubectl.get(
            "resourcequota", "few").get("status", {}), SOON)
        self.start()
        self.make(graph("g", {"Decode": group_of_three(serviceAccountName="runner")}, {"backendFramework": "vllm"}))
        # The leader is refused; the message also names the graph's field.
        self.until_reported('spec.extraPodSpec.serviceAccountName: must name a ServiceAccount of the namespace; found none '
                        'of the name "runner"', "the pods of g-decode-0 are refused: ",
                        "error looking up service account")
        wait_until("the graph reporting it", lambda: "serviceAccountName" in self.condition(
            "dgd", "g", "Ready").get("message", ""), SOON)
        self.make({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "runner"}})
        self.try_again("g-decode-0")
        # The quota admits the leader and one of its workers.
        wait_until("the leader", lambda: "g-decode-0-0" in self.names("statefulsets"), LONG)
        self.until_reported("the pods of g-decode-0 are refused: ", "exceeded quota: few")
        self.assertNotIn("serviceAccountName", self.reported())
        self.assert_writes_nothing(QUIET_SECONDS)
        self.kubectl.must("delete", "resourcequota", "few")
        self.try_again("g-decode-0-0")
        self.until_all_are_successful("g")
        self.assertNotIn("orbidden", self.log())

    @takes_long
    def test_settled_graphs_cause_no_writes(self):
        self.start()
        self.make({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "epp-serviceaccount"}},
                  thing("DynamoComponentDeployment", "taken-decode", {
                      **worker(), "serviceName": "Decode", "dynamoNamespace": "d",
                      "annotations": {"nvidia.com/dynamo-discovery-backend": "etcd"}}),
                  spread(Epp=picker()),
                  graph("late", {"Decode": group_of_three(nodeSelector={"nowhere": "yes"})},
                        {"backendFramework": "vllm"}),
                  graph("lacking", {"Frontend": frontend()}, {"pvcs": [{"name": "nobodys"}]}),
                  graph("taken", {"Frontend": frontend(), "Decode": worker()}, {"backendFramework": "vllm"}),
                  graph("bad", {"Decode": worker(resources={"limits": {"cpu": "lots"}})}, {"backendFramework": "vllm"}))
        self.until_groups("g-decode-0", "late-decode-0", running=("g-decode-0",))
        self.until_all_are_successful("g")
        for name, state, word in (("late", "pending", "groups that are not ready"), ("lacking", "failed", "nobodys"),
                                  ("taken", "failed", "taken-decode"), ("bad", "pending", "limits.cpu")):
            wait_until(f"a word of {name}", lambda name=name, state=state, word=word: self.state_of(name) == state and
                       word in self.condition("dgd", name, "Ready")["message"], LONG)
        # The report of the conflict also counts the graph's other service.
        wait_until("the other service of it", lambda: self.kubectl.get("dgd", "taken")["status"].get(
            "services", {}).get("Frontend", {}).get("readyReplicas") == 1, LONG)
        self.assertEqual(list(self.kubectl.get("dgd", "taken")["status"]["services"]), ["Frontend"])
        self.assert_applied("inferencepools", "g-pool")
        # Admission records are written after everything else.
        wait_until("records of all but the bad ones", lambda: [
            each["metadata"]["name"] for each in self.kubectl.get("dgd,dcd")["items"]
            if RECORD not in each["metadata"].get("annotations", {})] == ["bad", "bad-decode"], LONG)
        self.assert_writes_nothing(QUIET_OF_THE_LATE)
        self.assertNotIn("orbidden", self.log())

    # --- Samples.

    def create_sample_dependencies(self):
        """Binds the claims in advance: this cluster provisions no volumes."""
        for kind, names in (("Secret", SECRETS), ("ConfigMap", CONFIG_MAPS), ("ServiceAccount", ACCOUNTS)):
            self.make(*({"apiVersion": "v1", "kind": kind, "metadata": {"name": name}} for name in names))
        for name in (*CLAIMS, MADE_CLAIM):
            storage_class = "shared-nfs" if name == MADE_CLAIM else "manual"
            volume = f"{self.namespace}-{name}"
            self.addCleanup(self.admin.run, "delete", "persistentvolume", volume, "--wait=false")
            self.make({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": volume}, "spec": {
                "capacity": {"storage": "100Gi"}, "accessModes": ["ReadWriteMany"],
                "storageClassName": storage_class, "hostPath": {"path": "/nowhere"},
                "claimRef": {"namespace": self.namespace, "name": name}}})
            if name in CLAIMS:
                self.make({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name},
                           "spec": {"accessModes": ["ReadWriteMany"], "storageClassName": storage_class,
                                    "volumeName": volume, "resources": {"requests": {"storage": "100Gi"}}}})

    def all_names(self):
        return {f"{each['kind']}/{each['metadata']['name']}" for each in self.kubectl.get(KINDS)["items"]}

    @takes_long
    def test_samples_run_behind_webhooks_and_leave_nothing(self):
        self.enable_validation()
        self.create_sample_dependencies()
        self.start("reconciler", "--enable-webhooks", "--checkpoint-enabled",
                   "--mpi-run-ssh-secret-name", "mpi-keys")
        before = self.all_names()
        for path in sorted(SAMPLES.glob("*.yaml")):
            text = path.read_text()
            if path.stem in UNRELATED or "kind: DynamoGraphDeployment\n" in text or (
                    "kind: DynamoComponentDeployment\n" in text):
                self.kubectl.must("apply", "--filename", path)
        self.merge("dckpt", "qwen3-8b-vllm", {"status": {"phase": "Ready"}}, "--subresource", "status")
        graphs = self.names("dgd")
        self.assertGreaterEqual(len(graphs), 15)
        self.until_all_are_successful(*graphs)
        wait_until("the component without a graph", lambda: self.condition(
            "dcd", "extra-worker", "Available").get("status") == "True", LONG)
        for each in self.kubectl.get("dcd")["items"]:
            ready = {one["type"]: one["status"] for one in each["status"]["conditions"]}
            self.assertEqual(ready["Available"], "True", each["metadata"]["name"])
        self.assert_writes_nothing(QUIET_SECONDS)
        self.assertNotIn("orbidden", self.log())
        for resource in ("dgd", "dcd", "dgdsa", "dm", "dckpt"):
            self.kubectl.must("delete", resource, "--all", "--timeout", "25s")
        wait_until("nothing being left", lambda: not self.all_names() - before or self.show_left(before), LONG)

    def show_left(self, before):
        raise RetryError(f"{sorted(self.all_names() - before)} are left")
