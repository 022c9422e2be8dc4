"""The answers of the API server and the checker to one object, in one form: accepted, or the stage that
refused it with the fields that it mentions.

The API server stops at the first stage with an error, while the checker reports all errors, so only the
checker's first stage is compared."""

import json
import re
from dataclasses import dataclass, field

DECODE, SCHEMA, RULES = "decode", "schema", "rules"
_STAGES = (DECODE, SCHEMA, RULES)


@dataclass(frozen=True)
class Answer:
    stage: str = ""  # empty: accepted
    fields: frozenset = field(default_factory=frozenset)

    def __str__(self):
        if not self.stage:
            return "accepted"
        return f"refused by {self.stage}: {', '.join(sorted(self.fields)) or '(no field)'}"


def plain(path):
    """Keys in brackets as names: the API server writes spec.services.A in one message and
    spec.services[A] in another."""
    path = re.sub(r"\[([^\]]*[^\]\d][^\]]*)\]", r".\1", path).lstrip(".")
    # The API server does not mention which one.
    return re.sub(r"^(metadata\.(?:labels|annotations|ownerReferences|finalizers))\b.*", r"\1", path)


_HEAD = re.compile(r'^The \S+ "[^"]*" is invalid: ?')
_RULE = re.compile(r"\[[a-z][a-z0-9-]*\.[a-z0-9.-]+\]$")
_METADATA = re.compile(r"cannot unmarshal .* into Go struct field ObjectMeta\.([A-Za-z]+)")
_STRICT = re.compile(r'(?:unknown|duplicate) field "([^"]*)"')


CEL_NOT_ASKED = "some validation rules were not checked"
# Causes without their own field, next to others that have one.
_WITHOUT_FIELD = (CEL_NOT_ASKED, "must validate at least one schema (anyOf)")


def of_cluster(ok, stderr):
    """Parses kubectl's output. AssertionError if it is not a verdict on the object."""
    if ok:
        return Answer()
    lines = [line for line in stderr.splitlines() if line and not line.startswith("Warning: ")]
    text = "\n".join(lines)
    strict = _STRICT.findall(text)
    if "strict decoding error" in text and strict:
        return Answer(DECODE, frozenset(plain(each) for each in strict))
    if metadata := _METADATA.search(text):
        return Answer(DECODE, frozenset([f"metadata.{metadata[1]}"]))
    heads = [line for line in lines if _HEAD.match(line)]
    assert len(heads) == 1, f"no verdict:\n{stderr}"
    rest = _HEAD.sub("", heads[0])
    causes = [rest] if rest else [line.removeprefix("* ") for line in lines
                                  if line.startswith("* ")]
    causes = [cause for cause in causes
              if not (cause.startswith("<nil>: ") and any(each in cause for each in _WITHOUT_FIELD))]
    ours = [bool(_RULE.search(cause)) for cause in causes]
    assert causes and (all(ours) or not any(ours)), f"two stages in one answer:\n{stderr}"
    fields = frozenset(plain(cause.partition(": ")[0]) for cause in causes)
    return Answer(RULES if ours[0] else SCHEMA, fields)


def stage_of(rule, field):
    if rule == "schema.type" and field.startswith("metadata."):
        return DECODE  # the API server decodes it into a Go structure
    if rule in ("schema.unknown-field", "schema.duplicate-field"):
        return DECODE
    return SCHEMA if rule.startswith(("schema.", "metadata.")) else RULES


_CLAIM_FIELDS, _CLAIM_RULE = "dgd.pvc.create.", "schema.cel.claim-creation"


def of_checker(report, cel_asked=True):
    """Parses one object of the checker's JSON report, with or without findings of CEL rules."""
    found = {}
    for finding in report["findings"]:
        if finding["rule"].startswith("schema.cel.") and not cel_asked:
            continue
        if finding["level"] == "error":
            stage = stage_of(finding["rule"], finding["field"])
            found.setdefault(stage, set()).add(plain(finding["field"]))
        # Findings for the missing fields of a claim replace the CEL rule for the whole claim, which
        # the checker does not report again.
        if finding["rule"].startswith(_CLAIM_FIELDS) and finding["level"] == "error" and cel_asked:
            claim = finding["field"].rpartition(".")[0]
            found.setdefault(stage_of(_CLAIM_RULE, claim), set()).add(plain(claim))
    for stage in _STAGES:
        if stage in found:
            return Answer(stage, frozenset(found[stage]))
    return Answer()


def write_object(path, mutant):
    """Writes a mutant as JSON; a duplicated field appears twice in the text, which a dictionary cannot
    represent."""
    if not mutant.doubled:
        path.write_text(json.dumps(mutant.value))
        return
    marker = "\u0001twice"
    value = json.loads(json.dumps(mutant.value))
    parent = value
    for step in mutant.where[:-1]:
        parent = parent[step]
    name = mutant.where[-1]
    parent[marker] = parent[name]
    path.write_text(json.dumps(value).replace(json.dumps(marker), json.dumps(name)))
