#!/usr/bin/env python3
"""Sends the same reviews to two builds of dynamo-webhook and compares their responses byte by byte.

  same_answers.py BEFORE AFTER [--reviews N] [--seed S]

For changes that must not change behaviour: a move, a rename, an optimisation. The reviews are the
recorded manifests of the tests, the reviews of the benchmark, and seeded mutations of them: members
dropped, duplicated under other names, or with another type or value; as creations and as updates, for
validation and defaulting, of every kind. The same seed gives the same reviews.

Exits 0 when all responses are the same, 1 when one differs (the first ten are shown), 2 when the
comparison is impossible.
"""

import argparse
import contextlib
import copy
import json
import os
import random
import sys
import tempfile
from pathlib import Path

from driver import certificates, client, machine, servers
from driver.machine import BenchError, Deadline

BENCH = Path(__file__).resolve().parent
ROOT = BENCH.parent
SECONDS = 900
SHOWN = 10
PATHS = {
    "DynamoGraphDeployment": "dynamographdeployment",
    "DynamoComponentDeployment": "dynamocomponentdeployment",
    "DynamoGraphDeploymentScalingAdapter": "dynamographdeploymentscalingadapter",
    "DynamoModel": "dynamomodel",
    "DynamoGraphDeploymentRequest": "dynamographdeploymentrequest",
    "DynamoCheckpoint": "dynamocheckpoint",
}
RESOURCES = {kind: path + "s" for kind, path in PATHS.items()}
DEFAULTED = ("DynamoGraphDeployment",)
VALUES = (
    None, True, False, 0, -1, 1, 3, 2**31, 2**63, 1.5, "", "0", "-1", "x", "a" * 300, "Über ™ 漢字", "a.b/c",
    "1Gi", "-2Gi", "10 GB", "worker", "planner", "vllm", "sglang", "trtllm", "Always", "/dev/shm", "${NAME}",
    [], {}, [1], ["a", "a"], [None], {"name": "x"}, [{"name": "x"}, {"name": "x"}],
)


def seeds():
    """The objects that the reviews are based on."""
    objects = []
    for line in (ROOT / "tests/testdata/measured/cases.jsonl").read_text().splitlines():
        found = json.loads(line).get("object")
        if isinstance(found, dict) and found.get("kind") in PATHS:
            objects.append(found)
    for path in sorted((BENCH / "reviews").glob("*.json")):
        objects.append(json.loads(path.read_text())["request"]["object"])
    if not objects:
        raise BenchError("tests/testdata/measured/cases.jsonl holds no object")
    return objects


def places(value, path=()):
    """Every position below `value`, as keys and indexes."""
    found = []
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, member in members:
        found.append((*path, key))
        found.extend(places(member, (*path, key)))
    return found


def mutated(value, chance, pool):
    """A copy of `value` with a few changes; keeps apiVersion and kind."""
    value = copy.deepcopy(value)
    for _ in range(chance.choice((0, 1, 1, 2, 3, 5))):
        where = [place for place in places(value) if place[0] not in ("apiVersion", "kind")]
        if not where:
            return value
        place = chance.choice(where)
        parent = value
        for key in place[:-1]:
            parent = parent[key]
        key, what = place[-1], chance.randrange(6)
        if what == 0:
            del parent[key]
        elif what == 1:
            parent[key] = copy.deepcopy(chance.choice(VALUES))
        elif what == 2 and isinstance(parent, dict):
            parent[chance.choice(("name", "x", "Frontend", "nvidia.com/x", "replicas", "é"))] = copy.deepcopy(parent[key])
        elif what == 3 and isinstance(parent, list):
            parent.append(copy.deepcopy(parent[key]))
        else:
            # A value of a field of the same name in another object.
            alike = pool.get(key if isinstance(key, str) else "[]")
            parent[key] = copy.deepcopy(chance.choice(alike)) if alike else None
    return value


def pool_of(objects):
    pool = {}
    for found in objects:
        for place in places(found):
            value = found
            for key in place:
                value = value[key]
            pool.setdefault(place[-1] if isinstance(place[-1], str) else "[]", []).append(value)
    return pool


def reviews(count, seed):
    """Yields (path, body) of this many reviews, unmodified ones first."""
    chance = random.Random(seed)
    objects = seeds()
    pool = pool_of(objects)
    for number in range(count):
        plain = objects[number % len(objects)]
        now = plain if number < len(objects) else mutated(plain, chance, pool)
        kind = plain["kind"]
        update = chance.random() < 0.5
        metadata = now.get("metadata") if isinstance(now.get("metadata"), dict) else {}
        request = {
            "uid": f"00000000-0000-4000-8000-{number:012d}",
            "kind": {"group": "nvidia.com", "version": "v1alpha1", "kind": kind},
            "resource": {"group": "nvidia.com", "version": "v1alpha1", "resource": RESOURCES[kind]},
            "name": metadata.get("name") if isinstance(metadata.get("name"), str) else "",
            "namespace": "team-a",
            "operation": "UPDATE" if update else "CREATE",
            "userInfo": {"username": chance.choice(("alice", "system:serviceaccount:dynamo-system:planner"))},
            "object": now,
            "oldObject": mutated(plain, chance, pool) if update else None,
        }
        purpose = "mutate" if kind in DEFAULTED and chance.random() < 0.2 else "validate"
        review = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}
        body = json.dumps(review, ensure_ascii=False, separators=(",", ":")).encode()
        yield f"/{purpose}-nvidia-com-v1alpha1-{PATHS[kind]}", body


def compare(arguments):
    machine.allow_open_files(200)
    with tempfile.TemporaryDirectory(prefix="dynamo-answers-") as temporary:
        folder = Path(temporary)
        cpu = min(os.sched_getaffinity(0))
        fleet = servers.Fleet(cpu, certificates.make(folder), folder, Deadline(SECONDS))
        kinds = [servers.webhook(arguments.before.resolve(), "before"), servers.webhook(arguments.after.resolve(), "after")]
        denied = differing = 0
        with fleet.running(kinds) as pair, contextlib.ExitStack() as stack:
            connections = [
                stack.enter_context(contextlib.closing(client.connect(server.port, server.trust, client.ANSWER_SECONDS)))
                for server in pair
            ]
            for number, (path, body) in enumerate(reviews(arguments.reviews, arguments.seed)):
                before, after = (client.post(connection, path, body) for connection in connections)
                denied += b'"allowed":false' in before[1]
                if before == after:
                    continue
                differing += 1
                if differing <= SHOWN:
                    print(f"review {number} ({path}):\n  before: {before[0]} {before[1].decode()[:2000]}\n"
                          f"  after:  {after[0]} {after[1].decode()[:2000]}")
    print(f"{arguments.reviews} reviews, {denied} of them denied, {differing} answered otherwise (seed {arguments.seed})")
    return 1 if differing else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=Path, metavar="BEFORE", help="a dynamo-webhook")
    parser.add_argument("after", type=Path, metavar="AFTER", help="another")
    parser.add_argument("--reviews", type=int, default=2000, metavar="N", help="how many (default: 2000)")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="of the mutations (default: 1)")
    arguments = parser.parse_args()
    for binary in (arguments.before, arguments.after):
        if not binary.exists():
            print(f"same_answers: {binary} is not there; build it, or name another", file=sys.stderr)
            return 2
    try:
        return compare(arguments)
    except (BenchError, OSError) as error:
        print(f"same_answers: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
