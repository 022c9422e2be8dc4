"""Servers, a Prometheus that scrapes them, and requests: all on loopback, on free ports, for a limited time."""

import contextlib
import datetime
import http.client
import itertools
import json
import os
import pathlib
import re
import select
import socket
import ssl
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

import yaml

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "deploy/samples/reviews"))
import send_review  # noqa: E402

START_SECONDS = 30
PER_SECOND = 60
OWN, HELD, DOUBTED = "dynamo-system", "team-a", "team-b"
KINDS = {"DynamoGraphDeployment", "DynamoComponentDeployment", "DynamoModel", "DynamoGraphDeploymentRequest", "DynamoCheckpoint",
         "DynamoGraphDeploymentScalingAdapter"}


# A dashboard also shows requests that a policy exempts.
POLICY = """version: 1
honourIgnores: true
exemptions:
  - {rules: ["dm.*"], holder: team-a, reason: for the picture, expires: 2999-12-31}
"""
IGNORES = {"dynamo-admission.nvidia.com/ignore": "epp.inference-pool.available, cross.*",
           "dynamo-admission.nvidia.com/ignore-reason": "for the picture"}


@contextlib.contextmanager
def process(command, **more):
    with subprocess.Popen([str(word) for word in command], **more) as started:
        try:
            yield started
        finally:
            started.terminate()
            try:
                started.wait(timeout=20)
            except subprocess.TimeoutExpired:
                started.kill()


def wait_for(stream, pattern):
    """Reads a log until a line matches; returns the match."""
    text, deadline = "", time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if not select.select([stream], [], [], 1)[0]:
            continue
        part = os.read(stream.fileno(), 65536)
        text += part.decode(errors="replace")
        match = re.search(pattern, text)
        if match:
            threading.Thread(target=drain, args=(stream,), daemon=True).start()
            return match
        if not part:
            break
    raise RuntimeError(f"{pattern} must be in the log within {START_SECONDS} s: {text[-1500:]}")


def drain(stream):
    while os.read(stream.fileno(), 65536):
        pass


@contextlib.contextmanager
def server(program, folder, *flags):
    """A server; yields its ports, and the file of its CA (None: a cluster's Secret)."""
    folder.mkdir(parents=True)
    policy = folder / "policy.yaml"
    policy.write_text(POLICY, encoding="utf-8")
    alone = ["--cert-mode", "self-signed", "--cert-dir", folder, "--cluster-connection", "none"]
    managed = "managed" in flags
    command = [program, *([] if managed else alone), "--policy", policy, "--shutdown-delay", "0s", "--drain-timeout", "1s", *flags]
    for flag in ("--bind-address", "--health-probe-bind-address", "--metrics-bind-address"):
        command += [flag, "127.0.0.1:0"]
    with process(command, stderr=subprocess.PIPE) as started:
        ports = json.loads(wait_for(started.stderr, r'\{[^\n]*"message":"serving"[^\n]*\}')[0])
        wait_until_ready(ports["probe_port"])
        yield {"port": ports["port"], "metrics": ports["metrics_port"], "authority": None if managed else folder / "ca.crt"}


def wait_until_ready(port):
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5) as answer:
                if answer.status == 200:
                    return
        except urllib.error.URLError:  # not there yet, or not ready
            time.sleep(0.1)
    raise RuntimeError(f"the server must be ready within {START_SECONDS} s and is not")


@contextlib.contextmanager
def reconciler(program, kubeconfig):
    """A replacement reconciler in that cluster; yields its ports."""
    probes, metrics = free_port(), free_port()
    command = [program, "--kubeconfig", kubeconfig, "--mode", "replacement", "--controllers", "*", "--planner-cluster-role-name", "cluster-admin",
               "--leader-election-namespace", OWN, "--health-probe-bind-address", f"127.0.0.1:{probes}",
               "--metrics-bind-address", f"127.0.0.1:{metrics}"]
    with process(command, stderr=subprocess.DEVNULL):
        wait_until_ready(probes)
        yield {"job": "dynamo-reconciler", "metrics": metrics}


@contextlib.contextmanager
def prometheus(program, folder, servers):
    """A Prometheus that scrapes each second, with the labels of targets in a cluster; yields its address."""
    folder.mkdir(parents=True)
    targets = [{"targets": [f"127.0.0.1:{one['metrics']}"],
                "labels": {"namespace": "dynamo-system", "pod": f"{one.get('job', 'dynamo-webhook')}-{number}", "instance": f"10.0.0.{number + 1}:8080",
                           "job": one.get("job", "dynamo-webhook")}}
               for number, one in enumerate(servers)]
    config = folder / "prometheus.yml"
    config.write_text(yaml.safe_dump({"global": {"scrape_interval": "1s"}, "scrape_configs": [
        {"job_name": "dynamo", "honor_labels": True, "static_configs": targets}]}), encoding="utf-8")
    # It cannot report a port that it chose, so this passes one that was free a moment ago.
    port = free_port()
    command = [program, f"--config.file={config}", f"--storage.tsdb.path={folder / 'data'}", f"--web.listen-address=127.0.0.1:{port}"]
    with process(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL) as started:
        wait_for(started.stderr, "Server is ready to receive web requests")
        yield f"http://127.0.0.1:{port}"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def ask(address, path, **parameters):
    with urllib.request.urlopen(f"{address}/api/v1/{path}?{urllib.parse.urlencode(parameters)}", timeout=20) as answer:
        return json.load(answer)["data"]["result"]


def objects():
    """Valid and invalid objects of all kinds, from the samples and from the tests."""
    files = [*sorted((SOURCE / "deploy/samples").glob("*.yaml")), *sorted((SOURCE / "tests/testdata/invalid").rglob("*.yaml"))]
    found = [document for path in files for document in yaml.safe_load_all(path.read_text(encoding="utf-8"))
             if isinstance(document, dict) and document.get("kind") in KINDS]
    # The samples come first and are valid: two of them between two others.
    return [one for good, other in zip(itertools.cycle(found[:20]), found) for one in (good, other, good)]


def send(one, seconds, stop):
    """Reviews over one kept-alive connection, at a steady pace, some of them for defaulting, and a few requests that are
    no reviews."""
    connection = http.client.HTTPSConnection("127.0.0.1", one["port"], timeout=10,
                                             context=trust(one["authority"]))
    deadline = time.monotonic() + seconds
    for number, thing in enumerate(itertools.cycle(objects())):
        if time.monotonic() > deadline or stop.wait(1 / PER_SECOND):
            break
        if number % 5 == 0:
            thing = thing | {"metadata": thing["metadata"] | {"annotations": IGNORES}}
        review = send_review.as_review(thing)
        if number % 17 == 0:  # in a cluster another operator holds it
            review["request"]["namespace"] = HELD
        if number % 31 == 0:  # a deletion is not validated
            review["request"] |= {"operation": "DELETE", "object": None, "oldObject": thing}
        verb = "mutate" if thing["kind"] == "DynamoGraphDeployment" and number % 3 == 0 else "validate"
        body = json.dumps(review) if number % 97 else "{"
        connection.request("POST", send_review.path_for(review["request"], verb), body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        answer.read()
        if answer.getheader("Connection", "") == "close":
            connection.close()
    connection.close()


def trust(authority):
    if authority:
        return ssl.create_default_context(cafile=str(authority))
    context = ssl.create_default_context()  # certificates have the Service's name, and this is loopback
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def prepare(kubectl):
    """The objects of an installation: its namespace, a configuration that needs a caBundle, and Leases of
    others, one of them untrusted. `kubectl`: the command's first words."""
    now = datetime.datetime.now(datetime.timezone.utc)
    things = [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in (OWN, HELD, DOUBTED)]
    things += [lease(HELD, now), lease(DOUBTED, now + datetime.timedelta(days=365))]
    things.append({"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
                   "metadata": {"name": "picture", "labels": {"nvidia.com/dynamo-webhook-inject-ca": "true"}},
                   "webhooks": [{"name": "model.picture.nvidia.com", "admissionReviewVersions": ["v1"], "sideEffects": "None",
                                 "failurePolicy": "Ignore", "clientConfig": {"service": {"name": "dynamo-webhook", "namespace": OWN}},
                                 "rules": [{"apiGroups": ["nvidia.com"], "apiVersions": ["v1alpha1"], "operations": ["CREATE"],
                                            "resources": ["dynamomodels"]}]}]})
    for thing in things:
        subprocess.run([*kubectl, "apply", "-f", "-"], input=json.dumps(thing), text=True, timeout=30, check=True, stdout=subprocess.DEVNULL)


def store(kubectl):
    """The samples, for the reconciler, in a cluster without a webhook."""
    for path in sorted((SOURCE / "deploy/samples").glob("*.yaml")):
        subprocess.run([*kubectl, "apply", "-f", str(path)], timeout=30, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def lease(namespace, renewed):
    return {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
            "metadata": {"name": "dynamo-operator-namespace-scope", "namespace": namespace},
            "spec": {"holderIdentity": "namespace-restricted-operator-1.2.3", "leaseDurationSeconds": 290,
                     "acquireTime": renewed.strftime("%Y-%m-%dT%H:%M:%S.000000Z"), "renewTime": renewed.strftime("%Y-%m-%dT%H:%M:%S.000000Z")}}


def traffic(servers, seconds):
    """Sends to all servers at once, for that many seconds."""
    stop = threading.Event()
    threads = [threading.Thread(target=send, args=(one, seconds, stop)) for one in servers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=seconds + 30)
    stop.set()
