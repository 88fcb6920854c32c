"""The decorator of StatefulSets in the simulator: what an annotation brings, and what is left without it."""

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from msgspec.structs import replace
from stateful_set_services import ADDRESS, LABEL, PORT, PROBLEM, SERVICES

from metahook import DecoratorResponse, SyncRequest
from metahook.simulator import MODES, Key, Mode, NeverQuiet, Settings, World
from metahook.simulator.findings import findings

CONTROLLER = yaml.safe_load((Path(__file__).parent / "controller.yaml").read_text())

DB, SERVICE = Key("StatefulSet", "default", "db"), Key("Service", "default", "db-client")
LABELS = {"app": "db"}

both_modes = pytest.mark.parametrize("mode", MODES)


def stateful_set(name: str = "db", port: str | None = "5432", selector: dict[str, Any] | None = None) -> dict[str, Any]:
    annotations = {PORT: port} if port else {}
    metadata = {"name": name, "namespace": "default", "labels": {"team": "a"}, "annotations": annotations}
    container = {"name": "main", "image": "postgres:18"}
    spec = {
        "serviceName": name,
        "selector": selector or {"matchLabels": LABELS},
        "template": {"metadata": {"labels": LABELS}, "spec": {"containers": [container]}},
    }
    return {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": metadata, "spec": spec}


def cluster(mode: Mode, *objects: dict[str, Any]) -> World:
    """Return a quiet cluster with StatefulSets."""
    world = World(SERVICES, Settings.read(CONTROLLER, [], mode))
    for item in objects or [stateful_set()]:
        world.apply(item)
    world.until_quiet()
    return world


def annotate(world: World, port: str | None) -> None:
    def change(item: dict[str, Any]) -> None:
        item["metadata"]["annotations"].pop(PORT, None)
        item["metadata"]["annotations"] |= {PORT: port} if port else {}

    world.edit(DB, change)
    world.until_quiet()


def told(world: World, key: Key = DB) -> tuple[dict[str, str], dict[str, str]]:
    """Return the labels and annotations of a StatefulSet, without those of its users."""
    metadata = world.get(key)["metadata"]
    annotations = {name: value for name, value in metadata.get("annotations", {}).items() if name != PORT}
    return {name: value for name, value in metadata["labels"].items() if name != "team"}, annotations


@both_modes
def test_an_annotation_brings_a_service_and_its_address_and_an_hour_later_nothing_was_written(mode: Mode) -> None:
    world = cluster(mode)

    assert world.get(SERVICE)["spec"]["selector"] == LABELS
    assert [port["port"] for port in world.get(SERVICE)["spec"]["ports"]] == [5432]
    assert told(world) == ({LABEL: "true"}, {ADDRESS: "db-client.default.svc:5432"})
    before = len(list(world.history.writes("metacontroller")))
    world.run(3600)
    assert len(list(world.history.writes("metacontroller"))) == before
    assert findings(world.history) == []


@both_modes
def test_a_stateful_set_without_the_annotation_stays_as_it_is(mode: Mode) -> None:
    world = cluster(mode, stateful_set(port=None))

    assert told(world) == ({}, {})
    assert [write for write in world.history.writes("metacontroller") if write.changed] == []


@both_modes
def test_without_the_annotation_the_service_and_all_that_was_told_go(mode: Mode) -> None:
    world = cluster(mode)

    annotate(world, None)

    assert world.api.get(SERVICE) is None
    assert told(world) == ({}, {})
    assert world.get(DB)["metadata"]["labels"] == {"team": "a"}
    assert findings(world.history) == []


@both_modes
def test_another_port_changes_the_service(mode: Mode) -> None:
    world = cluster(mode)

    annotate(world, "6432")

    assert [port["port"] for port in world.get(SERVICE)["spec"]["ports"]] == [6432]
    assert told(world)[1] == {ADDRESS: "db-client.default.svc:6432"}


@both_modes
def test_a_service_that_is_edited_or_deleted_comes_back(mode: Mode) -> None:
    world = cluster(mode)

    world.edit(SERVICE, lambda item: item["spec"].update(selector={"app": "other"}))
    world.until_quiet()
    assert world.get(SERVICE)["spec"]["selector"] == LABELS
    world.delete(SERVICE)
    world.until_quiet()

    assert world.get(SERVICE)["spec"]["selector"] == LABELS
    assert told(world) == ({LABEL: "true"}, {ADDRESS: "db-client.default.svc:5432"})
    assert findings(world.history) == []


MISTAKES = {
    "no number": (stateful_set(port="http"), PORT),
    "too large": (stateful_set(port="65536"), PORT),
    "digits of another script": (stateful_set(port="٥٤٣٢"), PORT),
    "a name of no Service": (stateful_set("9db"), "metadata.name"),
    "expressions": (
        stateful_set(selector={"matchExpressions": [{"key": "app", "operator": "In", "values": ["db"]}]}),
        "spec.selector",
    ),
}


@both_modes
@pytest.mark.parametrize(("item", "field"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_of_a_user_is_told_on_the_stateful_set(mode: Mode, item: dict[str, Any], field: str) -> None:
    world = cluster(mode, item)

    labels, annotations = told(world, Key("StatefulSet", "default", item["metadata"]["name"]))

    assert labels == {}
    assert annotations[PROBLEM].startswith(field)
    assert [key for key in world.api.all_keys() if key.kind == "Service"] == []


@both_modes
def test_a_mistake_leaves_the_service_until_it_is_corrected(mode: Mode) -> None:
    world = cluster(mode)

    annotate(world, "0")
    assert world.api.get(SERVICE)
    assert PROBLEM in told(world)[1]
    annotate(world, "5432")

    assert told(world) == ({LABEL: "true"}, {ADDRESS: "db-client.default.svc:5432"})
    assert findings(world.history) == []


@both_modes
def test_the_service_is_deleted_with_its_stateful_set(mode: Mode) -> None:
    world = cluster(mode)

    world.delete(DB)
    world.until_quiet()

    assert world.api.all_keys() == []


# A hook with a mistake: metahook notices it.


def counting(request: SyncRequest, now: datetime) -> DecoratorResponse:
    """Write how often it was called, which calls it again."""
    count = int(request.parent.annotations.get("count", "0")) + 1
    return replace(SERVICES.sync(request, now), annotations={"count": str(count)})


def test_a_decorator_that_answers_itself_is_noticed() -> None:
    world = World(replace(SERVICES, sync=counting), Settings.read(CONTROLLER))
    world.max_actions = 100
    world.apply(stateful_set())

    with pytest.raises(NeverQuiet, match="RepeatedWrites"):
        world.until_quiet()
