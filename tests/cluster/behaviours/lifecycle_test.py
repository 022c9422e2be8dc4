"""Dry runs, server-side apply, deletion, status and finalizers on a real API server."""

import json
import os
import signal

from .support import IMAGE, NO_HOST, ClusterTest, graph, no_host, thing, webhook, worker

INVALID_GRAPH = {"Worker": worker(**NO_HOST)}
REFUSED_HOST = no_host("Worker")
MAKE_INVALID = json.dumps({"spec": {"services": {"Worker": NO_HOST}}})


class Lifecycle(ClusterTest):
    def test_dry_run_is_validated_and_not_stored(self):
        good = self.create(graph("good", {"Worker": worker(replicas=None)}),
                           "--dry-run=server", "--output", "json")
        self.assert_accepted(good)
        self.assertEqual(good.json()["spec"]["services"]["Worker"]["replicas"], 1)
        self.assert_refused(self.create(graph("bad", INVALID_GRAPH), "--dry-run=server"),
                            REFUSED_HOST)
        self.assertEqual(self.kubectl.get("dgd")["items"], [])

    def test_server_side_apply_is_validated_and_defaulted(self):
        services = {"Worker": worker(replicas=None)}
        self.assert_accepted(self.apply(graph("chat", services), "--server-side"))
        self.assertEqual(self.kubectl.get("dgd", "chat")["spec"]["services"]["Worker"]["replicas"],
                         1)
        self.assert_accepted(self.apply(graph("chat", services), "--server-side"))
        self.assert_refused(self.apply(graph("chat", INVALID_GRAPH), "--server-side"),
                            REFUSED_HOST)

    def test_json_patch_is_validated(self):
        self.assert_accepted(self.create(graph("chat", {"Worker": worker()})))
        self.assert_refused(
            self.kubectl.run("patch", "dgd", "chat", "--type", "json", "--patch", json.dumps([
                {"op": "add", "path": "/spec/services/Worker/ingress",
                 "value": NO_HOST["ingress"]}])),
            REFUSED_HOST)

    def test_refused_update_does_not_change_stored_object(self):
        self.assert_accepted(self.create(graph("chat", {"Worker": worker(replicas=2)})))
        before = self.kubectl.get("dgd", "chat")
        self.assert_refused(self.apply(graph("chat", INVALID_GRAPH)), REFUSED_HOST)
        self.assertEqual(self.kubectl.get("dgd", "chat"), before)

    def test_generated_name_is_validated(self):
        nameless = graph("", {"Worker": worker()}, generateName="chat-")
        del nameless["metadata"]["name"]
        self.assert_accepted(self.create(nameless))
        nameless["spec"]["services"] = INVALID_GRAPH
        self.assert_refused(self.create(nameless), REFUSED_HOST)

    def test_one_megabyte_graph_is_validated(self):
        """Close to etcd's limit; the review of its update contains it twice."""
        variables = [{"name": f"PARAMETER_{number}", "value": "x" * 1000} for number in range(1000)]
        services = {"Worker": worker(extraPodSpec={"mainContainer": {"image": IMAGE, "env": variables}})}
        self.assert_accepted(self.create(graph("chat", services)))
        self.assert_accepted(self.patch(
            "dgd", "chat", '{"spec": {"services": {"Worker": {"replicas": 2}}}}'))
        self.assert_refused(self.patch("dgd", "chat", MAKE_INVALID), REFUSED_HOST)

    def test_invalid_object_can_be_deleted(self):
        self.store_unvalidated(graph("chat", INVALID_GRAPH))
        self.assert_accepted(self.kubectl.run("delete", "dgd", "chat", "--wait=false"))
        self.assertEqual(self.kubectl.get("dgd")["items"], [])

    def test_terminating_invalid_object_can_lose_its_finalizer(self):
        self.store_unvalidated(graph("chat", INVALID_GRAPH, finalizers=["example.com/cleanup"]))
        self.kubectl.must("delete", "dgd", "chat", "--wait=false")
        self.assertIn("deletionTimestamp", self.kubectl.get("dgd", "chat")["metadata"])
        self.assert_accepted(self.patch("dgd", "chat", '{"metadata": {"finalizers": null}}'))
        self.assertEqual(self.kubectl.get("dgd")["items"], [])

    def test_updates_of_terminating_object_pass(self):
        """The configurations' matchConditions: not even a spec that violates the rules is sent to the
        webhook."""
        self.assert_accepted(self.create(graph(
            "chat", {"Worker": worker()}, finalizers=["example.com/cleanup"])))
        self.kubectl.must("delete", "dgd", "chat", "--wait=false")
        before = webhook.scrape(self.webhook)
        self.assert_accepted(self.patch("dgd", "chat", MAKE_INVALID))
        self.assertEqual(requests(webhook.scrape(self.webhook)), requests(before))
        self.assert_accepted(self.patch("dgd", "chat", '{"metadata": {"finalizers": null}}'))

    def test_deletion_completes_without_webhook(self):
        facts = self.start_server("mortal")
        kubectl = self.validated_by("mortal", facts)
        kubectl.must("create", "--filename", "-", stdin=graph(
            "chat", {"Worker": worker()}, finalizers=["example.com/cleanup"]))
        os.kill(self.state.process("mortal")["pid"], signal.SIGKILL)
        blocked = kubectl.run("create", "--filename", "-", stdin=graph("second", {"Worker": worker()}))
        self.assertIn("failed calling webhook", blocked.stderr)
        kubectl.must("delete", "dgd", "chat", "--wait=false")
        kubectl.must("patch", "dgd", "chat", "--type", "merge", "--patch", '{"metadata": {"finalizers": null}}')
        self.assertEqual(kubectl.get("dgd")["items"], [])

    def test_status_of_invalid_object_can_be_written(self):
        """Controllers report on objects from before the webhook, which is not called for them."""
        self.store_unvalidated(
            graph("chat", INVALID_GRAPH),
            thing("DynamoComponentDeployment", "part", worker(**NO_HOST)),
            thing("DynamoModel", "model", {"modelName": "", "baseModelName": ""}))
        before = webhook.scrape(self.webhook)
        for resource, name, status in (
                ("dgd", "chat", {"state": "failed"}),
                ("dcd", "part", {"conditions": [], "observedGeneration": 1}),
                ("dm", "model", {"readyEndpoints": 0, "totalEndpoints": 0})):
            self.assert_accepted(self.patch(resource, name, json.dumps({"status": status}),
                                            "--subresource", "status"))
            self.assertEqual(self.kubectl.get(resource, name)["status"], status)
        self.assertEqual(requests(webhook.scrape(self.webhook)), requests(before))

    def test_worker_metadata_is_not_sent_to_webhook(self):
        self.assert_accepted(self.create(thing("DynamoWorkerMetadata", "pod-1", {"data": {}})))


def requests(metrics):
    """The requests counted so far, by series."""
    return {series: value for series, value in metrics.items()
            if series.startswith("dynamo_operator_webhook_requests_total{")}
