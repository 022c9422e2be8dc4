"""Admission behind the definitions of the later generation, by the webhooks that the chart registers for it: writes of either
version by create, apply, server-side apply and edit, with defaults, denials and warnings in the client's version."""

import json
import re
import shutil

import yaml

from harness import certificates, post_render
from harness.chart import CHARTS, OPERATOR, Helm, without_platform
from harness.watcher import Watcher

from .conversion_upgrade_test import PLURALS, VERSIONS
from .graph_fixture import definition
from .support import (IMAGE, ORIGIN_VERSION, ClusterTest, HarnessError, graph, planner_of, takes_long, thing, total, wait_until, warnings_of,
                      webhook)

NAME = "later-admission"
DEFINED = f"{PLURALS['graph']}.nvidia.com"
GRAPHS = {version: f"dynamographdeployments.{version}.nvidia.com" for version in VERSIONS}
REQUESTS = "dynamo_webhook_conversion_requests_total"
PROVIDER, ENABLE_GROVE = "nvidia.com/workload-provider", "nvidia.com/enable-grove"
FLOATING = IMAGE.rpartition(":")[0] + ":latest"
SERVED_SECONDS = 60
DELETED_SECONDS = 180
BAD_POD = {"priorityClassName": "High_Priority"}
# The server only looks for the group.
GROVE = definition("grove.io", "v1alpha1", "podcliquesets", "PodCliqueSet")


def later(kind, name, spec, **metadata):
    return {**thing(kind, name, spec, **metadata), "apiVersion": "nvidia.com/v1beta1"}


def service(image=IMAGE, pod=None, **more):
    """A service that every rule accepts; `pod` has fields of its pod other than the containers."""
    return {"componentType": "worker", "extraPodSpec": {"mainContainer": {"image": image}, **(pod or {})}, **more}


def component(image=IMAGE, pod=None, **more):
    """The same in v1beta1."""
    return {"type": "worker", "podTemplate": {"spec": {"containers": [{"name": "main", "image": image}], **(pod or {})}}, **more}


def graph_of(version, name, annotations=None, **more):
    """A graph of one worker, with these arguments of service() or component()."""
    spec, metadata = {"backendFramework": "vllm"}, {"annotations": annotations} if annotations else {}
    if version == "v1alpha1":
        return graph(name, {"worker": service(**more)}, spec, **metadata)
    return later("DynamoGraphDeployment", name, {**spec, "components": [{"name": "worker", **component(**more)}]}, **metadata)


def stream_of(*objects):
    """The objects as one input of kubectl, which would validate those of a List itself."""
    return "\n---\n".join(map(json.dumps, objects))


def other(version):
    return VERSIONS[1 - VERSIONS.index(version)]


def field(version, name):
    """A field of the graph's worker."""
    return {"v1alpha1": f"spec.services[worker].{name}", "v1beta1": f"spec.components[0].{name}"}[version]


class LaterDefinitionsTest(ClusterTest):
    """The later definitions, the chart's webhooks of this generation, and our server behind both."""

    GENERATION = "later"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.create_until_end(GROVE)
        wait_until("Grove being discovered", lambda: cls.discovered("grove.io").get("podcliquesets"), SERVED_SECONDS)
        cls.server = webhook.start(cls.state, cls.state.facts["webhook_binary"], NAME, (
            "--shutdown-delay", "0s", "--kubeconfig", cls.state.kubeconfig, "--operator-generation", cls.GENERATION))
        cls.addClassCleanup(cls.state.stop, NAME)
        cls.definitions = {kind: cls.admin.get("crd", f"{plural}.nvidia.com") for kind, plural in PLURALS.items()}
        cls.addClassCleanup(cls.restore)
        for plural in PLURALS.values():
            cls.define_later(plural)
        wait_until("the later version", lambda: all(map(cls.is_served, PLURALS.values())), SERVED_SECONDS)
        cls.forget_versions()
        if cls.GENERATION == "auto":
            # A server reads once a minute what is served.
            cls.state.restart(NAME)
        wait_until("the generation being known", cls.knows_generation, SERVED_SECONDS)
        for each in cls.configurations():
            cls.create_until_end(each)

    @classmethod
    def create_until_end(cls, each):
        cls.admin.must("create", "--filename", "-", stdin=each)
        cls.addClassCleanup(cls.admin.run, "delete", each["kind"], each["metadata"]["name"])

    @classmethod
    def called(cls, path):
        """The clientConfig of our server."""
        return {"service": None, "url": f"https://127.0.0.1:{cls.server['port']}{path}",
                "caBundle": certificates.base64_of(cls.server["authority"])}

    @classmethod
    def define_later(cls, plural):
        text = (CHARTS / f"dynamo-crds/later/nvidia.com_{plural}.yaml").read_text(encoding="utf-8")
        spec = json.loads(text.partition("\n")[2])["spec"]
        spec["conversion"]["webhook"]["clientConfig"] = cls.called("/convert")
        cls.admin.must("patch", "crd", f"{plural}.nvidia.com", "--type", "merge", "--patch", json.dumps({"spec": spec}))

    @classmethod
    def is_served(cls, plural):
        try:
            return (all(cls.admin.read(f"/apis/nvidia.com/{version}/namespaces/default/{plural}") for version in VERSIONS)
                    and cls.discovered("nvidia.com").get(plural) == "nvidia.com/v1beta1")
        except HarnessError:
            return False

    @classmethod
    def discovered(cls, group):
        """The preferred version of each resource."""
        lines = cls.admin.run("api-resources", "--api-group", group, "--no-headers").stdout.splitlines()
        return {words[0]: words[-3] for words in map(str.split, lines)}

    @classmethod
    def knows_generation(cls):
        try:
            return webhook.scrape(cls.server).get('dynamo_webhook_operator_generation{generation="later"}') == 1
        except OSError:
            return False

    @classmethod
    def configurations(cls):
        """Those of the chart, for the namespaces of this class, with the address of our server."""
        values = without_platform({"webhook": {"operatorGeneration": cls.GENERATION, "operatorVersion": webhook.OPERATOR_VERSION}})
        text = Helm(cls.state).must("template", "later", OPERATOR, "--show-only", "templates/webhook/configurations.yaml",
                                    values=values)
        for each in yaml.safe_load_all(text):
            post_render.change(each, cls.server["port"], NAME)
            for row in each["webhooks"]:
                row["clientConfig"] = cls.called(row["clientConfig"]["service"]["path"])
            yield each

    @classmethod
    def restore(cls):
        """Only new definitions can serve fewer versions than objects were stored in."""
        names = [each["metadata"]["name"] for each in cls.definitions.values()]
        cls.admin.must("delete", "crd", *names, "--wait=false")
        wait_until("the later definitions being deleted", lambda: not set(names) & {
            each["metadata"]["name"] for each in cls.admin.get("crd")["items"]}, DELETED_SECONDS)
        for each in cls.definitions.values():
            metadata = {key: value for key, value in each["metadata"].items() if key in ("name", "labels", "annotations")}
            cls.admin.must("create", "--filename", "-", stdin={
                "apiVersion": each["apiVersion"], "kind": each["kind"], "metadata": metadata, "spec": each["spec"]})
        cls.admin.until_established(*names)
        cls.forget_versions()

    @classmethod
    def forget_versions(cls):
        """kubectl keeps the served versions for minutes."""
        shutil.rmtree(cls.state.directory / "kubectl-cache", ignore_errors=True)

    def setUp(self):
        super().setUp()
        self.use_namespace(NAME)
        self.wait_validated()
        self.addCleanup(self.assert_no_conversion_failed)

    def use_namespace(self, validator):
        """A new one, whose label the API server knows from the first write on."""
        self.namespace = self.new_namespace(validator, {webhook.VALIDATED_BY: validator})
        self.kubectl = self.admin.within(self.namespace)

    def wait_validated(self):
        """Waits until graphs of the namespace get defaults and are denied for their mistakes."""
        def dry_run(**more):
            path = f"{self.path('v1beta1', 'graph')}?dryRun=All"
            return self.kubectl.run("create", "--raw", path, "--filename", "-", stdin=graph_of("v1beta1", "probe", **more))

        wait_until("the API server calling both webhooks", lambda: (
            ORIGIN_VERSION in dry_run().stdout and "is invalid" in dry_run(frontendSidecar="none").stderr), SERVED_SECONDS)

    def path(self, version, kind):
        return f"/apis/nvidia.com/{version}/namespaces/{self.namespace}/{PLURALS[kind]}"

    def assert_no_conversion_failed(self):
        self.assertEqual(total(webhook.scrape(self.server), REQUESTS, status="failure"), 0)

    def read(self, version, name, kind="graph"):
        return self.admin.read(f"{self.path(version, kind)}/{name}")

    def workers(self, name):
        """The graph's only worker, in both versions."""
        return self.read("v1alpha1", name)["spec"]["services"]["worker"], self.read("v1beta1", name)["spec"]["components"][0]

    def replicas(self, name):
        return [each["replicas"] for each in self.workers(name)]

    def edit(self, version, name, before, after):
        return self.kubectl.run("edit", GRAPHS[version], name, editor=f"sed -i 's/{before}/{after}/'")

    def change(self, version, name, values, user=None):
        """Patches fields of the graph's worker in this version."""
        kind, patch = "merge", {"spec": {"services": {"worker": values}}}
        if version == "v1beta1":
            kind = "json"
            patch = [{"op": "add", "path": f"/spec/components/0/{key}", "value": value} for key, value in values.items()]
        kubectl = self.kubectl.impersonating(user) if user else self.kubectl
        return kubectl.run("patch", GRAPHS[version], name, "--type", kind, "--patch", json.dumps(patch))

    def assert_defaulted(self, name, provider="grove"):
        for version in VERSIONS:
            found = self.read(version, name)["metadata"]["annotations"]
            self.assertEqual((found[ORIGIN_VERSION], found[PROVIDER]), (webhook.OPERATOR_VERSION, provider), version)
        for found in self.workers(name):
            self.assertEqual((found["replicas"], found.get("minAvailable")), (1, 1 if provider == "grove" else None), found)

    def assert_denied(self, result, name, path, rule):
        """Asserts that one line names the object, with this field and no other rule."""
        line, = [each for each in result.stderr.splitlines() if f'"{name}" is invalid: ' in each]
        self.assertRegex(line, rf'"{name}" is invalid: \[?{re.escape(path)}: ')
        self.assertEqual(re.findall(r"\[([a-z]+(?:[.-][a-z-]+)+)\]", line), [rule] if rule else [], line)

    def assert_warned(self, result, rule, *, is_old):
        """Asserts one warning of this rule, next to the API server's own for the older version."""
        found = warnings_of(result.stderr)
        self.assertEqual(sum(each.endswith(f"[{rule}]") for each in found), 1, str(result))
        self.assertEqual(any("is deprecated; use nvidia.com/v1beta1" in each for each in found), is_old, str(result))


@takes_long
class LaterAdmission(LaterDefinitionsTest):
    def test_writes_of_either_version_are_defaulted(self):
        self.assert_accepted(self.create(stream_of(
            *(graph_of(version, f"created-{version}") for version in VERSIONS),
            *(graph_of(version, f"alone-{version}", {ENABLE_GROVE: "false", PROVIDER: "grove"}) for version in VERSIONS),
            thing("DynamoComponentDeployment", "part", service()),
            later("DynamoComponentDeployment", "named", {"name": "", **component()}),
            later("DynamoGraphDeploymentRequest", "request", {"model": "Qwen/Qwen3-32B"}))))
        for version in VERSIONS:
            with self.subTest(version):
                self.assert_defaulted(f"created-{version}")
                self.assert_defaulted(f"alone-{version}", "component")
        for name in ("part", "named"):
            self.assertEqual(self.read("v1beta1", name, "component")["spec"]["name"], name)
        image = f"nvcr.io/nvidia/ai-dynamo/dynamo-planner:{webhook.OPERATOR_VERSION}"
        self.assertEqual(self.read("v1beta1", "request", "request")["spec"]["image"], image)
        self.assertEqual(self.read("v1alpha1", "request", "request")["spec"]["profilingConfig"]["profilerImage"], image)

    def test_changes_of_either_version_are_watched_in_both(self):
        self.assert_accepted(self.create(stream_of(*(graph_of(version, f"created-{version}") for version in VERSIONS))))
        seen = {version: self.watch(version) for version in VERSIONS}
        for version in VERSIONS:
            with self.subTest(version):
                self.assert_edited_and_applied(version)
        wanted = [(kind, f"{name}-{version}", replicas) for version in VERSIONS for kind, name, replicas in (
            ("MODIFIED", "created", 2), ("ADDED", "applied", 1), ("MODIFIED", "applied", 3), ("ADDED", "managed", 1),
            ("MODIFIED", "managed", 3))]
        wait_until("the changes", lambda: all(each == wanted for each in seen.values()), 20)

    def watch(self, version):
        """The changes from now on, each with the replicas of the worker in this version."""
        seen = []

        def changed(kind, each):
            spec = each["spec"]
            worker = spec["services"]["worker"] if version == "v1alpha1" else spec["components"][0]
            seen.append((kind, each["metadata"]["name"], worker["replicas"]))

        watcher = Watcher(self.state, self.path(version, "graph"), changed)
        self.addCleanup(watcher.stop)
        self.addCleanup(lambda: self.assertIsNone(watcher.failure))
        return seen

    def assert_edited_and_applied(self, version):
        """A graph of this version, edited in the other one; files that move from this version to the other one."""
        self.assert_accepted(self.edit(other(version), f"created-{version}", "replicas: 1", "replicas: 2"))
        self.assertEqual(self.replicas(f"created-{version}"), [2, 2])
        team = ("--server-side", "--field-manager", "team")
        for name, options in ((f"applied-{version}", ()), (f"managed-{version}", team)):
            self.assert_accepted(self.apply(graph_of(version, name), *options))
            self.assert_defaulted(name)
            self.assert_accepted(self.apply(graph_of(other(version), name, replicas=3), *options))
            self.assertEqual(self.replicas(name), [3, 3])
        before = self.read("v1beta1", name)["metadata"]["resourceVersion"]
        self.assert_accepted(self.apply(graph_of(other(version), name, replicas=3), *team))
        self.assertEqual(self.read("v1beta1", name)["metadata"]["resourceVersion"], before)
        refused = self.apply(graph_of(version, name, replicas=9), "--server-side", "--field-manager", "others")
        self.assertIn('conflict with "team"', refused.stderr)

    def test_mistakes_are_denied_once_in_version_of_client(self):
        request = {"model": "Qwen/Qwen3-32B", "backend": "trtllm"}
        floating = {"profilingConfig": {"profilerImage": FLOATING, "config": {"sla": {"ttft": 200.5}}}}
        bad = {
            "a": (graph_of("v1alpha1", "a", ingress={"enabled": True}), field("v1alpha1", "ingress.host"), "hub.alpha.service"),
            "b": (graph_of("v1alpha1", "b", image=FLOATING), field("v1alpha1", "runtimeVersionOverride"), "hub.alpha.runtime-image"),
            "c": (graph_of("v1beta1", "c", image=FLOATING), field("v1beta1", "runtimeVersionOverride"), "hub.runtime.image"),
            "d": (graph_of("v1beta1", "d", frontendSidecar="none"), field("v1beta1", "frontendSidecar"), "hub.component.frontend-sidecar"),
            "e": (graph_of("v1alpha1", "e", pod=BAD_POD), field("v1alpha1", "extraPodSpec.priorityClassName"), "pod.references"),
            "f": (graph_of("v1beta1", "f", pod=BAD_POD), field("v1beta1", "podTemplate.spec.priorityClassName"), "pod.references"),
            "g": (thing("DynamoComponentDeployment", "g", service(ingress={"enabled": True})), "spec.ingress.host", "hub.alpha.service"),
            "h": (later("DynamoComponentDeployment", "h", {"name": "h", **component(sharedMemorySize="-1Gi")}),
                  "spec.sharedMemorySize", "hub.component.shared-memory"),
            "i": (thing("DynamoGraphDeploymentRequest", "i", {**request, **floating}), "spec.runtimeVersionOverride",
                  "hub.request.runtime-version"),
            "j": (later("DynamoGraphDeploymentRequest", "j", {"model": "Qwen/Qwen3-32B", "searchStrategy": "thorough"}),
                  "spec.searchStrategy", "hub.request.search-strategy"),
            # By the definitions, before a webhook is called.
            "k": (graph_of("v1beta1", "k", eppConfig={"configMapRef": {"name": "a", "key": "b"}}), "spec.components[0]", None),
            "l": (graph_of("v1alpha1", "l", minAvailable=2), "spec.services[worker]", None),
            "m": (graph_of("v1beta1", "m", **{"type": "engine"}), "spec.components[0].type", None)}
        result = self.create(stream_of(*(each for each, *_ in bad.values()), graph_of("v1alpha1", "chat", dynamoNamespace="own")))
        for name, (_, path, rule) in bad.items():
            with self.subTest(f"{path} [{rule}]"):
                self.assert_denied(result, name, path, rule)
        self.assert_warned(result, "hub.alpha.deprecated", is_old=True)
        self.assertEqual(self.replicas("chat"), [1, 1])
        for version in VERSIONS:
            with self.subTest("edit", version=version):
                refused = self.edit(version, "chat", "Framework: vllm", "Framework: sglang")
                self.assertFalse(refused.ok, str(refused))
                self.assertIn(f'error: {DEFINED} "chat" is invalid', refused.stderr)
                self.assert_warned(refused, "hub.backend.fixed", is_old=version == "v1alpha1")

    def test_stored_mistakes_allow_updates_elsewhere(self):
        self.use_namespace(webhook.NO_WEBHOOK)
        self.assert_accepted(self.create(stream_of(*(
            graph_of(version, f"old-{version}", {PROVIDER: "grove"}, image=FLOATING, pod=BAD_POD) for version in VERSIONS))))
        self.admin.must("label", "--overwrite", "namespace", self.namespace, f"{webhook.VALIDATED_BY}={NAME}")
        self.wait_validated()
        for version in VERSIONS:
            name = f"old-{version}"
            for changed in VERSIONS:
                with self.subTest(name, changed=changed):
                    refused = self.change(changed, name, {"multinode": {"nodeCount": 2}, "replicas": 3})
                    self.assert_refused(refused, (field(changed, "multinode"), "hub.component.node-class"))
            self.assert_accepted(self.change(other(version), name, {"replicas": 2}))
            self.assertEqual([(each["replicas"], each["minAvailable"]) for each in self.workers(name)], [(2, 1), (2, 1)])
            self.assertNotIn(ORIGIN_VERSION, self.read(version, name)["metadata"]["annotations"])

    def test_only_planner_changes_scaled_replicas(self):
        adapter = {"v1alpha1": {"enabled": True}, "v1beta1": {}}
        names = [f"scaled-{version}" for version in VERSIONS]
        self.assert_accepted(self.create(stream_of(*(
            graph_of(version, f"scaled-{version}", scalingAdapter=adapter[version]) for version in VERSIONS))))
        for version in VERSIONS:
            name, changed = f"scaled-{version}", other(version)
            with self.subTest(name):
                self.assert_refused(self.change(changed, name, {"replicas": 3}), (field(changed, "replicas"), "hub.component.replicas"))
                self.assert_accepted(self.change(changed, name, {"replicas": 4}, planner_of(self.namespace)))
                self.assertEqual(self.replicas(name), [4, 4])
                self.admin.within(self.namespace).must(
                    "patch", DEFINED, name, "--subresource", "status", "--type", "merge", "--patch", '{"status": {"state": "pending"}}')
                self.assertEqual(self.read("v1alpha1", name)["status"]["state"], "pending")
        self.assert_accepted(self.kubectl.run("delete", GRAPHS["v1alpha1"], *names))


@takes_long
class DetectedGeneration(LaterDefinitionsTest):
    GENERATION = "auto"

    def test_detected_generation_validates_either_version(self):
        bad = {"a": (graph_of("v1alpha1", "a", ingress={"enabled": True}), field("v1alpha1", "ingress.host"), "hub.alpha.service"),
               "b": (graph_of("v1beta1", "b", frontendSidecar="none"), field("v1beta1", "frontendSidecar"),
                     "hub.component.frontend-sidecar")}
        result = self.create(stream_of(
            *(each for each, *_ in bad.values()), *(graph_of(version, f"good-{version}") for version in VERSIONS)))
        for name, (_, path, rule) in bad.items():
            self.assert_denied(result, name, path, rule)
        for version in VERSIONS:
            with self.subTest(version):
                self.assert_defaulted(f"good-{version}")
                self.assert_accepted(self.change(other(version), f"good-{version}", {"replicas": 2}))
                self.assertEqual(self.replicas(f"good-{version}"), [2, 2])
