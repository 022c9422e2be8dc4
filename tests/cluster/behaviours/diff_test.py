"""The output of `kubectl dynamo diff` for a manifest, from files and from the cluster, matches the
effect of its apply: which objects are created, changed and deleted, and whose pods are replaced."""

import copy
import json
import os
import subprocess

from harness.programs import program

from .graph_fixture import INTENT, KINDS, GraphTest, frontend
from .support import IMAGE, graph, takes_long, wait_until, webhook, worker

OTHER_IMAGE = IMAGE.rpartition(":")[0] + ":0.8.2"
ORIGIN = "nvidia.com/dynamo-operator-origin-version"
BOOKKEEPING = (INTENT, "nvidia.com/last-applied-hash", "nvidia.com/last-applied-generation")
SIGNS = {"+": "made", "~": "changed", "-": "gone"}


def start(spec):
    del spec


def other_image(spec):
    spec["services"]["Decode"]["extraPodSpec"]["mainContainer"]["image"] = OTHER_IMAGE


def more_replicas(spec):
    spec["services"]["Decode"]["replicas"] = 3


def a_variable_of_all(spec):
    spec["envs"] = [{"name": "OF_ALL", "value": "yes"}]


def another_value(spec):
    spec["envs"] = [{"name": "OF_ALL", "value": "no"}]


def labels_of_one(spec):
    spec["services"]["Decode"] |= {"labels": {"team": "blue"}, "annotations": {"stage": "one"}}


def resources(spec):
    spec["services"]["Frontend"]["resources"] = {"requests": {"cpu": "2", "memory": "1Gi"}}


def equivalent_spec(spec):
    spec["services"]["Frontend"]["resources"] = {"requests": {"memory": "1024Mi", "cpu": "2000m"}}


def an_ingress(spec):
    spec["services"]["Frontend"]["ingress"] = {
        "enabled": True, "host": "chat", "ingressControllerClassName": "nginx"}


def another_host(spec):
    spec["services"]["Frontend"]["ingress"]["host"] = "talk"


def no_ingress(spec):
    del spec["services"]["Frontend"]["ingress"]


def an_adapter(spec):
    spec["services"]["Decode"]["scalingAdapter"] = {"enabled": True}


def no_adapter(spec):
    del spec["services"]["Decode"]["scalingAdapter"]


def a_claim(spec):
    spec["pvcs"] = [{"name": "models", "create": True, "size": "1Gi", "storageClass": "s",
                     "volumeAccessMode": "ReadWriteMany"}]
    spec["services"]["Decode"]["volumeMounts"] = [{"name": "models", "mountPoint": "/models"}]


def no_claim(spec):
    del spec["pvcs"], spec["services"]["Decode"]["volumeMounts"]


def a_restart(spec):
    spec["restart"] = {"id": "r1"}


def nothing_more(spec):
    del spec


def several_at_once(spec):
    spec["services"]["Frontend"]["replicas"] = 2
    spec["services"]["Decode"]["envs"] = [{"name": "OF_ONE", "value": "x"}]
    spec["services"]["Decode"]["replicas"] = 1


EDITS = (start, start, other_image, more_replicas, a_variable_of_all, another_value, labels_of_one,
         resources, equivalent_spec, an_ingress, another_host, no_ingress, an_adapter,
         no_adapter, a_claim, no_claim, several_at_once)
# Edits whose effect depends on cluster state: the restart annotation of the components.
IN_A_CLUSTER = (a_restart, nothing_more)


def essence(thing):
    """The parts of an object that our apply decides."""
    kept = {key: value for key, value in thing.items() if key not in ("metadata", "status")}
    metadata = thing["metadata"]
    kept["labels"] = metadata.get("labels")
    kept["annotations"] = {key: value for key, value in metadata.get("annotations", {}).items()
                           if key not in BOOKKEEPING}
    return kept


def template(thing):
    return thing["spec"]["template"] if thing["kind"] == "Deployment" else None


class Diff(GraphTest):
    def setUp(self):
        super().setUp()
        self.checker = program("kubectl-dynamo")

    def diff(self, manifest, *options, environment=None):
        return subprocess.run([str(word) for word in (self.checker, "diff", "--filename", "-", *options)],
                              input=json.dumps(manifest), capture_output=True, text=True, timeout=30,
                              check=False, env=None if environment is None else os.environ | environment)

    def planned_from_files(self, manifest, stored):
        if stored is None:
            return self.planned(manifest)
        old = self.state.directory / f"{self.namespace}-old.json"
        old.write_text(json.dumps(stored))
        return self.planned(manifest, "--old", old)

    def planned_from_cluster(self, manifest):
        return self.planned(manifest, "--kubeconfig", self.state.kubeconfig)

    def planned(self, manifest, *options):
        """{"Kind/name": change}, and the names of the objects whose pods are replaced."""
        done = self.diff(manifest, *options)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        changes, rolls = {}, set()
        for line in done.stdout.splitlines()[1:]:
            sign, kind, name, *rest = line.split(maxsplit=3)
            name = f"{kind}/{name.removesuffix(':')}"
            changes[name] = SIGNS[sign]
            if rest and rest[0].startswith("rolls"):
                rolls.add(name)
        return changes, rolls

    def existing_objects(self):
        """The existing objects, except those that only wait for a garbage collector, which this
        cluster lacks."""
        items = self.kubectl.get(KINDS)["items"]
        while True:
            there = {each["metadata"]["uid"] for each in items}
            left = [each for each in items if all(
                owner["uid"] in there for owner in each["metadata"].get("ownerReferences", ()))]
            if len(left) == len(items):
                break
            items = left
        return {f"{each['kind']}/{each['metadata']['name']}": each for each in items
                if each["kind"] != "DynamoGraphDeployment"}

    def done(self, before, after):
        changes = {name: "made" for name in after.keys() - before.keys()}
        changes |= {name: "gone" for name in before.keys() - after.keys()}
        both = before.keys() & after.keys()
        changes |= {name: "changed" for name in both
                    if essence(before[name]) != essence(after[name])}
        return changes, {name for name in both if template(before[name]) != template(after[name])}

    @takes_long
    def test_diff_matches_the_effect_of_apply(self):
        self.start()
        manifest = graph("g", {"Frontend": frontend(), "Decode": worker()},
                         {"backendFramework": "vllm"}, namespace=self.namespace)
        stored, before = None, {}
        for edit in EDITS + IN_A_CLUSTER:
            with self.subTest(edit.__name__):
                manifest = copy.deepcopy(manifest)
                edit(manifest["spec"])
                planned = self.planned_from_cluster(manifest)
                if edit not in IN_A_CLUSTER:
                    self.assertEqual(planned, self.planned_from_files(manifest, stored))
                self.make(manifest)
                self.until_successful("g")
                if edit is a_restart:  # Sequential: the graph is successful between services, too.
                    self.until_restarted("r1")
                self.settled()
                after = self.existing_objects()
                stored = self.kubectl.get("dgd", "g")
                made, before = self.done(before, after), after
                self.assertEqual(planned, made)

    def validated(self):
        """From now on the cluster's webhook validates writes in the namespace."""
        self._label(f"{webhook.VALIDATED_BY}-")
        wait_until("the API server validating the namespace", lambda: "is invalid" in self.kubectl.run(
            "create", "--dry-run=server", "-f", "-", stdin=graph("probe", {})).stderr, 60)

    def test_unchanged_graph_has_no_changes(self):
        """The webhook has annotated it, and so has another client; an apply does not change either
        annotation."""
        self.validated()
        self.start()
        for name, how in {"client": ("apply",), "server": ("apply", "--server-side"), "made": ("create",)}.items():
            with self.subTest(how):
                manifest = graph(name, {"Frontend": frontend(), "Decode": worker()}, {"backendFramework": "vllm"},
                                 namespace=self.namespace)
                self.kubectl.must(*how, "-f", "-", stdin=manifest)
                self.until_successful(name)
                self.assertIn(ORIGIN, self.kubectl.get("dgd", name)["metadata"].get("annotations", {}))
                self.kubectl.must("label", "dgd", name, "team=blue")
                empty = manifest | {"metadata": manifest["metadata"] | {"annotations": {}}}
                for each in (manifest, empty):
                    self.assertEqual(self.planned_from_cluster(each), ({}, set()))
                    # Like kubectl: the current context of the environment's kubeconfig.
                    done = self.diff(each, environment={"KUBECONFIG": str(self.state.kubeconfig)})
                    self.assertEqual((done.returncode, done.stderr, done.stdout),
                                     (0, "", f"DynamoGraphDeployment {name}: no object changes\n"))
                more = copy.deepcopy(manifest)
                more["spec"]["services"]["Decode"]["replicas"] = 2
                self.assertEqual(self.planned_from_cluster(more)[0].get(f"Deployment/{name}-decode"), "changed")

    def test_diff_reports_conflicting_objects(self):
        self.make({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "g-frontend"},
                   "spec": {"ports": [{"port": 80}]}})
        done = self.diff(graph("g", {"Frontend": frontend()}, {"backendFramework": "vllm"}, namespace=self.namespace),
                         "--kubeconfig", self.state.kubeconfig)
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot be created: Service g-frontend must be free to be created; found an object without an owner",
                      done.stderr)
        self.assertIn("+ Deployment g-frontend\n", done.stdout)
        self.assertNotIn("Service g-frontend\n", done.stdout)

    def test_unreachable_cluster_is_reported_in_one_line(self):
        done = self.diff(graph("g", {"Frontend": frontend()}, namespace=self.namespace),
                         "--kubeconfig", self.state.kubeconfig, "--context", "nowhere")
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
