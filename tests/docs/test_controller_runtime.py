"""metahook/docs/from-controller-runtime.md: its hook is called as it says."""

import re
import runpy
from collections.abc import Callable
from typing import Any

import pytest
import yaml

from metahook import Controller, Kind
from metahook.simulator.metacontroller.settings import Settings
from metahook.simulator.objects import Json, Key
from metahook.simulator.world import World
from tests.docs.documents import ROOT
from tests.simulated.worlds import Since, both_modes, calls

TEXT = (ROOT / "metahook/docs/from-controller-runtime.md").read_text()

COPY = Key("Copy", "default", "mine")
CHILD, SOURCE, OTHER = (Key("ConfigMap", "default", name) for name in ("mine", "settings", "other"))


def block(language: str, page: str = TEXT) -> str:
    found, *_ = re.findall(rf"^```{language}\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    assert isinstance(found, str)
    return found


@pytest.fixture(name="copies", scope="module")
def _copies(tmp_path_factory: pytest.TempPathFactory) -> Controller:
    file = tmp_path_factory.mktemp("watching") / "copies.py"
    file.write_text(block("python", (ROOT / "metahook/docs/watch-or-poll.md").read_text()))
    found = runpy.run_path(str(file))["watching"]()
    assert isinstance(found, Controller)
    return found


def made(key: Key, **fields: Any) -> Json:
    api_version = "example.com/v1" if key.kind == "Copy" else "v1"
    metadata = {"name": key.name, "namespace": key.namespace}
    return {"apiVersion": api_version, "kind": key.kind, "metadata": metadata, **fields}


def ready(mode: Any, copies: Controller) -> World:
    """Return a world in which a ConfigMap is copied, with the settings of the page's CompositeController."""
    spec = yaml.safe_load(block("yaml"))["spec"]
    parent = spec["parentResource"]
    world = World(
        copies,
        Settings(
            Kind(parent["apiVersion"], "Copy", parent["resource"]),
            tuple(each.KIND for each in copies.children),
            mode=mode,
            resync_period=spec["resyncPeriodSeconds"],
            ignore_status_changes=parent["ignoreStatusChanges"],
            has_customize="customize" in spec["hooks"],
        ),
    )
    for item in (made(SOURCE, data={"a": "1"}), made(OTHER), made(COPY, spec={})):
        world.apply(item)
    assert world.until(lambda: world.parent("mine").get("status", {}).get("state") == "Copied", within=60)
    world.run(30)
    return world


def annotated(item: Json) -> None:
    item["metadata"].setdefault("annotations", {})["example.com/a"] = "1"


Happen = Callable[[World], object]
STATUS = 2
"""Writes of the status while a child is written: Copying, and Copied once it is observed."""

HAPPENINGS: dict[str, tuple[Happen, int, int]] = {
    "For": (lambda it: it.edit(COPY, annotated), 1, 0),
    "Owns, put back": (lambda it: it.edit(CHILD, lambda item: item.update(data={"a": "2"})), 2, 1 + STATUS),
    "Watches": (lambda it: it.edit(SOURCE, lambda item: item.update(data={"a": "3"})), 2, 1 + STATUS),
    "Watches, gone": (lambda it: it.delete(SOURCE), 1, 1),
    "Predicate": (lambda it: it.edit(COPY, lambda item: item["status"].update(state="Other")), 0, 0),
    "not watched": (lambda it: it.edit(OTHER, annotated), 0, 0),
}


@both_modes
@pytest.mark.parametrize("name", HAPPENINGS)
def test_the_hook_of_the_page_is_called_for_what_it_watches_alone(mode: Any, copies: Controller, name: str) -> None:
    happen, asked, written = HAPPENINGS[name]
    world = ready(mode, copies)
    before, done = calls(world), Since(world)

    happen(world)
    world.run(30)

    assert calls(world) - before == asked
    assert len(done.writes) == written
