"""A fake metrics-server for the autoscaler: a total load that a test sets, distributed over the pods."""

import datetime
import http.server
import json
import ssl
import threading
import urllib.parse

from .support import wait_until

GROUP = "metrics.k8s.io"
VERSION = "v1beta1"
PATH = f"/apis/{GROUP}/{VERSION}"
READY_SECONDS = 30


class MetricsOfPods:
    """The metrics API of one test, served until the test ends. Only one may exist in a cluster."""

    def __init__(self, test):
        self._test = test
        self._lock = threading.Lock()
        self._millicores = 0
        self._asked_for = set()
        pki = test.state.directory / "webhook-pki"
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(pki / "tls.crt", pki / "tls.key")
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        test.addCleanup(self._stop)
        self._register()

    def use(self, millicores):
        """Sets the total usage of the requested pods from now on."""
        with self._lock:
            self._millicores = millicores

    def asked_for(self):
        """The namespaces and selectors of requested pods."""
        with self._lock:
            return set(self._asked_for)

    def _register(self):
        """Service addresses are not routed here; the API server resolves an external name itself."""
        test, name = self._test, f"{VERSION}.{GROUP}"
        port = self._server.server_address[1]
        test.kubectl.must("create", "service", "externalname", "metrics", "--external-name", "localhost")
        test.addCleanup(test.admin.run, "delete", "apiservice", name)
        test.admin.must("apply", "--filename", "-", stdin={
            "apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService", "metadata": {"name": name},
            "spec": {"group": GROUP, "version": VERSION, "groupPriorityMinimum": 100,
                     "versionPriority": 100, "insecureSkipTLSVerify": True,
                     "service": {"namespace": test.namespace, "name": "metrics", "port": port}}})
        wait_until("the API server asking for metrics here", lambda: test.admin.run(
            "get", "--raw", f"{PATH}/namespaces/{test.namespace}/pods").ok, READY_SECONDS)
        with self._lock:
            self._asked_for.clear()

    def _stop(self):
        self._server.shutdown()
        self._server.server_close()

    def _answer(self, url):
        path, _, query = url.partition("?")
        if path == PATH:
            return {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": f"{GROUP}/{VERSION}",
                    "resources": [{"name": "pods", "singularName": "", "namespaced": True,
                                   "kind": "PodMetrics", "verbs": ["get", "list"]}]}
        words = path.removeprefix(PATH).split("/")
        if words[1:2] != ["namespaces"] or words[3:] != ["pods"]:
            return None
        namespace = words[2]
        selector = urllib.parse.parse_qs(query).get("labelSelector", [""])[0]
        with self._lock:
            self._asked_for.add((namespace, selector))
            used = self._millicores
        now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        pods = self._test.admin.within(namespace).get("pods", "--selector", selector)["items"]
        return {"kind": "PodMetricsList", "apiVersion": f"{GROUP}/{VERSION}", "metadata": {}, "items": [
            {"metadata": {"name": each["metadata"]["name"], "namespace": namespace},
             "timestamp": now, "window": "1s",
             "containers": [{"name": "main", "usage": {"cpu": f"{used // len(pods)}m", "memory": "1Mi"}}]}
            for each in pods]}

    def _handler(self):
        answer = self._answer

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            timeout = 30

            def do_GET(self):
                found = answer(self.path)
                body = json.dumps(found or {}).encode()
                self.send_response(200 if found else 404)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *arguments):
                pass

        return Handler
