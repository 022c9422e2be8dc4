"""A user with permissions in one namespace creates and deletes a component with the names of another
tenant's service, so that the reconciler deletes that service's keys in etcd."""

from behaviours.etcd_test import OwnEtcd
from behaviours.graph_fixture import FINALIZER, SOON, GraphTest, simple
from behaviours.support import wait_until, webhook


class EtcdKeys(GraphTest):
    def setUp(self):
        super().setUp()
        self.etcd = OwnEtcd(self.state, f"etcd-{self.namespace}")
        self.addCleanup(self.state.forget, self.etcd.name)
        self.start("reconciler", "--discovery-backend", "etcd", "--etcdAddr", self.etcd.url, "--etcd-ca-file",
                   self.etcd.authority, "--planner-cluster-role-name", "view", everywhere=True)
        self.make(simple())
        self.until_successful(seconds=2 * SOON)  # it also runs what earlier tests left in other namespaces
        self.space = self.kubectl.get("dcd", "g-decode")["spec"]["dynamoNamespace"]
        self.key = f"/{self.space}/components/Decode/endpoint:7"
        self.etcd.put(self.key)
        self.attacker = self.admin.within(self.new_namespace("attacker", {webhook.VALIDATED_BY: webhook.NO_WEBHOOK}))

    def attack(self, dynamo_namespace, service):
        before = self.etcd.keys()
        with self.using_kubectl(self.attacker):
            self.make({"apiVersion": "nvidia.com/v1alpha1", "kind": "DynamoComponentDeployment",
                       "metadata": {"name": "mine", "finalizers": [FINALIZER]},
                       "spec": {"dynamoNamespace": dynamo_namespace, "serviceName": service, "componentType": "worker",
                                "backendFramework": "vllm"}})
            self.delete_component("mine")
            wait_until("an event about the keys", lambda: self.notes("EtcdNotCleaned"), SOON)
            notes = self.notes("EtcdNotCleaned")
        self.assertIn(self.key, before)
        self.assertEqual(self.etcd.keys(), before)
        self.assertNotIn(self.namespace, " ".join(notes), "an event must not name objects of other tenants")

    def test_attacker_component_deletes_no_victim_keys(self):
        self.attack(self.space, "Decode")

    def test_other_service_name_deletes_no_victim_keys(self):
        # The engine or DYN_COMPONENT names a component in etcd, so this key is the victim's.
        self.etcd.put(f"/{self.space}/components/backend/endpoint:7")
        self.attack(self.space, "backend")

    def test_slash_in_service_name_reaches_no_victim_keys(self):
        self.attack(self.space, "Decode/endpoint:7")
