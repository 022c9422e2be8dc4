"""A minimal Debian 12 for installation tests: a folder that tests/deploy/build_root fills, entered by
chroot."""

import contextlib
import hashlib
import os
import pathlib
import shutil
import subprocess

import bare_root

SOURCE = pathlib.Path(__file__).resolve().parents[2]
# Files that apt and dpkg write on any installation.
OF_APT = ("/var/lib/apt", "/var/cache", "/var/log", "/var/lib/dpkg/status", "/var/lib/dpkg/available", "/var/lib/dpkg/lock",
          "/var/lib/dpkg/triggers", "/var/lib/dpkg/diversions", "/var/lib/dpkg/statoverride", "/etc/ld.so.cache", "/tmp/",
          "/proc", "/sys", "/dev", "/run")
ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8", "HOME": "/root"}
DEADLINE = 600


class Debian:
    def __init__(self, root):
        self.root = root

    def copy_in(self, *paths):
        for path in paths:
            shutil.copy(path, self.root / "tmp")

    def run(self, *command, status=0):
        done = subprocess.run([*self._entering(), *command], capture_output=True, text=True, env=ENVIRONMENT, timeout=DEADLINE,
                              check=False)
        assert done.returncode == status, (f"in the bare Debian {' '.join(command)} must end with {status} and ended with "
                                           f"{done.returncode}:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
        return done.stdout

    @contextlib.contextmanager
    def serving(self, script):
        """Runs a server from a shell script, which gets ports for the server to choose as its last
        arguments."""
        ports = [word for flag in ("bind", "health-probe-bind", "metrics-bind") for word in (f"--{flag}-address", "127.0.0.1:0")]
        command = [*self._entering(), "sh", "-c", f"{script} {' '.join(ports)}"]
        with bare_root.started(command, ENVIRONMENT) as server:
            yield server

    def snapshot(self):
        """Path -> description, for every file that is not apt's own."""
        found = {}
        for folder, folders, files in os.walk(self.root):
            for name in folders + files:
                path = pathlib.Path(folder, name)
                inside = "/" + str(path.relative_to(self.root))
                if not inside.startswith(OF_APT):
                    found[inside] = describe(path)
            folders[:] = [name for name in folders
                          if not ("/" + str(pathlib.Path(folder, name).relative_to(self.root))).startswith(OF_APT)]
        return found

    def _entering(self):
        return [shutil.which("chroot", path="/usr/sbin:/usr/bin"), str(self.root)]


def describe(path):
    mode = path.lstat().st_mode
    if path.is_symlink():
        return f"-> {os.readlink(path)}"
    if path.is_file():
        return f"{mode:o} {hashlib.sha256(path.read_bytes()).hexdigest()}"
    return f"{mode:o}"


@contextlib.contextmanager
def root(folder):
    """A fresh Debian in the folder, which is removed at the end."""
    assert os.geteuid() == 0, ("this test must run as root, because it installs packages in a chroot; "
                               "DYNAMO_SKIP_BARE_ROOT=1 leaves it out")
    done = subprocess.run([SOURCE / "tests/deploy/build_root"], capture_output=True, text=True, timeout=1200, check=False)
    assert done.returncode == 0, done.stderr
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        subprocess.run(["tar", "-xf", done.stdout.strip(), "-C", folder], timeout=DEADLINE, check=True)
        # Resolves names like this machine.
        shutil.copy("/etc/resolv.conf", folder / "etc/resolv.conf")
        yield Debian(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
