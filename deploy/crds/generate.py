#!/usr/bin/env python3
"""Generates definitions and tables from sources/.

  generate.py crds DIR           write the definitions to DIR/first and DIR/later, for readers
  generate.py chart DIR          write them as a chart's files: small, and kept by an uninstallation
  generate.py chart --check DIR  list those that differ from the sources
  generate.py tables FILE.cpp    write the schemas as C++ constants, for src/schema/table.hpp
  generate.py texts FILE.cpp     write the fields' descriptions, for src/schema/texts.hpp

Exit status: 0 done, or nothing differs; 1 something differs, or a source is wrong; 2 misuse.
"""

import argparse
import os
import sys
from pathlib import Path

# Keeps compiled Python files out of the tree.
sys.dont_write_bytecode = True

from generator import crds, sources, tables, texts  # noqa: E402
from generator.model import GENERATIONS, SourceError  # noqa: E402

HERE = Path(__file__).resolve().parent
RENDERERS = {"crds": crds.render, "chart": crds.render_for_chart}
CONSTANTS = {"tables": tables.render, "texts": texts.render}


def write_crds(files: dict[str, str], directory: Path) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (directory / name).write_text(text, encoding="utf-8")
    for path in stale(files, directory):
        path.unlink()


def check_crds(files: dict[str, str], directory: Path) -> list[str]:
    """The differences in the directory, one line each."""
    wrong = []
    for name, text in files.items():
        path = directory / name
        if not path.is_file():
            wrong.append(f"{path}: is missing")
            continue
        found = path.read_text(encoding="utf-8").splitlines()
        for number, (is_line, should) in enumerate(zip(found, text.splitlines()), 1):
            if is_line != should:
                at = len(os.path.commonprefix([is_line, should]))
                wrong.append(f"{path}:{number}: from character {at + 1}, must be '{part(should, at)}', is '{part(is_line, at)}'")
                break
        else:
            if path.read_text(encoding="utf-8") != text:
                wrong.append(f"{path}: must have {len(text.splitlines())} lines, has {len(found)}")
    wrong += [f"{path}: no source makes it; remove it" for path in stale(files, directory)]
    return wrong


def part(line: str, at: int) -> str:
    """The text around a column; a definition is one line, too long to print."""
    return line[max(at - 30, 0):at + 30]


def stale(files: dict[str, str], directory: Path) -> list[Path]:
    return [path for path in sorted(directory.glob("nvidia.com_*.yaml")) if path.name not in files]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sources", type=Path, default=HERE / "sources", metavar="DIR",
                        help="read these sources (default: sources next to this file)")
    commands = parser.add_subparsers(dest="command", required=True)
    for name in RENDERERS:
        command = commands.add_parser(name)
        command.set_defaults(check=False)
        if name == "chart":
            command.add_argument("--check", action="store_true")
        command.add_argument("directory", type=Path)
    for name in CONSTANTS:
        commands.add_parser(name).add_argument("file", type=Path)
    arguments = parser.parse_args()
    try:
        resources, metadata = sources.read(arguments.sources)
    except SourceError as error:
        print(f"{arguments.sources}/{error}", file=sys.stderr)
        return 1
    if arguments.command in CONSTANTS:
        rendered = CONSTANTS[arguments.command](resources, metadata)
        arguments.file.write_text(rendered, encoding="utf-8")
        return 0
    render = RENDERERS[arguments.command]
    wrong = []
    for generation in GENERATIONS:
        files = {name: render(versions) for name, versions in crds.by_kind(resources, generation).items()}
        if arguments.check:
            wrong += check_crds(files, arguments.directory / generation)
        else:
            write_crds(files, arguments.directory / generation)
    for line in wrong:
        print(line, file=sys.stderr)
    if wrong:
        print("the definitions are not as their sources say; run ./dev docs", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
