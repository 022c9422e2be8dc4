"""Counts the user-space instructions of a request to a server under valgrind.

Unlike time, the count is the same in every run, to about 0.1 %, and on every machine whose CPU offers the same
extensions to glibc and OpenSSL. It excludes the kernel and the effects of caches, so it is shown in addition to
the measured time.
"""

import tempfile
from pathlib import Path

from . import callgrind, load
from .machine import Deadline
from .review import Review
from .servers import Fleet, ServerKind, counted

WARM_REQUESTS = 320
COUNTED_REQUESTS = 2000
# Larger reviews are sent fewer times, so that every count takes equally long. Handshakes, whose cost varies, are a
# smaller part of their count.
FULL_COUNT_UP_TO = 8 * 1024
LEAST_COUNTED = 8
# Under valgrind, more large reviews at once would wait for each other until they time out.
LARGE_ABOVE = 32 * 1024
CONNECTIONS_OF_LARGE_REVIEWS = 1
# Under valgrind on a busy machine. The limit of the whole run applies, too.
RUN_SECONDS = 600


def count(fleet: Fleet, kind: ServerKind, review: Review, deadline: Deadline) -> float:
    """Instructions of one request on an open connection: a long run minus a short one."""
    connections = CONNECTIONS_OF_LARGE_REVIEWS if review.size > LARGE_ABOVE else load.CONNECTIONS
    warm, counted_requests = requests_for(review.size)
    short = _total(fleet, kind, review, warm, connections, deadline)
    long = _total(fleet, kind, review, warm + counted_requests, connections, deadline)
    return (long - short) / counted_requests


def requests_for(size: int) -> tuple[int, int]:
    """How many requests with a review of this size, in bytes, only warm up, and how many are counted."""
    parts = max(1.0, size / FULL_COUNT_UP_TO)
    return max(int(WARM_REQUESTS / parts), LEAST_COUNTED), max(int(COUNTED_REQUESTS / parts), LEAST_COUNTED)


def _total(
    fleet: Fleet,
    kind: ServerKind,
    review: Review,
    requests: int,
    connections: int,
    deadline: Deadline,
) -> int:
    with tempfile.TemporaryDirectory(prefix="dynamo-bench-") as folder:
        file = Path(folder) / "callgrind.out"
        with fleet.running([counted(kind, file)]) as [server]:
            url = server.url(review.url_path)
            load.flood(url, review.path, requests, deadline, connections=connections, seconds=RUN_SECONDS)
        return callgrind.total(file, kind.name)
