"""The dashboard uses metrics that exist, and has no panel without a query or a place."""

import itertools
import re

from charts.dashboard import VARIABLES, dashboard
from charts.panels import COLUMNS, queries
from tests.monitoring.state_metrics import known, metrics


def test_the_queries_and_the_variables_use_what_exists() -> None:
    variables = {name for name, *_ in VARIABLES} | {"__rate_interval"}

    assert {re.split(r"[(,{]", query)[1] for *_, query in VARIABLES} <= known()
    for _, expr in queries():
        assert metrics(expr), expr
        assert metrics(expr) <= known(), expr
        assert set(re.findall(r"\$(\w+)", expr)) <= variables, expr


def test_no_two_panels_overlap_and_each_is_within_the_page() -> None:
    places = [panel["gridPos"] for panel in dashboard()["panels"]]
    cells = [
        set(itertools.product(range(at["x"], at["x"] + at["w"]), range(at["y"], at["y"] + at["h"]))) for at in places
    ]

    assert sum(map(len, cells)) == len(set().union(*cells))
    assert all(at["x"] + at["w"] <= COLUMNS for at in places)
