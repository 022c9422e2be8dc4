"""The checker and the cluster have the same verdicts.

Hundreds of objects, each with one seeded mistake in one field, go to the API server with our webhooks and to
`kubectl dynamo validate`. Verdicts and reported fields must agree; differential/differences.py lists the
exceptions with reasons.
"""

import json
from concurrent.futures import ThreadPoolExecutor

from differential import answers, differences, mutations

from .mutation_fixture import MutationFixture, shape
from .support import API_VERSION, ClusterTest, takes_long

AT_MOST = 300  # per kind: a fixed sample
# Of graphs in the step `cluster`: every kind of mistake, in a third of the places. `./dev check long` compares all
# AT_MOST.
OFTEN = 100
AT_LEAST = 400  # graphs and components together


class Differential(MutationFixture, ClusterTest):
    def agree(self, kind, plural, at_most=AT_MOST):
        directory = self.directory / "new"
        directory.mkdir()
        possible = dict(self.mutants(kind, plural))
        mutants = mutations.drawn(possible, at_most, kind)
        self.assertEqual({each.name for each in mutants.values()}, {each.name for each in possible.values()})
        for name, mutant in mutants.items():
            answers.write_object(directory / f"{name}.json", mutant)
        checked = self.check(directory)
        with ThreadPoolExecutor(max_workers=3) as pool:
            asked = dict(zip(mutants, pool.map(
                lambda name: self.ask(plural, directory / f"{name}.json", mutants[name]), mutants)))
        return self.compare(kind, mutants, asked, checked)

    def agree_on_updates(self, kind, plural, status=None):
        """Like the comparison of new objects, but each mutant is applied over the object that it was
        derived from."""
        stored, new, old = {}, self.directory / "new", self.directory / "old"
        new.mkdir()
        old.mkdir()
        schema = self.schema_of(plural)
        mutants, seen = {}, set()
        for label, base in self.bases(kind, plural, schema):
            if label == "every-field":
                continue
            result = self.kubectl.run("apply", "--filename", "-", stdin=base)
            self.assertTrue(result.ok, str(result))
            name = base["metadata"]["name"]
            if status:
                self.kubectl.must("patch", plural, name, "--subresource", "status", "--type", "merge",
                                  "--patch", json.dumps({"status": status}))
            stored[label] = self.kubectl.get(plural, name)
            (old / f"{label}.json").write_text(json.dumps(stored[label]))
            for number, mutant in enumerate(mutations.mutants(base, schema, f"update {label}")):
                key = (mutant.name, shape(mutant.where))
                if not mutant.doubled and key not in seen:
                    seen.add(key)
                    mutants[f"{label}.{number:04}"] = mutant
        mutants = mutations.drawn(mutants, AT_MOST // 3, f"update {kind}")
        for name, mutant in mutants.items():
            mutant.value["metadata"]["namespace"] = self.namespace
            answers.write_object(new / f"{name}.json", mutant)
        checked = self.check(new, "--old", old)
        with ThreadPoolExecutor(max_workers=3) as pool:
            asked = dict(zip(mutants, pool.map(
                lambda name: self.kubectl.run("apply", "--dry-run=server", "--validate=strict",
                                              "--filename", new / f"{name}.json"), mutants)))
        return self.compare(kind, mutants, asked, checked)

    def ask(self, plural, path, mutant):
        if mutant.doubled or mutant.where[:1] == ("metadata",):
            # kubectl would drop the first of two duplicate fields before sending, and parses
            # metadata itself; the API server decides on the fields that it gets.
            return self.kubectl.run(
                "create", "--raw", f"/apis/{API_VERSION}/namespaces/{self.namespace}/{plural}"
                "?dryRun=All&fieldValidation=Strict", "--filename", path)
        return self.kubectl.run("apply", "--dry-run=server", "--validate=strict", "--filename",
                                path)

    def compare(self, kind, mutants, asked, checked):
        wrong, excused, outcomes = [], {}, {}
        for name, mutant in mutants.items():
            cluster = answers.of_cluster(asked[name].ok, asked[name].stderr)
            # The API server skips CEL rules for an object with other mistakes; the checker reports
            # all at once.
            ours = answers.of_checker(checked[name],
                                      cel_asked=answers.CEL_NOT_ASKED not in asked[name].stderr)
            outcome = f"refused by {cluster.stage}" if cluster.stage else "accepted"
            outcomes[outcome] = outcomes.get(outcome, 0) + 1
            if cluster == ours:
                continue
            reason = differences.reason(mutant, cluster, ours, asked[name].stderr)
            if reason:
                excused.setdefault(reason, []).append(name)
            else:
                wrong.append(f"{name}: {mutant.name} {_spoken(mutant.where)}\n"
                             f"  cluster: {cluster}\n  checker: {ours}\n"
                             f"  {asked[name].stderr.strip()[:600]}")
        counts = "; ".join(f"{len(names)} differ because {reason}"
                           for reason, names in sorted(excused.items()))
        reported = ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items()))
        print(f"{kind}: {len(mutants)} objects, {reported}; {counts or 'no differences'}")
        self.assertFalse(wrong, f"{len(wrong)} of {len(mutants)} differ:\n" + "\n".join(wrong[:40]))
        return len(mutants)

    def test_new_graph_deployments_get_same_verdicts(self):
        self.assertEqual(self.agree("DynamoGraphDeployment", "dynamographdeployments", OFTEN), OFTEN)

    @takes_long
    def test_many_new_graph_deployments_get_same_verdicts(self):
        self.assertEqual(self.agree("DynamoGraphDeployment", "dynamographdeployments"), AT_MOST)

    @takes_long
    def test_new_component_deployments_get_same_verdicts(self):
        self.assertGreaterEqual(
            self.agree("DynamoComponentDeployment", "dynamocomponentdeployments"),
            AT_LEAST - AT_MOST)

    def test_metadata_gets_same_verdicts(self):
        plural, directory = "dynamomodels", self.directory / "new"
        directory.mkdir()
        base = {"apiVersion": API_VERSION, "kind": "DynamoModel", "metadata": {"name": "a"},
                "spec": {"modelName": "a", "baseModelName": "b"}}
        mutants = {mutant.name: mutant for mutant in mutations.metadata_mutants(base)}
        for name, mutant in mutants.items():
            answers.write_object(directory / f"{name}.json", mutant)
        checked = self.check(directory)
        asked = {name: self.ask(plural, directory / f"{name}.json", mutant)
                 for name, mutant in mutants.items()}
        self.compare("metadata", mutants, asked, checked)

    def test_new_models_get_same_verdicts(self):
        self.agree("DynamoModel", "dynamomodels")

    @takes_long
    def test_new_deployment_requests_get_same_verdicts(self):
        self.agree("DynamoGraphDeploymentRequest", "dynamographdeploymentrequests")

    def test_new_checkpoints_get_same_verdicts(self):
        self.agree("DynamoCheckpoint", "dynamocheckpoints")

    def test_new_scaling_adapters_get_same_verdicts(self):
        self.agree("DynamoGraphDeploymentScalingAdapter", "dynamographdeploymentscalingadapters")

    def test_new_worker_metadata_gets_same_verdicts(self):
        self.agree("DynamoWorkerMetadata", "dynamoworkermetadatas")

    @takes_long
    def test_graph_deployment_updates_get_same_verdicts(self):
        self.agree_on_updates("DynamoGraphDeployment", "dynamographdeployments")

    @takes_long
    def test_component_deployment_updates_get_same_verdicts(self):
        self.agree_on_updates("DynamoComponentDeployment", "dynamocomponentdeployments")

    def test_model_updates_get_same_verdicts(self):
        self.agree_on_updates("DynamoModel", "dynamomodels")

    @takes_long
    def test_deployment_request_updates_get_same_verdicts(self):
        self.agree_on_updates("DynamoGraphDeploymentRequest", "dynamographdeploymentrequests",
                              status={"state": "Profiling"})

    def test_checkpoint_updates_get_same_verdicts(self):
        self.agree_on_updates("DynamoCheckpoint", "dynamocheckpoints")

    def test_scaling_adapter_updates_get_same_verdicts(self):
        self.agree_on_updates("DynamoGraphDeploymentScalingAdapter",
                              "dynamographdeploymentscalingadapters")


def _spoken(where):
    return ".".join(str(step) for step in where)
