"""Bad objects and bad updates are refused with every cause at once, in kubectl's output.

The objects are those of tests/testdata/invalid and invalid_updates, which state their expectations. kubectl's
output for each is compared as a whole with the golden file of the webhook's answer, and its causes and warnings
with the object's expectations.

Many of the objects violate the definitions, too. The API server then responds by itself, before it calls a
webhook; its output is in testdata/refused_by_definition/KIND/CASE.txt.
"""

import concurrent.futures
import json
import re

from . import cases
from .support import GOLDENS, REPOSITORY, ClusterTest, causes_of, smoke, warnings_of

# The rule id at the end of the webhook's messages, in a refusal and in a warning.
RULE = re.compile(r"\[([a-z]+(?:\.[a-z0-9-]+)+)\]$", re.MULTILINE)

# Refused by the definitions, so that the rule reports only without them.
LEFT_TO_DEFINITIONS = {
    "type.mismatch", "dgd.services.limit", "dgd.restart.id", "service.replicas.non-negative", "dgdr.config.parses",
    "ckpt.identity.immutable", "dgdsa.ref.name", "dgdsa.ref.service", "dgdsa.replicas.non-negative",
}
# Only warns, for every operator version: docs/rules.md explains why.
ONLY_WARNS = {"dgdsa.ref.immutable"}
# The server does not read API discovery; it warns that it cannot evaluate this rule.
NEEDS_DISCOVERY = {"epp.inference-pool.available"}
BY_DEFINITION = GOLDENS / "refused_by_definition"


def without_discovery(words):
    """The output without the lines that depend on the API groups of the cluster."""
    return "".join(line for line in words.splitlines(keepends=True)
                   if not any(f"[{rule}]" in line for rule in NEEDS_DISCOVERY))


def in_order(words):
    """The API server's own causes have no fixed order: sorts them, below the first line."""
    head, *causes = words.splitlines(keepends=True)
    return head + "".join(sorted(causes))


@smoke
class Refusals(ClusterTest):
    def refused_with_every_cause(self, kind):
        found = self.sent(kind)
        self.assertTrue(found, f"no bad objects of kind {kind}")
        # Messages may contain the namespace, so it is the same in every run. A dry run is validated
        # like any other request, and an accepted object does not affect the next run.
        kubectl = self.admin.within("default")

        def send(case):
            return kubectl.run("create", "--dry-run=server", "--filename", case.manifest)

        for case, result in zip(found, self.in_parallel(send, found)):
            with self.subTest(case.name):
                self.assert_refused_as_expected(kind, case, result)

    def updates_refused_with_every_cause(self, kind):
        found = self.sent_updates(kind)
        self.assertTrue(found, f"no bad updates of kind {kind}")
        self.kubectl.must("apply", *(word for case in found for word in ("--filename", case.old)))

        def send(case):
            self.write_status(case)
            kubectl = self.kubectl.impersonating(case.user) if case.user else self.kubectl
            return kubectl.run("apply", "--dry-run=server", "--filename", case.manifest)

        for case, result in zip(found, self.in_parallel(send, found)):
            with self.subTest(case.name):
                self.assert_refused_as_expected(kind, case, result, "update_")

    def in_parallel(self, send, found):
        """The result of send(case) for each case, in order. kubectl mostly spends time starting."""
        with concurrent.futures.ThreadPoolExecutor(max_workers=4) as pool:
            return list(pool.map(send, found))

    def kinds(self):
        return sorted(path.name for path in (cases.TESTDATA / "invalid").iterdir() if path.is_dir())

    def sent(self, kind):
        return [case for case in cases.invalid(kind) if self.can_be_sent(case)]

    def sent_updates(self, kind):
        return [case for case in cases.invalid_updates(kind) if self.can_be_sent(case)]

    def can_be_sent(self, case):
        """Whether this cluster sends the case's request to the webhook."""
        return not (case.only_as_review or case.flags or
                    any(cause.rule in NEEDS_DISCOVERY for cause in case.expected))

    def write_status(self, case):
        """A status is not part of a creation: it is written through its subresource."""
        if "\nstatus:" not in case.old.read_text():
            return
        stored = self.kubectl.must("create", "--dry-run=client", "--output", "json",
                                   "--filename", case.old).json()
        self.kubectl.must("patch", "--filename", case.old, "--subresource", "status", "--type",
                          "merge", "--patch", json.dumps({"status": stored["status"]}))

    def assert_refused_as_expected(self, kind, case, result, prefix=""):
        self.assertFalse(result.ok, f"accepted:\n{result}")
        words = result.stderr.replace(self.namespace, "NAMESPACE").replace(f"{REPOSITORY}/", "")
        if not RULE.search(words):
            self.assert_golden(in_order(words), f"refused_by_definition/{kind}/{prefix}{case.name}.txt")
            return
        self.assertEqual(without_discovery(words), without_discovery(case.output()), case.name)
        self.assertEqual(sorted(causes_of(result.stderr)), sorted(case.expected), str(result))
        self.assert_warned(case.warned, result)

    def assert_warned(self, expected, result):
        warnings = [each for each in warnings_of(result.stderr)
                    if not any(each.endswith(f" [{rule}]") for rule in NEEDS_DISCOVERY)]
        self.assertEqual(len(warnings), len(expected), str(result))
        for cause in expected:
            self.assertTrue(any(each.startswith(f"{cause.field}: ") and
                                each.endswith(f" [{cause.rule}]") for each in warnings),
                            f"no warning for {cause}:\n{result}")

    def test_every_golden_file_has_a_bad_object(self):
        wanted = set()
        for kind in self.kinds():
            wanted |= {f"{kind}/{case.name}.txt" for case in self.sent(kind)}
            wanted |= {f"{kind}/update_{case.name}.txt" for case in self.sent_updates(kind)}
        found = {str(path.relative_to(BY_DEFINITION)) for path in BY_DEFINITION.rglob("*.txt")}
        self.assertEqual(found - wanted, set())

    def test_every_rule_left_to_webhook_refuses_something(self):
        spoken = set()
        for kind in self.kinds():
            spoken |= {rule for case in self.sent(kind) if not (BY_DEFINITION / kind / f"{case.name}.txt").exists()
                       for rule in RULE.findall(case.output())}
            spoken |= {rule for case in self.sent_updates(kind)
                       if not (BY_DEFINITION / kind / f"update_{case.name}.txt").exists()
                       for rule in RULE.findall(case.output())}
        by_flag = {"dgdr.gpu-discovery.scope"}
        # Only the operator's own rules; tests/validators has the tables of the others.
        texts = [path.read_text() for path in (REPOSITORY / "validators/texts").glob("*.md")]
        rules = {rule for text in texts if "\n- group: operator\n" in text
                 for rule in re.findall(r"^## (\S+)$", text, re.MULTILINE)}
        self.assertEqual(rules - spoken - NEEDS_DISCOVERY, LEFT_TO_DEFINITIONS | ONLY_WARNS | by_flag)

    def test_graph_deployments_are_refused_with_every_cause(self):
        self.refused_with_every_cause("dynamographdeployment")

    def test_component_deployments_are_refused_with_every_cause(self):
        self.refused_with_every_cause("dynamocomponentdeployment")

    def test_models_are_refused_with_every_cause(self):
        self.refused_with_every_cause("dynamomodel")

    def test_deployment_requests_are_refused_with_every_cause(self):
        self.refused_with_every_cause("dynamographdeploymentrequest")

    def test_checkpoints_are_refused_with_every_cause(self):
        self.refused_with_every_cause("dynamocheckpoint")

    def test_scaling_adapters_are_refused_with_every_cause(self):
        self.refused_with_every_cause("dynamographdeploymentscalingadapter")

    def test_graph_deployment_updates_are_refused_with_every_cause(self):
        self.updates_refused_with_every_cause("dynamographdeployment")

    def test_component_deployment_updates_are_refused_with_every_cause(self):
        self.updates_refused_with_every_cause("dynamocomponentdeployment")

    def test_model_updates_are_refused_with_every_cause(self):
        self.updates_refused_with_every_cause("dynamomodel")

    def test_deployment_request_updates_are_refused_with_every_cause(self):
        self.updates_refused_with_every_cause("dynamographdeploymentrequest")

    def test_checkpoint_updates_are_refused_with_every_cause(self):
        self.updates_refused_with_every_cause("dynamocheckpoint")

    def test_scaling_adapter_updates_are_refused_with_every_cause(self):
        self.updates_refused_with_every_cause("dynamographdeploymentscalingadapter")
