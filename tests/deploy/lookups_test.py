"""Templates that read a cluster, with a fake one; tests/cluster tests them with a real one."""

import unittest

import charts
from charts import OPERATOR, RenderError, render
from charts_test import ROLES, SCOPES, Case, at, merged, one
from fake_api_server import cluster

GROUP = "rbac.authorization.k8s.io"
LEASES = {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": ["create", "get", "update"]}
EVERYTHING = {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}
EXCLUDES = {"apiGroups": ["dynamo-admission.nvidia.com"], "resources": ["namespaceexclusions"], "verbs": ["create"]}
ACCOUNT = "theirs/x-dynamo-operator-controller-manager"


def role(*rules, name="x-dynamo-operator-manager-role", namespace="team-a", **metadata):
    return {"apiVersion": f"{GROUP}/v1", "kind": "Role", "rules": list(rules),
            "metadata": {"name": name, "namespace": namespace, **metadata}}


def binding(name="x-dynamo-operator-manager-role", namespace="team-a", account=ACCOUNT):
    of, _, called = account.partition("/")
    return {"apiVersion": f"{GROUP}/v1", "kind": "RoleBinding", "metadata": {"name": f"{name}binding", "namespace": namespace},
            "roleRef": {"apiGroup": GROUP, "kind": "Role", "name": name},
            "subjects": [{"kind": "ServiceAccount", "name": called, "namespace": of}]}


def namespace(name):
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def definition(*served, **others):
    """The definition of graphs with these versions, of which `others` state whether they are served."""
    versions = {**dict.fromkeys(served, True), **others}
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": "dynamographdeployments.nvidia.com"},
            "spec": {"versions": [{"name": name, "served": is_served} for name, is_served in versions.items()]}}


def deployment(replicas):
    return {"apiVersion": "apps/v1", "kind": "Deployment", "spec": {"replicas": replicas},
            "metadata": {"name": "dynamo-dynamo-operator-webhook", "namespace": "dynamo-system"}}


class Lookups(Case):
    def seen(self, stored, *values, **options):
        with cluster(*stored) as kubeconfig:
            return render(OPERATOR, values, kubeconfig=kubeconfig, **options)

    def errors(self, stored, *values):
        """The lines of a refusal; empty if the chart renders."""
        try:
            self.seen(stored, *values)
        except RenderError as refused:
            return [line.strip("- ") for line in str(refused).splitlines() if line.startswith("  - ")]
        return []

    def test_operator_without_exclusion_permission_is_named(self):
        stored = [role(LEASES), binding()]
        for scope in ("cluster", "restricted-elsewhere"):
            line, = self.errors(stored, SCOPES[scope])
            self.assertTrue(line.startswith(f"markerLeasePolicy.allowedServiceAccounts must have {ACCOUNT}: "), line)
            self.assertIn("holds the namespace team-a by a Lease, and its Role x-dynamo-operator-manager-role", line)
            self.assertEqual(self.errors(stored, SCOPES[scope], at("markerLeasePolicy.allowedServiceAccounts", [ACCOUNT])), [])
        # Also found by its label, and one line for each.
        labelled = [role(LEASES, name="own-manager-role", namespace="team-b", labels={"app.kubernetes.io/name": "dynamo-operator"}),
                    binding("own-manager-role", "team-b", "theirs/second")]
        self.assertEqual(len(self.errors([*stored, *labelled])), 2)

    def test_other_operators_are_not_named(self):
        own = {"meta.helm.sh/release-name": "dynamo", "meta.helm.sh/release-namespace": "dynamo-system"}
        for why, stored in {
                "all rights": [role(EVERYTHING, LEASES), binding()],
                "the right": [role(LEASES, EXCLUDES), binding()],
                "the right by another role": [role(LEASES), binding(), role(EXCLUDES, name="excluders"), binding("excluders")],
                "not an operator": [role(LEASES, name="other-manager-role"), binding("other-manager-role")],
                "another of its roles": [role(LEASES, name="x-dynamo-operator-leader-election-role"), binding("x-dynamo-operator-leader-election-role")],
                "of this release": [role(LEASES, annotations=own), binding()],
                "bound to no subject": [role(LEASES)],
        }.items():
            with self.subTest(why):
                self.assertEqual(self.errors(stored), [])
        stored = [role(LEASES), binding()]
        for values in (at("markerLeasePolicy.enabled", False), at("conflictChecks", False), at("webhook.enabled", False), SCOPES["restricted"]):
            with self.subTest(str(values)):
                self.assertEqual(self.errors(stored, values), [])
        # A permission in one namespace does not apply to another.
        elsewhere = [role(LEASES), binding(), role(EXCLUDES, name="excluders", namespace="team-b"), binding("excluders", "team-b")]
        self.assertEqual(len(self.errors(elsewhere)), 1)

    def test_replaced_operator_is_reported_once(self):
        line, = self.errors([role(LEASES), binding()], merged(ROLES["replacement"], SCOPES["restricted-elsewhere"]))
        self.assertTrue(line.startswith("only one release may be for the namespace team-a"), line)

    def test_missing_target_namespace_is_one_error(self):
        line, = self.errors([namespace("kube-system")], SCOPES["restricted-elsewhere"], ROLES["replacement"])
        self.assertIn('found no namespace "team-a"; create it with `kubectl create namespace team-a`', line)
        for stored, values in (([namespace("kube-system"), namespace("team-a")], {}), ([namespace("kube-system")], at("conflictChecks", False)),
                               ([namespace("kube-system")], at("namespaceRestriction.targetNamespace", ""))):
            with self.subTest(str(values)):
                self.assertEqual(self.errors(stored, merged(SCOPES["restricted-elsewhere"], values)), [])
        # helm creates the namespace of the release itself after rendering.
        self.assertEqual(self.errors([namespace("kube-system")], SCOPES["restricted"]), [])

    def test_notes_say_whether_an_operator_exists(self):
        none, unknown = "This cluster has no Dynamo operator", "This release does not create the pods of graphs"

        def said(stored, *values):
            with cluster(*stored) as kubeconfig:
                notes = charts.notes(values, kubeconfig=kubeconfig)
            return [part for part in (none, unknown) if part in notes]

        system = namespace("kube-system")
        anywhere = {**role(EVERYTHING), "kind": "ClusterRole"}
        for stored, values, wanted in (
                ([system], {}, [none]), ([system], ROLES["validating"], [none]), ([system], at("webhook.enabled", False), [none]),
                ([system, role(EVERYTHING)], {}, []), ([system, anywhere], {}, []), ([], {}, [unknown]),
                ([system], at("conflictChecks", False), [unknown]), ([system], SCOPES["restricted"], [unknown]), ([system], ROLES["replacement"], [])):
            with self.subTest(f"{stored} {values}"):
                self.assertEqual(said(stored, values), wanted)

    def test_generation_must_fit_served_versions(self):
        """With rules for a version that is not served, the API server calls no webhook and admits everything."""
        later, replacement = at("webhook.operatorGeneration", "later"), ROLES["replacement"]
        first, both = definition("v1alpha1"), definition("v1alpha1", "v1beta1")
        for stored, values, wanted in (
                (first, {}, None), (both, {}, None), (both, later, None), (first, replacement, None),
                (first, later, "webhook.operatorGeneration must be first or unknown: graphs are served as v1alpha1,"),
                (definition("v1alpha1", v1beta1=False), later, "webhook.operatorGeneration must be first or unknown: graphs are served as v1alpha1,"),
                (both, replacement, "mode must be companion: graphs are served as v1alpha1, v1beta1,"),
                (first, merged(later, at("conflictChecks", False)), None), (first, merged(later, SCOPES["restricted"]), None)):
            with self.subTest(f"{stored} {values}"):
                found = self.errors([stored], values)
                self.assertEqual(len(found), 1 if wanted else 0, found)
                self.assertTrue(not wanted or found[0].startswith(wanted), found)

    def test_queues_need_the_scheduler(self):
        wanted = {"global": {"kai-scheduler": {"enabled": True}}}
        with charts.platform() as chart, cluster(namespace("kube-system")) as kubeconfig:
            with self.assertRaisesRegex(RenderError, r"found no scheduling.run.ai/v2; install the scheduler first"):
                render(chart, [wanted], kubeconfig=kubeconfig)
            render(chart, [wanted, at("dynamo-operator.conflictChecks", False)], kubeconfig=kubeconfig)

    def test_foreign_secret_is_not_taken_over(self):
        secret = {"apiVersion": "v1", "kind": "Secret", "data": {"tls.crt": "YQ=="},
                  "metadata": {"name": "dynamo-dynamo-operator-webhook-cert", "namespace": "dynamo-system"}}
        line, = self.errors([secret])
        self.assertIn("delete it if nothing serves it any more", line)
        secret["metadata"]["name"] = "theirs"
        line, = self.errors([secret], at("webhook.certificateSecret.name", "theirs"))
        self.assertIn("leave it empty", line)
        secret["data"]["ca.key"] = "YQ=="
        self.assertEqual(self.errors([secret], at("webhook.certificateSecret.name", "theirs")), [])

    def test_autoscaling_keeps_running_replicas(self):
        scaled = at("webhook.autoscaling", {"enabled": True, "minReplicas": 3})

        def replicas(*stored):
            return one(self.seen(stored, scaled), "Deployment", "-webhook")["spec"].get("replicas")

        self.assertEqual([replicas(deployment(count)) for count in (0, 2, 3, 5)], [3, 3, 3, 5])
        self.assertIsNone(replicas())


if __name__ == "__main__":
    unittest.main()
