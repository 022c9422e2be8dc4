"""Where the checker and the cluster differ on purpose, with the reason. A difference that is not
listed fails the test."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Difference:
    reason: str
    applies: object  # (mutant, the cluster's answer, the checker's answer, kubectl's text) -> bool


DIFFERENCES = ()


def reason(mutant, cluster, checker, said):
    """Why the two answers differ, or None."""
    for difference in DIFFERENCES:
        if difference.applies(mutant, cluster, checker, said):
            return difference.reason
    return None
