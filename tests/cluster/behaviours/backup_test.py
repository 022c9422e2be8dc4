"""deploy/backup saves and restores objects of a real API server and keys of a real etcd."""

import json
import subprocess
import tempfile
from pathlib import Path

from .etcd_test import OwnEtcd
from .support import REPOSITORY, ClusterTest, graph, thing, worker

SCRIPT = REPOSITORY / "deploy/backup"


class Backup(ClusterTest):
    def setUp(self):
        super().setUp()
        work = tempfile.TemporaryDirectory()
        self.addCleanup(work.cleanup)
        self.folder = Path(work.name) / "saved"

    def backup(self, command, *options, code=0):
        """The output of the script."""
        kubectl = Path(self.state.facts["binaries"]) / "kubectl"
        done = subprocess.run([SCRIPT, command, self.folder, "--kubectl", kubectl, "--kubeconfig", self.state.kubeconfig,
                               "--namespace", self.namespace, *options],
                              capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def specs(self, kinds="dgd,dcd,dm,dgdr"):
        return {(each["kind"], each["metadata"]["name"]): (each["spec"], each["metadata"].get("labels"))
                for each in self.kubectl.get(kinds)["items"]}

    def test_objects_return_as_users_created_them(self):
        self.assert_accepted(self.create(graph("g", {"Work": worker()}, labels={"team": "a"})))
        self.assert_accepted(self.create(thing("DynamoModel", "m", {"modelName": "a", "baseModelName": "b"})))
        owner = self.kubectl.get("dgd", "g")
        owned = thing("DynamoComponentDeployment", "g-work", worker(), ownerReferences=[{
            "apiVersion": owner["apiVersion"], "kind": owner["kind"], "name": "g", "uid": owner["metadata"]["uid"], "controller": True}])
        self.assert_accepted(self.create(owned))
        before = self.specs()
        self.backup("save")
        self.assertEqual([oct(path.stat().st_mode & 0o777) for path in (self.folder, self.folder / "objects/dynamomodels.json")], ["0o700", "0o600"])
        # Nothing that exists is changed.
        self.patch("dgd", "g", '{"metadata": {"labels": {"team": "b"}}}')
        self.backup("restore")
        self.assertEqual(self.specs()["DynamoGraphDeployment", "g"][1], {"team": "b"})
        for kind in ("dgd", "dcd", "dm"):
            self.kubectl.must("delete", kind, "--all")
        self.assertIn(f"would create DynamoGraphDeployment {self.namespace}/g", self.backup("restore", "--dry-run"))
        self.assertEqual(self.specs(), {})
        self.backup("restore")
        # Its graph would create the component again.
        self.assertEqual(self.specs(), {key: value for key, value in before.items() if key[1] != "g-work"})

    def test_denied_objects_are_reported(self):
        self.store_unvalidated(graph("bad", {"Work": worker(ingress={"enabled": True})}))
        self.assert_accepted(self.create(graph("good", {"Work": worker()})))
        self.backup("save")
        self.kubectl.must("delete", "dgd", "--all")
        self.assertIn(f"DynamoGraphDeployment {self.namespace}/bad: ", self.backup("restore", code=1))
        self.assertEqual({name for _, name in self.specs()}, {"good"})

    def test_incomplete_backups_are_refused(self):
        self.backup("save")
        self.assertIn("must not exist", self.backup("save", code=2))
        (self.folder / "manifest.json").unlink()
        self.assertIn("must be a complete backup", self.backup("restore", code=2))

    def test_keys_without_a_lease_return(self):
        etcd = OwnEtcd(self.state, f"etcd-{self.namespace}")
        self.addCleanup(self.state.forget, etcd.name)
        kept = {f"models/{number}" for number in range(510)}
        for key in kept:
            etcd.put(key)
        etcd.put("instances/1", etcd.new_lease())
        where = ("--etcd", etcd.url, "--etcd-ca", etcd.authority)
        self.backup("save", *where)
        self.assertEqual(json.loads((self.folder / "manifest.json").read_text())["counts"]["etcd keys"], 511)
        etcd.delete_all()
        etcd.put("models/1")
        self.assertIn("509 keys created, 1 exist, 1 had a lease", self.backup("restore", *where))
        self.assertEqual(etcd.keys(), kept)
        self.assertIn("CERTIFICATE_VERIFY_FAILED", self.backup("restore", "--etcd", etcd.url, code=2))
        # A failure leaves no folder that would look like a backup.
        self.folder = self.folder.parent / "second"
        self.backup("save", "--etcd", etcd.url, code=2)
        self.assertEqual([path.name for path in self.folder.parent.iterdir()], ["saved"])
