"""A throw-away P-256 CA and server leaf, as an API server would be given them."""

import subprocess
from pathlib import Path

from .machine import BenchError


def make(folder: Path) -> Path:
    """Writes ca.crt, tls.crt and tls.key for 127.0.0.1 into `folder` and returns it."""
    extensions = folder / "leaf.ext"
    extensions.write_text(
        "subjectAltName=IP:127.0.0.1\nextendedKeyUsage=serverAuth\nbasicConstraints=CA:FALSE\n"
    )
    new_key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    _openssl(
        [
            "req",
            "-x509",
            *new_key,
            "-keyout",
            "ca.key",
            "-out",
            "ca.crt",
            "-days",
            "2",
            "-subj",
            "/CN=bench CA",
        ],
        folder,
    )
    _openssl(
        ["req", *new_key, "-keyout", "tls.key", "-out", "tls.csr", "-subj", "/CN=bench"], folder
    )
    _openssl(
        [
            "x509",
            "-req",
            "-in",
            "tls.csr",
            "-CA",
            "ca.crt",
            "-CAkey",
            "ca.key",
            "-CAcreateserial",
            "-days",
            "2",
            "-extfile",
            extensions.name,
            "-out",
            "tls.crt",
        ],
        folder,
    )
    return folder


def _openssl(arguments: list[str], folder: Path) -> None:
    run = subprocess.run(
        ["openssl", *arguments], cwd=folder, capture_output=True, text=True, timeout=30
    )
    if run.returncode != 0:
        raise BenchError(f"openssl {arguments[0]}: {run.stderr.strip()}")
