"""The measurements. Each returns plain numbers and prints only progress."""

import resource
import time
from dataclasses import dataclass, field
from typing import Callable

from . import instructions, load
from .client import check_verdicts, idle_connections, knows
from .machine import BenchError, Deadline, busy_seconds
from .review import GRAPH_PATH, Review
from .rounds import Rounds
from .servers import WEBHOOK, Fleet, Server, ServerKind


@dataclass(frozen=True)
class Plan:
    """How much to measure. A round drives all servers in turn, so that noise affects all alike.

    Each round starts new servers: the placement of a process in memory changes its cost by up to 15 % for its
    lifetime, so one pair of processes does not represent two programs.
    """

    rounds: int
    cpu_seconds_per_run: float  # each run is long enough to cost the server about this much
    min_requests: int
    max_requests: int
    latency_per_second: int
    latency_requests: int  # in each round
    idle_connections: int
    large_rounds: int
    is_measurement: bool = True


FULL = Plan(
    rounds=5,
    cpu_seconds_per_run=0.15,
    min_requests=32,
    max_requests=50_000,
    latency_per_second=400,
    latency_requests=800,
    idle_connections=1000,
    large_rounds=5,
)
SMOKE = Plan(
    rounds=1,
    cpu_seconds_per_run=0,
    min_requests=64,
    max_requests=64,
    latency_per_second=400,
    latency_requests=100,
    idle_connections=20,
    large_rounds=1,
    is_measurement=False,
)


@dataclass(frozen=True)
class Latency:
    """Percentiles in µs, of the same number of requests in each round."""

    p50: Rounds
    p99: Rounds


@dataclass
class Measurements:
    """All results; the keys are review and server names. A server that does not know a review's path
    has none for it."""

    cost: dict[tuple[str, str], Rounds]  # server CPU per request in µs
    latency: dict[tuple[str, str], Latency]
    resident_kib: dict[str, int]
    idle_bytes: dict[str, float]
    large_cost: dict[tuple[str, str], Rounds]
    foreign_load: float  # CPU time that neither server nor load generator used, 0 to 1
    instructions: dict[tuple[str, str], float] = field(default_factory=dict)  # per request


def measure(
    fleet: Fleet,
    kinds: list[ServerKind],
    reviews: list[Review],
    large: list[Review],
    plan: Plan,
    deadline: Deadline,
    cpus: tuple[int, int],
    say: Callable[[str], None],
    counted: list[tuple[ServerKind, list[Review]]],
) -> Measurements:
    """`counted`: servers whose instructions are counted, too, and for which reviews."""
    results = Measurements({}, {}, {kind.name: 0 for kind in kinds}, {}, {}, 0.0)
    memory = _MemoryWatch(results.resident_kib)
    say("verdicts: every server accepts each review and refuses a corrupted copy")
    pairs = _check_verdicts(fleet, kinds, reviews)
    large_pairs = _check_verdicts(fleet, kinds, large)
    # First, because it may fail, and the other steps take longer.
    if counted:
        say("instructions of a request, under valgrind")
        results.instructions = _instructions(fleet, counted, pairs + large_pairs, deadline)

    foreign = _ForeignLoad(cpus)
    say(f"CPU per request: {plan.rounds} rounds")
    results.cost = _costs(fleet, kinds, pairs, plan.rounds, plan, deadline, memory)
    say(f"latency at {plan.latency_per_second} requests a second: {plan.rounds} rounds")
    results.latency = _latencies(fleet, kinds, pairs, plan, deadline, memory)
    if large:
        say(f"large reviews: {plan.large_rounds} rounds")
        results.large_cost = _costs(
            fleet, kinds, large_pairs, plan.large_rounds, plan, deadline, _MemoryWatch({})
        )
    results.foreign_load = foreign.share()

    say(f"memory of {plan.idle_connections} idle connections")
    largest = max((review for review in reviews if review.is_for_all_servers), key=_size)
    for kind in kinds:
        with fleet.running([kind]) as [server]:
            results.idle_bytes[kind.name] = _idle_bytes(server, largest, plan)
    return results


# A review and the name of a server that knows its path.
Pair = tuple[Review, str]


def _check_verdicts(
    fleet: Fleet, kinds: list[ServerKind], reviews: list[Review]
) -> list[Pair]:
    pairs = []
    with fleet.running(kinds) as servers:
        for review in reviews:
            for server in servers:
                if (
                    review.is_for_all_servers
                    or server.name == WEBHOOK
                    or knows(server, review)
                ):
                    check_verdicts(server, review)
                    pairs.append((review, server.name))
    return pairs


def _running(pairs: list[Pair], servers: list[Server]) -> list[tuple[Review, Server]]:
    """The pairs in their order, except that the servers of one review have the order of `servers`."""
    reviews = dict.fromkeys(review for review, _ in pairs)
    return [
        (review, server)
        for review in reviews
        for server in servers
        if (review, server.name) in pairs
    ]


def _instructions(
    fleet: Fleet,
    counted: list[tuple[ServerKind, list[Review]]],
    pairs: list[Pair],
    deadline: Deadline,
) -> dict[tuple[str, str], float]:
    return {
        (review.name, kind.name): instructions.count(fleet, kind, review, deadline)
        for kind, reviews in counted
        for review in reviews
        if (review, kind.name) in pairs
    }


def _size(review: Review) -> int:
    return review.size


class _MemoryWatch:
    """Records a server's peak resident memory while 16 connections were open."""

    def __init__(self, peaks: dict[str, int]):
        self._peaks = peaks

    def of(self, server: Server) -> Callable[[], None]:
        def sample() -> None:
            self._peaks[server.name] = max(self._peaks.get(server.name, 0), server.resident_kib())

        return sample


class _ForeignLoad:
    """Share of the two CPUs that other processes used during the measurement: a measure of its
    quality."""

    def __init__(self, cpus: tuple[int, int]):
        self._cpus = cpus
        self._begin = self._now()

    def share(self) -> float:
        wall, busy, ours = (now - begin for now, begin in zip(self._now(), self._begin))
        return max(0.0, busy - ours) / (wall * len(self._cpus))

    def _now(self) -> tuple[float, float, float]:
        children = resource.getrusage(resource.RUSAGE_CHILDREN)  # servers and h2load that have ended
        return (
            time.monotonic(),
            busy_seconds(self._cpus),
            children.ru_utime + children.ru_stime + time.process_time(),
        )


def _costs(
    fleet: Fleet,
    kinds: list[ServerKind],
    pairs: list[Pair],
    rounds: int,
    plan: Plan,
    deadline: Deadline,
    memory: _MemoryWatch,
) -> dict[tuple[str, str], Rounds]:
    """Rounds of all pairs, after a run that determines the numbers of requests."""
    with fleet.running(kinds) as servers:
        requests = {
            (review.name, server.name): _calibrate(server, review, plan, deadline, memory)
            for review, server in _running(pairs, servers)
        }
    figures: dict[tuple[str, str], list[float]] = {key: [] for key in requests}
    for turn in range(rounds):
        with fleet.running(_order(kinds, turn)) as servers:
            for review, server in _running(pairs, servers):
                key = review.name, server.name
                figures[key].append(_cost(server, review, requests[key], deadline, memory))
    return {key: Rounds(values) for key, values in figures.items()}


def _calibrate(
    server: Server, review: Review, plan: Plan, deadline: Deadline, memory: _MemoryWatch
) -> int:
    """The number of requests that costs the server about `plan.cpu_seconds_per_run`."""
    requests = plan.min_requests
    while True:
        seconds = _cost(server, review, requests, deadline, memory) * 1e-6
        if requests * seconds >= plan.cpu_seconds_per_run / 10 or requests >= plan.max_requests:
            break
        requests = min(requests * 8, plan.max_requests)
    if seconds <= 0:
        return plan.min_requests
    return int(min(max(plan.cpu_seconds_per_run / seconds, plan.min_requests), plan.max_requests))


def _cost(
    server: Server, review: Review, requests: int, deadline: Deadline, memory: _MemoryWatch
) -> float:
    """µs of server CPU for one request on a connection that is already open.

    A run of one request per connection is subtracted from the long run, which removes handshakes and first
    requests.
    """
    url = server.url(review.url_path)
    begin = server.cpu_seconds()
    load.flood(url, review.path, load.CONNECTIONS, deadline)
    opened = server.cpu_seconds()
    load.flood(url, review.path, requests, deadline, memory.of(server))
    done = server.cpu_seconds()
    return ((done - opened) - (opened - begin)) * 1e6 / (requests - load.CONNECTIONS)


def _latencies(
    fleet: Fleet,
    kinds: list[ServerKind],
    pairs: list[Pair],
    plan: Plan,
    deadline: Deadline,
    memory: _MemoryWatch,
) -> dict[tuple[str, str], Latency]:
    percentiles: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for turn in range(plan.rounds):
        with fleet.running(_order(kinds, turn)) as servers:
            for review, server in _running(pairs, servers):
                found = _latency(server, review, plan, deadline, memory)
                percentiles.setdefault((review.name, server.name), []).append(found)
    return {
        key: Latency(Rounds([p50 for p50, _ in values]), Rounds([p99 for _, p99 in values]))
        for key, values in percentiles.items()
    }


def _order(kinds: list[ServerKind], turn: int) -> list[ServerKind]:
    """Alternates, because the first server runs with different cache contents."""
    return kinds if turn % 2 == 0 else kinds[::-1]


def _latency(
    server: Server, review: Review, plan: Plan, deadline: Deadline, memory: _MemoryWatch
) -> tuple[int, int]:
    """The 50th and the 99th percentile in µs."""
    latencies = load.paced(
        server.url(review.url_path),
        review.path,
        plan.latency_per_second,
        plan.latency_requests,
        deadline,
        memory.of(server),
    )
    if len(latencies) != plan.latency_requests:
        raise BenchError(f"h2load logged {len(latencies)} requests")
    # The first tenth includes handshakes of connections that are still being opened.
    settled = sorted(latencies[len(latencies) // 10 :])
    return _percentile(settled, 50), _percentile(settled, 99)


def _percentile(ordered: list[int], percent: int) -> int:
    """Nearest rank: the smallest value that `percent` of all values do not exceed."""
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)]


def _idle_bytes(server: Server, review: Review, plan: Plan) -> float:
    body = review.path.read_bytes()
    with idle_connections(server, GRAPH_PATH, body, 1):
        before = server.resident_kib()
        with idle_connections(server, GRAPH_PATH, body, plan.idle_connections):
            return (server.resident_kib() - before) * 1024 / plan.idle_connections
