"""A fake cluster for `lookup` in templates: an API server with a few kinds, which returns its objects
and accepts no writes."""

import contextlib
import http.server
import json
import pathlib
import tempfile
import threading

import yaml

# (API version, kind): plural, and whether it is namespaced.
KINDS = {
    ("v1", "Namespace"): ("namespaces", False), ("v1", "Secret"): ("secrets", True),
    ("apps/v1", "Deployment"): ("deployments", True),
    ("apiextensions.k8s.io/v1", "CustomResourceDefinition"): ("customresourcedefinitions", False),
    ("rbac.authorization.k8s.io/v1", "Role"): ("roles", True),
    ("rbac.authorization.k8s.io/v1", "RoleBinding"): ("rolebindings", True),
    ("rbac.authorization.k8s.io/v1", "ClusterRole"): ("clusterroles", False),
}


def _groups():
    versions = sorted({version for version, _ in KINDS if "/" in version})
    return {"kind": "APIGroupList", "apiVersion": "v1", "groups": [
        {"name": version.partition("/")[0], "versions": [{"groupVersion": version, "version": version.partition("/")[2]}],
         "preferredVersion": {"groupVersion": version, "version": version.partition("/")[2]}} for version in versions]}


def _resources(version):
    found = [{"name": plural, "singularName": "", "namespaced": namespaced, "kind": kind, "verbs": ["get", "list"]}
             for (of, kind), (plural, namespaced) in KINDS.items() if of == version]
    return {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": version, "resources": found} if found else None


def _stored(stored, version, rest):
    """The path below an API version: [namespaces, NAMESPACE,] PLURAL [, NAME]."""
    namespace = ""
    if len(rest) > 2:
        namespace, rest = rest[1], rest[2:]
    kind = next((kind for (of, kind), (plural, _) in KINDS.items() if of == version and plural == rest[0]), None)
    found = [each for each in stored if (each["apiVersion"], each["kind"]) == (version, kind)
             and (not namespace or each["metadata"].get("namespace") == namespace)]
    if len(rest) == 1:
        return {"apiVersion": version, "kind": f"{kind}List", "metadata": {}, "items": found} if kind else None
    return next((each for each in found if each["metadata"]["name"] == rest[1]), None)


def _answer(stored, path):
    """The object at a path, or None."""
    words = path.partition("?")[0].strip("/").split("/")
    if words == ["version"]:
        return {"major": "1", "minor": "35", "gitVersion": "v1.35.0"}
    if words == ["api"]:
        return {"kind": "APIVersions", "versions": ["v1"]}
    if words == ["apis"]:
        return _groups()
    version, rest = ("v1", words[2:]) if words[0] == "api" else ("/".join(words[1:3]), words[3:])
    return _stored(stored, version, rest) if rest else _resources(version)


@contextlib.contextmanager
def cluster(*stored):
    """The kubeconfig of a cluster with these objects."""
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            found = _answer(stored, self.path)
            missing = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404}
            body = json.dumps(found or missing).encode()
            self.send_response(200 if found else 404)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            """Suppresses the log."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server, tempfile.TemporaryDirectory() as work:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        path = pathlib.Path(work, "kubeconfig")
        path.write_text(yaml.safe_dump({
            "apiVersion": "v1", "kind": "Config", "current-context": "c", "users": [{"name": "c", "user": {}}],
            "contexts": [{"name": "c", "context": {"cluster": "c", "user": "c"}}],
            "clusters": [{"name": "c", "cluster": {"server": f"http://127.0.0.1:{server.server_port}"}}]}), encoding="utf-8")
        try:
            yield path
        finally:
            server.shutdown()
            thread.join()
