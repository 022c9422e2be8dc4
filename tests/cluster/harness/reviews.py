"""AdmissionReviews posted directly to a server, as an API server posts them: to read its verdict at
any time, even while API servers are down."""

import http.client
import json
import ssl
import threading
import time

from .webhook import GROUP, KINDS, VERSION

ANSWER_SECONDS = 5


class Reviewer:
    """One kept-alive connection to the server of `facts`. For a server that manages its certificates, which are
    for the name of a Service, `authority` is its CA in PEM."""

    def __init__(self, facts, authority=None):
        if authority is None:
            context = ssl.create_default_context(cafile=facts["authority"])
        else:
            context = ssl.create_default_context(cadata=authority)
            context.check_hostname = False
        self._connection = http.client.HTTPSConnection("127.0.0.1", facts["port"], timeout=ANSWER_SECONDS,
                                                       context=context)

    def close(self):
        self._connection.close()

    def review(self, thing, namespace, verb="validate"):
        """The response to the review of creating `thing`. OSError or HTTPException if there is none."""
        kind = thing["kind"]
        body = json.dumps(_review(thing, kind, namespace))
        self._connection.request("POST", f"/{verb}-nvidia-com-{VERSION}-{kind.lower()}", body,
                                 {"Content-Type": "application/json"})
        answer = self._connection.getresponse()
        text = answer.read()
        if answer.status != 200:
            raise http.client.HTTPException(f"HTTP {answer.status}: {text!r}")
        return json.loads(text)["response"]

    def allows(self, thing, namespace):
        return self.review(thing, namespace)["allowed"]


class Verdicts:
    """Requests verdicts on `cases` from a server repeatedly, `rate` times a second: triples of object,
    namespace and whether it must be allowed. Use as a context; `sent` grows, and afterwards
    `failures` describes each missing or wrong response."""

    def __init__(self, facts, cases, rate=50):
        self.sent = 0
        self.failures = []
        self._facts = facts
        self._cases = cases
        self._pause = 1 / rate
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join(timeout=2 * ANSWER_SECONDS)

    def _run(self):
        reviewer = Reviewer(self._facts)
        began = time.monotonic()
        while not self._stop.wait(self._pause):
            thing, namespace, allowed = self._cases[self.sent % len(self._cases)]
            at = f"{time.monotonic() - began:.1f} s, {thing['metadata']['name']} in {namespace}"
            try:
                response = reviewer.review(thing, namespace)
                if response["allowed"] != allowed:
                    self.failures.append(f"{at}: {response}")
            except (OSError, http.client.HTTPException) as error:
                self.failures.append(f"{at}: {error!r}")
                reviewer.close()
            self.sent += 1
        reviewer.close()


def _review(thing, kind, namespace):
    name = {"group": GROUP, "version": VERSION}
    request = {
        "uid": "00000000-0000-4000-8000-000000000000",
        "kind": {**name, "kind": kind}, "requestKind": {**name, "kind": kind},
        "resource": {**name, "resource": KINDS[kind]},
        "requestResource": {**name, "resource": KINDS[kind]},
        "name": thing["metadata"]["name"], "namespace": namespace, "operation": "CREATE",
        "userInfo": {"username": "kubernetes-admin", "groups": ["system:masters"]},
        "object": {**thing, "metadata": {**thing["metadata"], "namespace": namespace}},
        "oldObject": None, "dryRun": True,
        "options": {"kind": "CreateOptions", "apiVersion": "meta.k8s.io/v1"},
    }
    return {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}
