"""What Pods can do to a status, whatever they say, and what their troubles cost."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metahook.simulator.controllers.pod_lifecycle import Failure
from metahook.simulator.history import Write
from metahook.simulator.metacontroller.settings import MODES, Mode
from metahook.simulator.world import World
from tests.properties.oracle import status_problems
from tests.requests.builders import MYRESOURCE, Json, reason, sync
from tests.requests.pods import answered, shown
from tests.simulated.worlds import WEB, Since, calls, parent, ready, settled, world
from tests.strategies.observed import Situation, situations
from tests.strategies.pods import pods
from toolkit.slow import short_or_whole

PROBE = {"httpGet": {"port": 80}}


def with_pods(situation: Situation, found: list[Json]) -> Json:
    """Return the answer to *situation*, without rollbacks, with those Pods of its Deployment that were *found*."""
    name = situation.parent["metadata"]["name"]
    theirs = json.loads(json.dumps(found).replace("web-deployment", f"{name}-deployment"))
    parent = {**situation.parent, "spec": {**situation.parent["spec"], "rollback": {"mode": "Disabled"}}}
    return sync(parent, *situation.children, related={**(situation.related or {}), **shown(*theirs)})


@pytest.mark.slow
@settings(max_examples=short_or_whole(25, 300))
@given(situation=situations(), found=pods)
def test_pods_never_make_anything_true_and_change_no_child_but_for_a_rollback(
    situation: Situation, found: list[Json]
) -> None:
    without, explained = with_pods(situation, []), with_pods(situation, found)

    assert without["children"] == explained["children"]
    assert list(status_problems(explained["status"])) == []
    before, after = statuses(without), statuses(explained)
    for kind in ("Ready", "Available"):
        assert (before.pop(kind), after.pop(kind)) != ("False", "True")
    if without["status"]["state"] == explained["status"]["state"]:
        assert before == after
    else:
        assert reason(without) == "Available"
        assert explained["status"]["state"] in ("Degraded", "Building")


def statuses(answer: Json) -> dict[str, str]:
    """Return the conditions of *answer*: which there are, and their statuses."""
    return {each["type"]: each["status"] for each in answer["status"]["conditions"]}


@pytest.mark.slow
@settings(max_examples=short_or_whole(25, 300))
@given(found=pods, data=st.data(), updated=st.integers(0, 4))
def test_the_order_of_pods_makes_no_difference(found: list[Json], data: st.DataObject, updated: int) -> None:
    other = data.draw(st.permutations(found))

    one, two = (answered(*each, status={"updatedReplicas": updated}, readinessProbe=PROBE) for each in (found, other))

    assert one == two


def status_writes(done: list[Write]) -> int:
    """Return how many of the writes are of a MyResource's status."""
    return sum(write.key == WEB and write.changed for write in done)


def failed(mode: Mode, failure: Failure, **spec: Any) -> tuple[World, int]:
    """Return a world in which a new MyResource has failed for an hour, and how many status writes that took."""
    made = world(mode)
    made.kubelet.fail(failure)
    made.apply(parent(**spec))
    made.run(3600)
    return made, status_writes(list(made.history.writes("metacontroller")))


MOST = 8
"""Status writes of an hour: first it is new, rolls out, has Pods, a cause; then the rollout is late."""

REASONS = {
    Failure.BAD_IMAGE: "ImagePullFailed",
    Failure.CRASH: "CrashLooping",
    Failure.OOM: "OOMKilled",
    Failure.CONFIG_ERROR: "ContainerConfigError",
    Failure.UNSCHEDULABLE: "Unschedulable",
    Failure.UNREADY: "ProbeFailing",
}
FLAPPING = {Failure.CRASH: "CrashLooping", Failure.OOM: "OOMKilled", Failure.EVICTED: "Evicted"}
"""Those with which Pods are ready again and again, if they have no readiness probe."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mode", "failure"),
    [(mode, failure) for number, failure in enumerate(REASONS) for mode in short_or_whole([MODES[number % 2]], MODES)],
    ids=str,
)
def test_an_hour_of_failing_takes_few_status_writes_however_often_pods_change(mode: Mode, failure: Failure) -> None:
    made, writes = failed(mode, failure, replicas=3, readinessProbe=PROBE)
    rest = Since(made)
    before = calls(made)
    made.run(3600)

    assert ready(made) == ("False", REASONS[failure])
    assert writes <= MOST
    assert rest.writes == []
    assert calls(made) - before < 200


@pytest.mark.slow
@pytest.mark.parametrize(
    "spec", [{}, {"replicas": 3}, {"minReadySeconds": 30}, {"strategy": {"type": "Recreate"}}][: short_or_whole(1, 4)]
)
@pytest.mark.parametrize(
    ("mode", "failure"), [(mode, failure) for mode in MODES for failure in FLAPPING][short_or_whole(-1, 0) :], ids=str
)
def test_an_hour_of_flapping_takes_few_status_writes(mode: Mode, failure: Failure, spec: Json) -> None:
    """Without a readiness probe Pods are ready and available in between two failures."""
    made = settled(mode, MYRESOURCE, parent(**spec))
    hour = Since(made)
    made.kubelet.fail(failure)
    made.run(3600)
    writes = len(hour.writes)
    rest = Since(made)
    made.run(1800)  # longer than a resync, a back-off and a deadline; evicted Pods add up, and so does the time

    assert ready(made) == ("False", FLAPPING[failure])
    assert writes <= MOST
    assert rest.writes == []


def test_what_crashed_and_runs_again_is_never_failed_and_what_goes_on_crashing_is() -> None:
    """The ten minutes in which a container must not fail again end after the deadline of the rollout would."""
    recovered, loops = (settled("dynamic-apply", MYRESOURCE, parent()) for _ in range(2))
    for made in (recovered, loops):
        made.kubelet.fail(Failure.CRASH)
        made.run(400)
    recovered.kubelet.fail(None)
    states = set()
    for _ in range(100):
        recovered.run(10)
        states.add(recovered.get(WEB)["status"]["state"])
    loops.run(1000)

    assert states == {"Degraded", "Ready"}
    assert loops.get(WEB)["status"]["state"] == "Failed"
