"""Children: which objects a parent adopts, releases and leaves alone, and the two strategies by which they are applied.

Dynamic-apply is a three-way merge, case by case as in Metacontroller's source; under server-side apply fields have
owners.
"""

from contextlib import nullcontext
from typing import Any

import pytest

from metahook import Deployment, Kind
from metahook.protocol.observed import LAST_APPLIED
from metahook.simulator.apiserver.server_side_apply import SCALER, Ownership, changed_part, union
from metahook.simulator.apiserver.store import ApiServer
from metahook.simulator.apiserver.validation import ApiError
from metahook.simulator.clock import Clock
from metahook.simulator.controllers.deployments import MORE
from metahook.simulator.history import History
from metahook.simulator.metacontroller.children import (
    ServerSideApply,
    applier,
    claim,
    merge,
    merged_child,
    with_last_applied,
    with_owner_reference,
    with_parent_label,
    with_parents_namespace,
)
from metahook.simulator.metacontroller.settings import MODES, Mode, generated_selector
from metahook.simulator.objects import key_of, reference_to, to_json, with_metadata
from metahook.simulator.world import NoSuchObject, World
from toolkit.worlds import (
    DEPLOYMENT,
    SERVICE,
    WEB,
    Answers,
    Since,
    both_modes,
    deployment,
    events,
    parent,
    service,
    settled,
    synced,
    world,
)

Json = dict[str, Any]


class Case:
    """An API server with a parent, and a Service that may be its child."""

    def __init__(self, *, label: str | None, owner: str | None, going: tuple[str, ...] = ()) -> None:
        self.api = ApiServer(Clock(), History())
        finalizers = ["example.com/wait"]
        made = self.api.create(with_metadata(parent(), finalizers=finalizers), "you")
        other = self.api.create(parent("other"), "you")
        uids = {"ours": made, "theirs": other}
        self.item: Json = self.api.create(
            with_metadata(
                service(),
                finalizers=finalizers,
                labels={"controller-uid": uids[label]["metadata"]["uid"]} if label else None,
                ownerReferences=[reference_to(uids[owner])] if owner else None,
            ),
            "you",
        )
        for key in (WEB, SERVICE):
            if key.kind in going:
                self.api.delete(key, "you")
        self.item = self.api.get(SERVICE) or {}
        self.parent: Json = self.api.get(WEB) or {}

    def claimed(self) -> bool:
        """Tell whether the Service is claimed."""
        return bool(list(claim(self.parent, [self.item], self.api, generated_selector(self.parent))))

    def owners(self) -> list[str]:
        """Return the names of the owners of the Service."""
        found = (self.api.get(SERVICE) or {})["metadata"].get("ownerReferences", [])
        return [owner["name"] for owner in found]


P, S = "Widget", "Service"


@pytest.mark.parametrize(
    ("label", "owner", "going", "claimed", "owners"),
    [
        pytest.param("ours", "ours", (), True, ["web"], id="ours"),
        pytest.param("ours", None, (), True, ["web"], id="adopted"),
        pytest.param(None, "ours", (), False, [], id="released"),
        pytest.param("theirs", "ours", (), False, [], id="released-with-another-label"),
        pytest.param(None, None, (), False, [], id="orphan without the label"),
        pytest.param("ours", "theirs", (), False, ["other"], id="of-another-controller"),
        pytest.param("ours", None, (S,), False, [], id="not-adopted-while-it-goes"),
        pytest.param("ours", "ours", (S,), True, ["web"], id="ours-while-it-goes"),
        pytest.param("ours", None, (P,), False, [], id="not-adopted-while-the-parent-goes"),
        pytest.param("ours", "ours", (P,), True, ["web"], id="ours-while-the-parent-goes"),
        pytest.param(None, "ours", (P,), False, ["web"], id="not-released-while-the-parent-goes"),
    ],
)
def test_a_claim_depends_on_owner_and_label(
    label: str | None,
    owner: str | None,
    going: tuple[str, ...],
    claimed: bool,  # noqa: FBT001 - a parameter of the test
    owners: list[str],
) -> None:
    case = Case(label=label, owner=owner, going=going)

    assert case.claimed() == claimed
    assert case.owners() == owners


@pytest.mark.parametrize("kind", [P, S])
def test_nothing_is_adopted_if_it_or_the_parent_was_deleted_or_recreated_since_it_was_cached(kind: str) -> None:
    case = Case(label="ours", owner=None)
    key = next(key for key in (WEB, SERVICE) if key.kind == kind)
    case.api.remove(key, "you")
    assert not case.claimed()

    case.api.create(with_metadata(parent() if kind == P else service(), namespace="default"), "you")
    assert not case.claimed()


def test_an_adoption_that_is_refused_is_an_error() -> None:
    made = world("dynamic-apply", Answers(), parent())
    made.until_quiet()
    made.apply(with_metadata(service(), labels={"controller-uid": made.get(WEB)["metadata"]["uid"]}))

    def admit(item: Json, _: Json | None) -> Json:
        if item["kind"] == "Service":
            raise ApiError(*FORBIDDEN)
        return item

    made.api.admission.append(admit)
    made.run(1)

    assert events(made)[0] == "not with us"
    assert made.api.get(SERVICE)


FORBIDDEN = ("Forbidden", "not with us")


def test_a_child_gets_the_namespace_and_the_label_of_its_parent_unless_it_says_otherwise() -> None:
    whole = with_metadata(parent(namespace="there"), uid="u")

    assert with_parent_label(with_parents_namespace(service(), whole), whole)["metadata"] == {
        "name": "web",
        "namespace": "there",
        "labels": {"controller-uid": "u"},
    }
    other = with_metadata(service(), namespace="a", labels={"controller-uid": "v"})
    metadata = with_parent_label(with_parents_namespace(other, whole), whole)["metadata"]
    assert (metadata["namespace"], metadata["labels"]) == ("a", {"controller-uid": "v"})


def test_a_child_with_its_own_owner_reference_gets_no_second_one() -> None:
    whole = with_metadata(parent(), uid="u")
    child = with_metadata(service(), ownerReferences=[{"uid": "u", "kind": "Widget", "name": "web"}])

    assert with_owner_reference(child, whole) == child
    assert (
        len(
            with_owner_reference(with_metadata(service(), ownerReferences=[{"uid": "v"}]), whole)["metadata"][
                "ownerReferences"
            ]
        )
        == 2
    )


def test_a_child_with_a_label_of_another_parent_stops_the_sync() -> None:
    child = with_metadata(service(), labels={"controller-uid": "another"})
    made = world("dynamic-apply", Answers(child), parent())
    made.run(1)

    assert "status" not in made.get(WEB)
    assert "does not match the selector" in events(made)[0]


def owners(world: World) -> list[tuple[str, str]]:
    found = world.get(DEPLOYMENT)["metadata"].get("managedFields", [])
    return [(entry["manager"], entry["operation"]) for entry in found]


def test_a_manager_that_loses_its_only_field_owns_nothing_any_more() -> None:
    world = settled("server-side-apply")

    world.autoscaler.start()
    world.run(60)  # it looks again, and nothing is left to scale
    assert ("kube-controller-manager", "Update") in owners(world)
    world.autoscaler.stop()
    assert world.until_quiet()

    assert world.get(DEPLOYMENT)["spec"]["replicas"] == 1
    assert owners(world) == [("metacontroller", "Apply")]


@both_modes
def test_an_autoscaler_writes_once_if_the_response_leaves_the_replicas_to_it(mode: Mode) -> None:
    world = settled(mode, Answers(deployment()))
    done = Since(world, SCALER)

    world.autoscaler.start()
    world.run(60)

    assert world.get(DEPLOYMENT)["spec"]["replicas"] == 1 + MORE
    assert len(done.requests) == 1


def test_an_undo_to_a_missing_revision_is_an_error() -> None:
    world = settled("dynamic-apply")

    with pytest.raises(NoSuchObject, match="revision 7 of Deployment web-deployment"):
        world.undo(DEPLOYMENT, 7)


def test_an_apply_that_changes_only_the_ownership_is_one_write() -> None:
    world = settled("dynamic-apply")
    world.set_mode("server-side-apply")
    assert world.until_quiet()

    assert synced(world).writes == []


@pytest.mark.parametrize(
    ("old", "new", "part"),
    [
        pytest.param({"a": 1}, {"a": 1}, None, id="the-same"),
        pytest.param({"a": 1, "b": 1}, {"a": 2, "b": 1, "c": 3}, {"a": 2, "c": 3}, id="fields"),
        pytest.param({"a": 1}, {}, None, id="a-field-that-goes"),
        pytest.param(
            {"env": [{"name": "A", "value": "1"}, {"name": "B"}]},
            {"env": [{"name": "A", "value": "2"}, {"name": "B"}, {"name": "C"}]},
            {"env": [{"name": "A", "value": "2"}, {"name": "C"}]},
            id="items",
        ),
        pytest.param({"args": ["a"]}, {"args": ["a", "b"]}, {"args": ["a", "b"]}, id="a-list-that-is-replaced"),
        pytest.param({"env": [{"name": "A"}, {"name": "B"}]}, {"env": [{"name": "B"}]}, None, id="an-item-that-goes"),
    ],
)
def test_an_update_owns_what_it_changes(old: Json, new: Json, part: Json | None) -> None:
    assert changed_part(old, new) == part


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [
        pytest.param({"a": 1, "b": 2}, {"b": 3}, {"a": 1, "b": 3}, id="fields"),
        pytest.param({"a": 1}, None, {"a": 1}, id="nothing"),
        pytest.param(
            {"env": [{"name": "A", "value": "1"}, {"name": "B"}]},
            {"env": [{"name": "C"}, {"name": "B", "value": "2"}]},
            {"env": [{"name": "C"}, {"name": "B", "value": "2"}, {"name": "A", "value": "1"}]},
            id="items",
        ),
        pytest.param({"args": ["a"]}, {"args": ["b"]}, {"args": ["b"]}, id="a-list-that-is-replaced"),
    ],
)
def test_a_union_merges_maps_and_lists(one: Json, other: Json | None, both: Json) -> None:
    assert union(one, other) == both


def test_a_field_that_another_manager_changes_is_no_longer_owned() -> None:
    made: Json = {"apiVersion": "v1", "kind": "Service", "metadata": {}, "spec": {"a": 1, "b": 1}}
    owned = Ownership().after_update(None, made, "kubectl")

    assert owned.after_update(made, {**made, "spec": {"a": 2, "b": 1}}, "you").updated["kubectl"]["spec"] == {"b": 1}


CONFIG_MAP: Json = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "default"}}


@pytest.fixture
def api() -> ApiServer:
    return ApiServer(Clock(), History())


def child(**more: Any) -> Json:
    return with_metadata(deployment(**more), namespace="default")


def test_system_fields_and_a_status_are_never_applied(api: ApiServer) -> None:
    whole = api.create(parent(), "you")
    sent = with_metadata({**child(), "status": {"replicas": 9}}, uid="mine", managedFields=[], resourceVersion="1")

    applier("server-side-apply", api)(sent, None, whole)

    made = api.get(DEPLOYMENT) or {}
    assert made["metadata"]["uid"] != "mine"
    assert "status" not in made


def test_the_annotation_of_dynamic_apply_is_removed_from_the_live_object(api: ApiServer) -> None:
    whole = api.create(parent(), "you")
    applier("dynamic-apply", api)(child(), None, whole)
    stale = api.get(DEPLOYMENT) or {}
    api.update({**stale, "spec": {**stale["spec"], "paused": True}}, "you")

    ServerSideApply(api)(child(), stale, whole)

    made = api.get(DEPLOYMENT) or {}
    assert made["spec"]["paused"]
    assert LAST_APPLIED not in made["metadata"].get("annotations", {})


def test_server_side_apply_creates_a_child_that_was_deleted_since_it_was_cached(api: ApiServer) -> None:
    whole = api.create(parent(), "you")
    applier("dynamic-apply", api)(child(), None, whole)
    stale = api.get(DEPLOYMENT) or {}
    api.remove(DEPLOYMENT, "you")

    ServerSideApply(api)(child(), stale, whole)

    assert api.get(DEPLOYMENT)


def test_dynamic_apply_leaves_a_child_that_was_deleted_since_it_was_cached_to_the_next_sync(api: ApiServer) -> None:
    whole = api.create(parent(), "you")
    apply = applier("dynamic-apply", api)
    apply(child(), None, whole)
    stale = api.get(DEPLOYMENT) or {}
    api.remove(DEPLOYMENT, "you")

    apply(child(replicas=2), stale, whole)

    assert api.get(DEPLOYMENT) is None


@pytest.mark.parametrize("mode", MODES)
def test_an_error_of_the_api_server_is_raised(mode: Mode, api: ApiServer) -> None:
    whole = api.create(parent(), "you")
    apply = applier(mode, api)
    torn = child(selector={"matchLabels": {"app": "other"}})
    with pytest.raises(ApiError, match="does not match template labels"):
        apply(torn, None, whole)

    apply(child(), None, whole)
    with pytest.raises(ApiError, match="immutable"):
        apply(torn, api.get(DEPLOYMENT), whole)


def test_a_kind_is_read_from_its_struct() -> None:
    assert Kind("apps/v1", "Deployment", "deployments") == Deployment.KIND
    assert Deployment.KIND.group_key == "Deployment.apps/v1"


@pytest.mark.parametrize("is_replaced", [True, False])
@pytest.mark.parametrize("mode", MODES)
def test_a_child_to_recreate_that_was_deleted_since_it_was_cached_is_left_to_the_next_sync(
    mode: Mode, api: ApiServer, *, is_replaced: bool
) -> None:
    whole, apply = api.create(parent(), "you"), applier(mode, api)
    old, new = ({**CONFIG_MAP, "data": {"word": word}} for word in ("hi", "ho"))
    apply(old, None, whole)
    stale = api.get(key_of(CONFIG_MAP)) or {}
    api.remove(key_of(CONFIG_MAP), "you")
    if is_replaced:
        api.create(old, "you")
        with pytest.raises(ApiError, match="another uid"):
            apply(new, stale, whole, "Recreate")
    else:
        apply(new, stale, whole, "Recreate")

    assert (api.get(key_of(CONFIG_MAP)) is not None) == is_replaced


@pytest.mark.parametrize(("reason", "is_raised"), [("BadRequest", False), ("Forbidden", False), ("Invalid", True)])
def test_a_child_is_not_recreated_without_a_dry_run(
    api: ApiServer, monkeypatch: pytest.MonkeyPatch, reason: str, *, is_raised: bool
) -> None:
    whole, apply = api.create(parent(), "you"), applier("server-side-apply", api)
    apply(CONFIG_MAP, None, whole)

    def refuse(*_: object, **__: object) -> Json:
        raise ApiError(reason, "no dry run")

    monkeypatch.setattr(api, "apply", refuse)
    with pytest.raises(ApiError) if is_raised else nullcontext():
        apply({**CONFIG_MAP, "data": {"a": "b"}}, api.get(key_of(CONFIG_MAP)), whole, "Recreate")

    assert api.get(key_of(CONFIG_MAP))


@pytest.mark.parametrize(
    ("observed", "last", "desired", "merged"),
    [
        pytest.param({"a": 1, "b": 2}, {}, {"a": 3}, {"a": 3, "b": 2}, id="what-is-not-mentioned-stays"),
        pytest.param({"a": 1, "b": 2}, {"a": 1}, {}, {"b": 2}, id="what-was-mentioned-and-is-not-goes"),
        pytest.param({"a": {"b": 1}}, {"a": {"b": 1}}, {"a": "x"}, {"a": {}}, id="another-type-empties"),
        pytest.param({"a": 1}, {}, {"a": {"b": 1}}, {"a": {"b": 1}}, id="a-scalar-is-replaced"),
        pytest.param([1, 2], [1, 2], [2, 1], [2, 1], id="a-list-of-scalars-is-replaced"),
        pytest.param([{"key": "a", "x": 1}], [], [{"key": "a"}], [{"key": "a"}], id="no-common-key-is-replaced"),
        pytest.param([{"name": "a", "x": 1}], [], [{"name": "a"}], [{"name": "a", "x": 1}], id="by-name"),
        pytest.param([{"name": "a"}, {"x": 1}], [], [{"name": "a"}], [{"name": "a"}], id="one-item-without-the-key"),
        pytest.param(
            [{"name": "a"}, {"name": "b"}], [{"name": "a"}], [{"name": "b"}], [{"name": "b"}], id="an-item-goes"
        ),
        pytest.param(
            [{"name": "proxy"}, {"name": "main"}],
            [{"name": "main"}],
            [{"name": "main", "image": "a"}],
            [{"name": "proxy"}, {"name": "main", "image": "a"}],
            id="a-sidecar-stays",
        ),
        pytest.param(
            [{"name": "a"}, {"name": "b"}],
            [{"name": "a"}, {"name": "b"}],
            [{"name": "b"}, {"name": "a"}, {"name": "c"}],
            [{"name": "a"}, {"name": "b"}, {"name": "c"}],
            id="the-observed-order-stays",
        ),
        pytest.param(
            [{"containerPort": 53, "protocol": "TCP"}],
            [],
            [{"containerPort": 53, "protocol": "TCP"}, {"containerPort": 53, "protocol": "UDP"}],
            [{"containerPort": 53, "protocol": "UDP"}],
            id="two-protocols-become-one",
        ),
        pytest.param(
            [{"name": "A", "value": "1"}, {"name": "A", "value": "2"}],
            [],
            [{"name": "A", "value": "2"}],
            [{"name": "A", "value": "2"}, {"name": "A", "value": "2"}],
            id="an-item-that-is-there-twice",
        ),
        pytest.param(
            [{"name": "v", "emptyDir": {}}],
            [{"name": "v", "emptyDir": {}}],
            [{"name": "v", "configMap": {"name": "c"}}],
            [{"name": "v", "configMap": {"name": "c"}}],
            id="another-source-of-a-volume",
        ),
        pytest.param(
            [{"name": "http", "port": 80, "nodePort": 30080}],
            [{"name": "http", "port": 80}],
            [{"name": "web", "port": 80}],
            [{"name": "web", "port": 80, "nodePort": 30080}],
            id="port-before-name",
        ),
    ],
)
def test_three_way_merge(observed: Any, last: Any, desired: Any, merged: Any) -> None:
    assert merge(observed, last, desired) == merged


def _child(**more: Any) -> Json:
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, **more}


def test_dynamic_apply_sets_no_system_fields_and_no_status() -> None:
    observed = with_last_applied(_child(status={"replicas": 1}), _child())
    observed["metadata"] |= {"uid": "a", "resourceVersion": "7"}
    desired = _child(status={"replicas": 9})
    desired["metadata"] |= {"uid": "b", "generation": 3}

    written = merged_child(observed, desired)

    assert written["status"] == {"replicas": 1}
    assert (written["metadata"]["uid"], written["metadata"]["resourceVersion"]) == ("a", "7")
    assert "generation" not in written["metadata"]


def test_the_last_applied_object_is_recorded_whole() -> None:
    written = merged_child(_child(), _child(spec={"replicas": 2}))

    assert written["metadata"]["annotations"][LAST_APPLIED] == to_json(_child(spec={"replicas": 2}))


@pytest.mark.parametrize(("one", "other"), [(1, 1.0), (1, True), ("", None)])
def test_values_of_another_type_are_not_equal(one: Any, other: Any) -> None:
    assert to_json({"a": one}) != to_json({"a": other})
