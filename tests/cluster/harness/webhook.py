"""The server under test, and its webhook configurations."""

import urllib.error
import urllib.request

from . import certificates, processes

GROUP = "nvidia.com"
VERSION = "v1alpha1"
OPERATOR_VERSION = "1.0.0"
READY_SECONDS = 60
STOP_SECONDS = 30

# kind -> the API server's resource name
KINDS = {
    "DynamoGraphDeployment": "dynamographdeployments",
    "DynamoComponentDeployment": "dynamocomponentdeployments",
    "DynamoModel": "dynamomodels",
    "DynamoGraphDeploymentRequest": "dynamographdeploymentrequests",
    "DynamoCheckpoint": "dynamocheckpoints",
    "DynamoGraphDeploymentScalingAdapter": "dynamographdeploymentscalingadapters",
}

# This label of a namespace names the server that validates it; without the label, the cluster's own
# server does. The value below allows storing an object that the rules refuse.
VALIDATED_BY = "dynamo-admission.test/validated-by"
NO_WEBHOOK = "nobody"

# As in the chart: an update that removes a finalizer must not wait for the webhook.
NOT_TERMINATING = {"name": "not-terminating",
                   "expression": "oldObject == null || !has(oldObject.metadata.deletionTimestamp)"}

_no_proxy = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def start(state, binary, name="webhook", flags=("--shutdown-delay", "0s"), ready=True,
          prefix=()):
    """Starts the server with a certificate of its own authority and waits until it is ready, or, with `ready`
    False, until it reports that it is not. `prefix` is a command that runs it.

    Returns its facts, which fit into JSON: its name, ports and the authority's certificate.
    """
    command, facts = command_of(state, binary, name, flags)
    record = state.start(name, [*prefix, *command], STOP_SECONDS, inherit_environment=True)
    state.wait_ready(record, "the webhook server's /readyz",
                     lambda: is_ready(facts) == ready, READY_SECONDS)
    return facts


def command_of(state, binary, name, flags):
    """The command that start() runs, and the facts that it returns."""
    pki = state.directory / "webhook-pki"
    if not (pki / "tls.crt").exists():
        certificates.Authority(pki, "dynamo-admission test webhooks").issue(
            "/CN=dynamo-webhook", "tls.crt", "tls.key", "serverAuth", "IP:127.0.0.1")
    port, probes, metrics = processes.free_ports(3)
    certificate = () if "--cert-mode" in flags else ("--cert-mode", "files", "--cert-dir", pki)
    command = [binary, "--bind-address", f"127.0.0.1:{port}",
               "--health-probe-bind-address", f"127.0.0.1:{probes}",
               "--metrics-bind-address", f"127.0.0.1:{metrics}",
               "--operator-version", OPERATOR_VERSION, *certificate, *flags]
    return command, {"name": name, "port": port, "probes": probes, "metrics": metrics,
                     "authority": str(pki / "ca.crt")}


def is_ready(facts):
    return readiness(facts)[0]


def readiness(facts):
    """Whether the server is ready, and the result of each check."""
    try:
        with _no_proxy.open(f"http://127.0.0.1:{facts['probes']}/readyz?verbose",
                            timeout=2) as answer:
            return answer.status == 200, answer.read().decode()
    except urllib.error.HTTPError as error:
        return False, error.read().decode()


def scrape(facts):
    """The server's metrics as {"name{labels}": value}."""
    with _no_proxy.open(f"http://127.0.0.1:{facts['metrics']}/metrics", timeout=5) as answer:
        lines = answer.read().decode().splitlines()
    samples = (line.rpartition(" ") for line in lines if line and not line.startswith("#"))
    return {series: float(value) for series, _, value in samples}


def configurations(port, authority, kinds=tuple(KINDS), defaulting=True, validator=None):
    """The webhook configurations, as one List object, for a server on 127.0.0.1:PORT.

    They apply to the namespaces with that value of VALIDATED_BY; None selects those without the label.
    """
    items = [_configuration("ValidatingWebhookConfiguration", "validate", port, authority, kinds,
                            validator)]
    if defaulting:
        items.append(_configuration("MutatingWebhookConfiguration", "mutate", port, authority,
                                    ["DynamoGraphDeployment"], validator))
    return {"apiVersion": "v1", "kind": "List", "items": items}


def _configuration(kind, verb, port, authority, kinds, validator):
    validated = {"key": VALIDATED_BY, "operator": "DoesNotExist"}
    if validator:
        validated = {"key": VALIDATED_BY, "operator": "In", "values": [validator]}
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": kind,
        "metadata": {"name": validator or "dynamo-admission"},
        "webhooks": [{
            "name": f"{verb}.{KINDS[each]}.{GROUP}",
            "clientConfig": {
                "url": f"https://127.0.0.1:{port}/{verb}-nvidia-com-{VERSION}-{each.lower()}",
                **({"caBundle": certificates.base64_of(authority)} if authority else {})},
            "rules": [{"apiGroups": [GROUP], "apiVersions": [VERSION],
                       "resources": [KINDS[each]], "operations": ["CREATE", "UPDATE"],
                       "scope": "Namespaced"}],
            "namespaceSelector": {"matchExpressions": [validated]},
            "admissionReviewVersions": ["v1"],
            "failurePolicy": "Fail",
            "sideEffects": "None",
            "timeoutSeconds": 10,
            "matchConditions": [NOT_TERMINATING],
        } for each in kinds],
    }


def register(kubectl, facts):
    """Creates the configurations and waits until the API server applies them.

    The API server learns of configurations with a delay. A graph without services, which is never stored, shows
    when it makes every kind of call: the graph is refused only if it is validated, and has the operator's
    version in its review only if it is defaulted.
    """
    kubectl.must("apply", "--filename", "-",
                 stdin=configurations(facts["port"], facts["authority"]))
    processes.wait_until("the API server calling the webhooks",
                         lambda: _validated(kubectl) and _defaulted(kubectl), READY_SECONDS)


def _graph(services):
    return {"apiVersion": f"{GROUP}/{VERSION}", "kind": "DynamoGraphDeployment",
            "metadata": {"name": "probe", "namespace": "default"}, "spec": {"services": services}}


def _validated(kubectl):
    result = kubectl.run("create", "--dry-run=server", "--filename", "-", stdin=_graph({}))
    if "is invalid" not in result.stderr:
        raise processes.RetryError(f"a graph without services is not refused as invalid:\n{result}")
    return True


def _defaulted(kubectl):
    result = kubectl.run("create", "--dry-run=server", "--output", "json", "--filename", "-",
                         stdin=_graph({"Worker": {
                             "componentType": "worker", "replicas": 1,
                             "extraPodSpec": {"mainContainer": {"image": "example.com/probe:1"}}}}))
    if not result.ok or "annotations" not in result.json()["metadata"]:
        raise processes.RetryError(f"a graph gets no annotation:\n{result}")
    return True
