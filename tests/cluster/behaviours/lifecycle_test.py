"""Dry runs, server-side apply, deletion, status and finalizers on a real API server."""

import json
import os
import signal

from .support import IMAGE, NO_HOST, ClusterTest, graph, no_host, thing, webhook, worker

INVALID_GRAPH = {"Worker": worker(**NO_HOST)}
REFUSED_HOST = no_host("Worker")
MAKE_INVALID = json.dumps({"spec": {"services": {"Worker": NO_HOST}}})


class Lifecycle(ClusterTest):
    def test_a_dry_run_is_judged_and_nothing_is_stored(self):
        good = self.create(graph("good", {"Worker": worker(replicas=None)}),
                           "--dry-run=server", "--output", "json")
        self.assert_accepted(good)
        self.assertEqual(good.json()["spec"]["services"]["Worker"]["replicas"], 1)
        self.assert_refused(self.create(graph("bad", INVALID_GRAPH), "--dry-run=server"),
                            REFUSED_HOST)
        self.assertEqual(self.kubectl.get("dgd")["items"], [])

    def test_server_side_apply_is_judged_and_defaulted(self):
        services = {"Worker": worker(replicas=None)}
        self.assert_accepted(self.apply(graph("chat", services), "--server-side"))
        self.assertEqual(self.kubectl.get("dgd", "chat")["spec"]["services"]["Worker"]["replicas"],
                         1)
        self.assert_accepted(self.apply(graph("chat", services), "--server-side"))
        self.assert_refused(self.apply(graph("chat", INVALID_GRAPH), "--server-side"),
                            REFUSED_HOST)

    def test_a_json_patch_is_judged(self):
        self.assert_accepted(self.create(graph("chat", {"Worker": worker()})))
        self.assert_refused(
            self.kubectl.run("patch", "dgd", "chat", "--type", "json", "--patch", json.dumps([
                {"op": "add", "path": "/spec/services/Worker/ingress",
                 "value": NO_HOST["ingress"]}])),
            REFUSED_HOST)

    def test_a_refused_update_leaves_the_stored_object_alone(self):
        self.assert_accepted(self.create(graph("chat", {"Worker": worker(replicas=2)})))
        before = self.kubectl.get("dgd", "chat")
        self.assert_refused(self.apply(graph("chat", INVALID_GRAPH)), REFUSED_HOST)
        self.assertEqual(self.kubectl.get("dgd", "chat"), before)

    def test_a_generated_name_is_judged(self):
        nameless = graph("", {"Worker": worker()}, generateName="chat-")
        del nameless["metadata"]["name"]
        self.assert_accepted(self.create(nameless))
        nameless["spec"]["services"] = INVALID_GRAPH
        self.assert_refused(self.create(nameless), REFUSED_HOST)

    def test_a_graph_of_a_megabyte_is_judged(self):
        """Close to what etcd stores; the review of its update carries it twice."""
        variables = [{"name": f"PARAMETER_{number}", "value": "x" * 1000} for number in range(1000)]
        services = {"Worker": worker(extraPodSpec={"mainContainer": {"image": IMAGE, "env": variables}})}
        self.assert_accepted(self.create(graph("chat", services)))
        self.assert_accepted(self.patch(
            "dgd", "chat", '{"spec": {"services": {"Worker": {"replicas": 2}}}}'))
        self.assert_refused(self.patch("dgd", "chat", MAKE_INVALID), REFUSED_HOST)

    def test_an_invalid_object_can_be_deleted(self):
        self.store_unjudged(graph("chat", INVALID_GRAPH))
        self.assert_accepted(self.kubectl.run("delete", "dgd", "chat", "--wait=false"))
        self.assertEqual(self.kubectl.get("dgd")["items"], [])

    def test_the_finalizer_of_a_terminating_invalid_object_can_be_removed(self):
        self.store_unjudged(graph("chat", INVALID_GRAPH, finalizers=["example.com/cleanup"]))
        self.kubectl.must("delete", "dgd", "chat", "--wait=false")
        self.assertIn("deletionTimestamp", self.kubectl.get("dgd", "chat")["metadata"])
        self.assert_accepted(self.patch("dgd", "chat", '{"metadata": {"finalizers": null}}'))
        self.assertEqual(self.kubectl.get("dgd")["items"], [])

    def test_updates_of_a_terminating_object_pass_the_webhook(self):
        """The configurations' matchConditions: not even a spec that the rules refuse is sent to the webhook."""
        self.assert_accepted(self.create(graph(
            "chat", {"Worker": worker()}, finalizers=["example.com/cleanup"])))
        self.kubectl.must("delete", "dgd", "chat", "--wait=false")
        before = webhook.scrape(self.webhook)
        self.assert_accepted(self.patch("dgd", "chat", MAKE_INVALID))
        self.assertEqual(requests(webhook.scrape(self.webhook)), requests(before))
        self.assert_accepted(self.patch("dgd", "chat", '{"metadata": {"finalizers": null}}'))

    def test_deletion_completes_behind_a_killed_webhook(self):
        facts = self.start_server("mortal")
        kubectl = self.judged_by("mortal", facts)
        kubectl.must("create", "--filename", "-", stdin=graph(
            "chat", {"Worker": worker()}, finalizers=["example.com/cleanup"]))
        os.kill(self.state.process("mortal")["pid"], signal.SIGKILL)
        blocked = kubectl.run("create", "--filename", "-", stdin=graph("second", {"Worker": worker()}))
        self.assertIn("failed calling webhook", blocked.stderr)
        kubectl.must("delete", "dgd", "chat", "--wait=false")
        kubectl.must("patch", "dgd", "chat", "--type", "merge", "--patch", '{"metadata": {"finalizers": null}}')
        self.assertEqual(kubectl.get("dgd")["items"], [])

    def test_the_status_of_an_invalid_object_can_be_written(self):
        """Controllers report on objects from before the webhook; it is not even asked."""
        self.store_unjudged(
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

    def test_worker_metadata_is_none_of_the_webhooks_business(self):
        self.assert_accepted(self.create(thing("DynamoWorkerMetadata", "pod-1", {"data": {}})))


def requests(metrics):
    """The requests counted so far, by series."""
    return {series: value for series, value in metrics.items()
            if series.startswith("dynamo_operator_webhook_requests_total{")}
