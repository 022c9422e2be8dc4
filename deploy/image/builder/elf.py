"""Reads from a program which libraries it loads at start."""

import os
import pathlib
import re
import struct

from .commands import BuildError, output

BINUTILS = "apt-get install binutils"
# ELF machine number -> the names in OCI and Debian, and Debian's library folder.
MACHINES = {62: ("amd64", "x86_64-linux-gnu"), 183: ("arm64", "aarch64-linux-gnu")}


class Program:
    """An ELF file with its architecture, interpreter and the libraries that it names."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        if not self.path.is_file():
            raise BuildError(f"{path} must be a built program and is not there; ./dev build release "
                             f"{self.path.name} makes it")
        with self.path.open("rb") as file:
            header = file.read(20)
        if header[:4] != b"\x7fELF":
            raise BuildError(f"{path} must be an ELF program and is none")
        machine = struct.unpack_from("<H", header, 18)[0]
        if machine not in MACHINES:
            raise BuildError(f"{path} is for machine {machine}; it must be one of amd64 and arm64")
        self.architecture, self.multiarch = MACHINES[machine]

    def interpreter(self):
        found = re.search(r"program interpreter: (\S+)\]", self._readelf("-l"))
        return found and found[1]

    def needed(self):
        return re.findall(r"\(NEEDED\).*\[(.+)\]", self._readelf("-d"))

    def _readelf(self, option):
        return output("readelf", "--wide", option, self.path, missing=BINUTILS)


def closure(programs, sysroot):
    """The libraries that these programs load, transitively: name -> file in sysroot,
    links resolved. Sorted by name."""
    found = {}
    waiting = [name for program in programs for name in program.needed()]
    folders = [sysroot / folder / programs[0].multiarch for folder in ("usr/lib", "lib")]
    folders += [sysroot / folder for folder in ("usr/lib", "lib")]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        here = next((folder / name for folder in folders if (folder / name).exists()), None)
        if here is None:
            raise BuildError(f"{name} must be in one of {', '.join(map(str, folders))} and is not; "
                             "install the package that holds it")
        found[name] = here.resolve()
        waiting += Program(found[name]).needed()
    return dict(sorted(found.items()))


def stripped(program, target):
    """Writes the program without symbols and debugging information."""
    strip = "strip" if os.uname().machine == program.multiarch.split("-")[0] else f"{program.multiarch}-strip"
    output(strip, "--strip-all", "-o", target, program.path,
           missing=f"apt-get install binutils-{program.multiarch.replace('_', '-')}")
