"""dynamo-reconciler on a real API server with exactly the chart's configuration: the rendered
arguments, the rendered account and its permissions."""

import json
import re
import subprocess
import tempfile
import urllib.request
from pathlib import Path

from harness import chart, grove, webhook
from harness.chart import Release
from harness.connection import AccountConnection
from harness.programs import program

from .checkpoint_fixture import checkpoint
from .connection_fixture import MARKER, marker
from .graph_fixture import simple
from .grove_fixture import define_grove, define_queues
from .reconciler_test import RECORD
from .reconciler_fixture import OWN
from .request_fixture import ACCOUNT, RESULT_KEY, RequestHelpers, config_map, documents, request
from .status_fixture import COMPLETE, FAILED, StatusWriter
from .support import IMAGE, NO_HOST, ClusterTest, graph, takes_long, thing, wait_until, worker

SOON = 40
EVERYBODY = "everybody-edits-dynamo"
ALONE = {"webhook": {"enabled": False}, "reconciler": {"enabled": True}}
REPLACEMENT = {"mode": "replacement", "webhook": {"enabled": False}, "nats": {"enabled": False}, "etcd": {"enabled": False},
               # Jobs of other tests use slots, too.
               "reconciler": {"enabled": True, "maxProfilingJobs": 0}}
MODEL = thing("DynamoModel", "model", {"modelName": "qwen", "baseModelName": "qwen"})
ROLE = "dynamo-dynamo-operator-dgdr-profiling"
BINDING = f"{ACCOUNT}-binding"
ENDED = {"terminated": {"exitCode": 0, "reason": "Completed", "startedAt": "2026-01-01T00:00:00Z",
                        "finishedAt": "2026-01-01T00:01:00Z"}}


class ChartReconcilerTest(RequestHelpers, StatusWriter, ClusterTest):
    """Each test has a namespace that no webhook validates, in a cluster where users have no
    permissions on our kinds by default."""

    LABELS = {webhook.VALIDATED_BY: webhook.NO_WEBHOOK}

    def setUp(self):
        super().setUp()
        binding = self.admin.get("clusterrolebinding", EVERYBODY)
        self.admin.must("delete", "clusterrolebinding", EVERYBODY)
        for each in ("resourceVersion", "uid", "creationTimestamp"):
            binding["metadata"].pop(each)
        self.addCleanup(lambda: self.admin.must("create", "--filename", "-", stdin=binding))
        self.system = self.new_namespace("release")

    def start(self, values):
        release = Release(self.state, self.admin, "dynamo", self.system, 1)
        self.addCleanup(release.uninstall)
        release.upgrade(values)
        self.log = self.state.logs / f"{self.system}.log"
        self.facts = release.start_reconciler(self.system, program("dynamo-reconciler"))
        self.addCleanup(self.state.forget, self.system)
        return release

    def make(self, *objects):
        for each in objects:
            self.kubectl.must("create", "--filename", "-", stdin=each)

    def condition(self, resource, name, kind):
        status = self.kubectl.get(resource, name).get("status", {})
        return next((each["status"] for each in status.get("conditions", []) if each["type"] == kind), None)

    def exists(self, kind, name):
        return self.kubectl.run("get", kind, name).ok

    def assert_nothing_forbidden(self):
        text = self.log.read_text(encoding="utf-8")
        self.assertNotIn("orbidden", text)
        with urllib.request.urlopen(f"http://127.0.0.1:{self.facts['metrics']}/metrics", timeout=5) as answer:
            failed = [line for line in answer.read().decode().splitlines()
                      if line.startswith("dynamo_operator_reconcile_errors_total") and 'error_type="forbidden"' in line
                      and not line.endswith(" 0")]
        self.assertEqual(failed, [])

    def test_companion_validates_with_chart_permissions(self):
        self.make(graph("bad", {"Worker": worker(**NO_HOST)}), graph("good", {"Worker": worker()}))
        release = self.start(ALONE)
        wait_until("the bad one being reported", lambda: self.condition("dgd", "bad", OWN) == "False", SOON)
        wait_until("the good one being reported", lambda: self.condition("dgd", "good", OWN) == "True", SOON)
        wait_until("its record", lambda: RECORD in self.kubectl.get("dgd", "good")["metadata"].get("annotations", {}), SOON)
        wait_until("its event", lambda: any(each["reason"] == "ValidationFailed" for each in
                                            self.kubectl.get("events.events.k8s.io")["items"]), SOON)
        holder = self.admin.within(self.system).get("lease", "dynamo-dynamo-operator-reconciler")["spec"]["holderIdentity"]
        self.assertTrue(holder)
        self.assert_nothing_forbidden()
        self.assertIn("DynamoAdmissionValid", release.notes())

    @takes_long
    def test_becomes_ready_in_each_scenario(self):
        # The one for production needs objects that `cluster.py scenarios` creates.
        wanted = [name for name in chart.scenarios() if chart.scenario_values(name).get("reconciler", {}).get("enabled")
                  and name != "replacement-production"]
        self.assertEqual(wanted, ["companion", "replacement"])
        self.make(graph("bad", {"Worker": worker(**NO_HOST)}))
        for name, kind in zip(wanted, (OWN, "Ready")):
            values = chart.without_platform(chart.scenario_values(name))
            with self.subTest(name):
                release = self.start({**values, "webhook": {**values.get("webhook", {}), "enabled": False}})
                wait_until(f"{kind} of the bad one", lambda kind=kind: self.condition("dgd", "bad", kind) == "False", SOON)
                self.assert_nothing_forbidden()
                self.state.forget(self.system)
                code, output = release.uninstall()
                self.assertEqual(code, 0, output)

    def play(self, values):
        """Exercises all features of the controllers once."""
        enabled = {"scalingAdapter": {"enabled": True}}
        release = self.start({**REPLACEMENT, "checkpoint": {"enabled": True}, **values})
        self.make(graph("app", {"Frontend": worker(componentType="frontend"), "Planner": worker(componentType="planner"),
                                "Decode": worker(**enabled)}), MODEL)
        wait_until("a Deployment of each service", lambda: len(self.kubectl.get("deployments")["items"]) == 3, SOON)
        wait_until("an adapter", lambda: self.exists("dgdsa", "app-decode"), SOON)
        wait_until("a Service", lambda: self.exists("service", "app-frontend"), SOON)
        wait_until("the graph's state", lambda: self.kubectl.get("dgd", "app").get("status", {}).get("state"), SOON)
        wait_until("the model's condition", lambda: self.kubectl.get("dm", "model").get("status", {}).get("conditions"), SOON)
        self.kubectl.must("scale", "dgdsa", "app-decode", "--replicas", "3")
        wait_until("its number in the graph", lambda: self.kubectl.get("dgd", "app")["spec"]["services"]["Decode"].get("replicas") == 3, SOON)
        wait_until("and in the adapter's status", lambda: self.kubectl.get("dgdsa", "app-decode").get("status", {}).get("replicas") == 3, SOON)
        wait_until("the account of pods that discover each other", lambda: self.kubectl.get("rolebindings")["items"], SOON)
        self.kubectl.must("patch", "dgd", "app", "--type", "json", "--patch", '[{"op":"remove","path":"/spec/services/Planner"}]')
        wait_until("the component of a service that went being gone", lambda: len(self.kubectl.get("dcd")["items"]) == 2, SOON)
        self.connect()
        self.play_request()
        self.play_checkpoint()
        self.kubectl.must("delete", "dgd,dm,dgdr,dckpt", "--all", "--timeout", "30s", "--cascade=background")
        self.assert_nothing_forbidden()
        return release

    def play_request(self):
        """A failed and a successful Job, after the ConfigMap of an earlier one."""
        self.make(config_map("base", **{"disagg.yaml": "x"}), config_map("dgdr-output-r", old="x"), {
            "apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "models"}, "spec": {
                "accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "1Gi"}}}})
        self.make(request("r", autoApply=True, profiling={"configMapRef": {"name": "base"}},
                          config={"deployment": {"modelCache": {"pvcName": "models"}}}))
        self.until_states(r="Profiling")
        self.assertFalse(self.exists("configmap", "dgdr-output-r"))
        self.set_job(FAILED, "r")
        self.until_states(r="Failed")
        failed = self.uid_of_job("r")
        self.retry("r")
        wait_until("another Job", lambda: self.uid_of_job("r") not in (None, failed), SOON)
        self.until_states(r="Profiling")
        self.run_copier("r", documents(config_map("extra", a="b"), simple("profiled")))
        self.set_job(COMPLETE, "r")
        wait_until("its graph", lambda: self.status_of("r").get("deployment", {}).get("created"), SOON)
        self.assertTrue(self.exists("configmap", "extra"))
        wait_until("components of its graph", lambda: len(self.kubectl.get("dcd")["items"]) == 4, SOON)

    def run_copier(self, name, result):
        """Runs the container output-copier of the request's Job under the Job's account."""
        template = self.kubectl.get("job", f"profile-{name}")["spec"]["template"]["spec"]
        self.assertEqual(template["serviceAccountName"], ACCOUNT)
        copier, = (each for each in template["containers"] if each["name"] == "output-copier")
        self.assertEqual(copier["command"][-1], "copy-profile")
        self.make({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "profiling"},
                   "spec": {"serviceAccountName": ACCOUNT, "restartPolicy": "Never", "containers": [
                       {"name": each["name"], "image": IMAGE} for each in template["containers"]]}})
        self.kubectl.must("patch", "pod", "profiling", "--subresource", "status", "--type", "merge", "--patch", json.dumps(
            {"status": {"phase": "Running", "containerStatuses": [
                {"name": "profiler", "image": IMAGE, "imageID": "", "ready": False, "restartCount": 0, "state": ENDED}]}}))
        kubeconfig = AccountConnection(self.state, self.admin, self.namespace, ACCOUNT).kubeconfig()
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "profiler_status.yaml").write_text("status: success\n", encoding="utf-8")
            (Path(folder) / RESULT_KEY).write_text(result, encoding="utf-8")
            done = subprocess.run(
                [program("dynamo-reconciler"), *copier["command"][1:], *copier["args"], "--pod", "profiling",
                 "--kubeconfig", kubeconfig, "--data-directory", folder, "--access-timeout", "0s"],
                stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SOON, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def play_checkpoint(self):
        self.make(checkpoint("warm"))
        wait_until("its Job", lambda: self.exists("job", "checkpoint-warm"), SOON)
        self.set_status("batch/v1", "jobs", "checkpoint-warm", COMPLETE)
        wait_until("the checkpoint", lambda: self.kubectl.get("dckpt", "warm")["status"].get("phase") == "Ready", SOON)

    def profiler_can(self, verb, resource, namespace=None):
        """Whether the profiling Jobs of the namespace may do this with the resource."""
        home = namespace or self.namespace
        return self.admin.within(home).run("auth", "can-i", verb, resource, "--as",
                                           f"system:serviceaccount:{home}:{ACCOUNT}").ok

    def test_replacement_runs_graphs_with_chart_permissions(self):
        release = self.play({})
        self.assertIn("is the operator here", release.notes())

    def test_requests_repair_access_with_chart_permissions(self):
        """In a cluster-wide release the reconciler grants the rights of profiling Jobs. Rights of other controllers
        cannot help."""
        values = {**REPLACEMENT, "reconciler": {**REPLACEMENT["reconciler"], "controllers": ["request"]}}
        self.kubectl.must("create", "serviceaccount", "stranger")
        self.kubectl.must("create", "rolebinding", BINDING, "--clusterrole", "view", "--serviceaccount",
                          f"{self.namespace}:stranger")
        release = self.start(values)
        self.assertFalse(self.profiler_can("create", "configmaps"))
        self.make(request("first"))
        self.until_states(first="Profiling")  # its role cannot change: the binding was created again
        self.assert_is_bound()
        self.kubectl.must("patch", "rolebinding", BINDING, "--type", "json", "--patch", '[{"op":"remove","path":"/subjects"}]')
        self.assertFalse(self.profiler_can("create", "configmaps"))
        self.make(request("second"))
        self.until_states(second="Profiling")
        self.assert_is_bound()
        self.assert_nothing_forbidden()

        # Nodes only where the value lists the namespace.
        other = self.new_namespace("other")
        self.assertFalse(self.profiler_can("list", "nodes"))
        release.upgrade({**values, "reconciler": {**values["reconciler"], "gpuDiscoveryNamespaces": [self.namespace]}})
        for verb, allowed in (("get", True), ("list", True), ("delete", False)):
            self.assertEqual(self.profiler_can(verb, "nodes"), allowed, verb)
        self.assertFalse(self.profiler_can("list", "nodes", other))

    def assert_is_bound(self):
        binding = self.kubectl.get("rolebinding", BINDING)
        self.assertTrue(binding["roleRef"]["name"].startswith(ROLE), binding)
        self.assertEqual([each["name"] for each in binding["subjects"]], [ACCOUNT])
        for verb, resource in (("get", "pods"), ("create", "configmaps"), ("patch", "configmaps")):
            self.assertTrue(self.profiler_can(verb, resource), (verb, resource))
        self.assertFalse(self.profiler_can("get", "secrets"))

    def test_replacement_runs_graphs_over_grove(self):
        define_grove(self)
        define_queues(self)
        self.addCleanup(grove.Grove(self.state, self.namespace, has_pods=False).stop)
        self.start(REPLACEMENT)
        groups = worker(multinode={"nodeCount": 2}, resources={"limits": {"gpu": "1"}})
        groups["extraPodSpec"]["mainContainer"] |= {"command": ["python3"], "args": ["-m", "dynamo.vllm"]}
        self.make(graph("app", {"Frontend": worker(componentType="frontend"), "Groups": groups}, {"backendFramework": "vllm"}))

        def reported():
            status = self.kubectl.get("dgd", "app").get("status", {})
            return status.get("state"), "".join(each.get("message", "") for each in status.get("conditions", []))

        wait_until("the missing queue", lambda: reported()[0] == "failed" and "Queue dynamo" in reported()[1], SOON)
        self.admin.must("create", "--filename", "-", stdin={
            "apiVersion": "scheduling.run.ai/v2", "kind": "Queue", "metadata": {"name": "dynamo"}, "spec": {}})
        wait_until("a graph that is successful", lambda: reported()[0] == "successful", SOON)
        cliques = self.kubectl.get("podcliqueset", "app")["spec"]["template"]["cliques"]
        self.assertEqual({each["spec"]["podSpec"]["schedulerName"] for each in cliques}, {"kai-scheduler"})
        self.patch("dgd", "app", '{"spec": {"services": {"Frontend": {"replicas": 3}, "Groups": {"replicas": 2}}}}')
        for resource, name, count in (("podclique", "app-0-frontend", 3), ("podcliquescalinggroup", "app-0-groups", 2)):
            wait_until(f"the replicas of {name}", lambda resource=resource, name=name, count=count: self.kubectl.get(
                resource, name)["spec"]["replicas"] == count, SOON)
        wait_until("a graph that is successful", lambda: reported()[0] == "successful", SOON)
        self.kubectl.must("delete", "dgd", "app", "--timeout", "30s", "--cascade=background")
        self.assert_nothing_forbidden()

    def test_adapter_scales_despite_the_webhook(self):
        self._label(f"{webhook.VALIDATED_BY}-")
        bad = graph("bad", {"Worker": worker(replicas=-1)})
        wait_until("the API server asking the webhook", lambda: not self.kubectl.run(
            "create", "--dry-run=server", "-f", "-", stdin=bad).ok, SOON)
        self.start(REPLACEMENT)
        self.make(graph("app", {"Decode": worker(scalingAdapter={"enabled": True})}))
        wait_until("an adapter", lambda: self.exists("dgdsa", "app-decode"), SOON)
        by_hand = self.patch("dgd", "app", '{"spec": {"services": {"Decode": {"replicas": 5}}}}')
        self.assert_refused(by_hand, ("spec.services[Decode].replicas", "dgd.replicas.scaled-elsewhere"))
        self.kubectl.must("scale", "dgdsa", "app-decode", "--replicas", "3")
        wait_until("its number in the graph", lambda: self.kubectl.get("dgd", "app")["spec"]["services"]["Decode"].get("replicas") == 3, SOON)
        self.assert_nothing_forbidden()

    def test_doctor_reports_other_operator_accounts(self):
        # The webhook is installed for the notes, and validates no namespace here.
        release = self.start({**REPLACEMENT, "webhook": {"enabled": True},
                              "controllerManager": {"leaderElection": {"namespace": self.namespace}}})
        command = re.search(r"kubectl dynamo doctor (.*)", release.notes())[1].split()
        wait_until("it leading", lambda: self.admin.within(self.system).run(
            "get", "lease", "dynamo-dynamo-operator-reconciler").ok, SOON)

        def output():
            done = subprocess.run([program("kubectl-dynamo"), "doctor", "--kubeconfig", self.state.kubeconfig, *command],
                                  capture_output=True, text=True, timeout=130, check=False)
            return "\n".join(re.findall(r"^.*cluster\.controllers.*$", done.stdout, re.MULTILINE)) or done.stdout + done.stderr

        self.assertIn("runs the controllers of the whole cluster, and no other live leader does", output())
        self.make({**marker("go", 60), "metadata": {"name": "dynamo.nvidia.com"}})
        self.assertIn(f"found the operator's leader \"go\" (Lease {self.namespace}/dynamo.nvidia.com)", output())

    def test_restricted_replacement_has_no_permissions_elsewhere(self):
        self.play({"namespaceRestriction": {"enabled": True, "targetNamespace": self.namespace},
                   "reconciler": {**REPLACEMENT["reconciler"], "gpuDiscoveryNamespaces": [self.namespace]}})
        self.assertFalse(self.profiler_can("list", "nodes"))
        self.assertIn("namespace-restricted-operator-", self.kubectl.get("lease", MARKER)["spec"]["holderIdentity"])
        for what in ("dynamographdeployments.nvidia.com", "secrets", "deployments.apps", "leases.coordination.k8s.io"):
            denied = self.admin.run("auth", "can-i", "list", what, "-n", "default", "--as",
                                    f"system:serviceaccount:{self.system}:dynamo-dynamo-operator-controller-manager")
            self.assertFalse(denied.ok, what)
