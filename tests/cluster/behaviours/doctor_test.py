"""kubectl dynamo doctor on a cluster with a real API server."""

import json
import subprocess

from harness import managed, processes

from .certificates_test import ManagedTest
from .differential_test import checker

DOCTOR_SECONDS = 60


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

    def test_ends_with_2_when_the_cluster_cannot_be_asked(self):
        port, = processes.free_ports(1)
        path = self.connection(*managed.RIGHTS).kubeconfig(port)
        code, found, said = self.doctor(kubeconfig=path)
        self.assertEqual((code, found), (2, {}))
        self.assertIn(f"127.0.0.1:{port}", said)
