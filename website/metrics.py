"""The table of docs/reference/metrics.md, made from the metrics of a server."""

from pathlib import Path

from metahook.server.limits import DEFAULT_LIMITS
from metahook.server.telemetry.metrics import Family, Metrics

PAGE = Path(__file__).parents[1] / "docs/reference/metrics.md"
BEGIN, END = "<!-- families: made by make generate -->\n", "<!-- end of families -->\n"


def families() -> list[Family]:
    """Return all families that a server with TLS and tokens has, except those of the process."""
    metrics = Metrics((), "", DEFAULT_LIMITS)
    metrics.measure_certificate(lambda: 0)
    metrics.measure_files({})
    return metrics.families


def page() -> str:
    """Return the page with the table in its place."""
    before, _, rest = PAGE.read_text().partition(BEGIN)
    rows = "".join(_row(family) for family in families())
    table = "| metric | type | labels | meaning |\n|---|---|---|---|\n" + rows
    return before + BEGIN + "\n" + table + "\n" + END + rest.partition(END)[2]


def _row(family: Family) -> str:
    labels = ", ".join(f"`{label}`" for label in family.labels)
    return f"| `{family.name}` | {family.type} | {labels} | {family.text} |\n"
