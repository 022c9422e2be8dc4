"""Shared by tests of DynamoCheckpoints: manifests, and helpers to read the results."""

from . import accounts
from .graph_fixture import GraphTest
from .status_fixture import StatusHelpers, StatusWriter
from .support import IMAGE, thing

IDENTITY = {"model": "m", "backendFramework": "vllm"}
HASH = "cfb060f4d0539cab"  # of IDENTITY
HASH_LABEL = "nvidia.com/checkpoint-hash"
API = "nvidia.com/v1alpha1"
PLURAL = "dynamocheckpoints"


def checkpoint(name="warm", *, identity=None, job=None, pod=None, **metadata):
    """A checkpoint that every rule accepts; `job` has more fields of spec.job, and `pod` of its pod."""
    return thing("DynamoCheckpoint", name, {"identity": identity or IDENTITY, "job": {
        "podTemplateSpec": {"spec": {"containers": [{"name": "main", "image": IMAGE}], **(pod or {})}},
        **(job or {})}}, **metadata)


class CheckpointHelpers(StatusHelpers):
    """A ClusterTest with checkpoints in its namespace."""

    KIND = "DynamoCheckpoint"
    RESOURCE = "dckpt"
    STATE = "phase"
    JOB_PREFIX = "checkpoint-"


class CheckpointTest(CheckpointHelpers, StatusWriter, GraphTest):
    """Each test has a namespace that no webhook validates; its reconciler is restricted to it, with the rights
    of deploy/rbac. No controller of Jobs runs: the tests set their status."""

    def setUp(self):
        super().setUp()
        self.kubeconfig = accounts.kubeconfig(self, files=("reconciler.yaml", "reconciler_checkpoints.yaml"))
        self.connect()

    def start(self, name="reconciler", *flags, **more):
        return super().start(name, "--kubeconfig", self.kubeconfig, "--controllers", "checkpoint", *flags, **more)
