"""Resource usage of a process."""

import os
from pathlib import Path

from driver.machine import BenchError

TICKS = os.sysconf("SC_CLK_TCK")


def cpu_of(pid):
    """Seconds of user and system time."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def most_resident_mib(pid):
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    raise BenchError(f"process {pid} is gone")
