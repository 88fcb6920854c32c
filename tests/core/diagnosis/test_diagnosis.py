"""The diagnosis: which Pods count, which of their causes is said, and what it can't change."""

from itertools import permutations
from typing import Any

import pytest

from tests.requests.builders import Json, condition, my_resource, reason, sync
from tests.requests.pods import (
    HEALTHY,
    UNSCHEDULABLE,
    ago,
    answered,
    container,
    crashing,
    ended,
    pod,
    running,
    said,
    shown,
    unfinished,
    waiting,
)

LATE = {"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded"}
PROBE = {"httpGet": {"port": 80}}
IN_ORDER = [
    pod(container(state=waiting("ErrImagePull"))),
    pod(container(state=waiting("CreateContainerError"))),
    pod(crashing(137, "OOMKilled")),
    pod(crashing(1)),
    pod(crashing(127)),
    UNSCHEDULABLE,
    pod(container(state=running(3000))),
]


@pytest.mark.parametrize("worse", range(len(IN_ORDER) - 1))
def test_of_several_causes_the_same_one_is_said_whatever_the_order_of_pods(worse: int) -> None:
    for pods in permutations(IN_ORDER[worse : worse + 3]):
        assert said(*pods, readinessProbe=PROBE) == said(IN_ORDER[worse], readinessProbe=PROBE)


@pytest.mark.parametrize(
    ("status", "before", "state", "mark"),
    [
        pytest.param({}, None, "Building", "Reconciling", id="rolling out"),
        pytest.param({"conditions": [LATE]}, None, "Failed", "Stalled", id="too late"),
        pytest.param({}, {"readyGeneration": 1}, "Degraded", "Reconciling", id="it was ready"),
    ],
)
def test_a_cause_keeps_the_outlook_of_what_it_explains(
    status: Json, before: Json | None, state: str, mark: str
) -> None:
    parent = my_resource(status=before)
    answer = sync(parent, unfinished(parent, **status), related=shown(pod(crashing())))

    assert (answer["status"]["state"], reason(answer)) == (state, "CrashLooping")
    assert condition(answer, mark)["message"] == condition(answer)["message"]
    assert condition(answer)["status"] == "False"


REFUSED = {"conditions": [{"type": "ReplicaFailure", "status": "True"}]}
COMPLETE = {"availableReplicas": 1}
CRASHED, OLD_CRASHED = pod(crashing()), pod(crashing(), mark="old", made=ago(9000))


@pytest.mark.parametrize(
    ("pods", "status", "expected"),
    [
        pytest.param([CRASHED], {"observedGeneration": 0}, "RollingOut", id="not looked at yet"),
        pytest.param([CRASHED], {"updatedReplicas": 0}, "RollingOut", id="no new Pods yet"),
        pytest.param([CRASHED], {"updatedReplicas": -1}, "RollingOut", id="a count that can't be"),
        pytest.param([OLD_CRASHED, pod(HEALTHY)], {"updatedReplicas": 1}, "RollingOut", id="old Pods"),
        pytest.param([CRASHED], REFUSED, "CrashLooping", id="more than others that are refused"),
        pytest.param([pod(HEALTHY)], REFUSED, "ReplicaFailure", id="others are refused"),
        pytest.param([CRASHED], COMPLETE, "CrashLooping", id="unstable after a complete rollout"),
        *(
            pytest.param([pod(container(state=state))], COMPLETE, "Available", id=f"{name}, after a complete rollout")
            for name, state in (
                ("image", waiting("ErrImagePull")),
                ("a single crash", ended(1)),
                ("out of memory once", ended(137, "OOMKilled")),
                ("probe", running(900)),
            )
        ),
    ],
)
def test_pods_explain_what_they_are_the_reason_of(pods: list[Json], status: Json, expected: str) -> None:
    assert reason(answered(*pods, status=status, readinessProbe=PROBE)) == expected


@pytest.mark.parametrize(
    ("parent", "related", "expected"),
    [
        pytest.param(my_resource(generation=2), shown(CRASHED), "Building", id="the Deployment has an earlier spec"),
        pytest.param(my_resource(image=""), shown(CRASHED), "InvalidSpec", id="an invalid spec keeps what runs"),
        pytest.param(my_resource(), {}, "RollingOut", id="no group of Pods"),
    ],
)
def test_pods_say_nothing_of_another_spec_or_where_none_were_asked_for(
    parent: Json, related: Any, expected: str
) -> None:
    assert reason(sync(parent, unfinished(my_resource()), related=related)) == expected


def old(count: int, seconds: float = 9000, *, mark: str = "old") -> list[Json]:
    """Return Pods that are well, of an older ReplicaSet; the others are an hour old."""
    return [pod(HEALTHY, mark=mark, made=ago(seconds))] * count


def bad(count: int) -> list[Json]:
    """Return Pods of the newest ReplicaSet."""
    return [pod(crashing())] * count


@pytest.mark.parametrize(
    ("pods", "updated"),
    [
        pytest.param([*old(3), *bad(1)], 1, id="a rollout"),
        pytest.param([*old(2), *old(1, 5), *bad(1)], 1, id="an old one was replaced"),
        pytest.param([*old(3, 5), *bad(1)], 1, id="all old ones were replaced"),
        pytest.param([*old(1, 5), *bad(3)], 3, id="back to the ReplicaSet from before"),
        pytest.param([*old(2), *bad(2)], 2, id="as many old ones as new ones"),
        pytest.param([*old(3), *bad(1)], 2, id="one was just deleted"),
        pytest.param([*old(1, 9000, mark="older"), *old(3), *bad(3)], 2, id="one was just made"),
        pytest.param([*old(5, 3600), *bad(3)], 2, id="of the same second the one that is closest"),
        pytest.param([*old(3, 3600, mark="1"), *bad(3)], 3, id="two that are alike, always the same one"),
    ],
)
def test_only_pods_of_the_newest_replica_set_count(pods: list[Json], updated: int) -> None:
    for each in (pods, pods[::-1]):
        assert reason(answered(*each, status={"updatedReplicas": updated})) == "CrashLooping"


@pytest.mark.parametrize(
    ("images", "expected"),
    [
        pytest.param(("nginx:1.27", "nginx:bad"), "RollingOut", id="back to the image from before"),
        pytest.param(("nginx:old", "nginx:1.27"), "CrashLooping", id="on to another image"),
        pytest.param(("mirror/nginx:1.27", "mirror/nginx:bad"), "CrashLooping", id="all images were changed"),
        pytest.param(("nginx:1.27", "nginx:1.27"), "CrashLooping", id="another change"),
    ],
)
def test_of_as_many_pods_those_with_the_image_of_the_spec_count(images: tuple[str, str], expected: str) -> None:
    before = pod(HEALTHY, mark="old", made=ago(9000), image=images[0])

    assert reason(answered(before, pod(crashing(), image=images[1]), status={"updatedReplicas": 1})) == expected


@pytest.mark.parametrize(
    "gone",
    [
        pytest.param(pod(crashing(), deletionTimestamp=ago(1)), id="being deleted"),
        pytest.param(pod(status={"phase": "Failed", "containerStatuses": [crashing()]}), id="evicted"),
        pytest.param(pod(status={"phase": "Succeeded", "containerStatuses": [crashing()]}), id="done"),
        pytest.param(pod(crashing(), owner="other-deployment"), id="another Deployment's"),
        pytest.param(pod(crashing(), ownerReferences=None), id="without an owner"),
        pytest.param(pod(crashing(), labels={"myresource": "web"}), id="made by no Deployment"),
        pytest.param(pod(crashing(), namespace="other"), id="of another namespace"),
        pytest.param({**pod(crashing()), "status": {"containerStatuses": "many"}}, id="it can't be read"),
        pytest.param({**pod(crashing()), "status": None}, id="no status"),
    ],
)
def test_a_pod_that_is_not_the_deployments_does_not_count(gone: Json) -> None:
    assert reason(answered(gone)) == "RollingOut"
    assert reason(answered(gone, pod(crashing(), name="b"), status={"updatedReplicas": 1})) == "CrashLooping"


def test_a_missing_configmap_is_said_before_what_pods_say_of_it() -> None:
    env = [{"name": "A", "valueFrom": {"configMapKeyRef": {"name": "app", "key": "a"}}}]
    message = 'configmap "app" not found'
    seen = pod(container(state=waiting("CreateContainerConfigError", message)))
    parent = my_resource(env=env)
    related = {**shown(seen), "ConfigMap.v1": {}}

    assert reason(sync(parent, unfinished(parent), related=related)) == "ConfigNotFound"
    assert reason(sync(parent, unfinished(parent), related=shown(seen))) == "ContainerConfigError"
