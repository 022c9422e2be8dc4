#!/usr/bin/env python3
"""Prints an AdmissionReview of exactly SIZE_BYTES: reviews/create_13k.json, enlarged.

  make_large_review.py SIZE_BYTES > FILE

Adds environment variables to the main containers of its services in turn until the size is reached, and
adds services like the DecodeWorker when containers have too many of them. The output is deterministic.
Drops kubectl's last-applied annotation, because no object of this size can have one. The object stays
valid.
"""

import copy
import json
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parent / "reviews/create_13k.json"
MOST_VARIABLES = 1000  # per container; the rule pod.too-much has this limit, and one for all together
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


def compact(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def large_review(size):
    """The review as bytes, one line without a newline; ValueError if `size` is too small."""
    review = json.loads(SOURCE.read_text())
    graph = review["request"]["object"]
    graph["metadata"]["annotations"].pop(LAST_APPLIED, None)
    services = graph["spec"]["services"]

    # The last entry is padded to the exact size, so it is added at the end.
    def entry(number, padding=0):
        return {"name": f"MODEL_PARAMETER_{number:07d}",
                "value": f"--setting-{number:07d}=tuned-for-throughput" + ",as-measured" * 36 + "x" * padding}

    one = len(compact(entry(0))) + 1  # including its comma
    for number in range(len(services), -(-size // one // MOST_VARIABLES)):
        services[f"DecodeWorker{number}"] = copy.deepcopy(services["DecodeWorker"])
    containers = [service["extraPodSpec"]["mainContainer"] for _, service in sorted(services.items())]
    for container in containers:
        container["env"] = []
    length = len(compact(review).encode())
    count = (size - length) // one
    if count < len(containers):
        raise ValueError(f"must be at least {length + len(containers) * one} bytes")
    for number in range(count):
        containers[number % len(containers)]["env"].append(entry(number))
    last = containers[(count - 1) % len(containers)]["env"]
    last[-1] = entry(count - 1, size - len(compact(review).encode()))
    body = compact(review).encode()
    assert len(body) == size
    return body


def main():
    if len(sys.argv) != 2 or not sys.argv[1].isdecimal():
        sys.exit("usage: make_large_review.py SIZE_BYTES")
    try:
        sys.stdout.buffer.write(large_review(int(sys.argv[1])) + b"\n")
    except ValueError as error:
        sys.exit(f"make_large_review.py: SIZE_BYTES {error}")


if __name__ == "__main__":
    main()
