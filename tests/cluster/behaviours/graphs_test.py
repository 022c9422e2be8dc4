"""The controllers of graphs and components, in dynamo-reconciler on a real API server: what a graph
becomes, what is left alone, and what happens when somebody gets in the way. Nothing runs there: the
tests say what becomes of Deployments, as a cluster's own controllers would."""

import json
import os
import signal
import time
import urllib.request
from pathlib import Path

from harness import processes, webhook

from .support import (IMAGE, REPOSITORY, ClusterTest, HarnessError, graph, thing, wait_until, worker)

SOON = 40
QUICK_LEADER = ("--leader-election-lease-duration", "4s", "--leader-election-renew-deadline", "3s",
                "--leader-election-retry-period", "1s")
INTENT = "nvidia.com/last-applied-intent"
FINALIZER = "nvidia.com/finalizer"
KINDS = ("dgd,dcd,dgdsa,deployments,services,ingresses,configmaps,persistentvolumeclaims,"
         "serviceaccounts,roles,rolebindings")
# Of others: group, version, plural, kind.
DEFINITIONS = (("leaderworkerset.x-k8s.io", "v1", "leaderworkersets", "LeaderWorkerSet"),
               ("scheduling.volcano.sh", "v1beta1", "podgroups", "PodGroup"),
               ("inference.networking.k8s.io", "v1", "inferencepools", "InferencePool"))
OTHER_IMAGE = IMAGE.rpartition(":")[0] + ":0.8.2"


def frontend(**more):
    return worker(componentType="frontend", **more)


def simple(name="g"):
    return graph(name, {"Frontend": frontend(), "Decode": worker()}, {"backendFramework": "vllm"})


def definition(group, version, plural, kind):
    """As little of it as will do: whatever is written is kept."""
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{plural}.{group}", "annotations": {
                "api-approved.kubernetes.io": "unapproved, of a test"}},
            "spec": {"group": group, "scope": "Namespaced",
                     "names": {"plural": plural, "singular": kind.lower(), "kind": kind},
                     "versions": [{"name": version, "served": True, "storage": True,
                                   "subresources": {"status": {}},
                                   "schema": {"openAPIV3Schema": {
                                       "type": "object",
                                       "x-kubernetes-preserve-unknown-fields": True}}}]}}


class Graphs(ClusterTest):
    """Each with a namespace that no webhook judges, to which its reconciler is restricted."""

    def setUp(self):
        super().setUp()
        self._label(f"{webhook.JUDGED_BY}={webhook.NOBODY}")

    def start(self, name="reconciler", *flags):
        path = Path(os.environ.get("DYNAMO_RECONCILER_BINARY",
                                   REPOSITORY / "build/release/bin/dynamo-reconciler"))
        if not os.access(path, os.X_OK):
            raise HarnessError(f"no {path}; build dynamo-reconciler, or name it in "
                               "DYNAMO_RECONCILER_BINARY")
        probes, metrics = processes.free_ports(2)
        self.state.start(name, (
            path, "--kubeconfig", self.state.kubeconfig, "--mode", "replacement",
            "--controllers", "component,graph", "--restrictedNamespace", self.namespace,
            "--leader-election-namespace", self.namespace, *QUICK_LEADER,
            "--health-probe-bind-address", f"127.0.0.1:{probes}",
            "--metrics-bind-address", f"127.0.0.1:{metrics}", *flags), stop_seconds=20)
        self.addCleanup(self.forget, name)
        return f"http://127.0.0.1:{metrics}/metrics"

    def forget(self, name):
        try:
            self.state.stop(name)
        except HarnessError:
            pass

    def kill(self, name):
        os.kill(self.state.process(name)["pid"], signal.SIGKILL)

    def make(self, *objects):
        for each in objects:
            self.kubectl.must("apply", "--filename", "-", stdin=each)

    def merge(self, resource, name, patch, *options):
        self.kubectl.must("patch", resource, name, "--type", "merge", "--patch", json.dumps(patch),
                          *options)

    # --- What stands in for the controllers of Kubernetes.

    def play(self, *, only=None):
        """Every Deployment as if its pods were there."""
        for each in self.kubectl.get("deployments")["items"]:
            meta, wanted = each["metadata"], each["spec"].get("replicas", 1)
            if only is not None and meta["name"] not in only:
                continue
            status = {"observedGeneration": meta["generation"], "replicas": wanted,
                      "updatedReplicas": wanted, "readyReplicas": wanted,
                      "availableReplicas": wanted, "conditions": [{
                          "type": "Available", "status": "True", "reason": "MinimumReplicas"}]}
            told = each.get("status", {})
            if any(told.get(name) != value for name, value in status.items()
                   if name != "conditions"):
                self.merge("deployment", meta["name"], {"status": status},
                           "--subresource", "status")

    def play_groups(self):
        """The same of LeaderWorkerSets."""
        for each in self.kubectl.get("leaderworkersets")["items"]:
            if "status" not in each:
                self.merge("leaderworkersets", each["metadata"]["name"], {"status": {
                    "replicas": 1, "readyReplicas": 1, "updatedReplicas": 1, "conditions": [
                        {"type": "Available", "status": "True"}]}}, "--subresource", "status")

    def state_of(self, name="g"):
        return self.kubectl.get("dgd", name).get("status", {}).get("state")

    def until_successful(self, *names):
        def done():
            self.play()
            return all(self.is_successful(name) for name in names or ("g",))

        wait_until("a graph that is successful", done, SOON)

    def is_successful(self, name):
        found = self.kubectl.get("dgd", name)
        ready = self.condition("dgd", name, "Ready")
        return (found.get("status", {}).get("state") == "successful" and
                ready.get("observedGeneration") == found["metadata"]["generation"])

    def condition(self, resource, name, kind):
        conditions = self.kubectl.get(resource, name).get("status", {}).get("conditions", [])
        return next((each for each in conditions if each["type"] == kind), {})

    def names(self, resource):
        return sorted(each["metadata"]["name"] for each in self.kubectl.get(resource)["items"])

    def versions(self):
        return {f"{each['kind']}/{each['metadata']['name']}": each["metadata"]["resourceVersion"]
                for each in self.kubectl.get(KINDS)["items"]}

    def settled(self):
        """Waits until two looks, a second apart, see the same, and returns it."""
        def still():
            before = self.versions()
            time.sleep(1)
            return self.versions() == before and before

        return wait_until("an end of writes", still, SOON)

    def notes(self, reason):
        return [each["note"] for each in self.kubectl.get("events.events.k8s.io")["items"]
                if each["reason"] == reason]

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

    def passed(self, metrics, wanted):
        """Waits for so many passes of each kind."""
        def done():
            with urllib.request.urlopen(metrics, timeout=5) as answer:
                lines = answer.read().decode().splitlines()
            for kind, count in wanted.items():
                head = f'dynamo_operator_reconcile_total{{resource_type="{kind}"'
                if sum(float(line.rpartition(" ")[2]) for line in lines
                       if line.startswith(head)) < count:
                    return False
            return True

        wait_until("its passes", done, SOON)

    def make_as_another_operator(self, resource):
        """Anew, by somebody else, with the annotations that the Go operator writes and no others."""
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

    def test_children_that_another_operator_made_are_left_alone(self):
        self.start("first")
        self.make(simple())
        self.until_successful()
        self.state.stop("first")
        for resource in ("deployments", "services", "serviceaccounts", "roles", "rolebindings"):
            self.make_as_another_operator(resource)
        self.play()
        before = self.versions()
        metrics = self.start("second")
        self.passed(metrics, {"DynamoGraphDeployment": 1, "DynamoComponentDeployment": 2})
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

    def install(self, *definitions):
        for each in definitions:
            name = f"{each[2]}.{each[0]}"
            self.admin.must("apply", "--filename", "-", stdin=definition(*each))
            self.addCleanup(self.admin.must, "delete", "crd", name, "--timeout", f"{SOON}s")
            self.admin.must("wait", "--for", "condition=Established", f"crd/{name}",
                            "--timeout", f"{SOON}s")

    def test_every_kind_of_child_is_ours_by_its_fields_and_quiet(self):
        """Also those of others' definitions, as they are here."""
        self.install(*DEFINITIONS)
        flags = ("--ingress-controller-class-name", "nginx")
        self.start("first", *flags)
        groups = worker(multinode={"nodeCount": 2}, resources={"limits": {"gpu": "1"}})
        groups["extraPodSpec"]["mainContainer"] |= {"command": ["python3"],
                                                    "args": ["-m", "dynamo.vllm"]}
        self.make(graph("g", {
            "Frontend": frontend(scalingAdapter={"enabled": True}), "Groups": groups,
            "Epp": worker(componentType="epp", eppConfig={"config": {
                "plugins": [{"type": "label-filter"}], "schedulingProfiles": [
                    {"name": "default", "plugins": [{"pluginRef": "label-filter"}]}]}})},
            {"backendFramework": "vllm", "pvcs": [
                {"name": "models", "create": True, "size": "1Gi", "storageClass": "s",
                 "volumeAccessMode": "ReadWriteMany"}]}))

        def done():
            self.play()
            self.play_groups()
            return self.is_successful("g")

        wait_until("a graph that is successful", done, SOON)
        applied = {"deployment": "g-frontend", "service": "g-frontend", "ingress": "g-frontend",
                   "leaderworkersets": "g-groups-0", "podgroups": "g-groups-0",
                   "inferencepools": "g-pool", "configmap": "g-epp-config", "dcd": "g-groups",
                   "dgdsa": "g-frontend", "serviceaccount": "g-k8s-service-discovery",
                   "role": "g-k8s-service-discovery-role",
                   "rolebinding": "g-k8s-service-discovery-binding"}
        for resource, name in applied.items():
            self.kubectl.must("annotate", resource, name, "example.com/mine=yes")
            fields = self.kubectl.get(resource, name, "--show-managed-fields")["metadata"][
                "managedFields"]
            self.assertIn("Apply", {each["operation"] for each in fields if each[
                "manager"].startswith("dynamo-reconciler-")}, resource)
        self.assertEqual(self.names("persistentvolumeclaims"), ["models"])
        more = tuple(plural for _, _, plural, _ in DEFINITIONS)

        def all_versions():
            return self.versions() | {each["metadata"]["uid"]: each["metadata"]["resourceVersion"]
                                      for kind in more for each in self.kubectl.get(kind)["items"]}

        self.settled()
        before = all_versions()
        self.kill("first")
        metrics = self.start("second", *flags)
        self.passed(metrics, {"DynamoGraphDeployment": 1, "DynamoComponentDeployment": 3})
        time.sleep(2)
        self.assertEqual(all_versions(), before)

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

    def restart(self, identity, kind="Sequential"):
        self.merge("dgd", "g", {"spec": {"restart": {"id": identity, "strategy": {"type": kind}}}})

    def marks(self):
        return {each["metadata"]["name"]: each["spec"]["template"]["metadata"].get(
            "annotations", {}).get("nvidia.com/restartAt")
            for each in self.kubectl.get("deployments")["items"]}

    def until_marked(self, **wanted):
        wanted = {f"g-{name}": value for name, value in wanted.items()}
        wait_until(f"the marks {wanted}", lambda: self.marks() == wanted, SOON)
        time.sleep(1)
        self.assertEqual(self.marks(), wanted)

    def until_restarted(self, identity):
        def completed():
            self.play()
            told = self.kubectl.get("dgd", "g")["status"].get("restart", {})
            return told.get("phase") == "Completed" and told.get("observedID") == identity

        wait_until("the end of the restart", completed, SOON)
        self.assertEqual(self.marks(), {"g-decode": identity, "g-frontend": identity})

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
        self.kubectl.must("delete", "dcd", "g-decode", "--timeout", f"{SOON}s")
        wait_until("a word of it", lambda: self.notes("EtcdNotCleaned"), SOON)

    # --- Rights.

    def test_its_rights_are_enough(self):
        """As the account of deploy/rbac/reconciler.yaml, bound in this namespace alone."""
        rights = (REPOSITORY / "deploy/rbac/reconciler.yaml").read_text()
        rights = rights.replace("dynamo-system", self.namespace)
        self.admin.must("apply", "--filename", "-", stdin=rights)
        self.admin.must("delete", "clusterrolebinding", f"dynamo-reconciler-{self.namespace}",
                        f"dynamo-reconciler-graphs-{self.namespace}")
        account = f"{self.namespace}:dynamo-reconciler"
        for role in ("dynamo-reconciler", "dynamo-reconciler-graphs"):
            self.kubectl.must("create", "rolebinding", f"{role}-here", "--clusterrole", role,
                              "--serviceaccount", account)
        # Its marker Lease: as deploy/rbac/restricted.yaml has it for the server.
        self.make({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role",
                   "metadata": {"name": "marker"},
                   "rules": [{"apiGroups": ["coordination.k8s.io"], "resources": ["leases"],
                              "verbs": ["get", "create", "update", "delete"]}]})
        self.kubectl.must("create", "rolebinding", "marker", "--role", "marker",
                          "--serviceaccount", account)
        token = self.kubectl.must("create", "token", "dynamo-reconciler").stdout.strip()
        kubeconfig = json.loads(self.admin.must("config", "view", "--raw", "-o", "json").stdout)
        kubeconfig["users"] = [{"name": each["name"], "user": {"token": token}}
                               for each in kubeconfig["users"]]
        path = self.state.directory / f"{self.namespace}.kubeconfig"
        path.write_text(json.dumps(kubeconfig))
        path.chmod(0o600)
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
