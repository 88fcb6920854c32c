"""docs/watching.md: its commands print what it says; its table is what is measured."""

import re
from typing import Any

import msgspec
import pytest

from app.core.customize import customize
from docs.costs import COSTS, PERIOD, RESTART
from metahook import CustomizeRequest
from tests.build import my_resource
from tests.documents import ROOT, Console, consoles, printed
from tests.e2e.events import EVENTS
from tests.watching import BACKUP, WATCH

PAGE = "docs/watching.md"
TEXT = (ROOT / PAGE).read_text()


@pytest.mark.parametrize("shown", consoles(PAGE), ids=str)
def test_a_command_of_the_page_prints_what_the_page_says(shown: Console) -> None:
    assert printed(shown.command) == shown.output


def test_every_event_of_the_table_is_measured_on_the_real_control_plane() -> None:
    assert list(COSTS) == [*EVENTS, PERIOD, RESTART]


def test_a_myresource_has_as_many_rules_as_the_page_says_at_most_one_for_a_kind() -> None:
    config = [{"configMapRef": {"name": "a"}}, {"configMapRef": {"name": "b"}}, {"secretRef": {"name": "c"}}]
    backups = [{"apiVersion": BACKUP.api_version, "resource": BACKUP.plural, "name": name} for name in ("d", "e")]
    spec: dict[str, Any] = {"ports": [{"containerPort": 80}], "envFrom": config, "dependencies": backups}

    rules = customize(CustomizeRequest.decode(msgspec.json.encode({"parent": my_resource(**spec)})), WATCH)

    assert [rule["resource"] for rule in rules] == ["services", "pods", "configmaps", "secrets", BACKUP.plural]
    assert TEXT.count("by name |") + TEXT.count("of its name |") + TEXT.count("by label |") == len(rules)


def test_links_of_the_page_exist() -> None:
    for link in re.findall(r"\]\(([^)#]+)", TEXT):
        assert (ROOT / "docs" / link).exists()
