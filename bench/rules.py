#!/usr/bin/env python3
"""Measures the cost of the rules alone, and the additional cost of a policy.

Runs two micro-benchmarks from a decoded request to its decision: the 28 KB update without a policy and
with bench/policy.yaml. With --by-rule, counts the instructions of each rule on the three reviews instead. Exits 0 when it was measured (a promise that is not reached is shown, not failed)
and 1 when the measurement is broken.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

import by_rule
from driver.promises import Promise

ROOT = Path(__file__).resolve().parent.parent
PLAIN, POLICY = "decide/update_28k", "decide/update_28k_policy"
MAX_MICROSECONDS = 25.0
MAX_POLICY_RATIO = 1.15
RUN_TIMEOUT = 300


def best_times(figures: dict) -> dict[str, float]:
    """The fastest repetition of each benchmark in µs of CPU: noise only adds."""
    best: dict[str, float] = {}
    for run in figures["benchmarks"]:
        if run["run_type"] != "iteration":
            continue
        microseconds = run["cpu_time"] * {"ns": 1e-3, "us": 1.0, "ms": 1e3}[run["time_unit"]]
        name = run["run_name"]
        best[name] = min(best.get(name, microseconds), microseconds)
    return best


def evaluate(best: dict[str, float]) -> list[Promise]:
    return [
        Promise("update_28k: all rules", best[PLAIN], "at most", MAX_MICROSECONDS, "µs"),
        Promise("update_28k: with a policy of 20 statements to without",
                best[POLICY] / best[PLAIN], "at most", MAX_POLICY_RATIO, "×"),
    ]


def measure(program: Path, repetitions: int, seconds: float) -> dict[str, float]:
    # In random order, so that other load affects both alike.
    command = [program, f"--benchmark_filter=^({PLAIN}|{POLICY})$", "--benchmark_format=json",
               f"--benchmark_repetitions={repetitions}", f"--benchmark_min_time={seconds}",
               "--benchmark_enable_random_interleaving=true"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=RUN_TIMEOUT, check=False)
    if run.returncode != 0:
        raise ValueError(f"{program} ended with {run.returncode}: {run.stderr.strip()}")
    best = best_times(json.loads(run.stdout))
    if sorted(best) != sorted((PLAIN, POLICY)):
        raise ValueError(f"{program} measured {sorted(best)}")
    return best


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build-dir", type=Path, default=ROOT / "build/release", metavar="DIR",
                        help="where bin/bench_micro is (default: build/release)")
    parser.add_argument("--smoke", action="store_true",
                        help="test the benchmark in one short run, without a measurement")
    parser.add_argument("--by-rule", action="store_true",
                        help="count the instructions of each rule with valgrind")
    arguments = parser.parse_args()
    try:
        if arguments.by_rule:
            print("Instructions of one review, and of each rule in it:\n")
            print(by_rule.measure(arguments.build_dir / "bin/bench_micro", ROOT / "validators"))
            return 0
        best = measure(arguments.build_dir / "bin/bench_micro", 1 if arguments.smoke else 15,
                       0.001 if arguments.smoke else 0.1)
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    print("The rules alone, from a decoded request to its decision, best of the repetitions:")
    for name, microseconds in sorted(best.items()):
        print(f"  {name}: {microseconds:.2f} µs")
    if arguments.smoke:
        print("Smoke run: every step works; the results are not measurements.")
        return 0
    for promise in evaluate(best):
        print(promise.line())
    return 0


if __name__ == "__main__":
    sys.exit(main())
