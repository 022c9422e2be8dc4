"""The charts, rendered by helm: the objects they create, and the values they refuse."""

import base64
import functools
import itertools
import json
import os
import re
import subprocess
import unittest

import yaml

import charts
import references
from charts import OPERATOR, REPOSITORY, SCENARIOS, RenderError, inventory, objects, render

GOLDENS = charts.HERE / "testdata/inventories"
UPDATE = os.environ.get("DYNAMO_UPDATE_GOLDENS") == "1"
MIB = 1 << 20
CA = base64.b64encode(b"-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n").decode()
EXTERNAL = {"webhook": {"certificateSecret": {"external": True, "name": "mine"}, "caBundle": CA}}
LOGIN = {"useKubernetesSecret": True, "server": "docker.io", "username": "$oauthtoken", "password": "p"}
# Objects that the user creates before the installation: named by scenarios and by the modes below.
GIVEN = {"mine", "registry-login", "dynamo-webhook-tls", "a-policy", "a-client-ca", "login", "etcd-tls"}


def merged(*values):
    """Merges several dictionaries, of which later ones win, including nested maps."""
    result = {}
    for each in values:
        for key, value in each.items():
            both = isinstance(value, dict) and isinstance(result.get(key), dict)
            result[key] = merged(result[key], value) if both else value
    return result


def at(path, value):
    """{"a": {"b": value}} for "a.b" or ("a", "b")."""
    for key in reversed(path.split(".") if isinstance(path, str) else path):
        value = {key: value}
    return value


def routes(version):
    """The paths of the server for objects of the version, from its table."""
    source = (REPOSITORY / "src/admission/routes.cpp").read_text(encoding="utf-8")
    return {path for path in re.findall(r'"(/(?:validate|mutate)[^"]+)"', source) if version in path}


def webhooks(rendered):
    """The entries of both configurations, by path."""
    return {each["clientConfig"]["service"]["path"]: each
            for configuration in rendered if configuration["kind"].endswith("WebhookConfiguration")
            for each in configuration["webhooks"]}


SCOPES = {
    "cluster": {},
    "restricted": {"namespaceRestriction": {"enabled": True}},
    "restricted-elsewhere": {"namespaceRestriction": {"enabled": True, "targetNamespace": "team-a"}},
}
CERTIFICATES = {
    "managed": {"webhook": {"managed": {"caLifetime": "87600h", "injectCRDs": True},
                            "certificateValidity": 30}},
    "cert-manager": {"webhook": {"certManager": {"enabled": True}}},
    "external": EXTERNAL,
}
ROLES = {
    "companion": {},
    "validating": {"reconciler": {"enabled": True}, "controllerManager": {"replicas": 2}},
    "replacement": {"mode": "replacement", "reconciler": {"enabled": True},
                    "checkpoint": {"enabled": True}, "nats": {"enabled": False}, "etcd": {"enabled": False},
                    "dynamo": {"dockerRegistry": LOGIN, "istio": {"enabled": True, "gateway": "g"}}},
}
EVERYTHING = {
    "doctor": {"rbac": True},
    "monitoring": {"serviceMonitor": {"enabled": True}, "podMonitors": {"enabled": True},
                   "prometheusRule": {"enabled": True}, "dashboards": {"enabled": True}},
    "webhook": {"clusterLookups": ["all"], "policy": {"version": 1},
                "clientCA": {"existingConfigMap": "a-client-ca", "allowedNames": ["kube-apiserver"]},
                "autoscaling": {"enabled": True},
                "networkPolicy": {"enabled": True, "apiServerCIDRs": ["10.0.0.0/8"],
                                  "metricsFrom": [{"namespaceSelector": {}}]}},
    "reconciler": {"networkPolicy": {"enabled": True, "metricsFrom": [{"namespaceSelector": {}}]}},
    "commonLabels": {"team": "platform"}, "commonAnnotations": {"example.com/a": "b"},
    "imagePullSecrets": [{"name": "login"}],
}


@functools.cache
def grid():
    """{name: objects} of every scope with every certificate mode and every role, plain and with
    everything enabled."""
    found = {}
    for (scope, one), (certificate, two), (role, three) in itertools.product(
            SCOPES.items(), CERTIFICATES.items(), ROLES.items()):
        # The chart refuses a replacement that is restricted to the namespace of its release.
        if (scope, role) == ("restricted", "replacement"):
            continue
        values = merged(one, two, three)
        found[f"{scope}.{certificate}.{role}"] = render(OPERATOR, [values])
        found[f"{scope}.{certificate}.{role}.everything"] = render(OPERATOR, [merged(values, EVERYTHING)])
    found["webhook-off"] = render(OPERATOR, [{"webhook": {"enabled": False}}])
    return found


@functools.cache
def scenarios():
    """{name: objects} of deploy/scenarios, without those of dependencies."""
    found = {}
    with charts.platform() as chart:
        for path in sorted(SCENARIOS.glob("*.yaml")):
            more = at("dynamo-operator.webhook.caBundle", CA) if path.stem == "external-cert" else {}
            found[path.stem] = charts.ours(render(chart, [path, more], bare=True))
    return found


def all_renders():
    yield from grid().items()
    yield from scenarios().items()


def one(rendered, kind, ending=""):
    found = [each for each in rendered
             if each["kind"] == kind and each["metadata"]["name"].endswith(ending)]
    if len(found) != 1:
        raise AssertionError(f"{len(found)} of {kind} *{ending} in\n" + "\n".join(inventory(rendered)))
    return found[0]


def rules_of(rendered, account):
    """{(scope, rule as text)} of this service account."""
    roles = {(each["kind"], each["metadata"].get("namespace"), each["metadata"]["name"]): each
             for each in rendered if each["kind"] in ("Role", "ClusterRole")}
    found = set()
    for each in rendered:
        if "roleRef" not in each or each["subjects"][0]["name"] != account:
            continue
        namespace = each["metadata"].get("namespace")
        role = roles[each["roleRef"]["kind"], namespace, each["roleRef"]["name"]]
        for rule in role["rules"]:
            for group, resource, verb in itertools.product(rule["apiGroups"], rule["resources"],
                                                           rule["verbs"]):
                for name in rule.get("resourceNames", ["*"]):
                    found.add(f"{namespace or 'cluster'}: {verb} {resource}.{group} {name}")
    return found


class Case(unittest.TestCase):
    maxDiff = None

    def refused(self, *values, chart=OPERATOR, bare=False):
        with self.assertRaises(RenderError, msg=str(values)) as caught:
            render(chart, values, bare=bare)
        return str(caught.exception)


class RenderedObjects(Case):
    def test_lint_finds_nothing(self):
        done = subprocess.run([charts.HERE / "deploy.py", "lint"], capture_output=True, text=True,
                              timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn("[WARNING]", done.stdout)

    def test_inventories_match_committed_files(self):
        wanted = dict(all_renders())
        if UPDATE:
            for stale in set(GOLDENS.glob("*.txt")) - {GOLDENS / f"{name}.txt" for name in wanted}:
                stale.unlink()
        for name, rendered in wanted.items():
            with self.subTest(name):
                path, text = GOLDENS / f"{name}.txt", "\n".join(inventory(rendered)) + "\n"
                if UPDATE:
                    path.write_text(text, encoding="utf-8")
                self.assertEqual(path.read_text(encoding="utf-8"), text)
        self.assertEqual({path.stem for path in GOLDENS.glob("*.txt")}, set(wanted))

    def test_objects_are_unique_and_references_resolve(self):
        for name, rendered in all_renders():
            with self.subTest(name):
                lines = inventory(rendered)
                self.assertEqual(len(lines), len(set(lines)))
                self.assertEqual(references.dangling(rendered, GIVEN), [])

    def test_dangling_references_are_detected(self):
        for kind, ending in (("ServiceAccount", "-webhook"), ("ClusterRole", "-webhook.dynamo-system"),
                             ("ConfigMap", "-webhook-policy"), ("Service", "-webhook-service"),
                             ("Deployment", "-webhook"), ("Service", "-webhook-metrics")):
            rendered = list(grid()["cluster.managed.companion.everything"])
            rendered.remove(one(rendered, kind, ending))
            with self.subTest(kind + ending):
                self.assertNotEqual(references.dangling(rendered, GIVEN), [])

    def test_every_argument_is_a_program_flag(self):
        binary = os.environ["DYNAMO_WEBHOOK_BINARY"]
        text = subprocess.run([binary, "--help"], capture_output=True, text=True, timeout=20,
                              check=True).stdout
        flags = set(re.findall(r"--[a-z][a-z0-9-]*", text))
        seen = set()
        for name, rendered in all_renders():
            for each in rendered:
                if each["kind"] != "Deployment" or not each["metadata"]["name"].endswith(("-webhook", "-webhook-keeper")):
                    continue
                for argument in each["spec"]["template"]["spec"]["containers"][0]["args"]:
                    seen.add(argument.partition("=")[0])
        self.assertGreater(len(seen), 20)
        self.assertEqual(seen - flags, set())

    def test_webhooks_match_the_dispatch_table(self):
        for name, rendered in all_renders():
            found = webhooks(rendered)
            for path, webhook in found.items():
                rule, = webhook["rules"]
                self.assertEqual(webhook["name"][0], path[1])
                self.assertEqual(rule, {
                    "apiGroups": ["nvidia.com"], "apiVersions": [re.search("v1(alpha|beta)1", path)[0]],
                    "resources": [path.rpartition("/")[2].rpartition("-")[2].rstrip("s") + "s"],
                    "operations": ["CREATE", "UPDATE"], "scope": "Namespaced"})
                self.assertEqual((webhook["sideEffects"], webhook["admissionReviewVersions"]), ("None", ["v1"]))
                self.assertEqual([each["expression"] for each in webhook["matchConditions"]],
                                 ["oldObject == null || !has(oldObject.metadata.deletionTimestamp)"])
            with self.subTest(name):
                self.assertEqual(set(found), routes("v1alpha1") | routes("v1beta1") if name != "webhook-off" else set())

    def test_webhooks_of_first_operators_use_v1alpha1(self):
        found = webhooks(render(OPERATOR, [at("webhook.operatorGeneration", "first")]))
        self.assertEqual(set(found), routes("v1alpha1"))
        self.assertEqual({each["matchPolicy"] for each in found.values()}, {"Equivalent"})
        for path, webhook in found.items():
            verb, _, kind = path[1:].partition("-nvidia-com-v1alpha1-")
            self.assertEqual(webhook["name"], f"{verb[0]}{kind}.kb.io")

    def test_webhooks_of_later_operators_equal_their_chart(self):
        graph, component, request = (f"dynamo{kind}" for kind in ("graphdeployment", "componentdeployment", "graphdeploymentrequest"))
        found = webhooks(render(OPERATOR, [at("webhook.operatorGeneration", "later")]))
        self.assertEqual([(each["name"], path, each["matchPolicy"]) for path, each in found.items() if path.startswith("/validate")], [
            (f"v{component}.kb.io", f"/validate/nvidia.com/v1beta1/{component}s", "Equivalent"),
            (f"v{graph}.kb.io", f"/validate/nvidia.com/v1beta1/{graph}s", "Equivalent"),
            ("vdynamocheckpoint.kb.io", "/validate-nvidia-com-v1alpha1-dynamocheckpoint", "Equivalent"),
            ("vdynamomodel.kb.io", "/validate-nvidia-com-v1alpha1-dynamomodel", "Equivalent"),
            (f"v{request}.kb.io", f"/validate-nvidia-com-v1beta1-{request}", "Equivalent"),
            # Not in their chart.
            (f"v{graph}scalingadapter.kb.io", f"/validate-nvidia-com-v1alpha1-{graph}scalingadapter", "Equivalent")])
        self.assertEqual([(each["name"], path, each["matchPolicy"]) for path, each in found.items() if path.startswith("/mutate")], [
            (f"m{graph}.kb.io", f"/mutate/nvidia.com/v1beta1/{graph}s", "Equivalent"),
            (f"m{component}v1beta1.kb.io", f"/mutate-nvidia-com-v1beta1-{component}", "Exact"),
            (f"m{request}v1beta1.kb.io", f"/mutate-nvidia-com-v1beta1-{request}", "Equivalent")])

    def test_webhooks_of_unknown_operators_receive_each_request_once(self):
        """With Equivalent, a request in the version of one webhook would also be converted for the other."""
        found = webhooks(render(OPERATOR))
        self.assertEqual(found, webhooks(render(OPERATOR, [at("webhook.operatorGeneration", "auto")])))
        by_resource = {}
        for path, webhook in found.items():
            rule, = webhook["rules"]
            by_resource.setdefault((path[1], rule["resources"][0]), []).append((rule["apiVersions"][0], webhook["matchPolicy"]))
        for (verb, resource), policies in by_resource.items():
            with self.subTest(verb=verb, resource=resource):
                if len(policies) == 2:
                    self.assertEqual(policies, [("v1alpha1", "Exact"), ("v1beta1", "Exact")])
                self.assertLessEqual(len(policies), 2)
        names = [each["name"] for each in found.values()]
        self.assertEqual(len(names), len(set(names)))

    def test_webhooks_exclude_own_and_system_namespaces(self):
        def selector(rendered):
            first, = {json.dumps(each["namespaceSelector"], sort_keys=True)
                      for kind in ("Validating", "Mutating")
                      for each in one(rendered, f"{kind}WebhookConfiguration")["webhooks"]}
            return json.loads(first)["matchExpressions"]

        key = "kubernetes.io/metadata.name"
        self.assertEqual(selector(grid()["cluster.managed.companion"]), [
            {"key": key, "operator": "NotIn", "values": ["kube-system", "kube-node-lease", "dynamo-system"]}])
        self.assertEqual(selector(grid()["restricted.managed.companion"]), [
            {"key": key, "operator": "In", "values": ["dynamo-system"]}])
        self.assertEqual(selector(grid()["restricted-elsewhere.managed.companion"]), [
            {"key": key, "operator": "In", "values": ["team-a"]}])
        given = {"matchExpressions": [{"key": "validated", "operator": "Exists"}]}
        # A user's selector narrows a restriction and does not replace it.
        self.assertEqual(selector(render(OPERATOR, [merged(
            SCOPES["restricted-elsewhere"], at("webhook.namespaceSelector", given))])), [
            {"key": key, "operator": "In", "values": ["team-a"]}, {"key": "validated", "operator": "Exists"}])

    def test_ca_bundle_writer_finds_its_configurations(self):
        label, annotation = "nvidia.com/dynamo-webhook-inject-ca", "cert-manager.io/inject-ca-from"
        for mode in CERTIFICATES:
            for kind in ("Validating", "Mutating"):
                each = one(grid()[f"cluster.{mode}.companion"], f"{kind}WebhookConfiguration")
                metadata = each["metadata"]
                with self.subTest(mode):
                    self.assertEqual(metadata["labels"].get(label), "true" if mode == "managed" else None)
                    self.assertEqual(metadata.get("annotations", {}).get(annotation),
                                     "dynamo-system/dynamo-dynamo-operator-serving-cert"
                                     if mode == "cert-manager" else None)
                    self.assertEqual({webhook["clientConfig"].get("caBundle") for webhook in each["webhooks"]},
                                     {CA if mode == "external" else None})

    def test_permissions_equal_those_of_deploy_rbac(self):
        called = {"services": "dynamo-dynamo-operator-webhook-service",
                  "validatingwebhookconfigurations": "dynamo-dynamo-operator-validating.dynamo-system",
                  "mutatingwebhookconfigurations": "dynamo-dynamo-operator-mutating.dynamo-system"}

        def of_files(*files, restricted=None, account="dynamo-webhook"):
            text = "\n---\n".join((REPOSITORY / "deploy/rbac" / file).read_text(encoding="utf-8")
                                  for file in files)
            if restricted:
                text = text.replace("team-a", restricted)
            text = text.replace("dynamo-webhook-cert]", "dynamo-dynamo-operator-webhook-cert]")
            text = re.sub("dynamo-webhook-(leader|replicas)", called["services"] + r"-\1", text)
            # The files use one name; in the chart the Service and the two configurations have
            # different names.
            return {re.sub(r"(\w+)(\.\S* )dynamo-webhook$", lambda found: found[1] + found[2] + called[found[1]], rule)
                    for rule in rules_of(objects(text), account)}

        account = "dynamo-dynamo-operator-webhook"
        rights = rules_of(render(OPERATOR, []), account)
        self.assertEqual(rights, of_files("cluster_wide.yaml", "managed_certificates_server.yaml"))
        keeper = "dynamo-dynamo-operator-webhook-keeper"
        of_keeper = of_files("managed_certificates_keeper.yaml", account="dynamo-webhook-keeper")
        self.assertEqual(rules_of(render(OPERATOR, []), keeper), of_keeper)
        client_ca = at("webhook.clientCA.existingConfigMap", "a-client-ca")
        everything = merged(at("webhook.clusterLookups", ["all"]), client_ca, at("doctor.rbac", True),
                            at("webhook.managed.injectCRDs", True))
        rendered = render(OPERATOR, [everything])
        self.assertEqual(rules_of(rendered, account), of_files(
            "cluster_wide.yaml", "managed_certificates_server.yaml", "cluster_lookups.yaml"))
        self.assertEqual(rules_of(rendered, keeper), of_keeper | of_files("inject_crds.yaml"))
        with_topologies = render(OPERATOR, [at("webhook.clusterLookups", ["clustertopologybindings"]), client_ca])
        self.assertEqual(rules_of(with_topologies, account), of_files(
            "cluster_wide.yaml", "managed_certificates_server.yaml", "topology_lookups.yaml"))
        converting = render(OPERATOR, [at("webhook.conversion.enabled", True)])
        self.assertEqual(rules_of(converting, keeper), of_keeper | of_files("inject_crds.yaml"))
        self.assertEqual(rules_of(render(OPERATOR, [EXTERNAL, at("webhook.conversion.enabled", True)]), account),
                         of_files("cluster_wide.yaml"))
        self.assertEqual(rules_of(rendered, "dynamo-dynamo-operator-webhook-doctor"),
                         of_files("doctor.yaml", account="dynamo-webhook-doctor"))
        # Without a keeper, the servers' account has its permissions.
        alone = render(OPERATOR, [everything, at("webhook.managed.keeper.enabled", False)])
        self.assertEqual(rules_of(alone, account), of_files(
            "cluster_wide.yaml", "managed_certificates.yaml", "cluster_lookups.yaml", "inject_crds.yaml"))
        self.assertEqual([each for each in inventory(alone) if "keeper" in each], [])
        self.assertEqual(rules_of(render(OPERATOR, [EXTERNAL]), account), of_files("cluster_wide.yaml"))
        restricted = rules_of(render(OPERATOR, [SCOPES["restricted-elsewhere"], EXTERNAL,
                                                at("webhook.clusterLookups", ["all"]), client_ca]), account)
        # Required by the policy of a cluster-wide release.
        restricted.remove("team-a: create namespaceexclusions.dynamo-admission.nvidia.com *")
        self.assertEqual(restricted, of_files("restricted.yaml", "restricted_lookups.yaml"))

    def test_servers_may_write_no_shared_objects(self):
        """A server, which parses users' input, only reads its Secret and patches its report; the
        keeper writes the rest."""
        for name, rendered in grid().items():
            if ".managed." not in name:
                continue
            with self.subTest(name):
                for rule in rules_of(rendered, "dynamo-dynamo-operator-webhook"):
                    _, verb, resource, _ = rule.split(" ")
                    if resource in ("secrets.", "persistentvolumeclaims.", "configmaps.") or "webhookconfigurations" in resource:
                        self.assertIn(verb, ("list", "watch"), rule)
                    self.assertNotIn("customresourcedefinitions", resource)
                    # A restricted server maintains the Lease of its namespace.
                    if resource == "leases.coordination.k8s.io" and "restricted" not in name:
                        self.assertRegex(rule, r"(list|watch) \S+ dynamo-operator-namespace-scope$|(list|watch|patch) \S+ \S+-replicas$")

    def test_keepers_are_no_webhook_endpoints(self):
        rendered = grid()["cluster.managed.companion"]
        keeper = one(rendered, "Deployment", "-webhook-keeper")["spec"]["template"]
        service = one(rendered, "Service", "-webhook-service")["spec"]["selector"]
        self.assertFalse(service.items() <= keeper["metadata"]["labels"].items())
        self.assertIn("--role=keeper", keeper["spec"]["containers"][0]["args"])
        server = one(rendered, "Deployment", "-webhook")["spec"]["template"]
        self.assertIn("--role=server", server["spec"]["containers"][0]["args"])
        # One Service, and so one job, has the metrics of both.
        metrics = one(rendered, "Service", "-webhook-metrics")["spec"]["selector"]
        for pod in (keeper, server):
            self.assertLessEqual(metrics.items(), pod["metadata"]["labels"].items())
        for certificates in ("cert-manager", "external"):
            self.assertNotIn("keeper", "".join(inventory(grid()[f"cluster.{certificates}.companion"])))

    def test_keepers_and_servers_share_certificate_flags(self):
        values = merged(at("webhook.extraArgs", ["--injection-label=a=b", "--max-connections=7"]),
                        at("webhook.managed.keeper", {"replicas": 2, "extraArgs": ["--log-allowed"]}))
        rendered = render(OPERATOR, [values, at("webhook.networkPolicy.enabled", True)])
        arguments = one(rendered, "Deployment", "-webhook-keeper")["spec"]["template"]["spec"]["containers"][0]["args"]
        self.assertIn("--injection-label=a=b", arguments)
        self.assertNotIn("--max-connections=7", arguments)
        self.assertIn("--log-allowed", arguments)
        selector = one(rendered, "Deployment", "-webhook-keeper")["spec"]["selector"]
        self.assertEqual(one(rendered, "PodDisruptionBudget", "-webhook-keeper")["spec"]["selector"], selector)
        policy = one(rendered, "NetworkPolicy", "-webhook-keeper")["spec"]
        self.assertEqual((policy["podSelector"], policy["ingress"]), (selector, []))

    def test_no_permission_is_a_wildcard(self):
        for name, rendered in all_renders():
            for each in rendered:
                for rule in each.get("rules", []) if each["kind"].endswith("Role") else []:
                    with self.subTest(name=name, role=each["metadata"]["name"]):
                        self.assertNotIn("*", rule["apiGroups"] + rule["resources"] + rule["verbs"])

    def test_pods_are_restricted(self):
        for name, rendered in all_renders():
            for _, _, pod in references.pods(rendered):
                with self.subTest(name):
                    context = pod["securityContext"]
                    self.assertTrue(context["runAsNonRoot"])
                    self.assertGreater(context["runAsUser"], 0)
                    self.assertEqual(context["seccompProfile"], {"type": "RuntimeDefault"})
                    self.assertFalse(any("hostPath" in volume for volume in pod.get("volumes", [])))
                    self.assertNotIn("hostNetwork", pod)
                    for container in pod["containers"]:
                        self.assertEqual(container["securityContext"], {
                            "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True,
                            "capabilities": {"drop": ["ALL"]}})
                        self.assertIn("limits", container["resources"])
                        self.assertNotIn("lifecycle", container)

    def test_rollout_leaves_no_gap(self):
        # Also in one namespace, where no Lease stops a server.
        for scope in SCOPES:
            deployment = one(grid()[f"{scope}.managed.companion"], "Deployment", "-webhook")["spec"]
            self.assertEqual(deployment["replicas"], 2)
            self.assertEqual(deployment["strategy"], {
                "type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 0, "maxSurge": 1}})

    def test_autoscaled_replicas_are_unset_without_cluster(self):
        """A number would undo the autoscaler's changes. For the replicas that run, see
        tests/cluster/behaviours/chart_test.py."""
        scaled = one(render(OPERATOR, [at("webhook.autoscaling.enabled", True)]), "Deployment", "-webhook")["spec"]
        self.assertNotIn("replicas", scaled)
        self.assertEqual(one(render(OPERATOR, [at("webhook.replicas", 3)]), "Deployment", "-webhook")["spec"]["replicas"], 3)

    def test_replicas_are_spread_over_nodes_and_zones(self):
        for deployment in (each for each in grid()["cluster.managed.replacement"] if each["kind"] == "Deployment"):
            spec = deployment["spec"]
            own = spec["template"]["metadata"]["labels"]
            spread = spec["template"]["spec"]["topologySpreadConstraints"]
            self.assertEqual({each["whenUnsatisfiable"] for each in spread}, {"ScheduleAnyway"}, "nothing stays pending for it")
            for each in spread:
                self.assertLessEqual(each["labelSelector"]["matchLabels"].items(), own.items(), "it must count its own pods")
                # Within one version: during a roll-out, terminating pods do not count.
                self.assertEqual(each["matchLabelKeys"], ["pod-template-hash"])
            self.assertEqual(spread[0]["topologyKey"], "kubernetes.io/hostname")
        own = [{"topologyKey": "rack", "maxSkew": 2, "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {}}]
        found = one(render(OPERATOR, [at("webhook.topologySpreadConstraints", own)]), "Deployment", "-webhook")
        self.assertEqual(found["spec"]["template"]["spec"]["topologySpreadConstraints"], own)

    def test_grafana_finds_every_dashboard(self):
        files = {path.name: json.loads(path.read_text(encoding="utf-8")) for path in sorted((OPERATOR / "dashboards").glob("*.json"))}
        rendered = render(OPERATOR, [ROLES["validating"], at("monitoring.dashboards.enabled", True)])
        found = [each for each in rendered if each["kind"] == "ConfigMap" and "grafana_dashboard" in each["metadata"]["labels"]]
        self.assertEqual({each["metadata"]["labels"]["grafana_dashboard"] for each in found}, {"1"})
        held = {name: json.loads(text) for each in found for name, text in each["data"].items()}
        self.assertEqual(held, files)
        labels = render(OPERATOR, [at("monitoring.dashboards", {"enabled": True, "labels": {"grafana_dashboard": None, "boards": "x"}})])
        self.assertTrue(all(each["metadata"]["labels"].get("boards") == "x" for each in labels if each["kind"] == "ConfigMap"))

    def test_host_network_allows_one_replica_per_node(self):
        def spec(*values):
            return one(render(OPERATOR, [at("webhook.hostNetwork", True), *values]), "Deployment", "-webhook")["spec"]

        found = spec()
        self.assertEqual(found["strategy"], {
            "type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1, "maxSurge": 0}})
        term, = found["template"]["spec"]["affinity"]["podAntiAffinity"][
            "requiredDuringSchedulingIgnoredDuringExecution"]
        self.assertEqual(term, {"topologyKey": "kubernetes.io/hostname",
                                "labelSelector": {"matchLabels": found["selector"]["matchLabels"]}})
        own = {"nodeAffinity": {}}
        self.assertEqual(spec(at("webhook.affinity", own))["template"]["spec"]["affinity"], own)
        self.assertEqual(spec(SCOPES["restricted"])["strategy"], found["strategy"])

    def test_slow_alert_fires_at_quarter_of_timeout(self):
        for seconds, quarter in ((1, "0.25"), (7, "1.75"), (10, "2.5"), (12, "3"), (30, "7.5")):
            rule = one(render(OPERATOR, [at("monitoring.prometheusRule.enabled", True),
                                         at("webhook.timeoutSeconds", seconds)]), "PrometheusRule")
            slow, = [each for group in rule["spec"]["groups"] for each in group["rules"]
                     if each["alert"] == "DynamoWebhookSlow"]
            self.assertTrue(slow["expr"].endswith(f"[5m]))) > {quarter}"), slow["expr"])
            self.assertIn(f"a quarter of the webhooks' timeout, {quarter} s;", slow["annotations"]["description"])

    def test_latency_panel_threshold_is_quarter_of_timeout(self):
        for seconds, quarter in ((1, 0.25), (7, 1.75), (10, 2.5), (30, 7.5)):
            found = render(OPERATOR, [at("monitoring.dashboards.enabled", True), at("webhook.timeoutSeconds", seconds)])
            overview, = [json.loads(text) for each in found if each["kind"] == "ConfigMap"
                         for name, text in each["data"].items() if name == "admission-overview.json"]
            panel, = [each for each in overview["panels"] if each["title"] == "Latency, 99 %"]
            steps = panel["fieldConfig"]["defaults"]["thresholds"]["steps"]
            self.assertEqual([each["value"] for each in steps], [None, 0.1, quarter])
            # Only this number changes: the other dashboards are as in the chart.
            file = json.loads((OPERATOR / "dashboards/admission-overview.json").read_text(encoding="utf-8"))
            for each in file["panels"]:
                if each["title"] == "Latency, 99 %":
                    each["fieldConfig"]["defaults"]["thresholds"]["steps"][-1]["value"] = quarter
            self.assertEqual(overview, file)

    def test_marker_lease_is_protected_in_both_scopes(self):
        def kept(scope):
            return one(grid()[f"{scope}.managed.companion"], "ValidatingAdmissionPolicy", "-marker-lease.dynamo-system")

        everywhere = kept("cluster")["spec"]
        self.assertNotIn("namespaceSelector", everywhere["matchConstraints"])
        for scope, namespace in (("restricted", "dynamo-system"), ("restricted-elsewhere", "team-a")):
            spec = kept(scope)["spec"]
            self.assertEqual(spec["matchConstraints"].pop("namespaceSelector"),
                             {"matchLabels": {"kubernetes.io/metadata.name": namespace}})
            self.assertEqual(spec, everywhere)
            # The namespace's own server may write it.
            self.assertIn(f"{namespace}: create namespaceexclusions.dynamo-admission.nvidia.com *", rules_of(
                grid()[f"{scope}.managed.companion"], "dynamo-dynamo-operator-webhook"))

    def test_a_digest_wins_over_a_tag(self):
        digest = "sha256:" + "a" * 64
        image = {"repository": "registry.example.com/webhook", "tag": "1", "digest": digest}
        for given, wanted in ((image, f"registry.example.com/webhook@{digest}"),
                              ({**image, "digest": ""}, "registry.example.com/webhook:1"),
                              ({"tag": ""}, "dynamo-webhook:0.1.0")):
            _, _, pod = next(references.pods(render(OPERATOR, [at("webhook.image", given)])))
            self.assertEqual(pod["containers"][0]["image"], wanted)

    def test_extra_values_are_rendered(self):
        values = {"webhook": {
            "extraArgs": ["--max-connections=77"], "extraEnv": [{"name": "A", "value": "b"}],
            "podLabels": {"l": "m"}, "podAnnotations": {"n": "o"}, "nodeSelector": {"p": "q"},
            "tolerations": [{"operator": "Exists"}], "priorityClassName": "high", "hostNetwork": True,
            "port": 10250, "affinity": {"nodeAffinity": {}},
            "extraVolumes": [{"name": "v", "emptyDir": {}}],
            "extraVolumeMounts": [{"name": "v", "mountPath": "/v"}]}}
        _, labels, pod = next(references.pods(render(OPERATOR, [values])))
        container = pod["containers"][0]
        self.assertIn("--max-connections=77", container["args"])
        self.assertIn("--bind-address=:10250", container["args"])
        self.assertEqual(container["env"], [{"name": "A", "value": "b"}])
        self.assertEqual(labels["l"], "m")
        self.assertEqual((pod["nodeSelector"], pod["priorityClassName"], pod["hostNetwork"]),
                         ({"p": "q"}, "high", True))
        self.assertEqual(container["volumeMounts"], [{"name": "v", "mountPath": "/v"}])
        self.assertIn({"name": "webhook", "containerPort": 10250, "protocol": "TCP"}, container["ports"])

    def test_policy_is_rendered_unchanged(self):
        policy = yaml.safe_load((REPOSITORY / "deploy/examples/policy.yaml").read_text(encoding="utf-8"))
        text = (REPOSITORY / "deploy/examples/policy.yaml").read_text(encoding="utf-8")
        for given in (text, policy):
            data = one(render(OPERATOR, [at("webhook.policy", given)]), "ConfigMap")["data"]
            self.assertEqual(yaml.safe_load(data["policy.yaml"])["severities"], policy["severities"])
            self.assertRegex(data["policy.yaml"], r"expires: .?2099-12-31.?\n")

    def test_registry_login_is_escaped(self):
        for server, host in (("docker.io", "https://index.docker.io/v1/"), ("docker.io/me",
                              "https://index.docker.io/v1/"), ("https://nvcr.io/nvidia", "nvcr.io"),
                             ("localhost:5000", "localhost:5000")):
            login = {**LOGIN, "server": server, "username": 'a"b\\c', "password": 'd"\n{{e}}'}
            rendered = render(OPERATOR, [ROLES["replacement"], at("dynamo.dockerRegistry", login)])
            secret = one(rendered, "Secret", "-regcred.dynamo-system")
            self.assertEqual(secret["type"], "kubernetes.io/dockerconfigjson")
            both = base64.b64encode(b'a"b\\c:d"\n{{e}}').decode()
            self.assertEqual(json.loads(base64.b64decode(secret["data"][".dockerconfigjson"])), {
                "auths": {host: {"username": 'a"b\\c', "password": 'd"\n{{e}}', "auth": both}}})

    def test_monitors_select_every_component_type(self):
        rendered = grid()["restricted-elsewhere.managed.companion.everything"]
        types = set()
        for each in rendered:
            if each["kind"] == "PodMonitor":
                types |= set(each["spec"]["selector"]["matchExpressions"][0]["values"])
                self.assertEqual(each["spec"]["namespaceSelector"], {"matchNames": ["team-a"]})
        self.assertEqual(types, {"frontend", "worker", "prefill", "decode", "planner", "epp"})

    def test_network_policy_admits_only_required_traffic(self):
        policy = one(scenarios()["prod"], "NetworkPolicy", "-webhook")["spec"]
        self.assertEqual(policy["policyTypes"], ["Ingress"])
        self.assertEqual([rule["ports"][0]["port"] for rule in policy["ingress"]], ["webhook", "metrics"])
        self.assertEqual(policy["ingress"][1]["from"], [
            {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "monitoring"}}}])
        # Without the API servers' addresses every client reaches the webhook port, and the notes
        # warn about it.
        on = at("webhook.networkPolicy.enabled", True)
        plain = one(render(OPERATOR, [on]), "NetworkPolicy", "-webhook")["spec"]
        self.assertEqual(plain["ingress"], [{"ports": [{"port": "webhook", "protocol": "TCP"}]}])
        self.assertIn("apiServerCIDRs is not set", charts.notes([on]))
        servers = at("webhook.networkPolicy.apiServerCIDRs", ["10.0.0.0/28"])
        reported = one(render(OPERATOR, [on, servers]), "NetworkPolicy", "-webhook")["spec"]
        self.assertEqual(reported["ingress"][0]["from"], [{"ipBlock": {"cidr": "10.0.0.0/28"}}])
        # The doctor in its own pod reaches the servers.
        doctor = at("doctor.rbac", True)
        rendered = render(OPERATOR, [on, servers, doctor])
        own = {"matchLabels": {**one(rendered, "Deployment", "-webhook")["spec"]["selector"]["matchLabels"],
                               "app.kubernetes.io/component": "webhook-doctor"}}
        self.assertEqual(one(rendered, "NetworkPolicy", "-webhook")["spec"]["ingress"][0]["from"],
                         [{"ipBlock": {"cidr": "10.0.0.0/28"}}, {"podSelector": own}])
        self.assertEqual(one(render(OPERATOR, [on, doctor]), "NetworkPolicy", "-webhook")["spec"]["ingress"], plain["ingress"])
        self.assertNotIn("apiServerCIDRs", charts.notes([on, servers]))

    def test_alerts_link_to_the_runbook(self):
        def links(rendered):
            groups = one(rendered, "PrometheusRule")["spec"]["groups"]
            return {rule["annotations"]["runbook_url"].partition("#")[0] for group in groups for rule in group["rules"]}

        # Uses the user's address; the notes mention a missing one.
        self.assertEqual(links(scenarios()["prod"]), {"https://runbooks.example.com/dynamo-admission/runbook.md"})
        on = at("monitoring.prometheusRule.enabled", True)
        self.assertEqual(links(render(OPERATOR, [on])), {"docs/runbook.md"})
        self.assertIn("monitoring.prometheusRule.runbook is not set", charts.notes([on]))
        self.assertNotIn("runbook", charts.notes([on, at("monitoring.prometheusRule.runbook", "https://r.example.com")]))


if __name__ == "__main__":
    unittest.main()
