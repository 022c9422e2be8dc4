"""--cert-mode managed: from no certificate to one that API servers trust, and recovery from any change
of the Secret and the configurations."""

import base64
import subprocess
import time

from harness import certificates, managed, processes
from harness.balancer import Balancer
from harness.load import Load
from harness.managed import Installation, pem_blocks, served
from harness.processes import HarnessError, RetryError

from .connection_fixture import BAD, GOOD, LONGEST, QUICK, ConnectedTest
from .support import ADMISSION_SECONDS, takes_long, thing, total, wait_until, webhook

MODELS = "/apis/nvidia.com/v1alpha1/namespaces/%s/dynamomodels?dryRun=All"
MODEL = thing("DynamoModel", "model", {"modelName": "qwen", "baseModelName": "qwen"})
WRITES = "dynamo_webhook_certificate_secret_writes_total"
REPAIR_SECONDS = 30
ROTATION_SECONDS = 180  # two waits of 15 s until API servers observe a caBundle, and the steps
STARTS = 50
START_SECONDS = 20


class ManagedTest(ConnectedTest):
    def install(self, name, replicas, port=None, clocks=(), flags=(), rights=()):
        """Starts this many servers, ready and called by the API server, behind a balancer that acts as
        their Service; they reach the API server through `port` if given, and their clocks are ahead
        by these seconds. They have these additional flags and permission files."""
        self.servers = []
        self.balancer = Balancer(self.servers)
        self.addCleanup(self.balancer.stop)
        self.access = self.connection(*managed.RIGHTS, *rights)
        self.validator = f"{name}-{self.system}"
        self.installation = Installation(self.admin, self.system, self.validator, self.balancer.port)
        self.addCleanup(self.installation.remove)
        for number in range(replicas):
            facts = self.start_connected(f"{name}-{number}", self.access,
                                         *self.installation.flags(), *flags, port=port,
                                         clock=clocks[number] if clocks else 0)
            self.servers.append(facts)
            self.balancer.add(facts)
        self.validated = self.admin.within(
            self.new_namespace("validated", {webhook.VALIDATED_BY: self.validator}))
        wait_until("the API server calling the servers", self.is_validated, ADMISSION_SECONDS)

    def is_validated(self):
        refused = self.validated.run("create", "--dry-run=server", "-f", "-", stdin=BAD)
        accepted = self.validated.run("create", "--dry-run=server", "-f", "-", stdin=GOOD)
        return "is invalid" in refused.stderr and accepted.ok

    def load(self, rate):
        return Load(self.state, MODELS % self.validated.namespace, MODEL, threads=8, rate=rate)

    def wait_until_whole(self, seconds=REPAIR_SECONDS):
        wait_until("Secret, servers and caBundles being of one piece",
                   lambda: self.installation.is_whole(self.servers), seconds)

    def writes(self, cause):
        return sum(total(webhook.scrape(facts), WRITES, cause=cause) for facts in self.servers)

    def assert_nothing_forbidden(self):
        """deploy/rbac grants all required permissions."""
        for facts in self.servers:
            self.assertNotIn("orbidden", str(self.log_of(facts["name"])))


class ManagedCertificates(ManagedTest):
    def test_first_start_creates_trusted_certificates(self):
        self.install("first", 1)
        host = self.installation.host
        secret = self.installation.secret()
        leaf, = pem_blocks(secret["tls.crt"])
        authority, = pem_blocks(secret["ca.crt"])
        self.assertEqual(served(self.servers[0]), leaf)
        self.assertEqual(set(self.installation.bundles()), {authority})
        text = certificates.describe(leaf)
        for name in (managed.SERVICE, f"{managed.SERVICE}.{self.system}", host,
                     f"{host}.cluster.local"):
            self.assertTrue(f"DNS:{name}," in text + "," or f"DNS:{name}\n" in text, text)
        day = 86400
        now = time.time()
        # An API server's clock may be five minutes behind; the leaf is valid for 90 days, the CA
        # for ten years.
        for at, is_good in ((now, True), (now - 300, True), (now + 89 * day, True),
                            (now - 3600, False), (now + 91 * day, False)):
            self.assertEqual(certificates.verifies(authority, leaf, host, at), is_good, at - now)
        self.assertFalse(certificates.verifies(authority, leaf, f"other.{self.system}.svc"))
        self.assertEqual(self.writes("missing"), 1)
        for key in ("ca.key", "tls.key"):
            self.assertNotIn(secret[key].splitlines()[1], str(self.log_of("first-0")))
        self.assert_nothing_forbidden()

    def test_restart_keeps_the_certificates(self):
        self.install("again", 1)
        before = self.installation.secret()
        self.assertTrue(self.stop_server("again-0"), "it had to be killed")
        facts = self.start_connected("again-1", self.access, *self.installation.flags())
        self.assertEqual(self.installation.secret(), before)
        self.assertEqual(served(facts), pem_blocks(before["tls.crt"])[0])

    @takes_long
    def test_damaged_secret_is_repaired_without_failed_requests(self):
        self.install("repaired", 2)
        foreign = self.foreign_content("somebody else's CA")
        imitation = self.foreign_content("dynamo-webhook CA")
        good = self.installation.secret()
        truncated = {key: text[:len(text) // 2] for key, text in good.items()}
        for name, corrupt in (
                ("deleted", self.installation.delete_secret),
                ("truncated", lambda: self.installation.write_secret(truncated)),
                ("one key cut short", lambda: self.installation.write_secret(
                    {"tls.crt": truncated["tls.crt"]})),
                ("the CA of somebody else", lambda: self.installation.write_secret(foreign)),
                ("a CA of our name", lambda: self.installation.write_secret(imitation)),
                ("parts of two", lambda: self.installation.write_secret(
                    {"ca.crt": imitation["ca.crt"]}))):
            with self.subTest(name):
                with self.load(rate=50) as load:
                    wait_until("requests before", lambda: load.sent > 20, 20)
                    corrupt()
                    self.wait_until_whole(ROTATION_SECONDS)
                    sent = load.sent
                    wait_until("requests after", lambda: load.sent > sent + 50, 20)
                self.assertEqual(load.failures[:3], [])
        # The CA stays the same, unless it was replaced on purpose.
        events = self.admin.within(self.system).get("events")["items"]
        self.assertGreaterEqual(len([each for each in events if each["type"] == "Warning"]), 4)
        for key in ("ca.key", "tls.key"):
            for line in good[key].splitlines()[1:-1]:
                for facts in self.servers:
                    self.assertNotIn(line, str(self.log_of(facts["name"])))
                self.assertNotIn(line, str(events))
        self.assert_nothing_forbidden()

    def foreign_content(self, name):
        """A CA of this name with a leaf for our Service."""
        authority = certificates.Authority(
            self.state.directory / f"foreign-{time.time_ns():x}", name)
        host = self.installation.host
        names = [host.removesuffix(".svc"), managed.SERVICE, host, f"{host}.cluster.local"]
        certificate, key = authority.issue(f"/CN={host}", "tls.crt", "tls.key", "serverAuth",
                                           ",".join(f"DNS:{each}" for each in names))
        return {"ca.crt": authority.certificate.read_text(),
                "ca.key": (authority.directory / "ca.key").read_text(),
                "tls.crt": certificate.read_text(), "tls.key": key.read_text()}

    def test_deleted_ca_bundle_is_restored(self):
        """Until then API servers do not trust the server, which is unavoidable. It lasts only seconds,
        and nothing else in the configuration changes."""
        self.install("wiped", 2)
        good = set(self.installation.bundles())
        kind = managed.CONFIGURATIONS[0]
        wrong = certificates.base64_of(certificates.Authority(
            self.state.directory / f"wrong-{time.time_ns():x}", "wrong").certificate)
        for value in ("", wrong):
            with self.subTest(value[:5]):
                before = self.admin.get(kind, self.validator)
                hooks = [{"op": "add", "path": f"/webhooks/{number}/clientConfig/caBundle",
                          "value": value} for number in range(len(before["webhooks"]))]
                with self.load(rate=50) as load:
                    wait_until("requests before", lambda: load.sent > 20, 20)
                    self.assertEqual(load.failures, [])
                    self.admin.must("patch", kind, self.validator, "--type", "json",
                                    "--patch-file", "/dev/stdin", stdin=hooks)
                    wait_until("the caBundles being back",
                               lambda: set(self.installation.bundles()) == good, 20)
                    wait_until("the API server calling the servers", self.is_validated, ADMISSION_SECONDS)
                    sent = load.sent
                    wait_until("an end of requests from before", lambda: load.sent > sent + 50, 20)
                    failures_before = len(load.failures)
                    sent = load.sent
                    wait_until("requests after", lambda: load.sent > sent + 50, 20)
                print(f"{len(load.failures)} of {load.sent} requests failed", flush=True)
                self.assertEqual(load.failures[failures_before:], [])
                for failure in load.failures:
                    self.assertIn("x509", failure)
                self.assertEqual(self.admin.get(kind, self.validator)["webhooks"], before["webhooks"])
        self.assertTrue(all(webhook.is_ready(facts) for facts in self.servers))

    @takes_long
    def test_outage_keeps_certificate_and_management_resumes(self):
        """Longer than the leader election Lease lives."""
        proxy = self.new_proxy()
        self.install("outage", 1, proxy.port)
        before = self.installation.secret()
        with self.load(rate=20) as load:
            proxy.cut()
            cut_at = time.monotonic()
            wait_until("the server no longer leading",
                       lambda: webhook.scrape(self.servers[0])["dynamo_webhook_leads"] == 0, 30)
            wait_until("twenty seconds of outage", lambda: time.monotonic() - cut_at > 20, 25)
            self.assertTrue(webhook.is_ready(self.servers[0]))
            self.installation.ask_for_rotation("leaf")
            proxy.restore()
            wait_until("the leaf being renewed", lambda: (
                self.installation.secret()["tls.crt"] != before["tls.crt"]
                and self.installation.is_whole(self.servers)), 60)
        self.assertEqual(load.failures[:3], [])
        self.assertGreater(load.sent, 200)

    def test_clock_five_minutes_ahead_creates_valid_certificates(self):
        self.assert_lives_with_clocks("ahead", [300, 0])

    def test_clock_five_minutes_behind_creates_valid_certificates(self):
        self.assert_lives_with_clocks("behind", [-300, 0])

    def assert_lives_with_clocks(self, name, clocks):
        """The first server creates the certificates; both servers use them, and any that either
        creates later, and API servers trust all of them. Both know the namespace that another
        operator holds."""
        self.install(name, 2, clocks=clocks)
        authority, = set(self.installation.bundles())
        # By the wrong clock: a certificate is valid from ten minutes before its creation.
        begin = time.time() + clocks[0] - 600
        for at, is_good in ((begin + 60, True), (begin - 60, False)):
            self.assertEqual(certificates.verifies(authority, served(self.servers[0]),
                                                   self.installation.host, at), is_good)
        held = self.admin.within(self.new_namespace("held", {webhook.VALIDATED_BY: self.validator}))
        self.hold(held.namespace, "namespace-restricted-operator-0.9.9", LONGEST)
        for facts in self.servers:
            self.wait_for_verdict(self.reviewer(facts, authority), held.namespace, True)
        with self.load(rate=50) as load:
            for _ in range(4):
                self.wait_until_whole()
                before = self.installation.secret()
                self.installation.ask_for_rotation("leaf")
                wait_until("a new leaf",
                           lambda: self.installation.secret()["tls.crt"] != before["tls.crt"], 60)
                self.assert_accepted(
                    held.run("create", "--dry-run=server", "--filename", "-", stdin=BAD))
            self.wait_until_whole()
        self.assertEqual(load.failures[:3], [])
        self.assertGreater(load.sent, 50)
        self.assertEqual(self.installation.secret()["ca.crt"], authority)
        self.assertEqual(self.writes("requested"), 4)
        leads = [webhook.scrape(facts)["dynamo_webhook_leads"] for facts in self.servers]
        self.assertEqual(sum(leads), 1)

    def test_recreated_configurations_get_their_ca_bundle(self):
        self.install("recreated", 1)
        self.installation.remove()
        self.installation.configure()
        wait_until("the caBundles being written", lambda: all(self.installation.bundles()), 20)
        wait_until("the API server calling the server", self.is_validated, ADMISSION_SECONDS)

    def test_missing_permissions_are_logged_until_granted(self):
        access = self.connection(managed.RIGHTS[0])
        self.installation = Installation(self.admin, self.system, f"poor-{self.system}", 9)
        self.addCleanup(self.installation.remove)
        facts = self.start_connected("poor", access, *self.installation.flags(), ready=False)

        def refused():
            return [line for line in self.log_of("poor") if "orbidden" in str(line)]

        def all_named():
            return all(any(f'"{each}"' in str(line) for line in refused()) for each in (
                "secrets", "leases", "validatingwebhookconfigurations",
                "mutatingwebhookconfigurations"))

        wait_until("a line for each right", all_named, 10)
        resources = [line.get("resource") for line in refused()]
        self.assertEqual(len(resources), len(set(resources)), resources)
        self.assertIn("orbidden", webhook.readiness(facts)[1])
        access.grant(managed.RIGHTS[1])
        wait_until("readiness with the rights", lambda: webhook.is_ready(facts), 90)
        self.servers = [facts]
        self.wait_until_whole()

    def define(self, plural, labels):
        """A definition with a conversion webhook that calls the Service; returns its name."""
        group = f"{self.system}.example.com"
        kind = plural.removesuffix("s")
        versions = [{"name": each, "served": True, "storage": each == "v1",
                     "schema": {"openAPIV3Schema": {"type": "object"}}} for each in ("v1", "v2")]
        called = {"namespace": self.system, "name": managed.SERVICE, "path": "/convert"}
        name = f"{plural}.{group}"
        self.admin.must("create", "--filename", "-", stdin={
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": name, "labels": labels},
            "spec": {"group": group, "scope": "Namespaced", "versions": versions,
                     "names": {"plural": plural, "singular": kind, "kind": kind.capitalize()},
                     "conversion": {"strategy": "Webhook", "webhook": {
                         "conversionReviewVersions": ["v1"],
                         "clientConfig": {"service": called}}}}})
        self.addCleanup(self.admin.run, "delete", "crd", name)
        return name

    def test_labelled_definitions_get_their_ca_bundle(self):
        unlabelled = self.define("gadgets", {})

        def conversion(name):
            return self.admin.get("crd", name)["spec"]["conversion"]

        def bundle(name):
            encoded = conversion(name)["webhook"]["clientConfig"].get("caBundle", "")
            return base64.b64decode(encoded).decode()

        self.install("conversion", 1, flags=("--inject-crds",), rights=("inject_crds.yaml",))
        self.installation.allow("definitions", "customresourcedefinitions", f"widgets.{self.system}.example.com")
        labelled = self.define("widgets", {managed.LABEL: "true"})
        authority = self.installation.secret()["ca.crt"]
        wait_until("the caBundle being written", lambda: bundle(labelled) == authority,
                   REPAIR_SECONDS)
        self.assertEqual(conversion(labelled)["strategy"], "Webhook")
        self.assertEqual(conversion(labelled)["webhook"]["clientConfig"]["service"]["path"],
                         "/convert")
        # A deleted caBundle is written again.
        self.admin.must("patch", "crd", labelled, "--type", "json", "--patch", [{
            "op": "remove", "path": "/spec/conversion/webhook/clientConfig/caBundle"}])
        wait_until("the caBundle being written again", lambda: bundle(labelled) == authority,
                   REPAIR_SECONDS)
        self.assertEqual(bundle(unlabelled), "")
        self.assert_nothing_forbidden()

    def test_server_side_apply_can_remove_and_rename_webhooks(self):
        kind, name = managed.CONFIGURATIONS[0], f"gitops-{self.system}"
        self.addCleanup(self.admin.run, "delete", kind, name)
        self.install("handed", 1)
        self.installation.allow("handed", "validatingwebhookconfigurations", name)
        first, second = self.admin.get(kind, self.validator)["webhooks"][:2]
        for each in (first, second):
            del each["clientConfig"]["caBundle"]
        authority = self.installation.secret()["ca.crt"]

        def apply(*webhooks):
            self.admin.must("apply", "--server-side", "--field-manager", "flux", "-f", "-", stdin={
                "apiVersion": "admissionregistration.k8s.io/v1",
                "kind": "ValidatingWebhookConfiguration",
                "metadata": {"name": name, "labels": {managed.LABEL: "true"}},
                "webhooks": webhooks})

        def injected():
            """Each webhook's name, and whether it has the caBundle."""
            return [(each["name"], base64.b64decode(
                each["clientConfig"].get("caBundle", "")).decode() == authority)
                for each in self.admin.get(kind, name)["webhooks"]]

        def assert_injected(*names):
            wanted = [(each, True) for each in names]
            wait_until(f"caBundles of {names}", lambda: injected() == wanted, 20)

        renamed = {**second, "name": "renamed.example.com"}
        apply(first, second)
        assert_injected(first["name"], second["name"])
        apply(first)
        self.assertEqual(injected(), [(first["name"], True)])
        apply(first, second)
        assert_injected(first["name"], second["name"])
        apply(first, renamed)
        assert_injected(first["name"], renamed["name"])
        owned = [each["fieldsV1"] for each in self.admin.get(
            kind, name, "--show-managed-fields")["metadata"]["managedFields"]
            if each["manager"] == "dynamo-webhook-ca-injector"]
        self.assertEqual(owned, [{"f:webhooks": {
            f'k:{{"name":"{each["name"]}"}}': {"f:clientConfig": {"f:caBundle": {}}}
            for each in (first, renamed)}}])
        self.assertEqual([line for line in self.log_of("handed-0")
                          if "writing a caBundle failed" in str(line)], [])

    def test_foreign_configuration_is_not_changed(self):
        others = webhook.configurations(9, None, ["DynamoModel"], defaulting=False,
                                        validator=f"other-{self.system}")
        unlabelled, = others["items"]
        elsewhere = {**unlabelled, "metadata": {"name": f"elsewhere-{self.system}",
                                                "labels": {managed.LABEL: "true"}}}
        for each in (unlabelled, elsewhere):
            self.admin.must("create", "--filename", "-", stdin=each)
            self.addCleanup(self.admin.run, "delete", managed.CONFIGURATIONS[0],
                            each["metadata"]["name"])
        self.install("modest", 1)
        for each in (unlabelled, elsewhere):
            stored = self.admin.get(managed.CONFIGURATIONS[0], each["metadata"]["name"])
            self.assertNotIn("caBundle", stored["webhooks"][0]["clientConfig"])
            self.assertEqual(stored["metadata"]["generation"], 1)


@takes_long
class Rotation(ManagedTest):
    RATE = 200

    def rotate(self, name, what, is_done):
        self.install(name, 2)
        before = self.installation.secret()
        with self.load(self.RATE) as load:
            wait_until("requests before", lambda: load.sent > 100, 20)
            began, sent = time.monotonic(), load.sent
            self.installation.ask_for_rotation(what)
            wait_until(f"the rotation of the {what}", lambda: is_done(before), ROTATION_SECONDS)
            at_the_end = load.sent
            wait_until("requests after", lambda: load.sent > at_the_end + 5 * self.RATE, 20)
            # Includes the requests after the rotation: it takes less than a second, in which a busy
            # machine may fall behind and then catch up.
            rate = (load.sent - sent) / (time.monotonic() - began)
        print(f"{load.sent} requests, {rate:.0f}/s during the rotation", flush=True)
        self.assertGreaterEqual(rate, 0.9 * self.RATE)
        self.assertEqual(load.failures[:3], [])
        self.assert_nothing_forbidden()
        return before, self.installation.secret()

    def test_leaf_is_rotated_under_load_without_failure(self):
        before, after = self.rotate("leaf", "leaf", lambda before: (
            self.installation.secret()["tls.crt"] != before["tls.crt"]
            and self.installation.is_whole(self.servers)))
        self.assertEqual(after["ca.crt"], before["ca.crt"])
        self.assertEqual(self.writes("requested"), 1)

    def test_ca_is_rotated_under_load_without_failure(self):
        phases = []

        def is_done(before):
            secret = self.installation.secret()
            phase = ("next-ca.key" in secret, "previous-ca.crt" in secret)
            if phase not in phases[-1:]:
                phases.append(phase)
            return (pem_blocks(secret["ca.crt"])[0] != pem_blocks(before["ca.crt"])[0]
                    and not any(phase) and set(self.installation.bundles()) == {secret["ca.crt"]}
                    and self.installation.is_whole(self.servers))

        before, after = self.rotate("ca", "ca", is_done)
        self.assertEqual([phase for phase in phases if any(phase)],
                         [(True, False), (False, True)])
        self.assertEqual(len(pem_blocks(after["ca.crt"])), 1)
        self.assertNotEqual(after["ca.key"], before["ca.key"])


@takes_long
class Races(ManagedTest):
    """Two replicas are started at the same time, repeatedly: they end with one CA, which every
    caBundle contains and both replicas have a leaf of."""

    def race(self, name, prepare):
        """`prepare` gets the number of the start, the first of which finds nothing, and returns the
        expected number of writes of the Secret."""
        access = self.connection(*managed.RIGHTS)
        port, = processes.free_ports(1)
        self.installation = Installation(self.admin, self.system, f"{name}-{self.system}", port)
        self.addCleanup(self.installation.remove)
        kubeconfig = access.kubeconfig()
        for number in range(STARTS):
            with self.subTest(number=number):
                self.race_once(name, kubeconfig, writes=prepare(number))
        log = (self.state.logs / f"{name}.log").read_text(encoding="utf-8")
        self.assertNotIn("orbidden", log)

    def race_once(self, name, kubeconfig, writes):
        running = []
        try:
            with open(self.state.logs / f"{name}.log", "ab") as log:
                for _ in range(2):
                    command, facts = webhook.command_of(
                        self.state, self.state.facts["webhook_binary"], name,
                        ("--kubeconfig", kubeconfig, *QUICK, *self.installation.flags()))
                    running.append((subprocess.Popen(
                        [str(word) for word in command], stdin=subprocess.DEVNULL, stdout=log,
                        stderr=log), facts))
            self.servers = [facts for _, facts in running]
            wait_until("both being ready", lambda: self.are_ready(running, name), START_SECONDS)
            self.wait_until_whole(START_SECONDS)
            self.assertEqual(sum(total(webhook.scrape(facts), WRITES) for facts in self.servers),
                             writes)
            self.assertEqual(len(pem_blocks(self.installation.secret()["ca.crt"])), 1)
        finally:
            codes = [stopped(process) for process, _ in running]
        self.assertEqual(codes, [0, 0])

    def are_ready(self, running, name):
        for process, facts in running:
            if process.poll() is not None:
                log = self.state.logs / f"{name}.log"
                raise HarnessError(f"a server ended with {process.returncode}; end of {log}:\n"
                                   f"{processes.tail(log)}")
            try:
                ready, answer = webhook.readiness(facts)
            except OSError as error:
                raise RetryError(f"{facts}: {error}") from None
            if not ready:
                raise RetryError(f"{facts} says {answer}")
        return True

    def test_replicas_without_secret_agree_on_one_ca(self):
        def prepare(number):
            if number > 0:
                self.installation.delete_secret()
            return 1

        self.race("empty", prepare)

    def test_replicas_with_damaged_secret_agree_on_one_ca(self):
        def prepare(number):
            if number > 0:
                self.installation.write_secret({("ca.crt", "ca.key", "tls.crt")[number % 3]:
                                                "damaged"})
            return 1

        self.race("damaged", prepare)

    def test_replicas_with_recreated_configurations_agree_on_ca(self):
        def prepare(number):
            if number > 0:
                self.installation.remove()
                self.installation.configure()
            if number % 2:
                self.installation.delete_secret()
            return number % 2 or number == 0

        self.race("recreated", prepare)


def stopped(process):
    """Asks a server to end; returns its exit code, or None if it had to be killed."""
    process.terminate()
    try:
        return process.wait(START_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(START_SECONDS)
        return None
