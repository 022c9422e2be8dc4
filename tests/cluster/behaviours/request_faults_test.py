"""The controller of requests with faults: each interrupted action is completed once, and the number of
profiling Jobs stays below its limit."""

import os
import signal
import threading

from harness import control_plane, processes
from harness.processes import RetryError
from harness.watcher import Watcher

from .graph_fixture import SOON, simple
from .request_fixture import ACCOUNT, ALL, RequestTest, config_map, documents, generated, request, result_of
from .status_fixture import COMPLETE, FAILED, OBSERVED_RETRY
from .support import takes_long, wait_until

LONG = 90
NAME = "reconciler"
STORM = 60
SLOTS = 5
LARGE_STORM = 500
DEFAULT_SLOTS = 10  # of --max-profiling-jobs
LARGE_STORM_SECONDS = 240
BATCH = 100  # requests that one kubectl creates
# Only one reconciler runs at a time, and none waits for the Lease of the one that was killed.
ALONE = ("--leader-elect=false",)
COLLECTIONS = {"requests": ("apis/nvidia.com/v1alpha1", "dynamographdeploymentrequests"),
               "graphs": ("apis/nvidia.com/v1alpha1", "dynamographdeployments"), "jobs": ("apis/batch/v1", "jobs"),
               "configmaps": ("api/v1", "configmaps"), "accounts": ("api/v1", "serviceaccounts"),
               "bindings": ("apis/rbac.authorization.k8s.io/v1", "rolebindings")}
OUTPUT = "dgdr-output-"
EXTRA = "extra-"  # of generated ConfigMaps
PREFIXES = ("profile-", OUTPUT, EXTRA)


def state_is(state):
    return lambda kind, each: each.get("status", {}).get("state") == state


def is_added(kind, _):
    return kind == "ADDED"


def is_deleted(kind, _):
    return kind == "DELETED"


def has_annotation(name):
    return lambda kind, each: name in each["metadata"].get("annotations", {})


# Where the reconciler is killed: the request, the collection, and the change that an action causes. Each
# request is profiled, and each but "failed" gets a graph and a ConfigMap; those of RETRIED are profiled twice.
KILLS = (
    ("finalizer", "requests", lambda kind, each: each["metadata"].get("finalizers")),
    ("pending", "requests", state_is("Pending")),
    ("outdated", "configmaps", lambda kind, each: is_deleted(kind, each) and each["metadata"]["name"].startswith(OUTPUT)),
    ("job", "jobs", is_added),
    ("profiling", "requests", state_is("Profiling")),
    ("annotated", "requests", has_annotation("dgdr.nvidia.com/additional-resources")),
    ("extra", "configmaps", lambda kind, each: is_added(kind, each) and each["metadata"]["name"].startswith(EXTRA)),
    ("deploying", "requests", state_is("Deploying")),
    ("graph", "graphs", is_added),
    ("created", "requests", lambda kind, each: each.get("status", {}).get("deployment", {}).get("created")),
    ("failed", "requests", state_is("Failed")),
    ("retried", "jobs", is_deleted),
    ("noted", "requests", has_annotation(OBSERVED_RETRY)),
    ("deleted", "requests", lambda kind, each: "deletionTimestamp" in each["metadata"]),
    ("removed", "requests", is_deleted),
)
RETRIED = ("retried", "noted")
DELETED = ("deleted", "removed")
# Where a cluster-wide reconciler is killed: it creates these before a Job, if they do not exist.
ACCESS_KILLS = (("account", "accounts"), ("binding", "bindings"))


def request_of(thing):
    """The name of the request of an object: requests and graphs have one name, and the others a prefix."""
    name = thing["metadata"]["name"]
    return next((name.removeprefix(each) for each in PREFIXES if name.startswith(each)), name)


def has_finished(job):
    return any(each["type"] in ("Complete", "Failed") and each["status"] == "True"
               for each in job.get("status", {}).get("conditions", []))


class RequestFaults(RequestTest):
    def follow(self, collection, changed):
        group, plural = COLLECTIONS[collection]
        watcher = Watcher(self.state, f"/{group}/namespaces/{self.namespace}/{plural}", changed)
        self.addCleanup(watcher.stop)
        return watcher

    # --- Kills.

    def restart_at(self, name, collection, is_moment, act):
        """Kills the reconciler at the first such change, which act() causes sooner or later, and restarts it."""
        killed = threading.Event()
        pid = self.state.process(NAME)["pid"]

        def changed(kind, each):
            if not killed.is_set() and is_moment(kind, each):
                os.kill(pid, signal.SIGKILL)
                killed.set()

        watcher = self.follow(collection, changed)

        def is_killed():
            act()
            return killed.is_set()

        with self.subTest(name):
            wait_until(f"the kill at {name}", is_killed, LONG)
            wait_until("its end", lambda: not processes.running(self.state.process(NAME)), SOON)
        watcher.stop()
        self.assertIsNone(watcher.failure)
        self.state.restart(NAME)

    def advance(self, name, ended):
        """Plays the profiler and the user of the request, once each."""
        state = self.states().get(name)
        if state == "Profiling" and (name, "profiled") not in ended:
            ended.add((name, "profiled"))
            if name in ("failed", *RETRIED) and (name, "retry") not in ended:
                self.set_job(FAILED, name)
            else:
                self.publish({name: documents(config_map(EXTRA + name, a="b"), simple(name))})
                self.set_job(COMPLETE, name)
        if state == "Failed" and (name, "retry") not in ended and name in RETRIED:
            ended.add((name, "retry"))
            ended.remove((name, "profiled"))
            self.retry(name)
        if name in DELETED and (name, "delete") not in ended and self.is_deployed(name):
            ended.add((name, "delete"))
            self.kubectl.must("delete", "dgdr", name, "--wait=false")

    def is_deployed(self, name):
        each = next((each for each in self.kubectl.get("dgdr")["items"] if each["metadata"]["name"] == name), {})
        return each.get("status", {}).get("deployment", {}).get("created", False)

    def is_over(self, name):
        if name == "failed":
            return self.states()[name] == "Failed"
        if name in DELETED:
            return name not in self.states()
        return self.is_deployed(name)

    @takes_long
    def test_killed_reconciler_creates_nothing_twice(self):
        added = {"jobs": [], "graphs": [], "configmaps": []}
        for collection, names in added.items():
            self.follow(collection, lambda kind, each, names=names: kind == "ADDED" and names.append(request_of(each)))
        ended = set()
        self.create_all(result_of("outdated", "of an earlier request"))
        self.start(NAME, *ALL, *ALONE)
        for name, collection, is_moment in KILLS:
            created = [request(name, autoApply=True)]

            def act(name=name, created=created):
                self.create_all(*created)
                created.clear()
                self.advance(name, ended)

            self.restart_at(name, collection, lambda kind, each, name=name, is_moment=is_moment: (
                request_of(each) == name and is_moment(kind, each)), act)

        def all_are_over():
            for name, *_ in KILLS:
                self.advance(name, ended)
            waiting = [name for name, *_ in KILLS if not self.is_over(name)]
            if waiting:
                raise RetryError(f"unfinished: {waiting}")
            return True

        wait_until("the end of all requests", all_are_over, LONG)
        names = sorted(name for name, *_ in KILLS)
        deployed = [name for name in names if name != "failed"]
        self.until_settled(added["jobs"])
        wait_until("the graphs", lambda: len(added["graphs"]) >= len(deployed), SOON)
        wait_until("the ConfigMaps", lambda: len(added["configmaps"]) > 2 * len(deployed), SOON)
        self.assertEqual(sorted(added["jobs"]), sorted([*names, *RETRIED, "last"]))
        self.assertEqual(sorted(added["graphs"]), deployed)
        self.assertEqual(self.names("dgd"), deployed)
        # The results that the test has written, and the generated ConfigMaps.
        self.assertEqual(sorted(added["configmaps"]), sorted([*deployed, *deployed, "outdated"]))

    @takes_long
    def test_killed_reconciler_completes_access_of_jobs(self):
        role = f"profiling-{self.namespace}"
        self.addCleanup(self.admin.must, "delete", "clusterrole", role)
        self.admin.must("create", "clusterrole", role, "--verb", "get", "--resource", "pods")
        jobs = []
        self.follow("jobs", lambda kind, each: kind == "ADDED" and jobs.append(request_of(each)))
        self.start(NAME, "--kubeconfig", self.state.kubeconfig, *ALL, *ALONE,
                   "--dgdr-profiling-cluster-role-name", role, everywhere=True)
        for name, collection in ACCESS_KILLS:
            self.kubectl.must("delete", f"serviceaccount/{ACCOUNT}", f"rolebinding/{ACCOUNT}-binding", "--ignore-not-found")
            created = [request(name)]

            def act(created=created):
                self.create_all(*created)
                created.clear()

            self.restart_at(name, collection, lambda kind, each: (
                is_added(kind, each) and each["metadata"]["name"].startswith(ACCOUNT)), act)
            self.until_states(LONG, **{name: "Profiling"})
            self.assertIn(ACCOUNT, self.names("serviceaccount"))
            binding = self.kubectl.get("rolebinding", f"{ACCOUNT}-binding")
            self.assertEqual((binding["roleRef"]["name"], binding["subjects"][0]["name"]), (role, ACCOUNT))
        self.until_settled(jobs)
        self.assertEqual(jobs, [*(name for name, _ in ACCESS_KILLS), "last"])

    def until_settled(self, jobs):
        """Waits until `jobs` has that of a request that is created after all others."""
        self.create_all(request("last"))
        wait_until("its Job", lambda: "last" in jobs, SOON)

    @takes_long
    def test_api_server_restart_creates_nothing_twice(self):
        added = {"jobs": [], "graphs": []}
        watchers = [self.follow(collection, lambda kind, each, names=names: (
            kind == "ADDED" and names.append(request_of(each)))) for collection, names in added.items()]
        self.start(NAME, *ALL)
        names = ("a", "b", "c")
        self.create_all(*(request(name, autoApply=True) for name in names))
        self.until_states(a="Profiling")
        control_plane.restart_api_server(self.state)
        self.connect()
        self.until_states(LONG, **dict.fromkeys(names, "Profiling"))
        self.publish({name: generated(name) for name in names})
        self.set_job(COMPLETE, *names)
        wait_until("a graph", lambda: self.names("dgd"), SOON)
        control_plane.restart_api_server(self.state)
        self.connect()
        wait_until("all graphs", lambda: all(self.is_deployed(name) for name in names), LONG)
        for name in names:
            self.set_graph(name, "successful")
        self.until_states(LONG, **dict.fromkeys(names, "Ready"))
        wait_until("what was created", lambda: sorted(added["graphs"]) == list(names), SOON)
        self.assertEqual(sorted(added["jobs"]), list(names))
        self.assertEqual([each.failure for each in watchers], [None, None])

    # --- Storms.

    def test_number_of_running_jobs_is_bounded(self):
        self.run_storm(STORM, SLOTS, LONG, "--max-profiling-jobs", str(SLOTS))

    @takes_long
    def test_default_bounds_jobs_of_500_requests(self):
        self.run_storm(LARGE_STORM, DEFAULT_SLOTS, LARGE_STORM_SECONDS)
        # Reconcilers of later tests would list them.
        self.delete_all("jobs,dgd", LARGE_STORM_SECONDS)

    def run_storm(self, count, slots, seconds, *flags):
        """Creates this many requests at once, ends the Jobs that run until all have ended, and asserts that at
        most `slots` ran at a time. Each wait takes at most `seconds`."""
        names = [f"r{at:03}" for at in range(count)]
        turn = threading.Lock()
        running, created, counts, reasons = set(), [], [], {}

        def changed(kind, job):
            name = request_of(job)
            with turn:
                if kind == "ADDED":
                    created.append(name)
                if kind == "DELETED" or has_finished(job):
                    running.discard(name)
                else:
                    running.add(name)
                counts.append(len(running))

        def reported(_, each):
            with turn:
                reasons[request_of(each)] = self.reason_of(each)

        watchers = [self.follow("jobs", changed), self.follow("requests", reported)]
        self.start(NAME, *flags)
        for at in range(0, count, BATCH):
            self.create_all(*(request(name, autoApply=True) for name in names[at:at + BATCH]))

        def has_filled_slots():
            with turn:
                found = list(reasons.values())
            reached = (found.count("WaitingForProfilingSlot"), found.count("ProfilingRunning"))
            if reached != (count - slots, slots):
                raise RetryError(f"{reached[0]} wait, and {reached[1]} run")
            return True

        wait_until("full slots", has_filled_slots, seconds)
        finished = set()

        def all_have_finished():
            with turn:
                begun = sorted(running - finished)
            if begun:
                finished.update(begun)
                self.publish({name: generated(name) for name in begun if self.succeeds(name)})
                for name in begun:
                    self.set_job(COMPLETE if self.succeeds(name) else FAILED, name)
            if len(finished) < count:
                raise RetryError(f"{len(finished)} of {count} have finished")
            return True

        wait_until("the end of all Jobs", all_have_finished, seconds)
        self.until_states(seconds, **{name: "Deploying" if self.succeeds(name) else "Failed" for name in names})
        wait_until("the graphs", lambda: self.names("dgd") == [name for name in names if self.succeeds(name)], seconds)
        self.assertEqual([each.failure for each in watchers], [None, None])
        self.assertEqual(sorted(created), names)
        self.assertEqual(max(counts), slots)
        self.delete_all("dgdr", seconds)
        wait_until("the deletion of all requests", lambda: not self.names("dgdr"), seconds)

    def delete_all(self, kinds, seconds):
        """Without waiting, because kubectl would watch one object after the other."""
        self.kubectl.must("delete", kinds, "--all", "--wait=false", "--timeout", f"{seconds}s")

    @staticmethod
    def succeeds(name):
        """Every fourth profiler fails."""
        return int(name[1:]) % 4 != 0

    @staticmethod
    def reason_of(each):
        return next((one["reason"] for one in each.get("status", {}).get("conditions", [])
                     if one["type"] == "Profiling"), None)
