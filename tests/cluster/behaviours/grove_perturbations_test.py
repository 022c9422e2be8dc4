"""Other clients edit, scale, disown and delete the objects of a running graph over Grove. Each time
dynamo-reconciler restores the desired state, keeps what others added, writes no other graph, and then
writes nothing."""

import collections
import json
import threading

from harness import grove, groups
from harness.writer import Writer

from .graph_fixture import SOON, frontend, simple
from .grove_fixture import GroveTest, in_groups
from .running_graphs import LONG, OTHER_IMAGE
from .support import graph, takes_long, wait_until, worker

QUIET_SECONDS = 2
GENERATION = "nvidia.com/last-applied-generation"
THEIRS = "example.com/theirs"
# Objects with the name of a graph, or one that begins with it.
OBJECTS = "dgd,podcliquesets,podcliques,services,serviceaccounts,roles,rolebindings"

IN_CLIQUE = "/spec/template/cliques/0"
# Edits of the set that are reverted; None removes the field.
REVERTED = {
    "replicas": ("/spec/replicas", 2),
    "termination delay": ("/spec/template/terminationDelay", "1m"),
    "image": (f"{IN_CLIQUE}/spec/podSpec/containers/0/image", OTHER_IMAGE),
    "replicas of a clique": (f"{IN_CLIQUE}/spec/replicas", 5),
    "label that selects pods": (f"{IN_CLIQUE}/labels/nvidia.com~1selector", "theirs"),
    "label with the graph": (f"{IN_CLIQUE}/labels/nvidia.com~1dynamo-graph-deployment-name", "other"),
    "all annotations of a clique": (f"{IN_CLIQUE}/annotations", None),
    "a clique": ("/spec/template/cliques/1", None),
    "hash": ("/metadata/annotations/nvidia.com~1last-applied-hash", "theirs"),
    "intent": ("/metadata/annotations/nvidia.com~1last-applied-intent", None),
    "generation": (f"/metadata/annotations/{GENERATION.replace('/', '~1')}", "999"),
}
# Fields that the graph does not set.
KEPT = {"label": ("/metadata/labels", {THEIRS: "yes"}),
        "annotation": (f"/metadata/annotations/{THEIRS.replace('/', '~1')}", "yes"),
        "priority": ("/spec/template/priorityClassName", "theirs")}


def with_all_objects():
    """A graph with one object of each kind that accompanies a set."""
    picker = worker(componentType="epp", eppConfig={"config": {
        "plugins": [{"type": "label-filter"}],
        "schedulingProfiles": [{"name": "default", "plugins": [{"pluginRef": "label-filter"}]}]}})
    return graph("g", {"Frontend": frontend(ingress={
        "enabled": True, "host": "g", "ingressControllerClassName": "nginx"}),
                       "Decode": worker(modelRef={"name": "m/a"}), "Epp": picker}, {"backendFramework": "vllm"})


# An edit of each object of that graph except the set. "MODEL" is the Service of its model.
EDITS = {
    ("service", "g-frontend"): ("/spec/selector/nvidia.com~1dynamo-component", "Theirs"),
    ("service", "g-decode"): ("/spec/ports/0/port", 1),
    ("service", "MODEL"): ("/spec/selector", None),
    ("ingress", "g-frontend"): ("/spec/rules/0/host", "theirs"),
    ("configmap", "g-epp-config"): ("/data/epp-config-dynamo.yaml", "theirs"),
    ("inferencepool", "g-pool"): ("/spec/targetPorts/0/number", 1),
    ("serviceaccount", "g-k8s-service-discovery"): ("/metadata/labels", None),
    ("role", "g-k8s-service-discovery-role"): ("/rules", []),
    ("rolebinding", "g-k8s-service-discovery-binding"): ("/subjects", []),
}


def content(found):
    """An object without fields that API servers choose."""
    metadata = {key: dict(found["metadata"].get(key, {})) for key in ("labels", "annotations")}
    metadata["annotations"].pop(GENERATION, None)
    rest = {key: value for key, value in found.items() if key not in ("metadata", "status")}
    if found["kind"] == "Service":  # the API server chooses an address
        rest["spec"] = {key: value for key, value in rest["spec"].items() if not key.startswith("clusterIP")}
    return {"metadata": metadata, "owners": found["metadata"].get("ownerReferences"), **rest}


@takes_long
class GrovePerturbations(GroveTest):
    def run_graphs(self, made, *flags, name="reconciler"):
        """Runs the graph `g`, and another one that no test changes."""
        self.start(name, *flags)
        self.make(made, simple("other"))
        self.until_all_are_successful("g", "other")
        self.grove.until_idle(LONG)
        self.until_writes_end()
        self.others = self.versions_of("other")
        self.before = len(self.writes())

    def versions_of(self, name):
        return {f"{each['kind']}/{each['metadata']['name']}": each["metadata"]["resourceVersion"]
                for each in self.kubectl.get(OBJECTS)["items"] if each["metadata"]["name"].partition("-")[0] == name}

    def written(self):
        """How often each object other than Events was written since run_graphs(), by resource and name."""
        return collections.Counter(
            (resource, name) for _, resource, name in self.writes()[self.before:] if resource != "events")

    def assert_settled(self, by="reconciler", **ready):
        """Waits until each service has this many ready pods, and the graph is successful. Asserts that no
        writes follow, and that the other graph is unchanged."""
        for service, count in (ready or {"decode": 1, "frontend": 1}).items():
            self.until_ready(f"g-{service}", count)
        self.grove.until_idle(LONG)
        self.until_all_are_successful("g")
        self.until_writes_end()
        # A success may have been that of replaced pods, and the new ones start slowly on a busy machine.
        self.until_all_are_successful("g")
        self.assert_writes_nothing(QUIET_SECONDS)
        self.assertEqual(self.versions_of("other"), self.others)
        self.assertEqual([each for each in self.written() if (each[1] or "").partition("-")[0] == "other"], [])
        self.assertNotIn("orbidden", self.log(by))

    def uids_of_both(self):
        return self.uids("g-decode") | self.uids("g-frontend")

    def until_replaced(self, pods):
        wait_until("new pods", lambda: not pods & self.uids_of_both(), LONG)

    # --- Edits by other clients.

    def edit(self, resource, name, path, value):
        operation = {"op": "remove", "path": path} if value is None else {"op": "add", "path": path, "value": value}
        self.kubectl.must("patch", resource, name, "--type", "json", "--patch", json.dumps([operation]))

    def until_content(self, resource, name, wanted):
        wait_until(f"{resource} {name} as the graph wants it",
                   lambda: content(self.kubectl.get(resource, name)) == wanted, SOON)

    def delete(self, resource, name, *options):
        """Deletes an object that its graph recreates; returns the new one."""
        uid = self.kubectl.get(resource, name)["metadata"]["uid"]
        self.kubectl.must("delete", resource, name, "--wait=false", *options)

        def recreated():
            found = self.kubectl.get(resource, name)
            return found if found["metadata"]["uid"] != uid else None

        return wait_until(f"a new {resource} {name}", recreated, LONG)

    def scale(self, resource, name, count):
        self.kubectl.must("scale", resource, name, "--replicas", str(count))

    def until_scaled(self, resource, name, count):
        wait_until(f"{count} replicas of {name}",
                   lambda: self.kubectl.get(resource, name)["spec"]["replicas"] == count, SOON)

    # --- The set.

    def test_edits_of_set_are_reverted(self):
        self.run_graphs(simple())
        frontends = self.uids("g-frontend")
        for path, value in KEPT.values():
            self.edit("podcliqueset", "g", path, value)
        self.assert_settled()
        self.assertLessEqual(set(self.written()), {("dynamographdeployments", "g")})
        self.assertEqual(self.uids("g-frontend"), frontends)
        wanted = content(self.kubectl.get("podcliqueset", "g"))
        self.assertEqual(wanted["metadata"]["labels"], {THEIRS: "yes"})
        self.assertEqual(wanted["metadata"]["annotations"][THEIRS], "yes")
        self.assertEqual(wanted["spec"]["template"]["priorityClassName"], "theirs")

        for what, (path, value) in REVERTED.items():
            with self.subTest(what):
                self.edit("podcliqueset", "g", path, value)
                self.until_content("podcliqueset", "g", wanted)
        self.assert_settled()
        self.assertEqual(self.names("podcliques"), ["g-0-decode", "g-0-frontend", "other-0-decode", "other-0-frontend"])
        self.until_content("podcliqueset", "g", wanted)
        # One write reverts one edit. After that of the hash, which hides that the spec is the same, another one
        # corrects the recorded generation, unless the next edit comes first.
        self.assertIn(self.written()[("podcliquesets", "g")], (len(REVERTED), len(REVERTED) + 1))

    def delete_set(self, cascade):
        self.run_graphs(simple())
        pods, wanted = self.uids_of_both(), content(self.kubectl.get("podcliqueset", "g"))
        self.delete("podcliqueset", "g", f"--cascade={cascade}")
        self.until_replaced(pods)
        self.assert_settled()
        self.assertEqual(content(self.kubectl.get("podcliqueset", "g")), wanted)
        self.assertEqual(self.written()[("podcliquesets", "g")], 1)

    def test_deleted_set_is_created_again(self):
        self.delete_set("background")

    def test_set_deleted_in_foreground_is_created_again(self):
        self.delete_set("foreground")

    def test_disowned_objects_are_reported_and_left_alone(self):
        self.run_graphs(simple())
        pods = self.uids_of_both()
        disowned = ("podcliqueset", "g"), ("service", "g-decode")
        owners = self.kubectl.get("podcliqueset", "g")["metadata"]["ownerReferences"]
        for each in disowned:
            self.merge(*each, {"metadata": {"ownerReferences": None}})
        for kind, name in (("PodCliqueSet", "g"), ("Service", "g-decode")):
            wait_until(f"a word of {name}", lambda what=f"{kind} {name} must be free": what in self.condition(
                "dgd", "g", "Ready").get("message", ""), SOON)
        self.assertEqual(self.condition("dgd", "g", "Ready")["reason"], "name_is_taken")
        self.assert_writes_nothing(QUIET_SECONDS)
        for each in disowned:
            self.merge(*each, {"metadata": {"ownerReferences": owners}})
        self.until_all_are_successful("g")
        # Grove's objects are not ours.
        self.merge("podclique", "g-0-decode", {"metadata": {"ownerReferences": None}})
        self.assert_settled()
        self.assertEqual(self.uids_of_both(), pods)
        self.assertEqual(set(self.written()), {("dynamographdeployments", "g")})

    def test_deleted_disowned_objects_are_created_again(self):
        self.run_graphs(simple())
        for resource, name in (("service", "g-decode"), ("podcliqueset", "g")):
            self.merge(resource, name, {"metadata": {"ownerReferences": None}})
            wait_until("the refusal", lambda: self.state_of() == "failed", SOON)
            self.delete(resource, name)
            self.until_all_are_successful("g")
        self.assert_settled()

    # --- Replica counts.

    def test_foreign_scaling_is_reverted(self):
        made = simple()
        made["spec"]["services"]["Decode"]["replicas"] = 2
        del made["spec"]["services"]["Frontend"]["replicas"]
        self.run_graphs(made)
        for count in (4, 0):
            self.scale("podclique", "g-0-decode", count)
            self.until_scaled("podclique", "g-0-decode", 2)
        # A service without replicas keeps the count that it has.
        self.scale("podclique", "g-0-frontend", 2)
        self.assert_settled(decode=2, frontend=2)
        self.assertEqual(self.written()[("podcliques", "g-0-decode")], 2)

        def scale_often():
            writer = Writer(self.state)
            path = f"{grove.API_VERSION}/namespaces/{self.namespace}/podcliques/g-0-decode/scale"
            self.answers = [writer.merge(path, {"spec": {"replicas": 4 + number}})[0] for number in range(20)]
            writer.close()

        other = threading.Thread(target=scale_often)
        other.start()
        self.decode(replicas=3)
        other.join()
        self.assertEqual(self.answers, [200] * 20)
        self.until_scaled("podclique", "g-0-decode", 3)
        self.assert_settled(decode=3, frontend=2)
        self.assertEqual(self.kubectl.get("podcliqueset", "g")["spec"]["template"]["cliques"][0]["spec"]["replicas"], 3)

    def test_foreign_scaling_of_a_group_is_reverted(self):
        self.run_graphs(in_groups())
        self.scale("podcliquescalinggroup", "g-0-decode", 2)
        self.until_scaled("podcliquescalinggroup", "g-0-decode", 1)
        self.assert_settled(decode=3, frontend=1)
        self.assertEqual(self.written()[("podcliquescalinggroups", "g-0-decode")], 1)

    # --- Pods and cliques.

    def test_deleted_pods_and_cliques_return(self):
        self.run_graphs(simple())
        pods = self.uids_of_both()
        self.kubectl.must("delete", "pods", "--wait=false", "--selector", "nvidia.com/dynamo-graph-deployment-name=g")
        self.until_replaced(pods)
        self.assert_settled()
        self.decode(replicas=2)
        self.until_ready("g-decode", 2)
        self.delete("podclique", "g-0-decode")
        self.assert_settled(decode=2, frontend=1)
        self.assertEqual(self.kubectl.get("podclique", "g-0-decode")["spec"]["replicas"], 2)
        self.assertLessEqual(set(self.written()), {
            ("dynamographdeployments", "g"), ("podcliquesets", "g"), ("podcliques", "g-0-decode")})

    # --- Its other objects.

    def define_pools(self):
        names = groups.define(self.admin, grove.definitions(), "inferencepools")
        self.addCleanup(self.admin.run, "delete", "crd", *names, "--timeout", f"{SOON}s")

    def run_graph_with_all_objects(self):
        """Returns the names of its objects, by those of EDITS."""
        self.define_pools()
        self.kubectl.must("create", "serviceaccount", "epp-serviceaccount")
        self.run_graphs(with_all_objects())
        model, = [name for name in self.names("services") if name.startswith("dynamo-model-")]
        return {(resource, name): model if name == "MODEL" else name for resource, name in EDITS}

    def assert_each_was_written_once(self, pods):
        self.assert_settled(decode=1, frontend=1, epp=1)
        self.assertEqual(self.uids_of_both(), pods)
        written = {key: count for key, count in self.written().items() if key != ("dynamographdeployments", "g")}
        self.assertEqual(set(written.values()), {1}, written)
        self.assertEqual(len(written), len(EDITS))

    def test_edits_of_other_objects_are_reverted(self):
        names, pods = self.run_graph_with_all_objects(), self.uids_of_both()
        for (resource, edited), (path, value) in EDITS.items():
            name = names[(resource, edited)]
            with self.subTest(f"{resource} {name}"):
                self.merge(resource, name, {"metadata": {"annotations": {THEIRS: "yes"}}})
                wanted = content(self.kubectl.get(resource, name))
                self.edit(resource, name, path, value)
                self.until_content(resource, name, wanted)
        self.assert_each_was_written_once(pods)

    def test_other_objects_are_created_again(self):
        names, pods = self.run_graph_with_all_objects(), self.uids_of_both()
        for (resource, _), name in names.items():
            with self.subTest(f"{resource} {name}"):
                wanted = content(self.kubectl.get(resource, name))
                self.delete(resource, name)
                self.until_content(resource, name, wanted)
        self.assert_each_was_written_once(pods)

    # --- While no reconciler runs, and many at once.

    def test_changes_during_downtime_are_reverted(self):
        self.run_graphs(simple(), name="first")
        wanted = {each: content(self.kubectl.get(*each)) for each in (("podcliqueset", "g"), ("service", "g-frontend"))}
        self.kill("first")
        self.edit("podcliqueset", "g", *REVERTED["image"])
        self.edit("podcliqueset", "g", *REVERTED["replicas of a clique"])
        self.edit("service", "g-frontend", *EDITS[("service", "g-frontend")])
        self.kubectl.must("delete", "service", "g-decode")
        self.scale("podclique", "g-0-frontend", 3)
        wait_until("pods of their image", lambda: self.images() == {OTHER_IMAGE}, LONG)
        self.start("second")
        for (resource, name), each in wanted.items():
            self.until_content(resource, name, each)
        wait_until("pods of the graph's image", lambda: OTHER_IMAGE not in self.images(), LONG)
        self.assert_settled("second")
        self.assertIn("g-decode", self.names("services"))
        self.assertEqual(self.written()[("podcliquesets", "g")], 1)

    def test_graph_survives_a_storm_of_edits(self):
        self.run_graphs(simple())
        grove_path = f"{grove.API_VERSION}/namespaces/{self.namespace}"
        edits = (
            lambda number: (f"nvidia.com/v1alpha1/namespaces/{self.namespace}/dynamographdeployments/g", {
                "spec": {"services": {"Decode": {"replicas": 1 + number % 3}}}}),
            lambda number: (f"{grove_path}/podcliquesets/g", {
                "spec": {"replicas": 2, "template": {"terminationDelay": f"{number + 1}m"}},
                "metadata": {"annotations": {THEIRS: str(number)}}}),
            lambda number: (f"{grove_path}/podcliques/g-0-decode/scale", {"spec": {"replicas": 4 + number % 3}}))
        count = 30
        answers = [[] for _ in edits]

        def write(edit, statuses):
            writer = Writer(self.state)
            statuses += [writer.merge(*edit(number))[0] for number in range(count)]
            writer.close()

        writers = [threading.Thread(target=write, args=each) for each in zip(edits, answers)]
        for each in writers:
            each.start()
        for each in writers:
            each.join()
        self.assertEqual(answers, [[200] * count] * len(edits))
        last = 1 + (count - 1) % 3
        self.until_scaled("podclique", "g-0-decode", last)
        self.assert_settled(decode=last, frontend=1)
        found = self.kubectl.get("podcliqueset", "g")
        self.assertEqual(found["metadata"]["annotations"][THEIRS], str(count - 1))
        self.assertEqual((found["spec"]["replicas"], found["spec"]["template"]["terminationDelay"]), (1, "15m0s"))
        self.assertEqual(found["spec"]["template"]["cliques"][0]["spec"]["replicas"], last)
