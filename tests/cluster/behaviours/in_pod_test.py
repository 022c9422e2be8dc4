"""A server without cluster flags finds the cluster like a pod does."""

import base64

from harness import managed

from .connection_fixture import LONGEST, QUICK, ConnectedTest
from .support import HarnessError, webhook

HOLDER = "operator-of-team-a"


class PodConnection(ConnectedTest):
    def test_in_pod_configuration_is_detected(self):
        access = self.connection(*managed.RIGHTS)
        try:
            pod = access.pod()
        except HarnessError as error:  # in a container without permission for it
            self.skipTest(str(error))
        log = self.state.logs / "pod.log"
        self._log_starts["pod"] = log.stat().st_size if log.exists() else 0
        facts = webhook.start(self.state, self.state.facts["webhook_binary"], "pod",
                              (*QUICK, "--cert-mode", "managed"), prefix=pod)
        self.addCleanup(self.stop_server, "pod")
        self.assertEqual([line["origin"] for line in self.log_of("pod")
                          if line["message"] == "connection to a cluster"], ["service account"])
        secret = self.admin.within(self.system).get("secret", managed.SECRET)
        self.assertIn("tls.crt", secret["data"])
        self.assertNotIn("orbidden", str(self.log_of("pod")))

        access.renew_token()
        self.hold(self.namespace, HOLDER, LONGEST)
        authority = base64.b64decode(secret["data"]["ca.crt"]).decode()
        self.wait_for_verdict(self.reviewer(facts, authority), self.namespace, True)
