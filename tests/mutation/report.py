"""The result of a mutation run: the explained changes, and the report."""

import collections
import dataclasses

import tree

REQUIRED = 92  # percent


@dataclasses.dataclass(frozen=True)
class Explained:
    """A change that no input shows, with the reason."""

    path: str
    line_text: str
    change: str
    reason: str

    @property
    def key(self):
        return (self.path, self.line_text, self.change)


class FormatError(Exception):
    """A malformed entry of equivalent.txt."""


def read_explained(text):
    """Entries of four lines (the file, then `line:`, `change:` and `reason:`), between empty lines."""
    entries = []
    for block in text.split("\n\n"):
        lines = [line for line in block.split("\n") if line.strip() and not line.startswith("#")]
        if not lines:
            continue
        fields = {}
        for line in lines[1:]:
            name, _, value = line.strip().partition(": ")
            fields[name] = value
        if len(lines) != 4 or set(fields) != {"line", "change", "reason"} or not all(fields.values()):
            raise FormatError(f"an entry must have a file, line, change and reason; found {lines}")
        entries.append(Explained(lines[0].strip(), fields["line"], fields["change"], fields["reason"]))
    return entries


def outdated(entries, root):
    """Entries whose file does not contain the line."""
    found = []
    for entry in entries:
        path = root / entry.path
        lines = {line.strip() for line in path.read_text().split("\n")} if path.is_file() else set()
        if entry.line_text not in lines:
            found.append(entry)
    return found


@dataclasses.dataclass
class Row:
    made: int = 0
    compiled: int = 0
    reached: int = 0
    noticed: int = 0
    explained: int = 0

    @property
    def unexplained(self):
        return self.compiled - self.noticed - self.explained

    @property
    def percent(self):
        counted = self.compiled - self.explained
        return 100.0 * self.noticed / counted if counted else 100.0


def count(made, results, explained):
    """Rows by folder, and "all". `results` maps a mutant to (result, program, how)."""
    rows = collections.defaultdict(Row)
    for mutant in made:
        for name in (tree.folder_of(mutant.path), "all"):
            row = rows[name]
            row.made += 1
            if mutant not in results:
                continue
            result = results[mutant][0]
            row.compiled += 1
            row.reached += result != "not reached"
            row.noticed += result == "noticed"
            row.explained += result != "noticed" and mutant.key in explained
    return rows


def write(made, results, explained, programs):
    """The report in Markdown."""
    rows = count(made, results, explained)
    lines = ["# Mutation report", "",
             "| folder | made | compiled | reached | noticed | explained | noticed of the others |",
             "|---|---|---|---|---|---|---|"]
    for name in sorted(rows, key=lambda name: (name == "all", name)):
        row = rows[name]
        lines.append(f"| {name} | {row.made} | {row.compiled} | {row.reached} | {row.noticed} | {row.explained} | "
                     f"{row.percent:.1f} % |")
    lines += ["", "| program | seconds | slow cases | failing cases | noticed first |", "|---|---|---|---|---|"]
    first = collections.Counter(program for _, program, _ in results.values())
    lines += [f"| {program.name} | {program.seconds:.1f} | {len(program.slow)} | {len(program.failing)} | "
              f"{first[program.name]} |" for program in programs]
    lines += ["", "| kind | changes | noticed |", "|---|---|---|"]
    kinds = collections.Counter(mutant.kind for mutant in results)
    noticed = collections.Counter(mutant.kind for mutant, (result, _, _) in results.items() if result == "noticed")
    lines += [f"| {kind} | {number} | {noticed[kind]} |" for kind, number in sorted(kinds.items())]
    for title, wanted in (("Survivors", False), ("Explained", True)):
        lines += ["", f"## {title}", ""]
        lines += [survivor(mutant, results[mutant][0]) for mutant in sorted(results, key=lambda m: (m.path, m.start))
                  if results[mutant][0] != "noticed" and (mutant.key in explained) == wanted]
    return "\n".join(lines) + "\n"


def survivor(mutant, result):
    return (f"- {mutant.path}:{mutant.line} ({mutant.kind}, {result})\n"
            f"  line: {mutant.line_text}\n  change: {mutant.change}")
