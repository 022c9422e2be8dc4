"""Requests of the client that takes kubectl's place, with a server that records them."""

import http.client
import http.server
import json
import threading
import unittest
from pathlib import Path

from harness.api_client import ApiClient
from harness.kubectl import Kubectl, NotFoundError

GRAPHS = {"resource": "dynamographdeployments", "singularResource": "dynamographdeployment", "shortNames": ["dgd"],
          "scope": "Namespaced", "responseKind": {"kind": "DynamoGraphDeployment"}}
CORE = [{"resource": "namespaces", "singularResource": "namespace", "scope": "Cluster", "responseKind": {"kind": "Namespace"}},
        {"resource": "services", "scope": "Namespaced", "responseKind": {"kind": "Service"}}]
GROUPS = {"/api": [{"metadata": {}, "versions": [{"version": "v1", "resources": CORE}]}],
          "/apis": [{"metadata": {"name": "nvidia.com"}, "versions": [{"version": "v1alpha1", "resources": [GRAPHS]},
                                                                      {"version": "v1alpha0", "resources": [GRAPHS]}]}]}
HOME = "/apis/nvidia.com/v1alpha1/namespaces/ns/dynamographdeployments"
OF_CREATE = "?fieldManager=kubectl-create&fieldValidation=Strict"
OBJECT = {"apiVersion": "nvidia.com/v1alpha1", "kind": "DynamoGraphDeployment", "metadata": {"name": "g"}}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        if self.path in GROUPS:
            return self.answer(200, {"items": GROUPS[self.path]})
        self.server.seen.append((self.command, self.path, self.headers["Impersonate-User"], self.headers["Content-Type"], body))
        return self.answer(*self.server.answers.get((self.command, self.path.partition("?")[0]), (500, {})))

    do_POST = do_PATCH = do_GET

    def answer(self, status, value):
        text = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


class PlainClient(ApiClient):
    def _connect(self):
        return http.client.HTTPConnection(self._address.hostname, self._address.port, timeout=10)


class Requests(unittest.TestCase):
    def setUp(self):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.seen, self.server.answers = [], {}
        self.addCleanup(self.server.server_close)
        thread = threading.Thread(target=self.server.serve_forever, args=(0.01,))
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(self.server.shutdown)
        client = PlainClient(f"http://127.0.0.1:{self.server.server_port}", "", "", "")
        # Each command that the client leaves to kubectl fails.
        self.kubectl = Kubectl(Path("/bin/false"), "/nonexistent", "/nonexistent", "ns", client=client)

    def answers(self, method, path, status=200, value=None):
        self.server.answers[method, path] = status, value or {"items": [], "apiVersion": "nvidia.com/v1alpha1"}

    def test_several_resources_become_one_list(self):
        self.answers("GET", HOME, value={"apiVersion": "nvidia.com/v1alpha1", "items": [
            {"metadata": {"name": "g", "managedFields": []}}]})
        self.answers("GET", "/api/v1/namespaces/ns/services", value={"apiVersion": "v1", "items": [{"metadata": {"name": "s"}}]})
        self.assertEqual(self.kubectl.get("dgd,services")["items"], [
            {"apiVersion": "nvidia.com/v1alpha1", "kind": "DynamoGraphDeployment", "metadata": {"name": "g"}},
            {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}}])

    def test_missing_object_is_reported_without_kubectl(self):
        self.answers("GET", f"{HOME}/g", 404, {"reason": "NotFound", "details": {"name": "g"}, "message": 'dgd "g" not found'})
        with self.assertRaisesRegex(NotFoundError, r'\(NotFound\): dgd "g" not found'):
            self.kubectl.get("dgd", "g")

    def test_objects_are_created_and_patched(self):
        self.answers("POST", HOME, 201)
        self.answers("POST", "/api/v1/namespaces", 201)
        self.answers("PATCH", f"{HOME}/g")
        self.answers("PATCH", f"{HOME}/g/status")
        merge = ("--type", "merge", "--patch", "{}")
        namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "x"}}
        self.kubectl.must("create", "--filename", "-", stdin=OBJECT)
        self.kubectl.impersonating("somebody").must("create", "--filename", "-", stdin=namespace)
        self.kubectl.must("patch", "dgd", "g", *merge)
        self.kubectl.must("patch", "dgd", "g", "--subresource", "status", *merge)
        self.kubectl.must("patch", "DGD", "g", *merge, "--subresource", "status")
        patch = (None, "application/merge-patch+json", "{}")
        self.assertEqual(self.server.seen, [
            ("POST", HOME + OF_CREATE, None, "application/json", json.dumps(OBJECT)),
            ("POST", "/api/v1/namespaces" + OF_CREATE, "somebody", "application/json", json.dumps(namespace)),
            ("PATCH", f"{HOME}/g?fieldManager=kubectl-patch", *patch),
            *2 * [("PATCH", f"{HOME}/g/status?fieldManager=kubectl-patch", *patch)]])

    def test_everything_else_is_left_to_kubectl(self):
        self.answers("POST", HOME, 409)
        self.answers("GET", f"{HOME}/g", 403)
        for failing in (
                lambda: self.kubectl.must("create", "--filename", "-", stdin=OBJECT),
                lambda: self.kubectl.must("create", "--filename", "-", stdin={**OBJECT, "apiVersion": "nvidia.com/v1alpha0"}),
                lambda: self.kubectl.must("create", "--filename", "-", stdin="text"),
                lambda: self.kubectl.must("create", "token", "a"),
                lambda: self.kubectl.must("patch", "dgd", "g", "--type", "json", "--patch", "[]"),
                lambda: self.kubectl.must("patch", "dgd", "g", "--type", "merge", "--patch", "{}", "--subresource", "scale"),
                lambda: self.kubectl.must("patch", "--filename", "x", "--type", "merge", "--patch", "{}"),
                lambda: self.kubectl.must("delete", "dgd", "g"),
                lambda: self.kubectl.get("dgd", "g"), lambda: self.kubectl.get("pods"), lambda: self.kubectl.get("dgd,services", "g")):
            with self.assertRaisesRegex(Exception, "exit 1"):
                failing()


if __name__ == "__main__":
    unittest.main()
