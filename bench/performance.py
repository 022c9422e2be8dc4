#!/usr/bin/env python3
"""Writes docs/performance.md and its pictures from the JSON of `./dev bench --json FILE`.

Copies FILE to bench/performance.json, so that the page can be written again. Refuses results that are not fit for
publication; --draft writes a page of them elsewhere. Exits 0 when everything was written, 1 when nothing was.
"""

import argparse
import sys
from pathlib import Path

from driver import page, results
from driver.machine import BenchError

ROOT = Path(__file__).resolve().parent.parent


def files(text: str, is_draft: bool) -> dict[str, str]:
    """All files to write, by their path in the tree, from the text of the JSON."""
    found = results.read(text)
    faults = results.faults(found)
    if faults and not is_draft:
        raise BenchError(f"is not fit for publication: {'; '.join(faults)}. --draft DIR writes a draft of the page")
    written = {page.PAGE: page.page(found, faults), page.DATA: text}
    return written | {f"{page.PICTURES}/{name}": picture for name, picture in page.pictures(found).items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, metavar="FILE", help="the JSON of a run")
    parser.add_argument("--draft", type=Path, metavar="DIR",
                        help="write into this folder, in the layout of the tree, also results that are not fit "
                             "for publication")
    arguments = parser.parse_args()
    root = arguments.draft or ROOT
    try:
        for name, text in files(arguments.file.read_text(), arguments.draft is not None).items():
            target = root / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)
            print(target.relative_to(root) if root == ROOT else target)
    except (BenchError, OSError, UnicodeDecodeError) as error:
        print(f"bench: {arguments.file}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
