"""The recorded state of one test cluster, in a directory that several processes use in turn.

DIRECTORY/state.json lists the running processes, addresses and files; logs, keys and etcd's data are in the
same directory. Every process is recorded before anything else happens with it, so that `down` finds it even
after an interrupted `up`.
"""

import contextlib
import fcntl
import json
import os
import shutil
from pathlib import Path

from . import processes
from .api_client import ApiClient
from .kubectl import Kubectl


class State:
    def __init__(self, directory):
        self.directory = Path(directory).resolve()
        self.logs = self.directory / "logs"
        self.kubeconfig = self.directory / "kubeconfig"
        self._file = self.directory / "state.json"
        self.facts = json.loads(self._file.read_text()) if self._file.exists() else {}

    @contextlib.contextmanager
    def locked(self):
        """Locks the directory against a second `up` or `down`, which fails without waiting."""
        self.directory.parent.mkdir(parents=True, exist_ok=True)
        with open(self.directory.with_suffix(".lock"), "w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise processes.HarnessError(
                    f"another command is working on {self.directory}; wait for it") from None
            self.facts = json.loads(self._file.read_text()) if self._file.exists() else {}
            yield

    def clear(self):
        """Empties the directory. Every process must have been stopped."""
        shutil.rmtree(self.directory, ignore_errors=True)
        self.logs.mkdir(parents=True)
        self.facts = {"processes": []}
        self.save()

    def save(self):
        partial = self._file.with_suffix(".partial")
        partial.write_text(json.dumps(self.facts, indent=2) + "\n")
        partial.rename(self._file)

    def start(self, name, command, stop_seconds=0, inherit_environment=False):
        """Starts a process of the cluster and records it.

        `stop_seconds` is the time that it may take to end; 0 is for a stateless process, which is killed. The
        environment is empty unless inherited.
        """
        record = self._launch(name, [str(word) for word in command], inherit_environment)
        record["stop_seconds"] = stop_seconds
        self.facts["processes"].append(record)
        self.save()
        return record

    def wait_ready(self, record, what, condition, seconds):
        """processes.wait_ready() for a process that a test adds with start(). One that does not get ready is stopped,
        so that the test leaves the cluster as it was."""
        try:
            return processes.wait_ready(record, what, condition, seconds)
        except processes.HarnessError:
            self.forget(record["name"])
            raise

    def _launch(self, name, command, inherit_environment):
        bare = {key: os.environ[key] for key in ("PATH", "TMPDIR", "GOGC") if key in os.environ}
        record = processes.start(name, command, self.logs, None if inherit_environment else bare)
        return {**record, "command": command, "inherit_environment": inherit_environment}

    def restart(self, name):
        """Starts a process again with its command, after stopping it if it still runs."""
        old = self.process(name)
        processes.stop(old, old["stop_seconds"])
        record = self._launch(name, old["command"], old["inherit_environment"])
        record["stop_seconds"] = old["stop_seconds"]
        # In place: stop_all() stops the processes in reverse order of their first start.
        self.facts["processes"][self.facts["processes"].index(old)] = record
        self.save()
        return record

    def process(self, name):
        """The record of a process of this cluster by its name."""
        for record in self.facts.get("processes", []):
            if record["name"] == name:
                return record
        raise processes.HarnessError(f"no process {name} in {self.directory}; is the cluster up?")

    def stop(self, name):
        """Stops one process. Returns whether it ended in time."""
        record = self.process(name)
        ended = processes.stop(record, record["stop_seconds"])
        self.facts["processes"].remove(record)
        self.save()
        return ended or record["stop_seconds"] == 0

    def forget(self, name):
        """Stops one process, unless it was stopped before."""
        with contextlib.suppress(processes.HarnessError):
            self.stop(name)

    def stop_all(self):
        """Stops every process, the last started first; returns the names that exceeded their time."""
        names = [record["name"] for record in self.facts.get("processes", [])]
        return [name for name in reversed(names) if not self.stop(name)]

    def running(self):
        records = self.facts.get("processes", [])
        return bool(records) and all(processes.running(record) for record in records)

    def names(self):
        """The names of the running and of the ended processes."""
        alive, dead = [], []
        for record in self.facts.get("processes", []):
            (alive if processes.running(record) else dead).append(record["name"])
        return alive, dead

    def refuse_if_partly_running(self):
        """Starting a cluster empties its directory, so a partly running one must be stopped first."""
        alive, dead = self.names()
        if alive:
            raise processes.HarnessError(
                f"the cluster in {self.directory} still runs in part: {', '.join(alive)} run, "
                f"{', '.join(dead)} ended; restart one with `cluster.py restart NAME`, or end the cluster with "
                "`cluster.py down` (`./dev cluster down`) first; `up --replace` does both and loses what is stored")

    def kubectl(self):
        keys = self.directory / "pki"
        client = ApiClient(self.facts["api_server"], keys / "ca.crt", keys / "admin.crt", keys / "admin.key")
        return Kubectl(Path(self.facts["binaries"]) / "kubectl", self.kubeconfig,
                       self.directory / "kubectl-cache", client=client)
