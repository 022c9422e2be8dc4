"""Shared by tests of kinds that run Jobs: statuses of Jobs, and the conditions, events and retries of one kind."""

from harness.processes import RetryError
from harness.writer import Writer

from .graph_fixture import SOON
from .support import wait_until

RETRY = "nvidia.com/retry"
OBSERVED_RETRY = "nvidia.com/observed-retry"
# Statuses of Jobs as Kubernetes' controller writes them.
STARTED = "2025-01-01T00:00:00Z"
WAITING = {"startTime": STARTED, "active": 1, "ready": 0}
COMPLETE = {"startTime": STARTED, "completionTime": "2025-01-01T00:01:00Z", "active": 0, "succeeded": 1,
            "conditions": [{"type": "SuccessCriteriaMet", "status": "True", "reason": "CompletionsReached"},
                           {"type": "Complete", "status": "True", "reason": "CompletionsReached"}]}
LIMIT_REACHED = {"status": "True", "reason": "BackoffLimitExceeded",
                 "message": "Job has reached the specified backoff limit"}
FAILED = {"startTime": STARTED, "active": 0, "failed": 4,
          "conditions": [{"type": "FailureTarget", **LIMIT_REACHED}, {"type": "Failed", **LIMIT_REACHED}]}


class StatusHelpers:
    """A ClusterTest with objects of one kind in its namespace. Each of them has one Job."""

    KIND = ""
    RESOURCE = ""  # the short name of the kind
    STATE = ""  # the field of the status that has the state
    JOB_PREFIX = ""

    def create_all(self, *objects):
        """Creates them with one command, if there are any."""
        if not objects:
            return
        self.kubectl.must("create", "--filename", "-", stdin={
            "apiVersion": "v1", "kind": "List", "items": list(objects)})

    def status_of(self, name):
        return self.kubectl.get(self.RESOURCE, name).get("status", {})

    def states(self):
        return {each["metadata"]["name"]: each.get("status", {}).get(self.STATE, "")
                for each in self.kubectl.get(self.RESOURCE)["items"]}

    def until_states(self, seconds=SOON, **wanted):
        """Waits until the objects of these names have these states."""
        def reached():
            found = self.states()
            others = {name: found.get(name) for name, state in wanted.items() if found.get(name) != state}
            if others:
                raise RetryError(f"other states: {others}")
            return True

        wait_until(f"the states {wanted}", reached, seconds)

    def until_condition(self, name, kind, status, reason, *words, seconds=SOON):
        """Waits until the object has this condition, with these words in its message; returns it."""
        def reported():
            found = self.condition(self.RESOURCE, name, kind)
            if (found.get("status"), found.get("reason")) != (status, reason) or not all(
                    each in found["message"] for each in words):
                raise RetryError(f"{kind} is {found}")
            return found

        return wait_until(f"{kind} {status} {reason} {words} of {name}", reported, seconds)

    def events_of(self, name, reason):
        """The notes of the events about the object."""
        return [each["note"] for each in self.kubectl.get("events.events.k8s.io")["items"]
                if each["regarding"]["kind"] == self.KIND
                and each["regarding"]["name"] == name and each["reason"] == reason]

    def until_event(self, name, reason, *words):
        """Waits until exactly one event of the reason exists about the object, with these words."""
        def emitted():
            notes = self.events_of(name, reason)
            if len(notes) != 1 or not all(each in notes[0] for each in words):
                raise RetryError(f"the notes are {notes}")
            return True

        wait_until(f"one event {reason} of {name}", emitted, SOON)

    def uid_of_job(self, name):
        """The uid of the object's Job; None if it does not exist."""
        return next((each["metadata"]["uid"] for each in self.kubectl.get("jobs")["items"]
                     if each["metadata"]["name"] == self.JOB_PREFIX + name), None)

    def retry(self, *names):
        """Once per object: the same value does not retry again."""
        self.kubectl.must("annotate", self.RESOURCE, *names, f"{RETRY}=now")

    def wake(self, *names):
        """Triggers a reconcile instead of waiting for the next retry."""
        self.kubectl.must("annotate", self.RESOURCE, *names, "example.com/look=again", "--overwrite")


class StatusWriter:
    """StatusHelpers of a test that replaces Kubernetes' controllers."""

    def connect(self):
        """Again after a restart of the API server."""
        writer = Writer(self.state)
        self.addCleanup(writer.close)
        self.writer = writer

    def set_status(self, group, plural, name, status):
        code, answer = self.writer.merge(
            f"{group}/namespaces/{self.namespace}/{plural}/{name}/status", {"status": status})
        self.assertEqual(code, 200, answer)

    def set_job(self, status, *names):
        """Sets the status of the Jobs of these objects."""
        for name in names:
            self.set_status("batch/v1", "jobs", self.JOB_PREFIX + name, status)
