"""This project's programs and library, for the tests."""

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
    """The path from its variable, else of the release preset, whether the file exists or not."""
    return Path(os.environ.get(VARIABLES[name], BUILT / name))


def program(name):
    """The path of an existing program."""
    path = place_of(name)
    if not os.access(path, os.X_OK):
        raise HarnessError(f"no {path}; build {name}, or name it in {VARIABLES[name]}")
    return path


def library():
    """The path of the shared library."""
    path = Path(os.environ.get(LIBRARY_VARIABLE, LIBRARY))
    if not path.exists():
        raise HarnessError(f"no {path}; build dynamo_admission_shared, or name it in {LIBRARY_VARIABLE}")
    return path
