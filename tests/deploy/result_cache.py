"""Results that depend on nothing but their inputs, kept on disk for the next run of the tests, in the cache of
build_tools. A result is recomputed when an input changes, like an object of the compiler cache."""

import contextlib
import functools
import hashlib
import os
import pickle
import tempfile
import time
import zlib
from pathlib import Path

KEPT_SECONDS = 7 * 24 * 3600
PRUNE_SECONDS = 24 * 3600
DAMAGE = (OSError, EOFError, pickle.UnpicklingError, zlib.error)


def home():
    """The folder of everything that is cached outside the tree."""
    usual = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "dynamo-admission"
    return Path(os.environ.get("DYNAMO_CACHE_DIR", usual))


def digest(path):
    """A hash of a file, or of the names and contents of a folder's files."""
    result = hashlib.blake2b()
    for each in [path] if path.is_file() else sorted(path.rglob("*")):
        if each.is_file():
            content = each.read_bytes()
            result.update(f"{each.relative_to(path)} {len(content)}\n".encode() + content)
    return result.hexdigest()


def cached(inputs, compute):
    """compute(), or its value of an earlier call with the same `inputs`: everything on which it depends, in types whose
    repr() shows their value."""
    path = _folder() / hashlib.blake2b(repr(inputs).encode(), digest_size=20).hexdigest()
    try:
        value = pickle.loads(zlib.decompress(path.read_bytes()))
        os.utime(path)
        return value
    except DAMAGE:
        value = compute()
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as partial:
        partial.write(zlib.compress(pickle.dumps(value), level=1))
    os.replace(partial.name, path)
    return value


@functools.cache
def _folder():
    folder = home() / "deploy-results"
    folder.mkdir(parents=True, exist_ok=True)
    pruned, now = folder / ".pruned", time.time()
    if not pruned.exists() or pruned.stat().st_mtime < now - PRUNE_SECONDS:
        pruned.touch()
        for each in folder.iterdir():
            with contextlib.suppress(FileNotFoundError):  # another process removed it
                if each.stat().st_mtime < now - KEPT_SECONDS:
                    each.unlink()
    return folder
