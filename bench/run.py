#!/usr/bin/env python3
"""Measures the cost of an admission review for a bare TLS echo, dynamo-webhook and a Go peer.

See README.md in this folder for the method and how to read the results. Exits 0 when everything was
measured (a promise that is not reached is shown, not failed), 1 when the measurement is broken, 77
when the machine cannot run it.
"""

import argparse
import json
import os
import shutil
import signal
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Callable

import make_large_review
from driver import certificates, facts, go_peer, machine, promises, revision, servers
from driver.machine import BenchError, Deadline
from driver.measure import FULL, SMOKE, Plan, measure
from driver.report import Report
from driver.review import CONVERSION_REVIEWS, GRAPH_REVIEWS, Review

BENCH = Path(__file__).resolve().parent
ROOT = BENCH.parent
REVIEWS = GRAPH_REVIEWS | CONVERSION_REVIEWS
LARGE = (
    ("large_28k", 28_000),
    ("large_250k", 250_000),
    ("large_1m", 1_000_000),
    ("large_3m", 3_000_000),
)
SMOKE_LARGE = ("large_28k", "large_250k")
NEEDED_TOOLS = {
    "h2load": "nghttp2-client",
    "taskset": "util-linux",
    "setpriv": "util-linux",
    "openssl": "openssl",
}
EXIT_UNSUITABLE_MACHINE = 77
# Two equal programs differ by 5 % in a round: the median of several rounds shows 3 %.
ROUNDS_OF_A_COMPARISON = 11


def _bounded(low: int, high: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if not text.isdecimal() or not low <= int(text) <= high:
            raise argparse.ArgumentTypeError(f"must be a number from {low} to {high}, is {text!r}")
        return int(text)

    return parse


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--build-dir",
        type=Path,
        default=ROOT / "build/release",
        metavar="DIR",
        help="where bin/bench_echo and bin/dynamo-webhook are (default: build/release)",
    )
    parser.add_argument(
        "--only",
        metavar="NAMES",
        default=None,
        help="servers to measure, of echo,webhook,go-peer (default: all)",
    )
    parser.add_argument(
        "--before",
        type=Path,
        metavar="BINARY",
        help="an earlier dynamo-webhook, measured alternately with that of --build-dir: no review may "
        "cost over 3 %% more",
    )
    parser.add_argument(
        "--against",
        metavar="REV",
        help="like --before, with dynamo-webhook of this Git revision, which is built in the cache",
    )
    parser.add_argument(
        "--rounds",
        type=_bounded(1, 50),
        metavar="N",
        help="rounds of CPU cost and latency (default: 5; with --before or --against 11)",
    )
    parser.add_argument(
        "--json",
        type=Path,
        metavar="FILE",
        help="also write all results, with facts about machine and versions; ./dev bench report FILE shows them",
    )
    parser.add_argument(
        "--smoke",
        action="store_true",
        help="send a few requests to each server; the Go peer only if it is already built",
    )
    parser.add_argument(
        "--no-large", action="store_true", help="skip the reviews of up to 3 MB"
    )
    parser.add_argument(
        "--max-seconds",
        type=_bounded(10, 3600),
        default=1800,
        metavar="N",
        help="time limit of the measurement (default: 1800)",
    )
    arguments = parser.parse_args()
    if arguments.before and arguments.against:
        parser.error("--before and --against exclude each other")
    return arguments


def choose_servers(arguments: argparse.Namespace) -> list[servers.ServerKind]:
    """The servers to start, in the order of the tables; builds the Go peer if requested."""
    known = (servers.ECHO, servers.WEBHOOK, servers.PEER)
    compared = arguments.before or arguments.against
    if compared and arguments.only and servers.WEBHOOK not in arguments.only.split(","):
        raise BenchError("--before and --against compare the webhook, which --only leaves out")
    wanted = arguments.only.split(",") if arguments.only else list(known)
    for name in wanted:
        if name not in known:
            raise BenchError(f"--only {name}: must be of {','.join(known)}")
    kinds = []
    if servers.ECHO in wanted:
        kinds.append(servers.echo(_built(arguments.build_dir / "bin/bench_echo")))
    if servers.WEBHOOK in wanted:
        kinds.append(servers.webhook(_built(arguments.build_dir / "bin/dynamo-webhook")))
    if arguments.before:
        kinds.append(servers.webhook(_built(arguments.before), servers.BEFORE))
    if servers.PEER in wanted:
        binary = go_peer.cached_binary() if arguments.smoke else go_peer.build()
        if binary:
            kinds.append(servers.go_peer(binary))
    if not kinds:
        raise BenchError(
            "the Go peer is not built yet and a smoke run does not build it; leave --smoke out once"
        )
    return kinds


def _built(binary: Path) -> Path:
    if not binary.exists():
        raise BenchError(f"{binary} is not built; run ./dev build, or name another --build-dir")
    return binary.resolve()


def large_reviews(folder: Path, smoke: bool) -> list[Review]:
    reviews = []
    for name, size in LARGE:
        if not smoke or name in SMOKE_LARGE:
            path = folder / f"{name}.json"
            path.write_bytes(make_large_review.large_review(size))
            reviews.append(Review(name, path))
    return reviews


def choose_plan(arguments: argparse.Namespace) -> Plan:
    plan = SMOKE if arguments.smoke else FULL
    if arguments.before and not arguments.smoke:
        plan = replace(plan, rounds=ROUNDS_OF_A_COMPARISON, large_rounds=ROUNDS_OF_A_COMPARISON)
    if arguments.rounds:
        plan = replace(plan, rounds=arguments.rounds, large_rounds=arguments.rounds)
    return plan


def choose_counted(
    kinds: list[servers.ServerKind], reviews: list[Review], large: list[Review], smoke: bool
) -> list[tuple[servers.ServerKind, list[Review]]]:
    """The servers whose instructions are counted, if valgrind is installed, and the reviews.

    A comparison counts its two builds, also with large reviews. The Go peer is not counted, and the echo only with
    the reviews that all servers get: its cost depends on the size alone.
    """
    names = [kind.name for kind in kinds]
    is_comparison = servers.BEFORE in names
    if shutil.which("valgrind") is None or (smoke and not is_comparison):
        return []
    if is_comparison:
        counted = reviews[:1] if smoke else reviews + large
        of = {servers.WEBHOOK: counted, servers.BEFORE: counted}
    else:
        of = {servers.ECHO: [review for review in reviews if review.is_for_all_servers], servers.WEBHOOK: reviews}
    return [(kind, of[kind.name]) for kind in kinds if kind.name in of]


def run(arguments: argparse.Namespace, cpus: tuple[int, int]) -> None:
    for tool, package in NEEDED_TOOLS.items():
        if shutil.which(tool) is None:
            raise BenchError(f"needs {tool}: apt-get install {package}")
    known = describe(arguments.build_dir)
    if arguments.against:
        built = revision.build(ROOT, arguments.against)
        arguments.before = built.binary
        known["before"] = {"revision": arguments.against, "commit": built.commit}
    plan = choose_plan(arguments)
    kinds = choose_servers(arguments)
    began = time.monotonic()
    deadline = Deadline(arguments.max_seconds)
    machine.allow_open_files(2 * plan.idle_connections + 200)
    # Servers move to their own CPU when they start; everything else stays off it.
    os.sched_setaffinity(0, {cpus[1]})

    with tempfile.TemporaryDirectory(prefix="dynamo-bench-") as temporary:
        folder = Path(temporary)
        fleet = servers.Fleet(cpus[0], certificates.make(folder), folder, deadline)
        reviews = [
            Review(name, BENCH / "reviews" / f"{name}.json", url_path)
            for name, url_path in REVIEWS.items()
        ]
        large = [] if arguments.no_large else large_reviews(folder, arguments.smoke)
        counted = choose_counted(kinds, reviews, large, arguments.smoke)
        results = measure(fleet, kinds, reviews, large, plan, deadline, cpus, progress, counted)
        validated = promises.evaluate(results, large) if plan.is_measurement else []
        report = Report(results, [kind.name for kind in kinds], reviews, large, plan, cpus)
        known["duration_seconds"] = round(time.monotonic() - began)
        if arguments.json:
            as_json = json.dumps(report.as_json(validated, known), indent=2, ensure_ascii=False)
            arguments.json.write_text(as_json + "\n")
        print(report.text(), end="\n\n")
        for promise in validated:
            print(promise.line())
        if arguments.smoke:
            print("Smoke run: every step works; the results are not measurements.")


def describe(build_dir: Path) -> dict:
    """Read before the measurement, so that its commit is the measured one."""
    return {
        "date": facts.day(),
        "revision": facts.commit(ROOT),
        "machine": facts.machine(),
        "versions": facts.versions(build_dir),
    }


def progress(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def main() -> int:
    arguments = parse_arguments()
    # Raised as an exception, so that every server is stopped.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        cpus = machine.server_and_load_cpu()
    except BenchError as error:
        print(f"bench: {error}", file=sys.stderr)
        return EXIT_UNSUITABLE_MACHINE
    try:
        run(arguments, cpus)
    except BenchError as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
