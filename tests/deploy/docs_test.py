"""The installation documents match their subjects: links, values of the chart, manifests.

DYNAMO_CHECKER_BINARY names kubectl-dynamo."""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile
import textwrap
import unittest

import yaml

import charts
from charts_test import ROLES

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PLATFORM = SOURCE / "deploy/charts/dynamo-platform"
PAGES = [SOURCE / "README.md", SOURCE / "SECURITY.md", *sorted((SOURCE / "docs").rglob("*.md")), *sorted((SOURCE / "deploy").rglob("*.md"))]
# The index and its pages by task.
INDEX = SOURCE / "docs/operations.md"
OPERATIONS = sorted((SOURCE / "docs/operations").glob("*.md"))
MOST_LINES = 200
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def anchors(page):
    """The anchors that GitHub generates from headings."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    headings = re.findall(r"^#{1,6} (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def operations():
    """The text of all operations pages."""
    return "\n".join(page.read_text(encoding="utf-8") for page in OPERATIONS)


def keys_below(values, prefix=""):
    for key, value in values.items():
        yield prefix + key
        if isinstance(value, dict):
            yield from keys_below(value, f"{prefix}{key}.")


class DocsTest(unittest.TestCase):
    def test_every_link_resolves(self):
        wrong = []
        for page in PAGES:
            text = FENCE.sub("", page.read_text(encoding="utf-8"))
            for link in re.findall(r"\]\(([^)\s]+)\)", text):
                path, _, anchor = link.partition("#")
                if re.match(r"\w+:", link):
                    continue
                target = (page.parent / path).resolve() if path else page
                if not target.exists():
                    wrong.append(f"{page.relative_to(SOURCE)}: {link}: no such file")
                elif anchor and target.suffix == ".md" and anchor not in anchors(target):
                    wrong.append(f"{page.relative_to(SOURCE)}: {link}: no such heading")
        self.assertEqual(wrong, [])

    def test_operations_is_an_index_of_pages_by_task(self):
        listed = re.findall(r"^\| .* \| \[([^\]]+)\]\((operations/[a-z0-9-]+\.md)\) \|$", INDEX.read_text(encoding="utf-8"), re.MULTILINE)
        self.assertEqual(sorted(path for _, path in listed), [f"operations/{page.name}" for page in OPERATIONS])
        for title, path in listed:
            lines = (INDEX.parent / path).read_text(encoding="utf-8").splitlines()
            self.assertEqual(lines[0], f"# {title}")
            self.assertLessEqual(len(lines), MOST_LINES, path)
            headings = re.findall(r"^#+ (.+)$", FENCE.sub("", "\n".join(lines)), re.MULTILINE)
            self.assertEqual(len(headings), len(set(headings)), f"{path}: two headings have one anchor")

    def test_operations_names_only_values_of_the_chart(self):
        values = yaml.safe_load((PLATFORM / "charts/dynamo-operator/values.yaml").read_text(encoding="utf-8"))
        known = {"dynamo-operator.enabled", *keys_below(values, "dynamo-operator.")}
        named = set(re.findall(r"dynamo-operator\.[A-Za-z.]+[A-Za-z]", operations()))
        self.assertGreater(len(named), 8)
        self.assertEqual(named - known, set())

    def test_every_helm_command_renders(self):
        text = operations()
        found = []
        with charts.platform() as platform:
            for fence in FENCE.findall(re.sub(r"(?m)^ +```", "```", text)):
                for line in fence.replace("\\\n", " ").splitlines():
                    if not line.strip().startswith("helm upgrade") or "--set" not in line:
                        continue
                    words = shlex.split(line, comments=True)
                    options = [word for at, each in enumerate(words) if each == "--set" for word in words[at:at + 2]]
                    with self.subTest(line):
                        is_platform = "deploy/charts/dynamo-crds" not in words
                        rendered = charts.render(platform if is_platform else charts.CHARTS / "dynamo-crds", options=options)
                        found.append({one["spec"]["template"]["spec"]["serviceAccountName"] for one in rendered if one["kind"] == "Deployment"})
        # Next to the operator, as its replacement, and back.
        self.assertTrue(any("dynamo-dynamo-operator-controller-manager" in each for each in found), found)
        self.assertTrue(any("dynamo-dynamo-operator-reconciler" in each for each in found), found)

    def test_emergency_commands_find_all_webhook_configurations(self):
        text = operations()
        selector = re.search(r"kubectl delete (\S+) -l (\S+)`", text)
        kinds, labels = selector[1].split(","), dict(pair.split("=") for pair in selector[2].split(","))
        release = re.search(r"helm upgrade --install (\S+) deploy/charts/dynamo-platform --namespace (\S+) ", text)
        helm = subprocess.run([SOURCE / "tests/deploy/build_tools", "helm"], capture_output=True, text=True, timeout=1800,
                              check=True).stdout.strip()
        rendered = subprocess.run([helm, "template", release[1], PLATFORM / "charts/dynamo-operator", "--namespace", release[2],
                                   "--set", "webhook.operatorVersion=1.0.0"],
                                  capture_output=True, text=True, timeout=60, check=True).stdout
        found = [one for one in yaml.safe_load_all(rendered) if one and one["kind"].endswith("WebhookConfiguration")]
        self.assertEqual({one["kind"].lower() + "s" for one in found}, set(kinds))
        for one in found:
            self.assertLessEqual(labels.items(), one["metadata"]["labels"].items(), one["metadata"]["name"])

    def test_commands_use_names_of_the_release(self):
        rendered = charts.render(charts.OPERATOR, [{"doctor": {"rbac": True}}]) + charts.render(
            charts.OPERATOR, [{"webhook": {"certManager": {"enabled": True}}, "reconciler": {"enabled": True}}]) + charts.render(
            charts.OPERATOR, [ROLES["replacement"]])
        names = {one["metadata"]["name"] for one in rendered}
        secret = "dynamo-dynamo-operator-webhook-cert"
        service = "dynamo-dynamo-operator-webhook-service"
        self.assertIn(f"--cert-secret={secret}", str(rendered))
        self.assertIn(service, names)
        names |= {secret, f"{service}-leader", f"{service}-replicas"}
        for page, text in (("operations", operations()), ("runbook", (SOURCE / "docs/runbook.md").read_text(encoding="utf-8"))):
            used = set(re.findall(r"dynamo-dynamo-operator-[a-z.-]+[a-z]", text))
            self.assertGreater(len(used), 2)
            self.assertEqual(used - names, set(), page)
            # Names of a manual installation appear in manifests, and in no command.
            for command in re.findall(r"kubectl -n \S+ (?!create secret tls)[^`\n]*", text):
                self.assertNotRegex(command, r"(deploy|secret|lease|service)[/ ]dynamo-webhook|replica-of=dynamo-webhook", page)

    def test_proof_manifest_is_refused_only_by_webhook(self):
        text = operations()
        refused, rule = re.search(r"-f (docs/\S+)\s+# must be denied, by \[(\S+)\]", text).groups()
        admitted = re.search(r"-f (deploy/\S+)\s+# must pass", text)[1]
        code, output = self.validate(refused)
        found = re.findall(r": error: .* \[(\S+)\]$", output, re.MULTILINE)
        self.assertEqual(code, 1, output)
        self.assertIn(rule, found)
        self.assertEqual([one for one in found if one.startswith("schema.")], [])
        code, output = self.validate(admitted)
        self.assertEqual(code, 0, output)

    def test_secured_graph_matches_the_production_scenario(self):
        """The certificates and Secrets of the page are those that the scenario, its Services and the graph name."""
        page = (SOURCE / "docs/operations/production.md").read_text(encoding="utf-8")
        graph = "docs/examples/graph_with_tls.yaml"
        self.assertIn(graph, page)
        code, output = self.validate(graph)
        self.assertEqual(code, 0, output)
        fence, = [each for each in FENCE.findall(page) if "kind: Certificate" in each]
        certificates = {one["spec"]["secretName"]: one["spec"] for one in yaml.safe_load_all(fence.strip("`").removeprefix("yaml"))}
        text = (SOURCE / graph).read_text(encoding="utf-8")
        created = {*certificates, *re.findall(r"create secret \S+ (\S+)", page)}
        self.assertLessEqual(set(re.findall(r"secretName: ([\w-]+)|secretKeyRef: {name: ([\w-]+)", text)[0]) - {""}, created)
        with charts.platform() as platform:
            rendered = charts.render(platform, [SOURCE / "deploy/scenarios/replacement-production.yaml"], bare=True)
            # The values for images that cannot use TLS.
            plain, = [each for each in FENCE.findall(page) if "natsAddr" in each]
            older = charts.render_text(platform, [SOURCE / "deploy/scenarios/replacement-production.yaml",
                                                  yaml.safe_load(plain.strip("`").removeprefix("yaml"))], bare=True)
        self.assertIn("--natsAddr=nats://dynamo-nats.dynamo-system.svc.cluster.local:4222\n", older)
        services = {one["metadata"]["name"] for one in rendered if one["kind"] == "Service"}
        arguments = [word for one in rendered if one["kind"] == "Deployment" for word in one["spec"]["template"]["spec"]["containers"][0]["args"]]
        for name, flag in (("nats", "--natsAddr=tls://"), ("etcd", "--etcdAddr=https://")):
            address, = [word.removeprefix(flag).rpartition(":")[0] for word in arguments if word.startswith(flag)]
            names = certificates[f"{name}-tls"]["dnsNames"]
            self.assertIn(address, names)
            self.assertIn(address.partition(".")[0], services)
            self.assertIn(f"*.{address.replace(f'dynamo-{name}.', f'dynamo-{name}-headless.', 1)}", names)
            self.assertIn(f"dynamo-{name}-headless", services)
        scenario = (SOURCE / "deploy/scenarios/replacement-production.yaml").read_text(encoding="utf-8")
        self.assertLessEqual(set(re.findall(r"(?:secretName|existingSecret|existingSecretName|secretKeyRef: {name): ([a-z-]+)", scenario)), created)

    def test_beta_proof_manifest_is_refused_only_by_webhook(self):
        text = (SOURCE / "docs/operations/moving-to-v1beta1.md").read_text(encoding="utf-8")
        code, output = self.validate(re.search(r"-f (docs/\S+)\s+# must be denied", text)[1])
        found = re.findall(r": error: .* \[(\S+)\]$", output, re.MULTILINE)
        self.assertEqual(code, 1, output)
        self.assertIn("pod.probe", found)
        self.assertEqual([one for one in found if one.startswith("schema.")], [])

    def test_commands_of_moving_to_v1beta1_work(self):
        """In a copy of the samples, because one command writes into the files that it names."""
        page = (SOURCE / "docs/operations/moving-to-v1beta1.md").read_text(encoding="utf-8")
        fences = [textwrap.dedent(each) for each in re.findall(r"^ *```sh\n(.*?)^ *```$", page, re.MULTILINE | re.DOTALL)]
        offline = [each for each in fences if "kubectl dynamo convert" in each]
        self.assertEqual(len(offline), 3)
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(SOURCE / "deploy/samples", pathlib.Path(folder, "deploy/samples"))
            for commands in offline:
                script = f'kubectl() {{ shift; "$DYNAMO_CHECKER_BINARY" "$@"; }}\n{commands}'
                done = subprocess.run(["bash", "-euc", script], cwd=folder, capture_output=True, text=True, timeout=120, check=False)
                self.assertEqual(done.returncode, 0, commands + done.stdout + done.stderr)
            graphs = [one for path in pathlib.Path(folder, "deploy/samples").glob("*.yaml")
                      for one in yaml.safe_load_all(path.read_text(encoding="utf-8")) if one["kind"] == "DynamoGraphDeployment"]
            self.assertGreater(len(graphs), 10)
            self.assertEqual({one["apiVersion"] for one in graphs}, {"nvidia.com/v1beta1"})
            self.assertIn("nvidia.com/v1alpha1", done.stdout)

    def validate(self, path):
        done = subprocess.run([os.environ["DYNAMO_CHECKER_BINARY"], "validate", "-f", SOURCE / path], capture_output=True,
                              text=True, timeout=60, check=False)
        return done.returncode, done.stdout + done.stderr


if __name__ == "__main__":
    unittest.main()
