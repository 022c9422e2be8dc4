"""Graphs over Grove, with Grove's published definitions, a replacement for its controller, and Kubernetes'
own controllers, scheduler and nodes."""

import contextlib
import re

from harness import controllers, grove

from .graph_fixture import SOON, simple
from .grove_fixture import GroveTest, in_groups
from .running_graphs import LONG, OTHER_IMAGE, RunningGraphTest
from .support import REPOSITORY, takes_long, wait_until

# The objects that the Go operator created from a graph of two services, as recorded.
RECORDED = REPOSITORY / "tests/testdata/controllers/grove-single-nodes.yaml"
QUIET_SECONDS = 3
KINDS = "podcliquesets,podcliques,podcliquescalinggroups,pods,services,serviceaccounts,roles,rolebindings"


class GroveGraphs(GroveTest):
    def until_restarted(self, identity):
        def completed():
            reported = self.kubectl.get("dgd", "g")["status"].get("restart", {})
            return reported.get("phase") == "Completed" and reported.get("observedID") == identity

        wait_until("the end of the restart", completed, LONG)

    def test_graph_runs_scales_restarts_and_ends(self):
        self.start()
        self.make(simple())
        self.until_all_are_successful("g")
        self.assertEqual((self.names("podcliquesets"), self.names("podcliques")), (["g"], ["g-0-decode", "g-0-frontend"]))
        self.assertEqual((self.names("dcd"), self.names("deployments")), ([], []))
        self.assertLessEqual({"g-decode", "g-frontend"}, set(self.names("services")))
        self.assert_writes_nothing(QUIET_SECONDS)

        frontends, first = self.uids("g-frontend"), self.uids("g-decode")
        self.decode(replicas=3)
        self.until_ready("g-decode", 3)
        self.until_all_are_successful("g")
        self.assertEqual(self.kubectl.get("dgd", "g")["status"]["services"]["Decode"], {
            "componentKind": "PodClique", "componentName": "g-0-decode", "replicas": 3, "updatedReplicas": 3, "readyReplicas": 3})
        self.assertLess(first, self.uids("g-decode"))

        before = self.uids("g-decode") | frontends
        self.restart("again", "Parallel")
        self.until_restarted("again")
        self.assertFalse(before & (self.uids("g-decode") | self.uids("g-frontend")))

        frontends = self.uids("g-frontend")
        self.decode(extraPodSpec={"mainContainer": {"image": OTHER_IMAGE}})
        wait_until("pods of the other image", lambda: self.images() == {OTHER_IMAGE}, LONG)
        self.until_ready("g-decode", 3)
        self.until_all_are_successful("g")
        self.assertEqual(self.uids("g-frontend"), frontends)

        self.kubectl.must("delete", "dgd", "g", "--timeout", f"{LONG}s")
        wait_until("nothing of the graph", lambda: not [
            each for each in self.kubectl.get(KINDS)["items"] if each["metadata"]["name"].partition("-")[0] == "g"], LONG)
        self.assertNotIn("orbidden", self.log())

    def test_running_graph_cannot_leave_grove(self):
        self.start()
        self.make(simple())
        self.until_all_are_successful("g")
        before = self.uids("g-decode") | self.uids("g-frontend")
        self.merge("dgd", "g", {"metadata": {"annotations": {"nvidia.com/enable-grove": "false"}}})
        wait_until("the refusal", lambda: self.condition("dgd", "g", "Ready").get("reason") == "pathway_cannot_change", SOON)
        self.assertEqual((self.state_of(), self.names("dcd"), self.names("podcliquesets")), ("failed", [], ["g"]))
        self.assertEqual(self.uids("g-decode") | self.uids("g-frontend"), before)
        self.merge("dgd", "g", {"metadata": {"annotations": {"nvidia.com/enable-grove": None}}})
        self.until_all_are_successful("g")

    def test_scaling_group_changes_despite_killed_reconciler(self):
        self.start("first")
        self.make(in_groups())
        self.until_all_are_successful("g")
        self.assertEqual(self.names("podcliquescalinggroups"), ["g-0-decode"])
        self.until_ready("g-decode", 3)
        frontends = self.uids("g-frontend")
        self.decode(replicas=2, extraPodSpec={"mainContainer": {"image": OTHER_IMAGE}})
        wait_until("the first pod of the other image", lambda: OTHER_IMAGE in self.images(), LONG)
        self.kill("first")
        self.start("second")
        wait_until("pods of the other image", lambda: self.images() == {OTHER_IMAGE}, LONG)
        self.until_ready("g-decode", 6)
        self.until_all_are_successful("g")
        self.assertEqual(self.kubectl.get("dgd", "g")["status"]["services"]["Decode"], {
            "componentKind": "PodCliqueScalingGroup", "componentName": "g-0-decode", "replicas": 2, "updatedReplicas": 2,
            "availableReplicas": 2})
        self.assertEqual(self.uids("g-frontend"), frontends)
        self.assert_writes_nothing(QUIET_SECONDS)
        self.assertNotIn("orbidden", self.log("second"))

    # --- Taking over.

    def recorded(self):
        """The golden case, in this namespace: its graph, and the objects that the Go operator created from it."""
        text = RECORDED.read_text(encoding="utf-8").replace("team-a", self.namespace).replace("<hash>", "fe" * 32)
        # kubectl reads YAML, and keeps unknown fields of an object that it does not send.
        whole = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: golden}\ngolden:\n" + "".join(
            f"  {line}\n" for line in text.splitlines())
        golden = self.kubectl.must("create", "--dry-run=client", "--validate=false", "--output", "json", "--filename", "-",
                                   stdin=whole).json()["golden"]
        made = golden["input"]["object"]
        # The recording's API server required no image.
        made["spec"]["services"]["Frontend"]["extraPodSpec"] = {"mainContainer": {"image": "i"}}
        objects = [each for each in golden["output"]["objects"] if each["kind"] != made["kind"]]
        for each in objects:
            for clique in each.get("spec", {}).get("template", {}).get("cliques", []):
                clique["spec"]["podSpec"]["containers"][0].setdefault("image", "i")
        return made, objects

    def test_go_operators_set_is_taken_over_without_restarts(self):
        made, objects = self.recorded()
        self.make(made)
        uid = self.kubectl.get("dgd", "chat")["metadata"]["uid"]
        for each in objects:
            each["metadata"]["ownerReferences"][0]["uid"] = uid
            self.kubectl.must("create", "--field-manager", "manager", "--filename", "-", stdin=each)
        self.until_ready("chat-decode", 2)
        self.until_ready("chat-frontend", 1)
        pods = self.uids("chat-decode") | self.uids("chat-frontend")
        before = self.kubectl.get("podcliqueset", "chat")

        self.start("reconciler", "--natsAddr", "nats://n:4222")
        self.until_all_are_successful("chat")
        self.assert_writes_nothing(QUIET_SECONDS)
        after = self.kubectl.get("podcliqueset", "chat")
        self.assertEqual(after["spec"], before["spec"])
        self.assertEqual(after["metadata"]["generation"], before["metadata"]["generation"])
        self.assertEqual(self.uids("chat-decode") | self.uids("chat-frontend"), pods)
        self.assertEqual(after["metadata"]["ownerReferences"][0]["uid"], uid)

        # From here on a change is ours, and replaces only the pods of its service.
        frontends = self.uids("chat-frontend")
        self.merge("dgd", "chat", {"spec": {"services": {"Decode": {
            "extraPodSpec": {"mainContainer": {"image": OTHER_IMAGE}}}}}})
        wait_until("pods of the other image", lambda: self.images("chat-decode") == {OTHER_IMAGE}, LONG)
        self.assertEqual(self.uids("chat-frontend"), frontends)


class GroveBeneathReconciler(RunningGraphTest):
    """Grove's definitions appear and disappear while the reconciler runs; it looks for them once a minute."""

    def make_and_wait(self, name):
        self.make(simple(name))
        self.until_all_are_successful(name)

    def until_grove_is(self, fact):
        wait_until(f"the reconciler knowing Grove: {fact}",
                   lambda: re.findall(r'"grove":"([a-z]+)"', self.log())[-1:] == [fact], LONG)

    @takes_long
    def test_graphs_follow_it(self):
        try:
            definitions = grove.definitions()
        except controllers.UnavailableError as error:
            self.skipTest(str(error))
        self.start()
        self.until_grove_is("no")
        self.make_and_wait("before")
        self.assertIn("before-decode", self.names("deployments"))

        names = grove.define(self.admin, definitions)
        undefine = ("delete", "crd", *names, "--ignore-not-found", "--timeout", f"{SOON}s")
        self.addCleanup(self.admin.run, *undefine)
        with contextlib.ExitStack() as playing:
            playing.callback(grove.Grove(self.state, self.namespace).stop)
            self.until_grove_is("yes")
            self.make_and_wait("over")
            self.assertEqual(self.names("podcliquesets"), ["over"])
            self.assertIn("before-decode", self.names("deployments"))
            self.kubectl.must("delete", "dgd", "over", "--timeout", f"{SOON}s")

        self.admin.must(*undefine)
        self.until_grove_is("no")
        self.make_and_wait("after")
        self.assertLessEqual({"before-decode", "after-decode"}, set(self.names("deployments")))
