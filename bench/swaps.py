#!/usr/bin/env python3
"""Measures the effect on requests when the server's certificate is replaced during operation.

16 kept-alive connections send requests at a fixed rate while new connections are opened all the time:
alternately without a swap and with four a second. Exits 0 when it was measured (a promise that is not
reached is shown, not failed), 1 when a request or a connection failed or the measurement is broken, 77
when the machine cannot run it.
"""

import argparse
import contextlib
import os
import shutil
import statistics
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Iterator

from driver import certificates, client, load, machine, servers
from driver.machine import BenchError, Deadline
from driver.promises import Promise
from driver.review import GRAPH_PATH, Review

BENCH = Path(__file__).resolve().parent
REVIEW = BENCH / "reviews" / "create_2k.json"
LEAVES = 40
SWAPS_PER_SECOND = 4
REQUESTS_PER_SECOND = 400
CONNECTION_PAUSE = 0.02
MAX_SLOWER_MS = 5.0  # too short for a wait on a file or a key
MIN_SEEN = 0.8  # share of the swaps seen by new connections


@dataclass
class Phase:
    """The results of one kind of phase, over all rounds."""

    slowest_of_1000_us: list[int] = field(default_factory=list)  # one value per round
    requests: int = 0
    connections: int = 0
    swaps: int = 0
    leaves_seen: int = 0


class Newcomers:
    """Opens connections one after the other, sends one request on each, and counts the leaf
    certificates."""

    def __init__(self, server: servers.Server, body: bytes):
        self._server = server
        self._body = body
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self.connections = 0
        self.leaves: set[bytes] = set()
        self.failure: Exception | None = None

    def __enter__(self) -> "Newcomers":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join(timeout=client.ANSWER_SECONDS)

    def _run(self) -> None:
        try:
            while not self._end.wait(CONNECTION_PAUSE):
                with contextlib.closing(client.connect(
                        self._server.port, self._server.trust, client.ANSWER_SECONDS)) as opened:
                    self.leaves.add(opened.getpeercert(binary_form=True) or b"")
                    status, _ = client.post(opened, GRAPH_PATH, self._body)
                if status != 200:
                    raise BenchError(f"a new connection was answered {status}")
                self.connections += 1
        except (OSError, BenchError) as error:
            self.failure = error


@contextlib.contextmanager
def swapping(rotation: certificates.Rotation, phase: Phase) -> Iterator[None]:
    """Swaps until the context ends."""
    end = threading.Event()

    def run() -> None:
        while not end.wait(1 / SWAPS_PER_SECOND):
            rotation.swap()
            phase.swaps += 1

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        end.set()
        thread.join()


def one_round(server: servers.Server, phase: Phase, requests: int, deadline: Deadline) -> None:
    with Newcomers(server, REVIEW.read_bytes()) as newcomers:
        times = load.paced(server.url(GRAPH_PATH), REVIEW, REQUESTS_PER_SECOND, requests, deadline)
    if newcomers.failure:
        raise BenchError(f"a new connection failed: {newcomers.failure}")
    settled = sorted(times[len(times) // 10:])  # after all connections are open
    phase.slowest_of_1000_us.append(settled[-1 - len(settled) // 1000])
    phase.requests += len(times)
    phase.connections += newcomers.connections
    phase.leaves_seen += len(newcomers.leaves) - 1


def measure(binary: Path, rounds: int, requests: int, deadline: Deadline,
            cpus: tuple[int, int]) -> tuple[Phase, Phase]:
    os.sched_setaffinity(0, {cpus[1]})
    quiet, swapped = Phase(), Phase()
    with tempfile.TemporaryDirectory(prefix="dynamo-bench-") as temporary:
        folder = Path(temporary)
        rotation = certificates.Rotation(folder, LEAVES)
        fleet = servers.Fleet(cpus[0], folder, folder, deadline)
        with fleet.running([servers.webhook(binary)]) as (server,):
            client.check_verdicts(server, Review("create_2k", REVIEW))
            for _ in range(rounds):
                one_round(server, quiet, requests, deadline)
                with swapping(rotation, swapped):
                    one_round(server, swapped, requests, deadline)
                time.sleep(1 / SWAPS_PER_SECOND)  # keeps the last swap out of the next quiet phase
    if swapped.leaves_seen < MIN_SEEN * swapped.swaps - rounds:
        raise BenchError(f"new connections saw {swapped.leaves_seen} of {swapped.swaps} swaps; "
                         "is the certificate followed?")
    return quiet, swapped


def report(quiet: Phase, swapped: Phase) -> Promise:
    before = statistics.median(quiet.slowest_of_1000_us) / 1000
    during = statistics.median(swapped.slowest_of_1000_us) / 1000
    print(f"Certificates swapped {SWAPS_PER_SECOND} times a second: {swapped.swaps} swaps, "
          f"{swapped.requests} requests at {REQUESTS_PER_SECOND}/s and {swapped.connections} new "
          "connections, none failed.")
    print(f"  slowest of 1,000 requests, median of the rounds: {before:.2f} ms without, "
          f"{during:.2f} ms with swaps")
    return Promise("a request of a thousand is slower for swaps by", during - before, "at most",
                   MAX_SLOWER_MS, "ms")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build-dir", type=Path, default=BENCH.parent / "build/release",
                        metavar="DIR", help="where bin/dynamo-webhook is (default: build/release)")
    parser.add_argument("--smoke", action="store_true",
                        help="test the benchmark in one short run, without a measurement")
    arguments = parser.parse_args()
    try:
        cpus = machine.server_and_load_cpu()
    except BenchError as error:
        print(f"bench: {error}", file=sys.stderr)
        return 77
    try:
        if shutil.which("h2load") is None:
            raise BenchError("needs h2load: apt-get install nghttp2-client")
        quiet, swapped = measure((arguments.build_dir / "bin/dynamo-webhook").resolve(),
                                 1 if arguments.smoke else 5, 400 if arguments.smoke else 2000,
                                 Deadline(300), cpus)
    except (BenchError, OSError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    promise = report(quiet, swapped)
    print("Smoke run: every step works; the results are not measurements." if arguments.smoke
          else promise.line())
    return 0


if __name__ == "__main__":
    sys.exit(main())
