"""kubectl dynamo doctor on a cluster with a real API server."""

import json
import select
import socket
import subprocess

from harness import connection, managed, processes
from harness.programs import program

from .certificates_test import ManagedTest
from .connection_fixture import BAD, LONGEST
from .support import ADMISSION_SECONDS, wait_until, webhook

DOCTOR_SECONDS = 130
BAD_MODEL = {"apiVersion": "nvidia.com/v1alpha1", "kind": "DynamoModel",
             "metadata": {"name": "bad"},
             "spec": {"modelName": "x", "baseModelName": "x", "modelType": "lora"}}


class Doctor(ManagedTest):
    def setUp(self):
        super().setUp()
        # Reconcilers of other tests have ended, and the doctor would report each as missing.
        self.admin.must("delete", "leases", "--all-namespaces", "--selector", "app.kubernetes.io/name=dynamo-reconciler")

    def doctor(self, *flags, kubeconfig=None):
        """Exit code and, by check, the findings as (level, subject and text)."""
        done = subprocess.run(
            [program("kubectl-dynamo"), "doctor", "--kubeconfig", kubeconfig or self.state.kubeconfig,
             "--output", "json", *flags],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=DOCTOR_SECONDS,
            check=False)
        found = {}
        if done.stdout:
            for each in json.loads(done.stdout)["findings"]:
                output = (each["level"], f"{each['subject']}: {each['text']}")
                found.setdefault(each["check"], []).append(output)
        return done.returncode, found, done.stderr

    def levels(self, found, check):
        return {level for level, _ in found[check]}

    def test_exits_0_on_a_healthy_cluster(self):
        # The cluster's own webhook is called by URL: Services are not routed here.
        self.connection("cluster_wide.yaml")
        code, found, output = self.doctor("--namespace", self.namespace, "--service-account",
                                          f"{self.system}/dynamo-webhook")
        for check in ("configuration.present", "configuration.rules", "configuration.narrow",
                      "configuration.once", "configuration.timeout",
                      "configuration.failure-policy", "cluster.clock", "cluster.dry-run"):
            self.assertEqual(self.levels(found, check), {"ok"}, found[check])
        self.assertEqual(self.levels(found, "cluster.rights"), {"ok", "skipped"})
        self.assertEqual((code, output), (0, ""), found)

    def test_role_permits_every_check(self):
        self.install("seen", 1)
        access = self.access
        text = (connection.RIGHTS / "doctor.yaml").read_text()
        text = text.replace("dynamo-system", self.system)
        text = text.replace("namespace: default", f"namespace: {self.validated.namespace}")
        text = text.replace(", default]", f", {self.validated.namespace}]")
        self.admin.must("apply", "--filename", "-", stdin=text)
        token = self.admin.within(self.system).must("create", "token", "dynamo-webhook-doctor").stdout.strip()
        code, found, _ = self.doctor("--namespace", self.validated.namespace, "--service-account",
                                     f"{self.system}/dynamo-webhook",
                                     kubeconfig=access.kubeconfig(name="doctor", token=token))
        self.assertNotIn("orbidden", str(found))
        for check in ("configuration.present", "configuration.selector", "cluster.dry-run"):
            self.assertEqual(self.levels(found, check), {"ok"}, found[check])
        self.assertEqual(code, 0, found)

    def test_restricted_server_has_no_findings(self):
        space = self.new_namespace("restricted", {webhook.VALIDATED_BY: f"own-{self.system}"})
        access = self.connection("restricted.yaml", restricted=space)
        facts = self.start_connected("own", access, "--restricted-namespace", space)
        self.validated_by(f"own-{self.system}", facts, namespace=space)
        code, found, _ = self.doctor("--restricted-namespace", space, "--service-account",
                                     f"{self.system}/dynamo-webhook")
        for check in ("cluster.leases", "cluster.dry-run"):
            self.assertEqual(self.levels(found, check), {"ok"}, found[check])
        self.assertEqual(self.levels(found, "cluster.rights"), {"ok", "skipped"})
        self.assertIn("4 rights", str(found["cluster.rights"]))
        self.assertEqual(code, 0, found)

    def test_permissions_clocks_and_dry_run_have_no_findings(self):
        self.install("healthy", 1)
        code, found, _ = self.doctor("--namespace", self.validated.namespace, "--service-account",
                                     f"{self.system}/dynamo-webhook")
        for check in ("configuration.present", "configuration.rules", "cluster.rights",
                      "cluster.clock", "cluster.dry-run"):
            self.assertEqual(self.levels(found, check), {"ok"}, found[check])
        # The Service has no pods in this cluster, and the API server calls it anyway.
        self.assertEqual(self.levels(found, "service.present"), {"ok"})
        self.assertIn("ExternalName", found["service.present"][0][1])
        self.assertEqual(code, 0, found)
        self.assertEqual(self.validated.get("dgd")["items"], [])

    def test_reports_missing_permission_held_namespace_and_passing_objects(self):
        self.install("ill", 1)
        self.admin.within(self.system).must("delete", "role", "dynamo-webhook-certificates")
        free = self.new_namespace("free", {"dynamo-admission.test/validated-by": "nobody"})
        self.hold(free, "namespace-restricted-operator-0.9.9", LONGEST)
        code, found, _ = self.doctor("--namespace", free, "--service-account",
                                     f"{self.system}/dynamo-webhook", "--secret",
                                     f"{self.system}/dynamo-webhook-cert")
        self.assertEqual(code, 1)
        missing = [text for level, text in found["cluster.rights"] if level != "ok"]
        self.assertTrue(any("watch secrets" in each for each in missing), missing)
        self.assertTrue(any("create leases" in each for each in missing), missing)
        self.assertIn("warning", self.levels(found, "cluster.leases"))
        self.assertIn(free, str(found["cluster.leases"]))
        self.assertEqual(self.levels(found, "cluster.dry-run"), {"failed"})

    def send_models(self, change, *others):
        """Installs webhooks for a separate namespace with this change to the webhook of models, and
        with these similar webhooks in addition."""
        made = webhook.configurations(self.webhook["port"], self.webhook["authority"],
                                      validator=self.validator)
        webhooks = made["items"][0]["webhooks"]
        models, = (each for each in webhooks if "dynamomodels" in each["name"])
        models |= change(models)
        webhooks += [models | {"name": f"other.{models['name']}"} | other(models)
                     for other in others]
        self.admin.must("apply", "--filename", "-", stdin=made)

    def wait_until_models_are_validated(self, validated):
        def reached():
            done = self.space.run("create", "--dry-run=server", "-f", "-", stdin=BAD_MODEL)
            return ("[dm.lora.source]" in done.stderr) == validated

        wait_until(f"models {'validated' if validated else 'not validated'}", reached, ADMISSION_SECONDS)

    def new_space(self, name):
        self.validator = f"{name}-{self.system}"
        self.addCleanup(self.admin.run, "delete", "validatingwebhookconfiguration,"
                        "mutatingwebhookconfiguration", self.validator)
        self.space = self.admin.within(self.new_namespace(name, {webhook.VALIDATED_BY: self.validator}))

    def of_space(self, check):
        """The doctor's findings of one check, while all others are fine."""
        code, found, _ = self.doctor("--namespace", self.space.namespace)
        self.assertEqual(self.levels(found, "cluster.dry-run"), {"ok"})
        self.assertEqual(code, 0)
        return found[check]

    def test_warns_of_a_kind_that_is_not_sent(self):
        self.new_space("gaps")
        never = {"matchLabels": {"never": "there"}}
        changes = {
            "objectSelector": lambda _: {"objectSelector": never},
            "matchConditions": lambda _: {
                "matchConditions": [{"name": "no", "expression": "false"}]},
            "namespaceSelector": lambda _: {"namespaceSelector": never},
            "scope": lambda model: {"rules": [model["rules"][0] | {"scope": "Cluster"}]},
        }
        for name, change in changes.items():
            with self.subTest(name):
                self.send_models(lambda _: {})
                self.wait_until_models_are_validated(True)
                self.assertEqual({level for level, _ in self.of_space("configuration.rules")},
                                 {"ok"})
                self.send_models(change)
                self.wait_until_models_are_validated(False)
                (level, text), = self.of_space("configuration.rules")
                self.assertEqual(level, "warning")
                self.assertTrue(text.startswith("DynamoModel: CREATE and UPDATE must be sent"), text)
                ours = f"{self.validator} webhook validate.dynamomodels.nvidia.com is sent only what "
                # A webhook of that scope is not called. The cluster's own excludes the namespace.
                if name == "scope":
                    self.assertNotIn(self.validator + " webhook", text)
                    self.assertIn("its namespaceSelector", text)
                else:
                    self.assertIn(f"{ours}its {name}", text)

    def test_warns_of_updates_that_are_sent_twice(self):
        self.new_space("twice")

        def only(**change):
            return lambda model: {"rules": [model["rules"][0] | change]}

        # A resource name with /* includes the resource itself, too.
        self.send_models(only(resources=["dynamomodels/*"]))
        self.wait_until_models_are_validated(True)
        self.assertEqual([level for level, _ in self.of_space("configuration.rules")], ["ok"])
        self.assertEqual([level for level, _ in self.of_space("configuration.once")], ["ok"])
        self.send_models(lambda _: {}, only(operations=["UPDATE"]))
        (level, text), = self.of_space("configuration.once")
        self.assertEqual(level, "warning")
        self.assertIn("one webhook must be sent UPDATE of DynamoModel", text)

    def test_fails_if_webhook_does_not_respond(self):
        with socket.create_server(("127.0.0.1", 0)) as hole:
            validator = f"hole-{self.system}"
            self.admin.must("create", "--filename", "-", stdin=webhook.configurations(
                hole.getsockname()[1], self.webhook["authority"], validator=validator))
            self.addCleanup(self.admin.run, "delete", "validatingwebhookconfiguration,"
                            "mutatingwebhookconfiguration", validator)
            space = self.new_namespace("hole", {webhook.VALIDATED_BY: validator})

            def is_called():
                self.admin.within(space).run("create", "--dry-run=server", "--request-timeout=5s",
                                             "-f", "-", stdin=BAD)
                return bool(select.select([hole], [], [], 0)[0])

            wait_until("the API server calling the webhook", is_called, ADMISSION_SECONDS)
            code, found, _ = self.doctor("--namespace", space)
        self.assertEqual(self.levels(found, "cluster.dry-run"), {"failed"})
        self.assertIn("could not call the webhook", str(found["cluster.dry-run"]))
        # Either of the API server's timeouts, of the handshake or of the call, may fire first.
        self.assertRegex(str(found["cluster.dry-run"]), "deadline|timeout")
        self.assertEqual(code, 1)

    def test_exits_2_if_cluster_is_unreachable(self):
        port, = processes.free_ports(1)
        path = self.connection(*managed.RIGHTS).kubeconfig(port)
        code, found, output = self.doctor(kubeconfig=path)
        self.assertEqual((code, found), (2, {}))
        self.assertIn(f"127.0.0.1:{port}", output)

    def test_unreachable_cluster_is_one_json_object(self):
        port, = processes.free_ports(1)
        done = subprocess.run(
            [program("kubectl-dynamo"), "doctor", "--kubeconfig",
             self.connection(*managed.RIGHTS).kubeconfig(port), "-o", "json"],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=DOCTOR_SECONDS,
            check=False)
        output = json.loads(done.stdout)
        self.assertEqual((done.returncode, output["complete"], output["findings"]), (2, False, []))
        self.assertIn(f"127.0.0.1:{port}", output["error"])
