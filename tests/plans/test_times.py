"""Random lives with late caches: a time lies between the last status with the old value and the first with the new."""

from random import Random

import pytest

from app.core import previous_status
from metahook.simulator.history import Write
from metahook.simulator.metacontroller.settings import MODES, Mode
from tests.plans.events import EVENTS, FEATURES
from tests.plans.scene import GAPS, Scene
from tests.plans.times import Times
from toolkit.slow import short_or_whole

pytestmark = pytest.mark.no_cover

LATE = (0.005, 0.05, 0.5, 2.0, 4.0)
"""Seconds by which the cache of a kind can be late."""

EVENTS_OF_A_LIFE = 25


def live(seed: int, mode: Mode, *, parents_are_late: bool = False) -> Times:
    """Return the judge of a random life, in which the cache of each kind is late by seconds of its own."""
    random = Random(seed)  # noqa: S311 - no secret
    scene = Scene(mode, tuple(random.sample([*FEATURES], random.randint(0, 4))))
    late: dict[str, float] = {} if parents_are_late else {"MyResource": 0.004}

    def delays(write: Write) -> list[float]:
        return [late.setdefault(write.key.kind, random.choice(LATE)) * random.uniform(0.5, 1)]

    scene.world.metacontroller.cache.delays = delays
    scene.world.max_actions = 20_000  # with caches that are late by seconds, writes cross each other for a while
    for _ in range(EVENTS_OF_A_LIFE):
        event = random.choice([*EVENTS])
        if scene.can(event):
            EVENTS[event](scene)
        scene.world.run(random.choice((*GAPS, 20, 60)))
    return scene.run.times


def lives(count: int, **late: bool) -> Times:
    """Return one judge of so many lives."""
    found = Times()
    for seed in range(count):
        times = live(seed, MODES[seed % 2], **late)
        found.changes += times.changes
        found.from_another_clock += times.from_another_clock
        found.from_an_old_request += times.from_an_old_request
        found.violations += times.violations
    return found


@pytest.mark.slow
def test_a_time_lies_between_the_last_status_with_the_old_value_and_the_first_with_the_new_one() -> None:
    times = lives(short_or_whole(8, 120))

    assert times.violations == []
    assert times.changes > short_or_whole(200, 3000)
    explained = [*times.from_another_clock, *times.from_an_old_request]
    assert len(explained) <= times.changes / 200, explained


@pytest.mark.slow
def test_so_it_does_where_each_request_can_lack_the_last_status_but_for_what_that_explains() -> None:
    assert lives(short_or_whole(4, 40), parents_are_late=True).violations == []


def test_a_time_that_an_older_object_shows_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The negative control: the hook does not know when the last status was stored."""
    monkeypatch.setattr(previous_status, "last_change", lambda *_, **__: "")

    assert any(live(seed, MODES[seed % 2]).violations for seed in range(8))
