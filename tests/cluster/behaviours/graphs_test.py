"""The controllers of graphs and components, in dynamo-reconciler on a real API server: what a graph
becomes, what is left alone, and what happens when somebody gets in the way. Nothing runs there: the
tests say what becomes of Deployments, as a cluster's own controllers would."""

import time

from harness import control_plane, processes

from . import accounts
from .graphing import (DEFINITIONS, FINALIZER, MESH, OF_GRAPH, SOON, GraphTest, simple)
from .support import IMAGE, REPOSITORY, graph, takes_long, thing, wait_until, worker

OTHER_IMAGE = IMAGE.rpartition(":")[0] + ":0.8.2"


class Graphs(GraphTest):
    # --- From a graph to what runs.

    def test_an_applied_graph_becomes_what_runs_and_ends_successful(self):
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

    def test_every_sample_graph_without_further_needs_ends_successful(self):
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
        self.until_successful(*names)

    # --- Quiet.

    def test_nothing_is_written_when_nothing_changes_nor_after_a_restart(self):
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

    def test_a_new_image_touches_its_objects_and_no_others(self):
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

    def test_what_others_and_defaults_put_beside_ours_stays_and_is_not_fought_over(self):
        self.start()
        self.make(simple())
        self.until_successful()
        children = {"deployment": "g-decode", "service": "g-decode", "dcd": "g-decode",
                    "serviceaccount": "g-k8s-service-discovery",
                    "role": "g-k8s-service-discovery-role",
                    "rolebinding": "g-k8s-service-discovery-binding"}
        for resource, name in children.items():
            self.kubectl.must("annotate", resource, name, "example.com/mine=yes")
        before = self.settled()
        time.sleep(2)
        self.assertEqual(self.versions(), before)
        for resource, name in children.items():
            found = self.kubectl.get(resource, name, "--show-managed-fields")["metadata"]
            self.assertEqual(found["annotations"]["example.com/mine"], "yes")
            ours = [each for each in found["managedFields"]
                    if each["manager"].startswith("dynamo-reconciler-") and
                    not each.get("subresource")]
            self.assertIn("Apply", {each["operation"] for each in ours}, resource)
        self.kubectl.must("scale", "deployment", "g-decode", "--replicas", "3")
        wait_until("the number being put back", lambda: self.kubectl.get(
            "deployment", "g-decode")["spec"]["replicas"] == 1, SOON)

    def test_what_the_api_server_writes_in_its_own_words_is_not_fought_over(self):
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
        # Nor when the generation is somebody else's.
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
    def test_every_kind_of_child_is_ours_by_its_fields_and_quiet(self):
        """Also those of others' definitions, as they are here. Claims, checkpoints and the Secret of MPI are made
        once and never again written: no field of theirs is ours."""
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

    def test_a_field_that_is_asked_for_no_more_goes(self):
        self.start()
        self.make(graph("g", {"Decode": worker(annotations={"team": "blue", "stage": "one"})},
                        {"backendFramework": "vllm"}))
        self.until_successful()
        self.assertEqual(self.kubectl.get("deployment", "g-decode")["metadata"]["annotations"][
            "team"], "blue")
        self.merge("dgd", "g", {"spec": {"services": {"Decode": {"annotations": {"team": None}}}}})
        wait_until("the annotation being gone", lambda: "team" not in self.kubectl.get(
            "deployment", "g-decode")["metadata"]["annotations"], SOON)

    def test_all_controllers_together_scale_a_graph_and_come_to_rest(self):
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

    # --- In the way.

    def test_a_name_that_is_somebody_elses_is_left_alone_and_told(self):
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

    def test_what_the_api_server_refuses_is_told_and_holds_up_nobody_else(self):
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

    def test_a_graph_that_needs_what_is_not_there_waits_for_it(self):
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

    def test_a_leader_that_is_killed_half_way_leaves_nothing_undone(self):
        self.start("first")
        self.start("second")
        names = [f"g{number}" for number in range(8)]
        self.make(*(simple(name) for name in names))
        wait_until("the first of its work", lambda: self.names("deployments"), SOON)
        self.kill("first")
        self.until_successful(*names)
        self.assertEqual(len(self.names("deployments")), 2 * len(names))

    # --- Restarts and ends.

    def test_a_restart_goes_from_service_to_service(self):
        self.start()
        self.make(simple())
        self.until_successful()
        self.restart("one")
        self.until_marked(decode="one", frontend=None)
        self.until_restarted("one")

    def test_a_restart_that_is_overtaken_begins_anew(self):
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

    def test_a_parallel_restart_takes_all_services_at_once(self):
        self.start()
        self.make(simple())
        self.until_successful()
        self.restart("one", "Parallel")
        self.until_marked(decode="one", frontend="one")
        self.until_restarted("one")

    def test_a_service_that_is_removed_and_a_graph_that_is_deleted_go(self):
        self.start()
        self.make(simple())
        self.until_successful()
        self.merge("dgd", "g", {"spec": {"services": {"Frontend": None}}})
        wait_until("the component being gone", lambda: self.names("dcd") == ["g-decode"], SOON)
        self.until_successful()
        self.assertEqual(self.kubectl.get("dgd", "g")["metadata"]["finalizers"], [FINALIZER])
        self.kubectl.must("delete", "dgd", "g", "--timeout", f"{SOON}s")
        self.kubectl.must("delete", "dcd", "g-decode", "--timeout", f"{SOON}s")

    def test_a_component_goes_though_its_etcd_is_dead(self):
        port, = processes.free_ports(1)
        self.start("reconciler", "--discovery-backend", "etcd",
                   "--etcdAddr", f"https://127.0.0.1:{port}")
        self.make(simple())
        self.until_successful()
        self.delete_component("g-decode")
        wait_until("a word of it", lambda: self.notes("EtcdNotCleaned"), SOON)

    # --- Rights.

    def test_its_rights_are_enough(self):
        """As the account of deploy/rbac/reconciler.yaml, bound in this namespace alone."""
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
        # And it says who it is.
        writes = control_plane.writes_of(self.state, accounts.user_of(self.namespace, "dynamo-reconciler"))
        self.assertEqual({each["userAgent"].partition("/")[0] for each in writes}, {"dynamo-reconciler"})
