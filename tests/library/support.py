"""Shared code of the installed library's tests: paths, running commands, finding Go."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ["DYNAMO_BUILD_DIR"])  # set by CMakeLists.txt
CMAKE = os.environ["DYNAMO_CMAKE"]
WORK = BUILD / "library"
PREFIX = WORK / "prefix"
LIB = PREFIX / "lib"
VENV = WORK / "venv"
# Timeout for every command; the first Go build compiles Go's runtime.
DEADLINE = 300


def environment(**more):
    """The programs' environment: it contains the installed tree, but not the build."""
    paths = {"PKG_CONFIG_PATH": LIB / "pkgconfig", "LD_LIBRARY_PATH": LIB}
    return {**os.environ, **{name: str(value) for name, value in {**paths, **more}.items()}}


def run(*command, cwd=None, status=0, **more):
    """Runs a command that must end with that status; returns its output."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, cwd=cwd,
                          env=environment(**more), timeout=DEADLINE, check=False)
    if done.returncode != status:
        raise AssertionError(f"{' '.join(map(str, command))} ended with {done.returncode}, not "
                             f"{status}:\n{done.stdout}{done.stderr}")
    return done


def fresh(folder):
    """The folder, empty."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def venv_python():
    """The interpreter of an empty virtual environment; created once."""
    python = VENV / "bin" / "python"
    if not (VENV / "complete").exists():
        shutil.rmtree(VENV, ignore_errors=True)
        run(sys.executable, "-m", "venv", VENV)
        (VENV / "complete").touch()
    return python


def find_go(module):
    """A Go recent enough for the module: the installed one, else PyPI's in a cache."""
    # At least the release that tests/cluster uses, so that one download serves both.
    wanted = max(_go_line(module / "go.mod"), _go_line(SOURCE / "tests/cluster/go.mod"), key=_numbers)
    return run(SOURCE / "tests/find_go", wanted).stdout.strip()


def _go_line(go_mod):
    return re.search(r"^go (\S+)", go_mod.read_text(encoding="utf-8"), re.MULTILINE)[1]


def _numbers(version):
    return [int(part) for part in version.strip(".").split(".")]
