"""Every mistake of a Python caller raises an Error with one line, never another exception."""

import json
import sys

import dynamo_admission
from dynamo_admission import Error, Evaluator, Facts

GRAPH = {
    "apiVersion": "nvidia.com/v1alpha1", "kind": "DynamoGraphDeployment", "metadata": {"name": "a"},
    "spec": {"services": {"A": {"componentType": "frontend", "replicas": -1, "extraPodSpec": {
        "mainContainer": {"image": "example.com/a:1.0"}}}}},
}
POLICY = """version: 1
exemptions:
  - {rules: ["service.*"], holder: a, reason: b, expires: 2026-02-04}
"""


def refused(text, call):
    try:
        call()
    except Error as error:
        assert error.name == "invalid argument", error
        assert "\n" not in str(error) and text in str(error), error
        return
    raise AssertionError(f"no finding for it: {text}")


def main():
    evaluator = Evaluator(policy=POLICY)

    def validated(object=GRAPH, facts=Facts(), **more):
        return evaluator.evaluate("CREATE", object, facts=facts, **more)

    for facts, text in (
        (Facts(operator_generation="x"), "operator_generation must be \"first\", \"later\" or None"),
        (Facts(operator_generation=1), "operator_generation must be"),
        (Facts(now="1"), "now must be"), (Facts(now=float("nan")), "now must be"),
        (Facts(now=float("inf")), "now must be"), (Facts(now=1 << 64), "now must be"),
        (Facts(now=None), "now must be"), (Facts(now=-1), "now must be"),
        (Facts(kubernetes_minor="33"), "kubernetes_minor must be"),
        (Facts(kubernetes_minor=(1 << 32) + 33), "kubernetes_minor must be"),
        (Facts(grove_served="no"), "grove_served must be True, False or None; found 'no'"),
        (Facts(grove_served=2), "grove_served must be"),
    ):
        refused(text, lambda: validated(facts=facts))
        refused(text, lambda: evaluator.review("/x", b"{}", facts=facts))
    refused("must be a string; found int", lambda: validated(user=5))
    refused("UTF-8", lambda: validated(user="\ud800"))
    refused("JSON", lambda: validated(object={"a": {1, 2}}))
    refused("JSON", lambda: Evaluator(settings={"a": object()}))
    refused("must be a string; found list", lambda: Evaluator(policy=[]))

    # Times in Python's form: seconds, with or without fraction.
    for now in (1_770_091_506, 1_770_091_506.75, True + 1_770_091_505):
        assert validated(facts=Facts(now=now)).allowed, now
    assert not validated(facts=Facts(now=1_780_091_506.5)).allowed
    assert not validated().allowed
    assert validated(facts=Facts(now=1_770_091_506, grove_served=1, operator_generation="first")).allowed

    # Unknown fields.
    unknown = {**GRAPH, "spec": {**GRAPH["spec"], "nope": 1}}
    facts = Facts(now=1_770_091_506)
    warned = validated(unknown, facts, with_schema=True)
    assert "schema.unknown-field" in [warning.rule for warning in warned.warnings], warned
    denied = validated(unknown, facts, with_schema=True, strict=True)
    assert "schema.unknown-field" in [cause.rule for cause in denied.causes], denied

    # Conversion there and back.
    beta = dynamo_admission.convert(GRAPH, "nvidia.com/v1beta1")
    assert json.loads(beta)["spec"]["components"][0]["name"] == "A", beta
    alpha = json.loads(dynamo_admission.convert(beta, "nvidia.com/v1alpha1"))
    assert alpha["spec"]["services"]["A"]["replicas"] == -1, alpha
    refused("api_version must be", lambda: dynamo_admission.convert(GRAPH, "nvidia.com/v2"))
    refused("must not be null", lambda: dynamo_admission.convert(None, "nvidia.com/v1beta1"))
    print("fine", dynamo_admission.abi_version())


if __name__ == "__main__":
    sys.exit(main())
