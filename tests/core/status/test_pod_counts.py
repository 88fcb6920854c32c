"""The numbers of Pods in the status: what they count, and how often they are written."""

from datetime import datetime, timedelta
from typing import Any, NamedTuple

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.core.status import parent_status
from app.core.timers import format_time
from tests.requests.builders import NOW, Json, finished, my_resource, sync
from tests.requests.pods import HEALTHY, crashing, pod, shown, unfinished
from toolkit.slow import short_or_whole

SURGE, UNAVAILABLE = 2, 1
"""The most Pods that a rollout here starts and stops before others are ready."""


def numbers(status: Json) -> tuple[int | None, int | None]:
    """Return the numbers of ready and updated Pods."""
    return status.get("readyReplicas"), status.get("updatedReplicas")


def rest(status: Json) -> Json:
    """Return all else of the status, but for the time of the numbers."""
    return {
        name: value for name, value in status.items() if name not in ("readyReplicas", "updatedReplicas", "countedAt")
    }


def rolling(of: Json, now: datetime = NOW, **status: Any) -> Json:
    """Return the Deployment of a parent, whose rollout goes on *now*."""
    made = next(item for item in finished(of) if item["kind"] == "Deployment")
    progressing = {
        "type": "Progressing",
        "status": "True",
        "reason": "ReplicaSetUpdated",
        "lastUpdateTime": format_time(now),
    }
    conditions = [{"type": "Available", "status": "True"}, progressing]
    return {**made, "status": {**made["status"], "conditions": conditions, **status}}


def test_pods_that_keep_failing_are_not_ready() -> None:
    web = my_resource(replicas=2)
    deployment = unfinished(web, readyReplicas=2, updatedReplicas=2)

    answers = [sync(web, deployment, related=shown(*pods)) for pods in ([pod(HEALTHY)], [pod(crashing())])]

    assert [numbers(answer["status"])[0] for answer in answers] == [2, 0]


def _of_another_spec() -> dict[str, tuple[Json, Json]]:
    """Return parents whose Deployment has two Pods of which nobody knows whether they are of this spec."""
    web = my_resource(replicas=2)
    (deployment,) = finished(web)
    unseen = {**deployment, "metadata": {**deployment["metadata"], "generation": 2}}
    (newer,) = finished(my_resource(replicas=2, generation=2))
    return {
        "a changed spec": (my_resource(replicas=2, image="nginx:2", generation=2), deployment),
        "a changed Deployment": (web, unseen),
        "a newer Deployment": (web, newer),
        "a suspended one": (my_resource(replicas=2, suspend=True), deployment),
        "an invalid one": (my_resource(replicas=2, image=""), deployment),
    }


@pytest.mark.parametrize("case", _of_another_spec())
def test_pods_of_another_spec_are_never_shown_as_updated(case: str) -> None:
    web, deployment = _of_another_spec()[case]
    before = {"readyReplicas": 2, "updatedReplicas": 2, "countedAt": format_time(NOW)}

    for status in (None, before):
        answer = sync({**web, "status": {**sync(web, deployment)["status"], **(status or {})}}, deployment)
        assert numbers(answer["status"]) == (2, None)


def test_a_time_far_ahead_delays_nothing() -> None:
    web = my_resource(replicas=2)
    before = sync(web, rolling(web))["status"] | {"countedAt": format_time(NOW + timedelta(hours=1))}

    answer = sync({**web, "status": before}, rolling(web, readyReplicas=1))

    assert numbers(answer["status"])[0] == 1


@pytest.mark.parametrize(("desired", "written"), [(1, 0), (2, 1)])
def test_the_progress_of_a_single_pod_is_not_written_before_it_is_ready(desired: int, written: int) -> None:
    web = my_resource(replicas=desired)
    none, one = (rolling(web, replicas=desired + 1, updatedReplicas=updated) for updated in (0, 1))
    before = sync(web, none)["status"] | {"countedAt": format_time(NOW)}

    assert numbers(sync({**web, "status": before}, one)["status"]) == (desired, written)


class Written(NamedTuple):
    """A write of the status in which only the numbers changed, after how many seconds."""

    at: float
    numbers: tuple[int | None, int | None]


class Watched:
    """A rollout of *desired* Pods, step by step, and the statuses that it writes.

    A sync comes with each step, and when the last one asked for it.
    """

    def __init__(self, desired: int) -> None:
        self.desired = desired
        self.old, self.new, self.ready = desired, 0, 0
        self.now = NOW
        self.writes: list[Written] = []
        self.parent = self.stale_parent = my_resource(replicas=desired)
        self.resync: datetime | None = None
        self.sync()
        self.writes.clear()

    def sync(self) -> None:
        """Call the hook, and write its status."""
        answer = sync(self.parent, self.deployment(), now=self.now)
        before = self.parent.get("status", {})
        if answer["status"] != before and rest(answer["status"]) == rest(before):
            self.writes.append(Written((self.now - NOW).total_seconds(), numbers(answer["status"])))
        if answer["status"] != before:
            self.stale_parent = self.parent
        self.parent = {**self.parent, "status": answer["status"]}
        seconds = answer.get("resyncAfterSeconds")
        self.resync = self.now + timedelta(seconds=seconds) if seconds else None

    def deployment(self) -> Json:
        """Return the Deployment as it is now."""
        existing, available = self.old + self.new, self.old + self.ready
        counts = {
            "replicas": existing,
            "updatedReplicas": self.new,
            "readyReplicas": available,
            "availableReplicas": available,
        }
        return rolling(self.parent, self.now, **counts)

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        end = self.now + timedelta(seconds=seconds)
        while self.resync and self.resync <= end:
            self.now = self.resync
            self.sync()
        self.now = end

    def step(self, name: str) -> bool:
        """Take a step, if the Deployment controller could; tell whether a Pod became available."""
        available, existing = self.old + self.ready, self.old + self.new
        can_create = self.new < self.desired and existing < self.desired + SURGE
        if name == "create" and can_create:
            self.new += 1
        elif name == "stop" and self.old and available > self.desired - UNAVAILABLE:
            self.old -= 1
        elif name == "ready" and self.ready < self.new:
            self.ready += 1
        elif name == "lose" and self.ready:
            self.ready -= 1
        else:
            return False
        self.sync()
        return name == "ready"


Steps = list[tuple[str, float]]


def steps(*names: str) -> st.SearchStrategy[Steps]:
    """Return steps, each with the seconds until the next one."""
    wait = st.sampled_from([0.0, 0.4, 3.0, 9.7, 25.0, 70.0])
    return st.lists(st.tuples(st.sampled_from(names), wait), max_size=60)


def check(desired: int, taken: Steps) -> None:
    """Fail if the numbers are written too often in these steps, or not at their end."""
    rollout = Watched(desired)
    became_available = 0
    for name, seconds in taken:
        became_available += rollout.step(name)
        rollout.wait(seconds)
    rollout.wait(90)

    gaps = [later.at - earlier.at for earlier, later in zip(rollout.writes, rollout.writes[1:], strict=False)]
    at_rest = sum(gap >= 60 for gap in gaps)
    if not any(name == "lose" for name, _ in taken):
        assert len(rollout.writes) <= became_available + SURGE + UNAVAILABLE + at_rest, "status writes of a rollout"
    if desired > 10:
        assert [gap for gap in gaps if gap < 10] == [], "seconds between two status writes for more than ten Pods"
    assert numbers(rollout.parent["status"]) == (min(desired, rollout.old + rollout.ready), rollout.new)
    assert rollout.parent["status"]["replicas"] == min(desired, rollout.old + rollout.new)


ONE_BY_ONE: Steps = [("create", 0.4), ("ready", 0.4), ("stop", 0.4)] * 5
ROLLING: Steps = [("create", 0.4), ("stop", 0.4), *[("create", 5), ("ready", 0.4), ("stop", 0.4)] * 5]
LOST_LAST: Steps = [*ROLLING, ("lose", 0.4), ("lose", 0.4)]


@pytest.mark.slow
@settings(max_examples=short_or_whole(40, 400), deadline=None)
@given(
    st.sampled_from([1, 3, 5, 10, 11, 20]), steps("create", "ready", "stop") | steps("create", "ready", "stop", "lose")
)
@example(5, ONE_BY_ONE)
@example(11, ROLLING)
@example(5, LOST_LAST)
def test_each_pod_of_a_rollout_takes_at_most_one_write_and_the_last_numbers_are_written(
    desired: int, taken: Steps
) -> None:
    check(desired, taken)


@pytest.mark.parametrize("desired", [5, 11])
def test_a_request_that_lacks_the_last_status_does_not_take_numbers_back(desired: int) -> None:
    rollout = Watched(desired)
    for name, seconds in ROLLING * 2:
        rollout.step(name)
        stale = sync(rollout.stale_parent, rollout.deployment(), now=rollout.now)
        assert stale["status"]["updatedReplicas"] >= rollout.parent["status"]["updatedReplicas"]
        rollout.wait(seconds)

    assert len(rollout.writes) > 2


def test_a_mistake_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parent_status, "_due", lambda *_: None)

    with pytest.raises(AssertionError):
        check(5, ROLLING)
