"""dynamo-reconciler on a real API server with exactly the chart's configuration: the rendered
arguments, the rendered account and its permissions."""

import re
import subprocess
import urllib.request

from harness import chart, webhook
from harness.chart import Release
from harness.programs import program

from .connection_fixture import MARKER, marker
from .reconciler_test import RECORD
from .reconciler_fixture import OWN
from .support import NO_HOST, ClusterTest, graph, takes_long, thing, wait_until, worker

SOON = 40
EVERYBODY = "everybody-edits-dynamo"
LACKS = ["grove"]
ALONE = {"webhook": {"enabled": False}, "reconciler": {"enabled": True}}
REPLACEMENT = {"mode": "replacement", "webhook": {"enabled": False}, "nats": {"enabled": False}, "etcd": {"enabled": False},
               "reconciler": {"enabled": True, "acceptMissing": LACKS}}
MODEL = thing("DynamoModel", "model", {"modelName": "qwen", "baseModelName": "qwen"})


class ChartReconcilerTest(ClusterTest):
    """Each test has a namespace that no webhook validates, in a cluster where users have no
    permissions on our kinds by default."""

    def setUp(self):
        super().setUp()
        binding = self.admin.get("clusterrolebinding", EVERYBODY)
        self.admin.must("delete", "clusterrolebinding", EVERYBODY)
        for each in ("resourceVersion", "uid", "creationTimestamp"):
            binding["metadata"].pop(each)
        self.addCleanup(lambda: self.admin.must("create", "--filename", "-", stdin=binding))
        self.system = self.new_namespace("release")
        self._label(f"{webhook.VALIDATED_BY}={webhook.NO_WEBHOOK}")
        probe = graph("probe", {"Worker": worker(**NO_HOST)})
        wait_until("the API server not validating the namespace", lambda: self.kubectl.run(
            "create", "--dry-run=server", "-f", "-", stdin=probe).ok, SOON)

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
        wanted = [name for name in chart.scenarios() if chart.scenario_values(name).get("reconciler", {}).get("enabled")]
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

    def play(self, namespace_values):
        """Exercises all features of the controllers once."""
        enabled = {"scalingAdapter": {"enabled": True}}
        release = self.start({**REPLACEMENT, **namespace_values})
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
        self.kubectl.must("delete", "dgd,dm", "--all", "--timeout", "30s", "--cascade=background")
        self.assert_nothing_forbidden()
        return release

    def test_replacement_runs_graphs_with_chart_permissions(self):
        release = self.play({})
        self.assertIn("Features that it lacks", release.notes())

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
        self.play({"namespaceRestriction": {"enabled": True, "targetNamespace": self.namespace}})
        self.assertIn("namespace-restricted-operator-", self.kubectl.get("lease", MARKER)["spec"]["holderIdentity"])
        for what in ("dynamographdeployments.nvidia.com", "secrets", "deployments.apps", "leases.coordination.k8s.io"):
            denied = self.admin.run("auth", "can-i", "list", what, "-n", "default", "--as",
                                    f"system:serviceaccount:{self.system}:dynamo-dynamo-operator-controller-manager")
            self.assertFalse(denied.ok, what)
