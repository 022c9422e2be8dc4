"""etcd and kube-apiserver on free loopback ports, with RBAC and nothing that is not needed.

There is no controller manager and no scheduler: objects are stored and judged, nothing runs.
"""

import shutil
import ssl
import urllib.error
import urllib.request

from . import certificates, processes

READY_SECONDS = 60


def start_etcd(state):
    """Starts etcd on the state's directory and waits until it is healthy; returns its URL."""
    client, peer = processes.free_ports(2)
    url = f"http://127.0.0.1:{client}"
    shutil.rmtree(state.directory / "etcd", ignore_errors=True)
    record = state.start("etcd", [
        "etcd", "--name", "test", "--data-dir", state.directory / "etcd",
        "--unsafe-no-fsync",  # nothing in here outlives the cluster
        "--listen-client-urls", url, "--advertise-client-urls", url,
        "--listen-peer-urls", f"http://127.0.0.1:{peer}",
        "--initial-advertise-peer-urls", f"http://127.0.0.1:{peer}",
        "--initial-cluster", f"test=http://127.0.0.1:{peer}", "--logger", "zap"])
    processes.wait_ready(record, "etcd's health", lambda: _http_ok(f"{url}/health"), READY_SECONDS)
    return url


def start_api_server(state, kube_apiserver, etcd_url):
    """Starts kube-apiserver, writes the administrator's kubeconfig and waits until it is ready."""
    pki = state.directory / "pki"
    authority = certificates.Authority(pki, "dynamo-admission test cluster")
    server = authority.issue("/CN=kube-apiserver", "apiserver.crt", "apiserver.key", "serverAuth",
                             "IP:127.0.0.1,DNS:localhost")
    admin = authority.issue("/O=system:masters/CN=kubernetes-admin", "admin.crt", "admin.key",
                            "clientAuth")
    certificates.key_pair(pki / "service-account.key", pki / "service-account.pub")

    port, = processes.free_ports(1)
    url = f"https://127.0.0.1:{port}"
    _write_kubeconfig(state.kubeconfig, url, authority.certificate, *admin)
    record = state.start("kube-apiserver", [
        kube_apiserver, "--etcd-servers", etcd_url,
        "--bind-address", "127.0.0.1", "--advertise-address", "127.0.0.1",
        "--secure-port", port, "--endpoint-reconciler-type", "none",
        "--service-cluster-ip-range", "10.0.0.0/24",
        "--tls-cert-file", server[0], "--tls-private-key-file", server[1],
        "--client-ca-file", authority.certificate,
        "--service-account-issuer", "https://kubernetes.default.svc",
        "--service-account-key-file", pki / "service-account.pub",
        "--service-account-signing-key-file", pki / "service-account.key",
        "--authorization-mode", "RBAC",
        "--allow-privileged"])  # as every cluster has it
    trusted = ssl.create_default_context(cafile=authority.certificate)
    trusted.load_cert_chain(*admin)
    processes.wait_ready(record, "the API server's /readyz",
                         lambda: _http_ok(f"{url}/readyz", trusted), READY_SECONDS)
    return url


def _http_ok(url, context=None):
    try:
        with urllib.request.urlopen(url, context=context, timeout=2) as answer:
            return answer.status == 200
    except urllib.error.HTTPError:
        return False  # up, but not ready


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
