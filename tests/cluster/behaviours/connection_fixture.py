"""Shared by tests with servers that are connected to the cluster."""

import datetime
import http.client
import json
import os
import subprocess
import urllib.parse
from pathlib import Path

from harness import processes
from harness.connection import Connection
from harness.control_plane import WEBHOOK_CLIENT
from harness.proxy import Proxy
from harness.reviews import Reviewer

from .support import (NO_HOST, REPOSITORY, ClusterTest, HarnessError, graph, wait_until, webhook,
                      worker)

MARKER = "dynamo-operator-namespace-scope"
QUICK = ("--shutdown-delay", "0s")
BAD = graph("bad", {"Worker": worker(**NO_HOST)})
GOOD = graph("good", {"Worker": worker()})
LONGEST = 300  # --lease-max-duration: Leases with a longer duration are not trusted
SEEN_SECONDS = 10  # time for a server to observe a change
EXIT_SECONDS = 20


def utc_now():
    return datetime.datetime.now(datetime.timezone.utc)


def marker(holder, seconds, renewed=None):
    """The Lease by which an operator holds a namespace; renewed now by default."""
    return {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": MARKER},
            "spec": {"holderIdentity": holder, "leaseDurationSeconds": seconds,
                     "renewTime": micro_time(renewed or utc_now())}}


def micro_time(moment):
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def shifted_clock(seconds):
    """A command prefix that runs a command with a wall clock that is ahead by these seconds."""
    return "env", f"LD_PRELOAD={_clock_shift()}", f"DYNAMO_CLOCK_SHIFT_SECONDS={seconds}"


def stepping_clock(file):
    """A command prefix that runs a command with a wall clock that is ahead by the current content of
    `file`, in seconds."""
    return "env", f"LD_PRELOAD={_clock_shift()}", f"DYNAMO_CLOCK_SHIFT_FILE={file}"


def _clock_shift():
    library = Path(os.environ.get("DYNAMO_CLOCK_SHIFT_LIBRARY",
                                  REPOSITORY / "build/release/lib/libclock-shift.so"))
    if not library.exists():
        raise HarnessError(f"no {library}; build clock-shift, or name its file in "
                           "DYNAMO_CLOCK_SHIFT_LIBRARY")
    return library


class ConnectedTest(ClusterTest):
    """A test whose servers run as a service account in a separate namespace, `system`."""

    def setUp(self):
        super().setUp()
        self.system = self.new_namespace("system")
        self._log_starts = {}

    def connection(self, *rights, restricted=None):
        return Connection(self.state, self.admin, self.system, rights, restricted)

    def client_ca(self):
        """Flags that make a server accept only the API server's calls."""
        return ("--client-ca-file", self.state.directory / "pki/ca.crt", "--client-allowed-names", WEBHOOK_CLIENT)

    def new_proxy(self):
        """A connection to the API server that can be cut."""
        proxy = Proxy(urllib.parse.urlsplit(self.state.facts["api_server"]).port)
        self.addCleanup(proxy.stop)
        return proxy

    def start_connected(self, name, connection, *flags, port=None, ready=True, clock=0):
        """Starts a server with this connection, through `port` if given, and with a clock that is
        ahead by these seconds. Returns its facts."""
        log = self.state.logs / f"{name}.log"
        self._log_starts[name] = log.stat().st_size if log.exists() else 0
        facts = webhook.start(
            self.state, self.state.facts["webhook_binary"], name,
            ("--kubeconfig", connection.kubeconfig(port), *QUICK, *flags), ready,
            shifted_clock(clock) if clock else ())
        self.addCleanup(self.stop_server, name)
        return facts

    def run_to_its_end(self, *flags, clock=0):
        """Runs a server that is expected to end by itself, with a clock that is ahead by these
        seconds; returns exit code and standard error."""
        command, _ = webhook.command_of(self.state, self.state.facts["webhook_binary"], "short",
                                        (*QUICK, *flags))
        prefix = shifted_clock(clock) if clock else ()
        done = subprocess.run([str(word) for word in (*prefix, *command)], stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                              timeout=EXIT_SECONDS, check=False)
        return done.returncode, done.stderr

    def log_of(self, name):
        """The log lines of a server of start_connected(), as objects."""
        with open(self.state.logs / f"{name}.log", "rb") as log:
            log.seek(self._log_starts[name])
            text = log.read().decode()
        return [json.loads(line) for line in text.splitlines(keepends=True)
                if line.startswith("{") and line.endswith("}\n")]

    def reviewer(self, facts, authority=None):
        reviewer = Reviewer(facts, authority)
        self.addCleanup(reviewer.close)
        return reviewer

    def hold(self, namespace, holder, seconds, renewed=None):
        """Writes another operator's Lease, which is deleted after the test."""
        self.addCleanup(self.release, namespace)
        self.admin.within(namespace).must("apply", "--filename", "-",
                                          stdin=marker(holder, seconds, renewed))

    def release(self, namespace):
        self.admin.within(namespace).must("delete", "lease", MARKER, "--ignore-not-found")

    def wait_for_verdict(self, reviewer, namespace, allowed, seconds=SEEN_SECONDS):
        """Waits until the server validates a namespace's objects, or stops validating them."""
        def reached():
            try:
                return reviewer.allows(BAD, namespace) == allowed
            except http.client.HTTPException as error:
                reviewer.close()
                raise processes.RetryError(repr(error)) from None
        wait_until(f"{namespace} being {'left alone' if allowed else 'validated'}", reached, seconds)

    def assert_ended(self, record, seconds=EXIT_SECONDS):
        wait_until(f"{record['name']} ending", lambda: not processes.running(record), seconds)
