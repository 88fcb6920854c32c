"""``labelSelector`` and ``ignoreStatusChanges`` do in the simulator what they do on the real control plane."""

from typing import Any

import pytest

from metahook.simulator.metacontroller.settings import Mode, Settings
from metahook.simulator.objects import Key
from metahook.simulator.world import World
from toolkit.hooks.notes import NOTE, NOTES, note, service
from toolkit.merge_patch import merge
from toolkit.predicates import CASES, SELECTOR, WATCHED, Result, Sentence
from toolkit.worlds import Json, both_modes, calls

ONE = {kind: Key(kind, "default", "one") for kind in ("Note", "ConfigMap")}


class Simulated:
    """The simulator as a stage."""

    def __init__(self, mode: Mode, parent: Json) -> None:
        children = tuple(each.KIND for each in NOTES.children)
        chosen = {
            "ignore_status_changes": parent.get("ignoreStatusChanges", False),
            "label_selector": parent.get("labelSelector", {}),
        }
        self.world = World(NOTES, Settings(NOTE, children, mode=mode, **chosen))
        self._count = 0

    def create(self, **metadata: Any) -> None:
        """Create the Note."""
        self.world.apply(note(namespace="default", **metadata))

    def edit(self, kind: str, change: Json, *, part: str = "") -> None:
        """Apply a merge patch."""
        del part  # an edit changes the status, too
        self.world.edit(ONE[kind], lambda item: merge(item, change))

    def delete(self, kind: str) -> None:
        """Delete the Note or the ConfigMap."""
        self.world.delete(ONE[kind])

    def result(self) -> Result:
        """Return the result of the last step."""
        self.world.until_quiet()
        before, self._count = self._count, calls(self.world)
        found = {kind: self.world.api.get(key) or {} for kind, key in ONE.items()}
        return Result(
            self._count > before,
            found["ConfigMap"].get("data", {}).get("word"),
            found["Note"].get("status", {}).get("word"),
        )


@both_modes
@pytest.mark.parametrize(("parent", "sentences"), CASES.values(), ids=list(CASES))
def test_a_step_has_the_result_of_the_table(mode: Mode, parent: Json, sentences: list[Sentence]) -> None:
    stage = Simulated(mode, parent)

    for sentence, step, expected in sentences:
        step(stage)
        assert stage.result() == expected, sentence


def test_without_a_selector_the_results_differ() -> None:
    """The negative control of the table."""
    stage = Simulated("dynamic-apply", {})
    (_, step, expected), *_ = CASES["labelSelector"][1]

    step(stage)

    assert stage.result() == Result(is_synced=True, child="a", status="a") != expected


@both_modes
def test_neither_a_restart_nor_the_resync_period_calls_a_parent_that_does_not_match(mode: Mode) -> None:
    stage = Simulated(mode, {"labelSelector": SELECTOR})
    stage.create(labels=WATCHED)
    stage.result()
    stage.edit("Note", {"metadata": {"labels": None}})
    stage.edit("ConfigMap", {"data": {"word": "x"}})
    stage.world.run(1300)
    stage.world.metacontroller.restart()

    assert stage.result() == Result(is_synced=False, child="x", status="a")


def test_customize_is_also_called_for_a_parent_that_does_not_match() -> None:
    """An event of a related object asks all parents for their rules, and only then looks at their labels."""
    stage = Simulated("dynamic-apply", {"labelSelector": SELECTOR})
    stage.world.apply(note("two", namespace="default", labels=WATCHED))
    stage.create()
    stage.world.until_quiet()

    stage.world.apply(service("web", of="one"))
    stage.world.until_quiet()

    calls = [(call.hook, call.key.name) for call in stage.world.history.calls("sync", "customize")]
    assert [hook for hook, name in calls if name == "one"] == ["customize"]
    assert ("sync", "two") in calls
