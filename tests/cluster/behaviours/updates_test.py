"""Immutable fields of a stored object are refused on update; everything else can change."""

import json

from .support import ClusterTest, graph, no_host, smoke, thing, warnings_of, worker

CHECKPOINT_JOB = {"podTemplateSpec": {"spec": {"containers": [
    {"name": "main", "image": "nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1"}]}}}


@smoke
class Updates(ClusterTest):
    def stored(self, *objects):
        for each in objects:
            self.assert_accepted(self.create(each))

    def test_image_of_graph_can_change(self):
        def with_image(image):
            return graph("chat", {"Worker": worker(extraPodSpec={"mainContainer": {
                "image": image}})}, {"backendFramework": "vllm"})

        self.assert_accepted(self.apply(with_image("vllm-runtime:0.8.1")))
        self.assert_accepted(self.apply(with_image("vllm-runtime:0.8.2")))

    def test_backend_of_graph_cannot_change(self):
        self.stored(graph("chat", {"Worker": worker()}, {"backendFramework": "vllm"}))
        result = self.patch("dgd", "chat", '{"spec": {"backendFramework": "sglang"}}')
        self.assert_refused(result, ("spec.backendFramework", "dgd.backend.immutable"))
        warnings = [each for each in warnings_of(result.stderr) if each.endswith(".immutable]")]
        self.assertEqual(len(warnings), 1, str(result))

    def test_backend_is_restored_under_an_exemption_only(self):
        """As the condition ImmutableFieldChanged suggests: a plain change back would be refused, too."""
        services = {"Worker": worker()}
        self.store_unvalidated(graph("chat", services, {"backendFramework": "sglang"}))
        back = '{"spec": {"backendFramework": "vllm"}}'
        self.assert_refused(self.patch("dgd", "chat", back), ("spec.backendFramework", "dgd.backend.immutable"))
        policy = self.state.directory / f"{self.namespace}-policy.yaml"
        policy.write_text("version: 1\nexemptions: [{rules: [dgd.backend.immutable], holder: admin, reason: restore, "
                          "expires: 2099-12-31}]\n")
        kubectl = self.validated_by("exempting", self.start_server("exempting", "--policy", str(policy)))
        kubectl.must("create", "--filename", "-", stdin=graph("chat", services, {"backendFramework": "sglang"}))
        kubectl.must("patch", "dgd", "chat", "--type", "merge", "--patch", back)

    def test_services_of_graph_cannot_be_added_or_removed(self):
        self.stored(graph("chat", {"Decode": worker(), "Frontend": worker()}))
        result = self.patch("dgd", "chat", json.dumps({"spec": {"services": {
            "Decode": None, "Encode": worker(), "Prefill": worker()}}}))
        self.assert_refused(result, ("spec.services", "dgd.topology.services"))
        for name in ("Decode", "Encode", "Prefill"):
            self.assertIn(name, result.stderr)
        self.assertNotIn("Frontend", result.stderr)

    def test_service_cannot_change_between_single_and_multinode(self):
        self.stored(graph("chat", {"One": worker(), "Many": worker(multinode={"nodeCount": 2})}))
        result = self.patch("dgd", "chat", '{"spec": {"services": {"Many": {"multinode": null}, '
                            '"One": {"multinode": {"nodeCount": 2}}}}}')
        self.assert_refused(result,
                            ("spec.services[Many].multinode", "dgd.topology.node-class"),
                            ("spec.services[One].multinode", "dgd.topology.node-class"))

    def test_service_can_change_its_node_count(self):
        self.stored(graph("chat", {"Many": worker(multinode={"nodeCount": 2})}))
        self.assert_accepted(self.patch(
            "dgd", "chat", '{"spec": {"services": {"Many": {"multinode": {"nodeCount": 4}}}}}'))

    def test_all_refused_changes_are_reported_together(self):
        self.stored(graph("chat", {"Decode": worker(), "Prefill": worker()},
                          {"backendFramework": "vllm"}))
        result = self.patch(
            "dgd", "chat", '{"spec": {"backendFramework": "trtllm", "services": {"Prefill": null, '
            '"Decode": {"ingress": {"enabled": true}, "multinode": {"nodeCount": 3}}}}}')
        self.assert_refused(result,
                            ("spec.backendFramework", "dgd.backend.immutable"),
                            ("spec.services", "dgd.topology.services"),
                            no_host("Decode"),
                            ("spec.services[Decode].multinode", "dgd.topology.node-class"))

    def test_backend_and_node_class_of_component_are_immutable(self):
        self.stored(thing("DynamoComponentDeployment", "decode",
                          worker(backendFramework="vllm")))
        result = self.patch("dcd", "decode", '{"spec": {"backendFramework": "sglang", '
                            '"multinode": {"nodeCount": 2}}}')
        self.assert_refused(result, ("spec.backendFramework", "dcd.backend.immutable"),
                            ("spec.multinode", "dcd.topology.node-class"))
        warnings = [each for each in warnings_of(result.stderr) if each.endswith(".immutable]")]
        self.assertEqual(len(warnings), 1, str(result))

    def test_type_and_base_of_model_cannot_change(self):
        self.stored(thing("DynamoModel", "adapter", {
            "modelName": "law", "baseModelName": "llama", "modelType": "lora",
            "source": {"uri": "s3://adapters/law"}}))
        result = self.patch("dm", "adapter",
                            '{"spec": {"modelType": "base", "baseModelName": "qwen"}}')
        self.assert_refused(result, ("spec.baseModelName", "dm.base.immutable"),
                            ("spec.modelType", "dm.type.immutable"))
        self.assert_accepted(self.patch("dm", "adapter",
                                        '{"spec": {"source": {"uri": "hf://acme/law"}}}'))

    def test_identity_of_checkpoint_cannot_change(self):
        self.stored(thing("DynamoCheckpoint", "warm", {
            "identity": {"model": "qwen", "backendFramework": "vllm"}, "job": CHECKPOINT_JOB}))
        result = self.patch("dckpt", "warm", '{"spec": {"identity": {"model": "llama"}}}')
        # The definition has a rule for this, which the API server applies before it calls a
        # webhook.
        self.assertFalse(result.ok, str(result))
        self.assertIn("spec.identity: ", result.stderr)
        self.assertIn("must stay as it was created", result.stderr)
        self.assert_accepted(self.patch("dckpt", "warm", '{"spec": {"job": {"backoffLimit": 1}}}'))

    def test_changed_target_of_scaling_adapter_warns(self):
        self.stored(thing("DynamoGraphDeploymentScalingAdapter", "chat-decode", {
            "replicas": 1, "dgdRef": {"name": "chat", "serviceName": "Decode"}}))
        result = self.patch("dgdsa", "chat-decode",
                            '{"spec": {"dgdRef": {"serviceName": "Prefill"}}}')
        self.assert_accepted(result)
        self.assertIn("[dgdsa.ref.immutable]", result.stderr)
        self.assert_accepted(self.patch("dgdsa", "chat-decode", '{"spec": {"replicas": 3}}'))

    def test_deployment_request_in_progress_cannot_change(self):
        self.stored(thing("DynamoGraphDeploymentRequest", "tune", {
            "model": "Qwen/Qwen3-0.6B", "backend": "vllm",
            "profilingConfig": {"profilerImage": "vllm-runtime:0.8.1", "config": {"sla": {}}}}))
        edit = '{"spec": {"model": "Qwen/Qwen3-%s"}}'
        self.assert_accepted(self.patch("dgdr", "tune", edit % "1.7B"))
        for number, state in enumerate(("Profiling", "Deploying", "Ready", "DeploymentDeleted")):
            with self.subTest(state):
                self.reach(state)
                self.assert_refused(self.patch("dgdr", "tune", edit % f"frozen-{number}"),
                                    ("spec", "dgdr.spec.immutable"))
        for state in ("Pending", "Failed"):
            with self.subTest(state):
                self.reach(state)
                self.assert_accepted(self.patch("dgdr", "tune", edit % state))

    def test_labels_of_frozen_deployment_request_can_change(self):
        self.stored(thing("DynamoGraphDeploymentRequest", "tune", {
            "model": "Qwen/Qwen3-0.6B", "backend": "vllm",
            "profilingConfig": {"profilerImage": "vllm-runtime:0.8.1", "config": {"sla": {}}}}))
        self.reach("Profiling")
        self.assert_accepted(self.kubectl.run("label", "dgdr", "tune", "team=search"))

    def reach(self, state):
        """The controller's part: the state of the request."""
        self.assert_accepted(self.patch("dgdr", "tune", f'{{"status": {{"state": "{state}"}}}}',
                                        "--subresource", "status"))
