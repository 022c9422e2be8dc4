"""External access to a frontend: an Ingress or a VirtualService, depending on the operator's
configuration and the graph."""

from .graph_fixture import MESH, SOON, GraphTest, frontend
from .support import graph, wait_until

INGRESS = ("--ingress-controller-class-name", "nginx", "--ingress-controller-tls-secret-name", "cert",
           "--ingress-host-suffix", "example.com")
GATEWAY = ("--istio-virtual-service-gateway", "mesh/gateway")


def reached(**ingress):
    more = {"ingress": ingress} if ingress else {}
    return graph("g", {"Frontend": frontend(**more)}, {"backendFramework": "vllm"})


class ExternalAccess(GraphTest):
    def spec(self, resource):
        return self.kubectl.get(resource, "g-frontend")["spec"]

    def until_created(self, *resources):
        """Waits until exactly these objects exist."""
        wait_until(f"{resources}", lambda: [each for each in ("ingresses", "virtualservices")
                                            if self.names(each)] == list(resources), SOON)
        self.until_successful()

    def assert_quiet(self, metrics, look):
        before = self.settled()
        reconciles = self.counted(metrics, "dynamo_operator_reconcile_total")
        self.kubectl.must("annotate", "dcd", "g-frontend", f"example.com/look={look}",
                          "--overwrite")
        wait_until("a pass", lambda: self.counted(
            metrics, "dynamo_operator_reconcile_total") > reconciles, SOON)
        after = self.settled()
        self.assertEqual({name for name in after if before.get(name) != after[name]},
                         {"DynamoComponentDeployment/g-frontend"})

    def test_operator_configuration_selects_external_access(self):
        self.install(MESH)
        metrics = self.start("first", *INGRESS)
        self.make(reached())
        self.until_created("ingresses")
        spec = self.spec("ingress")
        self.assertEqual(spec["ingressClassName"], "nginx")
        host = "g.example.com"
        self.assertEqual([rule["host"] for rule in spec["rules"]], [host])
        self.assertEqual(spec["tls"], [{"hosts": [host], "secretName": "cert"}])
        path, = spec["rules"][0]["http"]["paths"]
        backend = path["backend"]["service"]
        ports = self.spec("service")["ports"]
        self.assertEqual(backend["name"], "g-frontend")
        self.assertIn(backend["port"].get("number"), [each["port"] for each in ports])
        self.assert_quiet(metrics, "once")
        self.state.stop("first")
        metrics = self.start("second", *GATEWAY)
        self.until_created("virtualservices")
        self.assertEqual(self.spec("virtualservices")["gateways"], ["mesh/gateway"])
        self.assert_quiet(metrics, "again")

    def test_graph_setting_overrides_external_access(self):
        self.install(MESH)
        # Without it a graph may name the configured gateway only.
        policy = self.state.directory / f"{self.namespace}-policy.yaml"
        policy.write_text("{version: 1, parameters: [{allowedIstioGateways: [own/gateway]}]}", encoding="utf-8")
        self.start("reconciler", *INGRESS, *GATEWAY, "--policy", policy)
        self.make(reached(enabled=True, host="chat", ingressControllerClassName="own"))
        self.until_created("ingresses")
        spec = self.spec("ingress")
        self.assertEqual(spec["ingressClassName"], "own")
        self.assertTrue(spec["rules"][0]["host"].startswith("chat."))
        self.assertNotIn("tls", spec)
        self.make(reached(enabled=True, host="chat", useVirtualService=True,
                          virtualServiceGateway="own/gateway"))
        self.until_created("virtualservices")
        self.assertEqual(self.spec("virtualservices")["gateways"], ["own/gateway"])
        self.make(reached(enabled=False))
        self.until_created()
