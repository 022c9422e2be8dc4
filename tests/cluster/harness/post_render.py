#!/usr/bin/env python3
"""A post-renderer of helm for the test cluster: post_render.py PORT [VALIDATOR]

Service addresses are not routed there, so the webhooks' Service becomes an external name for this machine,
and the webhooks call it at PORT. With VALIDATOR they apply only to the namespaces with that label, so that
releases of several tests do not validate each other's objects.
"""

import sys

import yaml

VALIDATED_BY = "dynamo-admission.test/validated-by"


def change(each, port, validator):
    if each["kind"] == "Service" and each["metadata"]["name"].endswith("-webhook-service"):
        each["spec"] = {"type": "ExternalName", "externalName": "localhost"}
    if each["kind"].endswith("WebhookConfiguration"):
        for webhook in each["webhooks"]:
            webhook["clientConfig"]["service"]["port"] = port
            if not validator:
                continue
            selector = webhook.setdefault("namespaceSelector", {})
            selector.setdefault("matchExpressions", []).append(
                {"key": VALIDATED_BY, "operator": "In", "values": [validator]})
    return each


def main():
    port, validator = int(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else None
    objects = [each for each in yaml.safe_load_all(sys.stdin) if each]
    yaml.safe_dump_all([change(each, port, validator) for each in objects], sys.stdout)


if __name__ == "__main__":
    main()
