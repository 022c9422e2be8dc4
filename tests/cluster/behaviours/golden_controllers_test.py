"""Golden cases of the operator's controllers, played by dynamo-reconciler on a real API server: the
stored objects contain the recorded fields, regardless of the server's defaults."""

import re
import subprocess
import sys

from harness import controllers, groups, webhook
from harness.programs import program

from .grove_fixture import define_grove, define_queues
from .support import REPOSITORY, ClusterTest, takes_long

CASES = REPOSITORY / "tests/testdata/controllers", REPOSITORY / "tests/testdata/controllers-stated"
OTHERS = "leaderworkersets", "podgroups", "inferencepools"
READY_SECONDS = 30
# Cases may be added but not lost. Without other projects' definitions, cases of groups of nodes and
# of endpoint pickers cannot be played; cases of multi-node services without groups can.
FEWEST = 49
FEWEST_WITHOUT_DEFINITIONS = 34
FEWEST_OF_GROVE, FEWEST_OF_KAI = 5, 2
# Skipped cases must state a reason, and no other lines may appear.
NOT_PLAYED = r"^([a-z-]+): not played \((.+)\)$"


class GoldenControllers(ClusterTest):
    def define_others(self):
        """The minimum number of cases that can be played."""
        try:
            _, definitions = groups.programs()
        except controllers.UnavailableError as error:
            print(f"without groups of nodes: {error}", file=sys.stderr)
            return FEWEST_WITHOUT_DEFINITIONS
        # No other controller acts on the objects of these definitions.
        names = groups.define(self.admin, definitions, *OTHERS)
        self.addCleanup(self.admin.run, "delete", "crd", *names, "--timeout", f"{READY_SECONDS}s")
        return FEWEST

    def play(self, fewest):
        cases = program("controller-cases")
        reconciler = program("dynamo-reconciler")
        done = subprocess.run(
            [cases, f"--server={self.state.kubeconfig}", f"--reconciler={reconciler}",
             f"--namespace-label={webhook.VALIDATED_BY}={webhook.NO_WEBHOOK}", *CASES],
            capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        counted = re.search(r"^cases on the server: ([0-9]+),.* failing: 0, not yet ours: 0,",
                            done.stdout, re.MULTILINE)
        self.assertIsNotNone(counted, done.stdout)
        self.assertGreaterEqual(int(counted[1]), fewest, done.stdout)
        unreported = int(re.search(r"not played: ([0-9]+)$", done.stdout, re.MULTILINE)[1])
        self.assertEqual(len(re.findall(NOT_PLAYED, done.stdout, re.MULTILINE)), unreported, done.stdout)

    @takes_long
    def test_stored_objects_contain_recorded_fields(self):
        self.play(self.define_others())

    @takes_long
    def test_stored_objects_over_grove_contain_recorded_fields(self):
        define_grove(self)
        # Each case knows whether its recorded cluster had KAI.
        self.play(FEWEST_OF_GROVE)
        define_queues(self)
        self.play(FEWEST_OF_KAI)
