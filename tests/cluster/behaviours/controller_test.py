"""A controller that uses only the store, queue and recorder of src/kube (tests/stub_controller), with
faults around it: nothing is lost, and no object is reconciled twice at the same time."""

import concurrent.futures
import json
import os
import signal
import threading
import time

from harness import control_plane, processes
from harness.programs import program

from .support import ClusterTest, takes_long, wait_until

NAME = "stub-controller"
SOURCE = {"stub.example/role": "source"}
CONDITIONS = "stub.example/conditions"
FINALIZER = "stub.example/clean-up"
MANY = 5000
WRITERS = 10
SOON = 60
LATE = 420


def source(name, value):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "labels": SOURCE},
            "data": {"key": value}}


class Controller(ClusterTest):
    """Each test has its own namespace and controller."""

    def setUp(self):
        super().setUp()
        # API servers cache failures longer than a test takes.
        wait_until("the API server", lambda: self.kubectl.run("get", "configmaps").ok, SOON)
        self.log = self.state.logs / f"{NAME}.log"

    def start(self):
        self.log_offset = self.log.stat().st_size if self.log.exists() else 0
        self.record = self.state.start(
            NAME, (program("stub-controller"), self.state.kubeconfig, self.namespace), stop_seconds=15)
        self.addCleanup(self.state.forget, NAME)

    def signal(self, number):
        self.assertTrue(processes.running(self.record), self.log.read_text()[-2000:])
        os.kill(self.record["pid"], number)

    def kill(self):
        self.signal(signal.SIGKILL)
        wait_until("its end", lambda: not processes.running(self.record), 10)
        self.state.forget(NAME)

    def stop(self):
        """Stops it cleanly; returns its summary."""
        self.assertTrue(self.state.stop(NAME), "did not end in its time")
        text = self.log.read_text()[self.log_offset:]
        counts, = [json.loads(line) for line in text.splitlines() if '"concurrent_reconciles"' in line]
        self.assertEqual(counts["concurrent_reconciles"], 0)
        self.assertEqual(counts["defects"], 0)
        return counts

    def put(self, objects):
        done = self.kubectl.run("create", "--filename", "-", stdin={
            "apiVersion": "v1", "kind": "List", "items": objects})
        self.assertTrue(done.ok, done.stderr[-2000:])

    def put_many(self, count, value):
        """Uses several clients, because one kubectl makes fifty requests in a second."""
        objects = [source(f"s{number:04}", value) for number in range(count)]
        slices = [objects[start:start + 250] for start in range(0, count, 250)]
        with concurrent.futures.ThreadPoolExecutor(WRITERS) as pool:
            list(pool.map(self.put, slices))

    def objects(self):
        return {each["metadata"]["name"]: each
                for each in self.kubectl.get("configmaps")["items"]
                if "stub.example/role" in each["metadata"].get("labels", {})}

    def unfinished(self, count):
        """The outputs that are not up to date, for this many sources; empty if all are."""
        objects = self.objects()
        sources = [each for each in objects.values()
                   if each["metadata"]["labels"]["stub.example/role"] == "source"]
        found = [] if len(sources) == count else [f"{len(sources)} sources"]
        if len(objects) != 2 * count:
            found.append(f"{len(objects)} objects")
        for each in sources:
            name, metadata = each["metadata"]["name"], each["metadata"]
            output = objects.get(f"{name}-out", {"metadata": {}, "data": {}})
            owners = [owner["uid"] for owner in output["metadata"].get("ownerReferences", [])]
            conditions = json.loads(metadata.get("annotations", {}).get(CONDITIONS, "[]"))
            if (output["data"].get("key") != each["data"]["key"].upper()
                    or owners != [metadata["uid"]] or metadata.get("finalizers") != [FINALIZER]
                    or [condition["status"] for condition in conditions] != ["True"]):
                found.append(name)
        return found

    def wait_until_finished(self, count, seconds=SOON):
        def is_finished():
            if not self.unfinished(count):
                return True
            time.sleep(count / 1000)  # polling thousands of objects takes the CPU that the controller needs
            return False

        wait_until(f"{count} outputs", is_finished, seconds)

    def assert_is_idle(self):
        """Asserts that existing objects are not written again."""
        versions = {name: each["metadata"]["resourceVersion"]
                    for name, each in self.objects().items()}
        time.sleep(3)
        self.assertEqual(versions, {name: each["metadata"]["resourceVersion"]
                                    for name, each in self.objects().items()})

    def test_source_gets_output_and_event_and_is_deleted(self):
        self.start()
        self.put([source("one", "x")])
        self.wait_until_finished(1)

        def events():
            return [each for each in self.kubectl.get("events.events.k8s.io")["items"]
                    if each["reason"] == "OutputMade"]

        event, = wait_until("its event", events, 10)
        self.assertEqual(event["regarding"]["name"], "one")
        self.assertEqual(event["reportingController"], NAME)
        self.assert_is_idle()
        self.kubectl.must("delete", "configmap", "one", "--wait=false")
        wait_until("the end of both", lambda: not self.objects(), 10)
        self.stop()

    def test_controller_recovers_from_kill(self):
        self.put_many(300, "x")
        for _ in range(3):
            self.start()
            time.sleep(0.4)  # at an arbitrary point
            self.kill()
        self.start()
        self.wait_until_finished(300)
        self.assert_is_idle()
        self.stop()

    def test_restart_writes_nothing(self):
        self.put_many(100, "x")
        self.start()
        self.wait_until_finished(100)
        self.stop()
        self.start()
        time.sleep(3)
        self.assertEqual(self.stop()["outputs_written"], 0)

    def test_controller_survives_api_server_restart(self):
        self.put_many(300, "x")
        self.start()
        control_plane.restart_api_server(self.state)
        self.wait_until_finished(300)
        self.put([source("later", "y")])
        self.wait_until_finished(301)
        self.stop()

    def test_controller_recovers_from_expired_version(self):
        """410 Gone, while the controller was stopped: a list shows what it missed."""
        self.put_many(50, "x")
        self.start()
        self.wait_until_finished(50)
        processes.freeze(self.record)
        self.kubectl.must("delete", "configmap", "s0001", "--wait=false")
        self.kubectl.must("patch", "configmap", "s0002", "--type=merge", "--patch",
                          '{"data":{"key":"changed"}}')
        self.kubectl.must("delete", "configmap", "s0003-out")
        self.put([source("later", "y")])
        control_plane.compact(self.state)
        control_plane.restart_api_server(self.state)
        processes.resume(self.record)
        self.wait_until_finished(50)
        self.assertNotIn("s0001", self.objects())
        self.stop()

    @takes_long
    def test_edit_among_five_thousand_objects_is_reconciled(self):
        self.put_many(MANY, "x")
        self.start()
        self.kubectl.must("patch", "configmap", "s4999", "--type=merge", "--patch",
                          '{"data":{"key":"edited"}}')
        self.wait_until_finished(MANY, LATE)
        self.assert_is_idle()
        self.stop()

    @takes_long
    def test_conflict_storm_converges(self):
        """Another client writes sources and outputs between each read and write."""
        self.put_many(10, "x")
        self.start()
        over = threading.Event()

        def disturb(writer):
            turn = 0
            while not over.is_set():
                turn += 1
                name = f"s{(turn + writer) % 10:04}"
                value = f"w{writer}-{turn}"
                self.kubectl.run("patch", "configmap", name, "--type=merge", "--patch",
                                 json.dumps({"data": {"key": value}}))
                self.kubectl.run("patch", "configmap", f"{name}-out", "--type=merge", "--patch",
                                 '{"data":{"key":"disturbed"}}')

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            storms = [pool.submit(disturb, writer) for writer in range(4)]
            time.sleep(10)
            over.set()
            for storm in storms:
                storm.result(timeout=60)
        self.wait_until_finished(10, 10)
        self.assert_is_idle()
        self.stop()
