"""dynamo-reconciler as a process of a test."""


from harness import processes
from harness.programs import program

QUICK_LEADER = ("--leader-election-lease-duration", "6s", "--leader-election-renew-deadline", "3s",
                "--leader-election-retry-period", "1s")
STOP_SECONDS = 20


class ReconcilerProcesses:
    """A ClusterTest whose reconcilers are restricted to its namespace."""

    def start_reconciler(self, name, *flags):
        """Starts a reconciler, which is stopped when the test ends. Returns the address of its
        metrics."""
        probes, metrics = processes.free_ports(2)
        self.state.start(name, (
            program("dynamo-reconciler"), "--kubeconfig", self.state.kubeconfig,
            "--restrictedNamespace", self.namespace, "--leader-election-namespace", self.namespace,
            *QUICK_LEADER, "--health-probe-bind-address", f"127.0.0.1:{probes}",
            "--metrics-bind-address", f"127.0.0.1:{metrics}", *flags), STOP_SECONDS)
        self.addCleanup(self.state.forget, name)
        return f"http://127.0.0.1:{metrics}/metrics"
