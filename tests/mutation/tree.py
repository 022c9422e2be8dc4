"""The instrumented copy of the tree: its files, its build, and the changes that do not compile."""

import os
import re
import shutil
import subprocess

import changes

# Each folder with the CMake target of its library.
LIBRARIES = {"validators": "dynamo_validators", "defaulters": "dynamo_defaulters", "src/admission": "dynamo_admission",
             "src/json": "dynamo_json", "src/conversion": "dynamo_conversion"}
PRESET = "release"
# Checks of the standard library report undefined behaviour that a change causes. Warnings describe the changes.
OPTIONS = "-O1 -w -Wno-narrowing -D_GLIBCXX_ASSERTIONS"
MAX_ROUNDS = 10
COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
PLACE = re.compile(r"([^\s:][^:]*\.cpp):(\d+):")


class BuildError(Exception):
    """The instrumented tree cannot be built, and no change explains why."""


def folder_of(path):
    return next(folder for folder in LIBRARIES if path.startswith(f"{folder}/"))


def sources(root, only):
    """The sources that may change, as paths below `root`."""
    found = [path.relative_to(root).as_posix() for folder in LIBRARIES for path in (root / folder).rglob("*.cpp")]
    return sorted(path for path in found if path.startswith(only))


def write_if_different(path, content):
    """Keeps the time of an equal file, so that the build does not repeat its work."""
    if path.is_file() and path.read_bytes() == content:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


class Tree:
    """A copy of `root` in `folder`, which keeps its build between runs."""

    def __init__(self, root, folder, jobs):
        self.root = root
        self.folder = folder
        self.build_folder = folder / "build" / PRESET
        self.jobs = jobs

    def write(self, numbered):
        """Copies the tree with the changes `numbered`: pairs of id and mutant."""
        by_path = {}
        for number, mutant in numbered:
            by_path.setdefault(mutant.path, []).append((number, mutant))
        listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=self.root,
                                capture_output=True, check=True, timeout=60).stdout.decode().split("\0")
        names = {name for name in listed if name and (self.root / name).is_file()}
        for name in names:
            content = (self.root / name).read_bytes()
            if name in by_path:
                content = changes.instrument(content, by_path[name])
            content += self.addition(name).encode()
            write_if_different(self.folder / name, content)
            shutil.copymode(self.root / name, self.folder / name)
        self.remove_others(names)

    def addition(self, name):
        """The end of a library's CMakeLists.txt: options for the instrumented sources."""
        folder, _, file = name.rpartition("/")
        if file != "CMakeLists.txt" or folder not in LIBRARIES:
            return ""
        header = "${CMAKE_SOURCE_DIR}/tests/mutation/mutation_point.hpp"
        return f'\ntarget_compile_options({LIBRARIES[folder]} PRIVATE {OPTIONS} -include "{header}")\n'

    def remove_others(self, names):
        for path in self.folder.rglob("*"):
            relative = path.relative_to(self.folder).as_posix()
            if path.is_file() and not relative.startswith("build/") and relative not in names:
                path.unlink()

    def build(self, targets):
        """Builds the targets; returns the compiler's output if that fails, else None."""
        environment = dict(os.environ, DYNAMO_SKIP_SETUP="1", DYNAMO_JOBS=str(self.jobs))
        for name in ("CCACHE_BASEDIR", "CCACHE_DIR"):
            environment.pop(name, None)
        done = subprocess.run([self.folder / "dev", "build", PRESET, *targets], cwd=self.folder, env=environment,
                              capture_output=True, text=True, timeout=3 * 3600)
        if done.returncode == 0:
            return None
        log = self.folder / "build/logs" / f"{PRESET}-build.log"
        return (log.read_text(errors="replace") if log.is_file() else "") + done.stdout + done.stderr

    def build_without_errors(self, numbered, targets, report):
        """Builds, and drops what does not compile; returns the changes that compile."""
        for _ in range(MAX_ROUNDS):
            self.write(numbered)
            output = self.build(targets)
            if output is None:
                return numbered
            broken = find_broken(output, numbered, self.build_folder, self.folder)
            if not broken:
                raise BuildError(COLOUR.sub("", output)[-4000:])
            report(f"{len(broken)} changes do not compile")
            numbered = [(number, mutant) for number, mutant in numbered if number not in broken]
        raise BuildError(f"changes do not compile after {MAX_ROUNDS} rounds")


def diagnostics(output):
    """The compiler's errors: lists of (source, line), the error's own place before its context and its notes."""
    found, context, current = [], [], None
    for line in COLOUR.sub("", output).split("\n"):
        match = PLACE.match(line)
        place = [(match[1], int(match[2]))] if match else []
        if "error: " in line:
            current = place + context
            found.append(current)
            context = []
        elif "warning: " in line or line.startswith(("FAILED", "[")):
            current, context = None, []
        elif "note: " in line:
            if current is not None:
                current += place
        else:
            context += place
    return found


def find_broken(output, numbered, build_folder, folder):
    """The ids of the changes at which the compiler reports errors."""
    by_path = {}
    for number, mutant in numbered:
        by_path.setdefault(mutant.path, []).append((number, mutant))
    broken, unclear = set(), {}
    for places in diagnostics(output):
        named = [(os.path.relpath(os.path.normpath(build_folder / name), folder), line) for name, line in places]
        culprits = next(filter(None, (at_line(by_path.get(name, []), line) for name, line in named)), set())
        broken |= culprits
        if not culprits:
            unclear.update({name: by_path[name] for name, _ in named if name in by_path})
    if not broken:
        # An error elsewhere in a changed source: none of its changes can be trusted.
        broken = {number for changed in unclear.values() for number, _ in changed}
    return broken


def at_line(numbered, line):
    """The changes that start in a line, else those that contain it."""
    starting = {number for number, mutant in numbered if mutant.line == line}
    return starting or {number for number, mutant in numbered if mutant.line <= line <= mutant.last_line}

