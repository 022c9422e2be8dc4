"""The same verdict everywhere: the HTTPS server, the C ABI, the Python wheel and the checker receive
the same seeded reviews and must return identical bytes.

Usage: same_verdicts_test.py BEHAVIOUR C_WORKER
"""

import base64
import contextlib
import http.client
import json
import os
import pathlib
import ssl
import subprocess
import sys
import time

from reviews import generate, path_of
from support import BUILD, DEADLINE, SOURCE, WORK, environment, fresh, venv_python

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "cluster"))
from harness.processes import free_ports  # noqa: E402

REVIEWS = 1000
SEED = 20260203
NOW = int(time.time())  # the server's clock; the exemptions below expire long before or after
POLICY = """version: 1
severities:
  - {rules: ["service.*"], severity: warn, namespaces: [team-b]}
  - {rules: ["dm.*"], severity: warn, kinds: [DynamoModel]}
  - {rules: ["dgdr.*"], severity: "off", names: ["*-a"]}
exemptions:
  - {rules: ["dgd.*", "dcd.*"], namespaces: [team-*], holder: team-a, reason: ticket 1,
     expires: 2999-12-31}
  - {rules: ["*"], namespaces: [default], holder: nobody, reason: too late, expires: 2001-01-01}
parameters:
  - {allowedRegistries: [nvcr.io/nvidia], allowedLoraSchemes: [s3], namespaces: [team-b]}
  - {maxReplicasPerService: 2, requiredResourceLimits: [memory], names: ["*-a"]}
"""
GRAPH = "DynamoGraphDeployment"


# --- The places -------------------------------------------------------------------------------------


@contextlib.contextmanager
def server(folder, policy_file):
    """A function that posts a review to the server's binary over HTTPS: status and body."""
    port, probes, metrics = free_ports(3)
    flags = [f"--bind-address=127.0.0.1:{port}", "--cert-mode=self-signed", f"--cert-dir={folder}",
             f"--health-probe-bind-address=127.0.0.1:{probes}", "--log-level=error",
             f"--metrics-bind-address=127.0.0.1:{metrics}"]
    if policy_file:
        flags.append(f"--policy={policy_file}")
    with open(folder / "log", "wb") as log, \
            subprocess.Popen([BUILD / "bin" / "dynamo-webhook", *flags], stderr=log) as process:
        try:
            with contextlib.closing(connect(port, folder, process)) as connection:
                def post(path, review):
                    connection.request("POST", path, review, {"Content-Type": "application/json"})
                    answer = connection.getresponse()
                    return answer.status, answer.read()
                yield post
        finally:
            process.kill()


def connect(port, folder, process):
    deadline = time.monotonic() + 30
    while True:
        try:
            context = ssl.create_default_context(cafile=str(folder / "ca.crt"))
            connection = http.client.HTTPSConnection("localhost", port, timeout=30, context=context)
            connection.connect()
            return connection
        except OSError:
            assert process.poll() is None, (folder / "log").read_text(encoding="utf-8")
            assert time.monotonic() < deadline, "the server does not listen"
            time.sleep(0.02)


def worker(command, frames, **more):
    """Sends the frames to a program; returns its responses, each with status and body."""
    fed = b"".join(b"%s %d\n" % (path.encode(), len(text)) + text for path, text in frames)
    done = subprocess.run([str(word) for word in command], input=fed, capture_output=True,
                          env=environment(**more), timeout=DEADLINE, check=False)
    assert done.returncode == 0, done.stderr.decode()
    answers, rest = [], done.stdout
    while rest:
        header, _, rest = rest.partition(b"\n")
        status, size = map(int, header.split())
        answers.append((status, rest[:size]))
        rest = rest[size:]
    assert len(answers) == len(frames), f"{len(answers)} answers to {len(frames)} reviews"
    return answers


def c_abi(frames, policy_file):
    return worker([sys.argv[2], policy_file or "-", NOW], frames)


def wheel(frames, policy_file):
    return worker([venv_python(), "-I", SOURCE / "tests" / "library" / "wheel_worker.py",
                   policy_file or "-", NOW], frames, LD_LIBRARY_PATH="")


def checker(reviews, policy_file, folder):
    """The output of `kubectl dynamo replay`: a line per review, by uid."""
    file = folder / "reviews.jsonl"
    file.write_bytes(b"\n".join(reviews) + b"\n")
    flags = [f"--policy={policy_file}"] if policy_file else []
    done = subprocess.run([BUILD / "bin" / "kubectl-dynamo", "replay", file, "-o", "json", *flags],
                          capture_output=True, timeout=DEADLINE, check=False)
    assert done.returncode in (0, 1), done.stderr.decode()
    return {json.loads(line)["uid"]: line for line in done.stdout.splitlines()}


# --- Comparing --------------------------------------------------------------------------------------


class Place:
    """The reviews and the server's responses, with or without a policy."""

    def __init__(self, name, policy, reviews):
        self.folder = fresh(WORK / f"places-{name}-{sys.argv[1]}")
        self.policy_file = None
        if policy:
            self.policy_file = self.folder / "policy.yaml"
            self.policy_file.write_text(policy, encoding="utf-8")
        self.reviews = reviews
        certificates = self.folder / "server"
        certificates.mkdir()
        self.started = server(certificates, self.policy_file)


def places():
    """Every other review is evaluated with a policy."""
    reviews = generate(REVIEWS, SEED)
    for name, policy, part in (("plain", None, reviews[0::2]), ("policy", POLICY, reviews[1::2])):
        place = Place(name, policy, part)
        with place.started as post:
            yield place, post


def same(what, expected, found, review):
    assert expected == found, f"{what} differs for {review[:4000]!r}:\n  {expected}\n  {found}"


def response_of(body):
    return json.loads(body)["response"]


def server_c_abi_and_wheel_agree():
    statuses, verdicts, patches, warned = set(), set(), 0, 0
    for place, post in places():
        served = [post(*review) for review in place.reviews]
        for name, answers in (("the C ABI", c_abi(place.reviews, place.policy_file)),
                              ("the wheel", wheel(place.reviews, place.policy_file))):
            for review, expected, found in zip(place.reviews, served, answers):
                same(name, expected, found, review)
        for status, body in served:
            statuses.add(status)
            if status == 200:
                response = response_of(body)
                verdicts.add(response["allowed"])
                patches += "patch" in response
                warned += "warnings" in response
    # Make sure that the reviews cover enough cases.
    assert statuses == {200, 400} and verdicts == {True, False}, (statuses, verdicts)
    assert patches >= 100 and warned >= 50, (patches, warned)


def evaluate_agrees_with_the_server():
    compared = 0
    for place, post in places():
        requests = [json.loads(text)["request"] for path, text in place.reviews
                    if is_comparable(post(path, text), text)]
        frames = [("evaluate", json.dumps(request).encode()) for request in requests]
        for request, (status, body) in zip(requests, wheel(frames, place.policy_file)):
            assert status == 200, (request, body)
            compared += 1
            compare_decision(post, request, json.loads(body))
    assert compared >= 800, compared


def is_comparable(answer, text):
    """Whether evaluate() receives the same input as the server: it takes the kind from the object."""
    if answer[0] != 200:
        return False
    request = json.loads(text)["request"]
    objects = [request[name] for name in ("object", "oldObject") if request.get(name) is not None]
    return bool(objects) and all(
        isinstance(thing, dict) and thing.get("kind") == request["kind"]["kind"]
        and thing.get("apiVersion") == "nvidia.com/v1alpha1" for thing in objects)


def compare_decision(post, request, decision):
    """Like an API server: calls the defaulting webhook, then the validating one with the patched object."""
    kind = request["kind"]["kind"]

    def ask(verb):
        review = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}
        status, body = post(path_of(verb, kind), json.dumps(review).encode())
        assert status == 200, body
        return response_of(body)

    patch = base64.b64decode(ask("mutate").get("patch", "")).decode() if kind == GRAPH else ""
    same("the patch", patch, decision["patch"], str(request))
    if patch:
        request = {**request, "object": patched(request["object"], json.loads(patch))}
    response = ask("validate")
    details = response.get("status", {})
    same("the verdict", response["allowed"], decision["allowed"], str(request))
    same("the message", details.get("message", ""), decision["message"], str(request))
    same("the causes", details.get("details", {}).get("causes", []),
         [{name: cause[name] for name in ("reason", "message", "field")} for cause in decision["causes"]],
         str(request))
    compare_warnings(response.get("warnings", []), decision["warnings"], str(request))


def compare_warnings(answered, found, review):
    """A response contains each warning once, cut to 256 characters, and a count if there are too many."""
    texts = list(dict.fromkeys(warning["message"] for warning in found))
    if not answered or " more; validate the manifest" not in answered[-1]:
        assert len(answered) == len(texts), f"{answered} {texts} for {review[:4000]}"
    for whole, sent in zip(texts, answered):
        whole = "".join(" " * len(c.encode()) if is_control(c) else c for c in whole)
        if len(whole) > 256:
            start, ending = sent.split("…")[0], sent.split("…")[-1]
            assert whole.startswith(start) and whole.endswith(ending), f"{whole} {sent}"
        elif " more; validate the manifest" not in sent:
            same("a warning", sent, whole, review)


def is_control(character):
    return ord(character) < 32 or 127 <= ord(character) < 160


def patched(document, operations):
    """The document with its `add` operations applied; defaults use no others."""
    document = json.loads(json.dumps(document))
    for operation in operations:
        assert operation["op"] == "add", operation
        *way, last = [step.replace("~1", "/").replace("~0", "~")
                      for step in operation["path"].split("/")[1:]]
        parent = document
        for step in way:
            parent = parent[step]
        parent[last] = operation["value"]
    return document


def checker_agrees_with_the_server():
    compared = 0
    for place, post in places():
        kinds = {}
        for _, text in place.reviews:
            with contextlib.suppress(ValueError, KeyError, TypeError):
                kinds[text] = json.loads(text)["request"]["kind"]["kind"]
        answered = {}
        for text, kind in kinds.items():
            status, body = post(path_of("validate", kind), text)
            if status == 200:
                answered[text] = response_of(body)
        lines = checker(answered, place.policy_file, place.folder)
        for text, response in answered.items():
            compared += 1
            patch = ""
            if kinds[text] == GRAPH:
                patch = base64.b64decode(
                    response_of(post(path_of("mutate", GRAPH), text)[1]).get("patch", "")).decode()
            compare_line(lines[response["uid"]], response, patch, text)
    assert compared >= 800, compared


def compare_line(line, response, patch, review):
    found = json.loads(line)
    same("the verdict", response["allowed"], found["allowed"], review)
    causes = response.get("status", {}).get("details", {}).get("causes", [])
    same("the causes", [(cause["field"], cause["message"]) for cause in causes],
         [(error["field"], f"{error['type']}: {error['detail']} [{error['rule']}]")
          for error in found["errors"]], review)
    compare_warnings(
        response.get("warnings", []),
        [{"message": f"{warning['field']}: {warning['detail']} [{warning['rule']}]"}
         for warning in found["warnings"]], review)
    ending = f'"patch":{patch}}}'.encode()
    assert line.endswith(ending) if patch else "patch" not in found, (patch, line[-400:])


if __name__ == "__main__":
    os.chdir(pathlib.Path(__file__).parent)
    globals()[sys.argv[1]]()
