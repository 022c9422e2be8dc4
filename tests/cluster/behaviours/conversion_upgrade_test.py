"""From the first definitions to the later ones on a living cluster, by the chart: objects of v1alpha1 are read, edited, applied
and watched in both versions, then stored as v1beta1."""

import base64
import json
import shutil
import threading

from harness import managed
from harness.chart import CHARTS, Helm
from harness.watcher import Watcher

from .certificates_test import ManagedTest
from .support import IMAGE, REPOSITORY, graph, takes_long, thing, total, wait_until, webhook, worker

FIRST = REPOSITORY / "deploy/crds"
REQUESTS = "dynamo_webhook_conversion_requests_total"
VERSIONS = ("v1alpha1", "v1beta1")
PLURALS = {"graph": "dynamographdeployments", "component": "dynamocomponentdeployments",
           "request": "dynamographdeploymentrequests", "adapter": "dynamographdeploymentscalingadapters"}
RELEASE = ("dynamo-crds", "--namespace", "default")
REFERENCE = {"name": "graph", "serviceName": "worker"}
# By name, which is also a key of PLURALS.
STORED = {each["metadata"]["name"]: each for each in (
    graph("graph", {"worker": worker(), "frontend": worker(componentType="frontend")}, {"backendFramework": "vllm"}),
    thing("DynamoComponentDeployment", "component", worker()),
    thing("DynamoGraphDeploymentRequest", "request", {
        "model": "Qwen/Qwen3-32B", "backend": "trtllm",
        "profilingConfig": {"profilerImage": IMAGE, "config": {"sla": {"ttft": 200.5}}}}),
    thing("DynamoGraphDeploymentScalingAdapter", "adapter", {"replicas": 2, "dgdRef": REFERENCE}))}


def contains(found, wanted):
    """Whether all values of `wanted` are in `found`, which may have more members."""
    if isinstance(wanted, dict):
        return isinstance(found, dict) and all(key in found and contains(found[key], value) for key, value in wanted.items())
    if isinstance(wanted, list):
        return isinstance(found, list) and len(found) == len(wanted) and all(map(contains, found, wanted))
    return found == wanted


def later_graph(name, replicas):
    pods = {"spec": {"containers": [{"name": "main", "image": IMAGE}]}}
    return {"apiVersion": "nvidia.com/v1beta1", "kind": "DynamoGraphDeployment", "metadata": {"name": name},
            "spec": {"components": [{"name": "worker", "type": "worker", "replicas": replicas, "podTemplate": pods}]}}


@takes_long
class DefinitionUpgrade(ManagedTest):
    def setUp(self):
        super().setUp()
        self.install("upgraded", 2, flags=("--inject-crds",), rights=("inject_crds.yaml",))
        self.helm = Helm(self.state)
        self.stored = self.admin.within(self.new_namespace("stored", {webhook.VALIDATED_BY: webhook.NO_WEBHOOK}))
        self.addCleanup(self.restore)

    # --- Steps of docs/operations/conversion.md.

    def upgrade(self):
        for plural in PLURALS.values():
            self.admin.must("label", "crd", f"{plural}.nvidia.com", f"{managed.LABEL}=true")
        authority = base64.b64encode(self.installation.secret()["ca.crt"].encode()).decode()
        service = {"namespace": self.system, "name": managed.SERVICE, "port": self.balancer.port}
        self.helm.must("upgrade", "--install", *RELEASE, "--take-ownership", CHARTS / "dynamo-crds",
                       values={"generation": "later", "conversion": {"service": service, "caBundle": authority}})
        self.admin.until_established(*(f"{plural}.nvidia.com" for plural in PLURALS.values()))
        self.forget_versions()
        wait_until("the API server converting", lambda: all(self.try_read("v1beta1", kind).ok for kind in PLURALS), 30)

    def migrate(self):
        for plural in PLURALS.values():
            found = self.stored.must("get", f"{plural}.v1beta1.nvidia.com", "--output", "json").stdout
            self.stored.must("replace", "--filename", "-", stdin=found)
            self.admin.must("patch", "crd", f"{plural}.nvidia.com", "--subresource", "status", "--type", "merge",
                            "--patch", '{"status":{"storedVersions":["v1beta1"]}}')

    def restore(self):
        """Only new definitions can serve fewer versions than objects were stored in."""
        names = [f"{plural}.nvidia.com" for plural in PLURALS.values()]
        self.helm.run("uninstall", *RELEASE)
        delete = ("delete", "crd", *names, "--ignore-not-found", "--timeout", "20s")
        wait_until("the later definitions being gone", lambda: self.admin.run(*delete).ok, 120)
        self.admin.must("apply", "--filename", FIRST)
        self.admin.until_established(*names)
        self.forget_versions()

    def forget_versions(self):
        """kubectl keeps the served versions for minutes."""
        shutil.rmtree(self.state.directory / "kubectl-cache", ignore_errors=True)

    # --- Objects in either version.

    def path(self, version, kind, name=""):
        collection = f"/apis/nvidia.com/{version}/namespaces/{self.stored.namespace}/{PLURALS[kind]}"
        return f"{collection}/{name}" if name else collection

    def try_read(self, version, kind, name=""):
        return self.stored.run("get", "--raw", self.path(version, kind, name))

    def read(self, version, kind, name):
        result = self.try_read(version, kind, name)
        self.assertTrue(result.ok, str(result))
        return json.loads(result.stdout)

    def apply(self, each, *options):
        return self.stored.must("apply", "--validate=false", *options, "--filename", "-", stdin=each)

    def replicas(self, name):
        """Those of the graph's worker, in both versions."""
        first = self.read("v1alpha1", "graph", name)["spec"]["services"]["worker"]["replicas"]
        later = {each["name"]: each for each in self.read("v1beta1", "graph", name)["spec"]["components"]}
        return first, later["worker"]["replicas"]

    def resource_version(self, kind, name):
        return self.read("v1beta1", kind, name)["metadata"]["resourceVersion"]

    def stored_versions(self):
        return {tuple(self.admin.get("crd", f"{plural}.nvidia.com")["status"]["storedVersions"]) for plural in PLURALS.values()}

    def failed(self):
        return sum(total(webhook.scrape(facts), REQUESTS, status="failure") for facts in self.servers)

    # --- Tests.

    def assert_all_readable(self):
        for name, each in STORED.items():
            first = self.read("v1alpha1", name, name)
            self.assertTrue(contains(first["spec"], each["spec"]), first)
        later = {name: self.read("v1beta1", name, name)["spec"] for name in STORED}
        self.assertEqual({each["name"]: each["type"] for each in later["graph"]["components"]},
                         {"worker": "worker", "frontend": "frontend"})
        self.assertEqual((later["component"]["name"], later["component"]["type"]), ("component", "worker"))
        self.assertEqual((later["request"]["model"], later["request"]["sla"]["ttft"]), ("Qwen/Qwen3-32B", 200.5))
        self.assertEqual(later["adapter"]["dgdRef"], {"name": "graph", "componentName": "worker"})

    def test_objects_survive_upgrade_and_migration(self):
        for each in STORED.values():
            self.apply(each)
        self.upgrade()
        self.assertEqual(self.stored_versions(), {VERSIONS})
        self.assert_all_readable()
        before = {name: self.resource_version(name, name) for name in STORED}

        self.migrate()
        self.assertEqual(self.stored_versions(), {("v1beta1",)})
        self.assert_all_readable()
        for name, version in before.items():
            self.assertNotEqual(self.resource_version(name, name), version, f"{name} was not stored again")
        # No client may go back: the API server could not read what it stored.
        for plural in PLURALS.values():
            refused = self.admin.run("replace", "--dry-run=server", "--filename", FIRST / f"nvidia.com_{plural}.yaml")
            self.assertFalse(refused.ok, str(refused))
            self.assertIn("storedVersions", refused.stderr)
        self.assertEqual(self.failed(), 0)
        self.assert_nothing_forbidden()

    def test_edits_of_either_version_are_seen_in_both(self):
        self.apply(STORED["graph"])
        self.upgrade()
        seen, lock = [], threading.Lock()

        def changed(kind, each):
            services = each["spec"]["services"]
            with lock:
                seen.append((kind, each["metadata"]["name"], services["worker"]["replicas"]))

        watcher = Watcher(self.state, self.path("v1alpha1", "graph"), changed)
        self.addCleanup(watcher.stop)
        index = [each["name"] for each in self.read("v1beta1", "graph", "graph")["spec"]["components"]].index("worker")
        self.stored.must("patch", "dynamographdeployments.v1beta1.nvidia.com", "graph", "--type", "json", "--patch",
                         json.dumps([{"op": "replace", "path": f"/spec/components/{index}/replicas", "value": 2}]))
        self.assertEqual(self.replicas("graph"), (2, 2))
        # A client that has not been changed.
        services = {**STORED["graph"]["spec"]["services"], "worker": worker(replicas=3)}
        self.apply(graph("graph", services, {"backendFramework": "vllm"}))
        self.assertEqual(self.replicas("graph"), (3, 3))

        manager = ("--server-side", "--field-manager", "team")
        self.apply(graph("applied", {"worker": worker()}), *manager)
        self.apply(later_graph("applied", 4), *manager)
        self.assertEqual(self.replicas("applied"), (4, 4))
        before = self.resource_version("graph", "applied")
        self.apply(later_graph("applied", 4), *manager)
        self.assertEqual(self.resource_version("graph", "applied"), before)
        self.apply(graph("applied", {"worker": worker(replicas=5)}), *manager)
        self.assertEqual(self.replicas("applied"), (5, 5))

        wanted = [("MODIFIED", "graph", 2), ("MODIFIED", "graph", 3), ("ADDED", "applied", 1), ("MODIFIED", "applied", 4),
                  ("MODIFIED", "applied", 5)]
        wait_until("the changes", lambda: seen == wanted, 20)
        self.assertIsNone(watcher.failure)
        self.assertEqual(self.failed(), 0)
