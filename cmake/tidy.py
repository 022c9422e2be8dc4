#!/usr/bin/env python3
"""Runs clang-tidy over our files, in parallel, and remembers which of them are clean.

    tidy.py --build build/clang-dev [--jobs N] [--since COMMIT] [FILE...]

The build folder holds compile_commands.json of a clang preset, so clang's own warnings are reported
too. The cache outside the tree records clean files by the content of everything they include, the
command, .clang-tidy and the version; findings are never cached. With FILE, checks only sources whose
path contains one of them; with COMMIT, only those that differ from it or include one of our files
that does. Exit status: 0 clean, 1 findings.

Headers take most of the time of a check, so sources that are compiled alike are checked together, in
batches like those of the builds. If a batch has findings, each of its sources is checked alone and
those findings are reported; --each checks every source alone.

clang-tidy is a pinned version from PyPI in a virtual environment in that cache. It takes half as long
as Debian's, because it does not match its checks against system headers.
"""

import argparse
import concurrent.futures
import dataclasses
import hashlib
import itertools
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import time

CLANG_TIDY_VERSION = "23.1.4"
ROOT = pathlib.Path(__file__).resolve().parents[1]
OUR_FOLDERS = ("src", "validators", "defaulters", "certs", "tests", "bench", "fuzz")
TIMEOUT_SECONDS = 600
BATCH_SIZE = 12
NOISE = re.compile(r"^\d+ (warnings?|errors?)( and \d+ errors?)? (generated|treated)|^Suppressed |^Use -")


@dataclasses.dataclass(frozen=True)
class Source:
    """A file to check and the command that compiles it, without the compiler cache in front."""

    name: str
    directory: str
    arguments: tuple

    def options(self):
        """The command without the source and the output file."""
        kept = list(self.arguments)
        for flag in ("-o", "-c"):
            if flag in kept:
                at = kept.index(flag)
                del kept[at : at + 2]
        return tuple(kept)


def cache_folder():
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return pathlib.Path(os.environ.get("DYNAMO_CACHE_DIR") or f"{base}/dynamo-admission")


def installed_clang_tidy():
    """The program of the pinned version, which is installed if missing."""
    folder = cache_folder() / f"clang-tidy-{CLANG_TIDY_VERSION}"
    program = folder / "bin" / "clang-tidy"
    if program.exists():
        return program
    folder.parent.mkdir(parents=True, exist_ok=True)
    print(f"fetching clang-tidy {CLANG_TIDY_VERSION} from PyPI", flush=True)
    # pip writes the program last, so an interrupted installation is repeated.
    subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
    subprocess.run([str(folder / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check",
                    f"clang-tidy=={CLANG_TIDY_VERSION}"], check=True)
    return program


def sources_of(build):
    """Our sources in compile_commands.json, each once, without generated ones in the build folder."""
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        path = pathlib.Path(entry["directory"], entry["file"]).resolve()
        if ROOT in path.parents and path.relative_to(ROOT).parts[0] in OUR_FOLDERS:
            arguments = shlex.split(entry["command"])
            if os.path.basename(arguments[0]).startswith("ccache"):
                arguments = arguments[1:]
            name = path.relative_to(ROOT).as_posix()
            found.setdefault(name, Source(name, entry["directory"], tuple(arguments)))
    return [found[name] for name in sorted(found)]


class Memory:
    """Remembers clean files. Stores the list of a source's includes, and for each list with its
    contents an empty file that marks it as clean."""

    def __init__(self, folder, settings):
        self.folder = folder
        self.settings = settings
        self.hashes = {}
        folder.mkdir(parents=True, exist_ok=True)

    def name_of(self, source):
        command = [argument.replace(str(ROOT), "") for argument in source.arguments]
        own = [path.read_text(encoding="utf-8") for folder in pathlib.PurePosixPath(source.name).parents
               if folder.name and (path := ROOT / folder / ".clang-tidy").exists()]
        text = "\n".join([self.settings, source.name, *command, *own])
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    def content_hash(self, path):
        if path not in self.hashes:
            try:
                with open(path, "rb") as file:
                    self.hashes[path] = hashlib.sha256(file.read()).hexdigest()
            except OSError:
                self.hashes[path] = "gone"
        return self.hashes[path]

    def mark(self, source, dependencies):
        lines = [f"{path} {self.content_hash(ROOT / path)}" for path in dependencies]
        digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()[:32]
        return self.folder / f"{self.name_of(source)}-{digest}.clean"

    def is_clean(self, source):
        listing = self.folder / f"{self.name_of(source)}.includes"
        if not listing.exists():
            return False
        mark = self.mark(source, listing.read_text(encoding="utf-8").splitlines())
        if not mark.exists():
            return False
        mark.touch()
        listing.touch()
        return True

    def remember(self, source, dependencies):
        listing = self.folder / f"{self.name_of(source)}.includes"
        partial = listing.with_suffix(f".{os.getpid()}")
        partial.write_text("\n".join(dependencies), encoding="utf-8")
        partial.replace(listing)
        self.mark(source, dependencies).touch()

    def forget_old(self, days=30):
        for path in self.folder.iterdir():
            if path.stat().st_mtime < time.time() - days * 86400:
                path.unlink(missing_ok=True)


def dependencies_of(source):
    """Every file that the source includes, ours relative to the root."""
    arguments = [a for a in source.arguments if a not in ("-c", "-MD", "-MMD")]
    if "-o" in arguments:
        at = arguments.index("-o")
        del arguments[at : at + 2]
    result = subprocess.run([*arguments, "-M", "-MT", "x"], cwd=source.directory, capture_output=True,
                            text=True, timeout=TIMEOUT_SECONDS, check=True)
    paths = shlex.split(result.stdout.replace("\\\n", " ").partition(":")[2])
    resolved = (pathlib.Path(source.directory, path).resolve() for path in paths)
    return sorted({p.relative_to(ROOT).as_posix() if ROOT in p.parents else str(p) for p in resolved})


INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"', re.MULTILINE)


def changed_since(commit):
    """The files below the root that differ from that commit, including new ones. Raises ValueError if
    git does not know the commit."""
    def git(*arguments):
        return subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=False)

    if git("rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}").returncode != 0:
        raise ValueError(f"--since must be a commit that git knows; found {commit!r}")
    listings = [git("diff", "--name-only", "--no-renames", "-z", commit, "--"),
                git("ls-files", "--others", "--exclude-standard", "-z")]
    for listing in listings:
        listing.check_returncode()
    return {name for listing in listings for name in listing.stdout.split("\0") if name}


class Includes:
    """Which of our files a source includes, by a scan of its lines, without compiling."""

    def __init__(self):
        self.named = {}

    def of_file(self, path):
        if path not in self.named:
            try:
                self.named[path] = INCLUDE.findall((ROOT / path).read_text(encoding="utf-8"))
            except OSError:
                self.named[path] = []
        return self.named[path]

    def of_source(self, source):
        """Names relative to the root, including the source itself. A deleted file is listed at every
        place where the compiler would search for it."""
        folders = [pathlib.PurePosixPath(folder) for argument in source.arguments
                   if argument.startswith("-I") and (folder := below_root(source, argument[2:])) is not None]
        found, waiting = set(), [source.name]
        while waiting:
            path = waiting.pop()
            if path in found:
                continue
            found.add(path)
            for name in self.of_file(path):
                places = [(folder / name).as_posix() for folder in (pathlib.PurePosixPath(path).parent, *folders)]
                there = next((place for place in places if (ROOT / place).is_file()), None)
                waiting += [there] if there else places
        return found


def below_root(source, folder):
    path = pathlib.Path(source.directory, folder).resolve()
    return path.relative_to(ROOT).as_posix() if path == ROOT or ROOT in path.parents else None


def touched(sources, changed):
    """The sources whose findings may change with these files; all sources if a settings file changed."""
    if any(pathlib.PurePosixPath(name).name in (".clang-tidy", "CMakePresets.json", "tidy.py") for name in changed):
        return sources
    includes = Includes()
    return [source for source in sources if includes.of_source(source) & changed]


# The start of a line that declares a name: `struct Name`, `kName =`, `name(`.
DECLARATION = re.compile(r"^(?!namespace\b|using namespace\b|using [\w:]+;|#|//)[A-Za-z_].*", re.MULTILINE)
NAME = re.compile(r"\b(?:struct|class|enum|union|using|concept)(?: class| struct)?\s+(\w+)|(?<!::)\b(\w+)\s*[(={[;]")
MACRO = re.compile(r"^([A-Z][A-Z_]+)\((\w+)(?:,\s*(\w+))?")
KEYWORDS = {"const", "enum", "struct", "class", "std"}
NAMESPACE = re.compile(r"^namespace ([\w:]+) \{", re.MULTILINE)


def names_in(text):
    """The names that must be unique in a batch, by a scan of the lines."""
    names = set()
    namespace = found[1] if (found := NAMESPACE.search(text)) else ""
    for line in DECLARATION.findall(text):
        if test := MACRO.match(line):
            names.add(" ".join(map(str, test.groups())))
        elif (found := NAME.search(line)) and (name := found[1] or found[2]) not in KEYWORDS:
            names.add(f"{namespace} {name}")
    return names


def batches_of(sources):
    """Groups of sources that are compiled alike, have the same settings and share no name."""
    def alike(source):
        return source.name.startswith("tests/"), source.directory, source.options()

    batches = []
    for _, group in itertools.groupby(sorted(sources, key=alike), key=alike):
        open_batches = []
        # Files of the same folder first: they include the same headers.
        for source in group:
            names = names_in((ROOT / source.name).read_text(encoding="utf-8"))
            for members, taken in open_batches:
                if len(members) < BATCH_SIZE and not taken & names:
                    members.append(source)
                    taken |= names
                    break
            else:
                open_batches.append(([source], names))
        batches += [members for members, _ in open_batches]
    # Long ones first, so that no long one runs alone at the end.
    return sorted(batches, key=len, reverse=True)


def is_clean_together(program, members):
    """Checks the sources as one text, which only clang-tidy sees, as a file in the folder above them."""
    name = ROOT / members[0].name.partition("/")[0] / "all_of_a_batch.cpp"
    with tempfile.TemporaryDirectory() as folder:
        text, overlay = pathlib.Path(folder, "batch.cpp"), pathlib.Path(folder, "overlay.yaml")
        text.write_text("".join((ROOT / m.name).read_text(encoding="utf-8") for m in members), encoding="utf-8")
        overlay.write_text(json.dumps({"version": 0, "roots": [
            {"type": "file", "name": str(name), "external-contents": str(text)}]}), encoding="utf-8")
        return run_clang_tidy([str(program), f"--vfsoverlay={overlay}", *SETTINGS, str(name), "--",
                               *members[0].options()[1:]], members[0].directory).returncode == 0


def check_batch(program, members, build, memory):
    """The findings of each source (empty if clean) and the seconds that it took. Records clean
    sources."""
    began = time.monotonic()
    if len(members) > 1 and is_clean_together(program, members):
        found = [(source, "", (time.monotonic() - began) / len(members)) for source in members]
    else:
        found = [(source, *check(program, source, build)) for source in members]
    for source, findings, _ in found:
        if not findings:
            memory.remember(source, dependencies_of(source))
    return found


# Debian's libstdc++ calls functions that this clang considers deprecated.
SETTINGS = ("--quiet", "--extra-arg=-Wno-deprecated-declarations")


def run_clang_tidy(command, directory):
    return subprocess.run(command, cwd=directory, capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=False)


def check(program, source, build):
    """Runs clang-tidy; returns its findings (empty if clean) and the seconds it took."""
    began = time.monotonic()
    command = [str(program), *SETTINGS, "-p", str(build), str(ROOT / source.name)]
    try:
        result = run_clang_tidy(command, ROOT)
    except subprocess.TimeoutExpired:
        return f"{source.name}:1: clang-tidy did not end within {TIMEOUT_SECONDS} s", TIMEOUT_SECONDS
    seconds = time.monotonic() - began
    if result.returncode == 0:
        return "", seconds
    lines = [line for line in (result.stdout + result.stderr).splitlines() if not NOISE.match(line)]
    return "\n".join(lines).replace(f"{ROOT}/", "") or f"{source.name}: clang-tidy failed", seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, required=True, help="folder of a clang preset")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--times", action="store_true", help="also print the seconds of each file")
    parser.add_argument("--each", action="store_true", help="every file alone, not in batches")
    parser.add_argument("--since", metavar="COMMIT", help="only what differs from that commit")
    parser.add_argument("files", nargs="*", metavar="FILE", help="part of a path")
    options = parser.parse_args()
    build = options.build.resolve()
    program = installed_clang_tidy()
    settings = CLANG_TIDY_VERSION + (ROOT / ".clang-tidy").read_text(encoding="utf-8")
    memory = Memory(cache_folder() / "tidy", settings)
    memory.forget_old()
    sources = sources_of(build)
    if not sources:
        parser.error(f"{build}/compile_commands.json names no files of ours")
    if options.since:
        try:
            chosen = touched(sources, changed_since(options.since))
        except ValueError as error:
            parser.error(str(error))
        print(f"{len(chosen)} of {len(sources)} files differ from {options.since}, or include what does", flush=True)
        sources = chosen
        if not sources:
            return 0
    if options.files:
        sources = [s for s in sources if any(part in s.name for part in options.files)]
    if not sources:
        parser.error(f"{build}/compile_commands.json names none of these files of ours")
    waiting = [source for source in sources if not memory.is_clean(source)]
    print(f"{len(sources) - len(waiting)} of {len(sources)} files are known to be clean", flush=True)
    batches = [[source] for source in waiting] if options.each else batches_of(waiting)
    seen, failed, count = set(), 0, 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        running = [pool.submit(check_batch, program, members, build, memory) for members in batches]
        for future in concurrent.futures.as_completed(running):
            for source, findings, seconds in future.result():
                count += 1
                if findings:
                    failed += 1
                    # Every source that includes a header repeats the header's findings.
                    if findings not in seen:
                        print(findings, flush=True)
                    seen.add(findings)
                took = f" in {seconds:.1f} s" if options.times else ""
                print(f"[{count}/{len(waiting)}] {source.name}{took}", flush=True)
    if failed:
        print(f"{failed} of {len(sources)} files have findings")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
