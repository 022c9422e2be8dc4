"""A fake API server on loopback that lists and watches the marker Leases of namespaces, and serves nothing else."""

import http.server
import json
import threading
import time
import urllib.parse
from pathlib import Path

NAME = "dynamo-operator-namespace-scope"
LEASES = "/apis/coordination.k8s.io/v1/leases"
# Without Grove, which would deny a graph of the default mix.
GROUPS = ("coordination.k8s.io/v1", "inference.networking.k8s.io/v1", "leaderworkerset.x-k8s.io/v1",
          "nvidia.com/v1alpha1", "nvidia.com/v1beta1", "scheduling.volcano.sh/v1beta1")
DURATION_SECONDS = 60
LONGEST_WATCH_SECONDS = 30
JOIN_SECONDS = 5


class LeaseServer:
    """A context manager; every method is for any thread."""

    def __init__(self):
        self._changed = threading.Condition()
        self._leases: dict[str, dict] = {}  # by namespace
        self._events: list[tuple[int, str]] = []  # version, line
        self._version = 1
        self._is_closed = False
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def __enter__(self) -> "LeaseServer":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(timeout=JOIN_SECONDS)

    def put(self, namespace: str) -> None:
        """Creates the Lease of this namespace, or renews it."""
        with self._changed:
            kind = "MODIFIED" if namespace in self._leases else "ADDED"
            self._version += 1
            lease = _lease(namespace, self._version)
            self._leases[namespace] = lease
            self._add_event(kind, lease)

    def delete(self, namespace: str) -> None:
        with self._changed:
            self._version += 1
            lease = self._leases.pop(namespace)
            lease["metadata"]["resourceVersion"] = str(self._version)
            self._add_event("DELETED", lease)

    @property
    def namespaces(self) -> list[str]:
        """Namespaces with a Lease, the oldest Lease first."""
        with self._changed:
            return list(self._leases)

    def write_kubeconfig(self, file: Path) -> None:
        address = f"http://127.0.0.1:{self._server.server_port}"
        # JSON is YAML.
        file.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "load",
            "clusters": [{"name": "load", "cluster": {"server": address}}], "users": [{"name": "load", "user": {}}],
            "contexts": [{"name": "load", "context": {"cluster": "load", "user": "load"}}]}))

    def _add_event(self, kind: str, lease: dict) -> None:
        self._events.append((self._version, json.dumps({"type": kind, "object": lease}) + "\n"))
        self._changed.notify_all()

    def _list(self) -> dict:
        with self._changed:
            return {"kind": "LeaseList", "apiVersion": "coordination.k8s.io/v1",
                    "metadata": {"resourceVersion": str(self._version)}, "items": list(self._leases.values())}

    def _events_after(self, version: int, deadline: float) -> list[tuple[int, str]]:
        """Waits for the next events; empty at the deadline and when the server closes."""
        def found() -> list[tuple[int, str]]:
            return [event for event in self._events if event[0] > version]

        with self._changed:
            self._changed.wait_for(lambda: self._is_closed or found(), max(0.0, deadline - time.monotonic()))
            return [] if self._is_closed else found()

    def _handler(self) -> type[http.server.BaseHTTPRequestHandler]:
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                url = urllib.parse.urlsplit(self.path)
                query = dict(urllib.parse.parse_qsl(url.query))
                if url.path == LEASES and query.get("watch") == "true":
                    self._watch(int(query.get("resourceVersion") or 0), float(query.get("timeoutSeconds", 10)))
                elif url.path == LEASES:
                    self._respond(200, outer._list())
                elif url.path == "/version":
                    self._respond(200, {"major": "1", "minor": "35", "gitVersion": "v1.35.0"})
                elif url.path == "/apis":
                    self._respond(200, _groups())
                else:
                    self._respond(404, {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound",
                                        "message": f"{url.path} is not served", "code": 404})

            def _respond(self, status: int, body: dict) -> None:
                text = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def _watch(self, version: int, seconds: float) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                deadline = time.monotonic() + min(seconds, LONGEST_WATCH_SECONDS)
                while events := outer._events_after(version, deadline):
                    self._chunk("".join(line for _, line in events))
                    version = events[-1][0]
                self._chunk("")

            def _chunk(self, text: str) -> None:
                self.wfile.write(f"{len(text):x}\r\n{text}\r\n".encode())
                self.wfile.flush()

            def log_message(self, *_: object) -> None:
                """Suppresses the log."""

        return Handler


def _groups() -> dict:
    versions: dict[str, list[str]] = {}
    for group_version in GROUPS:
        group, _, version = group_version.partition("/")
        versions.setdefault(group, []).append(version)
    return {"kind": "APIGroupList", "apiVersion": "v1", "groups": [
        {"name": group, "versions": [{"groupVersion": f"{group}/{each}", "version": each} for each in found]}
        for group, found in versions.items()]}


def _lease(namespace: str, version: int) -> dict:
    moment = time.strftime("%Y-%m-%dT%H:%M:%S.000000Z", time.gmtime())
    return {"kind": "Lease", "apiVersion": "coordination.k8s.io/v1",
            "metadata": {"name": NAME, "namespace": namespace, "uid": f"uid-of-{namespace}",
                         "resourceVersion": str(version), "creationTimestamp": "2026-11-01T08:00:00Z"},
            "spec": {"holderIdentity": f"operator-of-{namespace}", "leaseDurationSeconds": DURATION_SECONDS,
                     "renewTime": moment}}
