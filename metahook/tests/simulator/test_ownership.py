"""Field ownership: what an apply, an update and a loss make of it."""

from typing import Any

import pytest

from metahook.simulator.apiserver.server_side_apply import SCALER, Ownership, changed_part, union
from metahook.simulator.controllers.deployments import MORE
from metahook.simulator.metacontroller.settings import Mode
from metahook.simulator.world import NoSuchObject, World
from toolkit.worlds import DEPLOYMENT, Answers, Since, both_modes, deployment, settled, synced

Json = dict[str, Any]


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
