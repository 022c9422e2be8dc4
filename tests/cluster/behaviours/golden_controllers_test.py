"""Golden cases of the operator's controllers, played by dynamo-reconciler on a real API server: what
was measured stands in what the server stores, whatever defaults it has put beside it."""

import os
import re
import subprocess
from pathlib import Path

from harness import webhook

from .support import REPOSITORY, ClusterTest, HarnessError

CASES = REPOSITORY / "tests/testdata/controllers"
# Of graphs and components, without definitions of others. More may come, none may go.
FEWEST = 21


def binary(variable, name):
    path = Path(os.environ.get(variable, REPOSITORY / f"build/release/bin/{name}"))
    if not os.access(path, os.X_OK):
        raise HarnessError(f"no {path}; build {name}, or name it in {variable}")
    return path


class GoldenControllers(ClusterTest):
    def test_what_was_measured_stands_in_what_the_server_stores(self):
        cases = binary("DYNAMO_CONTROLLER_CASES_BINARY", "controller-cases")
        reconciler = binary("DYNAMO_RECONCILER_BINARY", "dynamo-reconciler")
        done = subprocess.run(
            [cases, f"--server={self.state.kubeconfig}", f"--reconciler={reconciler}",
             f"--namespace-label={webhook.JUDGED_BY}={webhook.NOBODY}", CASES],
            capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        counted = re.search(r"^cases on the server: ([0-9]+),.* failing: 0, not yet ours: 0,",
                            done.stdout, re.MULTILINE)
        self.assertIsNotNone(counted, done.stdout)
        self.assertGreaterEqual(int(counted[1]), FEWEST, done.stdout)
