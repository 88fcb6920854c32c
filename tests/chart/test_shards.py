"""Shards: each MyResource belongs to the selector of exactly one CompositeController."""

import pytest

from app.api.values.names import SHARD_LABEL as LABEL
from metahook.protocol.request_builder import matches
from tests.chart.sets import Json, notes, objects


def controllers(shards: int) -> list[Json]:
    """Return the CompositeControllers of an installation with so many *shards*."""
    return [item for item in objects({"shards": shards}) if item["kind"] == "CompositeController"]


def owners(shards: int, labels: dict[str, str]) -> list[str]:
    """Return the names of the CompositeControllers that sync a MyResource with *labels*."""
    return [item["metadata"]["name"] for item in controllers(shards) if matches(selector(item) or {}, labels)]


def selector(controller: Json) -> Json | None:
    found: Json | None = controller["spec"]["parentResource"].get("labelSelector")
    return found


@pytest.mark.parametrize("shards", [1, 2, 4, 16])
@pytest.mark.parametrize("value", [None, "", "0", "1", "2", "3", "15", "16", "01", "x"])
def test_every_myresource_belongs_to_its_shard_or_else_to_shard_0(shards: int, value: str | None) -> None:
    labels = {} if value is None else {LABEL: value}
    own = f"myresource-{value}" if value in [*map(str, range(1, shards))] else "myresource"

    assert owners(shards, labels) == [own]


def test_the_notes_name_the_controllers_of_several_shards_only() -> None:
    assert "myresource-1 to myresource-3" in notes({"shards": 4})
    assert "shard" not in notes()
