"""Runs graphs with dynamo-reconciler in place of the operator, on a cluster with Kubernetes' own
controllers and nodes simulated by kwok. Measures the cost until all graphs are successful, the
writes of a restart, and the objects that one change affects. Requests and checkpoints, if any, end
before the first graph. With the pathway of Grove, watched_grove.py replaces Grove's controller.
"""

import json
import queue
import threading
import time
from dataclasses import dataclass

from api import Api, Watch
from driver.machine import BenchError
from driver.promises import Promise
from driver.report import _table as table
from harness import grove, processes
from harness.programs import program
from objects import GROUP, IMAGE, NAMESPACE, checkpoint, path_of, request
from usage import cpu_of, most_resident_mib
from watched_grove import WatchedGrove

COMPONENT, GROVE = "component", "grove"
PLURAL = "dynamographdeployments"
GRAPHS = f"{GROUP}/namespaces/{NAMESPACE}/{PLURAL}"
REQUESTS, CHECKPOINTS = path_of("dynamographdeploymentrequests"), path_of("dynamocheckpoints")
CONFIG_MAPS = f"/api/v1/namespaces/{NAMESPACE}/configmaps"
JOBS = f"/apis/batch/v1/namespaces/{NAMESPACE}/jobs"
PROFILING_JOB = "profile-"  # and the name of the request
OTHER_IMAGE = IMAGE.rpartition(":")[0] + ":0.8.2"
# Graphs not yet successful at a time: more would measure the scheduler's queue.
IN_FLIGHT = 60
PATIENCE_SECONDS = 120  # without any progress
STATES_SECONDS = 1  # between two reads of the states of requests and checkpoints
PODS_OF_NODE = 1000
PODS_OF_GRAPH = 3
# Kinds that only we write, except for the status of a Deployment, and what Grove writes.
OURS = (GRAPHS, REQUESTS, CHECKPOINTS, f"{GROUP}/namespaces/{NAMESPACE}/dynamocomponentdeployments",
        f"{GROUP}/namespaces/{NAMESPACE}/dynamographdeploymentscalingadapters",
        f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments", f"/api/v1/namespaces/{NAMESPACE}/services",
        f"/api/v1/namespaces/{NAMESPACE}/configmaps", f"/api/v1/namespaces/{NAMESPACE}/serviceaccounts",
        f"/apis/rbac.authorization.k8s.io/v1/namespaces/{NAMESPACE}/roles",
        f"/apis/rbac.authorization.k8s.io/v1/namespaces/{NAMESPACE}/rolebindings")
GROVES = tuple(f"/apis/{grove.API_VERSION}/namespaces/{NAMESPACE}/{plural}" for plural in grove.PLURALS)


@dataclass
class GraphFigures:
    graphs: int  # that became successful
    seconds: float  # from the first to the last
    cpu: float  # seconds, our process in that time
    api_cpu: float  # seconds, the API server's in that time
    resident_mib: float  # peak
    idle: float  # share of one core, with all graphs running
    written_by_restart: list  # paths of objects
    restart_cpu: float  # seconds, for a new process until it has reconciled all objects
    touched: list  # paths of objects, changed by one new image


def _service(kind, image=IMAGE):
    return {"componentType": kind, "replicas": 1, "resources": {"requests": {"cpu": "1", "memory": "1Gi"}},
            "extraPodSpec": {"mainContainer": {"image": image, "command": ["python3", "-m", "dynamo.vllm"],
                                               "args": ["--model", "Qwen/Qwen3-0.6B"]}}}


def _graph(number):
    return {"apiVersion": "nvidia.com/v1alpha1", "kind": "DynamoGraphDeployment",
            "metadata": {"name": f"graph-{number:04}", "namespace": NAMESPACE},
            "spec": {"backendFramework": "vllm", "services": {
                "Frontend": _service("frontend"), "Prefill": _service("worker"), "Decode": _service("worker")}}}


def _result(name):
    """The ConfigMap that the profiler of this request leaves."""
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {
        "name": f"dgdr-output-{name}",
        "labels": {"dgdr.nvidia.com/name": name, "nvidia.com/managed-by": "dynamo-operator"}},
        "data": {"config_with_planner.yaml": json.dumps(_graph(0))}}


class ResultPublisher:
    """Writes the result of each profiling Job as soon as the Job exists: kwok completes its pod without running it."""

    def __init__(self, api):
        self._api, self._watch, self._published = api, Watch(api, [JOBS]), set()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self):
        self._thread.start()

    def __exit__(self, *_):
        self._watch.reported.put(None)
        self._thread.join()
        self._watch.close()

    def _run(self):
        connection = self._api.connection()
        while (event := self._watch.reported.get()) is not None:
            prefix, _, name = event[2]["metadata"]["name"].partition(PROFILING_JOB)
            if not prefix and name and name not in self._published:
                self._published.add(name)
                self._api.call(connection, "POST", CONFIG_MAPS, _result(name))


def _node(name):
    room = {"cpu": "4096", "memory": "64Ti", "nvidia.com/gpu": str(PODS_OF_NODE), "pods": str(PODS_OF_NODE)}
    return {"apiVersion": "v1", "kind": "Node",
            "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux"}},
            "status": {"allocatable": room, "capacity": room}}


def _start(state):
    probes, metrics = processes.free_ports(2)
    return state.start("contender", [
        program("dynamo-reconciler"), "--kubeconfig", state.kubeconfig, "--mode", "replacement", "--controllers", "*",
        "--discovery-backend", "kubernetes", "--leader-elect=false",
        "--planner-cluster-role-name", "view",  # exists in every cluster
        "--dgdr-profiling-cluster-role-name", "view",
        "--checkpoint-storage-type", "s3", "--checkpoint-s3-uri", "s3://bench",  # needs no claim
        "--metrics-bind-address", f"127.0.0.1:{metrics}",
        "--health-probe-bind-address", f"127.0.0.1:{probes}"], stop_seconds=20)


class Bench:
    def __init__(self, state, settle_seconds, pathway):
        self._state, self._settle_seconds = state, settle_seconds
        self._api = Api(state)
        self._connection = self._api.connection()
        self._watch = Watch(self._api, [GRAPHS])
        self._api_pid = state.process("kube-apiserver")["pid"]
        self._grove = WatchedGrove(state, self._api, NAMESPACE) if pathway == GROVE else None
        self._ours = OURS + GROVES if pathway == GROVE else OURS

    def call(self, method, path, body=None, content="application/json"):
        return self._api.call(self._connection, method, path, body, content)

    def add_nodes(self, graphs):
        for number in range(graphs * PODS_OF_GRAPH // PODS_OF_NODE + 1):
            self.call("POST", "/api/v1/nodes", _node(f"bench-{number}"))

    def versions(self):
        """Path to version, for every object of ours. The status of Grove's objects does not count."""
        found = {}
        for path in self._ours:
            for each in self.call("GET", path)["items"]:
                meta = each["metadata"]
                version = (meta["generation"], meta.get("annotations")) if path in GROVES else meta["resourceVersion"]
                found[f"{path}/{meta['name']}"] = version
        return found

    def make(self, most, seconds):
        """Creates graphs until the count or the time limit is reached; returns how many became
        successful, and in which time."""
        began = time.monotonic()
        made, done, last_success = 0, set(), began
        while made < most or len(done) < made:
            is_over = time.monotonic() - began > seconds
            while made < most and made - len(done) < IN_FLIGHT and not is_over:
                self.call("POST", GRAPHS, _graph(made))
                made += 1
            if is_over and len(done) == made:
                break
            try:
                _, _, each, _ = self._watch.next(time.monotonic() + 1)
            except queue.Empty:
                if time.monotonic() - last_success > PATIENCE_SECONDS:
                    raise BenchError(f"{len(done)} of {made} graphs were successful, and no other within "
                                     f"{PATIENCE_SECONDS} s") from None
                continue
            if each.get("status", {}).get("state") == "successful" and each["metadata"]["name"] not in done:
                done.add(each["metadata"]["name"])
                last_success = time.monotonic()
        return len(done), time.monotonic() - began

    def run_jobs(self, count):
        """Creates this many requests and checkpoints, and waits until their Jobs have ended."""
        with ResultPublisher(self._api):
            for number in range(count):
                self.call("POST", CHECKPOINTS, checkpoint(f"bench-{number}", f"qwen/bench-{number}"))
                self.call("POST", REQUESTS, request(f"bench-{number}"))
            ready, last_success = 0, time.monotonic()
            while ready < 2 * count:
                states = [*self.states_of(REQUESTS, "state"), *self.states_of(CHECKPOINTS, "phase")]
                if "Failed" in states:
                    raise BenchError(f"{states.count('Failed')} of {2 * count} requests and checkpoints failed")
                before, ready = ready, states.count("Ready")
                if ready > before:
                    last_success = time.monotonic()
                if time.monotonic() - last_success > PATIENCE_SECONDS:
                    raise BenchError(f"{ready} of {2 * count} requests and checkpoints were ready, and no other within "
                                     f"{PATIENCE_SECONDS} s")
                time.sleep(STATES_SECONDS)

    def states_of(self, path, field):
        return [each.get("status", {}).get(field, "") for each in self.call("GET", path)["items"]]

    def settle(self):
        """Waits until nothing changes for a while; returns the versions then."""
        versions, deadline = self.versions(), time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            time.sleep(self._settle_seconds)
            before, versions = versions, self.versions()
            if before == versions:
                return versions
        raise BenchError(f"something is still written after {PATIENCE_SECONDS} s: {changed(before, versions)[:5]}")

    def run(self, graphs, jobs, seconds, idle_seconds):
        self.add_nodes(graphs + jobs)
        api_before = cpu_of(self._api_pid)
        pid = _start(self._state)["pid"]
        self.run_jobs(jobs)
        successful, took = self.make(graphs, seconds)
        cpu, api_cpu = cpu_of(pid), cpu_of(self._api_pid) - api_before
        versions = self.settle()
        before = cpu_of(pid)
        time.sleep(idle_seconds)
        idle = (cpu_of(pid) - before) / idle_seconds
        resident = most_resident_mib(pid)
        self._state.stop("contender")
        versions_before = self.settle() if self.versions() != versions else versions
        pid = _start(self._state)["pid"]
        versions = self.settle()
        restart_cpu = cpu_of(pid)
        touched = self.change_image(versions)
        resident = max(resident, most_resident_mib(pid))
        return GraphFigures(successful, took, cpu, api_cpu, resident, idle, changed(versions_before, versions),
                            restart_cpu, touched)

    def change_image(self, versions):
        self.call("PATCH", f"{GRAPHS}/graph-0000", {"spec": {"services": {"Decode": _service("worker", OTHER_IMAGE)}}},
                  "application/merge-patch+json")
        return changed(versions, self.settle())

    def close(self):
        self._watch.close()
        self._connection.close()
        if self._grove:
            self._grove.stop()


def changed(before, now):
    return sorted(path for path in before.keys() | now.keys() if before.get(path) != now.get(path))


def promises(found):
    return [
        Promise("our CPU to the API server's, graphs", found.cpu / found.api_cpu, "at most", 0.25, "×"),
        Promise(f"resident memory with {found.graphs} graphs", found.resident_mib, "at most", 250, "MiB"),
        Promise("written by a restart", len(found.written_by_restart), "at most", 0, "objects"),
        Promise("touched by one change of an image", len(found.touched), "at most", 3, "objects")]


def text_of(found, pathway):
    rows = [["dynamo-reconciler", str(found.graphs), f"{found.seconds:.1f} s", f"{found.cpu:.2f} s",
             f"{found.api_cpu:.2f} s", f"{found.resident_mib:.0f} MiB", f"{found.idle:.2%}",
             f"{found.restart_cpu:.2f} s"]]
    lines = [table(f"Graphs of three services until successful, pathway {pathway}",
                   ["", "graphs", "all successful", "CPU", "API server's", "memory", "idle", "CPU of a restart"], rows)]
    for what, paths in (("a restart wrote", found.written_by_restart), ("the image's change touched", found.touched)):
        lines += [f"{what} {path.rpartition('namespaces/')[2]}" for path in paths[:10]]
    return "\n".join(lines)


def measure(state, plan):
    bench = Bench(state, plan.settle, plan.pathway)
    try:
        found = bench.run(plan.graphs, plan.jobs, plan.seconds, plan.idle)
        record = state.process("contender")
        if not processes.running(record):
            raise BenchError(f"dynamo-reconciler ended:\n{processes.tail(record['log'])}")
        return found
    finally:
        bench.close()
