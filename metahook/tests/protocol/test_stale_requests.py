"""The generation stamp: a child that was made for a newer generation of the parent shows that a request is stale."""

from typing import Any

import pytest

from metahook import (
    ConfigMap,
    Manifest,
    Service,
    SyncRequest,
    children_from_newer_generation,
    is_from_newer_generation,
    with_generation_stamp,
)
from toolkit.hooks.minimal import PARENT, config_map, sync_body

STAMP = "example.com/applied"
KINDS = (Service, ConfigMap)


def request(*children: Manifest, generation: int = 3, uid: str = "uid-of-hello") -> SyncRequest:
    """Return a request of the parent in this *generation*, with *children*."""
    parent = {**PARENT, "metadata": {**PARENT["metadata"], "generation": generation, "uid": uid}}
    groups: dict[str, Any] = {kind.KIND.group_key: {} for kind in KINDS}
    for child in children:
        groups[f"{child['kind']}.v1"][child["metadata"]["name"]] = child
    return SyncRequest.decode(sync_body(parent=parent, children=groups), KINDS)


def stamped(child: Manifest, **parent: Any) -> Manifest:
    """Return *child* as it was made for this *parent*."""
    return with_generation_stamp(child, request(**parent).parent, STAMP)


def service(name: str) -> Manifest:
    return {**config_map(name), "kind": "Service"}


def test_the_stamp_stands_beside_other_annotations_and_replaces_an_older_one() -> None:
    metadata = {**config_map()["metadata"], "labels": {"a": "1"}, "annotations": {"b": "2", STAMP: "2-uid-of-h"}}
    desired = {**config_map(data={"word": "hi"}), "metadata": metadata}

    annotations = {"b": "2", STAMP: "3-uid-of-h"}
    assert stamped(desired) == {**desired, "metadata": {**metadata, "annotations": annotations}}
    assert metadata["annotations"][STAMP] == "2-uid-of-h"  # the argument stays as it is


def test_a_child_without_annotations_gets_the_stamp() -> None:
    plain, null = config_map(), config_map()
    null["metadata"]["annotations"] = None

    assert stamped(plain)["metadata"]["annotations"] == {STAMP: "3-uid-of-h"}
    assert stamped(null) == stamped(plain)


@pytest.mark.parametrize(("generation", "is_newer"), [(2, False), (3, False), (4, True), (10, True)])
def test_a_child_is_newer_only_if_its_generation_is(generation: int, is_newer: bool) -> None:  # noqa: FBT001 - a column of the table
    seen = request(stamped(config_map(), generation=generation))
    child = seen.children.get(ConfigMap, "hello")

    assert child
    assert is_from_newer_generation(child, seen.parent, STAMP) == is_newer
    assert children_from_newer_generation(seen, STAMP) == ([child] if is_newer else [])


def test_a_child_of_an_earlier_parent_of_the_same_name_is_not_newer() -> None:
    child = stamped(config_map(), generation=9, uid="uid-before")

    assert children_from_newer_generation(request(child), STAMP) == []


@pytest.mark.parametrize("stamp", ["", "-", "later", "4", "4-", "-4-uid-of-h", "4-other", f"{10**18}-uid-of-h"])
def test_another_value_is_no_stamp(stamp: str) -> None:
    child = config_map()
    child["metadata"]["annotations"] = {STAMP: stamp}

    assert children_from_newer_generation(request(child), STAMP) == []


def test_a_stamp_of_another_hook_is_not_read() -> None:
    child = stamped(config_map(), generation=4)

    assert children_from_newer_generation(request(child), "example.com/another") == []


def test_newer_children_of_all_kinds_are_returned_in_the_same_order() -> None:
    new = [stamped(child, generation=4) for child in (service("a"), config_map("z"), config_map("b"))]
    children = [*new, stamped(config_map("old"))]

    for each in (children, children[::-1]):
        newer = children_from_newer_generation(request(*each), STAMP)

        assert [(child.KIND.kind, child.metadata.name) for child in newer] == [
            ("ConfigMap", "b"), ("ConfigMap", "z"), ("Service", "a")
        ]  # fmt: skip
