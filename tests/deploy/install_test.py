"""The commands of docs/install render with helm exactly as printed."""

import re
import shlex
import unittest

import charts
from charts import OPERATOR, PLATFORM, REPOSITORY, objects, render_text

PAGES = sorted((REPOSITORY / "docs/install").glob("*.md"))
FENCE = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SET = re.compile(r"--set(?:-string)? (?:'[^']*'|[^\s`]+)")
# Placeholders, and values that the schema accepts in their place.
FILLED = (("sha256:DIGEST", "sha256:" + "0" * 64), ("ACCOUNT", "123"), ("PROJECT", "project"), ("REGISTRY", "registry"),
          ("REGION", "region"), ("NAME", "name"), ("TAG", "v1"))


def commands(page):
    for block in FENCE.findall(page.read_text(encoding="utf-8")):
        for line in block.replace("\\\n", " ").splitlines():
            if line.startswith("helm upgrade"):
                for word, value in FILLED:
                    line = line.replace(word, value)
                yield shlex.split(line, comments=True)


class InstallTest(unittest.TestCase):
    def test_every_command_renders_and_creates_its_namespace(self):
        self.assertEqual([page.stem for page in PAGES], ["aks", "eks", "gke", "minikube"])
        with charts.platform() as platform:
            for page in PAGES:
                found = list(commands(page))
                self.assertEqual(len(found), 2, page)
                for command in found:
                    with self.subTest(" ".join(command)):
                        self.render(command, platform)

    def render(self, command, platform):
        name, path = command[3], REPOSITORY / command[4]
        options = command[5:]
        self.assertTrue(path.is_dir(), path)
        if path != REPOSITORY / "deploy/charts/dynamo-crds":
            self.assertIn("--create-namespace", options)
        kept = []
        while options:
            flag = options.pop(0)
            if flag in ("--set", "--values"):
                value = options.pop(0)
                kept += [flag, REPOSITORY / value if flag == "--values" else value]
            elif flag == "--namespace":
                namespace = options.pop(0)
        chart = platform if path == PLATFORM else path
        self.assertTrue(objects(render_text(chart, (), name, namespace, kept, bare=True)))

    def test_text_names_only_values_of_the_charts(self):
        with charts.platform() as platform:
            for page in PAGES:
                prose = FENCE.sub("", page.read_text(encoding="utf-8"))
                for option in SET.findall(prose):
                    words = shlex.split(option)
                    chart = platform if words[1].startswith("dynamo-operator.") else OPERATOR
                    with self.subTest(page=page.stem, option=option):
                        render_text(chart, (), options=words)


if __name__ == "__main__":
    unittest.main()
