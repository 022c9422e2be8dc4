"""Runs other programs, and says in one line what went wrong."""

import subprocess

DEADLINE = 120


class BuildError(Exception):
    """What must hold, what was found, what to do."""


def output(*command, missing="", accept=(0,)):
    """What the command prints; `missing` says how to get it where it is not installed."""
    try:
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                              timeout=DEADLINE, check=False)
    except FileNotFoundError:
        raise BuildError(f"{command[0]} must be installed{': ' if missing else ''}{missing}") from None
    except subprocess.TimeoutExpired:
        raise BuildError(f"{command[0]} must end within {DEADLINE} s and did not") from None
    if done.returncode not in accept:
        raise BuildError(f"{' '.join(map(str, command[:3]))} ended with {done.returncode}: "
                         f"{done.stderr.strip()[-400:]}")
    return done.stdout
