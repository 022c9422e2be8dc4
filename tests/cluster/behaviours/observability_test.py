"""The visible effects of a verdict in addition to the refusal: warnings, metrics, log lines."""

import json
from pathlib import Path

from .support import (NO_HOST, ClusterTest, graph, no_host, thing, total, warnings_of, wait_until,
                      webhook, worker)

DEPRECATED = {"Worker": worker(autoscaling={"enabled": True}, dynamoNamespace="elsewhere")}


class Observability(ClusterTest):
    def test_accepted_object_shows_warnings(self):
        result = self.create(graph("chat", DEPRECATED))
        self.assert_accepted(result)
        self.assert_deprecations(result)

    def test_refused_object_shows_warnings(self):
        result = self.create(graph("chat", {**DEPRECATED, "Bad": worker(**NO_HOST)}))
        self.assert_refused(result, no_host("Bad"))
        self.assert_deprecations(result)

    def assert_deprecations(self, result):
        warnings = [each for each in warnings_of(result.stderr) if "[Worker]" in each]
        self.assertEqual(len(warnings), 2, str(result))
        for field, rule in (("dynamoNamespace", "service.dynamo-namespace.deprecated"),
                            ("autoscaling", "service.autoscaling.deprecated")):
            self.assertTrue(any(each.startswith(f"spec.services[Worker].{field}: ") and
                                each.endswith(f"[{rule}]") for each in warnings), str(result))

    def test_refusal_is_counted_by_kind_operation_and_rule(self):
        before = webhook.scrape(self.webhook)
        self.create(thing("DynamoModel", "model", {"modelName": "a", "baseModelName": ""}))
        after = webhook.scrape(self.webhook)

        def counted(name, **labels):
            return total(after, name, **labels) - total(before, name, **labels)

        kind = {"resource_type": "DynamoModel", "operation": "CREATE"}
        for what in ("requests_total", "denials_total", "duration_seconds_count"):
            self.assertEqual(counted(f"dynamo_operator_webhook_{what}", **kind), 1, what)
            self.assertEqual(counted(f"dynamo_operator_webhook_{what}"), 1, what)
        self.assertEqual(counted("dynamo_operator_webhook_requests_total", result="denied"), 1)
        self.assertEqual(counted("dynamo_operator_webhook_denials_total", reason="validation"), 1)
        self.assertEqual(counted("dynamo_webhook_rule_causes_total", rule="dm.base-model-name",
                                 severity="deny"), 1)
        self.assertEqual(counted("dynamo_webhook_rule_causes_total"), 1)

    def test_refusal_is_one_log_line_without_values(self):
        log = Path(self.state.process("webhook")["log"])
        before = log.stat().st_size
        self.create(thing("DynamoModel", "leaky", {
            "modelName": "law", "baseModelName": "", "modelType": "lora",
            "source": {"uri": "https://user:hunter2@example.com/law"}}))

        def lines():
            with open(log, encoding="utf-8") as file:
                file.seek(before)
                return [line for line in file if '"leaky"' in line or "/leaky" in line]

        wait_until("the refusal's log line", lines, 5)
        line, = lines()
        self.assertNotIn("hunter2", line)
        facts = json.loads(line)
        self.assertIn("dm.base-model-name", json.dumps(facts))
        self.assertIn("dm.lora.scheme", json.dumps(facts))
        self.assertIn("kubernetes-admin", json.dumps(facts))

    def test_secret_in_uri_is_not_echoed(self):
        result = self.create(thing("DynamoModel", "leaky", {
            "modelName": "law", "baseModelName": "llama", "modelType": "lora",
            "source": {"uri": "https://user:hunter2@example.com/law"}}))
        self.assert_refused(result, ("spec.source.uri", "dm.lora.scheme"))
        self.assertNotIn("hunter2", result.stderr)
