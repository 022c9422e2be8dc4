"""Builds dynamo-webhook of another Git revision, in a worktree in the cache that is removed again."""

import contextlib
import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .machine import BenchError, cache_folder

PROGRAM = "dynamo-webhook"
GIT_SECONDS = 120
BUILD_SECONDS = 2400
STOP_SECONDS = 60
KEPT_BUILDS = 4


@dataclass(frozen=True)
class Built:
    binary: Path
    commit: str


def build(root: Path, revision: str) -> Built:
    """The release build of a revision that Git knows in `root`. The cache keeps the last few programs."""
    commit = _git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}",
                  failure=f"--against {revision}: must be a revision that Git knows in {root}")
    builds = cache_folder() / "revisions"
    builds.mkdir(parents=True, exist_ok=True)
    target = builds / f"{commit[:12]}-{_compiler_key()}"
    with _alone(builds / "lock"):
        if not (target / PROGRAM).exists():
            print(f"Building {PROGRAM} of {commit[:12]} (ccache makes this quick) ...", file=sys.stderr, flush=True)
            with _worktree(root, commit, builds / "worktree") as folder:
                _build(folder)
                partial = builds / "partial"
                shutil.rmtree(partial, ignore_errors=True)
                partial.mkdir()
                shutil.copy2(folder / "build/release/bin" / PROGRAM, partial)
                partial.rename(target)
        os.utime(target)
        remove_old(builds)
    return Built(target / PROGRAM, commit)


def remove_old(builds: Path) -> None:
    """Keeps the builds that were used last."""
    found = sorted((path for path in builds.glob("*-*") if path.is_dir()), key=lambda path: -path.stat().st_mtime_ns)
    for path in found[KEPT_BUILDS:]:
        shutil.rmtree(path)


@contextlib.contextmanager
def _alone(lock: Path) -> Iterator[None]:
    with lock.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BenchError("another run builds a revision in this cache; wait for its end") from None
        yield


@contextlib.contextmanager
def _worktree(root: Path, commit: str, folder: Path) -> Iterator[Path]:
    _remove_worktree(root, folder)  # of a run that was killed
    _git(root, "worktree", "add", "--force", "--detach", str(folder), commit, failure=f"no worktree of {commit[:12]}")
    try:
        yield folder
    finally:
        _remove_worktree(root, folder)


def _remove_worktree(root: Path, folder: Path) -> None:
    # Fails if there is none, or if it is another clone's, which its Git prunes.
    subprocess.run(["git", "-C", str(root), "worktree", "remove", "--force", "--force", str(folder)],
                   capture_output=True, timeout=GIT_SECONDS, check=False)
    shutil.rmtree(folder, ignore_errors=True)


def _build(folder: Path) -> None:
    """With the revision's own ./dev, in the same compiler cache but relative to its own folder."""
    if not (folder / "dev").exists():
        raise BenchError("--against: the revision has no ./dev; build it by hand and use --before BINARY")
    environment = {name: value for name, value in os.environ.items() if name != "CCACHE_BASEDIR"}
    environment |= {"DYNAMO_SKIP_SETUP": "1", "DYNAMO_CACHE_DIR": str(cache_folder())}
    process = subprocess.Popen(["./dev", "build", "release", PROGRAM], cwd=folder, env=environment, text=True,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        output, _ = process.communicate(timeout=BUILD_SECONDS)
    except BaseException:
        process.terminate()  # ./dev ends its own commands
        process.wait(timeout=STOP_SECONDS)
        raise
    if process.returncode != 0 or not (folder / "build/release/bin" / PROGRAM).exists():
        raise BenchError(f"--against: the revision does not build:\n{output[-3000:]}")


def _compiler_key() -> str:
    """A program of another compiler is another program."""
    run = subprocess.run(["g++", "--version"], capture_output=True, timeout=GIT_SECONDS, check=False)
    return hashlib.sha256(run.stdout).hexdigest()[:8]


def _git(root: Path, *arguments: str, failure: str) -> str:
    run = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True, timeout=GIT_SECONDS,
                         check=False)
    if run.returncode != 0:
        raise BenchError(f"{failure}. {run.stderr.strip()}".strip())
    return run.stdout.strip()
