"""libdynamo_admission as a third-party program uses it: loaded into this process by the Python
package."""

import importlib
import sys
from pathlib import Path

from harness.programs import library

from . import verdicts

PACKAGE = Path(__file__).resolve().parents[3] / "python/dynamo_admission"


def load(directory):
    """Assembles the package in that directory as a wheel installs it, with the library in the same
    folder."""
    package = Path(directory) / PACKAGE.name
    package.mkdir(parents=True)
    for source in PACKAGE.glob("*.py"):
        (package / source.name).symlink_to(source)
    (package / "libdynamo_admission.so.0").symlink_to(library())
    sys.path.insert(0, str(directory))
    try:
        return importlib.import_module(PACKAGE.name)
    finally:
        sys.path.remove(str(directory))


def verdict_on(evaluator, stored, facts):
    """The decision on an object as the API server stores it."""
    decision = evaluator.evaluate("CREATE", stored, facts=facts)
    return verdicts.Verdict(tuple(f"{each.field}: {each.message}" for each in decision.causes), decision.message)
