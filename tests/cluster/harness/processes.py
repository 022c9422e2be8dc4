"""Processes of the harness: started detached, written down at once, stopped by pid.

A cluster is started by one process (the ctest fixture that sets it up) and stopped by another, so
what is known of a running process is plain data: name, pid and the kernel's start time, which tells
our process from a later one that was given the same pid.
"""

import os
import random
import signal
import socket
import subprocess
import time
from pathlib import Path

POLL_SECONDS = 0.05
LOWEST_PORT = 20000
ENOUGH_PORTS = 2000
KILL_SECONDS = 10


class HarnessError(Exception):
    """Something of the test cluster failed; the text says what, and where to look."""


class NotYet(Exception):
    """Raised by a condition of wait_until() that does not hold yet; the text says why."""


def wait_until(what, condition, seconds):
    """Polls condition() until it returns something true, which is returned.

    Raises HarnessError when that takes longer than `seconds`. A condition may raise NotYet or
    OSError (a refused connection) for "not yet", or HarnessError to give up at once.
    """
    deadline = time.monotonic() + seconds
    reason = ""
    while True:
        try:
            result = condition()
            if result:
                return result
        except (OSError, NotYet) as error:
            reason = f": {error}"
        if time.monotonic() > deadline:
            raise HarnessError(f"{what}: not within {seconds} s{reason}")
        time.sleep(POLL_SECONDS)


def free_ports(count):
    """Loopback ports that nobody listens on, for servers that are about to start.

    Nobody else is given them before a server listens, also when it is started anew: not another
    call, and no outgoing connection, if the kernel leaves enough ports out of the range for those.
    """
    return [next(port for port in _ports if is_free(port)) for _ in range(count)]


def ports_of_outgoing_connections():
    """The range from which the kernel takes them."""
    text = Path("/proc/sys/net/ipv4/ip_local_port_range").read_text(encoding="ascii")
    lowest, highest = map(int, text.split())
    return range(lowest, highest + 1)


def _shuffled_ports():
    all_ports = range(LOWEST_PORT, 65536)
    taken = ports_of_outgoing_connections()
    ports = [port for port in all_ports if port not in taken]
    if len(ports) < ENOUGH_PORTS:
        ports = list(all_ports)
    random.shuffle(ports)  # other clusters on this machine take theirs from the same
    yield from ports
    raise HarnessError(f"this process used up all {len(ports)} ports for servers")


_ports = _shuffled_ports()


def is_free(port):
    """Whether a server could listen on this loopback port now."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as attempt:
        attempt.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            attempt.bind(("127.0.0.1", port))
            attempt.listen()
        except OSError:
            return False
    return True


def _stat(pid):
    """State letter and start time (clock ticks since boot) of a process; None if there is none."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    fields = text.rpartition(")")[2].split()  # after the name, which may hold anything
    return fields[0], int(fields[19])


def start(name, command, log_directory, environment=None):
    """Starts `command`, detached from the terminal, with its output in LOG_DIRECTORY/NAME.log;
    `environment` None is ours.

    Returns the process's record: a dictionary fit for JSON and for running() and stop().
    """
    log = Path(log_directory) / f"{name}.log"
    with open(log, "ab") as output:
        process = subprocess.Popen(
            [str(word) for word in command], stdin=subprocess.DEVNULL, stdout=output,
            stderr=subprocess.STDOUT, start_new_session=True, env=environment)
    stat = _stat(process.pid)
    if stat is None:
        raise HarnessError(f"{name} ended at once; see {log}")
    return {"name": name, "pid": process.pid, "started": stat[1], "log": str(log)}


def running(record):
    """Is the recorded process still there? A zombie counts as ended."""
    stat = _stat(record["pid"])
    return stat is not None and stat[0] != "Z" and stat[1] == record["started"]


def stop(record, seconds):
    """Asks the process to end, and after `seconds` insists. Returns whether asking was enough;
    with 0 seconds it is not asked."""
    if not running(record):
        return True
    if seconds > 0:
        os.kill(record["pid"], signal.SIGTERM)
        try:
            wait_until(f"{record['name']} ending", lambda: not running(record), seconds)
            return True
        except HarnessError:
            pass
    os.kill(record["pid"], signal.SIGKILL)
    wait_until(f"{record['name']} being killed", lambda: not running(record), KILL_SECONDS)
    return False


def wait_ready(record, what, condition, seconds):
    """wait_until() that gives up at once when the process ends, with the end of its log."""

    def ready_or_dead():
        if not running(record):
            raise HarnessError(f"{record['name']} ended:\n{tail(record['log'])}")
        return condition()

    try:
        return wait_until(what, ready_or_dead, seconds)
    except HarnessError as error:
        if not running(record):
            raise
        raise HarnessError(f"{error}; end of {record['log']}:\n{tail(record['log'])}") from None


def tail(path, lines=15):
    """The last lines of a log file."""
    try:
        return "\n".join(Path(path).read_text(errors="replace").splitlines()[-lines:])
    except OSError as error:
        return f"({error})"
