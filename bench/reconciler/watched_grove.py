"""The replacement for Grove's controller, for many graphs: it watches instead of listing everything in each
round, and reconciles only the sets of changed objects."""

import contextlib
import queue
from collections import defaultdict

from api import Watch
from harness.grove import API_VERSION, Grove, PLURALS

PODS = "pods"
OF_SET = "-0-"  # follows the set's name in the names of its objects


def _version(each):
    return int(each["metadata"]["resourceVersion"])


class WatchedGrove(Grove):
    def __init__(self, state, api, namespace):
        self._known = {plural: defaultdict(dict) for plural in (*PLURALS, PODS)}  # plural, set, name
        self._watch = Watch(api, [*(f"/apis/{API_VERSION}/namespaces/{namespace}/{plural}" for plural in PLURALS),
                                  f"/api/v1/namespaces/{namespace}/{PODS}"])
        super().__init__(state, namespace)

    def stop(self):
        self._watch.close()
        super().stop()

    def _reconcile(self):
        changed = set()
        with contextlib.suppress(queue.Empty):
            while True:
                _, path, each, is_deleted = self._watch.reported.get_nowait()
                changed.add(self._keep(path.rpartition("/")[2], each, is_deleted))
        if not changed:
            self._connection.close()  # opened again by the next request: the API server closes idle ones
        for name in sorted(changed):
            self._reconcile_sets(*(dict(known[name]) for known in self._known.values()))

    def _call(self, method, plural, name="", body=None):
        answer = super()._call(method, plural, name, body)
        if "resourceVersion" in answer.get("metadata", {}):  # not a failure
            self._keep(plural, answer)
        return answer

    def _keep(self, plural, each, is_deleted=False):
        """Stores the object unless a newer version is known; returns the name of its set."""
        name = each["metadata"]["name"]
        owner = name.partition(OF_SET)[0]
        known = self._known[plural][owner]
        if is_deleted:
            known.pop(name, None)
        elif name not in known or _version(known[name]) < _version(each):
            known[name] = each
        return owner
