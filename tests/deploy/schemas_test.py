"""kubeconform, without network: rendered charts match Kubernetes' schemas, and samples match ours."""

import json
import subprocess
import tempfile
import unittest

import yaml

import charts
import schemas
from charts_test import all_renders


def validated(text, *locations):
    """kubeconform's findings; "" if there are none. A kind without a schema is a finding, too."""
    command = [charts.tool("kubeconform"), "-strict", "-summary"]
    for each in locations:
        command += ["-schema-location", each]
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=120, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr


class SchemasTest(unittest.TestCase):
    def test_renders_match_kubernetes_schemas(self):
        # All of them in one run, as JSON, which is YAML; equal objects of several renders once.
        everything = {json.dumps(each) for _, rendered in all_renders() for each in rendered}
        with charts.platform() as chart:
            for hooks in (True, False):
                everything |= {json.dumps(each) for each in charts.render(chart, [{"kaiQueues": {"enabled": True, "hooks": hooks}}])}
        text = "\n---\n".join(sorted(everything))
        for release in schemas.RELEASES:
            with self.subTest(release):
                self.assertEqual(validated(text, schemas.of_release(release), schemas.of_others()), "")

    def test_definitions_match_kubernetes_schemas(self):
        # Schemas refer to themselves by JSON, so their content is not checked here.
        for release in schemas.RELEASES:
            text = charts.render_text(charts.CHARTS / "dynamo-crds")
            with self.subTest(release):
                self.assertEqual(validated(text, schemas.of_release(release)), "")

    def test_samples_match_our_definitions(self):
        samples = [each for folder in ("samples", "samples-v1beta1")
                   for each in sorted((charts.REPOSITORY / "deploy" / folder).glob("*.yaml"))]
        self.assertGreater(len(samples), 30)
        with tempfile.TemporaryDirectory() as work:
            ours = schemas.of_definitions(work)
            newest = schemas.of_release(list(schemas.RELEASES)[-1])
            for each in samples:
                with self.subTest(each.name):
                    self.assertEqual(validated(each.read_text(encoding="utf-8"), ours, newest), "")

    def test_mistake_is_found(self):
        release = schemas.of_release("v1.35.4")
        service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "a"},
                   "spec": {"ports": [{"port": 1, "targetPort": "a"}]}}
        self.assertEqual(validated(yaml.safe_dump(service), release), "")
        monitor = {"apiVersion": "monitoring.coreos.com/v1", "kind": "ServiceMonitor", "metadata": {"name": "a"},
                   "spec": {"selector": {}, "endpoints": [{"port": "metrics"}]}}
        self.assertEqual(validated(yaml.safe_dump(monitor), schemas.of_others()), "")
        monitor["spec"]["endpoints"] = [{"prot": "metrics"}]
        self.assertIn("invalid", validated(yaml.safe_dump(monitor), schemas.of_others()))
        queue = {"apiVersion": "scheduling.run.ai/v2", "kind": "Queue", "metadata": {"name": "a"},
                 "spec": {"parentQueue": "b", "resources": {"gpu": {"quota": -1, "overQuotaWeight": 0.5}}}}
        self.assertEqual(validated(yaml.safe_dump(queue), schemas.of_others()), "")
        for wrong in ({"quota": "-1"}, {"weight": 1}):
            queue["spec"]["resources"]["gpu"] = wrong
            self.assertIn("invalid", validated(yaml.safe_dump(queue), schemas.of_others()))
        for wrong in ({"port": "1"}, {"port": 1, "prot": "TCP"}):
            service["spec"]["ports"] = [wrong]
            self.assertIn("invalid", validated(yaml.safe_dump(service), release))


if __name__ == "__main__":
    unittest.main()
