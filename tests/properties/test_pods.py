"""What Pods can do to a status, whatever they say, and what their troubles cost."""

import json

import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st

from app.core.reasons import POD_REASONS
from metahook.simulator.controllers.kubelet import Failure
from metahook.simulator.metacontroller.settings import MODES, Mode
from tests.properties.oracle import status_problems
from tests.requests.builders import MYRESOURCE, Json, reason, sync
from tests.requests.pods import answered, said, shown
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


ANY = settings(max_examples=2000, phases=[Phase.generate], derandomize=True)
"""Looks for an example, the same each time, and not for the smallest one."""


@pytest.mark.parametrize("cause", [found.name for found in POD_REASONS])
def test_each_cause_is_among_what_is_generated(cause: str) -> None:
    assert find(pods, lambda found: said(*found, readinessProbe=PROBE)[0] == cause, settings=ANY)


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


MOST = 8
"""Status writes of an hour: first it is new, rolls out, has Pods, a cause; then the rollout is late."""

PROBED = {"replicas": 3, "readinessProbe": PROBE}
FAILING = {
    Failure.BAD_IMAGE: "ImagePullFailed",
    Failure.CRASH: "CrashLooping",
    Failure.OOM: "OOMKilled",
    Failure.CONFIG_ERROR: "ContainerConfigError",
    Failure.UNSCHEDULABLE: "Unschedulable",
    Failure.UNREADY: "ProbeFailing",
}
FLAPPING = {Failure.CRASH: "CrashLooping", Failure.OOM: "OOMKilled", Failure.EVICTED: "Evicted"}
"""Those with which Pods are ready again and again, if they have no readiness probe."""

SPECS: list[Json] = [{}, {"replicas": 3}, {"minReadySeconds": 30}, {"strategy": {"type": "Recreate"}}]
TROUBLES = [
    *((failure, expected, PROBED) for failure, expected in FAILING.items()),
    *((failure, expected, spec) for spec in short_or_whole(SPECS[:1], SPECS) for failure, expected in FLAPPING.items()),
]
PLAYED = [
    (*trouble, mode) for number, trouble in enumerate(TROUBLES) for mode in short_or_whole([MODES[number % 2]], MODES)
]
"""Each trouble in each mode; in short, in one of them by turns."""


@pytest.mark.slow
@pytest.mark.parametrize(("failure", "expected", "spec", "mode"), PLAYED, ids=str)
def test_an_hour_of_trouble_takes_few_status_writes_however_often_pods_change(
    failure: Failure, expected: str, spec: Json, mode: Mode
) -> None:
    made = world(mode, MYRESOURCE)
    made.apply(parent(**spec))
    is_probed = "readinessProbe" in spec
    if not is_probed:
        made.until_quiet()
    hour = Since(made)
    made.kubelet.fail(failure)
    made.run(short_or_whole(1500, 3600))
    writes, before = len(hour.writes), calls(made)
    rest = Since(made)
    made.run(short_or_whole(900, 1800))  # longer than a resync, a back-off and a deadline

    assert ready(made) == ("False", expected)
    assert writes <= MOST
    assert rest.writes == []
    assert not is_probed or calls(made) - before < 100


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
