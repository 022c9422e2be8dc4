"""Values: the ones that are honoured, the ones that are refused, and the messages."""

import base64
import json
import os
import re
import subprocess
import unittest
from pathlib import Path

import yaml

import charts
import flags_test
import references
from charts import OPERATOR, REPOSITORY, render
from charts_test import CA, CERTIFICATES, EXTERNAL, LOGIN, ROLES, SCOPES, Case, at, merged, one, rules_of


CLIENT_CA = at("webhook.clientCA.existingConfigMap", "a-client-ca")
NO_CLIENTS = "webhook.clusterLookups must come with webhook.clientCA.existingConfigMap"


def networks(*cidrs):
    """Closes the webhook port to all other clients."""
    return at("webhook.networkPolicy", {"enabled": True, "apiServerCIDRs": list(cidrs)})


class Values(Case):
    REPLACED = {
        "controllerManager.kubeRbacProxy": "metricsService", "webhook.certGenerator": "webhook.managed",
        "metricsService.ports": "metricsService.port",
        "dynamo.dockerRegistry.secure": "container runtime", "istioVirtualServiceEnabled": "dynamo.istio.enabled",
        "dynamo.dynamoIngressSuffix": "dynamo.ingressHostSuffix", "serviceAccount": "webhook.serviceAccount",
        "checkpoint.criu": "config.checkpoint.criu", "certManager": "webhook.certManager.issuerRef",
        "dynamo.mpiRun.sshKeygen.tolerations": "controllerManager.tolerations",
        "dynamo.mpiRun.sshKeygen.affinity": "controllerManager.affinity",
    }

    def test_upstream_keys_are_honoured_or_refused(self):
        known = yaml.safe_load((charts.HERE / "testdata/reference_values.yaml").read_text(encoding="utf-8"))
        keys = list(charts.leaves(known))
        self.assertGreater(len(keys), 80)
        for path, value in keys:
            key = ".".join(path)
            replaced = [each for each in self.REPLACED if f"{key}.".startswith(f"{each}.")]
            with self.subTest(key):
                if replaced:
                    message = self.refused(at(path, value))
                    self.assertIn(replaced[0], message)
                    self.assertIn(self.REPLACED[replaced[0]], message)
                else:
                    render(OPERATOR, [at(path, value)])

    # Conditions for a key to have an effect, and values that differ from the file's defaults.
    CONTEXTS = (
        ("namespaceRestriction.", SCOPES["restricted"]),
        ("webhook.certManager.certificate.", CERTIFICATES["cert-manager"]),
        ("dynamo.dockerRegistry.", at("dynamo.dockerRegistry", LOGIN)),
        ("webhook.certificateSecret.external", at("webhook.caBundle", CA)),
        ("webhook.caBundle", at("webhook.certificateSecret.external", True)),
        ("", {}),
    )
    OTHERS = {
        "namespaceRestriction.enabled": False, "namespaceRestriction.targetNamespace": "team-a",
        "webhook.certificateSecret.external": True, "webhook.caBundle": CA + base64.b64encode(b"\n").decode(),
        "dynamo.dockerRegistry.useKubernetesSecret": False,
    }

    def has_effect(self, path, value):
        """Whether this value of a key renders other objects than its default."""
        key = ".".join(path)
        context = next(values for prefix, values in self.CONTEXTS if key.startswith(prefix))
        if key == "webhook.certificateSecret.external":
            return render(OPERATOR, [merged(context, at(path, True))]) != render(OPERATOR)
        if key == "webhook.caBundle":
            value = base64.b64encode(b"-----BEGIN CERTIFICATE-----\nMB==\n-----END CERTIFICATE-----\n").decode()
            return render(OPERATOR, [merged(context, at(path, value))]) != render(OPERATOR, [EXTERNAL])
        return render(OPERATOR, [merged(context, at(path, self.OTHERS.get(key, value)))]) != render(OPERATOR, [context])

    def test_upstream_keys_without_effect_are_listed(self):
        known = yaml.safe_load((charts.HERE / "testdata/reference_values.yaml").read_text(encoding="utf-8"))
        reported = {row["key"] for row in self.without_effect()}
        without = set()
        for path, value in charts.leaves(known):
            key = ".".join(path)
            listed = [each for each in reported if f"{key}.".startswith(f"{each}.")]
            if [each for each in self.REPLACED if f"{key}.".startswith(f"{each}.")]:
                continue
            with self.subTest(key):
                self.assertEqual(self.has_effect(path, value), not listed)
            without |= set(listed)
        self.assertEqual(without, reported)
        self.assertGreater(len(reported), 35)

    def without_effect(self):
        return yaml.safe_load((OPERATOR / "files/without-effect.yaml").read_text(encoding="utf-8"))

    def test_list_without_effect_matches_defaults_and_page(self):
        defaults = dict(charts.leaves(yaml.safe_load((OPERATOR / "values.yaml").read_text(encoding="utf-8"))))
        for row in self.without_effect():
            path = tuple(row["key"].split("."))
            below = {key[len(path):]: value for key, value in defaults.items() if key[:len(path)] == path}
            self.assertEqual(dict(charts.leaves(row["default"])) if isinstance(row["default"], dict) and row["default"]
                             else {(): row["default"]}, below, row["key"])
        subprocess.run([charts.CHARTS / "table", "--check"], timeout=60, check=True)

    # Members for values of this chart alone.
    OWN = {"profile_copier_image", "profile_copier_command"}
    # Values that only unreachable code reads, by the member of the renderer's environment.
    UNREACHED = {}

    def test_values_unused_by_controllers_are_listed(self):
        sources = {path.relative_to(REPOSITORY / "src"): path.read_text(encoding="utf-8")
                   for pattern in ("*.cpp", "*.hpp") for path in (REPOSITORY / "src").rglob(pattern)}
        included = {(name, path.with_suffix("")) for path, text in sources.items()
                    for name in re.findall(r'#include "([^"]+)\.hpp"', text)}

        def is_reached(path):
            """Whether another file includes the header of this one; a file without a header is a
            program or a table."""
            own = path.with_suffix("")
            users = {user for name, user in included if Path(name) == own}
            return path.with_suffix(".hpp") not in sources or bool(users - {own})

        options = sources[Path("desired/render_options.cpp")]
        members = set(re.findall(r"^ +(?:environment|profile)\.(\w+) = ", options, re.MULTILINE))
        self.assertGreater(len(members), 20)
        ours = {"render_flags", "render_options", "environment", "profile"}
        unreached = {member for member in members if not [
            path for path, text in sources.items()
            if path.suffix == ".cpp" and path.stem not in ours and member in text and is_reached(path)]}
        self.assertEqual(unreached - self.OWN, set(self.UNREACHED))
        never = {row["key"] for row in self.without_effect() if row["until"] == "never"}
        self.assertLessEqual(set(self.UNREACHED.values()), never)

    def test_notes_run_the_doctor_on_this_release(self):
        program = os.environ["DYNAMO_CHECKER_BINARY"]
        known = set(re.findall(r"--[a-z-]+", subprocess.run([program, "doctor", "--help"], capture_output=True, text=True,
                                                             timeout=20, check=True).stdout))
        for values, wanted in (
                ({}, ["--service-account dynamo-system/dynamo-dynamo-operator-webhook ",
                      "--keeper-service-account dynamo-system/dynamo-dynamo-operator-webhook-keeper",
                      "--secret dynamo-system/dynamo-dynamo-operator-webhook-cert"]),
                (EXTERNAL, ["--secret dynamo-system/mine"]),
                (SCOPES["restricted-elsewhere"], ["--restricted-namespace team-a"]),
                (at("webhook.namespaceSelector.matchLabels", {"a": "b"}), ["--namespace VALIDATED-NAMESPACE"]),
                (merged(at("webhook.clusterLookups", ["secrets", "configmaps"]), at("webhook.managed.injectCRDs", True), CLIENT_CA,
                        at("markerLease", {"namespaces": ["a-*"], "holders": ["b"], "maxDuration": "9m"})),
                 ["--cluster-lookups configmaps,secrets", "--inject-crds", "--lease-namespaces 'a-*'", "--lease-holders 'b'",
                  "--lease-max-duration 9m"]),
                (ROLES["validating"], ["--reconciler-lease dynamo-system/dynamo-dynamo-operator-reconciler"]),
                (merged(ROLES["replacement"], at("controllerManager.leaderElection.namespace", "there")),
                 ["--reconciler-lease dynamo-system/dynamo-dynamo-operator-reconciler", "--operator-lease there/dynamo.nvidia.com"])):
            command, = re.findall(r"kubectl dynamo doctor.*", charts.notes([values]))
            for each in wanted:
                self.assertIn(f" {each}", command)
            # The usual Lease needs no flag.
            self.assertEqual("--operator-lease" in command, "--operator-lease" in wanted[-1])
            self.assertLessEqual(set(re.findall(r"--[a-z-]+", command)), known)

    def test_secret_lookups_require_client_certificates(self):
        account, right = "dynamo-dynamo-operator-webhook", "cluster: list secrets. *"
        lookups = at("webhook.clusterLookups", ["all"])
        with_network, with_ca = [lookups, networks("10.0.0.0/28")], [lookups, CLIENT_CA]
        self.assertNotIn(right, rules_of(render(OPERATOR, with_network), account))
        self.assertIn("cluster: list configmaps. *", rules_of(render(OPERATOR, with_network), account))
        self.assertIn(right, rules_of(render(OPERATOR, with_ca), account))
        self.assertIn("Secrets are not looked up", charts.notes(with_network))
        self.assertNotIn("Secrets are not looked up", charts.notes(with_ca))

    def test_notes_try_a_bad_object_in_validated_namespace(self):
        def tried(*values, **options):
            message = charts.notes(values, **options)
            namespace, = re.findall(r"kubectl create --dry-run=server --namespace (\S+) -f -", message)
            doctor, = re.findall(r"kubectl dynamo doctor.*", message)
            self.assertEqual("--namespace VALIDATED-NAMESPACE" in doctor, namespace == "VALIDATED-NAMESPACE")
            return namespace

        self.assertEqual(tried(), "default")
        self.assertEqual(tried(at("webhook.excludedNamespaces", ["default"])), "VALIDATED-NAMESPACE")
        self.assertEqual(tried(at("webhook.namespaceSelector.matchLabels", {"a": "b"})), "VALIDATED-NAMESPACE")
        # The release's own namespace is not validated by default.
        self.assertEqual(tried(namespace="default"), "VALIDATED-NAMESPACE")
        self.assertEqual(tried(at("webhook.excludeReleaseNamespace", False), namespace="default"), "default")
        self.assertEqual(tried(SCOPES["restricted-elsewhere"], at("webhook.excludedNamespaces", ["default"])), "team-a")

    def test_notes_list_set_keys_without_effect(self):
        known = yaml.safe_load((charts.HERE / "testdata/reference_values.yaml").read_text(encoding="utf-8"))
        values = {key: known[key] for key in ("natsAddr", "etcdAddr", "nats", "modelExpressURL", "checkpoint")}
        values["checkpoint"].pop("criu")
        values["controllerManager"] = {"replicas": 3, "tolerations": None}
        message = charts.notes([values])
        named = re.findall(r"^  ([a-z][A-Za-z0-9.]+)(?: \(of the webhook: (\S+)\))?$", message, re.MULTILINE)
        # storage.type has its default value, and null counts as unset.
        self.assertEqual(sorted(named), sorted([
            ("natsAddr", ""), ("etcdAddr", ""), ("nats.enabled", ""), ("modelExpressURL", ""),
            ("controllerManager.replicas", "webhook.replicas"),
            *((".".join(("checkpoint", *path)), "") for path, _ in charts.leaves(values["checkpoint"])
              if path != ("storage", "type"))]))
        self.assertNotIn("Without effect", charts.notes([]))
        # Every key of the list, if all are set.
        for row in self.without_effect():
            value = {"bool": not row["default"], "list": [{}], "dict": {"a": "b"}, "int": 7, "str": "/x"}[
                type(row["default"]).__name__]
            value = {"controllerManager.manager.args": ["--x"], "dynamo.groveTerminationDelay": "1s",
                     "controllerManager.leaderElection.id": "dynamo.nvidia.com", "checkpoint.storage.type": "oci", "controllerManager.manager.image.pullPolicy": "Always",
                     "dynamo.mpiRun.secretName": "x", "checkpoint.storage.pvc.pvcName": "x",
                     "controllerManager.leaderElection.namespace": "x",
                     }.get(row["key"], value)
            with self.subTest(row["key"]):
                self.assertIn(f"  {row['key']}", charts.notes([at(row["key"], value)]))

    def test_notes_list_keys_whose_needs_are_unmet(self):
        claim, marker = at("checkpoint.storage.pvc.pvcName", "x"), at("checkpoint.restoreMarkerFilePath", "/x")
        s3 = at("checkpoint.storage", {"type": "s3", "s3": {"uri": "s3://a", "credentialsSecretRef": "b"}})
        for values, wanted in (
                ([claim, marker], set()),
                ([claim, marker, at("checkpoint.enabled", False)],
                 {"checkpoint.storage.pvc.pvcName", "checkpoint.restoreMarkerFilePath"}),
                ([claim, marker, s3], {"checkpoint.storage.pvc.pvcName", "checkpoint.storage.s3.credentialsSecretRef"})):
            named = re.findall(r"^  (checkpoint\.\S+)$", charts.notes([ROLES["replacement"], *values]), re.MULTILINE)
            self.assertEqual(set(named), wanted)

    def test_notes_name_the_account_for_marker_leases(self):
        for values, wanted in (
                ({}, "dynamo-operator-namespace-scope of a namespace"),
                (SCOPES["restricted-elsewhere"], "dynamo-operator-namespace-scope in team-a"),
                (at("markerLeasePolicy.allowedServiceAccounts", ["a/b", "c/d"]), "there, and by a/b, c/d.")):
            message = charts.notes([values])
            self.assertIn(wanted, message)
            self.assertIn("must be listed in markerLeasePolicy.allowedServiceAccounts", message)
            self.assertNotIn("were not searched for", message)
        self.assertIn("were not searched for", charts.notes([{"conflictChecks": False}]))
        for values in (at("markerLeasePolicy.enabled", False), at("webhook.enabled", False)):
            self.assertNotIn("markerLeasePolicy", charts.notes([values]))

    def test_notes_name_the_lease_left_by_uninstallation(self):
        command = "kubectl -n team-a delete lease dynamo-operator-namespace-scope"
        elsewhere, off = SCOPES["restricted-elsewhere"], at("webhook.enabled", False)
        for values in ((elsewhere,), (elsewhere, ROLES["replacement"]), (elsewhere, ROLES["replacement"], off)):
            self.assertIn(command, charts.notes(values))
        # Cluster-wide releases, and a reconciler next to an operator, have none.
        for values in ((), (elsewhere, ROLES["validating"], off)):
            self.assertNotIn("delete lease", charts.notes(values))

    def test_null_values_of_a_platform_are_harmless(self):
        render(OPERATOR, [{"namespaceRestriction": {"targetNamespace": None}, "dynamo": {
            "dockerRegistry": {"server": None, "username": None, "password": None,
                               "existingSecretName": None},
            "ingress": {"className": None}, "istio": {"gateway": None}},
            "webhook": {"caBundle": None, "certificateSecret": {"name": None}},
            "controllerManager": {"leaderElection": {"id": None, "namespace": None}}}])

    # value, and what the message must name
    CONTRADICTIONS = (
        (at("namespaceRestriction.targetNamespace", "x"), "namespaceRestriction.enabled"),
        (at("namespaceRestriction.lease.renewInterval", "30s"), "must be shorter"),
        (at("namespaceRestriction.lease.duration", "0.5m"), None),
        (at("namespaceRestriction.lease.duration", "9999ms"), "must be shorter"),
        (at("namespaceRestriction.namespace", "x"), "targetNamespace"),
        (at("webhook.certificateSecret.external", True), "base64 -w0"),
        (at("webhook.caBundle", CA), "must be empty"),
        (merged(EXTERNAL, at("webhook.caBundle", "eHh4")), "PEM"),
        (merged(EXTERNAL, at("webhook.certManager.enabled", True)), "must not both"),
        (at("webhook.certManager.certificate.renewBefore", "9000h"), "renewBefore"),
        (at("webhook.certManager.certificate.rootCA.renewBefore", "90000h"), "rootCA.renewBefore"),
        (at("webhook.certManager.issuerRef", {"kind": "Issuer"}), "must have a name"),
        (at("webhook.certificateValidity", 3650), "at most 365"),
        (merged(at("webhook.policy", {"version": 1}), at("webhook.existingPolicyConfigMap", "p")),
         "must not both"),
        (at("webhook.policy", "version: ["), "webhook.policy must be YAML"),
        # The limits on authors would be lost.
        *((merged(ROLES["replacement"], at("webhook.existingPolicyConfigMap", "a-policy"), more), named) for more, named in (
            ({}, "graphAuthors.enabled must be false with webhook.existingPolicyConfigMap"),
            (at("graphAuthors.enabled", True), '"allowedHostPaths":[]'),
            (at("graphAuthors", {"allowedServiceAccounts": None, "allowedHostPaths": None, "allowedHostAccess": None}), '"allowedIstioGateways":["g"]'),
            (at("graphAuthors.enabled", False), None), (at("graphAuthors.enabled", "no"), "enabled"))),
        (merged(ROLES["validating"], at("webhook.existingPolicyConfigMap", "a-policy")), None),
        # The namespace of the release has its Secrets and accounts.
        *((merged(ROLES[role], at("namespaceRestriction", {"enabled": True, "targetNamespace": target}), more), named)
          for role, target, more, named in (
              ("replacement", "", {}, "namespaceRestriction.targetNamespace must name a namespace of its own for graphs"),
              ("replacement", "dynamo-system", at("webhook.excludeReleaseNamespace", False), 'found "dynamo-system"'),
              ("replacement", "kube-system", at("webhook.excludedNamespaces", []), 'found "kube-system"'),
              ("replacement", "team-a", at("webhook.excludedNamespaces", ["team-a"]), 'found "team-a"'),
              ("replacement", "team-a", {}, None), ("validating", "", {}, None), ("companion", "", {}, None),
              ("companion", "team-a", at("webhook.excludedNamespaces", ["team-a"]), None))),
        (at("webhook.clientCA.allowedNames", ["a"]), "existingConfigMap"),
        # A client that reaches the port could probe for names.
        *((merged(lookups, more), named)
          for lookups in (at("webhook.clusterLookups", ["configmaps"]), at("webhook.extraArgs", ["--cluster-lookups=all"]))
          for more, named in (
              ({}, NO_CLIENTS), (CLIENT_CA, None), (networks("10.0.0.0/28"), None), (networks(), NO_CLIENTS),
              (at("webhook.networkPolicy.apiServerCIDRs", ["10.0.0.0/28"]), NO_CLIENTS),
              # Two halves are all addresses.
              (networks("0.0.0.0/1", "128.0.0.0/1"), "IPv6): found 0.0.0.0/1, 128.0.0.0/1,"),
              (networks("10.0.0.0/28", "::/0"), "IPv6): found ::/0,"), (merged(CLIENT_CA, networks("0.0.0.0/0")), None))),
        *((merged(at("webhook.clusterLookups", ["all"]), networks(each)), None if good else f"found {each},")
          for each, good in (("0.0.0.0/0", False), ("10.0.0.0/7", False), ("10.0.0.0/8", True), ("0.0.0.0/007", False),
                             ("8000::/1", False), ("fd00::/15", False), ("fd00::/16", True), ("10.0.0.0/28", True))),
        (at("webhook", {"clusterLookups": ["all"], "extraArgs": ["--client-ca-file=/mine/ca.crt"]}), None),
        (at("webhook", {"clusterLookups": ["all"], "enabled": False}), None),
        *((merged(scope, at("webhook.clusterLookups", ["clustertopologybindings"]), CLIENT_CA), named)
          for scope, named in ((SCOPES["restricted"], "must not have clustertopologybindings"), ({}, None))),
        (at("webhook.shutdownDelay", "30s"), "terminationGracePeriodSeconds"),
        (merged(SCOPES["restricted"], at("webhook.terminationGracePeriodSeconds", 30)), "5 seconds"),
        (at("webhook.autoscaling", {"enabled": True, "minReplicas": 9}), "minReplicas"),
        (merged(at("webhook.autoscaling.enabled", True), at("webhook.resources.requests", {"cpu": None})),
         "requests.cpu"),
        (merged(at("webhook.hostNetwork", True), at("webhook.networkPolicy.enabled", True)), "hostNetwork"),
        (merged(at("webhook.hostNetwork", True), at("webhook.strategy", {"rollingUpdate": {"maxSurge": 1}})), "maxSurge"),
        (merged(at("webhook.hostNetwork", True), at("webhook.strategy", {"type": "Recreate"})), None),
        (at("webhook.strategy", {"rollingUpdate": {"maxSurge": 1}}), None),
        (at("webhook.podDisruptionBudget.maxUnavailable", 0), "drained"),
        (at("webhook.podDisruptionBudget.maxUnavailable", "0%"), "drained"),
        (at("webhook.podDisruptionBudget.maxUnavailable", "half"), "maxUnavailable"),
        (at("webhook.podDisruptionBudget.maxUnavailable", "50%"), None),
        (at("commonLabels", {"app.kubernetes.io/environment": "prod"}), None),
        (merged(at("monitoring.serviceMonitor.enabled", True), at("metricsService.enabled", False)),
         "metricsService.enabled"),
        *((merged(at(f"{program}.networkPolicy.enabled", True), at(f"monitoring.{way}.enabled", True), more),
           f"{program}.networkPolicy.metricsFrom must name the clients that scrape metrics with monitoring.{way}.enabled")
          for program, more in (("webhook", {}), ("reconciler", ROLES["validating"])) for way in ("serviceMonitor", "prometheusRule")),
        # No scraping, a disabled program, or an explicit allowance.
        (at("webhook.networkPolicy.enabled", True), None),
        (merged(at("reconciler.networkPolicy.enabled", True), at("monitoring.serviceMonitor.enabled", True)), None),
        (merged(at("webhook.networkPolicy", {"enabled": True, "metricsFrom": [{"namespaceSelector": {}}]}),
                at("monitoring.serviceMonitor.enabled", True)), None),
        (merged(SCOPES["restricted"], at("webhook.namespaceSelector.matchLabels",
                                         {"kubernetes.io/metadata.name": "other"})), "another namespace"),
        (at("reconciler.enabled", True), None),
        ({"mode": "replacement"}, "reconciler.enabled"),
        # A value of earlier versions, which had no effect any more.
        (merged(ROLES["replacement"], at("reconciler.acceptMissing", ["requests"])), "acceptMissing"),
        # As in companion.yaml, for the replaced operator.
        (merged(ROLES["replacement"], at("webhook.operatorServiceAccount", "dynamo-system/dynamo-platform-dynamo-operator-controller-manager")),
         "webhook.operatorServiceAccount must be empty with mode replacement"),
        (merged(ROLES["replacement"], at("webhook.operatorServiceAccount", "dynamo-system/dynamo-dynamo-operator-controller-manager")), None),
        (merged(ROLES["validating"], at("webhook.operatorServiceAccount", "dynamo-system/dynamo-platform-dynamo-operator-controller-manager")), None),
        (merged(ROLES["validating"], at("reconciler.controllers", ["validation", "graph"])), "must not have graph"),
        (merged(ROLES["validating"], at("reconciler.controllers", ["validation"])), None),
        (merged(ROLES["replacement"], at("reconciler.controllers", ["graph", "model"])), "must have component"),
        (merged(ROLES["replacement"], at("reconciler.controllers", ["component"])), None),
        (merged(ROLES["validating"], at("reconciler.drainTimeout", "25s")), "cut off"),
        (merged(ROLES["validating"], at("reconciler.podLabels", {"app.kubernetes.io/name": "x"})), "reconciler.podLabels"),
        (merged(ROLES["replacement"], {"discoveryBackend": "etcd"}), "etcdAddr"),
        # The chart on its own includes neither.
        (merged(ROLES["replacement"], at("nats.enabled", True)), "natsAddr must be set"),
        (merged(ROLES["replacement"], at("etcd.enabled", True)), "etcdAddr must be set"),
        (merged(ROLES["replacement"], at("etcd.enabled", True), {"etcdAddr": "e:2379"}), None),
        *((merged(ROLES["replacement"], at("etcdCA.existingSecret", "etcd-tls"), {"etcdAddr": address}), named) for address, named in (
            ("e:2379", 'etcdAddr must begin with https:// with etcdCA.existingSecret: found "e:2379"'), ("https://e:2379", None))),
        (merged(ROLES["replacement"], at("etcdClientCertificate.existingSecret", "c"), {"etcdAddr": "e:2379"}),
         'etcdAddr must begin with https:// with etcdClientCertificate.existingSecret: found "e:2379"'),
        (merged(ROLES["replacement"], at("etcdPassword.existingSecret", "c"), {"etcdAddr": "e:2379"}), None),
        (merged(ROLES["replacement"], at("nats.enabled", True), at("reconciler.controllers", ["model"])), None),
        (at("controllerManager.leaderElection.id", "mine"), "must be dynamo.nvidia.com for the whole cluster"),
        (at("controllerManager.leaderElection.id", "dynamo.nvidia.com"), None),
        (merged(SCOPES["restricted"], at("controllerManager.leaderElection", {"id": "mine", "namespace": "dynamo-system"})), None),
        (at("controllerManager.leaderElection.namespace", "dynamo-system"), "must not be that of the release"),
        (at("controllerManager.leaderElection.namespace", "kube-system"), None),
        (merged(at("checkpoint.enabled", True), at("checkpoint.storage.type", "s3")), "s3.uri"),
        (merged(at("checkpoint.enabled", True), at("checkpoint.storage.type", "oci")), "oci.uri"),
        (merged(ROLES["replacement"], at("controllerManager.manager.image.repository",
                                        "nvcr.io/nvidia/ai-dynamo/kubernetes-operator")), "companion"),
        (at("dynamo.dockerRegistry.useKubernetesSecret", True), "dockerRegistry.server"),
        (at("dynamo.dockerRegistry", {**LOGIN, "password": ""}), "dockerRegistry.password"),
        (at("dynamo.dockerRegistry", {"useKubernetesSecret": True, "existingSecretName": "login"}), None),
        # Refused by the schema.
        (at("mode", "both"), "mode"),
        (at("webhook.timeoutSeconds", 0), "timeoutSeconds"), (at("webhook.timeoutSeconds", 31), "timeoutSeconds"),
        (at("webhook.timeoutSeconds", "10"), "timeoutSeconds"),
        (at("webhook.failurePolicy", "fail"), "failurePolicy"), (at("webhook.enforcement", "warn"), "enforcement"),
        (at("webhook.replicas", 0), "replicas"), (at("webhook.port", 70000), "port"),
        (at("webhook.extraArgs", ["threads"]), "extraArgs"), (at("webhook.clusterLookups", ["pods"]), "clusterLookups"),
        (at("webhook.image.digest", "abc"), "digest"), (at("webhook.operatorServiceAccount", "x"), "operatorServiceAccount"),
        (at("webhook.shutdownDelay", "10"), "shutdownDelay"), (at("webhook.namespaceSelecter", {}), "namespaceSelecter"),
        (at("webhook.namespaceSelector.matchLabel", {}), "matchLabel"),
        (at("discoveryBackend", "consul"), "discoveryBackend"), (at("checkpoint.storage.type", "nfs"), "type"),
        (at("namespaceRestriction.enabled", "yes please"), "enabled"),
        (merged(SCOPES["restricted"], at("webhook.conversion.enabled", True)),
         "webhook.conversion.enabled must be false with namespaceRestriction.enabled"),
        (at("namespaceRestriction.targetNamespace", "Team_A"), "targetNamespace"),
        (at("markerLeasePolicy.allowedServiceAccounts", ["x"]), "allowedServiceAccounts"),
        (at("fullnameOverride", "x" * 60), "fullnameOverride"), (at("metricsService.type", "x"), "type"),
    )

    def test_contradictions_and_wrong_types_are_refused(self):
        for values, named in self.CONTRADICTIONS:
            with self.subTest(json.dumps(values)):
                if named:
                    self.assertIn(named, self.refused(values))
                else:
                    render(OPERATOR, [values])

    def test_labels_set_by_the_chart_are_refused(self):
        own = one(render(OPERATOR), "Deployment", "-webhook")["metadata"]["labels"]
        self.assertGreater(len(own), 6)
        for label in own:
            for key in (("commonLabels",), ("webhook", "podLabels"), ("reconciler", "podLabels"), ("monitoring", "labels"),
                        ("monitoring", "dashboards", "labels")):
                self.assertIn(f"{'.'.join(key)} must not have {label}", self.refused(at((*key, label), "x")))

    def test_replacement_requires_the_reconciler(self):
        message = self.refused({"mode": "replacement"})
        self.assertIn("mode must be companion without reconciler.enabled", message)
        self.assertIn("deploy/scenarios/companion.yaml", message)

    def test_version_annotation_is_required_explicitly(self):
        def noted(version):
            pod = next(references.pods(render(OPERATOR, [at("webhook.operatorVersion", version)])))
            return [each for each in pod[2]["containers"][0]["args"] if each.startswith("--operator-version")]

        self.assertEqual(noted("1.2.3"), ["--operator-version=1.2.3"])
        self.assertEqual(noted("v1.0.0-dev+build.7"), ["--operator-version=v1.0.0-dev+build.7"])
        self.assertEqual(noted("unknown"), [])
        self.assertEqual(noted(""), [])
        render(OPERATOR, bare=True)
        for bad in ("latest", "1.2.3.4", "1.0.0-", "1.0.0-01", "1 0", "dev"):
            self.assertIn("operatorVersion", self.refused(at("webhook.operatorVersion", bad)))
        render(OPERATOR, [at("webhook.enabled", False)], bare=True)

    def test_replacement_records_its_own_version(self):
        def recorded(*names):
            pods = references.pods(render(chart, [*(charts.SCENARIOS / f"{name}.yaml" for name in names), at("dynamo-operator.natsAddr", "tls://n:4222")],
                                          bare=True))
            return {word for _, _, pod in pods for word in pod["containers"][0].get("args", []) if word.startswith("--operator-version")}

        own = yaml.safe_load((OPERATOR / "Chart.yaml").read_text(encoding="utf-8"))["appVersion"]
        with charts.platform() as chart:
            for names in (["replacement"], ["replacement-production"], ["prod", "replacement"]):
                self.assertEqual(recorded(*names), {f"--operator-version={own}"}, names)
        self.assertIn("webhook.operatorVersion is 1.0.0: new graphs are permanently recorded", charts.notes([ROLES["replacement"]]))
        self.assertNotIn("webhook.operatorVersion is", charts.notes([ROLES["replacement"], at("webhook.operatorVersion", "")]))

    def test_secret_of_upstream_webhooks_is_never_written(self):
        name = at("webhook.certificateSecret.name", "webhook-server-cert")
        self.assertIn("which this server would overwrite", self.refused(name))
        self.assertIn("which cert-manager would overwrite", self.refused(name, CERTIFICATES["cert-manager"]))
        # A Secret that is only read may have that name.
        render(OPERATOR, [CERTIFICATES["external"], name])
        # A values file with every upstream default sets it, too.
        for mode in ("managed", "cert-manager"):
            for each in render(OPERATOR, [CERTIFICATES[mode]]):
                self.assertNotIn("webhook-server-cert", json.dumps(each))

    def test_certificate_modes_never_share_a_secret(self):
        """During a change from one to the other, servers of both kinds run."""
        def written(rendered):
            for each in rendered:
                if each["kind"] == "Certificate":
                    yield each["spec"]["secretName"]
            for _, _, pod in references.pods(rendered):
                for argument in pod["containers"][0]["args"]:
                    if argument.startswith("--cert-secret="):
                        yield argument.partition("=")[2]

        def mounted(rendered):
            return {volume["secret"]["secretName"] for _, _, pod in references.pods(rendered)
                    for volume in pod.get("volumes", []) if "secret" in volume}

        managed, manager = (render(OPERATOR, [CERTIFICATES[mode]]) for mode in ("managed", "cert-manager"))
        self.assertEqual(set(written(managed)), {"dynamo-dynamo-operator-webhook-cert"})
        self.assertEqual(mounted(manager), {"dynamo-dynamo-operator-webhook-tls"})
        self.assertLessEqual(mounted(manager), set(written(manager)))
        self.assertFalse(set(written(managed)) & set(written(manager)))
        self.assertIn("--secret dynamo-system/dynamo-dynamo-operator-webhook-tls", charts.notes([CERTIFICATES["cert-manager"]]))

    # Only reported if helm reads a cluster: lookups_test.py, and
    # tests/cluster/behaviours/chart_test.py.
    OF_A_CLUSTER = ("must name a Secret of type", "webhook.caBundle to serve that certificate", "must name a Secret in the namespace",
                    "must name a Secret with logins", "must have a login for", "); uninstall it (helm uninstall", "the policy would refuse its renewals",
                    "targetNamespace must exist before the installation", "the API server would call no webhook for them",
                    "which dynamo-reconciler does not reconcile in place of an operator")
    # In addition to CONTRADICTIONS and EDGES.
    FURTHER = (
        {"mode": "replacement"}, at("webhook.certificateSecret.name", "webhook-server-cert"), at("commonLabels", {"helm.sh/chart": "x"}),
        {"mode": "replacement", "reconciler": {"enabled": True}},
        merged(ROLES["validating"], at("reconciler.controllers", ["graph"])), merged(ROLES["validating"], at("reconciler.drainTimeout", "25s")),
        {**ROLES["replacement"], "discoveryBackend": "etcd", "etcd": {"enabled": False}},
    )

    def test_every_refusal_of_templates_is_tested(self):
        text = (OPERATOR / "templates/_checks.tpl").read_text(encoding="utf-8")
        # The longest part of each message without a value.
        messages = [max(re.split(r"\{\{.*?\}\}", line), key=len).strip() for line in text.splitlines()
                    if re.search(r"\b(must|needs|may)\b", line) and not line.startswith(("{{/*", "{{- /*", "{{-"))]
        self.assertGreater(len(messages), 50)
        known = yaml.safe_load((charts.HERE / "testdata/reference_values.yaml").read_text(encoding="utf-8"))
        refused = [*(values for values, named in self.CONTRADICTIONS if named), *self.FURTHER,
                   *(values for values, _, good in flags_test.EDGES if not good),
                   *(at(path, value) for path, value in charts.leaves(known)
                     if any(f"{'.'.join(path)}.".startswith(f"{each}.") for each in self.REPLACED))]
        message = ""
        for values in refused:
            try:
                render(OPERATOR, [values])
            except charts.RenderError as refusal:
                message += str(refusal)
        unseen = [each for each in messages if each not in message]
        self.assertEqual([each for each in unseen if not any(part in each for part in self.OF_A_CLUSTER)], [])

    def test_all_findings_are_reported_together(self):
        message = self.refused(at("metricsService.ports", [{}]), at("webhook.shutdownDelay", "1m"))
        self.assertIn("metricsService.port", message)
        self.assertIn("terminationGracePeriodSeconds", message)


if __name__ == "__main__":
    unittest.main()
