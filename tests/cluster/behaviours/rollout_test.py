"""No request is lost while servers start and stop behind a Service."""

from .support import ClusterTest, thing, total, wait_until, webhook
from harness.balancer import Balancer
from harness.load import Load

MODELS = "/apis/nvidia.com/v1alpha1/namespaces/%s/dynamomodels?dryRun=All"
MODEL = thing("DynamoModel", "model", {"modelName": "qwen", "baseModelName": "qwen"})
REQUESTS = "dynamo_operator_webhook_requests_total"


class Rollout(ClusterTest):
    def test_rolling_restart_loses_no_request(self):
        """The API server keeps connections to the stopping server; none of its requests may fail,
        neither while that server drains nor after its end."""
        delay = ("--shutdown-delay", "1s")
        old = self.start_server("rollout-old", *delay)
        balancer = Balancer([old])
        self.addCleanup(balancer.stop)
        kubectl = self.validated_by("rollout-old", old, balancer.port)
        with Load(self.state, MODELS % kubectl.namespace, MODEL) as load:
            wait_until("requests reaching the old server", lambda: load.sent > 100, 20)
            new = self.start_server("rollout-new", *delay)
            balancer.add(new)
            self.assertTrue(self.stop_server("rollout-old"), "it had to be killed")
            at_the_end = load.sent
            wait_until("requests after the old server", lambda: load.sent > at_the_end + 100, 20)
        self.assertEqual(load.failures, [])
        self.assertGreater(total(webhook.scrape(new), REQUESTS), 100)
