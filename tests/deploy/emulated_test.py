"""An image of another architecture, in a root without other files: qemu runs its programs there.

DYNAMO_IMAGE: the archive built by deploy/image/build; DYNAMO_EMULATOR: qemu-ARCHITECTURE-static.
deploy/image/cross runs this test on its images.
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
        folder.chmod(0o755)  # the image's user must be able to traverse it
        cls.root = folder / "root"
        cls.root.mkdir(mode=0o755)
        cls.config, cls.index, cls.layers = bare_root.unpack(ARCHIVE, cls.root)
        (cls.program,) = cls.config["config"]["Entrypoint"]
        shutil.copy(os.environ["DYNAMO_EMULATOR"], cls.root / EMULATOR.lstrip("/"))

    def run_program(self, *arguments, status=0):
        return bare_root.run(self.root, EMULATOR, self.program, *arguments, status=status)

    def test_architecture_matches_and_image_is_small(self):
        self.assertEqual(self.config["architecture"], self.index["manifests"][0]["platform"]["architecture"])
        machine = {"arm64": "AArch64", "amd64": "X86-64"}[self.config["architecture"]]
        libraries = sorted(self.root.glob("usr/lib/*-linux-gnu/*.so*"))
        self.assertGreater(len(libraries), 5)
        for path in [self.root / self.program.lstrip("/"), *libraries]:
            output = subprocess.run(["readelf", "--file-header", path], capture_output=True, text=True, check=True).stdout
            self.assertIn(machine, output, path)
        self.assertLessEqual(sum(entry.size for layer in self.layers for entry in layer), MAX_UNPACKED)

    def test_sbom_lists_loaded_and_compiled_in_libraries(self):
        bill = json.loads((self.root / "usr/share/doc/dynamo-admission/sbom.spdx.json").read_text(encoding="utf-8"))
        self.assertLessEqual({"libc6", "libssl3", "libstdc++6", "libboost1.81-dev"}, {package["name"] for package in bill["packages"]})

    def test_version_is_printed(self):
        self.assertIn("nvidia.com/v1alpha1", self.run_program("--version"))
        self.assertIn("--health-probe-bind-address", self.run_program("--help"))

    def test_program_works(self):
        if self.program.endswith("/dynamo-webhook"):
            # It creates a certificate, listens on three ports and starts its loops.
            with bare_root.serving(self.root, (EMULATOR, self.program)) as server:
                self.assertEqual(server.status("/readyz"), 200)
                self.assertEqual(server.status("/healthz"), 200)
        else:
            # Without a cluster it reports an error and ends.
            self.run_program("--kubeconfig", "/absent", status=2)


if __name__ == "__main__":
    unittest.main()
