"""The metrics that the programs export, with their labels and values, read from the generated
docs/metrics.md and docs/reconciler-metrics.md. Another test compares these pages with the
declarations."""

import dataclasses
import pathlib
import re

SOURCE = pathlib.Path(__file__).resolve().parents[2]
# Labels that Prometheus and its operator add to every target of a ServiceMonitor.
TARGET_LABELS = {"namespace", "pod", "service", "job", "instance", "container", "endpoint"}


@dataclasses.dataclass
class Metric:
    """`labels`: name -> the closed list of its values, or None if the page does not list them."""

    name: str
    type: str
    labels: dict


def series(pages=("docs/metrics.md", "docs/reconciler-metrics.md")):
    """Every series name (histograms have three) -> its metric."""
    found = {}
    for page in pages:
        for metric in metrics_of((SOURCE / page).read_text(encoding="utf-8")):
            if metric.type != "histogram":
                found[metric.name] = metric
                continue
            for suffix in ("_bucket", "_sum", "_count"):
                labels = metric.labels | ({"le": None} if suffix == "_bucket" else {})
                found[metric.name + suffix] = Metric(metric.name, metric.type, labels)
    return found


def metrics_of(text):
    shared = {name: values.split(", ") for name, values in re.findall(r"^\| `(\w+)` \| ([^|]+) \|$", text, re.MULTILINE)}
    rows = re.findall(r"^\| `(\w+)` \| (counter|gauge|histogram) \| (.*?) \| ", text, re.MULTILINE)
    assert rows and shared, "docs/metrics.md must hold the table of metrics and that of common labels"
    for name, kind, labels in rows:
        parsed = {}
        for label in labels.split("<br>"):
            match = re.fullmatch(r"`(\w+)`(?:: (.*))?", label)
            if match:
                parsed[match[1]] = values_of(match[1], match[2], shared)
        yield Metric(name, kind, parsed)


def values_of(name, described, shared):
    described = described or ", ".join(shared[name])
    if "rules.md" in described:
        pages = sorted((SOURCE / "docs/rules").glob("*.md"))
        return [rule for page in pages for rule in re.findall(r"^## (\S+)$", page.read_text(encoding="utf-8"), re.MULTILINE)]
    values = described.split(", ")
    # Prose about values is no closed list.
    return None if any(" " in value for value in values) or values == ["version"] else values
