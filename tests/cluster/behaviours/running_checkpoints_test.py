"""Checkpoints on Kubernetes' own controllers, scheduler and nodes, from `kubectl apply` of a graph to pods that
restore. Pods of Jobs complete without running."""

from .checkpoint_fixture import HASH, HASH_LABEL, CheckpointHelpers, checkpoint
from .graph_fixture import SOON
from .running_graphs import LONG, RunningGraphTest
from .support import REPOSITORY, wait_until

SAMPLE = REPOSITORY / "deploy/samples/vllm_checkpoint_auto.yaml"
SAMPLE_HASH = "588723d27741d329"
CLAIM = "chrek-pvc"


class RunningCheckpoints(CheckpointHelpers, RunningGraphTest):
    def bind_claim(self):
        """The claim of checkpoints, bound in advance: this cluster provisions no volumes."""
        volume = f"{self.namespace}-{CLAIM}"
        self.addCleanup(self.admin.run, "delete", "persistentvolume", volume, "--wait=false")
        modes = {"accessModes": ["ReadWriteMany"], "storageClassName": "manual"}
        self.make({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": volume}, "spec": {
            **modes, "capacity": {"storage": "1Gi"}, "hostPath": {"path": "/nowhere"},
            "claimRef": {"namespace": self.namespace, "name": CLAIM}}},
            {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": CLAIM}, "spec": {
                **modes, "volumeName": volume, "resources": {"requests": {"storage": "1Gi"}}}})

    def until_restoring(self, graph, ready):
        """Waits until the graph's status reports the checkpoint."""
        wanted = {"checkpointName": SAMPLE_HASH, "identityHash": SAMPLE_HASH, **({"ready": True} if ready else {})}
        wait_until(f"the checkpoint of {graph}", lambda: self.kubectl.get("dgd", graph).get("status", {}).get(
            "checkpoints") == {"Worker": wanted}, LONG)

    def assert_restores(self, component):
        """The pod gets the settings with which its entrypoint restores."""
        pod, = self.until_ready(component, 1).values()
        spec, main = pod["spec"], pod["spec"]["containers"][0]
        self.assertEqual(main["args"][:3], ["python3", "-m", "dynamo.vllm"])
        self.assertNotIn("command", main)
        self.assertTrue(spec["hostIPC"] and main["securityContext"]["privileged"])
        self.assertEqual(spec["securityContext"]["seccompProfile"], {
            "type": "Localhost", "localhostProfile": "profiles/block-iouring.json"})
        self.assertEqual([(each["name"], each["value"]) for each in main["env"][:4]], [
            ("DYN_CHECKPOINT_PATH", "/checkpoints"), ("DYN_CHECKPOINT_HASH", SAMPLE_HASH),
            ("DYN_RESTORE_MARKER_FILE", "/tmp/dynamo-restored"), ("SKIP_WAIT_FOR_CHECKPOINT", "1")])
        mounts = {each["name"]: each["mountPath"] for each in main["volumeMounts"]}
        self.assertLessEqual({"checkpoint-storage": "/checkpoints", "checkpoint-signal": "/checkpoint-signal",
                              "podinfo": "/etc/podinfo"}.items(), mounts.items())
        volumes = {each["name"]: each for each in spec["volumes"]}
        self.assertEqual(volumes["checkpoint-storage"]["persistentVolumeClaim"], {"claimName": CLAIM})
        self.assertEqual(volumes["checkpoint-signal"]["hostPath"], {
            "path": "/var/lib/chrek/signals", "type": "DirectoryOrCreate"})
        # The files of podinfo show these annotations.
        annotations = pod["metadata"]["annotations"]
        shown = [each["fieldRef"]["fieldPath"] for each in volumes["podinfo"]["downwardAPI"]["items"]]
        for path in shown:
            if path.startswith("metadata.annotations["):
                self.assertTrue(annotations.get(path.removeprefix("metadata.annotations['").removesuffix("']")), path)

    def test_graph_creates_checkpoint_and_restores_it(self):
        self.enable_validation()
        self.bind_claim()
        self.make({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "hf-token-secret"}})
        self.start("reconciler", "--enable-webhooks", "--checkpoint-enabled")
        self.kubectl.must("apply", "--filename", SAMPLE)
        self.until_restoring("vllm-auto-checkpoint", ready=True)
        self.until_all_are_successful("vllm-auto-checkpoint")
        found = self.kubectl.get("dckpt", SAMPLE_HASH)
        self.assertEqual((found["status"]["phase"], found["status"]["location"]),
                         ("Ready", f"/checkpoints/{SAMPLE_HASH}"))
        self.assertEqual(found["metadata"]["labels"][HASH_LABEL], SAMPLE_HASH)
        self.assertNotIn("ownerReferences", found["metadata"])
        taken, = self.kubectl.get("pods", "--selector", "nvidia.com/checkpoint-source=true")["items"]
        self.assertEqual((taken["status"]["phase"], taken["metadata"]["labels"]["job-name"]),
                         ("Succeeded", f"checkpoint-{SAMPLE_HASH}"))
        self.assert_restores("vllm-auto-checkpoint-worker")

        # Another graph with the same identity uses the checkpoint, and the first may be deleted.
        self.kubectl.must("apply", "--filename", "-", stdin=SAMPLE.read_text().replace(
            "name: vllm-auto-checkpoint", "name: other"))
        self.until_restoring("other", ready=True)
        self.kubectl.must("delete", "dgd", "vllm-auto-checkpoint", "--timeout", f"{SOON}s")
        self.until_all_are_successful("other")
        self.assert_restores("other-worker")
        self.assertEqual((self.names("dckpt"), self.names("jobs")), ([SAMPLE_HASH], [f"checkpoint-{SAMPLE_HASH}"]))

        # A deleted checkpoint is taken again for the graph that needs it.
        self.kubectl.must("delete", "dckpt", SAMPLE_HASH, "--wait=false")
        wait_until("another checkpoint", lambda: self.names("dckpt") == [SAMPLE_HASH] and self.kubectl.get(
            "dckpt", SAMPLE_HASH)["metadata"]["uid"] != found["metadata"]["uid"], LONG)
        self.until_restoring("other", ready=True)

    def test_checkpoint_is_retried_after_its_deadline(self):
        """Without its account, the pod of a Job cannot be created."""
        storage = ("--checkpoint-storage-type", "s3", "--checkpoint-s3-uri", "s3://bucket")
        self.start("reconciler", "--checkpoint-enabled", *storage)
        pod = {"serviceAccountName": "saver"}
        self.make(checkpoint("late", job={"activeDeadlineSeconds": 1}, pod=pod), checkpoint("waiting", pod=pod))
        self.until_states(late="Failed", waiting="Creating")
        self.until_condition("late", "JobCompleted", "False", "JobFailed", "DeadlineExceeded")
        self.assertEqual(self.names("pods"), [])
        self.kubectl.must("create", "serviceaccount", "saver")
        self.merge("dckpt", "late", {"spec": {"job": {"activeDeadlineSeconds": 600}}})
        self.until_states(LONG, late="Ready", waiting="Ready")
        self.assertEqual(self.status_of("late")["location"], f"s3://bucket/{HASH}.tar")

        # The garbage collector deletes the Job with its checkpoint.
        self.kubectl.must("delete", "dckpt", "late")
        wait_until("one Job", lambda: self.names("jobs") == ["checkpoint-waiting"], LONG)
