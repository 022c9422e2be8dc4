"""The report of a run as one HTML page that needs no other file. Pure: results in, text out."""

from html import escape

import capacity
import flatness
import half_load
import plot
import records
from capacity import Cell
from generator import Result
from mix import Request
from plot import Axis, Line
from soak import Soak

STYLE = """
:root{color-scheme:light dark}
body{font:15px/1.5 system-ui,sans-serif;max-width:800px;margin:2em auto;padding:0 1em}
table{border-collapse:collapse;margin:1em 0;font-variant-numeric:tabular-nums}
th,td{padding:.2em .8em;border-bottom:1px solid #8884;text-align:right}
th:first-child,td:first-child{text-align:left}
svg{width:100%;height:auto;font-size:12px;margin:1em 0}
text{fill:currentColor}.grid{stroke:#8884;fill:none}.line{fill:none;stroke-width:1.8}
.line0{stroke:#0969da}.line1{stroke:#bc4c00}.line2{stroke:#1a7f37}.line3{stroke:#8250df}
.dot0{fill:#0969da}.dot1{fill:#bc4c00}.dot2{fill:#1a7f37}.dot3{fill:#8250df}
@media (prefers-color-scheme:dark){.line0{stroke:#4493f8}.line1{stroke:#db6d28}.line2{stroke:#3fb950}
.line3{stroke:#ab7df8}.dot0{fill:#4493f8}.dot1{fill:#db6d28}.dot2{fill:#3fb950}.dot3{fill:#ab7df8}}
"""
PERCENT_TICKS = (0.0, 50.0, 90.0, 99.0, 99.9, 99.99)


def load_page(result: Result, requests: list[Request], facts: dict[str, str]) -> str:
    load = result.load
    intro = (f"{load.rate:,} reviews a second for {load.seconds} s over {load.connections} connections, sent on "
             "schedule whatever the responses. Latency starts at the scheduled moment, so that a stall of the server "
             "counts for every request that it delays.")
    return _page("Load of dynamo-webhook", intro, [*_load_parts(result, requests)], facts)


def soak_page(soak: Soak, requests: list[Request], facts: dict[str, str]) -> str:
    changes = soak.changes
    load = soak.result.load
    intro = (f"{load.rate:,} reviews a second for {load.seconds} s, while {changes.certificates} certificates, "
             f"{changes.policies} policies, {changes.refused_policies} refused policies and "
             f"{changes.leases} Leases changed.")
    verdict = [f"<li>{escape(trend.line())}</li>" for trend in soak.trends]
    verdict += [f"<li>✗ {escape(fault)}</li>" for fault in soak.faults]
    warm_up = f"<p>The first {flatness.WARM_UP_SHARE:.0%} of the time are the warm-up.</p>"
    parts = ["<h2>Growth</h2>", warm_up, f"<ul>{''.join(verdict)}</ul>", *_process_plots(soak)]
    return _page("Soak of dynamo-webhook", intro, [*parts, *_load_parts(soak.result, requests)], facts)


def capacity_page(cells: list[Cell], sizes: list[str], max_p99_ms: float, facts: dict[str, str]) -> str:
    intro = (f"The highest rate of reviews at which the 99th percentile is at most {max_p99_ms:g} ms, without an "
             "error. A server with two threads shares its CPUs with the load generator on a machine with two CPUs.")
    lines = [
        Line(f"{threads} thread{'s' if threads > 1 else ''}",
             [(cell.connections, cell.rate) for cell in cells if cell.threads == threads], has_dots=True)
        for threads in dict.fromkeys(cell.threads for cell in cells)
    ]
    ticks = tuple((float(count), f"{count:,}") for count in dict.fromkeys(cell.connections for cell in cells))
    parts = [
        plot.draw("Capacity", Axis("connections", is_log=True, ticks=ticks), Axis("reviews/s"), lines),
        _table(capacity.HEAD, capacity.rows(cells)), "<h2>Sizes</h2>",
        f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in sizes)}</ul>",
    ]
    return _page("Capacity of dynamo-webhook", intro, parts, facts)


def half_load_page(found: dict[str, list[half_load.Round]], promise: str, facts: dict[str, str]) -> str:
    intro = "The mix of reviews at the rate at which the server's one thread is busy half of the time."
    return _page("Latency at half load", intro, [_table(half_load.HEAD, half_load.rows(found)), f"<p>{escape(promise)}</p>"],
                 facts)


def percentile_rows(result: Result, requests: list[Request]) -> tuple[list[str], list[list[str]]]:
    """The head and the rows of a table: all requests from the scheduled moment and from sending, then each kind."""
    groups = {"all, from the scheduled moment": [record.latency for record in result.found],
              "all, from sending": [record.latency - record.delay for record in result.found]}
    for index, request in enumerate(requests):
        groups[request.name] = [record.latency for record in result.found if record.request == index]
    found = {name: values for name, values in groups.items() if values}
    names = list(records.percentiles([0]))
    rows = [[name, f"{len(values):,}", *(f"{value:.2f}" for value in records.percentiles(values).values())]
            for name, values in found.items()]
    return ["ms", "requests", *names], rows


def error_rows(result: Result, requests: list[Request]) -> list[list[str]]:
    """Kind, request and count, the most frequent first."""
    rows = [[kind, requests[index].name, f"{count:,}"]
            for (kind, index), count in records.errors_by_request(result.found).items()]
    if result.failed_opens:
        rows.append(["connection not opened", result.first_failure, f"{result.failed_opens:,}"])
    return rows


def _load_parts(result: Result, requests: list[Request]) -> list[str]:
    head, rows = percentile_rows(result, requests)
    errors = error_rows(result, requests)
    parts = ["<h2>Latency</h2>", _time_plot(result), _percentile_plot(result), _table(head, rows), "<h2>Errors</h2>"]
    parts.append(_table(["kind", "request", "count"], errors) if errors else "<p>None.</p>")
    return parts


def _time_plot(result: Result) -> str:
    buckets = records.over_time(result.found)
    lines = [Line("max", [(bucket.second, bucket.most) for bucket in buckets]),
             Line("p99", [(bucket.second, bucket.p99) for bucket in buckets]),
             Line("p50", [(bucket.second, bucket.p50) for bucket in buckets])]
    return plot.draw("Latency over time", Axis("seconds"), Axis("ms", is_log=True), lines)


def _percentile_plot(result: Result) -> str:
    """Percentiles at equal distances for 90, 99, 99.9 %."""
    def line(name: str, values: list[int]) -> Line:
        return Line(name, [(100 / (100 - percent), ms) for percent, ms in records.by_percentile(values)])

    ticks = tuple((100 / (100 - percent), f"{percent:g} %") for percent in PERCENT_TICKS)
    lines = [line("from the schedule", [record.latency for record in result.found]),
             line("from sending", [record.latency - record.delay for record in result.found])]
    percentile = Axis("percentile", is_log=True, ticks=ticks)
    return plot.draw("Latency by percentile", percentile, Axis("ms", is_log=True), lines)


def _process_plots(soak: Soak) -> list[str]:
    values = (("Resident memory", "MiB", lambda each: each.resident_mib),
              ("Descriptors", "open", lambda each: each.descriptors), ("Threads", "running", lambda each: each.threads))
    return [plot.draw(title, Axis("seconds"), Axis(unit),
                      [Line(title, [(each.second, of(each)) for each in soak.samples])])
            for title, unit, of in values]


def _page(title: str, intro: str, parts: list[str], facts: dict[str, str]) -> str:
    rows = [[name, str(value)] for name, value in facts.items()]
    return "\n".join([
        "<!doctype html>", '<html lang="en">', f'<head><meta charset="utf-8"><title>{escape(title)}</title>',
        f"<style>{STYLE}</style></head>", f"<body><h1>{escape(title)}</h1>", f"<p>{escape(intro)}</p>", *parts,
        "<h2>Machine and versions</h2>", _table(["fact", "value"], rows), "</body></html>", ""])


def _table(head: list[str], rows: list[list[str]]) -> str:
    def cells(row: list[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in row) + "</tr>"

    return f"<table>{cells(head, 'th')}{''.join(cells(row, 'td') for row in rows)}</table>"
