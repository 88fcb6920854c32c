"""Overrides: changes of a child that come back are reverted three times, then named, and reverted every ten minutes."""

from datetime import timedelta
from typing import Any

import pytest

from app.core.child_metadata import REVERTED
from app.core.override import CALM, WINDOW
from app.core.previous_status import REPEATED
from app.core.timers import format_time
from metahook import LAST_APPLIED
from tests.requests.builders import NOW, Json, child, condition, finished, my_resource, reason, rolled_out, sync

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


@pytest.mark.parametrize("seconds", [5, WINDOW // 2])
def test_a_change_that_comes_back_is_reverted_three_times_then_named_with_manager_and_remedy(seconds: int) -> None:
    life = Life(replicas=1)

    answers = [life.step(seconds, *life.changed()) for _ in range(4) if life.step(1)]

    assert [reason(answer) for answer in answers] == ["Building", "Building", "Overridden", "Overridden"]
    assert [replicas(answer) for answer in answers] == [1, 1, 1, None]
    assert [override(answer)["count"] for answer in answers] == [1, 2, 3, 3]
    assert override(answers[2]) == override(answers[3])
    assert condition(answers[3], "Stalled")["message"] == (
        "Field manager scaler has changed a field of Deployment web-deployment, and the operator now reverts such "
        "changes only once every ten minutes. If it is an autoscaler, replace it by spec.autoscaling, or set its "
        "scaleTargetRef to kind MyResource, name web, apiVersion mygroup.example.com/v1alpha1; otherwise scale this "
        "MyResource instead of the Deployment: spec.replicas"
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


def test_a_conflict_is_bounded_though_an_earlier_field_differs_for_good() -> None:
    """As after an admission policy that replaces what Metacontroller applies."""
    life = Life(minReadySeconds=3, replicas=1)
    replaced = {"manager": "metacontroller", "operation": "Update", "fieldsV1": {"f:spec": {"f:replicas": {}}}}

    def with_policy(deployment: Json) -> Json:
        fields = [*deployment["metadata"].get("managedFields", []), replaced]
        metadata = {**deployment["metadata"], "managedFields": fields}
        return {**deployment, "metadata": metadata, "spec": {**deployment["spec"], "replicas": 2}}

    answers = []
    for _ in range(REPEATED + 1):
        answers.append(life.step(5, with_policy(life.changed("minReadySeconds", 5)[0])))
        life.step(1, with_policy(life.whole[0]))

    left = [child(answer, "Deployment")["spec"].get("minReadySeconds") for answer in answers]
    assert [override(answer)["count"] for answer in answers] == [1, 2, 3, 3]
    assert left == [3, 3, 3, None]


def test_leftover_fields_of_another_child_are_named_first_and_the_change_counts() -> None:
    life = Life(ports=PORTS)
    deployment, service = life.changed()
    entry = {"manager": "metacontroller", "operation": "Apply", "fieldsV1": {"f:spec": {"f:loadBalancerClass": {}}}}
    service["metadata"] |= {"managedFields": [entry]}
    service["metadata"]["annotations"] |= {LAST_APPLIED: "{}"}
    service["spec"]["loadBalancerClass"] = "x"

    answer = life.step(5, deployment, service)

    assert "leftover fields" in answer["status"]["waiting"]["what"]
    assert override(answer)["count"] == 1


def test_changes_of_two_children_at_once_are_one_and_one_that_stays_is_counted_once() -> None:
    life = Life(ports=PORTS)
    scaled, service = life.changed()
    edit = {"manager": "kubectl-edit", "operation": "Update", "fieldsV1": {"f:spec": {"f:type": {}}}}
    metadata = {**service["metadata"], "resourceVersion": "9", "managedFields": [edit]}
    edited = {**service, "metadata": metadata, "spec": {**service["spec"], "type": "NodePort"}}

    answers = [life.step(1, scaled, edited), life.step(1, life.whole[0], edited), life.step(1, life.whole[0], edited)]

    assert [override(answer)["count"] for answer in answers] == [1, 1, 1]
    assert override(life.step(1, life.changed()[0], edited))["count"] == 2


def test_one_change_while_the_children_are_left_is_named_but_is_not_the_one_that_was_reverted() -> None:
    life = Life(minReadySeconds=3)
    reverted = override(life.repeat())
    assert reason(life.step(CALM)) == "Available"

    edited = life.step(200, *life.changed("minReadySeconds", 5, "kubectl-edit"))

    assert override(edited) == reverted
    assert condition(edited)["message"] == (
        "Field manager kubectl-edit has changed a field of Deployment web-deployment, and the operator now reverts "
        "such changes only once every ten minutes. Set the same value in this spec, or stop it from changing the "
        "field: spec.minReadySeconds"
    )


def test_in_the_calm_minute_a_value_of_the_hook_itself_is_not_blamed() -> None:
    life = Life(minReadySeconds=3)
    life.repeat()

    own = life.step(5, *life.changed("minReadySeconds", 2, "metacontroller"))

    assert reason(own) == "Overridden"
    assert condition(own)["message"].startswith("Field manager scaler has changed")
    assert condition(own)["message"].endswith(": spec.replicas")


def test_a_new_generation_is_applied_whole_and_begins_anew() -> None:
    life = Life()
    life.repeat()
    there = life.changed()
    assert replicas(life.step(1, *there)) is None

    life.parent = {**my_resource(generation=2, replicas=2), "status": life.parent["status"]}
    answer = life.step(1, *there)

    assert (reason(answer), replicas(answer)) == ("Building", 2)
    assert "override" not in answer["status"]


class OldStatus(Life):
    """A MyResource of which each request lacks all statuses since the first one; the hook has another *clock*."""

    def __init__(self, clock: timedelta = timedelta(), **spec: Any) -> None:
        super().__init__(**spec)
        self.clock = clock

    def scaled(self, at: float) -> Json:
        """Return the response after another change of the replicas at this time; it is applied."""
        (deployment,) = self.changed()
        (entry,) = deployment["metadata"]["managedFields"]
        entry["time"] = format_time(NOW + timedelta(seconds=at))
        now = NOW + timedelta(seconds=at + 1) + self.clock
        answer = sync(self.parent, deployment, now=now)
        assert answer == sync(self.parent, deployment, now=now + timedelta(seconds=1)) | waits(answer)
        if REVERTED in (annotations := child(answer, "Deployment")["metadata"]["annotations"]):
            self.whole[0]["metadata"]["annotations"] = annotations
        return answer


def waits(answer: Json) -> Json:
    """Return the parts of *answer* that depend on the time of the sync."""
    return {key: answer[key] for key in ("status", "resyncAfterSeconds") if key in answer}


def test_changes_are_counted_on_the_child_whatever_the_status_says() -> None:
    life = OldStatus(replicas=1)

    answers = [life.scaled(at) for at in (10, 20, 30, 40, 620, 631, 640, 1230)]

    assert [replicas(answer) for answer in answers] == [1, 1, 1, None, None, 1, None, 1]
    assert [reason(answer) for answer in answers] == ["Building", "Building", *["Overridden"] * 6]
    records = [child(answer, "Deployment")["metadata"]["annotations"][REVERTED] for answer in answers]
    assert records[0].startswith("1/3/2026-01-31T12:00:10Z")
    assert [record[0] for record in records] == ["1", "2", *["3"] * 6]
    assert records[2] == records[3] == records[4] != records[5] == records[6] != records[7]


@pytest.mark.parametrize(
    ("seconds", "expected"), [(0, [1, 1, 1, 1]), (10, [1, 2, 3, 3])], ids=["its revert is not observed", "a fight"]
)
def test_each_edit_of_a_service_counts_once(seconds: int, expected: list[int]) -> None:
    """It has no generation, and its own controller, which writes its status, gives it other versions as well."""
    parent = my_resource(ports=PORTS)
    deployment, service = finished(parent)
    service["spec"]["type"] = "NodePort"
    edit = {"manager": "kubectl-edit", "operation": "Update", "fieldsV1": {"f:spec": {"f:type": {}}}}

    counts = []
    for number in range(4):
        time = NOW + timedelta(seconds=seconds * number)
        entries = [{**edit, "time": format_time(time)}]
        service["metadata"] |= {"managedFields": entries, "resourceVersion": f"{7 + number}"}
        answer = sync(parent, deployment, service, now=time + timedelta(seconds=1))
        parent["status"] = answer["status"]
        counts.append(override(answer)["count"])

    assert counts == expected


@pytest.mark.parametrize("minutes", [-20, 20])
def test_changes_are_counted_though_the_clock_of_the_hook_differs(minutes: int) -> None:
    life = OldStatus(replicas=1, clock=timedelta(minutes=minutes))

    answers = [life.scaled(at) for at in (10, 20, 30)]

    records = [child(answer, "Deployment")["metadata"]["annotations"][REVERTED][0] for answer in answers]
    assert records == ["1", "2", "3"]


def test_what_was_reverted_stays_on_the_child_until_the_next_generation() -> None:
    life = OldStatus(replicas=1)
    life.scaled(10)
    (deployment,) = life.whole

    at_rest, later = (sync(parent, deployment) for parent in (life.parent, my_resource(generation=2)))

    assert child(at_rest, "Deployment")["metadata"]["annotations"] == deployment["metadata"]["annotations"]
    assert REVERTED not in child(later, "Deployment")["metadata"]["annotations"]


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


@pytest.mark.parametrize("text", ["", "3", "3/5/now", "0/5/2026-01-31T12:00:00Z", "3/5/2027-01-31T12:00:00Z"])
def test_a_record_of_a_child_that_is_none_is_ignored(text: str) -> None:
    life = Life()
    life.whole[0]["metadata"]["annotations"] |= {REVERTED: text}

    assert reason(life.step(1)) == "Available"
