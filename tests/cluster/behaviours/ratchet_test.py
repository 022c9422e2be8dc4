"""Running graphs under rules that became stricter after their admission: unchanged fields stay valid,
in graphs and their owned objects, with and without webhooks; new violations are refused."""

import json

from harness.processes import RetryError

from . import accounts
from .graph_fixture import frontend
from .running_graphs import LONG, RunningGraphTest
from .support import IMAGE, graph, takes_long, wait_until, webhook, worker

VALIDATOR = "stricter"
LENIENT = "version: 1\n"
# A rule that reports nothing by default, and a limit that was not required before.
STRICT = """version: 1
severities: [{rules: pod.image.floating-tag, severity: deny}]
parameters: [{maxReplicasPerService: 1}]
"""
FLOATING = IMAGE.rpartition(":")[0] + ":latest"
REFUSED = ("policy.replicas", "pod.image.floating-tag")


def floating():
    """Two replicas of an image with a moving tag: admitted before the policy forbids both."""
    decode = worker(replicas=2)
    decode["extraPodSpec"]["mainContainer"]["image"] = FLOATING
    return graph("g", {"Frontend": frontend(), "Decode": decode}, {"backendFramework": "vllm"})


class StricterRules(RunningGraphTest):
    def setUp(self):
        super().setUp()
        self.policy = self.state.directory / f"{self.namespace}-policy.yaml"
        self.policy.write_text(LENIENT)
        # The operator's objects were validated with the graph.
        self.validator = self.start_server(VALIDATOR, "--shutdown-delay", "0s", "--policy", str(self.policy),
                                       "--operator-service-account",
                                       f"{self.namespace}/{accounts.OPERATOR_ACCOUNT}")

    def probe(self):
        """The API server's response to such a graph if it is new."""
        probe = floating()
        probe["metadata"]["name"] = "probe"
        return self.kubectl.run("create", "--dry-run=server", "--filename", "-", stdin=probe)

    def set_validator(self, validator):
        self.admin.must("label", "namespace", self.namespace, f"{webhook.VALIDATED_BY}={validator}", "--overwrite")

    def until_refused(self):
        def refused():
            found = self.probe()
            if found.ok or not all(rule in found.stderr for rule in REFUSED):
                raise RetryError(str(found))
            return True

        wait_until("new graphs of that kind being refused", refused, LONG)

    def until_admitted(self):
        wait_until("new graphs of that kind being admitted", lambda: self.probe().ok, LONG)

    def until_rolled(self, value):
        """Waits until the change has reached all pods and the graph is successful."""
        def rolled():
            pods = self.pods("g-decode")
            reported = [{"name": "CHANGED", "value": value} in pod["spec"]["containers"][0]["env"] for pod in pods.values()]
            if reported != [True, True]:
                raise RetryError(f"{self.condition('dcd', 'g-decode', 'Available')}")
            return True

        wait_until(f"pods that have {value}", rolled, LONG)
        self.until_all_are_successful("g")

    def assert_reconciled(self, value):
        """Requested changes reach the pods, and deleted objects are recreated."""
        self.assert_accepted(self.patch("dgd", "g", json.dumps({"spec": {"services": {"Decode": {
            "envs": [{"name": "CHANGED", "value": value}]}}}})))
        self.until_rolled(value)
        before = self.kubectl.get("deployment", "g-decode")["metadata"]["uid"]
        self.kubectl.must("delete", "deployment", "g-decode", "--wait=false")
        wait_until("another Deployment", lambda: before != next(
            (each["metadata"]["uid"] for each in self.kubectl.get("deployments")["items"]
             if each["metadata"]["name"] == "g-decode"), before), LONG)
        self.kubectl.must("label", "dcd", "g-decode", "nvidia.com/dynamo-namespace=elsewhere", "--overwrite")
        wait_until("its label being put back", lambda: self.kubectl.get("dcd", "g-decode")["metadata"]["labels"][
            "nvidia.com/dynamo-namespace"] != "elsewhere", LONG)
        self.delete_component("g-decode")
        wait_until("another component", lambda: "g-decode" in self.names("dcd"), LONG)
        self.until_rolled(value)

    @takes_long
    def test_admitted_graphs_keep_working_under_stricter_rules(self):
        self.set_validator(VALIDATOR)
        self.validated_by(VALIDATOR, self.validator, namespace=self.namespace)
        self.until_admitted()
        self.start("reconciler", "--policy", self.policy)
        self.make(floating())
        self.until_all_are_successful("g")
        self.policy.write_text(STRICT)
        self.until_refused()
        self.assert_reconciled("validated")
        worse = self.patch("dgd", "g", json.dumps({"spec": {"services": {"Decode": {"replicas": 3}}}}))
        self.assertIn("policy.replicas", worse.stderr)
        self.set_validator(webhook.NO_WEBHOOK)
        self.until_admitted()
        self.assert_reconciled("unvalidated")
        self.set_validator(VALIDATOR)
        self.until_refused()
        self.assert_reconciled("validated again")
        self.assertEqual(len(self.pods("g-decode")), 2)
