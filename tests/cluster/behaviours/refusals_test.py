"""Bad objects and bad updates are refused with every cause at once, in the words kubectl prints.

The objects are those of tests/testdata/invalid and invalid_updates, which say what they expect.
What kubectl prints for each is compared as a whole with testdata/refusals/KIND/CASE.txt, and its
causes and warnings with what the object expects, so that a golden file cannot drift from the rules.
"""

import concurrent.futures
import json

from . import cases
from .support import GOLDENS, ClusterTest, causes_of, warnings_of

# With a scale subresource the API server itself judges spec.replicas, before it asks a webhook.
REFUSED_BY_SCALE = {
    "dynamographdeploymentscalingadapter": {"everything_at_once", "wrong_type_fields"},
}
# The server does not ask the API server what it serves; it warns that it could not judge this.
NEEDS_DISCOVERY = {"epp.inference-pool.available"}


class Refusals(ClusterTest):
    def refused_with_every_cause(self, kind):
        found = [case for case in cases.invalid(kind) if self.can_be_sent(case)]
        self.assertTrue(found, f"no bad objects of kind {kind}")
        # Messages may name the namespace, so it is the same in every run. A dry run is judged like
        # any other; should an object be accepted, it is not in the way of the next run.
        kubectl = self.admin.within("default")

        def send(case):
            return kubectl.run("create", "--dry-run=server", "--filename", case.manifest)

        for case, result in zip(found, self.in_parallel(send, found)):
            with self.subTest(case.name):
                self.assert_refused_as_expected(kind, case, result)

    def updates_refused_with_every_cause(self, kind):
        found = [case for case in cases.invalid_updates(kind) if self.can_be_sent(case)]
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
        """What send(case) returns for each case, in order. kubectl spends its time on starting."""
        with concurrent.futures.ThreadPoolExecutor(max_workers=4) as pool:
            return list(pool.map(send, found))

    def can_be_sent(self, case):
        """Does this cluster send the webhook what the case is about?"""
        return not (case.only_as_review or case.flags or
                    any(cause.rule in NEEDS_DISCOVERY for cause in case.expected))

    def write_status(self, case):
        """A status does not come with the object: it is written through its subresource."""
        if "\nstatus:" not in case.old.read_text():
            return
        stored = self.kubectl.must("create", "--dry-run=client", "--output", "json",
                                   "--filename", case.old).json()
        self.kubectl.must("patch", "--filename", case.old, "--subresource", "status", "--type",
                          "merge", "--patch", json.dumps({"status": stored["status"]}))

    def assert_refused_as_expected(self, kind, case, result, prefix=""):
        self.assertFalse(result.ok, f"accepted:\n{result}")
        words = result.stderr.replace(self.namespace, "NAMESPACE")
        self.assert_golden(words, f"refusals/{kind}/{prefix}{case.name}.txt")
        if case.name in REFUSED_BY_SCALE.get(kind, ()):
            self.assertIn(".spec.replicas", result.stderr)
            return
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

    def test_every_golden_file_belongs_to_a_bad_object(self):
        wanted = set()
        for kind in sorted(path.name for path in (cases.TESTDATA / "invalid").iterdir()
                           if path.is_dir()):
            wanted |= {f"{kind}/{case.name}.txt" for case in cases.invalid(kind)
                       if self.can_be_sent(case)}
            wanted |= {f"{kind}/update_{case.name}.txt" for case in cases.invalid_updates(kind)
                       if self.can_be_sent(case)}
        goldens = GOLDENS / "refusals"
        there = {str(path.relative_to(goldens)) for path in goldens.rglob("*.txt")}
        self.assertEqual(there, wanted)

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

    def test_updates_of_graph_deployments_are_refused_with_every_cause(self):
        self.updates_refused_with_every_cause("dynamographdeployment")

    def test_updates_of_component_deployments_are_refused_with_every_cause(self):
        self.updates_refused_with_every_cause("dynamocomponentdeployment")

    def test_updates_of_models_are_refused_with_every_cause(self):
        self.updates_refused_with_every_cause("dynamomodel")

    def test_updates_of_deployment_requests_are_refused_with_every_cause(self):
        self.updates_refused_with_every_cause("dynamographdeploymentrequest")

    def test_updates_of_checkpoints_are_refused_with_every_cause(self):
        self.updates_refused_with_every_cause("dynamocheckpoint")

    def test_updates_of_scaling_adapters_are_refused_with_every_cause(self):
        self.updates_refused_with_every_cause("dynamographdeploymentscalingadapter")
