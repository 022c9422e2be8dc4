"""Hostile clients of dynamo-webhook on loopback: a good client from another address gets every answer in time, and the
server's memory stays below the bound that it logs at the start.

In time: p99 is at most 50 ms, or four times what the good client measures before the attack if that is more. On a
busy machine the scheduler alone delays answers by tens of milliseconds, with or without an attack; the client itself
and the attack share the processors with the server.

Usage: hostile_clients_test.py BINARY BEHAVIOUR
"""

import concurrent.futures
import contextlib
import http.client
import itertools
import json
import pathlib
import resource
import socket
import ssl
import sys
import tempfile
import threading
import time

from process_test import DEADLINE, PATH, REVIEW, Webhook, metric, wait_until

ATTACKERS = "127.0.0.66"  # the good client has 127.0.0.1
PLACES = 200  # --max-connections
ATTACKS_OPEN = 300  # connections of an attack: more than there are places
ASKED = 200  # requests of the good client for one measurement
SLOWEST = 0.050  # seconds, p99, on an idle machine
HEADERS = (f"POST {PATH} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n").encode()
# The server sees after two windows of a second that a client reads nothing (kFlowWindow), at the next sweep.
UNREAD_FOR = 2.5
MIB = 2**20
THREADS = 2
# Limits whose bound is less than what PLACES bodies of the largest size take.
TIGHT = ("--max-body-bytes=1MiB", "--max-body-memory=8MiB")


@contextlib.contextmanager
def attacked(*flags):
    """A server, and a good client that is connected."""
    with tempfile.TemporaryDirectory() as folder, open(pathlib.Path(folder, "log"), "w+b") as log:
        webhook = Webhook(folder, "--cluster-connection=none", f"--max-connections={PLACES}", f"--threads={THREADS}",
                          *flags, stderr=log)
        try:
            webhook.wait_for_readiness(200)
            webhook.memory_bound = memory_bound(log.name)
            webhook.context = ssl.create_default_context(cafile=str(webhook.directory / "ca.crt"))
            good = GoodClient(webhook)
            yield webhook, good
            good.expect_fast_answers()
            peak = peak_memory(webhook.process.pid)
            print(f"peak memory {peak / MIB:.1f} MiB, bound {webhook.memory_bound / MIB:.1f} MiB")
            assert peak <= webhook.memory_bound, f"{peak} bytes, bound {webhook.memory_bound}"
        finally:
            webhook.process.kill()
            webhook.process.wait(timeout=DEADLINE)


def post(body, path=PATH):
    return HEADERS.replace(PATH.encode(), path.encode()) + f"Content-Length: {len(body)}\r\n\r\n".encode() + body


def memory_bound(log):
    """As logged at the start."""
    def bounds():
        lines = map(json.loads, pathlib.Path(log).read_text(encoding="utf-8").splitlines())
        return [line["memory_bound_bytes"] for line in lines if line["message"] == "serving"]
    wait_until(bounds, "the bound")
    return bounds()[0]


def peak_memory(pid):
    status = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM:"))


def accepted_connections(webhook):
    return metric(webhook, "dynamo_webhook_connections_total")


class GoodClient:
    """Asks on a connection that it keeps, as an API server does, and on new ones."""

    def __init__(self, webhook):
        self.webhook = webhook
        self.kept = self.connect()
        self.limit = SLOWEST
        self.limit = max(SLOWEST, 4 * self.slowest())

    def connect(self, address="127.0.0.1"):
        connection = http.client.HTTPSConnection("localhost", self.webhook.port, timeout=DEADLINE, context=self.webhook.context,
                                                 source_address=(address, 0))
        connection.connect()
        return connection

    def ask(self, connection):
        before = time.perf_counter()
        connection.request("POST", PATH + "?timeout=10s", REVIEW, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        text = answer.read()
        assert answer.status == 200 and b'"uid":"u-1"' in text, f"{answer.status}: {text}"
        return time.perf_counter() - before

    def slowest(self):
        """p99 of the kept connection, asked without a pause."""
        times = sorted(self.ask(self.kept) for _ in range(ASKED))
        return times[-ASKED // 100 - 1]

    def expect_fast_answers(self):
        for _ in range(5):
            new = self.connect()
            self.ask(new)
            new.close()
        took = self.slowest()
        assert took <= self.limit, f"p99 {took * 1000:.1f} ms, limit {self.limit * 1000:.1f} ms"


class Attack:
    """Connections of the attackers, which are all closed at the end."""

    def __init__(self, webhook):
        self.webhook = webhook
        self.context = ssl.create_default_context(cafile=str(webhook.directory / "ca.crt"))
        self.open = []
        self.handshakes = 0
        self.ended = threading.Event()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.close()

    def close(self):
        for connection in self.open:
            with contextlib.suppress(OSError):
                connection.close()
        self.open.clear()

    def tcp(self):
        connection = socket.socket()
        connection.bind((ATTACKERS, 0))
        connection.settimeout(5)
        connection.connect(("127.0.0.1", self.webhook.port))
        self.open.append(connection)
        return connection

    def tls(self):
        """None if the server preferred others."""
        try:
            plain = self.tcp()
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            secured = self.context.wrap_socket(plain, server_hostname="localhost")
        except OSError:
            return None
        self.open[-1] = secured
        self.handshakes += 1
        return secured

    def send(self, connection, data):
        """False if the server has closed the connection."""
        if connection is None:
            return False
        try:
            connection.sendall(data)
            return True
        except OSError:
            return False

    def trickle(self, connections, data):
        """Sends it byte by byte over each of the connections until the end."""
        def run():
            for byte in itertools.cycle(data):
                for connection in connections:
                    self.send(connection, bytes([byte]))
                if self.ended.wait(0.2):
                    return
        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        return thread


def ask_during(strike, good):
    """Calls `strike` repeatedly in a thread, at least once, while the good client asks."""
    measured = threading.Event()

    def run():
        strike()
        while not measured.is_set():
            strike()
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        struck = pool.submit(run)
        try:
            good.expect_fast_answers()
        finally:
            measured.set()
        while not struck.done():
            good.expect_fast_answers()
    struck.result()


def hold_open(*, start, then=b"", secured=True, noticed_after=0, would_hold=None, flags=()):
    """Many connections that send the start of something, and then a byte from time to time. The server
    recognizes them after `noticed_after` seconds. Without its limit it would hold `would_hold` bytes."""
    with attacked(*flags) as (webhook, good), Attack(webhook) as attack:
        assert would_hold is None or would_hold > webhook.memory_bound
        before = accepted_connections(webhook)
        for number in range(ATTACKS_OPEN):
            attack.send(attack.tls() if secured else attack.tcp(), start)
            if number % 100 == 99:
                attack.ended.wait(noticed_after)
                good.expect_fast_answers()
        thread = attack.trickle(list(attack.open), then) if then else None
        good.expect_fast_answers()
        attack.ended.set()
        if thread:
            thread.join(DEADLINE)
        assert accepted_connections(webhook) >= before + ATTACKS_OPEN
        assert not secured or attack.handshakes >= PLACES / 2, f"only {attack.handshakes} handshakes"


def slow_headers():
    hold_open(start=HEADERS, then=b"x")


def slow_bodies():
    hold_open(start=HEADERS + b"Content-Length: 1000000\r\n\r\n{", then=b" ")


def half_open_connections():
    hold_open(start=b"", secured=False)


def half_client_hellos():
    hold_open(start=b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", secured=False, then=b"\0")


def silence_after_the_handshake():
    hold_open(start=b"")


def bodies_that_stop_short():
    start = post(b" " * (MIB - 1000))[:-1]
    hold_open(start=start, would_hold=PLACES * len(start), flags=TIGHT)


def slow_readers():
    """Each asks for many answers and reads none."""
    hold_open(start=post(REVIEW) * 200, noticed_after=UNREAD_FOR)


def tiny_records():
    """A TLS record for each byte of a request."""
    with attacked() as (webhook, good), Attack(webhook) as attack:
        def strike():
            for _ in range(20):
                connection = attack.tls()
                for byte in post(REVIEW):
                    if not attack.send(connection, bytes([byte])):
                        break
            attack.close()
        ask_during(strike, good)
        assert attack.handshakes > 0


def header_and_chunk_bombs():
    lines = b"".join(b"A%d: b\r\n" % number for number in range(4000))
    chunked = HEADERS + b"Transfer-Encoding: chunked\r\n\r\n"
    bombs = (HEADERS + lines, HEADERS + b"A: " + b"a" * MIB, b"POST /" + b"p" * MIB,
             chunked + b"1\r\nx\r\n" * 100_000, chunked + b"1;" + b"e" * MIB, chunked + b"0" * MIB + b"1\r\n", chunked + b"0\r\n" + lines * 30)
    with attacked() as (webhook, good), Attack(webhook) as attack:
        def strike():
            for bomb in bombs * 5:
                attack.send(attack.tls(), bomb)
            attack.close()
        ask_during(strike, good)
        assert attack.handshakes > 0


def smuggled_requests():
    """Each request that two readers could frame differently gets one refusal, and what follows in it no answer."""
    hidden = b"POST /smuggled HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 0\r\n\r\n"
    framings = (b"Content-Length: 0\r\nTransfer-Encoding: chunked\r\n", b"Transfer-Encoding: chunked\r\nContent-Length: 0\r\n",
                b"Content-Length: 0\r\nContent-Length: 5\r\n", b"Content-Length: 0, 5\r\n", b"Content-Length: +0\r\n",
                b"Content-Length : 0\r\n", b"Content-Length: 0x0\r\n", b"Content-Length: \x0b0\r\n", b"Content-Length\r\n : 0\r\n",
                b"Transfer-Encoding: xchunked\r\n", b"Transfer-Encoding: chunked, identity\r\n", b"Transfer-Encoding: identity, chunked\r\n",
                b"Transfer-Encoding: \x0bchunked\r\n", b"Transfer-Encoding : chunked\r\n", b"Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n",
                b"X: y\rTransfer-Encoding: chunked\r\n", b"X: y\nContent-Length: 5\r\n", b"Transfer-Encoding: \"chunked\"\r\n")
    with attacked() as (webhook, good), Attack(webhook) as attack:
        def strike():
            for framing in framings:
                connection = attack.tls()
                assert attack.send(connection, HEADERS + framing + b"\r\n0\r\n\r\n" + hidden)
                answers = b""
                with contextlib.suppress(OSError):
                    while piece := connection.recv(65536):
                        answers += piece
                assert answers.count(b"HTTP/1.1 ") == 1 and b"404" not in answers, (framing, answers)
                assert answers.startswith((b"HTTP/1.1 400 ", b"HTTP/1.1 411 ")), (framing, answers)
            attack.close()
        ask_during(strike, good)


def review(spec):
    start, end = REVIEW.split(b'{"services":{"Frontend":{"replicas":1}}}')
    return start + spec + end


def costly_bodies():
    """JSON made to be slow. Each body gets an answer, while the good client asks."""
    def members(count, name):
        return b'{"services":{' + b",".join(b'"' + name(number) + b'":{}' for number in range(count)) + b"}}"
    bodies = {
        "deep lists": review(b"[" * 300_000), "deep objects": review(b'{"a":' * 60_000),
        "wide object": review(members(30_000, lambda number: b"a%d" % number)),
        "long equal starts": review(members(5000, lambda number: b"a" * 60 + b"%05d" % number)),
        # Names that a hash which adds up bytes maps to few values.
        "permuted names": review(members(15_000, lambda number: bytes(65 + (number >> shift & 1) * 32 + shift for shift in range(16)))),
        "equal names": review(members(30_000, lambda _: b"a")),
        "huge number": review(b'{"services":{"a":{"replicas":' + b"9" * 300_000 + b"}}}"),
        "huge exponents": review(b'{"services":[' + b",".join([b"1e999999999"] * 25_000) + b"]}"),
        "many escapes": review(b'{"backendFramework":"' + b"\\u0041" * 50_000 + b'"}'),
        "dollars": review(b'{"services":{"a":{"extraPodSpec":{"mainContainer":{"image":"' + b"$" * 300_000 + b'"}}}}}'),
    }
    with attacked() as (webhook, good), Attack(webhook) as attack:
        def strike():
            for name, body in bodies.items():
                connection = attack.tls()
                connection.settimeout(DEADLINE)
                attack.send(connection, post(body))
                answer = connection.recv(100)
                connection.close()
                assert answer.startswith((b"HTTP/1.1 200 ", b"HTTP/1.1 400 ")), (name, answer)
        ask_during(strike, good)


def fill_with_bodies(count, size, *flags):
    """Bodies of the largest size, each complete except for its last byte, and then all complete."""
    body = review(b'{"a":"' + b"x" * (size - 1000) + b'"}')
    with attacked("--max-in-flight=32", *flags) as (webhook, good), Attack(webhook) as attack:
        assert count * len(body) > webhook.memory_bound
        for number in range(count):
            attack.send(attack.tls(), post(body)[:-1])
            if number % 30 == 29:
                good.expect_fast_answers()
        for connection in list(attack.open):
            attack.send(connection, body[-1:])
        good.expect_fast_answers()
        assert attack.handshakes >= count / 2, f"only {attack.handshakes} handshakes"


def largest_bodies_at_once():
    fill_with_bodies(PLACES - 20, MIB, *TIGHT)


def bodies_of_default_size_at_once():
    """With the default limit of 7 MiB for a body, on more connections than requests may be in flight."""
    fill_with_bodies(72, 7 * MIB, "--max-body-memory=64MiB")


def costliest_bodies_on_each_thread():
    """Bodies among those with the most memory per byte in tests/admission/cost_sweep_test.cpp, evaluated by all
    threads at once."""
    limit = 4 * MIB
    space = limit - 2000  # for the repeated entries
    services = b",".join(b'"a%d":{}' % number for number in range(space // 13))
    groups = b",".join([b"0"] * (space // 2))
    limits = b",".join([b'"":0', b'"-":0', b'"_":0'] * (space // 17))

    def later(pod):
        return review(b'{"components":[{"name":"A","podTemplate":{"spec":{' + pod + b"}}}]}").replace(b"v1alpha1", b"v1beta1")
    bodies = {
        "/convert": b'{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":{"uid":"u","desiredAPIVersion":'
                    b'"nvidia.com/v1beta1","objects":[{"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment",'
                    b'"metadata":{"name":"a"},"spec":{"services":{' + services + b"}}}]}}",
        "/mutate/nvidia.com/v1beta1/dynamographdeployments":
            later(b'"securityContext":{"supplementalGroups":[' + groups + b"]}"),
        "/validate/nvidia.com/v1beta1/dynamographdeployments":
            later(b'"containers":[{"name":"main","image":"a","resources":{"limits":{' + limits + b"}}}]"),
    }
    at_once = 2 * THREADS  # The server gives each thread as many connections as the others.
    flags = (f"--max-body-bytes={limit}", f"--max-body-memory={2 * at_once * limit}", "--max-connections=16")
    with attacked(*flags) as (webhook, good):
        before = peak_memory(webhook.process.pid)
        connections = [good.connect(ATTACKERS) for _ in range(at_once)]
        for path, body in list(bodies.items()) * 5:
            for connection in connections:
                connection.putrequest("POST", path)
                connection.putheader("Content-Type", "application/json")
                connection.putheader("Content-Length", str(len(body)))
                connection.endheaders(body[:-1])
            for connection in connections:
                connection.send(body[-1:])
            for connection in connections:
                answer = connection.getresponse()
                text = answer.read()
                assert answer.status == 200, (path, text)
        for connection in connections:
            connection.close()
        # Half of what the bound has for reviews: otherwise find bodies that cost more.
        used = peak_memory(webhook.process.pid) - before
        assert used > THREADS * 12 * limit, f"only {used} bytes"


def ten_thousand_connections():
    """Silent ones, held as long as the server lets them, beyond a limit of 1,024."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if hard < 11_000:
        print("skipped: needs 11,000 descriptors")
        sys.exit(77)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with attacked("--max-connections=1024") as (webhook, good), Attack(webhook) as attack:
        for number in range(10_000):
            attack.tcp()
            if number % 1000 == 999:
                good.expect_fast_answers()
        assert accepted_connections(webhook) >= 10_000


if __name__ == "__main__":
    globals()[sys.argv[2]]()
