"""This chart next to that of the operator, with the commands of the documents.

testdata/reference_charts imitates the operator's chart, and refuses the values that the real one refuses."""

import re
import shlex
import unittest

import charts
from charts import REPOSITORY, RenderError, render
from charts_test import Case, at

STAND_INS = charts.HERE / "testdata/reference_charts"
GENERATIONS = ("first", "later")
# The releases of the documents.
THEIRS, OURS, NAMESPACE = "dynamo-platform", "dynamo", "dynamo-system"


def settings(command):
    """The --set options of a command, with their values."""
    words = shlex.split(command.replace("\\\n", " "), comments=True)
    return [word for number, each in enumerate(words) if each in ("--set", "--set-string") for word in words[number:number + 2]]


def theirs(generation, *options):
    """The objects of the operator's release."""
    return render(STAND_INS / generation, release=THEIRS, options=options)


def addresses(rendered):
    """The addresses that pods of graphs get."""
    return {word.partition("=")[0]: word.partition("=")[2] for each in rendered if each["kind"] == "Deployment"
            for container in each["spec"]["template"]["spec"]["containers"] for word in container.get("args", [])
            if word.startswith(("--natsAddr=", "--etcdAddr="))}


def hosts(rendered):
    """NAME.NAMESPACE of each Service."""
    return {f"{each['metadata']['name']}.{each['metadata'].get('namespace', NAMESPACE)}" for each in rendered if each["kind"] == "Service"}


def host_of(address):
    return ".".join(address.partition("://")[2].split(".")[:2]) if "://" in address else ".".join(address.split(".")[:2])


class Pair(Case):
    @classmethod
    def setUpClass(cls):
        cls.chart = cls.enterClassContext(charts.platform())
        cls.readme = (charts.SCENARIOS / "README.md").read_text(encoding="utf-8")
        commands = re.findall(r"^    (helm upgrade --install dynamo-platform REFERENCE-CHART .*)$", cls.readme, re.MULTILINE)
        cls.commands = dict(zip(GENERATIONS, map(settings, commands), strict=True))

    def row(self, words):
        """The options of a row of the table of NATS and etcd."""
        line, = [each for each in self.readme.splitlines() if each.startswith(f"| {words}")]
        return settings(line.split("|")[2].strip(" `"))

    def test_each_generation_accepts_its_command(self):
        for generation in GENERATIONS:
            theirs(generation, *self.commands[generation])
            theirs(generation, *self.commands[generation], *self.row(f"{generation} generation"), *self.row("both"))
        for options in (self.commands["first"], self.row("first generation")):
            with self.assertRaises(RenderError):
                theirs("later", *options)

    def test_pair_shares_no_object(self):
        ours = render(self.chart, [charts.SCENARIOS / "companion.yaml"], bare=True)
        for generation, configurations in (("first", 0), ("later", 2)):
            rendered = theirs(generation, *self.commands[generation])
            keys = [{(each["kind"], each["metadata"].get("namespace"), each["metadata"]["name"]) for each in side} for side in (ours, rendered)]
            self.assertEqual(keys[0] & keys[1], set())
            self.assertEqual(len([each for each in rendered if each["kind"].endswith("WebhookConfiguration")]), configurations)

    def test_pair_has_the_servers_that_pods_get(self):
        for scenario in ("companion", "test", "prod"):
            ours = render(self.chart, [charts.SCENARIOS / f"{scenario}.yaml"], bare=True)
            for generation in GENERATIONS:
                more = [] if scenario == "companion" else [*self.row(f"{generation} generation"), *self.row("both")]
                # The later chart installs neither by default.
                if scenario == "companion" and generation == "later":
                    more = settings("--set global.nats.install=true --set global.etcd.install=true")
                rendered = theirs(generation, *self.commands[generation], *more)
                self.assertLessEqual({host_of(each) for each in addresses(rendered).values()}, hosts(ours) | hosts(rendered), (scenario, generation))
                self.assertEqual(hosts(ours) & hosts(rendered), set())

    def test_operator_of_the_scenario_is_theirs(self):
        rendered = theirs("first", *self.commands["first"])
        account, = [each for each in rendered if each["kind"] == "ServiceAccount"]
        text = (charts.SCENARIOS / "companion.yaml").read_text(encoding="utf-8")
        self.assertIn(f"operatorServiceAccount: {NAMESPACE}/{account['metadata']['name']}\n", text)
        arguments = str(render(self.chart, [charts.SCENARIOS / "companion.yaml", at("dynamo-operator.webhook.operatorGeneration", "later")], bare=True))
        self.assertEqual(arguments.count("--operator-generation=later"), 2)

    def test_replacement_never_loses_its_servers(self):
        """Each step of the page adds its values; pods have addresses of Services that exist, until the end."""
        page = (REPOSITORY / "docs/operations/replacement.md").read_text(encoding="utf-8")
        ours = re.findall(r"helm upgrade dynamo deploy/charts/dynamo-platform[^`]*?--wait", page.partition("**To go back**")[0])
        self.assertEqual(len(ours), 3)
        removal, = re.findall(r"`(helm upgrade dynamo-platform REFERENCE-CHART[^`]*)`", page)
        given, old = [], theirs("first")
        for number, command in enumerate(ours):
            given += settings(command)
            rendered = render(self.chart, [charts.SCENARIOS / "companion.yaml"], bare=True, options=given)
            self.assertEqual(set(addresses(rendered)), {"--natsAddr", "--etcdAddr"})
            used = {host_of(each) for each in addresses(rendered).values()}
            self.assertLessEqual(used, hosts(rendered) | hosts(old), command)
            # Only the last step moves the pods, to servers that the step before has installed.
            self.assertEqual(used <= hosts(rendered), number == 2, command)
            if number == 0:
                for generation in GENERATIONS:
                    installed = [] if generation == "first" else settings("--set global.nats.install=true --set global.etcd.install=true")
                    old = theirs(generation, *installed, *settings(removal))
                    self.assertEqual({each["kind"] for each in old}, {"Service"}, "the operator is removed, and its servers remain")
        self.assertLess(page.index(ours[2]), page.index("helm uninstall dynamo-platform"))


if __name__ == "__main__":
    unittest.main()
