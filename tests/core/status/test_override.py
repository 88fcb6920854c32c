"""Overrides: changes of a child that come back are reverted three times, then named, and reverted every ten minutes."""

from datetime import timedelta
from typing import Any

import pytest

from app.core.status.override import CALM, REPEATED, WINDOW
from metahook.simulator.findings import findings
from metahook.simulator.metacontroller.settings import Mode
from tests.requests.builders import NOW, child, condition, finished, my_resource, reason, rolled_out, sync
from tests.simulated.worlds import DEPLOYMENT, both_modes, ready, settled

Json = dict[str, Any]

PORTS = [{"containerPort": 80}]


class Life:
    """A MyResource whose status is fed back; its children are as they were desired, unless a step changes them."""

    def __init__(self, **spec: Any) -> None:
        self.parent = my_resource(**spec)
        self.whole = finished(self.parent)
        self.at = 0.0
        self.generation = 1
        self.parent["status"] = sync(self.parent, *self.whole)["status"]

    def step(self, after: float, *children: Json) -> Json:
        """Return the response *after* seconds with the *children*, by default the desired ones."""
        self.at += after
        answer = sync(self.parent, *(children or self.whole), now=NOW + timedelta(seconds=self.at))
        self.parent["status"] = answer["status"]
        return answer

    def changed(self, path: str = "replicas", value: Any = 7, manager: str = "scaler") -> list[Json]:
        """Return the children once *manager* has set the field *path* of the Deployment's spec."""
        self.generation += 2  # the last change was reverted
        deployment, *others = self.whole
        entry = {"manager": manager, "operation": "Update", "fieldsV1": {"f:spec": {f"f:{path}": {}}}}
        metadata = {**deployment["metadata"], "generation": self.generation, "managedFields": [entry]}
        item = rolled_out({**deployment, "metadata": metadata, "spec": {**deployment["spec"], path: value}})
        return [item, *others]

    def repeat(self) -> Json:
        """Change and revert the replicas until that is repeated; return the last response."""
        return [self.step(1) for _ in range(REPEATED) if self.step(5, *self.changed())][-1]


def override(answer: Json) -> Json:
    found: Json = answer["status"]["override"]
    return found


def replicas(answer: Json) -> int | None:
    """Return the desired replicas; None if they are left to the other manager, as under server-side apply."""
    found: int | None = child(answer, "Deployment")["spec"].get("replicas")
    return found


def test_a_change_that_comes_back_is_reverted_three_times_then_named_with_manager_and_remedy() -> None:
    life = Life(replicas=1)

    answers = [life.step(5, *life.changed()) for _ in range(4) if life.step(1)]

    assert [reason(answer) for answer in answers] == ["Building", "Building", "Overridden", "Overridden"]
    assert [replicas(answer) for answer in answers] == [1, 1, 1, None]
    assert [override(answer)["count"] for answer in answers] == [1, 2, 3, 3]
    assert override(answers[2]) == override(answers[3])
    assert condition(answers[3], "Stalled")["message"] == (
        "Field manager scaler keeps overwriting a field of Deployment web-deployment, so this spec is not in effect. "
        "If it is an autoscaler, set its scaleTargetRef to kind MyResource, name web, apiVersion "
        "mygroup.example.com/v1alpha1; otherwise scale this MyResource instead of the Deployment: spec.replicas"
    )


def test_it_is_reverted_once_more_after_ten_minutes_and_ready_after_a_minute_of_calm() -> None:
    life = Life()
    life.repeat()
    there = life.changed()

    left = life.step(5, *there)
    assert left["resyncAfterSeconds"] == WINDOW - 6
    early = life.step(WINDOW - 7, *there)
    again = life.step(1, *there)
    late = life.step(5, *there)  # the write may not have been seen yet
    calm = life.step(1)

    assert [replicas(each) for each in (left, early, again, late)] == [None, None, 1, 1]
    assert {reason(each) for each in (left, early, again, late, calm)} == {"Overridden"}
    assert override(again)["count"] == REPEATED
    assert calm["resyncAfterSeconds"] == CALM - 6
    assert reason(life.step(CALM - 7)) == "Overridden"
    assert reason(life.step(1)) == "Available"


def test_at_rest_and_while_it_is_left_nothing_changes() -> None:
    life = Life()
    reverted = life.repeat()
    there = life.changed()
    left = life.step(5, *there)

    assert life.step(100, *there)["status"] == left["status"]
    assert life.step(WINDOW)["status"]["override"] == override(reverted)  # to remove it would cost a write
    assert "resyncAfterSeconds" not in life.step(WINDOW)


def test_a_change_now_and_then_is_reverted_each_time() -> None:
    life = Life()

    answers = [life.step(WINDOW, *life.changed()) for _ in range(5) if life.step(1)]

    assert {replicas(answer) for answer in answers} == {1}
    assert {override(answer)["count"] for answer in answers} == {1}


def test_changes_of_several_fields_by_several_managers_count_together() -> None:
    changes = [
        ("replicas", 7, "scaler"),
        ("paused", True, "other"),
        ("minReadySeconds", 5, "third"),
        ("replicas", 8, "b"),
    ]
    life = Life(minReadySeconds=3)

    answers = [life.step(5, *life.changed(*each)) for each in changes if life.step(1)]

    assert [reason(answer) for answer in answers] == ["Building", "Available", "Building", "Overridden"]
    assert override(answers[-1])["manager"] == "b"


def test_what_the_spec_uses_is_not_overridden_by_its_change() -> None:
    """A ConfigMap that changes makes Metacontroller's own value differ."""
    life = Life()

    answers = [life.step(5, *life.changed(manager="metacontroller")) for _ in range(5)]

    assert {replicas(answer) for answer in answers} == {1}
    assert all("override" not in answer["status"] for answer in answers)


def test_a_new_generation_is_applied_whole_and_begins_anew() -> None:
    life = Life()
    life.repeat()
    there = life.changed()
    assert replicas(life.step(1, *there)) is None

    life.parent = {**my_resource(generation=2, replicas=2), "status": life.parent["status"]}
    answer = life.step(1, *there)

    assert (reason(answer), replicas(answer)) == ("Building", 2)
    assert "override" not in answer["status"]


def test_a_child_that_is_deleted_again_and_again_is_named_but_always_desired() -> None:
    life = Life(ports=PORTS)
    (_, service) = life.whole

    answers = [life.step(5, service) for _ in range(4) if life.step(1)]

    assert [reason(answer) for answer in answers] == ["Building", "Building", "Overridden", "Overridden"]
    assert {len(answer["children"]) for answer in answers} == {2}
    assert condition(answers[-1])["message"].startswith(
        "Another user or controller keeps deleting or changing Deployment"
    )


def test_a_child_that_can_not_be_created_again_is_not_applied() -> None:
    life = Life(ports=PORTS)
    (_, service) = life.whole
    gone = [life.step(5, service) for _ in range(REPEATED) if life.step(1)]

    assert reason(gone[-1]) == reason(life.step(CALM - 1, service)) == "Overridden"
    assert reason(life.step(1, service)) == "NotApplied"


def test_a_time_in_the_future_is_now() -> None:
    life = Life()
    life.repeat()
    life.parent["status"]["override"]["revertedAt"] = "2027-01-01T00:00:00Z"

    assert override(life.step(CALM)) | {"revertedAt": ""} == override(life.step(0)) | {"revertedAt": ""}
    assert reason(life.step(CALM)) == "Available"


@pytest.mark.parametrize("stored", [5, {}, {"what": "x", "count": 3, "revertedAt": "soon"}], ids=str)
def test_a_record_that_is_none_is_ignored(stored: Any) -> None:
    life = Life()
    life.parent["status"]["override"] = stored

    assert (reason(life.step(1)), life.parent["status"].get("override")) == ("Available", None)


# In a cluster


@both_modes
def test_an_autoscaler_is_left_alone_until_it_stops(mode: Mode) -> None:
    made = settled(mode)
    made.autoscaler.start()
    made.run(60)
    there, started = made.get(DEPLOYMENT), made.clock.now
    assert ready(made)[1] == "Overridden"
    assert there["spec"]["replicas"] == 3

    made.run(WINDOW - 61)
    writes = [write for write in made.history.writes() if write.changed and write.at > started]
    assert writes == []

    made.run(120)
    assert ready(made)[1] == "Overridden"
    made.autoscaler.stop()
    made.run(WINDOW + CALM)

    assert ready(made)[1] == "Available"
    assert findings(made.history) == []
    assert made.get(DEPLOYMENT)["spec"]["replicas"] == 1
