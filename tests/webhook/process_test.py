"""Tests of dynamo-webhook as a process: flags, exit codes, signals.

Usage: process_test.py BINARY BEHAVIOUR [MODULE]. Standard library only; everything stays on loopback.
"""

import contextlib
import fcntl
import http.client
import json
import os
import pathlib
import signal
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "cluster"))
from harness.processes import free_ports  # noqa: E402

BINARY = sys.argv[1]
# The tests may run in a pod: hide its cluster from the server.
ENVIRONMENT = {name: value for name, value in os.environ.items()
               if not name.startswith("KUBERNETES_")}
PATH = "/validate-nvidia-com-v1alpha1-dynamographdeployment"
REVIEW = b"""{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u-1",
"kind":{"group":"nvidia.com","version":"v1alpha1","kind":"DynamoGraphDeployment"},"name":"a",
"namespace":"default","operation":"CREATE","userInfo":{"username":"jane"},"oldObject":null,
"object":{"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment",
"metadata":{"name":"a"},"spec":{"services":{"Frontend":{"replicas":1}}}}}}"""
SIOCSIFFLAGS, IFF_UP = 0x8914, 1  # of netdevice(7)
DEADLINE = 20.0  # seconds for anything that is waited for


def run(*arguments, environment=None):
    return subprocess.run([BINARY, *arguments], capture_output=True, text=True, timeout=DEADLINE,
                          env=environment or ENVIRONMENT)


def assert_one_line(text, *words):
    assert text.endswith("\n") and text.count("\n") == 1, f"not one line: {text!r}"
    for word in words:
        assert word in text, f"{word!r} is not in {text!r}"


class Webhook:
    """A running server with a self-signed certificate."""

    def __init__(self, directory, *arguments, environment=None, stderr=subprocess.PIPE, preexec_fn=None):
        self.port, self.probes, self.metrics = free_ports(3)
        self.directory = pathlib.Path(directory)
        self.process = subprocess.Popen(
            [BINARY, f"--bind-address=127.0.0.1:{self.port}", f"--cert-dir={directory}",
             f"--health-probe-bind-address=127.0.0.1:{self.probes}", "--cert-mode=self-signed",
             f"--metrics-bind-address=127.0.0.1:{self.metrics}", *arguments],
            stderr=stderr, text=True, env=environment or ENVIRONMENT, preexec_fn=preexec_fn)

    def readiness(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.probes, timeout=DEADLINE)
        with contextlib.closing(connection):
            connection.request("GET", "/readyz")
            return connection.getresponse().status

    def wait_for_readiness(self, wanted):
        def is_wanted():
            try:
                return self.readiness() == wanted
            except OSError:
                return False
        wait_until(is_wanted, f"readiness {wanted}")

    def connect(self):
        context = ssl.create_default_context(cafile=str(self.directory / "ca.crt"))
        connection = http.client.HTTPSConnection("localhost", self.port, timeout=DEADLINE,
                                                 context=context)
        connection.connect()
        return connection


def metric(webhook, name):
    connection = http.client.HTTPConnection("127.0.0.1", webhook.metrics, timeout=DEADLINE)
    with contextlib.closing(connection):
        connection.request("GET", "/metrics")
        page = connection.getresponse().read().decode()
    return float(next(line.split()[1] for line in page.splitlines() if line.startswith(name + " ")))


def wait_until(condition, what):
    deadline = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < deadline, f"{what} did not come within {DEADLINE} s"
        time.sleep(0.01)


@contextlib.contextmanager
def running(*arguments):
    with tempfile.TemporaryDirectory() as directory:
        webhook = Webhook(directory, *arguments)
        try:
            webhook.wait_for_readiness(200)
            yield webhook
        finally:
            webhook.process.kill()
            webhook.process.communicate(timeout=DEADLINE)


def ask(connection):
    connection.request("POST", PATH + "?timeout=10s", REVIEW,
                       {"Content-Type": "application/json"})
    answer = connection.getresponse()
    return answer.status, answer.getheader("Connection"), answer.read()


def help_explains_flags_and_exits_0():
    done = run("--help")
    assert done.returncode == 0 and not done.stderr
    assert run("-h").stdout == done.stdout
    for word in ("--bind-address", "--cert-mode", "--shutdown-delay", "0.0.0.0:9443", "7MiB",
                 "\nCommands:\n  kubectl-dynamo doctor\n", "\nEnvironment:\n  KUBERNETES_SERVICE_HOST\n"):
        assert word in done.stdout, word
    longest = max(done.stdout.splitlines(), key=len)
    assert len(longest) <= 100, longest


def doctor_names_its_program_and_exits_2():
    done = run("doctor", "--namespace", "a")
    assert done.returncode == 2 and not done.stdout, done
    assert "`kubectl-dynamo doctor`" in done.stderr, done.stderr


def version_names_the_program():
    done = run("--version")
    assert done.returncode == 0
    assert_one_line(done.stdout, "dynamo-webhook", "nvidia.com/v1alpha1")


def unknown_flag_exits_2_with_one_line():
    done = run("--bind-adress=:1")
    assert done.returncode == 2 and not done.stdout
    assert_one_line(done.stderr, "--bind-adress", "--bind-address")


def value_out_of_bounds_exits_2_with_one_line():
    done = run("--max-body-bytes=1GiB")
    assert done.returncode == 2
    assert_one_line(done.stderr, "--max-body-bytes", "1GiB", "64MiB")


def unknown_cipher_exits_2_with_one_line():
    done = run("--cert-mode=self-signed", "--tls-ciphers=NOT-A-CIPHER",
               f"--bind-address=127.0.0.1:{free_ports(1)[0]}")
    assert done.returncode == 2
    assert_one_line(done.stderr, "--tls-ciphers", "NOT-A-CIPHER")


def kubeconfig(directory, server, user="token: t"):
    path = pathlib.Path(directory) / "kubeconfig"
    path.write_text("{apiVersion: v1, kind: Config, current-context: c, "
                    f"clusters: [{{name: c, cluster: {{server: '{server}'}}}}], "
                    f"users: [{{name: u, user: {{{user}}}}}], "
                    "contexts: [{name: c, context: {cluster: c, user: u}}]}")
    return path


def bad_kubeconfig_exits_2_with_one_line():
    with tempfile.TemporaryDirectory() as directory:
        for flags, words in (
                (["--kubeconfig", f"{directory}/none"], [f"{directory}/none"]),
                (["--kubeconfig", str(kubeconfig(directory, "http://127.0.0.1:1")),
                  "--kube-context", "elsewhere"], ["kubeconfig", "elsewhere"])):
            done = run("--cert-mode=self-signed", *flags)
            assert done.returncode == 2, done
            assert_one_line(done.stderr, "dynamo-webhook: ", *words)


def missing_service_account_exits_2_with_one_line():
    # Skipped in a pod, where the account exists.
    if pathlib.Path("/var/run/secrets/kubernetes.io/serviceaccount").exists():
        return
    done = run("--cert-mode=self-signed", environment={
        **ENVIRONMENT, "KUBERNETES_SERVICE_HOST": "127.0.0.1", "KUBERNETES_SERVICE_PORT": "1"})
    assert done.returncode == 2, done
    assert_one_line(done.stderr, "dynamo-webhook: ", "serviceaccount")


def unreachable_api_server_makes_it_unready_but_evaluating():
    with tempfile.TemporaryDirectory() as directory:
        webhook = Webhook(directory, "--shutdown-delay=0s", "--kubeconfig",
                          str(kubeconfig(directory, f"http://127.0.0.1:{free_ports(1)[0]}")))
        try:
            webhook.wait_for_readiness(503)
            wait_until((pathlib.Path(directory) / "ca.crt").exists, "the certificate")
            assert ask(webhook.connect())[0] == 200
            webhook.process.send_signal(signal.SIGTERM)
            _, log = webhook.process.communicate(timeout=DEADLINE)
            assert webhook.process.returncode == 0, log
            assert log.count("watching the cluster has failed") == 1, log
        finally:
            webhook.process.kill()
            webhook.process.wait(timeout=DEADLINE)


def slow_name_lookup_does_not_block_shutdown():
    with tempfile.TemporaryDirectory() as directory:
        webhook = Webhook(directory, "--shutdown-delay=0s", "--kubeconfig",
                          str(kubeconfig(directory, "https://api-server.invalid:6443")),
                          environment={**ENVIRONMENT, "LD_PRELOAD": sys.argv[3]})
        try:
            webhook.wait_for_readiness(503)
            webhook.process.send_signal(signal.SIGTERM)
            # The lookup takes a minute.
            _, log = webhook.process.communicate(timeout=DEADLINE)
            assert webhook.process.returncode == 0, log
        finally:
            webhook.process.kill()
            webhook.process.wait(timeout=DEADLINE)


def logged(log):
    return [json.loads(line) for line in log.splitlines()]


def the_error(log):
    """The only line of the log above level info."""
    errors = [line for line in logged(log) if line["level"] != "info"]
    assert [(line["level"], line["message"]) for line in errors] == [("error", "cannot start")], log
    return errors[0]


def address_in_use_exits_1_with_one_line():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        taken = f"127.0.0.1:{listener.getsockname()[1]}"
        free = "127.0.0.1:0"
        for flag in ("--bind-address", "--health-probe-bind-address", "--metrics-bind-address"):
            addresses = {"--bind-address": free, "--health-probe-bind-address": free,
                         "--metrics-bind-address": free, flag: taken}
            done = run("--cert-mode=self-signed", *(f"{name}={at}" for name, at in addresses.items()))
            assert done.returncode == 1 and not done.stdout, done
            line = the_error(done.stderr)
            assert line["reason"].startswith(f"{flag}: cannot listen on {taken}: "), line


def listens_on_both_families_by_default():
    """Uses a new network namespace, so that the default ports are free. Skipped without the right to create one."""
    alone = ["unshare", "--net", "--map-root-user"]
    if subprocess.run([*alone, "true"], capture_output=True, timeout=DEADLINE, check=False).returncode != 0:
        print("no right to make a network namespace; skipped")
        return
    done = subprocess.run([*alone, sys.executable, "-B", __file__, BINARY, "connect_to_default_ports"],
                          capture_output=True, text=True, timeout=DEADLINE, check=False)
    assert done.returncode == 0, done.stderr


def connect_to_default_ports():
    """The part of listens_on_both_families_by_default that runs in that namespace."""
    with socket.socket() as any_socket:
        up = struct.pack("16sh14x", b"lo", IFF_UP)
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, up)
    with tempfile.TemporaryDirectory() as directory, subprocess.Popen(
            [BINARY, "--cert-mode=self-signed", f"--cert-dir={directory}", "--cluster-connection=none",
             "--shutdown-delay=0s"], stderr=subprocess.PIPE, text=True, env=ENVIRONMENT) as webhook:
        try:
            for line in webhook.stderr:
                if json.loads(line)["message"] == "serving":
                    break
            hosts = ["127.0.0.1", *(["::1"] if has_ipv6_loopback() else [])]
            for host in hosts:
                for port in (9443, 8081, 8080):
                    socket.create_connection((host, port), timeout=DEADLINE).close()
        finally:
            webhook.kill()


def has_ipv6_loopback():
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
        return True
    except OSError:
        return False


def uncreatable_folder_exits_1_with_one_line():
    with tempfile.TemporaryDirectory() as directory:
        blocked = pathlib.Path(directory) / "file"
        blocked.write_text("x")
        for path in (blocked, blocked / "below"):
            done = run("--cert-mode=self-signed", f"--cert-dir={path}", "--bind-address=127.0.0.1:0",
                       "--health-probe-bind-address=127.0.0.1:0", "--metrics-bind-address=127.0.0.1:0")
            assert done.returncode == 1, done
            assert the_error(done.stderr)["reason"].startswith(f"--cert-dir: {path}: must be a directory"), done


def missing_self_signed_folder_is_created():
    with tempfile.TemporaryDirectory() as directory:
        webhook = Webhook(pathlib.Path(directory) / "not" / "there", "--shutdown-delay=0s")
        try:
            webhook.wait_for_readiness(200)
            assert ask(webhook.connect())[0] == 200
        finally:
            webhook.process.kill()
            webhook.process.communicate(timeout=DEADLINE)


def serving_is_logged_once_certificate_exists():
    with tempfile.TemporaryDirectory() as directory:
        webhook = Webhook(directory, "--cert-mode=files", "--shutdown-delay=0s", "--enforcement=audit")
        try:
            webhook.wait_for_readiness(503)
            waiting = json.loads(webhook.process.stderr.readline())
            while waiting["message"] != "listening, not serving yet":
                waiting = json.loads(webhook.process.stderr.readline())
            assert waiting["enforcement"] == "audit" and "tls.crt" in waiting["reason"], waiting
            webhook.process.send_signal(signal.SIGTERM)
            _, log = webhook.process.communicate(timeout=DEADLINE)
            assert "serving" not in [line["message"] for line in logged(log)], log
        finally:
            webhook.process.kill()
            webhook.process.wait(timeout=DEADLINE)


def start_line_names_the_enforcement():
    for flags, wanted in (([], "deny"), (["--enforcement=audit"], "audit")):
        with tempfile.TemporaryDirectory() as directory:
            webhook = Webhook(directory, "--shutdown-delay=0s", *flags)
            try:
                webhook.wait_for_readiness(200)
                webhook.process.send_signal(signal.SIGTERM)
                _, log = webhook.process.communicate(timeout=DEADLINE)
                started = [line for line in logged(log) if line["message"] == "serving"]
                assert [line["enforcement"] for line in started] == [wanted], log
                assert started[0]["port"] == webhook.port and "reason" not in started[0], log
            finally:
                webhook.process.kill()
                webhook.process.wait(timeout=DEADLINE)


def sigterm_drains_and_exits_0():
    with running("--shutdown-delay=5m", "--drain-timeout=5s") as webhook:
        kept = webhook.connect()
        assert ask(kept)[:2] == (200, None)
        webhook.process.send_signal(signal.SIGTERM)
        webhook.wait_for_readiness(503)
        # Unready, but no request is lost: neither on a kept connection nor on a new one.
        assert ask(kept)[:2] == (200, "close")
        assert ask(webhook.connect())[:2] == (200, "close")
        webhook.process.send_signal(signal.SIGTERM)  # ends the delay
        webhook.process.communicate(timeout=DEADLINE)
        assert webhook.process.returncode == 0


def second_signal_ends_the_shutdown_delay():
    with running("--shutdown-delay=5m") as webhook:
        webhook.process.send_signal(signal.SIGTERM)
        webhook.wait_for_readiness(503)
        webhook.process.send_signal(signal.SIGTERM)
        webhook.process.communicate(timeout=DEADLINE)
        assert webhook.process.returncode == 0


if __name__ == "__main__":
    globals()[sys.argv[2]]()
