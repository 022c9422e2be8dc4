"""Reads objects of the test cluster without starting kubectl: tests repeat most of their queries."""

import http.client
import json
import ssl
import threading
import urllib.parse

READ_SECONDS = 20
DISCOVERY = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
OPTIONS = {"--selector": "labelSelector", "-l": "labelSelector", "--field-selector": "fieldSelector"}


class UnsupportedQuery(Exception):
    """The query needs kubectl: an argument or a name that only kubectl supports."""


class ApiClient:
    """GET requests as the cluster's administrator, over one connection, which threads use one at a
    time."""

    def __init__(self, api_server, authority, certificate, key):
        self._address = urllib.parse.urlsplit(api_server)
        self._files = (authority, certificate, key)
        self._turn = threading.Lock()
        self._connection = None
        self._resources = {}  # by every name of a resource: (path before the namespace, plural, is namespaced, kind)

    def get(self, arguments, namespace, user):
        """The value of `kubectl get ARGUMENTS --output json`. Raises UnsupportedQuery if kubectl is needed
        or better: errors are left to kubectl, too, for its messages."""
        named, query, shows_managers = _parsed(arguments)
        with self._turn:
            kind, read = self._read(named, query, namespace, user)
        if len(named) == 2:
            return _presented(read, shows_managers)
        items = [_presented({"apiVersion": read["apiVersion"], "kind": kind, **item}, shows_managers)
                 for item in read["items"]]
        return {"apiVersion": "v1", "kind": "List", "items": items, "metadata": {"resourceVersion": ""}}

    def _read(self, named, query, namespace, user):
        path, plural, is_namespaced, kind = self._resource(named[0])
        if is_namespaced and namespace:
            path += f"/namespaces/{urllib.parse.quote(namespace)}"
        elif is_namespaced:
            raise UnsupportedQuery("no namespace")
        path += f"/{plural}"
        if len(named) == 2:
            path += f"/{urllib.parse.quote(named[1])}"
        if query:
            path += "?" + urllib.parse.urlencode(query)
        return kind, self._ask(path, {"Impersonate-User": user} if user else {})

    def _resource(self, name):
        if name not in self._resources:
            # A definition may have been added since.
            self._discover()
        if name not in self._resources:
            raise UnsupportedQuery(f"no resource {name}")
        return self._resources[name]

    def _discover(self):
        self._resources = {}
        for root in ("/api", "/apis"):
            for group in self._ask(root, {"Accept": DISCOVERY})["items"]:
                name = group["metadata"].get("name", "")
                version = group["versions"][0]
                path = f"{root}/{name}/{version['version']}" if name else f"{root}/{version['version']}"
                for each in version.get("resources", ()):
                    kind = each["responseKind"]["kind"]
                    found = (path, each["resource"], each["scope"] == "Namespaced", kind)
                    names = [each["resource"], each.get("singularResource", ""), kind.lower(), *each.get("shortNames", ())]
                    for called in names:
                        self._resources.setdefault(called, found)
                        self._resources.setdefault(f"{called}.{name}", found)

    def _ask(self, path, headers):
        for is_last in (False, True):
            try:
                if self._connection is None:
                    self._connection = self._connect()
                self._connection.request("GET", path, headers=headers)
                answer = self._connection.getresponse()
                text = answer.read()
                break
            except (OSError, http.client.HTTPException) as error:
                # The server may have closed the idle connection, or been restarted.
                self._connection = None
                if is_last:
                    raise UnsupportedQuery(str(error)) from error
        if answer.status != 200:
            raise UnsupportedQuery(f"HTTP {answer.status}")
        return json.loads(text)

    def _connect(self):
        authority, certificate, key = self._files
        tls = ssl.create_default_context(cafile=authority)
        tls.load_cert_chain(certificate, key)
        return http.client.HTTPSConnection(self._address.hostname, self._address.port, context=tls,
                                           timeout=READ_SECONDS)


def _parsed(arguments):
    """([resource, name?], query, whether managed fields are shown) of the arguments of `kubectl get`."""
    named, query, shows_managers = [], {}, False
    rest = [str(each) for each in arguments]
    while rest:
        each = rest.pop(0)
        if each in OPTIONS and rest:
            query[OPTIONS[each]] = rest.pop(0)
        elif each == "--show-managed-fields":
            shows_managers = True
        elif each.startswith("-") or "," in each or "/" in each:
            raise UnsupportedQuery(f"argument {each}")
        else:
            named.append(each)
    if not 1 <= len(named) <= 2 or (len(named) == 2 and query):
        raise UnsupportedQuery("several names")
    named[0] = named[0].lower()
    return named, query, shows_managers


def _presented(thing, shows_managers):
    if not shows_managers:
        thing.get("metadata", {}).pop("managedFields", None)
    return thing
