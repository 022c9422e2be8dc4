"""Runs programs in a root that contains only an image's files, as the image's user."""

import contextlib
import io
import json
import os
import pathlib
import re
import select
import shutil
import subprocess
import tarfile
import time
import urllib.error
import urllib.request

USER = 65532
DEADLINE = 30


def unpack(archive, target):
    """Unpacks the image of an OCI archive into a folder, as a container runtime would. Returns its
    configuration, the index and each layer's entries (tarfile's, in their order)."""
    with tarfile.open(archive) as tar:
        blob = lambda digest: tar.extractfile("blobs/" + digest.replace(":", "/")).read()  # noqa: E731
        index = json.load(tar.extractfile("index.json"))
        manifest = json.loads(blob(index["manifests"][0]["digest"]))
        config = json.loads(blob(manifest["config"]["digest"]))
        layers = []
        for described in manifest["layers"]:
            with tarfile.open(fileobj=io.BytesIO(blob(described["digest"])), mode="r:gz") as layer:
                layers.append(layer.getmembers())
                for member in layer.getmembers():
                    # Like a container runtime, keeps a folder of a lower layer.
                    if not (member.isdir() and (target / member.name).is_dir()):
                        layer.extract(member, target, numeric_owner=True)
    return config, index, layers


def entering(root):
    """The command prefix that runs a program in the root."""
    tools = "/usr/sbin:/usr/bin"
    if os.geteuid() == 0:
        return [shutil.which("chroot", path=tools), f"--userspec={USER}:{USER}", str(root)]
    return [shutil.which("unshare", path=tools), "--user", f"--map-user={USER}", f"--map-group={USER}", f"--root={root}", "--wd=/"]


def run(root, *command, status=0):
    """Runs a program in the root to its end, without any of our variables; returns its output."""
    done = subprocess.run([*entering(root), *command], capture_output=True, text=True, env={},
                          timeout=DEADLINE, check=False)
    assert done.returncode == status, (
        f"{' '.join(command)} must end with {status} in the image's root and ended with {done.returncode}: "
        f"{done.stderr[-800:]} (it takes root, or a kernel that lets users make namespaces)")
    return done.stdout


class Server:
    """A server that runs in the root, on ports that it chooses."""

    def __init__(self, process, ports):
        self.process, self.ports = process, ports

    def status(self, path):
        """Returns the response of the probes' port."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.ports['probe_port']}{path}", timeout=5) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            return error.code


@contextlib.contextmanager
def serving(root, program, *flags):
    """Starts the server in the root and stops it at the end; yields it once it reports that it serves.
    The program may be a tuple: a wrapper and the program."""
    words = (program,) if isinstance(program, str) else program
    command = [*entering(root), *words, "--cert-mode", "self-signed", "--cluster-connection", "none",
               "--shutdown-delay", "0s", "--drain-timeout", "1s"]
    for flag in ("--bind-address", "--health-probe-bind-address", "--metrics-bind-address"):
        command += [flag, "127.0.0.1:0"]
    with started([*command, *flags], {}) as server:
        yield server


@contextlib.contextmanager
def started(command, environment):
    """Runs a server's command, yields it once it reports that it serves, and stops it at the end."""
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, env=environment) as process:
        try:
            yield Server(process, ports_of(process))
            process.terminate()
            assert process.wait(timeout=DEADLINE) == 0, "the server must stop with 0 after SIGTERM"
        finally:
            process.kill()


def ports_of(process):
    """Reads the log until the line with the ports."""
    text, deadline = b"", time.monotonic() + DEADLINE
    while time.monotonic() < deadline:
        if not select.select([process.stderr], [], [], 1)[0]:
            continue
        part = os.read(process.stderr.fileno(), 65536)
        text += part
        line = re.search(rb'.*"message":"serving".*\n', text)
        if line:
            return json.loads(line[0])
        if not part:
            break
    raise AssertionError(f"the server must serve within {DEADLINE} s: {text.decode(errors='replace')[-1500:]}")


def files_of(root):
    """The paths of all files and links below the root, with a leading slash."""
    return sorted("/" + str(path.relative_to(root)) for path in pathlib.Path(root).rglob("*")
                  if path.is_symlink() or not path.is_dir())
