"""Requests on Kubernetes' own controllers, scheduler and nodes, from `kubectl apply` to ready pods. Pods of Jobs
complete without running, so the tests write what a profiler would leave."""

from .graph_fixture import SOON
from .request_fixture import ACCOUNT, RequestHelpers, generated, request
from .running_graphs import LONG, RunningGraphTest
from .support import wait_until


class RunningRequests(RequestHelpers, RunningGraphTest):
    def test_requests_end_in_running_graphs(self):
        self.start()
        self.make(request("auto", autoApply=True), request("manual"))
        self.until_states(auto="Profiling", manual="Profiling")
        # The Jobs create their pods when the account exists, which complete at once.
        self.publish({"auto": generated("a"), "manual": generated("m")})
        self.kubectl.must("create", "serviceaccount", ACCOUNT)
        self.until_states(LONG, manual="Ready")
        self.make(self.status_of("manual")["generatedDeployment"])
        wait_until("the automatic graph", lambda: self.names("dgd") == ["a", "m"], LONG)
        self.until_all_are_successful("a", "m")
        self.until_states(LONG, auto="Ready", manual="Ready")
        self.until_condition("auto", "DeploymentReady", "True", "DeploymentReady")
        for component in ("a-decode", "a-frontend", "m-decode", "m-frontend"):
            self.until_ready(component, 1)
        self.assertEqual(self.names("jobs"), ["profile-auto", "profile-manual"])

        # The garbage collector deletes the Job with its request, and the graph stays.
        self.kubectl.must("delete", "dgdr", "auto", "--timeout", f"{SOON}s")
        wait_until("one Job", lambda: self.names("jobs") == ["profile-manual"], LONG)
        self.until_ready("a-decode", 1)
