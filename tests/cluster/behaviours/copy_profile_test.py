"""`dynamo-reconciler copy-profile` as a process, with a token of an account that has its rights alone."""

import json
import signal
import subprocess
import tempfile
from pathlib import Path

from harness.connection import AccountConnection
from harness.programs import program

from .support import ClusterTest, HarnessError, wait_until

POD = "profile-small-x"
ACCOUNT = "dgdr-profiling-job"
OUTPUT = "dgdr-output-small"
EXIT_SECONDS = 30
QUICK = ("--poll-interval", "100ms", "--status-timeout", "1s")
ENDED = {"terminated": {"exitCode": 0, "reason": "Completed", "startedAt": "2026-01-01T00:00:00Z",
                        "finishedAt": "2026-01-01T00:01:00Z"}}
RUNNING = {"running": {"startedAt": "2026-01-01T00:00:00Z"}}


class CopyProfile(ClusterTest):
    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.data = Path(folder.name)
        self.allow(ACCOUNT, "create", "patch")

    def allow(self, account, *verbs):
        """Runs the command as a new account that may get pods, and do this with ConfigMaps."""
        rules = [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]
        if verbs:
            rules.append({"apiGroups": [""], "resources": ["configmaps"], "verbs": list(verbs)})
        self.kubectl.must("create", "serviceaccount", account)
        self.kubectl.must("create", "--filename", "-", stdin={
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": account}, "rules": rules})
        self.kubectl.must("create", "rolebinding", account, "--role", account,
                          "--serviceaccount", f"{self.namespace}:{account}")
        self.kubeconfig = self.kubeconfig_of(account)

    def kubeconfig_of(self, account):
        token = self.kubectl.must("create", "token", account).stdout.strip()
        facts = json.loads(self.admin.must("config", "view", "--raw", "-o", "json").stdout)
        facts["users"] = [{"name": each["name"], "user": {"token": token}} for each in facts["users"]]
        path = self.data.parent / f"{self.namespace}-{account}.kubeconfig"
        path.write_text(json.dumps(facts))
        path.chmod(0o600)
        self.addCleanup(path.unlink)
        return path

    def create_pod(self, state=None):
        self.kubectl.must("create", "--filename", "-", stdin={
            "apiVersion": "v1", "kind": "Pod", "metadata": {"name": POD},
            "spec": {"serviceAccountName": ACCOUNT, "restartPolicy": "Never",
                     "containers": [{"name": name, "image": "example.com/i"} for name in ("profiler", "output-copier")]}})
        if state:
            self.set_state(state)

    def set_state(self, state):
        status = {"phase": "Running", "containerStatuses": [
            {"name": "profiler", "image": "example.com/i", "imageID": "", "ready": False, "restartCount": 0, "state": state}]}
        self.kubectl.must("patch", "pod", POD, "--subresource", "status", "--type", "merge",
                          "--patch", json.dumps({"status": status}))

    def write(self, **files):
        for name, text in files.items():
            (self.data / f"{name}.yaml").write_text(text)

    def start(self, *flags, pod=()):
        """Starts the command as an administrator's machine would, or with `pod`, the prefix of a pod, as its Job."""
        outside = () if pod else ("--pod", POD, "--kubeconfig", self.kubeconfig)
        process = subprocess.Popen(
            [*pod, program("dynamo-reconciler"), "copy-profile", "--request=small", f"--namespace={self.namespace}",
             "--data-directory", self.data, *outside, *QUICK, *flags],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait, EXIT_SECONDS)
        self.addCleanup(process.kill)
        return process

    def copy(self, *flags, pod=()):
        """Runs the command to its end; returns the exit code and the fields of its last line."""
        process = self.start(*flags, pod=pod)
        _, log = process.communicate(timeout=EXIT_SECONDS)
        return process.returncode, json.loads(log.splitlines()[-1])

    def assert_refused(self, reason, *flags):
        code, line = self.copy(*flags)
        self.assertEqual((code, line["message"]), (1, "output of the profiler not copied"))
        self.assertIn(reason, line["reason"])
        self.assertFalse(self.kubectl.run("get", "configmap", OUTPUT).ok)

    def test_successful_profile_becomes_config_map(self):
        self.create_pod(RUNNING)
        process = self.start()
        line = json.loads(process.stderr.readline())
        while line["message"] != "profiler is running":
            line = json.loads(process.stderr.readline())
        config = "apiVersion: nvidia.com/v1alpha1\nkind: DynamoGraphDeployment\n---\nä: \"\\t\"\n"
        self.write(profiler_status="status: success\n", config_with_planner=config)
        self.set_state(ENDED)
        _, log = process.communicate(timeout=EXIT_SECONDS)
        self.assertEqual(process.returncode, 0, log)
        stored = self.kubectl.get("configmap", OUTPUT)
        self.assertEqual(stored["data"], {"config_with_planner.yaml": config, "profiler_status.yaml": "status: success\n"})
        self.assertEqual(stored["metadata"]["labels"], {"dgdr.nvidia.com/name": "small", "nvidia.com/managed-by": "dynamo-operator"})

        # The pod of a retry replaces it, and a file that the new profile lacks is removed.
        self.write(mocker_config_with_planner="kind: X\n")
        self.assertEqual(self.copy()[0], 0)
        self.assertIn("mocker_config_with_planner.yaml", self.kubectl.get("configmap", OUTPUT)["data"])
        (self.data / "mocker_config_with_planner.yaml").unlink()
        self.assertEqual(self.copy()[0], 0)
        self.assertEqual(self.kubectl.get("configmap", OUTPUT)["data"], stored["data"])

    def test_in_pod_connection_copies_profile(self):
        """The Job passes neither the pod nor a kubeconfig."""
        try:
            pod = AccountConnection(self.state, self.admin, self.namespace, ACCOUNT).pod()
        except HarnessError as error:  # in a container without permission for it
            self.skipTest(str(error))
        self.create_pod(ENDED)
        self.write(profiler_status="status: success\n", config_with_planner="kind: X\n")
        code, line = self.copy(pod=("env", f"HOSTNAME={POD}", *pod))
        self.assertEqual(code, 0, line)
        self.assertEqual(self.kubectl.get("configmap", OUTPUT)["data"]["config_with_planner.yaml"], "kind: X\n")

    def test_failed_profile_is_refused(self):
        self.create_pod(ENDED)
        self.write(profiler_status="status: failed\nmessage: no GPU\n", config_with_planner="kind: X\n")
        self.assert_refused('status must be "success"; found "failed": no GPU')

    def test_missing_status_is_refused(self):
        self.create_pod(ENDED)
        self.assert_refused("profiler_status.yaml: must exist in ")

    def test_endless_profiler_is_given_up(self):
        self.create_pod(RUNNING)
        # Polls once: a request in flight at the timeout would be reported instead.
        self.assert_refused("the container profiler must end within --timeout (10s)", "--timeout", "10s",
                            "--poll-interval", "5m")

    def test_missing_right_is_named(self):
        self.create_pod(ENDED)
        self.write(profiler_status="status: success\n", config_with_planner="kind: X\n")
        self.kubectl.must("create", "serviceaccount", "stranger")
        self.kubeconfig = self.kubeconfig_of("stranger")
        self.assert_refused(f"must have the right to get pods in namespace {self.namespace}", "--access-timeout", "0s")

    def test_missing_right_on_config_maps_is_named(self):
        self.create_pod(ENDED)
        self.write(profiler_status="status: success\n", config_with_planner="kind: X\n")
        for verbs in ((), ("create",), ("patch",)):
            with self.subTest(verbs):
                self.allow(f"with-{'-'.join(verbs) or 'none'}", *verbs)
                self.assert_refused("must have the right to create and patch configmaps in namespace "
                                    f"{self.namespace}", "--access-timeout", "0s")

    def test_huge_output_is_refused(self):
        self.create_pod(ENDED)
        self.write(profiler_status="status: success\n", config_with_planner="a" * (2 ** 20 + 1))
        self.assert_refused("config_with_planner.yaml: must have at most 1048576 bytes; found 1048577")

    def test_largest_output_is_stored(self):
        self.create_pod(ENDED)
        status = "status: success\n"
        self.write(profiler_status=status, config_with_planner="\n" * (2 ** 20 - len(status)))
        self.assertEqual(self.copy()[0], 0)

    def test_link_out_of_directory_is_refused(self):
        self.create_pod(ENDED)
        self.write(profiler_status="status: success\n")
        (self.data / "config_with_planner.yaml").symlink_to(self.kubeconfig)
        self.assert_refused("config_with_planner.yaml: must not be a link to a file outside of ")

    def test_missing_pod_is_reported(self):
        self.assert_refused(f"get pods {self.namespace}/{POD}: NotFound")

    def test_signal_ends_run_at_once(self):
        self.create_pod(RUNNING)
        process = self.start("--poll-interval", "5m")
        line = json.loads(process.stderr.readline())
        while line["message"] != "profiler is running":
            line = json.loads(process.stderr.readline())
        process.send_signal(signal.SIGTERM)
        wait_until("the end of the command", lambda: process.poll() is not None, EXIT_SECONDS)
        self.assertEqual(process.returncode, 128 + signal.SIGTERM)
        self.assertEqual(json.loads(process.stderr.read().splitlines()[-1])["message"],
                         "stopped by a signal; the output was not copied")
