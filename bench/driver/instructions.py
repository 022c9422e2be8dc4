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


def count(fleet: Fleet, kind: ServerKind, review: Path, deadline: Deadline) -> float:
    """Instructions of one request on a connection that is open: a long run less a short one."""
    short = _total(fleet, kind, review, WARM_REQUESTS, deadline)
    long = _total(fleet, kind, review, WARM_REQUESTS + COUNTED_REQUESTS, deadline)
    return (long - short) / COUNTED_REQUESTS


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
