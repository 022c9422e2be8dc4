"""dynamo-webhook while allocations fail, one by one and for a while, on the whole way of a request.

Usage: no_memory_test.py BINARY BEHAVIOUR MODULE, which makes allocations fail as ordered. Loopback only.
"""

import contextlib
import http.client
import mmap
import os
import pathlib
import socket
import ssl
import struct
import sys
import tempfile
import time

from process_test import DEADLINE, ENVIRONMENT, PATH, REVIEW, Webhook, wait_until

MODULE = sys.argv[3]
# Denied with a log line, so that messages, rules and logging are on the way.
DENIED = REVIEW.replace(b'"replicas":1', b'"replicas":-1,"envs":[{"name":"A B","value":"$(C)"}]')
CONVERSION = b"""{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":{"uid":"u-2",
"desiredAPIVersion":"nvidia.com/v1beta1","objects":[{"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment",
"metadata":{"name":"a","namespace":"b"},"spec":{"services":{"Frontend":{"replicas":1,"envs":[{"name":"A","value":"b"}]}}}}]}}"""
LATER_UPDATE = b"""{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u-3","operation":"UPDATE",
"kind":{"group":"nvidia.com","version":"v1beta1","kind":"DynamoGraphDeployment"},"name":"a","namespace":"b",
"userInfo":{"username":"jane"},"object":GRAPH-1,"oldObject":GRAPH-2}}"""
for replicas in (b"-1", b"-2"):
    LATER_UPDATE = LATER_UPDATE.replace(b"GRAPH" + replicas, b"""{"apiVersion":"nvidia.com/v1beta1","kind":"DynamoGraphDeployment",
"metadata":{"name":"a","namespace":"b"},"spec":{"components":[{"name":"Frontend","type":"frontend","replicas":%s}]}}""" % replicas)
REQUESTS = ((PATH + "?timeout=10s", DENIED), ("/convert?timeout=10s", CONVERSION),
            ("/mutate-nvidia-com-v1alpha1-dynamographdeployment?timeout=10s", REVIEW),
            ("/validate/nvidia.com/v1beta1/dynamographdeployments?timeout=10s", LATER_UPDATE))
# More allocations than any request needs: the test would have to be wrong.
MOST = 20_000
PATIENCE = 0.3  # seconds for an answer while nothing can be allocated
FOR_EVER = 2**63
LISTENING = 3  # sockets: reviews, probes and metrics


class Allocations:
    """The numbers of failing_malloc.cpp in a shared file."""

    def __init__(self, folder):
        self.path = pathlib.Path(folder, "allocations")
        self.path.write_bytes(bytes(mmap.PAGESIZE))
        with self.path.open("r+b") as file:
            self.memory = mmap.mmap(file.fileno(), mmap.PAGESIZE)

    def _read(self, index):
        return struct.unpack_from("<Q", self.memory, 8 * index)[0]

    def _write(self, index, value):
        struct.pack_into("<Q", self.memory, 8 * index, value)

    def fail(self, after, count):
        """The allocations after that many more, `count` of them, fail."""
        self._write(3, 0)
        self._write(4, 0)
        first = self._read(0) + after
        self._write(1, first)
        self._write(2, min(first + count, FOR_EVER))

    def heal(self):
        """From now on none fails. Returns how many did."""
        self._write(2, 0)
        return self._read(3)

    @property
    def calls(self):
        return self._read(0)

    @property
    def failed_in_openssl(self):
        return self._read(4)


@contextlib.contextmanager
def running(body_timeout="500ms"):
    """A server of one thread with short timeouts, and its allocations."""
    with tempfile.TemporaryDirectory() as folder, open(pathlib.Path(folder, "log"), "w+b") as log:
        allocations = Allocations(folder)
        webhook = Webhook(folder, "--threads=1", "--header-timeout=500ms", "--handshake-timeout=500ms",
                          f"--body-timeout={body_timeout}", "--cluster-connection=none", stderr=log,
                          environment={**ENVIRONMENT, "LD_PRELOAD": MODULE, "DYNAMO_FAILING_MALLOC": str(allocations.path)})
        try:
            webhook.wait_for_readiness(200)
            context = ssl.create_default_context(cafile=str(webhook.directory / "ca.crt"))
            yield webhook, allocations, context
            allocations.heal()
            log.seek(0)
            assert webhook.process.poll() is None, f"the server ended: {log.read()[-3000:]}"
            expect_recovery(webhook, context)
        finally:
            webhook.process.kill()
            webhook.process.wait(timeout=DEADLINE)


def header(request, more=""):
    path, body = request
    return (f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n{more}\r\n").encode()


def in_one_record(request):
    return [header(request) + request[1]]


def in_two_records(request):
    return [header(request), request[1]]


def ask(connection, request, records=in_two_records):
    """The status, or None if the connection was closed or nothing came."""
    try:
        if connection.sock is None:
            connection.connect()
        for record in records(request):
            connection.sock.sendall(record)
        answer = http.client.HTTPResponse(connection.sock, method="POST")
        answer.begin()
        text = answer.read()
    except (OSError, http.client.HTTPException):
        connection.close()
        return None
    assert answer.status in (200, 503), f"{answer.status}: {text}"
    if answer.status == 503:
        assert answer.getheader("Connection") == "close" and answer.getheader("Retry-After") == "1", answer.headers
    return answer.status


def connect(webhook, context, timeout=DEADLINE):
    return http.client.HTTPSConnection("localhost", webhook.port, timeout=timeout, context=context)


def expect_recovery(webhook, context):
    """Everything works, and no place is lost to connections that have ended."""
    for request in REQUESTS:
        assert ask(connect(webhook, context), request) == 200
    assert webhook.readiness() == 200
    wait_until(lambda: metric(webhook, "dynamo_webhook_connections_open") == 0, "no open connection")
    assert metric(webhook, "dynamo_webhook_requests_in_flight") == 0
    assert metric(webhook, "dynamo_webhook_handler_defects_total") == 0


def metric(webhook, name):
    connection = http.client.HTTPConnection("127.0.0.1", webhook.metrics, timeout=DEADLINE)
    with contextlib.closing(connection):
        connection.request("GET", "/metrics")
        page = connection.getresponse().read().decode()
    values = [line.split()[1] for line in page.splitlines() if line.startswith(name + " ")]
    return float(values[0])


def each_site(allocations, attempt, count=1, step=1):
    """Calls `attempt` with another allocation failing each time, until none fails any more. Returns the results."""
    results = []
    for after in range(0, MOST, step):
        allocations.fail(after, count)
        result = attempt()
        if allocations.heal() == 0:
            return results
        results.append(result)
    raise AssertionError(f"more than {MOST} allocations")


def kept_connection_gets_503_at_each_site():
    """One allocation of a request on an open connection fails: 503, or a verdict if it was not needed for that.

    After a failed allocation within OpenSSL, it refuses to encrypt any answer on this connection, which is then closed without one.
    No other failure may close it. OpenSSL 3.0 allocates twice to decrypt a record and four times to encrypt the answer.
    """
    seen = set()
    with running() as (webhook, allocations, context):
        for records in (in_one_record, in_two_records):
            for request in REQUESTS:
                connection = connect(webhook, context)
                assert ask(connection, request, records) == 200

                def attempt(request=request, records=records):
                    nonlocal connection
                    status = ask(connection, request, records)
                    in_openssl = allocations.failed_in_openssl > 0
                    assert (status is None) == in_openssl, f"{status}, allocation in OpenSSL: {in_openssl}"
                    if status != 200:
                        connection.close()
                        allocations.heal()
                        connection = connect(webhook, context)
                        assert ask(connection, request, records) == 200
                    return status

                seen.update(each_site(allocations, attempt))
                connection.close()
        assert 503 in seen, seen
        assert metric(webhook, 'dynamo_webhook_rejected_requests_total{limit="memory"}') > 0


def request_without_buffer_gets_503():
    """Another request holds the only buffer of the loop, and a second one cannot be allocated. Instead, an allocation of the
    other connection or of the watchdog may fail; then another server is tried."""
    for _ in range(5):
        with running(body_timeout="10s") as (webhook, allocations, context):
            connection, holder = connect(webhook, context), connect(webhook, context)
            with contextlib.closing(connection), contextlib.closing(holder):
                assert ask(connection, REQUESTS[0]) == 200
                holder.connect()
                holder.sock.sendall(header(REQUESTS[0], "Expect: 100-continue\r\n"))
                assert holder.sock.recv(100).startswith(b"HTTP/1.1 100 ")
                allocations.fail(0, 1)
                status = ask(connection, REQUESTS[0], in_one_record)
                assert allocations.heal() == 1
                if status == 503 and allocations.failed_in_openssl == 0:
                    return
    raise AssertionError("no request without a buffer got 503")


def new_connection_survives_failure_at_each_site():
    with running() as (webhook, allocations, context):
        results = each_site(allocations, lambda: ask(connect(webhook, context), REQUESTS[0]))
        assert 503 in results and None in results, set(results)


def lasting_shortage_never_ends_the_process():
    """All allocations after one fail, until the client has an answer or gives up."""
    with running() as (webhook, allocations, context):
        def attempt():
            status = ask(connect(webhook, context, PATIENCE), REQUESTS[0])
            assert webhook.process.poll() is None
            return status
        each_site(allocations, attempt, count=FOR_EVER, step=13)


def first_handshake_may_lack_memory():
    """OpenSSL never repeats a part of its initialisation that has failed: the server has completed it before."""
    for after in range(0, 400, 40):
        with running() as (webhook, allocations, context):
            allocations.fail(after, FOR_EVER)
            assert ask(connect(webhook, context, PATIENCE), REQUESTS[0]) != 200
            assert allocations.heal() > 0
            assert ask(connect(webhook, context), REQUESTS[0]) == 200


def half_open_handshakes_survive_lasting_shortage():
    """Clients that arrive while nothing can be allocated, and stay silent, hold no place afterwards."""
    with running() as (webhook, allocations, _):
        for after in range(0, 60, 3):
            allocations.fail(after, FOR_EVER)
            client = socket.create_connection(("127.0.0.1", webhook.port), timeout=DEADLINE)
            time.sleep(0.02)
            allocations.heal()
            client.close()


def get(port, path, timeout=DEADLINE):
    """The status of a plain request, or None if the connection was closed or nothing came."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    with contextlib.closing(connection):
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            answer.read()
        except (OSError, http.client.HTTPException):
            return None
    return answer.status


def open_sockets(webhook):
    links = []
    for entry in os.scandir(f"/proc/{webhook.process.pid}/fd"):
        with contextlib.suppress(FileNotFoundError):
            links.append(os.readlink(entry.path))
    return sum(link.startswith("socket:") for link in links)


def plain_pages(webhook):
    return (webhook.probes, "/healthz"), (webhook.probes, "/readyz?verbose"), (webhook.metrics, "/metrics")


def probe_and_scrape_survive_failure_at_each_site():
    """One allocation of a plain request fails: 503, a closed connection, or the page if it was not needed for that."""
    with running() as (webhook, allocations, _):
        for port, path in plain_pages(webhook):
            statuses = set(each_site(allocations, lambda port=port, path=path: get(port, path)))
            assert {503, None} <= statuses <= {200, 503, None}, statuses
        wait_until(lambda: open_sockets(webhook) == LISTENING, "each connection closed")


def probe_and_scrape_survive_lasting_shortage():
    """All allocations after one fail, until the client has an answer or gives up."""
    with running() as (webhook, allocations, _):
        for port, path in plain_pages(webhook):
            for after in (*range(40), *range(40, 1000, 37)):
                allocations.fail(after, FOR_EVER)
                get(port, path, PATIENCE)
                allocations.heal()
                assert webhook.process.poll() is None
        wait_until(lambda: open_sockets(webhook) == LISTENING, "each connection closed")


if __name__ == "__main__":
    globals()[sys.argv[2]]()
