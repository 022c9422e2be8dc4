"""Names of objects, the platform's chart with its dependencies, and the chart of the definitions."""

import base64
import gzip
import itertools
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
import unittest.mock
from pathlib import Path

import yaml

import charts
import deploy
from charts import CHARTS, REPOSITORY, SCENARIOS, inventory, objects, render
from charts_test import CA, EVERYTHING, MIB, ROLES, SCOPES, Case, at, merged, one


class Names(Case):
    # Names that would be ambiguous if their parts were joined by a valid character.
    NAMES = ("a", "a-dynamo-operator", "dynamo-operator", "a.b", "a-b", "x" * 52, "x" * 53,
             "a-dynamo-operator-validating-foo", "a-dynamo-operator-webhook")
    RELEASES = tuple(itertools.product(
        NAMES, ("one", "two", "y" * 63, "certificates-one", "doctor-one", "foo-dynamo-operator-validating-one")))

    OF_WORKLOADS = tuple(f"ServiceAccount team-a/{name}" for name in (
        "planner-serviceaccount", "epp-serviceaccount", "dgdr-profiling-job"))

    def test_releases_never_share_an_object(self):
        # Leader election Leases are shared on purpose; their roles have separate names.
        seen = {}
        # Also a cluster-wide release in a namespace to which another release is restricted.
        for scope, namespaces in (("cluster", ("team-a",)), ("restricted-elsewhere", None), ("cluster", None)):
            values = merged(EVERYTHING, ROLES["replacement"], SCOPES[scope], at("webhook.autoscaling.enabled", False))
            if scope == "cluster" and not namespaces:
                seen = {}
            for release, namespace in self.RELEASES if not namespaces else itertools.product(self.NAMES, namespaces):
                rendered = render(charts.OPERATOR, [values], release=release, namespace=namespace)
                for line in inventory(rendered):
                    # The names of service accounts for workloads: Helm refuses a second release for
                    # a namespace.
                    if line in self.OF_WORKLOADS:
                        continue
                    self.assertNotIn(line, seen, (release, namespace))
                    seen[line] = (release, namespace)
            self.assertGreater(len(seen), 400)

    def test_names_are_valid_for_any_release_name(self):
        subdomain = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
        label = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
        for release, namespace in self.RELEASES:
            for each in render(charts.OPERATOR, [merged(EVERYTHING, ROLES["replacement"])], release=release,
                               namespace=namespace):
                name, kind = each["metadata"]["name"], each["kind"]
                with self.subTest(release=release, kind=kind, name=name):
                    form, limit = {"Service": (label, 63), "Deployment": (label, 52)}.get(kind, (subdomain, 253))
                    self.assertRegex(name, rf"\A{form.pattern}\Z")
                    self.assertLessEqual(len(name), limit)
                    for value in each["metadata"]["labels"].values():
                        self.assertLessEqual(len(value), 63)

    def test_operator_account_has_the_expected_suffix(self):
        for release in ("a", "dynamo-operator", "x" * 53):
            rendered = render(charts.OPERATOR, [ROLES["replacement"]], release=release)
            one(rendered, "ServiceAccount", "-dynamo-operator-controller-manager")


# Without the operator's chart, which takes most of a render's time.
ALONE = {"dynamo-operator": {"enabled": False}}


class Platform(Case):
    def test_dependencies_match_the_upstream_chart(self):
        chart = yaml.safe_load((charts.PLATFORM / "Chart.yaml").read_text(encoding="utf-8"))
        self.assertEqual([(each["name"], each.get("alias"), each["version"], each["repository"],
                           each["condition"]) for each in chart["dependencies"]], [
            ("dynamo-operator", None, "0.1.0", "", "dynamo-operator.enabled"),
            ("nats", None, "1.3.2", "https://nats-io.github.io/k8s/helm/charts/", "nats.enabled"),
            ("etcd", None, "12.0.18", "https://charts.bitnami.com/bitnami", "etcd.enabled"),
            ("kai-scheduler", None, "v0.9.4", "oci://ghcr.io/nvidia/kai-scheduler", "kai-scheduler.enabled"),
            ("grove-charts", "grove", "v0.1.0-alpha.6", "oci://ghcr.io/ai-dynamo/grove", "grove.enabled")])

    def test_enabled_dependencies_are_rendered(self):
        with charts.platform() as chart:
            self.assertEqual(render(chart, [ALONE]), [])
            for key, name in (("nats", "nats"), ("etcd", "etcd"), ("kai-scheduler", "kai-scheduler"),
                              ("grove", "grove-charts")):
                on = inventory(render(chart, [ALONE, {key: {"enabled": True}}]))
                self.assertIn(f"ConfigMap dynamo-system/dynamo-fake-of-{name}", on)
                self.assertEqual(len([line for line in on if "-fake-of-" in line]), 1)

    def test_dependency_values_are_passed_through(self):
        """Only checks the values: the real charts are in registries, and fakes replace them here."""
        given = yaml.safe_load((charts.HERE / "testdata/reference_dependencies.yaml").read_text(encoding="utf-8"))
        self.assertGreater(len(list(charts.leaves(given))), 100)
        # And the values of the scenarios, which are merged with the platform's defaults.
        with charts.platform() as chart:
            for name, values in (("the reference", given), *((path.stem, yaml.safe_load(path.read_text(encoding="utf-8")))
                                                            for path in sorted(SCENARIOS.glob("*.yaml")))):
                if not any(values.get(key, {}).get("enabled") for key in ("nats", "etcd", "kai-scheduler", "grove")):
                    continue
                more = at("dynamo-operator.webhook.caBundle", CA) if name == "external-cert" else {}
                got = {each["metadata"]["name"].rpartition("-of-")[2].replace("grove-charts", "grove"): json.loads(each["data"]["values"])
                       for each in render(chart, [values, more]) if "fake" in each["metadata"]["name"]}
                for key in ("nats", "etcd", "kai-scheduler", "grove"):
                    if not values.get(key, {}).get("enabled"):
                        continue
                    arrived = dict(charts.leaves(got[key]))
                    for path, value in charts.leaves(values[key]):
                        self.assertEqual(arrived[path], value, (name, key, path))

    def test_queues_follow_the_scheduler(self):
        with charts.platform() as chart:
            def queues(values):
                return [(each["metadata"]["name"], each["spec"].get("parentQueue"))
                        for each in render(chart, [ALONE, values]) if each["kind"] == "Queue"]
            both = [("dynamo-default", None), ("dynamo", "dynamo-default")]
            self.assertEqual(queues({}), [])
            self.assertEqual(queues({"kai-scheduler": {"enabled": True}}), both)
            self.assertEqual(queues({"kaiQueues": {"enabled": True}}), both)
            self.assertEqual(queues({"kaiQueues": {"enabled": False}, "kai-scheduler": {"enabled": True}}), [])

    def test_queues_are_hooks_or_retained_objects(self):
        with charts.platform() as chart:
            def annotations(hooks):
                return [each["metadata"]["annotations"] for each in render(
                    chart, [ALONE, {"kaiQueues": {"enabled": True, "hooks": hooks}}]) if each["kind"] == "Queue"]
            for each in annotations(True):
                self.assertEqual(each["helm.sh/hook"], "post-install,post-upgrade")
            for each in annotations(False):
                self.assertEqual(each["helm.sh/resource-policy"], "keep")
                self.assertIn("Prune=false", each["argocd.argoproj.io/sync-options"])
                self.assertFalse([key for key in each if key.startswith("helm.sh/hook")])
            # GitOps tools render without a cluster and must not create hooks.
            gitops = yaml.safe_load((SCENARIOS / "gitops.yaml").read_text(encoding="utf-8"))
            self.assertFalse(gitops["kaiQueues"]["hooks"])

    def test_addresses_match_services_of_the_charts(self):
        """By the rule of both charts: RELEASE-CHART, or only the release if it contains the chart's
        name."""
        bundled = {"nats": {"enabled": True}, "etcd": {"enabled": True}}
        values = {"dynamo-operator": merged(ROLES["replacement"], bundled), **bundled}
        with charts.platform() as chart:
            for release, nats, etcd in (("dynamo", "dynamo-nats", "dynamo-etcd"), ("my-nats", "my-nats", "my-nats-etcd"),
                                        ("etcd", "etcd-nats", "etcd")):
                deployment = one(render(chart, [values], release=release), "Deployment", "-reconciler")
                arguments = deployment["spec"]["template"]["spec"]["containers"][0]["args"]
                self.assertIn(f"--natsAddr=nats://{nats}.dynamo-system.svc.cluster.local:4222", arguments)
                self.assertIn(f"--etcdAddr={etcd}.dynamo-system.svc.cluster.local:2379", arguments)

    def test_platform_refuses_invalid_subchart_values(self):
        with charts.platform() as chart:
            bundled = {"nats": {"enabled": True}, "etcd": {"enabled": True}}
            reconciler = {"dynamo-operator": merged(ROLES["replacement"], bundled), "etcd": {"enabled": True}}
            self.assertIn("dynamo-operator.natsAddr", self.refused(reconciler, chart=chart))
            render(chart, [reconciler, {"nats": {"enabled": True}}])
            render(chart, [reconciler, at("dynamo-operator.natsAddr", "nats://n:4222")])
            self.assertIn("dynamo-operator.etcdAddr", self.refused(
                {"dynamo-operator": merged(ROLES["replacement"], bundled, {"discoveryBackend": "etcd"})}, chart=chart))
            self.assertIn("'/webhook/timeoutSeconds'", self.refused(
                at("dynamo-operator.webhook.timeoutSeconds", 99), chart=chart))
            self.assertIn("nuts", self.refused({"nuts": {}}, chart=chart))


class Versions(Case):
    def test_charts_declare_the_tree_version(self):
        wanted = re.search(r"^project\(.* VERSION ([0-9.]+)", (REPOSITORY / "CMakeLists.txt").read_text(encoding="utf-8"), re.MULTILINE)[1]
        found = {path.parent.name: yaml.safe_load(path.read_text(encoding="utf-8")) for path in CHARTS.rglob("Chart.yaml")}
        self.assertEqual({name: (chart["version"], chart.get("appVersion", wanted)) for name, chart in found.items()},
                         {name: (wanted, wanted) for name in ("dynamo-crds", "dynamo-platform", "dynamo-operator")})

    def test_archives_have_tag_version_and_image_names(self):
        for version, tag in (("1.2.3", "1.2.3"), ("1.2.3~git4.abcdef0", "1.2.3-git4.abcdef0")):
            with tempfile.TemporaryDirectory() as work, charts.platform() as platform:
                environment = {**os.environ, "DYNAMO_VERSION": version}
                done = subprocess.run([charts.HERE / "deploy.py", "pack", work], env=environment, capture_output=True, text=True,
                                      timeout=120, check=False)
                self.assertEqual(sorted(path.name for path in Path(work).iterdir()),
                                 [f"dynamo-crds-{tag}.tgz", f"dynamo-operator-{tag}.tgz"], done.stderr)
                # The platform chart needs its dependencies fetched.
                self.assertEqual(done.returncode, 1)
                self.assertIn("helm dependency build deploy/charts/dynamo-platform fetches nats, etcd", done.stderr)
                pod = one(render(Path(work) / f"dynamo-operator-{tag}.tgz"), "Deployment", "-webhook")["spec"]["template"]["spec"]
                self.assertEqual(pod["containers"][0]["image"], f"dynamo-webhook:{tag}")
                # With them, the chart in the archive has the version, too.
                with unittest.mock.patch.dict(os.environ, environment):
                    copy = deploy.versioned(platform, Path(work))
                pod = one(render(copy), "Deployment", "-webhook")["spec"]["template"]["spec"]
                self.assertEqual(pod["containers"][0]["image"], f"dynamo-webhook:{tag}")


class Definitions(Case):
    def test_definitions_match_sources_and_are_retained(self):
        with tempfile.TemporaryDirectory() as work:
            subprocess.run([REPOSITORY / "deploy/crds/generate.py", "crds", work], timeout=120, check=True)
            for generation in ("first", "later"):
                self.assert_rendered(generation, Path(work) / generation)

    def test_kubectl_applies_the_definitions_that_helm_renders(self):
        for generation in ("first", "later"):
            self.assert_rendered(generation, CHARTS / "dynamo-crds" / generation)

    def assert_rendered(self, generation, folder):
        """The chart renders the folder's definitions, and keeps them."""
        rendered = {each["metadata"]["name"]: each
                    for each in render(CHARTS / "dynamo-crds", [{"generation": generation}])}
        for path in sorted(folder.iterdir()):
            wanted, = objects(path.read_text(encoding="utf-8"))
            wanted["metadata"].setdefault("annotations", {})["helm.sh/resource-policy"] = "keep"
            if conversion := wanted["spec"].get("conversion"):
                conversion["webhook"]["clientConfig"]["service"]["port"] = 443
            self.assertEqual(rendered.pop(wanted["metadata"]["name"]), wanted)
        self.assertEqual(rendered, {})

    def test_values_set_the_conversion_webhook(self):
        service = {"namespace": "a", "name": "b", "port": 8443}
        values = {"generation": "later", "conversion": {"service": service, "caBundle": "Yw=="}}
        found = [each["spec"]["conversion"]["webhook"] for each in render(CHARTS / "dynamo-crds", [values])
                 if "conversion" in each["spec"]]
        self.assertEqual(found, 4 * [{"clientConfig": {"service": {**service, "path": "/convert"}, "caBundle": "Yw=="},
                                      "conversionReviewVersions": ["v1"]}])

    def test_unknown_generation_is_rejected(self):
        self.assertIn("generation", self.refused({"generation": "second"}, chart=CHARTS / "dynamo-crds"))

    def test_kustomization_has_all_definitions(self):
        folder = CHARTS / "dynamo-crds"
        listed = yaml.safe_load((folder / "kustomization.yaml").read_text(encoding="utf-8"))["resources"]
        self.assertEqual(listed, sorted(f"first/{path.name}" for path in (folder / "first").iterdir()))
        kubectl = shutil.which("kubectl")
        if not kubectl:
            self.skipTest("no kubectl")
        done = subprocess.run([kubectl, "kustomize", folder], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        built = {each["metadata"]["name"]: each for each in objects(done.stdout)}
        self.assertEqual(built, {each["metadata"]["name"]: each for each in render(folder)})

    def test_release_records_are_far_below_limit(self):
        with charts.platform() as platform:
            for chart, values, limit in ((CHARTS / "dynamo-crds", [], MIB / 3),
                                         (CHARTS / "dynamo-crds", [{"generation": "later"}], MIB * 2 / 5),
                                         (platform, [SCENARIOS / "prod.yaml"], MIB / 3)):
                files = [path for path in chart.rglob("*") if path.is_file()]
                text = charts.render_text(chart, values)
                record = {"manifest": text, "chart": {"templates": [
                    {"name": str(path), "data": base64.b64encode(path.read_bytes()).decode()}
                    for path in files]}}
                size = len(base64.b64encode(gzip.compress(json.dumps(record).encode(), 9)))
                self.assertLess(size, limit, chart)


if __name__ == "__main__":
    unittest.main()
