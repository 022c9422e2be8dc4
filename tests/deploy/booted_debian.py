"""A minimal Debian with a running systemd, by tests/deploy/boot_root: services start there as on a
machine."""

import contextlib
import pathlib
import select
import subprocess
import sys
import time

import bare_debian

UP_SECONDS = 60
# Runs in the network of that Debian, with this machine's Python, because a minimal Debian has none.
ASK = """
import sys, urllib.error, urllib.request
try:
    with urllib.request.urlopen(sys.argv[1], timeout=5) as answer:
        print(answer.status)
except urllib.error.HTTPError as error:
    print(error.code)
except OSError:
    print(0)
"""


def why_not():
    """The reason why this machine cannot boot one; "" if it can."""
    mounting = ("--mount", "--pid", "--cgroup", "--uts", "--ipc", "--net", "--fork", "mount", "-t", "tmpfs", "tmpfs", "/mnt")
    # Units with their own users need it, and the kernel never allows it below a chroot.
    for what, words in ("and mount in them", mounting), ("of users", ("--user", "true")):
        done = subprocess.run(["unshare", *words], capture_output=True, text=True, timeout=30, check=False)
        if done.returncode != 0:
            return f"this user may not create namespaces {what} here: {done.stderr.strip()}"
    return ""


class Machine(bare_debian.Debian):
    def __init__(self, root, pid):
        super().__init__(root)
        self.pid = pid

    def status(self, url):
        """The response status there; 0 without a listener."""
        done = subprocess.run(["nsenter", "--target", str(self.pid), "--net", sys.executable, "-c", ASK, url],
                              capture_output=True, text=True, timeout=30, check=True)
        return int(done.stdout)

    def properties(self, unit):
        lines = self.run("systemctl", "show", unit).splitlines()
        return dict(line.split("=", 1) for line in lines if "=" in line)

    def wait_until(self, what, holds, seconds=30):
        deadline = time.monotonic() + seconds
        while not holds():
            assert time.monotonic() < deadline, f"not within {seconds} s: {what}; {self.run('journalctl', '--no-pager', '-n', '40')}"
            time.sleep(0.1)

    def _entering(self):
        return ["nsenter", "--target", str(self.pid), "--all", "--root", "--wd"]


@contextlib.contextmanager
def booted(debian):
    """The running root; it is stopped at the end."""
    with subprocess.Popen([bare_debian.SOURCE / "tests/deploy/boot_root", debian.root], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert select.select([process.stdout], [], [], UP_SECONDS)[0], "boot_root must say systemd's process"
            line = process.stdout.readline()
            assert line, "boot_root must say systemd's process; its words are above"
            machine = Machine(debian.root, int(line))
            private = pathlib.Path("/proc", str(machine.pid), "root", "run", "systemd", "private")
            deadline = time.monotonic() + UP_SECONDS
            while not private.exists():
                assert process.poll() is None and time.monotonic() < deadline, f"systemd must listen within {UP_SECONDS} s"
                time.sleep(0.1)
            output = machine.run("sh", "-c", "systemctl is-system-running --wait || true").strip()
            assert output in ("running", "degraded"), f"systemd must be up and is {output}"
            yield machine
        finally:
            process.terminate()
            process.wait(timeout=60)
