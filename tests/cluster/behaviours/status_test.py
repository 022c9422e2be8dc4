"""`kubectl dynamo status` on a cluster with running graphs: the tree of a graph, as text and for
programs, once and again after each change."""

import json
import signal
import subprocess
import threading

from harness.programs import program

from .graph_fixture import SOON, frontend
from .running_graphs import RunningGraphTest
from .support import graph, thing, wait_until, worker

END_SECONDS = 10


def outline(node):
    """Kinds and names of the tree's nodes."""
    return {f"{node['kind']} {node['name']}": [outline(each) for each in node.get("children", [])]}


class Status(RunningGraphTest):
    def setUp(self):
        super().setUp()
        self.start()
        self.make(graph("g", {"Frontend": frontend(), "Decode": worker(
            scalingAdapter={"enabled": True}, modelRef={"name": "Qwen/Qwen3-0.6B"})},
            {"backendFramework": "vllm"}),
            thing("DynamoModel", "m", {"modelName": "Qwen/Qwen3-0.6B", "baseModelName": "Qwen/Qwen3-0.6B"}))
        self.until_all_are_successful("g")
        wait_until("the model's endpoint", lambda: self.kubectl.get("dm", "m").get("status", {}).get(
            "totalEndpoints") == 1, SOON)

    def command(self, *arguments):
        return [str(program("kubectl-dynamo")), "status", "--kubeconfig", str(self.state.kubeconfig), "-n", self.namespace,
                *arguments]

    def run_status(self, *arguments):
        return subprocess.run(self.command(*arguments), stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=30, check=False)

    def pod(self, component):
        name, = self.until_ready(component, 1)
        return name

    def test_graph_is_one_tree_including_pods(self):
        done = self.run_status("g")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        first = done.stdout.splitlines()[0]
        self.assertTrue(first.startswith(
            f"DynamoGraphDeployment {self.namespace}/g: successful, 2 of 2 services ready"), first)
        for words in ("service Decode: worker, 1 of 1 ready", "adapter g-decode: 1 replicas wanted, 1 given to the graph",
                      "service Frontend: frontend, 1 of 1 ready", f"pod {self.pod('g-decode')}: Running"):
            self.assertIn(words, done.stdout)
        tree = json.loads(self.run_status("g", "-o", "json").stdout)
        root, = tree["objects"]
        self.assertEqual((root["kind"], root["name"], root["state"], root["health"]),
                         ("DynamoGraphDeployment", "g", "successful", "good"))
        self.assertIn("Ready", {each["type"] for each in root["conditions"]})
        self.assertEqual(root["children"][0]["name"], "Decode")
        self.assertEqual(
            {next(iter(outline(each))) for each in root["children"][0]["children"]},
            {"DynamoGraphDeploymentScalingAdapter g-decode", "DynamoModel m", f"Pod {self.pod('g-decode')}"})
        self.assertEqual(self.run_status("nothing").returncode, 2)

    def test_status_without_controller_is_stale(self):
        self.assertNotIn("stale", self.run_status("g").stdout)
        self.kill("reconciler")
        self.kubectl.must("patch", "dgd", "g", "--type", "merge", "--patch",
                          '{"spec": {"services": {"Frontend": {"replicas": 2}}}}')
        shown = self.run_status("g").stdout
        self.assertRegex(shown, r"(?m)^│ status is stale: it is of generation \d+ and the spec of \d+;")
        tree = json.loads(self.run_status("g", "-o", "json").stdout)
        self.assertEqual((tree["objects"][0]["stale"], tree["objects"][0]["health"]), (True, "waiting"))

    def test_expected_conditions_are_hidden(self):
        self.assertNotIn("Ready=True", self.run_status("g").stdout)
        self.assertIn("Ready=True", self.run_status("g", "--show-all").stdout)

    def test_events_of_earlier_objects_are_hidden(self):
        old = self.kubectl.get("dm", "m")["metadata"]["uid"]
        self.kubectl.must("create", "-f", "-", stdin={
            "apiVersion": "events.k8s.io/v1", "kind": "Event", "metadata": {"name": "of-the-first", "namespace": self.namespace},
            "eventTime": "2026-01-01T00:00:00.000000Z", "type": "Warning", "reason": "OfTheFirst", "action": "Test",
            "note": "n", "reportingController": "test", "reportingInstance": "test",
            "regarding": {"apiVersion": "nvidia.com/v1alpha1", "kind": "DynamoModel", "name": "m",
                          "namespace": self.namespace, "uid": old}})
        self.assertIn("OfTheFirst", self.run_status("m").stdout)
        self.kubectl.must("delete", "dm", "m", "--timeout", "30s")
        self.make(thing("DynamoModel", "m", {"modelName": "Qwen/Qwen3-0.6B", "baseModelName": "Qwen/Qwen3-0.6B"}))
        self.assertNotIn("OfTheFirst", self.run_status("m", "--show-all").stdout)

    def test_terminating_namespace_is_shown(self):
        self.admin.must("delete", "namespace", self.namespace, "--wait=false")
        self.assertTrue(self.run_status().stdout.startswith(f"namespace {self.namespace}: terminating"))

    def test_watch_prints_changes(self):
        watch = subprocess.Popen(self.command("g", "-o", "json", "-w"), stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(watch.kill)
        trees = []
        reader = threading.Thread(target=lambda: trees.extend(
            json.loads(line)["objects"][0] for line in iter(watch.stdout.readline, "")), daemon=True)
        reader.start()
        wait_until("its first look", lambda: trees, SOON)
        self.kubectl.must("scale", "dgdsa", "g-decode", "--replicas", "2")
        self.until_ready("g-decode", 2)

        def shows():
            decode = trees[-1]["children"][0]
            return len([each for each in decode["children"] if each["kind"] == "Pod"]) == 2 and (
                "2 of 2" in decode["detail"])

        wait_until("both pods in the tree", shows, SOON)
        watch.send_signal(signal.SIGINT)
        self.assertEqual(watch.wait(END_SECONDS), 0)
        reader.join(END_SECONDS)
        self.assertTrue(all(one != other for one, other in zip(trees, trees[1:])))
