"""The controller of models with responding inference servers: pods of graphs, and servers with every
kind of failure, in an isolated network that no request to a pod leaves."""

from harness.controllers import POD_ADDRESSES
from harness.engines import Engines
from harness.processes import HarnessError, RetryError

from .graph_fixture import FINALIZER, SOON
from .running_graphs import LONG, RunningGraphTest
from .support import REPOSITORY, takes_long, thing, wait_until

BASE = "Qwen/Qwen3-0.6B"
HASH = "fb68f5a6"
URI = "s3://example-adapters/qwen3-0.6b/support-agent/v3"
# Longer than the wait for a server.
LONGEST_END = 25


def model(name="m", adapter="house style/v1"):
    return thing("DynamoModel", name, {"modelName": adapter, "baseModelName": BASE, "modelType": "lora",
                                       "source": {"uri": URI}})


def endpoint_slice(name, *addresses):
    return {"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "addressType": "IPv4",
            "metadata": {"name": name, "labels": {
                "kubernetes.io/service-name": "svc-a", "nvidia.com/dynamo-base-model-hash": HASH}},
            "ports": [{"name": "system", "port": 9090}],
            "endpoints": [{"addresses": [each], "targetRef": {
                "kind": "Pod", "name": f"pod-{each.replace('.', '-')}"}} for each in addresses]}


class Models(RunningGraphTest):
    def setUp(self):
        super().setUp()
        self.assertTrue(POD_ADDRESSES.startswith("198.18."))
        try:
            self.engines = Engines(self)
        except HarnessError as error:  # in a container without permission for it
            self.skipTest(str(error))

    def start(self, name="reconciler", *flags, **more):
        return super().start(name, *flags, before=self.engines.prefix(), **more)

    def until_reported(self, name, reason, ready, total):
        """Waits for its status."""
        def reported():
            status = self.kubectl.get("dm", name).get("status", {})
            reasons = [each["reason"] for each in status.get("conditions", [])]
            counts = status.get("readyEndpoints"), status.get("totalEndpoints")
            if reason not in reasons or counts != (ready, total):
                raise RetryError(f"{reasons} of {counts} endpoints")
            return status

        return wait_until(f"{reason} of {ready} of {total} endpoints", reported, LONG)

    def have(self, adapter):
        """The servers that have loaded the adapter."""
        return sorted(server for server, adapters in self.engines.loaded().items() if adapter in adapters)

    def addresses_of(self, component, replicas):
        return sorted(each["status"]["podIP"] for each in self.until_ready(component, replicas).values())

    def test_existing_and_new_pods_load_the_adapter(self):
        self.start()
        self.make({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "hf-token-secret"}},
                  {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "lora-store"}})
        for name in ("vllm_lora", "model_lora_s3", "model_base"):
            self.kubectl.must("apply", "--filename", REPOSITORY / f"deploy/samples/{name}.yaml")
        lora, adapter = "support-agent-lora", "support-agent"
        first = self.addresses_of("vllm-lora-worker", 2)
        status = self.until_reported(lora, "AllEndpointsReady", 2, 2)
        self.assertEqual({each["address"] for each in status["endpoints"]}, {f"http://{each}:9090" for each in first})
        self.assertEqual({each["podName"] for each in status["endpoints"]}, set(self.pods("vllm-lora-worker")))
        self.assertEqual(self.have(adapter), first)
        self.until_reported("qwen3-0-6b", "EndpointsDiscovered", 0, 2)
        self.merge("dgd", "vllm-lora", {"spec": {"services": {"Worker": {"replicas": 4}}}})
        more = self.addresses_of("vllm-lora-worker", 4)
        self.until_reported(lora, "AllEndpointsReady", 4, 4)
        self.assertEqual(self.have(adapter), more)
        self.assertEqual({each["path"] for each in self.engines.asked()}, {"/v1/loras"})
        self.assertEqual(self.engines.loaded()[more[0]], {adapter: URI})
        self.kubectl.must("delete", "dm", lora, "--timeout", f"{SOON}s")
        self.assertEqual(self.have(adapter), [])
        wait_until("a word of it", lambda: self.notes("LoRAUnloaded"), SOON)

    @takes_long
    def test_failing_servers_are_reported_and_block_nothing(self):
        self.engines.behave(**{"198_18_100_2": "slowly", "198_18_100_3": "nonsense",
                               "198_18_100_4": "refuse", "198_18_100_5": "redirect",
                               "198_18_100_6": "half", "198_18_100_7": "much"})
        addresses = [f"198.18.100.{number}" for number in range(1, 8)]
        self.make(endpoint_slice("s", *addresses), model())
        self.start()
        status = self.until_reported("m", "NotReady", 3, 7)
        # A success status counts, regardless of the response body.
        self.assertEqual([each["address"] for each in status["endpoints"] if each.get("ready")],
                         [f"http://{each}:9090" for each in addresses[:3]])
        note, = wait_until("a word of it", lambda: self.notes("PartialEndpointFailure"), SOON)
        self.assertIn("answered HTTP 503", note)
        self.assertIn("redirects are not followed", note)
        self.assertEqual({each["server"] for each in self.engines.asked()}, set(addresses))
        # The failing servers recover, and another one hangs; new servers are called as well.
        self.engines.behave(**{each.replace(".", "_"): "well" for each in addresses})
        self.make(endpoint_slice("t", "198.18.101.1"))
        self.until_reported("m", "AllEndpointsReady", 8, 8)
        self.assertIn(FINALIZER, self.kubectl.get("dm", "m")["metadata"]["finalizers"])
        self.engines.behave(**{"198_18_100_1": "hang", "198_18_101_1": "refuse"})
        self.kubectl.must("delete", "dm", "m", "--timeout", f"{LONGEST_END}s")
        self.assertEqual(self.have("house style/v1"), ["198.18.100.1", "198.18.101.1"])
        wait_until("a word of it", lambda: self.notes("LoRAUnloadFailed"), SOON)

    def test_half_of_two_hundred_servers_are_deleted(self):
        slices = [endpoint_slice(f"s{half}", *(f"198.18.{50 + half}.{number}" for number in range(1, 101)))
                  for half in range(2)]
        self.make(*slices, model(adapter="one"), model("other", adapter="two"))
        self.start()
        for name in ("m", "other"):
            self.until_reported(name, "AllEndpointsReady", 200, 200)
        self.assertEqual(len(self.have("one")), 200)
        self.assertEqual(self.have("one"), self.have("two"))
        self.kubectl.must("delete", "endpointslice", "s1")
        for name in ("m", "other"):
            self.until_reported(name, "AllEndpointsReady", 100, 100)
        self.kubectl.must("delete", "dm", "m", "--timeout", f"{SOON}s")
        self.assertEqual(self.have("one"), sorted(f"198.18.51.{number}" for number in range(1, 101)))
        self.assertEqual(len(self.have("two")), 200)
