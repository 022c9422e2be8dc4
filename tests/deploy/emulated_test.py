"""An image of another architecture, in a root that holds nothing else: its programs run there, by qemu.

DYNAMO_IMAGE: the archive that deploy/image/build made; DYNAMO_EMULATOR: qemu-ARCHITECTURE-static. deploy/image/cross
runs it on what it has made.
"""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import bare_root

ARCHIVE = pathlib.Path(os.environ["DYNAMO_IMAGE"])
EMULATOR = "/emulator"
MAX_UNPACKED = 40_000_000


class EmulatedTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        folder.chmod(0o755)  # the image's user walks through it
        cls.root = folder / "root"
        cls.root.mkdir(mode=0o755)
        cls.config, cls.index, cls.layers = bare_root.unpack(ARCHIVE, cls.root)
        (cls.program,) = cls.config["config"]["Entrypoint"]
        shutil.copy(os.environ["DYNAMO_EMULATOR"], cls.root / EMULATOR.lstrip("/"))

    def run_program(self, *arguments, status=0):
        return bare_root.run(self.root, EMULATOR, self.program, *arguments, status=status)

    def test_it_is_of_that_architecture_and_small(self):
        self.assertEqual(self.config["architecture"], self.index["manifests"][0]["platform"]["architecture"])
        machine = {"arm64": "AArch64", "amd64": "X86-64"}[self.config["architecture"]]
        libraries = sorted(self.root.glob("usr/lib/*-linux-gnu/*.so*"))
        self.assertGreater(len(libraries), 5)
        for path in [self.root / self.program.lstrip("/"), *libraries]:
            said = subprocess.run(["readelf", "--file-header", path], capture_output=True, text=True, check=True).stdout
            self.assertIn(machine, said, path)
        self.assertLessEqual(sum(entry.size for layer in self.layers for entry in layer), MAX_UNPACKED)

    def test_its_bill_names_what_is_loaded_and_what_is_compiled_in(self):
        bill = json.loads((self.root / "usr/share/doc/dynamo-admission/sbom.spdx.json").read_text(encoding="utf-8"))
        self.assertLessEqual({"libc6", "libssl3", "libstdc++6", "libboost1.81-dev"}, {package["name"] for package in bill["packages"]})

    def test_it_says_what_it_is(self):
        self.assertIn("nvidia.com/v1alpha1", self.run_program("--version"))
        self.assertIn("--health-probe-bind-address", self.run_program("--help"))

    def test_it_does_its_work(self):
        if self.program.endswith("/dynamo-webhook"):
            # It makes a certificate, listens on three ports and starts its loops.
            with bare_root.serving(self.root, (EMULATOR, self.program)) as server:
                self.assertEqual(server.status("/readyz"), 200)
                self.assertEqual(server.status("/healthz"), 200)
        else:
            # Without a cluster it has no work, and says so.
            self.run_program("--kubeconfig", "/absent", status=2)


if __name__ == "__main__":
    unittest.main()
