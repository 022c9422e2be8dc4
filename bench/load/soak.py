"""A soak: a moderate load for a long time while certificates, policy and Leases change."""

import contextlib
import http
import http.client
import itertools
import os
import re
import time
from dataclasses import dataclass, field
from pathlib import Path

import flatness
import generator
from driver import certificates, servers
from driver.machine import BenchError, Deadline, resident_kib
from flatness import Trend
from lease_server import LeaseServer
from setup import Setup

CONNECTIONS = 16
REQUESTS_PER_CONNECTION = 100  # new connections see new certificates
LEAVES = 40
LEASES = 50
LEASES_PER_CHANGE = 5
CHANGES_PER_REFUSED_POLICY = 5
# A change takes effect within a second; short runs still need several.
CHANGE_SECONDS = 3.0
SHORTEST_CHANGE_SECONDS = 1.0
SAMPLES = 1800
MIN_SEEN = 0.8  # share of the changes that the server must report
READY_SECONDS = 20
POLICY = Path(__file__).resolve().parent / "policy.yaml"


@dataclass(frozen=True)
class Sample:
    second: float
    resident_mib: float
    descriptors: int
    threads: int


@dataclass
class Changes:
    """How many changes were made, and how many of them the server reported."""

    certificates: int = 0
    policies: int = 0  # valid ones
    refused_policies: int = 0
    leases: int = 0
    leaves_seen: int = 0
    certificates_logged: int = 0
    policies_logged: int = 0
    refusals_counted: int = 0
    live_leases: int = 0
    live_leases_counted: int = 0

    def faults(self) -> list[str]:
        """Changes that the server did not follow."""
        expected = (
            ("certificates", self.certificates, self.certificates_logged),
            ("policies", self.policies, self.policies_logged),
            ("refused policies", self.refused_policies, self.refusals_counted),
            ("certificates on new connections", min(self.certificates, LEAVES), self.leaves_seen),
        )
        found = [f"{name}: the server must follow {MIN_SEEN:.0%} of {made} changes, followed {seen}"
                 for name, made, seen in expected if seen < MIN_SEEN * made]
        if self.live_leases_counted != self.live_leases:
            found.append(f"Leases: the server must count {self.live_leases}, counts {self.live_leases_counted}")
        return found


@dataclass
class Soak:
    """The results."""

    result: generator.Result
    samples: list[Sample]
    changes: Changes
    trends: list[Trend] = field(default_factory=list)

    @property
    def faults(self) -> list[str]:
        failed = [f"{count} requests: {kind}" for kind, count in self.result.errors.items()]
        growing = [trend.line() for trend in self.trends if not trend.is_flat]
        return failed + growing + self.changes.faults()


class Changer:
    """Replaces the certificate, the policy file and Leases in a fixed order."""

    def __init__(self, folder: Path, leases: LeaseServer, rotation: certificates.Rotation):
        self._folder = folder
        self._leases = leases
        self._rotation = rotation
        self._policies = itertools.cycle(policies(POLICY.read_text()))
        self._next_namespace = 0
        self.changes = Changes()
        self.policy_file = folder / "policy.yaml"
        self._replace_policy(next(self._policies))
        for _ in range(LEASES):
            self._create_lease()

    def change(self) -> None:
        self._rotation.swap()
        self.changes.certificates += 1
        text = next(self._policies)
        self._replace_policy(text)
        if text == REFUSED:
            self.changes.refused_policies += 1
        else:
            self.changes.policies += 1
        self._change_leases()

    def renew_leases(self) -> None:
        """All of them, so that none expires."""
        for namespace in self._leases.namespaces:
            self._leases.put(namespace)

    def _change_leases(self) -> None:
        oldest = self._leases.namespaces[0]
        self._leases.delete(oldest)
        self._create_lease()
        for namespace in self._leases.namespaces[:LEASES_PER_CHANGE]:
            self._leases.put(namespace)
        self.changes.leases += LEASES_PER_CHANGE + 2

    def _create_lease(self) -> None:
        self._leases.put(f"team-{self._next_namespace}")
        self._next_namespace += 1

    def _replace_policy(self, text: str) -> None:
        partial = self._folder / "policy.partial"
        partial.write_text(text)
        os.replace(partial, self.policy_file)


REFUSED = "version: 1\nseverities:\n  - {rules: no.such.rule.exists, severity: loud}\n"


def policies(text: str) -> list[str]:
    """The policy and a variant of it without exemptions alternately, and at the end one that is refused. No two
    successive ones are equal."""
    variant = re.sub(r"^exemptions:\n(?:  .*\n)+", "", text, flags=re.M)
    alternating = [text if index % 2 == 0 else variant for index in range(CHANGES_PER_REFUSED_POLICY - 1)]
    return [*alternating, REFUSED]


def sample(pid: int, began: float) -> Sample:
    status = Path(f"/proc/{pid}/status").read_text()
    threads = int(re.search(r"^Threads:\s+(\d+)", status, re.M)[1])
    return Sample(time.monotonic() - began, resident_kib(pid) / 1024, len(os.listdir(f"/proc/{pid}/fd")), threads)


def trends(samples: list[Sample]) -> list[Trend]:
    values = ((flatness.RESIDENT, [(each.second, each.resident_mib) for each in samples]),
              (flatness.DESCRIPTORS, [(each.second, each.descriptors) for each in samples]),
              (flatness.THREADS, [(each.second, each.threads) for each in samples]))
    return [flatness.trend(quantity, found) for quantity, found in values]


class Every:
    """True from is_due() once per interval."""

    def __init__(self, seconds: float):
        self._seconds = seconds
        self._next = time.monotonic() + seconds

    def is_due(self) -> bool:
        now = time.monotonic()
        if now < self._next:
            return False
        self._next = now + self._seconds
        return True


def run(setup: Setup, seconds: int, rate: int) -> Soak:
    """`rate`: requests per second. Writes certificates, policy and kubeconfig into the folder of `setup`."""
    with LeaseServer() as leases:
        rotation = certificates.Rotation(setup.folder, LEAVES)
        changer = Changer(setup.folder, leases, rotation)
        leases.write_kubeconfig(setup.folder / "kubeconfig")
        flags = ("--threads=2", "--cluster-connection=auto", f"--kubeconfig={setup.folder / 'kubeconfig'}",
                 f"--policy={changer.policy_file}")
        kind = servers.webhook(setup.webhook, flags=flags)
        with setup.fleet().running([kind]) as (server,):
            _wait_until_ready(server)
            return _measure(setup, server, changer, leases, generator.Load(rate, seconds, CONNECTIONS,
                                                                           REQUESTS_PER_CONNECTION))


def _measure(setup: Setup, server: servers.Server, changer: Changer, leases: LeaseServer,
             load: generator.Load) -> Soak:
    samples: list[Sample] = []
    began = time.monotonic()
    changes = Every(min(CHANGE_SECONDS, max(SHORTEST_CHANGE_SECONDS, load.seconds / 20)))
    sampling = Every(max(load.seconds / SAMPLES, generator.SAMPLE_SECONDS))
    renewals = Every(10)

    def step() -> None:
        if changes.is_due():
            changer.change()
        if renewals.is_due():
            changer.renew_leases()
        if sampling.is_due():
            samples.append(sample(server.pid, began))

    result = setup.generator().run(server, load, step)
    changer.changes.leaves_seen = result.leaves
    _observe(server, changer, leases)
    return Soak(result, samples, changer.changes, trends(samples))


def _observe(server: servers.Server, changer: Changer, leases: LeaseServer) -> None:
    """Reads from log and metrics which changes the server followed, after the last one had time to arrive."""
    changer.renew_leases()
    changes = changer.changes
    changes.live_leases = len(leases.namespaces)
    limit = time.monotonic() + READY_SECONDS
    while time.monotonic() < limit:
        changes.live_leases_counted = int(_metric(server, "dynamo_webhook_namespace_leases"))
        if changes.live_leases_counted == changes.live_leases:
            break
        time.sleep(generator.SAMPLE_SECONDS)
    log = server.log.read_text(errors="replace")
    changes.certificates_logged = log.count('"certificate in use"') - 1
    changes.policies_logged = log.count('"policy in use"') - 1
    changes.refusals_counted = int(_metric(server, "dynamo_webhook_policy_reload_errors_total"))


def _metric(server: servers.Server, name: str) -> float:
    page = _get(server.other_ports[1], "/metrics")[1]
    found = re.search(rf"^{name} (\S+)$", page, re.M)
    if not found:
        raise BenchError(f"{server.name} must have the metric {name}")
    return float(found[1])


def _get(port: int, path: str) -> tuple[int, str]:
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=READY_SECONDS)) as connection:
        connection.request("GET", path)
        response = connection.getresponse()
        return response.status, response.read().decode()


def _wait_until_ready(server: servers.Server) -> None:
    limit = Deadline(READY_SECONDS)
    while True:
        status, text = _get(server.other_ports[0], "/readyz?verbose")
        if status == http.HTTPStatus.OK:
            return
        try:
            time.sleep(limit.cut(generator.SAMPLE_SECONDS))
        except BenchError:
            raise BenchError(f"{server.name} must be ready within {READY_SECONDS} s:\n{text}") from None
