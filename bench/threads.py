#!/usr/bin/env python3
"""Compares the CPU of a request to dynamo-webhook with two threads, with one, and to two processes with a thread each.

Two processes share nothing, so on CPUs of their own they serve twice as many requests as one. Two threads that cost as much
CPU per request do the same. Here all share two CPUs with the load, so their throughput does not show it, and their CPU does.
Exits 0 when it was measured (a promise that is not reached is shown, not failed), 1 when the measurement is broken, 77
when the machine cannot run it.
"""

import argparse
import concurrent.futures
import os
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

from driver import certificates, load, machine, servers
from driver.machine import BenchError, Deadline
from driver.promises import Promise
from driver.review import GRAPH_REVIEWS, Review

BENCH = Path(__file__).resolve().parent
REVIEWS = ("create_2k", "create_13k", "update_28k")
ONE, TWO, PROCESSES = "one thread", "two threads", "two processes"
MIN_SPEED_UP = 1.8
MIN_SHARE = 0.25  # of the CPU of two threads, for each of them: otherwise they did not share the load
CLIENTS = 2  # each with load.CONNECTIONS connections
# Each round compares the servers this often: the speed of a shared machine changes within seconds.
TURNS = 6

Costs = dict[tuple[str, str], list[float]]  # µs of each round, by review and name of the servers


def measure(binary: Path, rounds: int, requests: int, deadline: Deadline, cpus: tuple[int, int]) -> Costs:
    """Each round starts new servers, which get `requests` requests in each turn."""
    kinds = [servers.webhook(binary, ONE), servers.webhook(binary, TWO, ("--threads=2",)),
             servers.webhook(binary, PROCESSES), servers.webhook(binary, PROCESSES)]
    reviews = [Review(name, BENCH / "reviews" / f"{name}.json", GRAPH_REVIEWS[name]) for name in REVIEWS]
    results: Costs = {}
    with tempfile.TemporaryDirectory(prefix="dynamo-bench-") as temporary:
        folder = certificates.make(Path(temporary))
        fleet = servers.Fleet(",".join(map(str, cpus)), folder, folder, deadline)
        for _ in range(rounds):
            with fleet.running(kinds) as running:
                for review in reviews:
                    for name, cost in compare(running, review, requests, deadline).items():
                        results.setdefault((review.name, name), []).append(cost)
                check_shares(next(server for server in running if server.name == TWO))
    return results


def compare(running: list[servers.Server], review: Review, requests: int, deadline: Deadline) -> dict[str, float]:
    """µs of CPU per request, by name of the servers."""
    used = dict.fromkeys((ONE, TWO, PROCESSES), 0.0)
    for turn in range(TURNS):
        for name in used if turn % 2 == 0 else reversed(used):
            used[name] += seconds_of_load([each for each in running if each.name == name], review, requests, deadline)
    return {name: seconds * 1e6 / (TURNS * (requests - CLIENTS * load.CONNECTIONS)) for name, seconds in used.items()}


def seconds_of_load(targets: list[servers.Server], review: Review, requests: int, deadline: Deadline) -> float:
    """CPU of `requests` requests, without the first one of each connection."""
    def cpu_seconds() -> float:
        return sum(server.cpu_seconds() for server in targets)

    begin = cpu_seconds()
    flood(targets, review, CLIENTS * load.CONNECTIONS, deadline)
    opened = cpu_seconds()
    flood(targets, review, requests, deadline)
    return (cpu_seconds() - opened) - (opened - begin)


def flood(targets: list[servers.Server], review: Review, requests: int, deadline: Deadline) -> None:
    """Divides the requests among clients that run at once, and these among the servers."""
    with concurrent.futures.ThreadPoolExecutor(CLIENTS) as clients:
        urls = [targets[client % len(targets)].url(review.url_path) for client in range(CLIENTS)]
        share = requests // CLIENTS
        loads = [clients.submit(load.flood, url, review.path, share, deadline) for url in urls]
    for each in loads:
        each.result()


def check_shares(server: servers.Server) -> None:
    shares = thread_shares(server.pid)
    if len([share for share in shares if share >= MIN_SHARE]) != 2:
        found = ", ".join(f"{share:.0%}" for share in sorted(shares, reverse=True))
        raise BenchError(f"two threads must have used {MIN_SHARE:.0%} of the CPU each; the threads used {found}")


def thread_shares(pid: int) -> list[float]:
    """Each thread's share of the CPU of its process."""
    ticks = []
    for thread in Path(f"/proc/{pid}/task").iterdir():
        # After the name, which may contain spaces: utime and stime are fields 14 and 15 of the line.
        fields = (thread / "stat").read_text().rpartition(")")[2].split()
        ticks.append(int(fields[11]) + int(fields[12]))
    return [each / max(1, sum(ticks)) for each in ticks]


def promises(results: Costs) -> list[Promise]:
    found = []
    for name in REVIEWS:
        pairs = zip(results[name, PROCESSES], results[name, TWO], strict=True)
        speed_up = statistics.median(2 * apart / together for apart, together in pairs)
        found.append(Promise(f"{name}: throughput of two threads to one", speed_up, "at least", MIN_SPEED_UP, "×"))
    return found


def report(results: Costs) -> None:
    for (review, server), rounds in results.items():
        print(f"{review}, {server}: {statistics.median(rounds):.1f} µs of CPU per request "
              f"({min(rounds):.1f} to {max(rounds):.1f} in {len(rounds)} rounds)")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build-dir", type=Path, default=BENCH.parent / "build/release", metavar="DIR",
                        help="where bin/dynamo-webhook is (default: build/release)")
    parser.add_argument("--smoke", action="store_true",
                        help="test the benchmark in one short run, without a measurement")
    arguments = parser.parse_args()
    if shutil.which("h2load") is None:
        print("bench: needs h2load: apt-get install nghttp2-client", file=sys.stderr)
        return 1
    try:
        cpus = machine.server_and_load_cpu()
    except BenchError as error:
        print(f"bench: {error}", file=sys.stderr)
        return 77
    binary = (arguments.build_dir / "bin/dynamo-webhook").resolve()
    try:
        os.sched_setaffinity(0, set(cpus))
        results = measure(binary, 1 if arguments.smoke else 11, 200 if arguments.smoke else 2_000, Deadline(600), cpus)
    except (BenchError, OSError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    report(results)
    if arguments.smoke:
        print("Smoke run: every step works; the results are not measurements.")
    else:
        print("\n".join(promise.line() for promise in promises(results)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
