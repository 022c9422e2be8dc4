"""Somebody who writes much faster than kubectl starts: merge patches on one connection of the administrator's."""

import http.client
import json
import ssl
import urllib.parse

SECONDS = 20


class Writer:
    """For one thread."""

    def __init__(self, state):
        pki = state.directory / "pki"
        trusted = ssl.create_default_context(cafile=pki / "ca.crt")
        trusted.load_cert_chain(pki / "admin.crt", pki / "admin.key")
        address = urllib.parse.urlsplit(state.facts["api_server"])
        self._connection = http.client.HTTPSConnection(address.hostname, address.port, timeout=SECONDS,
                                                       context=trusted)

    def merge(self, path, patch):
        """Patches what is at the path below /apis/; returns the HTTP status and the answer."""
        self._connection.request("PATCH", f"/apis/{path}", json.dumps(patch),
                                 {"Content-Type": "application/merge-patch+json"})
        answer = self._connection.getresponse()
        return answer.status, json.loads(answer.read())

    def close(self):
        self._connection.close()
