"""A separate network for a reconciler, with inference servers at every address of a pod.

It runs in a temporary network namespace: traffic to pods stays inside, and this program answers it. The API
server is reached through a socket in the file system.

    python3 -m harness.engines FOLDER API_SERVER_PORT COMMAND...    as in Engines.prefix()
"""

import ctypes
import fcntl
import http.server
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import urllib.parse
from pathlib import Path

from .controllers import POD_ADDRESSES
from .forwarding import accept_each, join
from .processes import HarnessError

PORT = 9090
HANG_SECONDS = 40
LARGE = 2 << 20
HERE = Path(__file__).resolve().parent.parent
# From <linux/sockios.h>, <linux/if.h> and <linux/prctl.h>.
SIOCSIFADDR, SIOCSIFNETMASK, SIOCSIFFLAGS = 0x8916, 0x891C, 0x8914
IFF_UP, IFF_LOOPBACK, IFF_RUNNING = 0x1, 0x8, 0x40
PR_SET_PDEATHSIG = 1
UNSHARE = ["unshare", "--net"] if os.geteuid() == 0 else ["unshare", "--net", "--map-root-user"]


class Engines:
    """A test's interface: how each server responds, and the requests it got."""

    def __init__(self, test):
        self._folder = test.state.directory / f"{test.namespace}-engines"
        self._folder.mkdir()
        self._port = int(test.state.facts["api_server"].rpartition(":")[2])
        probe = subprocess.run([*UNSHARE, "true"], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                               timeout=10, check=False)
        if probe.returncode != 0:
            raise HarnessError(f"cannot have a network of its own: {probe.stderr.strip()}")
        self._behave = {}
        self.behave()
        self._way = _Way(str(self._folder / "api-server"), self._port)
        test.addCleanup(self._way.stop)

    def prefix(self):
        """A command prefix that runs a command inside."""
        return ("env", f"PYTHONPATH={HERE}", *UNSHARE, sys.executable, "-m", "harness.engines",
                self._folder, self._port)

    def behave(self, **servers):
        """Sets how the servers at these addresses ("198_18_0_7" for 198.18.0.7) respond from now on:
        `well` (the default of all others), `slowly`, `refuse`, `hang`, `redirect`, `nonsense`,
        `much`, `half`."""
        self._behave |= {name.replace("_", "."): manner for name, manner in servers.items()}
        partial = self._folder / "behave.partial"
        partial.write_text(json.dumps(self._behave))
        partial.rename(self._folder / "behave")

    def asked(self):
        """The requests so far, in the order of their end: [{server, method, path, body}]."""
        log = self._folder / "asked"
        if not log.exists():
            return []
        return [json.loads(line) for line in log.read_text().splitlines(keepends=True) if line.endswith("\n")]

    def loaded(self):
        """The loaded adapters of each server, {address: {name: uri}}."""
        servers = {}
        for each in self.asked():
            if not each["done"]:
                continue
            of_server = servers.setdefault(each["server"], {})
            if each["method"] == "POST":
                of_server[each["body"]["lora_name"]] = each["body"]["source"]["uri"]
            else:
                of_server.pop(urllib.parse.unquote(each["path"].removeprefix("/v1/loras/")), None)
        return servers


class _Way:
    """Forwards from a socket in the file system, which all network namespaces share, to a loopback
    port."""

    def __init__(self, path, port):
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(path)
        self._listener.listen(64)
        self._port = port
        threading.Thread(target=accept_each, args=(self._listener, self._serve), daemon=True).start()

    def _serve(self, client):
        join_new(client, lambda: socket.create_connection(("127.0.0.1", self._port), 5))

    def stop(self):
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()


def join_new(client, connect):
    """Joins a client with a new connection of connect()."""
    try:
        server = connect()
        server.settimeout(None)
    except OSError:
        client.close()
        return
    join(client, server)


# --- Inside the namespace.


def give_addresses():
    """Assigns all addresses of pods to the loopback interface, on which whole networks are local."""
    address, _, length = POD_ADDRESSES.partition("/")
    mask = socket.inet_ntoa(struct.pack(">I", (1 << 32) - (1 << (32 - int(length)))))

    def request(name, code, payload):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
            fcntl.ioctl(any_socket, code, struct.pack("16s", name.encode()) + payload)

    def of_address(text):
        return struct.pack("HH4s8x", socket.AF_INET, 0, socket.inet_aton(text))

    request("lo", SIOCSIFFLAGS, struct.pack("H14x", IFF_UP | IFF_LOOPBACK | IFF_RUNNING))
    request("lo:pods", SIOCSIFADDR, of_address(address))
    request("lo:pods", SIOCSIFNETMASK, of_address(mask))


class Engine(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = HANG_SECONDS
    folder = None
    lock = threading.Lock()

    def answer(self):
        address = self.connection.getsockname()[0]
        manner = json.loads((self.folder / "behave").read_text()).get(address, "well")
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        fine = manner in ("well", "slowly", "nonsense")
        with self.lock, open(self.folder / "asked", "a", encoding="utf-8") as log:
            log.write(json.dumps({"server": address, "method": self.command, "path": self.path, "done": fine,
                                  "body": json.loads(body) if body else None}) + "\n")
        self.close_connection = True
        match manner:
            case "slowly":
                time.sleep(1)
                self.send(200, b"{}")
            case "refuse":
                self.send(503, b'{"error": "no room"}')
            case "hang":
                time.sleep(HANG_SECONDS)
            case "redirect":
                self.send(307, b"", Location=f"http://198.18.200.200:{PORT}/v1/loras")
            case "nonsense":
                self.send(200, b"<html>\xff\x00")
            case "much":
                self.send(200, b"x" * LARGE)
            case "half":
                self.send_response(200)
                self.send_header("Content-Length", "100")
                self.end_headers()
                self.wfile.write(b"{")
            case _:
                self.send(200, b'{"status": "success"}')

    do_POST = do_DELETE = do_GET = answer

    def send(self, status, body, **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 256
    daemon_threads = True

    def handle_error(self, request, client_address):
        pass  # the client has disconnected


def run_as_ours(command):
    """Starts the command, which ends with this process; returns a function that waits for its end and
    forwards signals."""
    libc = ctypes.CDLL(None)
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL,
                             preexec_fn=lambda: libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL))
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda received, _: child.send_signal(received))
    return child.wait


def main(folder, port, *command):
    """Serves while the command runs."""
    give_addresses()
    Engine.folder = Path(folder)
    engines = Server(("0.0.0.0", PORT), Engine)
    way = socket.create_server(("127.0.0.1", int(port)), backlog=64)
    wait = run_as_ours(command)

    def connect():
        server = socket.socket(socket.AF_UNIX)
        server.connect(str(Engine.folder / "api-server"))
        return server

    threading.Thread(target=engines.serve_forever, daemon=True).start()
    threading.Thread(target=accept_each, args=(way, lambda client: join_new(client, connect)), daemon=True).start()
    return wait()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
