"""Shared by tests of DynamoGraphDeploymentRequests: manifests, what a profiler and its Job leave behind, and
helpers to read the results. No profiler runs: the tests write its ConfigMap."""

import json

from . import accounts
from .graph_fixture import GraphTest, simple
from .status_fixture import COMPLETE, StatusHelpers, StatusWriter
from .support import IMAGE, thing

ACCOUNT = "dgdr-profiling-job"
RESULT_KEY = "config_with_planner.yaml"
SLA = {"sla": {"isl": 3000, "osl": 150, "ttft": 200, "itl": 20}}
ALL = ("--max-profiling-jobs", "0")  # no limit


def request(name, *, config=None, profiling=None, overrides=None, **spec):
    """A request that every rule accepts; `profiling` has more fields of spec.profilingConfig, and `overrides` of
    spec.deploymentOverrides."""
    return thing("DynamoGraphDeploymentRequest", name, {
        "model": "Qwen/Qwen3-0.6B", "backend": "vllm",
        "profilingConfig": {"profilerImage": IMAGE, "config": {**SLA, **(config or {})}, **(profiling or {})},
        "deploymentOverrides": {"workersImage": IMAGE, **(overrides or {})}, **spec})


def documents(*objects):
    """A profiler's result; JSON is YAML."""
    return "\n---\n".join(json.dumps(each) for each in objects)


def generated(name):
    """A result with a valid graph of this name."""
    return documents(simple(name))


def result_of(name, text, key=RESULT_KEY):
    """The ConfigMap that copy-profile writes for the request of this name."""
    return {"apiVersion": "v1", "kind": "ConfigMap", "data": {key: text}, "metadata": {
        "name": f"dgdr-output-{name}",
        "labels": {"dgdr.nvidia.com/name": name, "nvidia.com/managed-by": "dynamo-operator"}}}


def config_map(name, **data):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


class RequestHelpers(StatusHelpers):
    """A ClusterTest with requests in its namespace."""

    KIND = "DynamoGraphDeploymentRequest"
    RESOURCE = "dgdr"
    STATE = "state"
    JOB_PREFIX = "profile-"

    def publish(self, texts):
        """Writes the results of profilers: {request: text}."""
        self.create_all(*(result_of(name, text) for name, text in texts.items()))


class RequestTest(RequestHelpers, StatusWriter, GraphTest):
    """Each test has a namespace that no webhook validates; its reconciler is restricted to it, with the rights
    of deploy/rbac. No controller of Jobs runs: the tests set their status."""

    def setUp(self):
        super().setUp()
        self.kubeconfig = accounts.kubeconfig(self, files=("reconciler.yaml", "reconciler_requests.yaml"))
        self.kubectl.must("create", "serviceaccount", ACCOUNT)
        self.connect()

    def start(self, name="reconciler", *flags, controllers="request", **more):
        return super().start(name, "--kubeconfig", self.kubeconfig, "--controllers", controllers, *flags, **more)

    def set_graph(self, name, state):
        self.set_status("nvidia.com/v1alpha1", "dynamographdeployments", name, {"state": state})

    def profile(self, texts):
        """Completes the Jobs of running requests with these results: {request: text}."""
        self.until_states(**{name: "Profiling" for name in texts})
        self.publish(texts)
        self.set_job(COMPLETE, *texts)

    def create_pod(self, name, status):
        """A pod of the request's Job."""
        pod = f"profile-{name}-x"
        self.kubectl.must("create", "--filename", "-", stdin={
            "apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": pod, "labels": {"job-name": f"profile-{name}"}},
            "spec": {"serviceAccountName": ACCOUNT, "restartPolicy": "Never", "containers": [
                {"name": each, "image": IMAGE} for each in ("profiler", "output-copier")]}})
        self.merge("pod", pod, {"status": status}, "--subresource", "status")
