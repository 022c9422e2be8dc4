"""Shared by tests of graphs on Kubernetes' own controllers, scheduler and nodes: our reconciler is the
only operator, and the status of pods comes from the cluster."""

import time

from harness import control_plane, processes

from . import accounts
from .graph_fixture import GraphTest, frontend
from .controller_cluster import ControllerClusterTest
from .support import IMAGE, graph, wait_until, webhook, worker

OTHER_IMAGE = IMAGE.rpartition(":")[0] + ":0.8.2"
LONG = 90


class RunningGraphTest(GraphTest, ControllerClusterTest):
    """Each test has a namespace that no webhook validates; its reconciler is restricted to it, with
    exactly the permissions of deploy/rbac there."""

    def setUp(self):
        super().setUp()
        self.addCleanup(self.remove_finalizers)
        self.kubeconfig = accounts.kubeconfig(self, accounts.OPERATOR_ACCOUNT, tuple(accounts.RIGHTS))

    def start(self, name="reconciler", *flags, **more):
        log = self.state.logs / f"{name}.log"
        self.begin = log.stat().st_size if log.exists() else 0
        return super().start(name, "--kubeconfig", self.kubeconfig, "--controllers", "*", *flags, **more)

    def remove_finalizers(self):
        """Deletes leftovers after the reconciler has ended: otherwise the namespace would never be
        deleted."""
        for each in self.kubectl.get("dgd,dcd,dgdr,dm")["items"]:
            if each["metadata"].get("finalizers"):
                self.kubectl.run("patch", each["kind"], each["metadata"]["name"], "--type", "merge",
                                 "--patch", '{"metadata": {"finalizers": null}}')

    def play(self, *, only=None):
        """No-op: the cluster sets the status of Deployments."""

    def log(self, name="reconciler"):
        """Its log since its last start."""
        return (self.state.logs / f"{name}.log").read_bytes()[self.begin:].decode()

    def enable_validation(self):
        """From now on the cluster's webhook validates writes in the namespace."""
        self._label(f"{webhook.VALIDATED_BY}-")

        def validated():
            return "is invalid" in self.kubectl.run("create", "--dry-run=server", "-f", "-",
                                                    stdin=graph("probe", {})).stderr

        wait_until("the API server validating the namespace", validated, LONG)

    def until_all_are_successful(self, *names):
        def done():
            waiting = [name for name in names if not self.is_successful(name)]
            if waiting:
                reported = {name: self.condition("dgd", name, "Ready").get("message") for name in waiting}
                raise processes.RetryError(f"these are not: {reported}")
            return True

        wait_until("graphs that are successful", done, LONG)

    # --- Its writes except for its Leases, from the audit log.

    def writes(self):
        user = accounts.user_of(self.namespace, accounts.OPERATOR_ACCOUNT)
        return [(each["verb"], each["objectRef"]["resource"], each["objectRef"].get("name"))
                for each in control_plane.writes_of(self.state, user)
                if each["objectRef"]["resource"] != "leases"]

    def until_writes_end(self):
        """Waits for a second without writes."""
        def still():
            before = len(self.writes())
            time.sleep(1)
            return len(self.writes()) == before

        wait_until("an end of writes", still, LONG)

    def assert_writes_nothing(self, seconds):
        """Asserts no writes for this long, once it has settled."""
        self.until_writes_end()
        before = len(self.writes())
        self.assertGreater(before, 0)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            time.sleep(1)
            self.assertEqual(self.writes()[before:], [])

    # --- Pods.

    def pods(self, component):
        """The pods of a component that are not being deleted, by name."""
        found = self.kubectl.get("pods", "--selector", f"nvidia.com/selector={component}")["items"]
        return {each["metadata"]["name"]: each for each in found
                if "deletionTimestamp" not in each["metadata"]}

    def until_ready(self, component, replicas):
        """Waits until it has this many pods, all of them ready; returns them."""
        def ready():
            pods = self.pods(component)
            ready_ones = [name for name, pod in pods.items() if any(
                each["type"] == "Ready" and each["status"] == "True"
                for each in pod["status"].get("conditions", []))]
            if len(pods) != replicas or len(ready_ones) != replicas:
                raise processes.RetryError(f"{len(ready_ones)} of {len(pods)} are ready")
            return pods

        return wait_until(f"{replicas} ready pods of {component}", ready, LONG)

    # --- A label of a node that pods require, and that a test can remove.

    def placed(self):
        """A graph whose pods can only be scheduled where admit_pods() allows them."""
        self.place = f"dynamo-admission.test/{self.namespace}"
        self.addCleanup(self.admin.run, "label", "node", "node-a", f"{self.place}-")
        services = {"Frontend": frontend(), "Decode": worker()}
        for each in services.values():
            each["extraPodSpec"]["nodeSelector"] = {self.place: "yes"}
        return graph("g", services, {"backendFramework": "vllm"})

    def admit_pods(self):
        self.admin.must("label", "node", "node-a", f"{self.place}=yes", "--overwrite")

    def admit_no_more_pods(self):
        """Running pods stay."""
        self.admin.must("label", "node", "node-a", f"{self.place}-")
