"""The bad objects of tests/testdata, with the expectations in the comments at their top, which
tests/testdata/invalid/README.md describes, and the webhook's answers to them, the golden files."""

import json
import re
from dataclasses import dataclass, field
from pathlib import Path

from .support import REPOSITORY, Cause

TESTDATA = REPOSITORY / "tests/testdata"
_KEYWORD = re.compile(r"^# (expect|warn|user|flag|via): (.*?)\s*$", re.MULTILINE)
_CAUSE = re.compile(r"(\S.*?) \[([a-z0-9.-]+)\]")


@dataclass
class Case:
    """One bad object, or one bad update; `old` is the stored object's manifest, if any."""

    name: str
    manifest: Path
    old: Path | None = None
    expected: list = field(default_factory=list)
    warned: list = field(default_factory=list)
    user: str | None = None
    flags: list = field(default_factory=list)
    only_as_review: bool = False

    def output(self):
        """The output of kubectl for the webhook's answer in the golden file."""
        folder = TESTDATA / "golden" / self.manifest.parent.relative_to(TESTDATA)
        response = json.loads((folder / f"{self.name}.json").read_text())["response"]
        details = response["status"]["details"]
        causes = [f"{cause['field']}: {cause['message']}" for cause in details["causes"]]
        invalid = causes[0] if len(causes) == 1 else "\n" + "\n".join(f"* {cause}" for cause in causes)
        warnings = "".join(f"Warning: {warning}\n" for warning in response.get("warnings", []))
        return f"{warnings}The {details['kind']} \"{details['name']}\" is invalid: {invalid}\n"


def invalid(kind):
    """The bad objects of a kind, by name."""
    return [_case(path.stem, path) for path in sorted((TESTDATA / "invalid" / kind).glob("*.yaml"))]


def invalid_updates(kind):
    directory = TESTDATA / "invalid_updates" / kind
    for new in sorted(directory.glob("*.new.yaml")):
        name = new.name.removesuffix(".new.yaml")
        yield _case(name, new, directory / f"{name}.old.yaml")


def _case(name, manifest, old=None):
    case = Case(name, manifest, old)
    for keyword, value in _KEYWORD.findall(manifest.read_text()):
        match keyword:
            case "expect":
                case.expected.append(Cause(*_CAUSE.fullmatch(value).groups()))
            case "warn":
                case.warned.append(Cause(*_CAUSE.fullmatch(value).groups()))
            case "user":
                case.user = value
            case "flag":
                case.flags.append(value)
            case "via":
                case.only_as_review = value == "review"
    assert case.expected, f"{manifest} expects nothing"
    return case
