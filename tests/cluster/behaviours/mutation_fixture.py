"""Shared by tests that send objects with one seeded mistake each, including the checker's verdicts on
them."""

import json
import subprocess
import tempfile
from pathlib import Path

from differential import mutations
from harness.programs import program

from .support import API_VERSION, REPOSITORY

SAMPLES = REPOSITORY / "deploy/samples"
CHECKER_SECONDS = 60


class MutationFixture:
    """A mixin, placed before ClusterTest in the bases of a test."""

    def setUp(self):
        super().setUp()
        self.directory = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="dynamo-")))

    def schema_of(self, plural):
        crd = self.admin.get("customresourcedefinition", f"{plural}.nvidia.com")
        return crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]

    def bases(self, kind, plural, schema):
        """The base objects of mutations: every sample of the kind, and an object with every field."""
        spec = mutations.example(schema["properties"]["spec"])
        yield "every-field", {"apiVersion": API_VERSION, "kind": kind,
                              "metadata": {"name": "every-field"}, "spec": spec}
        for sample in sorted(SAMPLES.glob("*.yaml")):
            shown = self.kubectl.must("create", "--dry-run=client", "--validate=false", "--output",
                                      "json", "--filename", sample).stdout
            for each in _objects(shown):
                if each["kind"] == kind:
                    each["metadata"].pop("namespace", None)
                    yield f"{sample.stem}-{each['metadata']['name']}", each

    def mutants(self, kind, plural):
        """(name, Mutant) of a kind; each base after the first adds only the fields that no earlier
        base had."""
        schema = self.schema_of(plural)
        seen = set()
        for label, base in self.bases(kind, plural, schema):
            yield f"{label}.as-it-is", mutations.Mutant("as it is", (), base)
            for number, mutant in enumerate(mutations.mutants(base, schema, label)):
                key = (mutant.name, shape(mutant.where))
                if key not in seen:
                    seen.add(key)
                    yield f"{label}.{number:04}", mutant

    def check(self, directory, *options):
        """The checker's reports by file name, from one run."""
        done = subprocess.run(
            [program("kubectl-dynamo"), "validate", "--output", "json", "--namespace", self.namespace, *options,
             "--filename", directory], capture_output=True, text=True, timeout=CHECKER_SECONDS)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        report = json.loads(done.stdout)
        return {Path(each["file"]).stem: each for each in report["results"]
                if each["result"] == "object"}


def _objects(text):
    """Parses kubectl's output for one file: one object, several in sequence, or a List."""
    decoder, at = json.JSONDecoder(), 0
    while at < len(text):
        value, end = decoder.raw_decode(text, at)
        yield from value["items"] if value["kind"] == "List" else [value]
        at = end + len(text[end:]) - len(text[end:].lstrip())


def shape(where):
    """The same field of two services counts as one field."""
    return tuple("*" if index == 2 and where[:2] == ("spec", "services") else step
                 for index, step in enumerate(where))
