"""A small HTTPS client: single requests to verify a server's responses, and idle connections."""

import contextlib
import http.client
import json
import socket
import ssl
from typing import TYPE_CHECKING, Iterator

from .machine import BenchError

if TYPE_CHECKING:
    from .servers import Server

ANSWER_SECONDS = 30


def connect(port: int, trust: ssl.SSLContext, timeout: float) -> ssl.SSLSocket:
    plain = socket.create_connection(("127.0.0.1", port), timeout=timeout)
    try:
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return trust.wrap_socket(plain, server_hostname="127.0.0.1")
    except BaseException:
        plain.close()
        raise


def post(connection: ssl.SSLSocket, path: str, body: bytes) -> tuple[int, bytes]:
    """Sends one request on a connection that stays open; returns status and body."""
    head = (
        f"POST {path}?timeout=10s HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json, */*\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    connection.sendall(head.encode() + body)
    response = http.client.HTTPResponse(connection, method="POST")
    response.begin()
    return response.status, response.read()


def check_verdicts(server: "Server", path: str, body: bytes) -> None:
    """Verifies that the server answers 200 and, if it validates, denies a corrupted copy of the
    review."""
    uid = json.loads(body)["request"]["uid"]
    with contextlib.closing(connect(server.port, server.trust, ANSWER_SECONDS)) as connection:
        response = _verdict(server, connection, path, body)
        if not server.kind.validates:
            return
        if response.get("uid") != uid or response.get("allowed") is not True:
            raise BenchError(
                f"{server.name} must allow the review under its uid; "
                f"it answered {json.dumps(response)[:2000]}"
            )
        denied = _verdict(server, connection, path, _corrupt(body))
        if denied.get("uid") != uid or denied.get("allowed") is not False:
            raise BenchError(
                f"{server.name} must deny negative replicas; "
                f"it answered {json.dumps(denied)[:2000]}"
            )


def _verdict(server: "Server", connection: ssl.SSLSocket, path: str, body: bytes) -> dict:
    status, answer = post(connection, path, body)
    if status != 200:
        raise BenchError(f"{server.name} must answer 200; it answered {status}: {answer[:500]!r}")
    return json.loads(answer)["response"]


def _corrupt(body: bytes) -> bytes:
    review = json.loads(body)
    for service in review["request"]["object"]["spec"]["services"].values():
        service["replicas"] = -1
    return json.dumps(review, separators=(",", ":")).encode()


@contextlib.contextmanager
def idle_connections(server: "Server", path: str, body: bytes, count: int) -> Iterator[None]:
    """Keeps `count` connections open, each after one request."""
    with contextlib.ExitStack() as stack:
        for _ in range(count):
            connection = stack.enter_context(
                contextlib.closing(connect(server.port, server.trust, ANSWER_SECONDS))
            )
            status, _ = post(connection, path, body)
            if status != 200:
                raise BenchError(f"{server.name} must answer 200; it answered {status}")
        yield
