"""One verdict in four places. For hundreds of objects with one seeded mistake each, the webhook, the
library, `kubectl dynamo validate` and dynamo-reconciler's reports on the stored objects have the
same causes, byte by byte. differential/differences.py lists the exceptions with reasons."""

import json
import time

from differential import differences, library, mutations, verdicts
from harness import webhook
from harness.processes import RetryError
from harness.writer import Writer

from .mutation_fixture import MutationFixture
from .reconciler_fixture import OWN, ReconcilerTest
from .support import API_VERSION, graph, takes_long, wait_until

SERVER = "stored-verdicts"
# Per kind: a fixed sample, of which the definition refuses a part.
DRAWN = {"DynamoGraphDeployment": 400, "DynamoComponentDeployment": 300}
DRAWN_OF_OTHERS = 100
WITHOUT_CONDITION = "DynamoGraphDeploymentScalingAdapter"
LEAST_REFUSED, LEAST_VALID, LEAST_RULES = 120, 120, 20
VALIDATED_SECONDS = 90


@takes_long
class StoredVerdicts(MutationFixture, ReconcilerTest):
    def draw(self):
        """(kind, name) -> Mutant, in the same order in each run."""
        made = {}
        for kind, plural in webhook.KINDS.items():
            mutants = {name: each for name, each in self.mutants(kind, plural) if not each.doubled}
            drawn = mutations.drawn(mutants, DRAWN.get(kind, DRAWN_OF_OTHERS), f"stored {kind}")
            for number, mutant in enumerate(drawn.values()):
                name = f"m{number:03}"
                mutant.value["metadata"] |= {"name": name, "namespace": self.namespace}
                made[kind, name] = mutant
        return made

    def validated_by_us(self):
        """From now on a webhook with the reconciler's knowledge of the cluster validates the
        namespace."""
        facts = self.start_server(SERVER, "--shutdown-delay", "0s", "--kubeconfig", self.state.kubeconfig)
        self._relabel(SERVER)
        self.validated_by(SERVER, facts, namespace=self.namespace)

    def validated_by_no_webhook(self):
        self._relabel(webhook.NO_WEBHOOK)
        wait_until("the API server not validating the namespace", lambda: self.kubectl.run(
            "create", "--dry-run=server", "--filename", "-", stdin=graph("probe", {})).ok, VALIDATED_SECONDS)

    def _relabel(self, validator):
        self.admin.must("label", "--overwrite", "namespace", self.namespace, f"{webhook.VALIDATED_BY}={validator}")

    def create_all(self, made, query=""):
        """{(kind, name): (HTTP status, the API server's response)} for these objects."""
        writer = Writer(self.state)
        self.addCleanup(writer.close)
        return {(kind, name): writer.create(
            f"{API_VERSION}/namespaces/{self.namespace}/{webhook.KINDS[kind]}{query}", mutant.value)
            for (kind, name), mutant in made.items()}

    # --- The four verdicts, as {(kind, name): ...}.

    def server_version(self):
        return self.admin.must("version", "--output", "json").json()["serverVersion"]["gitVersion"]

    def library_verdicts(self):
        """For every stored object."""
        package = library.load(self.directory / "package")
        evaluator = package.Evaluator(settings={"operator-version": webhook.OPERATOR_VERSION})
        # The facts that the others read from this cluster.
        facts = package.Facts(now=time.time(), kubernetes_minor=int(self.server_version().split(".")[1]),
                              inference_pool_served=False, grove_served=False, leader_worker_set_served=False,
                              kai_scheduler_served=False)
        return {(kind, each["metadata"]["name"]): library.verdict_on(evaluator, each, facts)
                for kind, plural in webhook.KINDS.items() for each in self.kubectl.get(plural)["items"]}

    def checker_verdicts(self, made):
        found = {}
        for kind in webhook.KINDS:
            directory = self.directory / kind
            directory.mkdir()
            for each, mutant in made.items():
                if each[0] == kind:
                    (directory / f"{each[1]}.json").write_text(json.dumps(mutant.value))
            # The facts that webhook and reconciler have as flags, or read from this cluster.
            reports = self.check(directory, "--operator-version", webhook.OPERATOR_VERSION, "--kubernetes-version",
                                 self.server_version(), "--pathway", "component", "--inference-pool", "no")
            found |= {(kind, name): verdicts.of_checker(report) for name, report in reports.items()}
        return found

    def written(self):
        """The conditions and events."""
        conditions, events = {}, {}
        for kind, plural in webhook.KINDS.items():
            for each in self.kubectl.get(plural)["items"]:
                for one in each.get("status", {}).get("conditions", []):
                    if one["type"] == OWN:
                        conditions[kind, each["metadata"]["name"]] = one
        for each in self.kubectl.get("events.events.k8s.io")["items"]:
            events.setdefault((each["regarding"]["kind"], each["regarding"]["name"]), []).append(
                (each["type"], each["reason"], each["note"]))
        return conditions, events

    def validated(self, stored, refused):
        def all_reported():
            conditions, events = self.written()
            lacking = {each for each in stored if each[0] != WITHOUT_CONDITION} - conditions.keys()
            lacking |= refused - events.keys()
            if lacking:
                raise RetryError(f"nothing is reported {len(lacking)}: {sorted(lacking)[:5]}")
            return True

        wait_until("what is reported of all", all_reported, VALIDATED_SECONDS)

    def test_all_four_verdicts_agree(self):
        made = self.draw()
        self.validated_by_us()
        asked = {each: verdicts.of_webhook(*answer)
                 for each, answer in self.create_all(made, "?dryRun=All").items()}
        self.validated_by_no_webhook()
        stored = {each: made[each] for each, verdict in asked.items() if verdict is not None}
        for each, (status, answer) in self.create_all(stored).items():
            self.assertEqual(status, 201, f"{each}: {answer}")
        refused = {each for each in stored if asked[each].causes}
        self.start("reconciler", "--operator-version", webhook.OPERATOR_VERSION)
        self.validated(stored, refused)
        self.stop()  # it first writes its pending reports
        checked = self.checker_verdicts(stored)
        called = self.library_verdicts()
        conditions, events = self.written()
        wrong, excused = [], {}
        for each, mutant in stored.items():
            reported = verdicts.ReportedVerdict(each[0] != WITHOUT_CONDITION, asked[each], conditions.get(each),
                                 events.get(each, []), checked[each], called[each])
            if not reported.differences():
                continue
            if reason := differences.reason_of_stored(mutant, reported):
                excused.setdefault(reason, []).append(each)
            else:
                wrong.append(f"{' '.join(each)} ({mutant.name} {'.'.join(map(str, mutant.where))}): {reported.complaint()}")
        rules = {rule for each in refused for rule in asked[each].rules}
        counts = "; ".join(f"{len(names)} differ because {reason}" for reason, names in sorted(excused.items()))
        print(f"{len(made)} objects, of which definitions refuse {len(made) - len(stored)} and {len(rules)} rules "
              f"{len(refused)}; {counts or 'no differences'}")
        self.assertFalse(wrong, f"{len(wrong)} of {len(stored)} differ:\n" + "\n".join(wrong[:40]))
        self.assertGreaterEqual(len(refused), LEAST_REFUSED)
        self.assertGreaterEqual(len(stored) - len(refused), LEAST_VALID)
        self.assertGreaterEqual(len(rules), LEAST_RULES)
