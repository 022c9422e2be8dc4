"""Faults between a server and its API server, during which every verdict must be right and no
admission call may fail."""

import ssl
import time
import urllib.error
import urllib.parse
import urllib.request

from harness import control_plane, processes
from harness.load import Load
from harness.reviews import Verdicts

from .connection_fixture import BAD, GOOD, LONGEST, MARKER, ConnectedTest, marker
from .support import ADMISSION_SECONDS, HarnessError, takes_long, total, wait_until, webhook

HOLDER = "namespace-restricted-operator-0.9.9"
GRAPHS = "/apis/nvidia.com/v1alpha1/namespaces/%s/dynamographdeployments?dryRun=All"
LEASES = "/apis/coordination.k8s.io/v1/leases"
WATCH_OPEN = "dynamo_webhook_namespace_lease_watch_open"
WATCH_RESTARTS = "dynamo_webhook_namespace_lease_watch_restarts_total"
REQUESTS = "dynamo_operator_webhook_requests_total"
OUTAGE_SECONDS = 60
# The longest pause between two attempts (up to half more by jitter), and the attempt itself.
RECOVERY_SECONDS = 60
# The API server caches a valid token for ten seconds.
REVOCATION_SECONDS = 30


class Faults(ConnectedTest):
    """Each test has a namespace that is held for a long time, a free one, and one more of each kind
    that changes while the server cannot observe it."""

    def start(self, name, *token_options):
        self.proxy = self.new_proxy()
        self.access = self.connection("cluster_wide.yaml")
        if token_options:
            self.access.renew_token(*token_options)
        self.facts = self.start_connected(name, self.access, port=self.proxy.port)
        self.reviews = self.reviewer(self.facts)
        self.validated = self.validated_by(name, self.facts)  # free
        self.held = self.namespace
        self.hold(self.held, HOLDER, LONGEST)
        self.wait_for_verdict(self.reviews, self.held, True)

    def verdicts(self):
        return Verdicts(self.facts, [(BAD, self.held, True), (BAD, self.validated.namespace, False),
                                     (GOOD, self.validated.namespace, True)])

    def loads(self, api_server=None, rate=20):
        """Creates objects through an API server: good ones that must pass, and bad ones that must be
        refused."""
        path = GRAPHS % self.validated.namespace
        return [Load(self.state, path, body, threads=1, expected=expected, rate=rate,
                     api_server=api_server) for body, expected in ((GOOD, 201), (BAD, 422))]

    def metric(self, name):
        return webhook.scrape(self.facts)[name]

    def watch_is(self, is_open, seconds):
        wait_until(f"the watch being {'open' if is_open else 'broken'}",
                   lambda: self.metric(WATCH_OPEN) == is_open, seconds)

    def assert_no_failures(self, *runs, at_least):
        for each in runs:
            self.assertEqual(each.failures, [])
            self.assertGreaterEqual(each.sent, at_least)

    def assert_receives_leases(self):
        """New changes arrive: the connection works again."""
        later = self.new_namespace("later")
        self.hold(later, HOLDER, LONGEST)
        self.wait_for_verdict(self.reviews, later, True, RECOVERY_SECONDS)
        self.release(later)
        self.wait_for_verdict(self.reviews, later, False)

    def test_verdicts_survive_api_server_restart(self):
        """A second API server continues admission in the meantime."""
        self.start("restart")
        second = control_plane.start_second_api_server(self.state, "kube-apiserver-2")
        self.addCleanup(self.state.stop, "kube-apiserver-2")
        self.wait_until_validated_through(second)
        good, bad = self.loads(second)
        with self.verdicts() as direct, good, bad:
            control_plane.restart_api_server(self.state)
            self.watch_is(True, RECOVERY_SECONDS)
            self.assert_receives_leases()
            self.assertTrue(webhook.is_ready(self.facts))
        self.assert_no_failures(good, bad, direct, at_least=20)
        self.assert_refused_here()

    def wait_until_validated_through(self, api_server):
        """Its view of the configurations is empty at first."""
        def validated():
            load = Load(self.state, GRAPHS % self.validated.namespace, BAD, threads=1, limit=1,
                        expected=422, api_server=api_server)
            with load:
                wait_until("an answer", lambda: load.sent, 20)
            return not load.failures

        wait_until("the second API server calling the webhook", validated, ADMISSION_SECONDS)

    def assert_refused_here(self):
        """Also through the first API server."""
        self.assert_accepted(self.validated.run("create", "--dry-run=server", "-f", "-", stdin=GOOD))
        self.assertFalse(self.validated.run("create", "--dry-run=server", "-f", "-", stdin=BAD).ok)

    @takes_long
    def test_verdicts_survive_one_minute_outage(self):
        """The server neither sees changes nor forgets earlier ones: a known Lease counts until it
        expires, and one that is written during the outage counts once it is seen."""
        self.start("outage")
        short, unseen = self.new_namespace("short"), self.new_namespace("unseen")
        self.hold(short, HOLDER, 20)
        self.wait_for_verdict(self.reviews, short, True)
        good, bad = self.loads()
        with self.verdicts() as direct, good, bad:
            self.proxy.cut()
            cut_at = time.monotonic()
            self.watch_is(False, 5)
            self.hold(unseen, HOLDER, LONGEST)
            self.assertTrue(self.reviews.allows(BAD, short), "forgotten with the connection")
            self.wait_for_verdict(self.reviews, short, False, 25)

            def is_over():
                self.assertTrue(webhook.is_ready(self.facts), "unready without the API server")
                self.assertFalse(self.reviews.allows(BAD, unseen), "how could it know?")
                return time.monotonic() - cut_at >= OUTAGE_SECONDS

            wait_until("the end of the outage", is_over, OUTAGE_SECONDS + 5)
            self.assertGreater(self.proxy.refused, 2, "it does not try again")
            self.assertLess(self.proxy.refused, 60, "it does nothing but try")
            self.proxy.restore()
            self.wait_for_verdict(self.reviews, unseen, True, RECOVERY_SECONDS)
            self.watch_is(True, RECOVERY_SECONDS)
        self.assert_no_failures(good, bad, direct, at_least=500)
        self.assertGreater(total(webhook.scrape(self.facts), REQUESTS), 1000)
        failed = [line for line in self.log_of("outage") if "watching the cluster has failed" in
                  str(line)]
        self.assertEqual(len(failed), 1, "one line for each change of state, not for each try")

    def test_watch_recovers_from_cut_event(self):
        self.start("midevent")
        restarts = self.metric(WATCH_RESTARTS)
        other = self.new_namespace("other")
        lease = marker(HOLDER, LONGEST)
        # Its event is far larger than the remaining bytes.
        lease["metadata"]["annotations"] = {"example.com/ballast": "x" * 200_000}
        self.addCleanup(self.release, other)
        with self.verdicts() as direct:
            self.proxy.cut_after(60_000)
            self.admin.within(other).must("create", "--filename", "-", stdin=lease)
            wait_until("the cut", lambda: self.proxy.cuts == 1, 10)
            self.wait_for_verdict(self.reviews, other, True, RECOVERY_SECONDS)
            wait_until("verdicts after it", lambda: direct.sent > 30, 10)
        self.assert_no_failures(direct, at_least=30)
        self.assertGreater(self.metric(WATCH_RESTARTS), restarts)
        self.assert_receives_leases()

    def test_watch_recovers_from_expired_version(self):
        """410 Gone: the watch does not send the missed changes, so everything is listed again."""
        self.start("gone")
        ended, begun = self.new_namespace("ended"), self.new_namespace("begun")
        self.hold(ended, HOLDER, LONGEST)
        self.wait_for_verdict(self.reviews, ended, True)
        with self.verdicts() as direct:
            self.proxy.cut()
            self.watch_is(False, 5)
            seen = self.admin.within(ended).get("lease", MARKER)["metadata"]["resourceVersion"]
            self.release(ended)
            self.hold(begun, HOLDER, LONGEST)
            control_plane.compact(self.state)
            control_plane.restart_api_server(self.state)
            self.assertIn('"code":410', self.watch_from(seen), "the version is still known")
            self.assertTrue(self.reviews.allows(BAD, ended), "how could it know?")
            self.proxy.restore()
            self.wait_for_verdict(self.reviews, begun, True, RECOVERY_SECONDS)
            self.wait_for_verdict(self.reviews, ended, False, 1)
        self.assert_no_failures(direct, at_least=50)
        self.assert_receives_leases()

    def watch_from(self, version):
        """The API server's response to a watch of the Leases from that version."""
        selector = urllib.parse.urlencode({
            "watch": 1, "resourceVersion": version, "timeoutSeconds": 1,
            "fieldSelector": f"metadata.name={MARKER}"})
        return self.admin.run("get", "--raw", f"{LEASES}?{selector}").stdout

    def test_replaced_token_is_used(self):
        system = self.admin.within(self.system)
        system.must("create", "secret", "generic", "keeper")
        self.start("rotation", "--bound-object-kind", "Secret", "--bound-object-name", "keeper")
        bound = self.access.token_file.read_text()
        fresh = self.access.renew_token()
        self.assertNotEqual(bound, fresh)
        with self.verdicts() as direct:
            system.must("delete", "secret", "keeper")
            wait_until("the old token being refused", lambda: self.answer_to(bound) == 401,
                       REVOCATION_SECONDS)
            self.assertEqual(self.answer_to(fresh), 200)
            self.proxy.break_once()  # a watch outlives its token
            self.assert_receives_leases()
            wait_until("verdicts after it", lambda: direct.sent > 30, 10)
        self.assert_no_failures(direct, at_least=30)
        for token in (bound, fresh):
            self.assertNotIn(token, str(self.log_of("rotation")))

    def answer_to(self, token):
        """The HTTP status of a list of the Leases with this token."""
        url = f"{self.state.facts['api_server']}{LEASES}?fieldSelector=metadata.name%3D{MARKER}"
        trusted = ssl.create_default_context(cafile=self.state.directory / "pki/ca.crt")
        request = urllib.request.Request(url, headers={"Authorization": f"Bearer {token}"})
        try:
            with urllib.request.urlopen(request, context=trusted, timeout=5) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            return error.code

    def test_verdicts_survive_slow_etcd(self):
        """The API server cannot store objects, which is not our failure, but its calls to us are
        answered."""
        self.start("slow")
        short = self.new_namespace("short")
        self.hold(short, HOLDER, 10)
        self.wait_for_verdict(self.reviews, short, True, 9)
        etcd = self.state.process("etcd")
        with self.verdicts() as direct:
            self.assertTrue(processes.running(etcd))
            processes.freeze(etcd)
            try:
                self.wait_for_verdict(self.reviews, short, False, 15)
                stopped = direct.sent
                wait_until("verdicts without etcd", lambda: direct.sent > stopped + 50, 10)
                self.assertTrue(webhook.is_ready(self.facts))
            finally:
                processes.resume(etcd)
            wait_until("the API server being well again", self.is_storing, RECOVERY_SECONDS)
            self.assert_receives_leases()
        self.assert_no_failures(direct, at_least=50)

    def is_storing(self):
        try:
            return self.admin.run("create", "namespace", f"probe-{time.time_ns():x}").ok
        except HarnessError:
            return False
