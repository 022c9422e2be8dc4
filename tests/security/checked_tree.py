"""A hostile tree in which kubectl-dynamo runs."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

CHECKER = os.path.abspath(os.environ.get("DYNAMO_CHECKER_BINARY", "build/release/bin/kubectl-dynamo"))
BAD = """\
apiVersion: nvidia.com/v1alpha1
kind: DynamoModel
metadata: {name: m}
spec: {modelName: a/b, baseModelName: a/b, modelType: large}
"""


class CheckedTree(unittest.TestCase):
    def setUp(self):
        self.home = Path(tempfile.mkdtemp(prefix="dynamo-attack-"))
        self.addCleanup(shutil.rmtree, self.home)
        self.tree = self.home / "tree"
        self.tree.mkdir()

    def write(self, name, text):
        path = self.tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def run_checker(self, *arguments, **options):
        return subprocess.run([CHECKER, *arguments], cwd=self.tree, capture_output=True, text=True, timeout=60,
                              check=False, **options)
