"""docs/concepts/watching.md: its tables are what is measured."""

import json
from typing import Any

from app.core.controller import controller
from app.core.watch import Watch
from metahook import Kind
from metahook.protocol.request_builder import customize_request
from tests.docs.documents import ROOT
from tests.e2e.events import EVENTS
from tests.requests.builders import my_resource
from website.costs import COSTS, PERIOD, RESTART

PAGE = "docs/concepts/watching.md"

PORTS = [{"containerPort": 80}]
WATCH = Watch(secrets=True, dependencies=(Kind("example.com/v1", "MyBackup", "mybackups"),))
SPECS: dict[str, dict[str, Any]] = {
    "`ports`": {"ports": PORTS},
    "`podDisruptionBudget: Auto`": {"podDisruptionBudget": "Auto"},
    "`autoscaling`": {"autoscaling": {"maxReplicas": 3, "targetCPUUtilizationPercentage": 50}, "cpu": "1"},
    "`expose`": {"expose": {"host": "a.example.com"}, "ports": PORTS},
    "ConfigMaps": {"envFrom": [{"configMapRef": {"name": name}} for name in "ab"]},
    "Secrets": {"envFrom": [{"secretRef": {"name": name}} for name in "ab"]},
    "`dependencies`": {
        "dependencies": [
            {"apiVersion": "example.com/v1", "resource": "mybackups", "name": name, "condition": "Ready"}
            for name in "ab"
        ]
    },
    "`schedule`, `rollback`, `propagate`": {"rollback": {"mode": "LastReady"}, "propagate": {"labels": ["team"]}},
}
"""By the beginning of a row of the table of rules: a spec that has such a field, and no others but those it needs."""


def rules(spec: dict[str, Any]) -> int:
    """Return how many related rules a MyResource with *spec* has."""
    answer = controller(WATCH).handle_customize(customize_request(my_resource(**spec))).body
    return len(json.loads(answer)["relatedResources"])


def test_each_field_adds_as_many_rules_as_the_table_says() -> None:
    table = (ROOT / PAGE).read_text().partition(" | rules |\n|---|---|---|\n")[2].partition("\n\n")[0]
    rows = [row.strip("| ").rpartition(" | ") for row in table.splitlines()]
    added = {"`image`": rules({})}
    for row, spec in SPECS.items():
        added[row] = rules(spec) - rules({"ports": PORTS} if "expose" in spec else {})

    found = {row: next(count for beginning, count in added.items() if row.startswith(beginning)) for row, _, _ in rows}
    assert found == {row: int(count) for row, _, count in rows}
    assert len(found) == len(added)


def test_every_event_of_the_table_is_measured_on_the_real_control_plane() -> None:
    assert list(COSTS) == [*EVENTS, PERIOD, RESTART]
