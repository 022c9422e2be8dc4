"""Graphs that run, under rules that became stricter since they were admitted: what is left as it was is forgiven,
of them and of their children, whether a webhook judges them or nobody does; what becomes worse is refused."""

import json

from harness.processes import NotYet

from . import accounts
from .graphing import frontend
from .living_graphs import LONG, LivingGraphTest
from .support import IMAGE, graph, takes_long, wait_until, webhook, worker

JUDGE = "stricter"
LENIENT = "version: 1\n"
# A rule that says nothing by itself, and a figure that nobody has asked for before.
STRICT = """version: 1
severities: [{rules: pod.image.floating-tag, severity: deny}]
parameters: [{maxReplicasPerService: 1}]
"""
FLOATING = IMAGE.rpartition(":")[0] + ":latest"
REFUSED = ("policy.replicas", "pod.image.floating-tag")


def floating():
    """Two replicas of an image whose tag moves: admitted until either is asked for."""
    decode = worker(replicas=2)
    decode["extraPodSpec"]["mainContainer"]["image"] = FLOATING
    return graph("g", {"Frontend": frontend(), "Decode": decode}, {"backendFramework": "vllm"})


class StricterRules(LivingGraphTest):
    def setUp(self):
        super().setUp()
        self.policy = self.state.directory / f"{self.namespace}-policy.yaml"
        self.policy.write_text(LENIENT)
        # What the operator makes of a graph was judged when the graph was.
        self.judge = self.start_server(JUDGE, "--shutdown-delay", "0s", "--policy", str(self.policy),
                                       "--operator-service-account",
                                       f"{self.namespace}/{accounts.OPERATOR_ACCOUNT}")

    def probe(self):
        """What the API server says of such a graph that is new."""
        probe = floating()
        probe["metadata"]["name"] = "probe"
        return self.kubectl.run("create", "--dry-run=server", "--filename", "-", stdin=probe)

    def be_judged_by(self, judge):
        self.admin.must("label", "namespace", self.namespace, f"{webhook.JUDGED_BY}={judge}", "--overwrite")

    def until_refused(self):
        def refused():
            found = self.probe()
            if found.ok or not all(rule in found.stderr for rule in REFUSED):
                raise NotYet(str(found))
            return True

        wait_until("new graphs of that kind being refused", refused, LONG)

    def until_admitted(self):
        wait_until("new graphs of that kind being admitted", lambda: self.probe().ok, LONG)

    def until_rolled(self, value):
        """To the pods, all of them, and the graph is successful."""
        def rolled():
            pods = self.pods("g-decode")
            told = [{"name": "CHANGED", "value": value} in pod["spec"]["containers"][0]["env"] for pod in pods.values()]
            if told != [True, True]:
                raise NotYet(f"{self.condition('dcd', 'g-decode', 'Available')}")
            return True

        wait_until(f"pods that are told {value}", rolled, LONG)
        self.until_all_are_successful("g")

    def assert_reconciled(self, value):
        """What is asked for reaches the pods, and what is taken away is put back."""
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
    def test_what_was_admitted_before_goes_on_with_webhooks_on_and_off(self):
        self.be_judged_by(JUDGE)
        self.judged_by(JUDGE, self.judge, namespace=self.namespace)
        self.until_admitted()
        self.start("reconciler", "--policy", self.policy)
        self.make(floating())
        self.until_all_are_successful("g")
        self.policy.write_text(STRICT)
        self.until_refused()
        self.assert_reconciled("judged")
        worse = self.patch("dgd", "g", json.dumps({"spec": {"services": {"Decode": {"replicas": 3}}}}))
        self.assertIn("policy.replicas", worse.stderr)
        self.be_judged_by(webhook.NOBODY)
        self.until_admitted()
        self.assert_reconciled("unjudged")
        self.be_judged_by(JUDGE)
        self.until_refused()
        self.assert_reconciled("judged again")
        self.assertEqual(len(self.pods("g-decode")), 2)
