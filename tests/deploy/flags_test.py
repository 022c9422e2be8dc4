"""The chart refuses exactly the values with which the program would refuse to start.

DYNAMO_WEBHOOK_BINARY names the program."""

import json
import os
import subprocess
import tempfile
import unittest

import references
from charts import OPERATOR, RenderError, render
from charts_test import CERTIFICATES, EXTERNAL, ROLES, SCOPES, all_renders, at, merged

NOWHERE = "/nonexistent/kubeconfig"
MANAGED = ("--cert-mode=managed", "--namespace=a")
RESTRICTED = ("--restricted-namespace=dynamo-system",)


def refusal(arguments, program="DYNAMO_WEBHOOK_BINARY"):
    """The program's message about its flags; "" if they are valid. With valid flags the next error is the missing
    kubeconfig."""
    done = subprocess.run([os.environ[program], *arguments, f"--kubeconfig={NOWHERE}"],
                          capture_output=True, text=True, timeout=30, check=False)
    if done.returncode != 2:
        raise AssertionError(f"exit {done.returncode}: {done.stderr}")
    return "" if f"{NOWHERE}: must exist" in done.stderr else done.stderr


def arguments_of(rendered, container="webhook"):
    """The arguments of a container, without the policy, which is a separate file."""
    (_, _, pod), = [each for each in references.pods(rendered) if each[2]["containers"][0]["name"] == container]
    return [each for each in pod["containers"][0]["args"] if not each.startswith("--policy=")]


def durations(path, flag, values, *more, base=None):
    return [(merged(base or {}, at(path, value)), (*more, f"--{flag}={value}"), good) for value, good in values]


# Values, the corresponding flags, and whether both are accepted.
EDGES = (
    *((at("webhook.port", port), (f"--bind-address=:{port}",), good) for port, good in (
        (1, True), (8079, True), (8080, False), (8081, False), (8082, True), (65535, True), (65536, False))),
    *((at("kubernetesClusterDomain", name), (f"--cluster-domain={name}",), good) for name, good in (
        ("a", True), ("x" * 64 + ".local", True), ("x" * 253, True), ("x" * 254, False), ("a..b", False), ("a.", False),
        ("A", False), ("a_b", False), ("-a", False), ("a-.b", False))),
    *((at("webhook.certificateSecret.name", name), (f"--cert-secret={name}",), good) for name, good in (
        ("a", True), ("x" * 100, True), ("x" * 253, True), ("x" * 254, False), ("a..b", False), ("a.-b", False), ("A", False))),
    *durations("webhook.shutdownDelay", "shutdown-delay", (
        ("0s", True), ("0", True), ("1ms", True), ("5m", True), ("300001ms", False), ("5m1ns", False), ("-1s", False), ("10", False),
        ("1d", False), ("", False)), base=at("webhook.terminationGracePeriodSeconds", 10000)),
    *durations("webhook.drainTimeout", "drain-timeout", (("0s", True), ("1.5m", True), ("5m", True), ("301s", False)),
               base=at("webhook.terminationGracePeriodSeconds", 10000)),
    *durations("webhook.managed.caLifetime", "ca-lifetime", (
        ("10800h", True), ("10799h", False), ("876000h", True), ("876001h", False), ("24h", False), ("1s", False)), *MANAGED),
    *((merged(at("webhook.certificateValidity", days), at("webhook.managed.caLifetime", authority)),
       (*MANAGED, f"--leaf-lifetime={24 * days}h", f"--ca-lifetime={authority}"), good) for days, authority, good in (
        (1, "120h", True), (1, "119h", False), (365, "43800h", True), (365, "43799h", False), (366, "87600h", False))),
    *durations("markerLease.maxDuration", "lease-max-duration", (
        ("30s", True), ("29s", False), ("1s", False), ("24h", True), ("24h1s", False), ("90500ms", False), ("1.5m", True),
        ("31.5s", False))),
    *((merged(SCOPES["restricted"], at("namespaceRestriction.lease", {"duration": duration, "renewInterval": interval})),
       (*RESTRICTED, f"--namespace-scope-lease-duration={duration}", f"--namespace-scope-lease-renew-interval={interval}"), good)
      for duration, interval, good in (
          ("30s", "10s", True), ("1s", "100ms", True), ("1s", "99ms", False), ("999ms", "100ms", False), ("1500ms", "1s", False),
          ("5m", "10s", True), ("301s", "10s", False), ("30s", "30s", False), ("30s", "29999ms", True))),
    (merged(SCOPES["restricted"], at("namespaceRestriction.lease.duration", "1h"), at("markerLease.maxDuration", "1h")),
     (*RESTRICTED, "--namespace-scope-lease-duration=1h", "--lease-max-duration=1h"), True),
    (merged(SCOPES["restricted"], at("namespaceRestriction.lease.duration", "2h"), at("markerLease.maxDuration", "3h")),
     (*RESTRICTED, "--namespace-scope-lease-duration=2h", "--lease-max-duration=3h"), False),
    (merged(SCOPES["restricted"], at("markerLease.maxDuration", "29s")), (*RESTRICTED, "--lease-max-duration=29s"), False),
    *((merged(SCOPES["restricted"], at("namespaceRestriction.targetNamespace", name)), (f"--restricted-namespace={name}",), good)
      for name, good in (("x" * 63, True), ("x" * 64, False), ("a.b", False), ("a-", False))),
    *((at("webhook.maxBodyMemory", size), (f"--max-body-memory={size}",), good) for size, good in (
        ("8MiB", True), ("8388608", True), ("8388607", False), ("8191KiB", False), ("64GiB", True), ("65537MiB", False),
        ("65GiB", False), ("0", False), ("1", False), ("8MB", False), ("08MiB", True), ("8.5MiB", False))),
    *((at("webhook.threads", count), (f"--threads={count}",), good) for count, good in (
        (0, True), (256, True), (257, False), (-1, False))),
    *((at("webhook.maxInFlight", count), (f"--max-in-flight={count}",), good) for count, good in (
        (1, True), (65535, True), (0, False), (65536, False))),
    *((at("webhook.operatorServiceAccount", name), (f"--operator-service-account={name}",), good) for name, good in (
        ("a/b", True), ("a/b.c", True), ("x" * 63 + "/" + "y" * 253, True), ("x" * 64 + "/b", False), ("a/b..c", False),
        ("a/b/c", False), ("a", False))),
    *((merged(at("webhook.clusterLookups", names), at("webhook.clientCA.existingConfigMap", "c")),
       ("--client-ca-file=/a", f"--cluster-lookups={','.join(names)}",), good) for names, good in (
        (["all"], True), (["all", "secrets"], True), (["clustertopologybindings"], True), (["pods"], False))),
    *((at(f"markerLease.{key}", names), (f"--lease-{key}={','.join(names)}",), good)
      for key in ("namespaces", "holders") for names, good in (
          (["a-*", "?"], True), (["a b"], False), ([""], False), (["é"], False), (["~", "!"], True))),
    *((merged(at("webhook.clientCA.existingConfigMap", "c"), at("webhook.clientCA.allowedNames", names)),
       ("--client-ca-file=/a", f"--client-allowed-names={','.join(names)}"), good) for names, good in (
        (["kube-apiserver", "spiffe://a/b"], True), (["a b"], False), (["a\tb"], False))),
    (at("webhook.clientCA.allowedNames", ["a"]), ("--client-allowed-names=a",), False),
    *((at(f"webhook.{key}", value), (f"--{flag}={value}",), good) for key, flag, value, good in (
        ("logLevel", "log-level", "debug", True), ("logLevel", "log-level", "trace", False),
        ("logFormat", "log-format", "text", True), ("logFormat", "log-format", "xml", False),
        ("enforcement", "enforcement", "audit", True), ("enforcement", "enforcement", "warn", False),
        ("operatorGeneration", "operator-generation", "first", True), ("operatorGeneration", "operator-generation", "auto", True),
        ("operatorGeneration", "operator-generation", "last", False))),
    (ROLES["replacement"], ("--operator-replaced",), True),
    (at("discoveryBackend", "etcd"), ("--discovery-backend=etcd",), True),
    (at("discoveryBackend", "consul"), ("--discovery-backend=consul",), False),
    *((at(f"operator.{key}", value), (f"--operator-{flag}={value}",), good)
      for key, flag in (("checkpoints", "checkpoints"), ("gpuDiscovery", "gpu-discovery")) for value, good in (
          ("enabled", True), ("disabled", True), ("on", False))),
)


def worst_case(limits):
    """memory_bound_bytes and socket_memory_bound_bytes together, as the program logs them."""
    local = (f"--{name}-address=127.0.0.1:0" for name in ("bind", "health-probe-bind", "metrics-bind"))
    with tempfile.TemporaryDirectory() as directory, subprocess.Popen(
            [os.environ["DYNAMO_WEBHOOK_BINARY"], *local, "--cert-mode=self-signed", f"--cert-dir={directory}",
             "--cluster-connection=none", "--log-format=json", *limits], stderr=subprocess.PIPE, text=True) as server:
        try:
            started = next(line for line in map(json.loads, server.stderr) if line["message"] == "serving")
        finally:
            server.kill()
    return started["memory_bound_bytes"] + started["socket_memory_bound_bytes"]


class MemoryLimit(unittest.TestCase):
    def test_worst_case_fits_into_the_pod(self):
        pods = set()
        for _, rendered in all_renders():
            for _, _, pod in references.pods(rendered):
                container = pod["containers"][0]
                if container["name"] == "webhook":
                    pods.add((container["resources"]["limits"]["memory"],
                              *(each for each in container["args"] if each.startswith(("--threads=", "--max-")))))
        self.assertTrue(pods)
        for limit, *limits in sorted(pods):
            with self.subTest(limit=limit, limits=limits):
                self.assertLessEqual(worst_case(limits), int(limit.removesuffix("Mi")) << 20)


class Flags(unittest.TestCase):
    def test_program_accepts_arguments_of_every_render(self):
        for name, rendered in all_renders():
            if name != "webhook-off":
                with self.subTest(name):
                    self.assertEqual(refusal(arguments_of(rendered)), "")
                    for _, _, pod in references.pods(rendered):
                        if pod["containers"][0]["name"] == "keeper":
                            self.assertEqual(refusal(arguments_of(rendered, "keeper")), "")

    def test_program_accepts_names_of_every_release(self):
        for release in ("a", "x" * 53, "a.b", "x" * 25 + "." + "y" * 27):
            for scope in ("cluster", "restricted-elsewhere"):
                for namespace in ("a", "y" * 63):
                    with self.subTest(release=release, scope=scope, namespace=namespace):
                        self.assertEqual(refusal(arguments_of(render(
                            OPERATOR, [SCOPES[scope]], release=release, namespace=namespace))), "")

    def test_chart_and_program_refuse_the_same_values(self):
        for values, flags, good in EDGES:
            with self.subTest(flags=flags):
                message = refusal(flags)
                self.assertEqual(message == "", good, message)
                if good:
                    arguments = arguments_of(render(OPERATOR, [values]))
                    self.assertEqual(refusal(arguments), "")
                    # A duration is passed as it was written.
                    self.assertIn(flags[-1], arguments)
                else:
                    with self.assertRaises(RenderError):
                        render(OPERATOR, [values])

    def test_every_flag_set_by_values_has_edges(self):
        # Constants, generated names and switches have no invalid values.
        fixed = {"--health-probe-bind-address", "--metrics-bind-address", "--cert-mode", "--cert-dir", "--namespace", "--service",
                 "--role", "--inject-crds", "--client-ca-file", "--operator-version"}
        seen = {argument.partition("=")[0] for name, rendered in all_renders() if name != "webhook-off"
                for argument in arguments_of(rendered)}
        edged = {flag.partition("=")[0] for _, flags, _ in EDGES for flag in flags}
        self.assertEqual(seen - edged - fixed, set())

    def test_values_not_passed_on_are_not_refused(self):
        # Settings of a Lease that is not kept, and of a CA that another tool creates.
        render(OPERATOR, [at("namespaceRestriction.lease", {"duration": "2h", "renewInterval": "1h"})])
        for mode in (EXTERNAL, CERTIFICATES["cert-manager"]):
            render(OPERATOR, [mode, at("webhook.managed.caLifetime", "1h")])


if __name__ == "__main__":
    unittest.main()
