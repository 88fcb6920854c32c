"""Who set a field of a child in place of Metacontroller, as its managedFields tell."""

from typing import Any

import pytest

from metahook.protocol.managed_fields import overriding_manager
from tests.hooks.minimal import config_map, observed_children

Json = dict[str, Any]

OWNER: Json = {"f:metadata": {"f:ownerReferences": {'k:{"uid":"u"}': {}}}}


def entry(manager: str, fields: Json, time: str = "2026-01-31T12:00:00Z", **more: Any) -> Json:
    return {"manager": manager, "operation": "Update", "time": time, "fieldsV1": fields, **more}


def manager(path: str, *entries: Json) -> str | None:
    """Return who set *path* of a child with these *entries* in its managedFields."""
    made = config_map()
    made["metadata"]["managedFields"] = list(entries)
    child = observed_children(made).observed(made)
    assert child is not None
    return overriding_manager(child, path, "u")


REPLICAS: Json = {"f:spec": {"f:replicas": {}}}
MAIN = 'k:{"name":"main"}'
STAMP = "mygroup.example.com/applied"


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("spec.replicas", REPLICAS),
        ("spec.c[main].image", {"f:spec": {"f:c": {MAIN: {".": {}, "f:image": {}}}}}),
        ("spec.c[main]", {"f:spec": {"f:c": {MAIN: {".": {}, "f:image": {}}}}}),
        ("spec.ports[80].name", {"f:spec": {"f:ports": {'k:{"port":80,"protocol":"TCP"}': {"f:name": {}}}}}),
        ("spec.selector", {"f:spec": {"f:selector": {}}}),
        ("spec.args[1]", {"f:spec": {"f:args": {}}}),
        (f"metadata.annotations.{STAMP}", {"f:metadata": {"f:annotations": {f"f:{STAMP}": {}}}}),
    ],
)
def test_the_owner_of_a_field_set_it(path: str, fields: Json) -> None:
    other = entry("other", {"f:spec": {"f:replica": {}, "f:c": {'k:{"name":"mai"}': {"f:image": {}}}}})

    assert manager(path, entry("metacontroller", OWNER), other, entry("scaler", fields)) == "scaler"


def test_of_several_it_is_the_one_that_came_last() -> None:
    later = entry("later", REPLICAS, "2026-01-31T12:00:01Z")

    assert manager("spec.replicas", later, entry("earlier", REPLICAS), entry("metacontroller", REPLICAS)) == "later"


def test_what_only_metacontroller_set_no_one_overrode_whatever_it_is_called() -> None:
    assert manager("spec.replicas", entry("metacontroller", REPLICAS)) is None
    assert manager("spec.replicas", entry("mc", {**OWNER, **REPLICAS})) is None
    assert manager("spec.replicas", entry("mc", REPLICAS)) == "mc"


def test_what_nobody_owns_was_removed_by_someone_unless_there_is_no_record() -> None:
    assert manager("spec.replicas", entry("metacontroller", OWNER)) == ""
    assert manager("spec.replicas") is None
