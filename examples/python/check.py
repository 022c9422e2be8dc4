#!/usr/bin/env python3
"""check.py OBJECT.json [POLICY.yaml]: prints the webhook's verdict on creating the object."""

import pathlib
import sys
import time

import dynamo_admission


def main(arguments):
    if len(arguments) not in (1, 2):
        print("usage: check.py OBJECT.json [POLICY.yaml]", file=sys.stderr)
        return 2
    try:
        texts = [pathlib.Path(path).read_bytes() for path in arguments]
        evaluator = dynamo_admission.Evaluator(
            "operator-version: 1.2.3", policy=texts[1] if len(texts) == 2 else None
        )
        decision = evaluator.evaluate(
            "CREATE", texts[0], user="jane", facts=dynamo_admission.Facts(now=int(time.time()))
        )
    except (OSError, dynamo_admission.Error) as error:
        print(error, file=sys.stderr)
        return 2
    print("allowed" if decision.allowed else "denied")
    for cause in decision.causes:
        print(f"cause {cause.field}: {cause.message}")
    for warning in decision.warnings:
        print(f"warning {warning.message}")
    if decision.patch:
        print(f"patch {decision.patch}")
    return 0 if decision.allowed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
