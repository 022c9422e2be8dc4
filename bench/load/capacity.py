"""Capacity: the highest rate at which the 99th percentile stays below a limit, over threads and connections."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

import generator
import records
from driver import certificates, servers
from driver.machine import resident_kib
from driver.report import _table as table
from setup import Setup

THREADS = (1, 2)
CONNECTIONS = (1, 16, 256, 1000)
SIZED_BY = (1, 16)  # threads and connections of the cell from which sizes are derived
MAX_P99_MS = 50.0
FIRST_RATE = 200  # also a moderate rate for a server in use
HIGHEST_RATE = 20_000
PRECISION = 1.05  # ratio of the lowest rate that does not hold to the highest that does
TRIAL_SECONDS = 5
WARM_UP_SECONDS = 1
# Longer than any latency within the limits; ends trials of rates that are far above the capacity.
TIMEOUT_MS = 2000
VALUES = Path(__file__).resolve().parents[2] / "deploy/charts/dynamo-platform/charts/dynamo-operator/values.yaml"


@dataclass(frozen=True)
class Cell:
    threads: int
    connections: int
    rate: int  # requests per second; 0: none holds
    p50: float  # ms, at that rate; also the others
    p99: float
    cpu_us_per_request: float
    moderate_cpu_us: float  # CPU per request at FIRST_RATE, which is more: less is done at once
    generator_cpu: float  # share of a CPU
    resident_mib: float


@dataclass(frozen=True)
class ChartValues:
    """Settings of the webhook in the chart."""

    max_in_flight: int
    max_body_memory: str
    requested_millicpu: int
    requested_mib: int
    target_percent: int  # of the requested CPU, for the HorizontalPodAutoscaler


@dataclass(frozen=True)
class Sizes:
    reviews_per_cpu: float  # per second
    reviews_per_request: float  # per second, that the chart's requested CPU serves
    reviews_per_replica: float  # per second, above which the HorizontalPodAutoscaler adds a replica
    resident_mib: float  # the most of all cells

    def lines(self, values: ChartValues) -> list[str]:
        return [
            f"1 CPU serves {self.reviews_per_cpu:,.0f} reviews a second.",
            f"The requested {values.requested_millicpu}m of CPU serve {self.reviews_per_request:,.0f} reviews a "
            "second.",
            f"The HorizontalPodAutoscaler adds a replica above {self.reviews_per_replica:,.0f} reviews a second per "
            f"replica ({values.target_percent} % of the request).",
            f"Resident memory reaches at most {self.resident_mib:.1f} MiB (requested: {values.requested_mib} MiB).",
        ]


def search(holds: Callable[[int], bool], first: int = FIRST_RATE, most: int = HIGHEST_RATE) -> int:
    """The highest rate found that holds, at least 1/PRECISION of the limit; 0 if not even a tenth of `first` holds."""
    low, high = 0, first
    while holds(high):
        if high == most:
            return most
        low, high = high, min(high * 2, most)
    while high > low * PRECISION and high > first // 10:
        middle = (low + high) // 2
        if middle in (low, high):
            break
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def is_within_limits(result: generator.Result, max_p99_ms: float) -> bool:
    latencies = [record.latency for record in records.after(result.found, WARM_UP_SECONDS)]
    return not result.errors and records.percentiles(latencies)["p99"] <= max_p99_ms


def measure(setup: Setup, max_p99_ms: float, progress: Callable[[str], None], values: ChartValues,
            threads: tuple[int, ...] = THREADS, connections: tuple[int, ...] = CONNECTIONS,
            trial_seconds: int = TRIAL_SECONDS, most: int = HIGHEST_RATE) -> list[Cell]:
    """One cell per combination, each with a new server. Two threads of the server share their CPUs with the load."""
    certificates.make(setup.folder)
    cells = []
    for thread_count in threads:
        cpus = str(setup.cpus[0]) if thread_count == 1 else ",".join(map(str, setup.cpus))
        flags = (f"--threads={thread_count}", f"--max-in-flight={values.max_in_flight}",
                 f"--max-body-memory={values.max_body_memory}")
        for connection_count in connections:
            with setup.fleet(cpus).running([servers.webhook(setup.webhook, flags=flags)]) as (server,):
                trials = Trials(setup, server, connection_count, max_p99_ms, trial_seconds)
                rate = search(trials.holds, most=most)
                cells.append(trials.cell(thread_count, rate))
            progress(f"{thread_count} threads, {connection_count} connections: {rate} reviews a second")
    return cells


class Trials:
    """Loads of one server with a number of connections."""

    def __init__(self, setup: Setup, server: servers.Server, connections: int, max_p99_ms: float, seconds: int):
        self._generator = setup.generator()
        self._server = server
        self._connections = connections
        self._max_p99_ms = max_p99_ms
        self._seconds = seconds
        self._held: dict[int, generator.Result] = {}
        self._resident_mib = 0.0

    def holds(self, rate: int) -> bool:
        """Whether one of two attempts is within the limits: a pause of the machine is no limit of the server."""
        for _ in range(2):
            load = generator.Load(rate, self._seconds, self._connections, timeout_ms=TIMEOUT_MS)
            result = self._generator.run(self._server, load)
            self._resident_mib = max(self._resident_mib, resident_kib(self._server.pid) / 1024)
            if is_within_limits(result, self._max_p99_ms):
                self._held[rate] = result
                return True
        return False

    def cell(self, threads: int, rate: int) -> Cell:
        if rate == 0:
            return Cell(threads, self._connections, 0, 0.0, 0.0, 0.0, 0.0, 0.0, self._resident_mib)
        result = self._held[rate]
        latencies = records.percentiles([each.latency for each in records.after(result.found, WARM_UP_SECONDS)])
        # Without a result at FIRST_RATE, even a lower rate is the highest.
        moderate = self._held.get(FIRST_RATE, result)
        return Cell(threads, self._connections, rate, latencies["p50"], latencies["p99"], result.cpu_us_per_request,
                    moderate.cpu_us_per_request, result.generator_cpu, self._resident_mib)


def chart_values(text: str) -> ChartValues:
    """From the text of the chart's values."""
    found = re.search(r"^  maxInFlight: (\d+)\n  maxBodyMemory: (\S+)\n  resources:\n"
                      r"    requests: \{cpu: (\d+)m, memory: (\d+)Mi\}", text, re.M)
    target = re.search(r"^    targetCPUUtilizationPercentage: (\d+)", text, re.M)
    if not found or not target:
        raise ValueError("the chart's values must have the webhook's limits, requests and autoscaling")
    return ChartValues(int(found[1]), found[2], int(found[3]), int(found[4]), int(target[1]))


def sizes(cells: list[Cell], values: ChartValues) -> Sizes | None:
    """None if the cell of SIZED_BY is missing, or without a rate."""
    by_key = {(cell.threads, cell.connections): cell for cell in cells}
    cell = by_key.get(SIZED_BY)
    if cell is None or cell.rate == 0:
        return None
    per_cpu = 1e6 / cell.moderate_cpu_us
    per_request = per_cpu * values.requested_millicpu / 1000
    return Sizes(per_cpu, per_request, per_request * values.target_percent / 100,
                 max(cell.resident_mib for cell in cells))


HEAD = ["threads", "connections", "reviews/s", "p50 ms", "p99 ms", "CPU µs/review", f"at {FIRST_RATE}/s", "generator CPU",
        "resident MiB"]


def rows(cells: list[Cell]) -> list[list[str]]:
    return [[str(cell.threads), str(cell.connections), f"{cell.rate:,}", f"{cell.p50:.2f}", f"{cell.p99:.2f}",
             f"{cell.cpu_us_per_request:.1f}", f"{cell.moderate_cpu_us:.1f}", f"{cell.generator_cpu:.0%}",
             f"{cell.resident_mib:.1f}"]
            for cell in cells]


def text(cells: list[Cell], max_p99_ms: float) -> str:
    return table(f"Highest rate with p99 of at most {max_p99_ms:g} ms", HEAD, rows(cells))
