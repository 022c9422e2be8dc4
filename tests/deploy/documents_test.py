"""Statements of the documents about the programs, checked against the programs: DYNAMO_WEBHOOK_BINARY,
DYNAMO_RECONCILER_BINARY and DYNAMO_CHECKER_BINARY name them."""

import os
import pathlib
import re
import subprocess
import unittest

import yaml

SOURCE = pathlib.Path(__file__).resolve().parents[2]
WEBHOOK, RECONCILER, CHECKER = (os.environ[f"DYNAMO_{name}_BINARY"] for name in ("WEBHOOK", "RECONCILER", "CHECKER"))
# Every Debian has these.
ESSENTIAL = {"libc6", "libgcc-s1", "libstdc++6"}


def packages_of(libraries):
    """The Debian packages of these files; links are resolved, too."""
    names = {name for path in libraries for name in (str(path), str(path.resolve()), str(path).removeprefix("/usr"))}
    known = subprocess.run(["dpkg-query", "--search", *sorted(names)], capture_output=True, text=True, check=False)
    return {line.partition(":")[0] for line in known.stdout.splitlines()}


def loaded_by(program):
    """The packages of all libraries that a program loads, directly and indirectly."""
    output = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    everything = [pathlib.Path(path) for path in re.findall(r"=> (/\S+)", output)]
    headers = subprocess.run(["readelf", "--wide", "-d", program], capture_output=True, text=True, check=True).stdout
    named = set(re.findall(r"\(NEEDED\).*\[(.+)\]", headers))
    return packages_of([path for path in everything if path.name in named]) - ESSENTIAL, packages_of(everything)


class DocumentsTest(unittest.TestCase):
    def listed(self, page, pattern):
        found = re.search(pattern, (SOURCE / page).read_text(encoding="utf-8"))
        self.assertIsNotNone(found, f"{page} must say: {pattern}")
        return set(found[1].split())

    def expect_complete(self, page, listed, programs):
        all_named, all_loaded = (set().union(*sets) for sets in zip(*map(loaded_by, programs)))
        self.assertGreater(len(all_named), 3, programs)
        self.assertEqual(all_named - listed, set(), f"{page} leaves these out")
        self.assertEqual(listed - all_loaded, set(), f"{page} names what is not loaded")

    def test_documented_libraries_match_server_and_reconciler(self):
        page = "docs/operations/without-helm.md"
        self.expect_complete(page, self.listed(page, r"shared libraries: `([^`]+)`"), [WEBHOOK, RECONCILER])

    def test_documented_libraries_match_checker(self):
        page = "docs/kubectl-dynamo.md"
        self.expect_complete(page, self.listed(page, r"shared libraries: `([^`]+)`"), [CHECKER])

    def test_workflow_installs_libraries_of_checker(self):
        page = "deploy/examples/github-actions.yaml"
        listed = self.listed(page, r"apt-get install --yes --no-install-recommends (.*)")
        self.expect_complete(page, listed - {"ca-certificates", "git"}, [CHECKER])


class PinsTest(unittest.TestCase):
    """A tag of an action or an image can be moved to other code; a digest cannot."""

    def pages(self):
        folders = [SOURCE / name for name in ("docs", "deploy", "examples", ".ci", ".github")]
        found = [*SOURCE.glob("*.md"), *(path for folder in folders for ending in ("md", "yaml", "yml") for path in folder.rglob(f"*.{ending}"))]
        self.assertGreater(len(found), 100)
        return {path.relative_to(SOURCE).as_posix(): path.read_text(encoding="utf-8") for path in found}

    def test_actions_are_pinned_by_commit(self):
        used = [(page, each) for page, text in self.pages().items() for each in re.findall(r"^[ \t]*(?:- +)?uses: *(\S.*)$", text, re.MULTILINE)]
        self.assertGreaterEqual(len(used), 4)
        loose = [each for each in used if not re.fullmatch(r"[\w.-]+/[\w./-]+@[0-9a-f]{40}  # v\d+\.\d+\.\d+", each[1])]
        self.assertEqual(loose, [])
        # One version of each action.
        self.assertEqual(len({each for _, each in used}), len({each.partition("@")[0] for _, each in used}))

    def test_images_of_jobs_are_pinned_by_digest(self):
        images = []
        for path in (SOURCE / "deploy/examples").glob("*.yaml"):
            for job in (yaml.safe_load(path.read_text(encoding="utf-8")).get("jobs") or {}).values():
                for each in (job.get("container"), *(job.get("services") or {}).values()):
                    images.append(each["image"] if isinstance(each, dict) else each)
                images += [step["uses"] for step in job["steps"] if step.get("uses", "").startswith("docker://")]
        images = [each for each in images if each]
        self.assertEqual([each for each in images if not re.search(r"@sha256:[0-9a-f]{64}$", each)], [])
        base = re.search(r"^ARG DEBIAN=(\S+)$", (SOURCE / "deploy/image/Dockerfile").read_text(encoding="utf-8"), re.MULTILINE)[1]
        self.assertEqual(set(images), {base})


if __name__ == "__main__":
    unittest.main()
