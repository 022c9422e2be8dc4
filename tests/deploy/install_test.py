"""The commands of docs/install render with helm exactly as printed."""

import re
import shlex
import unittest

import yaml

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


def servers_of(rendered):
    """The names of the release's Services at which pods of graphs find NATS and etcd."""
    arguments = [word for each in rendered if each["kind"] == "Deployment" for word in each["spec"]["template"]["spec"]["containers"][0]["args"]]
    found = {word.partition("=")[2].rpartition("/")[2].partition(".")[0] for word in arguments if word.startswith(("--natsAddr=", "--etcdAddr="))}
    services = {each["metadata"]["name"] for each in rendered if each["kind"] == "Service"}
    return found if found <= services else {f"missing: {found - services}"}


def own_images(rendered):
    """(image, pull policy) of the programs of this project."""
    return [(container["image"], container["imagePullPolicy"]) for each in rendered if each["kind"] == "Deployment"
            for container in each["spec"]["template"]["spec"]["containers"] if "dynamo-" in container["image"]]


def is_loaded(image):
    """Whether an image is one that the page has pushed or loaded, and not that of the chart's default."""
    name, policy = image
    return "@sha256:" in name or (name.endswith(":v1") and policy == "Never")


class InstallTest(unittest.TestCase):
    def test_every_command_renders_and_creates_its_namespace(self):
        self.assertEqual([page.stem for page in PAGES], ["aks", "eks", "gke", "minikube"])
        with charts.platform() as platform:
            for page in PAGES:
                found = list(commands(page))
                self.assertEqual(len(found), 2 if page.stem == "minikube" else 3, page)
                rendered = []
                for command in found:
                    with self.subTest(" ".join(command)):
                        rendered.append(self.render(command, platform))
                # Definitions, a platform without an operator, and the way next to one.
                self.assertEqual({each["kind"] for each in rendered[0]}, {"CustomResourceDefinition"})
                self.assertEqual([servers_of(each) for each in rendered[1:]], [{"dynamo-nats", "dynamo-etcd"}, set()][:len(found) - 1], page)
                self.assertTrue(all(is_loaded(image) for each in rendered for image in own_images(each)), page)

    def test_pages_end_in_a_ready_graph(self):
        """Images first; then the platform, then a graph that is waited for, and what to do next."""
        for page in PAGES:
            text = page.read_text(encoding="utf-8")
            steps = ["No registry has images", "./dev image", "image load" if page.stem == "minikube" else "skopeo copy", "helm upgrade --install dynamo-crds",
                     "--values deploy/scenarios/replacement.yaml", "--for=condition=Ready", "curl -s localhost:8000", "Next steps"]
            places = [text.index(step) for step in steps]
            self.assertEqual(places, sorted(places), page)
            blocks = FENCE.findall(text)
            self.assertTrue(blocks[0].startswith("./dev image"), page)
            graph, = re.findall(r"apply -f (\S+)\n", "\n".join(blocks[1:]))[-1:]
            manifest = yaml.safe_load((REPOSITORY / graph).read_text(encoding="utf-8"))
            name, = re.findall(r"wait dynamographdeployment/(\S+)", text)
            self.assertEqual(manifest["metadata"]["name"], name)
            self.assertIn(f"svc/{name}-frontend", text)

    def render(self, command, platform):
        """The objects of a command."""
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
        found = objects(render_text(chart, (), name, namespace, kept, bare=True))
        self.assertTrue(found)
        return found

    def test_text_names_only_values_of_the_charts(self):
        with charts.platform() as platform:
            for page in PAGES:
                prose = FENCE.sub("", page.read_text(encoding="utf-8"))
                for option in SET.findall(prose):
                    words = shlex.split(option)
                    of_platform = words[1].startswith(("dynamo-operator.", "nats.config.", "etcd.persistence."))
                    chart = platform if of_platform else OPERATOR
                    with self.subTest(page=page.stem, option=option):
                        render_text(chart, (), options=words)


if __name__ == "__main__":
    unittest.main()
