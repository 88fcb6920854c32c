"""The hook of static sites in the simulator: its children, and conditions that tell what was observed."""

from collections.abc import Callable
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
import yaml
from msgspec.structs import replace
from staticsites import CRD, SITES

from metahook import Controller, Deployment, SyncRequest, SyncResponse, rolled_out, set_condition
from metahook.simulator import MODES, Key, Mode, Settings, World
from metahook.simulator.controllers.kubelet import Failure
from metahook.simulator.findings import findings

HERE = Path(__file__).parent
STORED_CRD, CONTROLLER = (yaml.safe_load((HERE / name).read_text()) for name in ("crd.yaml", "controller.yaml"))

SITE = Key("StaticSite", "default", "www")
CHILDREN = [Key(kind, "default", "www") for kind in ("ConfigMap", "Deployment", "Service", "Ingress")]

both_modes = pytest.mark.parametrize("mode", MODES)


def site(name: str = "www", **spec: object) -> dict[str, Any]:
    spec = {"host": "www.example.com", "html": "hello", **spec}
    return {"apiVersion": "example.com/v1", "kind": "StaticSite", "metadata": {"name": name}, "spec": spec}


def cluster(mode: Mode, hook: Controller = SITES) -> World:
    """Return a quiet cluster with one site."""
    world = World(hook, Settings.read(CONTROLLER, [STORED_CRD], mode))
    world.apply(site())
    world.until_quiet()
    return world


def conditions(world: World, name: str = "www") -> dict[str, str]:
    return {each["type"]: each["reason"] for each in world.parent(name)["status"]["conditions"]}


SERVED = {"Available": "PodsAvailable", "Ready": "RolledOut"}


@both_modes
def test_a_site_is_served_and_an_hour_later_nothing_was_written(mode: Mode) -> None:
    world = cluster(mode)

    assert conditions(world) == SERVED
    assert world.get(CHILDREN[0])["data"] == {"index.html": "hello"}
    before = len(list(world.history.writes("metacontroller")))
    world.run(3600)
    assert len(list(world.history.writes("metacontroller"))) == before
    assert findings(world.history) == []


def reasons_of_a_new_page(world: World) -> list[str]:
    """Return the reasons that Ready has, one after the other, once the spec has a new page."""
    before = len(list(world.history.writes()))
    world.apply(site(html="bye"))
    world.until_quiet()
    statuses = [
        each.after["status"] for each in list(world.history.writes())[before:] if each.key == SITE and each.after
    ]
    current = [status for status in statuses if status["observedGeneration"] == 2]
    return [reason for reason, _ in groupby(status["conditions"][-1]["reason"] for status in current)]


@both_modes
def test_a_new_page_is_ready_once_all_pods_have_it(mode: Mode) -> None:
    assert reasons_of_a_new_page(cluster(mode)) == ["Updating", "RollingOut", "RolledOut"]


@both_modes
def test_while_new_pods_fail_the_site_is_available_and_not_ready(mode: Mode) -> None:
    world = cluster(mode)
    since = world.parent("www")["status"]["conditions"][0]["lastTransitionTime"]
    world.kubelet.fail(Failure.BAD_IMAGE)

    world.apply(site(html="bye"))
    world.run(60)

    assert conditions(world) == SERVED | {"Ready": "RollingOut"}
    assert world.parent("www")["status"]["conditions"][0]["lastTransitionTime"] == since


@both_modes
@pytest.mark.parametrize("key", CHILDREN, ids=[key.kind for key in CHILDREN])
def test_a_child_that_is_deleted_or_edited_comes_back(mode: Mode, key: Key) -> None:
    world = cluster(mode)
    field = "data" if key.kind == "ConfigMap" else "spec"
    before = world.get(key)[field]

    world.edit(key, EDITS[key.kind])
    world.until_quiet()
    assert world.get(key)[field] == before
    world.delete(key)
    world.until_quiet()

    assert world.get(key)[field].keys() == before.keys()
    assert conditions(world) == SERVED
    assert findings(world.history) == []


EDITS: dict[str, Callable[[Any], object]] = {
    "ConfigMap": lambda item: item["data"].update({"index.html": "mine"}),
    "Deployment": lambda item: item["spec"].update(replicas=7),
    "Service": lambda item: item["spec"]["ports"][0].update(targetPort=81),
    "Ingress": lambda item: item["spec"]["rules"][0].update(host="other.example.com"),
}


@both_modes
@pytest.mark.parametrize(
    ("name", "change"), [("www", {"host": "not a host"}), ("www.example.com", {})], ids=["host", "name"]
)
def test_a_mistake_of_a_user_is_a_condition_and_children_stay(mode: Mode, name: str, change: dict[str, str]) -> None:
    world = cluster(mode)

    world.apply(site(name, **change))
    world.until_quiet()

    assert conditions(world, name)["Ready"] == "InvalidSpec"
    assert all(world.api.get(key) for key in CHILDREN)
    assert world.api.get(Key("Service", "default", "www.example.com")) is None


@both_modes
def test_with_the_site_all_that_it_has_is_deleted(mode: Mode) -> None:
    world = cluster(mode)

    world.delete(SITE)
    world.until_quiet()

    assert world.api.all_keys() == []


def test_the_crd_is_that_of_the_structs() -> None:
    assert STORED_CRD == CRD


# A hook with a mistake: the tests above notice it, and metahook does.


def hasty(request: SyncRequest, now: datetime) -> SyncResponse:
    """Take a Deployment that is rolled out for one that has the newest page."""
    response, found = SITES.sync(request, now), request.children.get(Deployment, request.parent.name)
    status, at = ("True" if rolled_out(found) else "False"), request.parent.generation
    ready = set_condition(response.status["conditions"], "Ready", status, "RolledOut", now=now, generation=at)  # type: ignore[arg-type] # one of two
    return replace(response, status={"conditions": ready})


@both_modes
def test_a_hook_that_compares_nothing_is_noticed(mode: Mode) -> None:
    world = cluster(mode, replace(SITES, sync=hasty))

    assert reasons_of_a_new_page(world) == ["RolledOut"]
    assert [each.rule for each in findings(world.history)] == ["ReadyTooEarly"]
