#!/usr/bin/env python3
"""Measures the cost to validate stored objects: dynamo-reconciler and a Go peer on a real API server.

  run.py [--objects 5000] [--rounds 3] [--events 100] [--idle 20] [--no-peer] [--json FILE] [--smoke]
  run.py --graphs 1000 [--pathway grove] [--jobs 250] [--seconds 900] [--idle 20] [--json FILE] [--smoke]

In each round each contender gets the same objects newly created, one contender after the other. Measures, from its
start until the last status is written: the time, its CPU and the API server's, its memory. Then measures its idle
CPU, and the delay between the API server's event for a change and its event for the status. etcd is the version that
Kubernetes is released with; with --smoke, Debian's. Counts and time are bounded, everything is on loopback, and all
started processes are stopped. Exit 1 means that the measurement itself is broken; a bound that is not kept is printed
with a cross, as in bench/run.py. With --graphs, it runs graphs instead (graphs.py), with --pathway grove over Grove.
"""

import argparse
import json
import os
import queue
import signal
import statistics
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent
sys.path[:0] = [str(REPOSITORY / "tests/cluster"), str(REPOSITORY / "bench"), str(HERE)]

import cluster  # noqa: E402
import graphs  # noqa: E402
from api import Api, Watch, is_validated, is_recorded  # noqa: E402
from driver import go_peer  # noqa: E402
from driver.machine import BenchError  # noqa: E402
from driver.promises import Promise  # noqa: E402
from driver.report import _table as table  # noqa: E402
from harness import controllers, grove, processes  # noqa: E402
from harness.programs import program  # noqa: E402
from harness.state import State  # noqa: E402
from objects import path_of, plurals  # noqa: E402
from usage import cpu_of, most_resident_mib  # noqa: E402

OURS, LIKE_PEER, PEER = "dynamo-reconciler", "without records", "go-peer"
PEER_SOURCES = (HERE / "peer", REPOSITORY / "bench/peer")
ETCD_SOURCES = (HERE / "etcd",)
VALIDATING_SECONDS = 300
EVENT_SECONDS = 10
SETTLE_SECONDS = 3
RECORD_LOOK_SECONDS = 5
A_THIRD = 1 / 3


@dataclass
class Figures:
    contender: str
    seconds: float  # from its start until the last object is validated
    cpu: float  # seconds, of the contender in that time
    cpu_recorded: float | None  # until the last record is written; None without records
    api_cpu: float  # seconds, of the API server in that time
    resident_mib: float  # peak
    idle: float  # share of one core
    event_ms: float  # median
    recorded: float | None  # seconds from its start until the last record is written; None without records


def command_of(contender, state, peer):
    probes, metrics = processes.free_ports(2)
    common = ["--kubeconfig", state.kubeconfig, "--metrics-bind-address", f"127.0.0.1:{metrics}"]
    if contender == PEER:
        return [peer, *common]
    more = ["--admission-record=false"] if contender == LIKE_PEER else []
    return [program("dynamo-reconciler"), *common, "--health-probe-bind-address", f"127.0.0.1:{probes}",
            "--leader-elect=false", *more]


def wait_until_all(watch, count, what, is_so):
    """Waits until the watch has reported this many objects with the property; returns the time of the
    last."""
    seen, deadline = set(), time.monotonic() + VALIDATING_SECONDS
    while len(seen) < count:
        try:
            moment, path, each, _ = watch.next(deadline)
        except queue.Empty:
            raise BenchError(f"{len(seen)} of {count} objects were {what} in {VALIDATING_SECONDS} s") from None
        if is_so(each):
            seen.add((path, each["metadata"]["name"]))
    return moment


def wait_until_recorded(api, count):
    """Waits until every valid object in the API server's list has its record."""
    connection, deadline = api.connection(), time.monotonic() + VALIDATING_SECONDS
    while time.monotonic() < deadline:
        items = [each for plural in plurals() for each in api.call(connection, "GET", path_of(plural))["items"]]
        if len(items) == count and all(is_recorded(each) for each in items):
            connection.close()
            return time.monotonic()
        time.sleep(RECORD_LOOK_SECONDS)
    raise BenchError(f"not every object had its record after {VALIDATING_SECONDS} s")


def event_milliseconds(api, watch, number):
    """The delay between the API server's event for a change and its event for the status, for one
    object."""
    name, plural = f"graph-{number}", "dynamographdeployments"
    connection = api.connection()
    changed = api.call(connection, "PATCH", f"{path_of(plural)}/{name}",
                       {"spec": {"services": {"Decode": {"replicas": 3}}}}, "application/merge-patch+json")
    generation, began = changed["metadata"]["generation"], None
    deadline = time.monotonic() + EVENT_SECONDS
    while True:
        try:
            moment, _, each, _ = watch.next(deadline)
        except queue.Empty:
            raise BenchError(f"{name} was not validated within {EVENT_SECONDS} s of its change") from None
        if each["metadata"]["name"] != name or each["metadata"]["generation"] != generation:
            continue
        began = began or moment
        if is_validated(each):
            connection.close()
            return (moment - began) * 1000


def measure(state, contender, plan, peer):
    api = Api(state)
    api.make(plan.objects)
    api_pid = state.process("kube-apiserver")["pid"]
    watch = Watch(api, [path_of(plural) for plural in plurals()])
    try:
        api_before, began = cpu_of(api_pid), time.monotonic()
        record = state.start("contender", command_of(contender, state, peer), stop_seconds=20)
        pid = record["pid"]
        try:
            seconds = wait_until_all(watch, plan.objects, "validated", is_validated) - began
            cpu, api_cpu = cpu_of(pid), cpu_of(api_pid) - api_before
            recorded = wait_until_recorded(api, plan.objects) - began if contender == OURS else None
            cpu_recorded = cpu_of(pid) if recorded else None
            time.sleep(SETTLE_SECONDS)
            before = cpu_of(pid)
            time.sleep(plan.idle)
            idle = (cpu_of(pid) - before) / plan.idle
            events = [event_milliseconds(api, watch, number) for number in range(plan.events)]
            return Figures(contender, seconds, cpu, cpu_recorded, api_cpu, most_resident_mib(pid), idle,
                           statistics.median(events), recorded)
        finally:
            if not processes.running(record):
                raise BenchError(f"{contender} ended:\n{processes.tail(record['log'])}")
            state.stop("contender")
    finally:
        watch.close()
        api.clear()


def middle(rounds, figure):
    """The median over rounds of `figure(results)`."""
    return statistics.median(figure(results) for results in rounds)


def promises(rounds, count):
    """Every bound, for rounds with this many objects. Ratios compare contenders of the same round."""
    def ours(figure):
        return middle(rounds, lambda results: figure(results[OURS]))

    found = [
        Promise(f"{count} objects validated after a cold start", ours(lambda f: f.seconds), "at most", 20, "s"),
        Promise("resident memory", ours(lambda f: f.resident_mib), "at most", 150, "MiB"),
        Promise("our CPU to the API server's", ours(lambda f: f.cpu / f.api_cpu), "at most", 0.25, "×"),
        Promise("idle", ours(lambda f: f.idle * 100), "at most", 1, "% of a core"),
        Promise("from an event to its status, median", ours(lambda f: f.event_ms), "at most", 50, "ms")]
    if PEER in rounds[0]:
        def to_peer(contender, figure):
            return middle(rounds, lambda results: figure(results[contender]) / figure(results[PEER]))

        found += [Promise("our CPU to the peer's", to_peer(OURS, lambda f: f.cpu), "at most", A_THIRD, "×"),
                  Promise("our CPU to the peer's, same writes", to_peer(LIKE_PEER, lambda f: f.cpu),
                          "at most", A_THIRD, "×"),
                  Promise("our memory to the peer's", to_peer(OURS, lambda f: f.resident_mib), "at most", A_THIRD, "×"),
                  Promise("our memory to the peer's, same writes", to_peer(LIKE_PEER, lambda f: f.resident_mib),
                          "at most", A_THIRD, "×")]
    return found


def text_of(rounds):
    def row(contender):
        def of(figure):
            return middle(rounds, lambda results: figure(results[contender]))

        keeps_records = contender == OURS
        return [contender, f"{of(lambda f: f.seconds):.1f} s", f"{of(lambda f: f.cpu):.2f} s",
                f"{of(lambda f: f.api_cpu):.2f} s", f"{of(lambda f: f.resident_mib):.0f} MiB",
                f"{of(lambda f: f.idle):.2%}", f"{of(lambda f: f.event_ms):.1f} ms",
                f"{of(lambda f: f.recorded):.1f} s" if keeps_records else "–",
                f"{of(lambda f: f.cpu_recorded):.2f} s" if keeps_records else "–"]

    return table(f"Validating what is stored, median of {len(rounds)} rounds", [
        "", "all validated", "CPU", "API server's", "memory", "idle", "event to status", "all recorded", "CPU until then"],
        [row(each) for each in rounds[0]])


def use_etcd_of_kubernetes(state):
    """Replaces Debian's etcd, with which an API server cannot serve paginated lists from its cache."""
    built = go_peer.build(ETCD_SOURCES)
    folder = state.directory.with_name(f"{state.directory.name}-etcd")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "etcd").unlink(missing_ok=True)
    (folder / "etcd").symlink_to(built)
    os.environ["PATH"] = f"{folder}:{os.environ['PATH']}"


def validate_objects(state, plan):
    peer = None if plan.no_peer else go_peer.build(PEER_SOURCES)
    cluster.up(state, with_webhook=False)
    contenders, rounds = [OURS] if plan.no_peer else [OURS, LIKE_PEER, PEER], []
    for turn in range(plan.rounds):
        results = {}
        # Alternates the order, because an API server slows down with its history.
        for each in contenders if turn % 2 == 0 else contenders[::-1]:
            results[each] = measure(state, each, plan, peer)
            print(f"bench: {results[each]}", file=sys.stderr, flush=True)
        rounds.append({each: results[each] for each in contenders})
    figures = [each for results in rounds for each in results.values()]
    return figures, promises(rounds, plan.objects), text_of(rounds)


def run_graphs(state, plan):
    definitions = grove.definitions() if plan.pathway == graphs.GROVE else None
    cluster.up(state, with_webhook=False, with_controllers=True)
    if definitions:
        grove.define(state.kubectl(), definitions)
    found = graphs.measure(state, plan)
    return [found], graphs.promises(found), graphs.text_of(found, plan.pathway)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--objects", type=int, default=5000, choices=range(100, 5001), metavar="100..5000")
    parser.add_argument("--rounds", type=int, default=3, choices=range(1, 10), metavar="1..9")
    parser.add_argument("--events", type=int, default=100, choices=range(1, 1001), metavar="1..1000")
    parser.add_argument("--idle", type=float, default=20)
    parser.add_argument("--no-peer", action="store_true")
    parser.add_argument("--graphs", type=int, choices=range(1, 1001), metavar="1..1000")
    parser.add_argument("--pathway", choices=(graphs.COMPONENT, graphs.GROVE), default=graphs.COMPONENT,
                        help="with --graphs: what runs them, as in kubectl dynamo render")
    parser.add_argument("--jobs", type=int, default=0, choices=range(251), metavar="0..250",
                        help="with --graphs: this many requests and as many checkpoints, before the graphs")
    parser.add_argument("--seconds", type=int, default=900, choices=range(10, 1801), metavar="10..1800",
                        help="time limit for the creation of graphs")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--smoke", action="store_true", help="test each step once, in seconds, without a measurement")
    parser.set_defaults(settle=10)
    plan = parser.parse_args()
    if plan.smoke:
        plan.objects, plan.rounds, plan.events, plan.idle = 100, 1, 3, 1
        plan.graphs, plan.settle = plan.graphs and min(plan.graphs, 5), 2
        plan.jobs = min(plan.jobs, 3)
    state = State(REPOSITORY / "build/bench-reconciler")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # also stops the started processes
    try:
        if not plan.smoke:
            use_etcd_of_kubernetes(state)
        try:
            figures, kept, text = (run_graphs if plan.graphs else validate_objects)(state, plan)
        finally:
            cluster.down(state)
    except controllers.UnavailableError as error:
        print(f"bench: {error}", file=sys.stderr)
        return controllers.UNAVAILABLE
    except (BenchError, processes.HarnessError, RuntimeError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    print(text, *(promise.line() for promise in kept), sep="\n")
    if plan.json:
        plan.json.write_text(json.dumps({"figures": [asdict(each) for each in figures], "promises": [
            {**asdict(each), "kept": each.kept} for each in kept]}, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
