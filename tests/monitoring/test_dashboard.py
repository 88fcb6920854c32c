"""The dashboard is generated, uses metrics that exist, and has no panel without a query or a place."""

import itertools
import re

import pytest

from charts.dashboard import VARIABLES, dashboard
from charts.panels import COLUMNS, queries
from tests.docs.documents import ROOT
from tests.monitoring.expressions import known, metrics

PANELS = [panel for panel in dashboard()["panels"] if panel["type"] != "row"]


@pytest.mark.parametrize("expr", [expr for _, expr in queries()])
def test_a_query_uses_metrics_that_exist_and_variables_of_the_dashboard(expr: str) -> None:
    variables = {name for name, *_ in VARIABLES} | {"__rate_interval"}

    assert metrics(expr)
    assert metrics(expr) <= known()
    assert set(re.findall(r"\$(\w+)", expr)) <= variables


def test_a_variable_asks_for_a_metric_that_exists() -> None:
    asked = {re.split(r"[(,{]", query)[1] for *_, query in VARIABLES}

    assert asked <= known()


def test_no_two_panels_overlap_and_each_is_within_the_page() -> None:
    places = [panel["gridPos"] for panel in dashboard()["panels"]]
    cells = [
        set(itertools.product(range(at["x"], at["x"] + at["w"]), range(at["y"], at["y"] + at["h"]))) for at in places
    ]

    assert sum(map(len, cells)) == len(set().union(*cells))
    assert all(at["x"] + at["w"] <= COLUMNS for at in places)


def test_the_picture_of_the_dashboard_has_every_panel() -> None:
    picture = (ROOT / "docs/images/dashboard.svg").read_text()

    assert all(f">{panel['title']}<" in picture for panel in PANELS)
