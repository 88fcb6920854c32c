"""``labelSelector`` and ``ignoreStatusChanges`` of a parentResource, step by step, as the simulator has them, too."""

from typing import Any

import pytest

from toolkit.hooks.notes import Json, note, service
from toolkit.hooks.notes_on_a_cluster import FENCE, Notes
from toolkit.predicates import CASES, SELECTOR, WATCHED, Result, Sentence


class Real:
    """The real control plane as a stage."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self._count = 0

    def create(self, **metadata: Any) -> None:
        """Create the Note."""
        self._notes.create(note(**metadata))

    def edit(self, kind: str, change: Json, *, part: str = "") -> None:
        """Apply a merge patch."""
        self._notes.edit(kind, change, part=part)

    def delete(self, kind: str) -> None:
        """Delete the Note or the ConfigMap."""
        self._notes.delete(kind, "one")

    def result(self, expected: Result) -> Result:
        """Return the result of the last step once it is *expected* and nothing more happens; fail after a while."""
        self._notes.eventually(lambda: self._now() == expected)
        self._notes.settle()
        found = self._now()
        self._count = len(self._notes.calls())
        return found

    def _now(self) -> Result:
        is_synced = len(self._notes.calls()) > self._count
        return Result(is_synced, self._notes.word("ConfigMap"), self._notes.word("Note"))


@pytest.mark.parametrize(("parent", "sentences"), CASES.values(), ids=list(CASES))
def test_a_step_has_the_result_of_the_table(notes: Notes, parent: Json, sentences: list[Sentence]) -> None:
    notes.start(**parent)
    stage = Real(notes)

    for sentence, step, expected in sentences:
        step(stage)
        assert stage.result(expected) == expected, sentence


def test_customize_is_also_called_for_a_parent_that_does_not_match(notes: Notes) -> None:
    """An event of a related object asks all parents for their rules, and only then looks at their labels."""
    notes.start(labelSelector=SELECTOR)
    notes.create(note())
    notes.settle()
    asked = len(notes.calls(hook="customize"))

    notes.create(service("web", of="one"))
    notes.eventually(lambda: len(notes.calls(hook="customize")) > asked)
    notes.settle()

    assert notes.calls() == []


def test_neither_a_restart_nor_the_resync_period_calls_a_parent_that_does_not_match(notes: Notes) -> None:
    notes.start(labelSelector=SELECTOR)
    notes.create(note(labels=WATCHED))
    notes.eventually(lambda: notes.word("Note") == "a")
    notes.edit("Note", {"metadata": {"labels": None}}, "one")
    notes.settle()
    calls, before = len(notes.calls()), len(notes.calls(FENCE))

    notes.cluster.patch("CompositeController", notes.controller, {"spec": {"resyncPeriodSeconds": 1}})
    notes.eventually(lambda: len(notes.calls(FENCE)) >= before + 4)

    assert len(notes.calls()) == calls
