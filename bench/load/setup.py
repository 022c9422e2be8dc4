"""The programs, the requests and the machine of a run, shared by its parts."""

from dataclasses import dataclass
from pathlib import Path

import mix
from driver import servers
from driver.machine import Deadline
from generator import Generator


@dataclass(frozen=True)
class Setup:
    webhook: Path
    bench_load: Path
    requests: list[mix.Request]
    folder: Path  # of certificates, logs and records; temporary
    cpus: tuple[int, int]  # of the servers and of the load
    deadline: Deadline

    def fleet(self, cpu: int | str | None = None) -> servers.Fleet:
        """The certificates must exist."""
        return servers.Fleet(self.cpus[0] if cpu is None else cpu, self.folder, self.folder, self.deadline)

    def generator(self) -> Generator:
        return Generator(self.bench_load, self.requests, self.folder, self.folder, self.cpus[1], self.deadline)
