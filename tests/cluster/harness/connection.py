"""A server's connection to the cluster: a service account with exactly the permissions of deploy/rbac,
and a kubeconfig for it."""

import base64
import json
import os
import shutil
import subprocess
import urllib.parse
from pathlib import Path

from .processes import HarnessError

RIGHTS = Path(__file__).resolve().parents[3] / "deploy/rbac"
ACCOUNT = "dynamo-webhook"
ACCOUNT_DIRECTORY = "/run/secrets/kubernetes.io/serviceaccount"


class AccountConnection:
    """An existing service account of a namespace, and a directory with its kubeconfig; the token is a
    separate file, as in pods."""

    def __init__(self, state, kubectl, namespace, account):
        self.namespace = namespace
        self.account = account
        self.user = f"system:serviceaccount:{namespace}:{account}"
        self._state = state
        self._kubectl = kubectl.within(namespace)
        self._directory = state.directory / "connections" / namespace / account
        self._directory.mkdir(parents=True)
        self.token_file = self._directory / "token"
        self.renew_token()

    def renew_token(self, *options):
        """Writes a new token to the file atomically, as kubelet does."""
        token = self._kubectl.must("create", "token", self.account, *options).stdout.strip()
        partial = self.token_file.with_suffix(".partial")
        partial.write_text(token)
        partial.chmod(0o600)
        partial.rename(self.token_file)
        return token

    def kubeconfig(self, port=None, name="kubeconfig", **user):
        """Writes a kubeconfig and returns its path. `port` reaches the API server on another port than
        its own; `user` replaces the user that refers to the token's file."""
        address = urllib.parse.urlsplit(self._state.facts["api_server"])
        authority = (self._state.directory / "pki/ca.crt").read_bytes()
        path = self._directory / name
        path.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "server",
            "contexts": [{"name": "server", "context": {"cluster": "test", "user": "server"}}],
            "clusters": [{"name": "test", "cluster": {
                "server": f"https://{address.hostname}:{port or address.port}",
                "certificate-authority-data": base64.b64encode(authority).decode()}}],
            "users": [{"name": "server",
                       "user": user or {"tokenFile": str(self.token_file)}}]}, indent=2))
        path.chmod(0o600)
        return path

    def pod(self):
        """A command prefix that runs a command as kubelet runs a container of this account: with its
        token, CA and namespace at a pod's paths, and the API server in the environment. Raises
        HarnessError if mounts are not allowed."""
        shutil.copy(self._state.directory / "pki/ca.crt", self._directory / "ca.crt")
        (self._directory / "namespace").write_text(self.namespace)
        private = ["unshare", "--mount"] if os.geteuid() == 0 else [
            "unshare", "--mount", "--map-root-user"]
        probe = subprocess.run([*private, "sh", "-c", "mount -t tmpfs none /run"],
                               stdin=subprocess.DEVNULL, capture_output=True, text=True,
                               timeout=10, check=False)
        if probe.returncode != 0:
            raise HarnessError(f"cannot mount anything for a pod: {probe.stderr.strip()}")
        address = urllib.parse.urlsplit(self._state.facts["api_server"])
        return ["env", f"KUBERNETES_SERVICE_HOST={address.hostname}",
                f"KUBERNETES_SERVICE_PORT={address.port}", *private, "sh", "-c",
                f"mount -t tmpfs none /run && mkdir -p {ACCOUNT_DIRECTORY} && "
                f'mount --bind "$0" {ACCOUNT_DIRECTORY} && exec "$@"', self._directory]


class Connection(AccountConnection):
    """A new service account dynamo-webhook of a namespace, with the permissions of these files."""

    def __init__(self, state, kubectl, namespace, rights, restricted=None):
        self._admin = kubectl
        self._home = namespace
        self._restricted = restricted
        self.grant("service_account.yaml", *rights)
        super().__init__(state, kubectl, namespace, ACCOUNT)

    def grant(self, *files):
        """Applies files of deploy/rbac, changed as their README describes for another namespace."""
        for file in files:
            text = (RIGHTS / file).read_text().replace("dynamo-system", self._home)
            if self._restricted:
                text = text.replace("team-a", self._restricted)
            self._admin.must("apply", "--filename", "-", stdin=text)
