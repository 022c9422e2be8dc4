"""Shared by tests of DynamoGraphDeploymentRequests: manifests, what a profiler and its Job leave behind, and
helpers to read the results. No profiler runs: the tests write its ConfigMap."""

import json

from harness.processes import RetryError
from harness.writer import Writer

from . import accounts
from .graph_fixture import SOON, GraphTest, simple
from .support import IMAGE, thing, wait_until

ACCOUNT = "dgdr-profiling-job"
RESULT_KEY = "config_with_planner.yaml"
RETRY = "nvidia.com/retry"
OBSERVED_RETRY = "nvidia.com/observed-retry"
SLA = {"sla": {"isl": 3000, "osl": 150, "ttft": 200, "itl": 20}}
ALL = ("--max-profiling-jobs", "0")  # no limit
# Statuses of Jobs as Kubernetes' controller writes them.
STARTED = "2025-01-01T00:00:00Z"
WAITING = {"startTime": STARTED, "active": 1, "ready": 0}
COMPLETE = {"startTime": STARTED, "completionTime": "2025-01-01T00:01:00Z", "active": 0, "succeeded": 1,
            "conditions": [{"type": "SuccessCriteriaMet", "status": "True", "reason": "CompletionsReached"},
                           {"type": "Complete", "status": "True", "reason": "CompletionsReached"}]}
LIMIT_REACHED = {"status": "True", "reason": "BackoffLimitExceeded",
                 "message": "Job has reached the specified backoff limit"}
FAILED = {"startTime": STARTED, "active": 0, "failed": 4,
          "conditions": [{"type": "FailureTarget", **LIMIT_REACHED}, {"type": "Failed", **LIMIT_REACHED}]}


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


class RequestHelpers:
    """A ClusterTest with requests in its namespace."""

    def create_all(self, *objects):
        """Creates them with one command, if there are any."""
        if not objects:
            return
        self.kubectl.must("create", "--filename", "-", stdin={
            "apiVersion": "v1", "kind": "List", "items": list(objects)})

    def publish(self, texts):
        """Writes the results of profilers: {request: text}."""
        self.create_all(*(result_of(name, text) for name, text in texts.items()))

    def status_of(self, name):
        return self.kubectl.get("dgdr", name).get("status", {})

    def states(self):
        return {each["metadata"]["name"]: each.get("status", {}).get("state", "")
                for each in self.kubectl.get("dgdr")["items"]}

    def until_states(self, seconds=SOON, **wanted):
        """Waits until the requests of these names have these states."""
        def reached():
            found = self.states()
            others = {name: found.get(name) for name, state in wanted.items() if found.get(name) != state}
            if others:
                raise RetryError(f"other states: {others}")
            return True

        wait_until(f"the states {wanted}", reached, seconds)

    def until_condition(self, name, kind, status, reason, *words, seconds=SOON):
        """Waits until the request has this condition, with these words in its message; returns it."""
        def reported():
            found = self.condition("dgdr", name, kind)
            if (found.get("status"), found.get("reason")) != (status, reason) or not all(
                    each in found["message"] for each in words):
                raise RetryError(f"{kind} is {found}")
            return found

        return wait_until(f"{kind} {status} {reason} {words} of {name}", reported, seconds)

    def events_of(self, name, reason):
        """The notes of the events about the request."""
        return [each["note"] for each in self.kubectl.get("events.events.k8s.io")["items"]
                if each["regarding"]["kind"] == "DynamoGraphDeploymentRequest"
                and each["regarding"]["name"] == name and each["reason"] == reason]

    def until_event(self, name, reason, *words):
        """Waits until exactly one event of the reason exists about the request, with these words."""
        def emitted():
            notes = self.events_of(name, reason)
            if len(notes) != 1 or not all(each in notes[0] for each in words):
                raise RetryError(f"the notes are {notes}")
            return True

        wait_until(f"one event {reason} of {name}", emitted, SOON)

    def uid_of_job(self, name):
        """The uid of the request's Job; None if it does not exist."""
        return next((each["metadata"]["uid"] for each in self.kubectl.get("jobs")["items"]
                     if each["metadata"]["name"] == f"profile-{name}"), None)

    def retry(self, *names):
        """Once per request: the same value does not retry again."""
        self.kubectl.must("annotate", "dgdr", *names, f"{RETRY}=now")

    def wake(self, *names):
        """Triggers a reconcile instead of waiting for the next retry."""
        self.kubectl.must("annotate", "dgdr", *names, "example.com/look=again", "--overwrite")


class RequestTest(RequestHelpers, GraphTest):
    """Each test has a namespace that no webhook validates; its reconciler is restricted to it, with the rights
    of deploy/rbac. No controller of Jobs runs: the tests set their status."""

    def setUp(self):
        super().setUp()
        self.kubeconfig = accounts.kubeconfig(self, files=("reconciler.yaml", "reconciler_requests.yaml"))
        self.kubectl.must("create", "serviceaccount", ACCOUNT)
        self.connect()

    def connect(self):
        """Again after a restart of the API server."""
        writer = Writer(self.state)
        self.addCleanup(writer.close)
        self.writer = writer

    def start(self, name="reconciler", *flags, controllers="request", **more):
        return super().start(name, "--kubeconfig", self.kubeconfig, "--controllers", controllers, *flags, **more)

    def set_status(self, group, plural, name, status):
        code, answer = self.writer.merge(
            f"{group}/namespaces/{self.namespace}/{plural}/{name}/status", {"status": status})
        self.assertEqual(code, 200, answer)

    def set_job(self, status, *names):
        """Sets the status of the Jobs of these requests."""
        for name in names:
            self.set_status("batch/v1", "jobs", f"profile-{name}", status)

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
