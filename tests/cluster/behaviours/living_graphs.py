"""What the tests of graphs share that run on Kubernetes' own controllers, scheduler and nodes: our
reconciler is the only operator, and what is told of pods comes from there."""

import time

from harness import control_plane, processes

from . import accounts
from .graphing import GraphTest, frontend
from .living import LivingClusterTest
from .support import IMAGE, graph, wait_until, webhook, worker

OTHER_IMAGE = IMAGE.rpartition(":")[0] + ":0.8.2"
LONG = 90


class LivingGraphTest(GraphTest, LivingClusterTest):
    """Each with a namespace that no webhook judges, to which its reconciler is restricted; this one has
    the rights of deploy/rbac there, and no others."""

    def setUp(self):
        super().setUp()
        self.addCleanup(self.let_go)
        self.kubeconfig = accounts.kubeconfig(self, accounts.OPERATOR_ACCOUNT, tuple(accounts.RIGHTS))

    def start(self, name="reconciler", *flags, **more):
        log = self.state.logs / f"{name}.log"
        self.begin = log.stat().st_size if log.exists() else 0
        return super().start(name, "--kubeconfig", self.kubeconfig, "--controllers", "*", *flags, **more)

    def let_go(self):
        """Once nobody is there to do it: the namespace would be there for ever."""
        for each in self.kubectl.get("dgd,dcd,dm")["items"]:
            if each["metadata"].get("finalizers"):
                self.kubectl.run("patch", each["kind"], each["metadata"]["name"], "--type", "merge",
                                 "--patch", '{"metadata": {"finalizers": null}}')

    def play(self, *, only=None):
        """Nothing: it is the cluster that says what becomes of Deployments."""

    def log(self, name="reconciler"):
        """What it has written since it was started last."""
        return (self.state.logs / f"{name}.log").read_bytes()[self.begin:].decode()

    def have_it_judged(self):
        """From now on the cluster's webhook judges what is written in the namespace."""
        self._label(f"{webhook.JUDGED_BY}-")

        def judged():
            return "is invalid" in self.kubectl.run("create", "--dry-run=server", "-f", "-",
                                                    stdin=graph("probe", {})).stderr

        wait_until("the API server judging the namespace", judged, LONG)

    def until_all_are_successful(self, *names):
        def done():
            waiting = [name for name in names if not self.is_successful(name)]
            if waiting:
                told = {name: self.condition("dgd", name, "Ready").get("message") for name in waiting}
                raise processes.NotYet(f"these are not: {told}")
            return True

        wait_until("graphs that are successful", done, LONG)

    # --- What it writes, but for its Leases, by the audit log.

    def writes(self):
        user = accounts.user_of(self.namespace, accounts.OPERATOR_ACCOUNT)
        return [(each["verb"], each["objectRef"]["resource"], each["objectRef"].get("name"))
                for each in control_plane.writes_of(self.state, user)
                if each["objectRef"]["resource"] != "leases"]

    def assert_writes_nothing(self, seconds):
        """For so long, once it has come to rest."""
        def still():
            before = len(self.writes())
            time.sleep(1)
            return len(self.writes()) == before

        wait_until("an end of writes", still, LONG)
        before = len(self.writes())
        self.assertGreater(before, 0)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            time.sleep(1)
            self.assertEqual(self.writes()[before:], [])

    # --- Pods.

    def pods(self, component):
        """Those of a component that are not going, by name."""
        found = self.kubectl.get("pods", "--selector", f"nvidia.com/selector={component}")["items"]
        return {each["metadata"]["name"]: each for each in found
                if "deletionTimestamp" not in each["metadata"]}

    def until_ready(self, component, replicas):
        """Until it has so many pods, all of them ready; returns them."""
        def ready():
            pods = self.pods(component)
            ready_ones = [name for name, pod in pods.items() if any(
                each["type"] == "Ready" and each["status"] == "True"
                for each in pod["status"].get("conditions", []))]
            if len(pods) != replicas or len(ready_ones) != replicas:
                raise processes.NotYet(f"{len(ready_ones)} of {len(pods)} are ready")
            return pods

        return wait_until(f"{replicas} ready pods of {component}", ready, LONG)

    # --- A place of one's own on a node, which can be taken away.

    def placed(self):
        """A graph whose pods go where admit_pods() lets them, and nowhere else."""
        self.place = f"dynamo-admission.test/{self.namespace}"
        self.addCleanup(self.admin.run, "label", "node", "node-a", f"{self.place}-")
        services = {"Frontend": frontend(), "Decode": worker()}
        for each in services.values():
            each["extraPodSpec"]["nodeSelector"] = {self.place: "yes"}
        return graph("g", services, {"backendFramework": "vllm"})

    def admit_pods(self):
        self.admin.must("label", "node", "node-a", f"{self.place}=yes", "--overwrite")

    def admit_no_more_pods(self):
        """Those that are there stay."""
        self.admin.must("label", "node", "node-a", f"{self.place}-")
