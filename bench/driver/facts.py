"""Facts on which measurements depend: machine, versions, commit. An unknown fact is the text "unknown"."""

import os
import platform
import re
import subprocess
import time
from pathlib import Path

UNKNOWN = "unknown"
RUN_SECONDS = 30


def machine() -> dict:
    return {
        "cpu": cpu_model(_text(Path("/proc/cpuinfo"))),
        "cpus": os.cpu_count(),
        "memory_mib": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20,
        "architecture": platform.machine(),
        "system": system(_text(Path("/etc/os-release"))),
        "kernel": platform.release(),
    }


def versions(build: Path) -> dict:
    """`build`: the folder in which CMake configured the measured programs."""
    descriptions = sorted(build.glob("CMakeFiles/*/CMakeCXXCompiler.cmake"))
    return {
        "compiler": compiler(_text(descriptions[-1])) if descriptions else UNKNOWN,
        "flags": flags(_text(build / "CMakeCache.txt")),
        "libc": " ".join(platform.libc_ver()).strip() or UNKNOWN,
        "openssl": first_line(["openssl", "version"]),
        "h2load": first_line(["h2load", "--version"]),
    }


def commit(root: Path) -> dict:
    """The commit that is checked out, and whether files differ from it."""
    git = ["git", "-C", str(root)]
    found = first_line([*git, "rev-parse", "HEAD"])
    changes = first_line([*git, "status", "--porcelain", "--untracked-files=no"])
    return {"commit": found, "changed": changes != "" if found != UNKNOWN else None}


def day() -> str:
    return time.strftime("%Y-%m-%d", time.gmtime())


def cpu_model(cpuinfo: str) -> str:
    found = re.search(r"^model name\s*: *(.+)$", cpuinfo, re.M)
    return found[1].strip() if found else platform.machine()


def system(os_release: str) -> str:
    found = re.search(r'^PRETTY_NAME="?([^"\n]+)', os_release, re.M)
    return found[1] if found else platform.system()


def compiler(description: str) -> str:
    """From CMake's own description of the compiler."""
    def value(name: str) -> str:
        found = re.search(rf'^set\(CMAKE_CXX_COMPILER_{name} "([^"]+)"\)', description, re.M)
        return found[1] if found else UNKNOWN

    return f"{value('ID')} {value('VERSION')}"


def flags(cache: str) -> str:
    build_type = re.search(r"^CMAKE_BUILD_TYPE:\w+=(\w+)$", cache, re.M)
    found = build_type and re.search(rf"^CMAKE_CXX_FLAGS_{build_type[1].upper()}:\w+=(.*)$", cache, re.M)
    return found[1] if found else UNKNOWN


def first_line(command: list[str]) -> str:
    """The first line of a command's output; "unknown" if the command fails or does not exist."""
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=RUN_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return UNKNOWN
    return run.stdout.partition("\n")[0].strip() if run.returncode == 0 else UNKNOWN


def _text(file: Path) -> str:
    return file.read_text(errors="replace") if file.exists() else ""
