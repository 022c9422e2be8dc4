"""The controller of requests in dynamo-reconciler on a real API server, with the rights of deploy/rbac: from a
request to a successful graph, and each input that has no graph as its result. One reconciler serves all
requests of a test."""

from .graph_fixture import SOON, frontend, simple
from .request_fixture import (ACCOUNT, ALL, RESULT_KEY, RequestTest, config_map, documents, generated, request,
                              result_of)
from .status_fixture import COMPLETE, FAILED, OBSERVED_RETRY, RETRY, WAITING
from .support import IMAGE, NO_HOST, graph, thing, wait_until, worker

LARGEST = 2 ** 20  # bytes of a ConfigMap that an API server stores
LONGEST_NAME = 63 - len("profile-")
TERMINATED = {"exitCode": 137, "reason": "OOMKilled", "startedAt": "2025-01-01T00:00:00Z",
              "finishedAt": "2025-01-01T00:01:00Z"}


def of_profiler(state):
    """The statuses of a pod's containers, with this state of the profiler."""
    return [{"name": "profiler", "image": IMAGE, "imageID": "", "ready": False, "restartCount": 0, "state": state}]


def bomb():
    """Ten levels of ten aliases each."""
    lines = ["a0: &a0 x"] + [f"a{at}: &a{at} [{', '.join([f'*a{at - 1}'] * 10)}]" for at in range(1, 10)]
    return "\n".join(lines) + "\n"


def denied():
    """A graph that breaks a rule in two services."""
    return graph("denied", {"One": worker(**NO_HOST), "Two": worker(**NO_HOST)})


def annotated(name, size):
    large = simple(name)
    large["metadata"]["annotations"] = {"example.com/large": "x" * size}
    return large


def without(value, *path):
    """The object without the member at the path."""
    *parents, last = path
    here = value
    for each in parents:
        here = here[each]
    del here[last]
    return value


# Results that create nothing: the text (or None, if there is no ConfigMap), and words of the condition.
UNUSABLE = {
    "missing": (None, ('there must be a ConfigMap "dgdr-output-missing"', "found none", "output-copier")),
    "empty": ("", ("ConfigMap dgdr-output-empty", RESULT_KEY, "found an empty text")),
    "no-yaml": ("kind: [\n", ("found none, and a document that is no YAML",)),
    "bomb": (bomb(), ("ConfigMap dgdr-output-bomb", "with aliases expanded")),
    "no-graph": (documents(config_map("c", a="b")), ("must hold a DynamoGraphDeployment; found none",)),
    "group": (documents(simple("g") | {"apiVersion": "example.com/v1"}),
              ('of nvidia.com/v1alpha1; found "example.com/v1"',)),
    "spec": (documents(without(simple("g"), "spec")), ("with a spec; found none",)),
    "name": (documents(without(simple("g"), "metadata", "name")), ("the generated graph must have a name",)),
    "large": (documents(annotated("g", 600_000)), ("at most 500000 bytes", "found 6")),
    "many": (documents(simple("g"), *(config_map(f"c{at}") for at in range(100))), ("at most 100 documents",)),
    "more": (documents(simple("g"), config_map("c", a="x" * 250_000)), ("at most 250000 bytes",)),
    "denied": (documents(denied()), ("must be admitted", "spec.services[One].ingress.host",
                                     "spec.services[Two].ingress.host")),
}


class Requests(RequestTest):
    # --- Success.

    def test_requests_end_in_successful_graphs(self):
        self.start(controllers="request,graph,component")
        overrides = {"name": "prod", "labels": {"team": "a", "dgdr.nvidia.com/name": "spoofed"},
                     "annotations": {"example.com/b": "2"}}
        self.create_all(request("auto", autoApply=True, overrides=overrides), request("manual"),
                        request("mocked", useMocker=True))
        self.until_states(auto="Profiling", manual="Profiling", mocked="Profiling")
        for name in ("auto", "manual", "mocked"):
            owner, = self.kubectl.get("job", f"profile-{name}")["metadata"]["ownerReferences"]
            self.assertEqual((owner["kind"], owner["name"], owner["blockOwnerDeletion"]),
                             ("DynamoGraphDeploymentRequest", name, True))
        self.create_all(result_of("auto", generated("made")), result_of("manual", generated("applied")),
                        result_of("mocked", generated("simulated"), "mocker_config_with_planner.yaml"))
        self.set_job(COMPLETE, "auto", "manual", "mocked")
        self.until_states(manual="Ready", mocked="Ready")
        self.assertEqual(self.status_of("manual")["profilingResults"], "configmap/dgdr-output-manual")
        wait_until("the automatic graph", lambda: self.names("dgd") == ["prod"], SOON)
        self.make(self.status_of("manual")["generatedDeployment"])
        self.until_successful("prod", "applied")
        self.until_states(auto="Ready", manual="Ready")
        self.until_condition("auto", "DeploymentReady", "True", "DeploymentReady")
        labels = self.kubectl.get("dgd", "prod")["metadata"]["labels"]
        self.assertEqual({name: labels.get(name) for name in (
            "team", "dgdr.nvidia.com/name", "dgdr.nvidia.com/namespace", "nvidia.com/managed-by")}, {
                "team": "a", "dgdr.nvidia.com/name": "auto", "dgdr.nvidia.com/namespace": self.namespace,
                "nvidia.com/managed-by": "dynamo-operator"})
        self.assertEqual(self.condition("dgdr", "manual", "DeploymentReady"), {})
        self.assertEqual({each["type"]: each["status"] for each in self.status_of("auto")["conditions"]},
                         {"Profiling": "True", "SpecGenerated": "True", "DeploymentReady": "True"})
        for reason in ("Initialized", "ProfilingJobCreated", "SpecGenerated", "DeploymentCreated", "DeploymentReady"):
            self.until_event("auto", reason)
        # A graph outlives its request.
        self.kubectl.must("delete", "dgdr", "auto", "--timeout", f"{SOON}s")
        self.assertIn("prod", self.names("dgd"))

    def test_state_of_the_graph_is_mirrored(self):
        self.start()
        self.create_all(request("r", autoApply=True))
        self.profile({"r": generated("g")})
        wait_until("the graph", lambda: self.names("dgd") == ["g"], SOON)
        for state, reached, status, reason in (
                ("successful", "Ready", "True", "DeploymentReady"),
                ("failed", "Deploying", "False", "DeploymentDegraded"),
                ("successful", "Ready", "True", "DeploymentReady")):
            self.set_graph("g", state)
            self.until_states(r=reached)
            self.until_condition("r", "DeploymentReady", status, reason)
            self.assertEqual(self.status_of("r")["deployment"], {
                "created": True, "name": "g", "namespace": self.namespace, "state": state})
        self.kubectl.must("delete", "dgd", "g")
        self.until_states(r="DeploymentDeleted")
        self.until_event("r", "DeploymentDeleted", f"{self.namespace}/g")
        self.assertEqual(self.names("dgd"), [])

    # --- Results.

    def test_unusable_results_create_nothing(self):
        self.start("reconciler", *ALL)
        self.create_all(*(request(name, autoApply=True) for name in UNUSABLE))
        self.until_states(**dict.fromkeys(UNUSABLE, "Profiling"))
        # No API server stores a larger result: the Job fails with the reason of its container output-copier.
        refused = self.create(result_of("missing", "x" * LARGEST + "x"))
        self.assertIn("Too long", refused.stderr)
        self.publish({name: text for name, (text, _) in UNUSABLE.items() if text is not None})
        self.set_job(COMPLETE, *UNUSABLE)
        self.until_states(**dict.fromkeys(UNUSABLE, "Failed"))
        for name, (_, words) in UNUSABLE.items():
            with self.subTest(name):
                self.until_condition(name, "SpecGenerated", "False", "GenerationFailed", *words)
                self.until_condition(name, "Profiling", "True", "ProfilingCompleted")
                self.until_event(name, "GenerationFailed", words[0])
                self.assertNotIn("generatedDeployment", self.status_of(name))
        self.assertEqual(self.names("dgd"), [])
        self.assertEqual(self.names("configmaps"), sorted(
            f"dgdr-output-{name}" for name, (text, _) in UNUSABLE.items() if text is not None))

        # A retry profiles again and uses the new result.
        before = self.uid_of_job("bomb")
        self.retry("bomb")
        wait_until("another Job", lambda: self.uid_of_job("bomb") not in (None, before), SOON)
        self.assertNotIn("dgdr-output-bomb", self.names("configmaps"))
        self.profile({"bomb": generated("g")})
        wait_until("the graph", lambda: self.names("dgd") == ["g"], SOON)
        annotations = self.kubectl.get("dgdr", "bomb")["metadata"]["annotations"]
        self.assertEqual((annotations[RETRY], annotations[OBSERVED_RETRY]), ("now", "now"))

    def test_unusual_results_are_used(self):
        self.start("reconciler", *ALL)
        self.create_all(*(request(name, autoApply=True) for name in ("elsewhere", "kinds", "large", "last")),
                        request("unnamed"))
        elsewhere = simple("elsewhere")
        elsewhere["metadata"]["namespace"] = "default"
        theirs = config_map("kept", a="theirs")
        self.create_all(theirs)
        kinds = documents(
            config_map("extra", a="b"), {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}},
            {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "r"}},
            config_map("kept", a="generated"), simple("kinds"))
        large = generated("large") + "\n#"
        self.profile({"elsewhere": documents(elsewhere), "kinds": kinds,
                      "large": large + "x" * (LARGEST - len(large) - len(RESULT_KEY)),
                      "last": documents(denied(), simple("last")),
                      "unnamed": documents(without(simple("unnamed"), "metadata", "name"))})
        wait_until("the graphs", lambda: self.names("dgd") == ["elsewhere", "kinds", "large", "last"], SOON)
        self.until_condition("elsewhere", "SpecGenerated", "True", "SpecGenerated",
                             'names namespace "default" for DynamoGraphDeployment "elsewhere"',
                             f'it is created in "{self.namespace}", the namespace of the request')
        self.until_event("elsewhere", "SpecGenerated", 'names namespace "default"')
        # A user who applies the graph names it.
        self.until_states(unnamed="Ready")
        self.until_condition("unnamed", "SpecGenerated", "True", "SpecGenerated", "with a metadata.name")
        self.assertNotIn("name", self.status_of("unnamed")["generatedDeployment"].get("metadata", {}))
        self.until_event("kinds", "ResourceNotCreated", "Secret s", "ClusterRole r")
        self.until_condition("kinds", "SpecGenerated", "True", "SpecGenerated", "Secret s, ClusterRole r must be created")
        self.assertEqual(self.kubectl.get("configmap", "kept")["data"], theirs["data"])
        extra = self.kubectl.get("configmap", "extra")
        self.assertEqual((extra["data"], extra["metadata"]["labels"]["dgdr.nvidia.com/name"]), ({"a": "b"}, "kinds"))
        self.assertFalse(self.kubectl.run("get", "secret", "s").ok)
        more = self.kubectl.get("dgdr", "kinds")["metadata"]["annotations"]["dgdr.nvidia.com/additional-resources"]
        self.assertEqual(more.count("\n---\n"), 3)

    # --- Jobs.

    def test_failed_profilers_are_reported_with_reason(self):
        self.start("reconciler", *ALL)
        names = ("killed", "evicted", "no-image", "no-pod", "deleted")
        self.create_all(*(request(name) for name in names))
        self.until_states(**dict.fromkeys(names, "Profiling"))
        self.create_pod("killed", {"phase": "Failed", "containerStatuses": of_profiler({"terminated": TERMINATED})})
        self.create_pod("evicted", {"phase": "Failed", "reason": "Evicted", "message": "The node was low on memory."})
        self.create_pod("no-image", {"phase": "Pending", "containerStatuses": of_profiler({"waiting": {
            "reason": "ImagePullBackOff", "message": "Back-off pulling image"}})})
        self.set_job(FAILED, "killed", "evicted")
        self.set_job(WAITING, "no-image", "no-pod")
        self.kubectl.must("delete", "job", "profile-deleted")

        for name, words in {
                "killed": ("specified backoff limit", "exit code 137, reason OOMKilled"),
                "evicted": ("specified backoff limit", "reason Evicted: The node was low on memory."),
                "deleted": ("there must be a Job profile-deleted", "it was deleted")}.items():
            with self.subTest(name):
                self.until_states(**{name: "Failed"})
                self.until_condition(name, "Profiling", "False", "ProfilingFailed", *words)
                self.until_event(name, "ProfilingCheckFailed", *words)
        for name, words in {"no-image": ("reason ImagePullBackOff",),
                            "no-pod": ("it has no pod", "describe job profile-no-pod")}.items():
            with self.subTest(name):
                self.until_condition(name, "Profiling", "False", "ProfilingRunning", *words)
                self.until_event(name, "ProfilingPodWaits", *words)
        # Both recover when the obstacle disappears, and a failed one by a retry.
        self.profile({"no-image": generated("g"), "no-pod": generated("h")})
        self.until_states(**{"no-image": "Ready", "no-pod": "Ready"})
        self.retry("killed", "deleted")
        self.profile({"killed": generated("i"), "deleted": generated("j")})
        self.until_states(killed="Ready", deleted="Ready")

    def obey_quota(self, probe):
        """No Job can be created. No quota controller runs here."""
        hard = {"count/jobs.batch": "1"}
        self.make({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "few"}, "spec": {"hard": hard}})
        self.merge("resourcequota", "few", {"status": {"hard": hard, "used": hard}}, "--subresource", "status")
        wait_until("the quota being obeyed", lambda: "exceeded quota" in self.kubectl.run(
            "create", "--dry-run=server", "--filename", "-", stdin=probe).stderr, SOON)

    def test_refused_jobs_are_retried(self):
        foreign = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "profile-taken"},
                   "spec": {"suspend": True, "template": {"spec": {
                       "restartPolicy": "Never", "containers": [{"name": "c", "image": IMAGE}]}}}}
        self.create_all(foreign)
        probe = {**foreign, "metadata": {"name": "probe"}}
        self.obey_quota(probe)
        self.start("reconciler", *ALL)
        self.create_all(request("taken"), request("many"))
        self.until_condition("many", "Profiling", "False", "JobCreationFailed", "exceeded quota: few")
        self.until_condition("taken", "Profiling", "False", "NameTaken", "Job profile-taken")
        self.until_event("many", "ProfilingJobFailed", "exceeded quota: few")
        self.until_states(many="Pending", taken="Pending")
        self.assertEqual(self.names("jobs"), ["profile-taken"])
        self.assertTrue(self.kubectl.get("job", "profile-taken")["spec"]["suspend"])
        self.kubectl.must("delete", "resourcequota/few", "job/profile-taken")
        wait_until("the quota being forgotten", lambda: self.kubectl.run(
            "create", "--dry-run=server", "--filename", "-", stdin=probe).ok, SOON)
        # The request that waits for the name needs no change of its own.
        self.wake("many")
        self.until_states(many="Profiling", taken="Profiling")
        self.until_condition("many", "Profiling", "False", "ProfilingRunning", "profile-many")

    def test_missing_cluster_role_is_awaited(self):
        role = f"profiling-{self.namespace}"
        self.kubectl.must("delete", "serviceaccount", ACCOUNT)
        self.start("reconciler", "--kubeconfig", self.state.kubeconfig, *ALL,
                   "--dgdr-profiling-cluster-role-name", role, everywhere=True)
        self.create_all(request("r"))
        self.until_condition("r", "Profiling", "False", "JobCreationFailed", f'there must be a ClusterRole "{role}"')
        self.until_states(r="Pending")
        self.assertEqual(self.names("jobs"), [])
        self.addCleanup(self.admin.must, "delete", "clusterrole", role)
        self.admin.must("create", "clusterrole", role, "--verb", "get", "--resource", "pods")
        self.until_states(r="Profiling")
        binding = self.kubectl.get("rolebinding", f"{ACCOUNT}-binding")
        self.assertEqual((binding["roleRef"]["name"], binding["subjects"][0]["name"]), (role, ACCOUNT))
        self.assertIn(ACCOUNT, self.names("serviceaccount"))
        # Without the account, the Job creates no pod.
        self.kubectl.must("delete", "serviceaccount", ACCOUNT)
        self.set_job(WAITING, "r")
        self.until_condition("r", "Profiling", "False", "ProfilingRunning", "it has no pod")

    def test_missing_account_is_reported(self):
        """In one namespace its administrator creates the account, and the Job creates no pod without it."""
        self.kubectl.must("delete", "serviceaccount", ACCOUNT)
        self.start()
        self.create_all(request("r"))
        self.until_states(r="Profiling")
        self.assertNotIn(ACCOUNT, self.names("serviceaccount"))
        self.set_job(WAITING, "r")
        words = ("it has no pod; its events give the reason", f"kubectl -n {self.namespace} describe job profile-r")
        self.until_condition("r", "Profiling", "False", "ProfilingRunning", *words)
        self.until_event("r", "ProfilingPodWaits", *words)
        self.kubectl.must("create", "serviceaccount", ACCOUNT)
        self.profile({"r": generated("g")})
        self.until_states(r="Ready")

    # --- Requests.

    def test_unready_requests_fail_until_retried(self):
        cache = {"deployment": {"modelCache": {"pvcName": "models"}}}
        fits, too_long = "f" * LONGEST_NAME, "l" * (LONGEST_NAME + 1)
        self.start("reconciler", *ALL)
        self.create_all(config_map("keyless", other="x"),
                        request("base", profiling={"configMapRef": {"name": "base", "key": "mine.yaml"}}),
                        request("key", profiling={"configMapRef": {"name": "keyless"}}), request("cache", config=cache),
                        request(fits), request(too_long))
        self.until_states(**{name: "Failed" for name in ("base", "key", "cache", too_long)}, **{fits: "Profiling"})
        for name, words in {
                "base": ("spec.profilingConfig.configMapRef", 'found no ConfigMap "base"'),
                "key": ("spec.profilingConfig.configMapRef", 'found no key "disagg.yaml"'),
                "cache": ("deployment.modelCache.pvcName", 'found no PersistentVolumeClaim "models"'),
                too_long: ("metadata.name", "at most 63 characters; found 64")}.items():
            with self.subTest(name):
                self.until_condition(name, "Validation", "False", "ValidationFailed", *words)
                self.until_event(name, "ValidationFailed", *words)
                self.assertNotIn("observedGeneration", self.status_of(name))
        self.assertEqual(self.names("jobs"), [f"profile-{fits}"])

        self.create_all(config_map("base", **{"mine.yaml": "x"}), {
            "apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "models"}, "spec": {
                "accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "1Gi"}}}})
        self.merge("configmap", "keyless", {"data": {"disagg.yaml": "x"}})
        self.retry("base", "key", "cache", too_long)
        self.until_states(base="Profiling", key="Profiling", cache="Profiling")
        wait_until("the end of the retry", lambda: OBSERVED_RETRY in self.kubectl.get(
            "dgdr", too_long)["metadata"].get("annotations", {}), SOON)
        self.until_states(**{too_long: "Failed"})

    def edit(self, model, *names):
        for name in names:
            self.merge("dgdr", name, {"spec": {"model": model}})

    def model_of_job(self, name):
        arguments = self.kubectl.get("job", f"profile-{name}")["spec"]["template"]["spec"]["containers"][0]["args"]
        return next(line for line in arguments[1].splitlines() if line.strip().startswith("model:"))

    def test_edits_after_profiling_are_rejected(self):
        self.start("reconciler", *ALL)
        names = ("profiling", "deploying", "ready", "deleted", "failed")
        self.create_all(*(request(name, autoApply=name != "ready") for name in names))
        self.until_states(**dict.fromkeys(names, "Profiling"))
        self.profile({name: generated(name) for name in ("deploying", "ready", "deleted")})
        self.set_job(FAILED, "failed")
        wait_until("the graphs", lambda: self.names("dgd") == ["deleted", "deploying"], SOON)
        wait_until("the deployment", lambda: self.status_of("deleted").get("deployment"), SOON)
        self.kubectl.must("delete", "dgd", "deleted")
        self.until_states(profiling="Profiling", deploying="Deploying", ready="Ready", deleted="DeploymentDeleted",
                          failed="Failed")
        self.retry("ready")
        self.until_event("ready", "RetryIgnored", '"Ready"')

        self.edit("another/model", *names)
        for name, state in {"profiling": "Profiling", "deploying": "Deploying", "ready": "Ready",
                            "deleted": "DeploymentDeleted"}.items():
            with self.subTest(state):
                self.until_event(name, "SpecChangeRejected", f"found generation 2 in state {state}")
                self.assertEqual(self.status_of(name)["observedGeneration"], 1)
                self.assertEqual(self.states()[name], state)
        # A failed request accepts the edit.
        self.until_states(failed="Profiling")
        self.assertIn("another/model", self.model_of_job("failed"))
        self.assertEqual(self.status_of("failed")["observedGeneration"], 2)
        # The result of the first generation is not used after an edit.
        self.profile({"profiling": generated("profiling"), "failed": generated("failed")})
        wait_until("the other graph", lambda: "failed" in self.names("dgd"), SOON)
        self.until_states(profiling="Profiling")
        self.assertNotIn("profiling", self.names("dgd"))

    def test_edits_before_acceptance_are_used(self):
        self.create_all(request("valid"), request("invalid"), request("repaired", profiling={"profilerImage": ""}))
        self.edit("another/model", "valid")
        for name, image in {"invalid": "", "repaired": IMAGE}.items():
            self.merge("dgdr", name, {"spec": {"profilingConfig": {"profilerImage": image}}})
        self.assertEqual(self.states(), {"valid": "", "invalid": "", "repaired": ""})
        self.start("reconciler", *ALL)
        self.until_states(valid="Profiling", invalid="Failed", repaired="Profiling")
        self.assertIn("another/model", self.model_of_job("valid"))
        for name in ("valid", "repaired"):
            self.assertEqual(self.status_of(name)["observedGeneration"], 2)
        self.until_condition("invalid", "Validation", "False", "ValidationFailed", "spec.profilingConfig.profilerImage")
        self.assertEqual(self.names("jobs"), ["profile-repaired", "profile-valid"])
        for name in ("valid", "invalid", "repaired"):
            self.assertEqual(self.events_of(name, "SpecChangeRejected"), [])

    def test_edits_before_profiling_are_used(self):
        no_image = {"profilingConfig": {"profilerImage": ""}}
        self.start("reconciler", "--max-profiling-jobs", "1")
        self.create_all(request("first"))
        self.until_states(first="Profiling")
        self.create_all(request("next"))
        self.until_condition("next", "Profiling", "False", "WaitingForProfilingSlot", "--max-profiling-jobs")
        self.edit("another/model", "next")
        self.set_job(FAILED, "first")
        self.until_states(first="Failed", next="Profiling")
        self.assertIn("another/model", self.model_of_job("next"))
        self.assertEqual(self.status_of("next")["observedGeneration"], 2)

        # An invalid edit of a pending request, and a valid one of a request that was invalid from the start.
        self.create_all(request("pending"), request("new", profiling=no_image["profilingConfig"]))
        self.until_condition("pending", "Profiling", "False", "WaitingForProfilingSlot")
        self.merge("dgdr", "pending", {"spec": no_image})
        # It is reported while all slots are taken.
        self.until_states(next="Profiling", pending="Failed", new="Failed")
        self.set_job(FAILED, "next")
        self.until_states(next="Failed")
        for name in ("pending", "new"):
            self.until_condition(name, "Validation", "False", "ValidationFailed", "spec.profilingConfig.profilerImage")
        self.merge("dgdr", "new", {"spec": {"profilingConfig": {"profilerImage": IMAGE}}})
        self.until_states(new="Profiling")
        self.assertEqual(self.names("jobs"), ["profile-first", "profile-new", "profile-next"])

    # --- Graphs.

    def test_graphs_of_others_are_not_changed(self):
        theirs = graph("theirs", {"Frontend": frontend()}, labels={"their": "own"})
        other = thing("DynamoGraphDeployment", "owned", theirs["spec"], ownerReferences=[{
            "apiVersion": "example.com/v1", "kind": "Owner", "name": "o", "controller": True,
            "uid": "00000000-0000-4000-8000-000000000000"}])
        self.create_all(theirs, other)
        before = {each["metadata"]["name"]: each["metadata"]["resourceVersion"]
                  for each in self.kubectl.get("dgd")["items"]}
        self.start("reconciler", *ALL)
        shared = {"autoApply": True, "overrides": {"name": "shared"}}
        self.create_all(request("theirs", autoApply=True), request("owned", autoApply=True), request("one", **shared))
        self.profile({name: generated(name) for name in ("theirs", "owned", "one")})
        wait_until("the shared graph", lambda: self.status_of("one").get("deployment"), SOON)
        self.create_all(request("two", **shared))
        self.profile({"two": generated("two")})
        self.until_condition("two", "DeploymentReady", "False", "NameTaken", f"{self.namespace}/shared",
                             f"request {self.namespace}/one")
        self.until_event("two", "DeploymentCreationFailed", f"request {self.namespace}/one")
        self.assertNotIn("deployment", self.status_of("two"))

        self.until_condition("owned", "DeploymentReady", "False", "NameTaken", f"{self.namespace}/owned", "Owner o")
        self.assertNotIn("deployment", self.status_of("owned"))

        # A graph without an owner is followed.
        wait_until("the graph being followed", lambda: self.status_of("theirs").get("deployment"), SOON)
        self.assertEqual({each["metadata"]["name"]: each["metadata"]["resourceVersion"] for each in
                          self.kubectl.get("dgd")["items"] if each["metadata"]["name"] in before}, before)
        self.set_graph("theirs", "successful")
        self.until_states(theirs="Ready", owned="Deploying", two="Deploying")

        # The graph is free as soon as its request is deleted.
        self.kubectl.must("delete", "dgdr", "one", "--timeout", f"{SOON}s")
        wait_until("the graph being followed", lambda: self.status_of("two").get("deployment"), SOON)
        self.set_graph("shared", "successful")
        self.until_states(two="Ready")
        self.assertEqual(self.names("dgd"), ["owned", "shared", "theirs"])

    def test_refused_graph_is_retried(self):
        self.start("reconciler", *ALL)
        self.create_all(request("quota", autoApply=True),
                        request("elsewhere", autoApply=True, overrides={"namespace": "default"}))
        hard = {"count/dynamographdeployments.nvidia.com": "0"}
        self.make({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "few"}, "spec": {"hard": hard}})
        self.merge("resourcequota", "few", {"status": {"hard": hard, "used": hard}}, "--subresource", "status")

        def is_refused():
            return "exceeded quota" in self.create(simple("probe"), "--dry-run=server").stderr

        wait_until("the quota being obeyed", is_refused, SOON)
        self.profile({"quota": generated("g"), "elsewhere": generated("h")})
        self.until_condition("quota", "DeploymentReady", "False", "DeploymentCreationFailed", "exceeded quota: few")
        self.until_condition("elsewhere", "DeploymentReady", "False", "DeploymentCreationFailed",
                             "spec.deploymentOverrides.namespace", '"default"')
        self.until_states(quota="Deploying", elsewhere="Deploying")
        self.kubectl.must("delete", "resourcequota", "few")
        wait_until("the quota being forgotten", lambda: not is_refused(), SOON)
        self.wake("quota")
        wait_until("the graph", lambda: self.names("dgd") == ["g"], SOON)
        self.until_condition("quota", "DeploymentReady", "False", "DeploymentCreated")
