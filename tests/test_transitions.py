"""A condition's lastTransitionTime moves with its status, and with nothing else."""

import json
from datetime import datetime
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.build import EARLIER_TEXT, NOW, NOW_TEXT
from tests.given.observed import Situation, situations
from tests.strategies import parents
from tests.watching import WATCHING

Json = dict[str, Any]

EARLIER = datetime.fromisoformat(EARLIER_TEXT)
_parent = st.shared(parents(), key="the parent of both")


def conditions(situation: Situation, now: datetime) -> dict[str, Json]:
    """Return the conditions of the answer by type."""
    answer = json.loads(WATCHING.answer_sync(situation.body(), now))
    return {item["type"]: item for item in answer["status"]["conditions"]}


@settings(max_examples=600)
@given(situations(_parent), situations(_parent))
def test_the_transition_time_moves_only_with_the_status(first: Situation, second: Situation) -> None:
    before = conditions(first, EARLIER)
    status = {"state": "Building", "conditions": list(before.values())}
    after = conditions(Situation({**second.parent, "status": status}, second.children, second.related), NOW)

    for kind, found in after.items():
        kept = kind in before and before[kind]["status"] == found["status"]
        assert found["lastTransitionTime"] == (before[kind]["lastTransitionTime"] if kept else NOW_TEXT)
