"""A component's keys in the etcd that services use for discovery: they are deleted with the component,
over TLS, and an untrusted etcd blocks no deletion."""

import base64
import json
import ssl
import urllib.request

from harness import certificates, processes

from .graph_fixture import SOON, GraphTest, simple
from .support import wait_until


def encoded(text):
    return base64.b64encode(text.encode()).decode()


class OwnEtcd:
    """An etcd with TLS only, and a certificate of its own CA. With `needs_certificate`, it admits only clients with
    a certificate of that CA, such as `client`."""

    def __init__(self, state, name, needs_certificate=False):
        self.name = name
        directory = state.directory / name
        authority = certificates.Authority(directory / "pki", name)
        # etcd's gateway is a client of etcd, with this certificate.
        certificate, key = authority.issue("/CN=etcd", "tls.crt", "tls.key", "serverAuth,clientAuth",
                                           "IP:127.0.0.1")
        self.authority = authority.certificate
        # With users, etcd's gateway refuses a certificate with a common name.
        self.client = authority.issue("/O=client", "client.crt", "client.key", "clientAuth")
        self._token = None
        client, peer = processes.free_ports(2)
        self.url = f"https://127.0.0.1:{client}"
        self._trusted = ssl.create_default_context(cafile=self.authority)
        self._trusted.load_cert_chain(*self.client)
        asks = ("--client-cert-auth", "--trusted-ca-file", self.authority) if needs_certificate else ()
        record = state.start(name, [
            "etcd", "--name", name, "--data-dir", directory / "data", "--unsafe-no-fsync",
            "--cert-file", certificate, "--key-file", key, *asks,
            "--listen-client-urls", self.url, "--advertise-client-urls", self.url,
            "--listen-peer-urls", f"http://127.0.0.1:{peer}",
            "--initial-advertise-peer-urls", f"http://127.0.0.1:{peer}",
            "--initial-cluster", f"{name}=http://127.0.0.1:{peer}", "--logger", "zap"])
        state.wait_ready(record, "etcd", lambda: self.keys() == set(), SOON)

    def _post(self, path, body):
        headers = {"Content-Type": "application/json", **({"Authorization": self._token} if self._token else {})}
        request = urllib.request.Request(f"{self.url}/v3/{path}", json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, context=self._trusted, timeout=5) as answer:
            return json.load(answer)

    def require_password(self, name, password):
        """From now on only this user may call it."""
        self._post("auth/role/add", {"name": "root"})
        for each in {"root", name}:
            self._post("auth/user/add", {"name": each, "password": password})
            self._post("auth/user/grant", {"user": each, "role": "root"})
        self._post("auth/enable", {})
        self._token = self._post("auth/authenticate", {"name": name, "password": password})["token"]

    def put(self, key, lease="0"):
        self._post("kv/put", {"key": encoded(key), "value": encoded("x"), "lease": lease})

    def delete_all(self):
        self._post("kv/deleterange", {"key": encoded("\0"), "range_end": encoded("\0")})

    def new_lease(self):
        return self._post("lease/grant", {"TTL": "600"})["ID"]

    def keys(self):
        found = self._post("kv/range", {"key": encoded("\0"), "range_end": encoded("\0"),
                                     "keys_only": True})
        return {base64.b64decode(each["key"]).decode() for each in found.get("kvs", ())}


class Etcd(GraphTest):
    def setUp(self):
        super().setUp()
        self.etcd = OwnEtcd(self.state, f"etcd-{self.namespace}")
        self.addCleanup(self.state.forget, self.etcd.name)

    def start_with(self, ca_file, *flags):
        return self.start("reconciler", "--discovery-backend", "etcd", "--etcdAddr", self.etcd.url,
                          "--etcd-ca-file", ca_file, *flags)

    def assert_keys_end_with_component(self):
        self.make(simple())
        self.until_successful()
        spec = self.kubectl.get("dcd", "g-decode")["spec"]
        self.etcd.put(f"/{spec['dynamoNamespace']}/components/{spec['serviceName']}/endpoint:7")
        self.delete_component("g-decode")
        self.assertEqual((self.etcd.keys(), self.notes("EtcdNotCleaned")), (set(), []))

    def test_client_certificate_and_password_admit_reconciler(self):
        secured = OwnEtcd(self.state, f"{self.etcd.name}-secured", needs_certificate=True)
        self.addCleanup(self.state.forget, secured.name)
        self.etcd = secured
        certificate, key = secured.client
        user, password = (self.state.directory / f"{secured.name}-{what}" for what in ("user", "password"))
        user.write_text("reconciler\n", encoding="utf-8")
        password.write_text("p-w", encoding="utf-8")
        secured.require_password("reconciler", "p-w")
        self.start_with(secured.authority, "--etcd-cert-file", certificate, "--etcd-key-file", key,
                        "--etcd-username-file", user, "--etcd-password-file", password)
        self.assert_keys_end_with_component()

    def test_only_keys_of_the_component_are_deleted(self):
        self.start_with(self.etcd.authority)
        self.make(simple())
        self.until_successful()
        spec = self.kubectl.get("dcd", "g-decode")["spec"]
        root = f"/{spec['dynamoNamespace']}/components"
        own = {f"{root}/{spec['serviceName']}", f"{root}/{spec['serviceName']}/endpoint:7"}
        others = {f"{root}/Frontend/endpoint:1", f"{root}/A", f"{root}/Decode2/endpoint:1", f"{root}/Decode-b", f"/another{root}/Decode"}
        for key in own | others:
            self.etcd.put(key)
        self.assertEqual(self.etcd.keys(), own | others)
        self.delete_component("g-decode")
        self.assertEqual(self.etcd.keys(), others)
        self.assertEqual(self.notes("EtcdNotCleaned"), [])

    def test_untrusted_etcd_gets_no_request_and_blocks_nothing(self):
        stranger = certificates.Authority(
            self.state.directory / f"{self.namespace}-stranger", "stranger")
        self.start_with(stranger.certificate)
        self.make(simple())
        self.until_successful()
        spec = self.kubectl.get("dcd", "g-decode")["spec"]
        key = f"/{spec['dynamoNamespace']}/components/{spec['serviceName']}/endpoint:7"
        self.etcd.put(key)
        self.delete_component("g-decode")
        wait_until("a word of it", lambda: self.notes("EtcdNotCleaned"), SOON)
        self.assertEqual(self.etcd.keys(), {key})
