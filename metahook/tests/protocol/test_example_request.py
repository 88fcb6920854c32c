"""Requests for unit tests: what a test leaves out is added, and what it says stays."""

import pytest
from msgspec.structs import replace

from metahook import Absence, ConfigMap, Controller, Kind, Secret, SyncRequest, SyncResponse
from metahook.simulator import Settings


def _never(request: SyncRequest, now: object) -> SyncResponse:
    raise AssertionError((request, now))


CONTROLLER = Controller(sync=_never, children=(ConfigMap,))
PARENT = {"metadata": {"name": "hi"}, "spec": {"text": "hello"}}


def config_map(name: str, **metadata: object) -> dict[str, object]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, **metadata}, "data": {"a": "1"}}


def test_what_every_stored_parent_has_is_added() -> None:
    parent = CONTROLLER.request(PARENT).parent

    assert (parent.name, parent.namespace, parent.uid, parent.generation) == ("hi", "default", "hi", 1)
    assert parent.created == "2026-01-01T00:00:00Z"


def test_what_the_parent_says_stays() -> None:
    created = "2027-02-03T04:05:06Z"
    metadata = {"name": "hi", "namespace": "other", "uid": "u", "generation": 7, "creationTimestamp": created}

    parent = CONTROLLER.request({"metadata": metadata, "spec": {}, "status": {"state": "Ready"}}).parent

    assert (parent.namespace, parent.uid, parent.generation, parent.created) == ("other", "u", 7, created)
    assert parent.status == b'{"state":"Ready"}'


def test_children_are_found_by_kind_and_name() -> None:
    children = CONTROLLER.request(PARENT, [config_map("a"), config_map("b")]).children

    assert [each.metadata.name for each in children.all(ConfigMap)] == ["a", "b"]


def test_a_child_that_another_object_controls_is_none_of_the_parents() -> None:
    owner = {"apiVersion": "v1", "kind": "Other", "name": "o", "uid": "o", "controller": True}

    children = CONTROLLER.request(PARENT, [config_map("a", ownerReferences=[owner])]).children

    assert children.all(ConfigMap) == []


def test_related_objects_are_there_missing_or_not_selected() -> None:
    selected = CONTROLLER.request(PARENT, related={ConfigMap: [config_map("settings")]}).related

    found = selected.get(ConfigMap, "settings")
    assert isinstance(found, ConfigMap)
    assert found.data == {"a": "1"}
    assert selected.get(ConfigMap, "other") is Absence.MISSING
    assert selected.get(Secret, "settings") is Absence.NOT_SELECTED


def test_a_parent_without_a_name_is_an_error() -> None:
    with pytest.raises(KeyError):
        CONTROLLER.request({"metadata": {}})


def test_controllers_and_settings_can_be_keys_although_they_hold_objects() -> None:
    controller = replace(CONTROLLER, example_spec={"text": "hello"})
    settings = Settings(Kind("example.com/v1", "Note", "notes"), (), label_selector={"matchLabels": {"a": "b"}})

    assert {controller: 1, settings: 2} == {controller: 1, settings: 2}


def test_a_child_of_a_kind_that_is_not_declared_is_in_no_group() -> None:
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}}

    request = CONTROLLER.request(PARENT, children=[secret, config_map("a")])

    assert [each.metadata.name for each in request.children.all(ConfigMap)] == ["a"]
