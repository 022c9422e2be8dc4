"""The platform's chart with fakes of its dependencies: their values, addresses and definitions."""

import itertools
import re
import shutil
import subprocess
import tarfile
import tempfile
import unittest
from pathlib import Path

import yaml

import charts
from charts import RenderError, render, render_text
from charts_test import ROLES, Case, at, merged, one

BUNDLED = {"nats": {"enabled": True}, "etcd": {"enabled": True}}
REPLACEMENT = {"dynamo-operator": merged(ROLES["replacement"], BUNDLED), **BUNDLED}
# Without the operator's chart, which takes most of a render's time.
ALONE = at("dynamo-operator.enabled", False)
NAMES = ("nats", "etcd", "kai-scheduler", "grove")


class Dependencies(Case):
    @classmethod
    def setUpClass(cls):
        cls.chart = cls.enterClassContext(charts.platform())

    def lines(self, *values, **options):
        """The lines of a refusal; empty if the chart renders."""
        try:
            render(self.chart, values, **options)
        except RenderError as refused:
            return [line.removeprefix("  - ") for line in str(refused).splitlines() if line.startswith("  - ")]
        return []

    def test_fakes_have_declared_versions(self):
        declared = yaml.safe_load((charts.PLATFORM / "Chart.yaml").read_text(encoding="utf-8"))["dependencies"]
        found = {path.parent.name: yaml.safe_load(path.read_text(encoding="utf-8"))["version"]
                 for path in charts.FAKES.glob("*/Chart.yaml")}
        self.assertEqual(found, {each["name"]: each["version"] for each in declared if each["repository"]})

    def test_fake_of_nats_changes_shared_values(self):
        text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: seen}\ndata: {name: {{ .Values.nats.service.name }}}\n"
        with charts.platform() as chart:
            (chart / "templates/seen.yaml").write_text(text, encoding="utf-8")
            seen = one(render(chart, [REPLACEMENT]), "ConfigMap", "seen")
        self.assertEqual(seen["data"]["name"], "dynamo-nats")

    def test_addresses_without_a_service_are_refused(self):
        renamed = [{"op": "replace", "path": "/metadata/name", "value": "other"}]
        # Changes of NATS and of etcd in one render, and the addresses that are left.
        for (path, value, found), (of_etcd, second, and_found) in (
                (("nats.service.merge.metadata.name", "other", "other.dynamo-system:4222"),
                 ("etcd.fullnameOverride", "other", "other.dynamo-system:2379, other.dynamo-system:2380")),
                (("nats.service.patch", renamed, "other.dynamo-system:4222"),
                 ("etcd.nameOverride", "other", "dynamo-other.dynamo-system:2379, dynamo-other.dynamo-system:2380")),
                (("nats.service.merge.metadata.namespace", "other", "dynamo-nats.other:4222"),
                 ("etcd.namespaceOverride", "other", "dynamo-etcd.other:2379, dynamo-etcd.other:2380")),
                (("nats.service.ports.nats.port", 4223, "dynamo-nats.dynamo-system:4223"),
                 ("etcd.service.ports.client", 1, "dynamo-etcd.dynamo-system:1, dynamo-etcd.dynamo-system:2380")),
                (("nats.config.nats.port", 4223, "dynamo-nats.dynamo-system:4223"), ("etcd.service.enabled", False, "no Service")),
                (("nats.service.ports.nats.enabled", False, "no Service"), ("etcd.service.enabled", False, "no Service")),
                (("nats.service.enabled", False, "no Service"), ("etcd.service.enabled", False, "no Service"))):
            with self.subTest(path):
                for name, ending, line in zip(("nats", "etcd"), (found, and_found), self.lines(
                        REPLACEMENT, at(path, value), at(of_etcd, second)), strict=True):
                    self.assertTrue(line.startswith(f"dynamo-operator.{name}Addr must be set where {name} has another name, namespace or port"), line)
                    self.assertTrue(line.endswith(f"and found {ending}"), line)
        for path, value in (("nats.fullnameOverride", "other"), ("nats.namespaceOverride", "other"), ("nats.service.name", "dynamo")):
            with self.subTest(path):
                line, = self.lines(REPLACEMENT, at(path, value))
                self.assertTrue(line.startswith("dynamo-operator.natsAddr must be set where nats has another name"), line)

    def test_addresses_of_values_or_services_are_accepted(self):
        without = merged(at("nats.service.enabled", False), at("etcd.service.enabled", False))
        self.assertEqual(self.lines(REPLACEMENT, without, at("dynamo-operator.natsAddr", "there:1"), at("dynamo-operator.etcdAddr", "there:1")), [])
        self.assertEqual(self.lines({**REPLACEMENT, "dynamo-operator": {}}, without), [])
        # Overrides without effect, and a port of the server that is not that of its Service.
        self.assertEqual(self.lines(REPLACEMENT, {
            "nats": {"fullnameOverride": "dynamo-nats", "nameOverride": "nats", "namespaceOverride": "dynamo-system",
                     "config": {"nats": {"port": 4223}}, "service": {"name": "dynamo-nats", "ports": {"nats": {"port": 4222}}}},
            "etcd": {"fullnameOverride": "dynamo-etcd"}}), [])

    def test_chart_without_known_templates_is_accepted(self):
        with charts.platform() as chart:
            (chart / "charts/nats/templates/service.yaml").unlink()
            render(chart, [REPLACEMENT])
            self.refused(REPLACEMENT, at("nats.service.enabled", False), chart=chart)

    def test_servers_with_tls_need_their_addresses(self):
        secured = merged(at("nats.config.nats.tls.enabled", True), at("etcd.auth.client.secureTransport", True))
        of_nats, of_etcd = self.lines(REPLACEMENT, secured)
        host = "dynamo-{0}.dynamo-system.svc.cluster.local"
        self.assertIn(f"dynamo-operator.natsAddr must be set with nats.config.nats.tls.enabled, to tls://{host.format('nats')}:4222", of_nats)
        self.assertIn(f"dynamo-operator.etcdAddr must begin with https:// with etcd.auth.client.secureTransport, such as https://{host.format('etcd')}:2379", of_etcd)
        line, = self.lines(REPLACEMENT, secured, at("dynamo-operator", {"natsAddr": "tls://n:4222", "etcdAddr": "e:2379"}))
        self.assertIn('found "e:2379"', line)
        self.assertEqual(self.lines(REPLACEMENT, secured, at("dynamo-operator", {"natsAddr": "tls://n:4222", "etcdAddr": "https://e:2379"})), [])
        self.assertEqual(self.lines({**REPLACEMENT, "dynamo-operator": {}}, secured), [])

    def test_names_that_collide_or_are_invalid_are_refused(self):
        line, = self.lines(BUNDLED, ALONE, release="etcd-nats")
        self.assertIn("found the name etcd-nats for both", line)
        self.assertEqual(self.lines(BUNDLED, ALONE, at("nats.fullnameOverride", "own"), release="etcd-nats"), [])
        self.assertEqual(self.lines(at("nats.enabled", True), ALONE, release="etcd-nats"), [])
        for release, words in (("a.b", "a DNS label without dots"), ("x" * 52, "at most 54 characters")):
            for name, line in zip(("nats", "etcd"), self.lines(BUNDLED, ALONE, release=release), strict=True):
                self.assertTrue(line.startswith(f"{name}.fullnameOverride must be set to {words} for the release {release}: "), line)
        self.assertEqual(self.lines({}, release="a.b"), [])

    def test_cluster_domain_must_reach_servers(self):
        wrong = merged(at("dynamo-operator.kubernetesClusterDomain", "corp.internal"), at("nats.config.cluster.routeURLs.useFQDN", True))
        of_etcd, of_nats = self.lines(REPLACEMENT, wrong)
        self.assertIn("etcd.clusterDomain must be that of dynamo-operator.kubernetesClusterDomain, corp.internal: found cluster.local", of_etcd)
        self.assertIn("nats.config.cluster.routeURLs.k8sClusterDomain must be that of", of_nats)
        self.assertEqual(self.lines(REPLACEMENT, wrong, at("etcd.clusterDomain", "corp.internal"),
                                    at("nats.config.cluster.routeURLs.k8sClusterDomain", "corp.internal")), [])
        self.assertEqual(self.lines(BUNDLED, ALONE, at("etcd.clusterDomain", "corp.internal")), [])

    def test_global_values_of_later_charts_are_refused(self):
        keys = [*((name, "install") for name in NAMES), ("grove", "enabled")]
        for asked, enabled in itertools.product((True, False), repeat=2):
            lines = self.lines(ALONE, *(at(f"global.{name}.{key}", asked) for name, key in keys), *(at(f"{name}.enabled", enabled) for name in NAMES))
            wanted = [f"global.{name}.{key} must be removed: found {asked} while {name}.enabled is {enabled},".lower() for name, key in keys]
            with self.subTest(asked=asked, enabled=enabled):
                self.assertEqual(sorted(line.partition(" and only")[0] for line in lines),
                                 sorted(wanted) if asked != enabled else [])
        self.assertEqual(self.lines(ALONE, at("global.imageRegistry", "a"), at("global.nats", None)), [])

    def test_separate_scheduler_gets_queues(self):
        def queues(*values):
            return [each["metadata"]["name"] for each in render(self.chart, [ALONE, *values]) if each["kind"] == "Queue"]
        both = ["dynamo-default", "dynamo"]
        asked = at("global.kai-scheduler.enabled", True)
        self.assertEqual(queues(asked), both)
        self.assertEqual(queues(asked, at("kaiQueues.enabled", False)), [])
        self.assertEqual(queues(at("kaiQueues.enabled", True)), both)
        line, = self.lines(ALONE, at("global.kai-scheduler.enabled", False), at("kai-scheduler.enabled", True))
        self.assertIn("global.kai-scheduler.enabled must be removed", line)

    def test_grove_values_without_effect_are_refused(self):
        line, = self.lines(ALONE, at("grove", {"enabled": True, "affinity": {"nodeAffinity": {}}}))
        self.assertIn("grove.affinity must be empty", line)
        for values in (ALONE, REPLACEMENT):
            self.assertEqual(self.lines(values, at("grove.enabled", True)), [])

    def test_upgrades_need_definitions_of_new_dependencies(self):
        on = merged(ALONE, at("grove.enabled", True), at("kai-scheduler.enabled", True))
        lines = sorted(self.lines(on, options=["--is-upgrade"]))
        for line, (name, version, chart) in zip(lines, (
                ("grove", "grove.io/v1alpha1", "oci://ghcr.io/ai-dynamo/grove/grove-charts --version v0.1.0-alpha.6"),
                ("kai-scheduler", "scheduling.run.ai/v2", "oci://ghcr.io/nvidia/kai-scheduler/kai-scheduler --version v0.9.4")), strict=True):
            self.assertTrue(line.startswith(f"{name}.enabled needs the definitions of {version} in the cluster: found none"), line)
            self.assertIn(f"`helm show crds {chart} | kubectl apply --server-side -f -`", line)
        self.assertEqual(self.lines(on, options=["--is-upgrade", "--api-versions", "grove.io/v1alpha1", "--api-versions", "scheduling.run.ai/v2"]), [])
        self.assertEqual(self.lines(on), [])
        self.assertEqual(self.lines(ALONE, BUNDLED, options=["--is-upgrade"]), [])

    def test_unchanged_release_renders_equal_pods(self):
        first = render_text(self.chart, [BUNDLED, ALONE])
        self.assertEqual(render_text(self.chart, [BUNDLED, ALONE]), first)
        changing = merged(BUNDLED, ALONE, at("etcd.auth.token.type", "jwt"))
        self.assertNotEqual(render_text(self.chart, [changing]), render_text(self.chart, [changing]), "what the real chart does")

    def test_etcd_of_any_size_can_be_evicted(self):
        for members in (1, 3, 5):
            spec = one(render(self.chart, [BUNDLED, ALONE, at("etcd.replicaCount", members), at("etcd.pdb.create", True)]),
                       "PodDisruptionBudget", "-etcd")["spec"]
            self.assertEqual({key: value for key, value in spec.items() if key != "selector"}, {"maxUnavailable": 1})

    def test_notes_name_what_remains_after_uninstallation(self):
        text = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: notes}\ndata: {notes: {{ include (print .Template.BasePath "/NOTES.txt") . | quote }}}\n'
        with charts.platform() as chart:
            (chart / "templates/zz-notes.yaml").write_text(text, encoding="utf-8")

            def remains(*values):
                notes = one(render(chart, [ALONE, *values]), "ConfigMap", "notes")["data"]["notes"]
                return notes.partition("leaves these behind")[2]

            everything = remains(*(at(f"{name}.enabled", True) for name in NAMES))
            for part in ("get pvc -l app.kubernetes.io/instance=dynamo", "queues.scheduling.run.ai", "kai-resource-reservation and kai-scale-adjust",
                         "'scheduling\\.run\\.ai$' -e 'kai\\.scheduler$'", "'grove\\.io$'", "'dynamo.*\\.nvidia\\.com$'", "the namespace dynamo-system"):
                self.assertIn(part, everything)
            self.assertNotIn("kai", remains(at("nats.enabled", True)))
            self.assertEqual(remains(), "")


def tried(*arguments):
    """try-upstream with helm of the tests, and this text on stdout."""
    return subprocess.run([charts.CHARTS / "try-upstream", "--helm", charts.helm(), *map(str, arguments)], capture_output=True, text=True,
                          timeout=600, check=False)


class Matrix(Case):
    def expect_no_findings(self, *options):
        """The rows of the table."""
        done = tried(charts.FAKES, *options)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return [re.split(r" {2,}", line) for line in done.stdout.splitlines()[1:-2]]

    def test_sample_of_modes_and_dependencies_renders(self):
        rows = self.expect_no_findings("--sample")
        self.assertEqual(sum("+" in row or "-" in row for row in rows), 5 * 2, rows)
        self.assertIn(["replacement.yaml, upgrade", "ok"], rows)


class MatrixLong(Matrix):
    def test_sample_of_modes_and_dependencies_renders(self):
        """All of them instead."""
        rows = self.expect_no_findings("--schemas")
        self.assertEqual(sum("+" in row or "-" in row for row in rows), 5 * 16, rows)
        self.assertIn(["schemas", "ok"], rows)
        self.assertEqual({row[0] for row in rows} & {path.name for path in charts.SCENARIOS.glob("*.yaml")},
                         {path.name for path in charts.SCENARIOS.glob("*.yaml")})


class Findings(Case):
    def test_wrong_charts_are_reported(self):
        """Each change of a fake is found, and archives are read like folders."""
        with tempfile.TemporaryDirectory() as work:
            folder = Path(shutil.copytree(charts.FAKES, Path(work) / "charts"))

            def rewrite(path, old, new):
                text = (folder / path).read_text(encoding="utf-8")
                self.assertIn(old, text)
                (folder / path).write_text(text.replace(old, new), encoding="utf-8")

            rewrite("nats/templates/stateful-set.yaml", "- {name: {{ . }}, containerPort: {{ $port.port }}}", "- {name: x, containerPort: 1}")
            rewrite("etcd/templates/svc-headless.yaml", '{{ printf "%s-headless" (include "etcd.full" .) }}', '{{ include "etcd.full" . }}')
            rewrite("etcd/templates/statefulset.yaml", "annotations:", "annotations:\n        changes: {{ randAlphaNum 8 }}")
            with tarfile.open(folder / "nats-1.3.2.tgz", "w:gz") as archive:
                archive.add(folder / "nats", "nats")
            shutil.rmtree(folder / "nats")
            done = tried(folder, "--modes", "replacement", "--sample")
            self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
            self.assertIn("4222: Service dynamo-nats selects no pod with the port nats", done.stdout)
            self.assertIn("Service dynamo-etcd is rendered twice", done.stdout)
            self.assertIn("StatefulSet dynamo-etcd changes with every render", done.stdout)
            rewrite("grove-charts/Chart.yaml", "v0.1.0-alpha.6", "v9.0.0")
            done = tried(folder)
            self.assertEqual(done.returncode, 2)
            self.assertIn("must have the chart grove-charts v0.1.0-alpha.6: found v9.0.0", done.stderr)
            shutil.rmtree(folder / "etcd")
            done = tried(folder)
            self.assertEqual((done.returncode, "must have the chart etcd 12.0.18" in done.stderr), (2, True), done.stderr)


if __name__ == "__main__":
    unittest.main()
