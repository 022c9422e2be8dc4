#!/usr/bin/env python3
"""Sends a mix of reviews to dynamo-webhook at a constant rate, whatever its responses, and reports latencies.

  run.py [--rate N] [--seconds N] [--connections N] [--mix FILE] [--report FILE.html] [--json FILE]
  run.py --soak [SECONDS]    while certificates, policy and Leases change: memory, descriptors and threads stay flat
  run.py --half-load         the same load at half of the thread's capacity, and the same for the echo
  run.py --capacity          the highest rate over threads and connections, and the sizes derived from it

Exits 0 if every request got the expected verdict and, with --soak, if nothing grew; 1 if not, or if the measurement is
broken (a promise of --half-load that is not reached is shown, not failed); 77 if the machine has fewer than two CPUs. Counts and time are bounded, everything is on loopback, and all
started processes are stopped.
"""

import argparse
import json
import os
import shutil
import signal
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Callable

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE.parent), str(HERE)]

import capacity  # noqa: E402
import half_load  # noqa: E402
import mix  # noqa: E402
import page  # noqa: E402
import records  # noqa: E402
import soak  # noqa: E402
from driver import certificates, facts, machine, servers  # noqa: E402
from driver.machine import BenchError, Deadline  # noqa: E402
from driver.report import _table as table  # noqa: E402
from generator import Load, Result  # noqa: E402
from setup import Setup  # noqa: E402

NEEDED_TOOLS = {"taskset": "util-linux", "setpriv": "util-linux", "openssl": "openssl"}
EXIT_UNSUITABLE_MACHINE = 77
RATE, SOAK_RATE = 400, 200
OPEN_FILES = 4096
OTHER_SECONDS = 300
CAPACITY_SECONDS = 3600
BUSY_LOAD = 1.0  # of other processes, over the last minute


def bounded(low: int, high: int):
    def parse(text: str) -> int:
        if not text.isdecimal() or not low <= int(text) <= high:
            raise argparse.ArgumentTypeError(f"must be a number from {low} to {high}, is {text!r}")
        return int(text)

    return parse


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    modes = parser.add_mutually_exclusive_group()
    modes.add_argument("--soak", type=bounded(10, 3600), nargs="?", const=1800, metavar="SECONDS",
                       help="soak for this time (default: 1800)")
    modes.add_argument("--capacity", action="store_true",
                       help="measure the capacity; about 20 minutes, on an idle machine")
    modes.add_argument("--half-load", action="store_true",
                       help="latency while the server's thread is busy half of the time; about 3 minutes, on an idle "
                       "machine")
    parser.add_argument("--rate", type=bounded(1, 20_000), metavar="N",
                        help=f"reviews per second (default: {RATE}; with --soak {SOAK_RATE})")
    parser.add_argument("--seconds", type=bounded(1, 3600), default=30, metavar="N",
                        help="time of the load (default: 30)")
    parser.add_argument("--connections", type=bounded(1, 1000), default=16, metavar="N",
                        help="kept-alive connections (default: 16)")
    parser.add_argument("--mix", type=Path, default=mix.DEFAULT, metavar="FILE",
                        help="requests with weights and verdicts (default: mix.txt in this folder)")
    parser.add_argument("--max-p99-ms", type=float, default=capacity.MAX_P99_MS, metavar="MS",
                        help=f"with --capacity: limit of the 99th percentile (default: {capacity.MAX_P99_MS:g})")
    parser.add_argument("--report", type=Path, metavar="FILE.html", help="write a page with plots")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results as JSON")
    parser.add_argument("--build-dir", type=Path, default=ROOT / "build/release", metavar="DIR",
                        help="where bin/dynamo-webhook and bin/bench_load are (default: build/release)")
    parser.add_argument("--smoke", action="store_true", help="test each step in seconds, without a measurement")
    return parser.parse_args()


def run_load(arguments: argparse.Namespace, setup: Setup) -> int:
    load = Load(arguments.rate or RATE, 2 if arguments.smoke else arguments.seconds, arguments.connections)
    certificates.make(setup.folder)
    with setup.fleet().running([servers.webhook(setup.webhook)]) as (server,):
        result = setup.generator().run(server, load)
    print_result(result, setup)
    write(arguments, page.load_page(result, setup.requests, described(arguments)), result_json(result, setup))
    return 1 if result.errors else 0


def run_soak(arguments: argparse.Namespace, setup: Setup) -> int:
    found = soak.run(setup, arguments.soak, arguments.rate or SOAK_RATE)
    print_result(found.result, setup)
    changes = found.changes
    print(f"{changes.certificates} certificates, {changes.policies} policies, {changes.refused_policies} refused "
          f"policies and {changes.leases} Leases changed.")
    for trend in found.trends:
        print(trend.line())
    for fault in found.faults:
        print(f"soak: {fault}", file=sys.stderr)
    values = result_json(found.result, setup) | {"changes": asdict(changes), "trends": list(map(asdict, found.trends)),
                                                 "samples": list(map(asdict, found.samples))}
    write(arguments, page.soak_page(found, setup.requests, described(arguments)), values)
    return 1 if found.faults else 0


def run_capacity(arguments: argparse.Namespace, setup: Setup) -> int:
    values = capacity.chart_values(capacity.VALUES.read_text())
    quiet = os.getloadavg()[0] < BUSY_LOAD
    limits = {"threads": (1,), "connections": (1, 16), "trial_seconds": 2, "most": 400} if arguments.smoke else {}
    cells = capacity.measure(setup, arguments.max_p99_ms, progress, values, **limits)
    print(capacity.text(cells, arguments.max_p99_ms))
    sizes = capacity.sizes(cells, values)
    lines = sizes.lines(values) if sizes else ["No sizes: the cell of one thread and 16 connections has no rate."]
    print("\n".join(lines))
    if not quiet:
        progress("load: other processes were busy at the start; these results are not fit for publication")
    known = described(arguments) | {"idle at the start": str(quiet)}
    write(arguments, page.capacity_page(cells, lines, arguments.max_p99_ms, known),
          {"max_p99_ms": arguments.max_p99_ms, "cells": list(map(asdict, cells)),
           "sizes": asdict(sizes) if sizes else None, "was_idle": quiet})
    return 0


def run_half_load(arguments: argparse.Namespace, setup: Setup) -> int:
    limits = {"rounds": 1, "seconds": 2} if arguments.smoke else {}
    found = half_load.measure(setup, setup.webhook.parent / "bench_echo", progress, **limits)
    print(half_load.text(found))
    promise = half_load.promise(found[servers.WEBHOOK])
    if not arguments.smoke:
        print(promise.line())
    write(arguments, page.half_load_page(found, promise.line(), described(arguments)),
          {"rounds": {name: list(map(asdict, rounds)) for name, rounds in found.items()}, "promise": asdict(promise)})
    return 0


def print_result(result: Result, setup: Setup) -> None:
    head, rows = page.percentile_rows(result, setup.requests)
    print(table(f"{len(result.found):,} reviews at {result.load.rate:,} a second", head, rows))
    print(f"{result.cpu_us_per_request:.1f} µs of the server's CPU per review; the load generator used "
          f"{result.generator_cpu:.0%} of a CPU; {result.opened} connections opened")
    for kind, request, count in page.error_rows(result, setup.requests):
        print(f"load: {kind}: {count} of {request}", file=sys.stderr)


def result_json(result: Result, setup: Setup) -> dict:
    _, rows = page.percentile_rows(result, setup.requests)
    return {
        "load": asdict(result.load), "errors": result.errors,
        "latency_ms": records.percentiles([record.latency for record in result.found]),
        "latency_from_sending_ms": records.percentiles([record.latency - record.delay for record in result.found]),
        "requests": {row[0]: int(row[1].replace(",", "")) for row in rows[2:]},
        "cpu_us_per_request": result.cpu_us_per_request, "generator_cpu": result.generator_cpu,
    }


def described(arguments: argparse.Namespace) -> dict[str, str]:
    known = facts.machine() | facts.versions(arguments.build_dir) | facts.commit(ROOT)
    known.pop("h2load")
    return {"date": facts.day(), "command": "./dev bench load " + " ".join(sys.argv[1:])} | known


def write(arguments: argparse.Namespace, html: str, values: dict) -> None:
    if arguments.report:
        arguments.report.write_text(html)
    if arguments.json:
        known = {"facts": described(arguments)} | values
        arguments.json.write_text(json.dumps(known, indent=2, ensure_ascii=False) + "\n")


def progress(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def chosen_mode(arguments: argparse.Namespace) -> Callable[[argparse.Namespace, Setup], int]:
    if arguments.capacity:
        return run_capacity
    if arguments.half_load:
        return run_half_load
    return run_soak if arguments.soak else run_load


def run(arguments: argparse.Namespace, cpus: tuple[int, int]) -> int:
    for tool, package in NEEDED_TOOLS.items():
        if shutil.which(tool) is None:
            raise BenchError(f"needs {tool}: apt-get install {package}")
    machine.allow_open_files(OPEN_FILES)
    # Servers and the generator move to their own CPU when they start.
    os.sched_setaffinity(0, {cpus[1]})
    programs = [(arguments.build_dir / "bin" / name).resolve() for name in ("dynamo-webhook", "bench_load")]
    seconds = CAPACITY_SECONDS if arguments.capacity else (arguments.soak or arguments.seconds) + OTHER_SECONDS
    with tempfile.TemporaryDirectory(prefix="dynamo-load-") as folder:
        setup = Setup(*programs, mix.read(arguments.mix), Path(folder), cpus, Deadline(seconds))
        status = chosen_mode(arguments)(arguments, setup)
    if arguments.smoke:
        print("Smoke run: every step works; the results are not measurements.")
    return status


def main() -> int:
    arguments = parse_arguments()
    # Raised as an exception, so that every process is stopped.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        cpus = machine.server_and_load_cpu()
    except BenchError as error:
        print(f"load: {error}", file=sys.stderr)
        return EXIT_UNSUITABLE_MACHINE
    try:
        return run(arguments, cpus)
    except (BenchError, OSError) as error:
        print(f"load: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
