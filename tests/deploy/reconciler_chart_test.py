"""The reconciler in the charts: flags, permissions, and the handling of values.

DYNAMO_RECONCILER_BINARY names the program."""

import re
import unittest

import yaml

import charts
import flags_test
import references
from charts import OPERATOR, REPOSITORY, RenderError, objects, render
from charts_test import ROLES, SCOPES, Case, all_renders, at, grid, merged, one, rules_of

PROGRAM = "DYNAMO_RECONCILER_BINARY"
VALIDATING, REPLACEMENT = ROLES["validating"], ROLES["replacement"]
NAMED = "dynamo-dynamo-operator-reconciler"
OPERATOR_ACCOUNT = "dynamo-dynamo-operator-controller-manager"


def refusal(arguments):
    return flags_test.refusal(arguments, PROGRAM)


def arguments_of(rendered):
    return flags_test.arguments_of(rendered, "reconciler")


def pods_of(rendered):
    return [pod for _, _, pod in references.pods(rendered) if pod["containers"][0]["name"] == "reconciler"]


# Values, the corresponding flags, and whether both are accepted.
EDGES = (
    *((at("reconciler.workers", count), (f"--workers={count}",), good) for count, good in (
        (1, True), (64, True), (0, False), (65, False))),
    *((merged(at("reconciler.drainTimeout", time), at("reconciler.terminationGracePeriodSeconds", 10000)),
       (f"--drain-timeout={time}",), good) for time, good in (
        ("0s", True), ("5m", True), ("301s", False), ("-1s", False), ("10", False))),
    *((at(f"reconciler.{key}", value), (f"--{flag}={value}",), good) for key, flag, value, good in (
        ("logLevel", "log-level", "debug", True), ("logLevel", "log-level", "trace", False),
        ("logFormat", "log-format", "text", True), ("logFormat", "log-format", "xml", False))),
    *((merged(SCOPES["restricted-elsewhere"], at("controllerManager.leaderElection.id", name)), (f"--operator-lease-name={name}",), good) for name, good in (
        ("a", True), ("a.b", True), ("A", False), ("a..b", False), ("x" * 254, False))),
    *((at("controllerManager.leaderElection.namespace", name), (f"--operator-lease-namespace={name}",), good) for name, good in (
        ("a", True), ("a.b", False), ("x" * 64, False))),
    *((at("reconciler.controllers", names), (f"--controllers={','.join(names)}",), good) for names, good in (
        (["validation"], True), (["graph", "component"], True), (["requests"], False), (["*"], None))),
    *((merged(SCOPES["restricted-elsewhere"], at("namespaceRestriction.lease", {"duration": duration, "renewInterval": interval})),
       ("--restrictedNamespace=a", f"--namespace-scope-lease-duration={duration}",
        f"--namespace-scope-lease-renew-interval={interval}"), good) for duration, interval, good in (
        ("30s", "1s", True), ("30s", "999ms", False), ("2s", "2s", False))),
)


class Reconciler(Case):
    def test_program_accepts_arguments_of_every_render(self):
        seen = 0
        for name, rendered in all_renders():
            if pods_of(rendered):
                seen += 1
                with self.subTest(name):
                    self.assertEqual(refusal(arguments_of(rendered)), "")
        self.assertGreater(seen, 30)

    def test_chart_and_program_refuse_the_same_values(self):
        for values, flags, good in EDGES:
            with self.subTest(flags=flags):
                if good is not None:
                    message = refusal(flags)
                    self.assertEqual(message == "", good, message)
                if good:
                    arguments = arguments_of(render(OPERATOR, [REPLACEMENT, values]))
                    self.assertEqual(refusal(arguments), "")
                    self.assertIn(flags[-1], arguments)
                else:
                    with self.assertRaises(RenderError):
                        render(OPERATOR, [REPLACEMENT, values])

    def test_controllers_match_the_program(self):
        reported, = re.findall(r"NAME or -NAME of (.*?); found", refusal(["--controllers=x"]))
        arguments = arguments_of(render(OPERATOR, [REPLACEMENT]))
        self.assertIn("--controllers=" + reported.replace(", ", ","), arguments)
        self.assertIn("--controllers=validation", arguments_of(render(OPERATOR, [VALIDATING])))

    def test_operator_account_is_used_only_in_replacement(self):
        pod, = pods_of(render(OPERATOR, [VALIDATING]))
        self.assertEqual(pod["serviceAccountName"], NAMED)
        rendered = render(OPERATOR, [REPLACEMENT])
        pod, = pods_of(rendered)
        self.assertEqual(pod["serviceAccountName"], OPERATOR_ACCOUNT)
        who = f"--operator-service-account=dynamo-system/{OPERATOR_ACCOUNT}"
        self.assertIn(who, flags_test.arguments_of(rendered))
        self.assertIn(who, arguments_of(rendered))

    def test_reconciler_revalidates_objects_that_bypass_webhooks(self):
        def validated(*values):
            return "--enable-webhooks=true" in arguments_of(render(OPERATOR, [REPLACEMENT, *values]))

        everywhere = at("webhook.excludeReleaseNamespace", False)
        self.assertTrue(validated(everywhere))
        for path, value in (("enabled", False), ("enforcement", "audit"), ("failurePolicy", "Ignore"),
                            ("objectSelector", {"matchLabels": {"a": "b"}}), ("namespaceSelector", {"matchLabels": {"a": "b"}}),
                            ("excludeReleaseNamespace", True), ("excludedNamespaces", ["kube-system", "team-a"])):
            self.assertFalse(validated(everywhere, at(f"webhook.{path}", value)), path)
        # System namespaces have no graphs.
        for namespaces in ([], ["kube-system"], ["kube-node-lease", "kube-system"]):
            self.assertTrue(validated(everywhere, at("webhook.excludedNamespaces", namespaces)))
        self.assertTrue(validated(SCOPES["restricted-elsewhere"], at("webhook.excludedNamespaces", ["team-b"])))

    def test_reconciler_skips_namespaces_excluded_from_webhooks(self):
        def excluded(*values):
            return [each.partition("=")[2] for each in arguments_of(render(OPERATOR, [*values])) if each.startswith("--excluded-namespaces=")]

        self.assertEqual(excluded(REPLACEMENT), ["kube-system,kube-node-lease,dynamo-system"])
        self.assertEqual(excluded(REPLACEMENT, at("webhook.excludedNamespaces", ["kube-system", "team-a"])), ["kube-system,team-a,dynamo-system"])
        everywhere = at("webhook.excludeReleaseNamespace", False)
        self.assertEqual(excluded(REPLACEMENT, everywhere), ["kube-system,kube-node-lease"])
        self.assertEqual(excluded(REPLACEMENT, everywhere, at("webhook.excludedNamespaces", [])), ["kube-system"])
        # The program's default has the release's namespace, too.
        self.assertEqual(excluded(REPLACEMENT, SCOPES["restricted-elsewhere"]), [])
        self.assertEqual(excluded(VALIDATING), [])

    def test_policy_is_shared_with_the_webhook(self):
        for values, name in ((at("webhook.policy", {"version": 1}), "dynamo-dynamo-operator-webhook-policy"),
                             (at("webhook.existingPolicyConfigMap", "mine"), "mine")):
            rendered = render(OPERATOR, [VALIDATING, values, at("webhook.enabled", False)])
            pod, = pods_of(rendered)
            self.assertEqual(pod["volumes"], [{"name": "policy", "configMap": {"name": name}}])
            self.assertIn("--policy=/etc/dynamo-reconciler/policy/policy.yaml", pod["containers"][0]["args"])
            self.assertEqual(references.dangling(rendered, {"mine"}), [])

    def test_replacement_limits_graph_authors_by_default(self):
        def limits(*values):
            return yaml.safe_load(one(render(OPERATOR, [REPLACEMENT, *values]), "ConfigMap", "-webhook-policy")["data"]["policy.yaml"])

        default = limits(at("dynamo.istio.enabled", False))
        self.assertEqual(default["version"], 1)
        self.assertEqual(default["parameters"], [{
            "allowedServiceAccounts": ["default", "planner-serviceaccount", "epp-serviceaccount", "*-k8s-service-discovery"],
            "allowedHostPaths": [], "allowedHostAccess": []}])
        configured = {"dynamo": {"ingressHostSuffix": "Example.com", "istio": {"enabled": True, "gateway": "istio-system/public"}}}
        self.assertEqual(limits(configured)["parameters"][0]["allowedIngressHosts"], ["*.example.com"])
        self.assertEqual(limits(configured)["parameters"][0]["allowedIstioGateways"], ["istio-system/public"])
        widened = limits(configured, at("graphAuthors", {"allowedServiceAccounts": None, "allowedIngressHosts": ["*"]}))
        self.assertNotIn("allowedServiceAccounts", widened["parameters"][0])
        self.assertEqual(widened["parameters"][0]["allowedIngressHosts"], ["*"])
        self.assertEqual(limits(configured, at("webhook.policy", {"version": 1}), at("graphAuthors.enabled", False)), {"version": 1})
        self.assertEqual([each for each in render(OPERATOR, [REPLACEMENT, configured, at("graphAuthors.enabled", False)])
                          if each["metadata"]["name"].endswith("-webhook-policy")], [])
        unlimited = "graphAuthors sets no limits"
        self.assertIn(unlimited, charts.notes([REPLACEMENT, at("graphAuthors.enabled", False)]))
        self.assertNotIn(unlimited, charts.notes([REPLACEMENT]))
        self.assertNotIn(unlimited, charts.notes([VALIDATING]))

    def test_user_policy_follows_author_limits(self):
        own = {"version": 1, "parameters": [{"allowedHostAccess": ["ipc"], "namespaces": ["team-a"]}], "honourIgnores": True}
        for given in (own, yaml.safe_dump(own)):
            rendered = render(OPERATOR, [REPLACEMENT, at("webhook.policy", given)])
            policy = yaml.safe_load(one(rendered, "ConfigMap", "-webhook-policy")["data"]["policy.yaml"])
            self.assertEqual(policy["parameters"][1:], own["parameters"])
            self.assertTrue(policy["honourIgnores"])
        with self.assertRaisesRegex(RenderError, "webhook.policy must be YAML"):
            render(OPERATOR, [REPLACEMENT, at("webhook.policy", "version: [")])

    def test_companion_limits_no_authors(self):
        for role in ROLES.values():
            policies = [each for each in render(OPERATOR, [role]) if each["metadata"]["name"].endswith("-webhook-policy")]
            self.assertEqual(bool(policies), role is ROLES["replacement"])

    def test_operator_values_become_reconciler_flags(self):
        values = {
            "natsAddr": "nats://n:1", "etcdAddr": "e:2", "modelExpressURL": "http://m",
            "controllerManager": {"replicas": 3, "leaderElection": {"id": "dynamo.nvidia.com", "namespace": "there"}, "tolerations": [{"operator": "Exists"}],
                                  "manager": {"args": ["--metrics-bind-address=127.0.0.1:1", "--leader-election-id=theirs"]}},
            "dynamo": {"ingressHostSuffix": "i.example.com", "ingress": {"enabled": True, "className": "nginx", "annotations": {"a/b": "c, d"}},
                       "clientTLSSecret": "tls", "clientCredentialsSecret": "user", "internalImages": {"debugger": "d:1"},
                       "groveTerminationDelay": "20m", "mpiRun": {"secretName": "ssh", "secretNamespaces": ["team-a", "ml-*"]},
                       "metrics": {"prometheusEndpoint": "http://p"}},
            "checkpoint": {"storage": {"type": "s3", "s3": {"uri": "s3://b"}}}}
        pod, = pods_of(render(OPERATOR, [REPLACEMENT, values]))
        arguments = pod["containers"][0]["args"]
        for wanted in ("--natsAddr=nats://n:1", "--etcdAddr=e:2", "--model-express-url=http://m",
                       "--ingress-host-suffix=i.example.com", "--ingress-controller-class-name=nginx",
                       "--ingress-controller-tls-secret-name=my-tls-secret", "--prometheus-endpoint=http://p",
                       "--istio-virtual-service-gateway=g", "--checkpoint-enabled", "--checkpoint-storage-type=s3", "--checkpoint-s3-uri=s3://b",
                       '--ingress-annotations={"a/b":"c, d"}', "--client-tls-secret-name=tls", "--client-credentials-secret-name=user",
                       "--debugger-image=d:1", "--grove-termination-delay=20m", "--mpi-run-ssh-secret-name=ssh", "--mpi-run-ssh-secret-namespace=dynamo-system",
                       "--mpi-run-ssh-secret-namespaces=team-a,ml-*", "--max-profiling-jobs=10",
                       "--dgdr-profiling-cluster-role-name=dynamo-dynamo-operator-dgdr-profiling.dynamo-system",
                       "--operator-lease-name=dynamo.nvidia.com", "--operator-lease-namespace=there"):
            self.assertIn(wanted, arguments)
        self.assertEqual(pod["tolerations"], [{"operator": "Exists"}])
        # The last one wins, and Prometheus and probes use the chart's ports.
        last = dict(each.split("=", 1) for each in arguments if "=" in each)
        self.assertEqual((last["--metrics-bind-address"], last["--leader-election-id"]), (":8080", NAMED))

    def test_profiles_are_copied_by_own_image(self):
        def copier(*values):
            return [each for each in arguments_of(render(OPERATOR, [REPLACEMENT, *values])) if each.startswith("--profile-copier")]

        self.assertEqual(copier(at("controllerManager.manager.image", {"repository": "r.example.com/ours", "tag": "v1"})),
                         ["--profile-copier-image=r.example.com/ours:v1"])
        script = {"image": "bitnami/kubectl:latest", "command": ["script"]}
        self.assertEqual(copier(at("reconciler.profileCopier", script)),
                         ["--profile-copier-image=bitnami/kubectl:latest", "--profile-copier-command=script"])
        with self.assertRaises(RenderError):
            render(OPERATOR, [REPLACEMENT, at("reconciler.profileCopier.command", ["a b"])])

    def test_release_key_is_not_shared_by_default(self):
        arguments = arguments_of(render(OPERATOR, [REPLACEMENT, at("dynamo.mpiRun.secretName", "ssh")]))
        self.assertEqual([each for each in arguments if each.startswith("--mpi")], ["--mpi-run-ssh-secret-name=ssh"])

    def test_shared_key_is_generated_on_request(self):
        def flags(*values):
            return [each for each in arguments_of(render(OPERATOR, [REPLACEMENT, *values])) if each.startswith("--mpi")]

        shared, keygen = at("dynamo.mpiRun.secretNamespaces", ["ml-*"]), at("dynamo.mpiRun.sshKeygen.enabled", True)
        copied = ["--mpi-run-ssh-secret-namespace=dynamo-system", "--mpi-run-ssh-secret-namespaces=ml-*"]
        self.assertEqual(flags(shared), copied)
        self.assertEqual(flags(shared, keygen), [*copied, "--mpi-run-ssh-keygen"])
        # Each namespace gets a key of its own.
        self.assertEqual(flags(keygen), [])
        # The reconciler creates Secrets anyway: the value adds no right, no Job and no account.
        kinds = {each["kind"] for each in render(OPERATOR, [REPLACEMENT, shared, keygen])}
        self.assertNotIn("Job", kinds)
        self.assertEqual(charts.inventory(render(OPERATOR, [REPLACEMENT, shared, keygen])), charts.inventory(render(OPERATOR, [REPLACEMENT])))

    def test_companion_gets_no_graph_values(self):
        arguments = arguments_of(render(OPERATOR, [VALIDATING, {"natsAddr": "nats://n:1", "modelExpressURL": "http://m"}]))
        self.assertEqual([each for each in arguments if re.match("--(nats|etcd|model|planner|epp|mpi|operator-lease)", each)], [])

    def test_extra_values_are_rendered(self):
        values = at("reconciler", {
            "extraArgs": ["--pass-timeout=77s"], "extraEnv": [{"name": "A", "value": "b"}], "podLabels": {"l": "m"},
            "podAnnotations": {"n": "o"}, "nodeSelector": {"p": "q"}, "priorityClassName": "high",
            "extraVolumes": [{"name": "v", "emptyDir": {}}], "extraVolumeMounts": [{"name": "v", "mountPath": "/v"}]})
        (_, labels, pod), = [each for each in references.pods(render(OPERATOR, [VALIDATING, values]))
                             if each[2]["containers"][0]["name"] == "reconciler"]
        container, = pod["containers"]
        self.assertEqual(container["args"][-1], "--pass-timeout=77s")
        self.assertEqual(container["env"], [{"name": "A", "value": "b"}])
        self.assertEqual((labels["l"], pod["nodeSelector"], pod["priorityClassName"]), ("m", {"p": "q"}, "high"))
        self.assertEqual((pod["volumes"], container["volumeMounts"]), ([{"name": "v", "emptyDir": {}}], [{"name": "v", "mountPath": "/v"}]))

    def test_reconciler_trusts_the_given_etcd_ca(self):
        values = {"etcdAddr": "https://e:2379", "etcdCA": {"existingSecret": "etcd-tls", "key": "ca.pem"}}
        rendered = render(OPERATOR, [REPLACEMENT, values])
        pod, = pods_of(rendered)
        mount, = [each for each in pod["containers"][0]["volumeMounts"] if each["name"] == "etcd-ca"]
        volume, = [each for each in pod["volumes"] if each["name"] == "etcd-ca"]
        arguments = arguments_of(rendered)
        self.assertIn(f"--etcd-ca-file={mount['mountPath']}/ca.crt", arguments)
        self.assertEqual(refusal(arguments), "")
        # The Secret may hold the server's key, too.
        self.assertEqual(volume["secret"], {"secretName": "etcd-tls", "items": [{"key": "ca.pem", "path": "ca.crt"}]})
        self.assertNotIn("etcd-ca", str(pods_of(render(OPERATOR, [VALIDATING, values]))))

    def test_reconciler_authenticates_itself_to_etcd(self):
        values = {"etcdAddr": "https://e:2379", "etcdClientCertificate": {"existingSecret": "etcd-client"},
                  "etcdPassword": {"existingSecret": "etcd-user", "usernameKey": "u"}}
        rendered = render(OPERATOR, [REPLACEMENT, values])
        pod, = pods_of(rendered)
        arguments = arguments_of(rendered)
        self.assertEqual(refusal(arguments), "")
        mounted = {each["name"]: each["mountPath"] for each in pod["containers"][0]["volumeMounts"]}
        files = {flag: f"{mounted[volume]}/{name}" for flag, volume, name in (
            ("cert", "etcd-certificate", "tls.crt"), ("key", "etcd-certificate", "tls.key"),
            ("username", "etcd-password", "username"), ("password", "etcd-password", "password"))}
        self.assertLessEqual({f"--etcd-{flag}-file={path}" for flag, path in files.items()}, set(arguments))
        secrets = {each["name"]: each["secret"] for each in pod["volumes"] if "secret" in each}
        self.assertEqual(secrets["etcd-certificate"], {"secretName": "etcd-client", "items": [
            {"key": "tls.crt", "path": "tls.crt"}, {"key": "tls.key", "path": "tls.key"}]})
        self.assertEqual(secrets["etcd-password"], {"secretName": "etcd-user", "items": [
            {"key": "password", "path": "password"}, {"key": "u", "path": "username"}]})

    def test_network_policy_admits_only_metrics_scrapers(self):
        def ingress(*values):
            return one(render(OPERATOR, [VALIDATING, at("reconciler.networkPolicy.enabled", True), *values]), "NetworkPolicy")["spec"]["ingress"]

        self.assertEqual(ingress(), [])
        peer = {"namespaceSelector": {"matchLabels": {"a": "b"}}}
        self.assertEqual(ingress(at("reconciler.networkPolicy.metricsFrom", [peer])), [
            {"ports": [{"port": "metrics", "protocol": "TCP"}], "from": [peer]}])

    def test_disruption_budget_allows_one_eviction(self):
        def budgets(replicas):
            return [each["metadata"]["name"] for each in render(OPERATOR, [VALIDATING, at("controllerManager.replicas", replicas)])
                    if each["kind"] == "PodDisruptionBudget" and "reconciler" in each["metadata"]["name"]]

        self.assertEqual((budgets(1), budgets(2)), ([], [NAMED]))
        for scope, mode, wanted in (("cluster", "replacement", "RollingUpdate"), ("restricted", "validating", "RollingUpdate"),
                                    ("restricted-elsewhere", "replacement", "Recreate")):
            deployment = one(grid()[f"{scope}.managed.{mode}"], "Deployment", "-reconciler")
            self.assertEqual(deployment["spec"]["strategy"]["type"], wanted)


    def test_alerts_and_dashboards_match_enabled_programs(self):
        shown = merged(at("monitoring.prometheusRule.enabled", True), at("monitoring.dashboards.enabled", True))
        for values, programs, dashboard in (({}, {"webhook"}, False), (VALIDATING, {"webhook", "reconciler"}, True),
                                            (merged(VALIDATING, at("webhook.enabled", False)), {"reconciler"}, True)):
            rendered = render(OPERATOR, [shown, values])
            groups = one(rendered, "PrometheusRule")["spec"]["groups"]
            self.assertEqual({group["name"].split("-")[1] for group in groups}, programs)
            self.assertEqual(any(each["metadata"]["name"].endswith("dashboard-reconciler") for each in rendered), dashboard)


class Rights(Case):
    """The chart grants the permissions of deploy/rbac, and none that the enabled controllers do not
    need."""

    ROLES = {"validation": (), "model": ("dynamo-reconciler-models-and-adapters",),
             "scaling-adapter": ("dynamo-reconciler-models-and-adapters",), "component": ("dynamo-reconciler-graphs",),
             "graph": ("dynamo-reconciler-graphs",), "request": ("dynamo-reconciler-requests",),
             "checkpoint": ("dynamo-reconciler-checkpoints",)}

    def of_files(self, roles):
        """The permissions in the files, of these roles, with the names of the release."""
        text = "\n---\n".join((REPOSITORY / "deploy/rbac" / name).read_text(encoding="utf-8")
                              for name in ("reconciler.yaml", "reconciler_models_and_adapters.yaml", "reconciler_requests.yaml",
                                           "reconciler_checkpoints.yaml"))
        found = [each for each in objects(text) if "roleRef" not in each or each["roleRef"]["name"] in {"dynamo-reconciler", *roles}]
        rules = rules_of(found, "dynamo-reconciler")
        called = {"dynamo-reconciler": NAMED, "dynamo-planner": "dynamo-dynamo-operator-planner.dynamo-system",
                  "dynamo-epp": "dynamo-dynamo-operator-epp.dynamo-system",
                  "dynamo-dgdr-profiling": "dynamo-dynamo-operator-dgdr-profiling.dynamo-system"}
        return {" ".join([*rule.split(" ")[:-1], called.get(rule.split(" ")[-1], rule.split(" ")[-1])]) for rule in rules}

    def of_chart(self, values, account=OPERATOR_ACCOUNT):
        return rules_of(render(OPERATOR, values), account)

    def test_replacement_permissions_equal_deploy_rbac(self):
        self.assertEqual(self.of_chart([REPLACEMENT]), self.of_files({name for each in self.ROLES.values() for name in each}))

    def test_companion_permissions_equal_deploy_rbac(self):
        wanted = self.of_files(())
        # The operator's leader Lease is only read when replacing the operator.
        wanted.remove("cluster: get leases.coordination.k8s.io dynamo.nvidia.com")
        self.assertEqual(self.of_chart([VALIDATING], NAMED), wanted)

    def test_each_controller_has_its_own_permissions(self):
        everything = self.of_chart([REPLACEMENT])
        for name, roles in self.ROLES.items():
            running = ["component", "graph"] if name == "graph" else [name]
            with self.subTest(name):
                found = self.of_chart([REPLACEMENT, at("reconciler.controllers", running)])
                self.assertLess(found, everything)
                self.assertLessEqual(found, self.of_files(roles))
        # Permissions of the other controllers are not granted.
        found = self.of_chart([REPLACEMENT, at("reconciler.controllers", ["model", "scaling-adapter"])])
        self.assertFalse([each for each in found if "secrets" in each or "deployments.apps" in each or "requests" in each])
        without = self.of_chart([VALIDATING, at("reconciler.admissionRecord", False)], NAMED)
        self.assertFalse([each for each in without if ": patch" in each and "/status" not in each and "events" not in each])

    def test_endpoint_picker_role_grants_what_it_uses(self):
        def granted(rendered, kind):
            rules = one(rendered, kind, "-epp.dynamo-system")["rules"]
            return {f"{verb} {resource}.{group}" for rule in rules for group in rule["apiGroups"] for resource in rule["resources"] for verb in rule["verbs"]}

        read = ("get", "list", "watch")
        wanted = {*(f"{verb} {resource}.inference.networking.x-k8s.io" for verb in read
                    for resource in ("inferencepools", "inferenceobjectives", "inferencemodelrewrites")),
                  *(f"{verb} {resource}" for verb in read for resource in ("inferencepools.inference.networking.k8s.io", "pods.", "endpointslices.discovery.k8s.io")),
                  *(f"{verb} dynamoworkermetadatas.nvidia.com" for verb in (*read, "create", "delete", "patch", "update"))}
        self.assertEqual(granted(render(OPERATOR, [REPLACEMENT, SCOPES["restricted-elsewhere"]]), "Role"), wanted)
        self.assertEqual(granted(render(OPERATOR, [REPLACEMENT]), "ClusterRole"), {
            *wanted, "create tokenreviews.authentication.k8s.io", "create subjectaccessreviews.authorization.k8s.io"})

    def test_page_lists_model_and_adapter_permissions(self):
        page = (REPOSITORY / "docs/operations/reconciler.md").read_text(encoding="utf-8")
        _, _, table = page.partition("| right | on |\n|---|---|\n")
        listed = set()
        for row in table.splitlines():
            verbs, places = row.strip("| ").split(" | ")
            for place in places.split(", "):
                resource, group, name = re.fullmatch(r"([a-z/]+)(?: \(`([a-z0-9.]+)`\))?(?: named `([a-z.-]+)`)?", place).groups()
                listed |= {f"cluster: {verb} {resource}.{group or 'nvidia.com'} {name or '*'}" for verb in verbs.split(", ")}
        given = self.of_chart([REPLACEMENT, at("reconciler.controllers", ["model", "scaling-adapter"])])
        self.assertEqual(listed, {each for each in given if each.startswith("cluster: ")})
        self.assertLessEqual(listed, self.of_files(("dynamo-reconciler-models-and-adapters",)))

    def test_profilers_read_nodes_only_where_switched_on(self):
        def bound(*values):
            rendered = render(OPERATOR, [REPLACEMENT, *values])
            roles = {each["metadata"]["name"]: each["rules"] for each in rendered if each["kind"].endswith("Role")
                     and any("nodes" in rule["resources"] for rule in each["rules"])}
            return roles, {each["roleRef"]["name"]: each["subjects"] for each in rendered
                           if each["kind"] == "ClusterRoleBinding" and each["roleRef"]["name"] in roles}

        on, name = at("reconciler.gpuDiscoveryNamespaces", ["team-a", "team-b"]), "dynamo-dynamo-operator-dgdr-profiling-nodes.dynamo-system"
        self.assertEqual(bound(on), ({name: [{"apiGroups": [""], "resources": ["nodes"], "verbs": ["get", "list"]}]}, {
            name: [{"kind": "ServiceAccount", "name": "dgdr-profiling-job", "namespace": each} for each in ("team-a", "team-b")]}))
        for off in ((), (at("reconciler.gpuDiscoveryNamespaces", None),), (on, SCOPES["restricted-elsewhere"])):
            self.assertEqual(bound(*off), ({}, {}))
        for wrong in ("team-*", "A", "", "x" * 64):
            with self.assertRaises(RenderError):
                bound(at("reconciler.gpuDiscoveryNamespaces", [wrong]))

    def test_doctor_may_read_the_configured_leases(self):
        def leases(*values):
            rights = self.of_chart([at("doctor.rbac", True), *values], "dynamo-dynamo-operator-webhook-doctor")
            return {each for each in rights if " get leases.coordination.k8s.io " in each and not each.endswith(("*", "-scope"))}

        own = f"dynamo-system: get leases.coordination.k8s.io {NAMED}"
        self.assertEqual(leases(), set())
        self.assertEqual(leases(VALIDATING), {own})
        self.assertEqual(leases(REPLACEMENT), {own})
        self.assertEqual(leases(REPLACEMENT, at("controllerManager.leaderElection.namespace", "there")),
                         {own, "there: get leases.coordination.k8s.io dynamo.nvidia.com"})
        self.assertEqual(leases(REPLACEMENT, SCOPES["restricted-elsewhere"], at("controllerManager.leaderElection.id", "theirs")),
                         {own, "team-a: get leases.coordination.k8s.io theirs"})

    def test_restricted_permissions_are_namespaced(self):
        found = self.of_chart([REPLACEMENT, SCOPES["restricted-elsewhere"]])
        self.assertEqual({each.partition(":")[0] for each in found}, {"team-a", "dynamo-system"})
        self.assertEqual({each for each in found if each.startswith("dynamo-system")}, {
            f"dynamo-system: {verb} leases.coordination.k8s.io {name}" for verb, name in (
                ("create", "*"), ("get", NAMED), ("update", NAMED))})
        self.assertFalse([each for each in found if "clusterroles" in each])
        self.assertIn("team-a: update leases.coordination.k8s.io dynamo-operator-namespace-scope", found)
        # Next to an operator, no server keeps a marker Lease.
        beside = self.of_chart([VALIDATING, SCOPES["restricted-elsewhere"]], NAMED)
        self.assertFalse([each for each in beside if "namespace-scope" in each])


if __name__ == "__main__":
    unittest.main()
