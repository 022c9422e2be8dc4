"""With rights on components and graphs only: a privileged pod of the host, one with the account of a controller, or a route on the
gateway of others. First in a namespace that webhooks exclude, then in one where a policy limits authors."""

from behaviours.graph_fixture import SOON, GraphTest, frontend, simple
from behaviours.support import ADMISSION_SECONDS, graph, thing, wait_until
from harness import webhook

ACCOUNT = "clusterrole-aggregation-controller"
LIMITS = """version: 1
parameters:
- allowedServiceAccounts: [default]
  allowedHostPaths: [/mnt/models]
  allowedHostAccess: []
  allowedIngressHosts: ["*.team-a.example.com"]
"""
BUILT = "deployments,services,ingresses,configmaps,serviceaccounts,roles,rolebindings,dcd"


def host_access():
    """A component with full host access and an account that may grant itself any permission."""
    service = frontend()
    service["extraPodSpec"] |= {"serviceAccountName": ACCOUNT, "hostPID": True, "hostNetwork": True, "hostIPC": True,
                                "volumes": [{"name": "host", "hostPath": {"path": "/"}}]}
    service["extraPodSpec"]["mainContainer"] |= {"securityContext": {"privileged": True},
                                                 "volumeMounts": [{"name": "host", "mountPath": "/host"}]}
    return service


class ExcludedNamespaces(GraphTest):
    def setUp(self):
        super().setUp()
        self.kubectl = self.admin.within("kube-system")
        label = f"{webhook.VALIDATED_BY}={webhook.NO_WEBHOOK}"
        self.admin.must("label", "namespace", "kube-system", label, "--overwrite")
        self.addCleanup(self.admin.must, "label", "namespace", "kube-system", f"{webhook.VALIDATED_BY}-")
        wait_until("the API server not validating the namespace", lambda: self.kubectl.run(
            "create", "--dry-run=server", "-f", "-", stdin=graph("probe", {})).ok, ADMISSION_SECONDS)

    def built(self, kubectl):
        return {(each["kind"], each["metadata"]["name"]) for each in kubectl.get(BUILT)["items"]
                if any(owner["kind"].startswith("Dynamo") for owner in each["metadata"].get("ownerReferences", []))}

    def until_refused(self, kubectl, resource, name, condition):
        with self.using_kubectl(kubectl):
            wait_until(f"a condition of {name}", lambda: self.condition(resource, name, condition).get("status") == "False", SOON)
            reported = self.condition(resource, name, condition)
            self.assertEqual(reported["reason"], "ValidationFailed")
            self.assertIn("--excluded-namespaces", reported["message"])
            wait_until("one event", lambda: self.notes_of(resource, name), SOON)
            self.assertEqual(len(self.notes_of(resource, name)), 1)
            self.assertEqual(self.built(kubectl), set())

    def notes_of(self, resource, name):
        uid = self.kubectl.get(resource, name)["metadata"]["uid"]
        return [each for each in self.kubectl.get("events.events.k8s.io")["items"]
                if each["reason"] == "ValidationFailed" and each["regarding"]["uid"] == uid]

    def test_component_in_kube_system_gets_no_privileges(self):
        self.start("reconciler", everywhere=True)
        # Before the reconciler, which removes the finalizers, stops.
        self.addCleanup(self.kubectl.must, "delete", "dgd,dcd", "--all", "--timeout", f"{SOON}s")
        self.make(thing("DynamoComponentDeployment", "attack", {**host_access(), "backendFramework": "vllm"}))
        self.until_refused(self.kubectl, "dcd", "attack", "Valid")
        self.make(graph("attack-graph", {"Frontend": host_access()}, {"backendFramework": "vllm"}))
        self.until_refused(self.kubectl, "dgd", "attack-graph", "Ready")

    def test_graph_in_release_namespace_gets_no_pods(self):
        release = self.admin.within(self.namespace)
        team = self.admin.within(self.new_namespace("team", {webhook.VALIDATED_BY: webhook.NO_WEBHOOK}))
        self.start("reconciler", "--excluded-namespaces", f"kube-system,kube-node-lease,{self.namespace}",
                   "--planner-cluster-role-name", "view", everywhere=True)
        for kubectl in (release, team):
            with self.using_kubectl(kubectl):
                self.make(simple())
        self.until_refused(release, "dgd", "g", "Ready")
        wait_until("Deployments of a namespace that is not excluded", lambda: ("Deployment", "g-frontend") in self.built(team), SOON)
        self.assertEqual(self.built(release), set())


class LimitedAuthors(GraphTest):
    """No webhook validates this namespace, so the limits must hold in the reconciler itself."""

    def setUp(self):
        super().setUp()
        policy = self.state.directory / f"{self.namespace}-limits.yaml"
        policy.write_text(LIMITS, encoding="utf-8")
        self.start("reconciler", "--policy", policy, "--istio-virtual-service-gateway", "istio-system/public")

    def until_refused(self, resource, name, condition, *fields):
        wait_until(f"a condition of {name}", lambda: self.condition(resource, name, condition).get("status") == "False", SOON)
        found = self.condition(resource, name, condition)
        self.assertEqual(found["reason"], "ValidationFailed")
        for field in fields:
            self.assertIn(field, found["message"])
        owners = [owner["kind"] for each in self.kubectl.get(BUILT)["items"] for owner in each["metadata"].get("ownerReferences", [])]
        self.assertEqual([kind for kind in owners if kind.startswith("Dynamo")], [])

    def test_component_gets_no_host_access(self):
        self.make(thing("DynamoComponentDeployment", "attack", {**host_access(), "backendFramework": "vllm"}))
        self.until_refused("dcd", "attack", "Valid", "serviceAccountName", "hostPID", "hostNetwork", "hostIPC", "hostPath", "privileged")

    def test_graph_gets_no_host_access(self):
        self.make(graph("attack", {"Frontend": host_access()}, {"backendFramework": "vllm"}))
        self.until_refused("dgd", "attack", "Ready", "serviceAccountName", "hostPID")

    def test_old_name_of_account_is_refused(self):
        service = frontend()
        service["extraPodSpec"] |= {"serviceAccount": ACCOUNT}
        self.make(graph("attack", {"Frontend": service}, {"backendFramework": "vllm"}))
        self.until_refused("dgd", "attack", "Ready", "serviceAccount")

    def test_graph_gets_no_host_or_gateway_of_others(self):
        way_in = {"enabled": True, "host": "chat", "hostSuffix": "team-b.example.com", "useVirtualService": True,
                  "virtualServiceGateway": "team-b/gateway"}
        self.make(graph("attack", {"Frontend": {**frontend(), "ingress": way_in}}, {"backendFramework": "vllm"}))
        self.until_refused("dgd", "attack", "Ready", "ingress.host", "virtualServiceGateway")

    def test_graph_within_limits_is_built(self):
        service = frontend()
        service["extraPodSpec"] |= {"serviceAccountName": "default", "volumes": [{"name": "m", "hostPath": {"path": "/mnt/models/a"}}]}
        self.make(graph("allowed", {"Frontend": service}, {"backendFramework": "vllm"}))
        wait_until("a Deployment", lambda: self.kubectl.get("deployments")["items"], SOON)
