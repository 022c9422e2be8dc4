"""The controllers of graphs and components in dynamo-reconciler on a real API server: the objects
created for a graph, the objects left alone, and interference by others. No pods run: the tests set
the status of Deployments, as a cluster's own controllers would."""

import time

from harness import control_plane, processes

from . import accounts
from .graph_fixture import (DEFINITIONS, FINALIZER, MESH, OF_GRAPH, SOON, GraphTest, simple)
from .support import IMAGE, REPOSITORY, graph, smoke, takes_long, thing, wait_until, worker

OTHER_IMAGE = IMAGE.rpartition(":")[0] + ":0.8.2"


class Graphs(GraphTest):
    # --- From a graph to its running objects.

    @smoke
    def test_applied_graph_creates_objects_and_becomes_successful(self):
        self.start()
        sample = (REPOSITORY / "deploy/samples/vllm_agg.yaml").read_text()
        self.kubectl.must("apply", "--filename", "-", stdin=sample)
        wait_until("its Deployments", lambda: self.names("deployments") == [
            "vllm-agg-frontend", "vllm-agg-worker"], SOON)
        wait_until("its state", lambda: self.state_of("vllm-agg") == "pending", SOON)
        self.until_successful("vllm-agg")
        self.assertEqual(self.names("dcd"), ["vllm-agg-frontend", "vllm-agg-worker"])
        self.assertLessEqual({"vllm-agg-frontend", "vllm-agg-worker"}, set(self.names("services")))
        status = self.kubectl.get("dgd", "vllm-agg")["status"]
        self.assertEqual(status["services"]["Worker"], {
            "componentKind": "Deployment", "componentName": "vllm-agg-worker", "replicas": 1,
            "updatedReplicas": 1, "readyReplicas": 1, "availableReplicas": 1})
        for name in self.names("dcd"):
            self.assertEqual(self.condition("dcd", name, "Available")["status"], "True")
        self.assertTrue(self.notes("CreateDeployment"))

    def test_self_contained_sample_graphs_become_successful(self):
        self.start("reconciler", "--checkpoint-enabled")
        names = []
        for path in sorted((REPOSITORY / "deploy/samples").glob("*.yaml")):
            text = path.read_text()
            needs = ("multinode" in path.name or "epp" in path.name or "cache" in path.name or
                     "checkpoint" in path.name)
            if "kind: DynamoGraphDeployment\n" in text and not needs:
                self.kubectl.must("apply", "--filename", "-", stdin=text)
        names = self.names("dgd")
        self.assertGreater(len(names), 5)
        self.until_successful(*names, seconds=3 * SOON)

    # --- No unnecessary writes.

    def test_unchanged_graph_causes_no_writes(self):
        self.start("first")
        self.make(simple(), simple("h"))
        self.until_successful("g", "h")
        before = self.settled()
        time.sleep(5)
        self.assertEqual(self.versions(), before)
        self.kill("first")
        metrics = self.start("second")
        self.passed(metrics, {"DynamoGraphDeployment": 2, "DynamoComponentDeployment": 4})
        time.sleep(2)
        self.assertEqual(self.versions(), before)

    def test_new_image_changes_only_its_objects(self):
        self.start()
        self.make(simple(), simple("h"))
        self.until_successful("g", "h")
        before = self.settled()
        self.merge("dgd", "g", {"spec": {"services": {"Decode": {"extraPodSpec": {
            "mainContainer": {"image": OTHER_IMAGE}}}}}})
        wait_until("the new image", lambda: self.kubectl.get("deployment", "g-decode")["spec"][
            "template"]["spec"]["containers"][0]["image"] == OTHER_IMAGE, SOON)
        self.until_successful()
        after = self.settled()
        self.assertEqual({name for name, version in after.items() if before.get(name) != version},
                         {"DynamoGraphDeployment/g", "DynamoComponentDeployment/g-decode",
                          "Deployment/g-decode"})
        self.assertIn(OTHER_IMAGE, "".join(self.notes("UpdateDeployment")))
        wait_until("a word of it", lambda: self.notes("ServiceChanged") == [
            f'Service Decode: extraPodSpec.mainContainer.image is "{OTHER_IMAGE}" and was "{IMAGE}"'],
            SOON)

    def test_fields_of_others_are_kept(self):
        self.start()
        self.make(simple())
        self.until_successful()
        objects = {"deployment": "g-decode", "service": "g-decode", "dcd": "g-decode",
                   "serviceaccount": "g-k8s-service-discovery",
                   "role": "g-k8s-service-discovery-role",
                   "rolebinding": "g-k8s-service-discovery-binding"}
        for resource, name in objects.items():
            self.kubectl.must("annotate", resource, name, "example.com/mine=yes")
        before = self.settled()
        time.sleep(2)
        self.assertEqual(self.versions(), before)
        for resource, name in objects.items():
            found = self.kubectl.get(resource, name, "--show-managed-fields")["metadata"]
            self.assertEqual(found["annotations"]["example.com/mine"], "yes")
            ours = [each for each in found["managedFields"]
                    if each["manager"].startswith("dynamo-reconciler-") and
                    not each.get("subresource")]
            self.assertIn("Apply", {each["operation"] for each in ours}, resource)
        self.kubectl.must("scale", "deployment", "g-decode", "--replicas", "3")
        wait_until("the number being put back", lambda: self.kubectl.get(
            "deployment", "g-decode")["spec"]["replicas"] == 1, SOON)

    def test_api_server_normalization_causes_no_writes(self):
        self.start("first")
        sized = worker(resources={"limits": {"cpu": "1000m", "memory": "2048Mi"}})
        sized["extraPodSpec"]["mainContainer"]["env"] = [{"name": "LIMIT", "valueFrom": {
            "resourceFieldRef": {"resource": "limits.memory", "divisor": "1024Ki"}}}]
        self.make(graph("g", {"Decode": sized}, {"backendFramework": "vllm"}))
        self.until_successful()
        self.assertEqual([each["valueFrom"]["resourceFieldRef"]["divisor"] for each in self.kubectl
                          .get("deployment", "g-decode")["spec"]["template"]["spec"]["containers"]
                          [0]["env"] if each["name"] == "LIMIT"], ["1Mi"])
        before = self.settled()
        self.kill("first")
        metrics = self.start("second")
        self.passed(metrics, {"DynamoGraphDeployment": 1, "DynamoComponentDeployment": 1})
        time.sleep(2)
        self.assertEqual(self.versions(), before)
        # Nor if the generation changed because of another client.
        self.merge("deployment", "g-decode", {"spec": {"revisionHistoryLimit": 3}})
        self.until_successful()
        before = self.settled()
        self.assertEqual(self.kubectl.get("deployment", "g-decode")["spec"]["revisionHistoryLimit"],
                         3)
        self.kubectl.must("annotate", "dcd", "g-decode", "example.com/look=again")
        time.sleep(2)
        after = self.versions()
        self.assertEqual({name for name in after if before.get(name) != after[name]},
                         {"DynamoComponentDeployment/g-decode"})
        self.until_successful()

    @takes_long
    def test_owned_objects_are_applied_and_not_rewritten(self):
        """Also for definitions of other projects, as simplified here. Claims, checkpoints and the MPI
        Secret are created once and never written again: we own none of their fields."""
        self.install(*DEFINITIONS, MESH)
        flags = ("--ingress-controller-class-name", "nginx", "--istio-virtual-service-gateway", "mesh/gateway")
        self.start("first", *flags)
        self.make_every_kind()
        for resource, name in (OF_GRAPH | {"dcd": "g-groups", "dgdsa": "g-frontend",
                                         "virtualservices": "g-frontend"}).items():
            self.kubectl.must("annotate", resource, name, "example.com/mine=yes")
            fields = self.kubectl.get(resource, name, "--show-managed-fields")["metadata"][
                "managedFields"]
            self.assertIn("Apply", {each["operation"] for each in fields if each[
                "manager"].startswith("dynamo-reconciler-")}, resource)
        self.assertEqual(self.names("persistentvolumeclaims"), ["models"])
        self.settled()
        before = self.all_versions(*DEFINITIONS, MESH)
        self.kill("first")
        metrics = self.start("second", *flags)
        self.passed(metrics, {"DynamoGraphDeployment": 1, "DynamoComponentDeployment": 3})
        time.sleep(2)
        self.assertEqual(self.all_versions(*DEFINITIONS, MESH), before)

    def test_field_no_longer_requested_is_removed(self):
        self.start()
        self.make(graph("g", {"Decode": worker(annotations={"team": "blue", "stage": "one"})},
                        {"backendFramework": "vllm"}))
        self.until_successful()
        self.assertEqual(self.kubectl.get("deployment", "g-decode")["metadata"]["annotations"][
            "team"], "blue")
        self.merge("dgd", "g", {"spec": {"services": {"Decode": {"annotations": {"team": None}}}}})
        wait_until("the annotation being gone", lambda: "team" not in self.kubectl.get(
            "deployment", "g-decode")["metadata"]["annotations"], SOON)

    def test_all_controllers_scale_a_graph_and_settle(self):
        self.start("first", "--controllers", "*")
        self.make(graph("g", {"Decode": worker(scalingAdapter={"enabled": True})},
                        {"backendFramework": "vllm"}))
        self.until_successful()
        self.kubectl.must("scale", "dgdsa", "g-decode", "--replicas", "3")
        wait_until("three replicas", lambda: self.kubectl.get("deployment", "g-decode")["spec"][
            "replicas"] == 3, SOON)
        self.until_successful()
        self.assertEqual(self.kubectl.get("dgd", "g")["status"]["services"]["Decode"]["replicas"], 3)
        before = self.settled()
        self.kill("first")
        metrics = self.start("second", "--controllers", "*")
        self.passed(metrics, {"DynamoGraphDeployment": 2, "DynamoComponentDeployment": 2,
                              "DynamoGraphDeploymentScalingAdapter": 2})
        time.sleep(2)
        self.assertEqual(self.versions(), before)

    # --- Conflicts.

    def test_foreign_object_is_kept_and_reported(self):
        self.make({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "g-decode"},
                   "spec": {"ports": [{"port": 1}], "selector": {"their": "own"}}})
        self.start()
        self.make(simple(), simple("h"))
        wait_until("a word of it", lambda: self.condition("dcd", "g-decode", "Available").get(
            "reason") == "NameTaken", SOON)
        self.until_successful("h")
        self.assertEqual(self.kubectl.get("service", "g-decode")["spec"]["selector"],
                         {"their": "own"})
        self.assertIn("Service g-decode", self.condition("dcd", "g-decode", "Available")["message"])
        self.kubectl.must("delete", "service", "g-decode")
        self.until_successful()

    def test_refused_object_is_reported_and_blocks_nothing(self):
        self.start()
        bad = simple("bad")
        bad["spec"]["services"]["Decode"]["extraPodSpec"]["serviceAccountName"] = "Not_A_Name"
        self.make(bad, simple())
        self.until_successful("g")
        wait_until("a word of it", lambda: "serviceAccountName" in self.condition(
            "dcd", "bad-decode", "Available").get("message", ""), SOON)
        before = self.settled()
        time.sleep(3)
        self.assertEqual(self.versions(), before)

    def test_graph_waits_for_missing_prerequisites(self):
        self.start()
        self.make(graph("g", {"Decode": worker(volumeMounts=[
            {"name": "models", "mountPoint": "/models"}])},
            {"backendFramework": "vllm", "pvcs": [{"name": "models", "create": False}]}))
        wait_until("a word of it", lambda: "PersistentVolumeClaim models" in self.condition(
            "dgd", "g", "Ready").get("message", ""), SOON)
        self.assertEqual(self.state_of(), "failed")
        self.make({"apiVersion": "v1", "kind": "PersistentVolumeClaim",
                   "metadata": {"name": "models"},
                   "spec": {"accessModes": ["ReadWriteMany"],
                            "resources": {"requests": {"storage": "1Gi"}}}})
        self.until_successful()

    def test_killed_leader_leaves_nothing_undone(self):
        self.start("first")
        self.start("second")
        names = [f"g{number}" for number in range(8)]
        self.make(*(simple(name) for name in names))
        wait_until("the first of its work", lambda: self.names("deployments"), SOON)
        self.kill("first")
        self.until_successful(*names)
        self.assertEqual(len(self.names("deployments")), 2 * len(names))

    # --- Restarts and deletion.

    def test_restart_proceeds_service_by_service(self):
        self.start()
        self.make(simple())
        self.until_successful()
        self.restart("one")
        self.until_marked(decode="one", frontend=None)
        self.until_restarted("one")

    def test_superseded_restart_starts_over(self):
        self.start("first")
        self.make(simple())
        self.until_successful()
        self.restart("one")
        self.until_marked(decode="one", frontend=None)
        self.kill("first")
        self.restart("two")
        self.start("second")
        self.until_marked(decode="two", frontend=None)
        self.until_restarted("two")

    def test_parallel_restart_restarts_all_services_at_once(self):
        self.start()
        self.make(simple())
        self.until_successful()
        self.restart("one", "Parallel")
        self.until_marked(decode="one", frontend="one")
        self.until_restarted("one")

    def test_removed_service_and_deleted_graph_are_cleaned_up(self):
        self.start()
        self.make(simple())
        self.until_successful()
        self.merge("dgd", "g", {"spec": {"services": {"Frontend": None}}})
        wait_until("the component being gone", lambda: self.names("dcd") == ["g-decode"], SOON)
        self.until_successful()
        self.assertEqual(self.kubectl.get("dgd", "g")["metadata"]["finalizers"], [FINALIZER])
        self.kubectl.must("delete", "dgd", "g", "--timeout", f"{SOON}s")
        self.kubectl.must("delete", "dcd", "g-decode", "--timeout", f"{SOON}s")

    def test_component_is_deleted_despite_dead_etcd(self):
        port, = processes.free_ports(1)
        self.start("reconciler", "--discovery-backend", "etcd",
                   "--etcdAddr", f"https://127.0.0.1:{port}")
        self.make(simple())
        self.until_successful()
        self.delete_component("g-decode")
        wait_until("a word of it", lambda: self.notes("EtcdNotCleaned"), SOON)

    # --- Permissions.

    def test_documented_permissions_suffice(self):
        """As the account of deploy/rbac/reconciler.yaml, bound only in this namespace."""
        path = accounts.kubeconfig(self)
        log = self.state.logs / "reconciler.log"
        begin = log.stat().st_size if log.exists() else 0
        self.start("reconciler", "--kubeconfig", path)
        self.make(simple(), thing("DynamoComponentDeployment", "alone", {
            **worker(), "serviceName": "Alone", "dynamoNamespace": "d",
            "extraPodSpec": {"serviceAccountName": "default",
                             "mainContainer": {"image": IMAGE}}}))
        self.until_successful()
        self.merge("dgd", "g", {"spec": {"services": {"Frontend": None}}})
        wait_until("the component being gone", lambda: "g-frontend" not in self.names("dcd"), SOON)
        self.kubectl.must("delete", "dgd", "g", "--timeout", f"{SOON}s")
        self.assertNotIn("Forbidden", log.read_bytes()[begin:].decode())
        # Its writes carry its user name.
        writes = control_plane.writes_of(self.state, accounts.user_of(self.namespace, "dynamo-reconciler"))
        self.assertEqual({each["userAgent"].partition("/")[0] for each in writes}, {"dynamo-reconciler"})
