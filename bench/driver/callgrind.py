"""Instruction counts of callgrind: user space only, and the same in every run of a program on the same input."""

import re
from pathlib import Path

from .machine import BenchError

TOTALS = re.compile(r"^totals: (\d+)$", re.M)

# glibc selects memcpy, memcmp and others by the CPU, which changes a count by 5 %. These settings select the
# functions that every x86-64 CPU has, and the size above which memcpy bypasses the caches.
PORTABLE_GLIBC = {
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps="
    "-AVX,-AVX2,-AVX_Fast_Unaligned_Load,-AVX512F,-AVX512VL,-AVX512BW,-BMI1,-BMI2,-ERMS,-FMA,-FMA4,-FSRM,-LZCNT,"
    "-MOVBE,-Prefer_ERMS,-Prefer_FSRM,-RTM,-SSSE3,-SSE4_1,-SSE4_2:glibc.cpu.x86_non_temporal_threshold=0xc0000"
}


def total(file: Path, name: str) -> int:
    """The sum of a callgrind file; `name` is the counted program, for the error."""
    found = TOTALS.search(file.read_text()) if file.exists() else None
    if not found:
        raise BenchError(f"{name}: callgrind wrote no total")
    return int(found[1])
