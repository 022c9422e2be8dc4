"""Omitted fields of a graph get defaults when it is stored, and nothing else changes."""

from .support import IMAGE, ORIGIN_VERSION, ClusterTest, graph, smoke, webhook, worker


@smoke
class Defaults(ClusterTest):
    def test_operator_version_is_stored_on_creation(self):
        self.assert_accepted(self.create(graph("chat", {"Worker": worker()})))
        annotations = self.kubectl.get("dgd", "chat")["metadata"]["annotations"]
        self.assertEqual(annotations, {ORIGIN_VERSION: webhook.OPERATOR_VERSION})

    def test_origin_version_of_the_user_is_kept(self):
        self.assert_accepted(self.create(graph(
            "chat", {"Worker": worker()}, annotations={ORIGIN_VERSION: "0.9.0", "team": "chat"})))
        annotations = self.kubectl.get("dgd", "chat")["metadata"]["annotations"]
        self.assertEqual(annotations, {ORIGIN_VERSION: "0.9.0", "team": "chat"})

    def test_replicas_default_to_one(self):
        self.assert_accepted(self.create(graph("chat", {
            "Absent": worker(replicas=None), "Zero": worker(replicas=0),
            "Three": worker(replicas=3)})))
        services = self.kubectl.get("dgd", "chat")["spec"]["services"]
        self.assertEqual({name: service["replicas"] for name, service in services.items()},
                         {"Absent": 1, "Zero": 0, "Three": 3})

    def test_removed_replicas_default_to_one(self):
        self.assert_accepted(self.create(graph("chat", {"Worker": worker(replicas=3)})))
        self.assert_accepted(self.patch(
            "dgd", "chat", '{"spec": {"services": {"Worker": {"replicas": null}}}}'))
        self.assertEqual(self.kubectl.get("dgd", "chat")["spec"]["services"]["Worker"]["replicas"],
                         1)

    def test_update_does_not_add_operator_version(self):
        """An object from before the webhook keeps its unknown origin."""
        self.store_unvalidated(graph("chat", {"Worker": worker()}))
        self.assert_accepted(self.patch(
            "dgd", "chat", '{"spec": {"services": {"Worker": {"replicas": 2}}}}'))
        self.assertNotIn("annotations", self.kubectl.get("dgd", "chat")["metadata"])

    def test_other_fields_are_not_changed(self):
        services = {"Worker": worker(
            annotations={"kept": "caf\u00e9 / ~1 \U0001f680"},
            extraPodSpec={"mainContainer": {
                "image": IMAGE, "args": [], "env": [{"name": "EMPTY", "value": ""}]}},
            eppConfig={"config": {"plugins": [], "schedulingProfiles": [],
                                  "fieldOfALaterVersion": {"kept": [None, 1.5, {}]}}})}
        spec = {"backendFramework": "vllm", "pvcs": [], "services": services}
        self.assert_accepted(self.create(graph("chat", services, {
            "backendFramework": "vllm", "pvcs": []}, labels={"team": "chat"})))
        stored = self.kubectl.get("dgd", "chat")
        self.assertEqual(stored["spec"], spec)
        self.assertEqual(stored["metadata"]["labels"], {"team": "chat"})
