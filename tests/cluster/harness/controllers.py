"""Completes a cluster with kube-controller-manager and kube-scheduler, and with kwok, which simulates the nodes
and the status that a kubelet reports for pods. No container runs: pods become ready because kwok sets their status.
"""

import json
import ssl
import subprocess
import urllib.error
import urllib.request
from pathlib import Path

from . import processes
from .processes import HarnessError

BUILD_SECONDS = 2400
READY_SECONDS = 60
UNAVAILABLE = 69  # exit status of build_controllers
KWOK = "kwok"

# The controllers to run. The other controllers of kube-controller-manager only cost time:
# certificates, cloud volumes, tokens.
CONTROLLERS = (
    "deployment-controller", "replicaset-controller", "statefulset-controller", "job-controller",
    "endpointslice-controller", "garbage-collector-controller", "namespace-controller",
    "serviceaccount-controller", "resourcequota-controller", "horizontal-pod-autoscaler-controller",
    "disruption-controller", "pod-garbage-collector-controller", "node-lifecycle-controller",
    "persistentvolume-binder-controller", "persistentvolumeclaim-protection-controller")

# A flag of the API server. With WatchList, Debian's etcd, which does not report a watch's progress,
# cannot serve watches from any version, such as kwok's; kwok then polls twice a minute.
API_SERVER_FLAGS = ("--feature-gates=WatchList=false",)

NODES = ("node-a", "node-b")
NODE_RESOURCES = {"cpu": "1k", "memory": "16Ti", "pods": "1000", "nvidia.com/gpu": "64", "rdma/ib": "64"}
GPU = "NVIDIA-H100-80GB-HBM3"  # a sample requests it
# kube-scheduler serves both names: unlike Volcano, it schedules the pods of a group one by one.
SCHEDULERS = ("default-scheduler", "volcano")
# Reserved benchmark addresses: nothing is reachable there.
POD_ADDRESSES = "198.18.0.1/16"
NODE_ADDRESS = "198.19.0.1"


class UnavailableError(HarnessError):
    """The programs are not available on this machine; the text is a one-line reason."""


def programs():
    """The directories of the programs, built if missing."""
    kubernetes, kwok = built("kube-controller-manager, kube-scheduler and kwok", "controllers", "kwok")
    return {"kubernetes": kubernetes, KWOK: kwok}


def built(what, *folders):
    """The directories of what build_controllers builds for these folders; builds them if missing."""
    builder = Path(__file__).resolve().parent.parent / "build_controllers"
    done = processes.run(f"the build of {what}", [builder, *folders], BUILD_SECONDS, stdout=subprocess.PIPE)
    if done.returncode == UNAVAILABLE:
        raise UnavailableError(f"{what} cannot be had on this machine: no Go, or no modules")
    if done.returncode != 0:
        raise HarnessError(f"{what} could not be built")
    return done.stdout.splitlines()


def start(state, directories):
    """Starts the programs on a cluster with a running API server, and waits until its nodes are ready."""
    pki = state.directory / "pki"
    _start_component(state, directories, "kube-controller-manager",
                     "--service-account-private-key-file", pki / "service-account.key",
                     "--root-ca-file", pki / "ca.crt", "--controllers", ",".join(CONTROLLERS),
                     # The default of twenty calls a second would delay every test.
                     "--kube-api-qps", "200", "--kube-api-burst", "400",
                     # By default autoscalers evaluate every 15 seconds, too slow for tests.
                     "--horizontal-pod-autoscaler-sync-period", "1s")
    _start_component(state, directories, "kube-scheduler", "--config", _profiles(state))
    _start_kwok(state, directories)
    kubectl = state.kubectl()
    kubectl.must("apply", "--filename", "-", stdin={
        "apiVersion": "v1", "kind": "List", "items": [_node(name) for name in NODES]})
    kubectl.must("wait", "node", *NODES, "--for", "condition=Ready", "--timeout", f"{READY_SECONDS // 3}s")
    processes.wait_until("nodes that take pods", lambda: not any(
        kubectl.get("node", name)["spec"].get("taints") for name in NODES), READY_SECONDS)


def _start_component(state, directories, name, *flags):
    port, = processes.free_ports(1)
    record = state.start(name, [
        Path(directories["kubernetes"]) / name, "--kubeconfig", state.kubeconfig,
        "--authentication-kubeconfig", state.kubeconfig, "--authorization-kubeconfig", state.kubeconfig,
        "--bind-address", "127.0.0.1", "--secure-port", port,
        "--cert-dir", state.directory / "certificates" / name,
        "--leader-elect=false", *flags])
    state.wait_ready(record, f"{name}'s /healthz",
                     lambda: _answers(f"https://127.0.0.1:{port}/healthz", _any_certificate()), READY_SECONDS)


def _profiles(state):
    """The configuration file that makes kube-scheduler serve SCHEDULERS."""
    path = state.directory / "kube-scheduler.json"
    path.write_text(json.dumps({
        "apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
        "clientConnection": {"kubeconfig": str(state.kubeconfig)}, "leaderElection": {"leaderElect": False},
        "profiles": [{"schedulerName": name} for name in SCHEDULERS]}))
    return path


def _start_kwok(state, directories):
    port, = processes.free_ports(1)
    # An empty file, so that kwok does not read one from the user's home directory.
    configuration = state.directory / "kwok.yaml"
    configuration.write_text("")
    record = state.start(KWOK, [
        Path(directories[KWOK]) / KWOK, "--kubeconfig", state.kubeconfig, "--config", configuration,
        "--manage-all-nodes", "--cidr", POD_ADDRESSES, "--node-ip", NODE_ADDRESS,
        "--node-lease-duration-seconds", "40", "--server-address", f"127.0.0.1:{port}"])
    state.wait_ready(record, "kwok's /healthz", lambda: _answers(f"http://127.0.0.1:{port}/healthz"), READY_SECONDS)


def _any_certificate():
    """The programs create their own certificates; only their health endpoint is used."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def _answers(url, context=None):
    try:
        with urllib.request.urlopen(url, context=context, timeout=2) as answer:
            return answer.status == 200
    except urllib.error.HTTPError:
        return False


def _node(name):
    return {"apiVersion": "v1", "kind": "Node",
            "metadata": {"name": name, "labels": {
                "kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
                "nvidia.com/gpu.product": GPU}},
            "status": {"allocatable": NODE_RESOURCES, "capacity": NODE_RESOURCES}}
