#!/usr/bin/env python3
"""Measures how fast kubectl-dynamo validates many manifests, and how much memory that takes.

Uses 10,000 valid documents of 4 KB, as YAML and as JSON, in one file and in a file each; then as many
documents that are refused. See README.md in this folder. Exits 0 when everything was measured (a promise
that is not reached is shown, not failed) and 1 when the measurement is broken.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import yaml

BENCH = Path(__file__).resolve().parent
ROOT = BENCH.parent
SOURCE = BENCH / "reviews/create_2k.json"

DOCUMENTS = 10_000
DOCUMENT_BYTES = 4096
MAX_YAML_SECONDS = 6.0
MAX_JSON_SECONDS = 1.0
MAX_GROWTH_MIB = 8.0  # growth of resident memory from a tenth of the documents to all of them
RUN_TIMEOUT = 120
NOISY = 2.0  # times the expected time, i.e. half the CPU time on two CPUs


class BenchError(Exception):
    """The measurement cannot continue; the text explains why."""


def graph():
    """A real graph without the fields that only a cluster adds."""
    review = json.loads(SOURCE.read_text())
    found = review["request"]["object"]
    metadata = found["metadata"]
    kept = {"name": metadata["name"], "labels": {"app": "inference"}}
    return {"apiVersion": found["apiVersion"], "kind": found["kind"], "metadata": kept,
            "spec": found["spec"]}


def dump_json(document):
    return json.dumps(document, separators=(",", ":")) + "\n"


def dump_yaml(document):
    return yaml.safe_dump(document, sort_keys=False)


def sized(document, dump):
    """The document with environment variables added until its text has DOCUMENT_BYTES."""
    containers = [service["extraPodSpec"]["mainContainer"]
                  for service in document["spec"]["services"].values()]
    for container in containers:
        container["env"] = list(container.get("env", []))

    def entry(number, padding=0):
        return {"name": f"MODEL_PARAMETER_{number:03d}", "value": "tuned-" + "x" * padding}

    number = 0
    while len(dump(document)) < DOCUMENT_BYTES - 100:
        containers[number % len(containers)]["env"].append(entry(number))
        number += 1
    last = containers[(number - 1) % len(containers)]["env"]
    last[-1] = entry(number - 1, DOCUMENT_BYTES - len(dump(document)))
    text = dump(document)
    if len(text) != DOCUMENT_BYTES:
        raise BenchError(f"a document has {len(text)} bytes instead of {DOCUMENT_BYTES}")
    return text


def texts(dump, valid, count):
    """`count` documents as texts of equal length, each with a unique name."""
    document = graph()
    document["metadata"]["name"] = "graph-000000"
    if not valid:
        first = next(iter(document["spec"]["services"].values()))
        first["replicas"] = -1
        first["replcas"] = 2
    text = sized(document, dump)
    return [text.replace("graph-000000", f"graph-{number:06d}") for number in range(count)]


@dataclass(frozen=True)
class Case:
    name: str
    ending: str
    one_file: bool
    valid: bool = True
    limit: float | None = None  # seconds

    def write(self, folder: Path, count: int) -> Path:
        is_yaml = self.ending == "yaml"
        documents = texts(dump_yaml if is_yaml else dump_json, self.valid, count)
        if self.one_file:
            path = folder / f"all.{self.ending}"
            path.write_text(("---\n" if is_yaml else "").join(documents))
            return path
        for number, text in enumerate(documents):
            (folder / f"{number:06d}.{self.ending}").write_text(text)
        return folder


CASES = (
    Case("YAML, one file", "yaml", True, limit=MAX_YAML_SECONDS),
    Case("YAML, a file each", "yaml", False, limit=MAX_YAML_SECONDS),
    Case("JSON, one file", "json", True, limit=MAX_JSON_SECONDS),
    Case("JSON, a file each", "json", False, limit=MAX_JSON_SECONDS),
    Case("YAML, all refused", "yaml", True, valid=False),
    Case("JSON, all refused", "json", True, valid=False),
)


@dataclass(frozen=True)
class Run:
    seconds: float
    cpu_seconds: float
    resident_mib: float


def run_once(binary: Path, path: Path, count: int, valid: bool) -> Run:
    command = [binary, "validate", "-o", "json", "-f", path]
    started = time.monotonic()
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out)
        try:
            run, code = watch(process, started)
        finally:
            if process.returncode is None:
                process.kill()
                process.wait()
        out.seek(0)
        summary = json.load(out)["summary"]
    expected = (0 if valid else 1, count, 0 if valid else count)
    found = (code, summary["objects"], summary["invalid"])
    if found != expected:
        raise BenchError(f"{path.name}: exit code, objects, invalid are {found}, not {expected}")
    return run


def watch(process: subprocess.Popen, started: float) -> tuple[Run, int]:
    """Waits for the end of the process; returns its resource usage and exit code."""
    resident_mib = 0.0
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        seconds = time.monotonic() - started
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            cpu_seconds = usage.ru_utime + usage.ru_stime
            return Run(seconds, cpu_seconds, resident_mib), process.returncode
        if seconds > RUN_TIMEOUT:
            raise BenchError(f"{process.args[0]} takes longer than {RUN_TIMEOUT} s")
        # ru_maxrss would also count this interpreter, which forked the process.
        resident_mib = max(resident_mib, peak_mib(process.pid))
        time.sleep(0.004)


def peak_mib(pid: int) -> float:
    """The peak resident memory so far."""
    try:
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:") and "kubectl-dynamo" in os.readlink(f"/proc/{pid}/exe"):
                return int(line.split()[1]) / 1024
    except OSError:
        pass  # the process has just ended
    return 0.0


def measure(binary: Path, case: Case, count: int, rounds: int) -> Run:
    """The median of several runs by time, with the maximum memory of all runs."""
    with tempfile.TemporaryDirectory(prefix="dynamo-checker-") as temporary:
        path = case.write(Path(temporary), count)
        runs = [run_once(binary, path, count, case.valid) for _ in range(rounds)]
    median = sorted(runs, key=lambda run: run.seconds)[len(runs) // 2]
    return Run(median.seconds, median.cpu_seconds, max(run.resident_mib for run in runs))


def promise(kept: bool, text: str) -> str:
    return f"{'✓' if kept else '✗'} {text}"


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build-dir", type=Path, default=ROOT / "build/release", metavar="DIR",
                        help="where bin/kubectl-dynamo is (default: build/release)")
    parser.add_argument("--rounds", type=int, default=3, choices=range(1, 21), metavar="N",
                        help="runs of each case; the median counts (default: 3)")
    parser.add_argument("--smoke", action="store_true",
                        help="test the benchmark with few documents, without a measurement")
    return parser.parse_args()


def main() -> int:
    arguments = parse_arguments()
    binary = arguments.build_dir / "bin/kubectl-dynamo"
    if not binary.exists():
        print(f"bench: {binary} is not built; run ./dev build release", file=sys.stderr)
        return 1
    count = 100 if arguments.smoke else DOCUMENTS
    rounds = 1 if arguments.smoke else arguments.rounds
    cpus = len(os.sched_getaffinity(0))
    print(f"{count} documents of {DOCUMENT_BYTES} bytes, {cpus} CPUs, median of {rounds}")
    print(f"  {'':20}{'seconds':>9}{'CPU s':>9}{'MB/s':>9}{'MiB':>9}{'MiB of a tenth':>16}")
    promises = []
    noisy = False
    try:
        for case in CASES:
            few = measure(binary, case, count // 10, 1)
            all_of_them = measure(binary, case, count, rounds)
            megabytes = count * DOCUMENT_BYTES / 1e6 / all_of_them.seconds
            print(f"  {case.name:20}{all_of_them.seconds:9.2f}{all_of_them.cpu_seconds:9.2f}"
                  f"{megabytes:9.1f}{all_of_them.resident_mib:9.1f}{few.resident_mib:16.1f}",
                  flush=True)
            noisy |= all_of_them.seconds > NOISY * all_of_them.cpu_seconds / min(cpus, 2)
            if case.limit is not None:
                promises.append(promise(
                    all_of_them.seconds <= case.limit,
                    f"{case.name}: {all_of_them.seconds:.2f} s (at most {case.limit:g} s)"))
            growth = all_of_them.resident_mib - few.resident_mib
            promises.append(promise(
                growth <= MAX_GROWTH_MIB,
                f"{case.name}: memory grows by {growth:.1f} MiB from a tenth of the documents "
                f"(at most {MAX_GROWTH_MIB:g} MiB)"))
    except BenchError as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    print()
    if noisy:
        print("Noisy: the program waited for CPUs; measure again on an idle machine. CPU s divided by "
              "two is what two idle CPUs would take at best.\n")
    if arguments.smoke:
        print("Smoke run: every step works; the results are not measurements.")
    else:
        print("\n".join(promises))
    return 0


if __name__ == "__main__":
    sys.exit(main())
