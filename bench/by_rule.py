"""Counts the instructions of each rule on the three reviews under valgrind.

The build names the function of each rule in the rule's source; callgrind counts what each call of that
function took, including what it calls. The count is the same on every machine and in every run, to about 0.1 %.
"""

import re
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

REVIEWS = ("create_2k", "create_13k", "update_28k")
REVIEW_FUNCTION = "dynamo::admission::Reviewer::review("
RENDERING_FUNCTION = "dynamo::render::ObjectRenderer::render("
RUN_TIMEOUT = 300

NAMESPACE = re.compile(r"^namespace dynamo::validators(?:::(\w+(?:::\w+)*))? \{", re.M)
RULE = re.compile(r"^extern constexpr Rule \w+\s*(?:=\s*)?\{(.*?)^\};", re.M | re.S)
ID = re.compile(r"\.id = \"([^\"]+)\"")
FUNCTION = re.compile(r"\.function = &(\w+)")
COMPRESSED = re.compile(r"\((\d+)\)(?: (.*))?$")


def rule_functions(sources: Iterable[Path]) -> dict[str, str]:
    """The rule of each function, by the function's name from `dynamo::` to its parameters."""
    rules: dict[str, str] = {}
    for source in sources:
        text = source.read_text()
        namespace = NAMESPACE.search(text)
        for rule in RULE.finditer(text):
            rule_id, function = ID.search(rule[1]), FUNCTION.search(rule[1])
            if not (namespace and rule_id and function):
                raise ValueError(f"{source}: a rule lacks its namespace, id or function")
            inner = f"{namespace[1]}::" if namespace[1] else ""
            name = f"dynamo::validators::{inner}{function[1]}"
            rules[name] = f"{rules[name]}, {rule_id[1]}" if name in rules else rule_id[1]
    return rules


class CallCosts:
    """Inclusive instructions and calls of each function of a callgrind file, recursion left out."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.instructions: dict[str, int] = defaultdict(int)
        self.calls: dict[str, int] = defaultdict(int)
        self._names: dict[str, str] = {}
        self._read(iter(lines))

    def of(self, prefix: str) -> tuple[int, int]:
        """Instructions and calls of the functions whose names begin like this."""
        found = [name for name in self.calls if name.startswith(prefix)]
        return sum(self.instructions[name] for name in found), sum(self.calls[name] for name in found)

    def _read(self, lines: Iterator[str]) -> None:
        caller = called = ""
        for line in lines:
            if line.startswith("fn="):
                caller = self._name(line[3:].rstrip())
            elif line.startswith("cfn="):
                called = self._name(line[4:].rstrip())
            elif line.startswith("calls="):
                cost = int(next(lines).split()[1])
                self.calls[called] += int(line[6:].split()[0])
                if caller != called:
                    self.instructions[called] += cost

    def _name(self, text: str) -> str:
        compressed = COMPRESSED.match(text)
        if not compressed:
            return text
        if compressed[2] is not None:
            name = compressed[2].replace("(anonymous namespace)::", "")
            self._names[compressed[1]] = name
        return self._names[compressed[1]]


def count(program: Path, review: str) -> CallCosts:
    """The costs of one benchmark of bench_micro."""
    with tempfile.TemporaryDirectory(prefix="dynamo-bench-") as folder:
        file = Path(folder) / "callgrind.out"
        run = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={file}",
             f"--toggle-collect={REVIEW_FUNCTION}*", program,
             f"--benchmark_filter=^review/{review}$", "--benchmark_min_time=0.5"],
            capture_output=True, text=True, timeout=RUN_TIMEOUT, check=False)
        if run.returncode != 0 or not file.exists():
            raise ValueError(f"{program} under valgrind ended with {run.returncode}: {run.stderr.strip()}")
        with file.open() as lines:
            return CallCosts(lines)


def per_review(costs: CallCosts, rules: dict[str, str]) -> dict[str, float]:
    """Instructions of one review: of each rule that ran, of rendering, and of the whole review."""
    whole, reviews = costs.of(REVIEW_FUNCTION)
    if reviews == 0:
        raise ValueError("callgrind counted no review")
    table = {"whole review": whole / reviews,
             "rendering": costs.of(RENDERING_FUNCTION)[0] / reviews}
    for function, rule in rules.items():
        instructions, calls = costs.of(f"{function}(")
        if calls:
            table[rule] = instructions / reviews
    return table


def table(columns: dict[str, dict[str, float]]) -> str:
    """A Markdown table: one row per rule, the most expensive one on the last review first."""
    last = list(columns.values())[-1]
    rows = sorted({row for column in columns.values() for row in column},
                  key=lambda row: (-last.get(row, 0.0), row))
    lines = ["| rule | " + " | ".join(columns) + " |", "|---" * (len(columns) + 1) + "|"]
    for row in rows:
        cells = (f"{column[row]:,.0f}" if row in column else "–" for column in columns.values())
        lines.append(f"| {row} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def measure(program: Path, validators: Path) -> str:
    """The table of all three reviews."""
    rules = rule_functions(sorted(validators.rglob("*.cpp")))
    return table({review: per_review(count(program, review), rules) for review in REVIEWS})
