"""dynamo-reconciler under a storm of changes: objects are created, changed and deleted as in a day of
a busy cluster, and other clients write the same objects as fast as they can. In the end all reports
are up to date."""

import random
import threading
import time
import urllib.request

from harness.processes import RetryError
from harness.writer import Writer

from .graph_fixture import SOON, GraphTest, simple
from .reconciler_fixture import OWN, ReconcilerTest
from .support import NO_HOST, graph, takes_long, thing, wait_until, worker

ROUNDS = 16
EACH_ROUND = 12
STORM_SECONDS = 5
WRITERS = 3
# Allowed growth after every object has existed once: memory for deleted objects is freed.
MOST_GROWTH = 1.25
KINDS = "dynamographdeployments,dynamocomponentdeployments,dynamomodels"


def write_until(test, over, write):
    """Runs write(NUMBER) in each writer, and sets `over` after the storm."""
    writers = [threading.Thread(target=write, args=(at,)) for at in range(WRITERS)]
    for each in writers:
        each.start()
    test.addCleanup(over.set)
    time.sleep(STORM_SECONDS)
    over.set()
    for each in writers:
        each.join()


def services(is_valid):
    return {"Worker": worker(**({} if is_valid else NO_HOST))}


def made(number, is_valid):
    """An object of one of three kinds."""
    name = f"o{number:04}"
    match number % 3:
        case 0:
            return graph(name, services(is_valid))
        case 1:
            return thing("DynamoComponentDeployment", name, services(is_valid)["Worker"])
    return thing("DynamoModel", name, {"modelName": "a", "baseModelName": "b", "modelType": "lora", **(
        {"source": {"uri": "s3://bucket/a"}} if is_valid else {})})


class Storms(ReconcilerTest):
    def verdict(self, item):
        """The reported verdict for an object's current generation; None if there is none yet."""
        for each in item.get("status", {}).get("conditions", []):
            if each["type"] == OWN and each["observedGeneration"] == item["metadata"]["generation"]:
                return each["status"] == "True"
        return None

    def wait_for_verdicts(self, wanted):
        """`wanted`: {name: whether it is valid}, for all objects."""
        def reported():
            found = {each["metadata"]["name"]: self.verdict(each) for each in self.kubectl.get(KINDS)["items"]}
            wrong = {name: found.get(name) for name in wanted.keys() | found.keys()
                     if found.get(name) != wanted.get(name)}
            if wrong:
                raise RetryError(f"{len(wrong)} of {len(wanted)} are reported otherwise: {list(wrong.items())[:3]}")
            return True

        wait_until("what is reported of all", reported, 60)

    def has_no_writes(self):
        before = self.versions()
        time.sleep(2)
        return self.versions() == before

    def measured(self, metrics, name, **labels):
        wanted = [f'{key}="{value}"' for key, value in labels.items()]
        return sum(value for series, value in self.metrics(metrics).items()
                   if series.split("{")[0] == name and all(each in series for each in wanted))

    def test_reports_match_objects_after_a_storm(self):
        seed = random.randrange(1 << 32)
        print(f"seed {seed}")
        chance = random.Random(seed)
        _, metrics = self.start()
        there, number, early = {}, 0, 0
        for turn in range(ROUNDS):
            batch = []
            for _ in range(EACH_ROUND):
                is_valid = chance.random() < 0.5
                batch.append((number, is_valid))
                number += 1
            batch += [(each, chance.random() < 0.5) for each in
                      chance.sample(sorted(there), min(len(there), EACH_ROUND // 2))]
            self.kubectl.must("apply", "--server-side", "--force-conflicts", "--filename", "-", stdin={
                "apiVersion": "v1", "kind": "List", "items": [made(*each) for each in batch]})
            there |= dict(batch)
            going = chance.sample(sorted(there), EACH_ROUND - 2 if turn else 2)
            self.kubectl.must("delete", "--wait=false", *(
                f"{KINDS.split(',')[each % 3]}/o{each:04}" for each in going))
            for each in going:
                del there[each]
            if turn == ROUNDS // 3:
                early = self.measured(metrics, "process_resident_memory_bytes")
        self.wait_for_verdicts({f"o{each:04}": is_valid for each, is_valid in there.items()})
        self.assert_is_idle()
        self.assertLess(self.measured(metrics, "process_resident_memory_bytes"), MOST_GROWTH * early)
        self.assertEqual(self.measured(metrics, "dynamo_operator_resources_total", namespace=self.namespace),
                         len(there))
        self.assertEqual(self.measured(metrics, "dynamo_reconciler_queue_depth"), 0)
        self.assertEqual(self.measured(metrics, "dynamo_reconciler_defects_total"), 0)
        self.stop()

    @takes_long
    def test_concurrent_writers_lose_nothing(self):
        """Specs, labels, and the state, a hundred times a second and more."""
        names = [f"g{number}" for number in range(6)]
        self.make(*(graph(name, services(True)) for name in names))
        _, metrics = self.start()
        self.wait_for_verdicts(dict.fromkeys(names, True))
        over = threading.Event()
        last = [{} for _ in range(WRITERS)]
        failures = []

        def write(at):
            chance, writer = random.Random(at), Writer(self.state)
            # Each writer has its own objects and labels: its last write must survive.
            mine = names[at::WRITERS]
            path = f"nvidia.com/v1alpha1/namespaces/{self.namespace}/dynamographdeployments"
            turn = 0
            while not over.is_set():
                turn += 1
                name, is_valid = chance.choice(mine), chance.random() < 0.5
                spec = {"services": {"Worker": {"ingress": {"enabled": not is_valid}}}}
                for address, patch in ((f"{path}/{name}", {"spec": spec, "metadata": {
                        "labels": {"turn": str(turn)}}}), (f"{path}/{chance.choice(names)}", {
                            "metadata": {"annotations": {f"of-{at}": str(turn)}}}),
                        (f"{path}/{name}/status", {"status": {"state": f"t{turn}"}})):
                    status, answer = writer.merge(address, patch)
                    if status != 200:
                        failures.append(answer)
                last[at][name] = (is_valid, turn)
            writer.close()

        write_until(self, over, write)
        self.assertEqual(failures, [])
        wanted = {name: reported for each in last for name, reported in each.items()}
        self.assertEqual(sorted(wanted), names)
        reported = {name: is_valid for name, (is_valid, _) in wanted.items()}
        self.wait_for_verdicts(reported)
        # Writes that were delayed by a conflict follow: records, which users do not see.
        wait_until("an end of writes", self.has_no_writes, SOON)
        self.wait_for_verdicts(reported)
        for name, (_, turn) in wanted.items():
            found = self.kubectl.get("dgd", name)
            self.assertEqual((found["metadata"]["labels"]["turn"], found["status"]["state"]),
                             (str(turn), f"t{turn}"))
        self.assertEqual(self.measured(metrics, "dynamo_reconciler_defects_total"), 0)


class StormsOfGraphs(GraphTest):
    """Owned objects of graphs, while other clients write the graphs and these objects."""

    @takes_long
    def test_last_edit_wins_and_foreign_fields_stay(self):
        metrics = self.start()
        names = [f"g{number}" for number in range(4)]
        self.make(*(simple(name) for name in names))
        self.until_successful(*names)
        over = threading.Event()
        last = [{} for _ in range(WRITERS)]
        failures = []

        def write(at):
            chance, writer = random.Random(at), Writer(self.state)
            ours = f"nvidia.com/v1alpha1/namespaces/{self.namespace}"
            deployments = f"apps/v1/namespaces/{self.namespace}/deployments"
            turn = 0
            while not over.is_set():
                turn += 1
                name = chance.choice(names)
                if at == 0:
                    last[at][name] = chance.randrange(1, 5)
                    patches = ((f"{ours}/dynamographdeployments/{name}", {"spec": {"services": {"Decode": {
                        "replicas": last[at][name], "envs": [{"name": "TURN", "value": str(last[at][name])}]}}}}),)
                else:
                    last[at][name] = str(turn)
                    note = {"metadata": {"annotations": {f"example.com/of-{at}": str(turn)}}}
                    patches = ((f"{deployments}/{name}-decode", note),
                               (f"{ours}/dynamocomponentdeployments/{name}-decode", note),
                               (f"{deployments}/{name}-decode", {"spec": {"replicas": chance.randrange(9)}}))
                for address, patch in patches:
                    status, answer = writer.merge(address, patch)
                    if status != 200:
                        failures.append(answer)
            writer.close()

        write_until(self, over, write)
        self.assertEqual(failures, [])
        self.until_successful(*names)

        def as_edited():
            for name, number in last[0].items():
                found = self.kubectl.get("deployment", f"{name}-decode")
                variables = found["spec"]["template"]["spec"]["containers"][0]["env"]
                if found["spec"]["replicas"] != number or (
                        {"name": "TURN", "value": str(number)} not in variables):
                    raise RetryError(f"{name} has {found['spec']['replicas']} replicas and not {number}")
            return True

        wait_until("objects as the last edit has them", as_edited, SOON)
        for at in range(1, WRITERS):
            for name, turn in last[at].items():
                for resource in ("deployment", "dcd"):
                    found = self.kubectl.get(resource, f"{name}-decode")["metadata"]["annotations"]
                    self.assertEqual(found[f"example.com/of-{at}"], turn)
        self.until_successful(*names)
        self.settled()
        with urllib.request.urlopen(metrics, timeout=5) as answer:
            defects = [line for line in answer.read().decode().splitlines()
                       if line.startswith("dynamo_reconciler_defects_total") and not line.endswith(" 0")]
        self.assertEqual(defects, [])
