"""dynamo-webhook as a process while its machine fails: disk, descriptors, files, clock, signals.

Usage: faults_test.py BINARY BEHAVIOUR [MODULE], which shifts the clock. Everything stays on loopback.
"""

import contextlib
import http.client
import os
import pathlib
import resource
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time

from process_test import DEADLINE, ENVIRONMENT, PATH, REVIEW, Webhook, ask, metric, wait_until

REQUEST = (f"POST {PATH}?timeout=10s HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
           f"Content-Length: {len(REVIEW)}\r\n\r\n").encode() + REVIEW


@contextlib.contextmanager
def running(folder, *flags, stderr=subprocess.DEVNULL, ready=200, **more):
    webhook = Webhook(folder, "--cluster-connection=none", *flags, stderr=stderr, **more)
    try:
        webhook.wait_for_readiness(ready)
        yield webhook
    finally:
        webhook.process.kill()
        webhook.process.wait(timeout=DEADLINE)


@contextlib.contextmanager
def new_server(*flags, **more):
    with tempfile.TemporaryDirectory() as folder, running(folder, *flags, **more) as webhook:
        yield webhook


def new_pair(folder, name):
    """Writes tls.crt and tls.key, self-signed, and ca.crt, which trusts them."""
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", f"/CN={name}",
                    "-addext", "subjectAltName=DNS:localhost", "-keyout", "new.key", "-out", "new.crt"],
                   cwd=folder, check=True, capture_output=True)
    shutil.copy(folder / "new.crt", folder / "ca.crt")
    (folder / "new.key").rename(folder / "tls.key")
    (folder / "new.crt").rename(folder / "tls.crt")


def full_disk_costs_no_answer():
    """The log goes to a full disk: lines are lost and counted, verdicts are not."""
    with open("/dev/full", "wb") as full, new_server(stderr=full) as webhook:
        connection = webhook.connect()
        for _ in range(20):
            assert ask(connection)[0] == 200
        wait_until(lambda: metric(webhook, "dynamo_webhook_log_lines_dropped_total") >= 20, "the count of lost lines")


def closed_log_costs_no_answer():
    """The reader of the log has ended."""
    with new_server(stderr=subprocess.PIPE) as webhook:
        webhook.process.stderr.close()
        connection = webhook.connect()
        for _ in range(20):
            assert ask(connection)[0] == 200
        wait_until(lambda: metric(webhook, "dynamo_webhook_log_lines_dropped_total") >= 20, "the count of lost lines")


def vanished_certificate_files_stay_in_use():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        new_pair(folder, "first")
        with running(folder, "--cert-mode=files") as webhook:
            kept = webhook.connect()
            (folder / "tls.crt").unlink()
            (folder / "tls.key").unlink()
            time.sleep(0.5)
            assert ask(kept)[0] == 200 and ask(webhook.connect())[0] == 200 and webhook.readiness() == 200
            new_pair(folder, "second")

            def serves_new_pair():
                with contextlib.suppress(ssl.SSLError):
                    return ask(webhook.connect())[0] == 200
            wait_until(serves_new_pair, "the new certificate")
            assert ask(kept)[0] == 200


def vanished_folder_is_found_again():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name, "certificates")
        folder.mkdir()
        new_pair(folder, "first")
        with running(folder, "--cert-mode=files") as webhook:
            folder.rename(folder.with_name("elsewhere"))
            time.sleep(0.5)
            assert webhook.readiness() == 200
            folder.mkdir()
            new_pair(folder, "second")
            wait_until(lambda: serves(webhook), "the new certificate")


def serves(webhook):
    with contextlib.suppress(OSError):
        return ask(webhook.connect())[0] == 200


def in_mount_namespace(part, options=""):
    """Runs a function of this file with an empty file system at /mnt."""
    alone = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"])]
    prepare = f"mount --make-rprivate / && mount -t tmpfs {options} none /mnt"
    if subprocess.run([*alone, "sh", "-c", prepare], capture_output=True, timeout=DEADLINE, check=False).returncode:
        print("skipped: needs the right to mount")
        sys.exit(77)
    done = subprocess.run([*alone, "sh", "-c", prepare + ' && exec "$@"', "sh", sys.executable, "-B", __file__, sys.argv[1],
                           part.__name__], capture_output=True, text=True, timeout=3 * DEADLINE, check=False)
    assert done.returncode == 0, done.stderr


def full_disk_delays_only_the_file_of_the_ca():
    in_mount_namespace(serve_on_full_disk, "-o size=64k")


def serve_on_full_disk():
    filler = pathlib.Path("/mnt/filler")
    with contextlib.suppress(OSError), open(filler, "wb", buffering=0) as file:
        while file.write(b"x" * 4096):
            pass
    folder = pathlib.Path("/mnt")
    with running(folder) as webhook:
        trusting = ssl.create_default_context()
        trusting.check_hostname = False
        trusting.verify_mode = ssl.CERT_NONE
        client = http.client.HTTPSConnection("localhost", webhook.port, timeout=DEADLINE, context=trusting)
        assert ask(client)[0] == 200
        wait_until(lambda: not list(folder.glob("*ca*")), "the removal of a part of the file")
        filler.unlink()
        wait_until((folder / "ca.crt").exists, "the file")
        assert ask(webhook.connect())[0] == 200


def read_only_file_system_is_enough():
    """Certificates from files, and nothing that is written: as in the chart's pods."""
    in_mount_namespace(serve_on_read_only_file_system)


def serve_on_read_only_file_system():
    folder = pathlib.Path("/mnt/certificates")
    folder.mkdir()
    new_pair(folder, "a")
    for mounted in ("/mnt", "/"):
        subprocess.run(["mount", "-o", "remount,bind,ro", mounted], check=True)
    with contextlib.suppress(OSError):
        (folder / "x").write_text("x")
        raise AssertionError("the file system can be written")
    with running(folder, "--cert-mode=files") as webhook:
        assert ask(webhook.connect())[0] == 200


def descriptors_run_out_and_come_back():
    """At the limit new clients are closed at once, and not left waiting; afterwards all is as before."""
    def limit():
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
    with new_server("--threads=1", preexec_fn=limit) as webhook:
        kept = webhook.connect()
        assert ask(kept)[0] == 200
        clients = [socket.create_connection(("127.0.0.1", webhook.port), timeout=DEADLINE) for _ in range(100)]
        assert ask(kept)[0] == 200
        closed = 0
        for client in clients[-20:]:
            client.settimeout(2)
            with contextlib.suppress(TimeoutError):
                closed += client.recv(1) == b""
        assert closed >= 10, closed
        for client in clients:
            client.close()
        wait_until(lambda: serves(webhook), "a new connection")
        assert webhook.readiness() == 200


def clock_steps_lose_no_answer():
    """The wall clock jumps by years and back while requests are running; deadlines use another clock."""
    with tempfile.TemporaryDirectory() as folder:
        shift = pathlib.Path(folder, "shift")
        shift.write_text("0")
        with new_server(environment={**ENVIRONMENT, "LD_PRELOAD": sys.argv[3], "DYNAMO_CLOCK_SHIFT_FILE": str(shift)}) as webhook:
            kept = webhook.connect()
            for seconds in (3600, -3600, 86400 * 365 * 5, -86400 * 365 * 5, 0):
                shift.write_text(str(seconds))
                for _ in range(10):
                    assert ask(kept)[:2] == (200, None)
            wait_until(lambda: webhook.readiness() == 200 and serves(webhook), "a certificate that is valid now")


class Client:
    """A connection that is brought to a stage by hand."""

    def __init__(self, webhook):
        self.plain = socket.create_connection(("127.0.0.1", webhook.port), timeout=DEADLINE)
        self.context = ssl.create_default_context(cafile=str(webhook.directory / "ca.crt"))
        self.secured = None

    def shake_hands(self):
        self.secured = self.context.wrap_socket(self.plain, server_hostname="localhost")

    def send(self, data):
        if self.secured is None:
            self.shake_hands()
        self.secured.sendall(data)

    def answer(self):
        text = b""
        while piece := self.secured.recv(65536):
            text += piece
        return text


def sigterm_at_each_stage_loses_no_request():
    """Whatever of its request a client had sent when SIGTERM came: it gets the answer, and the process ends with 0."""
    for sent in (None, 0, 10, len(REQUEST) - len(REVIEW), len(REQUEST) - 1, len(REQUEST)):
        with new_server("--shutdown-delay=5m", "--drain-timeout=5s") as webhook:
            client = Client(webhook)
            if sent is not None:
                client.send(REQUEST[:sent])
            webhook.process.send_signal(signal.SIGTERM)
            webhook.wait_for_readiness(503)
            client.send(REQUEST[sent or 0:])
            answer = client.answer()
            assert answer.startswith(b"HTTP/1.1 200 ") and b"Connection: close" in answer, (sent, answer)
            webhook.process.send_signal(signal.SIGTERM)  # ends the delay
            assert webhook.process.wait(timeout=DEADLINE) == 0, sent


def sigterm_during_the_start_ends_with_0():
    for delay in (0.0, 0.01, 0.02, 0.05, 0.1):
        with tempfile.TemporaryDirectory() as folder:
            webhook = Webhook(folder, "--cluster-connection=none", "--shutdown-delay=0s", stderr=subprocess.DEVNULL)
            time.sleep(delay)
            webhook.process.send_signal(signal.SIGTERM)
            # Before the program has a handler, the kernel ends it.
            assert webhook.process.wait(timeout=DEADLINE) in (0, -signal.SIGTERM)


def killed_replica_loses_only_its_own_requests():
    """Two replicas under load, one is killed: a client that asks the other one after a failure gets every answer."""
    with new_server() as first, new_server() as second:
        failures = []
        answered = []
        stop = threading.Event()

        def load():
            connections = {}
            while not stop.is_set():
                for replica in (first, second):
                    try:
                        if replica not in connections:
                            connections[replica] = replica.connect()
                        if ask(connections[replica])[0] == 200:
                            answered.append(replica)
                            break
                    except (OSError, http.client.HTTPException):
                        connections.pop(replica, None)
                else:
                    failures.append(time.monotonic())
        threads = [threading.Thread(target=load, daemon=True) for _ in range(4)]
        for thread in threads:
            thread.start()
        wait_until(lambda: answered.count(first) > 100, "answers of the first")
        first.process.kill()
        wait_until(lambda: answered.count(second) > 100, "answers of the second")
        stop.set()
        for thread in threads:
            thread.join(DEADLINE)
        assert failures == []


if __name__ == "__main__":
    globals()[sys.argv[2]]()
