"""Only the operator and the planner write replicas that a scaling adapter owns."""

from .support import (OPERATOR, PLANNER_OF_ANOTHER_NAMESPACE, STRANGER, ClusterTest, graph,
                      planner_of, smoke, thing, worker)

SCALED = {"spec.services[Decode].replicas": "dgd.replicas.scaled-elsewhere"}


@smoke
class Scaling(ClusterTest):
    def setUp(self):
        super().setUp()
        self.assert_accepted(self.create(graph("chat", {
            "Decode": worker(scalingAdapter={"enabled": True}), "Frontend": worker()})))

    def scale(self, service, replicas, user=None):
        return self.patch("dgd", "chat", '{"spec": {"services": {"%s": {"replicas": %d}}}}'
                          % (service, replicas), user=user)

    def replicas(self):
        services = self.kubectl.get("dgd", "chat")["spec"]["services"]
        return {name: service["replicas"] for name, service in services.items()}

    def test_the_operator_may_write_replicas_an_adapter_owns(self):
        self.assert_accepted(self.scale("Decode", 3, user=OPERATOR))
        self.assertEqual(self.replicas(), {"Decode": 3, "Frontend": 1})

    def test_the_planner_may_write_replicas_an_adapter_owns(self):
        self.assert_accepted(self.scale("Decode", 4, user=planner_of(self.namespace)))
        self.assertEqual(self.replicas(), {"Decode": 4, "Frontend": 1})

    def test_other_users_may_not_write_adapter_owned_replicas(self):
        for user in (None, STRANGER, PLANNER_OF_ANOTHER_NAMESPACE,
                     "system:serviceaccount:planner-serviceaccount"):
            with self.subTest(user):
                self.assert_refused(self.scale("Decode", 5, user=user), *SCALED.items())
        self.assertEqual(self.replicas(), {"Decode": 1, "Frontend": 1})

    def test_all_users_may_write_replicas_without_adapter(self):
        self.assert_accepted(self.scale("Frontend", 5, user=STRANGER))

    def test_adapter_cannot_be_disabled_to_scale_at_once(self):
        result = self.patch("dgd", "chat", '{"spec": {"services": {"Decode": {"replicas": 5, '
                            '"scalingAdapter": {"enabled": false}}}}}')
        self.assert_refused(result, *SCALED.items())

    def test_omitted_replicas_keep_the_adapters_count(self):
        """Reapplying a manifest without replicas must not silently scale a service down."""
        self.assert_accepted(self.scale("Decode", 3, user=OPERATOR))
        self.assert_accepted(self.patch(
            "dgd", "chat", '{"spec": {"services": {"Decode": {"replicas": null}}}}'))
        self.assertEqual(self.replicas(), {"Decode": 3, "Frontend": 1})

    def test_adapter_is_scaled_through_scale_subresource(self):
        adapter = thing("DynamoGraphDeploymentScalingAdapter", "chat-decode", {
            "replicas": 1, "dgdRef": {"name": "chat", "serviceName": "Decode"}})
        self.assert_accepted(self.create(adapter))
        self.assert_accepted(self.kubectl.run("scale", "dgdsa", "chat-decode", "--replicas", "3"))
        self.assertEqual(self.kubectl.get("dgdsa", "chat-decode")["spec"]["replicas"], 3)
