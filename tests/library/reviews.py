"""Seeded AdmissionReviews: mutations of this tree's good and bad ones. The same seed gives the same
reviews, so that failures are reproducible.
"""

import copy
import json
import random

import yaml

from support import SOURCE

GROUP, VERSION = "nvidia.com", "v1alpha1"
USERS = ("jane", "system:serviceaccount:dynamo-system:dynamo-operator-controller-manager",
         "system:serviceaccount:team-a:planner-serviceaccount", "")
NAMESPACES = ("team-a", "team-b", "default", "")
# Replacement values for mutations.
VALUES = (None, True, False, 0, -1, 1, 7, 2147483648, 1.5, "", "x", "-", "auto", "worker", "frontend",
          "epp", "Recreate", "nvidia.com/gpu", "1Gi", "é…\u007f", "a" * 300, [], {}, [1, "x", {}],
          {"a": {"b": []}}, {"replicas": -1}, {"name": "", "size": "-1"})
KEYS = ("replicas", "componentType", "multinode", "envs", "resources", "autoscaling", "ingress", "pvcs",
        "sharedMemory", "eppConfig", "unknown", "extraPodSpec", "modelRef", "é", "")


def generate(count, seed):
    """`count` pairs of path and review bytes; one in twenty is damaged so that it is no longer a review."""
    dice = random.Random(seed)
    bases = _bases()
    found = []
    for number in range(count):
        review = copy.deepcopy(dice.choice(bases))
        request = review["request"]
        request["uid"] = f"uid-{number}"
        for _ in range(dice.choice((0, 1, 1, 2, 3, 5))):
            _mutate(dice, request)
        text = json.dumps(review, ensure_ascii=dice.random() < 0.5).encode()
        if dice.random() < 0.05:
            text = _damage(dice, text)
        # Half of the graphs are defaulted, half are validated.
        graph = request["kind"]["kind"] == "DynamoGraphDeployment"
        verb = "mutate" if graph and dice.random() < 0.5 else "validate"
        found.append((path_of(verb, request["kind"]["kind"]), text))
    return found


def path_of(verb, kind):
    """The path of the webhook."""
    return f"/{verb}-nvidia-com-v1alpha1-{kind.lower()}"


def _bases():
    bases = [json.loads(path.read_bytes()) for folder in ("bench/reviews", "deploy/samples/reviews")
             for path in sorted((SOURCE / folder).glob("*.json"))]
    for path in sorted((SOURCE / "deploy/samples").glob("*.yaml")):
        bases += [_review(document) for document in _documents(path)]
    for path in sorted((SOURCE / "tests/testdata/invalid").glob("*/*.yaml")):
        bases += [_review(document) for document in _documents(path)]
    for path in sorted((SOURCE / "tests/testdata/invalid_updates").glob("*/*.new.yaml")):
        (new,) = _documents(path)
        (old,) = _documents(path.with_name(path.name.replace(".new.", ".old.")))
        bases.append(_review(new, old))
    return bases


def _documents(path):
    documents = yaml.safe_load_all(path.read_text(encoding="utf-8"))
    # Times, which exist in YAML but not in JSON, become texts.
    return [json.loads(json.dumps(document, default=str)) for document in documents
            if isinstance(document, dict) and document.get("apiVersion") == f"{GROUP}/{VERSION}"]


def _review(new, old=None):
    kind = {"group": GROUP, "version": VERSION, "kind": new["kind"]}
    return {
        "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
        "request": {
            "uid": "", "kind": kind, "name": new["metadata"].get("name", ""), "namespace": "team-a",
            "operation": "CREATE" if old is None else "UPDATE", "userInfo": {"username": "jane"},
            "object": new, "oldObject": old, "dryRun": False,
        },
    }


def _mutate(dice, request):
    what = dice.random()
    if what < 0.75:
        _mutate_object(dice, request["object"])
    elif what < 0.80 and isinstance(request.get("object"), dict):
        request["operation"] = "UPDATE"
        request["oldObject"] = copy.deepcopy(request["object"])
        _mutate_object(dice, request["oldObject"])
    elif what < 0.84:
        request["namespace"] = dice.choice(NAMESPACES)
    elif what < 0.88:
        request["userInfo"] = {"username": dice.choice(USERS)}
    elif what < 0.90:
        request.pop("userInfo", None)
    elif what < 0.92:
        request["operation"] = dice.choice(("CREATE", "UPDATE", "DELETE", "CONNECT", "PATCH"))
    elif what < 0.94:
        request["subResource"] = dice.choice(("status", "scale", ""))
    elif what < 0.96 and isinstance(request.get("object"), dict):
        request["object"].setdefault("metadata", {})["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    elif what < 0.98:
        request["name"] = dice.choice(("", "other", "é"))
    else:
        request["object"], request["oldObject"] = request.get("oldObject"), request.get("object")


def _mutate_object(dice, thing):
    """Changes one value anywhere inside, except apiVersion and kind, which must match the path."""
    if not isinstance(thing, dict):
        return
    containers = [value for name in ("metadata", "spec", "status")
                  for value in _containers(thing.get(name))]
    if not containers:
        thing["spec"] = dice.choice(VALUES)
        return
    inside = dice.choice(containers)
    action = dice.random()
    if isinstance(inside, list):
        if action < 0.3 and inside:
            inside.append(copy.deepcopy(dice.choice(inside)))
        elif action < 0.6 and inside:
            inside.pop(dice.randrange(len(inside)))
        else:
            inside.insert(0, copy.deepcopy(dice.choice(VALUES)))
    elif action < 0.3 or not inside:
        inside[dice.choice(KEYS)] = copy.deepcopy(dice.choice(VALUES))
    elif action < 0.6:
        inside.pop(dice.choice(sorted(inside)))
    elif action < 0.7:
        inside[dice.choice(KEYS)] = inside.pop(dice.choice(sorted(inside)))
    else:
        inside[dice.choice(sorted(inside))] = copy.deepcopy(dice.choice(VALUES))


def _containers(value):
    if isinstance(value, (dict, list)):
        yield value
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _containers(inner)


def _damage(dice, text):
    at = dice.randrange(len(text))
    return dice.choice((text[:at], text[:at] + b"\xff" + text[at:], text[:at] + text[at + 1:],
                        text + b"}", b"[" * 200 + text, b""))
