#!/usr/bin/env python3
"""Compares the CPU of a full TLS handshake with that of nginx, with the same key and ciphers.

Each server gets one request on each of many connections, and then as many requests on 16 connections; the
difference is the cost of a connection: handshake, accept and close. Exits 0 when it was measured (a promise
that is not reached is shown, not failed), 1 when the measurement is broken, 77 when the machine cannot run it or
has no nginx.
"""

import argparse
import os
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

from driver import certificates, load, machine, servers
from driver.machine import BenchError, Deadline
from driver.promises import Promise
from driver.review import GRAPH_PATH

BENCH = Path(__file__).resolve().parent
REVIEW = BENCH / "reviews" / "create_2k.json"
MIN_RATE = 0.9  # of nginx's handshakes per CPU second

NGINX = """\
daemon off;
master_process off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/nginx-error.log;
events {{ worker_connections 4096; }}
http {{
  access_log off;
  client_body_temp_path {folder}/nginx-body;
  keepalive_requests 1000000;
  server {{
    listen 127.0.0.1:{port} ssl;
    ssl_certificate {folder}/tls.crt;
    ssl_certificate_key {folder}/tls.key;
    ssl_protocols TLSv1.3;
    location / {{ return 200 "ok"; }}
  }}
}}
"""


def nginx(binary: Path) -> servers.ServerKind:
    def arguments(ports: list[int], folder: Path) -> list[str]:
        configuration = folder / "nginx.conf"
        configuration.write_text(NGINX.format(folder=folder, port=ports[0]))
        return ["-c", str(configuration), "-e", str(folder / "nginx-start.log")]

    return servers.ServerKind("nginx", binary, arguments, validates=False, environment={})


def seconds_of_load(server: servers.Server, connections: int, requests: int, deadline: Deadline) -> float:
    before = server.cpu_seconds()
    load.flood(server.url(GRAPH_PATH), REVIEW, requests, deadline, connections=connections)
    return server.cpu_seconds() - before


def microseconds_of_connection(server: servers.Server, connections: int, deadline: Deadline) -> float:
    with_each = seconds_of_load(server, connections, connections, deadline)
    with_few = seconds_of_load(server, load.CONNECTIONS, connections, deadline)
    return (with_each - with_few) / (connections - load.CONNECTIONS) * 1e6


def measure(kinds: list[servers.ServerKind], rounds: int, connections: int, deadline: Deadline,
            cpus: tuple[int, int]) -> dict[str, list[float]]:
    """The µs of each round by server; the rounds alternate between the servers."""
    machine.allow_open_files(2 * connections)
    os.sched_setaffinity(0, {cpus[1]})
    results: dict[str, list[float]] = {kind.name: [] for kind in kinds}
    with tempfile.TemporaryDirectory(prefix="dynamo-bench-") as temporary:
        folder = certificates.make(Path(temporary))
        fleet = servers.Fleet(cpus[0], folder, folder, deadline)
        for _ in range(rounds):
            with fleet.running(kinds) as running:
                for server in running:
                    seconds_of_load(server, load.CONNECTIONS, connections, deadline)
                    results[server.name].append(microseconds_of_connection(server, connections, deadline))
    return results


def report(results: dict[str, list[float]]) -> Promise:
    for name, rounds in results.items():
        print(f"{name}: {statistics.median(rounds):.0f} µs of CPU per connection with a full handshake "
              f"({min(rounds):.0f} to {max(rounds):.0f} in {len(rounds)} rounds)")
    pairs = zip(results["nginx"], results[servers.WEBHOOK], strict=True)
    ratio = statistics.median(theirs / ours for theirs, ours in pairs)
    return Promise("full handshakes per CPU second, relative to nginx", ratio, "at least", MIN_RATE, "×")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build-dir", type=Path, default=BENCH.parent / "build/release", metavar="DIR",
                        help="where bin/dynamo-webhook is (default: build/release)")
    parser.add_argument("--smoke", action="store_true",
                        help="test the benchmark in one short run, without a measurement")
    arguments = parser.parse_args()
    try:
        cpus = machine.server_and_load_cpu()
    except BenchError as error:
        print(f"bench: {error}", file=sys.stderr)
        return 77
    try:
        programs = {name: shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin") for name in ("h2load", "nginx")}
        if None in programs.values():
            print("bench: needs h2load and nginx; Debian's nginx-light has it, and starts a server on port 80, "
                  "which `systemctl disable --now nginx` stops", file=sys.stderr)
            return 77
        kinds = [servers.webhook((arguments.build_dir / "bin/dynamo-webhook").resolve()), nginx(Path(programs["nginx"]))]
        results = measure(kinds, 1 if arguments.smoke else 11, 50 if arguments.smoke else 400, Deadline(300), cpus)
    except (BenchError, OSError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    promise = report(results)
    print("Smoke run: every step works; the results are not measurements." if arguments.smoke else promise.line())
    return 0


if __name__ == "__main__":
    sys.exit(main())
