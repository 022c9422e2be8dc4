"""An endpoint that records each AdmissionReview as the API server sent it, and allows it unless
`refusal` decides otherwise."""

import http.server
import json
import ssl
import threading

from . import certificates


class Recorder:
    """A TLS server on a free loopback port; `bodies` are the received requests, in order. `refusal`
    gets each request, and returns a refusal message or None."""

    def __init__(self, pki, refusal=lambda request: None):
        authority = certificates.Authority(pki, "dynamo-admission recorder")
        certificate, key = authority.issue("/CN=recorder", "tls.crt", "tls.key", "serverAuth",
                                           "IP:127.0.0.1")
        self.authority = authority.certificate
        self.bodies = []
        bodies = self.bodies

        def response(request):
            message = refusal(request)
            refused = {"status": {"message": message}} if message else {}
            return {"uid": request["uid"], "allowed": not message, **refused}

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            timeout = 120

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                bodies.append(body)
                answer = json.dumps({
                    "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
                    "response": response(json.loads(body)["request"]),
                }).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(certificate, key)
        self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)
        self.port = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def stop(self):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(timeout=5)
