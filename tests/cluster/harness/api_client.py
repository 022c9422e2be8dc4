"""Reads and writes objects of the test cluster without starting kubectl, which takes a tenth of a second of processor
time."""

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


class MissingObject(Exception):
    """The API server has no object of this name; the text is its message."""


class ApiClient:
    """Requests as the cluster's administrator, over one connection, which threads use one at a time."""

    def __init__(self, api_server, authority, certificate, key):
        self._address = urllib.parse.urlsplit(api_server)
        self._files = (authority, certificate, key)
        self._turn = threading.Lock()
        self._connection = None
        self._resources = {}  # by every name of a resource: (path before the namespace, plural, is namespaced, kind)

    def get(self, arguments, namespace, user):
        """The value of `kubectl get ARGUMENTS --output json`. Raises MissingObject, or UnsupportedQuery if kubectl is
        needed or better: other errors are left to kubectl, for its messages."""
        named, query, shows_managers = _parsed(arguments)
        items = []
        with self._turn:
            for resource in named[0].split(","):
                path, kind = self._path(resource, named[1] if len(named) == 2 else None, namespace)
                read = self._ask("GET", path + ("?" + urllib.parse.urlencode(query) if query else ""), user)
                if len(named) == 2:
                    return _presented(read, shows_managers)
                items += [_presented({"apiVersion": read["apiVersion"], "kind": kind, **item}, shows_managers)
                          for item in read["items"]]
        return {"apiVersion": "v1", "kind": "List", "items": items, "metadata": {"resourceVersion": ""}}

    def read(self, path, user):
        """The value of `kubectl get --raw PATH`. Raises like get()."""
        with self._turn:
            return self._ask("GET", path, user)

    def write(self, arguments, stdin, namespace, user):
        """The effect of `kubectl create --filename -` with an object, or of `kubectl patch` with a merge patch. Raises
        UnsupportedQuery for other commands, and for every failure: then kubectl repeats the command and reports it."""
        command, *rest = [str(each) for each in arguments]
        if command == "create" and rest == ["--filename", "-"] and isinstance(stdin, dict) and "metadata" in stdin:
            group, _, version = stdin["apiVersion"].rpartition("/")
            method, content, body = "POST", "application/json", json.dumps(stdin)
            named = f"{stdin['kind'].lower()}.{group}", None
            namespace = stdin["metadata"].get("namespace", namespace)
            query = "?fieldManager=kubectl-create&fieldValidation=Strict"
        elif command == "patch" and len(rest) % 2 == 0:
            *named, options = *rest[:2], dict(zip(rest[2::2], rest[3::2]))
            body, subresource = options.pop("--patch", None), options.pop("--subresource", None)
            if options != {"--type": "merge"} or subresource not in (None, "status") or rest[0].startswith("-"):
                raise UnsupportedQuery(f"options {rest}")
            method, content, version = "PATCH", "application/merge-patch+json", None
            query = ("/status" if subresource else "") + "?fieldManager=kubectl-patch"
        else:
            raise UnsupportedQuery(f"command {command}")
        with self._turn:
            path, _ = self._path(*named, namespace)
            if version and f"/{version}/" not in path:
                raise UnsupportedQuery("a version that is not the preferred one")
            try:
                self._ask(method, path + query, user, content, body)
            except MissingObject as error:
                raise UnsupportedQuery(str(error)) from error

    def _path(self, resource, name, namespace):
        """The path of a collection, or of its object of that name, and the kind."""
        path, plural, is_namespaced, kind = self._resource(resource.lower())
        if is_namespaced and namespace:
            path += f"/namespaces/{urllib.parse.quote(namespace)}"
        elif is_namespaced:
            raise UnsupportedQuery("no namespace")
        return f"{path}/{plural}" + (f"/{urllib.parse.quote(name)}" if name else ""), kind

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
            for group in self._ask("GET", root, accept=DISCOVERY)["items"]:
                name = group["metadata"].get("name", "")
                version = group["versions"][0]
                path = f"{root}/{name}/{version['version']}" if name else f"{root}/{version['version']}"
                for each in version.get("resources", ()):
                    kind = each["responseKind"]["kind"]
                    found = (path, each["resource"], each["scope"] == "Namespaced", kind)
                    names = [each["resource"], each.get("singularResource", ""), kind.lower(), *each.get("shortNames", ())]
                    for called in names:
                        self._resources.setdefault(called, found)
                        # "namespace." is that of the core group.
                        self._resources.setdefault(f"{called}.{name}", found)

    def _ask(self, method, path, user=None, content=None, body=None, accept="application/json"):
        headers = {"Accept": accept, **({"Impersonate-User": user} if user else {}), **({"Content-Type": content} if content else {})}
        # The server may have closed the idle connection, or been restarted. Only reads are repeated.
        for is_last in (False, True) if method == "GET" else (True,):
            try:
                if self._connection is None:
                    self._connection = self._connect()
                self._connection.request(method, path, body, headers)
                answer = self._connection.getresponse()
                text = answer.read()
                break
            except (OSError, http.client.HTTPException) as error:
                self._connection = None
                if is_last:
                    raise UnsupportedQuery(str(error)) from error
        if answer.status == 404:
            self._raise_if_missing(text)
        if answer.status not in (200, 201):
            raise UnsupportedQuery(f"HTTP {answer.status}")
        return json.loads(text)

    def _raise_if_missing(self, text):
        try:
            status = json.loads(text)
        except ValueError:
            status = {}
        if status.get("reason") == "NotFound" and status.get("details", {}).get("name"):
            raise MissingObject(status["message"])
        # The API server no longer serves this version of the resource.
        self._resources = {}

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
        elif each.startswith("-") or "/" in each or ("," in each and named):
            raise UnsupportedQuery(f"argument {each}")
        else:
            named.append(each)
    if not 1 <= len(named) <= 2 or (len(named) == 2 and (query or "," in named[0])):
        raise UnsupportedQuery("several names")
    return named, query, shows_managers


def _presented(thing, shows_managers):
    if not shows_managers:
        thing.get("metadata", {}).pop("managedFields", None)
    return thing
