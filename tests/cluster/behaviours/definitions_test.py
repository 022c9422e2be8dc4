"""The custom resource definitions on a real API server: installation, kubectl explain, printer
columns, the scale subresource, preserved fields, and refused values."""

import json
import re

from .support import REPOSITORY, ClusterTest, graph, thing, worker

DEFINITIONS = REPOSITORY / "deploy/crds"
SHORT_NAMES = {
    "dynamocheckpoints": "dckpt", "dynamocomponentdeployments": "dcd",
    "dynamographdeployments": "dgd", "dynamographdeploymentrequests": "dgdr",
    "dynamographdeploymentscalingadapters": "dgdsa", "dynamomodels": "dm",
    "dynamoworkermetadatas": "dwm",
}
IMAGE = "nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1"
IDENTITY = {"model": "Qwen/Qwen3-8B", "backendFramework": "vllm"}
NOW = "2026-02-01T10:00:00Z"


def condition(type_, status):
    return {"type": type_, "status": status, "reason": "Tested", "message": "",
            "lastTransitionTime": NOW}


def checkpoint(name, identity=None, template=None):
    return thing("DynamoCheckpoint", name, {
        "identity": identity or IDENTITY,
        "job": {"podTemplateSpec": {**(template or {}), "spec": {
            "containers": [{"name": "main", "image": IMAGE}]}}}})


def request(name):
    return thing("DynamoGraphDeploymentRequest", name, {
        "model": "Qwen/Qwen3-32B", "backend": "trtllm",
        "profilingConfig": {"profilerImage": IMAGE, "config": {"sla": {"ttft": 200.5}}}})


def adapter(name):
    return thing("DynamoGraphDeploymentScalingAdapter", name, {
        "replicas": 2, "dgdRef": {"name": "chat", "serviceName": "Decode"}})


class Installation(ClusterTest):
    """The cluster starts with the definitions installed by plain kubectl apply. These tests install
    them again, in another API group."""

    def installs(self, group, *options):
        text = "---\n".join(path.read_text(encoding="utf-8").replace("nvidia.com", group)
                            for path in sorted(DEFINITIONS.glob("nvidia.com_*.yaml")))
        names = [f"{plural}.{group}" for plural in SHORT_NAMES]
        self.addCleanup(self.admin.must, "delete", "crd", "--ignore-not-found", *names)
        applied = self.admin.must("apply", *options, "--filename", "-", stdin=text)
        self.assertEqual(applied.stderr, "")
        self.assertEqual(len(applied.stdout.splitlines()), len(SHORT_NAMES))
        self.admin.until_established(*names)
        again = self.admin.must("apply", *options, "--filename", "-", stdin=text)
        self.assertEqual(again.stderr, "")

    def test_plain_apply_installs_definitions(self):
        self.installs("plain.example.com")

    def test_server_side_apply_installs_definitions(self):
        self.installs("server-side.example.com", "--server-side")

    def test_definitions_are_established_and_structural(self):
        for plural in SHORT_NAMES:
            stored = self.admin.get("crd", f"{plural}.nvidia.com")
            conditions = {each["type"]: each["status"] for each in stored["status"]["conditions"]}
            self.assertEqual(conditions, {"Established": "True", "NamesAccepted": "True"}, plural)

    def test_resources_have_short_names(self):
        lines = self.admin.must("api-resources", "--api-group", "nvidia.com",
                                "--no-headers").stdout.splitlines()
        self.assertEqual({line.split()[0]: line.split()[1] for line in lines}, SHORT_NAMES)

    def test_explain_output_matches_golden_files(self):
        for path in ("dgd", "dgd.spec", "dgd.spec.services", "dgd.spec.services.resources",
                     "dgd.spec.services.extraPodSpec.mainContainer.image", "dgd.spec.pvcs",
                     "dgd.spec.restart.strategy", "dcd.spec.replicas", "dckpt.spec.identity",
                     "dm.spec.modelType", "dgdr.spec", "dgdsa.spec", "dwm.spec"):
            with self.subTest(path):
                text = self.admin.must("explain", path).stdout
                self.assert_golden(re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE),
                                   f"explain/{path}.txt")


class Columns(ClusterTest):
    def shows(self, resource, stored, status, expected):
        """`kubectl get` of the object with this status shows these columns, and its age."""
        self.assert_accepted(self.create(stored))
        name = stored["metadata"]["name"]
        if status:
            self.assert_accepted(self.patch(resource, name, json.dumps({"status": status}),
                                            "--subresource", "status"))
        head, row = self.kubectl.must("get", resource, name).stdout.splitlines()
        columns = dict(zip(head.split(), row.split(), strict=True))
        self.assertRegex(columns.pop("AGE"), r"^\d+s$")
        self.assertEqual(columns, {"NAME": name, **expected})

    def test_graph_columns_show_readiness(self):
        self.shows("dgd", graph("chat", {"Worker": worker()}, {"backendFramework": "vllm"}),
                   {"state": "successful", "conditions": [
                       condition("Progressing", "False"), condition("Ready", "True")]},
                   {"READY": "True", "BACKEND": "vllm"})

    def test_component_columns_show_service_name(self):
        self.shows("dcd", thing("DynamoComponentDeployment", "chat-decode", worker(
            serviceName="Decode", backendFramework="sglang")),
            {"conditions": [condition("Available", "False")]},
            {"DYNAMOCOMPONENT": "Decode", "AVAILABLE": "False", "BACKEND": "sglang"})

    def test_model_columns_show_endpoints(self):
        self.shows("dm", thing("DynamoModel", "qwen", {
            "modelName": "qwen", "baseModelName": "Qwen/Qwen3-8B"}),
            {"readyEndpoints": 1, "totalEndpoints": 3, "endpoints": [
                {"address": "http://10.0.0.7:9090", "podName": "qwen-0", "ready": True}]},
            {"BASEMODEL": "Qwen/Qwen3-8B", "TYPE": "base", "READY": "1", "TOTAL": "3"})

    def test_request_columns_show_both_states(self):
        self.shows("dgdr", request("tune"), {
            "backend": "trtllm", "state": "Ready", "deployment": {"state": "pending"}},
            {"MODEL": "Qwen/Qwen3-32B", "BACKEND": "trtllm", "STATE": "Ready",
             "DGD-STATE": "pending"})

    def test_checkpoint_columns_show_phase_and_hash(self):
        self.shows("dckpt", checkpoint("warm"), {
            "phase": "Creating", "identityHash": "0123456789abcdef"},
            {"MODEL": "Qwen/Qwen3-8B", "BACKEND": "vllm", "PHASE": "Creating",
             "HASH": "0123456789abcdef"})

    def test_adapter_columns_show_its_target(self):
        self.shows("dgdsa", adapter("chat-decode"), {"replicas": 4},
                   {"DGD": "chat", "SERVICE": "Decode", "REPLICAS": "4"})

    def test_worker_metadata_columns_show_age(self):
        self.shows("dwm", thing("DynamoWorkerMetadata", "pod-1", {"data": {}}), None, {})


class Scale(ClusterTest):
    def setUp(self):
        super().setUp()
        self.assert_accepted(self.create(adapter("chat-decode")))

    def scale(self):
        path = (f"/apis/nvidia.com/v1alpha1/namespaces/{self.namespace}"
                "/dynamographdeploymentscalingadapters/chat-decode/scale")
        return self.kubectl.must("get", "--raw", path).json()

    def test_scale_subresource_has_replicas_and_selector(self):
        self.assert_accepted(self.patch(
            "dgdsa", "chat-decode", '{"status": {"replicas": 1, "selector": "app=chat"}}',
            "--subresource", "status"))
        self.assertEqual(self.scale()["spec"], {"replicas": 2})
        self.assertEqual(self.scale()["status"], {"replicas": 1, "selector": "app=chat"})

    def test_kubectl_scale_writes_the_replicas(self):
        self.assert_accepted(self.kubectl.run("scale", "dgdsa/chat-decode", "--current-replicas",
                                              "2", "--replicas", "0"))
        self.assertEqual(self.scale()["spec"], {})
        self.assertEqual(self.kubectl.get("dgdsa", "chat-decode")["spec"]["replicas"], 0)


class RejectedObjects(ClusterTest):
    def assert_refused_by_definition(self, result, *words):
        self.assertFalse(result.ok, f"accepted:\n{result}")
        for each in words:
            self.assertIn(each, result.stderr)
        self.assertNotRegex(result.stderr, r"\[[a-z]+\.[a-z.-]+\]$", "the webhook's words")

    def test_created_claim_requires_its_settings(self):
        claim = {"name": "cache", "create": True, "size": "10Gi", "storageClass": "fast",
                 "volumeAccessMode": "ReadWriteMany"}
        self.assert_accepted(self.create(graph("whole", {"W": worker()}, {"pvcs": [claim]})))
        self.assert_accepted(self.create(graph("existing", {"W": worker()}, {
            "pvcs": [{"name": "cache"}, {"name": "cache", "create": False}]})))
        for absent in ("size", "storageClass", "volumeAccessMode"):
            part = {name: value for name, value in claim.items() if name != absent}
            self.assert_refused_by_definition(
                self.create(graph("part", {"W": worker()}, {"pvcs": [claim, part]})),
                "spec.pvcs[1]: ", "a claim with create true must have size, storageClass and "
                "volumeAccessMode")

    def test_enabled_checkpoint_requires_a_reference(self):
        for number, good in enumerate(({"enabled": True, "checkpointRef": "warm"},
                                       {"enabled": True, "identity": IDENTITY},
                                       {"enabled": False}, {})):
            self.assert_accepted(self.create(graph(f"good-{number}", {
                "Worker": worker(checkpoint=good)})))
        for bad in ({"enabled": True}, {"enabled": True, "checkpointRef": ""}):
            for each, field in (
                    (graph("bad", {"Worker": worker(checkpoint=bad)}),
                     "spec.services[Worker].checkpoint: "),
                    (thing("DynamoComponentDeployment", "bad", worker(checkpoint=bad)),
                     "spec.checkpoint: ")):
                self.assert_refused_by_definition(
                    self.create(each), field, "an enabled checkpoint must have a checkpointRef, or an "
                    "identity with model and backendFramework")

    def test_checkpoint_identity_is_immutable(self):
        self.assert_accepted(self.create(checkpoint("warm")))
        # Written explicitly, the defaults are the same identity.
        self.assert_accepted(self.patch("dckpt", "warm", json.dumps({"spec": {
            "identity": {**IDENTITY, "tensorParallelSize": 1}}})))
        self.assert_refused_by_definition(
            self.patch("dckpt", "warm", '{"spec": {"identity": {"dtype": "bfloat16"}}}'),
            "spec.identity: ", "must stay as it was created")

    def test_object_without_spec_is_refused(self):
        for kind in ("DynamoCheckpoint", "DynamoComponentDeployment", "DynamoGraphDeployment",
                     "DynamoGraphDeploymentRequest", "DynamoGraphDeploymentScalingAdapter",
                     "DynamoModel", "DynamoWorkerMetadata"):
            bare = thing(kind, "bare", {})
            del bare["spec"]
            self.assert_refused_by_definition(self.create(bare), "spec: Required value")

    def test_values_out_of_bounds_are_refused(self):
        for spec, words in (
            ({"services": {f"S{number}": worker() for number in range(26)}}, "at most 25 items"),
            ({"services": {"W": worker(replicas=-1)}}, "greater than or equal to 0"),
            ({"services": {"W": worker(multinode={"nodeCount": 1})}}, "greater than or equal to 2"),
            ({"services": {"W": worker(resources={"limits": {"gpu": 1}})}}, "must be of type string"),
            ({"services": {"W": worker()}, "backendFramework": "vLLM"}, "supported values"),
            ({"services": {"W": worker()}, "pvcs": [{"name": f"c-{n}"} for n in range(101)]},
             "at most 100 items"),
            ({"services": {"W": worker(sharedMemory={"size": "16 Gi"})}}, "should match"),
        ):
            with self.subTest(words):
                self.assert_refused_by_definition(
                    self.create(thing("DynamoGraphDeployment", "bad", spec)), words)

    def test_misspelt_field_is_refused(self):
        result = self.create(graph("chat", {"Worker": worker(extraPodspec={})}))
        self.assert_refused_by_definition(result, 'unknown field "spec.services.Worker.extraPodspec"')


class PreservedFields(ClusterTest):
    def stored(self, resource, each):
        result = self.create(each)
        self.assert_accepted(result)
        return self.kubectl.get(resource, each["metadata"]["name"])["spec"]

    def test_pod_template_keeps_labels_and_annotations(self):
        metadata = {"labels": {"team": "chat"}, "annotations": {"example.com/note": "warm"},
                    "finalizers": ["example.com/cleanup"]}
        spec = self.stored("dckpt", checkpoint("warm", template={"metadata": metadata}))
        self.assertEqual(spec["job"]["podTemplateSpec"]["metadata"], metadata)

    def test_claim_template_keeps_labels_and_annotations(self):
        template = {"metadata": {"labels": {"team": "chat"}, "annotations": {"a": "b"}},
                    "spec": {"accessModes": ["ReadWriteOnce"],
                             "resources": {"requests": {"storage": "10Gi"}}}}
        volumes = [{"name": "scratch", "ephemeral": {"volumeClaimTemplate": template}}]
        pod = {"volumes": volumes, "mainContainer": {"image": IMAGE}}
        for resource, each in (
                ("dgd", graph("chat", {"Worker": worker(extraPodSpec=pod)})),
                ("dcd", thing("DynamoComponentDeployment", "chat", worker(extraPodSpec=pod)))):
            self.assertIn(json.dumps(template, sort_keys=True),
                          json.dumps(self.stored(resource, each), sort_keys=True))

    def test_endpoint_picker_plugin_keeps_parameters(self):
        config = {"plugins": [{"type": "kv-aware-scorer", "parameters": {
            "blockSize": 16, "weights": [0.5, None], "deep": {"er": True}}}],
            "schedulingProfiles": [{"name": "default", "plugins": [{"pluginRef": "kv-aware-scorer"}]}],
            "ofALaterVersion": {"kept": [1]}}
        epp = worker(componentType="epp", eppConfig={"config": config})
        spec = self.stored("dgd", graph("chat", {"Epp": epp}))
        self.assertEqual(spec["services"]["Epp"]["eppConfig"]["config"], config)

    def test_profiler_settings_and_worker_data_are_kept(self):
        self.assertEqual(self.stored("dgdr", request("tune"))["profilingConfig"]["config"],
                         {"sla": {"ttft": 200.5}})
        data = {"endpoints": [{"port": 9090, "tags": None}]}
        self.assertEqual(self.stored("dwm", thing("DynamoWorkerMetadata", "pod-1", {"data": data})),
                         {"data": data})

    def test_generated_graph_in_status_is_kept(self):
        self.stored("dgdr", request("tune"))
        generated = graph("generated", {"Worker": {**worker(), "ofALaterVersion": 1}})
        self.assert_accepted(self.patch("dgdr", "tune", json.dumps({"status": {
            "generatedDeployment": generated}}), "--subresource", "status"))
        self.assertEqual(self.kubectl.get("dgdr", "tune")["status"]["generatedDeployment"], generated)

    def test_conditions_of_two_writers_are_merged(self):
        self.stored("dgd", graph("chat", {"Worker": worker()}))
        for manager, type_ in (("operator", "Ready"), ("planner", "Planned")):
            report = graph("chat", {})
            del report["spec"]
            report["status"] = {"conditions": [condition(type_, "True")]}
            self.assert_accepted(self.apply(report, "--server-side", "--subresource", "status",
                                            "--field-manager", manager))
        stored = self.kubectl.get("dgd", "chat")["status"]["conditions"]
        self.assertEqual({each["type"] for each in stored}, {"Ready", "Planned"})

    def test_duplicates_in_our_lists_are_kept(self):
        variables = [{"name": "A", "value": "1"}, {"name": "A", "value": "2"}]
        spec = self.stored("dgd", graph("chat", {"Worker": worker()}, {"envs": variables}))
        self.assertEqual(spec["envs"], variables)

    def test_defaults_apply_only_to_present_blocks(self):
        spec = self.stored("dgd", graph("chat", {"Worker": worker(
            multinode={}, checkpoint={}, scalingAdapter={})}, {"restart": {"id": "1", "strategy": {}}}))
        self.assertEqual(spec["services"]["Worker"], worker(
            multinode={"nodeCount": 2}, checkpoint={"enabled": False, "mode": "Auto"},
            scalingAdapter={"enabled": False}))
        self.assertEqual(spec["restart"]["strategy"], {"type": "Sequential"})
