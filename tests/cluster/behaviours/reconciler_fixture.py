"""Shared by tests of dynamo-reconciler as a process."""

import json
import os
import subprocess
import time
import urllib.request

from harness import processes, webhook
from harness.programs import program

from .support import NO_HOST, ClusterTest, wait_until, worker

OWN = "DynamoAdmissionValid"
RECORD = "dynamo-admission/last-admitted"
SOON = 30
QUICK_LEADER = ("--leader-election-lease-duration", "10s", "--leader-election-renew-deadline", "6s",
                "--leader-election-retry-period", "1s")
BAD = {"Worker": worker(**NO_HOST)}
GOOD = {"Worker": worker()}


class ReconcilerTest(ClusterTest):
    """Each test has a namespace that no webhook validates; its reconcilers are restricted to it."""

    LABELS = {webhook.VALIDATED_BY: webhook.NO_WEBHOOK}

    def setUp(self):
        super().setUp()
        self.starts = {}

    # --- Processes.

    def command(self, *flags, everywhere=False):
        scope = () if everywhere else ("--restrictedNamespace", self.namespace)
        return (program("dynamo-reconciler"), "--kubeconfig", self.state.kubeconfig, *scope,
                "--leader-election-namespace", self.namespace, *QUICK_LEADER, *flags)

    def start(self, name="reconciler", *flags, everywhere=False, before=()):
        """Starts a reconciler, as an argument of the command `before`; returns the addresses of its
        probes and metrics."""
        probes, metrics = processes.free_ports(2)
        log = self.state.logs / f"{name}.log"
        self.starts[name] = log.stat().st_size if log.exists() else 0
        self.state.start(name, before + self.command(
            "--health-probe-bind-address", f"127.0.0.1:{probes}",
            "--metrics-bind-address", f"127.0.0.1:{metrics}", *flags, everywhere=everywhere),
            stop_seconds=20)
        self.addCleanup(self.state.forget, name)
        return f"http://127.0.0.1:{probes}", f"http://127.0.0.1:{metrics}/metrics"

    def stop(self, name="reconciler"):
        self.assertTrue(self.state.stop(name), "did not end in its time")

    def signal(self, name, number):
        os.kill(self.state.process(name)["pid"], number)

    def freeze(self, name):
        processes.freeze(self.state.process(name))

    def resume(self, name):
        processes.resume(self.state.process(name))

    def once(self, *flags):
        """Runs a reconciler to its end; returns its result."""
        return subprocess.run([str(word) for word in self.command("--once", *flags)],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
                              check=False)

    def lines(self, name="reconciler"):
        text = (self.state.logs / f"{name}.log").read_bytes()[self.starts[name]:].decode()
        return [json.loads(line) for line in text.splitlines() if line.startswith("{")]

    def has_said(self, message, name="reconciler"):
        return any(line["message"] == message for line in self.lines(name))

    def metrics(self, address):
        with urllib.request.urlopen(address, timeout=5) as answer:
            text = answer.read().decode()
        return {line.rpartition(" ")[0]: float(line.rpartition(" ")[2])
                for line in text.splitlines() if line and not line.startswith("#")}

    # --- Objects.

    def make(self, *objects):
        for each in objects:
            self.kubectl.must("create", "--filename", "-", stdin=each)

    def condition(self, resource, name, kind=OWN):
        status = self.kubectl.get(resource, name).get("status", {})
        return next((each for each in status.get("conditions", []) if each["type"] == kind), None)

    def wait_for(self, resource, name, status, kind=OWN, reason=None, seconds=SOON):
        def found():
            condition = self.condition(resource, name, kind)
            if condition and condition["status"] == status and reason in (None, condition["reason"]):
                return condition
            return None

        return wait_until(f"{kind}={status} of {resource}/{name}", found, seconds)

    def events(self, name, reason):
        return [each for each in self.kubectl.get("events.events.k8s.io")["items"]
                if each["regarding"]["name"] == name and each["reason"] == reason]

    def versions(self, resource="dynamographdeployments"):
        return {each["metadata"]["name"]: each["metadata"]["resourceVersion"]
                for each in self.kubectl.get(resource)["items"]}

    def lack_a_record(self):
        """The valid graphs without a record: first records are written after all verdicts."""
        def valid(each):
            conditions = each.get("status", {}).get("conditions", [])
            return any(one["type"] == OWN and one["status"] == "True" for one in conditions)

        return [each["metadata"]["name"] for each in self.kubectl.get("dynamographdeployments")["items"]
                if valid(each) and RECORD not in each["metadata"].get("annotations", {})]

    def wait_until_records_are_current(self):
        """An object that was admitted and is now refused gets its record, too, a second after the last
        verdict."""
        seen, since = None, 0

        def is_idle():
            nonlocal seen, since
            now = self.versions()
            if now != seen:
                seen, since = now, time.monotonic()
            return time.monotonic() - since > 2

        wait_until("an end of records", is_idle, SOON)

    def assert_is_idle(self, seconds=3):
        wait_until("records of all that is valid", lambda: not self.lack_a_record(), SOON)
        self.wait_until_records_are_current()
        before = self.versions()
        time.sleep(seconds)
        self.assertEqual(self.versions(), before)
