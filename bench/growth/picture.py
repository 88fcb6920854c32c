"""The picture of docs/performance.md: a small chart for each part of a request, and one of the memory."""

from collections.abc import Mapping, Sequence
from html import escape

from bench.growth.cost import Growth
from bench.growth.memory import Memory
from bench.growth.results import Results

COLUMNS, WIDTH, HEIGHT, GAP = 4, 190, 150, 10
LEFT, RIGHT, TOP, BOTTOM = 34, 12, 44, 24
"""Around the plot, in a chart."""
SYNC, JSON = "#0969da", "#bf8700"
INK, FAINT, BACK, PANEL, LINE = "#24292f", "#57606a", "#f6f8fa", "#ffffff", "#d8dee4"
"""Why a background: the picture is read in light and in dark pages."""

Curve = Sequence[tuple[float, float]]


def picture(results: Results) -> str:
    """Return the SVG."""
    charts = [*map(_growth_chart, results.growths), _memory_chart(results.memory)]
    rows = -(-len(charts) // COLUMNS)
    width, height = COLUMNS * (WIDTH + GAP) + GAP, rows * (HEIGHT + GAP) + GAP + 26
    placed = [_placed(*divmod(at, COLUMNS), chart) for at, chart in enumerate(charts)]
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" role="img"'
    return "\n".join(
        [
            f'{head} font-family="Helvetica, Arial, sans-serif">',
            "<title>CPU of a sync as its request grows, and memory over many requests</title>",
            f"<desc>{escape(_description(results))}</desc>",
            f'<rect width="{width}" height="{height}" rx="6" fill="{BACK}"/>',
            *placed,
            _legend(height - 12),
            "</svg>\n",
        ]
    )


def _placed(row: int, column: int, chart: str) -> str:
    left, top = GAP + column * (WIDTH + GAP), GAP + row * (HEIGHT + GAP)
    return f'<g transform="translate({left} {top})">{chart}</g>'


def _growth_chart(growth: Growth) -> str:
    """Return the chart of a growth: milliseconds by number of things."""
    sync = [(point.count, point.sync / 1000) for point in growth.points]
    parse = [(point.count, point.json / 1000) for point in growth.points]
    subtitle = f"slope {growth.slope:.2f} x json.loads"
    return _chart(growth.part, subtitle, {JSON: parse, SYNC: sync}, f"{growth.points[-1].count:,}", " ms")


def _memory_chart(memory: Memory) -> str:
    """Return the chart of the memory: MiB by number of requests."""
    curve = [*enumerate(memory.samples)]
    return _chart(
        "Memory", f"{memory.growth:+.1f} MiB after the warm-up", {SYNC: curve}, f"{memory.requests:,}", " MiB"
    )


def _chart(title: str, subtitle: str, curves: Mapping[str, Curve], right: str, unit: str) -> str:
    """Return a chart with *curves* by color; *right* is at the end of the horizontal axis."""
    most = max(y for curve in curves.values() for _, y in curve)
    bottom = HEIGHT - BOTTOM
    return "".join(
        [
            f'<rect width="{WIDTH}" height="{HEIGHT}" rx="4" fill="{PANEL}" stroke="{LINE}"/>',
            _text(10, 18, title, INK, 12, weight=600),
            _text(10, 33, subtitle, FAINT, 11),
            f'<path d="M{LEFT} {TOP}V{bottom}H{WIDTH - RIGHT}" fill="none" stroke="{LINE}"/>',
            _text(6, TOP + 8, f"{most:.2g}" if most < 10 else f"{most:.0f}", FAINT, 10),  # noqa: PLR2004 - two digits
            _text(6, TOP + 20, unit.strip(), FAINT, 10),
            _text(LEFT, HEIGHT - 9, "0", FAINT, 10),
            _text(WIDTH - RIGHT, HEIGHT - 9, right, FAINT, 10, anchor="end"),
            *(_line(curve, most, color) for color, curve in curves.items()),
        ]
    )


def _line(curve: Curve, most: float, color: str) -> str:
    end = curve[-1][0]
    points = " ".join(
        f"{LEFT + x / end * (WIDTH - LEFT - RIGHT):.1f},{HEIGHT - BOTTOM - y / most * (HEIGHT - TOP - BOTTOM):.1f}"
        for x, y in curve
    )
    return f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="2"/>'


def _legend(base: float) -> str:
    words = ((SYNC, "a sync, in process; memory"), (JSON, "json.loads of the same request"))
    return "".join(
        f'<rect x="{GAP + 230 * at}" y="{base - 8}" width="10" height="10" fill="{color}"/>'
        + _text(GAP + 230 * at + 16, base + 1, text, INK, 12)
        for at, (color, text) in enumerate(words)
    )


def _text(  # noqa: PLR0913 - what an SVG needs to place a text
    left: float, base: float, text: str, color: str, size: int, *, weight: int = 400, anchor: str = "start"
) -> str:
    style = f'font-size="{size}" font-weight="{weight}" fill="{color}" text-anchor="{anchor}"'
    return f'<text x="{left}" y="{base}" {style}>{escape(text)}</text>'


def _description(results: Results) -> str:
    """Return what the charts show, for readers who do not see them."""
    slopes = ", ".join(f"{growth.part} {growth.slope:.2f}" for growth in results.growths)
    memory = f"Memory changes by {results.memory.growth:+.1f} MiB over {results.memory.requests:,} requests"
    return f"Slope of the CPU of a sync, relative to json.loads: {slopes}. {memory}, after a warm-up."
