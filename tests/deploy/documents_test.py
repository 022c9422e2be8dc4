"""What the documents say of the program, held against the program: DYNAMO_WEBHOOK_BINARY names it."""

import os
import pathlib
import re
import subprocess
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ["DYNAMO_WEBHOOK_BINARY"]
# Every Debian has these.
ESSENTIAL = {"libc6", "libgcc-s1", "libstdc++6"}


def packages_of(libraries):
    """The Debian packages that these files belong to, found through the files' real names too."""
    names = {name for path in libraries for name in (str(path), str(path.resolve()), str(path).removeprefix("/usr"))}
    known = subprocess.run(["dpkg-query", "--search", *sorted(names)], capture_output=True, text=True, check=False)
    return {line.partition(":")[0] for line in known.stdout.splitlines()}


class DocumentsTest(unittest.TestCase):
    def test_the_libraries_to_install_are_those_that_the_program_loads(self):
        said = subprocess.run(["ldd", PROGRAM], capture_output=True, text=True, check=True).stdout
        everything = [pathlib.Path(path) for path in re.findall(r"=> (/\S+)", said)]
        headers = subprocess.run(["readelf", "--wide", "-d", PROGRAM], capture_output=True, text=True, check=True).stdout
        named = set(re.findall(r"\(NEEDED\).*\[(.+)\]", headers))
        direct = packages_of([path for path in everything if path.name in named]) - ESSENTIAL
        self.assertGreater(len(direct), 3, said)
        text = (SOURCE / "docs/operations/without-helm.md").read_text(encoding="utf-8")
        listed = re.search(r"shared libraries: `([^`]+)`", text)
        self.assertIsNotNone(listed, "docs/operations/without-helm.md must say: shared libraries: `PACKAGE …`")
        missing = direct - set(listed[1].split())
        self.assertEqual(missing, set(), "docs/operations/without-helm.md leaves these out")
        superfluous = set(listed[1].split()) - packages_of(everything)
        self.assertEqual(superfluous, set(), "docs/operations/without-helm.md names what is not loaded")


if __name__ == "__main__":
    unittest.main()
