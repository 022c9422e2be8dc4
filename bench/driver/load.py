"""Runs h2load against one server and parses its report."""

import re
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Callable

from .machine import BenchError, Deadline

CONNECTIONS = 16
RUN_SECONDS = 120
SAMPLE_SECONDS = 0.1


def flood(
    url: str,
    body: Path,
    requests: int,
    deadline: Deadline,
    sample: Callable[[], None] = lambda: None,
    connections: int = CONNECTIONS,
    seconds: float = RUN_SECONDS,
) -> None:
    """`requests` requests over kept-alive connections, each sending as soon as it has a response.

    `sample` is called a few times a second while the connections are open, and once after.
    """
    _run(url, body, ["-n", str(requests)], requests, deadline, sample, connections, seconds)


def paced(
    url: str,
    body: Path,
    per_second: int,
    requests: int,
    deadline: Deadline,
    sample: Callable[[], None] = lambda: None,
) -> list[int]:
    """The same connections at a fixed rate; returns the latencies in µs in order of completion.

    Each connection paces itself, so they are opened one after the other across one period. Otherwise all
    would send at the same moment and wait for each other.
    """
    stagger_ms = max(1, round(1000 / per_second))
    with tempfile.NamedTemporaryFile(prefix="bench-", suffix=".tsv") as log:
        _run(
            url,
            body,
            [
                "-n",
                str(requests),
                "--rps",
                f"{per_second / CONNECTIONS:g}",
                "-r",
                "1",
                "--rate-period",
                f"{stagger_ms}ms",
                "--log-file",
                log.name,
            ],
            requests,
            deadline,
            sample,
        )
        # Columns: start in µs since the epoch, HTTP status, µs until the end of the response.
        return [int(line.split("\t")[2]) for line in Path(log.name).read_text().splitlines()]


def _run(
    url: str,
    body: Path,
    arguments: list[str],
    requests: int,
    deadline: Deadline,
    sample: Callable[[], None],
    connections: int = CONNECTIONS,
    seconds: float = RUN_SECONDS,
) -> None:
    command = [
        "h2load",
        "--h1",
        "-t",
        "1",
        "-c",
        str(connections),
        *arguments,
        "-d",
        str(body),
        "-H",
        "content-type: application/json",
        url,
    ]
    end = time.monotonic() + deadline.cut(seconds)
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT
        )
        try:
            while True:
                try:
                    process.wait(timeout=SAMPLE_SECONDS)
                    break
                except subprocess.TimeoutExpired:
                    if time.monotonic() > end:
                        deadline.cut(seconds)  # reports it if the whole run took too long
                        raise BenchError(
                            f"h2load did not end in time: {' '.join(command)}"
                        ) from None
                    sample()
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
        sample()
        output.seek(0)
        _check_report(output.read(), requests)


def _check_report(text: str, requests: int) -> None:
    """Every request must have a 2xx response over TLS 1.3."""
    succeeded = re.search(r"^requests: .* (\d+) succeeded,", text, re.M)
    answered_2xx = re.search(r"^status codes: (\d+) 2xx,", text, re.M)
    if not succeeded or not answered_2xx:
        raise BenchError(f"h2load's report is not understood:\n{text[-2000:]}")
    if int(succeeded[1]) != requests or int(answered_2xx[1]) != requests:
        raise BenchError(
            f"every one of {requests} requests must be answered with 2xx:\n{text[-2000:]}"
        )
    if "TLS Protocol: TLSv1.3" not in text:
        raise BenchError(f"the connections must speak TLS 1.3:\n{text[:1000]}")
