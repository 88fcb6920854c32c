"""The dashboard is generated, uses metrics that exist, and has no panel without a query or a place."""

import itertools
import json
import re

import pytest
import yaml

from charts.dashboard import FILE, VARIABLES, dashboard, text
from charts.panels import COLUMNS, ROWS, queries
from charts.rendering import rendered
from tests.docs.documents import ROOT
from tests.monitoring.expressions import known, metrics
from tests.schemas.kubernetes import validate

PANELS = [panel for panel in dashboard()["panels"] if panel["type"] != "row"]
LEGEND = re.compile(r"{{(\w+)}}")


def test_the_dashboard_is_generated() -> None:
    assert FILE.read_text() == text(), "run make generate"


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


def test_the_dashboard_has_no_id_and_no_data_source_of_one_grafana() -> None:
    assert "id" not in dashboard()
    assert not [panel for panel in PANELS if "id" in panel]
    assert {panel["datasource"]["uid"] for panel in PANELS} == {"${datasource}"}
    assert dashboard()["uid"] == "myresource-operator"


def test_each_panel_has_a_description_and_queries_of_its_shape() -> None:
    for panel in PANELS:
        assert panel["description"].endswith(".")
        assert [target["refId"] for target in panel["targets"]] == ["A", "B"][: len(panel["targets"])]
        assert {target["instant"] for target in panel["targets"]} == {panel["type"] != "timeseries"}


def test_a_legend_names_labels_that_the_query_keeps() -> None:
    for panels in ROWS.values():
        for query in (query for panel in panels for query in panel.queries):
            kept = re.findall(r"by \(([\w, ]+)\)", query.expr)
            assert set(LEGEND.findall(query.legend)) <= set(", ".join([*kept, "instance"]).split(", "))


def test_the_chart_has_the_dashboard_where_the_values_say() -> None:
    dashboards = {"enabled": True, "namespace": "grafana", "annotations": {"grafana_folder": "Operators"}}
    made = yaml.safe_load(rendered({"metrics": {"dashboard": dashboards}})["configmap-dashboard.yaml"])

    validate(made, "1.30")
    assert json.loads(made["data"]["myresource-operator.json"]) == dashboard()
    assert made["metadata"]["namespace"] == "grafana"
    assert made["metadata"]["labels"]["grafana_dashboard"] == "1"
    assert made["metadata"]["annotations"] == {"grafana_folder": "Operators"}


def test_the_picture_of_the_dashboard_has_every_panel() -> None:
    picture = (ROOT / "docs/images/dashboard.svg").read_text()

    assert all(f">{panel['title']}<" in picture for panel in PANELS)
