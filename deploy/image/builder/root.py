"""The image's content: a list of entries, in two layers, from the program and its packages."""

import dataclasses
import pathlib
import tempfile

from . import elf
from .commands import BuildError

USER = 65532  # unused elsewhere; also used by other images without a shell
DOCUMENTS = "usr/share/doc"
# The server's default certificate folder, where a Secret is mounted.
MOUNT_POINT = "etc/dynamo-webhook/certs"


@dataclasses.dataclass(frozen=True, order=True)
class Entry:
    """A file, a folder (data and link are None) or a link; paths have no leading slash."""

    path: str
    data: bytes | None = None
    link: str | None = None
    mode: int = 0o644

    @property
    def size(self):
        return len(self.data or b"")


def with_folders(entries):
    """The entries and the folders above them, each path once, sorted."""
    by_path = {}
    for entry in entries:
        if entry.path in by_path and by_path[entry.path] != entry:
            raise BuildError(f"two different files would be /{entry.path} in the image")
        by_path[entry.path] = entry
    links = {path for path, entry in by_path.items() if entry.link is not None}
    for path in list(by_path):
        for parent in pathlib.PurePosixPath(path).parents:
            name = str(parent)
            if name in links:
                raise BuildError(f"/{path} lies below the link /{name} of the image")
            if name != ".":
                by_path.setdefault(name, Entry(name, mode=0o755))
    return [by_path[path] for path in sorted(by_path)]


def system_layer(programs, libraries, packages, records, sysroot):
    """The layer that changes only with Debian: libraries, users, certificate authorities, licences, records."""
    entries = [Entry("etc/passwd", b"nonroot:x:%d:%d:nonroot:/:/sbin/nologin\n" % (USER, USER)),
               Entry("etc/group", b"nonroot:x:%d:\n" % USER),
               Entry("etc/nsswitch.conf", b"hosts: files dns\n")]
    # As on Debian, so that the interpreter's path, which is fixed in the program, exists.
    entries += [Entry("lib", link="usr/lib"), Entry("lib64", link="usr/lib64")]
    for name, path in libraries.items():
        entries.append(Entry(f"usr/lib/{programs[0].multiarch}/{name}", path.read_bytes(), mode=0o755))
    entries += interpreter(programs, libraries)
    entries += certificate_authorities(sysroot)
    entries += release(sysroot)
    for package in packages:
        entries.append(Entry(f"{DOCUMENTS}/{package.name}/copyright", records.copyright(package).encode()))
        entries.append(Entry(f"var/lib/dpkg/status.d/{package.name}", (package.record.strip() + "\n").encode()))
    return with_folders(entries)


def program_layer(programs, licence, sbom):
    """The layer that changes with every commit."""
    entries = [Entry(f"{DOCUMENTS}/dynamo-admission/copyright", licence),
               Entry(f"{DOCUMENTS}/dynamo-admission/sbom.spdx.json", sbom),
               Entry(MOUNT_POINT, mode=0o755)]
    with tempfile.TemporaryDirectory() as folder:
        for program in programs:
            target = pathlib.Path(folder, program.path.name)
            elf.stripped(program, target)
            entries.append(Entry(f"usr/bin/{program.path.name}", target.read_bytes(), mode=0o755))
    return with_folders(entries)


def interpreter(programs, libraries):
    path = pathlib.PurePosixPath(programs[0].interpreter() or "")
    if path.name not in libraries:
        raise BuildError(f"{programs[0].path} must be dynamically linked with {path.name or 'an interpreter'}"
                         " among its libraries, as g++ links it on Debian")
    folder = "usr/" + str(path.parent).lstrip("/")  # /lib64, or /lib on arm64
    here = f"usr/lib/{programs[0].multiarch}"
    if folder == here:
        return []
    depth = len(pathlib.PurePosixPath(folder).parts)
    return [Entry(f"{folder}/{path.name}", link=f"{'../' * depth}{here}/{path.name}")]


def certificate_authorities(sysroot):
    """Debian's authorities, for API servers whose kubeconfig names none. From the package's own files:
    /etc/ssl/certs may contain authorities that only the build machine trusts."""
    files = sorted((sysroot / "usr/share/ca-certificates/mozilla").glob("*.crt"))
    if not files:
        raise BuildError(f"{sysroot}/usr/share/ca-certificates/mozilla must hold authorities; "
                         "apt-get install ca-certificates")
    bundle = b"".join(path.read_bytes().rstrip(b"\n") + b"\n" for path in files)
    return [Entry("etc/ssl/certs/ca-certificates.crt", bundle),
            Entry("usr/lib/ssl/cert.pem", link="../../../etc/ssl/certs/ca-certificates.crt")]


def release(sysroot):
    """The file by which scanners identify the distribution."""
    return [Entry("usr/lib/os-release", (sysroot / "usr/lib/os-release").read_bytes()),
            Entry("etc/os-release", link="../usr/lib/os-release"),
            Entry("etc/debian_version", (sysroot / "etc/debian_version").read_bytes())]


def write_tree(layers, target):
    """Writes the layers into an empty folder, for another image builder."""
    target.mkdir(parents=True, exist_ok=True)
    if any(target.iterdir()):
        raise BuildError(f"{target} must be empty")
    for entry in (entry for layer in layers for entry in layer):
        path = target / entry.path
        if entry.link is not None:
            path.symlink_to(entry.link)
        elif entry.data is None:
            path.mkdir(exist_ok=True)
            path.chmod(entry.mode)
        else:
            path.write_bytes(entry.data)
            path.chmod(entry.mode)
