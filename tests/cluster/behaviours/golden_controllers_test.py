"""Golden cases of the operator's controllers, played by dynamo-reconciler on a real API server: what
was measured stands in what the server stores, whatever defaults it has put beside it."""

import json
import os
import subprocess
from pathlib import Path

from harness import webhook

from .support import REPOSITORY, ClusterTest, HarnessError

CASES = REPOSITORY / "tests/testdata/controllers"
# Those of graphs and components that are one pass, need no definition of others and break none.
PLAYED = ("dcd-checkpoint-pvc", "dcd-compilation-cache-default", "dcd-debug-mode",
          "dcd-frontend-defaults", "dcd-model-service", "dcd-planner", "dcd-strategy-recreate", "dcd-worker-overrides",
          "dgd-component-aggregated", "dgd-component-annotations", "dgd-discovery-rbac", "dgd-pvcs",
          "dgd-scaling-adapters")
SPACE = "team-a"  # in the cases
CONTROLLERS = {"dgd": "graph", "dcd": "component"}
# Given by clusters.
NOT_COMPARED = {"uid", "resourceVersion", "creationTimestamp", "managedFields", "generation",
                "nvidia.com/last-applied-hash", "nvidia.com/last-applied-generation"}


def binary(variable, name):
    path = Path(os.environ.get(variable, REPOSITORY / f"build/release/bin/{name}"))
    if not os.access(path, os.X_OK):
        raise HarnessError(f"no {path}; build {name}, or name it in {variable}")
    return path


def all_cases(space):
    """By name, in that namespace."""
    done = subprocess.run([binary("DYNAMO_CONTROLLER_CASES_BINARY", "controller-cases"), "--json",
                           CASES], capture_output=True, text=True, timeout=60, check=True)
    return {each["case"]: each for each in json.loads(done.stdout.replace(SPACE, space))
            if "case" in each}


def completed(thing):
    """With what the cases leave out, as no API server looked at them."""
    spec = thing.get("spec", {})
    if thing["kind"] == "PersistentVolumeClaim":
        spec.setdefault("accessModes", ["ReadWriteOnce"])
        spec.setdefault("resources", {"requests": {"storage": "1Gi"}})
    services = {"DynamoComponentDeployment": [spec],
                "DynamoGraphDeployment": list(spec.get("services", {}).values())}
    for service in services.get(thing["kind"], []):
        pod = service.setdefault("extraPodSpec", {})
        pod.setdefault("mainContainer", {}).setdefault("image", "i")
    return thing


def is_nothing(value):
    return value in (None, "", {}, [])


def missing(measured, live, path=""):
    """Where `live` does not hold what was measured."""
    if isinstance(measured, str) and measured.startswith("<") and measured.endswith(">"):
        return [] if live else [f"{path}: must be set"]
    if isinstance(measured, dict):
        if "script-with" in measured:
            return [f"{path}: must hold {part!r}" for part in measured["script-with"]
                    if part not in (live or "")]
        live = live if isinstance(live, dict) else {}
        return [line for name, value in measured.items() if name not in NOT_COMPARED
                for line in missing(value, live.get(name), f"{path}.{name}")]
    if isinstance(measured, list):
        if len(measured) != len(live or []):
            return [f"{path}: must be {measured}; found {live}"] if measured else []
        return [line for at, value in enumerate(measured)
                for line in missing(value, live[at], f"{path}[{at}]")]
    if measured == live or (is_nothing(measured) and is_nothing(live)):
        return []
    return [f"{path}: must be {measured!r}; found {live!r}"]


class GoldenControllers(ClusterTest):
    def make(self, kubectl, thing, owner=None):
        """As it stands in the case, with its status and the uid of its owner."""
        for each in thing["metadata"].get("ownerReferences", []):
            if owner and each["name"] == owner["metadata"]["name"]:
                each["uid"] = owner["metadata"]["uid"]
        status = thing.pop("status", None)
        kubectl.must("create", "--filename", "-", stdin=completed(thing))
        name = (thing["kind"].lower(), thing["metadata"]["name"])
        if status:
            kubectl.must("patch", *name, "--subresource", "status", "--type", "merge", "--patch",
                         json.dumps({"status": status}))
        return kubectl.get(*name)

    def play(self, kubectl, space, case):
        golden = all_cases(space)[case]
        given = golden["input"]
        parent = self.make(kubectl, given["object"])
        for each in given.get("cluster") or []:
            self.make(kubectl, each, parent)
        controller = golden["controller"]
        flags = {"restrictedNamespace": space, **(given.get("operator") or {})}
        if controller == "dgd":
            flags.setdefault("mpi-run-ssh-secret-name", "mpi-run-ssh-secret")
        done = subprocess.run(
            [binary("DYNAMO_RECONCILER_BINARY", "dynamo-reconciler"), "--once",
             "--kubeconfig", self.state.kubeconfig, "--mode", "replacement",
             "--controllers", CONTROLLERS[controller], "--leader-election-namespace", space,
             *(f"--{name}={json.dumps(value) if isinstance(value, bool) else value}"
               for name, value in flags.items())],
            capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return golden["output"].get("objects") or []

    def lines_of(self, kubectl, expected):
        lines = []
        for each in expected:
            if "gone" in each:
                kind, _, name = each["gone"].split("/")
                found = kubectl.run("get", kind.lower(), name)
                lines += [f"{each['gone']}: must be gone"] if found.ok else []
                continue
            kind, name = each["kind"], each["metadata"]["name"]
            found = kubectl.run("get", kind.lower(), name, "--output", "json")
            if not found.ok:
                lines.append(f"{kind}/{name}: must be made")
                continue
            lines += [f"{kind}/{name} {line}" for line in missing(each, json.loads(found.stdout))]
        return lines

    def test_what_was_measured_stands_in_what_the_server_stores(self):
        for case in PLAYED:
            with self.subTest(case):
                space = self.new_namespace("case", {webhook.JUDGED_BY: webhook.NOBODY})
                kubectl = self.admin.within(space)
                expected = self.play(kubectl, space, case)
                self.assertEqual(self.lines_of(kubectl, expected), [])
