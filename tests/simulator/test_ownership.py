"""Field ownership after a change of the apply strategy and after an undo, and what our hook reports."""

from dataclasses import replace
from typing import Any

import pytest

from metahook.simulator.apiserver.server_side_apply import Ownership, changed_part, union
from metahook.simulator.metacontroller.settings import MODES, Mode
from metahook.simulator.world import NoSuchObject, World
from tests.requests.builders import MYRESOURCE
from tests.simulated.worlds import DEPLOYMENT, WEB, both_modes, parent, ready, settled, synced

Json = dict[str, Any]

FULL: Json = {"args": ["a"], "env": [{"name": "A", "value": "1"}], "terminationGracePeriodSeconds": 60}


def main(world: World) -> Json:
    found: Json = world.get(DEPLOYMENT)["spec"]["template"]["spec"]["containers"][0]
    return found


def loses(world: World, **fields: Any) -> None:
    """Remove these fields from the spec, and let a few seconds pass."""
    world.edit(WEB, lambda item: [item["spec"].pop(name) for name in fields])
    world.run(10)


def owners(world: World) -> list[tuple[str, str]]:
    found = world.get(DEPLOYMENT)["metadata"].get("managedFields", [])
    return [(entry["manager"], entry["operation"]) for entry in found]


def test_after_a_change_to_server_side_apply_dropped_fields_stay_and_are_reported() -> None:
    world = settled("dynamic-apply", MYRESOURCE, parent(**FULL))
    assert owners(world) == []
    world.set_mode("server-side-apply")
    assert world.until_quiet()
    assert owners(world) == [("metacontroller", "Apply"), ("metacontroller", "Update")]
    assert ready(world) == ("True", "Available")

    loses(world, **FULL)

    assert (main(world)["args"], main(world)["env"]) == (FULL["args"], FULL["env"])
    assert ready(world) == ("False", "Building")
    world.run(60)
    assert ready(world) == ("False", "LeftoverFields")


def test_a_field_that_a_user_removes_stays_removed() -> None:
    world = settled("dynamic-apply", MYRESOURCE, parent(**FULL))
    world.set_mode("server-side-apply")
    assert world.until_quiet()
    loses(world, **FULL)

    def remove(item: Json) -> None:
        pod = item["spec"]["template"]["spec"]
        del pod["terminationGracePeriodSeconds"], pod["containers"][0]["args"], pod["containers"][0]["env"]

    world.edit(DEPLOYMENT, remove)
    assert world.until_quiet()

    assert ready(world) == ("True", "Available")
    assert synced(world).writes == []


def test_dynamic_apply_does_not_remove_what_was_dropped_before_its_first_write() -> None:
    world = settled("server-side-apply", MYRESOURCE, parent(**FULL))
    world.metacontroller.settings = replace(world.metacontroller.settings, mode="dynamic-apply")
    world.metacontroller.restart(after=5)
    loses(world, **FULL)

    assert main(world)["args"] == FULL["args"]
    world.run(60)
    assert ready(world) == ("False", "LeftoverFields")


@both_modes
def test_an_undo_is_reverted_by_dynamic_apply_and_reported_under_server_side_apply(mode: Mode) -> None:
    world = settled(mode, MYRESOURCE, parent(**FULL))
    loses(world, **FULL)
    assert world.until_quiet()

    world.undo(DEPLOYMENT, 1)
    world.run(80)

    if mode == "dynamic-apply":
        assert ready(world) == ("True", "Available")
        assert "args" not in main(world)
    else:
        assert ready(world) == ("False", "LeftoverFields")
        assert ("kubectl", "Update") in owners(world)


def foreign_fields(world: World) -> str:
    """Return the message of the condition ForeignFields; empty without it."""
    found = [each for each in world.get(WEB)["status"]["conditions"] if each["type"] == "ForeignFields"]
    return found[0]["message"] if found else ""


@pytest.mark.parametrize("modes", [MODES[:1], MODES[1:], MODES], ids=["dynamic", "server-side", "changed"])
def test_an_added_field_belongs_to_the_manager_that_added_it_and_is_reported(modes: tuple[Mode, ...]) -> None:
    world = settled(modes[0], MYRESOURCE, parent(**FULL))
    for mode in modes[1:]:
        world.set_mode(mode)
        assert world.until_quiet()

    world.edit(DEPLOYMENT, lambda item: item["spec"]["template"]["spec"].update(hostname="theirs"))
    assert world.until_quiet()

    assert ready(world) == ("True", "Available")
    assert world.get(DEPLOYMENT)["spec"]["template"]["spec"]["hostname"] == "theirs"
    assert "Deployment web-deployment: spec.template.spec.hostname (kubectl-edit). Set" in foreign_fields(world)
    assert synced(world).writes == []

    world.edit(DEPLOYMENT, lambda item: item["spec"]["template"]["spec"].pop("hostname"))
    assert world.until_quiet()
    assert foreign_fields(world) == ""


def test_a_manager_that_loses_its_only_field_owns_nothing_any_more() -> None:
    world = settled("server-side-apply")

    world.autoscaler.start()
    assert ("kube-controller-manager", "Update") in owners(world)
    world.autoscaler.stop()
    assert world.until_quiet()

    assert world.get(DEPLOYMENT)["spec"]["replicas"] == 1
    assert owners(world) == [("metacontroller", "Apply")]


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
