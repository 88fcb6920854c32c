"""A CompositeController of other shapes than that of Widgets: cluster-scoped, with finalize, with a selector."""

from typing import Any

import pytest

from metahook.simulator.apiserver.store import ApiServer
from metahook.simulator.apiserver.validation import ApiError
from metahook.simulator.clock import Clock
from metahook.simulator.findings import findings
from metahook.simulator.history import History
from metahook.simulator.metacontroller.children import Finalizer
from metahook.simulator.metacontroller.settings import Mode, Settings
from metahook.simulator.objects import Key
from metahook.simulator.world import NeverQuiet, World
from toolkit.controllers import (
    CONFIG_MAPS,
    TENANT,
    Decides,
    cluster,
    composite,
    config_map,
    hooks,
    item,
    resource,
    room,
    tenant,
)
from toolkit.hooks import tenant as tenants_hook
from toolkit.hooks.raw import FINALIZED, MINE, SELECTED, TENANTS, copy, labelled, of_tenant, waits
from toolkit.worlds import Since, both_modes, events

Json = dict[str, Any]

ROOM, CHILD = Key("Room", "default", "a"), Key("ConfigMap", "default", "a")
FINALIZER = "metacontroller.io/compositecontroller-rooms"


LIMITS = Key("ConfigMap", "team-a", "limits")


@both_modes
@pytest.mark.parametrize("version", ["v1", "v2"])
def test_a_cluster_scoped_parent_has_children_in_namespaces_and_in_none(mode: Mode, version: str) -> None:
    controller = TENANTS | {"spec": TENANTS["spec"] | {"hooks": hooks("sync", version=version)}}
    made = cluster(controller, Decides(sync=of_tenant), tenant(), mode=mode)

    assert "namespace" not in made.get(Key("Namespace", "", "team-a"))["metadata"]
    assert made.parent("team-a")["status"]["seen"] == [["team-a/limits"], ["team-a"]]
    made.edit(LIMITS, lambda it: it["data"].update(word="by hand"))
    made.until_quiet()
    assert made.get(LIMITS)["data"] == {"word": "hi"}
    done = Since(made)
    made.run(4000)
    assert done.requests == []
    made.delete(Key("Tenant", "", "team-a"))
    made.until_quiet()
    assert made.api.all_keys() == []
    assert findings(made.history) == []


def test_a_namespaced_child_of_a_cluster_scoped_parent_needs_a_namespace_that_exists() -> None:
    def without(request: Json) -> Json:
        return {"status": request["parent"].get("status"), "children": [config_map("a"), config_map("b", "nowhere")]}

    made = cluster(composite("tenants", CONFIG_MAPS), Decides(sync=without), tenant())

    assert "the server does not allow this method" in events(made)[0]
    assert 'namespaces "nowhere" not found' in events(made)[0]


def test_a_cluster_scoped_child_of_a_namespaced_parent_is_never_observed() -> None:
    def wrong(request: Json) -> Json:
        return {"status": request["children"], "children": [item("v1", "Namespace", "a")]}

    made = cluster(composite("rooms", resource("v1", "namespaces")), Decides(sync=wrong), room())

    assert made.get(Key("Namespace", "", "a"))
    assert made.parent("a")["status"]["Namespace.v1"] == {}
    made.delete(ROOM)
    made.until_quiet()
    assert made.get(Key("Namespace", "", "a"))  # its owner is in a namespace, so it is not collected


@both_modes
@pytest.mark.parametrize("policy", ["background", "foreground", "orphan"])
def test_a_parent_waits_for_its_finalize_hook(mode: Mode, policy: str) -> None:
    made = cluster(FINALIZED, hook := Decides(sync=copy, finalize=waits), room(word="hi"), mode=mode)
    assert made.get(ROOM)["metadata"]["finalizers"] == [FINALIZER]

    made.delete(ROOM, policy)
    made.until_quiet()
    assert FINALIZER in made.get(ROOM)["metadata"]["finalizers"]
    assert hook.last("finalize")["finalizing"] is True
    if policy == "background":
        made.delete(CHILD)
        made.until_quiet()
        assert made.get(CHILD)["data"] == {"word": "hi"}  # children are managed until the hook is done

    made.edit(ROOM, lambda it: it["metadata"].update(annotations={"go": "yes"}))
    made.until_quiet()

    assert made.api.get(ROOM) is None
    # An apply takes the orphan over again, because the hook still desires it.
    assert (made.api.get(CHILD) is None) == (policy != "orphan" or mode == "server-side-apply")
    assert findings(made.history) == []


def test_a_parent_that_was_deleted_without_the_finalizer_does_not_get_it() -> None:
    made = cluster(FINALIZED, Decides(sync=copy, finalize=waits), room(word="hi"))
    made.edit(ROOM, lambda it: it["metadata"].update(finalizers=["example.com/wait"]))
    made.delete(ROOM)
    made.until_quiet()

    assert made.get(ROOM)["metadata"]["finalizers"] == ["example.com/wait"]


def test_a_finalizer_without_its_hook_is_removed() -> None:
    made = cluster(composite("rooms", CONFIG_MAPS), Decides(sync=copy), room(word="hi"))
    made.edit(ROOM, lambda it: it["metadata"].update(finalizers=[FINALIZER]))
    made.until_quiet()

    assert "finalizers" not in made.get(ROOM)["metadata"]


def test_sync_that_says_finalized_loops() -> None:
    """Metacontroller honours it there, too: it removes its finalizer, and the next sync adds it again."""
    made = cluster(FINALIZED, hook := Decides(sync=copy, finalize=waits), room(word="hi"))
    hook.functions["sync"] = lambda request: copy(request) | {"finalized": True}
    made.max_actions = 100

    made.edit(ROOM, lambda it: it["metadata"].update(labels={"a": "b"}))

    with pytest.raises(NeverQuiet, match=r"RepeatedWrites: Room a: .*: metadata\.finalizers is another one"):
        made.until_quiet(within=60)


@both_modes
def test_without_generate_selector_the_selector_of_the_parent_claims_children(mode: Mode) -> None:
    orphan = config_map("other", "default") | {"metadata": {"name": "other", "namespace": "default", **MINE}}
    selector = {"matchExpressions": [{"key": "room", "operator": "In", "values": ["a"]}]}
    made = cluster(SELECTED, Decides(sync=labelled), orphan, room(word="hi", selector=selector), mode=mode)

    assert made.get(CHILD)["metadata"]["labels"] == {"room": "a"}
    assert made.api.get(Key("ConfigMap", "default", "other")) is None  # adopted, and deleted as it is not desired


@pytest.mark.parametrize(
    ("selector", "why"),
    [
        (None, ".spec.selector must have either"),
        ({}, ".spec.selector must have either"),
        ("room=a", "can't get label selector from Room a"),
        ({"matchLabels": {"room": "b"}}, "does not match the selector of its parent"),
    ],
)
def test_a_parent_without_a_fitting_selector_fails(selector: Json | str | None, why: str) -> None:
    made = cluster(SELECTED, Decides(sync=labelled), room(selector=selector))

    assert why in events(made)[0]
    assert made.api.get(CHILD) is None


def test_an_orphan_is_adopted_beside_a_parent_with_an_invalid_selector() -> None:
    selectors = {"a": "room=a", "b": {"matchLabels": {"room": "a"}}}
    made = cluster(SELECTED, Decides(sync=labelled), *(room(name, selector=it) for name, it in selectors.items()))

    made.apply(item("v1", "ConfigMap", "other", "default", metadata=MINE))
    made.until_quiet()

    assert made.api.get(Key("ConfigMap", "default", "other")) is None  # adopted, and deleted as it is not desired


@both_modes
def test_a_controller_of_the_toolkit_runs_with_all_its_hooks(mode: Mode) -> None:
    all_hooks = hooks("sync", "customize", "finalize")
    controller = composite("tenants", resource("v1", "namespaces"), CONFIG_MAPS, hooks=all_hooks)
    made = World(tenants_hook.TENANTS, Settings.read(controller, [TENANT], mode))
    made.apply(tenant("acme", namespaces=["one", "two"]))
    made.until_quiet()
    assert made.parent("acme")["status"] == {"namespaces": 2, "observedGeneration": 1}

    made.delete(Key("Tenant", "", "acme"))
    made.until_quiet()

    assert made.api.all_keys() == []
    assert findings(made.history) == []


@both_modes
def test_a_changed_child_is_recreated(mode: Mode) -> None:
    controller = composite("rooms", resource("v1", "configmaps", "Recreate"))
    made = cluster(controller, Decides(sync=copy), room(word="hi"), mode=mode)
    before, done = made.get(CHILD)["metadata"]["uid"], Since(made)

    made.apply(room(word="ho"))
    made.until_quiet()

    create = "create" if mode == "dynamic-apply" else "apply"
    assert [write for write in done.writes if "ConfigMap" in write] == ["delete ConfigMap a", f"{create} ConfigMap a"]
    assert made.get(CHILD)["metadata"]["uid"] != before
    assert made.get(CHILD)["data"] == {"word": "ho"}


def test_under_server_side_apply_a_child_with_a_generation_is_never_recreated() -> None:
    def room_in_a_room(request: Json) -> Json:
        is_inner = request["parent"]["metadata"]["name"] == "inner"
        child = item("example.com/v1", "Tenant", "inner", spec=request["parent"]["spec"])
        return {"status": {}, "children": [] if is_inner else [child]}

    controller = composite("tenants", resource("example.com/v1", "tenants", "Recreate"))
    made = cluster(controller, Decides(sync=room_in_a_room), tenant(word="hi"), mode="server-side-apply")

    made.apply(tenant(word="ho"))
    made.run(10)

    assert made.get(Key("Tenant", "", "inner"))["spec"] == {"word": "hi"}
    assert "generation or UID changed during dry run" in events(made)[0]


@pytest.mark.parametrize(("version", "is_lost"), [("v1", False), ("v2", True)])
def test_an_unknown_field_loses_the_response_unless_decoding_is_loose(version: str, is_lost: bool) -> None:  # noqa: FBT001
    controller = composite("rooms", CONFIG_MAPS, hooks=hooks("sync", version=version))
    made = cluster(controller, Decides(sync=lambda request: copy(request) | {"more": 1}), room(word="hi"))

    assert (made.api.get(CHILD) is None) == is_lost


def test_the_keys_in_a_request_are_in_the_order_of_go_maps() -> None:
    """A hook that copies a part of its parent as text copies the same text, however a user has written it."""
    hook = Decides(sync=copy)
    cluster(composite("rooms", CONFIG_MAPS), hook, room(word="hi", also={"b": 1, "a": 2}))

    parent = hook.last()["parent"]
    assert [list(it) for it in (hook.last(), parent, parent["spec"], parent["spec"]["also"])] == [
        ["children", "controller", "finalizing", "parent", "related"],
        ["apiVersion", "kind", "metadata", "spec", "status"],
        ["also", "word"],
        ["a", "b"],
    ]


def test_under_server_side_apply_a_child_that_would_stay_the_same_is_not_recreated() -> None:
    controller = composite("rooms", resource("v1", "configmaps", "Recreate"))
    made = cluster(controller, Decides(sync=copy), room(word="hi"), mode="server-side-apply")
    done = Since(made)

    made.edit(CHILD, lambda it: it["metadata"].update(annotations={"note": "by hand"}))
    made.until_quiet()

    assert done.writes == []


def test_a_controller_with_finalize_alone_syncs_nothing() -> None:
    made = cluster(composite("rooms", CONFIG_MAPS, hooks=hooks("finalize")), hook := Decides(finalize=waits), room())

    assert events(made)[0].endswith("no enabled hooks found: the controller has no sync hook")
    assert hook.requests == []


@pytest.mark.parametrize("reason", ["NotFound", "Conflict"])
def test_a_parent_that_changes_before_its_status_is_written_has_no_error(
    reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = cluster(composite("rooms", CONFIG_MAPS), Decides(sync=copy), room(word="hi"))

    def refuse(*_: object) -> Json:
        raise ApiError(reason, "the object has been modified")

    monkeypatch.setattr(made.api, "update_status", refuse)
    made.delete(CHILD)
    made.until_quiet()

    assert made.get(CHILD)["data"] == {"word": "hi"}
    assert events(made) == []


def test_the_finalizer_is_added_and_removed_once_however_old_the_cached_parent_is() -> None:
    api = ApiServer(Clock(), History())
    wanted, unwanted = Finalizer(FINALIZER, enabled=True), Finalizer(FINALIZER, enabled=False)
    without = api.create(room(), "you")
    having = wanted.synced(without, api)

    assert wanted.synced(without, api) == having
    cleared = unwanted.synced(having, api)
    assert unwanted.synced(having, api) == cleared
    assert [write.verb for write in api.history.writes("metacontroller")] == ["update", "update"]


@pytest.mark.parametrize("is_replaced", [True, False])
def test_no_finalizer_is_added_to_a_parent_that_was_deleted_since_it_was_cached(*, is_replaced: bool) -> None:
    api = ApiServer(Clock(), History())
    parent = api.create(room(), "you")
    api.remove(ROOM, "you")
    if is_replaced:
        api.create(room(), "you")

    with pytest.raises(ApiError, match="can't sync the finalizer: Room a not found"):
        Finalizer(FINALIZER, enabled=True).synced(parent, api)
