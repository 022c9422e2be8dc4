"""The API server as the benchmark uses it: creating objects, and watching their status."""

import contextlib
import http.client
import json
import queue
import socket
import ssl
import threading
import time
import urllib.parse

from objects import objects, path_of, plurals

CONDITION = "DynamoAdmissionValid"
RECORD = "dynamo-admission/last-admitted"
MAKERS = 4
TIMEOUT = 60
WATCH_SECONDS = 1800
RETRY_SECONDS = 0.5


class Api:
    def __init__(self, state):
        pki = state.directory / "pki"
        self._address = urllib.parse.urlsplit(state.facts["api_server"])
        self._trusted = ssl.create_default_context(cafile=pki / "ca.crt")
        self._trusted.load_cert_chain(pki / "admin.crt", pki / "admin.key")

    def connection(self, timeout=TIMEOUT):
        return http.client.HTTPSConnection(self._address.hostname, self._address.port, context=self._trusted,
                                           timeout=timeout)

    def call(self, connection, method, path, body=None, content="application/json"):
        connection.request(method, path, json.dumps(body) if body is not None else None, {"Content-Type": content})
        answer = connection.getresponse()
        text = answer.read()
        if answer.status >= 300:
            raise RuntimeError(f"{method} {path}: {answer.status} {text[:300]!r}")
        return json.loads(text)

    def make(self, count):
        """Creates this many objects."""
        todo, errors = list(objects(count)), []

        def work(part):
            try:
                connection = self.connection()
                for plural, each in part:
                    self.call(connection, "POST", path_of(plural), each)
            except Exception as error:  # of the thread; the caller raises it
                errors.append(error)

        threads = [threading.Thread(target=work, args=(todo[at::MAKERS],)) for at in range(MAKERS)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        if errors:
            raise errors[0]

    def clear(self):
        connection = self.connection()
        for plural in plurals():
            self.call(connection, "DELETE", path_of(plural))


class Watch:
    """The events of the API server, with the time at which they arrived: (moment, path, object, whether it was
    deleted)."""

    def __init__(self, api, paths):
        self.reported = queue.SimpleQueue()
        self._connections, self._threads = [], []
        for path in paths:
            connection = api.connection(WATCH_SECONDS)
            answer = self._open(api, connection, path)
            self._connections.append(connection)
            self._threads.append(threading.Thread(target=self._read, args=(path, answer), daemon=True))
            self._threads[-1].start()

    @staticmethod
    def _open(api, connection, path):
        """Starts a watch from now on; waits while the API server still prepares the cache of a new kind."""
        deadline = time.monotonic() + TIMEOUT
        while True:
            version = api.call(connection, "GET", f"{path}?limit=1")["metadata"]["resourceVersion"]
            connection.request("GET", f"{path}?watch=1&resourceVersion={version}&timeoutSeconds={WATCH_SECONDS}")
            answer = connection.getresponse()
            if answer.status == http.HTTPStatus.OK:
                return answer
            text = answer.read()
            if answer.status != http.HTTPStatus.TOO_MANY_REQUESTS or time.monotonic() > deadline:
                raise RuntimeError(f"watch of {path}: {answer.status} {text[:300]!r}")
            time.sleep(RETRY_SECONDS)

    def _read(self, path, answer):
        try:
            for line in answer:
                event = json.loads(line)
                self.reported.put((time.monotonic(), path, event["object"], event["type"] == "DELETED"))
        except (OSError, ValueError, AttributeError, http.client.HTTPException):
            pass  # closed, or no event for a while

    def next(self, deadline):
        return self.reported.get(timeout=max(0.0, deadline - time.monotonic()))

    def close(self):
        """Ends its threads: otherwise the API server would send them the events of the next
        measurement, too."""
        for each in self._connections:
            # While a thread reads from it, a socket that is only closed stays open.
            with contextlib.suppress(OSError):
                each.sock.shutdown(socket.SHUT_RDWR)
            each.sock.close()
        for each in self._threads:
            each.join(TIMEOUT)


def is_validated(each):
    """Whether its status is valid for its current generation."""
    return any(condition["type"] == CONDITION and condition.get("observedGeneration") == each["metadata"]["generation"]
               for condition in each.get("status", {}).get("conditions", []))


def is_recorded(each):
    """Whether it has the admission record; true for an object that is not valid."""
    is_valid = all(condition["status"] == "True" for condition in each["status"]["conditions"]
                   if condition["type"] == CONDITION)
    return not is_valid or RECORD in each["metadata"].get("annotations", {})
