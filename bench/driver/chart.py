"""Horizontal bar charts as SVG files that need no other file and follow the reader's light or dark theme."""

import math
from dataclasses import dataclass
from xml.sax.saxutils import escape

WIDTH = 760
LEFT = 112  # the names of bars end here
RIGHT = 140  # space for the value of the longest bar
TOP = 66
BAR, BAR_STEP, GROUP_TITLE, GROUP_GAP = 15, 20, 22, 10
AXIS = 42
TICKS = 5

# Class: colours on a light and on a dark background. Each has a contrast of at least 3:1, texts 4.5:1.
COLOURS = {
    "background": ("#ffffff", "#0d1117"),
    "text": ("#1f2328", "#e6edf3"),
    "muted": ("#59636e", "#9198a1"),
    "grid": ("#d1d9e0", "#3d444d"),
    "whisker": ("#1f2328", "#e6edf3"),
    "echo": ("#818b98", "#7d8590"),
    "webhook": ("#0969da", "#4493f8"),
    "go-peer": ("#bc4c00", "#db6d28"),
}
LINES = ("grid", "whisker")


@dataclass(frozen=True)
class Bar:
    """`name` is also its class; `low` to `high` is the whisker, without one if they are equal."""

    name: str
    value: float
    low: float
    high: float
    text: str


@dataclass(frozen=True)
class Group:
    title: str
    bars: list[Bar]


def draw(title: str, subtitle: str, axis: str, groups: list[Group]) -> str:
    """The SVG text. `axis` is the quantity and its unit; at least one bar must be above 0."""
    largest = max(max(bar.value, bar.high) for group in groups for bar in group.bars)
    step = tick_step(largest)
    top = step * math.ceil(largest / step)
    scale = (WIDTH - LEFT - RIGHT) / top
    rows = sum(GROUP_TITLE + BAR_STEP * len(group.bars) + GROUP_GAP for group in groups)
    bottom = TOP + rows
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {bottom + AXIS}" width="{WIDTH}" '
        f'height="{bottom + AXIS}" role="img" font-family="system-ui, sans-serif">',
        f"<title>{escape(title)}</title>",
        f"<desc>{escape(description(subtitle, groups))}</desc>",
        f"<style>{style()}</style>",
        f'<rect {paint("background")} width="{WIDTH}" height="{bottom + AXIS}" rx="6"/>',
        _text(16, 26, 15, "text", title, weight="600"),
        _text(16, 46, 12, "muted", subtitle),
    ]
    ticks = [(LEFT + tick * step * scale, tick * step) for tick in range(round(top / step) + 1)]
    y = TOP
    for group in groups:
        parts.append(_text(16, y + 15, 13, "text", group.title, weight="600"))
        y += GROUP_TITLE
        # Only behind bars, so that no line crosses a title.
        end = y + BAR_STEP * len(group.bars)
        parts += [f'<line {paint("grid")} x1="{x:.1f}" y1="{y - 2}" x2="{x:.1f}" y2="{end}"/>' for x, _ in ticks]
        for bar in group.bars:
            parts += _bar(bar, y, scale)
            y += BAR_STEP
        y += GROUP_GAP
    parts += [_text(x, bottom + 13, 11, "muted", f"{value:,.10g}", anchor="middle") for x, value in ticks]
    parts.append(_text(WIDTH - RIGHT, bottom + 32, 12, "muted", axis, anchor="end"))
    return "\n".join([*parts, "</svg>"]) + "\n"


def tick_step(largest: float) -> float:
    """A distance of ticks of 1, 2 or 5 times a power of ten, so that about five ticks reach `largest`."""
    rough = largest / TICKS
    power = 10.0 ** math.floor(math.log10(rough))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * 0.999)


def description(subtitle: str, groups: list[Group]) -> str:
    """The content for readers who cannot see the picture."""
    return f"{subtitle} " + " ".join(
        f"{group.title}: {', '.join(f'{bar.name} {bar.text}' for bar in group.bars)}." for group in groups
    )


def paint(name: str) -> str:
    """The attributes of a shape of this class. Its light colour is for programs that ignore style sheets."""
    return f'class="{name}" {_property(name)}="{COLOURS[name][0]}"'


def style() -> str:
    """Only the dark theme: the shapes' own colours are the light one."""
    rules = " ".join(f".{name}{{{_property(name)}:{dark}}}" for name, (_, dark) in COLOURS.items())
    return f"@media (prefers-color-scheme: dark){{{rules}}}"


def _property(name: str) -> str:
    return "stroke" if name in LINES else "fill"


def _bar(bar: Bar, y: float, scale: float) -> list[str]:
    end, low, high = (LEFT + value * scale for value in (bar.value, bar.low, bar.high))
    middle = y + BAR / 2
    parts = [
        _text(LEFT - 8, y + 12, 12, "text", bar.name, anchor="end"),
        f'<rect {paint(bar.name)} x="{LEFT}" y="{y}" width="{max(end - LEFT, 0):.1f}" height="{BAR}"/>',
    ]
    if bar.high > bar.low:
        ends = "".join(f"M{x:.1f} {middle - 4}V{middle + 4}" for x in (high, low))
        path = f"M{low:.1f} {middle}H{high:.1f}{ends}"
        parts.append(f'<path {paint("whisker")} fill="none" d="{path}"/>')
    parts.append(_text(max(end, high) + 6, y + 12, 12, "text", bar.text))
    return parts


def _text(x: float, y: float, size: int, colour: str, text: str, anchor: str = "start", weight: str = "400") -> str:
    return (f'<text {paint(colour)} x="{x:g}" y="{y:g}" font-size="{size}" font-weight="{weight}" '
            f'text-anchor="{anchor}">{escape(text)}</text>')
