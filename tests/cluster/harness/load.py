"""Many concurrent requests to the API server, from threads, without the cost of kubectl."""

import http.client
import json
import ssl
import threading
import time
import urllib.parse


class Load:
    """Posts an object repeatedly, over THREADS kept-alive connections, until it is stopped or `limit`
    requests were sent; at most `rate` a second if given. A response other than `expected` is a
    failure. Use as a context; afterwards `sent` and `failures` are final, and `per_second` is the
    number of responses per second, from the start until it was stopped."""

    def __init__(self, state, path, body, threads=2, limit=20000, *, expected=201, rate=None,
                 api_server=None):
        self.sent = 0
        self.failures = []
        self.per_second = 0.0
        self._began = 0.0
        self._address = urllib.parse.urlsplit(api_server or state.facts["api_server"])
        self._tls = ssl.create_default_context(cafile=state.directory / "pki/ca.crt")
        self._tls.load_cert_chain(state.directory / "pki/admin.crt",
                                  state.directory / "pki/admin.key")
        self._path = path
        self._body = json.dumps(body)
        self._limit = limit
        self._expected = expected
        self._pause = threads / rate if rate else 0
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._threads = [threading.Thread(target=self._run, daemon=True) for _ in range(threads)]

    def __enter__(self):
        self._began = time.monotonic()
        for each in self._threads:
            each.start()
        return self

    def __exit__(self, *_):
        self.per_second = self.sent / (time.monotonic() - self._began)
        self._stop.set()
        for each in self._threads:
            each.join(timeout=30)

    def _run(self):
        connection = http.client.HTTPSConnection(
            self._address.hostname, self._address.port, context=self._tls, timeout=20)
        due = time.monotonic()
        while self.sent < self._limit:
            # Never ahead of its rate; catches up after a slow response.
            due = max(due + self._pause, time.monotonic() - 1)
            if self._stop.wait(max(0, due - time.monotonic())):
                break
            try:
                connection.request("POST", self._path, self._body,
                                   {"Content-Type": "application/json"})
                answer = connection.getresponse()
                text = answer.read().decode(errors="replace")
                failure = None if answer.status == self._expected else f"{answer.status}: {text}"
            except (OSError, http.client.HTTPException) as error:
                failure = repr(error)
                connection.close()
            with self._lock:
                self.sent += 1
                if failure:
                    self.failures.append(failure)
        connection.close()
