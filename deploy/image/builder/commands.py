"""Runs other programs, and reports errors in one line."""

import subprocess

DEADLINE = 120


class BuildError(Exception):
    """The text says what must hold, what was found and what to do."""


def output(*command, missing="", accept=(0,)):
    """The output of the command; `missing` says how to install it."""
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
