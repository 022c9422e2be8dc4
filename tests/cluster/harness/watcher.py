"""Follows the changes of one collection of the test cluster, in their order, which repeated reads do not show."""

import contextlib
import http.client
import json
import ssl
import threading
import urllib.parse

from .processes import HarnessError

ANSWER_SECONDS = 20
IDLE_SECONDS = 2  # of an open watch
PAUSE_SECONDS = 0.1
GONE = 410


class Watcher:
    """Calls changed(TYPE, OBJECT) in its own thread for each change after its start. TYPE is ADDED, MODIFIED or
    DELETED. After a restart of the API server a list shows what has changed; only an object that was created and
    deleted before the list is missed. `path` is that of the collection, for example
    /apis/batch/v1/namespaces/NAMESPACE/jobs."""

    def __init__(self, state, path, changed):
        pki = state.directory / "pki"
        self._trusted = ssl.create_default_context(cafile=pki / "ca.crt")
        self._trusted.load_cert_chain(pki / "admin.crt", pki / "admin.key")
        self._address = urllib.parse.urlsplit(state.facts["api_server"])
        self._path = path
        self._changed = changed
        self._over = threading.Event()
        self.failure = None  # an error that ended the thread
        self._version, self._known = self._list()  # by uid
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self):
        self._over.set()
        self._thread.join(ANSWER_SECONDS + IDLE_SECONDS)
        if self._thread.is_alive():
            raise HarnessError(f"the watch of {self._path} must end after {ANSWER_SECONDS + IDLE_SECONDS} s")

    def _run(self):
        try:
            while not self._over.is_set():
                # A timeout of an idle watch, or a server that restarts.
                with contextlib.suppress(OSError, http.client.HTTPException):
                    if self._version is None:
                        self._catch_up()
                    self._follow()
                self._over.wait(PAUSE_SECONDS)
        except Exception as error:  # pylint: disable=broad-except
            self.failure = error

    def _follow(self):
        """Ends with an exception, or when the version has expired."""
        with self._ask(f"?watch=1&resourceVersion={self._version}", IDLE_SECONDS) as answer:
            if answer.status == GONE:
                self._version = None
                return
            for line in answer:
                change = json.loads(line)
                if change["type"] == "ERROR":
                    if change["object"].get("code") != GONE:
                        raise ValueError(f"the watch of {self._path} ended: {change['object']}")
                    self._version = None
                    return
                self._report(change["type"], change["object"])
                self._version = change["object"]["metadata"]["resourceVersion"]
                if self._over.is_set():
                    return

    def _list(self):
        with self._ask("") as answer:
            found = json.load(answer)
        return found["metadata"]["resourceVersion"], {each["metadata"]["uid"]: each for each in found["items"]}

    def _catch_up(self):
        version, found = self._list()
        for uid in self._known.keys() - found.keys():
            self._report("DELETED", self._known[uid])
        for uid, each in found.items():
            if uid not in self._known:
                self._report("ADDED", each)
            elif self._known[uid]["metadata"]["resourceVersion"] != each["metadata"]["resourceVersion"]:
                self._report("MODIFIED", each)
        self._version = version

    def _report(self, kind, each):
        uid = each["metadata"]["uid"]
        if kind == "DELETED":
            self._known.pop(uid, None)
        else:
            self._known[uid] = each
        self._changed(kind, each)

    @contextlib.contextmanager
    def _ask(self, query, silence=ANSWER_SECONDS):
        """`silence`: how many seconds the server may send nothing once it answers."""
        connection = http.client.HTTPSConnection(self._address.hostname, self._address.port, timeout=ANSWER_SECONDS,
                                                 context=self._trusted)
        with contextlib.closing(connection):
            connection.request("GET", self._path + query)
            answer = connection.getresponse()
            if connection.sock:
                connection.sock.settimeout(silence)
            if answer.status not in (200, GONE):
                raise http.client.HTTPException(f"HTTP {answer.status}")
            yield answer
