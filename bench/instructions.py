#!/usr/bin/env python3
"""Counts the instructions of reviews under callgrind and compares them with bench/instructions.json.

The counts of reviews are of the core alone, from the request's bytes to the response's bytes. Those that begin with
"https/" are of requests to dynamo-webhook on open connections, with TLS, HTTP and metrics. Both are in user space,
and the same in every run, those of requests to about 0.1 %, and on every x86-64 machine with the same compiler, C
library and OpenSSL. Exits 0 if no review takes over 5 % more instructions than recorded, 1 if one does or nothing was
counted, 77 on a machine of another architecture than the recorded one.
"""

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from driver import callgrind, certificates, servers
from driver import instructions as server_instructions
from driver.machine import BenchError, Deadline
from driver.review import GRAPH_PATH, GRAPH_REVIEWS, Review

BENCH = Path(__file__).resolve().parent
ROOT = BENCH.parent
RECORDED = BENCH / "instructions.json"
MAX_GROWTH_PERCENT = 5
RECORD = "./dev bench instructions --record"
COUNTED_FUNCTION = "*counted_reviews(*"
RUN_SECONDS = 120
# update_28k changes every service. The same update of one service shows that unchanged ones cost less.
ONE_SERVICE = "update_28k_one_service"
# One review that fits into a TLS record together with its header, and one that does not.
SERVED_REVIEWS = ("create_2k", "update_28k")
SERVED = "https/"
SERVED_SECONDS = 240
# Without the extensions of the CPU's second capability word, such as AVX2: OpenSSL selects its functions by them.
PORTABLE_OPENSSL = {"OPENSSL_ia32cap": ":~0xffffffffffffffff"}
EXIT_OTHER_ARCHITECTURE = 77


@dataclass(frozen=True)
class Counts:
    """Instructions per review, and the versions on which the numbers depend."""

    architecture: str
    compiler: str
    libc: str
    instructions: dict[str, int]


def read(text: str) -> Counts:
    """The recorded counts; raises BenchError for a file that this script did not write."""
    try:
        found = Counts(**json.loads(text))
        if all(isinstance(count, int) and count > 0 for count in found.instructions.values()):
            return found
    except (AttributeError, TypeError, ValueError):
        pass
    raise BenchError(f"bench/{RECORDED.name} must be a file that {RECORD} wrote")


def written(counts: Counts) -> str:
    return json.dumps(asdict(counts), indent=2) + "\n"


def excesses(recorded: Counts, counted: Counts) -> list[str]:
    """One line for each review that takes more instructions than allowed or has no recorded count."""
    lines = []
    for review, count in counted.instructions.items():
        before = recorded.instructions.get(review)
        if before is None:
            lines.append(f"{review}: has no recorded count; it takes {count:,} instructions")
        elif count * 100 > before * (100 + MAX_GROWTH_PERCENT):
            lines.append(f"{review}: must take at most {MAX_GROWTH_PERCENT} % more than the recorded {before:,} "
                         f"instructions; found {count:,} ({(count / before - 1) * 100:+.1f} %)")
    return lines


def notes(recorded: Counts, counted: Counts) -> list[str]:
    """Differences that fail no test: other versions, and reviews whose recorded count is too high to protect them."""
    lines = [f"recorded with {name} {before}, counted with {now}: counts may differ for that reason alone"
             for name, before, now in (("compiler", recorded.compiler, counted.compiler),
                                       ("C library", recorded.libc, counted.libc)) if before != now]
    cheaper = [review for review, count in counted.instructions.items()
               if count * 100 < recorded.instructions.get(review, 0) * (100 - MAX_GROWTH_PERCENT)]
    if cheaper:
        lines.append(f"over {MAX_GROWTH_PERCENT} % cheaper than recorded: {', '.join(cheaper)}; keep it so: {RECORD}")
    return lines


def table(recorded: Counts | None, counted: Counts) -> str:
    lines = [f"{'review':<20}{'recorded':>12}{'counted':>12}"]
    for review, count in counted.instructions.items():
        before = recorded.instructions.get(review) if recorded else None
        change = f"{(count / before - 1) * 100:+.2f} %" if before else ""
        lines.append(f"{review:<20}{f'{before:,}' if before else '–':>12}{count:>12,}  {change}".rstrip())
    return "\n".join(lines)


def update_of_one_service() -> str:
    review = json.loads((BENCH / "reviews/update_28k.json").read_text())
    old, now = (review["request"][name]["spec"] for name in ("oldObject", "object"))
    changed = next(iter(now["services"]))
    review["request"]["oldObject"]["spec"] = now | {"services": now["services"] | {changed: old["services"][changed]}}
    return json.dumps(review, separators=(",", ":"))


def count_review(program: Path, review: Path, path: str) -> tuple[int, dict[str, str]]:
    """Instructions of one review, and what the program printed about itself."""
    with tempfile.TemporaryDirectory(prefix="dynamo-bench-") as folder:
        file = Path(folder) / "callgrind.out"
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={file}",
                   f"--toggle-collect={COUNTED_FUNCTION}", program, review, path]
        # A fixed environment: its size decides the alignment of the stack.
        run = subprocess.run(command, capture_output=True, text=True, timeout=RUN_SECONDS, check=False,
                             env={"PATH": os.environ.get("PATH", os.defpath), **callgrind.PORTABLE_GLIBC})
        if run.returncode != 0:
            raise BenchError(f"{program.name} {review.name} under valgrind ended with {run.returncode}: "
                             f"{run.stderr[-2000:]}")
        facts = dict(re.findall(r"^(\w+): (.+)$", run.stdout, re.M))
        whole = callgrind.total(file, program.name)
    if not whole:
        raise BenchError(f"callgrind found no function {COUNTED_FUNCTION} in {program}")
    return round(whole / int(facts["reviews"])), facts


def count_requests(webhook: Path) -> dict[str, int]:
    """Instructions of one request of each served review."""
    counts = {}
    with tempfile.TemporaryDirectory(prefix="dynamo-bench-") as temporary:
        folder = Path(temporary)
        cpus = ",".join(map(str, sorted(os.sched_getaffinity(0))))
        deadline = Deadline(SERVED_SECONDS)
        fleet = servers.Fleet(cpus, certificates.make(folder), folder, deadline)
        kind = replace(servers.webhook(webhook), environment=callgrind.PORTABLE_GLIBC | PORTABLE_OPENSSL)
        for name in SERVED_REVIEWS:
            review = Review(name, BENCH / "reviews" / f"{name}.json", GRAPH_REVIEWS[name])
            counts[SERVED + name] = round(server_instructions.count(fleet, kind, review, deadline))
    return counts


def count(folder: Path) -> Counts:
    """Counts with the programs in `folder`."""
    program, webhook = folder / "bench_instructions", folder / "dynamo-webhook"
    for tool, package in (("valgrind", "valgrind"), ("h2load", "nghttp2-client"), ("openssl", "openssl")):
        if shutil.which(tool) is None:
            raise BenchError(f"needs {tool}: apt-get install {package}")
    for needed in (program, webhook):
        if not needed.exists():
            raise BenchError(f"{needed} is not built: ./dev build release {needed.name}")
    instructions, facts = {}, {}
    for review, path in GRAPH_REVIEWS.items():
        instructions[review], facts = count_review(program, BENCH / "reviews" / f"{review}.json", path)
    with tempfile.TemporaryDirectory(prefix="dynamo-bench-") as folder:
        review = Path(folder) / f"{ONE_SERVICE}.json"
        review.write_text(update_of_one_service())
        instructions[ONE_SERVICE], _ = count_review(program, review, GRAPH_PATH)
    instructions |= count_requests(webhook)
    return Counts(platform.machine(), facts["compiler"], " ".join(platform.libc_ver()), instructions)


def compare(recorded: Counts, counted: Counts) -> int:
    """Prints the comparison; returns the exit status."""
    print(table(recorded, counted))
    for note in notes(recorded, counted):
        print(note)
    failures = excesses(recorded, counted)
    for failure in failures:
        print(f"bench: {failure}", file=sys.stderr)
    if failures:
        print(f"bench: reduce the cost; or, if the change needs it, record the new counts with {RECORD}, and "
              f"give the reason in the commit. By rule: ./dev bench rules --by-rule", file=sys.stderr)
    return 1 if failures else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build-dir", type=Path, default=ROOT / "build/release", metavar="DIR",
                        help="where bin/bench_instructions and bin/dynamo-webhook are: a release build (default: build/release)")
    parser.add_argument("--record", action="store_true", help=f"write the counts to bench/{RECORDED.name}")
    arguments = parser.parse_args()
    try:
        programs = arguments.build_dir / "bin"
        if arguments.record:
            counted = count(programs)
            RECORDED.write_text(written(counted))
            print(f"{table(None, counted)}\nrecorded in bench/{RECORDED.name}")
            return 0
        recorded = read(RECORDED.read_text())
        if platform.machine() != recorded.architecture:
            print(f"bench: counts are recorded for {recorded.architecture}, not for {platform.machine()}",
                  file=sys.stderr)
            return EXIT_OTHER_ARCHITECTURE
        return compare(recorded, count(programs))
    except (BenchError, OSError, subprocess.TimeoutExpired) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
