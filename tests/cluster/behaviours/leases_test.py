"""Namespaces of other operators, and the namespace that a restricted server holds."""

import datetime
import subprocess
import time

from harness import control_plane, processes

from .connection_fixture import (BAD, GOOD, LONGEST, MARKER, QUICK, SEEN_SECONDS, ConnectedTest, marker,
                        utc_now)
from .support import (NO_HOST, ORIGIN_VERSION, REPOSITORY, graph, no_host, total, wait_until,
                      warnings_of, webhook, worker)

HOLDER = "namespace-restricted-operator-0.9.9"
EXEMPTED = "dynamo_webhook_exempted_requests_total"
LIVE = "dynamo_webhook_namespace_leases"
DOUBTED = "dynamo_webhook_doubted_namespace_leases"
DENIED = ("must be written by those whom the ValidatingAdmissionPolicy "
          "dynamo-operator-namespace-scope names; found jane")
ANNOTATION = "namespace-lease-holder"
WHOLE_CLUSTER = "cluster_wide.yaml"


class NamespaceLeases(ConnectedTest):
    def start(self, name):
        facts = self.start_connected(name, self.connection(WHOLE_CLUSTER))
        return facts, self.reviewer(facts)

    def test_held_namespace_is_neither_validated_nor_defaulted(self):
        facts, reviewer = self.start("beside")
        kubectl = self.validated_by("beside", facts)
        self.assert_refused(kubectl.run("create", "--filename", "-", stdin=BAD), no_host("Worker"))
        self.hold(kubectl.namespace, HOLDER, LONGEST)
        self.wait_for_verdict(reviewer, kubectl.namespace, True)
        before = webhook.scrape(facts)
        bare = graph("chat", {"Worker": worker(**NO_HOST, replicas=None)})
        self.assert_accepted(kubectl.run("create", "--filename", "-", stdin=bare))
        stored = kubectl.get("dgd", "chat")
        self.assertNotIn(ORIGIN_VERSION, stored["metadata"].get("annotations", {}))
        self.assertNotIn("replicas", stored["spec"]["services"]["Worker"])
        exempted = total(webhook.scrape(facts), EXEMPTED, reason="namespace_lease") - total(
            before, EXEMPTED, reason="namespace_lease")
        self.assertEqual(exempted, 2)  # by validation and by defaulting
        self.assertEqual(self.holders_in_audit_log(kubectl.namespace, "chat"), {
            "validate.dynamographdeployments.nvidia.com/" + ANNOTATION: HOLDER,
            "mutate.dynamographdeployments.nvidia.com/" + ANNOTATION: HOLDER})

    def holders_in_audit_log(self, namespace, name):
        def events():
            # A created object has its name only in the response.
            return [event for event in control_plane.audit_log(self.state)
                    if event["verb"] == "create"
                    and event["objectRef"]["namespace"] == namespace
                    and event["objectRef"].get("name", name) == name
                    and event["responseStatus"]["code"] == 201]

        event, = wait_until("the audit event", events, 5)
        return {key: value for key, value in event["annotations"].items()
                if key.endswith(ANNOTATION)}

    def test_expired_lease_resumes_validation_at_once(self):
        _, reviewer = self.start("expiring")
        for round_ in range(3):
            with self.subTest(round=round_):
                renewed = utc_now()
                expires = renewed + datetime.timedelta(seconds=8)
                self.hold(self.namespace, HOLDER, 8, renewed)
                self.wait_for_verdict(reviewer, self.namespace, True, 7)
                allowed, validated = renewed, None
                deadline = expires + datetime.timedelta(seconds=5)
                while validated is None and utc_now() < deadline:
                    asked = utc_now()
                    if reviewer.allows(BAD, self.namespace):
                        allowed = asked
                        time.sleep(0.01)  # between two requests
                    else:
                        validated = utc_now()
                self.assertIsNotNone(validated, "never validated again")
                # No request that began after the end was allowed, however long this process waits between two.
                self.assertLess(allowed, expires, "left alone for longer than the lease says")
                self.assertGreaterEqual(validated, expires, "validated before the lease was over")

    def test_deleted_lease_releases_only_its_namespace(self):
        other = self.new_namespace("other")
        # Leases of earlier tests, which may expire during this one, do not count.
        facts = self.start_connected("deleted", self.connection(WHOLE_CLUSTER),
                                     f"--lease-namespaces={self.namespace},{other}")
        reviewer = self.reviewer(facts)
        for each in (self.namespace, other):
            self.hold(each, HOLDER, LONGEST)
            self.wait_for_verdict(reviewer, each, True)
        self.assertEqual(webhook.scrape(facts)[LIVE], 2)
        self.release(self.namespace)
        self.wait_for_verdict(reviewer, self.namespace, False)
        self.assertTrue(reviewer.allows(BAD, other))
        self.assertEqual(webhook.scrape(facts)[LIVE], 1)

    def test_renew_time_counts_within_one_minute_skew(self):
        """The holder's clock is the only reference: a holder slightly ahead keeps its namespace
        longer; one behind, or far ahead, loses it."""
        _, reviewer = self.start("clocks")
        ahead, far_ahead, behind, control = (
            self.new_namespace(each) for each in ("ahead", "far-ahead", "behind", "now"))
        minutes = datetime.timedelta(minutes=5)
        self.hold(behind, HOLDER, 30, utc_now() - minutes)
        self.hold(far_ahead, HOLDER, 30, utc_now() + minutes)
        self.hold(ahead, HOLDER, 30, utc_now() + minutes / 10)
        self.hold(control, HOLDER, LONGEST)  # written last: a server that knows it knows the others
        self.wait_for_verdict(reviewer, control, True)
        self.assertTrue(reviewer.allows(BAD, ahead))
        self.assertFalse(reviewer.allows(BAD, far_ahead))
        self.assertFalse(reviewer.allows(BAD, behind))
        self.assertTrue(reviewer.allows(GOOD, behind))

    def test_wrong_local_clock_is_corrected_by_api_server(self):
        connection = self.connection(WHOLE_CLUSTER)
        for name, seconds in (("early", 300), ("late", -300)):
            with self.subTest(name):
                facts = self.start_connected(name, connection, clock=seconds)
                reviewer = self.reviewer(facts)
                alive, dead = self.new_namespace("alive"), self.new_namespace("dead")
                self.hold(dead, HOLDER, 30, utc_now() - datetime.timedelta(seconds=45))
                self.hold(alive, HOLDER, 30)
                self.wait_for_verdict(reviewer, alive, True)
                self.assertFalse(reviewer.allows(BAD, dead))
                correction = webhook.scrape(facts)["dynamo_webhook_clock_correction_seconds"]
                self.assertAlmostEqual(correction, -seconds, delta=2)

    def test_forged_lease_is_ignored_and_reported(self):
        connection = self.connection(WHOLE_CLUSTER)
        facts = self.start_connected("forged", connection)
        reviewer = self.reviewer(facts)
        long, stranger = self.new_namespace("long"), self.new_namespace("stranger")
        control = self.new_namespace("control")
        self.hold(self.namespace, HOLDER, 30, datetime.datetime(
            2261, 1, 1, tzinfo=datetime.timezone.utc))
        self.hold(long, HOLDER, LONGEST + 1)
        self.hold(control, HOLDER, LONGEST)  # written last: a server that knows it knows the others
        self.wait_for_verdict(reviewer, control, True)
        for namespace, reason in ((self.namespace, "future"), (long, "duration")):
            with self.subTest(reason):
                self.assertFalse(reviewer.allows(BAD, namespace))
                event, = wait_until("the Event", lambda: [
                    each for each in self.admin.within(namespace).get("events")["items"]
                    if each["reason"] == "LeaseNotBelieved"], SEEN_SECONDS)
                self.assertEqual(event["involvedObject"]["name"], MARKER)
                self.assertEqual(event["involvedObject"]["uid"],
                                 self.admin.within(namespace).get("lease", MARKER)["metadata"]["uid"])
                self.assertGreaterEqual(total(webhook.scrape(facts), DOUBTED, reason=reason), 1)

        narrow = self.start_connected("narrow", connection, "--lease-holders",
                                      "namespace-restricted-operator-*")
        strict = self.reviewer(narrow)
        self.hold(stranger, "mallory", 30)
        self.wait_for_verdict(reviewer, stranger, True)
        self.wait_for_verdict(strict, control, True)
        self.wait_for_verdict(strict, stranger, False)

    def test_exempted_write_warns_the_user(self):
        facts, reviewer = self.start("reported")
        kubectl = self.validated_by("reported", facts)
        self.hold(kubectl.namespace, HOLDER, LONGEST)
        self.wait_for_verdict(reviewer, kubectl.namespace, True)
        result = kubectl.run("create", "--filename", "-", stdin=BAD)
        self.assert_accepted(result)
        reported = [each for each in warnings_of(result.stderr) if each.startswith("not validated: ")]
        self.assertEqual(len(reported), 1, result.stderr)
        self.assertIn(f"Lease {kubectl.namespace}/{MARKER}", reported[0])
        self.assertIn(HOLDER, reported[0])

    def test_objects_admitted_under_lease_are_validated_completely(self):
        policy = self.state.logs / "eight.yaml"
        policy.write_text("{version: 1, parameters: [{maxReplicasPerService: 8}]}")
        facts = self.start_connected("whole", self.connection(WHOLE_CLUSTER),
                                     "--policy", str(policy))
        reviewer = self.reviewer(facts)
        kubectl = self.validated_by("whole", facts)
        self.hold(kubectl.namespace, HOLDER, LONGEST)
        self.wait_for_verdict(reviewer, kubectl.namespace, True)
        self.assert_accepted(kubectl.run("create", "--filename", "-", stdin=graph(
            "chat", {"Worker": worker(replicas=9)})))
        self.hold(kubectl.namespace, HOLDER, LONGEST, utc_now() - datetime.timedelta(
            seconds=LONGEST) + datetime.timedelta(seconds=2))
        self.wait_for_verdict(reviewer, kubectl.namespace, False)
        change = ("patch", "dgd", "chat", "--type", "merge", "--patch",
                  '{"spec": {"services": {"Worker": {"envs": [{"name": "A", "value": "b"}]}}}}')
        refused = kubectl.run(*change)
        self.assertFalse(refused.ok, str(refused))
        self.assertIn("policy.replicas", refused.stderr)
        self.assertIn("fully validated", refused.stderr)
        self.assert_accepted(kubectl.run("label", "dgd", "chat", "a=b"))
        self.release(kubectl.namespace)
        wait_until("the forgotten lease", lambda: kubectl.run(*change).ok, SEEN_SECONDS)

    def test_policy_lets_only_named_accounts_write_lease(self):
        """In one namespace only, because other tests hold Leases at the same time."""
        text = (REPOSITORY / "deploy/policies/namespace_scope_lease.yaml").read_text()
        namespace = self.namespace
        operator = f"system:serviceaccount:{namespace}:operator"
        named = "system:serviceaccount:team-a:dynamo-platform-dynamo-operator-controller-manager"
        self.assertIn(named, text)
        text = text.replace(named, operator).replace(
            "  matchConstraints:\n", "  matchConstraints:\n    namespaceSelector:\n"
            f"      matchLabels: {{kubernetes.io/metadata.name: {namespace}}}\n")
        self.addCleanup(self.admin.run, "delete", "--ignore-not-found", "--filename", "-",
                        stdin=text)
        self.admin.must("apply", "--filename", "-", stdin=text)
        self.admin.within(namespace).must("create", "role", "leases", "--verb", "*",
                                          "--resource", "leases.coordination.k8s.io")
        for user in (operator, "jane"):
            self.admin.within(namespace).must(
                "create", "rolebinding", "leases-" + user.rsplit(":", 1)[-1], "--role", "leases",
                "--user", user)
        jane, own = self.kubectl.impersonating("jane"), self.kubectl.impersonating(operator)
        lease = marker(HOLDER, 30)

        def denied():
            return DENIED in jane.run("create", "--dry-run=server", "--filename", "-",
                                      stdin=lease).stderr

        wait_until("the policy's enforcement", denied, 30)
        self.assert_accepted(own.run("create", "--filename", "-", stdin=lease))
        for verb in (("patch", "lease", MARKER, "--type", "merge", "--patch",
                      '{"spec": {"leaseDurationSeconds": 60}}'),
                     ("delete", "lease", MARKER)):
            with self.subTest(verb[0]):
                self.assertIn(DENIED, jane.run(*verb).stderr)
        self.assert_accepted(own.run("patch", "lease", MARKER, "--type", "merge", "--patch",
                                     '{"spec": {"leaseDurationSeconds": 60}}'))
        other = marker(HOLDER, 30)
        other["metadata"]["name"] = "some-controller"
        self.assert_accepted(jane.run("create", "--filename", "-", stdin=other))
        self.assert_accepted(self.kubectl.run("delete", "lease", MARKER))  # as system:masters

    def test_leases_of_other_names_are_ignored(self):
        control = self.new_namespace("control")
        facts = self.start_connected("names", self.connection(WHOLE_CLUSTER),
                                     f"--lease-namespaces={self.namespace},{control}")
        reviewer = self.reviewer(facts)
        other = marker(HOLDER, LONGEST)
        other["metadata"]["name"] = "some-controller"
        self.kubectl.must("create", "--filename", "-", stdin=other)
        self.hold(control, HOLDER, LONGEST)
        self.wait_for_verdict(reviewer, control, True)
        self.assertFalse(reviewer.allows(BAD, self.namespace))
        self.assertEqual(webhook.scrape(facts)[LIVE], 1)

    def test_missing_lease_permission_is_named_and_unready(self):
        connection = self.connection()
        facts = self.start_connected("rightless", connection, ready=False)

        def output():
            return [line for line in self.log_of("rightless") if "leases" in str(line)
                    and "orbidden" in str(line)]

        line, = wait_until("the log line about the right", output, SEEN_SECONDS)
        self.assertIn("list", str(line))
        self.assertIn("coordination.k8s.io", str(line))
        ready, text = webhook.readiness(facts)
        self.assertFalse(ready)
        self.assertIn("leases", text)
        # Calls that reach it anyway get the right verdicts.
        reviewer = self.reviewer(facts)
        self.assertFalse(reviewer.allows(BAD, self.namespace))
        self.assertTrue(reviewer.allows(GOOD, self.namespace))
        # The permission is granted later: the server retries by itself.
        connection.grant(WHOLE_CLUSTER)
        wait_until("readiness with the right", lambda: webhook.is_ready(facts), 60)
        self.assertEqual(len(output()), 1)


class MarkerLease(ConnectedTest):
    # A renewal times out after half of the interval.
    RHYTHM = ("--namespace-scope-lease-duration", "10s",
              "--namespace-scope-lease-renew-interval", "1s")
    # The server exits after two failed renewals, one interval before its Lease expires.
    SLOW_RHYTHM = ("--namespace-scope-lease-duration", "9s",
                   "--namespace-scope-lease-renew-interval", "3s")
    OURS = f"namespace-restricted-operator-{webhook.OPERATOR_VERSION}"

    def start(self, name, port=None, rhythm=RHYTHM):
        connection = self.connection("restricted.yaml", restricted=self.namespace)
        return self.start_connected(name, connection, "--restricted-namespace", self.namespace,
                                    *rhythm, port=port)

    def lease(self):
        return self.kubectl.get("lease", MARKER)

    def test_restricted_server_renews_and_deletes_its_lease(self):
        self.start("keeper")
        first = self.lease()
        self.assertEqual(first["spec"]["holderIdentity"], self.OURS)
        self.assertEqual(first["spec"]["leaseDurationSeconds"], 10)
        renewals = {first["spec"]["renewTime"]}

        def renewed_often():
            spec = self.lease()["spec"]
            renewals.add(spec["renewTime"])
            self.assertEqual(spec["acquireTime"], first["spec"]["acquireTime"])
            return len(renewals) > 4

        wait_until("four renewals", renewed_often, 30)
        self.assertTrue(self.stop_server("keeper"), "it had to be killed")
        self.assertEqual(self.kubectl.get("lease")["items"], [])

    def test_cluster_wide_server_skips_restricted_servers_namespace(self):
        everything = self.start_connected("everything", self.connection(WHOLE_CLUSTER))
        whole = self.reviewer(everything)
        self.assertFalse(whole.allows(BAD, self.namespace))
        restricted_system, self.system = self.system, self.new_namespace("system2")
        self.addCleanup(setattr, self, "system", restricted_system)
        own = self.reviewer(self.start("own"))
        self.wait_for_verdict(whole, self.namespace, True)
        self.assertFalse(own.allows(BAD, self.namespace))
        self.assertFalse(whole.allows(BAD, self.system))
        self.assertTrue(own.allows(BAD, self.system))
        self.stop_server("own")
        self.wait_for_verdict(whole, self.namespace, False)

    # An account with the role `edit` in the namespace can write that Lease.
    def test_live_foreign_lease_is_kept_at_start(self):
        self.hold(self.namespace, HOLDER, LONGEST)
        before = self.lease()
        server = self.reviewer(self.start("beside"))
        self.assertFalse(server.allows(BAD, self.namespace))
        output = [line for line in self.log_of("beside") if HOLDER in str(line)]
        self.assertEqual(len(output), 1, output)
        self.assertIn(self.namespace, str(output[0]))
        self.assertEqual(self.lease(), before)
        self.assertTrue(self.stop_server("beside"), "it had to be killed")
        self.assertEqual(self.lease(), before)

    def test_clock_ahead_takes_over_no_live_lease(self):
        self.hold(self.namespace, HOLDER, 30)
        before = self.lease()
        connection = self.connection("restricted.yaml", restricted=self.namespace)
        self.start_connected("ahead", connection, "--restricted-namespace", self.namespace,
                             clock=300)
        self.assertEqual(self.lease(), before)

    def test_expired_lease_is_taken_over(self):
        self.hold(self.namespace, HOLDER, 30, utc_now() - datetime.timedelta(seconds=31))
        self.start("heir")
        spec = self.lease()["spec"]
        self.assertEqual(spec["holderIdentity"], self.OURS)
        self.assertEqual(spec["leaseTransitions"], 1)

    def test_lost_lease_does_not_stop_the_server(self):
        server = self.reviewer(self.start("robbed"))
        self.hold(self.namespace, HOLDER, LONGEST)
        wait_until("the log names the other", lambda: [
            line for line in self.log_of("robbed") if HOLDER in str(line)], 10)
        self.assertFalse(server.allows(BAD, self.namespace))
        self.assertEqual(self.lease()["spec"]["holderIdentity"], HOLDER)

    def test_unrenewable_lease_stops_server_before_expiry(self):
        proxy = self.new_proxy()
        ended = self.run_until_exit(proxy.cut, proxy.port)
        ended_at = utc_now()
        self.assertEqual(ended.returncode, 1)
        spec = self.lease()["spec"]
        renewed = datetime.datetime.fromisoformat(spec["renewTime"].replace("Z", "+00:00"))
        self.assertLess(ended_at, renewed + datetime.timedelta(seconds=spec["leaseDurationSeconds"]))

    def run_until_exit(self, trouble, port=None):
        """Runs a server that holds its namespace, then `trouble`. Returns its process, which has
        ended."""
        connection = self.connection("restricted.yaml", restricted=self.namespace)
        command, facts = webhook.command_of(
            self.state, self.state.facts["webhook_binary"], "ending",
            ("--kubeconfig", connection.kubeconfig(port), "--restricted-namespace",
             self.namespace, *QUICK, *self.SLOW_RHYTHM))
        with open(self.state.logs / "ending.log", "ab") as log:
            process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL,
                                       stdout=log, stderr=log)
        self.addCleanup(process.wait, 5)
        self.addCleanup(process.kill)
        wait_until("readiness", lambda: webhook.is_ready(facts), webhook.READY_SECONDS)
        trouble()
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            self.fail(f"it goes on:\n{processes.tail(self.state.logs / 'ending.log')}")
        return process

    def test_missing_marker_permission_is_named_and_unready(self):
        facts = self.start_connected("rightless", self.connection(), "--restricted-namespace",
                                     self.namespace, ready=False)
        ready, text = wait_until("the reason in /readyz", lambda: (
            lambda found: found if "orbidden" in found[1] else None)(webhook.readiness(facts)),
            SEEN_SECONDS)
        self.assertFalse(ready)
        self.assertIn("leases", text)
        lines = [line for line in self.log_of("rightless") if "orbidden" in str(line)]
        self.assertEqual(len(lines), 1, lines)
        for word in ("get", "leases", "coordination.k8s.io"):
            self.assertIn(word, str(lines[0]))
