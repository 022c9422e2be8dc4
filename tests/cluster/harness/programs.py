"""What tests run of this project: its programs, and its library."""

import os
from pathlib import Path

from .processes import HarnessError

BUILT = Path(__file__).resolve().parents[3] / "build/release/bin"
LIBRARY = BUILT.parent / "lib/libdynamo_admission.so.0"
LIBRARY_VARIABLE = "DYNAMO_ADMISSION_LIBRARY"
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


def library():
    """The path of the shared library, to be loaded into a program."""
    path = Path(os.environ.get(LIBRARY_VARIABLE, LIBRARY))
    if not path.exists():
        raise HarnessError(f"no {path}; build dynamo_admission_shared, or name it in {LIBRARY_VARIABLE}")
    return path
