"""/convert behind a real API server: objects written in one version of a definition are read, watched, edited and
applied in the other one."""

import base64
import json
import shutil
import threading

from harness import certificates, managed
from harness.load import Load
from harness.managed import pem_blocks
from harness.watcher import Watcher

from .certificates_test import REPAIR_SECONDS, ROTATION_SECONDS, ManagedTest
from .support import takes_long, total, wait_until, webhook

KIND = "DynamoGraphDeploymentScalingAdapter"
PLURAL = "dynamographdeploymentscalingadapters"
DEFINITION = f"{PLURAL}.nvidia.com"
REQUESTS = "dynamo_webhook_conversion_requests_total"
OBJECTS = "dynamo_webhook_converted_objects_total"
CONVERSIONS = 3000


def adapter(version, name, replicas):
    field = {"v1alpha1": "serviceName", "v1beta1": "componentName"}[version]
    return {"apiVersion": f"nvidia.com/{version}", "kind": KIND, "metadata": {"name": name},
            "spec": {"replicas": replicas, "dgdRef": {"name": "graph", field: "worker"}}}


def definition(original, service, port):
    """The definition with both versions, of which the later one is stored, and a schema that accepts everything."""
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    return {"apiVersion": original["apiVersion"], "kind": original["kind"],
            "metadata": {"name": DEFINITION, "labels": {managed.LABEL: "true"}},
            "spec": {"group": "nvidia.com", "scope": "Namespaced", "names": original["spec"]["names"],
                     "versions": [{"name": each, "served": True, "storage": each == "v1beta1", "schema": schema}
                                  for each in ("v1alpha1", "v1beta1")],
                     "conversion": {"strategy": "Webhook", "webhook": {
                         "conversionReviewVersions": ["v1"],
                         "clientConfig": {"service": {**service, "port": port, "path": "/convert"}}}}}}


class Conversion(ManagedTest):
    def convert_with(self, name, replicas, flags=()):
        """Starts servers that convert for the definition, which has two versions until the end of the test."""
        self.install(name, replicas, flags=("--inject-crds", *flags), rights=("inject_crds.yaml",))
        original = self.admin.get("crd", DEFINITION)
        self.addCleanup(self.restore, original)
        self.admin.must("delete", "crd", DEFINITION, "--timeout", "60s")
        service = {"namespace": self.system, "name": managed.SERVICE}
        self.define(definition(original, service, self.balancer.port))
        wait_until("the caBundle being written", self.is_trusted, REPAIR_SECONDS)
        self.converted = self.admin.within(
            self.new_namespace("converted", {webhook.VALIDATED_BY: webhook.NO_WEBHOOK}))
        # The API server may still use the definition without a caBundle.
        self.store(adapter("v1beta1", "first", 1))
        wait_until("the API server converting", lambda: self.try_read("v1alpha1", "first").ok, 20)
        self.failures_before = self.failed()

    def define(self, crd):
        self.admin.must("create", "--filename", "-", stdin=crd)
        self.admin.until_established(DEFINITION)

    def restore(self, original):
        self.admin.run("delete", "crd", DEFINITION, "--timeout", "60s")
        metadata = {key: value for key, value in original["metadata"].items() if key in ("name", "labels", "annotations")}
        self.define({"apiVersion": original["apiVersion"], "kind": original["kind"], "metadata": metadata,
                     "spec": original["spec"]})
        wait_until("the later version being gone", lambda: not self.admin.run("get", "--raw", "/apis/nvidia.com/v1beta1").ok, 20)
        # kubectl would still list it.
        shutil.rmtree(self.state.directory / "kubectl-cache", ignore_errors=True)

    def is_trusted(self):
        config = self.admin.get("crd", DEFINITION)["spec"]["conversion"]["webhook"]["clientConfig"]
        bundle = base64.b64decode(config.get("caBundle", "")).decode()
        return bool(bundle) and all(certificates.verifies(bundle, managed.served(facts), self.installation.host)
                                    for facts in self.servers)

    def path(self, version, name=""):
        collection = f"/apis/nvidia.com/{version}/namespaces/{self.converted.namespace}/{PLURAL}"
        return f"{collection}/{name}" if name else collection

    def store(self, each):
        version = each["apiVersion"].partition("/")[2]
        self.converted.must("create", "--raw", self.path(version), "--filename", "-", stdin=each)

    def try_read(self, version, name=""):
        return self.converted.run("get", "--raw", self.path(version, name))

    def read(self, version, name=""):
        return json.loads(self.converted.must("get", "--raw", self.path(version, name)).stdout)

    def apply(self, each, manager):
        self.converted.must("apply", "--server-side", "--validate=false", "--field-manager", manager, "--filename", "-",
                            stdin=each)

    def failed(self):
        return sum(total(webhook.scrape(facts), REQUESTS, status="failure") for facts in self.servers)

    def restart(self, number, *flags):
        """As a rolling update does: the new server is ready before the old one stops. Returns the objects that the old
        one had converted."""
        old = self.servers[number]
        new = self.start_connected(f"{old['name']}-again", self.access, *self.installation.flags(), "--inject-crds", *flags)
        self.balancer.add(new)
        found = webhook.scrape(old)
        self.assertEqual(total(found, REQUESTS, status="failure"), 0)
        self.servers[number] = new
        self.assertTrue(self.stop_server(old["name"]), "it had to be killed")
        return total(found, OBJECTS)

    def assert_spec(self, name, replicas):
        for version in ("v1alpha1", "v1beta1"):
            with self.subTest(name, version=version):
                self.assertEqual(self.read(version, name)["spec"], adapter(version, name, replicas)["spec"])

    def test_object_is_read_in_either_version(self):
        self.convert_with("either", 1)
        self.store(adapter("v1alpha1", "older", 2))
        self.store(adapter("v1beta1", "newer", 3))
        self.assert_spec("older", 2)
        self.assert_spec("newer", 3)
        for version in ("v1alpha1", "v1beta1"):
            found = self.read(version)["items"]
            self.assertEqual([each["metadata"]["name"] for each in found], ["first", "newer", "older"])
            self.assertEqual({each["apiVersion"] for each in found}, {f"nvidia.com/{version}"})
        self.assertEqual(self.failed(), self.failures_before)
        self.assert_nothing_forbidden()

    def test_edits_and_applies_of_either_version_win(self):
        self.convert_with("edited", 1)
        for number, version in enumerate(("v1alpha1", "v1beta1"), start=2):
            self.converted.must("patch", f"{PLURAL}.{version}.nvidia.com", "first", "--type", "merge",
                                "--patch", json.dumps({"spec": {"replicas": number}}))
            self.assert_spec("first", number)
        for number, version in enumerate(("v1beta1", "v1alpha1", "v1beta1"), start=5):
            self.apply(adapter(version, "applied", number), "somebody")
            self.assert_spec("applied", number)
        # A repeated apply changes nothing.
        before = self.read("v1beta1", "applied")["metadata"]
        self.apply(adapter("v1beta1", "applied", 7), "somebody")
        self.assertEqual(self.read("v1beta1", "applied")["metadata"]["resourceVersion"], before["resourceVersion"])
        self.assertEqual(self.failed(), self.failures_before)

    def test_watch_shows_changes_of_other_version(self):
        self.convert_with("watched", 1)
        seen, lock = [], threading.Lock()

        def changed(kind, each):
            with lock:
                seen.append((kind, each["apiVersion"], each["metadata"]["name"], each["spec"]))

        watcher = Watcher(self.state, self.path("v1alpha1"), changed)
        self.addCleanup(watcher.stop)
        self.store(adapter("v1beta1", "watched", 1))
        self.converted.must("patch", f"{PLURAL}.v1beta1.nvidia.com", "watched", "--type", "merge",
                            "--patch", '{"spec":{"replicas":4}}')
        self.converted.must("delete", f"{PLURAL}.v1beta1.nvidia.com", "watched")
        wanted = [(kind, "nvidia.com/v1alpha1", "watched", adapter("v1alpha1", "watched", replicas)["spec"])
                  for kind, replicas in (("ADDED", 1), ("MODIFIED", 4), ("DELETED", 4))]
        wait_until("the changes", lambda: seen == wanted, 20)
        self.assertIsNone(watcher.failure)

    def test_unconvertible_object_fails_with_reason(self):
        self.convert_with("failing", 1)
        bad = adapter("v1beta1", "bad", "many")
        self.store(bad)
        refused = self.try_read("v1alpha1", "bad")
        self.assertIn(f"{self.converted.namespace}/bad: spec.replicas: must be an integer", refused.stderr)
        self.assertEqual(self.read("v1beta1", "bad")["spec"], bad["spec"])
        self.assertGreater(self.failed(), self.failures_before)
        lines = [line for line in self.log_of("failing-0") if "conversion failed" in str(line)]
        self.assertTrue(lines)
        self.assertNotIn("many", str(lines))
        self.converted.must("delete", f"{PLURAL}.v1beta1.nvidia.com", "bad")
        # The API server's cache of that version could not be filled until now.
        wait_until("the list being readable again", lambda: self.try_read("v1alpha1").ok, 60)
        self.assertEqual(len(self.read("v1alpha1")["items"]), 1)

    @takes_long
    def test_rotations_and_restarts_fail_no_conversion(self):
        delay = ("--shutdown-delay", "1s")
        self.convert_with("rotated", 2, delay)
        self.assertEqual(self.failures_before, 0)
        before_restarts = 0

        def is_new(before, what):
            secret = self.installation.secret()
            key = {"leaf": "tls.crt", "ca": "ca.crt"}[what]
            is_over = not {"next-ca.key", "previous-ca.crt"} & set(secret)
            return (is_over and pem_blocks(secret[key])[0] != pem_blocks(before[key])[0]
                    and self.installation.is_whole(self.servers) and self.is_trusted())

        def converted():
            return before_restarts + sum(total(webhook.scrape(facts), OBJECTS) for facts in self.servers)

        # A dry run encodes the object in the stored version and decodes it again.
        with Load(self.state, self.path("v1alpha1") + "?dryRun=All", adapter("v1alpha1", "load", 1), threads=4, rate=50) as load:
            wait_until("requests before", lambda: load.sent > 50, 20)
            for what in ("leaf", "ca"):
                before = self.installation.secret()
                self.installation.ask_for_rotation(what)
                wait_until(f"the rotation of the {what}", lambda: is_new(before, what), ROTATION_SECONDS)  # pylint: disable=cell-var-from-loop
                for number in range(len(self.servers)):
                    before_restarts += self.restart(number, *delay)
            wait_until(f"{CONVERSIONS} conversions", lambda: converted() >= CONVERSIONS, 120)
        print(f"{converted():.0f} conversions in {load.sent} requests", flush=True)
        self.assertEqual(load.failures[:3], [])
        self.assertEqual(self.failed(), 0)
        self.assert_nothing_forbidden()
