"""The controller of checkpoints in dynamo-reconciler on a real API server, with the rights of deploy/rbac: from a
checkpoint to its location, and each input whose Job cannot be created or fails. One reconciler serves all
checkpoints of a test."""

from harness.processes import RetryError

from .checkpoint_fixture import API, HASH, HASH_LABEL, IDENTITY, PLURAL, CheckpointTest, checkpoint
from .graph_fixture import SOON
from .status_fixture import COMPLETE, FAILED, OBSERVED_RETRY
from .support import IMAGE, graph, wait_until, worker

# Remote storage: the flag of its URI, a URI, and the location of HASH below it.
REMOTE = {"s3": ("--checkpoint-s3-uri", "s3://bucket/warm", f"s3://bucket/warm/{HASH}.tar"),
          "oci": ("--checkpoint-oci-uri", "oci://registry/warm", f"oci://registry/warm:{HASH}")}


def job(name):
    """A Job of another client."""
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name},
            "spec": {"suspend": True, "template": {"spec": {
                "restartPolicy": "Never", "containers": [{"name": "c", "image": IMAGE}]}}}}


class Checkpoints(CheckpointTest):
    # --- Success.

    def test_checkpoint_becomes_ready_with_its_job(self):
        self.start()
        self.create_all(checkpoint())
        self.until_states(warm="Creating")
        owner, = self.kubectl.get("job", "checkpoint-warm")["metadata"]["ownerReferences"]
        self.assertEqual((owner["kind"], owner["name"], owner["blockOwnerDeletion"]),
                         ("DynamoCheckpoint", "warm", True))
        self.set_job(COMPLETE, "warm")
        self.until_states(warm="Ready")
        found = self.kubectl.get("dckpt", "warm")
        self.assertEqual(found["metadata"]["labels"][HASH_LABEL], HASH)
        self.assertEqual(found["status"]["location"], f"/checkpoints/{HASH}")
        self.assertEqual([each["type"] for each in found["status"]["conditions"]],
                         ["JobCreated", "JobCompleted", "TarAvailable"])
        self.until_event("warm", "CheckpointReady", f"/checkpoints/{HASH}")

        # A checkpoint outlives its Job.
        self.kubectl.must("delete", "job", "checkpoint-warm")
        self.create_all(checkpoint("next"))
        self.until_states(warm="Ready", next="Creating")
        self.assertEqual(self.names("jobs"), ["checkpoint-next"])

    def test_location_follows_storage_type(self):
        flag, uri, _ = REMOTE["s3"]
        self.start("s3", "--checkpoint-storage-type", "s3")
        self.create_all(checkpoint("s3"))
        self.until_condition("s3", "JobCreated", "False", "JobRefused", f"found no {flag}")
        self.until_states(s3="Pending")
        self.assertTrue(self.state.stop("s3"))
        for storage, (flag, uri, location) in REMOTE.items():
            with self.subTest(storage):
                self.start(storage, "--checkpoint-storage-type", storage, flag, uri)
                if storage not in self.states():
                    self.create_all(checkpoint(storage))
                self.until_states(**{storage: "Creating"})
                pod = self.kubectl.get("job", f"checkpoint-{storage}")["spec"]["template"]["spec"]
                variables = {each["name"]: each["value"] for each in pod["containers"][0]["env"]}
                self.assertEqual(variables["DYN_CHECKPOINT_LOCATION"], location)
                self.assertEqual(variables["DYN_CHECKPOINT_STORAGE_TYPE"], storage)
                self.assertEqual([each["name"] for each in pod["volumes"]], ["checkpoint-signal", "podinfo"])
                self.set_job(COMPLETE, storage)
                self.until_states(**{storage: "Ready"})
                self.assertTrue(self.state.stop(storage))
        for storage, (_, _, location) in REMOTE.items():
            status = self.status_of(storage)
            self.assertEqual((status["storageType"], status["location"]), (storage, location))

    # --- Graphs.

    def test_manual_graph_finds_checkpoint_of_its_user(self):
        everything = ("--kubeconfig", self.state.kubeconfig, "--controllers", "checkpoint,component,graph")
        self.start("disabled", *everything)
        self.make(graph("g", {"Decode": worker(checkpoint={
            "enabled": True, "mode": "Manual", "identity": IDENTITY})}, {"backendFramework": "vllm"}))
        wait_until("the flag being named", lambda: "checkpoint-enabled" in self.condition(
            "dgd", "g", "Ready").get("message", ""), SOON)
        self.assertTrue(self.state.stop("disabled"))

        self.start("enabled", *everything, "--checkpoint-enabled")
        self.until_checkpoint_of_graph(identityHash=HASH)
        self.assertEqual(self.names("dckpt"), [])
        self.create_all(checkpoint())
        self.until_checkpoint_of_graph(identityHash=HASH, checkpointName="warm")
        self.until_states(warm="Creating")
        self.set_job(COMPLETE, "warm")
        self.until_checkpoint_of_graph(identityHash=HASH, checkpointName="warm", ready=True)
        wait_until("the Deployment", lambda: self.names("deployments") == ["g-decode"], SOON)

    def until_checkpoint_of_graph(self, **wanted):
        def reported():
            found = self.kubectl.get("dgd", "g").get("status", {}).get("checkpoints")
            if found != {"Decode": wanted}:
                raise RetryError(f"status.checkpoints is {found}")
            return True

        wait_until(f"the checkpoint {wanted}", reported, SOON)

    # --- Jobs.

    def test_deleted_job_is_created_again(self):
        self.start()
        self.create_all(checkpoint())
        self.until_states(warm="Creating")
        before = self.uid_of_job("warm")
        self.kubectl.must("delete", "job", "checkpoint-warm")
        wait_until("another Job", lambda: self.uid_of_job("warm") not in (None, before), SOON)
        self.until_states(warm="Creating")
        self.until_condition("warm", "JobCreated", "True", "JobCreated")

    def test_job_of_another_owner_is_kept_and_reported(self):
        self.make(job("checkpoint-warm"))
        self.start()
        self.create_all(checkpoint())
        self.until_condition("warm", "JobCreated", "False", "NameTaken", "must be free")
        self.kubectl.must("delete", "job", "checkpoint-warm")
        self.until_states(warm="Creating")

    def set_quota(self, count):
        """Limits the number of Jobs. No controller of quotas runs."""
        hard = {"count/jobs.batch": str(count)}
        self.make({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "few"}, "spec": {"hard": hard}})
        self.merge("resourcequota", "few", {"status": {"hard": hard, "used": {"count/jobs.batch": "0"}}},
                   "--subresource", "status")

    def test_job_is_created_once_quota_allows(self):
        self.set_quota(0)
        wait_until("the quota being obeyed", lambda: "exceeded quota" in self.create(
            job("probe"), "--dry-run=server").stderr, SOON)
        self.start()
        self.create_all(checkpoint())
        self.until_condition("warm", "JobCreated", "False", "JobCreationFailed", "exceeded quota: few")
        self.until_event("warm", "JobCreationFailed", "exceeded quota: few")
        self.assertIn("exceeded quota: few", self.status_of("warm")["message"])
        self.until_states(warm="Pending")
        self.set_quota(1)
        wait_until("the quota being raised", lambda: self.create(job("probe"), "--dry-run=server").ok, SOON)
        # Requests that the API server refuses are retried after a minute.
        self.wake("warm")
        self.until_states(warm="Creating")
        self.assertNotIn("message", self.status_of("warm"))
        self.assertEqual(len(self.events_of("warm", "JobCreationFailed")), 1)

    def test_hash_of_another_identity_is_reported(self):
        """No two identities with one hash are known, so the test writes the hash of the second."""
        self.create_all(checkpoint("first", labels={HASH_LABEL: HASH}),
                        checkpoint("second", identity={"model": "another", "backendFramework": "vllm"}))
        self.set_status(API, PLURAL, "second", {"identityHash": HASH, "phase": "Pending"})
        self.start()
        self.until_states(first="Creating")
        self.until_condition("second", "JobCreated", "False", "HashCollision", HASH, '"first"')
        self.until_event("second", "HashCollision", '"first"')
        self.until_states(second="Pending")
        self.assertEqual(self.names("jobs"), ["checkpoint-first"])
        # Graphs would restore the other identity.
        self.assertNotIn(HASH_LABEL, self.kubectl.get("dckpt", "second")["metadata"].get("labels", {}))
        self.kubectl.must("delete", "dckpt", "first")
        self.wake("second")
        self.until_states(second="Creating")

    # --- Failures.

    def test_failed_checkpoints_are_retried_on_request(self):
        self.start()
        names = ("annotated", "edited", "late", "kept")
        self.create_all(*map(checkpoint, names))
        self.until_states(**dict.fromkeys(names, "Creating"))
        self.set_job(FAILED, *names)
        self.until_states(**dict.fromkeys(names, "Failed"))
        before = {name: self.uid_of_job(name) for name in names}
        for name in names:
            words = ("BackoffLimitExceeded", "Job has reached the specified backoff limit", "nvidia.com/retry")
            self.until_condition(name, "JobCompleted", "False", "JobFailed", *words)
            self.until_event(name, "CheckpointFailed", *words)
            self.assertIn(words[0], self.status_of(name)["message"])
        self.kubectl.must("delete", "job", "checkpoint-kept")
        self.set_job({"succeeded": 1}, "late")
        self.retry("annotated")
        self.merge("dckpt", "edited", {"spec": {"job": {"backoffLimit": 1}}})
        for name in ("annotated", "edited"):
            wait_until("another Job", lambda name=name: self.uid_of_job(name) not in (None, before[name]), SOON)
            self.until_event(name, "Retrying")
        self.until_states(annotated="Creating", edited="Creating", late="Ready", kept="Failed")
        self.assertEqual(self.kubectl.get("job", "checkpoint-edited")["spec"]["backoffLimit"], 1)
        for name in ("annotated", "edited"):
            self.assertEqual(self.condition("dckpt", name, "JobCompleted"), {})
        self.set_job(COMPLETE, "annotated", "edited")
        self.until_states(annotated="Ready", edited="Ready", kept="Failed")
        self.assertEqual(self.kubectl.get("dckpt", "annotated")["metadata"]["annotations"][OBSERVED_RETRY], "now")
        self.assertEqual(self.names("jobs"), ["checkpoint-annotated", "checkpoint-edited", "checkpoint-late"])
