"""The controller of checkpoints with faults: each interrupted action is completed once."""

import os
import signal
import threading

from harness import control_plane, processes
from harness.processes import RetryError
from harness.watcher import Watcher

from .checkpoint_fixture import API, HASH_LABEL, PLURAL, CheckpointTest, checkpoint
from .graph_fixture import SOON
from .status_fixture import COMPLETE, FAILED, OBSERVED_RETRY
from .support import takes_long, wait_until

LONG = 90
NAME = "reconciler"
# Only one reconciler runs at a time, and none waits for the Lease of the one that was killed.
ALONE = ("--leader-elect=false",)
COLLECTIONS = {"checkpoints": f"{API}/{PLURAL}", "jobs": "batch/v1/jobs"}


def phase_is(phase):
    return lambda kind, each: each.get("status", {}).get("phase") == phase


def job_reason_is(reason):
    """The reason of the condition JobCreated."""
    return lambda kind, each: any(one["type"] == "JobCreated" and one["reason"] == reason
                                  for one in each.get("status", {}).get("conditions", []))


# Where the reconciler is killed: the checkpoint, the collection, and the change that an action causes.
KILLS = (
    ("label", "checkpoints", lambda kind, each: HASH_LABEL in each["metadata"].get("labels", {})),
    ("pending", "checkpoints", phase_is("Pending")),
    ("job", "jobs", lambda kind, each: kind == "ADDED"),
    ("creating", "checkpoints", phase_is("Creating")),
    ("ready", "checkpoints", phase_is("Ready")),
    ("gone", "checkpoints", job_reason_is("JobDeleted")),
    ("failed", "checkpoints", phase_is("Failed")),
    ("removed", "jobs", lambda kind, each: kind == "DELETED"),
    ("retrying", "checkpoints", job_reason_is("Retrying")),
    ("noted", "checkpoints", lambda kind, each: OBSERVED_RETRY in each["metadata"].get("annotations", {})),
)
# The first Job of these fails, and that of "gone" is deleted by the test.
FAILING = ("failed", "removed", "retrying", "noted")


def checkpoint_of(each):
    """The name of the checkpoint of an object."""
    return each["metadata"]["name"].removeprefix("checkpoint-")


class CheckpointFaults(CheckpointTest):
    def follow(self, collection, changed):
        group, _, plural = COLLECTIONS[collection].rpartition("/")
        watcher = Watcher(self.state, f"/apis/{group}/namespaces/{self.namespace}/{plural}", changed)
        self.addCleanup(watcher.stop)
        return watcher

    def kill_at(self, name, collection, is_moment):
        """Kills the reconciler at the first such change of the checkpoint's objects. Returns the watcher, and an
        event that is set after the kill."""
        killed = threading.Event()
        pid = self.state.process(NAME)["pid"]

        def changed(kind, each):
            if checkpoint_of(each) == name and not killed.is_set() and is_moment(kind, each):
                os.kill(pid, signal.SIGKILL)
                killed.set()

        return self.follow(collection, changed), killed

    def advance(self, name, played):
        """Ends each Job of the checkpoint once, and retries a failure. `played` has the uids of Jobs by name."""
        phase, uid = self.states().get(name), self.uid_of_job(name)
        uids = played.setdefault(name, [])
        if phase == "Creating" and uid is not None and uid not in uids:
            uids.append(uid)
            if len(uids) > 1 or name not in (*FAILING, "gone"):
                self.set_job(COMPLETE, name)
            elif name == "gone":
                self.kubectl.must("delete", "job", f"checkpoint-{name}")
            else:
                self.set_job(FAILED, name)
        if phase == "Failed" and "retry" not in uids:
            uids.append("retry")
            self.retry(name)

    def test_killed_reconciler_creates_no_job_twice(self):
        added, played = [], {}
        jobs = self.follow("jobs", lambda kind, each: kind == "ADDED" and added.append(checkpoint_of(each)))
        self.start(NAME, *ALONE)
        for name, collection, is_moment in KILLS:
            watcher, killed = self.kill_at(name, collection, is_moment)
            self.create_all(checkpoint(name))

            def is_killed(name=name, killed=killed):
                self.advance(name, played)
                return killed.is_set()

            with self.subTest(name):
                wait_until(f"the kill at {name}", is_killed, SOON)
                wait_until("its end", lambda: not processes.running(self.state.process(NAME)), SOON)
            watcher.stop()
            self.assertIsNone(watcher.failure)
            self.state.restart(NAME)

        def all_are_ready():
            for name, *_ in KILLS:
                self.advance(name, played)
            others = {name: phase for name, phase in self.states().items() if phase != "Ready"}
            if others:
                raise RetryError(f"not ready: {others}")
            return True

        wait_until("all checkpoints", all_are_ready, LONG)
        # The Jobs of a checkpoint that is created after all others.
        self.create_all(checkpoint("last"))
        wait_until("its Job", lambda: "last" in added, SOON)
        self.assertEqual(sorted(added), sorted([*(name for name, *_ in KILLS), *FAILING, "gone", "last"]))
        self.assertIsNone(jobs.failure)
        for name, *_ in KILLS:
            self.assertLessEqual(len(self.events_of(name, "CheckpointReady")), 1, name)

    @takes_long
    def test_api_server_restart_creates_no_job_twice(self):
        added = []
        watcher = self.follow("jobs", lambda kind, each: kind == "ADDED" and added.append(checkpoint_of(each)))
        self.start(NAME, *ALONE)
        names = ("a", "b", "c")
        self.create_all(*map(checkpoint, names))
        self.until_states(a="Creating")
        control_plane.restart_api_server(self.state)
        self.connect()
        self.until_states(LONG, **dict.fromkeys(names, "Creating"))
        self.set_job(COMPLETE, *names)
        control_plane.restart_api_server(self.state)
        self.connect()
        self.until_states(LONG, **dict.fromkeys(names, "Ready"))
        wait_until("the Jobs", lambda: sorted(added) == list(names), SOON)
        self.assertIsNone(watcher.failure)
        # An event whose call is interrupted is not emitted again.
        for name in names:
            self.assertLessEqual(len(self.events_of(name, "CheckpointReady")), 1, name)
