"""The reports of dynamo-reconciler for each kind, valid and invalid: as companion of the Go operator
and as its replacement, in one namespace and in the whole cluster, with and without webhooks. One
row per kind, one reconciler per test."""

import json
import time

from harness.processes import RetryError

from .reconciler_fixture import OWN, SOON, ReconcilerTest
from .support import IMAGE, NO_HOST, graph, takes_long, thing, wait_until, worker

CONTAINER = {"name": "main", "image": IMAGE, "command": ["python3"], "args": ["-m", "dynamo.vllm"],
             "resources": {"limits": {"nvidia.com/gpu": "1"}}}
REQUEST = {"model": "Qwen/Qwen3-0.6B", "backend": "vllm",
           "deploymentOverrides": {"workersImage": IMAGE}}
SLA = {"sla": {"isl": 3000, "osl": 150, "ttft": 200, "itl": 20}}


def component(**more):
    return worker(serviceName="Worker", dynamoNamespace="dynamo", **more)


def request(name, image):
    return thing("DynamoGraphDeploymentRequest", name, {
        **REQUEST, "profilingConfig": {"profilerImage": image, "config": SLA}})


def checkpoint(name, **job):
    return thing("DynamoCheckpoint", name, {
        "identity": {"model": "Qwen/Qwen3-0.6B", "backendFramework": "vllm"},
        "job": {"podTemplateSpec": {"spec": {"restartPolicy": "Never", "containers": [CONTAINER]}},
                **job}})


def adapter(name, replicas, service):
    return thing("DynamoGraphDeploymentScalingAdapter", name,
                 {"replicas": replicas, "dgdRef": {"name": "g", "serviceName": service}})


# The objects of each row: resource, valid, invalid. The definitions accept the invalid ones, except
# for the adapter, which simulates an object from before its definition became strict.
OBJECTS = {
    "DynamoGraphDeployment": ("dgd", graph("good", {"Worker": worker()}),
                              graph("bad", {"Worker": worker(**NO_HOST)})),
    "DynamoComponentDeployment": ("dcd", thing("DynamoComponentDeployment", "good", component()),
                                  thing("DynamoComponentDeployment", "bad", component(**NO_HOST))),
    "DynamoModel": ("dm", thing("DynamoModel", "good", {"modelName": "a", "baseModelName": "b"}),
                    thing("DynamoModel", "bad", {"modelName": "a", "baseModelName": "b",
                                                 "modelType": "lora"})),
    "DynamoGraphDeploymentRequest": ("dgdr", request("good", IMAGE), request("bad", "")),
    "DynamoCheckpoint": ("dckpt", checkpoint("good"), checkpoint("bad", activeDeadlineSeconds=-3600)),
    "DynamoGraphDeploymentScalingAdapter": ("dgdsa", adapter("good", 1, "Decode"),
                                            adapter("bad", 1, "")),
}
# A request past its first state, which the operator no longer reconciles.
LATER = request("later", "")

DEFINITION = "dynamographdeploymentscalingadapters.nvidia.com"
LEAST = ("/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/dgdRef/properties/"
         "serviceName/minLength")

FAILED, PASSED = ("False", "ValidationFailed"), ("True", "ValidationPassed")
# As replacement, for each object of a kind without a controller in the reconciler.
UNSERVED = {kind: {"Served": ("False", "NoController")}
            for kind in ("DynamoGraphDeploymentRequest", "DynamoCheckpoint")}
# Reports as replacement: the condition and state of the invalid object, and the condition of the
# valid one. Other objects get no report.
REPLACEMENT = {
    "DynamoGraphDeployment": ({"Ready": FAILED}, "failed", {}),
    "DynamoComponentDeployment": ({"Valid": FAILED}, None, {"Valid": PASSED}),
    "DynamoModel": ({"Valid": FAILED}, None, {"Valid": PASSED}),
    "DynamoGraphDeploymentRequest": ({"Validation": FAILED}, "Failed", {}),
}


class Matrix(ReconcilerTest):
    def setUp(self):
        super().setUp()
        self.set_minimum_length(0)
        self.addCleanup(self.set_minimum_length, 1)
        *others, (_, good, old) = OBJECTS.values()
        self.make({"apiVersion": "v1", "kind": "List",
                   "items": [LATER, good, *(each for _, *both in others for each in both)]})
        wait_until("its definition letting it through", lambda: self.kubectl.run(
            "create", "--filename", "-", stdin=old).ok, SOON)
        self.set_minimum_length(1)
        self.kubectl.must("patch", "dgdr", "later", "--subresource", "status", "--type", "merge", "--patch",
                          json.dumps({"status": {"state": "Profiling", "backend": "vllm"}}))

    def set_minimum_length(self, least):
        """Sets the minimum length of the service name of an adapter."""
        self.admin.must("patch", "crd", DEFINITION, "--type", "json", "--patch", json.dumps(
            [{"op": "replace", "path": LEAST, "value": least}]))

    # --- Reports.

    def reported(self, resource, name):
        """The conditions as {type: (status, reason)}, and the state."""
        found = self.kubectl.get(resource, name)
        status = found.get("status", {})
        for each in status.get("conditions", []):
            self.assertEqual(each["observedGeneration"], found["metadata"]["generation"], name)
        return ({each["type"]: (each["status"], each["reason"]) for each in status.get("conditions", [])},
                status.get("state"))

    def reported_by_events(self, kind, reason="ValidationFailed"):
        return sorted(each["regarding"]["name"] for each in self.kubectl.get("events.events.k8s.io")["items"]
                      if each["regarding"]["kind"] == kind and each["reason"] == reason)

    def assert_reported(self, expected):
        """`expected`: {(kind, name): (conditions, state)}, for all objects."""
        resources = {kind: resource for kind, (resource, *_) in OBJECTS.items()}

        def all_reported():
            for (kind, name), wanted in expected.items():
                found = self.reported(resources[kind], name)
                if found != wanted:
                    raise RetryError(f"{kind} {name}: {found} is reported, and not {wanted}")
            return True

        wait_until("what is reported of each kind", all_reported, SOON)
        # Admission records are written later.
        wait_until("an end of writes", self.has_no_writes, SOON)
        all_reported()

    def has_no_writes(self):
        before = [self.versions(resource) for resource, *_ in OBJECTS.values()]
        time.sleep(2)
        return [self.versions(resource) for resource, *_ in OBJECTS.values()] == before

    def assert_events(self, expected, later):
        """`expected`: the kinds whose invalid object has its one event; `later`: so has LATER."""
        kinds = {kind: ["bad"] if kind in expected else [] for kind in OBJECTS}
        if later:
            kinds["DynamoGraphDeploymentRequest"].append("later")

        def reported():
            found = {kind: self.reported_by_events(kind) for kind in OBJECTS}
            if found != kinds:
                raise RetryError(f"{found} have one, and not {kinds}")
            return True

        wait_until("an event of each", reported, SOON)

    def assert_unserved_events(self):
        """One event for each object of an unserved kind."""
        kinds = {kind: ["bad", "good"] for kind in UNSERVED}
        kinds["DynamoGraphDeploymentRequest"].append("later")
        wait_until("an event of each object without a controller", lambda: {
            kind: self.reported_by_events(kind, "NoController") for kind in OBJECTS} == {
                kind: kinds.get(kind, []) for kind in OBJECTS}, SOON)

    # --- The rows.

    def companion(self, everywhere, *flags):
        self.start("reconciler", *flags, everywhere=everywhere)
        expected = {("DynamoGraphDeploymentRequest", "later"): ({OWN: FAILED}, "Profiling")}
        for kind in OBJECTS:
            has_conditions = kind != "DynamoGraphDeploymentScalingAdapter"
            expected[kind, "good"] = ({OWN: PASSED} if has_conditions else {}, None)
            expected[kind, "bad"] = ({OWN: FAILED} if has_conditions else {}, None)
        self.assert_reported(expected)
        self.assert_events(set(OBJECTS), True)

    def replacement(self, everywhere):
        self.start("reconciler", "--mode", "replacement", everywhere=everywhere)
        expected = {("DynamoGraphDeploymentRequest", "later"):
                    (UNSERVED["DynamoGraphDeploymentRequest"], "Profiling")}
        for kind in OBJECTS:
            bad, state, good = REPLACEMENT.get(kind, ({}, None, {}))
            unserved = UNSERVED.get(kind, {})
            expected[kind, "good"] = (good | unserved, None)
            expected[kind, "bad"] = (bad | unserved, state)
        self.assert_reported(expected)
        self.assert_unserved_events()
        # A scaling adapter has no conditions.
        self.assert_events(set(OBJECTS), False)

    def replacement_behind_webhooks(self, everywhere):
        _, metrics = self.start("reconciler", "--mode", "replacement", "--enable-webhooks",
                                everywhere=everywhere)

        def reconciled():
            found = self.metrics(metrics)
            return all(sum(value for name, value in found.items() if name.startswith(
                "dynamo_operator_reconcile_total") and f'"{kind}"' in name and
                f'"{self.namespace}"' in name) >= 2 for kind in OBJECTS)

        wait_until("a reconcile of each", reconciled, SOON)
        expected = {("DynamoGraphDeploymentRequest", "later"):
                    (UNSERVED["DynamoGraphDeploymentRequest"], "Profiling")}
        for kind in OBJECTS:
            unserved = UNSERVED.get(kind, {})
            expected |= {(kind, "good"): (unserved, None), (kind, "bad"): (unserved, None)}
        self.assert_reported(expected)
        self.assert_events(set(), False)
        self.assert_unserved_events()

    def test_companion_reports_in_one_namespace(self):
        self.companion(False)

    def test_companion_reports_in_whole_cluster(self):
        self.companion(True)

    @takes_long
    def test_companion_reports_behind_webhooks(self):
        self.companion(False, "--enable-webhooks")

    @takes_long
    def test_companion_reports_behind_webhooks_in_whole_cluster(self):
        self.companion(True, "--enable-webhooks")

    def test_replacement_reconciles_in_one_namespace(self):
        self.replacement(False)

    def test_replacement_reconciles_in_whole_cluster(self):
        self.replacement(True)

    def test_replacement_reconciles_behind_webhooks_in_one_namespace(self):
        self.replacement_behind_webhooks(False)

    def test_replacement_reconciles_behind_webhooks_in_whole_cluster(self):
        self.replacement_behind_webhooks(True)
