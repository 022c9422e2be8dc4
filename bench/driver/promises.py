"""The webhook's promised costs, and whether these measurements reach them."""

import statistics
from dataclasses import dataclass

from .measure import FULL, Measurements
from .review import Review
from .rounds import Rounds
from .servers import BEFORE, ECHO, PEER, WEBHOOK


@dataclass(frozen=True)
class CostLimit:
    review: str
    times_echo: float  # at most this many times the CPU of the echo
    peer_times: float  # the Go peer needs at least this many times our CPU
    instructions: int  # at most, of a request


COST_LIMITS = (
    CostLimit("create_2k", 1.4, 8.0, 65_000),
    CostLimit("create_13k", 2.1, 13.0, 200_000),
    CostLimit("update_28k", 2.0, 18.0, 300_000),
)
MAX_TIMES_BEFORE = 1.03
MAX_RESIDENT_MIB = 20.0
MAX_IDLE_KIB = 19.5  # 1,000 connections in 20 MB
MAX_P99_FACTOR = 3.0  # the 99th percentile of latency divided by the 50th
MAX_LINEAR_FACTOR = 1.5  # cost per byte at 3 MB divided by that at 250 KB
LINEAR_FROM, LINEAR_TO = "large_250k", "large_3m"


@dataclass(frozen=True)
class Promise:
    """`value` must be at most (or at least) `limit`; both are in `unit`."""

    what: str
    value: float
    bound: str
    limit: float
    unit: str

    @property
    def kept(self) -> bool:
        return self.value <= self.limit if self.bound == "at most" else self.value >= self.limit

    def line(self) -> str:
        mark = "✓" if self.kept else "✗"
        wanted = f"{self.bound} {self.limit:g} {self.unit}"
        return f"{mark} {self.what}: {self.value:.2f} {self.unit} ({wanted})"


def evaluate(results: Measurements, large: list[Review]) -> list[Promise]:
    """Every measured promise; needs results of the webhook and of the server that it is compared with."""
    promises = []
    for limit in COST_LIMITS:
        ours = results.cost.get((limit.review, WEBHOOK))
        echo = results.cost.get((limit.review, ECHO))
        peer = results.cost.get((limit.review, PEER))
        if ours and echo:
            ratio = ours.median / echo.median
            what = f"{limit.review}: our CPU to the echo's"
            promises.append(Promise(what, ratio, "at most", limit.times_echo, "×"))
        if ours and peer:
            ratio = peer.median / ours.median
            what = f"{limit.review}: the Go peer's CPU to ours"
            promises.append(Promise(what, ratio, "at least", limit.peer_times, "×"))
        count = results.instructions.get((limit.review, WEBHOOK))
        if count:
            what = f"{limit.review}: our instructions"
            promises.append(Promise(what, count / 1000, "at most", limit.instructions / 1000, "thousand"))
        latency = results.latency.get((limit.review, WEBHOOK))
        if latency:
            factor = latency.p99.median / latency.p50.median
            what = f"{limit.review}: 99th percentile of latency to the 50th, at {FULL.latency_per_second} a second"
            promises.append(Promise(what, factor, "at most", MAX_P99_FACTOR, "×"))
    promises += _not_dearer(results.cost) + _not_dearer(results.large_cost)
    for (review, server), before in results.instructions.items():
        if server == BEFORE:
            ratio = results.instructions[review, WEBHOOK] / before
            what = f"{review}: our instructions to those of the build before"
            promises.append(Promise(what, ratio, "at most", MAX_TIMES_BEFORE, "×"))
    if WEBHOOK in results.resident_kib:
        resident = results.resident_kib[WEBHOOK] / 1024
        what = "resident memory with 16 connections"
        promises.append(Promise(what, resident, "at most", MAX_RESIDENT_MIB, "MiB"))
        idle = results.idle_bytes[WEBHOOK] / 1024
        promises.append(Promise("memory per idle connection", idle, "at most", MAX_IDLE_KIB, "KiB"))
    per_byte = {
        review.name: results.large_cost[review.name, WEBHOOK].median / review.size
        for review in large
        if (review.name, WEBHOOK) in results.large_cost
    }
    if LINEAR_FROM in per_byte and LINEAR_TO in per_byte:
        factor = per_byte[LINEAR_TO] / per_byte[LINEAR_FROM]
        what = "linear: cost per byte at 3 MB to that at 250 KB"
        promises.append(Promise(what, factor, "at most", MAX_LINEAR_FACTOR, "×"))
    return promises


def _not_dearer(costs: dict[tuple[str, str], Rounds]) -> list[Promise]:
    """For each review, its cost relative to the previous build, measured alternately."""
    promises = []
    for (review, server), before in costs.items():
        if server == BEFORE and (ours := costs.get((review, WEBHOOK))):
            pairs = zip(ours.rounds, before.rounds, strict=True)
            ratio = statistics.median(now / then for now, then in pairs)
            what = f"{review}: our CPU to that of the build before"
            promises.append(Promise(what, ratio, "at most", MAX_TIMES_BEFORE, "×"))
    return promises
