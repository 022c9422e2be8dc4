"""Generates C++ tables from the rules and their texts.

    generate.py texts OUT.cpp FILE.md...            the texts, for validators/texts.hpp
    generate.py rules OUT.cpp FILE.cpp... FILE.md...  the rules, in the order of their texts

A source file holds its rules as constants, each of which begins with its id:

    extern constexpr Rule kNameRule{
        .id = "rule.id",

A text file holds rules of one group, in the order in which they run:

    # Explanations of the rules for ...        its title, for readers only

    - group: scaling

    ## rule.id

    - since: 0.1.0
    - summary: one line: what must hold

    Two to five sentences.

    ```yaml wrong
    a manifest on which only this rule reports a finding
    ```

    ```yaml right
    a manifest on which no rule does
    ```

    ```yaml cases
    optional: the test cases of the rule, which tests/validators/text_cases.hpp describes
    ```

Other forms, a rule without text and a text without rule are errors that name file and line.
tests/validators/texts_test.cpp checks the content of the texts in the generated tables."""

import pathlib
import re
import sys

FIELDS = ("since", "summary", "explanation", "wrong", "right")
RAW_END = ')text"'
SPACE = "dynamo::validators"
HEAD = "// Written by validators/texts/generate.py; do not edit.\n"


class Mistake(Exception):
    pass


class Reader:
    """One file, line by line."""

    def __init__(self, name, text):
        self.name = name
        self.lines = text.removesuffix("\n").split("\n")
        self.at = 0

    def fail(self, what):
        raise Mistake(f"{self.name}:{self.at + 1}: {what}")

    def ended(self):
        return self.at == len(self.lines)

    def line(self):
        return "" if self.ended() else self.lines[self.at]

    def skip_blank(self):
        while not self.ended() and not self.line():
            self.at += 1

    def take(self, pattern, wanted):
        match = re.fullmatch(pattern, self.line())
        if self.ended() or not match:
            self.fail(f"must be {wanted}; found {self.line()!r}")
        self.at += 1
        return match

    def take_paragraph(self):
        lines = []
        while self.line() and not self.line().startswith(("#", "```", "- ")):
            lines.append(self.line())
            self.at += 1
        if not lines:
            self.fail(f"must be an explanation; found {self.line()!r}")
        return "".join(line + "\n" for line in lines)

    def take_example(self, which):
        self.take(rf"```yaml {which}", f"```yaml {which}")
        lines = []
        while not self.ended() and self.line() != "```":
            lines.append(self.line())
            self.at += 1
        self.take("```", "the end of the example, ```")
        return "".join(line + "\n" for line in lines)


def read_rule(reader):
    place = f"{reader.name}:{reader.at + 1}"
    rule = {"id": reader.take(r"## ([a-z0-9]+([.-][a-z0-9]+)+)", "## and the id of a rule")[1], "place": place}
    reader.skip_blank()
    rule["since"] = reader.take(r"- since: (\S+)", "- since: VERSION")[1]
    rule["summary"] = reader.take(r"- summary: (\S.*)", "- summary: what must hold")[1]
    reader.skip_blank()
    rule["explanation"] = reader.take_paragraph()
    for which in ("wrong", "right"):
        reader.skip_blank()
        rule[which] = reader.take_example(which)
    reader.skip_blank()
    if reader.line() == "```yaml cases":
        reader.take_example("cases")
        reader.skip_blank()
    return rule


def read_file(name):
    """Returns the group that the file names, and its rules."""
    reader = Reader(name, pathlib.Path(name).read_text(encoding="utf-8"))
    reader.take(r"# \S.*", "# and the title of the file")
    reader.skip_blank()
    group = reader.take(r"- group: ([a-z]+)", "- group: GROUP")[1]
    reader.skip_blank()
    rules = []
    while not reader.ended():
        rules.append(read_rule(reader))
    if not rules:
        reader.fail("must hold a rule; found none")
    return group, rules


def literal(text):
    if RAW_END in text:
        raise Mistake(f"{RAW_END} must not stand in a text")
    return f'R"text({text}{RAW_END}'


def text_table(number, rules):
    rows = ",\n".join(f'    {{"{rule["id"]}", ' + ",\n     ".join(literal(rule[field]) for field in FIELDS) + "}"
                      for rule in rules)
    return f"constexpr RuleText kGroup{number}[] = {{\n{rows},\n}};\n"


def texts_page(files):
    tables = "\n".join(text_table(number, rules) for number, (_, rules) in enumerate(files))
    names = ", ".join(f"kGroup{number}" for number in range(len(files)))
    return (HEAD + '#include "validators/texts.hpp"\n\nnamespace dynamo::validators {\nnamespace {\n\n'
            f"{tables}\nconstexpr std::span<const RuleText> kGroups[] = {{{names}}};\n\n"
            "}  // namespace\n\nstd::span<const std::span<const RuleText>> text_groups() {\n  return kGroups;\n}\n\n"
            "}  // namespace dynamo::validators\n")


def rules_of_source(name):
    """Yields id, namespace, constant and place of each rule in a C++ source."""
    namespaces = []
    lines = pathlib.Path(name).read_text(encoding="utf-8").split("\n")
    for number, line in enumerate(lines, 1):
        if match := re.fullmatch(r"namespace ([\w:]*) ?\{", line):
            namespaces.append(match[1])
        elif line.startswith("}  // namespace"):
            namespaces.pop()
        elif match := re.match(r"extern constexpr Rule (k\w+)", line):
            place = f"{name}:{number}"
            rule_id = re.fullmatch(r'    \.id = "([^"]+)",', lines[number]) if number < len(lines) else None
            if not line.endswith("{") or not rule_id:
                raise Mistake(f'{place}: a rule must begin with its id: {match[1]}{{ and .id = "..." below')
            if "" in namespaces:
                raise Mistake(f"{place}: {match[1]} must be outside of the unnamed namespace")
            yield rule_id[1], "::".join(namespaces), match[1], place


def collect(sources):
    found = {}
    for source in sources:
        for rule_id, namespace, constant, place in rules_of_source(source):
            if rule_id in found:
                raise Mistake(f"{place}: {rule_id} is defined at {found[rule_id][2]}, too")
            found[rule_id] = (namespace, constant, place)
    return found


def rules_page(sources, files):
    found = collect(sources)
    groups, declarations = {}, {}
    for group, rules in files:
        if group in groups and next(reversed(groups)) != group:
            raise Mistake(f"{rules[0]['place']}: the files of group {group} must follow each other")
        for rule in rules:
            if rule["id"] not in found:
                raise Mistake(f"{rule['place']}: no source defines the rule {rule['id']}, or two texts explain it")
            namespace, constant, _ = found.pop(rule["id"])
            declarations.setdefault(namespace, []).append(constant)
            groups.setdefault(group, []).append(f"&{namespace}::{constant}")
    for rule_id, (_, _, place) in found.items():
        raise Mistake(f"{place}: no file of validators/texts explains the rule {rule_id}")
    declared = "\n".join(f"namespace {namespace} {{\n" + "".join(f"extern const Rule {name};\n" for name in names) + "}\n"
                         for namespace, names in declarations.items())
    tables = "\n".join(f"constexpr const Rule* k{group.capitalize()}[] = {{\n    " + ",\n    ".join(rules) + ",\n};\n"
                       for group, rules in groups.items())
    rows = ",\n".join(f'    {{"{group}", k{group.capitalize()}}}' for group in groups)
    return (HEAD + '#include "validators/rule_groups.hpp"\n\n'
            f"{declared}\nnamespace {SPACE} {{\nnamespace {{\n\n{tables}\n"
            f"constexpr CollectedGroup kGroups[] = {{\n{rows},\n}};\n\n}}  // namespace\n\n"
            "std::span<const CollectedGroup> collected_groups() {\n  return kGroups;\n}\n\n"
            f"}}  // namespace {SPACE}\n")


def main(arguments):
    if len(arguments) < 3 or arguments[0] not in ("texts", "rules"):
        print(__doc__, file=sys.stderr)
        return 2
    command, out, *names = arguments
    try:
        files = [read_file(name) for name in names if name.endswith(".md")]
        sources = [name for name in names if not name.endswith(".md")]
        page = texts_page(files) if command == "texts" else rules_page(sources, files)
    except Mistake as mistake:
        print(f"generate.py: {mistake}", file=sys.stderr)
        return 1
    target = pathlib.Path(out)
    # An unchanged table is not compiled again.
    if not target.exists() or target.read_text(encoding="utf-8") != page:
        target.write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
