#!/usr/bin/env python3
"""A post-renderer of helm for the test cluster: post_render.py PORT [JUDGE]

Service addresses are not routed there, so the webhooks' Service becomes an external name for this machine,
and the webhooks call it at PORT. With JUDGE they apply only to the namespaces with that label, so that
releases of several tests do not validate each other's objects.
"""

import sys

import yaml

JUDGED_BY = "dynamo-admission.test/judged-by"


def change(each, port, judge):
    if each["kind"] == "Service" and each["metadata"]["name"].endswith("-webhook-service"):
        each["spec"] = {"type": "ExternalName", "externalName": "localhost"}
    if each["kind"].endswith("WebhookConfiguration"):
        for webhook in each["webhooks"]:
            webhook["clientConfig"]["service"]["port"] = port
            if not judge:
                continue
            selector = webhook.setdefault("namespaceSelector", {})
            selector.setdefault("matchExpressions", []).append(
                {"key": JUDGED_BY, "operator": "In", "values": [judge]})
    return each


def main():
    port, judge = int(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else None
    objects = [each for each in yaml.safe_load_all(sys.stdin) if each]
    yaml.safe_dump_all([change(each, port, judge) for each in objects], sys.stdout)


if __name__ == "__main__":
    main()
