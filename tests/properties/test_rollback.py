"""Rollbacks: whatever images a MyResource gets, one after the other, the last one that was Ready serves."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metahook.simulator.metacontroller.settings import Mode
from metahook.simulator.world import World
from tests.simulated.worlds import DEPLOYMENT, Since, both_modes, parent, ready, synced, world
from tests.slow import short_or_whole

Json = dict[str, Any]

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


def image(made: World) -> str:
    (main,) = made.get(DEPLOYMENT)["spec"]["template"]["spec"]["containers"]
    found: str = main["image"]
    return found


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


def test_a_rollback_that_comes_too_late_would_be_noticed() -> None:
    """The negative control of the test above."""
    with pytest.raises(AssertionError):
        check("dynamic-apply", [("nginx:1", {}), ("nginx:bad", {})], rest=25)
