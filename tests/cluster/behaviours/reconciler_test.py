"""dynamo-reconciler on a real API server: its reports on stored objects, as companion and as
replacement of the Go operator, and during changes of leaders, policies and Leases."""

import json
import signal
import urllib.error
import urllib.request

from harness import webhook

from .connection_fixture import MARKER, micro_time, utc_now
from .reconciler_fixture import BAD, GOOD, RECORD, SOON, ReconcilerTest
from .support import NO_HOST, REPOSITORY, graph, thing, wait_until, worker

OPERATOR_LEASE = "dynamo.nvidia.com"
WHY = "service.ingress.host"


def is_ready(probes):
    try:
        with urllib.request.urlopen(f"{probes}/readyz?verbose", timeout=5) as answer:
            return answer.status == 200
    except urllib.error.HTTPError:
        return False


class Reconciler(ReconcilerTest):

    # --- Companion.

    def test_companion_reports_condition_and_one_event(self):
        self.make(graph("bad", BAD), graph("good", GOOD))
        theirs = {"type": "Ready", "status": "False", "reason": "theirs", "message": "m",
                  "lastTransitionTime": "2026-01-01T00:00:00Z"}
        self.kubectl.must("patch", "dgd", "bad", "--subresource", "status", "--type", "merge",
                          "--patch", json.dumps({"status": {"state": "pending",
                                                            "conditions": [theirs]}}))
        self.start()
        reported = self.wait_for("dgd", "bad", "False", reason="ValidationFailed")
        self.assertIn(f"[{WHY}]", reported["message"])
        self.assertEqual(reported["observedGeneration"], 1)
        self.wait_for("dgd", "good", "True", reason="ValidationPassed")
        status = self.kubectl.get("dgd", "bad")["status"]
        self.assertEqual(status["state"], "pending")
        self.assertIn(theirs, status["conditions"])
        event, = wait_until("its event", lambda: self.events("bad", "ValidationFailed"), SOON)
        self.assertEqual(event["type"], "Warning")
        self.assertIn(WHY, event["note"])
        self.assert_is_idle()
        self.stop()

    def test_messages_match_those_of_webhook(self):
        self.make(graph("bad", BAD))
        self.start()
        reported = self.wait_for("dgd", "bad", "False")
        self.assertEqual(
            reported["message"].partition(": Required value: ")[0],
            'DynamoGraphDeployment.nvidia.com "bad" is invalid: spec.services[Worker].ingress.host')

    def test_each_kind_is_reported(self):
        self.make(
            thing("DynamoModel", "m", {"modelName": "a", "baseModelName": "b", "modelType": "lora"}),
            thing("DynamoComponentDeployment", "c", {**worker(**NO_HOST)}),
            thing("DynamoCheckpoint", "k", {
                "identity": {"model": "m", "backendFramework": "vllm"},
                "job": {"podTemplateSpec": {"spec": {"containers": []}}}}))
        self.start()
        for resource, name in (("dm", "m"), ("dcd", "c"), ("dckpt", "k")):
            with self.subTest(resource):
                self.wait_for(resource, name, "False", reason="ValidationFailed")
        self.assertEqual(self.kubectl.get("dm", "m")["status"]["readyEndpoints"], 0)

    def test_model_counts_are_never_overwritten(self):
        self.make(thing("DynamoModel", "m", {"modelName": "a", "baseModelName": "b"}))
        self.start()
        self.wait_for("dm", "m", "True")
        self.kubectl.must("patch", "dm", "m", "--subresource", "status", "--type", "merge", "--patch",
                          json.dumps({"status": {"readyEndpoints": 2, "totalEndpoints": 3}}))
        self.kubectl.must("patch", "dm", "m", "--type", "merge", "--patch",
                          json.dumps({"spec": {"modelType": "lora"}}))
        self.wait_for("dm", "m", "False")
        status = self.kubectl.get("dm", "m")["status"]
        self.assertEqual((status["readyEndpoints"], status["totalEndpoints"]), (2, 3))

    def test_fixed_object_is_reported_valid(self):
        self.make(graph("g", BAD))
        self.start()
        self.wait_for("dgd", "g", "False")
        self.kubectl.must("patch", "dgd", "g", "--type", "merge", "--patch", json.dumps(
            {"spec": {"services": {"Worker": {"ingress": {"enabled": False}}}}}))
        reported = self.wait_for("dgd", "g", "True")
        self.assertEqual(reported["observedGeneration"], 2)
        wait_until("its event", lambda: self.events("g", "ValidationPassed"), SOON)

    def test_overwritten_condition_is_restored(self):
        self.make(graph("g", BAD))
        self.start()
        self.wait_for("dgd", "g", "False")
        self.kubectl.must("patch", "dgd", "g", "--subresource", "status", "--type", "merge", "--patch",
                          json.dumps({"status": {"conditions": []}}))
        self.wait_for("dgd", "g", "False")

    def test_object_being_deleted_is_left_alone(self):
        self.make(graph("g", BAD, finalizers=["test.example/hold"]), graph("other", BAD))
        self.kubectl.must("delete", "dgd", "g", "--wait=false")
        self.start()
        self.wait_for("dgd", "other", "False")
        self.assertIsNone(self.condition("dgd", "g"))
        self.kubectl.must("patch", "dgd", "g", "--type", "merge", "--patch",
                          json.dumps({"metadata": {"finalizers": None}}))
        wait_until("its end", lambda: "g" not in self.versions(), SOON)

    # --- Replacement.

    def test_replacement_marks_refused_graph_failed(self):
        self.make(graph("bad", BAD), graph("good", GOOD),
                  thing("DynamoModel", "m", {"modelName": "a", "baseModelName": "b"}),
                  thing("DynamoComponentDeployment", "c", {**worker(**NO_HOST)}))
        self.start("reconciler", "--mode", "replacement")
        self.wait_for("dgd", "bad", "False", "Ready", "ValidationFailed")
        self.wait_for("dm", "m", "True", "Valid", "ValidationPassed")
        self.wait_for("dcd", "c", "False", "Valid", "ValidationFailed")
        self.assertEqual(self.kubectl.get("dgd", "bad")["status"]["state"], "failed")
        self.assertNotIn("conditions", self.kubectl.get("dgd", "good").get("status", {}))
        self.kubectl.must("patch", "dgd", "bad", "--type", "merge", "--patch", json.dumps(
            {"spec": {"services": {"Worker": {"ingress": {"enabled": False}}}}}))

        self.wait_for("dgd", "bad", "Unknown", "Ready", "ValidationPassed")
        self.assertEqual(self.kubectl.get("dgd", "bad")["status"]["state"], "pending")

    def test_replacement_behind_webhooks_does_not_revalidate(self):
        self.make(graph("bad", BAD))
        _, metrics = self.start("reconciler", "--mode", "replacement", "--enable-webhooks")

        def reconciles():
            return sum(value for name, value in self.metrics(metrics).items()
                       if name.startswith("dynamo_operator_reconcile_total")
                       and "DynamoGraphDeployment\"" in name)

        wait_until("a reconcile", lambda: reconciles() > 0, SOON)
        self.assertNotIn("status", self.kubectl.get("dgd", "bad"))

    def test_replacement_waits_for_the_running_operator(self):
        lease = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
                 "metadata": {"name": OPERATOR_LEASE},
                 "spec": {"holderIdentity": "operator-7", "leaseDurationSeconds": 15,
                          "renewTime": micro_time(utc_now())}}
        self.make(lease, graph("bad", BAD))
        self.start("reconciler", "--mode", "replacement")
        wait_until("its word", lambda: any(
            "operator-7" in line.get("why", "") for line in self.lines()), SOON)
        self.assertNotIn("status", self.kubectl.get("dgd", "bad"))
        # Its Lease is not renewed.
        self.wait_for("dgd", "bad", "False", "Ready", seconds=60)

    # --- Immutable fields.

    def test_immutable_change_during_downtime_is_detected(self):
        self.make(graph("g", GOOD, {"backendFramework": "vllm"}))
        self.start()
        wait_until("its record", lambda: RECORD in self.kubectl.get("dgd", "g")["metadata"].get(
            "annotations", {}), SOON)
        self.stop()
        self.kubectl.must("patch", "dgd", "g", "--type", "merge", "--patch",
                          json.dumps({"spec": {"backendFramework": "sglang"}}))
        self.start("second")
        reported = self.wait_for("dgd", "g", "False", reason="ImmutableFieldChanged")
        self.assertIn("[dgd.backend.immutable]", reported["message"])
        self.kubectl.must("patch", "dgd", "g", "--type", "merge", "--patch",
                          json.dumps({"spec": {"backendFramework": "vllm"}}))
        self.wait_for("dgd", "g", "True")

    def test_edited_record_is_reported_and_rewritten(self):
        self.make(graph("g", GOOD, annotations={RECORD: "{\"generation\":1}"}))
        self.start()
        wait_until("its event", lambda: self.events("g", "RecordUnreadable"), SOON)
        wait_until("a new record", lambda: '"sum"' in self.kubectl.get("dgd", "g")["metadata"][
            "annotations"][RECORD], SOON)
        self.assert_is_idle()

    # --- Leaders, Leases, policies.

    def test_killed_leader_is_replaced(self):
        self.make(graph("g0", BAD))
        self.start("first")
        self.wait_for("dgd", "g0", "False")
        self.start("second")
        wait_until("the second one's word", lambda: self.lines("second"), SOON)
        self.signal("first", signal.SIGKILL)
        self.make(graph("g1", BAD))
        self.wait_for("dgd", "g1", "False", seconds=20)
        self.assertEqual(len(self.events("g0", "ValidationFailed")), 1)

    def test_frozen_leader_stops_after_resume(self):
        self.make(graph("g0", BAD))
        self.start("first")
        self.wait_for("dgd", "g0", "False")
        self.start("second")
        self.freeze("first")
        self.make(graph("g1", BAD))
        self.wait_for("dgd", "g1", "False", seconds=20)
        self.assertTrue(self.has_said("this replica leads", "second"), self.lines("second"))
        before = self.versions()
        self.resume("first")
        wait_until("its word", lambda: self.has_said("this replica no longer leads", "first"), SOON)
        self.assertEqual(self.versions(), before)
        self.assertEqual(len(self.events("g1", "ValidationFailed")), 1)

    def test_stopped_leader_releases_its_lease(self):
        self.make(graph("g0", BAD))
        self.start("first", "--leader-election-lease-duration", "60s")
        self.wait_for("dgd", "g0", "False")
        self.start("second", "--leader-election-lease-duration", "60s")
        self.stop("first")
        self.make(graph("g1", BAD))
        self.wait_for("dgd", "g1", "False", seconds=20)

    def test_held_namespace_is_reconciled_after_lease_expiry(self):
        lease = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": MARKER},
                 "spec": {"holderIdentity": "another", "leaseDurationSeconds": 300,
                          "renewTime": micro_time(utc_now())}}
        self.make(lease, graph("g", BAD))
        free = self.admin.within(self.new_namespace(
            "free", {webhook.VALIDATED_BY: webhook.NO_WEBHOOK}))
        free.must("create", "--filename", "-", stdin=graph("free", GOOD))
        self.start("reconciler", everywhere=True)

        def is_reported():
            return free.get("dgd", "free").get("status", {}).get("conditions")

        wait_until("the free one being reported", is_reported, SOON)
        self.assertIsNone(self.condition("dgd", "g"))
        lease["spec"] |= {"leaseDurationSeconds": 5, "renewTime": micro_time(utc_now())}
        self.kubectl.must("replace", "--filename", "-", stdin=lease)
        self.wait_for("dgd", "g", "False", seconds=60)

    def test_policy_change_revalidates_all_objects(self):
        policy = self.state.directory / f"{self.namespace}-policy.yaml"
        policy.write_text("version: 1\n")
        self.make(graph("g", BAD))
        self.start("reconciler", "--policy", policy)
        self.wait_for("dgd", "g", "False")
        policy.write_text(f"version: 1\nseverities:\n- rules: [{WHY}]\n  severity: 'off'\n")
        self.wait_for("dgd", "g", "True")
        policy.write_text("nonsense")
        wait_until("its word", lambda: any("policy is invalid" in line["message"]
                                           for line in self.lines()), SOON)
        self.assertEqual(self.condition("dgd", "g")["status"], "True")

    # --- --once, and metrics.

    def test_dry_run_prints_actions_without_writes(self):
        self.make(graph("bad", BAD))
        before = self.versions()
        done = self.once("--dry-run")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("action: apply\n", done.stdout)
        self.assertIn("type: DynamoAdmissionValid\n", done.stdout)
        self.assertIn("reason: ValidationFailed\n", done.stdout)
        self.assertEqual(done.stdout.count("---\n"), 2, done.stdout)
        self.assertEqual(self.versions(), before)
        self.assertEqual(self.kubectl.get("leases")["items"], [])

    def test_once_reconciles_and_exits(self):
        self.make(graph("bad", BAD))
        done = self.once()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.condition("dgd", "bad")["status"], "False")
        self.assertEqual(len(self.events("bad", "ValidationFailed")), 1)
        self.assertEqual(self.once("--dry-run").stdout, "")

    def test_metrics_have_the_names_of_the_operator(self):
        self.make(graph("bad", BAD))
        probes, metrics = self.start()
        self.wait_for("dgd", "bad", "False")
        wait_until("readiness", lambda: is_ready(probes), SOON)
        one = f'resource_type="DynamoGraphDeployment",namespace="{self.namespace}"'
        found = self.metrics(metrics)
        self.assertGreater(found[f'dynamo_operator_reconcile_total{{{one},result="success"}}'], 0)
        self.assertGreater(
            found[f'dynamo_operator_reconcile_duration_seconds_count{{{one},result="success"}}'], 0)
        series = f'dynamo_operator_resources_total{{{one},status="unknown"}}'
        self.assertEqual(found[series], 1)
        self.assertEqual(found["dynamo_reconciler_leads"], 1)
        self.kubectl.must("delete", "dgd", "bad")
        wait_until("the series being gone", lambda: series not in self.metrics(metrics), SOON)

    def test_documented_permissions_suffice(self):
        """As the account of deploy/rbac/reconciler.yaml, in the whole cluster."""
        system = self.new_namespace("system")
        rights = (REPOSITORY / "deploy/rbac/reconciler.yaml").read_text()
        self.admin.must("apply", "--filename", "-", stdin=rights.replace("dynamo-system", system))
        token = self.admin.within(system).must("create", "token", "dynamo-reconciler").stdout.strip()
        kubeconfig = json.loads(self.admin.must("config", "view", "--raw", "-o", "json").stdout)
        kubeconfig["users"] = [{"name": each["name"], "user": {"token": token}}
                               for each in kubeconfig["users"]]
        path = self.state.directory / f"{system}.kubeconfig"
        path.write_text(json.dumps(kubeconfig))
        path.chmod(0o600)
        self.make(graph("g", GOOD), graph("bad", BAD))
        self.start("reconciler", "--kubeconfig", path, "--leader-election-namespace", system,
                   everywhere=True)
        self.wait_for("dgd", "bad", "False")
        wait_until("its record", lambda: RECORD in self.kubectl.get("dgd", "g")["metadata"].get(
            "annotations", {}), SOON)
        wait_until("its event", lambda: self.events("bad", "ValidationFailed"), SOON)
        self.assertEqual([line for line in self.lines() if "Forbidden" in json.dumps(line)], [])

    def test_many_objects_are_reported(self):
        self.make({"apiVersion": "v1", "kind": "List",
                   "items": [graph(f"g{number:03}", BAD if number % 2 else GOOD)
                             for number in range(200)]})
        self.start()

        def finished():
            items = self.kubectl.get("dgd")["items"]
            return all(each.get("status", {}).get("conditions") for each in items)

        wait_until("all of them", finished, 60)
