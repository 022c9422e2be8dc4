"""The machine's resources: two CPUs, ports, CPU time and memory of a process."""

import os
import resource
import socket
import time
from pathlib import Path


class BenchError(Exception):
    """The benchmark cannot go on; the text states the reason and the fix."""


class Deadline:
    """One time limit for the whole run; every wait inside it is limited to the remaining time."""

    def __init__(self, seconds: float):
        self._end = time.monotonic() + seconds

    def cut(self, seconds: float) -> float:
        left = self._end - time.monotonic()
        if left <= 0:
            raise BenchError(
                "the time limit of the run is reached; raise --max-seconds or ask for less"
            )
        return min(seconds, left)


def server_and_load_cpu() -> tuple[int, int]:
    """The CPU of the servers and the CPU of the load generator."""
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2:
        raise BenchError(
            "needs 2 CPUs, one for the servers and one for the load; "
            f"this process may use {len(cpus)}"
        )
    return cpus[0], cpus[1]


def cache_folder() -> Path:
    """The folder outside the tree that outlives a clone, like in ./dev."""
    chosen = os.environ.get("DYNAMO_CACHE_DIR")
    if chosen:
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "dynamo-admission"


def free_ports(count: int) -> list[int]:
    """Unused ports of the loopback address, all different."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


def allow_open_files(count: int) -> None:
    """Raises this process's limit of open files (inherited by its processes) to at least `count`."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < count:
        raise BenchError(f"needs {count} open files; the hard limit is {hard} (ulimit -Hn)")
    if soft < count:
        resource.setrlimit(resource.RLIMIT_NOFILE, (count, hard))


def cpu_seconds(pid: int) -> float:
    """User and system time of all threads of a process, including ended threads.

    Read from the process's CPU clock: the same sum as utime + stime in /proc/PID/stat, but in
    nanoseconds instead of steps of 10 ms. The clock id is computed like in clock_getcpuclockid(3).
    """
    scheduler_clock = 2
    return time.clock_gettime((~pid << 3) | scheduler_clock)


def resident_kib(pid: int) -> int:
    """VmRSS in KiB."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    raise BenchError(f"process {pid} has ended: no VmRSS")


def busy_seconds(cpus: tuple[int, ...]) -> float:
    """Time during which these CPUs were busy, for any process."""
    names = {f"cpu{cpu}" for cpu in cpus}
    ticks = 0
    for line in Path("/proc/stat").read_text().splitlines():
        name, *fields = line.split()
        if name in names:
            user, nice, system, _idle, _iowait, irq, softirq, steal = map(int, fields[:8])
            ticks += user + nice + system + irq + softirq + steal
    return ticks / os.sysconf("SC_CLK_TCK")
