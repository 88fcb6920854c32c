import json
import re
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from metahook import (
    Absence,
    Children,
    ConfigMap,
    Deployment,
    MalformedRequest,
    Object,
    Related,
    Service,
    SyncRequest,
    UndeclaredKind,
)
from metahook.protocol.managed_fields import last_change, union
from toolkit.builders import UID, Json
from toolkit.widgets import widget

SOMEBODY_ELSE = "6f9619ff-8b86-4d01-b42d-00c04fc964ff"
KINDS = (Deployment, Service, ConfigMap)
KEYS = {
    "of version 1": "web",
    "of version 2": "default/web",
    "of another shape": "a/b/c",
    "empty": "",
}


CONFIG_MAP = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "web"}}


def item(name: str = "web", *, namespace: str | None = "default", owners: object = None, **fields: object) -> Json:
    return {"metadata": {"name": name, "namespace": namespace, "ownerReferences": owners}, **fields}


def owner(uid: str, *, controller: bool | None = True) -> Json:
    return {"uid": uid, "controller": controller}


def request(*, children: Json | None = None, related: object = None) -> SyncRequest:
    groups: Json = {kind.KIND.group_key: {} for kind in KINDS} | (children or {})
    body = {"parent": widget(), "children": groups, "related": related or {}}
    return SyncRequest.decode(json.dumps(body).encode(), KINDS)


def observed(kind: str, *items: Json) -> Children:
    return request(children={kind: {str(place): seen for place, seen in enumerate(items)}}).children


def related(kind: str, *items: Json) -> Related:
    return request(related={kind: {str(place): seen for place, seen in enumerate(items)}}).related


@dataclass(frozen=True)
class Owners:
    """Who owns an object, and whether it is one of the parent's children."""

    owners: object
    child: bool


OWNERS = {
    "the parent controls it": Owners([owner(UID)], child=True),
    "just adopted: no controller yet": Owners([], child=True),
    "null counts as no owner": Owners(None, child=True),
    "another owner does not control it": Owners([owner(SOMEBODY_ELSE, controller=None)], child=True),
    "the parent controls it beside other owners": Owners(
        [owner(SOMEBODY_ELSE, controller=False), owner(UID)], child=True
    ),
    "another object controls it": Owners([owner(SOMEBODY_ELSE)], child=False),
    "the parent owns it, and another object controls it": Owners(
        [owner(UID, controller=False), owner(SOMEBODY_ELSE)], child=False
    ),
}


@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS.keys())
def test_a_child_is_found_whatever_its_key_looks_like(key: str) -> None:
    seen = request(children={"Deployment.apps/v1": {key: item(spec={"replicas": 2})}}).children.get(Deployment, "web")

    assert seen is not None
    assert (seen.metadata.name, seen.spec) == ("web", {"replicas": 2})


@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS.keys())
def test_a_related_object_is_found_whatever_its_key_looks_like(key: str) -> None:
    found = request(related={"ConfigMap.v1": {key: item(data={"a": "b"})}}).related.get(ConfigMap, "web")

    assert isinstance(found, ConfigMap)
    assert found.data == {"a": "b"}


def test_each_kind_has_its_own_names() -> None:
    groups = {
        "Deployment.apps/v1": {"1": item("one")},
        "Service.v1": {"1": item("two")},
        "ConfigMap.v1": {"1": item("three")},
    }
    children = request(children=groups).children
    found = {
        kind: [name for name in ("one", "two", "three") if isinstance(children.get(kind, name), kind)]
        for kind in (Deployment, Service, ConfigMap)
    }

    assert found == {Deployment: ["one"], Service: ["two"], ConfigMap: ["three"]}


def test_another_version_of_a_kind_is_another_kind() -> None:
    assert observed("Deployment.apps/v2", item()).get(Deployment, "web") is None


@pytest.mark.parametrize("namespace", ["other", None, ""])
def test_objects_outside_the_parents_namespace_are_invisible(namespace: str | None) -> None:
    assert observed("Deployment.apps/v1", item(namespace=namespace)).all(Deployment) == []
    assert related("Service.v1", item(namespace=namespace)).get(Service, "web") is Absence.MISSING


@pytest.mark.parametrize("case", OWNERS.values(), ids=OWNERS.keys())
def test_a_child_is_what_nobody_else_controls(case: Owners) -> None:
    children = observed("Deployment.apps/v1", item(owners=case.owners, apiVersion="apps/v1", kind="Deployment"))

    assert (children.get(Deployment, "web") is not None) is case.child
    assert len(children.all(Deployment)) == len(children.kept()) == int(case.child)


@pytest.mark.parametrize("case", OWNERS.values(), ids=OWNERS.keys())
def test_a_related_object_is_seen_whoever_controls_it(case: Owners) -> None:
    assert isinstance(related("Service.v1", item(owners=case.owners)).get(Service, "web"), Service)


def test_all_children_of_a_kind_are_listed() -> None:
    children = observed("Deployment.apps/v1", item("one"), item("two"), item("three", namespace="other"))

    assert [seen.metadata.name for seen in children.all(Deployment)] == ["one", "two"]
    assert children.all(Service) == []


def test_two_children_of_one_name_are_malformed() -> None:
    with pytest.raises(MalformedRequest):
        observed("Deployment.apps/v1", item(), item())


def test_a_child_without_a_name_is_malformed() -> None:
    with pytest.raises(MalformedRequest, match="name"):
        observed("Deployment.apps/v1", item(""))


def test_one_name_in_two_namespaces_is_no_twin() -> None:
    children = observed("Deployment.apps/v1", item(), item(namespace="other"))

    assert len(children.all(Deployment)) == 1


def test_one_name_in_two_kinds_is_no_twin() -> None:
    children = request(children={"Service.v1": {"1": item()}, "ConfigMap.v1": {"1": item()}}).children

    assert children.get(Service, "web")
    assert children.get(ConfigMap, "web")


@pytest.mark.parametrize(
    "wrong",
    [None, [], "x", {}, {"metadata": None}, {"metadata": {}}, {"metadata": {"name": 1}}, item(spec=[])],
    ids=["null", "list", "text", "empty", "no metadata", "no name", "name", "spec"],
)
def test_a_child_that_is_no_object_is_malformed(wrong: object) -> None:
    with pytest.raises(MalformedRequest):
        request(children={"Deployment.apps/v1": {"web": wrong}})


def test_a_kind_that_nobody_declared_may_hold_anything() -> None:
    children = request(children={"Secret.v1": {"web": "x"}, "Deployment.apps/v1": {"web": item()}}).children

    assert children.get(Deployment, "web")


@pytest.mark.parametrize("kind", KINDS)
def test_a_declared_kind_without_a_group_is_malformed_as_nothing_is_known_of_its_children(kind: type[Object]) -> None:
    groups: Json = {other.KIND.group_key: {} for other in KINDS if other is not kind}
    body = json.dumps({"parent": widget(), "children": groups}).encode()

    with pytest.raises(MalformedRequest, match=kind.KIND.group_key):
        SyncRequest.decode(body, KINDS)


def test_an_optional_kind_without_a_group_has_no_children_and_is_not_managed() -> None:
    children = Children(
        {"Service.v1": {}}, (Deployment, Service), namespace="default", owner_uid=UID, optional={Deployment}
    )

    assert not children.manages(Deployment)
    assert children.manages(Service)
    assert children.all(Deployment) == []
    assert children.kept() == []
    assert children.observed({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}}) is None


def test_a_child_is_found_by_the_kind_and_name_of_the_desired_one() -> None:
    children = observed("Service.v1", item())
    desired = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}}

    assert children.observed(desired) is children.get(Service, "web") is not None
    assert children.observed({**desired, "metadata": {"name": "other"}}) is None
    assert children.observed({**desired, "apiVersion": "apps/v1", "kind": "Deployment"}) is None


@pytest.mark.parametrize(
    "use",
    [
        pytest.param(lambda children: children.all(ConfigMap), id="all"),
        pytest.param(lambda children: children.get(ConfigMap, "web"), id="get"),
        pytest.param(lambda children: children.observed(CONFIG_MAP), id="observed"),
        pytest.param(lambda children: children.find(CONFIG_MAP), id="find"),
    ],
)
def test_a_kind_that_is_used_and_not_declared_is_an_error_with_the_remedy(use: Callable[[Children], object]) -> None:
    remedy = "a child of an undeclared kind: add ConfigMap to children= of the Controller"

    with pytest.raises(UndeclaredKind, match=f"^{re.escape(remedy)}$"):
        use(Children({"Service.v1": {}}, (Service,), namespace="default", owner_uid=UID))

    use(Children({"ConfigMap.v1": {}}, (ConfigMap,), namespace="default", owner_uid=UID))


@pytest.mark.parametrize("kind", ["", "config map", "canary", "Canary\n", "X" * 64, 5, None])
def test_a_kind_that_is_no_name_of_one_is_not_repeated(kind: object) -> None:
    assert str(UndeclaredKind(kind)) == "a child of an undeclared kind: add its kind to children= of the Controller"


def test_children_are_known_by_group_kind_and_name() -> None:
    services = observed("Service.v1", item("one"), item("two"))

    assert services.identities() == {("Service.v1", "default", "one"), ("Service.v1", "default", "two")}


def test_a_kind_without_a_rule_is_not_selected() -> None:
    assert related("ConfigMap.v1").get(Service, "web") is Absence.NOT_SELECTED
    assert request(related=None).related.get(Service, "web") is Absence.NOT_SELECTED


@pytest.mark.parametrize("group", ["Service", "services.v1", "v1/Service"])
def test_a_group_of_another_name_counts_as_absent(group: str) -> None:
    assert related(group, item()).get(Service, "web") is Absence.NOT_SELECTED
    assert isinstance(related("Service.v1", item()).get(Service, "web"), Service)


@pytest.mark.parametrize("group", [{}, {"1": item("other")}], ids=["empty", "others"])
def test_a_kind_with_a_rule_can_be_missing(group: object) -> None:
    assert request(related={"Service.v1": group}).related.get(Service, "web") is Absence.MISSING


@pytest.mark.parametrize("keys", [("default/web", "x"), ("x", "default/web"), ("web", "x")])
def test_a_related_object_is_found_by_its_own_name_if_another_has_its_key(keys: tuple[str, str]) -> None:
    objects = (item("other", data={"a": "other"}), item(data={"a": "web"}))
    found = request(related={"ConfigMap.v1": dict(zip(keys, objects, strict=True))}).related.get(ConfigMap, "web")

    assert isinstance(found, ConfigMap)
    assert found.data == {"a": "web"}


def test_a_related_object_under_the_key_of_the_namespace_may_be_of_another() -> None:
    seen = request(related={"ConfigMap.v1": {"default/web": item(namespace="other")}}).related

    assert seen.get(ConfigMap, "web") is Absence.MISSING


def test_children_are_not_related_objects() -> None:
    seen = request(children={"Service.v1": {"web": item()}}, related={"Service.v1": {}})

    assert seen.related.get(Service, "web") is Absence.MISSING
    assert seen.children.get(Service, "web")


@pytest.mark.parametrize("wrong", [5, [], "x", {"metadata": {"name": "web"}, "data": 5}], ids=str)
def test_a_related_object_that_cannot_be_read_stops_nothing(wrong: object) -> None:
    seen = request(related={"ConfigMap.v1": {"1": wrong, "2": item("other")}}).related

    assert isinstance(seen.get(ConfigMap, "other"), ConfigMap)
    assert seen.get(ConfigMap, "web") is Absence.MISSING
    assert [found.metadata.name for found in seen.all(ConfigMap)] == ["other"]  # type: ignore[union-attr]


def test_a_related_object_with_fields_of_another_kind_is_there_but_unreadable() -> None:
    seen = related("ConfigMap.v1", item(data={"a": 1}))

    assert seen.get(ConfigMap, "web") is seen.get(ConfigMap, "web") is Absence.UNREADABLE
    assert list(seen.all(ConfigMap)) == []  # type: ignore[arg-type]


def test_all_related_objects_of_a_kind_are_those_of_the_parents_namespace() -> None:
    seen = related("ConfigMap.v1", item("one"), item("two"), item("three", namespace="other"))
    found = seen.all(ConfigMap)

    assert not isinstance(found, Absence)
    assert [each.metadata.name for each in found] == ["one", "two"]
    assert seen.all(Service) is Absence.NOT_SELECTED


def test_a_related_kind_that_is_known_only_by_its_group_is_read_as_another() -> None:
    seen = related("MyBackup.example.com/v1", item("nightly"))

    assert isinstance(seen.get(ConfigMap, "nightly", "MyBackup.example.com/v1"), ConfigMap)
    assert seen.get(ConfigMap, "nightly") is Absence.NOT_SELECTED


@pytest.mark.parametrize(
    ("of_status", "time"), [(True, "2026-01-31T12:00:03Z"), (False, "2026-01-31T12:00:02Z")], ids=["status", "rest"]
)
def test_the_last_change_is_that_of_the_status_or_of_the_rest(*, of_status: bool, time: str) -> None:
    times = [("", 1), ("", 2), ("status", 3), ("scale", 0)]
    entries = [{"time": f"2026-01-31T12:00:0{second}Z", "subresource": part} for part, second in times]

    assert last_change(json.dumps(entries).encode(), of_status=of_status) == time
    assert last_change(b"[]", of_status=of_status) == ""


@pytest.mark.parametrize("damaged", [None, [], "x"])
def test_a_field_set_that_is_no_map_adds_nothing_to_others(damaged: object) -> None:
    assert union([{"f:a": {"f:b": {}}}, {"f:a": damaged}]) == {"f:a": {"f:b": {}}}
