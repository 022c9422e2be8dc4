"""The programs of this project that tests run."""

import os
from pathlib import Path

from .processes import HarnessError

BUILT = Path(__file__).resolve().parents[3] / "build/release/bin"
VARIABLES = {
    "controller-cases": "DYNAMO_CONTROLLER_CASES_BINARY",
    "dynamo-reconciler": "DYNAMO_RECONCILER_BINARY",
    "dynamo-webhook": "DYNAMO_WEBHOOK_BINARY",
    "kubectl-dynamo": "DYNAMO_CHECKER_BINARY",
    "pod-templates": "DYNAMO_POD_TEMPLATES_BINARY",
    "stub-controller": "DYNAMO_STUB_CONTROLLER_BINARY",
}


def place_of(name):
    """As its variable says, else as the release preset builds it; whether it is there or not."""
    return Path(os.environ.get(VARIABLES[name], BUILT / name))


def program(name):
    """The path of one that can be run."""
    path = place_of(name)
    if not os.access(path, os.X_OK):
        raise HarnessError(f"no {path}; build {name}, or name it in {VARIABLES[name]}")
    return path
