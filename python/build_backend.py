"""Builds the wheel (PEP 517, PEP 427): the Python files and the installed library with its dependencies.

Config settings: `prefix`, the prefix of `cmake --install` (default: from pkg-config), `version` (default: the
library's version), and `sbom`, the library's bill of materials (default: none).
"""

import base64
import hashlib
import pathlib
import re
import subprocess
import sysconfig
import zipfile

NAME = "dynamo_admission"
HERE = pathlib.Path(__file__).resolve().parent
# The oldest time that a zip archive can store: the wheel depends on its content only.
EPOCH = (1980, 1, 1, 0, 0, 0)
# Libraries of every Linux system with C++ programs; all others go into the wheel.
OF_THE_SYSTEM = re.compile(r"(ld-linux|libc|libm|libdl|libpthread|librt|libstdc\+\+|libgcc_s)\b")


class BuildError(Exception):
    """Says what is missing and what to do."""


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Writes the wheel and returns its file name."""
    settings = config_settings or {}
    library = find_library(settings.get("prefix"))
    version = settings.get("version") or version_of(library)
    tag = "py3-none-" + re.sub(r"[-.]", "_", sysconfig.get_platform())
    info = f"{NAME}-{version}.dist-info"
    files = {
        f"{NAME}/{path.name}": path.read_bytes() for path in sorted((HERE / NAME).glob("*.py"))
    }
    files[f"{NAME}/py.typed"] = b""
    for path in [library, *needed_by(library)]:
        files[f"{NAME}/{soname(path)}"] = path.read_bytes()
        for licence in licences_of(path):
            files[f"{info}/licenses/{soname(path)}/{licence.name}"] = licence.read_bytes()
    if settings.get("sbom"):  # where PEP 770 expects it
        files[f"{info}/sboms/sbom.spdx.json"] = pathlib.Path(settings["sbom"]).read_bytes()
    files[f"{info}/METADATA"] = (
        f"Metadata-Version: 2.1\nName: {NAME.replace('_', '-')}\nVersion: {version}\n"
        "Summary: The verdict of the Dynamo admission webhook as a library\n"
        "Requires-Python: >=3.9\n"
    ).encode()
    files[f"{info}/WHEEL"] = (
        f"Wheel-Version: 1.0\nGenerator: build_backend\nRoot-Is-Purelib: false\nTag: {tag}\n"
    ).encode()
    record = [f"{name},sha256={digest(data)},{len(data)}" for name, data in files.items()]
    files[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,", ""]).encode()
    wheel = f"{NAME}-{version}-{tag}.whl"
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / wheel, "w") as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if ".so" in name else 0o644) << 16
            archive.writestr(entry, data)
    return wheel


def build_sdist(sdist_directory, config_settings=None):
    """Not supported: without the built library the Python files are useless."""
    raise BuildError("build a wheel; a source distribution would lack the library")


def find_library(prefix):
    """The path of the installed library itself, not of a link to it."""
    if prefix:
        found = sorted(pathlib.Path(prefix).glob("lib*/**/libdynamo_admission.so.?"))
    else:
        folder = output("pkg-config", "--variable=libdir", "dynamo-admission").strip()
        found = sorted(pathlib.Path(folder).glob("libdynamo_admission.so.?"))
    if not found:
        raise BuildError(
            f"no libdynamo_admission.so below {prefix or 'the folder that pkg-config names'}: "
            "run `cmake --install BUILD --component library --prefix PREFIX`, and pass "
            "--config-settings prefix=PREFIX"
        )
    return found[0].resolve()


def needed_by(library):
    """The shared libraries that the wheel must bundle."""
    lines = re.findall(r"^\s*(\S+) => (\S+)", output("ldd", str(library)), re.MULTILINE)
    missing = [name for name, path in lines if path == "not"]
    if missing:
        raise BuildError(f"{library} needs {', '.join(missing)}, which this system does not have")
    return [pathlib.Path(path) for name, path in lines if not OF_THE_SYSTEM.match(name)]


def soname(library):
    """The name by which the loader finds the library."""
    return re.search(r"SONAME.*\[(.+)\]", output("readelf", "-d", str(library)))[1]


def licences_of(library):
    """The licence that must accompany the file: ours, or that of its Debian package."""
    if library.name.startswith("libdynamo_admission"):
        return [HERE.parent / "LICENSE"]
    # A folder may be a link to another: dpkg lists the files' real names.
    for path in (library, library.resolve(), pathlib.Path("/usr", *library.resolve().parts[1:])):
        owner = subprocess.run(
            ["dpkg-query", "--search", str(path)], capture_output=True, text=True, check=False
        ).stdout
        if owner:
            return [pathlib.Path("/usr/share/doc", owner.split(":")[0], "copyright")]
    raise BuildError(f"{library} belongs to no Debian package, so its licence is not known")


def version_of(library):
    """The version of the installed library."""
    pc_file = library.parent / "pkgconfig" / "dynamo-admission.pc"
    return re.search(r"^Version: (\S+)$", pc_file.read_text(encoding="utf-8"), re.MULTILINE)[1]


def digest(data):
    """The digest in the form of RECORD."""
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def output(*command):
    """The output of a command."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise BuildError(f"{' '.join(command)} failed: {error}") from error
