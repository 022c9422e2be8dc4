"""The output of `./dev dist`: archives of kubectl-dynamo, their checksums, krew's manifest, and the
page that describes them.

DYNAMO_CHECKER_BINARY names the static program."""

import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import unittest

import yaml

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ["DYNAMO_CHECKER_BINARY"])
URL = "https://where.example/releases/1"


def make(target, *arguments, url=URL, status=0):
    address = [] if url is None else ["--url", url]
    command = [sys.executable, SOURCE / "deploy/dist/build", "--target", target, *address, *arguments]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == status, f"{command} ended with {done.returncode}: {done.stdout}{done.stderr}"
    return done


class DistTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.made = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        make(cls.made, "--program", PROGRAM)
        (cls.archive,) = cls.made.glob("*.tar.gz")

    def test_builds_are_reproducible(self):
        with tempfile.TemporaryDirectory() as folder:
            make(folder, "--program", PROGRAM)
            for path in self.made.iterdir():
                self.assertEqual(path.read_bytes(), pathlib.Path(folder, path.name).read_bytes(), path.name)
        commit_time = int(subprocess.run([SOURCE / "deploy/version", "--epoch"], capture_output=True, check=True).stdout)
        with tarfile.open(self.archive) as tar:
            for entry in tar:
                self.assertEqual((entry.uid, entry.gid, entry.mtime, entry.isfile()), (0, 0, commit_time, True), entry.name)

    def test_checksums_match(self):
        output = subprocess.run(["sha256sum", "--check", "--strict", "SHA256SUMS"], cwd=self.made, capture_output=True, text=True,
                                check=True).stdout
        listed = re.findall(r"^(\S+): OK$", output, re.MULTILINE)
        self.assertEqual(sorted(listed), sorted(path.name for path in self.made.iterdir() if path.name != "SHA256SUMS"))

    def test_krew_manifest_matches_archives(self):
        manifest = yaml.safe_load((self.made / "dynamo.yaml").read_text(encoding="utf-8"))
        # krew's validation: docs of v1alpha2.
        self.assertEqual((manifest["apiVersion"], manifest["kind"]), ("krew.googlecontainertools.github.com/v1alpha2", "Plugin"))
        self.assertRegex(manifest["metadata"]["name"], r"^[a-z][a-z0-9-]*$")
        spec = manifest["spec"]
        self.assertEqual(set(spec), {"version", "homepage", "shortDescription", "description", "platforms"})
        self.assertRegex(spec["version"], r"^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$")
        self.assertLessEqual(len(spec["shortDescription"]), 50)
        (platform,) = spec["platforms"]
        self.assertEqual(set(platform), {"selector", "uri", "sha256", "bin"})
        self.assertEqual(platform["selector"]["matchLabels"], {"os": "linux", "arch": self.architecture()})
        self.assertEqual(platform["uri"], f"{URL}/{self.archive.name}")
        self.assertEqual(platform["sha256"], hashlib.sha256(self.archive.read_bytes()).hexdigest())
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["tar", "--extract", "--file", self.archive, "--directory", folder], check=True)
            # krew links to it from a folder on PATH.
            link = pathlib.Path(folder, "link")
            link.symlink_to(pathlib.Path(folder, platform["bin"]))
            output = subprocess.run([link, "version"], capture_output=True, text=True, env={}, check=True).stdout
            self.assertRegex(output, r"kubectl.dynamo")

    def test_no_krew_manifest_without_url(self):
        with tempfile.TemporaryDirectory() as folder:
            stale = pathlib.Path(folder, "dynamo.yaml")
            stale.write_text("of other archives\n", encoding="utf-8")
            output = make(folder, "--program", PROGRAM, url=None).stderr
            self.assertRegex(output, r"^dist: dynamo\.yaml, krew's manifest, is not made: .* give that address with --url https://HOST/PATH.*\n$")
            self.assertEqual(sorted(path.name for path in pathlib.Path(folder).iterdir()), ["SHA256SUMS", self.archive.name])
            self.assertNotIn("dynamo.yaml", pathlib.Path(folder, "SHA256SUMS").read_text(encoding="utf-8"))
            self.assertEqual(pathlib.Path(folder, self.archive.name).read_bytes(), self.archive.read_bytes())

    def test_url_unusable_for_krew_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            for url in ("where.example/releases", "http://where.example/releases", "https://", "https://where.example/?a", ""):
                output = make(pathlib.Path(folder, "none"), "--program", PROGRAM, url=url, status=2).stderr
                self.assertIn(f"must be https://HOST/PATH, where the archives will lie; found {url!r}", output)
            self.assertEqual(list(pathlib.Path(folder).iterdir()), [])

    def architecture(self):
        return {"x86_64": "amd64", "aarch64": "arm64"}[os.uname().machine]

    def test_every_bundled_library_has_its_licence(self):
        with tarfile.open(self.archive) as tar:
            names = set(tar.getnames())
            licences = {name: tar.extractfile(name).read() for name in names if name.startswith("licenses/")}
            bill = json.load(tar.extractfile("sbom.spdx.json"))
        self.assertLessEqual({"kubectl-dynamo", "kubectl_complete-dynamo", "kubectl-dynamo.1", "LICENSE"}, names)
        self.assertEqual({f"licenses/{package['name']}" for package in bill["packages"][1:]}, set(licences))
        for package in ("libc6-dev", "libstdc++-12-dev", "libgcc-12-dev", "libssl-dev", "libre2-dev", "libyaml-cpp-dev", "rapidjson-dev",
                        "libboost1.81-dev"):
            self.assertGreater(len(licences[f"licenses/{package}"]), 500, package)

    def test_unsuitable_programs_are_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            target = pathlib.Path(folder, "none")
            for program, complaint in (("/bin/ls", "must be linked statically"), ("/absent", "is not there"), (__file__, "must be an ELF program")):
                done = make(target, "--program", program, status=1)
                self.assertIn(complaint, done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1)
            done = make(target, "--program", PROGRAM, PROGRAM, status=1)
            self.assertIn("another architecture", done.stderr)
            self.assertFalse(target.exists())

    def test_page_describes_the_archives(self):
        page = (SOURCE / "docs/laptop.md").read_text(encoding="utf-8")
        # The commands name files like these, with TAG for the version.
        tag = subprocess.run([SOURCE / "deploy/version", "--tag"], capture_output=True, text=True, check=True).stdout.strip()
        for name in set(re.findall(r"\bkubectl-dynamo_\S+\.tar\.gz|\bSHA256SUMS\b|\bdynamo\.yaml\b", page)):
            made = name.replace("TAG", tag).replace("ARCH", self.architecture())
            self.assertTrue((self.made / made).exists(), name)


if __name__ == "__main__":
    unittest.main()
