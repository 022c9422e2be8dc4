"""kubectl as a user of the test cluster runs it."""

import json
import os
from dataclasses import dataclass

from .api_client import MissingObject, UnsupportedQuery
from .processes import HarnessError, RetryError, run, wait_until

COMMAND_SECONDS = 60
ESTABLISHED_SECONDS = 60


class NotFoundError(HarnessError, RetryError):
    """The object does not exist: an error, which wait_until() retries."""


@dataclass(frozen=True)
class Result:
    """The output of one command. `ok` means exit code 0."""

    command: str
    code: int
    stdout: str
    stderr: str

    @property
    def ok(self):
        return self.code == 0

    def json(self):
        return json.loads(self.stdout)

    def __str__(self):
        return f"$ {self.command}\nexit {self.code}\n{self.stdout}{self.stderr}"


def _spoken(arguments):
    return "kubectl " + " ".join(str(each) for each in arguments)


def _own_timeout(command):
    """Seconds that a command itself may wait, as in `--timeout 40s`."""
    reported = dict(zip(command, command[1:])).get("--timeout", "")
    return int(reported.removesuffix("s")) if reported.endswith("s") else 0


class Kubectl:
    """Runs kubectl against one cluster, as its administrator or as `user`. If only an object is needed
    or written, and kubectl's output is not needed, a `client` does it instead, if it can."""

    def __init__(self, binary, kubeconfig, cache, namespace=None, user=None, client=None):
        self._binary = str(binary)
        self._kubeconfig = str(kubeconfig)
        self._cache = str(cache)
        self.namespace = namespace
        self._user = user
        self._client = client

    def within(self, namespace):
        return Kubectl(self._binary, self._kubeconfig, self._cache, namespace, self._user, self._client)

    def impersonating(self, user):
        return Kubectl(self._binary, self._kubeconfig, self._cache, self.namespace, user, self._client)

    def run(self, *arguments, stdin=None, editor=None):
        """Runs one command and returns its Result, regardless of its exit code.

        `stdin` is text, or an object that is sent as JSON. `editor` is the command with which `kubectl edit` changes a file.
        """
        command = [self._binary, "--cache-dir", self._cache, "--request-timeout", "20s"]
        if self.namespace:
            command += ["--namespace", self.namespace]
        if self._user:
            command += ["--as", self._user]
        command += [str(argument) for argument in arguments]
        if stdin is not None and not isinstance(stdin, str):
            stdin = json.dumps(stdin)
        # Each kubectl ends before its garbage is worth collecting, which takes a third of its time.
        environment = {"KUBECONFIG": self._kubeconfig, "HOME": "/nonexistent", "PATH": os.environ.get("PATH", ""),
                       "GOGC": "off", **({"KUBE_EDITOR": editor} if editor else {})}
        spoken = _spoken(command[5:])
        done = run(spoken, command, COMMAND_SECONDS + _own_timeout(command), input=stdin if stdin is not None else "",
                   capture_output=True, env=environment)
        return Result(spoken, done.returncode, done.stdout, done.stderr)

    def must(self, *arguments, stdin=None):
        """Like run(), for steps that can only fail if the cluster itself is broken. Without kubectl's output for commands
        that the `client` supports."""
        if self._client:
            try:
                self._client.write(arguments, stdin, self.namespace, self._user)
                return Result(_spoken(arguments), 0, "", "")
            except UnsupportedQuery:
                pass
        result = self.run(*arguments, stdin=stdin)
        if not result.ok:
            raise HarnessError(str(result))
        return result

    def get(self, *arguments):
        """The object(s) as the API server stores them. Raises NotFoundError if no object of that name exists."""
        if self._client:
            try:
                return self._client.get(arguments, self.namespace, self._user)
            except MissingObject as error:
                raise NotFoundError(f"$ {_spoken(('get', *arguments))}\nError from server (NotFound): {error}") from error
            except UnsupportedQuery:
                pass
        result = self.run("get", *arguments, "--output", "json")
        if not result.ok:
            raise (NotFoundError if "(NotFound)" in result.stderr else HarnessError)(str(result))
        return result.json()

    def read(self, path):
        """The object or list at a path of the API, in a version that need not be the preferred one."""
        if self._client:
            try:
                return self._client.read(path, self._user)
            except (MissingObject, UnsupportedQuery):
                pass
        return self.must("get", "--raw", path).json()

    def until_established(self, *names):
        """Waits until the API server serves these CustomResourceDefinitions; without names, all that exist.

        `kubectl wait` fails immediately if the conditions are still null, as they initially are.
        """
        def is_established(each):
            return any(condition["type"] == "Established" and condition["status"] == "True"
                       for condition in each.get("status", {}).get("conditions") or [])

        def all_are():
            items = self.get("crd")["items"]
            ready = {each["metadata"]["name"] for each in items if is_established(each)}
            return set(names or (each["metadata"]["name"] for each in items)) <= ready

        wait_until("definitions being established", all_are, ESTABLISHED_SECONDS)
