"""The charts on a real API server: helm installs, upgrades, rolls back and uninstalls them, and their
programs run like their pods."""

import json
import os
import signal

from harness import certificates, chart, managed
from harness.balancer import Balancer
from harness.cert_manager import CertManager
from harness.chart import Helm, Release
from harness.load import Load

from .connection_fixture import BAD, GOOD, MARKER, marker
from .support import ADMISSION_SECONDS, ClusterTest, takes_long, thing, wait_until, webhook

MODELS = "/apis/nvidia.com/v1alpha1/namespaces/%s/dynamomodels?dryRun=All"
MODEL = thing("DynamoModel", "model", {"modelName": "qwen", "baseModelName": "qwen"})
# The promised load, and the rate at which it is sent: delays of more than a second are not
# compensated, so the rate is higher.
CALLS = 3000
RATE = 100
PACE = 125
THREADS = 8
RECORD = 1 << 20
ROTATION_SECONDS = 180
# Only kinds that this API server does not serve.
FOREIGN = ("cert-manager.io", "monitoring.coreos.com", "scheduling.run.ai")


class ChartTest(ClusterTest):
    def setUp(self):
        super().setUp()
        self.system = self.new_namespace("release")
        self.servers = []
        self.balancer = Balancer(self.servers)
        self.addCleanup(self.balancer.stop)

    def release(self, name="dynamo", namespace=None):
        release = Release(self.state, self.admin, name, namespace or self.system, self.balancer.port)
        self.addCleanup(release.uninstall)
        return release

    def install(self, replicas=1, values=None):
        """A release with running programs; it validates only the test's namespace."""
        release = self.release()
        release.upgrade(values or {})
        self.start(release, replicas)
        self.validate(release, self.namespace)
        return release

    def start(self, release, replicas):
        for _ in range(replicas):
            name = f"{release.validator}-{len(self.servers)}"
            self.addCleanup(self.stop_server, name)
            self.addCleanup(self.stop_server, f"{release.validator}-keeper")
            facts = release.start(name)
            self.servers.append(facts)
            self.balancer.add(facts)

    def validate(self, release, namespace):
        self.admin.must("label", "namespace", namespace, "--overwrite",
                        f"{webhook.VALIDATED_BY}={release.validator}")
        wait_until("a bad object being denied, a good one admitted",
                   lambda: self.is_validated(namespace), ADMISSION_SECONDS)

    def is_validated(self, namespace):
        kubectl = self.admin.within(namespace)
        refused = kubectl.run("create", "--dry-run=server", "-f", "-", stdin=BAD)
        accepted = kubectl.run("create", "--dry-run=server", "-f", "-", stdin=GOOD)
        return "is invalid" in refused.stderr and accepted.ok

    def writes_pass(self, namespace):
        return self.admin.within(namespace).run("create", "--dry-run=server", "-f", "-", stdin=BAD).ok

    def load(self):
        return Load(self.state, MODELS % self.namespace, MODEL, threads=THREADS, limit=20 * CALLS, rate=PACE)

    def assert_was_as_promised(self, load):
        print(f"{load.sent} calls, {load.per_second:.0f}/s", flush=True)
        self.assertGreaterEqual(load.sent, CALLS)
        self.assertGreaterEqual(load.per_second, RATE)

    def assert_nothing_forbidden(self):
        keepers = [path.name for path in self.state.logs.glob(f"*{self.system}-keeper.log")]
        for name in (*(f"{facts['name']}.log" for facts in self.servers), *keepers):
            self.assertNotIn("orbidden", (self.state.logs / name).read_text(encoding="utf-8"))


class Lifecycle(ChartTest):
    def test_release_becomes_ready_and_validates(self):
        release = self.install(replicas=2)
        for bundle in release.bundles():
            self.assertIn("-----BEGIN CERTIFICATE-----", bundle)
        refused = self.kubectl.run("create", "-f", "-", stdin=BAD)
        self.assertIn("spec.services[Worker].ingress.host", refused.stderr)
        self.kubectl.must("create", "-f", "-", stdin=GOOD)
        self.assertIn("kubectl dynamo doctor", release.notes())
        self.assert_nothing_forbidden()

    def test_upgrades_keep_bundles_and_uninstall_blocks_nothing(self):
        release = self.install()
        before = release.bundles()
        # Changes the server to warnings only: its successor starts with the new arguments.
        release.upgrade({"webhook": {"enforcement": "audit", "timeoutSeconds": 7}})
        self.assertEqual(release.bundles(), before)
        self.replace(release, 0)
        wait_until("objects being admitted with a warning", lambda: self.writes_pass(self.namespace), ADMISSION_SECONDS)
        release.rollback(1)
        self.assertEqual(release.bundles(), before)
        self.replace(release, 1)
        wait_until("objects being denied again", lambda: self.is_validated(self.namespace), ADMISSION_SECONDS)
        code, message = release.uninstall()
        self.assertEqual(code, 0, message)
        for facts in self.servers:
            self.stop_server(facts["name"])
        wait_until("writes passing", lambda: self.writes_pass(self.namespace), ADMISSION_SECONDS)
        mark = f"app.kubernetes.io/instance={release.name}"
        left = self.admin.get(*(",".join((*managed.CONFIGURATIONS, "validatingadmissionpolicies", "clusterroles",
                                          "clusterrolebindings")),), "--selector", mark)["items"]
        self.assertEqual([each["metadata"]["name"] for each in left], [])
        # Only the programs' own objects remain: the Secret and the Leases, which block nothing.
        kinds = "deployments,services,configmaps,serviceaccounts,roles,rolebindings,poddisruptionbudgets"
        left = self.admin.within(self.system).get(kinds, "--selector", mark)["items"]
        self.assertEqual([each["metadata"]["name"] for each in left], [])

    def replace(self, release, number):
        self.start(release, 1)
        self.assertTrue(self.stop_server(self.servers[number]["name"]), "it had to be killed")

    def test_autoscaling_keeps_running_replicas(self):
        release, kubectl = self.release(), self.admin.within(self.system)
        release.upgrade({"webhook": {"replicas": 4}})
        named = release.named("Deployment", "-webhook")

        def replicas_after(**webhook_values):
            release.upgrade({"webhook": webhook_values})
            return kubectl.get("deployment", named)["spec"]["replicas"]

        scaled = {"enabled": True, "minReplicas": 2, "maxReplicas": 9}
        # With the first upgrade that enables autoscaling, and with each later one.
        self.assertEqual(replicas_after(autoscaling=scaled), 4)
        self.assertEqual(replicas_after(autoscaling=scaled, timeoutSeconds=7), 4)
        # As an autoscaler does.
        kubectl.must("scale", "deployment", named, "--replicas", "5")
        self.assertEqual(replicas_after(autoscaling=scaled), 5)
        self.assertEqual(replicas_after(autoscaling={**scaled, "minReplicas": 7}), 7)
        self.assertEqual(replicas_after(replicas=3), 3)

    def test_restricted_release_validates_only_its_namespace(self):
        target = self.new_namespace("target")
        release = self.release("team")
        release.upgrade({"namespaceRestriction": {"enabled": True, "targetNamespace": target},
                         "webhook": {"operatorVersion": "1.0.0"}})
        self.start(release, 1)
        self.validate(release, target)
        self.admin.must("label", "namespace", self.namespace, f"{webhook.VALIDATED_BY}={release.validator}")
        wait_until("writes passing in another namespace", lambda: self.writes_pass(self.namespace), ADMISSION_SECONDS)
        holder = self.admin.within(target).get("lease", MARKER)["spec"]["holderIdentity"]
        self.assertEqual(holder, "namespace-restricted-operator-1.0.0")
        self.assert_nothing_forbidden()

    def test_only_one_cluster_wide_release_is_allowed(self):
        self.release().upgrade({})
        other = self.new_namespace("other")
        message = self.release("second", other).refusal({})
        self.assertIn(f'"dynamo" in namespace "{self.system}"', message)
        self.assertIn("namespaceRestriction.enabled=true", message)
        # Neither its own objects nor a restricted release of the same name elsewhere is a conflict.
        self.release().upgrade({})
        self.release("dynamo", other).upgrade({"namespaceRestriction": {"enabled": True}})

    def test_two_releases_for_one_namespace_are_refused(self):
        restricted = {"namespaceRestriction": {"enabled": True, "targetNamespace": self.namespace}}
        self.release().upgrade(restricted)
        other = self.new_namespace("other")
        message = self.release("second", other).refusal(restricted)
        self.assertIn(f"only one release may be for the namespace {self.namespace}", message)
        self.assertIn(f'"dynamo" in namespace "{self.system}"', message)
        self.release().upgrade(restricted)
        self.release("second", other).upgrade({"namespaceRestriction": {"enabled": True}})

    def test_installed_upstream_operator_is_not_replaced(self):
        """Detected by the ClusterRole of its chart, under any release name."""
        replacement = {"mode": "replacement", "nats": {"enabled": False}, "etcd": {"enabled": False},
                       "reconciler": {"enabled": True}}
        for release, named in (("platform", "platform-dynamo-operator-manager-role"), ("my-dynamo-operator", "my-dynamo-operator-manager-role")):
            with self.subTest(release):
                self.admin.must("create", "-f", "-", stdin={
                    "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "rules": [], "metadata": {
                        "name": named, "labels": {"app.kubernetes.io/name": "dynamo-operator", "app.kubernetes.io/instance": release},
                        "annotations": {"meta.helm.sh/release-name": release, "meta.helm.sh/release-namespace": "theirs"}}})
                self.addCleanup(self.admin.run, "delete", "clusterrole", named, "--ignore-not-found")
                message = self.release().refusal(replacement)
                self.assertIn(f"helm uninstall {release} -n theirs", message)
                self.assertIn("mode=companion", message)
                # As a companion, and in a separate namespace.
                self.release().upgrade({})
                self.release().uninstall()
                self.release().upgrade({**replacement, "namespaceRestriction": {"enabled": True, "targetNamespace": self.namespace}})
                self.release().uninstall()
                self.admin.must("delete", "clusterrole", named)

    def test_required_pull_secret_is_checked(self):
        def refusal(values=None):
            return self.release().refusal({"dynamo": {"dockerRegistry": {"useKubernetesSecret": True, "existingSecretName": "login"}},
                                           "webhook": {"image": {"repository": "registry.example.com/webhook"}}, **(values or {})})

        def put(config, namespace):
            kubectl = self.admin.within(namespace)
            kubectl.run("delete", "secret", "login")
            kubectl.must("create", "-f", "-", stdin={
                "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "login"}, "type": "kubernetes.io/dockerconfigjson",
                "stringData": {".dockerconfigjson": json.dumps(config)}})

        self.assertIn(f'in the namespace {self.system}, whose pods pull with it: found none called "login"', refusal())
        put({}, self.system)
        self.assertIn('must name a Secret with logins below "auths"', refusal())
        put({"auths": {"https://index.docker.io/v1/": {"auth": "YTpi"}}}, self.system)
        self.assertIn("must have a login for registry.example.com, where registry.example.com/webhook is", refusal())
        put({"auths": {"https://registry.example.com/v2/": {"auth": "YTpi"}}}, self.system)
        target = {"mode": "replacement", "nats": {"enabled": False}, "etcd": {"enabled": False},
                  "namespaceRestriction": {"enabled": True, "targetNamespace": self.namespace},
                  "reconciler": {"enabled": True}}
        self.assertIn(f"in the namespace {self.namespace}, whose pods", refusal(target))
        login = {"dynamo": {"dockerRegistry": {"useKubernetesSecret": True, "existingSecretName": "login"}},
                 "webhook": {"image": {"repository": "registry.example.com/webhook"}}}
        self.release().upgrade(login)
        put({"auths": {"registry.example.com": {"auth": "YTpi"}}}, self.namespace)
        self.release().upgrade({**login, **target})

    @takes_long
    def test_foreign_secret_is_not_overwritten(self):
        kubectl, named = self.admin.within(self.system), {"webhook": {"certificateSecret": {"name": "theirs"}}}
        kubectl.must("create", "secret", "generic", "theirs", "--from-literal=tls.crt=a", "--from-literal=ca.crt=b")
        message = self.release().refusal(named)
        self.assertIn('found "theirs" with a certificate that this server did not make', message)
        self.assertIn("leave it empty", message)
        # For the default name, leaving the value empty would not help.
        kubectl.must("create", "secret", "generic", self.release().secret(), "--from-literal=tls.crt=a")
        self.assertIn("delete it if nothing serves it any more", self.release().refusal({}))
        kubectl.must("delete", "secret", self.release().secret())
        login = {"dynamo": {"dockerRegistry": {"useKubernetesSecret": True, "existingSecretName": "theirs"}}}
        self.assertIn(f'"theirs" in the namespace {self.system} is "Opaque"', self.release().refusal(login))
        # It accepts its own Secret, which has the CA's key, and an empty one.
        for content in (("--from-literal=ca.key=c",), ()):
            kubectl.must("delete", "secret", "theirs")
            kubectl.must("create", "secret", "generic", "theirs", *content)
            self.release().upgrade(named)


class CertificatesOfOthers(ChartTest):
    """The scenarios in which another tool creates the certificate."""

    def serve(self, release, values, make):
        """Installs the chart with a scenario's values; `make` creates the certificate before a pod can
        start."""
        release.upgrade(values)
        make()
        self.start(release, 1)
        self.validate(release, self.namespace)
        return managed.served(self.servers[0])

    def assert_renewed_and_validated(self, release, before, renew):
        renew()
        release.mount()
        wait_until("the new certificate", lambda: managed.served(self.servers[0]) != before, 30)
        # The CA is the same, otherwise the request would fail.
        wait_until("a bad object being denied", lambda: self.is_validated(self.namespace), ADMISSION_SECONDS)
        self.assert_nothing_forbidden()
        code, message = release.uninstall()
        self.assertEqual(code, 0, message)
        wait_until("writes passing", lambda: self.writes_pass(self.namespace), ADMISSION_SECONDS)

    def test_external_certificate_is_served_and_reloaded(self):
        release = self.release()
        authority = certificates.Authority(self.state.directory / f"own-{self.system}", "a CA of one's own")
        values = chart.scenario_values("external-cert")
        values["webhook"]["caBundle"] = certificates.base64_of(authority.certificate)
        name = values["webhook"]["certificateSecret"]["name"]
        kubectl = self.admin.within(self.system)

        def make():
            crt, key = authority.issue("/CN=webhook", "tls.crt", "tls.key", "serverAuth", f"DNS:{release.host()}")
            secret = kubectl.must("create", "secret", "tls", name, "--cert", crt, "--key", key, "--dry-run=client",
                                  "--output", "json").json()
            kubectl.must("apply", "-f", "-", stdin=secret)

        before = self.serve(release, values, make)
        self.assertEqual(set(release.bundles()), {authority.certificate.read_text(encoding="utf-8")})
        self.assert_renewed_and_validated(release, before, make)

    def cert_manager(self):
        found = CertManager(self.admin, self.state.directory / f"cert-manager-{self.system}")
        self.addCleanup(found.remove)
        return found

    @takes_long
    def test_issuer_certificates_are_served_and_reloaded(self):
        manager, release = self.cert_manager(), self.release()
        values = chart.scenario_values("cert-manager")
        issuer = values["webhook"]["certManager"]["issuerRef"]["name"]
        self.admin.must("apply", "-f", "-", stdin={
            "apiVersion": "cert-manager.io/v1", "kind": "ClusterIssuer", "metadata": {"name": issuer},
            "spec": {"ca": {"secretName": "elsewhere"}}})
        before = self.serve(release, values, lambda: manager.reconcile(self.system))
        self.assert_renewed_and_validated(release, before, lambda: manager.reconcile(self.system))

    @takes_long
    def test_release_without_issuer_has_its_own_ca(self):
        manager, release = self.cert_manager(), self.release()
        values = chart.scenario_values("cert-manager")
        del values["webhook"]["certManager"]["issuerRef"]
        before = self.serve(release, values, lambda: manager.reconcile(self.system))
        bundle, = set(release.bundles())
        self.assertTrue(certificates.verifies(bundle, before, release.host()))
        self.assert_renewed_and_validated(release, before, lambda: manager.reconcile(self.system))


class MarkerLease(ChartTest):
    def test_only_permitted_accounts_write_the_marker_lease(self):
        self.release().upgrade({})
        self.kubectl.must("create", "role", "leases", "--verb=create,update,delete,get,list",
                          "--resource=leases.coordination.k8s.io")
        self.kubectl.must("create", "rolebinding", "leases", "--role=leases", "--user=editor")
        editor = self.kubectl.impersonating("editor")
        wait_until("the policy being enforced", lambda: "namespaceexclusions" in self.attempt(editor).stderr, 20)
        other = {**marker("x", 30), "metadata": {"name": "other"}}
        self.assertTrue(editor.run("create", "-f", "-", stdin=other).ok)
        # The API server cannot check an invented resource, but an account that may create it may
        # write the Lease.
        self.kubectl.must("apply", "-f", "-", stdin={
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": "excluders"},
            "rules": [{"apiGroups": ["dynamo-admission.nvidia.com"], "resources": ["namespaceexclusions"], "verbs": ["create"]}]})
        self.kubectl.must("create", "rolebinding", "excluders", "--role=excluders", "--user=editor")
        wait_until("the right being known", lambda: self.attempt(editor).ok, 20)

    def test_restricted_release_keeps_only_its_own_lease(self):
        release = self.release("team")
        release.upgrade({"namespaceRestriction": {"enabled": True, "targetNamespace": self.namespace}})
        elsewhere = self.admin.within(self.new_namespace("elsewhere"))
        editors = []
        for kubectl in (self.kubectl, elsewhere):
            kubectl.must("create", "role", "leases", "--verb=create", "--resource=leases.coordination.k8s.io")
            kubectl.must("create", "rolebinding", "leases", "--role=leases", "--user=editor")
            editors.append(kubectl.impersonating("editor"))
        wait_until("the policy being enforced", lambda: "namespaceexclusions" in self.attempt(editors[0]).stderr, 20)
        self.assertTrue(self.attempt(editors[1]).ok)
        # The release's server writes it, under the policy.
        self.start(release, 1)
        self.assertEqual(self.kubectl.get("lease", MARKER)["spec"]["holderIdentity"], "namespace-restricted-operator-1.0.0")

    def put_operator(self, rules):
        """A restricted operator of the upstream chart in the test's namespace, with this Role; returns
        its account, NAMESPACE/NAME."""
        named, account = "theirs-dynamo-operator-manager-role", "theirs-dynamo-operator-controller-manager"
        group = "rbac.authorization.k8s.io"
        items = [{"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": account}},
                 {"apiVersion": f"{group}/v1", "kind": "Role", "metadata": {"name": named}, "rules": rules},
                 {"apiVersion": f"{group}/v1", "kind": "RoleBinding", "metadata": {"name": "theirs-dynamo-operator-manager-rolebinding"},
                  "roleRef": {"apiGroup": group, "kind": "Role", "name": named},
                  "subjects": [{"kind": "ServiceAccount", "name": account, "namespace": self.namespace}]}]
        # Releases of other tests would be refused because of it.
        self.addCleanup(self.kubectl.run, "delete", "role", named, "--ignore-not-found")
        self.kubectl.must("apply", "-f", "-", stdin={"apiVersion": "v1", "kind": "List", "items": items})
        return f"{self.namespace}/{account}"

    def test_operator_without_exclusion_permission_is_reported(self):
        """Like operators of the later generation; those of the first have all permissions."""
        leases = {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"],
                  "verbs": ["create", "delete", "get", "list", "patch", "update", "watch"]}
        account = self.put_operator([leases])
        own = {"namespaceRestriction": {"enabled": True, "targetNamespace": self.namespace}}
        for values in ({}, own):
            message = self.release().refusal(values)
            self.assertIn(f"markerLeasePolicy.allowedServiceAccounts must have {account}:", message)
            self.assertIn(f"holds the namespace {self.namespace} by a Lease", message)
        # A release for another namespace does not conflict.
        self.release("elsewhere").upgrade({"namespaceRestriction": {"enabled": True, "targetNamespace": self.new_namespace("elsewhere")}})
        operator = self.kubectl.impersonating("system:serviceaccount:" + account.replace("/", ":"))
        operator.must("create", "-f", "-", stdin=marker("namespace-restricted-operator-1.5.0", 30))

        def renewal():
            return operator.run("patch", "lease", MARKER, "--type", "merge", "--patch", '{"spec": {"leaseDurationSeconds": 60}}')

        # Without the conflict check it is refused from then on.
        self.release().upgrade({"conflictChecks": False})
        wait_until("its renewal being refused", lambda: "namespaceexclusions" in renewal().stderr, 20)
        # As the refusal message suggests.
        self.release().upgrade({"markerLeasePolicy": {"allowedServiceAccounts": [account]}})
        wait_until("its renewal being accepted", lambda: renewal().ok, 20)
        # The permission is enough, too, from another role or from the same one.
        self.release().upgrade({"markerLeasePolicy": {"enabled": False}})
        self.kubectl.must("apply", "-f", "-", stdin={
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": "excluders"},
            "rules": [{"apiGroups": ["dynamo-admission.nvidia.com"], "resources": ["namespaceexclusions"], "verbs": ["create"]}]})
        self.kubectl.must("create", "rolebinding", "excluders", "--role=excluders", f"--serviceaccount={account.replace('/', ':')}")
        self.release().upgrade({})
        self.kubectl.must("delete", "rolebinding", "excluders")
        self.put_operator([{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}, leases])
        self.release().upgrade({})

    def attempt(self, editor):
        return editor.run("create", "--dry-run=server", "-f", "-", stdin=marker("editor", 30))


@takes_long
class Availability(ChartTest):
    def test_rolling_restart_fails_no_call(self):
        # With the shipped times, not the short ones for quick tests.
        shipped = chart.yaml.safe_load((chart.OPERATOR / "values.yaml").read_text(encoding="utf-8"))["webhook"]
        release = self.install(replicas=2, values={"webhook": {key: shipped[key] for key in chart.QUICK}})
        with self.load() as load:
            # Like the Deployment: one more replica, then one less.
            for number in range(2):
                at = load.sent
                self.start(release, 1)
                self.assertTrue(self.stop_server(self.servers[number]["name"]), "it had to be killed")
                wait_until("calls", lambda at=at: load.sent > at + 500, 60)
            wait_until("enough calls", lambda: load.sent >= CALLS, 120)
        self.assertEqual(load.failures[:3], [])
        self.assert_was_as_promised(load)

    def test_restricted_version_change_fails_no_call(self):
        """The marker Lease names a version: both versions validate while both run."""
        release = self.release()
        values = {"namespaceRestriction": {"enabled": True, "targetNamespace": self.namespace,
                                           "lease": {"duration": "6s", "renewInterval": "1s"}}}
        release.upgrade(values)
        self.start(release, 2)
        self.validate(release, self.namespace)
        with self.load() as load:
            release.upgrade({**values, "webhook": {"operatorVersion": "1.1.0"}})
            for number in range(2):
                at = load.sent
                self.start(release, 1)
                self.assertTrue(self.stop_server(self.servers[number]["name"]), "it had to be killed")
                wait_until("calls", lambda at=at: load.sent > at + 500, 60)
            wait_until("enough calls", lambda: load.sent >= CALLS, 120)
        self.assertEqual(load.failures[:3], [])
        self.assert_was_as_promised(load)
        wait_until("the new version holding the namespace", lambda: self.kubectl.get("lease", MARKER)["spec"][
            "holderIdentity"] == "namespace-restricted-operator-1.1.0", 30)
        self.assert_nothing_forbidden()

    def test_certificate_rotation_fails_no_call(self):
        release = self.install(replicas=2)
        before = set(release.bundles())
        with self.load() as load:
            self.admin.within(self.system).must("annotate", "secret", release.secret(), f"{managed.ROTATE}=ca")
            wait_until("a new CA in every caBundle, and none beside it",
                       lambda: self.is_rotated(release, before), ROTATION_SECONDS)
            wait_until("enough calls", lambda: load.sent >= CALLS, 120)
        self.assertEqual(load.failures[:3], [])
        self.assert_was_as_promised(load)

    def is_rotated(self, release, before):
        now = set(release.bundles())
        return not now & before and len(now) == 1 and len(managed.pem_blocks(*now)) == 1

    def test_killed_replica_loses_only_calls_in_flight(self):
        self.install(replicas=2)
        with self.load() as load:
            wait_until("calls", lambda: load.sent > 500, 60)
            os.kill(self.state.process(self.servers[0]["name"])["pid"], signal.SIGKILL)
            wait_until("enough calls", lambda: load.sent >= CALLS, 120)
        self.assertLessEqual(len(load.failures), THREADS, load.failures)
        self.assert_was_as_promised(load)


class Definitions(ChartTest):
    def test_definitions_are_taken_over_and_retained(self):
        helm, where = Helm(self.state), ("dynamo-crds", "--namespace", "default")
        helm.must("upgrade", "--install", "dynamo-crds", chart.CHARTS / "dynamo-crds", *where[1:],
                  "--take-ownership")
        self.addCleanup(helm.run, "uninstall", *where, "--ignore-not-found")
        helm.must("upgrade", "dynamo-crds", chart.CHARTS / "dynamo-crds", *where[1:])
        records = self.admin.within("default").get("secrets", "--selector", "owner=helm,name=dynamo-crds")["items"]
        self.assertEqual(len(records), 2)
        for each in records:
            # The API encodes them in base64 once more.
            self.assertLess(len(each["data"]["release"]) * 3 // 4, RECORD // 3)
        before = self.definitions()
        helm.must("uninstall", *where)
        self.assertEqual(self.definitions(), before)
        self.assertEqual(len(before), 7)

    def definitions(self):
        return sorted(each["metadata"]["uid"] for each in self.admin.get("crd")["items"]
                      if each["spec"]["group"] == "nvidia.com")

    @takes_long
    def test_api_server_accepts_every_scenario(self):
        for scenario in sorted((chart.REPOSITORY / "deploy/scenarios").glob("*.yaml")):
            values = chart.yaml.safe_load(scenario.read_text(encoding="utf-8"))["dynamo-operator"]
            if scenario.stem == "external-cert":
                authority = (self.state.directory / "pki/ca.crt").read_bytes()
                values["webhook"]["caBundle"] = chart.base64.b64encode(authority).decode()
            target = values.get("namespaceRestriction", {}).get("targetNamespace")
            if target:
                values["namespaceRestriction"]["targetNamespace"] = self.namespace
            text = Helm(self.state).must("template", "r", chart.OPERATOR, "--namespace", self.system,
                                         values=chart.without_platform(values))
            items = [each for each in chart.yaml.safe_load_all(text)
                     if each and not each["apiVersion"].startswith(FOREIGN)]
            with self.subTest(scenario.stem):
                self.assertGreater(len(items), 8)
                done = self.admin.run("create", "--dry-run=server", "--validate=strict", "-f", "-",
                                      stdin={"apiVersion": "v1", "kind": "List", "items": items})
                self.assertTrue(done.ok, done.stderr)
