"""An account for a reconciler that serves one namespace, with the rights of deploy/rbac there and no others."""

import json

from .support import REPOSITORY

# As the webhook knows the operator: it may scale what an adapter holds.
OPERATOR_ACCOUNT = "x-dynamo-operator-controller-manager"
RIGHTS = {"reconciler.yaml": ("dynamo-reconciler", "dynamo-reconciler-graphs"),
          "reconciler_models_and_adapters.yaml": ("dynamo-reconciler-models-and-adapters",)}


def user_of(namespace, account):
    return f"system:serviceaccount:{namespace}:{account}"


def kubeconfig(test, account="dynamo-reconciler", files=("reconciler.yaml",)):
    """Makes the account in the test's namespace, gives it what these files of deploy/rbac name, and
    returns the path of its kubeconfig."""
    namespace = test.namespace
    roles = [role for file in files for role in RIGHTS[file]]
    for file in files:
        rights = (REPOSITORY / "deploy/rbac" / file).read_text().replace("dynamo-system", namespace)
        test.admin.must("apply", "--filename", "-", stdin=rights)
    test.admin.must("delete", "clusterrolebinding", *(f"{role}-{namespace}" for role in roles))
    test.kubectl.run("create", "serviceaccount", account)  # unless the files have it
    for role in roles:
        test.kubectl.must("create", "rolebinding", f"{role}-here", "--clusterrole", role,
                          "--serviceaccount", f"{namespace}:{account}")
    # Its leader's Lease, and its marker Lease: as deploy/rbac/restricted.yaml has that for the server.
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
