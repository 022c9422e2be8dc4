"""Objects with one mistake each, generated from an OpenAPI schema: every field of the resource in turn
is removed, misspelt, set to null, to a value of another type or out of its bounds, or duplicated. A
fixed seed selects the mistake for a field, so each run sends the same objects."""

import copy
import random
from dataclasses import dataclass

SEED = 20261121
# Core Kubernetes types have hundreds of fields; this share of them is enough to detect a systematic
# difference.
SHARE_OF_CORE_FIELDS = 0.04
# Our own fields end here: below these are types of core Kubernetes.
CORE_FIELDS = {"extraPodSpec", "podTemplateSpec", "envs", "livenessProbe", "readinessProbe",
               "autoscaling", "tolerations", "claims", "configMapRef"}


@dataclass(frozen=True)
class Mutant:
    """One object. `name` describes the change, `where` names the field."""

    name: str
    where: tuple
    value: dict
    doubled: bool = False  # the field `where` appears twice in the text


def example(schema, name="x", depth=0):
    """A small value that fits the schema; every property of our own fields, the required ones of
    core types."""
    if "default" in schema:
        return copy.deepcopy(schema["default"])
    if schema.get("x-kubernetes-int-or-string"):
        return "1Gi"
    kind = schema.get("type")
    if "enum" in schema:
        return schema["enum"][0]
    if kind == "object":
        return example_object(schema, depth)
    if kind == "array":
        return [example(schema["items"], name, depth + 1)]
    if kind == "integer":
        return max(1, int(schema.get("minimum", 1)))
    if kind == "number":
        return 0.5
    if kind == "boolean":
        return True
    if schema.get("format") == "date-time":
        return "2026-01-02T03:04:05Z"
    return name


def example_object(schema, depth, wanted=lambda name, required: True):
    if "additionalProperties" in schema:
        return {"a": example(schema["additionalProperties"], "a", depth + 1)}
    required = schema.get("required", [])
    core = depth < 0
    value = {}
    for name, inner in sorted(schema.get("properties", {}).items()):
        if not wanted(name, name in required):
            continue
        if core and name not in required:
            continue
        below = -1 if core or name in CORE_FIELDS else depth + 1
        value[name] = example(inner, name.lower(), below)
    return value


def places(value, schema, where=()):
    """(path, schema) of every field in a value, its own containers first."""
    if isinstance(value, dict):
        for name in sorted(value):
            inner = schema.get("properties", {}).get(name) or schema.get("additionalProperties")
            if isinstance(inner, dict):
                yield (*where, name), inner
                yield from places(value[name], inner, (*where, name))
    elif isinstance(value, list) and value and "items" in schema:
        yield from places(value[0], schema["items"], (*where, 0))


def additions(value, schema, where=()):
    """(path, schema) of every missing field of a value, one level at a time."""
    if isinstance(value, dict):
        for name, inner in sorted(schema.get("properties", {}).items()):
            if name not in value:
                yield (*where, name), inner
        for name in sorted(value):
            inner = schema.get("properties", {}).get(name) or schema.get("additionalProperties")
            if isinstance(inner, dict):
                yield from additions(value[name], inner, (*where, name))
    elif isinstance(value, list) and value and "items" in schema:
        yield from additions(value[0], schema["items"], (*where, 0))


def metadata_mutants(base):
    """Mistakes in metadata, which no definition describes."""
    owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": "a", "uid": "u"}
    wrong = {
        "name-with-capitals": {"name": "Aa"}, "name-too-long": {"name": "a" * 254},
        "name-empty": {"name": ""}, "name-number": {"name": 5},
        "label-value": {"labels": {"a": "b c"}}, "label-value-long": {"labels": {"a": "b" * 64}},
        "label-key": {"labels": {"a b": "c"}}, "label-key-prefix": {"labels": {"A_/b": "c"}},
        "label-number": {"labels": {"a": 1}}, "labels-text": {"labels": "a"},
        "annotation-key": {"annotations": {"a b": "c"}},
        "annotation-number": {"annotations": {"a": 1}},
        "annotations-large": {"annotations": {"a": "b" * 262_145}},
        "finalizer": {"finalizers": ["a b"]}, "finalizers-text": {"finalizers": "a"},
        "owner-without-uid": {"ownerReferences": [{**owner, "uid": ""}]},
        "owner-without-kind": {"ownerReferences": [{**owner, "kind": ""}]},
        "owner-twice-controller": {"ownerReferences": [
            {**owner, "controller": True}, {**owner, "uid": "v", "controller": True}]},
        "owner-text": {"ownerReferences": "a"}, "unknown-field": {"lables": {}},
        "generate-name": {"generateName": "A_"},
    }
    for name, fields in wrong.items():
        changed = copy.deepcopy(base)
        changed["metadata"].update(fields)
        yield Mutant(name, ("metadata", *fields), changed)


def drawn(made, count, label):
    """`count` of them, the same in each run, in order; all if there are fewer."""
    if len(made) <= count:
        return made
    chosen = set(random.Random(f"{SEED} {label}").sample(sorted(made), count))
    return {name: mutant for name, mutant in made.items() if name in chosen}


def mutants(base, schema, label):
    """Mutants of one object, in a fixed order."""
    chance = random.Random(f"{SEED} {label}")
    made = []
    for where, inner in [*places(base, schema), *additions(base, schema)]:
        if where[0] in ("apiVersion", "kind", "metadata", "status"):
            continue
        core = any(step in CORE_FIELDS for step in where[:-1])
        if core and chance.random() > SHARE_OF_CORE_FIELDS:
            continue
        known = _other_fields(schema, where)
        possible = [mutate for mutate in MUTATIONS if mutate(base, where, inner, known) is not None]
        if possible:
            made.append(chance.choice(possible)(base, where, inner, known))
    return made


def _other_fields(schema, where):
    """The valid names of the object that holds the field; empty if any name is allowed."""
    for step in where[:-1]:
        if isinstance(step, int):
            schema = schema.get("items", {})
        else:
            schema = schema.get("properties", {}).get(step) or schema.get("additionalProperties", {})
    return set(schema.get("properties", {}))


def _parent(value, where):
    for step in where[:-1]:
        value = value[step]
    return value


def _with(base, where, value):
    changed = copy.deepcopy(base)
    _parent(changed, where)[where[-1]] = value
    return changed


def _is_there(base, where):
    parent = _parent(base, where)
    return isinstance(parent, dict) and where[-1] in parent


def _removed(base, where, _schema, _known):
    if not _is_there(base, where):
        return None
    changed = copy.deepcopy(base)
    del _parent(changed, where)[where[-1]]
    return Mutant("removed", where, changed)


def _misspelt(base, where, schema, known):
    name = where[-1]
    if not known or len(name) < 3:
        return None
    wrong = name[:-2] + name[-1] + name[-2]
    if wrong == name or wrong in known:
        wrong = name + "s"
    if wrong in known:
        return None
    changed = copy.deepcopy(base)
    parent = _parent(changed, where)
    parent[wrong] = parent.pop(name, None) or example(schema, name.lower(), -1)
    return Mutant("misspelt", where, changed)


def _null(base, where, _schema, _known):
    return Mutant("null", where, _with(base, where, None))


def _other_type(base, where, schema, _known):
    if schema.get("x-kubernetes-preserve-unknown-fields") and "type" not in schema:
        return None
    if schema.get("x-kubernetes-int-or-string"):
        value = True
    else:
        value = {"string": 5, "integer": "x", "number": "x", "boolean": "yes", "array": {},
                 "object": "x"}.get(schema.get("type"))
    return None if value is None else Mutant("other-type", where, _with(base, where, value))


def _other_container(base, where, schema, _known):
    value = {"string": ["x"], "integer": 1.5, "boolean": 1, "array": "x",
             "object": []}.get(schema.get("type"))
    return None if value is None else Mutant("other-container", where, _with(base, where, value))


def _out_of_bounds(base, where, schema, _known):
    value = None
    if "enum" in schema:
        value = "no-such-value"
    elif "minimum" in schema:
        value = schema["minimum"] - 1
    elif "maximum" in schema:
        value = schema["maximum"] + 1
    elif schema.get("minLength"):
        value = ""
    elif "maxLength" in schema:
        value = "x" * (schema["maxLength"] + 1)
    elif schema.get("format") == "int32":
        value = 2**31
    elif schema.get("format") == "date-time":
        value = "yesterday"
    elif "pattern" in schema:
        value = "not a match!"
    elif "maxItems" in schema:
        value = [example(schema["items"])] * (schema["maxItems"] + 1)
    elif "maxProperties" in schema:
        item = example(schema["additionalProperties"], depth=-1)
        value = {f"k{i}": item for i in range(schema["maxProperties"] + 1)}
    return None if value is None else Mutant("out-of-bounds", where, _with(base, where, value))


def _item_doubled(base, where, schema, _known):
    if schema.get("type") != "array" or not _is_there(base, where):
        return None
    items = _parent(base, where)[where[-1]]
    if not items:
        return None
    return Mutant("item-doubled", where, _with(base, where, [*items, items[0]]))


def _null_item(base, where, schema, _known):
    if schema.get("type") != "array" or not _is_there(base, where):
        return None
    return Mutant("null-item", where, _with(base, where, [None]))


def _field_doubled(base, where, _schema, known):
    if not known or not _is_there(base, where):
        return None
    return Mutant("field-doubled", where, copy.deepcopy(base), doubled=True)


def _added(base, where, schema, _known):
    if _is_there(base, where):
        return None
    return Mutant("added", where, _with(base, where, example(schema, where[-1].lower(), -1)))


MUTATIONS = (_removed, _misspelt, _null, _other_type, _other_container, _out_of_bounds,
             _item_doubled, _null_item, _field_doubled, _added)
