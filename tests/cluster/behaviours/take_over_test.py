"""Objects of the Go operator: left alone while up to date, and otherwise taken over with all fields
that it has set."""

import json
import time

from .graph_fixture import DEFINITIONS, FINALIZER, INTENT, MESH, OF_GRAPH, SOON, GraphTest, simple
from .support import IMAGE, graph, takes_long, wait_until, worker

# Fields that another operator has set on each kind and we do not: each optional field that the Go
# operator knows, and one label and annotation each. OLD marks them everywhere.
OLD = "of-before"
SURPLUS = {
    "dcd": {"spec": {
        "annotations": {OLD: "x"}, "envs": [{"name": OLD, "value": "x"}], "envFromSecret": OLD,
        "sharedMemory": {"size": "9Gi"}, "extraPodMetadata": {"labels": {OLD: "x"}},
        "livenessProbe": {"exec": {"command": [OLD]}},
        "readinessProbe": {"exec": {"command": [OLD]}},
        "resources": {"limits": {"cpu": "77", "custom": {f"{OLD}/x": "1"}}},
        "extraPodSpec": {"nodeSelector": {OLD: "x"}, "mainContainer": {
            "workingDir": f"/{OLD}", "env": [{"name": OLD, "value": "x"}]}}}},
    "deployment": {"spec": {
        "minReadySeconds": 77, "progressDeadlineSeconds": 777, "template": {
            "metadata": {"labels": {OLD: "x"}, "annotations": {OLD: "x"}},
            "spec": {
                "nodeSelector": {OLD: "x"}, "priorityClassName": OLD, "schedulerName": OLD,
                "tolerations": [{"key": OLD, "operator": "Exists"}], "runtimeClassName": OLD,
                "imagePullSecrets": [{"name": OLD}], "shareProcessNamespace": True,
                "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
                    "nodeSelectorTerms": [{"matchExpressions": [
                        {"key": OLD, "operator": "Exists"}]}]}}},
                "volumes": [{"name": OLD, "emptyDir": {}}],
                "initContainers": [{"name": f"init-{OLD}", "image": IMAGE}],
                "containers": [{"name": f"side-{OLD}", "image": IMAGE}, {
                    "name": "main", "workingDir": f"/{OLD}",
                    "env": [{"name": OLD, "value": "x"}],
                    "envFrom": [{"secretRef": {"name": OLD}}],
                    "volumeMounts": [{"name": OLD, "mountPath": f"/{OLD}"}],
                    "ports": [{"name": OLD, "containerPort": 7777, "protocol": "TCP"}],
                    "resources": {"limits": {"cpu": "77"}, "requests": {"cpu": "66"}},
                    "lifecycle": {"preStop": {"exec": {"command": [OLD]}}},
                    "securityContext": {"capabilities": {"add": ["SYS_PTRACE"]}}}]}}}},
    # And a port that differs only in its number.
    "service": {"spec": {"sessionAffinity": "ClientIP", "publishNotReadyAddresses": True,
                         "selector": {OLD: "x"}, "ports": [{"name": OLD, "port": 7777}]}},
    "ingress": {"spec": {"tls": [{"hosts": [OLD], "secretName": OLD}], "defaultBackend": {
        "service": {"name": OLD, "port": {"number": 7777}}}}},
    "leaderworkersets": {"spec": {OLD: {"a": [1]}, "leaderWorkerTemplate": {
        "restartPolicy": OLD, "workerTemplate": {"metadata": {"annotations": {OLD: "x"}}}}}},
    "podgroups": {"spec": {"queue": OLD}},
    "inferencepools": {"spec": {"selector": {"matchLabels": {OLD: "x"}}}},
    "configmap": {"data": {OLD: "x"}},
    "serviceaccount": {"imagePullSecrets": [{"name": OLD}]},
    "role": {"rules": [{"apiGroups": [OLD], "resources": ["x"], "verbs": ["get"]}]},
    "rolebinding": {},
    "virtualservices": {"spec": {"exportTo": [OLD], "http": [
        {"match": [{"uri": {"prefix": f"/{OLD}"}}], "route": [{"destination": {"host": OLD}}]}]}},
}


def add(value, more):
    """Adds the content of `more`; merges elements of lists by name."""
    for name, added in more.items():
        if isinstance(added, dict):
            add(value.setdefault(name, {}), added)
        elif isinstance(added, list):
            here = value.setdefault(name, [])
            for each in added:
                same = [one for one in here if isinstance(each, dict) and "name" in each and
                        one.get("name") == each["name"]]
                if same:
                    add(same[0], each)
                else:
                    here.append(each)
        else:
            value[name] = added


class TakeOver(GraphTest):
    def create_as_other_operator(self, resource):
        """Recreates the objects as another client, with only the annotations of the Go operator."""
        for each in self.kubectl.get(resource)["items"]:
            name, old = each["metadata"]["name"], each["metadata"]
            if not old.get("ownerReferences"):
                continue
            each.pop("status", None)
            each["metadata"] = {key: old[key] for key in (
                "name", "labels", "annotations", "ownerReferences") if key in old}
            self.assertTrue(each["metadata"]["annotations"].pop(INTENT), resource)
            self.assertIn("nvidia.com/last-applied-hash", each["metadata"]["annotations"])
            each["metadata"]["annotations"]["nvidia.com/last-applied-generation"] = "1"
            for field in ("clusterIP", "clusterIPs"):
                if each.get("spec", {}).get(field, "None") != "None":
                    del each["spec"][field]
            self.kubectl.must("delete", resource, name)
            self.kubectl.must("create", "--filename", "-", stdin=each)

    def test_owned_objects_of_another_operator_are_kept(self):
        self.start("first")
        self.make(simple())
        self.until_successful()
        self.state.stop("first")
        for resource in ("deployments", "services", "serviceaccounts", "roles", "rolebindings"):
            self.create_as_other_operator(resource)
        self.play()
        before = self.versions()
        metrics = self.start("second")
        self.passed(metrics, {"DynamoGraphDeployment": 1, "DynamoComponentDeployment": 2})
        time.sleep(2)
        self.assertEqual(self.versions(), before)

    def create_as_go_operator(self, resource, name):
        """Recreates the object with more fields than we set, with the Go operator's field manager, and
        adds fields of another client."""
        made = self.kubectl.get(resource, name)
        old = made["metadata"]
        made.pop("status", None)
        made["metadata"] = {key: old[key] for key in (
            "name", "labels", "annotations", "ownerReferences") if key in old}
        for owner in made["metadata"]["ownerReferences"]:
            owner["uid"] = self.kubectl.get(owner["kind"], owner["name"])["metadata"]["uid"]
        annotations = made["metadata"]["annotations"]
        self.assertTrue(annotations.pop(INTENT), resource)
        annotations["nvidia.com/last-applied-generation"] = "1"
        if "spec" in made:
            annotations["nvidia.com/last-applied-hash"] = "0" * 64
        for field in ("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"):
            made.get("spec", {}).pop(field, None)
        add(made, {"metadata": {"labels": {OLD: "x"}, "annotations": {OLD: "x"}}})
        add(made, SURPLUS[resource])
        if resource == "service":
            made["spec"]["ports"][0]["port"] += 1
        if FINALIZER in old.get("finalizers", ()):
            self.merge(resource, name, {"metadata": {"finalizers": None}})
        self.kubectl.must("delete", resource, name)
        self.kubectl.must("create", "--field-manager", "manager", "--filename", "-", stdin=made)
        self.kubectl.must("annotate", resource, name, "example.com/mine=yes")
        self.kubectl.must("label", resource, name, "example.com/mine=yes")

    @takes_long
    def test_surplus_fields_of_go_operator_are_removed(self):
        self.install(*DEFINITIONS)
        flags = ("--ingress-controller-class-name", "nginx")
        self.start("first", *flags)
        self.make_every_kind()
        self.state.stop("first")
        for resource, name in OF_GRAPH.items():
            self.create_as_go_operator(resource, name)
        # The owner of its other objects was deleted, and no garbage collector runs here.
        self.kubectl.must("delete", "service", "g-frontend-p", "g-frontend-d", "--ignore-not-found")
        self.merge("deployment", "g-frontend", {"spec": {"revisionHistoryLimit": 3}})
        for resource, name in OF_GRAPH.items():
            self.assertIn(OLD, json.dumps(self.kubectl.get(resource, name)), resource)
        self.start("second", *flags)
        for resource, name in OF_GRAPH.items():
            wait_until(f"{resource} without what is of before", lambda of=(resource, name):
                       OLD not in json.dumps(self.kubectl.get(*of)), SOON)
        self.play()
        for resource, name in OF_GRAPH.items():
            found = self.kubectl.get(resource, name, "--show-managed-fields")["metadata"]
            self.assertEqual(found["labels"]["example.com/mine"], "yes", resource)
            self.assertEqual(found["annotations"]["example.com/mine"], "yes", resource)
            writers = {(each["manager"], each["operation"]) for each in found["managedFields"]
                       if not each.get("subresource")}
            self.assertNotIn(("manager", "Update"), writers, resource)
            self.assertTrue({each for each in writers if each[0].startswith("dynamo-reconciler-")
                             and each[1] == "Apply"}, resource)
        spec = self.kubectl.get("deployment", "g-frontend")["spec"]
        self.assertEqual(spec["revisionHistoryLimit"], 3)
        self.assertEqual(spec["progressDeadlineSeconds"], 600)
        self.assertNotIn("minReadySeconds", spec)
        self.assertNotIn("77", json.dumps(spec))
        service = self.kubectl.get("service", "g-frontend")["spec"]
        self.assertEqual((len(service["ports"]), service["sessionAffinity"]), (1, "None"))
        self.settled()
        before = self.all_versions()
        self.kill("second")
        metrics = self.start("third", *flags)
        self.passed(metrics, {"DynamoGraphDeployment": 1, "DynamoComponentDeployment": 3})
        time.sleep(2)
        self.assertEqual(self.all_versions(), before)

    def test_virtual_service_of_go_operator_is_taken_over(self):
        self.install(MESH)
        flags = ("--istio-virtual-service-gateway", "mesh/gateway")
        self.start("first", *flags)
        self.make(simple())
        self.until_successful()
        self.state.stop("first")
        wanted = self.kubectl.get("virtualservices", "g-frontend")["spec"]
        self.create_as_go_operator("virtualservices", "g-frontend")
        self.start("second", *flags)
        wait_until("a VirtualService without what is of before", lambda: OLD not in json.dumps(
            self.kubectl.get("virtualservices", "g-frontend")), SOON)
        found = self.kubectl.get("virtualservices", "g-frontend", "--show-managed-fields")
        self.assertEqual(found["spec"], wanted)
        self.assertEqual(found["metadata"]["labels"]["example.com/mine"], "yes")
        self.assertNotIn(("manager", "Update"), {
            (each["manager"], each["operation"]) for each in found["metadata"]["managedFields"]})
        self.until_successful()

    def test_claims_and_adapters_of_go_operator_are_kept(self):
        """The claim is immutable, and the adapter's replica count belongs to another client."""
        self.start("first")
        self.make(graph("g", {"Decode": worker(
            scalingAdapter={"enabled": True},
            volumeMounts=[{"name": "models", "mountPoint": "/models"}])}, {
                "backendFramework": "vllm", "pvcs": [
                    {"name": "models", "create": True, "size": "1Gi", "storageClass": "s",
                     "volumeAccessMode": "ReadWriteMany"}]}))
        self.until_successful()
        self.state.stop("first")
        kept = (("persistentvolumeclaims", "models"), ("dgdsa", "g-decode"))
        for resource, name in kept:
            made = self.kubectl.get(resource, name)
            old = made["metadata"]
            made.pop("status", None)
            made["metadata"] = {key: old[key] for key in (
                "name", "labels", "annotations", "ownerReferences") if key in old}
            made["metadata"].get("annotations", {}).pop(INTENT, None)
            add(made, {"metadata": {"labels": {OLD: "x"}, "annotations": {OLD: "x"}}})
            if "replicas" in made["spec"]:
                made["spec"]["replicas"] = 7
            # A protected claim stays while it is in use.
            self.merge(resource, name, {"metadata": {"finalizers": None}})
            self.kubectl.must("delete", resource, name)
            self.kubectl.must("create", "--field-manager", "manager", "--filename", "-", stdin=made)
        before = {name: self.kubectl.get(resource, name)["metadata"]["resourceVersion"]
                  for resource, name in kept}
        metrics = self.start("second")
        self.passed(metrics, {"DynamoGraphDeployment": 1, "DynamoComponentDeployment": 1})
        self.until_successful()
        self.settled()
        self.assertEqual({name: self.kubectl.get(resource, name)["metadata"]["resourceVersion"]
                          for resource, name in kept}, before)
