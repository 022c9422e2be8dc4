"""Two of our operators in one cluster: each changes only its own objects, and a cluster-wide one skips
a namespace while the marker Lease of its holder is live. Each configures pods with a different
NATS, which identifies the creator of an object."""

import datetime
import json

from harness import webhook

from .connection_fixture import MARKER, utc_now
from .graph_fixture import SOON, GraphTest, simple
from .support import API_VERSION, IMAGE, takes_long, wait_until

OTHER_IMAGE = IMAGE.rpartition(":")[0] + ":0.8.2"
# Long enough to check the namespace before it expires.
LEASE_SECONDS = 20
RHYTHM = ("--namespace-scope-lease-duration", f"{LEASE_SECONDS}s",
          "--namespace-scope-lease-renew-interval", "2s")


def nats(owner):
    return "--natsAddr", f"nats://{owner}:4222"


class TwoOperators(GraphTest):
    def setUp(self):
        super().setUp()
        self.other = self.admin.within(self.new_namespace(
            "other", {webhook.VALIDATED_BY: webhook.NO_WEBHOOK}))

    def start_whole(self):
        self.delete_leftovers()
        return self.start("whole", *nats("whole"), "--planner-cluster-role-name", "view",
                          everywhere=True, namespace=self.other.namespace)

    def delete_leftovers(self):
        """The cluster has objects of earlier tests, too: hundreds of graphs, which would be reconciled
        first."""
        for plural in webhook.KINDS.values():
            items = self.admin.must("get", plural, "--all-namespaces", "--output", "json").json()["items"]
            for namespace in {each["metadata"]["namespace"] for each in items}:
                self.admin.must("delete", "--raw", f"/apis/{API_VERSION}/namespaces/{namespace}/{plural}")

    def makers(self, kubectl):
        """The creator of each Deployment of a namespace, by its NATS."""
        found = {}
        for each in kubectl.get("deployments")["items"]:
            container = each["spec"]["template"]["spec"]["containers"][0]
            found[each["metadata"]["name"]] = next(
                variable["value"] for variable in container["env"]
                if variable["name"] == "NATS_SERVER").removeprefix("nats://").removesuffix(":4222")
        return found

    def until_made_by(self, owner, kubectl, seconds=SOON):
        wanted = {"g-decode": owner, "g-frontend": owner}
        wait_until(f"Deployments of {owner}", lambda: self.makers(kubectl) == wanted, seconds)

    def until_done(self, kubectl):
        with self.using_kubectl(kubectl):
            self.until_successful("g")

    def change_image(self, kubectl):
        kubectl.must("patch", "dgd", "g", "--type", "merge", "--patch", json.dumps({
            "spec": {"services": {"Decode": {"extraPodSpec": {
                "mainContainer": {"image": OTHER_IMAGE}}}}}}))

    def image(self, kubectl):
        return kubectl.get("deployment", "g-decode")["spec"]["template"]["spec"]["containers"][0][
            "image"]

    def holder_and_end(self):
        spec = self.kubectl.get("lease", MARKER)["spec"]
        renewed = datetime.datetime.fromisoformat(spec["renewTime"].replace("Z", "+00:00"))
        return spec["holderIdentity"], renewed + datetime.timedelta(
            seconds=spec["leaseDurationSeconds"])

    def test_restricted_operators_change_only_their_namespaces(self):
        self.start("one", *nats("one"))
        self.start("two", *nats("two"), namespace=self.other.namespace)
        for kubectl in (self.kubectl, self.other):
            kubectl.must("apply", "--filename", "-", stdin=simple())
        self.until_made_by("one", self.kubectl)
        self.until_made_by("two", self.other)
        for kubectl in (self.kubectl, self.other):
            self.until_done(kubectl)
            self.assertTrue(kubectl.get("lease", MARKER)["spec"]["holderIdentity"])
        # No other operator replaces the killed one.
        self.kill("two")
        with self.using_kubectl(self.other):
            before = self.settled()
        for kubectl in (self.other, self.kubectl):
            self.change_image(kubectl)
        wait_until("the new image", lambda: self.image(self.kubectl) == OTHER_IMAGE, SOON)
        self.until_done(self.kubectl)
        self.assertEqual(self.image(self.other), IMAGE)
        with self.using_kubectl(self.other):
            after = self.versions()
        self.assertEqual({name for name in after if before.get(name) != after[name]},
                         {"DynamoGraphDeployment/g"})
        self.state.forget("two")
        self.start("two", *nats("two"), namespace=self.other.namespace)
        wait_until("the new image", lambda: self.image(self.other) == OTHER_IMAGE, SOON)
        self.until_done(self.other)
        self.until_made_by("one", self.kubectl)

    @takes_long
    def test_cluster_wide_operator_takes_namespace_after_expiry(self):
        self.start("own", *nats("own"), *RHYTHM)
        wait_until("its Lease", lambda: self.kubectl.run("get", "lease", MARKER).ok, SOON)
        self.start_whole()
        for kubectl in (self.kubectl, self.other):
            kubectl.must("apply", "--filename", "-", stdin=simple())
        self.until_made_by("own", self.kubectl)
        self.until_made_by("whole", self.other)
        for kubectl in (self.kubectl, self.other):
            self.until_done(kubectl)
        self.kill("own")
        _, end = self.holder_and_end()
        self.change_image(self.kubectl)

        def taken_up():
            if self.image(self.kubectl) != OTHER_IMAGE:
                return None
            return utc_now()

        seen = wait_until("the new image", taken_up, LEASE_SECONDS + SOON)
        self.assertGreaterEqual(seen, end, "taken up before the Lease was over")
        self.until_made_by("whole", self.kubectl)
        self.until_done(self.kubectl)

    def test_namespace_moves_to_restricted_operator_and_back(self):
        self.start_whole()
        self.make(simple())
        self.until_made_by("whole", self.kubectl)
        self.until_done(self.kubectl)
        self.start("own", *nats("own"), *RHYTHM)
        self.until_made_by("own", self.kubectl)
        self.until_done(self.kubectl)
        # The two do not write alternately.
        before = self.settled()
        with self.using_kubectl(self.other):
            self.make(simple())
            self.until_successful("g")
        self.assertEqual(self.versions(), before)
        self.until_made_by("own", self.kubectl)
        self.assertTrue(self.state.stop("own"), "it did not end in its time")
        self.assertFalse(self.kubectl.run("get", "lease", MARKER).ok)
        self.change_image(self.kubectl)
        self.until_made_by("whole", self.kubectl)
        wait_until("the new image", lambda: self.image(self.kubectl) == OTHER_IMAGE, SOON)
