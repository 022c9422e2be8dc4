#!/usr/bin/env python3
"""Checks the words: banned phrases, comments that name files, names of tests and subjects of commits.

    prose_check.py [--root DIR] [--list [FILE...]] [--update]

Reads comments, docstrings, Markdown, help, texts for users and of alerts, and names of tests. The number of banned phrases in a file may
only fall: prose_baseline.json holds it for each file, and a file that is not there must have none. --list prints
every phrase with the words to write instead; --update writes the baseline after phrases were removed.
Exit status: 0 kept, 1 broken, 2 misuse.
"""

import argparse
import ast
import collections
import itertools
import json
import pathlib
import re
import subprocess
import sys

import check_tree
import prose_rules

BASELINE = "tests/layering/prose_baseline.json"
MAX_SUBJECT = 60
MAX_TEST_NAME = 8
SUFFIXES = check_tree.TEXT_SUFFIXES | {".h", ".tpl"}
# The last commit whose subject is older than the limit.
SUBJECTS_SINCE = "72a9bcd9"

CPP_TESTS = re.compile(r"^\s*(?:TEST|TEST_F|TEST_P|TYPED_TEST)\(\s*\w+\s*,\s*(\w+)\s*\)", re.MULTILINE)
PYTHON_TESTS = re.compile(r"^\s*def test_(\w+)", re.MULTILINE)
GO_TESTS = re.compile(r"^func Test(\w+)\(", re.MULTILINE)
GO_TOKEN = re.compile(r"//(?P<line>[^\n]*)|/\*(?P<block>.*?)\*/|`[^`]*`|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.DOTALL)
HELM_COMMENT = re.compile(r"\{\{-?\s*/\*(.*?)\*/\s*-?\}\}", re.DOTALL)
HELM_ACTION = re.compile(r"\{\{.*?\}\}", re.DOTALL)
STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
ALERT = re.compile(r"^ *- alert:", re.MULTILINE)
# The text of a Debian package; its first line is a summary without a full stop.
PACKAGE_TEXTS = re.compile(r'set\(CPACK_\w+_DESCRIPTION\s+"((?:[^"\\]|\\.)*)"', re.DOTALL)
CMAKE_TESTS = re.compile(r"add_test\(\s*NAME\s+\"?([\w.]+)")
DOCSTRING = re.compile(r'^[ \t]*(?:r?"""(.*?)""")', re.MULTILINE | re.DOTALL)
HASH_COMMENT = re.compile(r"(?:^|(?<=\s))#(?!!|\{)([^\n]*)")
# The help that a shell script prints, and the name of an entry before its description.
HEREDOC = re.compile(r"^[ \t]*cat <<'(\w+)'\n(.*?)^\1$", re.MULTILINE | re.DOTALL)
ENTRY = re.compile(r"\A {1,3}\S.*? {2,}")
HELP_ARGUMENTS = {"description", "epilog", "help"}
FENCE = re.compile(r"^ *(```|~~~).*?^ *\1[^\n]*$", re.MULTILINE | re.DOTALL)
INDENTED = re.compile(r"^(?: {4,}|\t)(?![-*0-9|])[^\n]*$", re.MULTILINE)
INLINE_CODE = re.compile(r"(`+)[^`\n]*\1|\]\([^)\s]*\)|<!--.*?-->|<[^>\n]*>", re.DOTALL)
WORD = re.compile(r"[A-Za-z][A-Za-z'’-]*")
NAMED_FILE = re.compile(r"(?<![\w*<>{}./-])((?:[\w.-]+/)*[\w.-]*\w\.(?:cpp|hpp|py|cmake))\b(?![*(])")

TEST_DATA = re.compile(r"^(?:tests/testdata/|tests/.*/testdata/|fuzz/corpus|deploy/crds/nvidia|docs/rules/|deploy/.*dashboards/.*\.json)")


class Passage:
    """Some prose of a file: its first line's number, and its text."""

    def __init__(self, line, text):
        self.line = line
        self.text = text


def spaces(match):
    return re.sub(r"[^\n]", " ", match[0])


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def joined(pieces):
    """Comments on successive lines as one passage, so that a phrase may run over the end of a line."""
    group = None
    for line, text in pieces:
        if group is not None and line == group.line + group.text.count("\n") + 1:
            group.text += "\n" + text
            continue
        if group is not None:
            yield group
        group = Passage(line, text)
    if group is not None:
        yield group


def words_of_name(name):
    """ThePlannerMay, the_planner_may and TheURLsOfCAs as the words that they are."""
    name = re.sub(r"(?<=[A-Z])(?=[A-Z](?!s(?:[A-Z]|$))[a-z])", " ", name)
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name).replace("_", " ").replace(".", " ")


def names_of_tests(file):
    """(line, name) of each test of a file; for CTest the whole name with its groups."""
    if file.suffix == ".cpp":
        pattern = CPP_TESTS
    elif file.suffix == ".go":
        pattern = GO_TESTS
    elif file.suffix == ".py" or not file.suffix:
        pattern = PYTHON_TESTS
    elif "CMake" in file.name or file.suffix == ".cmake":
        pattern = CMAKE_TESTS
    else:
        return
    text = DOCSTRING.sub(spaces, file.text) if pattern is PYTHON_TESTS else file.text
    for match in pattern.finditer(text):
        yield line_of(text, match.start(1)), match[1]


def long_names_of_tests(tree):
    for file in tree.files:
        for line, name in names_of_tests(file):
            # The groups of a CTest name are not part of its sentence.
            words = words_of_name(name.rpartition(".")[2]).split()
            if len(words) > MAX_TEST_NAME:
                yield f"{file.name}:{line}: the name of a test has {len(words)} words, at most {MAX_TEST_NAME}: {name}"


def cpp_passages(file):
    pieces, texts = [], []
    for match in check_tree.TOKEN.finditer(file.text):
        line = line_of(file.text, match.start())
        if match["comment"] is not None:
            text = re.sub(r"^/[/*][/!<]*|\*/$", "", match["comment"])
            pieces += [(line + number, re.sub(r"^\s*\* ?", " ", each)) for number, each in enumerate(text.split("\n"))]
        elif file.name.startswith(("tests/", "fuzz/", "bench/")):
            continue
        elif match["tag"] is not None:
            yield from markdown_of(re.sub(r'^R"[^(]*\(|\)[^)"]*"$', "", match[0]), line)
        elif match[0][0] == '"':
            # The name of an included file is checked where the file is named.
            if not file.text.startswith("#include", file.text.rfind("\n", 0, match.start()) + 1):
                texts.append((line, match[0][1:-1]))
    yield from joined(pieces)
    # Literals on successive lines are one text; short ones are names.
    for passage in joined(texts):
        if len(WORD.findall(passage.text)) >= 4:
            yield passage


def hash_passages(file):
    text = file.text
    if file.suffix == ".py" or not file.suffix:
        for match in DOCSTRING.finditer(text):
            yield Passage(line_of(text, match.start()), match[1])
        text = DOCSTRING.sub(spaces, text)
    for match in PACKAGE_TEXTS.finditer(text) if file.suffix == ".cmake" else ():
        summary, _, rest = match[1].partition("\n")
        line = line_of(text, match.start(1))
        yield Passage(line, summary)
        yield Passage(line + 1, rest)
    yield from joined((line_of(text, match.start()), match[1]) for match in HASH_COMMENT.finditer(text)
                      if len(WORD.findall(match[1])) >= 2)


def help_passages(file):
    """The help of a Python program's arguments, and each entry of the help of a shell script."""
    if is_python(file):
        calls = (node for node in ast.walk(ast.parse(file.text)) if isinstance(node, ast.Call))
        for argument in itertools.chain.from_iterable(call.keywords for call in calls):
            value = argument.value
            if argument.arg in HELP_ARGUMENTS and isinstance(value, ast.Constant) and isinstance(value.value, str):
                yield Passage(value.lineno, value.value)
        return
    for match in HEREDOC.finditer(file.text):
        line = line_of(file.text, match.start(2))
        for entry in re.split(r"\n(?= {0,3}\S|\n)", match[2]):
            yield Passage(line, ENTRY.sub(spaces, entry))
            line += entry.count("\n") + 1


def is_python(file):
    return file.suffix == ".py" or not file.suffix and "python" in file.text.partition("\n")[0]


def go_passages(file):
    """Comments. Directives, such as //go:build, have no space after the slashes."""
    pieces = []
    for match in GO_TOKEN.finditer(file.text):
        line = line_of(file.text, match.start())
        if match["block"] is not None:
            pieces += [(line + number, each) for number, each in enumerate(match["block"].split("\n"))]
        elif match["line"] and not re.match(r"\w+:", match["line"]):
            pieces.append((line, match["line"]))
    return joined(pieces)


def helm_passages(file):
    """Comments of a template, the texts of its actions and, outside of YAML, the text that it prints."""
    text = file.text
    for match in HELM_COMMENT.finditer(text):
        yield Passage(line_of(text, match.start(1)), match[1])
    text = HELM_COMMENT.sub(spaces, text)
    for action in HELM_ACTION.finditer(text):
        for match in STRING.finditer(action[0]):
            if len(WORD.findall(match[1])) >= 4:
                yield Passage(line_of(text, action.start() + match.start()), match[1])
    if file.suffix != ".yaml":
        lines = enumerate(HELM_ACTION.sub(lambda match: re.sub(r"[^\n]", "`", match[0]), text).split("\n"), 1)
        yield from joined((number, each) for number, each in lines if WORD.search(each))


def yaml_fields(file):
    """(key, its value as a passage) of each line with a key."""
    fields = []
    for number, text in enumerate(file.text.split("\n"), 1):
        key = re.match(r" *(?:- )?([\w$./-]+)!?:(?= |$)", text)
        if key is not None:
            fields.append((key[1], Passage(number, re.sub(r"^ *[>|]-?$", "", text[key.end():]))))
        elif fields and not text.lstrip().startswith("#"):
            fields[-1][1].text += "\n" + text
    return fields


def alert_passages(file):
    """The texts of the alerts of a file, without their templates."""
    for name, passage in yaml_fields(file) if ALERT.search(file.text) else ():
        if name in {"summary", "description"}:
            yield Passage(passage.line, HELM_ACTION.sub("`", re.sub(r"^\s*'|'\s*$", " ", passage.text)))


def definition_passages(file):
    """The descriptions in a source of the custom resource definitions: each is a passage of its own."""
    for name, passage in yaml_fields(file):
        short_form = re.match(r".*? -- ", passage.text, re.DOTALL)
        if short_form is not None:
            yield Passage(passage.line, spaces(short_form) + passage.text[short_form.end():])
        elif name == "description":
            yield passage


def markdown_of(text, line=1):
    """The paragraphs of Markdown whose first line has this number."""
    text = FENCE.sub(spaces, text)
    text = INLINE_CODE.sub(lambda match: re.sub(r"[^\n]", "`", match[0]), INDENTED.sub(spaces, text))
    for paragraph in re.split(r"(\n[ \t]*\n|\n(?=[ \t]*[-*|#]|\d+\. )|\|)", text):
        if WORD.search(paragraph):
            yield Passage(line, re.sub(r"^[ \t]*(?:[-*#]+|\d+\.)[ \t]+", lambda match: " " * len(match[0]), paragraph))
        line += paragraph.count("\n")


def passages(file):
    """The prose of a file."""
    names = (Passage(line, words_of_name(name)) for line, name in names_of_tests(file))
    return itertools.chain(texts_of(file), names)


def texts_of(file):
    is_template = file.suffix == ".tpl" or "/templates/" in file.name and file.name.startswith("deploy/charts/")
    if file.name.startswith("deploy/crds/sources/"):
        return itertools.chain(hash_passages(file), definition_passages(file))
    if file.suffix in check_tree.CPP_SUFFIXES | {".h"}:
        return cpp_passages(file)
    if file.suffix == ".go":
        return go_passages(file)
    if file.suffix == ".md":
        return markdown_of(file.text)
    if is_template and file.suffix != ".yaml":
        return helm_passages(file)
    if file.suffix == ".yaml":
        return itertools.chain(hash_passages(file), alert_passages(file), helm_passages(file) if is_template else ())
    if file.suffix in {".py", ".sh", ""}:
        return itertools.chain(hash_passages(file), help_passages(file))
    if file.suffix in {".cmake", ".txt"}:
        return hash_passages(file)
    return ()


class Finding:
    """A banned phrase at a line of a file."""

    def __init__(self, file, line, found, phrase):
        self.file, self.line, self.found, self.phrase = file, line, found, phrase

    def __str__(self):
        return f"{self.file}:{self.line}: '{self.found}': write {self.phrase.instead}"


def findings_of(name, passage):
    line, text = spaced(passage)
    for phrase in prose_rules.PHRASES:
        for match in phrase.pattern.finditer(text):
            yield Finding(name, line + text.count("\n", 0, match.start()), " ".join(match[0].split()), phrase)


def spaced(passage):
    """The passage with its first line's number, one white space between two words."""
    text = passage.text
    start = len(text) - len(text.lstrip())
    return passage.line + text.count("\n", 0, start), re.sub(r"[ \t]*\n[ \t]*", "\n", re.sub(r"[ \t]+", " ", text.strip()))


def prose_files(tree):
    return [file for file in tree.files
            if file.name not in prose_rules.EXEMPT and not TEST_DATA.search(file.name) and file.suffix != ".json"
            and not is_generated_go(file)]


def is_generated_go(file):
    return file.suffix == ".go" and ("zz_generated" in file.name or "DO NOT EDIT" in file.text[:400])


def survey(tree):
    """All findings of the tree, and the number of its words."""
    found, words = [], 0
    for file in prose_files(tree):
        for passage in passages(file):
            words += len(WORD.findall(passage.text))
            found += findings_of(file.name, passage)
    return found, words


def against_baseline(found, baseline):
    """One line for each file that has more phrases than the baseline allows, or fewer."""
    counts = collections.Counter(finding.file for finding in found)
    for name in sorted(counts | collections.Counter(baseline)):
        now, allowed = counts[name], baseline.get(name, 0)
        if now > allowed:
            yield f"{name}: {now} banned phrases, {allowed} allowed"
            yield from (f"  {finding}" for finding in found if finding.file == name)
        elif now < allowed:
            yield f"{name}: {now} banned phrases, the baseline says {allowed}: run prose_check.py --update"


def files_named_in_comments(tree):
    """Comments of sources that name a file which does not exist."""
    known = {path for file in tree.files for path in tails(file.name)}
    for file in tree.files:
        if file.suffix not in check_tree.CPP_SUFFIXES | {".py", ".cmake"} or file.name.startswith(("tests/layering/", "tests/dev/")):
            continue
        for passage in passages(file):
            for match in NAMED_FILE.finditer(passage.text):
                if match[1] not in known and f"{match[1]}.in" not in known and not is_placeholder(match[1]):
                    line = passage.line + passage.text.count("\n", 0, match.start())
                    yield f"{file.name}:{line}: names {match[1]}, which does not exist"


def is_placeholder(name):
    """FILE.cpp of a usage, or a name of an example, such as something.cpp."""
    stem = pathlib.PurePosixPath(name).stem
    return stem.isupper() or "something/" in name


def tails(name):
    parts = name.split("/")
    return ["/".join(parts[at:]) for at in range(len(parts))]


def has_history(root):
    """False in a shallow clone, and without Git."""
    known = subprocess.run(["git", "-C", root, "cat-file", "-e", f"{SUBJECTS_SINCE}^{{commit}}"], capture_output=True, check=False)
    return known.returncode == 0


def long_subjects(root):
    """Subjects of commits that are too long."""
    log = subprocess.run(["git", "-C", root, "log", "--no-merges", "--format=%h %s", f"{SUBJECTS_SINCE}..HEAD"],
                         capture_output=True, check=True, text=True)
    for line in log.stdout.splitlines():
        commit, _, subject = line.partition(" ")
        if len(subject) > MAX_SUBJECT:
            yield f"commit {commit}: the subject has {len(subject)} characters, at most {MAX_SUBJECT}: {subject}"


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2])
    parser.add_argument("--list", nargs="*", metavar="FILE", help="print the phrases of these files, or of all")
    parser.add_argument("--update", action="store_true", help="write the baseline; it may not grow")
    options = parser.parse_args(arguments)
    root = options.root.resolve()
    tree = check_tree.Tree(root, SUFFIXES)
    found, words = survey(tree)
    rate = f"{len(found)} banned phrases in {words} words: {1000 * len(found) / max(words, 1):.2f} per 1,000"
    if options.list is not None:
        for finding in found:
            if not options.list or any(finding.file.startswith(name) for name in options.list):
                print(finding)
        print(rate)
        return 0
    baseline_file = root / BASELINE
    baseline = json.loads(baseline_file.read_text(encoding="utf-8")) if baseline_file.exists() else {}
    if options.update:
        counts = collections.Counter(finding.file for finding in found)
        grown = [name for name in counts if baseline and counts[name] > baseline.get(name, 0)]
        if grown:
            print("\n".join(f"{name}: more banned phrases than before" for name in sorted(grown)))
            return 1
        baseline_file.write_text(json.dumps(dict(sorted(counts.items())), indent=0) + "\n", encoding="utf-8")
        print(rate)
        return 0
    broken = [*against_baseline(found, baseline), *files_named_in_comments(tree), *long_names_of_tests(tree)]
    if has_history(root):
        broken += long_subjects(root)
    else:
        print(f"subjects of commits are not checked: commit {SUBJECTS_SINCE} is not in this clone")
    print("\n".join(broken))
    print(rate)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
