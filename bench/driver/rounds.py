"""A quantity that was measured once per round, and its spread."""

import statistics
from dataclasses import dataclass


@dataclass(frozen=True)
class Rounds:
    """One value per round, at least one, in the order of the rounds."""

    rounds: list[float]

    @property
    def median(self) -> float:
        return statistics.median(self.rounds)

    @property
    def quartiles(self) -> tuple[float, float]:
        """The lower and the upper one, interpolated between values; both are the value of a single round."""
        if len(self.rounds) == 1:
            return self.rounds[0], self.rounds[0]
        lower, _, upper = statistics.quantiles(self.rounds, n=4, method="inclusive")
        return lower, upper

    def as_json(self) -> dict:
        lower, upper = self.quartiles
        values = {"median": self.median, "min": min(self.rounds), "q1": lower, "q3": upper, "max": max(self.rounds)}
        return {name: round(value, 2) for name, value in values.items()} | {
            "rounds": [round(value, 2) for value in self.rounds]
        }
