"""Ready never lies: it is True only when an oracle that knows nothing of app finds all that it promises."""

import json

import pytest
from hypothesis import Phase, given, settings

from app.core import readiness
from tests.properties.oracle import ready_is_earned
from tests.requests.builders import NOW, condition
from tests.requests.watched_objects import WATCHING
from tests.strategies.observed import Situation, situations
from toolkit.slow import short_or_whole

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


@pytest.mark.parametrize("broken", [{"Building", "Overridden", "NotApplied"}, {"RollingOut", "ReplicasUnavailable"}])
def test_the_oracle_notices_a_broken_rule(broken: set[str], monkeypatch: pytest.MonkeyPatch) -> None:
    left = [(reason, holds) for reason, holds in readiness.RULES if reason.name not in broken]
    monkeypatch.setattr(readiness, "RULES", left)

    with pytest.raises(AssertionError):
        ANY(given(situations())(check))()
