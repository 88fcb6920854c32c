"""The same request gets the same bytes: in any order of its keys, and in any process."""

import hashlib
import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.requests.builders import NOW
from tests.requests.watched_objects import WATCHING
from tests.strategies.observed import Situation, situations
from toolkit.slow import short_or_whole

CORPUS = short_or_whole(60, 300)
DIGEST = """
import hashlib, json, sys
from datetime import datetime
from tests.requests.watched_objects import WATCHING

bodies = json.load(open(sys.argv[1]))
now = datetime.fromisoformat(sys.argv[2])
answers = [WATCHING.answer_sync(body.encode(), now) for body in bodies]
print(hashlib.sha256(b"".join(answers)).hexdigest())
"""


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


@pytest.fixture(scope="module")
def corpus() -> list[str]:
    """Return the bodies of some hundred requests."""
    bodies: list[str] = []

    @settings(max_examples=CORPUS)
    @given(situations())
    def collect(situation: Situation) -> None:
        bodies.append(situation.body().decode())

    collect()
    return bodies


@pytest.mark.slow
@pytest.mark.parametrize("seed", short_or_whole(["random"], ["0", "1", "random"]))
def test_the_hash_seed_of_the_process_does_not_matter(seed: str, corpus: list[str], tmp_path: Path) -> None:
    file = tmp_path / "bodies.json"
    file.write_text(json.dumps(corpus))
    here = hashlib.sha256(b"".join(WATCHING.handle_sync(body.encode(), NOW).body for body in corpus)).hexdigest()

    command = [sys.executable, "-c", DIGEST, str(file), NOW.isoformat()]
    done = subprocess.run(
        command, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True, text=True
    )

    assert done.stdout.strip() == here
    assert len(corpus) >= CORPUS
