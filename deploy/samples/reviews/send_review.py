#!/usr/bin/env python3
"""Sends an AdmissionReview to a webhook server and prints the verdict the way kubectl shows it.

    send_review.py --server https://127.0.0.1:9443 --ca ca.crt FILE.json...

FILE is an AdmissionReview, or a plain object, which is then sent as its creation. The path on the
server follows from the kind; --mutate asks the defaulting endpoint instead and prints its patch.
Exit status: 0 when every review got a verdict (with --expect: that one); 1 when one did not.
"""

import argparse
import base64
import http.client
import json
import ssl
import sys
import urllib.parse
import uuid

TIMEOUT_SECONDS = 10
PAST_TENSE = {"CREATE": "created", "UPDATE": "configured", "DELETE": "deleted"}


class VerdictError(Exception):
    """The server did not answer with the verdict asked for; the text says what happened instead."""


def as_review(document):
    """Returns the AdmissionReview in the document, or one that creates the object it holds."""
    if document.get("kind") == "AdmissionReview":
        return document
    group, _, version = document["apiVersion"].rpartition("/")
    kind = {"group": group, "version": version, "kind": document["kind"]}
    resource = {"group": group, "version": version, "resource": document["kind"].lower() + "s"}
    metadata = document["metadata"]
    return {
        "apiVersion": "admission.k8s.io/v1",
        "kind": "AdmissionReview",
        "request": {
            "uid": str(uuid.uuid4()),
            "kind": kind,
            "resource": resource,
            "requestKind": kind,
            "requestResource": resource,
            "name": metadata["name"],
            "namespace": metadata.get("namespace", "default"),
            "operation": "CREATE",
            "userInfo": {"username": "kubernetes-admin", "groups": ["system:authenticated"]},
            "object": document,
            "oldObject": None,
            "dryRun": False,
            "options": {"apiVersion": "meta.k8s.io/v1", "kind": "CreateOptions"},
        },
    }


def path_for(request, verb):
    """Returns the path that serves the kind, as the webhook configurations spell it."""
    kind = request["kind"]
    group = kind["group"].replace(".", "-")
    return f"/{verb}-{group}-{kind['version']}-{kind['kind'].lower()}"


def send(server, ca_file, path, review):
    """Posts the review as the API server would; returns the response part of the answer."""
    address = urllib.parse.urlsplit(server)
    context = ssl.create_default_context(cafile=ca_file)
    connection = http.client.HTTPSConnection(
        address.hostname, address.port or 443, timeout=TIMEOUT_SECONDS, context=context
    )
    try:
        connection.request(
            "POST",
            f"{path}?timeout={TIMEOUT_SECONDS}s",
            json.dumps(review),
            {"Content-Type": "application/json", "Accept": "application/json"},
        )
        answer = connection.getresponse()
        body = answer.read()
    except OSError as error:
        raise VerdictError(f"cannot reach {server}: {error}") from error
    finally:
        connection.close()
    if answer.status != 200:
        text = body.decode(errors="replace").strip()
        raise VerdictError(f"{server}{path} answered {answer.status} {answer.reason}: {text}")
    response = json.loads(body).get("response", {})
    if response.get("uid") != review["request"]["uid"]:
        raise VerdictError(f"the answer carries uid {response.get('uid')!r}, not the request's")
    return response


def kubectl_lines(request, response):
    """Renders the response in kubectl's words."""
    lines = [f"Warning: {text}" for text in response.get("warnings") or []]
    kind = request["kind"]
    if response.get("allowed"):
        name = f"{kind['kind'].lower()}.{kind['group']}/{request['name']}"
        return lines + [f"{name} {PAST_TENSE[request['operation']]}"]
    status = response.get("status") or {}
    details = status.get("details") or {}
    causes = details.get("causes") or []
    if status.get("reason") != "Invalid" or not causes:
        reason = status.get("reason") or "Forbidden"
        message = status.get("message", "no message")
        return lines + [f"Error from server ({reason}): admission webhook denied the request: {message}"]
    errors = [f"{cause['field']}: {cause['message']}" for cause in causes]
    heading = f'The {details["kind"]} "{details["name"]}" is invalid: '
    if len(errors) == 1:
        return lines + [heading + errors[0]]
    return lines + [heading] + [f"* {error}" for error in errors]


def patch_lines(response):
    """Renders the JSON patch of a mutating answer, one operation a line."""
    patch = response.get("patch")
    if not patch:
        return ["no patch: nothing to default"]
    return [json.dumps(operation) for operation in json.loads(base64.b64decode(patch))]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--server", required=True, help="https://HOST:PORT of the webhook server")
    parser.add_argument("--ca", required=True, help="file with the certificate authority to trust")
    parser.add_argument("--mutate", action="store_true", help="ask for defaults and print the patch")
    parser.add_argument("--expect", choices=["allowed", "denied"], help="fail on the other verdict")
    parser.add_argument("files", nargs="+", metavar="FILE", help="AdmissionReview or object, in JSON")
    options = parser.parse_args()
    status = 0
    for file_name in options.files:
        try:
            with open(file_name, encoding="utf-8") as file:
                review = as_review(json.load(file))
            request = review["request"]
            path = path_for(request, "mutate" if options.mutate else "validate")
            response = send(options.server, options.ca, path, review)
            lines = patch_lines(response) if options.mutate else kubectl_lines(request, response)
            print("\n".join(lines))
            verdict = "allowed" if response.get("allowed") else "denied"
            if options.expect not in (None, verdict):
                raise VerdictError(f"must be {options.expect}, is {verdict}")
        except (VerdictError, OSError, ValueError, KeyError) as error:
            what = f"{error} is missing" if isinstance(error, KeyError) else error
            print(f"send_review.py: {file_name}: {what}", file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
