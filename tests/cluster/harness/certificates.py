"""P-256 certificates for the test cluster, created with the openssl program.

Each cluster has new authorities and keys, which exist only in its state directory.
"""

import base64
import datetime
import tempfile
from pathlib import Path

from .processes import HarnessError, run

LIFETIME = datetime.timedelta(days=7)
# Validity begins in the past: a test may have a server whose clock is behind.
BACK_DATE = datetime.timedelta(hours=1)
OPENSSL_SECONDS = 30

# For `openssl ca`, the only command that accepts dates; it requires a database.
_CONFIG = """\
[req]
distinguished_name = empty
[empty]
[ca]
default_ca = this
[this]
database = {books}/index.txt
new_certs_dir = {books}
unique_subject = no
rand_serial = yes
default_md = sha256
policy = any
[any]
commonName = optional
organizationName = optional
"""


def _run(*arguments, stdin=""):
    return run(f"openssl {arguments[0]}", ["openssl", *arguments], OPENSSL_SECONDS, input=stdin, capture_output=True)


def _openssl(*arguments):
    done = _run(*arguments)
    if done.returncode != 0:
        raise HarnessError(f"openssl {' '.join(map(str, arguments))}: {done.stderr.strip()}")


class Authority:
    """A certificate authority in a directory: ca.crt, ca.key and the issued certificates."""

    def __init__(self, directory, name):
        self.directory = Path(directory)
        self.directory.mkdir(parents=True, exist_ok=True)
        self.certificate = self.directory / "ca.crt"
        self._key = self.directory / "ca.key"
        books = self.directory / "books"
        books.mkdir(exist_ok=True)
        (books / "index.txt").touch()
        # The machine's openssl.cnf would add its own extensions.
        self._config = self.directory / "openssl.cnf"
        self._config.write_text(_CONFIG.format(books=books))
        self._certify(f"/CN={name}", self.certificate, self._key,
                      ["basicConstraints=critical,CA:TRUE",
                       "keyUsage=critical,keyCertSign,cRLSign",
                       "subjectKeyIdentifier=hash"], "-selfsign", "-keyfile", self._key)

    def issue(self, subject, certificate, key, usage, names=None, ends=None):
        """Writes DIRECTORY/certificate and DIRECTORY/key; `usage` is serverAuth or clientAuth, `ends`
        a time, by default in a week."""
        extensions = ["basicConstraints=critical,CA:FALSE", "keyUsage=critical,digitalSignature",
                      f"extendedKeyUsage={usage}", "authorityKeyIdentifier=keyid"]
        if names:
            extensions.append(f"subjectAltName={names}")
        self._certify(subject, self.directory / certificate, self.directory / key, extensions,
                      "-cert", self.certificate, "-keyfile", self._key, ends=ends)
        return self.directory / certificate, self.directory / key

    def _certify(self, subject, certificate, key, extensions, *signer, ends=None):
        ends = ends or datetime.datetime.now(datetime.timezone.utc) + LIFETIME
        begins = min(ends - LIFETIME, datetime.datetime.now(datetime.timezone.utc)) - BACK_DATE
        request, wanted = self.directory / "request.pem", self.directory / "extensions.cnf"
        wanted.write_text("\n".join(extensions) + "\n")
        _openssl("req", "-config", self._config, "-newkey", "ec",
                 "-pkeyopt", "ec_paramgen_curve:prime256v1", "-noenc", "-subj", subject,
                 "-keyout", key, "-out", request)
        _openssl("ca", "-batch", "-notext", "-preserveDN", "-config", self._config, *signer,
                 "-startdate", _moment(begins), "-enddate", _moment(ends),
                 "-extfile", wanted, "-in", request, "-out", certificate)


def _moment(time):
    return time.strftime("%Y%m%d%H%M%SZ")


def verifies(bundle, leaf, name, at=None):
    """Whether the CAs in the PEM text `bundle` verify the PEM text `leaf` as server `name`, at a given
    time (Unix time), by default now."""
    with tempfile.TemporaryDirectory() as work:
        authorities, certificate = Path(work) / "ca.pem", Path(work) / "leaf.pem"
        authorities.write_text(bundle)
        certificate.write_text(leaf)
        when = () if at is None else ("-attime", int(at))
        done = _run("verify", "-CAfile", authorities, "-no-CApath", "-purpose", "sslserver",
                    "-verify_hostname", name, *when, certificate)
        return done.returncode == 0


def describe(pem):
    """A certificate's names and validity, as openssl prints them."""
    return _run("x509", "-noout", "-startdate", "-enddate", "-subject", "-ext", "subjectAltName",
                stdin=pem).stdout


def key_pair(private, public):
    """A P-256 key for signing service-account tokens, and its public half."""
    _openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:prime256v1",
             "-out", private)
    _openssl("pkey", "-in", private, "-pubout", "-out", public)


def base64_of(path):
    """A file's bytes as Kubernetes objects and kubeconfigs contain them."""
    return base64.b64encode(Path(path).read_bytes()).decode()
