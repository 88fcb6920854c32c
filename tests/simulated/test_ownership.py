"""Field ownership after a change of the apply strategy and after an undo, and what the operator reports."""

from dataclasses import replace
from typing import Any

import pytest

from metahook.simulator.metacontroller.settings import MODES, Mode
from metahook.simulator.world import World
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
