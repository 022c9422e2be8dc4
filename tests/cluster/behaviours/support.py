"""Shared by the tests of this folder: the running cluster, small objects, and parsing of refusals."""

import copy
import os
import re
import sys
import time
import unittest
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(REPOSITORY / "tests/cluster"))

from harness import webhook  # noqa: E402
from harness.processes import HarnessError, wait_until  # noqa: E402,F401
from harness.state import State  # noqa: E402

GOLDENS = REPOSITORY / "tests/cluster/testdata"
API_VERSION = "nvidia.com/v1alpha1"
IMAGE = "nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1"
ORIGIN_VERSION = "nvidia.com/dynamo-operator-origin-version"
ADMISSION_SECONDS = 60  # until the API server's admission follows a label or a configuration

OPERATOR = "system:serviceaccount:dynamo-system:x-dynamo-operator-controller-manager"
PLANNER_OF_ANOTHER_NAMESPACE = "system:serviceaccount:inference:planner-serviceaccount"
STRANGER = "system:serviceaccount:inference:default"


def planner_of(namespace):
    return f"system:serviceaccount:{namespace}:planner-serviceaccount"


@dataclass(frozen=True, order=True)
class Cause:
    """One line of a refusal: the field, and the rule id at the end of the message in brackets."""

    field: str
    rule: str


_CAUSE = re.compile(r"^(?P<field>[^:]+): .*\[(?P<rule>[a-z0-9.-]+)\]$")
_HEAD = re.compile(r'^The \S+ "[^"]*" is invalid: ?')


def causes_of(stderr):
    """The causes in kubectl's output for a refusal; AssertionError if it is not one.

    kubectl writes a single cause after the head, several as a list below it.
    """
    lines = [line for line in stderr.splitlines() if not line.startswith("Warning: ")]
    assert lines and _HEAD.match(lines[0]), f"not a refusal in kubectl's words:\n{stderr}"
    rest = _HEAD.sub("", lines[0])
    found = [rest] if rest else [line.removeprefix("* ") for line in lines[1:]]
    matched = [_CAUSE.match(line) for line in found]
    assert found and all(matched), f"a cause without field or rule:\n{stderr}"
    return [Cause(each["field"], each["rule"]) for each in matched]


def warnings_of(stderr):
    return [line.removeprefix("Warning: ") for line in stderr.splitlines()
            if line.startswith("Warning: ")]


def total(metrics, name, **labels):
    """The sum of a counter's series with these labels."""
    wanted = [f'{key}="{value}"' for key, value in labels.items()]
    return sum(value for series, value in metrics.items()
               if series.startswith(name + "{") and all(each in series for each in wanted))


def thing(kind, name, spec, **metadata):
    return {"apiVersion": API_VERSION, "kind": kind, "metadata": {"name": name, **metadata},
            "spec": copy.deepcopy(spec)}


def graph(name, services, spec=None, **metadata):
    """A DynamoGraphDeployment; `spec` has the fields other than the services."""
    return thing("DynamoGraphDeployment", name, {**(spec or {}), "services": services}, **metadata)


def worker(**more):
    """A service that every rule accepts. A field that is None is omitted."""
    service = {"componentType": "worker", "replicas": 1,
               "extraPodSpec": {"mainContainer": {"image": IMAGE}}, **more}
    return {name: value for name, value in service.items() if value is not None}


# An error that only the webhook reports: the definitions accept it.
NO_HOST = {"ingress": {"enabled": True}}


def no_host(service):
    """The cause of a refusal of NO_HOST."""
    return f"spec.services[{service}].ingress.host", "service.ingress.host"


def takes_long(test):
    """Decorates a test method or class that takes minutes and therefore runs in the step `long`."""
    test.TAKES_LONG = True
    return test


def smoke(test):
    """Decorates a test method or class that `./dev test` also runs, in the step `smoke`."""
    test.IS_SMOKE_TEST = True
    return test


class ClusterTest(unittest.TestCase):
    """A test on the running cluster, with its own namespace."""

    maxDiff = None
    NEEDS = "plain"  # a cluster without other controllers
    LABELS = {}  # of the test's namespace

    @classmethod
    def setUpClass(cls):
        cls.state = State(os.environ.get("DYNAMO_CLUSTER_STATE", REPOSITORY / "build/cluster"))
        if not cls.state.running():
            raise HarnessError("no cluster is running; start one with tests/cluster/cluster.py up")
        cls.webhook = cls.state.facts["webhook"]
        cls.admin = cls.state.kubectl()

    def setUp(self):
        # A namespace is never reused: no controller in the cluster would empty it.
        name = self.id().rpartition(".test_")[2].replace("_", "-")[:16].strip("-")
        self.namespace = self.new_namespace(name, self.LABELS)
        self.kubectl = self.admin.within(self.namespace)

    def new_namespace(self, name, labels=None):
        name = f"{name}-{time.time_ns() // 1000:x}"
        self.admin.must("create", "--filename", "-", stdin={
            "apiVersion": "v1", "kind": "Namespace",
            "metadata": {"name": name, "labels": labels or {}}})
        return name

    def store_unvalidated(self, *objects):
        """Stores objects that the rules refuse, in this test's namespace; afterwards they are
        validated like all others."""
        self._label(f"{webhook.VALIDATED_BY}={webhook.NO_WEBHOOK}")
        probe = graph("probe", {})

        def unvalidated():
            return self.kubectl.run("create", "--dry-run=server", "-f", "-", stdin=probe).ok

        wait_until("the API server not validating the namespace", unvalidated, ADMISSION_SECONDS)
        for each in objects:
            self.kubectl.must("create", "--filename", "-", stdin=each)
        self._label(f"{webhook.VALIDATED_BY}-")
        wait_until("the API server validating the namespace again", lambda: not unvalidated(),
                   ADMISSION_SECONDS)

    def _label(self, label):
        self.admin.must("label", "namespace", self.namespace, label)

    def start_server(self, name, *flags):
        """Starts another server, with other flags, which is stopped when the test ends. Returns its
        facts."""
        facts = webhook.start(self.state, self.state.facts["webhook_binary"], name, flags)
        self.addCleanup(self.stop_server, name)
        return facts

    def stop_server(self, name):
        """Stops a server of start_server(), unless it has stopped. Returns whether it ended in time."""
        names = [record["name"] for record in self.state.facts["processes"]]
        return self.state.stop(name) if name in names else True

    def validated_by(self, name, facts, port=None, namespace=None):
        """A new namespace, or a given one with the label, that the server of start_server() validates,
        called at `port` if that differs from the server's own. Returns kubectl in that namespace."""
        kubectl = self.admin.within(
            namespace or self.new_namespace(name, {webhook.VALIDATED_BY: name}))
        kubectl.must("apply", "--filename", "-", stdin=webhook.configurations(
            port or facts["port"], facts["authority"], validator=name))
        self.addCleanup(self.admin.run, "delete", "validatingwebhookconfiguration,"
                        "mutatingwebhookconfiguration", name)

        def called():
            kubectl.run("create", "--dry-run=server", "-f", "-", stdin=graph("probe", {}))
            return webhook.scrape(facts).get("dynamo_webhook_connections_total", 0) > 0

        wait_until(f"the API server calling the server {name}", called, ADMISSION_SECONDS)
        return kubectl

    def create(self, thing_, *options):
        return self.kubectl.run("create", "--filename", "-", *options, stdin=thing_)

    def apply(self, thing_, *options, user=None):
        kubectl = self.kubectl.impersonating(user) if user else self.kubectl
        return kubectl.run("apply", "--filename", "-", *options, stdin=thing_)

    def patch(self, resource, name, patch, *options, user=None):
        """Applies a merge patch."""
        kubectl = self.kubectl.impersonating(user) if user else self.kubectl
        return kubectl.run("patch", resource, name, "--type", "merge", "--patch", patch, *options)

    def assert_accepted(self, result):
        self.assertTrue(result.ok, f"refused:\n{result}")

    def assert_refused(self, result, *causes):
        """Asserts that the command failed for exactly these (field, rule) pairs, in this order."""
        self.assertFalse(result.ok, f"accepted:\n{result}")
        self.assertEqual(causes_of(result.stderr), [Cause(*each) for each in causes], str(result))

    def assert_golden(self, text, path):
        """Asserts that `text` equals testdata/`path`. With DYNAMO_UPDATE_GOLDENS=1 writes the file
        instead; review the difference."""
        golden = GOLDENS / path
        if os.environ.get("DYNAMO_UPDATE_GOLDENS") == "1":
            golden.parent.mkdir(parents=True, exist_ok=True)
            golden.write_text(text)
            return
        self.assertTrue(golden.exists(), f"no {golden}; DYNAMO_UPDATE_GOLDENS=1 writes it:\n{text}")
        self.assertEqual(golden.read_text(), text, f"not what {golden} says")
