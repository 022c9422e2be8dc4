"""Starts and stops the compared servers, all pinned to the same CPU."""

import contextlib
import os
import ssl
import subprocess
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Callable, Iterator

from . import machine
from .client import connect
from .machine import BenchError, Deadline

ECHO, WEBHOOK, BEFORE, PEER = "echo", "webhook", "before", "go-peer"

READY_SECONDS = 15
# Under callgrind.
COUNTED_SECONDS = 60


@dataclass(frozen=True)
class ServerKind:
    """How to start a server; `arguments` gets three free ports and the certificate folder."""

    name: str
    binary: Path
    arguments: Callable[[list[int], Path], list[str]]
    validates: bool  # responds with a real verdict
    environment: dict[str, str]
    under: tuple[str, ...] = ()  # command prefix
    ready_seconds: float = READY_SECONDS
    stop_seconds: float = 3


def echo(binary: Path) -> ServerKind:
    def arguments(ports: list[int], certs: Path) -> list[str]:
        return [f"--bind-address=127.0.0.1:{ports[0]}", f"--cert-dir={certs}"]

    return ServerKind(ECHO, binary, arguments, validates=False, environment={})


def webhook(binary: Path, name: str = WEBHOOK, flags: tuple[str, ...] = ()) -> ServerKind:
    """`flags` replace those below of the same name."""
    def arguments(ports: list[int], certs: Path) -> list[str]:
        return [
            f"--bind-address=127.0.0.1:{ports[0]}",
            f"--health-probe-bind-address=127.0.0.1:{ports[1]}",
            f"--metrics-bind-address=127.0.0.1:{ports[2]}",
            "--cluster-connection=none",
            "--cert-mode=files",
            f"--cert-dir={certs}",
            "--threads=1",
            "--shutdown-delay=0s",
            "--drain-timeout=1s",
            *flags,
        ]

    return ServerKind(name, binary, arguments, validates=True, environment={})


def counted(kind: ServerKind, file: Path) -> ServerKind:
    """The same server under callgrind, which writes its counts to `file` at exit."""
    tool = ("valgrind", "--tool=callgrind", f"--callgrind-out-file={file}")
    return replace(kind, under=tool, ready_seconds=COUNTED_SECONDS, stop_seconds=COUNTED_SECONDS)


def go_peer(binary: Path) -> ServerKind:
    def arguments(ports: list[int], certs: Path) -> list[str]:
        return [
            f"--bind-address=127.0.0.1:{ports[0]}",
            f"--metrics-bind-address=127.0.0.1:{ports[1]}",
            f"--cert-dir={certs}",
        ]

    return ServerKind(PEER, binary, arguments, validates=True, environment={"GOMAXPROCS": "1"})


@dataclass(frozen=True)
class Server:
    """A running server that has completed a TLS handshake."""

    kind: ServerKind
    pid: int
    port: int
    other_ports: tuple[int, ...]  # of probes and metrics, as the kind's arguments use them
    trust: ssl.SSLContext
    log: Path

    @property
    def name(self) -> str:
        return self.kind.name

    def url(self, path: str) -> str:
        return f"https://127.0.0.1:{self.port}{path}"

    def cpu_seconds(self) -> float:
        return machine.cpu_seconds(self.pid)

    def resident_kib(self) -> int:
        return machine.resident_kib(self.pid)


class Fleet:
    """Starts servers and, as a context manager, always stops all of them. `cpu` may be a list such as "0,1"."""

    def __init__(self, cpu: int | str, certs: Path, logs: Path, deadline: Deadline):
        self._cpu = cpu
        self._certs = certs
        self._logs = logs
        self._deadline = deadline
        self._trust = ssl.create_default_context(cafile=str(certs / "ca.crt"))

    @contextlib.contextmanager
    def running(self, kinds: list[ServerKind]) -> Iterator[list[Server]]:
        with contextlib.ExitStack() as stack:
            yield [stack.enter_context(self._start(kind)) for kind in kinds]

    @contextlib.contextmanager
    def _start(self, kind: ServerKind) -> Iterator[Server]:
        ports = machine.free_ports(3)
        # setpriv: if the driver is killed, its servers end, too.
        command = [
            "taskset",
            "-c",
            str(self._cpu),
            "setpriv",
            "--pdeathsig",
            "KILL",
            *kind.under,
            str(kind.binary),
            *kind.arguments(ports, self._certs),
        ]
        log = self._logs / f"{kind.name}-{ports[0]}.log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env={**os.environ, **kind.environment},
            )
        try:
            self._wait_until_ready(kind, process, ports[0], log)
            # taskset and setpriv exec the server, so the pid is the server's own.
            yield Server(kind, process.pid, ports[0], tuple(ports[1:]), self._trust, log)
            if process.poll() is not None:
                raise BenchError(f"{kind.name} ended with {process.returncode}:\n{_tail(log)}")
        finally:
            _stop(process, kind.stop_seconds)

    def _wait_until_ready(
        self, kind: ServerKind, process: subprocess.Popen, port: int, log: Path
    ) -> None:
        end = time.monotonic() + self._deadline.cut(kind.ready_seconds)
        while time.monotonic() < end:
            if process.poll() is not None:
                raise BenchError(
                    f"{kind.name} ended with {process.returncode} at its start:\n{_tail(log)}"
                )
            try:
                connect(port, self._trust, timeout=2).close()
                return
            except OSError:
                time.sleep(0.05)
        raise BenchError(
            f"{kind.name} answered no TLS handshake within {kind.ready_seconds:g} s:\n{_tail(log)}"
        )


def _stop(process: subprocess.Popen, seconds: float) -> None:
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            # A server may drain longer than a benchmark should wait.
            process.kill()
            process.wait(timeout=seconds)


def _tail(log: Path) -> str:
    return "\n".join(log.read_text(errors="replace").splitlines()[-10:]) or "(it printed nothing)"
