"""With the token of a pod that parses requests: what an attacker could do after exploiting the parser."""

import json

from behaviours.connection_fixture import ConnectedTest
from behaviours.support import wait_until, webhook
from harness import managed, processes

SERVER = ("cluster_wide.yaml", "managed_certificates_server.yaml")
REPLICAS = f"{managed.SERVICE}-replicas"
LEADER = f"{managed.SERVICE}-leader"


class RightsOfServers(ConnectedTest):
    def setUp(self):
        super().setUp()
        port, = processes.free_ports(1)
        self.installation = managed.Installation(self.admin, self.system, f"keeper-{self.system}", port,
                                                 account="dynamo-webhook-keeper")
        self.addCleanup(self.installation.remove)
        self.access = self.connection(*SERVER)
        self.access.grant("managed_certificates_keeper.yaml")

    def start_keeper(self):
        token = self.admin.within(self.system).must("create", "token", "dynamo-webhook-keeper").stdout.strip()
        probes, metrics = processes.free_ports(2)
        record = self.state.start("keeper", [
            self.state.facts["webhook_binary"], "--role", "keeper", *self.installation.flags(),
            "--health-probe-bind-address", f"127.0.0.1:{probes}", "--metrics-bind-address", f"127.0.0.1:{metrics}",
            "--kubeconfig", self.access.kubeconfig(name="keeper", token=token)], 30)
        self.addCleanup(self.stop_server, "keeper")
        facts = {"name": "keeper", "probes": probes, "metrics": metrics}
        processes.wait_ready(record, "the keeper's /readyz", lambda: webhook.is_ready(facts), 30)
        return facts

    def start_server(self, name="serving"):
        return self.start_connected(name, self.access, "--role", "server", *self.installation.flags())

    def can(self, verb, resource, *options):
        return self.admin.run("auth", "can-i", verb, resource, "--as", self.access.user, *options).ok

    def test_server_keeps_serving_but_ca_rotation_stops(self):
        keeper, server = self.start_keeper(), self.start_server()
        wait_until("all caBundles trusting the server", lambda: self.installation.is_whole([server]), 30)
        before = set(self.installation.bundles())
        self.installation.ask_for_rotation("ca")
        wait_until("one new CA in every caBundle", lambda: not before & set(self.installation.bundles()) and all(
            len(managed.pem_blocks(each)) == 1 for each in self.installation.bundles()), 180)
        wait_until("all caBundles trusting the server", lambda: self.installation.is_whole([server]), 30)
        self.assertEqual(webhook.scrape(keeper)["dynamo_webhook_leads"], 1)
        self.assertNotIn("dynamo_webhook_ready", webhook.scrape(keeper))
        for name in ("keeper", "serving"):
            self.assertNotIn("orbidden", (self.state.logs / f"{name}.log").read_text(encoding="utf-8"))

    def test_server_token_changes_no_webhook_configuration(self):
        self.start_keeper()
        self.start_server()
        user = self.admin.within(self.system)
        patch = json.dumps([{"op": "replace", "path": "/webhooks/0/failurePolicy", "value": "Ignore"}])
        for kind in managed.CONFIGURATIONS:
            done = user.run("patch", kind, self.installation.validator, "--type", "json", "--patch", patch, "--as", self.access.user)
            self.assertIn("forbidden", done.stderr)
        for verb in ("create", "update", "patch", "delete"):
            with self.subTest(verb):
                self.assertFalse(self.can(verb, "secrets", "--namespace", self.system))
                self.assertFalse(self.can(verb, f"secrets/{managed.SECRET}", "--namespace", self.system))
                self.assertFalse(self.can(verb, f"leases/{LEADER}", "--namespace", self.system))
                self.assertFalse(self.can(verb, "leases", "--namespace", self.system))
        self.assertTrue(self.can("patch", f"leases/{REPLICAS}", "--namespace", self.system))
        self.assertFalse(self.can("list", "secrets", "--namespace", self.system))
