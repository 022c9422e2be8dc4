"""dynamo-reconciler on a real API server with faults of leaders, API servers, clocks and definitions:
all stored objects are validated in the end, and nothing is done twice."""

import datetime
import json
import signal
import threading
import time
import urllib.error

from harness import control_plane
from harness.processes import RetryError

from .connection_fixture import stepping_clock, utc_now
from .reconciler_fixture import BAD, GOOD, SOON, ReconcilerTest
from .support import graph, takes_long, wait_until

FAIL_OVERS = 20
LONGEST_FAIL_OVER = 20
# The last of two equal flags counts.
VERY_QUICK_LEADER = ("--leader-election-lease-duration", "5s", "--leader-election-renew-deadline",
                     "3s", "--leader-election-retry-period", "1s")
USUAL_LEADER = ("--leader-election-lease-duration", "15s", "--leader-election-renew-deadline", "10s",
                "--leader-election-retry-period", "2s")
DEFINITION = "dynamographdeployments.nvidia.com"
CONDITIONS = "/spec/versions/0/schema/openAPIV3Schema/properties/status/properties/conditions"


class ReconcilerFaults(ReconcilerTest):

    def leads(self, address):
        try:
            return self.metrics(address).get("dynamo_reconciler_leads") == 1
        except (OSError, urllib.error.URLError):
            return False  # dead or frozen

    def leader_of(self, metrics):
        return wait_until("a leader", lambda: next(
            (name for name, address in metrics.items() if self.leads(address)), None), LONGEST_FAIL_OVER)

    def wait_until_all_are_reported(self, count, seconds=SOON):
        def reported():
            items = self.kubectl.get("dgd")["items"]
            open_ones = [each["metadata"]["name"] for each in items
                         if not each.get("status", {}).get("conditions")]
            if open_ones or len(items) != count:
                raise RetryError(f"{len(items)} of {count} are there; not reported: {open_ones[:5]}")
            return True

        wait_until("all being reported", reported, seconds)

    # --- Leaders.

    @takes_long
    def test_twenty_leader_failures_cause_no_duplicate_writes(self):
        metrics = {name: self.start(name, *VERY_QUICK_LEADER)[1] for name in ("one", "two")}
        wait_until("a leader", lambda: any(map(self.leads, metrics.values())), SOON)
        over, made = threading.Event(), []

        def stream():
            while not over.is_set():
                name = f"g{len(made):04}"
                self.kubectl.must("create", "--filename", "-", stdin=graph(name, BAD))
                made.append(name)
                over.wait(0.1)

        writer = threading.Thread(target=stream)
        writer.start()
        self.addCleanup(writer.join)
        self.addCleanup(over.set)
        longest = 0
        for turn in range(FAIL_OVERS):
            leader = self.leader_of(metrics)
            other, = set(metrics) - {leader}
            kills = turn % 2 == 0
            if kills:
                self.signal(leader, signal.SIGKILL)
            else:
                self.freeze(leader)
            began = time.monotonic()
            wait_until(f"{other} leading", lambda: self.leads(metrics[other]), LONGEST_FAIL_OVER)
            longest = max(longest, time.monotonic() - began)
            if kills:
                self.state.forget(leader)
                metrics[leader] = self.start(leader, *VERY_QUICK_LEADER)[1]
            else:
                self.resume(leader)
        over.set()
        writer.join()
        self.assertLess(longest, LONGEST_FAIL_OVER)
        self.wait_until_all_are_reported(len(made), 60)
        self.assert_each_was_reported_once(made)

    def assert_each_was_reported_once(self, names):
        """From the audit log: no status and no record was written twice. A write whose client died
        before the response is logged as a failure, even if it succeeded; and a leader may die
        before it emits the event."""
        writes = {(name, part): 0 for name in names for part in ("status", None)}
        for event in control_plane.audit_log(self.state):
            about = event["objectRef"]
            if (about.get("namespace") == self.namespace and event["verb"] == "patch"
                    and event["responseStatus"]["code"] < 300 and about.get("name") in names):
                writes[about["name"], about.get("subresource")] += 1
        self.assertEqual({write: count for write, count in writes.items() if count > 1}, {})
        events = dict.fromkeys(names, 0)
        for each in self.kubectl.get("events.events.k8s.io")["items"]:
            if each["reason"] == "ValidationFailed":
                events[each["regarding"]["name"]] += (each.get("series") or {}).get("count", 1)
        self.assertEqual({name: count for name, count in events.items() if count > 1}, {})

    @takes_long
    def test_default_failover_takes_under_twenty_seconds(self):
        metrics = {name: self.start(name, *USUAL_LEADER)[1] for name in ("one", "two")}
        for fault in ("killed", "frozen"):
            leader = self.leader_of(metrics)
            other, = set(metrics) - {leader}
            self.kubectl.must("create", "--filename", "-", stdin=graph(f"before-{fault}", BAD))
            self.wait_until_all_are_reported(len(self.kubectl.get("dgd")["items"]))
            if fault == "killed":
                self.signal(leader, signal.SIGKILL)
            else:
                self.freeze(leader)
            wait_until(f"{other} leading", lambda: self.leads(metrics[other]), LONGEST_FAIL_OVER)
            self.kubectl.must("create", "--filename", "-", stdin=graph(f"after-{fault}", BAD))
            self.wait_until_all_are_reported(len(self.kubectl.get("dgd")["items"]))
            if fault == "killed":
                self.state.forget(leader)
                metrics[leader] = self.start(leader, *USUAL_LEADER)[1]
            else:
                self.resume(leader)
        self.assert_each_was_reported_once([each["metadata"]["name"]
                                           for each in self.kubectl.get("dgd")["items"]])

    # --- API servers.

    @takes_long
    def test_reconciler_survives_api_server_restart(self):
        self.make(*(graph(f"g{number}", BAD) for number in range(20)))
        self.start()
        self.wait_until_all_are_reported(20)
        control_plane.restart_api_server(self.state)
        self.make(graph("later", BAD))
        self.wait_for("dgd", "later", "False", seconds=60)
        self.assertEqual(len(self.events("later", "ValidationFailed")), 1)
        self.assert_is_idle()
        self.stop()

    def test_reconciler_recovers_from_expired_version(self):
        """410 Gone, while it was frozen: a list shows what it missed."""
        self.make(*(graph(f"g{number}", BAD) for number in range(10)))
        self.start()
        self.wait_until_all_are_reported(10)
        self.freeze("reconciler")
        self.kubectl.must("delete", "dgd", "g1", "--wait=false")
        self.kubectl.must("patch", "dgd", "g2", "--type", "merge", "--patch", json.dumps(
            {"spec": {"services": {"Worker": {"ingress": {"enabled": False}}}}}))
        self.make(graph("later", BAD))
        control_plane.compact(self.state)
        control_plane.restart_api_server(self.state)
        self.resume("reconciler")
        self.wait_for("dgd", "later", "False", seconds=60)
        self.wait_for("dgd", "g2", "True")
        self.assertNotIn("g1", self.versions())
        self.assert_is_idle()
        self.stop()

    # --- Clocks.

    def test_clock_steps_change_neither_leader_nor_reports(self):
        shift = self.state.directory / f"{self.namespace}-clock"
        shift.write_text("0")
        _, metrics = self.start("reconciler", before=stepping_clock(shift))
        self.start("other")
        self.make(graph("g0", BAD))
        self.wait_for("dgd", "g0", "False")
        leader = self.metrics(metrics)["dynamo_reconciler_leads"]
        for number, seconds in enumerate((7200, -7200, 0), 1):
            shift.write_text(str(seconds))
            name = f"g{number}"
            self.make(graph(name, BAD))
            reported = self.wait_for("dgd", name, "False")
            stamped = datetime.datetime.fromisoformat(
                reported["lastTransitionTime"].replace("Z", "+00:00"))
            with self.subTest(seconds):
                self.assertLess(abs(stamped - utc_now()), datetime.timedelta(minutes=1))
                self.assertEqual(self.metrics(metrics)["dynamo_reconciler_leads"], leader)
        self.assertEqual([line for line in self.lines() if "no longer leads" in line["message"]], [])

    # --- Definitions.

    def test_upstream_definitions_keep_conditions_of_others(self):
        """Their lists are atomic: applying one condition replaces all of them."""
        self.set_list_type(("remove", None))
        self.addCleanup(self.set_list_type, ("add", "map"))
        self.make(graph("bad", BAD), graph("good", GOOD))
        theirs = {"type": "Ready", "status": "False", "reason": "theirs", "message": "m",
                  "lastTransitionTime": "2026-01-01T00:00:00Z"}
        self.kubectl.must("patch", "dgd", "bad", "--subresource", "status", "--type", "merge",
                          "--patch", json.dumps({"status": {"conditions": [theirs]}}))
        self.start()
        self.wait_for("dgd", "bad", "False")
        self.wait_for("dgd", "good", "True")
        self.assertIn(theirs, self.kubectl.get("dgd", "bad")["status"]["conditions"])
        self.assert_is_idle()

    def set_list_type(self, change):
        operation, value = change
        patch = [{"op": operation, "path": f"{CONDITIONS}/x-kubernetes-list-{name}",
                  **({} if value is None else {"value": setting})}
                 for name, setting in (("type", value), ("map-keys", ["type"]))]
        self.admin.must("patch", "crd", DEFINITION, "--type", "json", "--patch", json.dumps(patch))

        def is_served():
            document = json.loads(self.admin.must(
                "get", "--raw", "/openapi/v3/apis/nvidia.com/v1alpha1").stdout)
            schema = document["components"]["schemas"]["com.nvidia.v1alpha1.DynamoGraphDeployment"]
            found = schema["properties"]["status"]["properties"]["conditions"]
            return found.get("x-kubernetes-list-type") == value

        wait_until("the definition being served", is_served, SOON)
