"""Keeping a child: what was applied to it last is found again, from either of the two records.

Under server-side apply the record is in the notation of FieldsV1.
"""

import pytest

from toolkit.builders import UID, Json
from toolkit.kept import IDENTITY, LAST_APPLIED, OWNED, annotated, deployment, entry, kept, managed


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


SOMEBODY_ELSE = "6f9619ff-8b86-4d01-b42d-00c04fc964ff"


def spec(owned: Json, seen: object) -> object:
    """Return what is kept of the spec *seen* when we own the fields *owned* of it."""
    return kept(managed({"f:spec": owned}, spec=seen)).get("spec")


def key(text: str) -> str:
    return f"k:{text}"


def test_only_owned_fields_are_kept() -> None:
    owned: Json = {"f:replicas": {}, "f:template": {"f:spec": {"f:nodeSelector": {"f:disk": {}}}}}
    seen = {"replicas": 3, "paused": True, "template": {"spec": {"nodeSelector": {"disk": "ssd", "arch": "arm"}}}}

    assert spec(owned, seen) == {"replicas": 3, "template": {"spec": {"nodeSelector": {"disk": "ssd"}}}}


@pytest.mark.parametrize("owned", [{}, {".": {}}], ids=["nothing below", "itself alone"])
def test_an_owned_field_is_kept_whole(owned: Json) -> None:
    seen = {"selector": {"matchLabels": {"a": "b"}}}

    assert spec({"f:selector": owned}, seen) == seen


def test_an_owned_list_is_kept_whole() -> None:
    assert spec({"f:args": {}}, {"args": ["b", "a", "b"]}) == {"args": ["b", "a", "b"]}


def test_an_owned_field_that_is_gone_is_left_out() -> None:
    assert spec({"f:replicas": {}, "f:paused": {}}, {"paused": True}) == {"paused": True}


def test_a_field_that_another_manager_took_over_is_left_to_it() -> None:
    assert spec({"f:paused": {}}, {"paused": True, "replicas": 7}) == {"paused": True}


def test_only_owned_items_are_kept() -> None:
    owned: Json = {"f:containers": {key('{"name":"main"}'): {".": {}, "f:name": {}, "f:image": {}}}}
    seen = {"containers": [{"name": "sidecar", "image": "b"}, {"name": "main", "image": "a", "tty": True}]}

    assert spec(owned, seen) == {"containers": [{"name": "main", "image": "a"}]}


def test_of_two_items_with_one_key_both_are_kept() -> None:
    ports: Json = {"f:ports": {key('{"port":1}'): {".": {}, "f:port": {}}}}
    main: Json = {"name": "main", "ports": [{"port": 1, "name": "a"}, {"port": 2}]}

    kept = spec({"f:containers": {key('{"name":"main"}'): ports}}, {"containers": [main, main]})

    assert kept == {"containers": [{"ports": [{"port": 1}]}] * 2}


def test_items_stay_in_the_order_of_the_observed_list() -> None:
    names: Json = {key(f'{{"name":"{name}"}}'): {".": {}, "f:name": {}} for name in ("a", "b", "c")}

    assert spec({"f:env": names}, {"env": [{"name": name} for name in "bca"]}) == {"env": [{"name": n} for n in "bca"]}


def test_an_item_needs_every_part_of_its_key() -> None:
    owned: Json = {
        "f:ports": {key('{"containerPort":53,"protocol":"UDP"}'): {".": {}, "f:containerPort": {}, "f:name": {}}}
    }
    ports = [
        {"containerPort": 53, "protocol": "TCP", "name": "tcp"},
        {"containerPort": 53, "protocol": "UDP", "name": "udp"},
    ]

    assert spec(owned, {"ports": ports}) == {"ports": [{"containerPort": 53, "name": "udp"}]}


def test_the_items_of_a_set_are_kept_by_value() -> None:
    owned: Json = {"f:sets": {'v:"a"': {}, "v:1": {}}}

    assert spec(owned, {"sets": [1, "b", "a", 2]}) == {"sets": [1, "a"]}


@pytest.mark.parametrize("field", ["k:{", "k:[]", "v:{", "i:0", "v:", "x"])
def test_an_item_that_can_not_be_found_is_left_out(field: str) -> None:
    assert spec({"f:sets": {field: {}}}, {"sets": [{"name": "a"}, "b", 0]}) == {"sets": []}


def test_a_key_finds_only_objects() -> None:
    assert spec({"f:sets": {key('{"name":"a"}'): {}}}, {"sets": ["name", 1, {"name": "a"}]}) == {
        "sets": [{"name": "a"}]
    }


@pytest.mark.parametrize("seen", ["x", 1, True])
def test_a_field_of_another_shape_is_kept_as_it_is(seen: object) -> None:
    assert spec({"f:template": {"f:spec": {}}}, {"template": seen}) == {"template": seen}


@pytest.mark.parametrize("damaged", [None, [], "x", 1])
def test_field_sets_that_are_no_maps_own_nothing_below(damaged: object) -> None:
    assert spec({"f:replicas": damaged}, {"replicas": 3}) == {"replicas": 3}


OTHERS = {
    "an entry of operation Update": entry({"f:spec": {"f:paused": {}}}, operation="Update"),
    "an entry of another manager": {"operation": "Apply", "fieldsV1": {"f:spec": {"f:paused": {}}}},
    "an entry with the reference to another owner": {
        "operation": "Apply",
        "fieldsV1": {
            "f:metadata": {"f:ownerReferences": {key(f'{{"uid":"{SOMEBODY_ELSE}"}}'): {}, ".": {}}},
            "f:spec": {"f:paused": {}},
        },
    },
    "an entry without fields": {"operation": "Apply"},
    "an entry with null for fields": {"operation": "Apply", "fieldsV1": None},
    "an entry with text for fields": {"operation": "Apply", "fieldsV1": "x"},
    "an entry with text for owners": {"operation": "Apply", "fieldsV1": {"f:metadata": {"f:ownerReferences": "x"}}},
    "an empty entry": {},
}


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS.keys())
def test_only_the_applied_entry_with_our_owner_reference_is_ours(other: Json) -> None:
    entries = [other, entry({"f:spec": {"f:replicas": {}}})]
    child = deployment(metadata={"managedFields": entries}, spec={"replicas": 3, "paused": True})

    assert kept(child)["spec"] == {"replicas": 3}


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS.keys())
def test_the_entries_of_others_are_no_record(other: Json) -> None:
    child = deployment(metadata={"managedFields": [other]}, spec={"replicas": 3, "paused": True})

    assert kept(child) == IDENTITY


def test_an_entry_may_own_the_reference_as_a_whole_object() -> None:
    fields = {"f:metadata": {"f:ownerReferences": {".": {}, **OWNED["f:metadata"]["f:ownerReferences"]}}}
    child = deployment(metadata={"managedFields": [{"operation": "Apply", "fieldsV1": fields}]}, spec={"replicas": 3})

    assert kept(child) == IDENTITY


def test_owned_labels_and_annotations_are_kept_without_metacontrollers() -> None:
    owned: Json = {
        **OWNED["f:metadata"],
        "f:labels": {"f:a": {}, "f:controller-uid": {}},
        "f:annotations": {"f:c": {}},
        "f:finalizers": {'v:"x"': {}},
    }
    seen = {
        "labels": {"a": "b", "controller-uid": "u", "team": "x"},
        "annotations": {"c": "d", "deployment.kubernetes.io/revision": "1"},
        "finalizers": ["x"],
    }
    child = deployment(metadata={"managedFields": [entry({"f:metadata": owned})], **seen})

    assert kept(child)["metadata"] == {"name": "web", "labels": {"a": "b"}, "annotations": {"c": "d"}}


def test_an_item_lacks_the_part_of_a_key_that_it_does_not_have() -> None:
    """A field of a key that has no default may be absent, and is then no part of the key."""
    owned: Json = {key('{"port":53}'): {"f:port": {}}, key('{"port":53,"protocol":"UDP"}'): {"f:name": {}}}
    ports = [{"port": 53, "name": "a"}, {"port": 53, "protocol": "UDP", "name": "b"}]

    assert spec({"f:ports": owned}, {"ports": ports}) == {"ports": [{"port": 53}, {"name": "b"}]}


@pytest.mark.parametrize("field", ["", ".", "k:{}", 'k:{"name":null}', 'k:{"name":["a"]}', "v:null"])
def test_what_names_no_item_picks_none(field: str) -> None:
    seen = [{"name": ["a"]}, {"name": None}, {}, None, ["a"]]

    assert spec({"f:sets": {field: {"f:x": {}}, 'v:"z"': {}}}, {"sets": seen}) == {"sets": []}


def test_a_key_is_the_same_in_any_spelling() -> None:
    owned: Json = {key('{ "protocol": "UDP", "containerPort": 53 }'): {}}
    port = {"containerPort": 53, "protocol": "UDP", "name": "dns"}

    assert spec({"f:ports": owned}, {"ports": [port]}) == {"ports": [port]}
