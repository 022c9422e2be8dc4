"""Draws a dashboard as SVG: enough of each kind of panel to preview it."""

import datetime
from xml.sax.saxutils import escape

COLUMN, LINE, GAP = 50, 30, 8
COLOURS = ["#7eb26d", "#eab839", "#6ed0e0", "#ef843c", "#e24d42", "#1f78c1", "#ba43a9", "#705da0", "#508642", "#cca300"]
NAMED = {"green": "#73bf69", "orange": "#ff9830", "red": "#f2495c"}
LEGENDS = 5


def picture(dashboard, results):
    """`results`: panel id -> list of (legend, [(seconds, value)]), instant ones with one point."""
    panels = dashboard["panels"]
    height = max(panel["gridPos"]["y"] + panel["gridPos"]["h"] for panel in panels) * LINE + 50
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{24 * COLUMN}" height="{height}" font-family="sans-serif">',
           f'<rect width="{24 * COLUMN}" height="{height}" fill="#111217"/>', text(14, 30, dashboard["title"], 18)]
    for panel in panels:
        place = panel["gridPos"]
        x, y = place["x"] * COLUMN, place["y"] * LINE + 44
        width, tall = place["w"] * COLUMN - GAP, place["h"] * LINE - GAP
        out.append(f'<g transform="translate({x},{y})">')
        if panel["type"] == "row":
            out.append(text(10, 18, panel["title"], 14))
        else:
            out.append(f'<rect width="{width}" height="{tall}" rx="3" fill="#181b1f" stroke="#2c3235"/>')
            out.append(text(8, 18, panel["title"], 12))
            draw = {"stat": stat, "timeseries": graph, "bargauge": bars, "table": table}[panel["type"]]
            series = results[panel["id"]]
            out += draw(panel, series, width, tall) if series else [text(width / 2 - 25, tall / 2 + 8, "no data", 12, "#6e7077")]
        out.append("</g>")
    return "\n".join([*out, "</svg>"]) + "\n"


def stat(panel, series, width, tall):
    value = series[0][1][-1][1]
    colour = NAMED["green"]
    for step in panel["fieldConfig"]["defaults"]["thresholds"]["steps"]:
        if step["value"] is None or value >= step["value"]:
            colour = NAMED[step["color"]]
    return [text(width / 2, tall / 2 + 22, shown(value, unit_of(panel)), 26, colour, "middle")]


def graph(panel, series, width, tall):
    left, bottom, top = 52, tall - 34, 28
    times = [moment for _, points in series for moment, _ in points]
    values = [value for _, points in series for _, value in points]
    first, last = min(times), max(max(times), min(times) + 1)
    low = min(0, *values) if panel["fieldConfig"]["defaults"].get("min") == 0 else min(values)
    high = max(values) if max(values) > low else low + 1
    across = lambda moment: left + (moment - first) / (last - first) * (width - left - 10)  # noqa: E731
    up = lambda value: bottom - (value - low) / (high - low) * (bottom - top)  # noqa: E731
    out = []
    for part in range(4):
        value = low + (high - low) * part / 3
        out.append(f'<line x1="{left}" x2="{width - 10}" y1="{up(value):.1f}" y2="{up(value):.1f}" stroke="#2c3235"/>')
        out.append(text(left - 4, up(value) + 4, shown(value, unit_of(panel)), 9, "#8e8e8e", "end"))
    for part in range(3):
        moment = first + (last - first) * part / 2
        clock = datetime.datetime.fromtimestamp(moment, datetime.timezone.utc).strftime("%H:%M:%S")
        out.append(text(min(max(across(moment), left + 20), width - 30), bottom + 12, clock, 9, "#8e8e8e", "middle"))
    for number, (_, points) in enumerate(series):
        line = " ".join(f"{across(moment):.1f},{up(value):.1f}" for moment, value in points)
        out.append(f'<polyline points="{line}" fill="none" stroke="{COLOURS[number % len(COLOURS)]}" stroke-width="1.3"/>')
    return out + legend(series, left, tall - 8, width)


def legend(series, x, y, width):
    out = []
    for number, (name, _) in enumerate(series[:LEGENDS]):
        if x + 7 * len(name) + 20 > width:
            break
        out.append(f'<rect x="{x}" y="{y - 6}" width="10" height="3" fill="{COLOURS[number % len(COLOURS)]}"/>')
        out.append(text(x + 14, y, name, 9, "#b0b0b0"))
        x += 22 + 5.4 * len(name)
    return out


def bars(panel, series, width, tall):
    series = sorted(series, key=lambda one: -one[1][-1][1])[:int((tall - 30) / 18)]
    highest = series[0][1][-1][1] or 1
    out = []
    for number, (name, points) in enumerate(series):
        y = 40 + number * 18
        length = points[-1][1] / highest * (width - 290)
        out.append(text(210, y, name, 10, "#b0b0b0", "end"))
        out.append(f'<rect x="216" y="{y - 9}" width="{max(length, 1):.1f}" height="12" fill="{NAMED["green"]}"/>')
        out.append(text(222 + length, y, shown(points[-1][1], unit_of(panel)), 10))
    return out


def table(_, series, __, tall):
    return [text(10, 40 + number * 16, name, 10, "#b0b0b0") for number, (name, _) in enumerate(series[:int((tall - 30) / 16)])]


def unit_of(panel):
    return panel["fieldConfig"]["defaults"]["unit"]


def shown(value, unit):
    if unit == "percentunit":
        return f"{value * 100:.3g} %"
    if unit == "bytes":
        return f"{value / 2**20:.1f} MiB"
    if unit == "s":
        for size, name in ((86400, "d"), (3600, "h"), (60, "min"), (1, "s"), (1e-3, "ms")):
            if abs(value) >= size:
                return f"{value / size:.4g} {name}"
        return f"{value * 1e6:.3g} µs" if value else "0 s"
    suffix = {"reqps": " /s", "cps": " /s"}.get(unit, "")
    return f"{value:.4g}{suffix}"


def text(x, y, words, size, colour="#d8d9da", anchor="start"):
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{colour}" text-anchor="{anchor}">{escape(words)}</text>'
