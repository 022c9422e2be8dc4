"""Turns measurements into tables and into JSON."""

from .measure import Measurements, Plan
from .promises import Promise
from .review import Review
from .rounds import Rounds
from .servers import BEFORE, ECHO, PEER, WEBHOOK

# Above this share of foreign load on the two CPUs, costs are inflated by several per cent.
NOISY = 0.10
# The cell of a server that does not know a review's path.
NONE = "–"
# Version of the JSON; a change that breaks readers increments it.
FORMAT = 1

Costs = dict[tuple[str, str], Rounds]


class Report:
    """One run: its results, servers (in the order of the tables) and reviews."""

    def __init__(
        self,
        results: Measurements,
        servers: list[str],
        reviews: list[Review],
        large: list[Review],
        plan: Plan,
        cpus: tuple[int, int],
    ):
        self._results = results
        self._servers = servers
        self._reviews = reviews
        self._large = large
        self._plan = plan
        self._cpus = cpus

    def text(self) -> str:
        parts = [
            f"Servers on CPU {self._cpus[0]}, h2load on CPU {self._cpus[1]}: "
            "16 kept-alive connections, HTTP/1.1, TLS 1.3, ECDSA P-256."
        ]
        if self._results.foreign_load > NOISY:
            parts.append(
                f"Noisy: other processes used {self._results.foreign_load:.0%} of these two CPUs; "
                "measure again on an idle machine."
            )
        title = "Server CPU per request, µs (user + system, median of rounds)"
        parts.append(self._cost_table(title, self._results.cost, self._reviews))
        if self._results.instructions:
            parts.append(self._instructions_table())
        parts.append(self._latency_table())
        parts.append(self._memory_table())
        if self._large:
            title = "Large reviews: server CPU per request, µs"
            parts.append(self._cost_table(title, self._results.large_cost, self._large))
            parts.append(self._per_kib_table())
        return "\n\n".join(parts)

    def as_json(self, promises: list[Promise], facts: dict) -> dict:
        """`facts`: additional members about machine and revision."""
        results = self._results
        return {
            "format": FORMAT,
            **facts,
            "run": {
                "server_cpu": self._cpus[0],
                "load_cpu": self._cpus[1],
                "foreign_load": round(results.foreign_load, 3),
                "rounds": self._plan.rounds,
                "large_rounds": self._plan.large_rounds if self._large else 0,
                "latency_per_second": self._plan.latency_per_second,
                "latency_requests_per_round": self._plan.latency_requests,
                "is_measurement": self._plan.is_measurement,
            },
            "review_bytes": {review.name: review.size for review in self._reviews + self._large},
            "cpu_per_request": _cost_rows(results.cost),
            "large_cpu_per_request": _cost_rows(results.large_cost),
            "instructions_per_request": [
                {"review": review, "server": server, "count": round(count)}
                for (review, server), count in results.instructions.items()
            ],
            "latency": [
                {
                    "review": review,
                    "server": server,
                    "p50_us": latency.p50.as_json(),
                    "p99_us": latency.p99.as_json(),
                }
                for (review, server), latency in results.latency.items()
            ],
            "memory": [
                {
                    "server": server,
                    "resident_kib": results.resident_kib[server],
                    "idle_connections": self._plan.idle_connections,
                    "bytes_per_idle_connection": round(results.idle_bytes[server]),
                }
                for server in self._servers
            ],
            "promises": [
                {
                    "what": promise.what,
                    "value": round(promise.value, 3),
                    "bound": promise.bound,
                    "limit": promise.limit,
                    "unit": promise.unit,
                    "kept": promise.kept,
                }
                for promise in promises
            ],
        }

    def _cost_table(self, title: str, costs: Costs, reviews: list[Review]) -> str:
        ratios = []  # (heading, dividend, divisor)
        if WEBHOOK in self._servers and ECHO in self._servers:
            ratios.append((f"{WEBHOOK}:{ECHO}", WEBHOOK, ECHO))
        if WEBHOOK in self._servers and PEER in self._servers:
            ratios.append((f"{PEER}:{WEBHOOK}", PEER, WEBHOOK))
        if WEBHOOK in self._servers and BEFORE in self._servers:
            ratios.append((f"{WEBHOOK}:{BEFORE}", WEBHOOK, BEFORE))
        rows = []
        for review in reviews:
            cost = {
                server: costs[review.name, server].median
                for server in self._servers
                if (review.name, server) in costs
            }
            row = [review.name, str(review.size)]
            row += [f"{cost[server]:.1f}" if server in cost else NONE for server in self._servers]
            row += [
                f"{cost[over] / cost[under]:.2f} ×" if {over, under} <= cost.keys() else NONE
                for _, over, under in ratios
            ]
            rows.append(row)
        head = ["review", "bytes", *self._servers, *(heading for heading, _, _ in ratios)]
        return _table(title, head, rows)

    def _per_kib_table(self) -> str:
        rows = []
        for review in self._large:
            costs = (self._results.large_cost[review.name, server] for server in self._servers)
            rows.append([review.name, *(f"{c.median / review.size * 1024:.2f}" for c in costs)])
        return _table("The same, µs per KiB", ["review", *self._servers], rows)

    def _instructions_table(self) -> str:
        counts = self._results.instructions
        servers = [server for server in self._servers if any(server == of for _, of in counts)]
        compared = {WEBHOOK, BEFORE} <= set(servers)
        rows = []
        for review in self._reviews + self._large:
            if not any(review.name == of for of, _ in counts):
                continue
            count = {server: counts.get((review.name, server)) for server in servers}
            row = [review.name, *(f"{count[server]:,.0f}" if count[server] else NONE for server in servers)]
            if compared:
                before, ours = count[BEFORE], count[WEBHOOK]
                row.append(f"{ours / before:.3f} ×" if before and ours else NONE)
            rows.append(row)
        head = ["review", *servers, *([f"{WEBHOOK}:{BEFORE}"] if compared else [])]
        return _table("Instructions of user space per request", head, rows)

    def _latency_table(self) -> str:
        rows = []
        for review in self._reviews:
            for server in self._servers:
                latency = self._results.latency.get((review.name, server))
                if latency:
                    rows.append(
                        [review.name, server, f"{latency.p50.median:.0f}", f"{latency.p99.median:.0f}"]
                    )
        title = f"Latency at {self._plan.latency_per_second} requests a second, µs (median of rounds)"
        return _table(title, ["review", "server", "p50", "p99"], rows)

    def _memory_table(self) -> str:
        rows = []
        for server in self._servers:
            resident = self._results.resident_kib[server] / 1024
            idle = self._results.idle_bytes[server] / 1024
            rows.append([server, f"{resident:.1f} MiB", f"{idle:.1f} KiB"])
        return _table("Memory", ["server", "resident, 16 connections", "per idle connection"], rows)


def _table(title: str, head: list[str], rows: list[list[str]]) -> str:
    widths = [max(len(row[column]) for row in [head, *rows]) for column in range(len(head))]

    def render(row: list[str]) -> str:
        # The first column is text, the others are numbers or short names.
        cells = [row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]
        return "  " + "  ".join(cells).rstrip()

    return "\n".join([title, render(head), *map(render, rows)])


def _cost_rows(costs: Costs) -> list[dict]:
    return [
        {"review": review, "server": server, "us": cost.as_json()}
        for (review, server), cost in costs.items()
    ]
