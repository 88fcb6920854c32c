"""Every path that needs time: it is taken when its moment comes, and no timer is lost with Metacontroller's process."""

from collections.abc import Callable

import pytest

from app.core.status.facts.deadlines import LATENESS
from app.core.status.facts.wait import PATIENCE
from metahook.simulator.apiserver.validation import ApiError
from metahook.simulator.metacontroller.settings import Mode
from metahook.simulator.world import World
from tests.simulated.worlds import DEPLOYMENT, Json, both_modes, calls, parent, ready, world

DEADLINE = 120
PERIOD = 600


def refused(mode: Mode) -> World:
    """Return a world whose API server accepts no Deployment."""

    def admit(item: Json, _: Json | None) -> Json:
        if item["kind"] == "Deployment":
            reason = "Forbidden"
            raise ApiError(reason, "no Deployments here")
        return item

    made = world(mode)
    made.api.admission.append(admit)
    made.apply(parent())
    return made


def overridden(mode: Mode) -> World:
    """Return a world in which a policy gives every Deployment seven replicas."""

    def admit(item: Json, _: Json | None) -> Json:
        return {**item, "spec": {**item["spec"], "replicas": 7}} if item["kind"] == "Deployment" else item

    made = world(mode)
    made.api.admission.append(admit)
    made.apply(parent())
    return made


def abandoned(mode: Mode) -> World:
    """Return a world whose Deployment controller began a rollout, and then no longer ran."""
    made = world(mode, controllers=False)
    made.apply(parent(progressDeadlineSeconds=DEADLINE))
    assert made.until(lambda: made.api.get(DEPLOYMENT) is not None)
    progressing = {"type": "Progressing", "status": "True", "reason": "ReplicaSetUpdated"}
    status = {"observedGeneration": 1, "conditions": [{**progressing, "lastUpdateTime": made.clock.stamp()}]}
    made.api.update_status({**made.get(DEPLOYMENT), "status": status}, "deployment-controller")
    return made


PATHS: dict[str, tuple[Callable[[Mode], World], float]] = {
    "NotApplied": (refused, PATIENCE),
    "Overridden": (overridden, PATIENCE),
    "ProgressDeadlineExceeded": (abandoned, DEADLINE + LATENESS),
}


@both_modes
@pytest.mark.parametrize("reason", PATHS)
@pytest.mark.parametrize("at", [0.0, 0.5, 0.99])
def test_no_timer_is_lost_over_a_restart_of_metacontroller(mode: Mode, reason: str, at: float) -> None:
    begin, after = PATHS[reason]
    made = begin(mode)

    made.run(after * at)
    assert at == 0 or ready(made)[1] != reason  # at 0 it can have no status yet
    made.metacontroller.restart(1)
    made.run(after * (1 - at) + 3)

    assert ready(made)[1] == reason


@both_modes
def test_what_is_stuck_is_called_three_times_in_each_period(mode: Mode) -> None:
    """The write of its turn is seen twice: as written, and by the Deployment controller."""
    made = overridden(mode)
    made.run(2 * PERIOD)
    before = calls(made)

    made.run(3 * PERIOD)

    assert calls(made) - before <= 3 * 3
