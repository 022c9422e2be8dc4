"""Compares our conversions with those that the operator's code returned for the same objects.

Usage: measured_test.py CONVERT_LINES FILE.jsonl.gz
"""

import gzip
import json
import subprocess
import sys


def read_rows(path):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def convert(program, objects):
    text = "".join(json.dumps(each) + "\n" for each in objects)
    run = subprocess.run([program], input=text, capture_output=True, text=True, check=True, timeout=100)
    return [json.loads(line) for line in run.stdout.splitlines()]


def with_parsed_payloads(value):
    """The object without a null creation time, and with its payload annotations as JSON."""
    value = json.loads(json.dumps(value))
    metadata = value.get("metadata", {})
    if metadata.get("creationTimestamp", "") is None:
        del metadata["creationTimestamp"]
    for key, text in metadata.get("annotations", {}).items():
        if key.startswith("nvidia.com/") and key.endswith(("-spec", "-status")):
            try:
                metadata["annotations"][key] = json.loads(text)
            except ValueError:
                pass  # a payload that is no JSON stays a text
    return value


def are_same_number(ours, theirs):
    """v1beta1 numbers are binary64, so large integers lose digits on the way back."""
    return all(isinstance(each, (int, float)) for each in (ours, theirs)) and float(ours) == float(theirs)


def differences(ours, theirs, path=""):
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for key in sorted(ours.keys() | theirs.keys()):
            if key not in ours:
                yield f"{path}.{key}: missing, must be {theirs[key]!r}"
            elif key not in theirs:
                yield f"{path}.{key}: must be absent, is {ours[key]!r}"
            else:
                yield from differences(ours[key], theirs[key], f"{path}.{key}")
    elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        for index, pair in enumerate(zip(ours, theirs)):
            yield from differences(*pair, f"{path}[{index}]")
    elif isinstance(ours, bool) or isinstance(theirs, bool):
        if ours is not theirs:
            yield f"{path}: must be {theirs!r}, is {ours!r}"
    elif ours != theirs and not are_same_number(ours, theirs):
        yield f"{path}: must be {theirs!r}, is {ours!r}"


def check(rows, converted, wanted):
    faults = 0
    for row, ours in zip(rows, converted, strict=True):
        found = list(differences(with_parsed_payloads(ours), with_parsed_payloads(row[wanted])))
        if found:
            faults += 1
            print(f"{row['id']}, {wanted}:", *found[:5], sep="\n  ")
    return faults


def main():
    program, path = sys.argv[1:]
    rows = read_rows(path)
    faults = check(rows, convert(program, [row["in"] for row in rows]), "out")
    returned = [row for row in rows if "back" in row]
    faults += check(returned, convert(program, [row["out"] for row in returned]), "back")
    print(f"{len(rows)} conversions and {len(returned)} back, {faults} different")
    return 1 if faults or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
