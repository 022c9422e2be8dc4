"""The records of a load: percentiles, errors by kind, and latencies over time. Pure, except for read()."""

import collections
import math
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

# As in open_loop.hpp.
RECORD = struct.Struct("<IIIHH")
OTHER_RESPONSE = "other response"
KINDS = {0: "expected", 1: "other verdict", 2: OTHER_RESPONSE, 3: "connection lost", 4: "timeout", 5: "not sent"}
PERCENTILES = (50.0, 90.0, 99.0, 99.9, 100.0)
BUCKETS = 120
REQUESTS_PER_BUCKET = 200


class Record(NamedTuple):
    """A request. Times in µs; `latency` starts at the scheduled moment, so it includes `delay`, the time until the
    request was sent."""

    due: int
    delay: int
    latency: int
    request: int
    outcome: int


def read(file: Path) -> list[Record]:
    """In the order of the schedule."""
    found = [Record(*fields) for fields in RECORD.iter_unpack(file.read_bytes())]
    return sorted(found, key=lambda record: record.due)


def kind_of(outcome: int) -> str:
    return KINDS.get(outcome, f"HTTP {outcome}")


def errors(found: list[Record]) -> dict[str, int]:
    """How many requests failed, by kind."""
    counts = collections.Counter(kind_of(record.outcome) for record in found if record.outcome != 0)
    return dict(counts.most_common())


def errors_by_request(found: list[Record]) -> dict[tuple[str, int], int]:
    """How many requests failed, by kind and index of the request."""
    counts = collections.Counter((kind_of(record.outcome), record.request) for record in found if record.outcome != 0)
    return dict(counts.most_common())


def percentile(ordered: list[int], percent: float) -> int:
    """Nearest rank; `ordered` has at least one value."""
    # Rounded, because 99.9 % of 1000 is a little more than 999 in binary.
    rank = math.ceil(round(percent * len(ordered) / 100, 6))
    return ordered[max(rank, 1) - 1]


def percentiles(values: list[int]) -> dict[str, float]:
    """In ms, by the names p50, p90, p99, p99.9 and max."""
    ordered = sorted(values)
    return {"max" if percent == 100 else f"p{percent:g}": percentile(ordered, percent) / 1000
            for percent in PERCENTILES}


def after(found: list[Record], seconds: float) -> list[Record]:
    """The requests scheduled after that time: without the first ones on new connections."""
    return [record for record in found if record.due >= seconds * 1e6]


def by_percentile(values: list[int], largest: float = 99.99) -> list[tuple[float, float]]:
    """(percent, ms) for a curve that shows the slowest ones: equal steps towards 100 %."""
    ordered = sorted(values)
    points = []
    for step in range(81):
        percent = 100 - 100 * 10 ** (-step / 20)
        if percent > largest or len(ordered) * (100 - percent) < 100:
            break
        points.append((percent, percentile(ordered, percent) / 1000))
    return points


@dataclass(frozen=True)
class Bucket:
    """The requests of a part of the time. Latencies in ms."""

    second: float  # its middle
    p50: float
    p99: float
    most: float
    errors: int


def over_time(found: list[Record], buckets: int = BUCKETS) -> list[Bucket]:
    """At most `buckets` parts of equal length, of so many requests that a 99th percentile exists; empty ones are left
    out."""
    if not found:
        return []
    length = found[-1].due / max(1, min(buckets, len(found) // REQUESTS_PER_BUCKET)) + 1
    parts = collections.defaultdict(list)
    for record in found:
        parts[int(record.due / length)].append(record)
    result = []
    for index, part in sorted(parts.items()):
        ordered = sorted(record.latency for record in part)
        failed = sum(record.outcome != 0 for record in part)
        result.append(Bucket((index + 0.5) * length / 1e6, percentile(ordered, 50) / 1000,
                             percentile(ordered, 99) / 1000, ordered[-1] / 1000, failed))
    return result
