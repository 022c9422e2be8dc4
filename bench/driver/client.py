"""A small HTTPS client: single requests to verify a server's responses, and idle connections."""

import contextlib
import http.client
import json
import socket
import ssl
from typing import TYPE_CHECKING, Iterator

from .machine import BenchError
from .review import CONVERSION_PATH, Review

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


def check_verdicts(server: "Server", review: Review) -> None:
    """Verifies that the server answers 200 and, if it validates, accepts the review and not a
    corrupted copy of it."""
    body = review.path.read_bytes()
    uid = json.loads(body)["request"]["uid"]
    with contextlib.closing(connect(server.port, server.trust, ANSWER_SECONDS)) as connection:
        response = _response(server, connection, review.url_path, body)
        if not server.kind.validates:
            return
        if response.get("uid") != uid or not _is_accepted(review, response):
            raise BenchError(
                f"{server.name} must accept {review.name} under its uid; "
                f"it answered {json.dumps(response)[:2000]}"
            )
        refused = _response(server, connection, review.url_path, _corrupt(body))
        if refused.get("uid") != uid or _is_accepted(review, refused):
            raise BenchError(
                f"{server.name} must refuse {review.name} with wrong replicas; "
                f"it answered {json.dumps(refused)[:2000]}"
            )


def knows(server: "Server", review: Review) -> bool:
    """Whether the server does not answer 404 to the review."""
    with contextlib.closing(connect(server.port, server.trust, ANSWER_SECONDS)) as connection:
        status, _ = post(connection, review.url_path, review.path.read_bytes())
        return status != 404


def _response(server: "Server", connection: ssl.SSLSocket, path: str, body: bytes) -> dict:
    status, answer = post(connection, path, body)
    if status != 200:
        raise BenchError(f"{server.name} must answer 200; it answered {status}: {answer[:500]!r}")
    return json.loads(answer)["response"]


def _is_accepted(review: Review, response: dict) -> bool:
    if review.url_path != CONVERSION_PATH:
        return response.get("allowed") is True
    return response["result"]["status"] == "Success" and len(response["convertedObjects"]) == 1


def _corrupt(body: bytes) -> bytes:
    """The review with wrong replicas: negative, which is for the schema to deny in v1beta1, or more
    than 32 bits hold, which v1alpha1 reads as absent."""
    review = json.loads(body)
    request = review["request"]
    [graph] = request.get("objects") or [request["object"]]
    is_later = "objects" in request or graph["apiVersion"].endswith("/v1beta1")
    wrong = 1 << 32 if is_later else -1
    spec = graph["spec"]
    for component in spec.get("components") or spec["services"].values():
        component["replicas"] = wrong
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
