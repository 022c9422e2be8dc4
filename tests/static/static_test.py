"""The static kubectl-dynamo needs no shared libraries and works on systems other than Debian.

DYNAMO_CHECKER_BINARY names it. Programs run in roots that contain only the test's files: as root,
or where users may create namespaces."""

import contextlib
import http.server
import os
import pathlib
import shutil
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests/deploy"))

import bare_root  # noqa: E402

PROGRAM = pathlib.Path(os.environ["DYNAMO_CHECKER_BINARY"])
MOST_BYTES = 15_000_000
NAME_SERVER = "127.0.0.53"
KUBECONFIG = """\
apiVersion: v1
kind: Config
current-context: c
contexts: [{{name: c, context: {{cluster: c, user: u}}}}]
clusters: [{{name: c, cluster: {{server: "https://{host}:{port}"}}}}]
users: [{{name: u, user: {{token: t}}}}]
"""


class StaticTest(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.root.chmod(0o755)  # the user that runs the program must be able to traverse it
        subprocess.run(["strip", "--strip-all", "-o", self.root / "kubectl-dynamo", PROGRAM], check=True)

    def put(self, path, text):
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")

    def test_is_one_small_file(self):
        output = subprocess.run(["ldd", PROGRAM], capture_output=True, text=True, check=False)
        self.assertIn("statically linked", output.stdout + output.stderr)
        headers = subprocess.run(["readelf", "--wide", "-l", "-d", PROGRAM], capture_output=True, text=True, check=True).stdout
        self.assertNotRegex(headers, r"INTERP|NEEDED")
        self.assertLessEqual((self.root / "kubectl-dynamo").stat().st_size, MOST_BYTES)

    def test_validates_without_any_other_file(self):
        for path in ("docs/examples/refused_graph.yaml", "deploy/samples/vllm_agg.yaml"):
            shutil.copy(SOURCE / path, self.root)
        self.assertIn("[pod.probe]", bare_root.run(self.root, "/kubectl-dynamo", "validate", "-f", "refused_graph.yaml", status=1))
        bare_root.run(self.root, "/kubectl-dynamo", "validate", "-f", "vllm_agg.yaml")

    def test_finds_names_and_cas_on_any_distribution(self):
        certificates = self.make_certificate("files.example", "dns.example")
        # Only modules that this program must not load, since they belong to another C library.
        self.put("etc/nsswitch.conf", "hosts: mymachines resolve [!UNAVAIL=return] mdns4_minimal [NOTFOUND=return] myhostname\n")
        self.put("etc/hosts", "127.0.0.1 files.example\n")
        self.put("etc/resolv.conf", f"nameserver {NAME_SERVER}\noptions timeout:2 attempts:2\n")
        with api_server(certificates) as (port, requests):
            self.ask("files.example", port)
            self.assertEqual(requests, [], "a server with an untrusted certificate must get no request")
            self.put("etc/pki/tls/certs/ca-bundle.crt", (certificates / "ca.crt").read_text(encoding="ascii"))
            self.ask("files.example", port)
            self.assertTrue(requests, "names in /etc/hosts and Fedora's CA bundle must work")
            requests.clear()
            with name_server("dns.example"):
                self.ask("dns.example", port)
            self.assertTrue(requests, "names from a name server must work")

    def ask(self, host, port):
        """Runs the doctor on a cluster that does not exist; only its requests to the server matter."""
        self.put("kubeconfig", KUBECONFIG.format(host=host, port=port))
        subprocess.run([*bare_root.entering(self.root), "/kubectl-dynamo", "doctor", "--kubeconfig", "/kubeconfig"],
                       capture_output=True, env={}, timeout=90, check=False)

    def make_certificate(self, *names):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        openssl = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
        subprocess.run([*openssl, "-subj", "/CN=authority", "-keyout", "ca.key", "-out", "ca.crt"], cwd=folder, check=True,
                       capture_output=True)
        subprocess.run([*openssl, "-subj", "/CN=server", "-CA", "ca.crt", "-CAkey", "ca.key", "-keyout", "server.key", "-out", "server.crt",
                        "-addext", "basicConstraints=critical,CA:FALSE",
                        "-addext", "subjectAltName=" + ",".join(f"DNS:{name}" for name in names)], cwd=folder, check=True,
                       capture_output=True)
        return folder


@contextlib.contextmanager
def api_server(certificates):
    """An HTTPS server that responds 404; yields its port and the list of requested paths."""
    requests = []

    class NotFoundHandler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            requests.append(self.path)
            self.send_error(404)

        do_POST = do_GET

        def log_message(self, *_):
            pass

    class QuietServer(http.server.ThreadingHTTPServer):
        def handle_error(self, *_):  # a client that does not trust the server
            pass

    server = QuietServer(("127.0.0.1", 0), NotFoundHandler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificates / "server.crt", certificates / "server.key")
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    with running(server):
        yield server.server_address[1], requests


@contextlib.contextmanager
def running(server):
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)


@contextlib.contextmanager
def name_server(name):
    """Resolves the name to 127.0.0.1 on the DNS port; skips the test if the port is not available."""
    wanted = b"".join(bytes([len(label)]) + label.encode() for label in name.split(".")) + b"\0"
    plug = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        plug.bind((NAME_SERVER, 53))
    except OSError as error:
        plug.close()
        raise unittest.SkipTest(f"a name server needs port 53 of {NAME_SERVER}: {error}") from None
    plug.settimeout(0.2)
    ended = threading.Event()

    def serve():
        while not ended.is_set():
            try:
                query, client = plug.recvfrom(512)
            except TimeoutError:
                continue
            end = query.index(b"\0", 12) + 5
            question, kind = query[12:end], struct.unpack(">H", query[end - 4:end - 2])[0]
            found = question.startswith(wanted) and kind == 1
            answer = b"\xc0\x0c" + struct.pack(">HHIH", 1, 1, 1, 4) + bytes([127, 0, 0, 1]) if found else b""
            plug.sendto(query[:2] + struct.pack(">HHHHH", 0x8180, 1, int(found), 0, 0) + question + answer, client)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join(10)
        plug.close()


if __name__ == "__main__":
    unittest.main()
