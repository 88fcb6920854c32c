"""Draws docs/images/dashboard.svg: all panels of the dashboard, from the metrics of a hook under calls.

Run it with ``.venv/bin/python -m bench.dashboard``.
"""

import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from app import __version__
from bench.dashboard.drawing import FAINT, Place, curve, graph, stat, table, words
from charts.panels import COLUMNS, ROWS, Panel
from tests.docs.documents import ROOT
from tests.monitoring.prometheus import Prometheus
from tests.monitoring.test_queries import with_variables
from tests.monitoring.watched import run, watched

FILE = ROOT / "docs/images/dashboard.svg"
SYNCS = 1500
EXAMPLE = "1.2.3"
"""The version that the picture shows."""
TABLE_AT = 0.55
"""The share of the time at which the table is drawn, so that it has rows."""
WIDTH, GAP = 900.0, 8.0
HEIGHTS = {"stat": 84.0, "timeseries": 190.0, "table": 106.0}
HEADING = 26.0
COLUMN_EDGES = (("namespace", 10.0), ("myresource", 90.0), ("ready", 175.0), ("reason", 225.0), ("message", 335.0))
LONGEST = 92
"""Characters of a message that fit into the table."""


def places() -> Iterator[tuple[str, Panel | None, Place]]:
    """Yield each row with its title and no panel, and each panel, with its place."""
    top, unit = 0.0, (WIDTH + GAP) / COLUMNS
    for title, panels in ROWS.items():
        yield title, None, (0, top, WIDTH, HEADING)
        top, left = top + HEADING, 0
        for panel in panels:
            height = HEIGHTS[panel.kind]
            yield title, panel, (left * unit, top, panel.width * unit - GAP, height)
            left += panel.width
            if left >= COLUMNS:
                top, left = top + height + GAP, 0


def drawn(panel: Panel, place: Place, here: Prometheus, span: tuple[float, float]) -> str:
    """Return *panel*, from what *here* returns for its queries in the time *span*."""
    start, end = span
    if panel.kind == "table":
        at = start + TABLE_AT * (end - start)
        rows = [
            series["metric"]
            for series in here.get("query", query=with_variables(panel.queries[0].expr), time=at)["result"]
        ]
        cells = [[_cut(row[name]) for name, _ in COLUMN_EDGES] for row in rows]
        return table(place, panel.title, cells, COLUMN_EDGES)
    curves = [
        curve(query.legend, series)
        for query in panel.queries
        for series in here.query_range(with_variables(query.expr, "10s", "10m"), start, end)
    ]
    drawer = stat(place, panel.title, curves, panel.unit) if panel.kind == "stat" else ""
    return drawer or graph(place, panel.title, curves, panel.unit, span)


def _cut(text: str) -> str:
    """Return *text* as long as it fits into the table."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def picture(here: Prometheus, span: tuple[float, float]) -> str:
    """Return the SVG."""
    parts = []
    bottom = 0.0
    for title, panel, place in places():
        left, top, _, height = place
        bottom = max(bottom, top + height)
        heading = words(left, top + 17, title, size=13, colour=FAINT, weight=600)
        parts.append(drawn(panel, place, here, span) if panel else heading)
    size = f'viewBox="-10 -4 {WIDTH + 20:.0f} {bottom + 14:.0f}" width="{WIDTH + 20:.0f}"'
    font = 'font-family="Helvetica, Arial, sans-serif"'
    back = f'<rect x="-10" y="-4" width="{WIDTH + 20:.0f}" height="{bottom + 14:.0f}" fill="#f6f8fa"/>'
    drawing = "\n".join(parts).replace(f">{__version__}<", f">{EXAMPLE}<")  # the picture stays true in the next one
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} {font}>\n{back}\n{drawing}\n</svg>\n'


def main() -> None:
    """Run the hook, and write the picture."""
    with tempfile.TemporaryDirectory() as folder, watched(Path(folder)) as (fleet, here, address):
        began = time.time()
        run(fleet, address, SYNCS, is_healthy=True)
        FILE.write_text(picture(here, (began, time.time())))
    sys.stdout.write(f"{FILE.relative_to(ROOT)}\n")


if __name__ == "__main__":
    main()
