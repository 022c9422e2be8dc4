"""The image that deploy/image/build creates: its content, its reproducibility, and that it runs.

DYNAMO_WEBHOOK_BINARY names the program; the image is built into DYNAMO_BUILD_DIR, once per test.
"""

import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

import bare_root

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ["DYNAMO_WEBHOOK_BINARY"])
CHECKER = pathlib.Path(os.environ["DYNAMO_CHECKER_BINARY"])
BUILD = SOURCE / "deploy/image/build"
DOCKERFILE = SOURCE / "deploy/image/Dockerfile"
MAX_UNPACKED = 40_000_000
INSIDE = "/usr/bin/" + PROGRAM.name
INSIDE_CHECKER = "/usr/bin/" + CHECKER.name


def build(*arguments, status=0, cwd="/", **environment):
    done = subprocess.run([sys.executable, BUILD, *map(str, arguments)], capture_output=True, text=True, cwd=cwd,
                          env={**os.environ, **environment}, timeout=300, check=False)
    assert done.returncode == status, f"build ended with {done.returncode}: {done.stdout}{done.stderr}"
    return done


class ImageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.archive = cls.folder / "image.oci.tar"
        cls.printed = build("--program", PROGRAM, CHECKER, "--output", cls.archive).stdout
        cls.root = cls.folder / "root"
        cls.root.mkdir(mode=0o755)
        cls.folder.chmod(0o755)  # the image's user must be able to traverse it
        cls.config, cls.index, cls.layers = bare_root.unpack(cls.archive, cls.root)

    def test_two_builds_have_one_digest(self):
        # Different folder, name of the program's folder, time zone, language, umask and time.
        elsewhere = self.folder / "elsewhere" / "bin"
        elsewhere.mkdir(parents=True)
        program = shutil.copy(PROGRAM, elsewhere / PROGRAM.name)
        (elsewhere.parent / "build.ninja").touch()
        before = os.umask(0o077)
        try:
            one = self.folder / "one.oci.tar"
            build("--program", PROGRAM, CHECKER, "--output", one, cwd=elsewhere, TZ="Asia/Tokyo", LC_ALL="C")
        finally:
            os.umask(before)
        self.assertEqual(one.read_bytes(), self.archive.read_bytes())
        self.assertIn(self.index["manifests"][0]["digest"], self.printed)
        # Without ninja's records the list of headers is missing, which the bill of materials
        # mentions.
        (elsewhere.parent / "build.ninja").unlink()
        two = self.folder / "two.oci.tar"
        build("--program", program, "--output", two)
        self.assertIn("headers are missing", two.with_name("two.spdx.json").read_text(encoding="utf-8"))

    def test_image_does_not_contain_build_folder(self):
        for program in (each for each in self.root.rglob("dynamo-webhook") if each.is_file()):
            content = program.read_bytes()
            self.assertNotIn(str(SOURCE).encode(), content)
            # ccache names files like this if it knows the folder.
            self.assertIsNone(re.search(rb"\.\./\.\./[a-z_/]+\.[ch]pp", content))

    def test_compilation_does_not_depend_on_folder(self):
        """Compiles some libraries of the server in another folder with the compiler itself, and
        compares them with this build, whether compiled here or taken from ccache. They include
        libraries whose code contains file names, and batches."""
        tree = self.folder / "another" / "folder"
        tree.parent.mkdir()
        shutil.copytree(SOURCE, tree, ignore=shutil.ignore_patterns("build", ".git", ".cache"), symlinks=True)
        cmake = os.environ["DYNAMO_CMAKE"]
        environment = {**os.environ, "CCACHE_DISABLE": "1"}
        for command in ([cmake, "--preset", "release", "-DDYNAMO_TESTS=OFF", "-DDYNAMO_BENCH=OFF"],
                        [cmake, "--build", "build/release", "--target", "dynamo_certs", "dynamo_text", "dynamo_json"]):
            done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, timeout=1200, check=False)
            self.assertEqual(done.returncode, 0, done.stdout[-2000:] + done.stderr[-2000:])
        made = tree / "build/release"
        here = PROGRAM.parent.parent
        objects = [path.relative_to(made) for path in sorted(made.glob("**/*.o"))]
        self.assertGreater(len(objects), 5)
        # Includes debug information, from which the build id is derived.
        self.assertEqual([str(path) for path in objects if (made / path).read_bytes() != (here / path).read_bytes()], [])

    def test_linking_does_not_depend_on_folder(self):
        """Links the whole server and the whole library from identical objects (see above), with the
        linker itself, in a folder that contains only the inputs."""
        build_folder = PROGRAM.parent.parent
        ninja = shutil.which("ninja")
        self.assertTrue(ninja, "ninja must be installed for this test: apt-get install ninja-build")
        for product in (f"bin/{PROGRAM.name}", "lib/libdynamo_admission.so.0"):
            made = (build_folder / product).resolve().relative_to(build_folder.resolve())
            commands = subprocess.run([ninja, "-C", build_folder, "-t", "commands", made], capture_output=True, text=True, timeout=60, check=True)
            link = commands.stdout.splitlines()[-1]
            elsewhere = self.folder / "linked" / product
            parts = [word for word in link.split() if re.fullmatch(r"[\w./+-]+\.(o|a|map)", word) and (build_folder / word).is_file()]
            self.assertGreater(len(parts), 5, link)
            for part in parts:
                if not os.path.isabs(part):
                    (elsewhere / part).parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(build_folder / part, elsewhere / part)
            (elsewhere / made).parent.mkdir(parents=True, exist_ok=True)
            done = subprocess.run(link, shell=True, cwd=elsewhere, capture_output=True, text=True, timeout=300, check=False)
            self.assertEqual(done.returncode, 0, done.stderr[-2000:])
            self.assertEqual(hashlib.sha256((elsewhere / made).read_bytes()).hexdigest(),
                             hashlib.sha256((build_folder / made).read_bytes()).hexdigest(), product)
            shutil.rmtree(elsewhere)

    def test_runs_in_its_bare_root(self):
        self.assertIn("nvidia.com/v1alpha1", bare_root.run(self.root, INSIDE, "--version"))
        self.assertIn("--bind-address", bare_root.run(self.root, INSIDE, "--help"))
        self.assertIn("doctor", bare_root.run(self.root, INSIDE_CHECKER, "doctor", "--help"))
        done = subprocess.run([*bare_root.entering(self.root), INSIDE, "doctor"], capture_output=True, text=True, env={},
                              timeout=60, check=False)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("`kubectl-dynamo doctor`", done.stderr)
        with bare_root.serving(self.root, INSIDE) as server:
            self.assertEqual(server.status("/readyz"), 200)

    def test_is_small_and_contains_no_shell(self):
        entries = [entry for layer in self.layers for entry in layer]
        self.assertLessEqual(sum(entry.size for entry in entries), MAX_UNPACKED)
        programs = [entry.name for entry in entries if entry.isfile() and entry.mode & 0o111
                    and not re.match(r"usr/lib/[a-z0-9_]+-linux-gnu/(lib|ld-)[^/]+\.so[.0-9]*$", entry.name)]
        self.assertEqual(programs, [INSIDE.lstrip("/"), INSIDE_CHECKER.lstrip("/")])
        # No debug information, and no folder name of the build machine.
        self.assertNotIn(b"debug_info", (self.root / INSIDE.lstrip("/")).read_bytes())

    def test_files_belong_to_root_and_are_read_only(self):
        commit_time = int(subprocess.run([SOURCE / "deploy/version", "--epoch"], capture_output=True, check=True).stdout)
        for layer in self.layers:
            self.assertEqual([entry.name for entry in layer], sorted(entry.name for entry in layer))
            for entry in layer:
                self.assertEqual((entry.uid, entry.gid, entry.mtime), (0, 0, commit_time), entry.name)
                self.assertEqual(entry.mode & 0o7022, 0, entry.name) if not entry.issym() else None

    def test_configuration_sets_user_and_entrypoint(self):
        config = self.config["config"]
        self.assertEqual(config["User"], "65532:65532")
        self.assertEqual(config["Entrypoint"], [INSIDE])
        self.assertNotIn("Cmd", config)
        self.assertEqual(sorted(config["ExposedPorts"]), ["8080/tcp", "8081/tcp", "9443/tcp"])
        self.assertEqual((self.config["os"], self.config["architecture"]),
                         ("linux", {"x86_64": "amd64", "aarch64": "arm64"}[os.uname().machine]))
        labels = config["Labels"]
        commit = subprocess.run(["git", "-C", SOURCE, "rev-parse", "HEAD"], capture_output=True, text=True, check=False).stdout
        self.assertEqual(labels["org.opencontainers.image.revision"], commit.strip() or "unknown")
        for name in ("title", "description", "version", "created", "licenses"):
            self.assertTrue(labels[f"org.opencontainers.image.{name}"], name)

    def test_libraries_match_the_loader(self):
        reported = "".join(subprocess.run(["ldd", each], capture_output=True, text=True, check=True).stdout
                           for each in (PROGRAM, CHECKER))
        wanted = {pathlib.PurePath(name).name for name in re.findall(r"^\s*(\S+)(?: =>)? .*\(0x", reported, re.MULTILINE)}
        found = {path.name for path in self.root.glob("usr/lib/*-linux-gnu/*")}
        self.assertEqual(found, wanted - {"linux-vdso.so.1"})

    def test_sbom_lists_every_package_with_licence(self):
        bill = json.loads((self.root / "usr/share/doc/dynamo-admission/sbom.spdx.json").read_text(encoding="utf-8"))
        self.assertEqual(bill["spdxVersion"], "SPDX-2.3")
        packages = {package["name"]: package for package in bill["packages"]}
        ids = {package["SPDXID"] for package in bill["packages"]} | {"SPDXRef-DOCUMENT"}
        self.assertEqual(len(ids), len(packages) + 1)
        for relation in bill["relationships"]:
            self.assertLessEqual({relation["spdxElementId"], relation["relatedSpdxElement"]}, ids)
        licences = {licence["licenseId"]: licence["extractedText"] for licence in bill["hasExtractedLicensingInfos"]}
        for path in self.root.glob("usr/lib/*-linux-gnu/*"):
            name = owner_of(path.name)
            version = subprocess.run(["dpkg-query", "--show", "--showformat=${Version}", name], capture_output=True,
                                     text=True, check=True).stdout
            package = packages[name.split(":")[0]]
            self.assertEqual(package["versionInfo"], version)
            self.assertGreater(len(licences[package["licenseDeclared"]]), 500, name)
            # For scanners, and for readers who need the licence.
            record = (self.root / "var/lib/dpkg/status.d" / package["name"]).read_text(encoding="utf-8")
            self.assertIn(f"\nVersion: {version}\n", record)
            self.assertTrue((self.root / "usr/share/doc" / package["name"] / "copyright").stat().st_size)
        # Compiled in: header-only libraries.
        self.assertIn("libboost1.81-dev", packages)
        for name in ("libgtest-dev", "libc6-dev"):
            self.assertNotIn(name, packages)

    def test_cross_build_has_same_libraries(self):
        build_group = re.search(r"build\) echo (.*?) ;;", (SOURCE / "cmake/dev/packages.sh").read_text(), re.DOTALL)[1]
        for_tests = {"libgtest-dev", "libgmock-dev", "libbenchmark-dev"}
        libraries = {each for each in build_group.split() if each.endswith("-dev")} - for_tests
        cross = re.search(r"packages=\((.*?)\)", (SOURCE / "deploy/image/cross").read_text(), re.DOTALL)[1].split()
        self.assertGreater(len(libraries), 5)
        self.assertLessEqual(libraries, set(cross))
        # Everything else that the image takes from the root.
        self.assertLessEqual({"ca-certificates", "base-files"}, set(cross))

    def test_unpackable_programs_are_refused(self):
        for program, complaint in ((self.folder / "absent", "is not there; ./dev build release absent"),
                                   (BUILD, "must be an ELF program")):
            done = build("--program", program, "--output", self.folder / "none", status=1)
            self.assertIn(complaint, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)
        empty = self.folder / "empty"
        empty.mkdir()
        done = build("--program", PROGRAM, "--sysroot", empty, "--output", self.folder / "none", status=1)
        self.assertRegex(done.stderr, r"\S+\.so\S* must be in one of .* and is not; install the package")
        self.assertFalse((self.folder / "none").exists())

    def test_two_architectures_become_one_image(self):
        other = self.folder / "other.oci.tar"
        sys.path.insert(0, str(BUILD.parent))
        from builder import oci, root
        small = [root.Entry("etc", mode=0o755), root.Entry("etc/passwd", b"x")]
        foreign = {"amd64": "arm64", "arm64": "amd64"}[self.config["architecture"]]
        other.write_bytes(oci.archive([small], architecture=foreign, epoch=1, entrypoint=["/x"], labels={"a": "b"}, ports=[1],
                                      name="1.0")[0])
        both = self.folder / "both.oci.tar"
        join = [sys.executable, "-B", BUILD.with_name("join")]
        printed = subprocess.run([*join, both, other, self.archive], capture_output=True, text=True, check=True).stdout
        with tarfile.open(both) as tar:
            blobs = {name.rpartition("/")[2]: tar.extractfile(name).read() for name in tar.getnames() if name.startswith("blobs/")}
            (outer,) = json.load(tar.extractfile("index.json"))["manifests"]
        for digest, data in blobs.items():
            self.assertEqual(hashlib.sha256(data).hexdigest(), digest)
        self.assertIn(outer["digest"], printed)
        inner = json.loads(blobs[outer["digest"].removeprefix("sha256:")])["manifests"]
        self.assertEqual([one["platform"]["architecture"] for one in inner], ["amd64", "arm64"])
        for one in inner:
            manifest = json.loads(blobs[one["digest"].removeprefix("sha256:")])
            for part in (manifest["config"], *manifest["layers"]):
                self.assertEqual(len(blobs[part["digest"].removeprefix("sha256:")]), part["size"])
        for bad in ([other, other], [other, DOCKERFILE]):
            done = subprocess.run([*join, self.folder / "none", *bad], capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1), done.stderr)

    def test_dockerfile_packs_the_same_tree(self):
        tree = self.folder / "tree"
        build("--program", PROGRAM, CHECKER, "--tree", tree)
        self.assertEqual(bare_root.files_of(tree), bare_root.files_of(self.root))
        for path in bare_root.files_of(tree):
            one, two = tree / path[1:], self.root / path[1:]
            self.assertEqual(one.is_symlink() or one.read_bytes(), two.is_symlink() or two.read_bytes(), path)
        stages = re.split(r"^FROM ", DOCKERFILE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
        self.assertGreaterEqual(len(stages), 2)
        self.assertIn("deploy/image/build --tree", stages[0])
        last = stages[-1]
        self.assertEqual(last.split()[0], "scratch")
        self.assertNotRegex(last, r"(?m)^(RUN|ADD|SHELL|CMD|VOLUME)\b")
        config = self.config["config"]
        self.assertIn(f'\nUSER {config["User"]}\n', last)
        self.assertIn(f"\nENTRYPOINT {json.dumps(config['Entrypoint'])}\n", last)
        self.assertEqual(sorted(re.search(r"^EXPOSE (.*)$", last, re.MULTILINE)[1].split()), sorted(
            port.split("/")[0] for port in config["ExposedPorts"]))
        self.assertEqual(set(re.findall(r"(org\.opencontainers\.[a-z.]+)=", last)), set(config["Labels"]))

    def test_reconciler_has_its_own_image(self):
        program = pathlib.Path(os.environ["DYNAMO_RECONCILER_BINARY"])
        archive, unpacked = self.folder / "reconciler.oci.tar", self.folder / "reconciler"
        build("--program", program, "--output", archive)
        unpacked.mkdir(mode=0o755)
        config, _, layers = bare_root.unpack(archive, unpacked)
        self.assertLessEqual(sum(entry.size for layer in layers for entry in layer), MAX_UNPACKED)
        inside = f"/usr/bin/{program.name}"
        self.assertEqual(config["config"]["Entrypoint"], [inside])
        self.assertEqual(config["config"]["User"], "65532:65532")
        self.assertEqual(sorted(config["config"]["ExposedPorts"]), ["8080/tcp", "8081/tcp"])
        self.assertEqual(config["config"]["Labels"]["org.opencontainers.image.title"], program.name)
        self.assertIn("nvidia.com/v1alpha1", bare_root.run(unpacked, inside, "--version"))
        self.assertIn("--controllers", bare_root.run(unpacked, inside, "--help"))
        self.assertFalse((unpacked / INSIDE.lstrip("/")).exists())
        # Its Dockerfile is the server's, with other names.
        text = DOCKERFILE.read_text(encoding="utf-8")
        for one, other in (("dynamo-webhook kubectl-dynamo", program.name), ("dynamo-webhook", program.name), ("image/Dockerfile ", "image/Dockerfile.reconciler "),
                           ("image/build --tree", f"image/build --program build/release/bin/{program.name} --tree"),
                           ("Admission webhook server for", "Controllers for"), ("EXPOSE 9443 ", "EXPOSE ")):
            self.assertIn(one, text)
            text = text.replace(one, other)
        self.assertEqual(DOCKERFILE.with_name("Dockerfile.reconciler").read_text(encoding="utf-8"), text)
        ignored = [path.read_text(encoding="utf-8") for path in sorted(DOCKERFILE.parent.glob("*.dockerignore"))]
        self.assertEqual(ignored, [ignored[0]] * 2)

    def test_checker_image_validates_a_folder(self):
        program = pathlib.Path(os.environ["DYNAMO_CHECKER_BINARY"])
        archive, unpacked = self.folder / "plugin.oci.tar", self.folder / "plugin"
        build("--program", program, "--output", archive)
        unpacked.mkdir(mode=0o755)
        config, _, _ = bare_root.unpack(archive, unpacked)
        (inside,) = config["config"]["Entrypoint"]
        self.assertEqual((inside, config["config"].get("ExposedPorts")), (f"/usr/bin/{program.name}", {}))
        # As a container runtime mounts the reader's folder, which is the working directory.
        work = unpacked / "work"
        shutil.copytree(SOURCE / "deploy/samples", work)
        self.assertIn(" valid", bare_root.run(unpacked, inside, "validate", "-R", "-f", "work"))
        shutil.copy(SOURCE / "docs/examples/refused_graph.yaml", work)
        self.assertIn("[pod.probe]", bare_root.run(unpacked, inside, "validate", "-R", "-f", "work", status=1))

    def test_buildah_builds_the_same_from_dockerfile(self):
        # Debian's buildah on a minimal Debian, without a registry. A stub replaces the slow build.
        buildah = shutil.which("buildah")
        self.assertTrue(buildah, "buildah must be installed for this test: apt-get install buildah")
        work = self.folder / "dockerfile"
        context = work / "context"
        (context / "deploy/image").mkdir(parents=True)
        build("--program", PROGRAM, CHECKER, "--tree", context / "tree")
        for path, text in (("dev", 'test "$1 $2 $3 $4" = "build release dynamo-webhook kubectl-dynamo"'),
                           ("deploy/image/build", 'test "$1" = --tree && cp -a tree "$2"')):
            (context / path).write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
            (context / path).chmod(0o755)

        def run(command, *arguments):
            done = subprocess.run(
                [buildah, "--root", work / "root", "--runroot", work / "run", "--storage-driver", "vfs", command, *arguments],
                capture_output=True, text=True, timeout=200, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout.strip()

        base = subprocess.run([SOURCE / "tests/deploy/build_root"], stdout=subprocess.PIPE, text=True, timeout=1200,
                              check=True).stdout.strip()
        container = run("from", "scratch")
        run("add", container, base, "/")
        run("commit", "--rm", container, "localhost/debian")
        reported = {"DEBIAN": "localhost/debian", "DYNAMO_VERSION": "1", "DYNAMO_COMMIT": "a", "SOURCE_DATE_EPOCH": "0",
                "CREATED": "2026-01-01T00:00:00Z"}
        run("build", "--isolation", "chroot", "--file", DOCKERFILE, "--tag", "localhost/webhook",
            *(f"--build-arg={name}={value}" for name, value in reported.items()), context)
        run("push", "localhost/webhook", f"oci-archive:{work / 'image.oci.tar'}")
        made = work / "unpacked"
        made.mkdir(mode=0o755)
        config, _, _ = bare_root.unpack(work / "image.oci.tar", made)
        self.assertEqual(bare_root.files_of(made), bare_root.files_of(self.root))
        for key in ("User", "Entrypoint", "ExposedPorts"):
            self.assertEqual(config["config"][key], self.config["config"][key])
        self.assertLessEqual(set(self.config["config"]["Labels"]), set(config["config"]["Labels"]))
        self.assertIn("nvidia.com/v1alpha1", bare_root.run(made, INSIDE, "--version"))


def owner_of(library):
    """The package of a library of this machine."""
    printed = subprocess.run(["dpkg-query", "--search", f"*/{library}"], capture_output=True, text=True, check=False).stdout
    linked = [line.split(": ")[0].split(", ")[0] for line in printed.splitlines() if re.search(r"/lib/[^/]+/[^/]+$", line)]
    return next(name for name in linked if not name.split(":")[0].endswith("-dev"))


if __name__ == "__main__":
    unittest.main()
