#!/usr/bin/env python3
"""Guarantees of the custom resource definitions for users.

The definitions come from the generator, before they become text; another test compares the chart
dynamo-crds with them. The complete field lists below omit fields of Kubernetes core types."""

import base64
import gzip
import json
import sys
import unittest
from pathlib import Path

import yaml

CRDS = Path(__file__).resolve().parent.parent.parent / "deploy/crds"
sys.dont_write_bytecode = True
sys.path.insert(0, str(CRDS))

from generator import crds, sources  # noqa: E402
from generator.model import FIRST  # noqa: E402

ALL, METADATA = sources.read(CRDS / "sources")
# The first generation only.
RESOURCES = [resource for resource in ALL if resource.api == FIRST]
BY_SHORT_NAME = {resource.short_name: resource for resource in RESOURCES}

# kubectl apply stores the whole CRD in an annotation of the object, and the API server limits
# annotations to this size.
APPLY_LIMIT = 262144
# A Helm release is a Secret.
HELM_LIMIT = 1048576


def nodes(schema, path=""):
    """(path, schema) of every node; [] is any element and {} any value."""
    yield path, schema
    for name, each in schema.properties.items():
        yield from nodes(each, f"{path}.{name}" if path else name)
    if schema.each:
        yield from nodes(schema.each, path + ("[]" if schema.type == "array" else "{}"))


def own_nodes(schema, path=""):
    """Like nodes(), without the content of Kubernetes core types, pod specs and containers."""
    yield path, schema
    if "/" in schema.name or schema.name == "MainContainer":
        return
    for name, each in schema.properties.items():
        if schema.name != "ExtraPodSpec" or name == "mainContainer":
            yield from own_nodes(each, f"{path}.{name}" if path else name)
    if schema.each:
        yield from own_nodes(schema.each, path + ("[]" if schema.type == "array" else "{}"))


def at(short_name, path):
    return dict(nodes(BY_SHORT_NAME[short_name].schema))[path]


def collect(value_of, without=("dcd",)):
    """The values of value_of for each own node that has one. Omits the spec of a DCD, which is that of
    a service of a DGD."""
    return {f"{short_name} {path}": value
            for short_name, resource in sorted(BY_SHORT_NAME.items()) if short_name not in without
            for path, node in own_nodes(resource.schema) if (value := value_of(node))}


def bounds(node):
    return {name: value for name in ("minimum", "maximum", "min_length", "max_length", "min_items",
                                     "max_items", "max_properties")
            if (value := getattr(node, name)) is not None}


class Definitions(unittest.TestCase):
    maxDiff = None

    def test_seven_crds_have_the_names_of_clients(self):
        self.assertEqual(
            {(each.kind, each.list_kind, each.plural, each.singular, each.short_name)
             for each in RESOURCES},
            {(kind, kind + "List", plural, kind.lower(), short_name) for kind, plural, short_name in (
                ("DynamoCheckpoint", "dynamocheckpoints", "dckpt"),
                ("DynamoComponentDeployment", "dynamocomponentdeployments", "dcd"),
                ("DynamoGraphDeployment", "dynamographdeployments", "dgd"),
                ("DynamoGraphDeploymentRequest", "dynamographdeploymentrequests", "dgdr"),
                ("DynamoGraphDeploymentScalingAdapter", "dynamographdeploymentscalingadapters",
                 "dgdsa"),
                ("DynamoModel", "dynamomodels", "dm"),
                ("DynamoWorkerMetadata", "dynamoworkermetadatas", "dwm"))})
        for resource in RESOURCES:
            spec = crds.definition([resource])["spec"]
            self.assertEqual((spec["group"], spec["scope"]), ("nvidia.com", "Namespaced"))
            self.assertEqual([(v["name"], v["served"], v["storage"]) for v in spec["versions"]],
                             [("v1alpha1", True, True)])

    def test_chart_uninstall_keeps_all_but_worker_metadata(self):
        kept = {short_name for short_name, resource in BY_SHORT_NAME.items()
                if crds.definition([resource])["metadata"].get("annotations") ==
                {"helm.sh/resource-policy": "keep"}}
        self.assertEqual(kept, set(BY_SHORT_NAME) - {"dwm"})

    def test_printer_columns_are_as_listed(self):
        age = ("Age", "date", ".metadata.creationTimestamp")
        self.assertEqual(
            {short_name: [(c.name, c.type, c.path) for c in resource.columns]
             for short_name, resource in BY_SHORT_NAME.items()},
            {
                "dckpt": [("Model", "string", ".spec.identity.model"),
                          ("Backend", "string", ".spec.identity.backendFramework"),
                          ("Phase", "string", ".status.phase"),
                          ("Hash", "string", ".status.identityHash"), age],
                "dcd": [("DynamoComponent", "string", ".spec.serviceName"),
                        ("Available", "string",
                         ".status.conditions[?(@.type=='Available')].status"),
                        ("Backend", "string", ".spec.backendFramework"), age],
                "dgd": [("Ready", "string", '.status.conditions[?(@.type=="Ready")].status'),
                        ("Backend", "string", ".spec.backendFramework"), age],
                "dgdr": [("Model", "string", ".spec.model"), ("Backend", "string", ".status.backend"),
                         ("State", "string", ".status.state"),
                         ("DGD-State", "string", ".status.deployment.state"), age],
                "dgdsa": [("DGD", "string", ".spec.dgdRef.name"),
                          ("SERVICE", "string", ".spec.dgdRef.serviceName"),
                          ("REPLICAS", "integer", ".status.replicas"), ("AGE", *age[1:])],
                "dm": [("BaseModel", "string", ".spec.baseModelName"),
                       ("Type", "string", ".spec.modelType"),
                       ("Ready", "integer", ".status.readyEndpoints"),
                       ("Total", "integer", ".status.totalEndpoints"), age],
                "dwm": [age],
            })

    def test_every_column_shows_a_field_that_exists(self):
        for short_name, resource in BY_SHORT_NAME.items():
            paths = dict(nodes(resource.schema))
            for column in resource.columns:
                path = column.path.removeprefix(".").split("[?")[0]
                self.assertIn(path, {*paths, "metadata.creationTimestamp"}, short_name)

    def test_status_and_scale_subresources_are_defined(self):
        found = {short_name: crds.definition([resource])["spec"]["versions"][0].get("subresources")
                 for short_name, resource in BY_SHORT_NAME.items()}
        scale = {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas",
                 "labelSelectorPath": ".status.selector"}
        self.assertEqual(found, {"dcd": {"status": {}}, "dckpt": {"status": {}}, "dgd": {"status": {}},
                                 "dgdr": {"status": {}}, "dm": {"status": {}}, "dwm": None,
                                 "dgdsa": {"status": {}, "scale": scale}})


class Fields(unittest.TestCase):
    maxDiff = None

    def test_required_fields_are_as_listed(self):
        service = "dgd spec.services{}"
        identity = ("backendFramework", "model")
        replicas = ("componentKind", "componentName", "replicas", "updatedReplicas")
        self.assertEqual(collect(lambda node: "/" not in node.name and node.required), {
            "dckpt ": ("spec",),
            "dckpt spec": ("identity", "job"),
            "dckpt spec.identity": identity,
            "dckpt spec.job": ("podTemplateSpec",),
            "dgd ": ("spec",),
            "dgd spec.pvcs[]": ("name",),
            "dgd spec.restart": ("id",),
            f"{service}.checkpoint.identity": identity,
            f"{service}.eppConfig.config": ("plugins", "schedulingProfiles"),
            f"{service}.eppConfig.config.plugins[]": ("type",),
            f"{service}.eppConfig.config.schedulingProfiles[]": ("name", "plugins"),
            f"{service}.eppConfig.config.schedulingProfiles[].plugins[]": ("pluginRef",),
            f"{service}.modelRef": ("name",),
            f"{service}.multinode": ("nodeCount",),
            f"{service}.volumeMounts[]": ("name",),
            "dgd status.services{}": replicas,
            "dgdr ": ("spec",),
            "dgdr spec": ("backend", "model", "profilingConfig"),
            "dgdr spec.profilingConfig": ("profilerImage",),
            "dgdr spec.profilingConfig.configMapRef": ("name",),
            "dgdsa ": ("spec",),
            "dgdsa spec": ("dgdRef", "replicas"),
            "dgdsa spec.dgdRef": ("name", "serviceName"),
            "dm ": ("spec",),
            "dm spec": ("baseModelName", "modelName"),
            "dm spec.source": ("uri",),
            "dm status": ("readyEndpoints", "totalEndpoints"),
            "dm status.endpoints[]": ("address", "ready"),
            "dwm ": ("spec",),
            "dwm spec": ("data",),
        })
        self.assertEqual(at("dcd", "status").required, ("conditions",))
        self.assertEqual(at("dcd", "status.service").required, replicas)

    def test_enums_are_as_listed(self):
        backends = ("sglang", "trtllm", "vllm")
        self.assertEqual(collect(lambda node: tuple(sorted(node.enum))), {
            "dckpt spec.identity.backendFramework": backends,
            "dckpt status.phase": ("Creating", "Failed", "Pending", "Ready"),
            "dckpt status.storageType": ("oci", "pvc", "s3"),
            "dgd spec.backendFramework": backends,
            "dgd spec.restart.strategy.type": ("Parallel", "Sequential"),
            "dgd spec.services{}.checkpoint.identity.backendFramework": backends,
            "dgd spec.services{}.checkpoint.mode": ("Auto", "Manual"),
            "dgd status.services{}.componentKind":
                ("Deployment", "LeaderWorkerSet", "PodClique", "PodCliqueScalingGroup"),
            "dgdr spec.backend": backends,
            "dm spec.modelType": ("adapter", "base", "lora"),
        })

    def test_defaults_are_as_listed(self):
        service = "dgd spec.services{}"
        defaults = collect(lambda node: node.default is not None and json.dumps(node.default))
        self.assertEqual(defaults, {
            "dckpt spec.identity.pipelineParallelSize": "1",
            "dckpt spec.identity.tensorParallelSize": "1",
            "dckpt spec.job.activeDeadlineSeconds": "3600",
            "dckpt spec.job.backoffLimit": "3",
            "dckpt spec.job.ttlSecondsAfterFinished": "300",
            "dgd spec.restart.strategy.type": '"Sequential"',
            f"{service}.checkpoint.enabled": "false",
            f"{service}.checkpoint.identity.pipelineParallelSize": "1",
            f"{service}.checkpoint.identity.tensorParallelSize": "1",
            f"{service}.checkpoint.mode": '"Auto"',
            f"{service}.multinode.nodeCount": "2",
            f"{service}.scalingAdapter.enabled": "false",
            f"{service}.volumeMounts[].useAsCompilationCache": "false",
            "dgdr spec.autoApply": "false",
            "dgdr spec.enableGpuDiscovery": "false",
            "dgdr spec.profilingConfig.configMapRef.key": '"disagg.yaml"',
            "dgdr spec.useMocker": "false",
            "dm spec.modelType": '"base"',
        })

    def test_bounds_are_as_listed(self):
        service = "dgd spec.services{}"
        replicas = {f"dgd status.services{{}}.{name}": {"minimum": 0}
                    for name in ("availableReplicas", "readyReplicas", "replicas", "updatedReplicas")}
        self.assertEqual(collect(bounds), {
            "dckpt spec.identity.maxModelLen": {"minimum": 1},
            "dckpt spec.identity.pipelineParallelSize": {"minimum": 1},
            "dckpt spec.identity.tensorParallelSize": {"minimum": 1},
            "dgd spec.pvcs": {"max_items": 100},
            "dgd spec.restart.id": {"min_length": 1},
            "dgd spec.services": {"max_properties": 25},
            f"{service}.checkpoint.identity.maxModelLen": {"minimum": 1},
            f"{service}.checkpoint.identity.pipelineParallelSize": {"minimum": 1},
            f"{service}.checkpoint.identity.tensorParallelSize": {"minimum": 1},
            f"{service}.multinode.nodeCount": {"minimum": 2},
            f"{service}.replicas": {"minimum": 0},
            **replicas,
            "dgdsa spec.dgdRef.name": {"min_length": 1},
            "dgdsa spec.dgdRef.serviceName": {"min_length": 1},
            "dgdsa spec.replicas": {"minimum": 0},
        })

    def test_cel_rules_are_as_listed(self):
        checkpoint = ("!self.enabled || (has(self.checkpointRef) && size(self.checkpointRef) > 0) || "
                      "(has(self.identity) && has(self.identity.model) && "
                      "has(self.identity.backendFramework))")
        self.assertEqual(collect(lambda node: [rule.rule for rule in node.rules], without=()), {
            "dckpt ": ["!has(oldSelf.spec.identity) || self.spec.identity == oldSelf.spec.identity"],
            "dgd spec.pvcs[]": ["!has(self.create) || self.create == false || (has(self.size) && "
                                "has(self.storageClass) && has(self.volumeAccessMode))"],
            "dgd spec.services{}.checkpoint": [checkpoint],
            "dcd spec.checkpoint": [checkpoint],
        })

    def test_identity_change_is_reported_at_the_identity(self):
        rule, = crds.schema(BY_SHORT_NAME["dckpt"].schema)["x-kubernetes-validations"]
        self.assertEqual(rule["fieldPath"], ".spec.identity")

    def test_component_has_service_fields_and_backend(self):
        service = at("dgd", "spec.services{}").properties
        self.assertEqual(at("dcd", "spec").properties,
                         {**service, "backendFramework": at("dcd", "spec.backendFramework")})
        self.assertEqual(set(at("dcd", "spec.backendFramework").enum), {"sglang", "vllm", "trtllm"})

    def test_formats_are_as_listed(self):
        service = "dgd spec.services{}"
        replicas = {f"dgd status.services{{}}.{name}": "int32"
                    for name in ("availableReplicas", "readyReplicas", "replicas", "updatedReplicas")}
        self.assertEqual(collect(lambda node: node.format), {
            "dckpt spec.identity.maxModelLen": "int32",
            "dckpt spec.identity.pipelineParallelSize": "int32",
            "dckpt spec.identity.tensorParallelSize": "int32",
            "dckpt spec.job.activeDeadlineSeconds": "int64",
            "dckpt spec.job.backoffLimit": "int32",
            "dckpt spec.job.ttlSecondsAfterFinished": "int32",
            "dckpt status.createdAt": "date-time",
            f"{service}.checkpoint.identity.maxModelLen": "int32",
            f"{service}.checkpoint.identity.pipelineParallelSize": "int32",
            f"{service}.checkpoint.identity.tensorParallelSize": "int32",
            f"{service}.multinode.nodeCount": "int32",
            f"{service}.replicas": "int32",
            **replicas,
            "dgdr status.observedGeneration": "int64",
            "dgdsa spec.replicas": "int32",
            "dgdsa status.lastScaleTime": "date-time",
            "dgdsa status.replicas": "int32",
        })
        # The written format is the one that was read.
        self.assertEqual(crds.schema(at("dgdsa", "status.lastScaleTime"))["format"], "date-time")

    def test_pod_lists_are_keyed_like_kubernetes(self):
        keyed = {path.removeprefix("spec.extraPodSpec."): node.list_keys
                 for path, node in nodes(BY_SHORT_NAME["dcd"].schema)
                 if path.count(".") <= 3 and path.startswith("spec.extraPodSpec.")
                 and node.list_type == "map"}
        container = {"env": ("name",), "ports": ("containerPort", "protocol"),
                     "volumeDevices": ("devicePath",), "volumeMounts": ("mountPath",)}
        self.assertEqual(keyed, {
            **{name: ("name",) for name in (
                "containers", "ephemeralContainers", "imagePullSecrets", "initContainers",
                "resourceClaims", "schedulingGates", "volumes", "resources.claims")},
            "hostAliases": ("ip",),
            "topologySpreadConstraints": ("topologyKey", "whenUnsatisfiable"),
            **{f"{place}.{name}": keys for name, keys in container.items()
               for place in ("containers[]", "ephemeralContainers[]", "initContainers[]",
                             "mainContainer")},
        })
        self.assertEqual(at("dcd", "spec.extraPodSpec.tolerations").list_type, "atomic")

    def test_selectors_are_replaced_as_a_whole(self):
        for path in ("spec.extraPodSpec.nodeSelector", "spec.eppConfig.configMapRef",
                     "spec.extraPodSpec.imagePullSecrets[]"):
            self.assertEqual(crds.schema(at("dcd", path)).get("x-kubernetes-map-type"), "atomic", path)

    def test_generated_graph_is_an_embedded_object(self):
        generated = crds.schema(at("dgdr", "status.generatedDeployment"))
        self.assertIs(generated["x-kubernetes-embedded-resource"], True)
        self.assertIs(generated["x-kubernetes-preserve-unknown-fields"], True)

    def test_service_resources_are_strings_and_sizes_quantities(self):
        for path in ("cpu", "memory", "gpu", "gpuType", "custom{}"):
            self.assertEqual(at("dgd", f"spec.services{{}}.resources.limits.{path}").type, "string")
        for path in ("spec.pvcs[].size", "spec.services{}.sharedMemory.size"):
            self.assertEqual(at("dgd", path).type, "int-or-string")
            self.assertRegex("100Gi", at("dgd", path).pattern)
            self.assertNotRegex("100 Gi", at("dgd", path).pattern)


class Repairs(unittest.TestCase):
    """Fixes of earlier definitions of this API, which lost user data or accepted invalid objects."""

    def test_an_object_without_a_spec_is_refused(self):
        for resource in RESOURCES:
            self.assertEqual(crds.schema(resource.schema)["required"], ["spec"])

    def test_endpoint_picker_plugin_parameters_are_any_object(self):
        for short_name, prefix in (("dgd", "spec.services{}"), ("dcd", "spec")):
            parameters = at(short_name, f"{prefix}.eppConfig.config.plugins[].parameters")
            self.assertEqual((parameters.type, parameters.preserve_unknown), ("object", True))

    def test_labels_and_annotations_of_embedded_templates_are_kept(self):
        templates = [(short_name, path, node) for short_name, resource in BY_SHORT_NAME.items()
                     for path, node in nodes(resource.schema) if path.endswith(".metadata")]
        self.assertEqual(
            {(short_name, path) for short_name, path, _ in templates},
            {("dckpt", "spec.job.podTemplateSpec.metadata"),
             *((short_name, f"{pod}.volumes[].ephemeral.volumeClaimTemplate.metadata")
               for short_name, pod in (("dckpt", "spec.job.podTemplateSpec.spec"),
                                       ("dgd", "spec.services{}.extraPodSpec"),
                                       ("dcd", "spec.extraPodSpec")))})
        for _, path, node in templates:
            self.assertEqual(set(node.properties),
                             {"annotations", "finalizers", "labels", "name", "namespace"}, path)

    def test_only_conditions_are_keyed_lists(self):
        keyed = collect(lambda node: (node.list_type, node.list_keys) if node.list_type else None,
                        without=())
        self.assertEqual(keyed, {f"{short_name} status.conditions": ("map", ("type",))
                                 for short_name in ("dckpt", "dcd", "dgd", "dgdr", "dm")})

    def test_main_container_name_and_containers_are_optional(self):
        for short_name, prefix in (("dgd", "spec.services{}"), ("dcd", "spec")):
            self.assertEqual(at(short_name, f"{prefix}.extraPodSpec").required, ())
            self.assertEqual(at(short_name, f"{prefix}.extraPodSpec.mainContainer").required, ())
        self.assertEqual(at("dckpt", "spec.job.podTemplateSpec.spec").required, ("containers",))


class Text(unittest.TestCase):
    def json_of(self, resource):
        """As kubectl writes it into the annotation; Go escapes three more characters."""
        text = json.dumps(crds.definition([resource]), separators=(",", ":"), ensure_ascii=False)
        for character in "<>&":
            text = text.replace(character, f"\\u{ord(character):04x}")
        return text.encode()

    def test_each_fits_in_the_kubectl_apply_annotation(self):
        for resource in RESOURCES:
            self.assertLess(len(self.json_of(resource)), APPLY_LIMIT, resource.kind)

    def test_all_fit_in_a_third_of_helm_release(self):
        together = b"".join(self.json_of(resource) for resource in RESOURCES)
        self.assertLess(len(base64.b64encode(gzip.compress(together))), HELM_LIMIT / 3)

    def test_every_field_has_a_description_for_kubectl_explain(self):
        for resource in RESOURCES:
            for path, node in nodes(resource.schema):
                # The list describes elements that are plain values.
                if not path.endswith(("[]", "{}")):
                    self.assertRegex(node.description, r"^[A-Za-z$][^\n]*\.$", f"{resource.kind} {path}")

    def test_yaml_matches_the_definition(self):
        for resource in RESOURCES:
            text = crds.render([resource])
            loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
            self.assertEqual(yaml.load(text, loader), crds.definition([resource]))


if __name__ == "__main__":
    unittest.main()
