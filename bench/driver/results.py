"""Reads the JSON of a run, as driver/report.py writes it, and checks whether it is fit for publication."""

import json
from dataclasses import dataclass

from .facts import UNKNOWN
from .machine import BenchError
from .promises import Promise
from .report import FORMAT, NOISY
from .servers import ECHO, PEER, WEBHOOK

SERVERS = (ECHO, WEBHOOK, PEER)
# Reviews that all servers respond to, and those of later operators.
COMPARED = ("create_2k", "create_13k", "update_28k")
LATER = ("v1beta1/create_2k", "v1beta1/create_13k", "v1beta1/update_28k")
MIN_ROUNDS = 5

Key = tuple[str, str]  # review and server


@dataclass(frozen=True)
class Spread:
    median: float
    low: float
    high: float

    @staticmethod
    def read(values: dict) -> "Spread":
        return Spread(float(values["median"]), float(values["min"]), float(values["max"]))


@dataclass(frozen=True)
class Memory:
    resident_kib: int
    idle_connections: int
    bytes_per_idle_connection: int


@dataclass(frozen=True)
class Results:
    """One run; µs, bytes, and instructions per request."""

    date: str
    duration_seconds: int
    revision: dict
    machine: dict
    versions: dict
    run: dict
    review_bytes: dict[str, int]
    cpu: dict[Key, Spread]
    large_cpu: dict[Key, Spread]
    instructions: dict[Key, int]
    p50: dict[Key, Spread]
    p99: dict[Key, Spread]
    memory: dict[str, Memory]
    promises: list[Promise]


def read(text: str) -> Results:
    """Raises BenchError if the text is not the JSON of this version of `./dev bench --json`."""
    try:
        found = json.loads(text)
        if found["format"] != FORMAT:
            raise ValueError
        return _convert(found)
    except (AttributeError, KeyError, TypeError, ValueError):
        raise BenchError(f"must be the JSON that ./dev bench --json FILE writes, format {FORMAT}") from None


def _convert(found: dict) -> Results:
    def spreads(member: str, quantity: str) -> dict[Key, Spread]:
        return {(row["review"], row["server"]): Spread.read(row[quantity]) for row in found[member]}

    return Results(
        date=str(found["date"]),
        duration_seconds=int(found["duration_seconds"]),
        revision=dict(found["revision"]),
        machine=dict(found["machine"]),
        versions=dict(found["versions"]),
        run=dict(found["run"]),
        review_bytes={str(name): int(size) for name, size in found["review_bytes"].items()},
        cpu=spreads("cpu_per_request", "us"),
        large_cpu=spreads("large_cpu_per_request", "us"),
        instructions={(row["review"], row["server"]): int(row["count"]) for row in found["instructions_per_request"]},
        p50=spreads("latency", "p50_us"),
        p99=spreads("latency", "p99_us"),
        memory={
            row["server"]: Memory(int(row["resident_kib"]), int(row["idle_connections"]),
                                  int(row["bytes_per_idle_connection"]))
            for row in found["memory"]
        },
        promises=[Promise(row["what"], float(row["value"]), row["bound"], float(row["limit"]), row["unit"])
                  for row in found["promises"]],
    )


def faults(results: Results) -> list[str]:
    """Reasons not to publish these results; empty if there are none."""
    lines = []
    if not results.run.get("is_measurement"):
        lines.append("it is a smoke run")
    rounds = results.run.get("rounds", 0)
    if rounds < MIN_ROUNDS:
        lines.append(f"it has {rounds} rounds, at least {MIN_ROUNDS} are needed")
    load = results.run.get("foreign_load", 1.0)
    if load > NOISY:
        lines.append(f"other processes used {load * 100:.0f} % of the two CPUs, "
                     f"at most {NOISY * 100:.0f} % are allowed")
    if results.revision.get("commit", UNKNOWN) == UNKNOWN:
        lines.append("its commit is unknown")
    elif results.revision.get("changed"):
        lines.append("files differed from its commit")
    for server in SERVERS:
        needed = {(review, server) for review in COMPARED}
        if not needed <= results.cpu.keys() & results.p50.keys() or server not in results.memory:
            lines.append(f"it has no results of {server}: run it without --only")
    counted = {(review, server) for review in COMPARED for server in (ECHO, WEBHOOK)}
    if not counted <= results.instructions.keys():
        lines.append("it has no instructions: install valgrind, and run it without --before and --against")
    return lines
