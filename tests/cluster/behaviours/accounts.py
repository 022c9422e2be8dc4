"""A service account for a reconciler that serves one namespace, with exactly the permissions of
deploy/rbac there."""

import json

from .support import REPOSITORY

# The webhook recognises this as the operator: it may scale replicas owned by an adapter.
OPERATOR_ACCOUNT = "x-dynamo-operator-controller-manager"
RIGHTS = {"reconciler.yaml": ("dynamo-reconciler", "dynamo-reconciler-graphs"),
          "reconciler_models_and_adapters.yaml": ("dynamo-reconciler-models-and-adapters",),
          "reconciler_requests.yaml": ("dynamo-reconciler-requests",),
          "reconciler_checkpoints.yaml": ("dynamo-reconciler-checkpoints",)}


def user_of(namespace, account):
    return f"system:serviceaccount:{namespace}:{account}"


def kubeconfig(test, account="dynamo-reconciler", files=("reconciler.yaml",)):
    """Creates the account in the test's namespace with the permissions of these files of deploy/rbac,
    and returns the path of its kubeconfig."""
    namespace = test.namespace
    roles = [role for file in files for role in RIGHTS[file]]
    for file in files:
        rights = (REPOSITORY / "deploy/rbac" / file).read_text().replace("dynamo-system", namespace)
        test.admin.must("apply", "--filename", "-", stdin=rights)
    test.admin.must("delete", "clusterrolebinding", *(f"{role}-{namespace}" for role in roles))
    test.kubectl.run("create", "serviceaccount", account)  # unless the files contain it
    for role in roles:
        test.kubectl.must("create", "rolebinding", f"{role}-here", "--clusterrole", role,
                          "--serviceaccount", f"{namespace}:{account}")
    # Its leader election Lease and its marker Lease, like deploy/rbac/restricted.yaml for the
    # server.
    test.kubectl.must("apply", "--filename", "-", stdin={
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": "marker"},
        "rules": [{"apiGroups": ["coordination.k8s.io"], "resources": ["leases"],
                   "verbs": ["get", "create", "update", "delete"]}]})
    test.kubectl.must("create", "rolebinding", "marker", "--role", "marker",
                      "--serviceaccount", f"{namespace}:{account}")
    token = test.kubectl.must("create", "token", account).stdout.strip()
    facts = json.loads(test.admin.must("config", "view", "--raw", "-o", "json").stdout)
    facts["users"] = [{"name": each["name"], "user": {"token": token}} for each in facts["users"]]
    path = test.state.directory / f"{namespace}.kubeconfig"
    path.write_text(json.dumps(facts))
    path.chmod(0o600)
    return path
