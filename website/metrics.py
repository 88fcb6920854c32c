"""The table of docs/reference/metrics.md, made from the metrics of a server."""

from pathlib import Path

from metahook.server.options import DEFAULT_OPTIONS
from metahook.server.telemetry import Family, Metrics

PAGE = Path(__file__).parents[1] / "docs/reference/metrics.md"
BEGIN, END = "<!-- families: made by make generate -->\n", "<!-- end of families -->\n"


def families() -> list[Family]:
    """Return all families of a server, except those of the process."""
    return Metrics((), DEFAULT_OPTIONS).families


def page() -> str:
    """Return the page with the table in its place."""
    before, _, rest = PAGE.read_text().partition(BEGIN)
    rows = "".join(_row(family) for family in families())
    table = "| metric | type | labels | meaning |\n|---|---|---|---|\n" + rows
    return before + BEGIN + "\n" + table + "\n" + END + rest.partition(END)[2]


def _row(family: Family) -> str:
    labels = ", ".join(f"`{label}`" for label in family.labels)
    return f"| `{family.name}` | {family.type} | {labels} | {family.text} |\n"
