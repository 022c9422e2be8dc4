"""A replacement for the Grove controller, which no Go module contains: it creates the cliques,
scaling groups and pods of each PodCliqueSet in one namespace, and sets their status. Grove's own definitions
validate the objects. It schedules no gangs, and sets no variables of Grove in pods."""

import hashlib
import http.client
import json
import ssl
import threading
import urllib.parse
from pathlib import Path

from . import controllers, groups, processes

PLURALS = ("podcliquesets", "podcliques", "podcliquescalinggroups")
API_VERSION = "grove.io/v1alpha1"
CLIQUE, HASH = "grove.io/podclique", "grove.io/pod-template-hash"
PERIOD_SECONDS = 0.5
TIMEOUT_SECONDS = 20
CONFLICTS = (404, 409)  # the next round reads the object again


def definitions():
    """The directory of the definitions; controllers.UnavailableError if they are not available."""
    directory, = controllers.built("published definitions", "definitions")
    return Path(directory)


def define(kubectl, directory):
    return groups.define(kubectl, directory, *PLURALS)


def _hash(value):
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:10]


def _hash_of(owner):
    """The hash of the fields of a set whose change replaces pods."""
    return _hash([[each["name"], each["spec"]["podSpec"], each.get("labels"), each.get("annotations")]
                  for each in owner["spec"]["template"]["cliques"]])


def _applied(set_hash):
    """The status field of a clique or group in which nothing is left to do; no field for None."""
    return {"currentPodCliqueSetGenerationHash": set_hash} if set_hash else {}


class Grove:
    """Reconciles in a thread until stop(). Without `has_pods`, for clusters without a scheduler, cliques have the
    status of running pods."""

    def __init__(self, state, namespace, has_pods=True):
        pki = state.directory / "pki"
        trusted = ssl.create_default_context(cafile=pki / "ca.crt")
        trusted.load_cert_chain(pki / "admin.crt", pki / "admin.key")
        address = urllib.parse.urlsplit(state.facts["api_server"])
        self._connection = http.client.HTTPSConnection(address.hostname, address.port, timeout=TIMEOUT_SECONDS, context=trusted)
        self._namespace = namespace
        self._has_pods = has_pods
        self._ends = threading.Event()
        self._error = None
        self._rounds = 0  # completed ones
        self._last_writing_round = 0
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self):
        self._ends.set()
        self._thread.join()
        self._connection.close()
        if self._error:
            raise self._error

    def until_idle(self, seconds):
        """Waits until two successive rounds that begin after the call have written nothing."""
        begun = self._rounds + 1

        def is_idle():
            if self._error:
                raise self._error
            return self._rounds - max(begun, self._last_writing_round) >= 2

        processes.wait_until("an end of Grove's writes", is_idle, seconds)

    def _run(self):
        try:
            while not self._ends.wait(PERIOD_SECONDS):
                self._reconcile()
                self._rounds += 1
        except Exception as error:  # pylint: disable=broad-except
            self._error = error

    # --- Requests.

    def _call(self, method, plural, name="", body=None):
        if method != "GET":
            self._last_writing_round = self._rounds + 1
        root = "api/v1" if plural == "pods" else f"apis/{API_VERSION}"
        path = f"/{root}/namespaces/{self._namespace}/{plural}" + (f"/{name}" if name else "")
        content = "application/merge-patch+json" if method == "PATCH" else "application/json"
        self._connection.request(method, path, body and json.dumps(body), {"Content-Type": content})
        answer = self._connection.getresponse()
        text = answer.read().decode()
        if answer.status >= 400 and answer.status not in CONFLICTS and "because it is being terminated" not in text:
            raise AssertionError(f"{method} {path}: {answer.status} {text}")
        return json.loads(text)

    def _list(self, plural):
        return {each["metadata"]["name"]: each for each in self._call("GET", plural).get("items", [])}

    def _set_status(self, plural, found, status):
        status = {"observedGeneration": found["metadata"]["generation"], **status}
        reported = found.get("status", {})
        if any(reported.get(name) != value for name, value in status.items()):
            self._call("PATCH", plural, f"{found['metadata']['name']}/status", {"status": status})

    # --- From sets to cliques, and from cliques to pods.

    def _reconcile(self):
        self._reconcile_sets(*(self._list(plural) for plural in (*PLURALS, "pods")))

    def _reconcile_sets(self, sets, cliques, scaling, pods):
        """Reconciles the sets with these objects, which are all that exist of them, by their names."""
        wanted, wanted_groups = {}, {}
        for owner in sets.values():
            if "deletionTimestamp" not in owner["metadata"]:
                self._expand(owner, scaling, wanted, wanted_groups)
                # Before any effect on the cliques: clients must not take it for the end of an update.
                self._set_status("podcliquesets", owner, {
                    "replicas": 1, "updatedReplicas": 1, "availableReplicas": 1, "currentGenerationHash": _hash_of(owner)})
        self._sync("podcliquescalinggroups", "PodCliqueScalingGroup", scaling, wanted_groups)
        # Updated cliques keep their status for a round, as if their own controller were slow.
        current = wanted.keys() - self._sync("podcliques", "PodClique", cliques, wanted)
        ready = {name: self._reconcile_pods(each, pods, _hash_of(wanted[name][0]))
                 for name, each in cliques.items() if name in current}
        for name, group in scaling.items():
            if name in wanted_groups:
                self._reconcile_group(group, ready, _hash_of(wanted_groups[name][0]))

    @staticmethod
    def _expand(owner, scaling, wanted, wanted_groups):
        """Adds the owner's cliques and groups by their names."""
        template, prefix = owner["spec"]["template"], f"{owner['metadata']['name']}-0-"
        in_groups = {}
        for group in template.get("podCliqueScalingGroups", []):
            name = prefix + group["name"]
            count = scaling[name]["spec"]["replicas"] if name in scaling else group.get("replicas", 1)
            spec = {"cliqueNames": group["cliqueNames"], "replicas": group.get("replicas", 1), "minAvailable": group["minAvailable"]}
            wanted_groups[name] = (owner, {}, spec)
            for clique in group["cliqueNames"]:
                in_groups[clique] = [f"{name}-{index}-" for index in range(count)]
        for clique in template["cliques"]:
            for before in in_groups.get(clique["name"], [prefix]):
                more = {key: clique.get(key, {}) for key in ("labels", "annotations")}
                wanted[before + clique["name"]] = (owner, more, clique["spec"])

    def _sync(self, plural, kind, found, wanted):
        """Creates, updates and deletes objects; the replica count of one that exists stays. Returns the names of
        updated ones."""
        changed = set()
        for name, (owner, more, spec) in wanted.items():
            if name not in found:
                reference = {"apiVersion": API_VERSION, "kind": "PodCliqueSet", "name": owner["metadata"]["name"],
                             "uid": owner["metadata"]["uid"], "controller": True, "blockOwnerDeletion": True}
                self._call("POST", plural, body={"apiVersion": API_VERSION, "kind": kind, "spec": spec,
                                                 "metadata": {"name": name, "ownerReferences": [reference], **more}})
                continue
            now = found[name]
            replaced = {**now, "metadata": {**now["metadata"], **{key: value for key, value in more.items() if value}},
                        "spec": {**spec, "replicas": now["spec"]["replicas"]}}
            if replaced != now:
                self._call("PUT", plural, name, replaced)
                changed.add(name)
        for name in found.keys() - wanted.keys():
            if "deletionTimestamp" not in found[name]["metadata"]:
                self._call("DELETE", plural, name)
        return changed

    def _reconcile_pods(self, clique, pods, set_hash):
        """Replaces outdated pods one by one; returns whether the clique is complete."""
        meta, spec = clique["metadata"], clique["spec"]
        if not self._has_pods:
            self._set_counts(clique, *[spec["replicas"]] * 3, set_hash)
            return True
        more = {key: meta.get(key, {}) for key in ("labels", "annotations")}
        version = _hash([spec["podSpec"], more])
        mine = {name: each for name, each in pods.items() if each["metadata"].get("labels", {}).get(CLIQUE) == meta["name"]}
        alive = {name: each for name, each in mine.items() if "deletionTimestamp" not in each["metadata"]}
        names = [f"{meta['name']}-{index}" for index in range(spec["replicas"])]
        for name in names:
            if name not in mine:
                self._call("POST", "pods", body={"apiVersion": "v1", "kind": "Pod", "spec": spec["podSpec"], "metadata": {
                    "name": name, "annotations": more["annotations"], "labels": {**more["labels"], CLIQUE: meta["name"], HASH: version},
                    "ownerReferences": [{"apiVersion": API_VERSION, "kind": "PodClique", "name": meta["name"], "uid": meta["uid"],
                                         "controller": True, "blockOwnerDeletion": True}]}})
        updated = [name for name, each in alive.items() if each["metadata"]["labels"][HASH] == version]
        ready = [name for name, each in alive.items() if any(
            one["type"] == "Ready" and one["status"] == "True" for one in each["status"].get("conditions", []))]
        surplus = alive.keys() - set(names)
        outdated = sorted(alive.keys() - set(updated) - surplus)
        if outdated and len(ready) == len(alive) == len(mine):
            surplus = {*surplus, outdated[0]}
        for name in surplus:
            self._call("DELETE", "pods", name)
        is_complete = len(ready) == len(updated) == len(alive) == spec["replicas"]
        self._set_counts(clique, len(alive), len(ready), len(updated), set_hash if is_complete else None)
        return is_complete

    def _set_counts(self, clique, replicas, ready, updated, set_hash):
        self._set_status("podcliques", clique, {
            "replicas": replicas, "readyReplicas": ready, "updatedReplicas": updated, "scheduledReplicas": ready,
            "scheduleGatedReplicas": 0, **_applied(set_hash)})

    def _reconcile_group(self, group, ready, set_hash):
        prefix, count = group["metadata"]["name"], group["spec"]["replicas"]
        complete = sum(all(ready.get(f"{prefix}-{index}-{clique}") for clique in group["spec"]["cliqueNames"]) for index in range(count))
        self._set_status("podcliquescalinggroups", group, {
            "replicas": count, "availableReplicas": complete, "updatedReplicas": complete, "scheduledReplicas": complete,
            **_applied(set_hash if complete == count else None)})
