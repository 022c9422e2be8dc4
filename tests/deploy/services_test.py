"""The services of the Debian packages under systemd in a minimal Debian: they start, sandboxed as their units declare.

DYNAMO_BUILD_DIR: the built tree, with the packages that packages_test.py builds. Needs root, mmdebstrap, Debian's
mirror, and namespaces to boot in (tests/deploy/boot_root). Without namespaces, as in most containers, it is skipped;
`service_is_sandboxed` and the minimal Debian of packages_test.py still run. DYNAMO_SKIP_BARE_ROOT=1 skips it.
"""

import os
import pathlib
import re
import unittest

import bare_debian
import booted_debian

BUILD = pathlib.Path(os.environ["DYNAMO_BUILD_DIR"])
PACKAGES = BUILD / "packages"
NAMES = ("dynamo-admission", "dynamo-reconciler")
UNITS = ("dynamo-webhook", "dynamo-reconciler")
# The user ids that systemd allocates for DynamicUser.
DYNAMIC_USERS = range(61184, 65520)
WEBHOOK_READY = "http://127.0.0.1:8081/readyz"
RECONCILER_HEALTHY = "http://127.0.0.1:8083/healthz"
# A port without a listener, so the client keeps waiting.
KUBECONFIG = """apiVersion: v1
kind: Config
current-context: a
contexts: [{name: a, context: {cluster: a, user: a}}]
clusters: [{name: a, cluster: {server: "http://127.0.0.1:1"}}]
users: [{name: a, user: {token: secret}}]
"""


@unittest.skipIf(os.environ.get("DYNAMO_SKIP_BARE_ROOT") == "1", "DYNAMO_SKIP_BARE_ROOT=1")
class ServicesTest(unittest.TestCase):
    def test_systemd_runs_the_installed_packages(self):
        if reason := booted_debian.why_not():
            self.skipTest(reason)
        with bare_debian.root(BUILD / "booted-debian") as debian:
            archives = [path for name in NAMES for path in PACKAGES.glob(f"{name}_*.deb")]
            self.assertEqual(len(archives), len(NAMES), "made by packages_test.py")
            debian.copy_in(*archives)
            debian.run("apt-get", "update", "-qq")
            debian.run("apt-get", "install", "--yes", "-qq", "--no-install-recommends", "systemd",
                       *(f"/tmp/{path.name}" for path in archives))
            for unit in UNITS:
                path = f"/lib/systemd/system/{unit}.service"
                # systemd's own parser; without manual pages, because `man` is not installed.
                self.assertEqual(debian.run("sh", "-c", f"systemd-analyze verify --man=no {path} 2>&1"), "")
                debian.run("systemd-analyze", "security", "--offline=yes", "--threshold=20", "--no-pager", path)
            with booted_debian.booted(debian) as machine:
                self.check_webhook_confinement(machine)
                self.check_restarts(machine)
                self.check_reconciler_credential(machine)
                self.check_purge(machine)

    def check_webhook_confinement(self, machine):
        # As installed, they wait for the administrator's configuration.
        for unit in UNITS:
            self.assertEqual(machine.properties(unit)["ActiveState"], "inactive")
        machine.run("systemctl", "enable", "--now", "dynamo-webhook")
        self.wait_for(machine, WEBHOOK_READY)
        self.assert_locked_up(machine, "dynamo-webhook")
        machine.run("systemctl", "stop", "dynamo-webhook")
        ended = machine.properties("dynamo-webhook")
        self.assertEqual((ended["Result"], ended["ExecMainStatus"], ended["ActiveState"]), ("success", "0", "inactive"))

    def assert_locked_up(self, machine, unit):
        pid = machine.properties(unit)["MainPID"]
        status = dict(re.findall(r"^(\w+):\s*(.*)$", machine.run("cat", f"/proc/{pid}/status"), re.MULTILINE))
        users = {int(number) for number in status["Uid"].split() + status["Gid"].split()}
        self.assertEqual(len(users), 1, users)
        self.assertIn(users.pop(), DYNAMIC_USERS)
        for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
            self.assertEqual(int(status[name], 16), 0, name)
        # 2: a system call filter.
        self.assertEqual((status["NoNewPrivs"], status["Seccomp"], status["Umask"]), ("1", "2", "0077"))
        mounts = [line.split() for line in machine.run("cat", f"/proc/{pid}/mountinfo").splitlines()]
        root = [words[5] for words in mounts if words[4] == "/"][-1]
        self.assertEqual(root.split(",")[0], "ro")
        for path in ("/tmp", "/var/tmp", "/home", "/root"):
            self.assertIn(path, {words[4] for words in mounts})
        # Its user namespace maps no other user.
        self.assertNotIn("4294967295", machine.run("cat", f"/proc/{pid}/uid_map"))

    def check_restarts(self, machine):
        machine.run("systemctl", "start", "dynamo-webhook")
        self.wait_for(machine, WEBHOOK_READY)
        before = machine.properties("dynamo-webhook")["MainPID"]
        machine.run("systemctl", "kill", "--signal=KILL", "dynamo-webhook")
        machine.wait_until("it runs again", lambda: self.is_restarted(machine, before))
        self.wait_for(machine, WEBHOOK_READY)
        machine.run("systemctl", "stop", "dynamo-webhook")
        machine.run("sed", "-i", "s/--cert-mode self-signed/--cert-mode none/", "/etc/default/dynamo-webhook")
        machine.run("systemctl", "start", "dynamo-webhook")
        machine.wait_until("it has ended", lambda: machine.properties("dynamo-webhook")["ActiveState"] != "active")
        ended = machine.properties("dynamo-webhook")
        # Not restarted, unlike after the kill above.
        self.assertEqual((ended["ActiveState"], ended["ExecMainStatus"], ended["NRestarts"]), ("failed", "2", "0"))
        self.assertIn("--cert-mode", machine.run("journalctl", "--no-pager", "--unit", "dynamo-webhook"))

    def is_restarted(self, machine, before):
        now = machine.properties("dynamo-webhook")
        return now["ActiveState"] == "active" and now["MainPID"] not in ("0", before) and now["NRestarts"] == "1"

    def check_reconciler_credential(self, machine):
        """As /etc/default/dynamo-reconciler describes: a file that only root may read."""
        folder = "/etc/systemd/system/dynamo-reconciler.service.d"
        machine.run("sh", "-c", f"umask 077; mkdir -p {folder} /etc/dynamo-reconciler; "
                    f"printf '[Service]\\nLoadCredential=kubeconfig:/etc/dynamo-reconciler/kubeconfig\\n' >{folder}/override.conf; "
                    f"printf '%s' '{KUBECONFIG}' >/etc/dynamo-reconciler/kubeconfig; systemctl daemon-reload")
        machine.run("systemctl", "start", "dynamo-reconciler")
        self.wait_for(machine, RECONCILER_HEALTHY)
        self.assert_locked_up(machine, "dynamo-reconciler")

    def check_purge(self, machine):
        machine.run("apt-get", "purge", "--yes", "-qq", *NAMES)
        self.assertEqual(machine.status(RECONCILER_HEALTHY), 0)
        left = machine.run("sh", "-c", "ls -d /etc/systemd/system/dynamo-* /etc/systemd/system/*/dynamo-* /etc/default/dynamo-* 2>/dev/null || true")
        self.assertEqual(left, "")

    def wait_for(self, machine, url):
        machine.wait_until(f"200 at {url}", lambda: machine.status(url) == 200)


if __name__ == "__main__":
    unittest.main()
