"""Latency at half load, at which the server's one thread is busy half of the time, next to that of the echo."""

import statistics
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

import generator
import records
from driver import certificates, servers
from driver.machine import BenchError
from driver.promises import MAX_P99_FACTOR, Promise
from driver.report import _table as table
from setup import Setup

ROUNDS = 5
SECONDS = 10
WARM_UP_SECONDS = 1
# A first guess of the rate, and the loads that correct it: a review costs less at higher rates, because more is done at
# once.
FIRST_RATE, CORRECTIONS, CORRECTION_SECONDS = 2_000, 2, 3
HIGHEST_RATE = 20_000


@dataclass(frozen=True)
class Round:
    rate: int  # requests per second
    busy: float  # share of a CPU that the server used
    p50: float  # ms; also p99
    p99: float

    @property
    def factor(self) -> float:
        return self.p99 / self.p50


def measure(setup: Setup, echo: Path, progress: Callable[[str], None], rounds: int = ROUNDS, seconds: int = SECONDS
            ) -> dict[str, list[Round]]:
    """The rounds alternate between new servers, each at its half load."""
    certificates.make(setup.folder)
    kinds = [servers.webhook(setup.webhook), servers.echo(echo)]
    found: dict[str, list[Round]] = {kind.name: [] for kind in kinds}
    for turn in range(rounds):
        for kind in kinds if turn % 2 == 0 else kinds[::-1]:
            with setup.fleet().running([kind]) as (server,):
                last = measure_round(setup.generator(), server, seconds)
            found[kind.name].append(last)
            progress(f"{kind.name}: {last.rate:,} a second, p99 {last.p99:.2f} ms, {last.factor:.1f} times p50")
    return found


def measure_round(load_generator: generator.Generator, server: servers.Server, seconds: int) -> Round:
    def run(rate: int, length: int) -> generator.Result:
        result = load_generator.run(server, generator.Load(rate, length, connections=16))
        check(result, server.kind.validates)
        return result

    rate = FIRST_RATE
    for _ in range(CORRECTIONS):
        rate = half_load(run(rate, CORRECTION_SECONDS).cpu_us_per_request)
    return round_of(run(rate, seconds + WARM_UP_SECONDS))


def half_load(cpu_us_per_request: float) -> int:
    return min(HIGHEST_RATE, round(0.5e6 / cpu_us_per_request))


def round_of(result: generator.Result) -> Round:
    settled = records.percentiles([each.latency for each in records.after(result.found, WARM_UP_SECONDS)])
    return Round(result.load.rate, result.cpu_us_per_request * result.load.rate / 1e6, settled["p50"], settled["p99"])


def check(result: generator.Result, validates: bool) -> None:
    """The echo's responses have another uid than the requests."""
    errors = {kind: count for kind, count in result.errors.items() if validates or kind != records.OTHER_RESPONSE}
    if errors:
        raise BenchError("every request must get its response, found " +
                         ", ".join(f"{count} {kind}" for kind, count in errors.items()))


def promise(rounds: list[Round]) -> Promise:
    factor = statistics.median(each.factor for each in rounds)
    return Promise("99th percentile of latency to the 50th, at half load", factor, "at most", MAX_P99_FACTOR, "×")


HEAD = ["server, round", "reviews/s", "busy", "p50 ms", "p99 ms", "p99 : p50"]


def rows(found: dict[str, list[Round]]) -> list[list[str]]:
    return [[f"{name}, {number}", f"{each.rate:,}", f"{each.busy:.0%}", f"{each.p50:.2f}", f"{each.p99:.2f}",
             f"{each.factor:.1f}"]
            for name, rounds in found.items() for number, each in enumerate(rounds, 1)]


def text(found: dict[str, list[Round]]) -> str:
    return table("Latency at half load", HEAD, rows(found))
