#!/usr/bin/env python3
"""Prints line coverage by folder from what a coverage build left behind, read by gcov.

    coverage.py --build build/coverage [--jobs N] [--missing FOLDER]

A line counts once, however many tests compiled it, and as covered if any of them ran it.
--missing also lists the lines below FOLDER that no test ran. Exits with 1 if a folder on a request's path is below
92 %.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
LIBRARIES = ("src", "validators", "defaulters", "certs")
# Below this percentage a folder on a request's path fails.
LOWEST = 92
ON_REQUEST_PATH = ("src/json", "src/api", "validators", "src/admission", "src/server", "src/webhook")
BATCH = 20


def folder_of(name):
    parts = name.split("/")
    return "/".join(parts[: 2 if parts[0] == "src" else 1])


def read_batch(data_files):
    """Runs gcov on some .gcda files; yields (file, line, times it ran) for lines of our libraries."""
    result = subprocess.run(["gcov", "--json-format", "--stdout", *map(str, data_files)], cwd=ROOT,
                            capture_output=True, text=True, timeout=300, check=True)
    lines = []
    for document in result.stdout.splitlines():
        if not document.startswith("{"):
            continue
        report = json.loads(document)
        for file in report["files"]:
            path = pathlib.Path(report["current_working_directory"], file["file"]).resolve()
            if ROOT in path.parents and path.relative_to(ROOT).parts[0] in LIBRARIES:
                name = path.relative_to(ROOT).as_posix()
                lines += [(name, line["line_number"], line["count"]) for line in file["lines"]]
    return lines


def ranges(numbers):
    """[1, 2, 3, 7] -> "1-3, 7"."""
    runs = []
    for number in sorted(numbers):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--missing", metavar="FOLDER", help="list the lines below it that no test ran")
    options = parser.parse_args()
    data_files = sorted(options.build.resolve().rglob("*.gcda"))
    if not data_files:
        parser.error(f"{options.build} has no .gcda files: build the coverage preset and run its tests first")
    counts = collections.defaultdict(dict)
    batches = [data_files[i : i + BATCH] for i in range(0, len(data_files), BATCH)]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for lines in pool.map(read_batch, batches):
            for name, line, count in lines:
                counts[name][line] = counts[name].get(line, 0) + count
    folders = collections.defaultdict(lambda: [0, 0])
    for name, lines in counts.items():
        for key in (folder_of(name), "all"):
            folders[key][0] += sum(1 for count in lines.values() if count)
            folders[key][1] += len(lines)
    print(f"{'folder':<16} {'covered':>8} {'lines':>7}")
    for folder in sorted(folders, key=lambda key: (key == "all", key)):
        covered, total = folders[folder]
        print(f"{folder:<16} {100 * covered / total:>7.1f}% {total:>7}")
    if options.missing:
        print()
        for name in sorted(name for name in counts if name.startswith(options.missing)):
            missed = [line for line, count in counts[name].items() if not count]
            if missed:
                print(f"{name}: {ranges(missed)}")
    low = [folder for folder in ON_REQUEST_PATH if 100 * folders[folder][0] < LOWEST * folders[folder][1]]
    for folder in low:
        print(f"error: tests must run {LOWEST} % of the lines of {folder}; "
              f"`python3 cmake/coverage.py --build {options.build} --missing {folder}` lists the others", file=sys.stderr)
    return 1 if low else 0


if __name__ == "__main__":
    sys.exit(main())
