"""Shards: each MyResource belongs to the selector of exactly one CompositeController."""

import pytest

from app.api.names import SHARD_LABEL as LABEL
from metahook.protocol.request_builder import matches
from tests.chart.sets import notes, objects


@pytest.mark.parametrize("shards", [1, 2, 4, 16])
def test_every_myresource_belongs_to_its_shard_or_else_to_shard_0(shards: int) -> None:
    controllers = [item for item in objects({"shards": shards}) if item["kind"] == "CompositeController"]

    for value in (None, "", "0", "1", "2", "3", "15", "16", "01", "x"):
        labels: dict[str, str] = {} if value is None else {LABEL: value}
        owners = [
            item["metadata"]["name"]
            for item in controllers
            if matches(item["spec"]["parentResource"].get("labelSelector") or {}, labels)
        ]
        assert owners == [f"myresource-{value}" if value in [*map(str, range(1, shards))] else "myresource"], value


def test_the_notes_name_the_controllers_of_several_shards_only() -> None:
    assert "myresource-1 to myresource-3" in notes({"shards": 4})
    assert "shard" not in notes()
