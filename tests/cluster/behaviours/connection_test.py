"""Connections to the API server that cannot work: one line names the file, field or permission."""

import datetime
import json

from harness import certificates, processes
from harness.connection import Connection

from .connection_fixture import BAD, GOOD, SEEN_SECONDS, ConnectedTest
from .support import wait_until, webhook

SECRET_TOKEN = "hunter2-is-no-token"
RECOVERY_SECONDS = 60


class Kubeconfigs(ConnectedTest):
    def refusal_of(self, *flags):
        """The one line with which a server refuses to start."""
        code, output = self.run_to_its_end(*flags)
        self.assertEqual(code, 2, output)
        lines = output.splitlines()
        self.assertEqual(len(lines), 1, output)
        self.assertNotIn(SECRET_TOKEN, output)
        return lines[0]

    def assert_refused_start(self, path, *words):
        line = self.refusal_of("--kubeconfig", path)
        for word in (str(path), *words):
            self.assertIn(word, line)

    def changed(self, change):
        """The path of a good kubeconfig after `change` of its content."""
        path = self.access.kubeconfig(token=SECRET_TOKEN)
        config = json.loads(path.read_text())
        change(config)
        path.write_text(json.dumps(config))
        return path

    def test_unusable_kubeconfig_prevents_start_naming_the_field(self):
        self.access = self.connection()
        good = self.access.kubeconfig(token=SECRET_TOKEN).read_text()
        for text, words in (
                ("", ["must not be empty"]),
                ("{", ["line 1"]),
                ("users: [\n  - name: x", ["line 2"]),
                ("just words", ["must be a kubeconfig"]),
                (good + "\n---\n" + good, ["must hold one document"])):
            with self.subTest(text=text[:20]):
                path = self.access.kubeconfig()
                path.write_text(text)
                self.assert_refused_start(path, *words)
        cluster = 'clusters[test].cluster.'
        user = 'users[server].user.'
        for name, change, words in (
                ("no such context", lambda it: it.update({"current-context": "elsewhere"}),
                 ["elsewhere", "contexts"]),
                ("no context", lambda it: it.pop("current-context"), ["current-context"]),
                ("no such user", lambda it: it.update({"users": []}), ["server", "users"]),
                ("no such cluster", lambda it: it.update({"clusters": []}), ["test", "clusters"]),
                ("no address", lambda it: it["clusters"][0]["cluster"].pop("server"),
                 [cluster + "server"]),
                ("no base64", lambda it: it["clusters"][0]["cluster"].update(
                    {"certificate-authority-data": "%"}), [cluster + "certificate-authority-data"]),
                ("insecure", lambda it: it["clusters"][0]["cluster"].update(
                    {"insecure-skip-tls-verify": True}), [cluster + "insecure-skip-tls-verify"]),
                ("a proxy", lambda it: it["clusters"][0]["cluster"].update(
                    {"proxy-url": "socks5://127.0.0.1:1"}), [cluster + "proxy-url"]),
                ("no token file", lambda it: it["users"][0].update(
                    {"user": {"tokenFile": "missing"}}), [user + "tokenFile", "must exist"]),
                ("impersonation", lambda it: it["users"][0]["user"].update({"as": "admin"}),
                 [user + "as"])):
            with self.subTest(name):
                self.assert_refused_start(self.changed(change), *words)

    def test_missing_kubeconfig_prevents_start(self):
        self.assert_refused_start(self.state.directory / "no-such-kubeconfig", "must exist (from --kubeconfig)")

    def test_missing_context_prevents_start(self):
        path = self.connection().kubeconfig()
        line = self.refusal_of("--kubeconfig", path, "--kube-context", "elsewhere")
        for word in (str(path), "elsewhere", "contexts"):
            self.assertIn(word, line)

    def test_expired_client_certificate_prevents_start(self):
        access = self.connection()
        certificate, key = certificates.Authority(
            self.state.directory / f"expired-{self.namespace}", "a test").issue(
                "/O=system:masters/CN=late", "late.crt", "late.key", "clientAuth",
                ends=datetime.datetime(2020, 2, 1, tzinfo=datetime.timezone.utc))
        path = access.kubeconfig(**{"client-certificate": str(certificate),
                                    "client-key": str(key)})
        self.assert_refused_start(path, "users[server].user.client-certificate", str(certificate),
                                  "2020-02-01")

    def test_managed_certificates_require_namespace_and_cluster(self):
        path = self.connection().kubeconfig()
        for flags, words in (
                (("--kubeconfig", path), "give --namespace"),
                (("--namespace", self.namespace, "--cluster-connection", "none"),
                 "must not come with --cluster-connection none")):
            code, output = self.run_to_its_end("--cert-mode", "managed", *flags)
            self.assertEqual(code, 2, output)
            # In addition to the log, which names the connection by then.
            line, = [each for each in output.splitlines() if not each.startswith("{")]
            self.assertIn(words, line)


class Rights(ConnectedTest):
    EVERYWHERE = ("cluster_wide.yaml", "cluster_lookups.yaml", "managed_certificates.yaml",
                  "inject_crds.yaml", "doctor.yaml")

    def test_second_installation_keeps_permissions_of_the_first(self):
        installations = [Connection(self.state, self.admin, self.new_namespace(name),
                                    self.EVERYWHERE) for name in ("first", "second")]
        for each in installations:
            for verb, resource, group in (
                    ("watch", "leases/dynamo-operator-namespace-scope", ".coordination.k8s.io"),
                    ("list", "persistentvolumeclaims", ""),
                    ("patch", "validatingwebhookconfigurations/dynamo-webhook", ".admissionregistration.k8s.io"),
                    ("patch", "customresourcedefinitions/dynamographdeployments.nvidia.com", ".apiextensions.k8s.io")):
                kind, _, name = resource.partition("/")
                self.assert_can(each.user, verb, f"{kind}{group}/{name}".rstrip("/"), "--all-namespaces")
            doctor = f"{each.user}-doctor"
            self.assert_can(doctor, "get", f"namespaces/{each.namespace}", "--all-namespaces")
            self.assert_can(doctor, "create", "dynamographdeployments", "--namespace", "default")

    def assert_can(self, user, verb, resource, *where):
        found = self.admin.run("auth", "can-i", verb, resource, *where, "--as", user)
        self.assertEqual(found.stdout.strip(), "yes", f"{user}: {verb} {resource}")


class UnreachableApiServer(ConnectedTest):
    """The server starts anyway: the API server may soon be up again."""

    def assert_unready_then_ready(self, name, access, words, repair, port=None):
        """A server reports the problem once and in /readyz, validates anyway, and becomes ready by
        itself once the problem is fixed."""
        facts = self.start_connected(name, access, port=port, ready=False)

        def reason():
            _, text = webhook.readiness(facts)
            if all(word in text for word in words):
                return text
            raise processes.RetryError(text)

        wait_until("the reason in /readyz", reason, SEEN_SECONDS)
        reviewer = self.reviewer(facts)
        self.assertFalse(reviewer.allows(BAD, self.namespace))
        self.assertTrue(reviewer.allows(GOOD, self.namespace))
        repair()
        wait_until("readiness", lambda: webhook.is_ready(facts), RECOVERY_SECONDS)
        output = [line for line in self.log_of(name)
                  if line.get("resource") == "leases" and "failed" in str(line)]
        self.assertEqual(len(output), 1, output)
        for word in words:
            self.assertIn(word, str(output[0]))
        self.assertNotIn(access.token_file.read_text(), str(self.log_of(name)))

    def test_recovers_if_api_server_is_down_at_start(self):
        proxy = self.new_proxy()
        proxy.cut()
        self.assert_unready_then_ready("early", self.connection("cluster_wide.yaml"),
                                       [f"127.0.0.1:{proxy.port}"], proxy.restore, proxy.port)

    def test_recovers_from_rejected_token(self):
        access = self.connection("cluster_wide.yaml")
        access.token_file.write_text(SECRET_TOKEN)
        self.assert_unready_then_ready("unknown", access, ["Unauthorized"], access.renew_token)
