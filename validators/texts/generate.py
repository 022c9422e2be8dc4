"""generate.py OUT FILE...: converts the texts of the rules in the Markdown files FILE... to C++ tables
in OUT, in the order of the files. A file is one group of rules:

    # Explanations of the rules for ...        its title, for readers only

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

Other forms are errors that name file and line. tests/validators/texts_test.cpp checks the content of the
texts in the generated tables."""

import pathlib
import re
import sys

FIELDS = ("since", "summary", "explanation", "wrong", "right")
RAW_END = ')text"'


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
    rule = {"id": reader.take(r"## ([a-z0-9]+([.-][a-z0-9]+)+)", "## and the id of a rule")[1]}
    reader.skip_blank()
    rule["since"] = reader.take(r"- since: (\S+)", "- since: VERSION")[1]
    rule["summary"] = reader.take(r"- summary: (\S.*)", "- summary: what must hold")[1]
    reader.skip_blank()
    rule["explanation"] = reader.take_paragraph()
    for which in ("wrong", "right"):
        reader.skip_blank()
        rule[which] = reader.take_example(which)
    reader.skip_blank()
    return rule


def read_group(name, text):
    reader = Reader(name, text)
    reader.take(r"# \S.*", "# and the title of the group")
    reader.skip_blank()
    rules = []
    while not reader.ended():
        rules.append(read_rule(reader))
    if not rules:
        reader.fail("must hold a rule; found none")
    return rules


def literal(text):
    if RAW_END in text:
        raise Mistake(f"{RAW_END} must not stand in a text")
    return f'R"text({text}{RAW_END}'


def table(number, rules):
    rows = ",\n".join(f'    {{"{rule["id"]}", ' + ",\n     ".join(literal(rule[field]) for field in FIELDS) + "}"
                      for rule in rules)
    return f"constexpr RuleText kGroup{number}[] = {{\n{rows},\n}};\n"


def page(groups):
    tables = "\n".join(table(number, rules) for number, rules in enumerate(groups))
    names = ", ".join(f"kGroup{number}" for number in range(len(groups)))
    return ('// Written by validators/texts/generate.py; do not edit.\n#include "validators/texts.hpp"\n\n'
            "namespace dynamo::validators {\nnamespace {\n\n"
            f"{tables}\nconstexpr std::span<const RuleText> kGroups[] = {{{names}}};\n\n"
            "}  // namespace\n\nstd::span<const std::span<const RuleText>> text_groups() {\n  return kGroups;\n}\n\n"
            "}  // namespace dynamo::validators\n")


def main(arguments):
    if len(arguments) < 2:
        print("usage: generate.py OUT FILE...", file=sys.stderr)
        return 2
    try:
        groups = [read_group(name, pathlib.Path(name).read_text(encoding="utf-8")) for name in arguments[1:]]
        pathlib.Path(arguments[0]).write_text(page(groups), encoding="utf-8")
    except Mistake as mistake:
        print(f"generate.py: {mistake}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
