"""Ready never lies: it is True only when an oracle that knows nothing of app finds all that it promises."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import Phase, given, settings

from app.core.status import readiness
from app.core.status.facts.facts import Facts
from tests.properties.oracle import ready_is_earned
from tests.requests.builders import NOW, condition
from tests.requests.watched_objects import WATCHING
from tests.strategies.observed import Situation, situations
from toolkit.slow import only_whole, short_or_whole

Json = dict[str, Any]


ANY = settings(max_examples=3000, phases=[Phase.generate], report_multiple_bugs=False, derandomize=True)
"""Looks for an example, the same each time, and not for the smallest one."""


def check(situation: Situation) -> None:
    """Fail if Ready is True and not earned."""
    answer = json.loads(WATCHING.handle_sync(situation.body(), NOW).body)

    assert condition(answer)["status"] == "False" or ready_is_earned(situation, answer)


@pytest.mark.slow
@settings(max_examples=short_or_whole(100, 1500))
@given(situations())
def test_ready_is_true_only_when_it_is_earned(situation: Situation) -> None:
    check(situation)


def _of(*reasons: str) -> Callable[[str, Callable[[Facts], bool]], bool]:
    return lambda reason, _: reason in reasons


def _asking(fact: str) -> Callable[[str, Callable[[Facts], bool]], bool]:
    return lambda _, holds: fact in holds.__code__.co_names


WHOLE = [pytest.mark.slow, only_whole]


@pytest.mark.parametrize(
    "broken",
    [
        pytest.param(_of("Terminating"), id="being-deleted", marks=WHOLE),
        pytest.param(_of("NameConflict"), id="service-taken", marks=WHOLE),
        pytest.param(_of("Building", "Overridden", "NotApplied"), id="not-as-wanted"),
        pytest.param(_asking("is_not_yet_observed"), id="not-yet-looked-at", marks=WHOLE),
        pytest.param(_of("RollingOut", "ReplicasUnavailable"), id="not-rolled-out"),
    ],
)
def test_the_oracle_notices_a_broken_rule(
    broken: Callable[[str, Callable[[Facts], bool]], bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    left = [(reason, holds) for reason, holds in readiness.RULES if not broken(reason.name, holds)]
    assert len(left) < len(readiness.RULES)
    monkeypatch.setattr(readiness, "RULES", left)

    with pytest.raises(AssertionError):
        ANY(given(situations())(check))()
