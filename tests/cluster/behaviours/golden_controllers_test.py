"""Golden cases of the operator's controllers, played by dynamo-reconciler on a real API server: what
was measured stands in what the server stores, whatever defaults it has put beside it."""

import re
import subprocess
import sys

from harness import controllers, groups, webhook
from harness.programs import program

from .support import REPOSITORY, ClusterTest, takes_long

CASES = REPOSITORY / "tests/testdata/controllers", REPOSITORY / "tests/testdata/controllers-stated"
OTHERS = "leaderworkersets", "podgroups", "inferencepools"
READY_SECONDS = 30
# More may come, none may go. Where definitions of others cannot be had, those of groups of nodes and of
# endpoint pickers cannot be played, and those of nodes without groups can.
FEWEST = 49
FEWEST_WITHOUT_DEFINITIONS = 34
# What is not played must say why, and nothing else may be.
NOT_PLAYED = r"^([a-z-]+): not played \((.+)\)$"


class GoldenControllers(ClusterTest):
    def define_others(self):
        """How many cases can be played at least."""
        try:
            _, definitions = groups.programs()
        except controllers.Unavailable as error:
            print(f"without groups of nodes: {error}", file=sys.stderr)
            return FEWEST_WITHOUT_DEFINITIONS
        # Nobody but ours acts on what is stored by them.
        names = groups.define(self.admin, definitions, *OTHERS)
        self.addCleanup(self.admin.run, "delete", "crd", *names, "--timeout", f"{READY_SECONDS}s")
        return FEWEST

    @takes_long
    def test_what_was_measured_stands_in_what_the_server_stores(self):
        fewest = self.define_others()
        cases = program("controller-cases")
        reconciler = program("dynamo-reconciler")
        done = subprocess.run(
            [cases, f"--server={self.state.kubeconfig}", f"--reconciler={reconciler}",
             f"--namespace-label={webhook.JUDGED_BY}={webhook.NOBODY}", *CASES],
            capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        counted = re.search(r"^cases on the server: ([0-9]+),.* failing: 0, not yet ours: 0,",
                            done.stdout, re.MULTILINE)
        self.assertIsNotNone(counted, done.stdout)
        self.assertGreaterEqual(int(counted[1]), fewest, done.stdout)
        untold = int(re.search(r"not played: ([0-9]+)$", done.stdout, re.MULTILINE)[1])
        self.assertEqual(len(re.findall(NOT_PLAYED, done.stdout, re.MULTILINE)), untold, done.stdout)
