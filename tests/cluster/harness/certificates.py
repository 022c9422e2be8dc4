"""P-256 certificates for the test cluster, made with the openssl program.

Every authority and key is made anew for each cluster and lives in its state directory only.
"""

import base64
import subprocess
from pathlib import Path

from .processes import HarnessError

DAYS = "7"


def _openssl(*arguments):
    done = subprocess.run(["openssl", *map(str, arguments)], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=30)
    if done.returncode != 0:
        raise HarnessError(f"openssl {' '.join(map(str, arguments))}: {done.stderr.strip()}")


class Authority:
    """A certificate authority in a directory: ca.crt, ca.key and what it issued."""

    def __init__(self, directory, name):
        self.directory = Path(directory)
        self.directory.mkdir(parents=True, exist_ok=True)
        self.certificate = self.directory / "ca.crt"
        self._key = self.directory / "ca.key"
        # The machine's openssl.cnf would add extensions of its own.
        self._config = self.directory / "openssl.cnf"
        self._config.write_text("[req]\ndistinguished_name = empty\n[empty]\n")
        self._certify(f"/CN={name}", self.certificate, self._key,
                      ["basicConstraints=critical,CA:TRUE",
                       "keyUsage=critical,keyCertSign,cRLSign",
                       "subjectKeyIdentifier=hash"])

    def issue(self, subject, certificate, key, usage, names=None):
        """Writes DIRECTORY/certificate and DIRECTORY/key; `usage` is serverAuth or clientAuth."""
        extensions = ["basicConstraints=critical,CA:FALSE", "keyUsage=critical,digitalSignature",
                      f"extendedKeyUsage={usage}", "authorityKeyIdentifier=keyid"]
        if names:
            extensions.append(f"subjectAltName={names}")
        self._certify(subject, self.directory / certificate, self.directory / key, extensions,
                      "-CA", self.certificate, "-CAkey", self._key)
        return self.directory / certificate, self.directory / key

    def _certify(self, subject, certificate, key, extensions, *signer):
        arguments = ["req", "-x509", "-config", self._config, "-newkey", "ec",
                     "-pkeyopt", "ec_paramgen_curve:prime256v1", "-noenc", "-days", DAYS,
                     "-subj", subject, *signer, "-keyout", key, "-out", certificate]
        for extension in extensions:
            arguments += ["-addext", extension]
        _openssl(*arguments)


def key_pair(private, public):
    """A P-256 key for signing service-account tokens, and its public half."""
    _openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:prime256v1",
             "-out", private)
    _openssl("pkey", "-in", private, "-pubout", "-out", public)


def base64_of(path):
    """A file's bytes as Kubernetes objects and kubeconfigs carry them."""
    return base64.b64encode(Path(path).read_bytes()).decode()
