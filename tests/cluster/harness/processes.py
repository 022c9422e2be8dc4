"""Processes of the harness: started detached, recorded at once, stopped by pid.

One process starts a cluster (the ctest fixture that sets it up) and another stops it, so the record of a
running process is plain data: name, pid and the kernel's start time, which distinguishes our process from a
later one with the same pid.
"""

import errno
import http.client
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
FREEZE_SECONDS = 10


class HarnessError(Exception):
    """A failure of the test cluster; the text states the failure and the relevant log."""


class RetryError(Exception):
    """Raised by a condition of wait_until() that is not yet true; the text states the reason."""


def wait_until(what, condition, seconds):
    """Polls condition() until it returns a true value, and returns it.

    Raises HarnessError after `seconds`. A condition may raise RetryError, OSError (a refused connection) or
    HTTPException (a broken response) for "not yet", or HarnessError to give up at once.
    """
    deadline = time.monotonic() + seconds
    reason = ""
    while True:
        try:
            result = condition()
            if result:
                return result
        except (OSError, http.client.HTTPException, RetryError) as error:
            reason = f": {error}"
        if time.monotonic() > deadline:
            raise HarnessError(f"{what}: not within {seconds} s{reason}")
        time.sleep(POLL_SECONDS)


def run(what, command, seconds, **options):
    """subprocess.run() of a command that reads and writes text. Raises HarnessError if it takes longer than
    `seconds`, as on a machine under heavy load; `what` names it in the message."""
    try:
        return subprocess.run([str(word) for word in command], text=True, timeout=seconds, check=False, **options)
    except subprocess.TimeoutExpired:
        raise HarnessError(f"{what} must end within {seconds} s and was killed; repeat the command when the machine "
                           "is less busy") from None


def free_ports(count):
    """Unused loopback ports for servers that are about to start.

    A port is not reused before its server listens, nor while it restarts: neither by another call, in this
    process or another, nor by an outgoing connection, if the kernel leaves enough ports outside the range for
    those. It belongs to this process until it ends.
    """
    return [next(port for port in _ports if reserve(port) and is_free(port)) for _ in range(count)]


def reserve(port):
    """Reserves the port until this process ends. Returns False if any process, including this one, has reserved it.

    The name of a socket outside the file system is unique on a machine, and free again when the process ends.
    """
    reservation = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        reservation.bind(f"\0dynamo-test-port-{port}")
    except OSError as error:
        reservation.close()
        if error.errno != errno.EADDRINUSE:
            raise
        return False
    reservation.detach()  # stays open until this process ends
    return True


def ports_of_outgoing_connections():
    """The kernel's port range for outgoing connections."""
    text = Path("/proc/sys/net/ipv4/ip_local_port_range").read_text(encoding="ascii")
    lowest, highest = map(int, text.split())
    return range(lowest, highest + 1)


def _shuffled_ports():
    all_ports = range(LOWEST_PORT, 65536)
    taken = ports_of_outgoing_connections()
    ports = [port for port in all_ports if port not in taken]
    if len(ports) < ENOUGH_PORTS:
        ports = list(all_ports)
    random.shuffle(ports)  # other clusters on this machine use the same range
    yield from ports
    raise HarnessError(f"this process used up all {len(ports)} ports for servers")


_ports = _shuffled_ports()


def is_free(port):
    """Whether a server can currently listen on this loopback port."""
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
    fields = text.rpartition(")")[2].split()  # after the name, which may contain any character
    return fields[0], int(fields[19])


def start(name, command, log_directory, environment=None):
    """Starts `command`, detached from the terminal, with its output in LOG_DIRECTORY/NAME.log;
    `environment` None means ours.

    Returns the process's record: a dictionary for JSON, running() and stop().
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
    """Whether the recorded process is still running. A zombie counts as ended."""
    stat = _stat(record["pid"])
    return stat is not None and stat[0] != "Z" and stat[1] == record["started"]


def stop(record, seconds):
    """Sends SIGTERM, and SIGKILL after `seconds`. Returns whether SIGTERM was enough; with 0 seconds
    it only kills."""
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


def freeze(record):
    """Stops a process from running until resume(). Its main thread has stopped when this returns."""
    os.kill(record["pid"], signal.SIGSTOP)
    wait_until(f"{record['name']} being frozen", lambda: is_frozen(record), FREEZE_SECONDS)


def resume(record):
    """Lets a process of freeze() run again. Raises HarnessError if it is no longer frozen: something else resumed or
    ended it."""
    if not is_frozen(record):
        raise HarnessError(f"{record['name']} must be frozen until now; found {_stat(record['pid'])}; another process "
                           "resumed or ended it")
    os.kill(record["pid"], signal.SIGCONT)


def is_frozen(record):
    stat = _stat(record["pid"])
    return stat == ("T", record["started"])


def wait_ready(record, what, condition, seconds):
    """wait_until() that gives up immediately when the process ends, with the end of its log."""

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
