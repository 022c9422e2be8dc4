"""Answers reviews through the installed Python wheel, as c_worker.cpp does through the C ABI.

    wheel_worker.py POLICY NOW

For a frame with the path `evaluate` the bytes are the `request` of a review, and the response is the
result of Evaluator.evaluate() as JSON; its status is 200, or 400 with the error's text.
"""

import dataclasses
import json
import sys

import dynamo_admission


def evaluate(evaluator, request, facts):
    """One object instead of a review; null counts as absent, as in a review."""
    user = (request.get("userInfo") or {}).get("username")
    decision = evaluator.evaluate(
        request["operation"], request.get("object"), request.get("oldObject"), user=user,
        namespace=request.get("namespace") or "", name=request.get("name") or "",
        sub_resource=request.get("subResource"), dry_run=bool(request.get("dryRun")), facts=facts)
    return json.dumps(dataclasses.asdict(decision)).encode()


def answer_of(evaluator, path, text, facts):
    """HTTP status and body."""
    if path != "evaluate":
        answer = evaluator.review(path, text, facts=facts)
        return answer.http_status, answer.body
    try:
        return 200, evaluate(evaluator, json.loads(text), facts)
    except dynamo_admission.Error as error:
        return 400, str(error).encode()


def main(policy_file, now):
    policy = None
    if policy_file != "-":
        with open(policy_file, encoding="utf-8") as file:
            policy = file.read()
    evaluator = dynamo_admission.Evaluator(policy=policy)
    facts = dynamo_admission.Facts(now=int(now))
    while header := sys.stdin.buffer.readline():
        path, size = header.split()
        text = sys.stdin.buffer.read(int(size))
        status, body = answer_of(evaluator, path.decode(), text, facts)
        sys.stdout.buffer.write(b"%d %d\n" % (status, len(body)) + body)


if __name__ == "__main__":
    main(*sys.argv[1:])
