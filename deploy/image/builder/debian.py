"""Finds the Debian packages of files, and their dpkg records."""

import dataclasses
import pathlib
import re

from .commands import BuildError, output

DPKG = "build on Debian, or name a Debian root with --sysroot"
FIELDS = ("Package", "Version", "Architecture", "Maintainer", "Homepage", "Source", "source:Package",
          "source:Version", "binary:Package")


@dataclasses.dataclass(frozen=True, order=True)
class Package:
    """One installed package."""

    name: str
    version: str
    architecture: str
    source: str
    source_version: str
    maintainer: str
    homepage: str
    record: str  # from dpkg's status, for image scanners

    def url(self):
        """The package URL (purl)."""
        quoted = self.version.replace("+", "%2B").replace(":", "%3A").replace("~", "~")
        return f"pkg:deb/debian/{self.name}@{quoted}?arch={self.architecture}&distro=debian-12"


class Records:
    """dpkg's database below a root."""

    def __init__(self, sysroot):
        self.sysroot = pathlib.Path(sysroot)
        self.admin = self.sysroot / "var/lib/dpkg"
        if not (self.admin / "status").is_file():
            raise BuildError(f"{self.admin / 'status'} must be dpkg's database and is not there; {DPKG}")

    def owners(self, files):
        """The packages of the files (paths on this machine, in sysroot), sorted by name. A file
        without a package has no known licence and is rejected."""
        names = set()
        wanted = {self._recorded(path): path for path in files}
        for first in range(0, len(wanted), 500):
            names |= self._search(list(wanted)[first:first + 500], wanted)
        return sorted(self.package(name) for name in names)

    def package(self, name):
        form = "".join(f"${{{field}}}\\t" for field in FIELDS)
        line = self._query("--show", f"--showformat={form}", name).split("\t")
        values = dict(zip(FIELDS, line))
        record = self._query("--status", name)
        # Fields about this machine do not belong to the package.
        record = re.sub(r"^Conffiles:\n( .*\n)+", "", record, flags=re.MULTILINE)
        return Package(values["Package"], values["Version"], values["Architecture"],
                       values["source:Package"], values["source:Version"], values["Maintainer"],
                       values["Homepage"], record)

    def copyright(self, package):
        """The text of the package's licences."""
        path = self.sysroot / "usr/share/doc" / package.name / "copyright"
        if not path.is_file():
            raise BuildError(f"{path} must hold the licence of {package.name} and is not there; was "
                             "the root made without /usr/share/doc?")
        return path.read_text(encoding="utf-8", errors="replace")

    def _recorded(self, path):
        """The path in dpkg's database: relative to the root, and in /usr if it is there."""
        inside = "/" + str(pathlib.Path(path).resolve().relative_to(self.sysroot.resolve()))
        return inside

    def _search(self, paths, wanted):
        names = set()
        # Debian 12's packages list files of /usr/lib as /lib: query both.
        both = paths + [path.removeprefix("/usr") for path in paths if path.startswith("/usr/lib")]
        owned = set()
        for line in self._query("--search", *both, accept=(0, 1)).splitlines():
            owners, _, path = line.partition(": ")
            if line.startswith("diversion by"):
                continue
            names |= {owner.strip() for owner in owners.split(",")}
            owned |= {path, "/usr" + path}
        for path in paths:
            if path not in owned:
                raise BuildError(f"{wanted[path]} is of no Debian package, so its licence is not known; "
                                 "use a root where everything comes from packages")
        return names

    def _query(self, *arguments, accept=(0,)):
        return output("dpkg-query", f"--admindir={self.admin}", *arguments, missing=DPKG, accept=accept)
