"""Draws panels of the dashboard as an SVG, from what Prometheus returns for their queries."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

Json = dict[str, Any]
Points = list[tuple[float, float]]
Place = tuple[float, float, float, float]
"""Left, top, width and height, in pixels."""

COLOURS = ("#3274d9", "#e0752d", "#3f8f4f", "#b5365a", "#8f6bb8", "#b78b1e", "#2b8a99", "#7d7d7d")
INK, FAINT, LINE = "#24292f", "#6e7781", "#d8dee4"
MARGIN, LINE_HEIGHT = 10.0, 14.0
PLOT_LEFT, PLOT_TOP = 52.0, 30.0
UNITS = {"reqps": "/s", "s": " s", "short": ""}
KIB, MIB, DAY = 1024, 1024 * 1024, 86400
NARROW = 200
"""A panel of fewer pixels has a smaller title."""
MOST = 5
"""Entries of a legend; the others are counted."""
TWO_DIGITS = 10
GAP = 2.5
"""Seconds between two points that no line connects."""


@dataclass(frozen=True)
class Curve:
    """A series with its legend."""

    legend: str
    points: Points

    @property
    def last(self) -> float:
        """The last value."""
        return self.points[-1][1] if self.points else 0.0

    @property
    def total(self) -> float:
        """The sum of all values, by which curves are ordered."""
        return sum(value for _, value in self.points)


def curve(legend: str, series: Json) -> Curve:
    """Return the curve of *series*, as Prometheus returns it; *legend* has labels such as ``{{code}}``."""
    for name, value in series["metric"].items():
        legend = legend.replace(f"{{{{{name}}}}}", value)
    points = [(float(time), float(value)) for time, value in series["values"]]
    return Curve(" ".join(legend.split()), [(time, value) for time, value in points if math.isfinite(value)])


def box(place: Place, title: str) -> str:
    """Return an empty panel with its *title*."""
    left, top, width, height = place
    size = 11 if width < NARROW else 12
    return f'<rect x="{left}" y="{top}" width="{width}" height="{height}" rx="4" fill="#fff" stroke="{LINE}"/>' + words(
        left + MARGIN, top + 19, title, size=size, weight=600
    )


def words(left: float, top: float, text: str, *, size: int = 12, colour: str = INK, weight: int = 400) -> str:  # noqa: PLR0913 - how it looks
    """Return *text* at a place."""
    style = f'font-size="{size}" fill="{colour}" font-weight="{weight}"'
    return f'<text x="{left:.1f}" y="{top:.1f}" {style}>{escape(text, quote=False)}</text>'


def number(value: float, unit: str) -> str:
    """Return *value* in its *unit*."""
    if unit == "s" and 0 < value < 1:
        return f"{value * 1000:.3g} ms"
    if unit == "bytes":
        return f"{value / MIB:.0f} MiB" if value >= MIB else f"{value / KIB:.0f} KiB"
    text = f"{value:.0f}" if value >= TWO_DIGITS or value == int(value) else f"{value:.2g}"
    return text + UNITS[unit]


def stat(place: Place, title: str, curves: Sequence[Curve], unit: str) -> str:
    """Return a panel with the last values."""
    left, top, _, _ = place
    value = f"{curves[0].last / DAY:.0f} days" if unit == "s" else number(curves[0].last, unit)
    legend = curves[0].legend
    return (
        box(place, title)
        + words(left + MARGIN, top + 52, value, size=26, weight=600)
        + words(left + MARGIN, top + 70, legend, size=11, colour=FAINT)
    )


def graph(place: Place, title: str, curves: Sequence[Curve], unit: str, span: tuple[float, float]) -> str:
    """Return a panel with curves over the time *span*, and a legend."""
    left, top, width, height = place
    shown = sorted(curves, key=lambda each: -each.total)[:MOST]
    legend_height = LINE_HEIGHT * (len(shown) + (len(curves) > MOST))
    plot = (left + PLOT_LEFT, top + PLOT_TOP, width - PLOT_LEFT - MARGIN, height - PLOT_TOP - legend_height - 20)
    most = _round_up(max((value for each in curves for _, value in each.points), default=0))
    lines = [_line(each, plot, span, most, COLOURS[at % len(COLOURS)]) for at, each in enumerate(shown)]
    entries = [_entry(each.legend, at) for at, each in enumerate(shown)]
    if len(curves) > MOST:
        entries.append((f"and {len(curves) - MOST} more", FAINT))
    below = plot[1] + plot[3] + 20
    legend = [
        f'<rect x="{left + MARGIN}" y="{below + LINE_HEIGHT * at - 7:.1f}" width="10" height="3" fill="{colour}"/>'
        + words(left + MARGIN + 15, below + LINE_HEIGHT * at, text, size=10, colour=FAINT)
        for at, (text, colour) in enumerate(entries)
    ]
    return box(place, title) + _axes(plot, most, unit) + "".join(lines) + "".join(legend)


def _entry(legend: str, at: int) -> tuple[str, str]:
    return legend, COLOURS[at % len(COLOURS)]


def _round_up(value: float) -> float:
    """Return the next of 1, 2, 5, 10, 20, ... (and 0.1, 0.2, ...) that is not smaller than *value*."""
    if value <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(factor * power for factor in (1, 1.5, 2, 3, 4, 5, 8, 10) if factor * power >= value * 0.999)


def _axes(plot: Place, most: float, unit: str) -> str:
    left, top, width, height = plot
    lines = []
    for share in (0.0, 0.5, 1.0):
        at = top + height * (1 - share)
        lines.append(f'<line x1="{left}" x2="{left + width:.1f}" y1="{at:.1f}" y2="{at:.1f}" stroke="{LINE}"/>')
        lines.append(words(left - 44, at + 4, number(most * share, unit), size=10, colour=FAINT))
    return "".join(lines)


def _line(each: Curve, plot: Place, span: tuple[float, float], most: float, colour: str) -> str:
    """Return the curve *each*; a gap in its points is a gap in the line."""
    left, top, width, height = plot
    start, end = span
    commands, before = [], -math.inf
    for time, value in each.points:
        x = left + width * (time - start) / (end - start)
        y = top + height * (1 - value / most)
        commands.append(f"{'L' if time - before < GAP else 'M'}{x:.1f} {y:.1f}")
        before = time
    return f'<path d="{"".join(commands)}" fill="none" stroke="{colour}" stroke-width="1.5"/>'


def table(place: Place, title: str, rows: Sequence[Sequence[str]], columns: Sequence[tuple[str, float]]) -> str:
    """Return a panel with *rows*; each of *columns* has a heading, and its left edge in pixels."""
    left, top, width, _ = place
    made = [words(left + at, top + 42, heading, size=11, colour=FAINT, weight=600) for heading, at in columns]
    for number_of_row, row in enumerate(rows):
        below = top + 62 + 18 * number_of_row
        made.append(f'<line x1="{left}" x2="{left + width}" y1="{below - 13}" y2="{below - 13}" stroke="{LINE}"/>')
        made += [words(left + at, below, cell, size=11) for cell, (_, at) in zip(row, columns, strict=True)]
    return box(place, title) + "".join(made)
