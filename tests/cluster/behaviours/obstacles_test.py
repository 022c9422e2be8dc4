"""Conditions that block a graph: foreign objects, invalid names and quantities, missing objects and
definitions, a terminating namespace, a quota, other webhooks. Each is reported in a condition that
names the cause, retried with increasing pauses, and blocks no other graph."""

import json
import time

from harness import certificates, processes, webhook
from harness.processes import RetryError
from harness.recorder import Recorder

from .graph_fixture import DEFINITIONS, SOON, GraphTest, frontend, mpi_on_two_nodes
from .support import IMAGE, graph, takes_long, thing, wait_until, worker

OTHER_IMAGE = IMAGE.rpartition(":")[0] + ":0.8.2"
RECONCILES = "dynamo_operator_reconcile_total"
ACTIONS = "dynamo_reconciler_actions_total"
RENEWALS = 4  # of the leader's Lease, one a second
# Allowed in that time for a blocked graph: the pauses double, starting at one second. A busy loop
# has at least five a second.
MAX_RECONCILES = 8
# Waiting pods get half a minute before their references are looked up; definitions are looked up
# twice a minute.
LATER = 90
UNOWNED = "00000000-0000-4000-8000-000000000000"


def one(name, **more):
    return graph(name, {"Decode": worker(**more)}, {"backendFramework": "vllm"})


def deployment(name, **metadata):
    labels = {"their": "own"}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, **metadata},
            "spec": {"replicas": 0, "selector": {"matchLabels": labels}, "template": {
                "metadata": {"labels": labels},
                "spec": {"containers": [{"name": "main", "image": IMAGE}]}}}}


class Obstacles(GraphTest):
    # --- Helpers.

    def until_reported(self, name, *words, resource="dgd", reason=None, seconds=SOON):
        """Waits until the object's own condition is False with these words, for its current
        generation."""
        kind = "Ready" if resource == "dgd" else "Available"

        def reported():
            if name not in self.names(resource):
                raise RetryError("it is not there")
            found = self.condition(resource, name, kind)
            is_it = (found.get("status") == "False" and reason in (None, found["reason"]) and
                     all(word in found["message"] for word in words))
            if not is_it:
                raise RetryError(f"{kind} is {found}")
            return found

        found = wait_until(f"a word of {resource} {name}", reported, seconds)
        self.assertEqual(found["observedGeneration"],
                         self.kubectl.get(resource, name)["metadata"]["generation"])
        return found

    def renewals(self, home):
        """Waits until the leader has renewed its Lease several times."""
        seen = set()

        def often():
            seen.add(self.admin.within(home).get("lease", "dynamo-reconciler")["spec"]["renewTime"])
            return len(seen) > RENEWALS

        wait_until("renewals of the leader", often, SOON)

    def assert_calm(self, metrics, namespace=None):
        """Asserts few reconciles while nothing changes."""
        def work():
            return self.counted(metrics, RECONCILES, namespace=namespace or self.namespace)

        began, before = time.monotonic(), work()
        self.renewals(self.namespace)
        # A machine with slow renewals gets more time.
        allowed = MAX_RECONCILES * max(1, (time.monotonic() - began) / (2 * RENEWALS))
        self.assertLessEqual(work() - before, allowed)

    def wake(self, *names, resource="dcd"):
        """Triggers a reconcile instead of waiting for the next retry."""
        for name in names:
            self.kubectl.must("annotate", resource, name, "example.com/look=again", "--overwrite")

    # --- Names.

    def untouched(self, resource, name):
        """An object without its status, which tests and component controllers write."""
        found = self.kubectl.get(resource, name)
        metadata = found["metadata"]
        return found["spec"], [metadata.get(each) for each in (
            "generation", "labels", "annotations", "ownerReferences")]

    def test_foreign_objects_are_never_adopted(self):
        theirs = [{"apiVersion": "nvidia.com/v1alpha1", "kind": "DynamoGraphDeployment",
                   "name": "another", "uid": UNOWNED, "controller": True}]
        component = thing("DynamoComponentDeployment", "g-decode", {
            **worker(), "serviceName": "Decode", "dynamoNamespace": "d"}, ownerReferences=theirs)
        self.make(component, deployment("h-decode"))
        before = self.untouched("deployment", "h-decode"), self.untouched("dcd", "g-decode")
        metrics = self.start()
        self.make(one("g"), one("h"), one("free"))
        self.until_reported("g", "DynamoComponentDeployment g-decode", "DynamoGraphDeployment another",
                        reason="name_is_taken")
        self.assertEqual(self.state_of("g"), "failed")
        self.until_reported("h-decode", "Deployment h-decode", "an object without an owner",
                        resource="dcd", reason="NameTaken")
        self.until_successful("free")
        self.settled()
        self.assert_calm(metrics)
        self.assertEqual((self.untouched("deployment", "h-decode"),
                          self.untouched("dcd", "g-decode")), before)
        self.kubectl.must("delete", "deployment", "h-decode")
        self.until_successful("h")

    def test_overlong_names_are_reported(self):
        metrics = self.start()
        whole = "g" * 70
        half = "h" * 20  # short enough for the graph, but not for each Service of its component
        self.make(one(whole), graph(half, {"Decodes" * 6: worker()}, {"backendFramework": "vllm"}),
                  one("g"))
        self.until_reported(whole, "metadata.labels", "must be no more than 63")
        self.until_reported(f"{half}-{'decodes' * 6}", "metadata.name", "must be no more than 63",
                        resource="dcd")
        self.until_reported(half, f"{half}-{'decodes' * 6}")
        self.until_successful("g")
        self.settled()
        self.assert_calm(metrics)

    def test_invalid_quantity_is_reported_with_its_field(self):
        metrics = self.start()
        self.make(one("bad", resources={"limits": {"cpu": "lots"}}), one("g"))
        self.until_reported("bad-decode", "spec.resources.limits.cpu: must be a quantity",
                        resource="dcd")
        self.until_reported("bad", "bad-decode", "spec.resources.limits.cpu")
        self.until_successful("g")
        self.assert_calm(metrics)
        self.merge("dgd", "bad", {"spec": {"services": {"Decode": {"resources": {"limits": {
            "cpu": "1"}}}}}})
        self.until_successful("bad")

    # --- Missing prerequisites.

    @takes_long
    def test_missing_pod_references_are_reported_with_field(self):
        metrics = self.start()
        lacking = one("lacking", envFromSecret="no-secret")
        lacking["spec"]["services"]["Decode"]["extraPodSpec"]["volumes"] = [
            {"name": "settings", "configMap": {"name": "no-settings"}},
            {"name": "models", "persistentVolumeClaim": {"claimName": "no-claim"}}]
        self.make(lacking, one("g"))
        wait_until("its Deployment", lambda: "lacking-decode" in self.names("deployments"), SOON)
        self.merge("deployment", "lacking-decode", {"status": {
            "observedGeneration": 1, "replicas": 1, "updatedReplicas": 1, "unavailableReplicas": 1}},
            "--subresource", "status")
        wait_until("the other Deployment", lambda: "g-decode" in self.names("deployments"), SOON)
        self.play(only=("g-decode",))
        wait_until("the other graph", lambda: self.is_successful("g"), SOON)
        reported = self.until_reported("lacking-decode", resource="dcd", reason="ObjectMissing",
                               seconds=LATER)["message"]
        for field, kind, name in (
                ("spec.envFromSecret", "Secret", "no-secret"),
                ("spec.extraPodSpec.volumes[0].configMap.name", "ConfigMap", "no-settings"),
                ("spec.extraPodSpec.volumes[1].persistentVolumeClaim.claimName",
                 "PersistentVolumeClaim", "no-claim")):
            self.assertIn(f'{field}: must name a {kind} of the namespace; found none of the name '
                          f'"{name}"', reported)
        self.assert_calm(metrics)
        # Once they exist, the pods start.
        self.until_successful("lacking", "g")

    def test_missing_foreign_definitions_are_reported(self):
        metrics = self.start("reconciler", "--istio-virtual-service-gateway", "mesh/gateway")
        several = worker(multinode={"nodeCount": 2}, resources={"limits": {"gpu": "1"}})
        picker = worker(componentType="epp", eppConfig={"config": {
            "plugins": [{"type": "label-filter"}], "schedulingProfiles": [
                {"name": "default", "plugins": [{"pluginRef": "label-filter"}]}]}})
        self.make(graph("groups", {"Decode": several}, {"backendFramework": "vllm"}),
                  graph("pool", {"Epp": picker, "Decode": worker()}, {"backendFramework": "vllm"}),
                  graph("mesh", {"Frontend": frontend()}, {"backendFramework": "vllm"}), one("g"))
        self.until_reported("groups", "spec.services[Decode].multinode", "LeaderWorkerSets")
        self.until_reported("pool", "InferencePool")
        self.until_reported("mesh-frontend", "VirtualService mesh-frontend", resource="dcd")
        self.until_successful("g")
        self.settled()
        self.assert_calm(metrics)

    @takes_long
    def test_later_installed_definition_is_used(self):
        self.start("reconciler", "--istio-virtual-service-gateway", "mesh/gateway")
        self.make(graph("mesh", {"Frontend": frontend()}, {"backendFramework": "vllm"}))
        self.until_reported("mesh-frontend", "VirtualService mesh-frontend", resource="dcd")
        self.install(("networking.istio.io", "v1beta1", "virtualservices", "VirtualService"))

        def successful():
            self.play()
            return self.is_successful("mesh")

        wait_until("a graph that is successful", successful, LATER + SOON)
        self.assertEqual(self.kubectl.get("virtualservices", "mesh-frontend")["spec"]["gateways"],
                         ["mesh/gateway"])

    def test_missing_cluster_role_is_reported_and_awaited(self):
        role = f"planner-{self.namespace}"
        metrics = self.start("reconciler", "--planner-cluster-role-name", role, everywhere=True)
        self.make(one("g"))
        self.until_reported("g", f"ClusterRole {role} must exist")
        self.assertEqual(self.state_of("g"), "failed")
        self.assert_calm(metrics)
        self.admin.must("create", "clusterrole", role, "--verb", "get", "--resource", "pods")
        self.addCleanup(self.admin.must, "delete", "clusterrole", role)
        self.until_successful("g")

    def test_missing_mpi_secret_is_reported(self):
        self.install(*DEFINITIONS[:2])
        metrics = self.start("reconciler", "--mpi-run-ssh-secret-name", "no-keys", "--mpi-run-ssh-secret-namespace",
                             self.namespace, "--mpi-run-ssh-secret-namespaces", "*")
        self.make(mpi_on_two_nodes())
        self.until_reported("g", "Secret no-keys must exist")
        self.assert_calm(metrics)

    # --- Refusals by the API server because of others.

    def test_terminating_namespace_causes_no_retries(self):
        ending = self.admin.within(self.new_namespace(
            "ending", {webhook.VALIDATED_BY: webhook.NO_WEBHOOK}))
        log = self.state.logs / "reconciler.log"
        begin = log.stat().st_size if log.exists() else 0
        metrics = self.start("reconciler", "--planner-cluster-role-name", "view", everywhere=True)
        with self.using_kubectl(ending):
            self.make(one("g"))
            self.until_successful("g")
        # No controller empties it in this cluster.
        self.admin.must("delete", "namespace", ending.namespace, "--wait=false")
        with self.using_kubectl(ending):
            self.merge("dgd", "g", {"spec": {"services": {"Late": worker()}}})

        def refusals():
            lines = log.read_bytes()[begin:].decode().splitlines()
            return [line for line in lines if "because it is being terminated" in line and
                    ending.namespace in line]

        wait_until("a refusal", refusals, SOON)
        with self.using_kubectl(ending):
            self.until_reported("g", "because it is being terminated")
        self.make(one("g"))
        self.until_successful("g")
        self.assert_calm(metrics, ending.namespace)
        self.assertLessEqual(len(refusals()), MAX_RECONCILES)
        # Objects in the terminating namespace lose their finalizers.
        with self.using_kubectl(ending):
            self.assertEqual(self.names("dcd"), ["g-decode"])
            self.kubectl.must("delete", "dgd", "g", "--timeout", f"{SOON}s")
            self.kubectl.must("delete", "dcd", "g-decode", "--timeout", f"{SOON}s")

    def test_exceeded_quota_is_reported_and_blocks_nothing_else(self):
        metrics = self.start()
        self.make(one("g"))
        self.until_successful("g")
        hard = {"count/deployments.apps": "1"}
        self.make({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "few"},
                   "spec": {"hard": hard}})
        # No quota controller runs here.
        self.merge("resourcequota", "few", {"status": {"hard": hard, "used": hard}},
                   "--subresource", "status")
        probe = deployment("probe")
        wait_until("the quota being obeyed", lambda: "exceeded quota" in self.kubectl.run(
            "create", "--dry-run=server", "--filename", "-", stdin=probe).stderr, SOON)
        self.make(one("h"))
        self.until_reported("h-decode", "exceeded quota: few", resource="dcd")
        self.until_reported("h", "h-decode")
        self.merge("dgd", "g", {"spec": {"services": {"Decode": {"extraPodSpec": {
            "mainContainer": {"image": OTHER_IMAGE}}}}}})
        wait_until("the new image", lambda: self.kubectl.get("deployment", "g-decode")["spec"][
            "template"]["spec"]["containers"][0]["image"] == OTHER_IMAGE, SOON)
        self.until_successful("g")
        self.settled()
        self.assert_calm(metrics)
        self.assertEqual(self.names("deployments"), ["g-decode"])
        self.kubectl.must("delete", "resourcequota", "few")
        wait_until("the quota being forgotten", lambda: self.kubectl.run(
            "create", "--dry-run=server", "--filename", "-", stdin=probe).ok, SOON)
        self.wake("h-decode")
        self.until_successful("h")

    def test_refusing_foreign_webhook_is_reported_and_retried_rarely(self):
        refused = {"bad-decode"}

        def refusal(request):
            name = request["object"]["metadata"]["name"]
            return "must be signed by the bureau" if name in refused else None

        recorder = Recorder(self.state.directory / f"{self.namespace}-pki", refusal)
        self.addCleanup(recorder.stop)
        self.register(recorder.port, certificates.base64_of(recorder.authority))
        wait_until("the webhook being asked", lambda: "signed by the bureau" in self.kubectl.run(
            "create", "--dry-run=server", "--filename", "-",
            stdin=deployment("bad-decode")).stderr, SOON)
        metrics = self.start()
        self.make(one("bad"), one("g"))
        self.until_reported("bad-decode", "deny.of.others", "must be signed by the bureau",
                        resource="dcd")
        self.until_reported("bad", "bad-decode")
        self.until_successful("g")
        self.settled()
        asked = len(recorder.bodies)
        self.assert_calm(metrics)
        self.assertLessEqual(len(recorder.bodies) - asked, MAX_RECONCILES)
        refused.clear()
        self.wake("bad-decode")
        self.until_successful("bad")

    def test_dead_foreign_webhook_is_reported_and_blocks_nothing(self):
        port, = processes.free_ports(1)
        selector = {"matchLabels": {"nvidia.com/dynamo-graph-deployment-name": "bad"}}
        self.register(port, None, objectSelector=selector)
        probe = deployment("probe", labels=selector["matchLabels"])
        wait_until("the webhook being asked", lambda: "deny.of.others" in self.kubectl.run(
            "create", "--dry-run=server", "--filename", "-", stdin=probe).stderr, SOON)
        metrics = self.start()
        self.make(one("bad"), one("g"))
        self.until_reported("bad-decode", "failed calling webhook", "deny.of.others", resource="dcd")
        self.until_successful("g")
        self.settled()
        self.assert_calm(metrics)
        self.admin.must("delete", "validatingwebhookconfiguration", self.namespace)
        wait_until("the webhook being forgotten", lambda: self.kubectl.run(
            "create", "--dry-run=server", "--filename", "-", stdin=probe).ok, SOON)
        self.wake("bad-decode")
        self.until_successful("bad")

    def test_dead_webhook_is_in_log_event_and_metric(self):
        facts = self.start_server("mortal")
        self.validated_from_now_on("mortal")
        self.validated_by("mortal", facts, namespace=self.namespace)
        self.kill("mortal")
        self.validated_from_now_on(webhook.NO_WEBHOOK)
        wait_until("the API server not calling the webhook", lambda: self.kubectl.run(
            "create", "--dry-run=server", "--filename", "-", stdin=one("probe")).ok, SOON)
        self.make(one("g"))
        self.validated_from_now_on("mortal")
        wait_until("the API server calling the webhook", lambda: "failed calling webhook" in self.kubectl.run(
            "create", "--dry-run=server", "--filename", "-", stdin=one("probe")).stderr, SOON)
        metrics = self.start()

        def events():
            return [each for each in self.kubectl.get("events.events.k8s.io")["items"]
                    if each["regarding"]["name"] == "g" and each["reason"] == "WebhookCallFailed"]

        wait_until("several failures", lambda: self.counted(
            metrics, "dynamo_operator_reconcile_errors_total", error_type="webhook") >= 3, SOON)
        event, = wait_until("an event", events, SOON)
        self.assertEqual(event["type"], "Warning")
        self.assertIn("failed calling webhook", event["note"])
        log = [json.loads(line) for line in (self.state.logs / "reconciler.log").read_text().splitlines()
               if self.namespace in line and "failed calling webhook" in line and line.startswith("{")]
        self.assertEqual([each["level"] for each in log], ["warning"] * len(log))
        self.assertIn(len(log), (1, 2), "one line per controller")
        self.validated_from_now_on(webhook.NO_WEBHOOK)
        wait_until("the API server not calling the webhook", lambda: self.kubectl.run(
            "create", "--dry-run=server", "--filename", "-", stdin=one("probe")).ok, SOON)
        self.wake("g", resource="dgd")
        self.until_successful("g")

    def validated_from_now_on(self, validator):
        self.admin.must("label", "--overwrite", "namespace", self.namespace, f"{webhook.VALIDATED_BY}={validator}")

    def register(self, port, authority, **more):
        """Makes the API server call a webhook for the Deployments of the namespace."""
        self.admin.must("create", "--filename", "-", stdin={
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": "ValidatingWebhookConfiguration", "metadata": {"name": self.namespace},
            "webhooks": [{
                "name": "deny.of.others", "admissionReviewVersions": ["v1"], "sideEffects": "None",
                "failurePolicy": "Fail", "timeoutSeconds": 5,
                "clientConfig": {"url": f"https://127.0.0.1:{port}/",
                                 **({"caBundle": authority} if authority else {})},
                "rules": [{"apiGroups": ["apps"], "apiVersions": ["v1"],
                           "resources": ["deployments"], "operations": ["CREATE"]}],
                "namespaceSelector": {"matchLabels": {
                    "kubernetes.io/metadata.name": self.namespace}}, **more}]})
        self.addCleanup(self.admin.must, "delete", "validatingwebhookconfiguration",
                        self.namespace, "--ignore-not-found")
