"""Simulated tests: the hook in a cluster in memory, with Metacontroller, on a virtual clock."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from greetings import GREETINGS
from msgspec.structs import replace

from metahook import Controller, SyncRequest, SyncResponse
from metahook.simulator import MODES, Key, Mode, Settings, World
from metahook.simulator.findings import findings

HERE = Path(__file__).parent
CRD, COMPOSITE = (yaml.safe_load((HERE / name).read_text()) for name in ("crd.yaml", "compositecontroller.yaml"))

GREETING, CONFIG_MAP = Key("Greeting", "default", "hi"), Key("ConfigMap", "default", "hi")

both_modes = pytest.mark.parametrize("mode", MODES)


def greeting(text: object) -> dict[str, Any]:
    return {"apiVersion": "example.com/v1", "kind": "Greeting", "metadata": {"name": "hi"}, "spec": {"text": text}}


def cluster(mode: Mode, hook: Controller = GREETINGS) -> World:
    """Return a cluster in which a Greeting was just created."""
    world = World(hook, Settings.read(COMPOSITE, [CRD], mode))
    world.apply(greeting("hello"))
    return world


def text(world: World) -> str:
    found: str = world.get(CONFIG_MAP)["data"]["text"]
    return found


def changes(world: World) -> list[str]:
    """Return the writes of Metacontroller that changed something."""
    return [str(write) for write in world.history.writes("metacontroller") if write.changed]


@both_modes
def test_a_greeting_becomes_ready(mode: Mode) -> None:
    world = cluster(mode)

    assert world.until(lambda: world.parent("hi").get("status", {}).get("state") == "Ready", within=10)
    assert text(world) == "hello"


@both_modes
def test_a_new_text_gets_into_the_config_map(mode: Mode) -> None:
    world = cluster(mode)
    world.until_quiet()

    world.apply(greeting("bye"))
    world.run(1)

    assert text(world) == "bye"


@both_modes
def test_a_text_that_is_changed_by_hand_is_restored(mode: Mode) -> None:
    world = cluster(mode)
    world.until_quiet()

    world.edit(CONFIG_MAP, lambda item: item.update(data={"text": "mine"}))
    world.run(1)

    assert text(world) == "hello"


@both_modes
def test_a_config_map_that_is_deleted_is_created_again(mode: Mode) -> None:
    world = cluster(mode)
    world.until_quiet()

    world.delete(CONFIG_MAP)
    world.run(1)

    assert text(world) == "hello"


@both_modes
def test_the_config_map_is_deleted_with_its_greeting(mode: Mode) -> None:
    world = cluster(mode)
    world.until_quiet()

    world.delete(GREETING)
    world.until_quiet()

    assert world.api.get(CONFIG_MAP) is None


@both_modes
def test_a_text_that_is_no_string_leaves_the_config_map_unchanged(mode: Mode) -> None:
    world = cluster(mode)
    world.until_quiet()

    world.apply(greeting(5))
    world.until_quiet()

    assert text(world) == "hello"
    assert world.parent("hi")["status"]["state"] == "Failed"


def check_restart(mode: Mode, hook: Controller) -> None:
    """What changes while Metacontroller is down is seen after its restart, and then nothing is written for an hour."""
    world = cluster(mode, hook)
    world.until_quiet()
    world.metacontroller.restart(after=60)
    world.apply(greeting("bye"))
    world.run(120)
    assert text(world) == "bye"

    before = changes(world)
    world.run(3600)

    assert changes(world) == before
    assert findings(world.history) == []


@both_modes
def test_after_a_restart_of_metacontroller_all_is_as_desired_and_nothing_is_written(mode: Mode) -> None:
    check_restart(mode, GREETINGS)


# Hooks with a mistake: the tests notice it.


def with_the_time(request: SyncRequest, now: datetime) -> SyncResponse:
    return replace(GREETINGS.sync(request, now), status={"state": "Ready", "at": str(now)}, resync_after=60)


def without_updates(request: SyncRequest, now: datetime) -> SyncResponse:
    kept = request.children.kept()
    return SyncResponse({"state": "Ready"}, kept=kept) if kept else GREETINGS.sync(request, now)


@both_modes
@pytest.mark.parametrize("mistake", [with_the_time, without_updates])
def test_a_hook_that_never_stops_writing_or_never_updates_is_noticed(
    mode: Mode, mistake: Callable[[SyncRequest, datetime], SyncResponse]
) -> None:
    with pytest.raises(AssertionError):
        check_restart(mode, replace(GREETINGS, sync=mistake))
