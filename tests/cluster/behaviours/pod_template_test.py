"""The rules for pods have the same verdict on a graph as the API server on its rendered Deployments.

Applies every change of pod_templates/limits.py to two services of the samples, drawn with a fixed seed. The tool
pod-templates validates the graph and prints the Deployments that the operator would create for it; kubectl sends
these to the API server. limits.py lists the differences with reasons.
"""

import copy
import json
import random
import re
import subprocess

from pod_templates import limits
from harness.programs import program

from .support import REPOSITORY, ClusterTest, graph, takes_long, worker

SEED = 20261121
TOOL_SECONDS = 60
PLACES_PER_CHANGE = 2
AT_LEAST = 1000
AT_ONCE = 50  # Deployments per kubectl call
# Excludes rules about other things than pods, which a Deployment does not show.
ABOUT_PODS = re.compile(r"^(pod|storage|res)\.")
SAMPLES = REPOSITORY / "deploy/samples"


def merged(base, change):
    """Merges the change into the base: objects by member, everything else replaces."""
    if not isinstance(base, dict) or not isinstance(change, dict):
        return copy.deepcopy(change)
    return {**base, **{name: merged(base.get(name), value) for name, value in change.items()}}


class Case:
    """One graph with one change."""

    def __init__(self, change, sample, service):
        self.change = change
        self.service = service
        self.graph = copy.deepcopy(sample)
        services = self.graph["spec"]["services"]
        services[service] = merged(services[service], change.merge if change else {})
        self.name = f"{sample['metadata']['name']}.{service}: {change.name if change else 'as it is'}"


class PodTemplates(ClusterTest):
    def samples(self):
        for sample in sorted(SAMPLES.glob("*.yaml")):
            shown = self.kubectl.must("create", "--dry-run=client", "--validate=false", "--output",
                                      "json", "--filename", sample).stdout
            each = json.loads(shown)
            # Multi-node services have no Deployment, and the additions of a checkpoint are the
            # operator's choice.
            if each["kind"] == "DynamoGraphDeployment" and all(
                    "multinode" not in service and "checkpoint" not in service
                    for service in each["spec"]["services"].values()):
                each["metadata"].pop("namespace", None)
                yield each

    def cases(self):
        chance = random.Random(SEED)
        samples = list(self.samples())
        places = [(sample, service) for sample in samples for service in sample["spec"]["services"]]
        for sample, service in places:
            yield Case(None, sample, service)
        workers = [(sample, service) for sample, service in places
                   if sample["spec"]["services"][service].get("componentType") == "worker"]
        for change in [*limits.agreeing(), *limits.differing()]:
            for sample, service in chance.sample(workers, PLACES_PER_CHANGE):
                yield Case(change, sample, service)

    def validated(self, cases):
        done = subprocess.run([program("pod-templates")], input=json.dumps([case.graph for case in cases]),
                              capture_output=True, text=True, timeout=TOOL_SECONDS)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def refused_by_kubernetes(self, deployments):
        """kubectl's message for each Deployment that the API server refuses, by name."""
        refused = {}
        for first in range(0, len(deployments), AT_ONCE):
            part = deployments[first:first + AT_ONCE]
            result = self.kubectl.run("create", "--dry-run=server", "--validate=false", "--output",
                                      "name", "--filename", "-", stdin={
                                          "apiVersion": "v1", "kind": "List", "items": part})
            created = {line.rpartition("/")[2] for line in result.stdout.split()}
            names = {each["metadata"]["name"] for each in part}
            self.assertLessEqual(created, names, str(result))
            for name in names - created:
                refused[name] = _about(name, result.stderr) or _unnamed(result.stderr)
                self.assertTrue(refused[name], f"no error for {name}:\n{result}")
        return refused

    @takes_long
    def test_pods_are_validated_like_the_api_server(self):
        cases = list(self.cases())
        self.assertGreaterEqual(len(cases), AT_LEAST)
        verdicts = self.validated(cases)
        self.assertEqual(len(verdicts), len(cases))
        deployments, owners = [], {}
        for number, verdict in enumerate(verdicts):
            for index, deployment in enumerate(verdict["deployments"]):
                name = f"case-{number}-{index}"
                deployment["metadata"]["name"] = name
                owners[name] = number
                deployments.append(deployment)
        theirs = {}
        for name, message in self.refused_by_kubernetes(deployments).items():
            theirs.setdefault(owners[name], message)
        wrong, explained = [], {}
        for number, (case, verdict) in enumerate(zip(cases, verdicts)):
            ours = [each for each in verdict["errors"] if ABOUT_PODS.match(each["rule"])]
            refused_by = {(False, False): "", (True, True): "", (True, False): "ours",
                          (False, True): "theirs"}[(bool(ours), number in theirs)]
            expected = case.change.refused_by if case.change else ""
            if refused_by != expected:
                wrong.append(f"{case.name}\n  ours: {ours or 'allowed'}\n"
                             f"  theirs: {theirs.get(number, 'accepted')}")
            elif refused_by:
                explained.setdefault(case.change.differs, set()).add(case.change.name)
        refusals = sum(number in theirs for number in range(len(cases)))
        print(f"{len(cases)} graphs, {len(deployments)} Deployments, {refusals} graphs refused by the "
              "API server; " + "; ".join(f"{len(names)} changes differ: {reason}"
                                         for reason, names in sorted(explained.items())))
        self.assertTrue(not wrong,
                        f"{len(wrong)} of {len(cases)} differ:\n" + "\n".join(wrong[:60]))

    def test_pod_without_image_is_refused(self):
        """The rule pod.image denies what the API server would refuse later, when the operator creates
        it, without a message to the user."""
        bare = [graph("no-pod", {"Frontend": {"componentType": "frontend", "replicas": 1}}),
                graph("no-image", {"Worker": worker(extraPodSpec={"mainContainer": {"command": ["python3"]}})}),
                graph("empty-image", {"Worker": worker(extraPodSpec={"mainContainer": {"image": ""}})})]
        cases = [Case(None, each, next(iter(each["spec"]["services"]))) for each in bare]
        verdicts = self.validated(cases)
        deployments = []
        for case, verdict in zip(cases, verdicts):
            self.assertEqual([(each["rule"], each["field"]) for each in verdict["errors"]],
                             [("pod.image", f"spec.services[{case.service}].extraPodSpec.mainContainer.image")])
            self.assertEqual(len(verdict["deployments"]), 1)
            deployment = verdict["deployments"][0]
            deployment["metadata"]["name"] = case.graph["metadata"]["name"]
            deployments.append(deployment)
        refused = self.refused_by_kubernetes(deployments)
        self.assertEqual(set(refused), {each["metadata"]["name"] for each in bare})
        for name, message in refused.items():
            self.assertIn("image: Required value", message, name)


def _unnamed(stderr):
    """kubectl's message about an object that the API server cannot decode: it lacks the object's name."""
    return "\n".join(line for line in stderr.splitlines() if "cannot be handled as a Deployment" in line)[:600]


def _about(name, stderr):
    """The lines of kubectl's messages that concern one object."""
    found, mine = [], False
    for line in stderr.splitlines():
        starts = line.startswith(("The Deployment", "Error", "Warning"))
        if starts:
            mine = f'"{name}"' in line
        if mine:
            found.append(line)
    return "\n".join(found)[:600]
