"""The verdict on one object in each place that evaluates rules, cause by cause: in the webhook's
response, in dynamo-reconciler's status writes, in the checker's report, and in the library's
decision."""

import re
from dataclasses import dataclass

from .answers import RULES, stage_of

_DENIED = re.compile(r'^admission webhook "[^"]*" denied the request: ')
_RULE = re.compile(r"\[([a-z][a-z0-9-]*\.[a-z0-9.-]+)\]$")
LONGEST_NOTE = 1000  # bytes of an event


@dataclass(frozen=True)
class Verdict:
    causes: tuple = ()  # "FIELD: MESSAGE", in their order
    message: str = ""  # the message for users

    @property
    def rules(self):
        """The rule ids without repetition, in order."""
        return list(dict.fromkeys(_RULE.search(cause)[1] for cause in self.causes))


def of_webhook(status, answer):
    """The verdict in the API server's response to a creation; None if its definition refuses the
    object first. AssertionError if it is not a verdict on the object."""
    if status == 201:
        return Verdict()
    assert answer["kind"] == "Status", answer
    denied = _DENIED.match(answer["message"])
    if not denied:
        assert status in (400, 422), answer
        return None
    causes = answer.get("details", {}).get("causes", [])
    assert status == 422 and causes, f"denied, and not for what is wrong with the object: {answer}"
    return Verdict(tuple(f"{each['field']}: {each['message']}" for each in causes),
                   answer["message"][denied.end():])


def of_checker(report):
    """The causes for one object in its JSON report, without those of the definition."""
    return tuple(each["message"] for each in report["findings"]
                 if each["level"] == "error" and stage_of(each["rule"], each["field"]) == RULES)


def note_of(text):
    """The text truncated to the size of an event."""
    encoded = text.encode()
    if len(encoded) <= LONGEST_NOTE:
        return text
    return encoded[:LONGEST_NOTE].decode(errors="ignore") + "…"


def field_of_path(where):
    """The path in the notation of causes."""
    text = ""
    for index, step in enumerate(where):
        if isinstance(step, int) or where[index - 1:index] == ("services",):
            text += f"[{step}]"
        else:
            text += f".{step}" if text else step
    return text


def is_at_or_below(field, other):
    return field == other or field.startswith((f"{other}.", f"{other}["))


@dataclass(frozen=True)
class ReportedVerdict:
    """The verdicts on one stored object."""

    has_condition: bool  # whether its kind has conditions
    webhook: Verdict
    condition: dict | None
    events: list  # (type, reason, note)
    checker: tuple  # causes
    library: Verdict

    def differences(self):
        """{place: (its verdict, the webhook's verdict)}; empty if all agree."""
        message, causes = self.webhook.message, self.webhook.causes
        condition, events, worded = ("True", "every rule holds"), [], ""
        if causes:
            condition = "False", message
            events = [("Warning", "ValidationFailed",
                       note_of(f"refused by {', '.join(self.webhook.rules)}: {message}"))]
            head, is_invalid, _ = message.partition(" is invalid: ")
            worded = head + is_invalid + (f"[{', '.join(causes)}]" if len(causes) > 1 else causes[0])
        places = {
            "message": (message, worded),
            "condition": (self.condition and (self.condition["status"], self.condition["message"]),
                          condition if self.has_condition else None),
            "events": (self.events, events),
            "checker": (self.checker, causes),
            "library": (self.library, self.webhook),
        }
        return {place: both for place, both in places.items() if both[0] != both[1]}

    def complaint(self):
        return "".join(f"\n  {place}: {_from(*both)}\n  webhook: {_from(*reversed(both))}"
                       for place, both in self.differences().items())


def _from(found, expected):
    """The text around the first difference from the expected one."""
    found, expected = repr(found), repr(expected)
    first = next((at for at, both in enumerate(zip(found, expected)) if both[0] != both[1]),
                 min(len(found), len(expected)))
    begin = max(first - 60, 0)
    return f"{'…' if begin else ''}{found[begin:first + 200]}"
