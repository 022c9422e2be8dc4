"""Attack: an author of graphs in one namespace gets the private key with which the nodes of other tenants' engines reach each other."""

import base64
import shutil
import subprocess
import tempfile
from pathlib import Path

from behaviours.graph_fixture import DEFINITIONS, SOON, GraphTest, mpi_on_two_nodes, simple
from behaviours.support import wait_until, webhook

SECRET = "mpi-keys"
PRIVATE, PUBLIC = "private.key", "private.key.pub"


def derived_public_key(private_key):
    """The public key that ssh-keygen computes from a private key, without its comment."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "key"
        path.write_bytes(private_key)
        path.chmod(0o600)
        return subprocess.run(["ssh-keygen", "-y", "-f", path], check=True, capture_output=True, timeout=20).stdout.split()[:2]


class MpiKeys(GraphTest):
    def setUp(self):
        super().setUp()
        self.install(*DEFINITIONS[:2])
        self.release = self.admin.within(self.namespace)
        self.release.must("create", "secret", "generic", SECRET, f"--from-literal={PRIVATE}=key of the release",
                          f"--from-literal={PUBLIC}=public key of the release")

    def reconcile(self, *flags):
        self.start("reconciler", "--planner-cluster-role-name", "view", "--mpi-run-ssh-secret-name", SECRET,
                   "--mpi-run-ssh-secret-namespace", self.namespace, *flags, everywhere=True)

    def tenant(self, name, wanted):
        kubectl = self.admin.within(self.new_namespace(name, {webhook.VALIDATED_BY: webhook.NO_WEBHOOK}))
        with self.using_kubectl(kubectl):
            self.make(wanted)
        return kubectl

    def until_built(self, kubectl):
        wait_until("components", lambda: len(kubectl.get("dcd")["items"]) == 2, SOON)

    def keys_of(self, kubectl):
        return {name: base64.b64decode(value) for name, value in kubectl.get("secret", SECRET)["data"].items()}

    def test_single_node_graph_gets_no_key(self):
        self.reconcile()
        tenant = self.tenant("single", simple())
        self.until_built(tenant)
        self.assertEqual(tenant.get("secrets")["items"], [])

    def test_each_tenant_gets_a_key_of_its_own(self):
        self.reconcile()
        first, second = (self.tenant(name, mpi_on_two_nodes()) for name in ("first", "second"))
        for each in (first, second):
            self.until_built(each)
            with self.using_kubectl(each):
                wait_until("an event about the key", lambda: self.notes("MpiKeyCreated"), SOON)
        keys = [self.keys_of(each) for each in (self.release, first, second)]
        for name in (PRIVATE, PUBLIC):
            self.assertEqual(len({each[name] for each in keys}), 3, name)
        labels = first.get("secret", SECRET)["metadata"]["labels"]
        self.assertEqual(labels["app.kubernetes.io/managed-by"], "dynamo-operator")
        if shutil.which("ssh-keygen"):
            for each in keys[1:]:
                self.assertEqual(derived_public_key(each[PRIVATE]), each[PUBLIC].split()[:2])

    def test_key_of_a_tenant_is_never_replaced(self):
        own = self.admin.within(self.new_namespace("own", {webhook.VALIDATED_BY: webhook.NO_WEBHOOK}))
        own.must("create", "secret", "generic", SECRET, f"--from-literal={PRIVATE}=own", f"--from-literal={PUBLIC}=own")
        before = own.get("secret", SECRET)
        self.reconcile("--mpi-run-ssh-secret-namespaces", "*")
        with self.using_kubectl(own):
            self.make(mpi_on_two_nodes())
        self.until_built(own)
        self.assertEqual(own.get("secret", SECRET), before)

    def test_missing_release_key_is_generated_once(self):
        self.release.must("delete", "secret", SECRET)
        self.reconcile("--mpi-run-ssh-secret-namespaces", "*", "--mpi-run-ssh-keygen")
        tenants = [self.tenant(name, mpi_on_two_nodes()) for name in ("first", "second")]
        for each in tenants:
            self.until_built(each)
        for each in tenants:
            self.assertEqual(self.keys_of(each), self.keys_of(self.release))

    def test_only_matching_namespaces_get_the_release_key(self):
        self.reconcile("--mpi-run-ssh-secret-namespaces", "trusted-*")
        trusted, single, other = (self.tenant(name, wanted) for name, wanted in (
            ("trusted", mpi_on_two_nodes()), ("trusted-single", simple()), ("other", mpi_on_two_nodes())))
        for each in (trusted, single, other):
            self.until_built(each)
        self.assertEqual(self.keys_of(trusted), self.keys_of(self.release))
        self.assertNotEqual(self.keys_of(other), self.keys_of(self.release))
        self.assertEqual(single.get("secrets")["items"], [])
