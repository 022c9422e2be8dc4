"""Accepts connections and forwards their bytes, for proxies."""

import socket
import threading


def accept_each(listener, serve):
    """Runs serve(CLIENT) in a thread for each connection of a listener, until the listener closes."""
    while True:
        try:
            client, _ = listener.accept()
        except OSError:
            return
        threading.Thread(target=serve, args=(client,), daemon=True).start()


def join(client, server):
    """Forwards in both directions until both have ended, and closes both."""
    back = threading.Thread(target=_pump, args=(server, client), daemon=True)
    back.start()
    _pump(client, server)
    back.join()
    client.close()
    server.close()


def _pump(source, sink):
    """Forwards until `source` ends, and forwards the end."""
    try:
        while data := source.recv(65536):
            sink.sendall(data)
    except OSError:
        pass
    for each, how in ((sink, socket.SHUT_WR), (source, socket.SHUT_RD)):
        try:
            each.shutdown(how)
        except OSError:
            pass
