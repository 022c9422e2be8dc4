"""The basis for trust in a release: signed checksums, and base images pinned by digest."""

import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]


def run(*command, folder, **environment):
    return subprocess.run([str(word) for word in command], cwd=folder, capture_output=True, text=True, timeout=60, check=False,
                          env={**os.environ, **environment})


class ReleaseTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.keys = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.folder / "kubectl-dynamo_1.tar.gz").write_bytes(b"archive")
        checksum = hashlib.sha256(b"archive").hexdigest()
        (self.folder / "SHA256SUMS").write_text(f"{checksum}  kubectl-dynamo_1.tar.gz\n", encoding="utf-8")

    def key(self, *algorithm):
        """A temporary key and its public key."""
        private, public = self.keys / "release.key", self.keys / "release.pub"
        for command in (("genpkey", *algorithm, "-out", private), ("pkey", "-in", private, "-pubout", "-out", public, "-passin", "pass:p")):
            done = run("openssl", *command, folder=self.keys)
            self.assertEqual(done.returncode, 0, done.stderr)
        return private, public

    def sign(self, key, *arguments, status=0, **environment):
        done = run(sys.executable, SOURCE / "deploy/dist/sign", "--key", key, "--target", self.folder, *arguments,
                   folder="/", **environment)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stderr

    def verify(self, public, digest=()):
        return run("openssl", "pkeyutl", "-verify", "-pubin", "-inkey", public, "-rawin", *digest, "-in", "SHA256SUMS",
                   "-sigfile", "SHA256SUMS.sig", folder=self.folder).returncode == 0

    def test_signature_matches_checksums_and_key(self):
        for algorithm, digest in ((("-algorithm", "ed25519"), ()),
                                  (("-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"), ("-digest", "sha256"))):
            with self.subTest(algorithm):
                private, public = self.key(*algorithm)
                self.sign(private)
                self.assertTrue(self.verify(public, digest))
                self.assertEqual(sorted(path.name for path in self.folder.iterdir()),
                                 ["SHA256SUMS", "SHA256SUMS.sig", "kubectl-dynamo_1.tar.gz"])
                sums = self.folder / "SHA256SUMS"
                text = sums.read_text(encoding="utf-8")
                sums.write_text(text.replace(text[:8], "0" * 8), encoding="utf-8")
                self.assertFalse(self.verify(public, digest))
                sums.write_text(text, encoding="utf-8")
                _, other = self.key(*algorithm)
                self.assertFalse(self.verify(other, digest))

    def test_passin_opens_encrypted_key(self):
        private, public = self.key("-algorithm", "ed25519", "-aes-256-cbc", "-pass", "pass:p")
        self.sign(private, "--passin", "env:PASSPHRASE", PASSPHRASE="p")
        self.assertTrue(self.verify(public))
        self.sign(private, "--passin", "env:PASSPHRASE", status=1, PASSPHRASE="wrong")
        # A passphrase on the command line is visible to every user of the machine, and is not
        # printed.
        message = self.sign(private, "--passin", "pass:secret", status=2)
        self.assertIn("must be env:NAME or file:PATH", message)
        self.assertNotIn("secret", message)

    def test_unlisted_files_are_not_signed(self):
        private, _ = self.key("-algorithm", "ed25519")
        archive, sums = self.folder / "kubectl-dynamo_1.tar.gz", self.folder / "SHA256SUMS"
        text = sums.read_text(encoding="utf-8")
        for change, message in ((lambda: archive.write_bytes(b"another"), "it was changed"),
                                (archive.unlink, "must be there"),
                                (lambda: sums.write_text("", encoding="utf-8"), "must list a file"),
                                (lambda: sums.write_text("x\n", encoding="utf-8"), "as sha256sum writes them"),
                                (lambda: sums.write_text(text.replace("kubectl", "../kubectl"), encoding="utf-8"), "without folders"),
                                (sums.unlink, "must be a file")):
            change()
            complaint = self.sign(private, status=1)
            self.assertIn(message, complaint)
            self.assertEqual(complaint.count("\n"), 1)
        self.assertFalse((self.folder / "SHA256SUMS.sig").exists())

    def test_signature_replaces_a_link_and_not_its_target(self):
        private, public = self.key("-algorithm", "ed25519")
        target = self.keys / "victim"
        target.write_text("kept", encoding="utf-8")
        (self.folder / "SHA256SUMS.sig").symlink_to(target)
        self.sign(private)
        self.assertTrue(self.verify(public))
        self.assertEqual(target.read_text(encoding="utf-8"), "kept")

    def test_commands_of_the_page_verify_a_release(self):
        page = (SOURCE / "docs/laptop.md").read_text(encoding="utf-8")
        private, public = self.key("-algorithm", "ed25519")
        self.sign(private)
        command, = re.findall(r"^openssl pkeyutl -verify .*$", page, re.MULTILINE)
        done = run("sh", "-c", command.replace("release.pub", str(public)), folder=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_base_images_are_pinned_by_digest(self):
        files = sorted((SOURCE / "deploy/image").glob("Dockerfile*"))
        seen = 0
        for path in (each for each in files if not each.name.endswith(".dockerignore")):
            text = path.read_text(encoding="utf-8")
            self.assertNotRegex(text, r"(?m)^# *syntax *=", "a frontend by tag is an image by tag")
            arguments = dict(re.findall(r"^ARG (\w+)=(\S+)$", text, re.MULTILINE))
            stages = set(re.findall(r" AS (\w+)$", text, re.MULTILINE))
            for image in re.findall(r"^FROM (?:--\S+ )*(\S+)", text, re.MULTILINE):
                image = re.sub(r"\$\{(\w+)\}", lambda found: arguments[found[1]], image)
                if image == "scratch" or image in stages:
                    continue
                self.assertRegex(image, r"@sha256:[0-9a-f]{64}$", path.name)
                seen += 1
        self.assertEqual(seen, 2)


if __name__ == "__main__":
    unittest.main()
