#!/usr/bin/env python3
"""Checks what the compiler does not: include directions, banned code, layout of files.

    check_tree.py [--root DIR] [PROMISE...]

Each promise is a separate ctest (label `layering`). A breach is one line: file:line, the problem and
the fix. The tables are in rules.py. Exit status: 0 all kept, 1 some broken, 2 misuse.
"""

import argparse
import dataclasses
import itertools
import pathlib
import re
import sys

import rules

CPP_SUFFIXES = {".cpp", ".hpp"}
TEXT_SUFFIXES = CPP_SUFFIXES | {".py", ".go", ".sh", ".cmake", ".md", ".yaml", ".json", ".txt"}
CODE_SUFFIXES = CPP_SUFFIXES | {".py", ".go", ".sh", ".cmake"}
SKIPPED_FOLDERS = {"build", ".git", ".cache", "__pycache__"}
INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')
# Comments, raw strings, strings and characters; not digit separators (1'000).
TOKEN = re.compile(
    r'(?P<comment>//(?:\\\n|[^\n])*|/\*.*?\*/)'
    r'|(?P<string>R"(?P<tag>[^()\s\\]{0,16})\(.*?\)(?P=tag)"|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-zA-Z_])'(?:\\.|[^'\\\n])*')",
    re.DOTALL,
)


@dataclasses.dataclass(frozen=True, order=True)
class Breach:
    """One broken promise; `text` states the problem and the fix."""

    file: str
    line: int
    text: str

    def __str__(self):
        return f"{self.file}:{self.line}: {self.text}"


class SourceFile:
    """A file of the tree, with its code split from comments and strings."""

    def __init__(self, root, path):
        self.name = path.relative_to(root).as_posix()
        self.folder = folder_of(self.name)
        self.text = path.read_text(encoding="utf-8", errors="replace")

    @property
    def suffix(self):
        return pathlib.PurePosixPath(self.name).suffix

    def lines(self):
        """Numbered lines, unmodified."""
        return enumerate(self.text.splitlines(), 1)

    def code(self):
        """The text without comments and string contents, on the same lines."""
        return blank(self.text, keep_strings=False)

    def code_lines(self):
        """Numbered lines of code()."""
        return enumerate(self.code().splitlines(), 1)

    def includes(self):
        """(line number, opening bracket or quote, header) of each include."""
        for number, line in enumerate(blank(self.text, keep_strings=True).splitlines(), 1):
            match = INCLUDE.match(line)
            if match:
                yield number, match[1], match[2]


class Tree:
    """Everything below the root that is ours."""

    def __init__(self, root, suffixes=frozenset(TEXT_SUFFIXES)):
        self.root = root
        self.files = [
            SourceFile(root, path)
            for path in sorted(root.rglob("*"))
            if path.is_file()
            and not SKIPPED_FOLDERS & set(path.relative_to(root).parts)
            and (path.suffix in suffixes or is_script(path))
        ]

    def cpp(self):
        return [file for file in self.files if file.suffix in CPP_SUFFIXES]

    def headers(self):
        return [file for file in self.files if file.suffix == ".hpp"]


def is_script(path):
    if path.suffix:
        return False
    with path.open("rb") as file:
        return file.read(2) == b"#!"


def blank(text, keep_strings):
    """Replaces comments, and the inside of strings unless kept, by spaces; keeps line numbers."""

    def spaces(match):
        if match["comment"] is None and keep_strings:
            return match[0]
        return re.sub(r"[^\n]", " ", match[0])

    return TOKEN.sub(spaces, text)


def folder_of(name):
    """The folder as the tables name it: `src/json` for src/json/kinds/x.hpp, `tests`, …"""
    parts = name.split("/")
    if len(parts) == 1:
        return ""
    if parts[0] == "src":
        return "/".join(parts[:2]) if len(parts) > 2 else "src"
    return parts[0]


def path_of_include(tree, header):
    """The file of ours that an include names, or None if it does not exist."""
    return next((prefix + header for prefix in ("", "src/") if (tree.root / prefix / header).is_file()), None)


def owner_of_include(tree, header):
    """The folder of ours that an include names, or None if the file does not exist."""
    path = path_of_include(tree, header)
    return None if path is None else folder_of(path)


def includes_follow_one_direction(tree):
    for file in tree.cpp():
        for line, bracket, header in file.includes():
            owner = owner_of_include(tree, header)
            if owner is None:
                if bracket == '"':
                    yield Breach(file.name, line, f'"{header}" is no file of ours seen from the root or '
                                 'from src/: write the path from there, and <> for what others made')
                continue
            if bracket == "<":
                if "/" in header:
                    yield Breach(file.name, line, f'<{header}> is ours: write it in quotes')
                continue
            if file.folder in rules.SHELLS:
                if owner in rules.SHELLS and owner != file.folder and owner != "tests":
                    yield Breach(file.name, line, f'{file.folder}/ may not include {owner}/: move what '
                                 'both need to a library or to tests/support')
                continue
            allowed = rules.MAY_INCLUDE.get(file.folder, set())
            if owner not in allowed:
                yield Breach(file.name, line, f'{file.folder}/ may not include "{header}": it may see '
                             f'only {", ".join(sorted(allowed)) or "nothing"}. Move the code down, or '
                             'pass what is needed as an argument')


def room_of(name):
    """The first subfolder below the folder of a file, or "" for a file directly in it."""
    rest = name.removeprefix(folder_of(name) + "/")
    return rest.split("/")[0] if "/" in rest else ""


def rooms_follow_their_order(tree):
    for file in tree.cpp():
        if file.folder not in rules.ROOMS:
            continue
        levels = {room: level for level, line in enumerate(rules.ROOMS[file.folder]) for room in line}
        room = room_of(file.name)
        if room not in levels:
            yield Breach(file.name, 1, f'is in no room of {file.folder}/: move it into {", ".join(sorted(levels))}, '
                         "or add a room to tests/layering/rules.py")
            continue
        only = rules.ONLY_IN_ROOMS.get(file.folder, {})
        for line, _, header in file.includes():
            path = path_of_include(tree, header)
            owner = header.split("/")[0] if path is None else folder_of(path)
            if room not in only.get(owner, {room}):
                yield Breach(file.name, line, f'{file.folder}/{room} may not include {header}: only '
                             f'{", ".join(sorted(only[owner]))} may. Pass what is needed as an argument')
            if owner != file.folder:
                continue
            other = room_of(path)
            if other != room and levels.get(other, len(levels)) >= levels[room]:
                yield Breach(file.name, line, f'{file.folder}/{room} may not include {header}: {other} is not below '
                             "it in tests/layering/rules.py. Move the code down")


def third_parties_stay_behind_their_folder(tree):
    for file in tree.cpp():
        for line, bracket, header in file.includes():
            if bracket == '"' or owner_of_include(tree, header):
                continue
            party = next((p for p in rules.THIRD_PARTIES if p.headers.match(header)), None)
            if party:
                if file.folder not in party.folders:
                    yield Breach(file.name, line, f'{party.name} (<{header}>) may be included only in '
                                 f'{", ".join(sorted(party.folders))}: {party.instead}')
            elif rules.SYSTEM_HEADERS.match(header):
                if file.folder in rules.PURE:
                    yield Breach(file.name, line, f'<{header}> is of the operating system and '
                                 f'{file.folder}/ is pure: do the I/O in src/server or src/runtime')
            elif not rules.STANDARD_HEADER.match(header):
                yield Breach(file.name, line, f'<{header}> is of a library that is in no row of '
                             'tests/layering/rules.py: add one that says which folder hides it')


def banned_code_is_absent(tree):
    for file in tree.cpp():
        for line, code in file.code_lines():
            for ban in rules.BANS:
                if file.folder not in ban.folders or ban.except_for.fullmatch(file.name):
                    continue
                if ban.pattern.search(code):
                    yield Breach(file.name, line, f"{ban.what} is banned here: {ban.instead}")
            if file.suffix == ".hpp" and re.match(r"\s*using namespace\b", code):
                yield Breach(file.name, line, "using namespace in a header: name what you need instead")
        code = file.code()
        for ban in rules.STATEMENT_BANS:
            if file.folder not in ban.folders or ban.except_for.fullmatch(file.name):
                continue
            for match in ban.pattern.finditer(code):
                line = code.count("\n", 0, match.start()) + 1
                yield Breach(file.name, line, f"{ban.what} is banned here: {ban.instead}")


def nothing_silences_lint_or_names_a_machine(tree):
    for file in tree.files:
        # Manifests and reviews may name paths inside containers.
        if file.name.startswith("tests/layering/") or file.suffix in {".yaml", ".json"}:
            continue
        for line, text in file.lines():
            for pattern, what, instead in rules.TEXT_BANS:
                if pattern.search(text):
                    yield Breach(file.name, line, f"{what}: {instead}")


def headers_explain_their_purpose(tree):
    for file in tree.headers():
        lines = [text for _, text in file.lines() if text.strip()]
        before = list(itertools.takewhile(lambda text: text.startswith("//"), lines))
        rest = lines[len(before):]
        if rest[:1] != ["#pragma once"]:
            yield Breach(file.name, 1, "must have #pragma once before any other code")
        after = list(itertools.takewhile(lambda text: text.startswith("//"), rest[1:]))
        if not any(re.match(r"// \S.{15,}", text) for text in before + after):
            yield Breach(file.name, 1, "must begin with a short // comment that says what it is for")


def sources_include_their_header_first(tree):
    """Including its own header first proves that the header is self-contained."""
    headers = {file.name for file in tree.headers()}
    for file in tree.cpp():
        own = str(pathlib.PurePosixPath(file.name).with_suffix(".hpp"))
        if file.suffix != ".cpp" or own not in headers:
            continue
        first = next(file.includes(), (1, '"', ""))
        if not f"/{own}".endswith(f"/{first[2]}"):
            yield Breach(file.name, first[0], f'must include its own header first, "{own.removeprefix("src/")}": '
                         "this is how we see that the header compiles alone")


def files_are_short_and_well_named(tree):
    for file in tree.files:
        length = file.text.count("\n")
        generated = "DO NOT EDIT" in file.text[:400]
        is_code = file.suffix in CODE_SUFFIXES or not file.suffix
        if is_code and not generated and length > rules.MAX_LINES:
            yield Breach(file.name, length, f"has {length} lines, at most {rules.MAX_LINES} are readable: "
                         "split it so that each part does one thing")
        stem = pathlib.PurePosixPath(file.name).stem
        if file.suffix in CPP_SUFFIXES and not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", stem):
            yield Breach(file.name, 1, "must be named in snake_case")
        if file.suffix == ".cpp" and file.folder == "tests":
            has_tests = re.search(r"^(TEST|TEST_F|TEST_P|TYPED_TEST)\(", file.text, re.MULTILINE)
            if has_tests and not stem.endswith("_test"):
                yield Breach(file.name, 1, "holds tests: must be named *_test.cpp")
    for path in sorted(tree.root.rglob("*")):
        relative = path.relative_to(tree.root)
        if not SKIPPED_FOLDERS & set(relative.parts) and path.suffix in {".h", ".cc", ".cxx", ".hh"} \
                and relative.as_posix() not in rules.C_HEADERS:
            yield Breach(relative.as_posix(), 1, "C++ files end in .hpp and .cpp: rename it")


GOOGLE_TEST = re.compile(r"^(?:TEST|TEST_F|TEST_P|TYPED_TEST|TYPED_TEST_P)\(\s*(\w+),\s*(\w+)\s*\)", re.MULTILINE)
PYTHON_TEST = re.compile(r"^ +def (test\w*)\(self\b", re.MULTILINE)
CTEST = re.compile(r"\badd_test\(\s*NAME\s+\"?([^\s\"]+)")


def test_names_have_one_style(tree):
    """The styles of CONTRIBUTING; names of table rows are parameters and not checked."""
    styles = (
        ({".cpp"}, GOOGLE_TEST, re.compile(r"([A-Z][A-Za-z0-9]*)"), "PascalCase, as GoogleTest's own rules ask for"),
        ({".py"}, PYTHON_TEST, re.compile(r"test_[a-z0-9]+(_[a-z0-9]+)*"), "snake_case behind test_"),
        ({".txt", ".cmake"}, CTEST, re.compile(r"\$\{\w+\}|(\$\{\w+\}|[a-z0-9_])+(\.(\$\{\w+\}|[a-z0-9_])+)+"),
         "LABEL.promise_in_snake_case"),
    )
    for file in tree.files:
        for suffixes, pattern, style, words in styles:
            if file.suffix not in suffixes:
                continue
            for match in pattern.finditer(file.text):
                for name in match.groups():
                    if not style.fullmatch(name):
                        line = file.text.count("\n", 0, match.start()) + 1
                        yield Breach(file.name, line, f"the name of a test must be {words}; found {name}")


def folders_are_known(tree):
    known = set(rules.MAY_INCLUDE) | rules.SHELLS | rules.OTHER_FOLDERS
    seen = {}
    for file in tree.files:
        seen.setdefault(file.folder, file.name)
    for folder, name in sorted(seen.items()):
        if folder and folder not in known:
            yield Breach(name, 1, f"{folder}/ is in no table of tests/layering/rules.py: say there "
                         "what it may include, or put the file where it belongs")


def sources_are_listed_in_cmake(tree):
    listed = sources_in_cmake(tree)
    for file in tree.cpp():
        if file.suffix == ".cpp" and tree.root / file.name not in listed:
            yield Breach(file.name, 1, "no CMakeLists.txt names it, so it is never built: add it to "
                         f"{pathlib.PurePosixPath(file.name).parent}/CMakeLists.txt, or delete it")


def sources_in_cmake(tree):
    """The paths of all .cpp files that CMake lists."""
    listed = set()
    for path in [*tree.root.rglob("CMakeLists.txt"), *tree.root.rglob("*.cmake")]:
        if SKIPPED_FOLDERS & set(path.relative_to(tree.root).parts):
            continue
        text = re.sub(r"#.*", "", path.read_text(encoding="utf-8"))
        for token in re.findall(r"[^\s\"()]+\.cpp\b", text):
            token = token.replace("${CMAKE_SOURCE_DIR}", str(tree.root))
            token = token.replace("${CMAKE_CURRENT_SOURCE_DIR}", str(path.parent))
            listed.add((path.parent / token).resolve())
    return listed


DIRECTIONS = re.compile(r"(?<=<!-- directions: from tests/layering/rules.py -->\n).*?(?=<!-- end of directions -->)", re.DOTALL)
LIBRARY = re.compile(r"\b(?:dynamo_library|dynamo_executable|add_library|add_executable)\(\s*([\w-]+)([^)]*)\)")


def through_all(folders):
    """The folders that these may include according to the table, including themselves."""
    found, pending = set(), set(folders)
    while pending:
        found |= pending
        pending = set().union(*(rules.MAY_INCLUDE[other] for other in pending)) - found
    return found


def directions():
    """The table of ARCHITECTURE.md: the folders that each folder includes, without transitive ones."""
    rows = ["| folder | sees |", "|---|---|"]
    for folder, allowed in rules.MAY_INCLUDE.items():
        seen = allowed - {folder}
        through = set().union(*(rules.MAY_INCLUDE[other] - {other} for other in seen)) if seen else set()
        nearest = [other for other in rules.MAY_INCLUDE if other in seen - through]
        names = ", ".join(f"`{other}`" for other in nearest) or "nothing of ours"
        banned = [f"`{other}`" for other in rules.MAY_INCLUDE if other in through_all(nearest) - allowed]
        rows.append(f"| `{folder}` | {names}{', but not ' + ', '.join(banned) if banned else ''} |")
    return "\n".join(rows) + "\n"


def the_architecture_shows_the_directions(tree):
    page = next((file for file in tree.files if file.name == "ARCHITECTURE.md"), None)
    if page is None:
        return
    shown = DIRECTIONS.search(page.text)
    if shown is None or shown[0] != directions():
        line = page.text[:shown.start()].count("\n") + 1 if shown else 1
        yield Breach(page.name, line, "its table of directions is not that of tests/layering/rules.py: put "
                     "there what `tests/layering/check_tree.py --directions` prints")


def links_follow_the_directions(tree):
    """Checks links like includes; all targets may link our targets outside the table's folders."""
    links = links_of(tree)
    for target, (folder, name, line, words) in links.items():
        for word in words:
            if word in links and links[word][0] not in rules.MAY_INCLUDE[folder]:
                yield Breach(name, line, f"{target} may not link {word} of {links[word][0]}/, which {folder}/ may "
                             "not include: move the code down, or pass what is needed as an argument")


def links_of(tree):
    """The targets of the table's folders: (folder, file, line, names linked) by target."""
    links = {}
    for file in tree.files:
        if not file.name.endswith("CMakeLists.txt") or file.folder not in rules.MAY_INCLUDE:
            continue
        text = re.sub(r"#[^\n]*", "", file.text)
        for match in LIBRARY.finditer(text):
            line = text[:match.start()].count("\n") + 1
            links[match[1]] = (file.folder, file.name, line, match[2].split())
    return links


def linked_through(links, target):
    """The targets that a target links, directly or through others."""
    found, pending = set(), [target]
    while pending:
        new = set(links[pending.pop()][3]) & set(links) - found
        found |= new
        pending += new
    return found


def programs_link_no_foreign_folder(tree):
    links = links_of(tree)
    for program, foreign in rules.PROGRAM_LACKS.items():
        if program not in links:
            continue
        _, name, line, _ = links[program]
        for target in sorted(linked_through(links, program)):
            if links[target][0] in foreign:
                yield Breach(name, line, f"{program} links {target} of {links[target][0]}/, directly or through others: "
                             "move what it needs down")


PROMISES = {
    function.__name__: function
    for function in (
        includes_follow_one_direction,
        rooms_follow_their_order,
        third_parties_stay_behind_their_folder,
        banned_code_is_absent,
        nothing_silences_lint_or_names_a_machine,
        headers_explain_their_purpose,
        sources_include_their_header_first,
        files_are_short_and_well_named,
        test_names_have_one_style,
        folders_are_known,
        sources_are_listed_in_cmake,
        the_architecture_shows_the_directions,
        links_follow_the_directions,
        programs_link_no_foreign_folder,
    )
}


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2])
    parser.add_argument("promises", nargs="*", metavar="PROMISE", help=", ".join(PROMISES))
    parser.add_argument("--directions", action="store_true",
                        help="print the table of ARCHITECTURE.md, and check nothing")
    options = parser.parse_args(arguments)
    if options.directions:
        print(directions(), end="")
        return 0
    unknown = [name for name in options.promises if name not in PROMISES]
    if unknown:
        parser.error(f"unknown promise {unknown[0]}; there are {', '.join(PROMISES)}")
    tree = Tree(options.root.resolve())
    if not tree.cpp():
        parser.error(f"{options.root} holds no C++ file: is it the root of the tree?")
    breaches = []
    for name in options.promises or PROMISES:
        breaches += sorted(PROMISES[name](tree))
    for breach in breaches:
        print(breach)
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
