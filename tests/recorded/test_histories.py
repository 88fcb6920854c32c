"""Recorded lives: a MyResource is Ready exactly where its rollout is finished, as an oracle sees it."""

import pytest

from tests.properties.oracle import ready_is_earned
from tests.recorded.traffic import Recorded, load
from tests.requests.builders import condition


@pytest.mark.parametrize("recorded", [item for item in load() if item.path == "/sync"], ids=str)
def test_ready_is_true_exactly_where_the_rollout_is_finished(recorded: Recorded) -> None:
    answer = recorded.answered_now()

    assert (condition(answer)["status"] == "True") == ready_is_earned(recorded.situation(), answer)
