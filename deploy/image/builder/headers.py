"""Finds the header-only libraries that are compiled into a program."""

import os
import pathlib
import re

from .commands import output


def compiled_in(program, records):
    """The packages whose headers the program was compiled from, as ninja recorded it, without those of
    the compiler and the C library and those whose library is loaded anyway. None when the program
    does not lie in a ninja build's bin/."""
    build = program.path.resolve().parent.parent
    if not (build / "build.ninja").is_file():
        return None
    target = program.path.resolve().relative_to(build)
    inputs = output("ninja", "-C", build, "-t", "inputs", target, missing="apt-get install ninja-build")
    objects = {line.strip() for line in inputs.splitlines() if line.strip().endswith(".o")}
    headers = set()
    current = None
    inside = str(records.sysroot.resolve()).rstrip("/")
    for line in output("ninja", "-C", build, "-t", "deps").splitlines():
        if not line.startswith(" "):
            current = line.partition(":")[0]
        elif current in objects and "/usr/include/" in line:
            # The compiler's cache records paths in the tree relative to the build folder.
            path = os.path.normpath(build / line.strip())
            if path.startswith(f"{inside}/usr/include/"):
                headers.add(path.removeprefix(inside))
    ours = sorted(pathlib.Path(inside + path) for path in headers if not of_the_toolchain(pathlib.Path(path)))
    packages = records.owners(ours)
    return [package for package in packages if not package.name.startswith("libc6")]


def of_the_toolchain(path):
    text = str(path)
    return bool(re.match(r"/usr/include/(c\+\+|x86_64-linux-gnu|aarch64-linux-gnu|linux|asm-generic)/", text)
                ) or path.parent == pathlib.Path("/usr/include")
