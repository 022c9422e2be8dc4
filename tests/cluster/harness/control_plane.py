"""etcd and kube-apiserver on free loopback ports, with RBAC and a minimal configuration.

Objects are stored and validated, but nothing runs unless controllers.py adds controllers.
"""

import json
import shutil
import ssl
import urllib.error
import urllib.parse
import urllib.request

from . import certificates, processes

READY_SECONDS = 60
API_SERVER = "kube-apiserver"
WEBHOOK_CLIENT = "kube-apiserver-webhook-client"  # the name in its client certificate

# Audits all requests for our kinds, with the webhooks' annotations, and the writes of accounts.
OUR_GROUP = "nvidia.com"
WRITES = ["create", "update", "patch", "delete", "deletecollection"]
AUDIT_POLICY = {
    "apiVersion": "audit.k8s.io/v1", "kind": "Policy", "omitStages": ["RequestReceived"],
    "rules": [{"level": "Metadata", "resources": [{"group": OUR_GROUP}]},
              {"level": "Metadata", "verbs": WRITES, "userGroups": ["system:serviceaccounts"]},
              {"level": "None"}],
}


def start_etcd(state):
    """Starts etcd on the state's directory and waits until it is healthy; returns its URL."""
    client, peer = processes.free_ports(2)
    url = f"http://127.0.0.1:{client}"
    shutil.rmtree(state.directory / "etcd", ignore_errors=True)
    record = state.start("etcd", [
        "etcd", "--name", "test", "--data-dir", state.directory / "etcd",
        "--unsafe-no-fsync",  # no data outlives the cluster
        "--listen-client-urls", url, "--advertise-client-urls", url,
        "--listen-peer-urls", f"http://127.0.0.1:{peer}",
        "--initial-advertise-peer-urls", f"http://127.0.0.1:{peer}",
        "--initial-cluster", f"test=http://127.0.0.1:{peer}", "--logger", "zap"])
    state.wait_ready(record, "etcd's health", lambda: _http_ok(f"{url}/health"), READY_SECONDS)
    return url


def delete_etcd_data(state):
    """Deletes what the stopped etcd, and those that tests started, stored: at least 125 MB each."""
    for data in (state.directory / "etcd", *state.directory.glob("etcd-*/data")):
        shutil.rmtree(data, ignore_errors=True)


def start_api_server(state, kube_apiserver, etcd_url, flags=()):
    """Starts kube-apiserver, writes the administrator's kubeconfig and waits until it is ready."""
    pki = state.directory / "pki"
    authority = certificates.Authority(pki, "dynamo-admission test cluster")
    server = authority.issue("/CN=kube-apiserver", "apiserver.crt", "apiserver.key", "serverAuth",
                             "IP:127.0.0.1,DNS:localhost")
    admin = authority.issue("/O=system:masters/CN=kubernetes-admin", "admin.crt", "admin.key",
                            "clientAuth")
    certificates.key_pair(pki / "service-account.key", pki / "service-account.pub")

    policy = state.directory / "audit-policy.json"
    policy.write_text(json.dumps(AUDIT_POLICY))

    caller = authority.issue(f"/CN={WEBHOOK_CLIENT}", "webhook-client.crt", "webhook-client.key", "clientAuth")

    port, = processes.free_ports(1)
    _write_kubeconfig(state.kubeconfig, _url(port), authority.certificate, *admin)
    # As text, because a restart uses the recorded value.
    state.facts["etcd"] = etcd_url
    state.facts["api_server_command"] = [str(word) for word in (
        kube_apiserver, "--etcd-servers", etcd_url,
        "--bind-address", "127.0.0.1", "--advertise-address", "127.0.0.1",
        "--endpoint-reconciler-type", "none",
        "--service-cluster-ip-range", "10.0.0.0/16",
        "--tls-cert-file", server[0], "--tls-private-key-file", server[1],
        "--client-ca-file", authority.certificate,
        "--service-account-issuer", "https://kubernetes.default.svc",
        "--service-account-key-file", pki / "service-account.pub",
        "--service-account-signing-key-file", pki / "service-account.key",
        "--authorization-mode", "RBAC",
        "--audit-policy-file", policy,
        "--admission-control-config-file", _admission_configuration(state, *caller),
        "--allow-privileged",  # as in every cluster
        *flags)]
    return _run_api_server(state, API_SERVER, port)


def _admission_configuration(state, certificate, key):
    """Makes API servers present this certificate to webhooks that request one."""
    kubeconfig = state.directory / "webhook-client.kubeconfig"
    kubeconfig.write_text(json.dumps({"apiVersion": "v1", "kind": "Config", "users": [
        {"name": "*", "user": {"client-certificate": str(certificate), "client-key": str(key)}}]}), encoding="utf-8")
    path = state.directory / "admission.json"
    group = "apiserver.config.k8s.io/v1"
    path.write_text(json.dumps({"apiVersion": group, "kind": "AdmissionConfiguration", "plugins": [
        {"name": f"{kind}AdmissionWebhook", "configuration": {
            "apiVersion": group, "kind": "WebhookAdmissionConfiguration", "kubeConfigFile": str(kubeconfig)}}
        for kind in ("Mutating", "Validating")]}), encoding="utf-8")
    return path


def restart_api_server(state):
    """Kills it and restarts it at its address, as after a crash; waits until it is ready."""
    port = urllib.parse.urlsplit(state.facts["api_server"]).port
    processes.reserve(port)
    state.stop(API_SERVER)
    processes.wait_until(f"port {port} being free", lambda: processes.is_free(port), READY_SECONDS)
    _run_api_server(state, API_SERVER, port)


def start_second_api_server(state, name):
    """Starts another one on the same etcd, as in a cluster with several; returns its URL."""
    port, = processes.free_ports(1)
    return _run_api_server(state, name, port, state.wait_ready)


def compact(state):
    """Makes etcd forget all but the newest version of each object."""
    body = json.dumps({"range_end": "AA==", "key": "AA==", "count_only": True}).encode()
    revision = _post(f"{state.facts['etcd']}/v3/kv/range", body)["header"]["revision"]
    _post(f"{state.facts['etcd']}/v3/kv/compaction",
          json.dumps({"revision": revision, "physical": True}).encode())


def audit_log(state):
    """The API server's audit events for our kinds."""
    return [each for each in _audit_events(state)
            if each.get("objectRef", {}).get("apiGroup") == OUR_GROUP]


def writes_of(state, user):
    """The API server's audit events for an account's writes, of any kind."""
    return [each for each in _audit_events(state, f'"{user}"')
            if each["user"]["username"] == user and each["verb"] in WRITES]


def _audit_events(state, holding=""):
    """The events whose text contains this."""
    text = _audit_path(state, API_SERVER).read_text(encoding="utf-8")
    # The last line may be incomplete.
    return [json.loads(line) for line in text.splitlines(keepends=True)
            if line.endswith("\n") and holding in line]


def _run_api_server(state, name, port, wait_ready=processes.wait_ready):
    record = state.start(name, [*state.facts["api_server_command"], "--secure-port", port,
                                "--audit-log-path", _audit_path(state, name)])
    pki = state.directory / "pki"
    trusted = ssl.create_default_context(cafile=pki / "ca.crt")
    trusted.load_cert_chain(pki / "admin.crt", pki / "admin.key")
    wait_ready(record, f"{name}'s /readyz", lambda: _http_ok(f"{_url(port)}/readyz", trusted), READY_SECONDS)
    return _url(port)


def _url(port):
    return f"https://127.0.0.1:{port}"


def _audit_path(state, name):
    return state.directory / f"{name}-audit.log"


def _post(url, body):
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.load(answer)


def _http_ok(url, context=None):
    try:
        with urllib.request.urlopen(url, context=context, timeout=2) as answer:
            return answer.status == 200
    except urllib.error.HTTPError:
        return False  # running, but not ready


def _write_kubeconfig(path, url, authority, certificate, key):
    path.write_text(f"""\
apiVersion: v1
kind: Config
current-context: test
contexts: [{{name: test, context: {{cluster: test, user: admin}}}}]
clusters:
- name: test
  cluster:
    server: {url}
    certificate-authority-data: {certificates.base64_of(authority)}
users:
- name: admin
  user:
    client-certificate-data: {certificates.base64_of(certificate)}
    client-key-data: {certificates.base64_of(key)}
""")
    path.chmod(0o600)
