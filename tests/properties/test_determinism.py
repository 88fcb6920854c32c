"""The same request gets the same bytes in any order of its keys.

In any process, too: tests/recorded/test_traffic.py replays requests in a process of its own, with its own hash seed.
"""

import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.requests.builders import NOW
from tests.requests.watched_objects import WATCHING
from tests.strategies.observed import Situation, situations
from toolkit.slow import short_or_whole


def shuffled(value: Any, chance: random.Random) -> Any:
    """Return *value* with the keys of all its maps in another order."""
    if isinstance(value, dict):
        keys = list(value)
        chance.shuffle(keys)
        return {key: shuffled(value[key], chance) for key in keys}
    return [shuffled(item, chance) for item in value] if isinstance(value, list) else value


@pytest.mark.slow
@settings(max_examples=short_or_whole(30, 400))
@given(situations(), st.integers(0, 2**32))
def test_the_order_of_keys_does_not_matter(situation: Situation, seed: int) -> None:
    body = situation.body()
    other = json.dumps(shuffled(json.loads(body), random.Random(seed))).encode()  # noqa: S311 - no secret

    assert WATCHING.handle_sync(body, NOW).body == WATCHING.handle_sync(other, NOW).body
    assert WATCHING.handle_sync(body, NOW).body == WATCHING.handle_sync(body, NOW).body
