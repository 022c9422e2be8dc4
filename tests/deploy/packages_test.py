"""The Debian packages: their content, and that a minimal Debian 12 installs, uses and removes them.

DYNAMO_BUILD_DIR: the built tree; DYNAMO_CMAKE: cmake. `test_every_package_is_built` builds the
packages that the other tests read.

The test in a minimal root needs root, mmdebstrap and Debian's mirror. DYNAMO_SKIP_BARE_ROOT=1 skips it
on machines without them.
"""

import gzip
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
import zipfile

import bare_debian

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ["DYNAMO_BUILD_DIR"])
PACKAGES = BUILD / "packages"
NAMES = ("dynamo-admission", "dynamo-reconciler", "kubectl-dynamo", "libdynamo-admission-dev", "libdynamo-admission0")


def run(*command, status=0, **more):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=600, check=False, **more)
    assert done.returncode == status, f"{command} ended with {done.returncode}:\n{done.stdout}{done.stderr}"
    return done.stdout


def needs(program, package):
    path = shutil.which(program)
    assert path, f"{program} must be installed for this test: apt-get install {package}"
    return path


def make(target):
    shutil.rmtree(target, ignore_errors=True)
    run(SOURCE / "deploy/packages/build", BUILD, target)


def archives():
    found = sorted(PACKAGES.glob("*.deb"))
    assert len(found) == len(NAMES), f"{PACKAGES} must hold the packages, made by the first test: {found}"
    return found


def fields(archive):
    return dict(re.findall(r"^(\S+): (.*)$", run("dpkg-deb", "--field", archive), re.MULTILINE))


class PackagesTest(unittest.TestCase):
    def test_every_package_is_built(self):
        make(PACKAGES)
        self.assertEqual([path.name.split("_")[0] for path in archives()], sorted(NAMES))
        self.assertEqual([path.suffix for path in PACKAGES.iterdir()].count(".whl"), 1)

    def test_packages_are_reproducible(self):
        with tempfile.TemporaryDirectory() as folder:
            again = pathlib.Path(folder, "packages")
            make(again)
            for path in PACKAGES.iterdir():
                self.assertEqual(digest(path), digest(again / path.name), path.name)

    def test_packages_have_the_tree_version(self):
        version = run(SOURCE / "deploy/version").strip()
        for archive in archives():
            self.assertEqual(fields(archive)["Version"], version)
        self.assertEqual(fields(archives()[3])["Depends"], f"libdynamo-admission0 (= {version})")

    def test_wheel_has_the_tree_version(self):
        wheel, = PACKAGES.glob("*.whl")
        version = run(SOURCE / "deploy/version").strip()
        wanted = re.sub(r"~git(\d+)\.(.*)", r".dev\1+g\2", version)
        self.assertEqual(wheel.name.split("-")[1], wanted)
        with zipfile.ZipFile(wheel) as archive:
            metadata = archive.read(f"dynamo_admission-{wanted}.dist-info/METADATA").decode()
        self.assertIn(f"\nVersion: {wanted}\n", metadata)

    def test_sboms_list_every_library_with_licence(self):
        bills = {}
        for archive in archives():
            name = archive.name.split("_")[0]
            if name.endswith("-dev"):
                continue  # headers of ours only
            with tempfile.TemporaryDirectory() as folder:
                run("dpkg-deb", "--extract", archive, folder)
                data = gzip.decompress(pathlib.Path(folder, f"usr/share/doc/{name}/sbom.spdx.json.gz").read_bytes())
            bills[name] = bill = json.loads(data)
            listed = {package["name"] for package in bill["packages"]}
            needed = {each.split()[0] for each in fields(archive)["Depends"].split(", ")}
            self.assertLessEqual(needed, listed, name)
            self.assertIn("rapidjson-dev", listed, name)  # compiled in
            texts = {each["licenseId"]: each["extractedText"] for each in bill["hasExtractedLicensingInfos"]}
            for package in bill["packages"][1:]:
                self.assertGreater(len(texts[package["licenseDeclared"]]), 500, package["name"])
        self.assertEqual(len(bills), 4)
        wheel, = PACKAGES.glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            inside, = [entry for entry in archive.namelist() if entry.endswith(".dist-info/sboms/sbom.spdx.json")]
            self.assertEqual(json.loads(archive.read(inside)), bills["libdynamo-admission0"])

    def test_version_matches_the_tag(self):
        with tempfile.TemporaryDirectory() as folder:
            (tree := pathlib.Path(folder, "tree")).mkdir()
            (tree / "deploy").mkdir()
            shutil.copy(SOURCE / "deploy/version", tree / "deploy/version")
            shutil.copy(SOURCE / "CMakeLists.txt", tree)
            environment = {name: value for name, value in os.environ.items()
                           if not name.startswith(("DYNAMO_", "SOURCE_DATE_", "GIT_"))}
            git = lambda *words: run("git", "-c", "user.name=a", "-c", "user.email=a@b", *words, cwd=tree, env=environment)  # noqa: E731
            say = lambda *words, **more: run(tree / "deploy/version", *words, env=environment | more).strip()  # noqa: E731
            declared = re.search(r"project\(\S+ VERSION ([\d.]+)", (tree / "CMakeLists.txt").read_text(encoding="utf-8"))[1]
            self.assertEqual(say(), declared)  # no git at all
            self.assertEqual(say(DYNAMO_VERSION="7.8"), "7.8")
            git("init", "-q")
            git("add", ".")
            git("commit", "-q", "-m", "one", "--date=2026-01-02T03:04:05Z")
            self.assertRegex(say(), rf"^{re.escape(declared)}~git1\.[0-9a-f]{{7}}$")
            self.assertNotIn("~", say("--tag"))
            git("tag", "v3.2.1")
            git("tag", "other")
            self.assertEqual(say(), "3.2.1")
            self.assertEqual(say("--epoch"), git("log", "-1", "--format=%ct").strip())
            git("commit", "-q", "--allow-empty", "-m", "two")
            self.assertIn("~git2.", say())
            # By Debian's version order: before the release, after the previous commit.
            run("dpkg", "--compare-versions", say(), "lt", declared)
            run("dpkg", "--compare-versions", say(), "gt", f"{declared}~git1.fffffff")

    def test_lintian_finds_nothing(self):
        lintian = needs("lintian", "lintian")
        output = run(lintian, "--fail-on", "error,warning", "--tag-display-limit", "0", "--allow-root", *archives())
        self.assertNotRegex(output, r"(?m)^[EW]:")
        # An override states its reason.
        for path in (SOURCE / "deploy/packages/debian").glob("*.lintian-overrides"):
            self.assertRegex(path.read_text(encoding="utf-8"), r"\A# .{40,}")

    def test_service_is_sandboxed(self):
        analyze = needs("systemd-analyze", "systemd")
        units = sorted((SOURCE / "deploy/packages/systemd").glob("*.service"))
        self.assertEqual([unit.name for unit in units], ["dynamo-reconciler.service", "dynamo-webhook.service"])
        for unit in units:
            output = run(analyze, "security", "--offline=true", "--no-pager", unit)
            exposure = float(re.search(rf"Overall exposure level for {unit.name}: ([\d.]+)", output)[1])
            self.assertLessEqual(exposure, 2.0, output)
            with tempfile.TemporaryDirectory() as folder:
                # As installed, except for the program's path.
                copy = pathlib.Path(folder, unit.name)
                copy.write_text(unit.read_text(encoding="utf-8").replace("/usr/bin/", f"{BUILD}/bin/"), encoding="utf-8")
                run(analyze, "verify", "--man=no", copy)

    def test_manual_page_lists_every_flag(self):
        for package, program in (("dynamo-admission", "dynamo-webhook"), ("dynamo-reconciler", "dynamo-reconciler")):
            archive, = [path for path in archives() if path.name.startswith(f"{package}_")]
            with tempfile.TemporaryDirectory() as folder:
                run("dpkg-deb", "--extract", archive, folder)
                page = gzip.decompress(pathlib.Path(folder, f"usr/share/man/man8/{program}.8.gz").read_bytes()).decode().replace("\\-", "-")
                flags = re.findall(r"^ +(--[A-Za-z0-9-]+)", run(pathlib.Path(folder, f"usr/bin/{program}"), "--help"), re.MULTILINE)
            self.assertGreater(len(flags), 20)
            self.assertEqual([flag for flag in flags if not re.search(rf"^\.B {flag}\b", page, re.MULTILINE)], [])
            # No section is empty, and every variable that is read has an entry.
            self.assertNotRegex(page, r"(?m)^\.SH .*\n\.SH ")
            source = {"dynamo-webhook": "flags.md"}.get(program, "reconciler-flags.md")
            variables = re.findall(r"^\| `([A-Z_]+)` \|", (SOURCE / "docs" / source).read_text(encoding="utf-8"), re.MULTILINE)
            self.assertGreater(len(variables), 1)
            self.assertEqual([each for each in variables if f"\n.B {each}\n" not in page], [])
            # The service starts with existing flags.
            default = (SOURCE / f"deploy/packages/debian/{program}.default").read_text(encoding="utf-8")
            arguments = re.search(r'^DYNAMO_\w+_ARGS="(.*)"$', default, re.MULTILINE)[1]
            self.assertLessEqual({word for word in arguments.split() if word.startswith("--")}, set(flags))

    def test_development_files_build_a_program(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for archive in archives()[3:]:
                run("dpkg-deb", "--extract", archive, root)
            library = next(root.glob("usr/lib/*-linux-gnu"))
            cmake = os.environ["DYNAMO_CMAKE"]
            run(cmake, "-S", SOURCE / "examples/cpp", "-B", root / "build", f"-DDynamoAdmission_DIR={library}/cmake/DynamoAdmission")
            run(cmake, "--build", root / "build")
            sample = root / "bad.json"
            sample.write_text('{"apiVersion": "nvidia.com/v1alpha1", "kind": "DynamoGraphDeployment", "metadata": '
                              '{"name": "a", "namespace": "b"}, "spec": {"services": {}}}', encoding="utf-8")
            output = run(root / "build/check", sample, status=1, env={"LD_LIBRARY_PATH": str(library)})
            self.assertIn("[dgd.services.required]", output)
            flags = run("pkg-config", "--define-variable=pc_sysrootdir=/", "--cflags", "--libs", "dynamo-admission",
                        env=os.environ | {"PKG_CONFIG_PATH": str(library / "pkgconfig")})
            self.assertIn("-ldynamo_admission", flags)
            for part in re.findall(r"-[IL](\S+)", flags):
                self.assertTrue(pathlib.Path(part).is_dir(), part)
            self.assertNotIn(b"$ORIGIN", (library / "libdynamo_admission.so.0").read_bytes())

    @unittest.skipIf(os.environ.get("DYNAMO_SKIP_BARE_ROOT") == "1", "DYNAMO_SKIP_BARE_ROOT=1")
    def test_minimal_debian_installs_uses_and_purges_packages(self):
        with bare_debian.root(BUILD / "bare-debian") as debian:
            debian.copy_in(*archives(), SOURCE / "docs/examples/refused_graph.yaml", SOURCE / "deploy/samples/vllm_agg.yaml")
            debian.run("apt-get", "update", "-qq")
            before = debian.snapshot()

            debian.run("apt-get", "install", "--yes", "-qq", "--no-install-recommends",
                       *(f"/tmp/{path.name}" for path in archives()))
            self.assert_validates(debian, "kubectl-dynamo")
            self.assertIn("libdynamo_admission.so.0 ", debian.run("ldconfig", "-p"))
            self.assertIn("nvidia.com/v1alpha1", debian.run("dynamo-webhook", "--version"))
            with debian.serving("set -a; . /etc/default/dynamo-webhook; exec dynamo-webhook $DYNAMO_WEBHOOK_ARGS") as server:
                self.assertEqual(server.status("/readyz"), 200)

            self.assertIn("nvidia.com/v1alpha1", debian.run("dynamo-reconciler", "--version"))
            # As installed, it has no cluster, and reports that.
            output = debian.run("sh", "-c", "set -a; . /etc/default/dynamo-reconciler; exec dynamo-reconciler $DYNAMO_RECONCILER_ARGS 2>&1", status=2)
            self.assertIn("/run/credentials/dynamo-reconciler.service/kubeconfig", output)

            # A changed configuration file survives removal, and purge deletes it.
            debian.run("sh", "-c", "echo '# mine' >>/etc/default/dynamo-webhook")
            debian.run("apt-get", "remove", "--yes", "-qq", "dynamo-admission")
            self.assertIn("# mine", debian.run("cat", "/etc/default/dynamo-webhook"))
            debian.run("apt-get", "purge", "--yes", "-qq", "--autoremove", *NAMES)
            left = {path: state for path, state in debian.snapshot().items() if before.get(path) != state}
            gone = set(before) - set(debian.snapshot())
            self.assertEqual((left, gone), ({}, set()))

    def assert_validates(self, debian, program):
        output = debian.run(program, "validate", "-f", "/tmp/refused_graph.yaml", status=1)
        self.assertIn("[pod.probe]", output)
        debian.run(program, "validate", "-f", "/tmp/vllm_agg.yaml")


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


if __name__ == "__main__":
    unittest.main()
