"""Servers with other flags, each for its own namespaces."""

from .support import (NO_HOST, OPERATOR, PLANNER_OF_ANOTHER_NAMESPACE, ClusterTest, graph, no_host,
                      planner_of, thing, total, warnings_of, webhook, worker)

OTHER_OPERATOR = "system:serviceaccount:other:y-dynamo-operator-controller-manager"


class Flags(ClusterTest):
    def test_only_planner_and_named_operator_may_scale(self):
        kubectl = self.validated_by("narrowed", self.start_server(
            "narrowed", "--operator-service-account",
            "dynamo-system/x-dynamo-operator-controller-manager"))
        kubectl.must("create", "--filename", "-", stdin=graph("chat", {
            "Decode": worker(scalingAdapter={"enabled": True})}))

        def scale(user, replicas):
            return kubectl.impersonating(user).run(
                "patch", "dgd", "chat", "--type", "merge", "--patch",
                '{"spec": {"services": {"Decode": {"replicas": %d}}}}' % replicas)

        self.assert_accepted(scale(OPERATOR, 2))
        self.assert_accepted(scale(planner_of(kubectl.namespace), 3))
        other_planner = f"system:serviceaccount:{kubectl.namespace}:my-planner-serviceaccount"
        for user in (OTHER_OPERATOR, other_planner, PLANNER_OF_ANOTHER_NAMESPACE):
            with self.subTest(user):
                self.assert_refused(scale(user, 4), ("spec.services[Decode].replicas",
                                                     "dgd.replicas.scaled-elsewhere"))

    def test_restricted_server_ignores_other_namespaces(self):
        own = self.new_namespace("own", {webhook.VALIDATED_BY: "restricted"})
        other = self.validated_by("restricted", self.start_server(
            "restricted", "--restricted-namespace", own))
        bad = graph("chat", {"Worker": worker(replicas=None), "Bad": worker(**NO_HOST)})
        self.assert_accepted(other.run("create", "--filename", "-", stdin=bad))
        stored = other.get("dgd", "chat")
        self.assertNotIn("annotations", stored["metadata"])
        self.assertNotIn("replicas", stored["spec"]["services"]["Worker"])
        self.assert_refused(
            self.admin.within(own).run("create", "--filename", "-", stdin=bad), no_host("Bad"))

    def test_restricted_server_refuses_gpu_discovery(self):
        own = self.new_namespace("own", {webhook.VALIDATED_BY: "restricted"})
        self.validated_by("restricted", self.start_server(
            "restricted", "--restricted-namespace", own))
        request = thing("DynamoGraphDeploymentRequest", "tune", {
            "model": "Qwen/Qwen3-0.6B", "backend": "vllm", "enableGpuDiscovery": True,
            "profilingConfig": {"profilerImage": "vllm-runtime:0.8.1", "config": {"sla": {}}}})
        self.assert_refused(
            self.admin.within(own).run("create", "--filename", "-", stdin=request),
            ("spec.enableGpuDiscovery", "dgdr.gpu-discovery.scope"))
        self.assert_accepted(self.create(request))

    def test_audit_mode_warns_and_counts(self):
        facts = self.start_server("auditing", "--enforcement", "audit")
        kubectl = self.validated_by("auditing", facts)
        before = webhook.scrape(facts)
        result = kubectl.run("create", "--filename", "-",
                             stdin=graph("chat", {"Worker": worker(**NO_HOST)}))
        self.assert_accepted(result)
        field, rule = no_host("Worker")
        warning, = [each for each in warnings_of(result.stderr) if each.endswith(f"[{rule}]")]
        self.assertIn(field, warning)
        after = webhook.scrape(facts)
        for name, more in (("dynamo_webhook_audit_would_deny_total", 1),
                           ("dynamo_operator_webhook_denials_total", 0)):
            kind = {"resource_type": "DynamoGraphDeployment"}
            self.assertEqual(total(after, name, **kind) - total(before, name, **kind), more, name)
