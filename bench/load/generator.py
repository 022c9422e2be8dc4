"""Runs bench_load, the load generator, against one server."""

import json
import select
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

import mix
import records
from driver import servers
from driver.machine import BenchError, Deadline

SAMPLE_SECONDS = 0.1
# Beyond the time of the load: opening the connections, and waiting for the last responses.
OTHER_SECONDS = 90
END_SECONDS = 60


@dataclass(frozen=True)
class Load:
    rate: int  # requests per second
    seconds: int
    connections: int
    requests_per_connection: int = 0  # 0: connections are not replaced
    timeout_ms: int = 10_000  # from a request's scheduled moment to the end of its response


@dataclass(frozen=True)
class Result:
    load: Load
    found: list[records.Record]
    opened: int
    failed_opens: int  # connections that never completed a handshake
    idle_ends: int  # connections that the server closed between requests
    leaves: int  # different server certificates
    first_failure: str
    generator_cpu: float  # share of a CPU
    server_cpu_seconds: float

    @property
    def errors(self) -> dict[str, int]:
        kinds = records.errors(self.found)
        return kinds | ({"connection not opened": self.failed_opens} if self.failed_opens else {})

    @property
    def cpu_us_per_request(self) -> float:
        return self.server_cpu_seconds * 1e6 / len(self.found)


class Generator:
    """Sends the mix to servers that use the certificate authority of `certs`; writes files to `folder`."""

    def __init__(self, binary: Path, requests: list[mix.Request], certs: Path, folder: Path, cpu: int | str,
                 deadline: Deadline):
        self._binary = binary
        self._certs = certs
        self._folder = folder
        self._cpu = cpu
        self._deadline = deadline
        mix.write_for_generator(requests, folder / "requests.tsv")

    def run(self, server: servers.Server, load: Load, sample: Callable[[], None] = lambda: None) -> Result:
        """`sample` is called a few times a second from the start of the schedule until its end."""
        file = self._folder / "records"
        with (self._folder / "generator.log").open("w+b") as log:
            process = subprocess.Popen(self._command(server, load, file), stdin=subprocess.DEVNULL,
                                       stdout=subprocess.PIPE, stderr=log)
            try:
                self._line(process, self._deadline.cut(OTHER_SECONDS), lambda: None)
                before = server.cpu_seconds()
                summary = self._line(process, self._deadline.cut(load.seconds + OTHER_SECONDS), sample)
                used = server.cpu_seconds() - before
                process.wait(timeout=END_SECONDS)
            except subprocess.TimeoutExpired:
                raise BenchError("the load generator did not end in time") from None
            finally:
                if process.poll() is None:
                    process.kill()
                    process.wait()
                process.stdout.close()
        if process.returncode != 0:
            raise BenchError(_text(self._folder / "generator.log"))
        return result_of(load, records.read(file), summary, used)

    def _command(self, server: servers.Server, load: Load, file: Path) -> list[str]:
        # setpriv: if the driver is killed, the generator ends, too.
        return [
            "taskset", "-c", str(self._cpu), "setpriv", "--pdeathsig", "KILL", str(self._binary),
            f"--server=127.0.0.1:{server.port}", f"--ca-file={self._certs / 'ca.crt'}",
            f"--requests={self._folder / 'requests.tsv'}", f"--records={file}", f"--rate={load.rate}",
            f"--seconds={load.seconds}", f"--connections={load.connections}",
            f"--requests-per-connection={load.requests_per_connection}", f"--timeout={load.timeout_ms}ms",
        ]

    def _line(self, process: subprocess.Popen, seconds: float, sample: Callable[[], None]) -> dict:
        """The generator's next line; at its end without a line, its error."""
        limit = Deadline(seconds)
        while not select.select([process.stdout], [], [], limit.cut(SAMPLE_SECONDS))[0]:
            sample()
        line = process.stdout.readline()
        if not line:
            process.wait(timeout=END_SECONDS)
            error = _text(self._folder / "generator.log")
            raise BenchError(error or f"the load generator ended with {process.returncode}")
        return json.loads(line)


def result_of(load: Load, found: list[records.Record], summary: dict, server_cpu_seconds: float) -> Result:
    if len(found) != load.rate * load.seconds:
        raise BenchError(f"the load generator must record {load.rate * load.seconds} requests, recorded {len(found)}")
    return Result(
        load, found, summary["opened"], summary["failed_opens"], summary["idle_ends"], summary["leaves"],
        summary["first_failure"], summary["cpu_seconds"] / load.seconds, server_cpu_seconds)


def _text(log: Path) -> str:
    return log.read_text(errors="replace").strip()
