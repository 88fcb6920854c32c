"""Rollbacks: whatever images a MyResource gets, one after the other, the last one that was Ready serves."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.child_metadata import ROLLBACK
from metahook.simulator.metacontroller.settings import MODES, Mode
from metahook.simulator.world import World
from tests.requests.builders import Json
from tests.simulated.worlds import DEPLOYMENT, Since, both_modes, parent, ready, synced, world
from toolkit.slow import short_or_whole

FIXED: Json = {
    "progressDeadlineSeconds": 30,
    "readinessProbe": {"httpGet": {"port": 80}},
    "rollback": {"mode": "LastReady"},
}
"""With the probe an image that crashes is never Ready, not even for a moment."""

GOOD = ["nginx:1", "nginx:2"]
MENDED = ["nginx:bad", "nginx:crash", "nginx:oom", "nginx:unready"]
OTHERS = ["nginx:unschedulable", "nginx:config-error"]
"""Images that fail in a way that another image does not mend."""

CHANGES: list[Json] = [{}, {"replicas": 1}, {"replicas": 3}, {"env": [{"name": "A", "value": "1"}]}]
steps = st.lists(st.tuples(st.sampled_from([*GOOD, *MENDED, *OTHERS]), st.sampled_from(CHANGES)), max_size=6)


def main_of(deployment: Json) -> Json:
    main: Json = deployment["spec"]["template"]["spec"]["containers"][0]
    return main


def image(made: World) -> str:
    return str(main_of(made.get(DEPLOYMENT))["image"])


def check(mode: Mode, life: list[tuple[str, Json]], rest: float = 120) -> None:
    """Fail if one of the steps of *life*, each followed by so many seconds of *rest*, ends with another image."""
    made, last_ready = world(mode), ""
    for asked, change in life:
        made.apply(parent(image=asked, **FIXED, **change))
        made.run(rest)
        is_rolled_back = asked in MENDED and last_ready not in ("", asked)
        last_ready = asked if asked in GOOD else last_ready

        assert image(made) == (last_ready if is_rolled_back else asked)
        assert (ready(made)[1] == "RolledBack") == is_rolled_back
        assert (ready(made)[0] == "True") == (asked in GOOD)
        status = made.get(DEPLOYMENT)["status"]
        assert not is_rolled_back or status["availableReplicas"] == made.get(DEPLOYMENT)["spec"]["replicas"]
    made.metacontroller.restart()
    made.run(60)
    done = Since(made)
    made.run(1800)
    assert done.writes == synced(made).writes == []


@pytest.mark.slow
@both_modes
@settings(max_examples=short_or_whole(5, 200))
@given(life=steps)
def test_the_image_that_should_run_does_whatever_came_before(mode: Mode, life: list[tuple[str, Json]]) -> None:
    if life:
        check(mode, life)


def other_strategy(made: World) -> None:
    made.set_mode(next(mode for mode in MODES if mode != made.metacontroller.settings.mode))


@both_modes
@pytest.mark.parametrize(
    "happen",
    [
        other_strategy,
        lambda made: made.edit(DEPLOYMENT, lambda item: main_of(item).update(image="nginx:3")),
        lambda made: made.edit(DEPLOYMENT, lambda item: item["metadata"]["annotations"].pop(ROLLBACK)),
        lambda made: made.undo(DEPLOYMENT, 2),
    ],
    ids=["another apply strategy", "an edit", "a removed annotation", "kubectl rollout undo"],
)
def test_it_is_still_rolled_back_and_at_rest_after(mode: Mode, happen: Callable[[World], None]) -> None:
    made = world(mode)
    made.apply(parent(image="nginx:1", **FIXED))
    made.run(60)
    made.apply(parent(image="nginx:bad", **FIXED))
    made.run(120)
    happen(made)
    made.run(10)  # less than another rollout takes to fail
    assert (ready(made), image(made)) == (("False", "RolledBack"), "nginx:1")

    made.run(120)
    done = Since(made)
    made.run(1800)
    assert done.writes == synced(made).writes == []


def sleeping(replicas: int) -> Json:
    """Return the schedule of a MyResource that sleeps until 14:00, with so many Pods. A world begins at 12:00."""
    window = {"days": ["Sat"], "from": "00:00", "to": "14:00", "replicas": replicas}
    return {**FIXED, "schedule": {"timeZone": "UTC", "sleep": [window]}}


def test_an_image_that_fails_when_it_wakes_up_is_rolled_back() -> None:
    made = world(MODES[0])
    made.apply(parent(image="nginx:1", **FIXED))
    made.run(60)
    made.apply(parent(image="nginx:bad", **sleeping(0)))
    made.run(7000)
    assert (ready(made), image(made)) == (("True", "Sleeping"), "nginx:bad")

    made.run(1000)
    assert (ready(made), image(made)) == (("False", "RolledBack"), "nginx:1")


def test_an_image_that_was_ready_while_it_slept_with_a_pod_is_the_last_one() -> None:
    made = world(MODES[0])
    for asked in ("nginx:1", "nginx:2", "nginx:bad"):
        made.apply(parent(image=asked, **sleeping(1)))
        made.run(120)

    assert (ready(made), image(made)) == (("False", "RolledBack"), "nginx:2")
