"""Creates the reviews of the benchmarks: the requests that the API server sends when manifests are
applied."""

import json

from . import processes, webhook
from .recorder import Recorder

# The steps with each manifest, in order; each sends exactly one review for DIR/NAME.json.
STEPS = [
    ("create_2k", "create"),   # as a controller or a client creates an object
    ("create_13k", "apply"),   # kubectl adds the manifest as an annotation
    ("update_28k", "apply"),   # the same object, changed: the review holds old and new object, and
                               # the status of status.yaml, which the operator writes in between
]
NAMESPACE = "inference"


def reviews(state, directory):
    """Applies DIR/NAME.yaml and writes DIR/NAME.json for each step; yields (path, bytes)."""
    kubectl = state.kubectl().within(NAMESPACE)
    kubectl.must("create", "namespace", NAMESPACE)
    recorder = Recorder(state.directory / "recorder-pki")
    try:
        kubectl.must("apply", "--filename", "-", stdin=webhook.configurations(
            recorder.port, recorder.authority, ["DynamoGraphDeployment"], defaulting=False))

        def called():
            kubectl.must("create", "--dry-run=server", "--filename",
                         directory / f"{STEPS[0][0]}.yaml")
            return recorder.bodies

        processes.wait_until("the API server calling the recorder", called, 60)
        for name, verb in STEPS:
            if name == "update_28k":
                kubectl.must("patch", "--filename", directory / f"{name}.yaml", "--type", "merge",
                             "--subresource", "status", "--patch-file", directory / "status.yaml")
            recorder.bodies.clear()
            kubectl.must(verb, "--filename", directory / f"{name}.yaml")
            if len(recorder.bodies) != 1:
                raise processes.HarnessError(
                    f"{name}: {len(recorder.bodies)} reviews were sent, not one")
            body = recorder.bodies[0].rstrip(b"\n")
            json.loads(body)
            if b"\n" in body:
                raise processes.HarnessError(f"{name}: the review is more than one line")
            path = directory / f"{name}.json"
            path.write_bytes(body + b"\n")
            yield path, len(body)
    finally:
        recorder.stop()
