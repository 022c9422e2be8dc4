"""A connection between a server and its API server that a test can cut, as network failures do.

It forwards bytes, so TLS is between the two ends; a cut ends the connection without TLS's close_notify.
"""

import socket
import threading

from .forwarding import accept_each

CONNECT_SECONDS = 5


class Proxy:
    """Listens on a free loopback port, `port`, for the loopback port `target`."""

    def __init__(self, target):
        self._target = target
        self._lock = threading.Lock()
        self._sockets = set()
        self._is_cut = False
        self._answer_bytes = None  # bytes to forward before the next cut; no limit if None
        self.refused = 0           # connections attempted while it was cut
        self.cuts = 0              # by cut_after()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=accept_each, args=(self._listener, self._serve), daemon=True).start()

    def cut(self):
        """Ends every connection, and every new one immediately."""
        with self._lock:
            self._is_cut = True
            self._end_all()

    def restore(self):
        with self._lock:
            self._is_cut = False

    def break_once(self):
        """Ends every connection, but accepts new ones."""
        with self._lock:
            self._end_all()

    def cut_after(self, answer_bytes):
        """Forwards this many more bytes of the API server's responses, then ends every connection.
        Accepts new ones."""
        with self._lock:
            self._answer_bytes = answer_bytes

    def stop(self):
        self._listener.shutdown(socket.SHUT_RDWR)  # close() alone would not interrupt accept()
        self._listener.close()
        self.cut()

    def _end_all(self):
        for each in self._sockets:
            _end(each)
        self._sockets.clear()

    def _serve(self, client):
        try:
            server = socket.create_connection(("127.0.0.1", self._target), CONNECT_SECONDS)
        except OSError:
            client.close()
            return
        server.settimeout(None)
        with self._lock:
            is_welcome = not self._is_cut
            if is_welcome:
                self._sockets |= {client, server}
            else:
                self.refused += 1
        if is_welcome:
            back = threading.Thread(target=self._pump, args=(server, client, True), daemon=True)
            back.start()
            self._pump(client, server, False)
            back.join()
        with self._lock:
            self._sockets -= {client, server}
        client.close()
        server.close()

    def _pump(self, source, sink, is_answer):
        """Forwards until `source` ends, and forwards the end."""
        try:
            while data := source.recv(65536):
                part = self._allowed(data) if is_answer else data
                sink.sendall(part)
                if len(part) < len(data):
                    self.break_once()
        except OSError:
            pass
        _end(sink)

    def _allowed(self, data):
        """The part that cut_after() lets pass."""
        with self._lock:
            if self._answer_bytes is None:
                return data
            if self._answer_bytes >= len(data):
                self._answer_bytes -= len(data)
                return data
            part = data[:self._answer_bytes]
            self._answer_bytes = None
            self.cuts += 1
            return part


def _end(each):
    try:
        each.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
