"""Acts as a Kubernetes Service: distributes new connections round-robin to the ready servers.

It forwards bytes, so TLS is between the API server and the webhook server. As with a Service, a
connection stays with its server until one of the two closes it.
"""

import socket
import threading

from . import webhook
from .forwarding import accept_each, join

CONNECT_SECONDS = 5


class Balancer:
    """Listens on a free loopback port, `port`, for the servers with these facts."""

    def __init__(self, servers):
        self._servers = list(servers)
        self._turn = 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=accept_each, args=(self._listener, self._serve), daemon=True).start()

    def add(self, facts):
        self._servers.append(facts)

    def stop(self):
        """Stops accepting connections; open ones end with their servers."""
        # close() alone would not interrupt accept().
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _serve(self, client):
        self._turn += 1
        servers = self._servers[self._turn % len(self._servers):] + self._servers
        for facts in servers:
            try:
                if not webhook.is_ready(facts):
                    continue
                server = socket.create_connection(("127.0.0.1", facts["port"]), CONNECT_SECONDS)
                break
            except OSError:
                continue
        else:
            client.close()
            return
        server.settimeout(None)
        join(client, server)
