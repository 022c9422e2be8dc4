#!/usr/bin/env python3
"""Guarantees of the custom resource definitions for the later generation of operators."""

import json
import sys
import unittest
from pathlib import Path

CRDS = Path(__file__).resolve().parent.parent.parent / "deploy/crds"
sys.dont_write_bytecode = True
sys.path.insert(0, str(CRDS))

from generator import crds, sources  # noqa: E402

from crds_test import APPLY_LIMIT, nodes  # noqa: E402

RESOURCES, _ = sources.read(CRDS / "sources")
LATER = crds.by_kind(RESOURCES, "later")
BY_NAME = {versions[-1].short_name: versions for versions in LATER.values()}
BOTH = {"dgd", "dcd", "dgdr", "dgdsa"}


def json_of(value):
    """As kubectl writes it into the annotation; Go escapes three more characters."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text.encode()


def rules_of(short_name, version):
    resource, = (each for each in BY_NAME[short_name] if each.api.version == version)
    return {path: [rule.name for rule in node.rules] for path, node in nodes(resource.schema) if node.rules}


class Versions(unittest.TestCase):
    maxDiff = None

    def test_four_kinds_have_two_versions(self):
        for name, versions in BY_NAME.items():
            found = [(each["name"], each["served"], each["storage"], each.get("deprecated", False))
                     for each in crds.definition(versions)["spec"]["versions"]]
            self.assertEqual(found, [("v1alpha1", True, False, True), ("v1beta1", True, True, False)]
                             if name in BOTH else [("v1alpha1", True, True, False)], name)

    def test_deprecated_version_names_its_replacement(self):
        versions = crds.definition(BY_NAME["dgd"])["spec"]["versions"]
        self.assertEqual(versions[0]["deprecationWarning"], "nvidia.com/v1alpha1 DynamoGraphDeployment is deprecated; "
                         "use nvidia.com/v1beta1 DynamoGraphDeployment")
        self.assertNotIn("deprecationWarning", versions[1])

    def test_kinds_with_two_versions_name_the_conversion_webhook(self):
        for name, versions in BY_NAME.items():
            conversion = crds.definition(versions)["spec"].get("conversion")
            self.assertEqual(conversion, {"strategy": "Webhook", "webhook": {
                "clientConfig": {"service": {"namespace": "dynamo-system", "name": "dynamo-operator-webhook-service",
                                             "path": "/convert"}},
                "conversionReviewVersions": ["v1"]}} if name in BOTH else None, name)

    def test_names_are_those_of_the_first_generation(self):
        first = crds.by_kind(RESOURCES, "first")
        self.assertEqual(list(LATER), list(first))
        for name, versions in LATER.items():
            found, wanted = (crds.definition(each) for each in (versions, first[name]))
            self.assertEqual(found["metadata"], wanted["metadata"])
            self.assertEqual(found["spec"]["names"], wanted["spec"]["names"])

    def test_both_versions_have_the_same_subresources(self):
        for name in BOTH:
            old, new = (each["subresources"] for each in crds.definition(BY_NAME[name])["spec"]["versions"])
            self.assertEqual(old, new)
            self.assertEqual("scale" in new, name == "dgdsa")

    def test_every_column_shows_a_field_that_exists(self):
        for versions in BY_NAME.values():
            for resource in versions:
                paths = dict(nodes(resource.schema))
                for column in resource.columns:
                    path = column.path.removeprefix(".").split("[?")[0]
                    self.assertIn(path, {*paths, "metadata.creationTimestamp"}, resource.kind)


class Text(unittest.TestCase):
    def test_each_leaves_room_in_the_kubectl_apply_annotation(self):
        for versions in BY_NAME.values():
            self.assertLess(len(json_of(crds.definition(versions))), APPLY_LIMIT - 10_000, versions[-1].kind)

    def test_stored_versions_have_descriptions_for_kubectl_explain(self):
        for versions in BY_NAME.values():
            for path, node in nodes(versions[-1].schema):
                if not path.endswith(("[]", "{}")):
                    self.assertRegex(node.description, r"^[A-Za-z$][^\n]*\.$", f"{versions[-1].kind} {path}")

    def test_deprecated_versions_have_no_descriptions(self):
        versions = crds.definition(BY_NAME["dgd"])["spec"]["versions"]
        self.assertNotIn(b'"description"', json_of(versions[0]).replace(b'"description":{', b""))
        self.assertIn(b'"description"', json_of(versions[1]))


class Rules(unittest.TestCase):
    maxDiff = None

    def test_first_version_has_these_rules(self):
        service = {"": ["min-available", "min-available-unchanged"], ".checkpoint": ["checkpoint-job"],
                   ".gpuMemoryService": ["gms-client-containers", "gms-client-pods", "gms-client-pods-reserved"],
                   ".sharedMemory": ["shared-memory-size"]}
        self.assertEqual(rules_of("dcd", "v1alpha1"), {f"spec{path}": names for path, names in service.items()})
        self.assertEqual(rules_of("dgd", "v1alpha1"), {
            "spec": ["restart-on-create"], "spec.pvcs[]": ["claim-creation"],
            **{f"spec.services{{}}{path}": names for path, names in service.items()},
            "spec.experimental.kvTransferPolicy": ["kv-topology", "kv-preferred-weight", "kv-weight-enforcement"],
            "spec.experimental.kvTransferPolicy.labelKey": ["label-prefix"]})
        self.assertEqual(rules_of("dckpt", "v1alpha1"), {
            "": ["identity-unchanged"], "spec.gpuMemoryService": service[".gpuMemoryService"],
            "spec.job.sharedMemory": ["shared-memory-size"]})

    def test_stored_version_has_these_rules(self):
        component = {
            "": ["epp-config-type", "min-available", "min-available-unchanged"], ".eppConfig": ["epp-config-source"],
            ".experimental.checkpoint": ["checkpoint-job"],
            ".experimental.gpuMemoryService": ["gms-client-containers", "gms-client-pods", "gms-client-pods-reserved"],
            ".podTemplate.metadata.annotations": ["executor-backend"],
            ".podTemplate.spec.containers[]": ["container-image"],
            ".podTemplate.spec.initContainers[]": ["init-container-image"]}
        self.assertEqual(rules_of("dcd", "v1beta1"), {f"spec{path}": names for path, names in component.items()})
        self.assertEqual(rules_of("dgd", "v1beta1"), {
            "spec": ["restart-on-create"], "spec.components": ["single-epp", "component-names"],
            **{f"spec.components[]{path}": names for path, names in component.items()},
            "spec.experimental.kvTransferPolicy": ["kv-topology", "kv-preferred-weight", "kv-weight-enforcement"],
            "spec.experimental.kvTransferPolicy.labelKey": ["label-prefix"]})

    def test_creation_rule_runs_without_old_value(self):
        found = {rule["rule"] for versions in BY_NAME.values() for resource in versions
                 for _, node in nodes(resource.schema)
                 for rule in crds.schema(node).get("x-kubernetes-validations", []) if rule.get("optionalOldSelf")}
        self.assertEqual(found, {"oldSelf.hasValue() || !has(self.restart)"})


if __name__ == "__main__":
    unittest.main()
