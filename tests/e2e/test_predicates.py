"""``labelSelector`` and ``ignoreStatusChanges`` of a parentResource, step by step, as the simulator has them, too."""

from typing import Any

import pytest

from tests.e2e.foreign import FENCE, Foreign
from toolkit.hooks.notes import Json, note, service
from toolkit.predicates import CASES, SELECTOR, WATCHED, Result, Sentence


class Real:
    """The real control plane as a stage."""

    def __init__(self, foreign: Foreign) -> None:
        self._foreign = foreign
        self._count = 0

    def create(self, **metadata: Any) -> None:
        """Create the Note."""
        self._foreign.put(note(**metadata))

    def edit(self, kind: str, change: Json, *, part: str = "") -> None:
        """Apply a merge patch."""
        self._foreign.client.change(kind, self._foreign.name, "one", change, part=part)

    def delete(self, kind: str) -> None:
        """Delete the Note or the ConfigMap."""
        self._foreign.delete(kind, "one")

    def result(self, expected: Result) -> Result:
        """Return the result of the last step once it is *expected* and nothing more happens; fail after a while."""
        self._foreign.eventually(lambda: self._now() == expected)
        self._foreign.settle()
        found = self._now()
        self._count = len(self._foreign.calls())
        return found

    def _now(self) -> Result:
        is_synced = len(self._foreign.calls()) > self._count
        return Result(is_synced, self._foreign.word("ConfigMap"), self._foreign.word("Note"))


@pytest.mark.parametrize(("parent", "sentences"), CASES.values(), ids=list(CASES))
def test_a_step_has_the_result_of_the_table(foreign: Foreign, parent: Json, sentences: list[Sentence]) -> None:
    foreign.start(**parent)
    stage = Real(foreign)

    for sentence, step, expected in sentences:
        step(stage)
        assert stage.result(expected) == expected, sentence


def test_customize_is_also_called_for_a_parent_that_does_not_match(foreign: Foreign) -> None:
    """An event of a related object asks all parents for their rules, and only then looks at their labels."""
    foreign.start(labelSelector=SELECTOR)
    foreign.put(note())
    foreign.settle()
    asked = len(foreign.calls(hook="customize"))

    foreign.put(service("web", of="one"))
    foreign.eventually(lambda: len(foreign.calls(hook="customize")) > asked)
    foreign.settle()

    assert foreign.calls() == []


def test_neither_a_restart_nor_the_resync_period_calls_a_parent_that_does_not_match(foreign: Foreign) -> None:
    foreign.start(labelSelector=SELECTOR)
    foreign.put(note(labels=WATCHED))
    foreign.eventually(lambda: foreign.word("Note") == "a")
    foreign.edit("Note", {"metadata": {"labels": None}}, "one")
    foreign.settle()
    calls, before = len(foreign.calls()), len(foreign.calls(FENCE))

    foreign.client.change("CompositeController", "", foreign.controller, {"spec": {"resyncPeriodSeconds": 1}})
    foreign.eventually(lambda: len(foreign.calls(FENCE)) >= before + 4)

    assert len(foreign.calls()) == calls
