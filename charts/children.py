"""Generates the list of the kinds of children in the chart from the code: ``make generate``.

Metacontroller watches these kinds and may write them, and an admission policy guards them.
"""

import yaml

from app.core.desired.children import CHART_VALUES, CHILDREN
from charts.rendering import CHART

FILE = CHART / "files/children.yaml"
MADE = """\
# Generated from app/core/desired/children.py by: make generate
# The kinds of children. One with a value of the chart is made only where that is true.
"""


def children() -> str:
    """Return the text of the list."""
    rows = []
    for kind in CHILDREN:
        group, _, version = kind.KIND.api_version.rpartition("/")
        value = {"value": CHART_VALUES[kind]} if kind in CHART_VALUES else {}
        rows.append({"group": group, "version": version, "resource": kind.KIND.plural, **value})
    return MADE + yaml.safe_dump(rows, sort_keys=False)


if __name__ == "__main__":
    FILE.write_text(children())
