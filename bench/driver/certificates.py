"""A temporary P-256 CA and server leaf certificates, as an API server would be configured with."""

import os
import subprocess
from pathlib import Path

from .machine import BenchError

NEW_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]


def make(folder: Path) -> Path:
    """Writes ca.crt, tls.crt and tls.key for 127.0.0.1 into `folder` and returns it."""
    (folder / "leaf.ext").write_text(
        "subjectAltName=IP:127.0.0.1\nextendedKeyUsage=serverAuth\nbasicConstraints=CA:FALSE\n"
    )
    authority = ["-keyout", "ca.key", "-out", "ca.crt", "-days", "2", "-subj", "/CN=bench CA"]
    _openssl(["req", "-x509", *NEW_KEY, *authority], folder)
    _issue(folder, folder)
    return folder


class Rotation:
    """Many leaf certificates of one CA, of which `folder` shows one at a time, as kubelet mounts a
    Secret: behind one link, so that certificate and key change in one step."""

    def __init__(self, folder: Path, leaves: int):
        make(folder)
        self.leaves = leaves
        self._folder = folder
        self._shown = -1
        for number in range(leaves):
            version = folder / f"..{number}"
            version.mkdir()
            _issue(folder, version)
        self.swap()
        for name in ("tls.crt", "tls.key"):
            (folder / name).unlink()
            (folder / name).symlink_to(f"..data/{name}")

    def swap(self) -> None:
        self._shown = (self._shown + 1) % self.leaves
        link = self._folder / "..data_next"
        link.symlink_to(f"..{self._shown}")
        os.replace(link, self._folder / "..data")


def _issue(authority: Path, into: Path) -> None:
    request = ["-keyout", str(into / "tls.key"), "-out", "tls.csr", "-subj", "/CN=bench"]
    _openssl(["req", *NEW_KEY, *request], authority)
    signing = ["-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", "leaf.ext"]
    leaf = ["-req", "-in", "tls.csr", "-days", "2", "-out", str(into / "tls.crt")]
    _openssl(["x509", *leaf, *signing], authority)


def _openssl(arguments: list[str], folder: Path) -> None:
    run = subprocess.run(
        ["openssl", *arguments], cwd=folder, capture_output=True, text=True, timeout=30
    )
    if run.returncode != 0:
        raise BenchError(f"openssl {arguments[0]}: {run.stderr.strip()}")
