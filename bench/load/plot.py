"""Line plots as inline SVG. Pure; page.py has the colours of its classes."""

import math
from dataclasses import dataclass
from xml.sax.saxutils import escape

from driver.chart import tick_step

WIDTH, HEIGHT = 760, 300
LEFT, RIGHT, TOP, BOTTOM = 64, 28, 56, 44
LINES = 4  # classes line0 to line3


@dataclass(frozen=True)
class Line:
    name: str
    points: list[tuple[float, float]]
    has_dots: bool = False


@dataclass(frozen=True)
class Axis:
    """Values are above 0 on a logarithmic axis. `ticks`: value and text; empty chooses them."""

    label: str
    is_log: bool = False
    ticks: tuple[tuple[float, str], ...] = ()

    def scaled(self, value: float) -> float:
        return math.log10(max(value, 1e-9)) if self.is_log else value


def draw(title: str, x: Axis, y: Axis, lines: list[Line]) -> str:
    """The SVG text; at least one line has a point."""
    x_ticks = x.ticks or _ticks(x, [point[0] for line in lines for point in line.points])
    y_ticks = y.ticks or _ticks(y, [point[1] for line in lines for point in line.points])
    to_x = _scale(x, x_ticks, [point[0] for line in lines for point in line.points], LEFT, WIDTH - RIGHT)
    to_y = _scale(y, y_ticks, [point[1] for line in lines for point in line.points], HEIGHT - BOTTOM, TOP)
    parts = [
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(title)}">',
        _text(LEFT, 18, title, "title"),
    ]
    for value, text in y_ticks:
        at = to_y(value)
        parts.append(f'<path class="grid" d="M{LEFT} {at:.1f}H{WIDTH - RIGHT}"/>')
        parts.append(_text(LEFT - 6, at + 4, text, "end"))
    for value, text in x_ticks:
        parts.append(_text(to_x(value), HEIGHT - BOTTOM + 16, text, "middle"))
    parts.append(_text(WIDTH - RIGHT, HEIGHT - 8, x.label, "end"))
    parts.append(_text(LEFT, TOP - 8, y.label, "start"))
    for index, line in enumerate(lines):
        parts += _line(line, index % LINES, to_x, to_y)
        parts += _legend(line.name, index, len(lines))
    return "\n".join([*parts, "</svg>"])


def _ticks(axis: Axis, values: list[float]) -> tuple[tuple[float, str], ...]:
    least, most = min(values), max(values)
    if axis.is_log:
        exponents = range(math.floor(axis.scaled(least)), math.ceil(axis.scaled(most)) + 1)
        return tuple((10.0 ** exponent, f"{10.0 ** exponent:,.10g}") for exponent in exponents)
    if most <= 0:
        return ((0.0, "0"), (1.0, "1"))
    step = tick_step(most)
    return tuple((index * step, f"{index * step:,.10g}") for index in range(math.ceil(most / step - 1e-9) + 1))


def _scale(axis: Axis, ticks: tuple[tuple[float, str], ...], values: list[float], low: float, high: float):
    """A function from values to pixels; the ticks and all values are inside."""
    ends = [axis.scaled(value) for value in [*values, *(value for value, _ in ticks)]]
    first, last = min(ends), max(ends)
    factor = (high - low) / (last - first) if last > first else 0.0
    return lambda value: low + (axis.scaled(value) - first) * factor


def _line(line: Line, index: int, to_x, to_y) -> list[str]:
    places = [(to_x(x), to_y(y)) for x, y in line.points]
    path = "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
    parts = [f'<path class="line line{index}" d="M{path}"/>'] if places else []
    if line.has_dots:
        parts += [f'<circle class="dot{index}" cx="{x:.1f}" cy="{y:.1f}" r="3"/>' for x, y in places]
    return parts


def _legend(name: str, index: int, count: int) -> list[str]:
    x = WIDTH - RIGHT - (count - index) * 150
    square = f'<rect class="dot{index % LINES}" x="{x}" y="10" width="10" height="10"/>'
    return [square, _text(x + 15, 19, name, "start")]


def _text(x: float, y: float, text: str, kind: str) -> str:
    anchor = kind if kind in ("end", "middle") else "start"
    weight = ' font-weight="600"' if kind == "title" else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{weight}>{escape(text)}</text>'
