"""The charts, rendered by helm: what comes out, and what is refused."""

import base64
import functools
import gzip
import itertools
import json
import os
import re
import subprocess
import unittest

import yaml

import charts
import references
from charts import CHARTS, OPERATOR, REPOSITORY, SCENARIOS, Refused, inventory, objects, render

GOLDENS = charts.HERE / "testdata/inventories"
UPDATE = os.environ.get("DYNAMO_UPDATE_GOLDENS") == "1"
MIB = 1 << 20
CA = base64.b64encode(b"-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n").decode()
EXTERNAL = {"webhook": {"certificateSecret": {"external": True, "name": "mine"}, "caBundle": CA}}
LOGIN = {"useKubernetesSecret": True, "server": "docker.io", "username": "$oauthtoken", "password": "p"}
# What whoever installs makes beforehand: named by scenarios and by the modes below.
GIVEN = {"mine", "registry-login", "dynamo-webhook-tls", "a-policy", "a-client-ca", "login"}


def merged(*values):
    """One dictionary of several, the later winning, maps merged."""
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
    "replacement": {"mode": "replacement", "dynamo": {"dockerRegistry": LOGIN}},
    "reconciler": {"mode": "replacement", "reconciler": {"enabled": True},
                   "checkpoint": {"enabled": True}, "dynamo": {"istio": {"enabled": True, "gateway": "g"}}},
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
    "commonLabels": {"team": "platform"}, "commonAnnotations": {"example.com/a": "b"},
    "imagePullSecrets": [{"name": "login"}],
}


@functools.cache
def grid():
    """{name: objects} of every scope with every way to certificates and every role, plain and with all
    that can be switched on."""
    found = {}
    for (scope, one), (certificate, two), (role, three) in itertools.product(
            SCOPES.items(), CERTIFICATES.items(), ROLES.items()):
        values = merged(one, two, three)
        chart = OPERATOR if role == "companion" else charts.with_reconciler()
        found[f"{scope}.{certificate}.{role}"] = render(chart, [values])
        found[f"{scope}.{certificate}.{role}.everything"] = render(chart, [merged(values, EVERYTHING)])
    found["webhook-off"] = render(OPERATOR, [{"webhook": {"enabled": False}}])
    return found


@functools.cache
def scenarios():
    """{name: objects} of deploy/scenarios."""
    found = {}
    with charts.platform() as chart:
        for path in sorted(SCENARIOS.glob("*.yaml")):
            more = at("dynamo-operator.webhook.caBundle", CA) if path.stem == "external-cert" else {}
            found[path.stem] = render(chart, [path, more], bare=True)
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
    """{(scope, rule as text)} that this service account has."""
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
        with self.assertRaises(Refused, msg=str(values)) as caught:
            render(chart, values, bare=bare)
        return str(caught.exception)


class Rendered(Case):
    def test_lint_finds_nothing(self):
        done = subprocess.run([charts.HERE / "deploy.py", "lint"], capture_output=True, text=True,
                              timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn("[WARNING]", done.stdout)

    def test_inventories_are_as_committed(self):
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

    def test_no_object_stands_twice_and_every_reference_leads_somewhere(self):
        for name, rendered in all_renders():
            with self.subTest(name):
                lines = inventory(rendered)
                self.assertEqual(len(lines), len(set(lines)))
                self.assertEqual(references.dangling(rendered, GIVEN), [])

    def test_the_finder_of_dangling_references_finds_them(self):
        for kind, ending in (("ServiceAccount", "-webhook"), ("ClusterRole", "-webhook.dynamo-system"),
                             ("ConfigMap", "-webhook-policy"), ("Service", "-webhook-service"),
                             ("Deployment", "-webhook"), ("Service", "-webhook-metrics")):
            rendered = list(grid()["cluster.managed.companion.everything"])
            rendered.remove(one(rendered, kind, ending))
            with self.subTest(kind + ending):
                self.assertNotEqual(references.dangling(rendered, GIVEN), [])

    def test_every_argument_is_a_flag_of_the_program(self):
        binary = os.environ["DYNAMO_WEBHOOK_BINARY"]
        text = subprocess.run([binary, "--help"], capture_output=True, text=True, timeout=20,
                              check=True).stdout
        flags = set(re.findall(r"--[a-z][a-z0-9-]*", text))
        seen = set()
        for name, rendered in all_renders():
            for each in rendered:
                if each["kind"] != "Deployment" or "controller-manager" in each["metadata"]["name"]:
                    continue
                for argument in each["spec"]["template"]["spec"]["containers"][0]["args"]:
                    seen.add(argument.partition("=")[0])
        self.assertGreater(len(seen), 20)
        self.assertEqual(seen - flags, set())

    def test_webhooks_are_those_of_the_dispatch_table(self):
        source = (REPOSITORY / "src/admission/routes.cpp").read_text(encoding="utf-8")
        routes = set(re.findall(r'"(/(?:validate|mutate)-[a-z0-9-]+)"', source))
        self.assertEqual(len(routes), 7)
        for name, rendered in all_renders():
            found = {}
            for each in rendered:
                if not each["kind"].endswith("WebhookConfiguration"):
                    continue
                for webhook in each["webhooks"]:
                    rule, = webhook["rules"]
                    path = webhook["clientConfig"]["service"]["path"]
                    found[path] = rule
                    verb, _, kind = path[1:].partition("-nvidia-com-v1alpha1-")
                    self.assertEqual(each["kind"].lower()[:3], verb[:3])
                    self.assertEqual(webhook["name"], f"{verb[0]}{kind}.kb.io")
                    self.assertEqual(rule, {
                        "apiGroups": ["nvidia.com"], "apiVersions": ["v1alpha1"], "resources": [kind + "s"],
                        "operations": ["CREATE", "UPDATE"], "scope": "Namespaced"})
                    self.assertEqual((webhook["sideEffects"], webhook["admissionReviewVersions"]),
                                     ("None", ["v1"]))
            with self.subTest(name):
                self.assertEqual(set(found), routes if name != "webhook-off" else set())

    def test_a_webhook_judges_neither_itself_nor_the_system(self):
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
        given = {"matchExpressions": [{"key": "judged", "operator": "Exists"}]}
        # What a user gives narrows a restriction and does not replace it.
        self.assertEqual(selector(render(OPERATOR, [merged(
            SCOPES["restricted-elsewhere"], at("webhook.namespaceSelector", given))])), [
            {"key": key, "operator": "In", "values": ["team-a"]}, {"key": "judged", "operator": "Exists"}])

    def test_whoever_writes_the_ca_bundle_finds_its_configurations(self):
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

    def test_rights_are_those_of_deploy_rbac_and_no_more(self):
        called = {"services": "dynamo-dynamo-operator-webhook-service",
                  "validatingwebhookconfigurations": "dynamo-dynamo-operator-validating.dynamo-system",
                  "mutatingwebhookconfigurations": "dynamo-dynamo-operator-mutating.dynamo-system"}

        def of_files(*files, restricted=None):
            text = "\n---\n".join((REPOSITORY / "deploy/rbac" / file).read_text(encoding="utf-8")
                                  for file in files)
            if restricted:
                text = text.replace("team-a", restricted)
            text = text.replace("dynamo-webhook-cert]", "dynamo-dynamo-operator-webhook-cert]")
            # One name in the files; in the chart a Service and two configurations have names of their own.
            return {re.sub(r"(\w+)(\.\S* )dynamo-webhook$", lambda found: found[1] + found[2] + called[found[1]], rule)
                    for rule in rules_of(objects(text), "dynamo-webhook")}

        account = "dynamo-dynamo-operator-webhook"
        rights = rules_of(render(OPERATOR, []), account)
        self.assertEqual(rights, of_files("cluster_wide.yaml", "managed_certificates.yaml"))
        everything = merged(at("webhook.clusterLookups", ["all"]), at("doctor.rbac", True),
                            at("webhook.managed.injectCRDs", True))
        self.assertEqual(rules_of(render(OPERATOR, [everything]), account), of_files(
            "cluster_wide.yaml", "managed_certificates.yaml", "cluster_lookups.yaml", "inject_crds.yaml",
            "doctor.yaml"))
        self.assertEqual(rules_of(render(OPERATOR, [EXTERNAL]), account), of_files("cluster_wide.yaml"))
        restricted = rules_of(render(OPERATOR, [SCOPES["restricted-elsewhere"], EXTERNAL,
                                                at("webhook.clusterLookups", ["all"])]), account)
        # What the policy of a release for the whole cluster asks of it.
        restricted.remove("team-a: create namespaceexclusions.dynamo-admission.nvidia.com *")
        self.assertEqual(restricted, of_files("restricted.yaml", "restricted_lookups.yaml"))

    def test_no_right_is_a_wildcard(self):
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

    def test_a_roll_out_leaves_no_gap(self):
        deployment = one(grid()["cluster.managed.companion"], "Deployment")["spec"]
        self.assertEqual(deployment["replicas"], 2)
        self.assertEqual(deployment["strategy"], {
            "type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 0, "maxSurge": 1}})
        # Two versions cannot hold one namespace.
        self.assertEqual(one(grid()["restricted.managed.companion"], "Deployment")["spec"]["strategy"],
                         {"type": "Recreate"})

    def test_on_the_network_of_nodes_as_many_replicas_as_nodes_can_be_rolled_out(self):
        def spec(*values):
            return one(render(OPERATOR, [at("webhook.hostNetwork", True), *values]), "Deployment")["spec"]

        found = spec()
        self.assertEqual(found["strategy"], {
            "type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1, "maxSurge": 0}})
        term, = found["template"]["spec"]["affinity"]["podAntiAffinity"][
            "requiredDuringSchedulingIgnoredDuringExecution"]
        self.assertEqual(term, {"topologyKey": "kubernetes.io/hostname",
                                "labelSelector": {"matchLabels": found["selector"]["matchLabels"]}})
        own = {"nodeAffinity": {}}
        self.assertEqual(spec(at("webhook.affinity", own))["template"]["spec"]["affinity"], own)
        self.assertEqual(spec(SCOPES["restricted"])["strategy"], {"type": "Recreate"})

    def test_a_slow_webhook_is_told_of_at_a_quarter_of_its_timeout(self):
        for seconds, quarter in ((1, "0.25"), (7, "1.75"), (10, "2.5"), (12, "3"), (30, "7.5")):
            rule = one(render(OPERATOR, [at("monitoring.prometheusRule.enabled", True),
                                         at("webhook.timeoutSeconds", seconds)]), "PrometheusRule")
            slow, = [each for group in rule["spec"]["groups"] for each in group["rules"]
                     if each["alert"] == "DynamoWebhookSlow"]
            self.assertTrue(slow["expr"].endswith(f"[5m]))) > {quarter}"), slow["expr"])
            self.assertIn(f"a quarter of the webhooks' timeout, {quarter} s;", slow["annotations"]["description"])

    def test_the_lease_that_excludes_a_namespace_is_kept_in_both_scopes(self):
        def kept(scope):
            return one(grid()[f"{scope}.managed.companion"], "ValidatingAdmissionPolicy", "-marker-lease.dynamo-system")

        everywhere = kept("cluster")["spec"]
        self.assertNotIn("namespaceSelector", everywhere["matchConstraints"])
        for scope, namespace in (("restricted", "dynamo-system"), ("restricted-elsewhere", "team-a")):
            spec = kept(scope)["spec"]
            self.assertEqual(spec["matchConstraints"].pop("namespaceSelector"),
                             {"matchLabels": {"kubernetes.io/metadata.name": namespace}})
            self.assertEqual(spec, everywhere)
            # Its own server may write it.
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

    def test_extras_arrive(self):
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

    def test_a_policy_arrives_as_it_was_written(self):
        policy = yaml.safe_load((REPOSITORY / "deploy/examples/policy.yaml").read_text(encoding="utf-8"))
        text = (REPOSITORY / "deploy/examples/policy.yaml").read_text(encoding="utf-8")
        for given in (text, policy):
            data = one(render(OPERATOR, [at("webhook.policy", given)]), "ConfigMap")["data"]
            self.assertEqual(yaml.safe_load(data["policy.yaml"])["severities"], policy["severities"])
            self.assertRegex(data["policy.yaml"], r"expires: .?2099-12-31.?\n")

    def test_a_registry_login_is_escaped(self):
        for server, host in (("docker.io", "https://index.docker.io/v1/"), ("docker.io/me",
                              "https://index.docker.io/v1/"), ("https://nvcr.io/nvidia", "nvcr.io"),
                             ("localhost:5000", "localhost:5000")):
            login = {**LOGIN, "server": server, "username": 'a"b\\c', "password": 'd"\n{{e}}'}
            rendered = render(charts.with_reconciler(), [{"mode": "replacement", "dynamo": {"dockerRegistry": login}}])
            secret = one(rendered, "Secret", "-regcred")
            self.assertEqual(secret["type"], "kubernetes.io/dockerconfigjson")
            both = base64.b64encode(b'a"b\\c:d"\n{{e}}').decode()
            self.assertEqual(json.loads(base64.b64decode(secret["data"][".dockerconfigjson"])), {
                "auths": {host: {"username": 'a"b\\c', "password": 'd"\n{{e}}', "auth": both}}})

    def test_monitors_find_every_type_of_component(self):
        rendered = grid()["restricted-elsewhere.managed.companion.everything"]
        types = set()
        for each in rendered:
            if each["kind"] == "PodMonitor":
                types |= set(each["spec"]["selector"]["matchExpressions"][0]["values"])
                self.assertEqual(each["spec"]["namespaceSelector"], {"matchNames": ["team-a"]})
        self.assertEqual(types, {"frontend", "worker", "prefill", "decode", "planner", "epp"})

    def test_the_network_policy_lets_in_only_what_it_must(self):
        policy = one(scenarios()["prod"], "NetworkPolicy")["spec"]
        self.assertEqual(policy["policyTypes"], ["Ingress"])
        self.assertEqual([rule["ports"][0]["port"] for rule in policy["ingress"]], ["webhook", "metrics"])
        self.assertEqual(policy["ingress"][1]["from"], [
            {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "monitoring"}}}])
        plain = one(render(OPERATOR, [at("webhook.networkPolicy.enabled", True)]), "NetworkPolicy")["spec"]
        self.assertEqual(len(plain["ingress"]), 1)


class Names(Case):
    # Names that could be read in two ways if their parts were joined by what may stand in them.
    RELEASES = tuple(itertools.product(
        ("a", "a-dynamo-operator", "dynamo-operator", "a.b", "a-b", "x" * 52, "x" * 53,
         "a-dynamo-operator-validating-foo", "a-dynamo-operator-webhook"),
        ("one", "two", "y" * 63, "certificates-one", "doctor-one", "foo-dynamo-operator-validating-one")))

    def test_two_releases_never_make_the_same_object(self):
        # Leases that programs elect by are shared on purpose; their roles have names of their own.
        for scope in ("cluster", "restricted-elsewhere"):
            values = merged(EVERYTHING, ROLES["reconciler"], SCOPES[scope], at("webhook.autoscaling.enabled", False))
            seen = {}
            for release, namespace in self.RELEASES:
                rendered = render(charts.with_reconciler(), [values], release=release, namespace=namespace)
                if scope != "cluster":
                    # Accounts that workloads of the namespace run as, whoever makes them.
                    rendered = [each for each in rendered if not (
                        each["kind"] == "ServiceAccount" and each["metadata"].get("namespace") == "team-a")]
                for line in inventory(rendered):
                    self.assertNotIn(line, seen, (release, namespace))
                    seen[line] = (release, namespace)
            self.assertGreater(len(seen), 1000)

    def test_names_are_what_kubernetes_takes_whatever_the_release_is_called(self):
        subdomain = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
        label = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
        for release, namespace in self.RELEASES:
            for each in render(charts.with_reconciler(), [merged(EVERYTHING, ROLES["reconciler"])], release=release,
                               namespace=namespace):
                name, kind = each["metadata"]["name"], each["kind"]
                with self.subTest(release=release, kind=kind, name=name):
                    form, limit = {"Service": (label, 63), "Deployment": (label, 52)}.get(kind, (subdomain, 253))
                    self.assertRegex(name, rf"\A{form.pattern}\Z")
                    self.assertLessEqual(len(name), limit)
                    for value in each["metadata"]["labels"].values():
                        self.assertLessEqual(len(value), 63)

    def test_the_operators_account_ends_as_webhooks_expect(self):
        for release in ("a", "dynamo-operator", "x" * 53):
            rendered = render(charts.with_reconciler(), [ROLES["reconciler"]], release=release)
            one(rendered, "ServiceAccount", "-dynamo-operator-controller-manager")


class Values(Case):
    REPLACED = {
        "controllerManager.kubeRbacProxy": "metricsService", "webhook.certGenerator": "webhook.managed",
        "metricsService.ports": "metricsService.port",
        "dynamo.dockerRegistry.secure": "container runtime", "istioVirtualServiceEnabled": "dynamo.istio.enabled",
        "dynamo.dynamoIngressSuffix": "dynamo.ingressHostSuffix", "serviceAccount": "webhook.serviceAccount",
        "checkpoint.criu": "config.checkpoint.criu", "certManager": "webhook.certManager.issuerRef",
        "dynamo.mpiRun.sshKeygen": "ssh-keygen -t rsa",
    }

    def test_every_key_of_the_reference_is_honoured_or_refused_with_what_replaces_it(self):
        known = yaml.safe_load((charts.HERE / "testdata/reference_values.yaml").read_text(encoding="utf-8"))
        keys = list(charts.leaves(known))
        self.assertGreater(len(keys), 80)
        for path, value in keys:
            key = ".".join(path)
            replaced = [each for each in self.REPLACED if f"{key}.".startswith(f"{each}.")]
            with self.subTest(key):
                if replaced:
                    said = self.refused(at(path, value))
                    self.assertIn(replaced[0], said)
                    self.assertIn(self.REPLACED[replaced[0]], said)
                else:
                    render(OPERATOR, [at(path, value)])

    def test_keys_of_the_operator_reach_the_reconciler(self):
        values = merged(ROLES["reconciler"], {
            "natsAddr": "nats://n:1", "etcdAddr": "e:2", "modelExpressURL": "http://m",
            "dynamo": {"groveTerminationDelay": "5m", "ingressHostSuffix": "i.example.com",
                       "ingress": {"enabled": True, "className": "nginx"},
                       "metrics": {"prometheusEndpoint": "http://p"}},
            "checkpoint": {"storage": {"type": "s3", "s3": {"uri": "s3://b", "credentialsSecretRef": "c"}}}})
        deployment = one(render(charts.with_reconciler(), [values]), "Deployment", "controller-manager")
        args = deployment["spec"]["template"]["spec"]["containers"][0]["args"]
        for wanted in ("--natsAddr=nats://n:1", "--etcdAddr=e:2", "--model-express-url=http://m",
                       "--grove-termination-delay=5m", "--ingress-host-suffix=i.example.com",
                       "--ingress-controller-class-name=nginx", "--prometheus-endpoint=http://p",
                       "--istio-virtual-service-gateway=g", "--checkpoint-s3-uri=s3://b",
                       "--checkpoint-s3-credentials-secret=c", "--leader-election-id=dynamo.nvidia.com"):
            self.assertIn(wanted, args)

    def test_what_a_platform_chart_sets_to_null_does_no_harm(self):
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
        (at("webhook.clientCA.allowedNames", ["a"]), "existingConfigMap"),
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
        (merged(SCOPES["restricted"], at("webhook.namespaceSelector.matchLabels",
                                         {"kubernetes.io/metadata.name": "other"})), "another namespace"),
        (at("reconciler.enabled", True), "mode replacement"),
        (merged({"mode": "replacement", "discoveryBackend": "etcd"}, at("etcd.enabled", False)), "etcdAddr"),
        (at("controllerManager.leaderElection.id", "mine"), "dynamo.nvidia.com"),
        (merged(SCOPES["restricted"], at("controllerManager.leaderElection.id", "mine")), None),
        (at("controllerManager.leaderElection.namespace", "dynamo-system"), "kube-system"),
        (merged(at("checkpoint.enabled", True), at("checkpoint.storage.type", "s3")), "s3.uri"),
        (merged(at("checkpoint.enabled", True), at("checkpoint.storage.type", "oci")), "oci.uri"),
        (merged(ROLES["reconciler"], at("dynamo.mpiRun.secretName", "")), "mpiRun.secretName"),
        (merged(ROLES["reconciler"], at("controllerManager.manager.image.repository",
                                        "nvcr.io/nvidia/ai-dynamo/kubernetes-operator")), "companion"),
        (at("dynamo.dockerRegistry.useKubernetesSecret", True), "dockerRegistry.server"),
        (at("dynamo.dockerRegistry", {**LOGIN, "password": ""}), "dockerRegistry.password"),
        (at("dynamo.dockerRegistry", {"useKubernetesSecret": True, "existingSecretName": "login"}), None),
        # By the schema.
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
        (at("namespaceRestriction.targetNamespace", "Team_A"), "targetNamespace"),
        (at("markerLeasePolicy.allowedServiceAccounts", ["x"]), "allowedServiceAccounts"),
        (at("fullnameOverride", "x" * 60), "fullnameOverride"), (at("metricsService.type", "x"), "type"),
    )

    def test_contradictions_and_wrong_types_are_refused(self):
        for values, named in self.CONTRADICTIONS:
            # That of a version with a reconciler, where it matters.
            chart = charts.with_reconciler() if values.get("mode") == "replacement" else OPERATOR
            with self.subTest(json.dumps(values)):
                if named:
                    self.assertIn(named, self.refused(values, chart=chart))
                else:
                    render(chart, [values])

    def test_labels_that_the_chart_gives_itself_are_refused(self):
        own = one(render(OPERATOR), "Deployment")["metadata"]["labels"]
        self.assertGreater(len(own), 6)
        for label in own:
            for key in (("commonLabels",), ("webhook", "podLabels"), ("monitoring", "labels"),
                        ("monitoring", "dashboards", "labels")):
                self.assertIn(f"{'.'.join(key)} must not have {label}", self.refused(at((*key, label), "x")))

    def test_a_replacement_is_refused_while_there_is_no_reconciler(self):
        for values in (ROLES["replacement"], ROLES["reconciler"]):
            said = self.refused(values)
            self.assertIn("mode must be companion: this version has no reconciler", said)
            self.assertIn("deploy/scenarios/companion.yaml", said)
            render(charts.with_reconciler(), [values])
        self.assertIn(charts.RECONCILER_ABSENT, (OPERATOR / "Chart.yaml").read_text(encoding="utf-8"))

    def test_the_version_that_is_noted_on_graphs_is_told_and_never_guessed(self):
        said = self.refused(chart=OPERATOR, bare=True)
        self.assertIn("webhook.operatorVersion must be set with mode companion", said)
        self.assertIn("kubectl get deployments -A -l control-plane=controller-manager", said)

        def noted(version):
            pod, = references.pods(render(OPERATOR, [at("webhook.operatorVersion", version)]))
            return [each for each in pod[2]["containers"][0]["args"] if each.startswith("--operator-version")]

        self.assertEqual(noted("1.2.3"), ["--operator-version=1.2.3"])
        self.assertEqual(noted("v1.0.0-dev+build.7"), ["--operator-version=v1.0.0-dev+build.7"])
        self.assertEqual(noted("unknown"), [])
        for bad in ("latest", "1.2.3.4", "1.0.0-", "1.0.0-01", "1 0", "dev"):
            self.assertIn("operatorVersion", self.refused(at("webhook.operatorVersion", bad)))
        render(OPERATOR, [at("webhook.enabled", False)], bare=True)

    def test_the_secret_of_the_references_webhooks_is_never_written(self):
        name = at("webhook.certificateSecret.name", "webhook-server-cert")
        self.assertIn("which this server would overwrite", self.refused(name))
        self.assertIn("which cert-manager would overwrite", self.refused(name, CERTIFICATES["cert-manager"]))
        # A Secret that is only read may be that one.
        render(OPERATOR, [CERTIFICATES["external"], name])
        # A values file with every default of the reference says so, too.
        for mode in ("managed", "cert-manager"):
            for each in render(OPERATOR, [CERTIFICATES[mode]]):
                self.assertNotIn("webhook-server-cert", json.dumps(each))

    def test_all_findings_are_told_at_once(self):
        said = self.refused(at("metricsService.ports", [{}]), at("webhook.shutdownDelay", "1m"))
        self.assertIn("metricsService.port", said)
        self.assertIn("terminationGracePeriodSeconds", said)


class Platform(Case):
    def test_dependencies_have_the_names_versions_and_conditions_of_the_reference(self):
        chart = yaml.safe_load((charts.PLATFORM / "Chart.yaml").read_text(encoding="utf-8"))
        self.assertEqual([(each["name"], each.get("alias"), each["version"], each["repository"],
                           each["condition"]) for each in chart["dependencies"]], [
            ("dynamo-operator", None, "0.1.0", "", "dynamo-operator.enabled"),
            ("nats", None, "1.3.2", "https://nats-io.github.io/k8s/helm/charts/", "nats.enabled"),
            ("etcd", None, "12.0.18", "https://charts.bitnami.com/bitnami", "etcd.enabled"),
            ("kai-scheduler", None, "v0.9.4", "oci://ghcr.io/nvidia/kai-scheduler", "kai-scheduler.enabled"),
            ("grove-charts", "grove", "v0.1.0-alpha.6", "oci://ghcr.io/ai-dynamo/grove", "grove.enabled")])

    def test_each_dependency_comes_when_it_is_switched_on(self):
        with charts.platform() as chart:
            for key, name in (("nats", "nats"), ("etcd", "etcd"), ("kai-scheduler", "kai-scheduler"),
                              ("grove", "grove-charts")):
                on = inventory(render(chart, [{key: {"enabled": True}}]))
                off = inventory(render(chart, [{key: {"enabled": False}}]))
                line = f"ConfigMap dynamo-system/dynamo-stand-in-of-{name}"
                self.assertEqual((line in on, line in off), (True, False), key)
            self.assertEqual(render(chart, [{"dynamo-operator": {"enabled": False}}]), [])

    def test_queues_come_with_the_scheduler(self):
        with charts.platform() as chart:
            def queues(values):
                return [(each["metadata"]["name"], each["spec"].get("parentQueue"))
                        for each in render(chart, [values]) if each["kind"] == "Queue"]
            both = [("dynamo-default", None), ("dynamo", "dynamo-default")]
            self.assertEqual(queues({}), [])
            self.assertEqual(queues({"kai-scheduler": {"enabled": True}}), both)
            self.assertEqual(queues({"kaiQueues": {"enabled": True}}), both)
            self.assertEqual(queues({"kaiQueues": {"enabled": False}, "kai-scheduler": {"enabled": True}}), [])

    def test_queues_are_hooks_or_plain_objects_that_stay(self):
        with charts.platform() as chart:
            def annotations(hooks):
                return [each["metadata"]["annotations"] for each in render(
                    chart, [{"kaiQueues": {"enabled": True, "hooks": hooks}}]) if each["kind"] == "Queue"]
            for each in annotations(True):
                self.assertEqual(each["helm.sh/hook"], "post-install,post-upgrade")
            for each in annotations(False):
                self.assertEqual(each["helm.sh/resource-policy"], "keep")
                self.assertIn("Prune=false", each["argocd.argoproj.io/sync-options"])
                self.assertFalse([key for key in each if key.startswith("helm.sh/hook")])
            # Nobody who renders without a cluster makes hooks of them.
            gitops = yaml.safe_load((SCENARIOS / "gitops.yaml").read_text(encoding="utf-8"))
            self.assertFalse(gitops["kaiQueues"]["hooks"])

    def test_the_platform_refuses_what_its_charts_cannot_see(self):
        with charts.platform(reconciler=True) as chart:
            reconciler = {"dynamo-operator": ROLES["reconciler"], "etcd": {"enabled": True}}
            self.assertIn("dynamo-operator.natsAddr", self.refused(reconciler, chart=chart))
            render(chart, [reconciler, {"nats": {"enabled": True}}])
            render(chart, [reconciler, at("dynamo-operator.natsAddr", "nats://n:4222")])
            self.assertIn("dynamo-operator.etcdAddr", self.refused(
                {"dynamo-operator": {"mode": "replacement", "discoveryBackend": "etcd"}}, chart=chart))
            self.assertIn("'/webhook/timeoutSeconds'", self.refused(
                at("dynamo-operator.webhook.timeoutSeconds", 99), chart=chart))
            self.assertIn("nuts", self.refused({"nuts": {}}, chart=chart))


class Definitions(Case):
    def test_definitions_are_those_of_deploy_crds_and_kept(self):
        rendered = {each["metadata"]["name"]: each for each in render(CHARTS / "dynamo-crds")}
        for path in sorted((REPOSITORY / "deploy/crds").glob("*.yaml")):
            wanted, = objects(path.read_text(encoding="utf-8"))
            wanted["metadata"].setdefault("annotations", {})["helm.sh/resource-policy"] = "keep"
            self.assertEqual(rendered.pop(wanted["metadata"]["name"]), wanted)
        self.assertEqual(rendered, {})

    def test_a_release_record_is_a_third_of_its_limit_at_most(self):
        with charts.platform() as platform:
            for chart in (CHARTS / "dynamo-crds", platform):
                files = [path for path in chart.rglob("*") if path.is_file()]
                text = charts.render_text(chart, [SCENARIOS / "prod.yaml"] if chart == platform else [])
                record = {"manifest": text, "chart": {"templates": [
                    {"name": str(path), "data": base64.b64encode(path.read_bytes()).decode()}
                    for path in files]}}
                size = len(base64.b64encode(gzip.compress(json.dumps(record).encode(), 9)))
                self.assertLess(size, MIB / 3, chart)


if __name__ == "__main__":
    unittest.main()
