"""Prerequisites of multi-node graphs: the controller of LeaderWorkerSets with its webhooks, as its
project publishes it, and the definitions of other projects' kinds."""

import json
from pathlib import Path

from . import certificates, controllers, processes

READY_SECONDS = 60
NAME = "lws"
# Paths of its webhooks, their resources, and their operations.
GROUP = "leaderworkerset.x-k8s.io"
CALLS = {
    "MutatingWebhookConfiguration": (
        (f"/mutate-{GROUP.replace('.', '-')}-v1-leaderworkerset", GROUP, "leaderworkersets", ["CREATE", "UPDATE"]),
        ("/mutate--v1-pod", "", "pods", ["CREATE"])),
    "ValidatingWebhookConfiguration": (
        (f"/validate-{GROUP.replace('.', '-')}-v1-leaderworkerset", GROUP, "leaderworkersets",
         ["CREATE", "UPDATE"]),
        ("/validate--v1-pod", "", "pods", ["CREATE", "UPDATE"])),
}


def programs():
    """The directories of the controller and of the definitions, created if missing;
    controllers.UnavailableError if they are not available."""
    group, definitions = controllers.built("the controller of LeaderWorkerSets and published definitions",
                                           "groups", "definitions")
    return Path(group), Path(definitions)


def define(kubectl, directory, *plurals):
    """Installs these definitions with their full schema."""
    for plural in plurals:
        # They are larger than kubectl's annotation may be.
        kubectl.must("apply", "--server-side", "--filename", directory / f"{plural}.yaml")
    names = [each["metadata"]["name"] for each in kubectl.get("crd")["items"]
             if each["spec"]["names"]["plural"] in plurals]
    kubectl.until_established(*names)
    return names


def start(state, directory, namespace):
    """Starts the controller; its webhooks are called for objects in this namespace."""
    kubectl = state.kubectl()
    pki = state.directory / "webhook-pki"  # the CA of the webhook server, which has the same address
    port, probes = processes.free_ports(2)
    configuration = state.directory / f"{NAME}.json"
    configuration.write_text(json.dumps({
        "apiVersion": "config.lws.x-k8s.io/v1alpha1", "kind": "Configuration",
        "webhook": {"host": "127.0.0.1", "port": port, "certDir": str(pki)},
        "health": {"healthProbeBindAddress": f"127.0.0.1:{probes}"}, "metrics": {"bindAddress": "0"},
        "leaderElection": {"leaderElect": False}, "internalCertManagement": {"enable": False}}))
    record = state.start(NAME, ["env", f"KUBECONFIG={state.kubeconfig}", directory / "cmd", "--config",
                                configuration])
    state.wait_ready(record, "the webhooks of LeaderWorkerSets",
                     lambda: not processes.is_free(port), READY_SECONDS)
    kubectl.must("apply", "--filename", "-", stdin={
        "apiVersion": "v1", "kind": "List",
        "items": [_configuration(kind, calls, port, pki / "ca.crt", namespace) for kind, calls in CALLS.items()]})


def stop(state):
    state.kubectl().run("delete", "mutatingwebhookconfiguration,validatingwebhookconfiguration", NAME)
    state.stop(NAME)


def _configuration(kind, calls, port, authority, namespace):
    return {"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": {"name": NAME},
            "webhooks": [{
                "name": f"{path.strip('/').replace('-', '.')}.{NAME}".replace("..", "."),
                "clientConfig": {"url": f"https://127.0.0.1:{port}{path}",
                                 "caBundle": certificates.base64_of(authority)},
                "rules": [{"apiGroups": [group], "apiVersions": ["v1"], "resources": [resource],
                           "operations": operations}],
                "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}},
                "failurePolicy": "Fail", "sideEffects": "None", "admissionReviewVersions": ["v1"],
            } for path, group, resource, operations in calls]}
