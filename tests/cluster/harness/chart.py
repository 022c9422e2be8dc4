"""Installs the charts with helm, and runs their programs on this machine like their pods: with the
rendered arguments, as the rendered service account."""

import base64
import json
import os
import subprocess
from pathlib import Path

import yaml

from . import managed, processes, webhook
from .processes import HarnessError

REPOSITORY = Path(__file__).resolve().parents[3]
CHARTS = REPOSITORY / "deploy/charts"
SCENARIOS = REPOSITORY / "deploy/scenarios"
OPERATOR = CHARTS / "dynamo-platform/charts/dynamo-operator"
POST_RENDER = Path(__file__).resolve().parent / "post_render.py"
BUILD_SECONDS = 1800
HELM_SECONDS = 120
CERTIFICATES = "/etc/dynamo-webhook/certs"  # the chart's mount path, unless the server creates them
STOP_SECONDS = 30
READY_SECONDS = 60
# The delays of each stop: just enough for the API server to notice.
QUICK = {"shutdownDelay": "1s", "drainTimeout": "5s", "terminationGracePeriodSeconds": 20}


# Required values of every release.
REQUIRED_VALUES = {"operatorVersion": "1.0.0"}


class Helm:
    def __init__(self, state):
        done = processes.run("the build of helm", [REPOSITORY / "tests/deploy/build_tools", "helm"], BUILD_SECONDS,
                             stdout=subprocess.PIPE)
        if done.returncode != 0:
            raise HarnessError("helm could not be built")
        self._binary = done.stdout.strip()
        home = state.directory / "helm"
        self._environment = {"PATH": os.environ["PATH"], "HOME": str(home), "KUBECONFIG": str(state.kubeconfig),
                             "HELM_CACHE_HOME": str(home), "HELM_CONFIG_HOME": str(home),
                             "HELM_DATA_HOME": str(home), "GOGC": "400"}

    def run(self, *arguments, values=None):
        """Runs helm, with `values` as a file on its input; returns exit code and all output."""
        command = [self._binary, *map(str, arguments)]
        if values is not None:
            command += ["--values", "-"]
        done = processes.run(f"helm {' '.join(command[1:])}", command, HELM_SECONDS, input=json.dumps(values or {}),
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=self._environment)
        return done.returncode, done.stdout

    def must(self, *arguments, values=None):
        code, output = self.run(*arguments, values=values)
        if code != 0:
            raise HarnessError(f"$ helm {' '.join(map(str, arguments))}\nexit {code}\n{output}")
        return output


# Kinds of other projects; no controller here acts on their objects.
MONITORING = (("ServiceMonitor", "servicemonitors"), ("PodMonitor", "podmonitors"), ("PrometheusRule", "prometheusrules"))


def scenarios():
    """The scenarios of deploy/scenarios whose certificates the server creates itself; here nothing
    else does."""
    return [path.stem for path in sorted(SCENARIOS.glob("*.yaml")) if _is_managed(scenario_values(path.stem))]


def scenario_values(scenario):
    """The values of a scenario for the operator's chart."""
    path = SCENARIOS / f"{scenario}.yaml"
    if not path.is_file():
        raise HarnessError(f"no scenario {scenario}; must be one of {', '.join(scenarios())}")
    return yaml.safe_load(path.read_text(encoding="utf-8"))["dynamo-operator"]


def _is_managed(values):
    found = values.get("webhook", {})
    return not (found.get("certManager", {}).get("enabled") or found.get("certificateSecret", {}).get("external"))


def _prepare(kubectl, namespace, values):
    """Creates the prerequisites of a scenario: the kinds of monitoring, the namespaces, and the pull
    secret."""
    for name in (namespace, values.get("namespaceRestriction", {}).get("targetNamespace")):
        if name and not kubectl.run("get", "namespace", name).ok:
            kubectl.must("create", "namespace", name)
    login = values.get("dynamo", {}).get("dockerRegistry", {}).get("existingSecretName")
    if login:
        kubectl.must("apply", "--namespace", namespace, "--filename", "-", stdin={
            "apiVersion": "v1", "kind": "Secret", "metadata": {"name": login}, "type": "kubernetes.io/dockerconfigjson",
            "stringData": {".dockerconfigjson": '{"auths": {"registry.example.com": {"auth": "YTpi"}}}'}})
    group = "monitoring.coreos.com"
    versions = [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {
        "type": "object", "x-kubernetes-preserve-unknown-fields": True}}}]
    kubectl.must("apply", "--filename", "-", stdin={"apiVersion": "v1", "kind": "List", "items": [
        {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
         "metadata": {"name": f"{plural}.{group}"},
         "spec": {"group": group, "scope": "Namespaced", "versions": versions,
                  "names": {"kind": kind, "plural": plural, "singular": kind.lower()}}}
        for kind, plural in MONITORING]})
    kubectl.until_established()


def without_platform(values):
    """Values of a scenario for the operator's chart alone, which then needs the addresses of NATS and
    etcd."""
    return {"natsAddr": "nats://nats.nats:4222", "etcdAddr": "etcd.etcd:2379", **values}


def install_platform(state, scenario, port):
    """Lints the charts and installs them as users do, for all namespaces; the webhooks are called at
    `port`."""
    namespace = "dynamo-system"
    values = scenario_values(scenario)
    if not _is_managed(values):
        raise HarnessError(f"{scenario} serves a certificate of another issuer, which this harness does not create; "
                           f"must be one of {', '.join(scenarios())}")
    _prepare(state.kubectl(), namespace, values)
    program = REPOSITORY / "tests/deploy/deploy.py"
    commands = (["lint"], ["--namespace", namespace, "install", scenario, "--", "--post-renderer", POST_RENDER,
                           "--post-renderer-args", port])
    for command in commands:
        done = processes.run(f"{program.name} {command[0]}", ["python3", program, *command], 2 * HELM_SECONDS,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             env={**os.environ, "KUBECONFIG": str(state.kubeconfig)})
        if done.returncode != 0:
            raise HarnessError(f"{program.name} {command[0]} ended with {done.returncode}\n{done.stdout}")
    return Release(state, state.kubectl(), "dynamo", namespace, port)


class Release:
    """A release of the operator's chart, called at `port`, for the namespaces labelled for it."""

    def __init__(self, state, kubectl, name, namespace, port):
        self.name, self.namespace, self.validator = name, namespace, f"{name}-{namespace}"
        self.helm = Helm(state)
        self._state = state
        self._admin = kubectl
        self._post = ("--post-renderer", POST_RENDER, "--post-renderer-args", port, "--post-renderer-args",
                      self.validator)
        self._where = ("--namespace", namespace)

    def upgrade(self, values, *options):
        values = {**values, "webhook": {**QUICK, **REQUIRED_VALUES, **values.get("webhook", {})}}
        return self.helm.must("upgrade", "--install", self.name, OPERATOR, *self._where, *self._post, *options,
                              values=values)

    def refusal(self, values):
        """helm's message when it refuses to install the release."""
        values = {**values, "webhook": {**REQUIRED_VALUES, **values.get("webhook", {})}}
        code, output = self.helm.run("install", self.name, OPERATOR, *self._where, *self._post, values=values)
        if code == 0:
            raise HarnessError(f"it was installed:\n{output}")
        return output

    def rollback(self, revision):
        return self.helm.must("rollback", self.name, revision, *self._where)

    def uninstall(self):
        return self.helm.run("uninstall", self.name, *self._where, "--ignore-not-found")

    def notes(self):
        return self.helm.must("get", "notes", self.name, *self._where)

    def objects(self):
        """The objects that the API server got for the release."""
        text = self.helm.must("get", "manifest", self.name, *self._where)
        return [each for each in yaml.safe_load_all(text) if each]

    def named(self, kind, ending):
        found, = [each["metadata"]["name"] for each in self.objects()
                  if each["kind"] == kind and each["metadata"]["name"].endswith(ending)]
        return found

    def _pod(self, program="webhook"):
        pod, = [spec for spec in (each["spec"]["template"]["spec"] for each in self.objects() if each["kind"] == "Deployment")
                if spec["containers"][0]["name"] == program]
        return pod

    def arguments(self, program="webhook"):
        """The arguments of a program's container, without addresses, with files of this machine."""
        container, = self._pod(program)["containers"]
        return [each.replace(CERTIFICATES, str(self._directory() / "certs"))
                for each in container["args"] if "bind-address" not in each]

    def mount(self):
        """Writes the Secret with the certificates to the program's folder, as kubelet does, initially
        and after changes."""
        for volume in self._pod().get("volumes", []):
            if volume["name"] != "certificates":
                continue
            secret = self._admin.within(self.namespace).get("secret", volume["secret"]["secretName"])
            directory = self._directory() / "certs"
            directory.mkdir(exist_ok=True)
            content = directory / f"..{secret['metadata']['resourceVersion']}"
            content.mkdir(exist_ok=True)
            for key, value in secret["data"].items():
                (content / key).write_bytes(base64.b64decode(value))
                link = directory / key
                if not link.is_symlink():
                    link.symlink_to(Path("..data") / key)
            new = directory / "..data_tmp"
            new.symlink_to(content.name)
            new.rename(directory / "..data")

    def _policy(self):
        """The flag that sets the policy, as a file on this machine."""
        for each in self.objects():
            if each["kind"] == "ConfigMap" and each["metadata"]["name"].endswith("-webhook-policy"):
                path = self._directory() / "policy.yaml"
                path.write_text(each["data"]["policy.yaml"], encoding="utf-8")
                return [f"--policy={path}"]
        return []

    def has(self, program):
        return any(each["kind"] == "Deployment" and each["spec"]["template"]["spec"]["containers"][0]["name"] == program
                   for each in self.objects())

    def has_reconciler(self):
        return self.has("reconciler")

    def start_keeper(self):
        """Runs the keeper of certificates like its pod, if the release has one and it is not running;
        returns its name, or None."""
        if not self.has("keeper"):
            return None
        name = f"{self.validator}-keeper"
        if name in [record["name"] for record in self._state.facts["processes"]]:
            return name
        probes, metrics = processes.free_ports(2)
        record = self._state.start(name, [
            self._state.facts["webhook_binary"], "--health-probe-bind-address", f"127.0.0.1:{probes}",
            "--metrics-bind-address", f"127.0.0.1:{metrics}", "--kubeconfig", self._kubeconfig("keeper"),
            *self.arguments("keeper")], STOP_SECONDS)
        facts = {"name": name, "probes": probes, "metrics": metrics}
        self._state.wait_ready(record, f"{name}'s /readyz", lambda: webhook.is_ready(facts), READY_SECONDS)
        return name

    def start_reconciler(self, name, binary):
        """Runs a replica of dynamo-reconciler like its pod; returns the addresses of its probes and
        metrics."""
        probes, metrics = processes.free_ports(2)
        arguments = [each for each in self.arguments("reconciler") if not each.startswith("--policy=")]
        record = self._state.start(name, [
            binary, "--health-probe-bind-address", f"127.0.0.1:{probes}", "--metrics-bind-address", f"127.0.0.1:{metrics}",
            "--kubeconfig", self._kubeconfig("reconciler"), *arguments, *self._policy()], STOP_SECONDS)
        facts = {"name": name, "probes": probes, "metrics": metrics}
        self._state.wait_ready(record, f"{name}'s /readyz", lambda: webhook.is_ready(facts), READY_SECONDS)
        return facts

    def _directory(self):
        path = self._state.directory / "releases" / self.validator
        path.mkdir(parents=True, exist_ok=True)
        return path

    def account(self, program="webhook"):
        return self._pod(program)["serviceAccountName"]

    def start(self, name, port=None):
        """Runs a replica like its pod, at `port` or any port, and waits until it is ready; returns its
        facts."""
        self.start_keeper()
        kubeconfig = self._kubeconfig()
        free, probes, metrics = processes.free_ports(3)
        port = port or free
        self.mount()
        command = [self._state.facts["webhook_binary"], "--bind-address", f"127.0.0.1:{port}",
                   "--health-probe-bind-address", f"127.0.0.1:{probes}",
                   "--metrics-bind-address", f"127.0.0.1:{metrics}", "--kubeconfig", kubeconfig,
                   *self.arguments(), *self._policy()]
        record = self._state.start(name, command, STOP_SECONDS)
        facts = {"name": name, "port": port, "probes": probes, "metrics": metrics}
        self._state.wait_ready(record, f"{name}'s /readyz", lambda: webhook.is_ready(facts), READY_SECONDS)
        return facts

    def bundles(self):
        """The caBundle of each webhook of the release, as text; "" for none."""
        found = []
        for kind in managed.CONFIGURATIONS:
            ending = "validating" if kind.startswith("validating") else "mutating"
            name = f"{self.name}-dynamo-operator-{ending}.{self.namespace}"
            found += [base64.b64decode(each["clientConfig"].get("caBundle", "")).decode()
                      for each in self._admin.get(kind, name)["webhooks"]]
        return found

    def secret(self):
        return f"{self.name}-dynamo-operator-webhook-cert"

    def host(self):
        """The host name that API servers call."""
        return f"{self.name}-dynamo-operator-webhook-service.{self.namespace}.svc"

    def _kubeconfig(self, program="webhook"):
        """A connection with a token of the rendered account, as kubelet mounts it into a pod."""
        account = self.account(program)
        directory = self._directory()
        token = self._admin.within(self.namespace).must("create", "token", account).stdout.strip()
        authority = (self._state.directory / "pki/ca.crt").read_bytes()
        path = directory / f"{program}.kubeconfig"
        path.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "pod",
            "contexts": [{"name": "pod", "context": {"cluster": "test", "user": "pod"}}],
            "clusters": [{"name": "test", "cluster": {
                "server": self._state.facts["api_server"],
                "certificate-authority-data": base64.b64encode(authority).decode()}}],
            "users": [{"name": "pod", "user": {"token": token}}]}), encoding="utf-8")
        path.chmod(0o600)
        return path
