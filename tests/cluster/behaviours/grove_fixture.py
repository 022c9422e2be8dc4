"""Shared by tests of graphs over Grove: its published definitions, and a replacement for its controller."""

import sys

from harness import controllers, grove

from .graph_fixture import SOON, definition, frontend
from .running_graphs import RunningGraphTest
from .support import graph, worker


def in_groups():
    """A graph whose Decode is a scaling group of three nodes."""
    decode = worker(multinode={"nodeCount": 3}, resources={"limits": {"gpu": "2"}})
    decode["extraPodSpec"]["mainContainer"] |= {
        "command": ["python3"], "args": ["-m", "dynamo.vllm", "--tensor-parallel-size", "6"]}
    return graph("g", {"Frontend": frontend(), "Decode": decode}, {"backendFramework": "vllm"})


def define_grove(test):
    """Installs Grove's definitions until the test ends; skips the test if they are not available."""
    try:
        names = grove.define(test.admin, grove.definitions())
    except controllers.UnavailableError as error:
        print(f"skipped: {error}", file=sys.stderr)
        test.skipTest(str(error))
    test.addCleanup(test.admin.run, "delete", "crd", *names, "--timeout", f"{SOON}s")


def define_queues(test):
    """Installs a definition of KAI's queues until the test ends."""
    queues = definition("scheduling.run.ai", "v2", "queues", "Queue")
    queues["spec"]["scope"] = "Cluster"
    name = queues["metadata"]["name"]
    test.admin.must("apply", "--filename", "-", stdin=queues)
    test.addCleanup(test.admin.run, "delete", "crd", name, "--timeout", f"{SOON}s")
    test.admin.until_established(name)


class GroveTest(RunningGraphTest):
    """Each test has Grove's definitions, and its replacement runs in the test's namespace."""

    def setUp(self):
        super().setUp()
        define_grove(self)
        self.grove = grove.Grove(self.state, self.namespace)
        self.addCleanup(self.grove.stop)

    def decode(self, **fields):
        self.merge("dgd", "g", {"spec": {"services": {"Decode": fields}}})

    def uids(self, component):
        return {each["metadata"]["uid"] for each in self.pods(component).values()}

    def images(self, component="g-decode"):
        return {each["spec"]["containers"][0]["image"] for each in self.pods(component).values()}
