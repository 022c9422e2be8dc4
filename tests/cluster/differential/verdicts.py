"""What the rules say of one object in each place where they are asked, cause by cause: in the answer of a
webhook, in what dynamo-reconciler writes of what is stored, in the checker's report, and in the library's decision."""

import re
from dataclasses import dataclass

from .answers import RULES, stage_of

_DENIED = re.compile(r'^admission webhook "[^"]*" denied the request: ')
_RULE = re.compile(r"\[([a-z][a-z0-9-]*\.[a-z0-9.-]+)\]$")
LONGEST_NOTE = 1000  # bytes of an event


@dataclass(frozen=True)
class Verdict:
    causes: tuple = ()  # "FIELD: MESSAGE", in their order
    message: str = ""  # as it is told to people

    @property
    def rules(self):
        """Without repetition, in their order."""
        return list(dict.fromkeys(_RULE.search(cause)[1] for cause in self.causes))


def of_webhook(status, answer):
    """Of the API server's answer to a creation; None where its definition refuses the object before that.
    AssertionError when it is no verdict on the object."""
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
    """The causes of one object of its JSON report, without what the definition says of it."""
    return tuple(each["message"] for each in report["findings"]
                 if each["level"] == "error" and stage_of(each["rule"], each["field"]) == RULES)


def note_of(text):
    """As much of it as an event has room for."""
    encoded = text.encode()
    if len(encoded) <= LONGEST_NOTE:
        return text
    return encoded[:LONGEST_NOTE].decode(errors="ignore") + "…"


def field_of_path(where):
    """The steps to a field as causes write them."""
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
class Told:
    """Of one object that is stored."""

    has_condition: bool  # whether its kind has any
    webhook: Verdict
    condition: dict | None
    events: list  # (type, reason, note)
    checker: tuple  # causes
    library: Verdict

    def differences(self):
        """{place: (what it says, what it is to say by the webhook)}; empty when all say the same."""
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
    """What was found, around the first place where it differs from what is expected."""
    found, expected = repr(found), repr(expected)
    first = next((at for at, both in enumerate(zip(found, expected)) if both[0] != both[1]),
                 min(len(found), len(expected)))
    begin = max(first - 60, 0)
    return f"{'…' if begin else ''}{found[begin:first + 200]}"
