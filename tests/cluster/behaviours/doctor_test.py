"""kubectl dynamo doctor on a cluster with a real API server."""

import json
import select
import socket
import subprocess

from harness import connection, managed, processes

from .certificates_test import ManagedTest
from .connected import BAD
from .differential_test import checker
from .support import wait_until, webhook

DOCTOR_SECONDS = 130


class Doctor(ManagedTest):
    def doctor(self, *flags, kubeconfig=None):
        """Exit code and, by check, the findings as (level, subject and text)."""
        done = subprocess.run(
            [checker(), "doctor", "--kubeconfig", kubeconfig or self.state.kubeconfig,
             "--output", "json", *flags],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=DOCTOR_SECONDS,
            check=False)
        found = {}
        if done.stdout:
            for each in json.loads(done.stdout)["findings"]:
                said = (each["level"], f"{each['subject']}: {each['text']}")
                found.setdefault(each["check"], []).append(said)
        return done.returncode, found, done.stderr

    def levels(self, found, check):
        return {level for level, _ in found[check]}

    def test_ends_with_0_where_all_is_well(self):
        # The cluster's own webhook, called by a URL: there is no network for Services here.
        self.connection("cluster_wide.yaml")
        code, found, said = self.doctor("--namespace", self.namespace, "--service-account",
                                        f"{self.system}/dynamo-webhook")
        for check in ("configuration.present", "configuration.rules", "configuration.narrow",
                      "configuration.once", "configuration.timeout",
                      "configuration.failure-policy", "cluster.clock", "cluster.dry-run"):
            self.assertEqual(self.levels(found, check), {"ok"}, found[check])
        self.assertEqual(self.levels(found, "cluster.rights"), {"ok", "skipped"})
        self.assertEqual((code, said), (0, ""), found)

    def test_sees_with_the_rights_of_its_role_all_that_it_looks_at(self):
        self.install("seen", 1)
        access = self.access
        text = (connection.RIGHTS / "doctor.yaml").read_text()
        text = text.replace("dynamo-system", self.system)
        text = text.replace("namespace: default", f"namespace: {self.judged.namespace}")
        text = text.replace(", default]", f", {self.judged.namespace}]")
        self.admin.must("apply", "--filename", "-", stdin=text)
        code, found, _ = self.doctor("--namespace", self.judged.namespace,
                                     kubeconfig=access.kubeconfig(name="doctor"))
        self.assertNotIn("orbidden", str(found))
        for check in ("configuration.present", "configuration.selector", "cluster.dry-run"):
            self.assertEqual(self.levels(found, check), {"ok"}, found[check])
        # The Service of this cluster leads nowhere.
        self.assertEqual(code, 1)

    def test_finds_nothing_wrong_with_a_restricted_server(self):
        space = self.new_namespace("restricted", {webhook.JUDGED_BY: f"own-{self.system}"})
        access = self.connection("restricted.yaml", restricted=space)
        facts = self.start_connected("own", access, "--restricted-namespace", space)
        self.judged_by(f"own-{self.system}", facts, namespace=space)
        code, found, _ = self.doctor("--restricted-namespace", space, "--service-account",
                                     f"{self.system}/dynamo-webhook")
        for check in ("cluster.leases", "cluster.dry-run"):
            self.assertEqual(self.levels(found, check), {"ok"}, found[check])
        self.assertEqual(self.levels(found, "cluster.rights"), {"ok", "skipped"})
        self.assertIn("4 rights", str(found["cluster.rights"]))
        self.assertEqual(code, 0, found)

    def test_finds_nothing_wrong_with_rights_clocks_and_the_dry_run(self):
        self.install("healthy", 1)
        code, found, _ = self.doctor("--namespace", self.judged.namespace, "--service-account",
                                     f"{self.system}/dynamo-webhook")
        for check in ("configuration.present", "configuration.rules", "cluster.rights",
                      "cluster.clock", "cluster.dry-run"):
            self.assertEqual(self.levels(found, check), {"ok"}, found[check])
        # The Service leads to no pods, which this cluster has not.
        self.assertEqual(code, 1)
        self.assertIn("ExternalName", found["service.present"][0][1])
        self.assertEqual(self.judged.get("dgd")["items"], [])

    def test_names_a_right_that_is_missing_a_namespace_that_is_held_and_objects_that_pass(self):
        self.install("ill", 1)
        self.admin.within(self.system).must("delete", "role", "dynamo-webhook-certificates")
        free = self.new_namespace("free", {"dynamo-admission.test/judged-by": "nobody"})
        self.hold(free, "namespace-restricted-operator-0.9.9", 3600)
        code, found, _ = self.doctor("--namespace", free, "--service-account",
                                     f"{self.system}/dynamo-webhook")
        self.assertEqual(code, 1)
        missing = [text for level, text in found["cluster.rights"] if level != "ok"]
        self.assertTrue(any("watch secrets" in each for each in missing), missing)
        self.assertTrue(any("create leases" in each for each in missing), missing)
        self.assertIn("warning", self.levels(found, "cluster.leases"))
        self.assertIn(free, str(found["cluster.leases"]))
        self.assertEqual(self.levels(found, "cluster.dry-run"), {"failed"})

    def test_fails_when_the_webhook_swallows_its_calls(self):
        with socket.create_server(("127.0.0.1", 0)) as hole:
            judge = f"hole-{self.system}"
            self.admin.must("create", "--filename", "-", stdin=webhook.configurations(
                hole.getsockname()[1], self.webhook["authority"], judge=judge))
            self.addCleanup(self.admin.run, "delete", "validatingwebhookconfiguration,"
                            "mutatingwebhookconfiguration", judge)
            space = self.new_namespace("hole", {webhook.JUDGED_BY: judge})

            def is_called():
                self.admin.within(space).run("create", "--dry-run=server", "--request-timeout=1s",
                                             "-f", "-", stdin=BAD)
                return bool(select.select([hole], [], [], 0)[0])

            wait_until("the API server calling the webhook", is_called, 20)
            code, found, _ = self.doctor("--namespace", space)
        self.assertEqual(self.levels(found, "cluster.dry-run"), {"failed"})
        self.assertIn("could not call the webhook", str(found["cluster.dry-run"]))
        self.assertIn("deadline", str(found["cluster.dry-run"]))
        self.assertEqual(code, 1)

    def test_ends_with_2_when_the_cluster_cannot_be_asked(self):
        port, = processes.free_ports(1)
        path = self.connection(*managed.RIGHTS).kubeconfig(port)
        code, found, said = self.doctor(kubeconfig=path)
        self.assertEqual((code, found), (2, {}))
        self.assertIn(f"127.0.0.1:{port}", said)
