"""Dangling references: warnings of --cluster-lookups, with the permissions of deploy/rbac."""

from .connection_fixture import SEEN_SECONDS, ConnectedTest
from .support import graph, thing, wait_until, warnings_of, webhook, worker

OBJECTS = "dynamo_webhook_lookup_objects"
RULE = {"secret": "[cross.secret-missing]", "configmap": "[cross.configmap-missing]",
        "claim": "[cross.pvc-missing]", "graph": "[dgdsa.ref.exists]"}


def asking_graph(name):
    """A graph that needs a Secret, a ConfigMap and a claim."""
    return graph(name, {"Worker": worker(
        envFromSecret="hf-token",
        envs=[{"name": "MODE", "valueFrom": {"configMapKeyRef": {"name": "mode", "key": "it"}}}],
        volumeMounts=[{"name": "models", "mountPoint": "/models"}])},
        {"pvcs": [{"name": "models", "create": False}]})


def adapter(name, target):
    return thing("DynamoGraphDeploymentScalingAdapter", name,
                 {"replicas": 1, "dgdRef": {"name": target, "serviceName": "Worker"}})


class Lookups(ConnectedTest):
    def warned_of(self, kubectl, manifest):
        """The warnings about looked-up names, as a set of rule ids in brackets."""
        result = kubectl.run("apply", "--filename", "-", stdin=manifest)
        self.assert_accepted(result)
        return {rule for rule in RULE.values()
                for line in warnings_of(result.stderr) if line.endswith(rule)}

    def wait_until_known(self, facts, number):
        wait_until("the names", lambda: len([
            series for series in webhook.scrape(facts) if series.startswith(OBJECTS + "{")
        ]) == number, SEEN_SECONDS)

    def start(self, name, lookups, *rights, restricted=None):
        flags = ("--restricted-namespace", restricted) if restricted else ()
        facts = self.start_connected(name, self.connection(*rights, restricted=restricted),
                                     "--cluster-lookups", lookups, *self.client_ca(), *flags)
        return facts

    def test_missing_objects_cause_warnings_until_created(self):
        facts = self.start("looking", "all", "cluster_wide.yaml", "cluster_lookups.yaml")
        self.wait_until_known(facts, 4)
        kubectl = self.validated_by("looking", facts)
        self.assertEqual(self.warned_of(kubectl, asking_graph("chat")),
                         {RULE["secret"], RULE["configmap"], RULE["claim"]})
        self.assertEqual(self.warned_of(kubectl, adapter("lost", "nowhere")), {RULE["graph"]})
        kubectl.must("create", "secret", "generic", "hf-token", "--from-literal=HF_TOKEN=x")
        kubectl.must("create", "configmap", "mode", "--from-literal=it=fast")
        kubectl.must("apply", "--filename", "-", stdin={
            "apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "models"},
            "spec": {"accessModes": ["ReadWriteMany"],
                     "resources": {"requests": {"storage": "1Gi"}}}})
        names = iter(range(1000))
        wait_until("no warning", lambda: not self.warned_of(
            kubectl, asking_graph(f"chat-{next(names)}")), SEEN_SECONDS)
        wait_until("no warning", lambda: not self.warned_of(
            kubectl, adapter(f"found-{next(names)}", "chat")), SEEN_SECONDS)

    def test_update_warns_only_about_new_references(self):
        facts = self.start("updating", "all", "cluster_wide.yaml", "cluster_lookups.yaml")
        self.wait_until_known(facts, 4)
        kubectl = self.validated_by("updating", facts)
        manifest = asking_graph("chat")
        self.warned_of(kubectl, manifest)
        manifest["spec"]["services"]["Worker"]["replicas"] = 2
        self.assertEqual(self.warned_of(kubectl, manifest), set())
        manifest["spec"]["services"]["Worker"]["envFromSecret"] = "another"
        self.assertEqual(self.warned_of(kubectl, manifest), {RULE["secret"]})

    def test_missing_permission_silences_only_its_kind(self):
        facts = self.start("blind", "all", "cluster_wide.yaml")
        kubectl = self.validated_by("blind", facts)
        wait_until("the log line", lambda: [
            line for line in self.log_of("blind")
            if line.get("resource") == "secrets" and "Forbidden" in str(line)], SEEN_SECONDS)
        self.assertEqual(self.warned_of(kubectl, asking_graph("chat")), set())
        self.assertTrue(webhook.is_ready(facts))

    def test_restricted_server_looks_up_only_its_namespace(self):
        narrow = self.new_namespace("narrow", {webhook.VALIDATED_BY: "narrow"})
        facts = self.start("narrow", "secrets,configmaps", "restricted.yaml",
                           "restricted_lookups.yaml", restricted=narrow)
        self.wait_until_known(facts, 2)
        kubectl = self.validated_by("narrow", facts, namespace=narrow)
        self.assertEqual(self.warned_of(kubectl, asking_graph("chat")),
                         {RULE["secret"], RULE["configmap"]})
