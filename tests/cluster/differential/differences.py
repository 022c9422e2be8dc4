"""Intended differences between the checker and the cluster, with reasons. An unlisted difference fails
the test."""

import dataclasses

from . import verdicts


@dataclasses.dataclass(frozen=True)
class Difference:
    reason: str
    applies: object  # (mutant, the cluster's answer, the checker's answer, kubectl's text) -> bool


DIFFERENCES = ()


def reason(mutant, cluster, checker, answer):
    """Why the two answers differ, or None."""
    for difference in DIFFERENCES:
        if difference.applies(mutant, cluster, checker, answer):
            return difference.reason
    return None


@dataclasses.dataclass(frozen=True)
class DifferenceOfChecker:
    """A difference between the checker's causes and the webhook's, if the reconciler's equal the
    webhook's."""

    reason: str
    applies: object  # (mutant, the webhook's causes, the checker's causes) -> bool


def _is_reported_as_misspelt(mutant, webhook, checker):
    if mutant.name != "misspelt":
        return False
    field = verdicts.field_of_path(mutant.where)
    dropped = [cause for cause in webhook if cause not in checker]
    return (all(cause in webhook for cause in checker) and
            all(verdicts.is_at_or_below(cause.partition(": ")[0], field) for cause in dropped))


DIFFERENCES_OF_STORED = (
    DifferenceOfChecker(
        "the checker lists causes in the order of the manifest's lines",
        lambda mutant, webhook, checker: sorted(webhook) == sorted(checker)),
    DifferenceOfChecker(
        "the checker sees the misspelt field, which API servers drop, and reports once what is missing for that",
        _is_reported_as_misspelt),
)


def reason_of_stored(mutant, reported):
    """Why the checker's verdict on a stored object differs, or None; nothing else may differ."""
    if set(reported.differences()) != {"checker"}:
        return None
    for difference in DIFFERENCES_OF_STORED:
        if difference.applies(mutant, reported.webhook.causes, reported.checker):
            return difference.reason
    return None
