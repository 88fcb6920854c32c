"""Generates the dashboard for Grafana, ``files/dashboard.json``, from ``panels.py``: ``make generate``.

It is for Grafana 10 or later. Its variables are the data source, the namespace and the scrape job of the hook, and the
namespace of the MyResources.
"""

import json
from collections.abc import Iterator
from typing import Any

from charts.panels import COLUMNS, ROWS, Panel, Query
from charts.rendering import CHART

Json = dict[str, Any]

FILE = CHART / "files/dashboard.json"
SOURCE = {"type": "prometheus", "uid": "${datasource}"}

VARIABLES = (
    ("namespace", "Namespace of the hook", "label_values(metahook_build_info, namespace)"),
    ("job", "Job", 'label_values(metahook_build_info{namespace=~"$namespace"}, job)'),
    ("resources", "Namespace of the MyResources", "label_values(kube_myresource_info, namespace)"),
)


def dashboard() -> Json:
    """Return the dashboard, as Grafana imports it."""
    return {
        "uid": "myresource-operator",
        "title": "MyResource operator",
        "tags": ["kubernetes", "metacontroller"],
        "schemaVersion": 38,
        "editable": True,
        "refresh": "30s",
        "time": {"from": "now-3h", "to": "now"},
        "templating": {"list": [_data_source(), *(_variable(*each) for each in VARIABLES)]},
        "panels": list(_panels()),
    }


def _data_source() -> Json:
    return {"name": "datasource", "label": "Data source", "type": "datasource", "query": "prometheus"}


def _variable(name: str, label: str, query: str) -> Json:
    # Without allValue, "All" would not match metrics that lack the label.
    every = {"includeAll": True, "multi": True, "allValue": ".*", "current": {"text": ["All"], "value": ["$__all"]}}
    asked = {"query": {"query": query, "refId": name}, "refresh": 2, "sort": 1}
    return {"name": name, "label": label, "type": "query", "datasource": SOURCE, **asked, **every}


def _panels() -> Iterator[Json]:
    """Yield the panels of each row, from left to right and from top to bottom."""
    top = 0
    for title, panels in ROWS.items():
        yield {"type": "row", "title": title, "collapsed": False, "gridPos": _place(0, top, COLUMNS, 1), "panels": []}
        top, left = top + 1, 0
        for panel in panels:
            yield {**_panel(panel), "gridPos": _place(left, top, panel.width, panel.height)}
            left += panel.width
            if left >= COLUMNS:
                top, left = top + panel.height, 0


def _place(left: int, top: int, width: int, height: int) -> Json:
    return {"x": left, "y": top, "w": width, "h": height}


def _panel(panel: Panel) -> Json:
    made: Json = {
        "type": panel.kind,
        "title": panel.title,
        "description": panel.description,
        "datasource": SOURCE,
        "targets": [_target(panel, number, query) for number, query in enumerate(panel.queries)],
        "fieldConfig": {"defaults": {"unit": panel.unit}, "overrides": []},
        "options": {},
    }
    if panel.kind == "timeseries":
        made["fieldConfig"]["defaults"]["min"] = 0
        made["options"] = {"legend": {"displayMode": "list", "placement": "bottom"}, "tooltip": {"mode": "multi"}}
    if panel.kind == "stat":
        made["fieldConfig"]["defaults"]["color"] = {"mode": "fixed", "fixedColor": "text"}
    if panel.kind == "table":
        made["transformations"] = [{"id": "organize", "options": _COLUMNS}]
    return made


_COLUMNS: Json = {
    "excludeByName": {"Time": True, "Value": True},
    "indexByName": {"namespace": 0, "myresource": 1, "ready": 2, "reason": 3, "message": 4},
}


def _target(panel: Panel, number: int, query: Query) -> Json:
    instant = panel.kind in {"stat", "table"}
    shape = {"instant": instant, "range": not instant, "format": "table" if panel.kind == "table" else "time_series"}
    legend = {"legendFormat": query.legend or "__auto"}
    return {"refId": "ABC"[number], "datasource": SOURCE, "expr": query.expr, **shape, **legend}


def text() -> str:
    """Return the file."""
    return json.dumps(dashboard(), indent=1, ensure_ascii=False) + "\n"


def main() -> None:
    """Write the file."""
    FILE.write_text(text())
    print(f"{CHART.name}/files/{FILE.name}: {sum(map(len, ROWS.values()))} panels")


if __name__ == "__main__":
    main()
