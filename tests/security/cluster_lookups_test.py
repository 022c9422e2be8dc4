"""A client with access to the webhook's port probes for Secrets in namespaces where it has no
permissions."""

import http.client
import ssl

from behaviours.connection_fixture import SEEN_SECONDS, ConnectedTest
from behaviours.lookups_test import OBJECTS, asking_graph
from behaviours.support import wait_until, webhook

RULE = "[cross.secret-missing]"


class NameOracle(ConnectedTest):
    def setUp(self):
        super().setUp()
        self.victim = self.new_namespace("victim")
        self.admin.within(self.victim).must("create", "secret", "generic", "hf-token", "--from-literal=HF_TOKEN=x")

    def start(self, name, *flags):
        facts = self.start_connected(name, self.connection("cluster_wide.yaml", "cluster_lookups.yaml"),
                                     "--cluster-lookups", "all", *flags)
        wait_until("the names of ConfigMaps", lambda: any(
            series.startswith(OBJECTS + "{") and "ConfigMap" in series for series in webhook.scrape(facts)), SEEN_SECONDS)
        return facts

    def answers(self, facts):
        """Returns the responses for a Secret that exists, and for one that does not."""
        reviewer = self.reviewer(facts)
        found = []
        for secret in ("hf-token", "no-such-secret"):
            graph = asking_graph("probe")
            graph["spec"]["services"]["Worker"]["envFromSecret"] = secret
            found.append([each for each in reviewer.review(graph, self.victim).get("warnings", []) if each.endswith(RULE)])
        return found

    def test_answers_ignore_secrets_without_client_certificates(self):
        facts = self.start("oracle")
        self.assertEqual(self.answers(facts), [[], []])
        output = [line for line in self.log_of("oracle") if "--client-ca-file" in line["message"]]
        self.assertEqual([(line["level"], line["secrets"]) for line in output], [("warning", "not looked up")])

    def test_secret_lookups_require_client_certificates(self):
        facts = self.start("guarded", *self.client_ca())
        wait_until("the names of Secrets", lambda: any(
            series.startswith(OBJECTS + "{") and '"Secret"' in series for series in webhook.scrape(facts)), SEEN_SECONDS)
        with self.assertRaises((ssl.SSLError, ConnectionError, http.client.HTTPException)):
            self.answers(facts)
        # The API server presents a certificate, and its users get the warning.
        kubectl = self.validated_by("guarded", facts)
        output = kubectl.must("apply", "--filename", "-", stdin=asking_graph("chat")).stderr
        self.assertIn(RULE, output)
