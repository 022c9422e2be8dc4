"""Running graphs: from `kubectl apply` to ready pods and back, with dynamo-reconciler as the only
operator, on Kubernetes' own controllers, scheduler and nodes."""

from .graph_fixture import SOON, frontend, simple
from .running_graphs import LONG, OTHER_IMAGE, RunningGraphTest
from .metrics import MetricsOfPods
from .support import IMAGE, REPOSITORY, graph, takes_long, thing, wait_until, worker

QUIET_SECONDS = 60
BUSY = "nvidia.com/dynamo-component=Decode,nvidia.com/dynamo-graph-deployment-name=g"


def scaled():
    return graph("g", {"Frontend": frontend(), "Decode": worker(
        scalingAdapter={"enabled": True}, resources={"requests": {"cpu": "1", "memory": "1Gi"}})},
        {"backendFramework": "vllm"})


def autoscaler():
    """A target of half the requested CPU, with immediate scale-down."""
    return {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "g"},
            "spec": {"scaleTargetRef": {"apiVersion": "nvidia.com/v1alpha1", "name": "g-decode",
                                        "kind": "DynamoGraphDeploymentScalingAdapter"},
                     "minReplicas": 1, "maxReplicas": 6,
                     "behavior": {"scaleDown": {"stabilizationWindowSeconds": 0}},
                     "metrics": [{"type": "Resource", "resource": {
                         "name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}}}]}}


class RunningGraphs(RunningGraphTest):
    # --- Replica counts.

    def wait_for_replicas(self, wanted):
        """Checks the graph, the Deployment, its pods, and the reported counts."""
        self.until_ready("g-decode", wanted)

        def reported():
            services = self.kubectl.get("dgd", "g").get("status", {}).get("services", {})
            return services.get("Decode", {}).get("readyReplicas") == wanted

        wait_until(f"{wanted} replicas being reported", reported, SOON)
        self.until_all_are_successful("g")
        found = self.kubectl.get("dgd", "g")
        self.assertEqual(found["spec"]["services"]["Decode"]["replicas"], wanted)
        self.assertEqual(self.kubectl.get("deployment", "g-decode")["spec"]["replicas"], wanted)
        self.assertEqual(self.kubectl.get("dgdsa", "g-decode")["status"]["replicas"], wanted)

    def test_replica_count_reaches_the_pods(self):
        self.start()
        self.make(scaled())
        self.wait_for_replicas(1)
        frontends = self.until_ready("g-frontend", 1)
        for number in (3, 1):
            self.kubectl.must("scale", "dgdsa", "g-decode", "--replicas", str(number))
            self.wait_for_replicas(number)
        self.kubectl.must("scale", "dgdsa", "g-decode", "--replicas", "0")
        wait_until("no pods", lambda: not self.pods("g-decode"), SOON)
        self.until_all_are_successful("g")
        self.assertEqual(set(self.pods("g-frontend")), set(frontends))

    @takes_long
    def test_autoscaler_scales_pods_by_usage(self):
        metrics = MetricsOfPods(self)
        self.start()
        self.make(scaled())
        self.wait_for_replicas(1)
        metrics.use(millicores=1000)
        self.make(autoscaler())
        self.wait_for_replicas(2)
        wait_until("the autoscaler knowing the pods", lambda: self.kubectl.get("hpa", "g")["status"].get(
            "currentMetrics", [{}])[0].get("resource", {}).get("current", {}).get(
                "averageUtilization") == 50, SOON)
        metrics.use(millicores=1500)
        self.wait_for_replicas(3)
        metrics.use(millicores=300)
        self.wait_for_replicas(1)
        # It selects pods with the adapter's selector only.
        self.assertEqual(metrics.asked_for(), {(self.namespace, BUSY)})

    # --- Changes.

    def test_new_image_replaces_only_its_services_pods(self):
        self.start()
        self.make(simple(), simple("h"))
        self.until_all_are_successful("g", "h")
        before = {name: set(self.pods(name)) for name in ("g-decode", "g-frontend", "h-decode")}
        self.merge("dgd", "g", {"spec": {"services": {"Decode": {"extraPodSpec": {
            "mainContainer": {"image": OTHER_IMAGE}}}}}})

        def rolled():
            pods = self.pods("g-decode")
            return set(pods) != before["g-decode"] and {
                pod["spec"]["containers"][0]["image"] for pod in pods.values()} == {OTHER_IMAGE}

        wait_until("pods with the new image alone", rolled, LONG)
        self.until_all_are_successful("g", "h")
        for name in ("g-frontend", "h-decode"):
            self.assertEqual(set(self.pods(name)), before[name])
        wait_until("a word of it", lambda: self.notes("ServiceChanged") == [
            f'Service Decode: extraPodSpec.mainContainer.image is "{OTHER_IMAGE}" and was "{IMAGE}"'],
            SOON)

    def test_recreate_deletes_old_pods_first(self):
        self.start()
        placed = self.placed()
        placed["spec"]["services"]["Decode"]["annotations"] = {"nvidia.com/deployment-strategy": "Recreate"}
        self.make(placed)
        self.admit_pods()
        self.until_all_are_successful("g")
        old, frontends = set(self.pods("g-decode")), set(self.pods("g-frontend"))
        self.admit_no_more_pods()
        self.merge("dgd", "g", {"spec": {"services": {"Decode": {"extraPodSpec": {
            "mainContainer": {"image": OTHER_IMAGE}}}}}})
        # A rolling update would keep the old one, because the new one cannot be scheduled.
        wait_until("a new pod alone", lambda: len(set(self.pods("g-decode")) - old) == 1 and
                   not set(self.pods("g-decode")) & old, LONG)
        wait_until("the graph saying so", lambda: self.state_of() == "pending", SOON)
        self.admit_pods()
        self.until_all_are_successful("g")
        self.assertEqual(set(self.pods("g-frontend")), frontends)

    def test_deleted_objects_take_their_pods_along(self):
        self.start()
        self.make(simple(), simple("h"))
        self.until_all_are_successful("g", "h")
        self.merge("dgd", "g", {"spec": {"services": {"Frontend": None}}})
        wait_until("the service's pods being gone", lambda: not self.pods("g-frontend"), LONG)
        self.until_all_are_successful("g")
        self.kubectl.must("delete", "dgd", "g", "--timeout", f"{SOON}s")

        def left():
            return [name for name in self.names("dcd,deployments,replicasets,pods,services,roles,"
                                                "rolebindings,serviceaccounts") if name.startswith("g-")]

        wait_until("all of it being gone", lambda: not left(), LONG)
        self.assertEqual(len(self.until_ready("h-decode", 1)), 1)
        self.assertTrue(self.is_successful("h"))

    def test_refused_pods_are_reported_with_reason(self):
        self.make({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "few"},
                   "spec": {"hard": {"pods": "0"}}})
        wait_until("the quota being counted", lambda: "hard" in self.kubectl.get(
            "resourcequota", "few").get("status", {}), SOON)
        self.start()
        self.make(simple())
        for resource, name, kind in (("dcd", "g-decode", "Available"), ("dcd", "g-frontend", "Available"),
                                     ("dgd", "g", "Ready")):
            wait_until(f"a word of it in {resource}", lambda: "exceeded quota: few" in self.condition(
                resource, name, kind).get("message", ""), SOON)
        # Each attempt is refused with a different message, which must not cause writes.
        self.assert_writes_nothing(5)
        self.kubectl.must("delete", "resourcequota", "few")
        self.until_all_are_successful("g")

    # --- Restarts.

    def restarted_by(self):
        """The restart annotations of all pods."""
        return {pod["metadata"].get("annotations", {}).get("nvidia.com/restartAt")
                for name in ("g-decode", "g-frontend") for pod in self.pods(name).values()}

    def until_restart_is(self, **wanted):
        def is_reported():
            reported = self.kubectl.get("dgd", "g")["status"].get("restart", {})
            return all(reported.get(name) == value for name, value in wanted.items())

        wait_until(f"the restart {wanted}", is_reported, SOON)

    @takes_long
    def test_sequential_restart_superseded_during_downtime(self):
        self.start("first")
        self.make(self.placed())
        self.admit_pods()
        self.until_all_are_successful("g")
        self.admit_no_more_pods()
        self.restart("one")
        # Decode's old pod serves until the new one is ready, and Frontend waits for that.
        self.until_marked(decode="one", frontend=None)
        self.until_restart_is(phase="Restarting", observedID="one", inProgress=["Decode"])
        self.kill("first")
        self.restart("two")
        self.start("second")
        self.until_marked(decode="two", frontend=None)
        self.until_restart_is(phase="Restarting", observedID="two", inProgress=["Decode"])
        self.admit_pods()
        self.until_restarted("two")
        self.until_all_are_successful("g")
        wait_until("new pods alone", lambda: self.restarted_by() == {"two"}, SOON)

    def begin_a_parallel_restart(self):
        """Starts a restart of a running graph whose new pods cannot be scheduled."""
        self.make(self.placed())
        self.admit_pods()
        self.until_all_are_successful("g")
        self.admit_no_more_pods()
        self.restart("one", "Parallel")
        self.until_marked(decode="one", frontend="one")

    @takes_long
    def test_superseded_parallel_restart_completes(self):
        self.start()
        self.begin_a_parallel_restart()
        self.restart("two", "Parallel")
        self.until_marked(decode="two", frontend="two")
        self.until_restart_is(phase="Restarting", observedID="two", inProgress=["Decode", "Frontend"])
        self.admit_pods()
        self.until_restarted("two")
        self.until_all_are_successful("g")
        wait_until("new pods alone", lambda: self.restarted_by() == {"two"}, SOON)

    @takes_long
    def test_parallel_restart_continues_after_kill(self):
        self.start("first")
        self.begin_a_parallel_restart()
        self.kill("first")
        self.admit_pods()
        self.start("second")
        self.until_restarted("one")
        self.until_all_are_successful("g")
        wait_until("new pods alone", lambda: self.restarted_by() == {"one"}, SOON)

    # --- No unnecessary writes.

    @takes_long
    def test_nothing_is_written_for_a_minute(self):
        self.start()
        for name in ("vllm_agg", "sglang_agg", "vllm_planner", "model_base", "component_vllm_worker"):
            self.kubectl.must("apply", "--filename", REPOSITORY / f"deploy/samples/{name}.yaml")
        self.make({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "hf-token-secret"}},
                  {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "planner-profile-data"}},
                  # In one namespace, the chart creates it.
                  {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "planner-serviceaccount"}},
                  thing("DynamoGraphDeploymentScalingAdapter", "alone", {
                      "replicas": 1, "dgdRef": {"name": "vllm-agg", "serviceName": "Worker"}}))
        self.until_all_are_successful("vllm-agg", "sglang-agg", "vllm-planner")
        self.assert_writes_nothing(QUIET_SECONDS)
        self.assertTrue(self.is_successful("vllm-agg"))
