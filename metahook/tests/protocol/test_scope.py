"""Parents that are in no namespace, and children and related objects outside of the parent's."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from metahook import (
    Absence,
    ConfigMap,
    Controller,
    CustomizeRequest,
    MalformedRequest,
    Manifest,
    Namespace,
    RefusedResponse,
    RelatedRule,
    SyncRequest,
    SyncResponse,
    removal,
    select_by_labels,
    select_by_name,
)
from metahook.protocol.observed import LAST_APPLIED
from metahook.protocol.request_builder import Version, customize_request, sync_request
from toolkit.hooks.tenant import TENANT, TENANTS, Node, config_map, namespace, tenant

NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)
PARENT = tenant("acme", "blue", "green")
OBSERVED = [namespace("blue"), namespace("green"), config_map("settings", "blue"), config_map("settings", "green")]


def listing(*children: Manifest) -> Callable[[SyncRequest, datetime], SyncResponse]:
    return lambda _, __: SyncResponse({"state": "Ready"}, list(children))


def stored(item: Manifest, **metadata: Any) -> Manifest:
    owner = {"uid": "uid-of-acme", "controller": True}
    return {**item, "metadata": {**item["metadata"], "ownerReferences": [owner], **metadata}}


def groups(*items: Manifest) -> dict[str, dict[str, Manifest]]:
    found: dict[str, dict[str, Manifest]] = {"Namespace.v1": {}, "ConfigMap.v1": {}}
    for item in items:
        place = [item["metadata"].get("namespace"), item["metadata"]["name"]]
        found[f"{item['kind']}.v1"]["/".join(filter(None, place))] = item
    return found


def body(*children: Manifest, version: Version = "v2", related: Any = None, finalizing: bool = False) -> bytes:
    return sync_request(PARENT, groups(*children), related or {}, version=version, finalizing=finalizing)


def test_a_cluster_scoped_parent_has_no_namespace_in_a_unit_test_either() -> None:
    request = TENANTS.request(PARENT, OBSERVED)

    assert request.parent.namespace == ""
    assert [each.metadata.namespace for each in request.children.all(Namespace)] == [None, None]


def test_an_object_that_could_be_in_any_namespace_must_name_one() -> None:
    with pytest.raises(ValueError, match=r"^ConfigMap a: set metadata\.namespace"):
        TENANTS.request(PARENT, [{"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "a"}}])


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_children_of_one_name_in_two_namespaces_are_two(version: Version) -> None:
    children = SyncRequest.decode(body(*map(stored, OBSERVED), version=version), TENANTS.children).children

    green = children.get(ConfigMap, "settings", "green")
    assert len(children.all(ConfigMap)) == len(children.all(Namespace)) == 2
    assert green
    assert green.metadata.namespace == "green"
    assert children.get(ConfigMap, "settings") is None
    assert children.get(Namespace, "green") is not None
    assert [child.metadata.namespace for child in children.unlisted(OBSERVED[:3])] == ["green"]
    assert children.observed(OBSERVED[3]) is green


def test_kept_children_stay_in_their_namespaces() -> None:
    record = msgspec.json.encode(config_map("settings", "blue")).decode()
    observed = stored(config_map("settings", "blue"), annotations={LAST_APPLIED: record})

    kept = SyncRequest.decode(body(observed, stored(namespace("blue"))), TENANTS.children).children.kept()

    assert kept == [namespace("blue"), config_map("settings", "blue")]
    replace(TENANTS, sync=lambda request, _: SyncResponse({"a": 1}, kept=request.children.kept())).handle_sync(
        body(observed, stored(namespace("blue"))), NOW
    )


@pytest.mark.parametrize(
    ("child", "target"),
    [(config_map("settings", "blue"), "configmap settings -n blue"), (namespace("blue"), "namespace blue")],
    ids=["in a namespace", "in none"],
)
def test_a_command_for_a_child_names_the_childs_own_namespace(child: Manifest, target: str) -> None:
    children = TENANTS.request(PARENT, OBSERVED).children

    command = removal(child, [("metadata", "labels", "a")], children).command

    assert command.startswith(f"kubectl patch {target} --")


def test_the_response_lists_children_of_all_namespaces() -> None:
    response = msgspec.json.decode(TENANTS.handle_sync(body(), NOW).body)

    places = [(child["kind"], child["metadata"].get("namespace")) for child in response["children"]]
    assert places == [("ConfigMap", "blue"), ("ConfigMap", "green"), ("Namespace", None), ("Namespace", None)]


@pytest.mark.parametrize(
    ("child", "detail"),
    [
        (config_map("a", ""), "ConfigMap a: set metadata.namespace, because the parent is in none"),
        (
            {**namespace("a"), "metadata": {"name": "a", "namespace": "blue"}},
            "Namespace a: its kind is in no namespace",
        ),
    ],
    ids=["no namespace", "a namespace for a Namespace"],
)
def test_a_child_in_no_place_is_refused(child: Manifest, detail: str) -> None:
    with pytest.raises(RefusedResponse) as raised:
        replace(TENANTS, sync=listing(child)).handle_sync(body(), NOW)

    assert raised.value.detail.startswith(detail)


def test_a_child_that_kubernetes_would_delete_is_refused() -> None:
    undeclared = Controller(listing(namespace("a")), (Namespace,))

    with pytest.raises(RefusedResponse, match=r"^a cluster-scoped child of a parent in a namespace$"):
        undeclared.decide(undeclared.request({"metadata": {"name": "a"}}), NOW)


def test_a_cluster_scoped_parent_selects_anywhere() -> None:
    node, here = {"metadata": {"name": "n"}}, {"metadata": {"name": "c", "namespace": "blue"}}
    related = {"Node.v1": {"n": node}, "ConfigMap.v1": {"blue/c": here}}
    found = SyncRequest.decode(body(related=related), TENANTS.children).related

    assert [rule["namespace"] for rule in TENANTS.customize(CustomizeRequest.decode(customize_request(PARENT)))] == [""]
    TENANTS.handle_customize(customize_request(PARENT))
    assert isinstance(found.get(Node, "n"), Node)
    assert isinstance(found.get(ConfigMap, "c", namespace="blue"), ConfigMap)
    assert found.get(ConfigMap, "c", namespace="green") is Absence.MISSING
    nodes, maps = found.all(Node), found.all(ConfigMap)
    assert not isinstance(nodes, Absence)
    assert not isinstance(maps, Absence)
    assert (len(list(nodes)), len(list(maps))) == (1, 1)


RULES = [select_by_name(ConfigMap, "elsewhere", "c"), select_by_labels(Node, "", {"a": "b"})]


@pytest.mark.parametrize("rule", RULES, ids=["another namespace", "no namespace"])
def test_a_parent_in_a_namespace_selects_elsewhere_only_if_its_controller_says_so(rule: RelatedRule) -> None:
    confined = Controller(listing(), (), lambda _: [rule])
    request = customize_request({"metadata": {"name": "a", "namespace": "here", "uid": "u", "generation": 1}})

    replace(confined, selects_everywhere=True).handle_customize(request)
    with pytest.raises(RefusedResponse, match="selects_everywhere"):
        confined.handle_customize(request)


def test_a_confined_parent_does_not_see_what_another_rule_brought() -> None:
    elsewhere = {"metadata": {"name": "c", "namespace": "elsewhere"}}
    parent = {"metadata": {"name": "a", "namespace": "here", "uid": "u", "generation": 1}}
    sent = sync_request(parent, {}, {"ConfigMap.v1": {"elsewhere/c": elsewhere}})

    for everywhere in (False, True):
        controller = Controller(listing(), (), selects_everywhere=everywhere)
        found = SyncRequest.decode(sent, (), shape=controller.shape).related
        assert (found.get(ConfigMap, "c", namespace="elsewhere") is Absence.MISSING) is not everywhere
        maps = found.all(ConfigMap)
        assert not isinstance(maps, Absence)
        assert len(list(maps)) == everywhere


def test_a_parent_of_a_kind_in_namespaces_must_be_in_one() -> None:
    namespaced = Controller(listing(), (), parent=replace(TENANT, namespaced=True))

    with pytest.raises(MalformedRequest, match=r"^parent\.metadata\.namespace is missing$"):
        namespaced.handle_sync(body(), NOW)
    with pytest.raises(MalformedRequest, match=r"^parent\.metadata\.namespace is missing$"):
        namespaced.handle_customize(customize_request(PARENT))
