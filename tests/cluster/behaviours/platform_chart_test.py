"""The whole platform's chart with NATS, etcd, KAI scheduler and Grove on a real API server: helm installs, upgrades, rolls back
and uninstalls it. Fakes (tests/deploy/testdata/fake_charts) replace the charts of the dependencies."""

import re
import sys

import yaml

from harness.chart import POST_RENDER, SCENARIOS, Helm

from .controller_cluster import ControllerClusterTest
from .support import REPOSITORY, graph, wait_until, worker

sys.path.insert(0, str(REPOSITORY / "tests/deploy"))
import charts  # noqa: E402

NAME = "dynamo"
# Nothing here listens at this port: the webhooks select no namespace.
UNUSED_PORT, NO_NAMESPACE = 1, "no-namespace"
# This cluster provisions no volumes.
WITHOUT_VOLUMES = {"nats": {"config": {"jetstream": {"fileStore": {"pvc": {"enabled": False}}}}}, "etcd": {"persistence": {"enabled": False}}}
ALL = {"kai-scheduler": {"enabled": True}, "grove": {"enabled": True}}
DEFINITIONS = ("queues.scheduling.run.ai", "podgroups.scheduling.run.ai", "podcliquesets.grove.io")
KEPT_NAMESPACE = "kai-resource-reservation"
QUEUES = ["dynamo", "dynamo-default"]


class PlatformChart(ControllerClusterTest):
    def setUp(self):
        super().setUp()
        self.helm, self.chart = Helm(self.state), self.enterContext(charts.platform())
        self.release = self.admin.within(self.new_namespace("release"))
        self.addCleanup(self.admin.run, "delete", "namespace", KEPT_NAMESPACE, "--ignore-not-found", "--timeout", "60s")
        self.addCleanup(self.admin.run, "delete", "crd", *DEFINITIONS, "--ignore-not-found", "--timeout", "60s")
        self.addCleanup(self.uninstall)

    def upgrade(self, *values):
        given = merged_values(WITHOUT_VOLUMES, *values)
        return self.helm.must("upgrade", "--install", NAME, self.chart, "--namespace", self.release.namespace, "--wait", "--timeout", "110s",
                              "--values", SCENARIOS / "replacement.yaml", "--post-renderer", POST_RENDER, "--post-renderer-args", UNUSED_PORT,
                              "--post-renderer-args", NO_NAMESPACE, values=given)

    def uninstall(self):
        return self.helm.run("uninstall", NAME, "--namespace", self.release.namespace, "--ignore-not-found", "--wait")

    def manifest(self):
        return self.helm.must("get", "manifest", NAME, "--namespace", self.release.namespace)

    def stored(self, manifest):
        """KIND/NAME of the manifest's objects that the API server has."""
        return set(self.release.must("get", "-f", "-", "--ignore-not-found", "--output", "name", stdin=manifest).stdout.split())

    def workloads(self):
        """{name: (generation, spec)} of what runs pods."""
        items = self.release.get("deployments,statefulsets")["items"]
        return {f"{each['kind']} {each['metadata']['name']}": (each["metadata"]["generation"], each["spec"]) for each in items}

    def specs(self):
        return {name: spec for name, (_, spec) in self.workloads().items()}

    def assert_addresses_exist(self):
        """The addresses in pods of graphs are those of Services of this release."""
        container, = self.release.get("deployment", "dynamo-dynamo-operator-reconciler")["spec"]["template"]["spec"]["containers"]
        flags = dict(each.split("=", 1) for each in container["args"] if "=" in each)
        for flag in ("--natsAddr", "--etcdAddr"):
            name, namespace, port = re.fullmatch(r"(?:nats://)?([^.]+)\.([^.]+)\.svc\.cluster\.local:(\d+)", flags[flag]).groups()
            self.assertEqual(namespace, self.release.namespace)
            self.assertIn(int(port), [each["port"] for each in self.release.get("service", name)["spec"]["ports"]], flag)

    def test_platform_is_installed_upgraded_and_rolled_back(self):
        self.upgrade(ALL)
        manifest = self.manifest()
        self.assertEqual(len(self.stored(manifest)), len([each for each in yaml.safe_load_all(manifest) if each]))
        self.assertEqual(sorted(each["metadata"]["name"] for each in self.admin.get("queues.scheduling.run.ai")["items"]), QUEUES)
        self.assert_addresses_exist()
        self.assertIn("is the operator here", self.helm.must("get", "notes", NAME, "--namespace", self.release.namespace))

        # The same values change nothing: no pod of NATS or etcd is replaced.
        first = self.workloads()
        self.assertTrue({"StatefulSet dynamo-nats", "StatefulSet dynamo-etcd", "Deployment grove-operator", "Deployment scheduler"} <= set(first))
        self.upgrade(ALL)
        self.assertEqual(self.workloads(), first)

        self.upgrade(ALL, {"dynamo-operator": {"controllerManager": {"replicas": 3}}, "etcd": {"replicaCount": 3}})
        changed = {name for name, spec in self.specs().items() if spec != first[name][1]}
        self.assertEqual(changed, {"Deployment dynamo-dynamo-operator-reconciler", "StatefulSet dynamo-etcd"})
        where = ("--namespace", self.release.namespace)
        # Only the first revision has the namespace, which KAI's chart renders where it does not exist.
        code, output = self.helm.run("rollback", NAME, "1", *where)
        self.assertNotEqual(code, 0)
        self.assertIn(f'no Namespace with the name "{KEPT_NAMESPACE}" found', output)
        self.helm.must("rollback", NAME, "2", *where, "--wait", "--timeout", "110s")
        self.assertEqual(self.specs(), {name: spec for name, (_, spec) in first.items()})
        # As docs/operations/install.md says for the first revision.
        self.upgrade(ALL, {"etcd": {"replicaCount": 3}})
        values = yaml.safe_load(self.helm.must("get", "values", NAME, "--revision", "1", "--output", "yaml", *where))
        self.upgrade(values)
        self.assertEqual(self.specs(), {name: spec for name, (_, spec) in first.items()})

    def test_uninstall_keeps_only_what_the_page_lists(self):
        self.upgrade(ALL)
        self.assert_accepted(self.create(graph("stays", {"Work": worker()})))
        manifest = self.manifest()
        code, output = self.uninstall()
        self.assertEqual(code, 0, output)
        page = (REPOSITORY / "docs/operations/install.md").read_text(encoding="utf-8").partition("## Uninstall")[2]
        wait_until("the release's objects being gone", lambda: self.stored(manifest) == {f"namespace/{KEPT_NAMESPACE}"}, 60)
        self.assertIn(f"kubectl delete namespace dynamo-system {KEPT_NAMESPACE}", page)
        self.assertEqual(sorted(each["metadata"]["name"] for each in self.admin.get("queues.scheduling.run.ai")["items"]), QUEUES)
        self.assertIn(f"kubectl delete queues.scheduling.run.ai {' '.join(QUEUES)}", page)
        for name in DEFINITIONS:
            self.admin.must("get", "crd", name)
            self.assertIn(name.partition(".")[2].replace(".", r"\."), page)
        self.assertEqual(self.kubectl.get("dgd", "stays")["spec"]["services"].keys(), {"Work"})

    def test_scheduler_and_grove_join_a_living_release(self):
        """As docs/operations/install.md says: Helm creates definitions of dependencies only with the first revision."""
        self.upgrade()
        before = self.workloads()
        for each in (self.chart / "charts").glob("*/crds/*.yaml"):
            self.admin.must("apply", "--server-side", "--filename", each)
        self.admin.until_established(*DEFINITIONS)
        self.upgrade(ALL)
        self.assertEqual(sorted(each["metadata"]["name"] for each in self.admin.get("queues.scheduling.run.ai")["items"]), QUEUES)
        after = self.workloads()
        self.assertEqual({name: after[name] for name in before}, before)
        self.assertEqual(set(after) - set(before), {"Deployment grove-operator", "Deployment scheduler"})


def merged_values(*values):
    """Values of which later ones win."""
    found = {}
    for each in values:
        for key, value in each.items():
            both = isinstance(value, dict) and isinstance(found.get(key), dict)
            found[key] = merged_values(found[key], value) if both else value
    return found
