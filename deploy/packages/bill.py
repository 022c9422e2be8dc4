#!/usr/bin/env python3
"""Writes the bill of materials of one built file: SPDX 2.3 in JSON, with the licence of every library that it loads
or whose headers are compiled in. The same commit on the same Debian gives the same bytes.

  deploy/packages/bill.py build/release/bin/dynamo-webhook >FILE
"""

import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True
SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "deploy/image"))

from builder import debian, elf, headers, sbom  # noqa: E402
from builder.commands import BuildError  # noqa: E402

ROOT = pathlib.Path("/")


def project(*arguments):
    """The version of the tree, from deploy/version."""
    return subprocess.run([SOURCE / "deploy/version", *arguments], capture_output=True, text=True, check=True).stdout.strip()


def bill_of(program):
    """The document's bytes."""
    records = debian.Records(ROOT)
    loaded = records.owners(elf.closure([program], ROOT).values())
    compiled = headers.compiled_in(program, records)
    if compiled is None:
        raise BuildError(f"{program.path} must lie in the folder of its build, which knows what is inside of it")
    return sbom.document(version=project(), commit=project("--commit"), epoch=int(project("--epoch")), programs=[program],
                         loaded=loaded, compiled=compiled,
                         licences={package.name: records.copyright(package) for package in loaded + compiled})


def main():
    if len(sys.argv) != 2:
        print("usage: deploy/packages/bill.py PROGRAM", file=sys.stderr)
        return 2
    try:
        sys.stdout.buffer.write(bill_of(elf.Program(pathlib.Path(sys.argv[1]).resolve())))
    except BuildError as error:
        print(f"bill: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
