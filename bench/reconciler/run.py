#!/usr/bin/env python3
"""What judging stored objects costs: dynamo-reconciler and a Go peer on a real API server.

  run.py [--objects 5000] [--events 100] [--idle 20] [--no-peer] [--json FILE] [--smoke]
  run.py --graphs 1000 [--seconds 300] [--idle 20] [--json FILE] [--smoke]

Each contender meets the same objects afresh, one after the other: from its start until the last status is
written, how long it takes, its CPU and the API server's, its memory; then what it costs to do nothing; then
how long after a change the API server tells of the status. Counts and time are bounded, everything is on
loopback, and what is started is ended. Exit 1 means that the measurement itself is broken; a bound that is not
kept is printed with a cross, as in bench/run.py. With --graphs, nothing is judged: graphs are made to run (graphs.py).
"""

import argparse
import json
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
from api import Api, Watch, is_judged, is_recorded  # noqa: E402
from driver import go_peer  # noqa: E402
from driver.machine import BenchError  # noqa: E402
from driver.promises import Promise  # noqa: E402
from driver.report import _table as table  # noqa: E402
from harness import controllers, processes  # noqa: E402
from harness.programs import program  # noqa: E402
from harness.state import State  # noqa: E402
from objects import path_of, plurals  # noqa: E402
from usage import cpu_of, most_resident_mib  # noqa: E402

OURS, LIKE_PEER, PEER = "dynamo-reconciler", "without records", "go-peer"
PEER_SOURCES = (HERE / "peer", REPOSITORY / "bench/peer")
JUDGING_SECONDS = 300
EVENT_SECONDS = 10
SETTLE_SECONDS = 3
RECORD_LOOK_SECONDS = 5


@dataclass
class Figures:
    contender: str
    seconds: float  # from its start until the last object is judged
    cpu: float  # seconds, of the contender in that time
    api_cpu: float  # seconds, of the API server in that time
    resident_mib: float  # the most it ever had
    idle: float  # share of one core
    event_ms: float  # median
    recorded: float | None  # seconds from its start until the last record is written, of whom keeps them


def command_of(contender, state, peer):
    probes, metrics = processes.free_ports(2)
    common = ["--kubeconfig", state.kubeconfig, "--metrics-bind-address", f"127.0.0.1:{metrics}"]
    if contender == PEER:
        return [peer, *common]
    more = ["--admission-record=false"] if contender == LIKE_PEER else []
    return [program("dynamo-reconciler"), *common, "--health-probe-bind-address", f"127.0.0.1:{probes}",
            "--leader-elect=false", *more]


def wait_until_all(watch, count, what, is_so):
    """Until the watch has told of so many objects of which it is so; the moment of the last."""
    seen, deadline = set(), time.monotonic() + JUDGING_SECONDS
    while len(seen) < count:
        try:
            moment, path, each = watch.next(deadline)
        except queue.Empty:
            raise BenchError(f"{len(seen)} of {count} objects were {what} in {JUDGING_SECONDS} s") from None
        if is_so(each):
            seen.add((path, each["metadata"]["name"]))
    return moment


def wait_until_recorded(api, count):
    """Until every object that is valid has its record, as the API server's list has it."""
    connection, deadline = api.connection(), time.monotonic() + JUDGING_SECONDS
    while time.monotonic() < deadline:
        items = [each for plural in plurals() for each in api.call(connection, "GET", path_of(plural))["items"]]
        if len(items) == count and all(is_recorded(each) for each in items):
            connection.close()
            return time.monotonic()
        time.sleep(RECORD_LOOK_SECONDS)
    raise BenchError(f"not every object had its record after {JUDGING_SECONDS} s")


def event_milliseconds(api, watch, number):
    """From the API server's word of a change to its word of the status, of one object."""
    name, plural = f"graph-{number}", "dynamographdeployments"
    connection = api.connection()
    changed = api.call(connection, "PATCH", f"{path_of(plural)}/{name}",
                       {"spec": {"services": {"Decode": {"replicas": 3}}}}, "application/merge-patch+json")
    generation, began = changed["metadata"]["generation"], None
    deadline = time.monotonic() + EVENT_SECONDS
    while True:
        try:
            moment, _, each = watch.next(deadline)
        except queue.Empty:
            raise BenchError(f"{name} was not judged within {EVENT_SECONDS} s of its change") from None
        if each["metadata"]["name"] != name or each["metadata"]["generation"] != generation:
            continue
        began = began or moment
        if is_judged(each):
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
            seconds = wait_until_all(watch, plan.objects, "judged", is_judged) - began
            cpu, api_cpu = cpu_of(pid), cpu_of(api_pid) - api_before
            recorded = wait_until_recorded(api, plan.objects) - began if contender == OURS else None
            time.sleep(SETTLE_SECONDS)
            before = cpu_of(pid)
            time.sleep(plan.idle)
            idle = (cpu_of(pid) - before) / plan.idle
            events = [event_milliseconds(api, watch, number) for number in range(plan.events)]
            return Figures(contender, seconds, cpu, api_cpu, most_resident_mib(pid), idle, statistics.median(events),
                           recorded)
        finally:
            if not processes.running(record):
                raise BenchError(f"{contender} ended:\n{processes.tail(record['log'])}")
            state.stop("contender")
    finally:
        watch.close()
        api.clear()


def promises(results, count):
    """Every bound, of a run with so many objects."""
    ours = results[OURS]
    found = [
        Promise(f"{count} objects judged after a cold start", ours.seconds, "at most", 20, "s"),
        Promise("resident memory", ours.resident_mib, "at most", 150, "MiB"),
        Promise("our CPU to the API server's", ours.cpu / ours.api_cpu, "at most", 0.25, "×"),
        Promise("idle", ours.idle * 100, "at most", 1, "% of a core"),
        Promise("from an event to its status, median", ours.event_ms, "at most", 50, "ms")]
    if PEER in results:
        alike, peer = results[LIKE_PEER], results[PEER]
        found += [Promise("our CPU to the peer's, same writes", alike.cpu / peer.cpu, "at most", 0.33, "×"),
                  Promise("our memory to the peer's, same writes", alike.resident_mib / peer.resident_mib, "at most", 0.33, "×")]
    return found


def text_of(results):
    rows = [[f.contender, f"{f.seconds:.1f} s", f"{f.cpu:.2f} s", f"{f.api_cpu:.2f} s", f"{f.resident_mib:.0f} MiB",
             f"{f.idle:.2%}", f"{f.event_ms:.1f} ms", f"{f.recorded:.1f} s" if f.recorded else "–"]
            for f in results.values()]
    return table("Judging what is stored", ["", "all judged", "CPU", "API server's", "memory", "idle", "event to status",
                                            "all recorded"], rows)


def judge_objects(state, plan):
    peer = None if plan.no_peer else go_peer.build(PEER_SOURCES)
    cluster.up(state, with_webhook=False)
    results = {}
    for each in [OURS] if plan.no_peer else [OURS, LIKE_PEER, PEER]:
        results[each] = measure(state, each, plan, peer)
        print(f"bench: {results[each]}", file=sys.stderr, flush=True)
    return results.values(), promises(results, plan.objects), text_of(results)


def run_graphs(state, plan):
    cluster.up(state, with_webhook=False, with_controllers=True)
    found = graphs.measure(state, plan)
    return [found], graphs.promises(found), graphs.text_of(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--objects", type=int, default=5000, choices=range(100, 5001), metavar="100..5000")
    parser.add_argument("--events", type=int, default=100, choices=range(1, 1001), metavar="1..1000")
    parser.add_argument("--idle", type=float, default=20)
    parser.add_argument("--no-peer", action="store_true")
    parser.add_argument("--graphs", type=int, choices=range(1, 1001), metavar="1..1000")
    parser.add_argument("--seconds", type=int, default=300, choices=range(10, 1801), metavar="10..1800",
                        help="graphs are made for so long at most")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--smoke", action="store_true", help="seconds: everything once, figures mean nothing")
    parser.set_defaults(settle=10)
    plan = parser.parse_args()
    if plan.smoke:
        plan.objects, plan.events, plan.idle = 100, 3, 1
        plan.graphs, plan.settle = plan.graphs and min(plan.graphs, 5), 2
    state = State(REPOSITORY / "build/bench-reconciler")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # what was started is ended, too
    try:
        try:
            figures, kept, text = (run_graphs if plan.graphs else judge_objects)(state, plan)
        finally:
            cluster.down(state)
    except controllers.Unavailable as error:
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
