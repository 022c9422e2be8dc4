#!/usr/bin/env python3
"""Changes the core in small ways, one at a time, and counts the changes that the fast tests notice.

    run.py [--count N] [--seed S] [--only PATH] [--jobs J] [--survivors]

The changes are chosen at random by the seed, in proportion to the folders' sizes. One instrumented build contains all
of them (changes.py), in build/mutation/tree. Each test program runs once without a change, to see which ones it
reaches. Then each change is tried with the programs that reach it; a failure, a crash or a timeout notices it.

--survivors tries only the changes that the last run did not notice; the report counts the others as then.

The report is build/mutation/report.md. Exit status: 1 if less than 92 % are noticed of the changes that equivalent.txt
does not explain, or if a change of the default seed survives without an explanation; else 0.
"""

import argparse
import concurrent.futures
import fcntl
import hashlib
import itertools
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import venv

import changes
import programs
import report
import tree

ROOT = pathlib.Path(__file__).resolve().parents[2]
OUTPUT = ROOT / "build/mutation"
REQUIREMENTS = pathlib.Path(__file__).with_name("requirements.txt")
EXPLAINED = pathlib.Path(__file__).with_name("equivalent.txt")
# More changes than asked for, because some do not compile.
RESERVE = 1.15
MAX_MEMORY = 4 << 30  # bytes of a test program
MAX_FILE = 1 << 30
DEFAULT_SEED = 1


def say(text):
    print(f"{time.strftime('%H:%M:%S')} {text}", flush=True)


def make_parser():
    """A parser of C++ from PyPI, which stays in ${DYNAMO_CACHE_DIR}."""
    home = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    cache = pathlib.Path(os.environ.get("DYNAMO_CACHE_DIR") or home / "dynamo-admission")
    version = f"{sys.version_info.major}.{sys.version_info.minor}".encode()
    folder = cache / f"mutation-{hashlib.sha256(REQUIREMENTS.read_bytes() + version).hexdigest()[:16]}"
    cache.mkdir(parents=True, exist_ok=True)
    with open(cache / "mutation.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.is_dir():
            fetch_parser(cache, folder)
    sys.path.insert(0, str(folder / "site"))
    import tree_sitter  # noqa: PLC0415
    import tree_sitter_cpp  # noqa: PLC0415
    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_cpp.language()))


def fetch_parser(cache, folder):
    partial = pathlib.Path(tempfile.mkdtemp(prefix="mutation-", dir=cache))
    try:
        venv.create(partial / "venv", with_pip=True)
        subprocess.run([partial / "venv/bin/python", "-m", "pip", "--disable-pip-version-check", "--quiet", "install",
                        "--require-hashes", "--no-deps", "--only-binary", ":all:", "--target", partial / "site",
                        "--requirement", REQUIREMENTS], check=True, timeout=300)
        shutil.rmtree(partial / "venv")
        partial.rename(folder)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def choose(options):
    """Pairs of id and change by folder, more than are asked for; and how many of each folder to use."""
    parser = make_parser()
    found = {}
    for path in tree.sources(ROOT, options.only):
        found.setdefault(tree.folder_of(path), []).extend(changes.find(path, (ROOT / path).read_bytes(), parser))
    quotas = changes.quotas({folder: len(candidates) for folder, candidates in found.items()}, options.count)
    numbers = itertools.count(1)
    chosen = {}
    for folder, candidates in found.items():
        reserve = round(quotas[folder] * RESERVE) + 1
        chosen[folder] = [(next(numbers), mutant) for mutant in changes.sample(candidates, options.seed)[:reserve]]
    return chosen, quotas


def read_state():
    """The last runs: {"broken": keys that do not compile, "noticed": keys with their program}."""
    path = OUTPUT / "state.json"
    state = json.loads(path.read_text()) if path.is_file() else {"broken": [], "noticed": []}
    return {"broken": {tuple(key) for key in state["broken"]},
            "noticed": {tuple(key): tuple(result) for key, result in state["noticed"]}}


def write_state(state):
    content = {"broken": sorted(state["broken"]), "noticed": sorted(state["noticed"].items())}
    (OUTPUT / "state.json").write_text(json.dumps(content, indent=1))


def build(options, state):
    """Builds all changes; returns the copy, pairs of id and mutant to try, and all mutants considered."""
    chosen, quotas = choose(options)
    numbered = [pair for pairs in chosen.values() for pair in pairs]
    candidates = [(number, mutant) for number, mutant in numbered if mutant.key not in state["broken"]]
    say(f"building {len(candidates)} changes of {len({mutant.path for _, mutant in candidates})} files")
    copy = tree.Tree(ROOT, OUTPUT / "tree", options.jobs)
    compiling = {number for number, _ in copy.build_without_errors(candidates, list(programs.PROGRAMS), say)}
    state["broken"] |= {mutant.key for number, mutant in numbered if number not in compiling}
    write_state(state)
    used, made = [], []
    for folder, pairs in chosen.items():
        usable, considered = take(pairs, compiling, quotas[folder])
        used += usable
        made += considered
    return copy, used, made


def take(pairs, compiling, count):
    """The first `count` pairs that compile, and the mutants up to the last of them."""
    usable, considered = [], []
    for number, mutant in pairs:
        if len(usable) == count:
            break
        considered.append(mutant)
        if number in compiling:
            usable.append((number, mutant))
    return usable, considered


def limit_programs():
    """A change may cause an endless loop: limits the programs, and ends them if this script is ended."""
    limits = {resource.RLIMIT_CORE: 0, resource.RLIMIT_AS: MAX_MEMORY, resource.RLIMIT_FSIZE: MAX_FILE,
              resource.RLIMIT_CPU: programs.BASELINE_TIMEOUT}
    for name, limit in limits.items():
        resource.setrlimit(name, (limit, limit))
    for name in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(name, stop)


def stop(number, _):
    programs.stop_all()
    os._exit(128 + number)


def measure(copy):
    """The usable test programs, with their times and what they reach."""
    scratch = OUTPUT / "scratch"
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    os.environ["TMPDIR"] = str(scratch)  # files of programs that crash
    usable = []
    for program in programs.load(copy.build_folder):
        if program.measure(scratch):
            usable.append(program)
            say(f"{program.name}: {program.seconds:.1f} s, reaches {len(program.reached)}")
            for name in program.failing:
                say(f"  left out, it fails without a change: {name}")
            for name in program.slow:
                say(f"  left out, it is slow: {name}")
        else:
            say(f"{program.name}: not used, it fails without a change or takes {program.seconds:.1f} s")
    return usable


def try_all(used, usable, options, state):
    """Tries each change; returns {mutant: (result, program, how)}."""
    results = {}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        running = {}
        # In random order, so that the result of a part is an estimate.
        for number, mutant in changes.shuffled(used, options.seed):
            if options.survivors and mutant.key in state["noticed"]:
                results[mutant] = ("noticed", *state["noticed"][mutant.key])
            else:
                running[pool.submit(programs.try_mutant, number, usable)] = mutant
        for done, future in enumerate(concurrent.futures.as_completed(running), 1):
            mutant = running[future]
            result, program, how = results[mutant] = future.result()
            state["noticed"].pop(mutant.key, None)
            if result == "noticed":
                state["noticed"][mutant.key] = (program, how)
            else:
                say(f"{result}: {mutant.path}:{mutant.line}: {mutant.change}")
            if done % 25 == 0:
                say(f"{done} of {len(running)} tried")
                write_state(state)
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=500, help="changes to try (500)")
    parser.add_argument("--seed", type=int, default=DEFAULT_SEED, help=f"chooses the changes ({DEFAULT_SEED})")
    parser.add_argument("--only", default="", metavar="PATH", help="change only sources below this path")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="parallel jobs (number of processors)")
    parser.add_argument("--survivors", action="store_true", help="try only what the last run did not notice")
    options = parser.parse_args()
    if not tree.sources(ROOT, options.only):
        parser.error(f"--only {options.only}: must name a source of {', '.join(tree.LIBRARIES)}")
    OUTPUT.mkdir(parents=True, exist_ok=True)
    state = read_state()
    copy, used, made = build(options, state)
    limit_programs()
    usable = measure(copy)
    results = try_all(used, usable, options, state)
    write_state(state)
    shutil.rmtree(OUTPUT / "scratch", ignore_errors=True)
    explained = {entry.key for entry in report.read_explained(EXPLAINED.read_text())}
    text = report.write(made, results, explained, usable)
    (OUTPUT / "report.md").write_text(text)
    print(text)
    row = report.count(results, results, explained)["all"]
    say(f"{row.percent:.1f} % of {row.compiled - row.explained} changes noticed; {report.REQUIRED} % are required")
    if options.seed == DEFAULT_SEED and row.unexplained > 0:
        say(f"{row.unexplained} survive without an explanation; cover them by a test or explain them in {EXPLAINED.name}")
        return 1
    return 0 if row.percent >= report.REQUIRED else 1


if __name__ == "__main__":
    sys.exit(main())
