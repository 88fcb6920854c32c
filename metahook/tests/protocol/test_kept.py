"""Keeping a child: what was applied to it last is found again, from either of the two records."""

import pytest

from toolkit.builders import UID, Json
from toolkit.kept import IDENTITY, LAST_APPLIED, annotated, deployment, entry, kept, managed


def test_the_annotation_is_what_was_applied() -> None:
    applied = {**IDENTITY, "spec": {"replicas": 3, "template": {"spec": {"containers": [{"name": "main"}]}}}}

    assert kept(annotated(applied, spec={"replicas": 7})) == applied


def test_labels_and_annotations_that_were_applied_stay() -> None:
    metadata: Json = {"name": "web", "labels": {"a": "b"}, "annotations": {"c": "d"}}

    assert kept(annotated({**IDENTITY, "metadata": metadata}))["metadata"] == metadata


def test_what_metacontroller_adds_itself_is_left_to_it() -> None:
    recorded = {
        "name": "web",
        "namespace": "default",
        "labels": {"controller-uid": UID, "a": "b"},
        "ownerReferences": [{"uid": UID}],
        "finalizers": ["x"],
    }

    assert kept(annotated({**IDENTITY, "metadata": recorded}))["metadata"] == {"name": "web", "labels": {"a": "b"}}


def test_no_labels_are_left_where_only_metacontrollers_was() -> None:
    recorded = {"name": "web", "labels": {"controller-uid": UID}}

    assert kept(annotated({**IDENTITY, "metadata": recorded})) == IDENTITY


def test_a_status_is_never_answered_with() -> None:
    assert kept(annotated({**IDENTITY, "status": {"replicas": 1}})) == IDENTITY
    assert kept(managed({"f:status": {"f:replicas": {}}}, status={"replicas": 1})) == IDENTITY


def test_identity_comes_from_the_child_and_not_from_its_record() -> None:
    other = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "other", "namespace": "kube-system"}}

    assert kept(annotated(other)) == IDENTITY


@pytest.mark.parametrize("identity", [{"apiVersion": "x"}, {"kind": "x"}, {"apiVersion": None}, {"kind": 1}])
def test_a_child_is_kept_as_the_kind_it_is_grouped_under(identity: Json) -> None:
    assert kept({**deployment(), **identity}) == IDENTITY


@pytest.mark.parametrize("record", ["", "{", "[]", "null", "1", '"x"', '{"spec": 1e400}', '{"spec": NaN}', "{} {}"])
def test_an_annotation_that_is_no_object_is_no_record(record: str) -> None:
    assert kept(annotated(record)) == IDENTITY


@pytest.mark.parametrize(
    "metadata",
    [{}, {"annotations": None}, {"annotations": {}}, {"managedFields": None}, {"managedFields": []}],
    ids=["absent", "annotations null", "other annotations", "managedFields null", "managedFields empty"],
)
def test_without_a_record_nothing_but_the_identity_is_answered(metadata: Json) -> None:
    assert kept(deployment(metadata=metadata, spec={"replicas": 3})) == IDENTITY


@pytest.mark.parametrize(
    ("record", "rest"),
    [
        ({"spec": None}, {}),
        ({"spec": {"a": None, "b": 1}}, {"spec": {"b": 1}}),
        ({"spec": {"a": [None, {"b": None}, 1]}}, {"spec": {"a": [{}, 1]}}),
        ({"metadata": None}, {}),
        ({"metadata": {"labels": None, "annotations": None}}, {}),
        ({"metadata": {"labels": {"a": None}}}, {}),
        (
            {"metadata": {"annotations": {"a": None, "b": "c"}}},
            {"metadata": {"name": "web", "annotations": {"b": "c"}}},
        ),
    ],
    ids=["field", "in a map", "in a list", "metadata", "labels", "a label", "an annotation"],
)
def test_nulls_in_an_annotation_are_dropped(record: Json, rest: Json) -> None:
    assert kept(annotated(record)) == {**IDENTITY, **rest}


def test_nulls_in_owned_fields_are_dropped() -> None:
    owned: Json = {"f:spec": {"f:paused": {}, "f:replicas": {}, "f:args": {}}}

    seen = {"paused": None, "replicas": 3, "args": [None, "x"]}

    assert kept(managed(owned, spec=seen)) == {**IDENTITY, "spec": {"replicas": 3, "args": ["x"]}}
    assert kept(managed({"f:spec": {}}, spec=None)) == IDENTITY


def test_the_annotation_comes_before_managed_fields() -> None:
    child = annotated({**IDENTITY, "spec": {"replicas": 1}}, spec={"replicas": 2})
    child["metadata"]["managedFields"] = [entry({"f:spec": {"f:replicas": {}}})]

    assert kept(child)["spec"] == {"replicas": 1}


@pytest.mark.parametrize("wrong", ["x", 1, {}, [None], ["x"], [[]]], ids=["text", "1", "map", "null", "texts", "lists"])
def test_managed_fields_that_are_no_list_of_maps_are_no_record(wrong: object) -> None:
    assert kept(deployment(metadata={"managedFields": wrong}, spec={"replicas": 3})) == IDENTITY


def test_an_entry_that_is_no_map_hides_none_that_is() -> None:
    entries = [None, "x", entry({"f:spec": {"f:replicas": {}}})]

    assert kept(deployment(metadata={"managedFields": entries}, spec={"replicas": 3}))["spec"] == {"replicas": 3}


@pytest.mark.parametrize("levels", [500, 2_000, 100_000])
def test_an_annotation_nested_deeper_than_can_be_followed_is_no_record(levels: int) -> None:
    assert kept(annotated('{"a":' * levels + "1" + "}" * levels)) == IDENTITY


@pytest.mark.parametrize("annotations", [{LAST_APPLIED: ""}, {"other": "{}"}], ids=["empty", "other"])
def test_an_annotation_that_says_nothing_gives_way_to_managed_fields(annotations: Json) -> None:
    entries = [entry({"f:spec": {"f:replicas": {}}})]
    child = deployment(metadata={"annotations": annotations, "managedFields": entries}, spec={"replicas": 3})

    assert kept(child)["spec"] == {"replicas": 3}
