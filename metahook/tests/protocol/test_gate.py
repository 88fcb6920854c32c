"""The gate: each kind of damage is refused, and beside it stands the harmless answer that it is nearest to."""

import copy
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, ClassVar, cast

import pytest
from msgspec.structs import replace

from metahook import (
    Children,
    ConfigMap,
    EncodedManifest,
    Kind,
    Manifest,
    Object,
    Parent,
    RefusedResponse,
    RelatedRule,
    Service,
    SyncResponse,
    select_by_labels,
    select_by_name,
)
from metahook.protocol.gate import (
    MAX_RESPONSE,
    check_customize,
    check_kept,
    check_managed,
    check_response,
    check_size,
    kinds_of,
)
from metahook.protocol.objects import identity_of
from metahook.protocol.response import MAX_LOG_FIELDS
from toolkit.hooks.minimal import config_map, observed_children

PARENT = Parent(
    name="hello", namespace="default", uid="u", generation=1, created=None, deleting=False, spec=b"{}", status=b"{}"
)


class OtherConfigMap(Object, frozen=True):
    """A kind with the same word in another API group."""

    KIND: ClassVar[Kind] = Kind("example.com/v1", "ConfigMap", "configmaps")


KINDS = kinds_of(ConfigMap, Service, OtherConfigMap)
STATUS = {"state": "Ready"}


@dataclass(frozen=True)
class Damage:
    """An answer that does damage, what the gate says of it, and its harmless twin."""

    says: str
    refused: SyncResponse
    passes: SyncResponse


@dataclass(frozen=True)
class Data:
    """What a controller may take for JSON: it is encoded as a map."""

    word: str | None


def listing(*children: Any) -> SyncResponse:
    return SyncResponse(status=STATUS, children=list(children))


def keeping(*children: Any) -> SyncResponse:
    return SyncResponse(status=STATUS, kept=list(children))


def with_metadata(**metadata: Any) -> Manifest:
    child = config_map()
    return {**child, "metadata": {**child["metadata"], **metadata}}


def without_name() -> Manifest:
    return {**config_map(), "metadata": {"namespace": "default"}}


KIND = "a child without kind"
API_VERSION = "a child without apiVersion"
OTHER_KIND = "a child of an undeclared kind: add Secret to children= of the Controller"
VERSION = "a child of an undeclared API version: ConfigMap is declared as v1 or example.com/v1"
NO_OBJECT = "a child that is not an object"
NO_NAME = "a child without a name"
NAMESPACE = "a child in another namespace"
NOT_OURS = "a child with a field that only Metacontroller or the API server sets"
TWINS = "two children of one kind and name"

IDENTITY: dict[str, tuple[str, list[Any], list[Any]]] = {
    "null": (NO_OBJECT, [None], []),
    "text": (NO_OBJECT, ["x"], []),
    "no metadata": (NO_OBJECT, [{"apiVersion": "v1", "kind": "ConfigMap"}], [config_map()]),
    "metadata is text": (NO_OBJECT, [{**config_map(), "metadata": "x"}], [config_map()]),
    "undeclared kind": (OTHER_KIND, [{**config_map(), "kind": "Secret"}], [{**config_map(), "kind": "Service"}]),
    "undeclared version": (VERSION, [{**config_map(), "apiVersion": "v2"}], [config_map()]),
    "no apiVersion": (API_VERSION, [{"metadata": {"name": "hello"}}], [config_map()]),
    "no kind": (KIND, [{"apiVersion": "v1", "metadata": {"name": "hello"}}], [config_map()]),
    "kind is a list": (KIND, [{**config_map(), "kind": []}], [config_map()]),
    "no name": (NO_NAME, [without_name()], [config_map()]),
    "empty name": (NO_NAME, [with_metadata(name="")], [with_metadata(name="a")]),
    "name is a number": (NO_NAME, [with_metadata(name=1)], [with_metadata(name="1")]),
    "name is a list": (NO_NAME, [with_metadata(name=[])], [with_metadata(name="a")]),
    "generated name": (
        NOT_OURS,
        [with_metadata(generateName="a-")],
        [with_metadata(annotations={"generateName": "a-"})],
    ),
    "other namespace": (NAMESPACE, [with_metadata(namespace="other")], [with_metadata(namespace="default")]),
    "namespace is null": (NAMESPACE, [with_metadata(namespace=None)], [{**config_map(), "metadata": {"name": "a"}}]),
    "namespace is empty": (NAMESPACE, [with_metadata(namespace="")], [config_map()]),
    "status": (NOT_OURS, [config_map(status={})], [config_map(data={"status": "x"})]),
    "owners": (NOT_OURS, [with_metadata(ownerReferences=[])], [with_metadata(labels={"ownerReferences": "x"})]),
    "finalizers": (NOT_OURS, [with_metadata(finalizers=[])], [config_map()]),
    "uid": (NOT_OURS, [with_metadata(uid="u")], [with_metadata(labels={"uid": "u"})]),
    "resource version": (NOT_OURS, [with_metadata(resourceVersion="1")], [config_map()]),
    "managed fields": (NOT_OURS, [with_metadata(managedFields=[])], [config_map()]),
    "controller-uid": (NOT_OURS, [with_metadata(labels={"controller-uid": "u"})], [with_metadata(labels={"a": "b"})]),
    "twins": (TWINS, [config_map("a"), config_map("a", data={})], [config_map("a"), config_map("b")]),
    "twin kinds": (
        TWINS,
        [config_map("a"), config_map("a")],
        [config_map("a"), {**config_map("a"), "kind": "Service"}],
    ),
    "twin groups": (
        TWINS,
        [config_map("a"), config_map("a")],
        [config_map("a"), {**config_map("a"), "apiVersion": "example.com/v1"}],
    ),
    "a good one beside a bad one": (NO_NAME, [config_map(), without_name()], [config_map()]),
}
"""What is said of children by who they are: the damage, children that do it, and others like them that do not."""

NULL = "a null, or what JSON can't say, in a child"
STATUS_NULL = "a null, or what JSON can't say, in the status"
NO_STATUS = "no status"
RESYNC = "a resync outside 1 to 86400 seconds"

FIELDS: dict[str, Damage] = {
    "null in a child": Damage(NULL, listing(config_map(data=None)), listing(config_map())),
    "null deep in a child": Damage(
        NULL, listing(config_map(data={"a": [{"b": None}]})), listing(config_map(data={"a": [{"b": "None"}]}))
    ),
    "null in a tuple": Damage(NULL, listing(config_map(args=(None,))), listing(config_map(args=("a",)))),
    "null in a set": Damage(NULL, listing(config_map(args={None})), listing(config_map(args=["a"]))),
    "null in an object": Damage(NULL, listing(config_map(data=Data(None))), listing(config_map(data={"word": "a"}))),
    "null for labels": Damage(NULL, listing(with_metadata(labels=None)), listing(with_metadata(labels={}))),
    "null label": Damage(NULL, listing(with_metadata(labels={"a": None})), listing(with_metadata(labels={"a": ""}))),
    "NaN in a child": Damage(NULL, listing(config_map(a=float("nan"))), listing(config_map(a=1.5))),
    "infinity in a child": Damage(NULL, listing(config_map(a=[float("inf")])), listing(config_map(a=[1e300]))),
    "integer that Go can't keep in a child": Damage(
        NULL, listing(config_map(a={"b": [2**63]})), listing(config_map(a={"b": [2**63 - 1]}))
    ),
    "negative integer that Go can't keep in a child": Damage(
        NULL, listing(config_map(a=-(2**63) - 1)), listing(config_map(a=-(2**63)))
    ),
    "no status": Damage(NO_STATUS, SyncResponse(status={}), SyncResponse(status={"a": 0})),
    "null for a status": Damage(
        NO_STATUS,
        SyncResponse(status=None),  # type: ignore[arg-type] # a controller without types
        SyncResponse(status={"a": False}),
    ),
    "text for a status": Damage(
        NO_STATUS,
        SyncResponse(status="Ready"),  # type: ignore[arg-type] # a controller without types
        SyncResponse(status={"a": ""}),
    ),
    "null in the status": Damage(STATUS_NULL, SyncResponse(status={"a": None}), SyncResponse(status={"a": {}})),
    "null deep in the status": Damage(
        STATUS_NULL, SyncResponse(status={"a": [{"b": None}]}), SyncResponse(status={"a": [{"b": []}]})
    ),
    "infinity in the status": Damage(
        STATUS_NULL, SyncResponse(status={"a": float("-inf")}), SyncResponse(status={"a": -1.0})
    ),
    "integer that Go can't keep in the status": Damage(
        STATUS_NULL, SyncResponse(status={"a": 2**64}), SyncResponse(status={"a": 2**53 + 1})
    ),
    "resync at once": Damage(RESYNC, SyncResponse(STATUS, resync_after=0), SyncResponse(STATUS, resync_after=1)),
    "resync before": Damage(RESYNC, SyncResponse(STATUS, resync_after=-1), SyncResponse(STATUS, resync_after=None)),
    "resync too late": Damage(
        RESYNC, SyncResponse(STATUS, resync_after=86401), SyncResponse(STATUS, resync_after=86400)
    ),
    "too many fields for the log": Damage(
        f"more than {MAX_LOG_FIELDS} fields for the log",
        SyncResponse(STATUS, log={f"field_{number}": "" for number in range(MAX_LOG_FIELDS + 1)}),
        SyncResponse(STATUS, log={f"field_{number}": "" for number in range(MAX_LOG_FIELDS)}),
    ),
    "twins, one made and one kept": Damage(
        TWINS,
        SyncResponse(STATUS, [config_map("a")], [config_map("a")]),
        SyncResponse(STATUS, [config_map("a")], [config_map("b")]),
    ),
}
"""What is said of all else."""

DAMAGES = {
    **{f"{name}, made": Damage(says, listing(*bad), listing(*good)) for name, (says, bad, good) in IDENTITY.items()},
    **{f"{name}, kept": Damage(says, keeping(*bad), keeping(*good)) for name, (says, bad, good) in IDENTITY.items()},
    **FIELDS,
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())
def test_damage_is_refused(damage: Damage) -> None:
    with pytest.raises(RefusedResponse) as raised:
        check_response(damage.refused, PARENT, KINDS)

    assert str(raised.value) == damage.says


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())
def test_the_harmless_twin_of_a_damage_passes(damage: Damage) -> None:
    check_response(damage.passes, PARENT, KINDS)


@pytest.mark.parametrize(
    "child",
    [config_map(data=None), config_map(data=float("nan")), config_map(data={"a": None}), with_metadata(labels=None)],
    ids=["null", "NaN", "null deep inside", "null for labels"],
)
def test_a_kept_child_is_not_judged_by_the_rules_for_fields(child: Manifest) -> None:
    check_response(keeping(child), PARENT, KINDS)

    with pytest.raises(RefusedResponse):
        check_response(listing(child), PARENT, KINDS)


def test_of_the_observed_children_some_may_be_kept_and_the_others_listed() -> None:
    mixed = SyncResponse(status=STATUS, children=[config_map("a")], kept=[config_map("b")])
    listed = check_response(mixed, PARENT, KINDS)

    check_kept(listed, observed_children(config_map("a"), config_map("b")))
    with pytest.raises(RefusedResponse, match="not all that are observed"):
        check_kept(listed, observed_children(config_map("a"), config_map("b"), config_map("c")))


def test_a_kept_child_of_another_group_does_not_stand_for_one_that_is_left_out() -> None:
    observed = observed_children(config_map("a"))

    check_kept([identity_of(config_map("a"), "default")], observed)
    with pytest.raises(RefusedResponse, match="not all that are observed"):
        check_kept([identity_of({**config_map("a"), "apiVersion": "example.com/v1"}, "default")], observed)


def test_the_first_of_the_children_that_would_be_deleted_is_named() -> None:
    with pytest.raises(RefusedResponse) as raised:
        check_kept([("ConfigMap.v1", "default", "c")], observed_children(*map(config_map, "abc")))

    assert "ConfigMap.v1 a is observed and neither kept nor listed" in raised.value.detail


def test_a_controller_without_children_may_list_none() -> None:
    check_response(listing(), PARENT, kinds_of())

    with pytest.raises(RefusedResponse):
        check_response(listing(config_map()), PARENT, kinds_of())


def test_what_is_refused_is_never_quoted() -> None:
    with pytest.raises(RefusedResponse) as raised:
        check_response(listing(config_map("canary", kind="canary", status="canary")), PARENT, KINDS)

    assert "canary" not in str(raised.value)


def test_related_rules_stay_in_the_parents_namespace() -> None:
    check_customize([select_by_name(ConfigMap, "default", "a")], PARENT)

    with pytest.raises(RefusedResponse, match="another namespace"):
        check_customize([select_by_name(ConfigMap, "default", "a"), select_by_name(ConfigMap, "other", "a")], PARENT)


def test_a_rule_without_a_namespace_means_all_of_them_and_is_refused() -> None:
    everywhere: RelatedRule = {"apiVersion": "v1", "resource": "configmaps"}  # type: ignore[typeddict-item] # what is refused

    with pytest.raises(RefusedResponse, match="another namespace"):
        check_customize([everywhere], PARENT)


def test_a_response_may_have_a_mebibyte() -> None:
    largest = b"x" * MAX_RESPONSE

    assert check_size(largest) == largest
    with pytest.raises(RefusedResponse, match="1 MiB"):
        check_size(largest + b"x")


LABELS = {"matchLabels": {"a": "b"}}


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ({}, "selects every object of a kind"),
        ({"names": []}, "selects every object of a kind"),
        ({"labelSelector": {}}, "selects every object of a kind"),
        ({"names": ["a"], "labelSelector": LABELS}, "with names and a selector"),
        ({"names": ["a"], "namespaceSelector": LABELS}, "with names and a selector"),
        ({"namespaceSelector": LABELS}, "with a namespace and a selector of namespaces"),
    ],
    ids=str,
)
def test_a_rule_that_selects_everything_or_in_two_ways_is_refused(rule: dict[str, object], words: str) -> None:
    whole = {"apiVersion": "v1", "resource": "configmaps", "namespace": "default", **rule}

    with pytest.raises(RefusedResponse, match=f"a related rule (that )?{words}"):
        check_customize([cast("RelatedRule", whole)], PARENT)


def test_rules_are_a_list() -> None:
    with pytest.raises(RefusedResponse, match="customize returned a dict: return a list of rules"):
        check_customize({}, PARENT)  # type: ignore[arg-type] # a controller without types


def test_a_rule_by_label_is_fine() -> None:
    check_customize([select_by_labels(ConfigMap, "default", {"a": "b"})], PARENT)


def encoded(child: Any) -> Any:
    """Return *child* as an encoded manifest, or as it is if it is none that could be encoded."""
    has_name = isinstance(child, dict) and isinstance(child.get("metadata"), dict) and "name" in child["metadata"]
    return EncodedManifest(child) if has_name else child


def all_encoded(response: SyncResponse) -> SyncResponse:
    children, kept = ([encoded(child) for child in each] for each in (response.children, response.kept))
    return replace(response, children=children, kept=kept)


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())
def test_encoded_manifests_are_refused_as_others_are(damage: Damage) -> None:
    check_response(all_encoded(damage.passes), PARENT, KINDS)

    with pytest.raises(RefusedResponse) as raised:
        check_response(all_encoded(damage.refused), PARENT, KINDS)
    assert str(raised.value) == damage.says


def test_an_encoded_manifest_is_encoded_as_others_are() -> None:
    plain, remembered = listing(config_map("b"), config_map("a")), listing(config_map("b"), encoded(config_map("a")))

    assert remembered.encode() == plain.encode()


def test_a_change_of_an_encoded_manifest_is_not_sent_though_the_gate_does_not_check_it_again() -> None:
    first, second = encoded(config_map("a")), encoded(config_map("b"))
    response = listing(first, second)
    check_response(response, PARENT, KINDS)
    before = response.encode()

    first["data"] = {"a": None}
    first["metadata"]["namespace"] = "other"
    second["metadata"]["name"] = "a"

    check_response(response, PARENT, KINDS)
    assert response.encode() == before


@pytest.mark.parametrize("value", [datetime(2026, 1, 1, tzinfo=UTC), {"a"}, b"a"], ids=["time", "set", "bytes"])
def test_a_value_that_only_its_encoding_makes_json_is_refused(value: object) -> None:
    child = {**config_map(), "data": {"a": value}}

    for each in (child, encoded(child)):
        with pytest.raises(RefusedResponse, match="what JSON can't say"):
            check_response(listing(each), PARENT, KINDS)


def test_an_integer_that_go_cannot_keep_is_refused_with_its_path() -> None:
    child = config_map(args=["fits"], data=[{"b": 2**63}])

    for refused in (listing(child), listing(encoded(child))):
        with pytest.raises(RefusedResponse) as raised:
            check_response(refused, PARENT, KINDS)

        assert raised.value.detail == "ConfigMap hello: data[0].b is an integer outside of int64: write it as text"


def test_a_changed_copy_of_an_encoded_manifest_is_checked() -> None:
    child = encoded(config_map())
    check_response(listing(child), PARENT, KINDS)

    deep = copy.deepcopy(child)
    deep["data"] = None
    for changed in ({**child, "data": None}, child | {"data": None}, deep):
        with pytest.raises(RefusedResponse, match="null"):
            check_response(listing(changed), PARENT, KINDS)


def test_an_encoded_manifest_is_checked_again_for_another_namespace_and_other_kinds() -> None:
    child = encoded(config_map())
    check_response(listing(child), PARENT, KINDS)

    with pytest.raises(RefusedResponse, match="another namespace"):
        check_response(listing(child), replace(PARENT, namespace="other"), KINDS)
    with pytest.raises(RefusedResponse, match="undeclared kind"):
        check_response(listing(child), PARENT, kinds_of(Service))


def test_the_copy_of_an_encoded_manifest_of_the_same_name_is_a_duplicate() -> None:
    child = encoded(config_map())

    with pytest.raises(RefusedResponse, match="two children"):
        check_response(listing(child, {**child}), PARENT, KINDS)


def test_a_child_of_an_optional_kind_that_the_request_lacks_is_refused_and_one_that_it_has_is_not() -> None:
    listed = [("Service.v1", "default", "web")]

    def observed(groups: dict[str, Any]) -> Children:
        return Children(groups, (Service,), namespace="default", owner_uid="u", optional={Service})

    check_managed(listed, observed({"Service.v1": {}}))
    with pytest.raises(RefusedResponse, match="does not list") as refused:
        check_managed(listed, observed({}))
    assert "no group Service.v1" in refused.value.detail
