"""Shared by tests of graphs over Grove: its published definitions, and a replacement for its controller."""

import sys
import unittest

from harness import controllers, grove

from .graph_fixture import SOON, frontend
from .running_graphs import RunningGraphTest
from .support import graph, worker


def in_groups():
    """A graph whose Decode is a scaling group of three nodes."""
    decode = worker(multinode={"nodeCount": 3}, resources={"limits": {"gpu": "2"}})
    decode["extraPodSpec"]["mainContainer"] |= {
        "command": ["python3"], "args": ["-m", "dynamo.vllm", "--tensor-parallel-size", "6"]}
    return graph("g", {"Frontend": frontend(), "Decode": decode}, {"backendFramework": "vllm"})


class GroveTest(RunningGraphTest):
    """Each test has Grove's definitions, and its replacement runs in the test's namespace."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        try:
            cls.definitions = grove.definitions()
        except controllers.UnavailableError as error:
            print(f"skipped: {error}", file=sys.stderr)
            raise unittest.SkipTest(str(error)) from None

    def setUp(self):
        super().setUp()
        names = grove.define(self.admin, self.definitions)
        self.addCleanup(self.admin.run, "delete", "crd", *names, "--timeout", f"{SOON}s")
        self.grove = grove.Grove(self.state, self.namespace)
        self.addCleanup(self.grove.stop)

    def decode(self, **fields):
        self.merge("dgd", "g", {"spec": {"services": {"Decode": fields}}})

    def uids(self, component):
        return {each["metadata"]["uid"] for each in self.pods(component).values()}

    def images(self, component="g-decode"):
        return {each["spec"]["containers"][0]["image"] for each in self.pods(component).values()}
