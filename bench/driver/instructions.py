"""Counts the instructions of user space that a review costs, under valgrind.

Unlike time the count is the same on every machine and in every run, to about a tenth of a per cent. It
leaves out the kernel and the caches, so it stands beside the measured time and not in its place.
"""

import re
import tempfile
from pathlib import Path

from . import load
from .machine import BenchError, Deadline
from .servers import Fleet, ServerKind, counted

WARM_REQUESTS = 320
COUNTED_REQUESTS = 2000
# Of reviews above this so many fewer: what is counted takes as long for each.
FULL_COUNT_UP_TO = 32 * 1024
LEAST_COUNTED = 32


def count(fleet: Fleet, kind: ServerKind, review: Path, deadline: Deadline) -> float:
    """Instructions of one request on a connection that is open: a long run less a short one."""
    parts = max(1.0, review.stat().st_size / FULL_COUNT_UP_TO)
    warm = max(int(WARM_REQUESTS / parts), LEAST_COUNTED)
    counted_requests = max(int(COUNTED_REQUESTS / parts), LEAST_COUNTED)
    short = _total(fleet, kind, review, warm, deadline)
    long = _total(fleet, kind, review, warm + counted_requests, deadline)
    return (long - short) / counted_requests


def _total(
    fleet: Fleet, kind: ServerKind, review: Path, requests: int, deadline: Deadline
) -> int:
    with tempfile.TemporaryDirectory(prefix="dynamo-bench-") as folder:
        file = Path(folder) / "callgrind.out"
        with fleet.running([counted(kind, file)]) as [server]:
            load.flood(server.url, review, requests, deadline)
        found = re.search(r"^totals: (\d+)$", file.read_text(), re.M) if file.exists() else None
        if not found:
            raise BenchError(f"{kind.name}: callgrind wrote no total")
        return int(found[1])
