"""The stamp of docs/watch-or-poll.md: without it a stale request undoes a newer spec."""

import runpy
import sys
from pathlib import Path

import pytest

from metahook import Controller, Kind
from metahook.simulator.metacontroller.settings import Mode, Settings
from metahook.simulator.objects import Json, Key
from metahook.simulator.world import World
from toolkit.documents import blocks, page
from toolkit.root import ROOT
from toolkit.worlds import Since, both_modes, calls

GREETING, CHILD = Key("Greeting", "default", "hi"), Key("ConfigMap", "default", "hi")
CHANGES = 3
"""Changes of the Greeting since it had its old text: of its spec, and twice of its status."""

KIND = Kind("example.com/v1", "Greeting", "greetings")
GREETINGS = (ROOT / "examples/greeting/greetings.py").read_text()
BLOCKS = blocks(page("watch-or-poll"), "python")


@pytest.fixture(name="hooks")
def _hooks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Controller]:
    """Return the two controllers of the page."""
    (careful,) = (block for block in BLOCKS if "CAREFUL_GREETINGS" in block)
    (tmp_path / "greetings.py").write_text(GREETINGS)
    (tmp_path / "careful_greetings.py").write_text(careful)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "greetings", raising=False)
    found = runpy.run_path(str(tmp_path / "careful_greetings.py"))
    return {"careful": found["CAREFUL_GREETINGS"], "plain": found["greetings"].GREETINGS}


def changed(mode: Mode, hook: Controller) -> World:
    """Return a world with a Greeting whose text was changed from old to new, and applied."""
    world = World(hook, Settings(KIND, tuple(kind.KIND for kind in hook.children), mode=mode, has_customize=False))
    metadata = {"name": GREETING.name, "namespace": GREETING.namespace}
    for text in ("old", "new"):
        world.apply({"apiVersion": KIND.api_version, "kind": KIND.kind, "metadata": metadata, "spec": {"text": text}})
        assert world.until_quiet()
        assert (text_of(world), state(world)) == (text, "Ready")
    return world


def restart_with_old_parent(world: World) -> None:
    """Restart Metacontroller on a cache in which the Greeting has its old text, and let it sync.

    No change of a Greeting arrives any more.
    """
    before, cache = calls(world), world.metacontroller.cache
    cache.delays = lambda write: () if write.key.kind == KIND.kind else (cache.late,)
    cache.behind = {KIND.kind: CHANGES}
    world.metacontroller.restart()
    world.run(5)
    assert parent_in(world)["spec"]["text"] == "old"
    assert calls(world) > before


def catch_up(world: World) -> None:
    """Let the new Greeting arrive in the cache."""
    cache = world.metacontroller.cache
    cache.delays = lambda _: (cache.late,)
    cache.rewatch(KIND.kind)
    assert world.until_quiet()


def parent_in(world: World) -> Json:
    found = world.metacontroller.cache.get(GREETING)
    assert found
    return found


def text_of(world: World) -> str:
    text: str = world.get(CHILD)["data"]["text"]
    return text


def state(world: World) -> str:
    found: str = world.parent("hi")["status"]["state"]
    return found


@both_modes
def test_a_hook_without_the_stamp_undoes_a_newer_spec_when_the_parents_cache_lags(
    hooks: dict[str, Controller], mode: Mode
) -> None:
    world = changed(mode, hooks["plain"])

    restart_with_old_parent(world)
    assert text_of(world) == "old"

    catch_up(world)
    assert (text_of(world), state(world)) == ("new", "Ready")


@both_modes
def test_a_hook_with_the_stamp_changes_no_child_until_the_parents_cache_has_caught_up(
    hooks: dict[str, Controller], mode: Mode
) -> None:
    world = changed(mode, hooks["careful"])
    done = Since(world)

    restart_with_old_parent(world)
    assert [write for write in done.writes if "ConfigMap" in write] == []
    assert text_of(world) == "new"

    catch_up(world)
    assert [write for write in done.writes if "ConfigMap" in write] == []
    assert (text_of(world), state(world)) == ("new", "Ready")


@both_modes
@pytest.mark.parametrize(("hook", "writes"), [("careful", 1), ("plain", 0)])
def test_the_stamp_costs_one_write_of_each_child_for_each_generation(
    hooks: dict[str, Controller], mode: Mode, hook: str, writes: int
) -> None:
    world = changed(mode, hooks[hook])
    done = Since(world)

    world.edit(GREETING, lambda item: item["spec"].update(unused=True))
    assert world.until_quiet()

    assert sum("ConfigMap" in write for write in done.writes) == writes


@both_modes
def test_the_status_of_a_stale_request_replaces_a_newer_one(hooks: dict[str, Controller], mode: Mode) -> None:
    world = changed(mode, hooks["careful"])

    restart_with_old_parent(world)

    status = world.parent("hi")["status"]
    assert (status["state"], status["observedGeneration"]) == ("Building", 1)
