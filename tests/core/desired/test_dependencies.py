"""The first start waits for dependencies; what runs is never stopped by one."""

from typing import Any

import pytest

from app.core.watch import Watch
from metahook import Kind
from metahook.protocol.request_builder import Grouped
from tests.requests.builders import condition, finished, kinds, my_resource, reason, sync

Json = dict[str, Any]

BACKUPS = Watch(dependencies=(Kind("example.com/v1", "MyBackup", "mybackups"),))
NIGHTLY: Json = {"apiVersion": "example.com/v1", "resource": "mybackups", "name": "nightly"}
UNMET = "exists, but its condition Ready is not True"
READY: Json = {"type": "Ready", "status": "True"}


def waiting(*asked: Json, **more: Any) -> Json:
    return my_resource(dependencies=list(asked or [NIGHTLY]), **more)


def backup(*conditions: Any, name: str = "nightly", observed: Any = None, **metadata: Any) -> Grouped:
    item = {
        "metadata": {"name": name, "namespace": "default", "generation": 2, **metadata},
        "status": {"conditions": list(conditions), "observedGeneration": observed},
    }
    return {"MyBackup.example.com/v1": {f"default/{name}": item}}


NONE: Grouped = {"MyBackup.example.com/v1": {}}


def answered(related: Grouped, *children: Json, parent: Json | None = None, watch: Watch = BACKUPS) -> Json:
    return sync(parent or waiting(), *children, related=related, watch=watch)


@pytest.mark.parametrize(
    ("related", "why"),
    [
        pytest.param(NONE, "does not exist", id="missing"),
        pytest.param({}, "has not been observed yet", id="not asked for"),
        pytest.param(backup(), UNMET, id="no condition"),
        pytest.param(backup({**READY, "status": "False"}), UNMET, id="False"),
        pytest.param(backup({**READY, "status": "Unknown"}), UNMET, id="Unknown"),
        pytest.param(backup({**READY, "type": "Other"}), UNMET, id="another"),
        pytest.param(backup({**READY, "observedGeneration": 1}), UNMET, id="of old"),
        pytest.param(backup(READY, observed=1), UNMET, id="a status of old"),
        pytest.param(backup({**READY, "observedGeneration": 0}), UNMET, id="of none"),
        pytest.param(backup(READY, observed=0), UNMET, id="a status of none"),
        pytest.param(backup(READY, deletionTimestamp="2026-01-31T12:00:00Z"), "is being deleted", id="deleted"),
        pytest.param(backup(5, "x", None, {"type": "Ready"}), UNMET, id="odd conditions"),
    ],
)
def test_the_first_start_waits_and_says_for_what(related: Grouped, why: str) -> None:
    answer = answered(related)

    assert kinds(answer) == []
    assert reason(answer) == "WaitingForDependencies"
    assert condition(answer)["message"] == f"Waiting for dependencies: mybackups/nightly {why}."
    assert condition(answer, "Reconciling")["status"] == "True"
    assert answer["status"]["state"] == "Building"
    assert "resyncAfterSeconds" not in answer


@pytest.mark.parametrize("status", [None, 5, [], {}, {"conditions": None}, {"conditions": {"a": 1}}], ids=str)
def test_an_object_without_conditions_is_waited_for(status: Any) -> None:
    item = {"metadata": {"name": "nightly", "namespace": "default"}, "status": status}

    assert reason(answered({"MyBackup.example.com/v1": {"default/nightly": item}})) == "WaitingForDependencies"


@pytest.mark.parametrize("asked", ["Ready", "Exists"])
def test_an_object_that_cannot_be_read_is_waited_for(asked: str) -> None:
    item = {"metadata": {"name": "nightly", "namespace": "default", "labels": 5}}

    answer = answered(
        {"MyBackup.example.com/v1": {"default/nightly": item}}, parent=waiting({**NIGHTLY, "condition": asked})
    )

    assert reason(answer) == "WaitingForDependencies"
    assert "mybackups/nightly exists, but can't be read" in condition(answer)["message"]


def test_an_object_without_a_generation_is_always_as_its_status_says() -> None:
    assert reason(answered(backup({**READY, "observedGeneration": 0}, generation=None))) == "Building"


@pytest.mark.parametrize("observed", [2, None, "two", {}], ids=str)
def test_a_status_about_the_object_as_it_is_or_that_does_not_say_counts(observed: Any) -> None:
    assert reason(answered(backup(READY, observed=observed))) == "Building"
    assert reason(answered(backup({**READY, "observedGeneration": 2}, observed=1))) == "Building"


@pytest.mark.parametrize(
    "ready",
    [READY, {**READY, "observedGeneration": 2}, {**READY, "observedGeneration": None}, {**READY, "more": 1}],
    ids=str,
)
def test_it_starts_when_all_are_met(ready: Json) -> None:
    answer = answered(backup(ready))

    assert (kinds(answer), reason(answer)) == (["Deployment"], "Building")
    assert condition(answer, "DependenciesReady") | {"lastTransitionTime": ""} == {
        "type": "DependenciesReady",
        "status": "True",
        "reason": "DependenciesMet",
        "message": "All dependencies are met.",
        "observedGeneration": 1,
        "lastTransitionTime": "",
    }


def test_another_condition_can_be_asked_for() -> None:
    asked = waiting({**NIGHTLY, "condition": "Done"})

    assert reason(answered(backup(READY), parent=asked)) == "WaitingForDependencies"
    assert reason(answered(backup({"type": "Done", "status": "True"}), parent=asked)) == "Building"


def test_it_can_be_enough_that_the_object_is_there() -> None:
    asked = waiting({**NIGHTLY, "condition": "Exists"})

    assert reason(answered(backup(), parent=asked)) == "Building"
    assert reason(answered(NONE, parent=asked)) == "WaitingForDependencies"


def test_each_that_is_not_met_is_listed_in_the_order_of_the_spec() -> None:
    asked = waiting(NIGHTLY, {**NIGHTLY, "name": "weekly"}, {**NIGHTLY, "name": "a"})

    message = condition(answered(backup(READY, name="weekly"), parent=asked), "DependenciesReady")["message"]

    assert message == "mybackups/nightly does not exist; mybackups/a does not exist."


def test_a_service_does_not_wait() -> None:
    assert kinds(answered(NONE, parent=waiting(ports=[{"containerPort": 80}]))) == ["Service"]


def test_what_runs_is_not_stopped_when_a_dependency_is_lost() -> None:
    (made,) = finished(my_resource())

    answer = answered(NONE, made)

    assert (kinds(answer), reason(answer)) == (["Deployment"], "Available")
    assert condition(answer, "DependenciesReady")["status"] == "False"
    assert condition(answer, "DependenciesReady")["reason"] == "DependenciesNotMet"


def test_a_deleted_deployment_is_created_again_without_waiting() -> None:
    asked = waiting(status={"readyGeneration": 1})

    assert kinds(answered(NONE, parent=asked)) == ["Deployment"]


def test_a_group_that_was_not_asked_for_is_unknown() -> None:
    (made,) = finished(my_resource())

    found = condition(answered({}, made), "DependenciesReady")

    assert (found["status"], found["reason"]) == ("Unknown", "DependenciesNotYetSeen")


def test_a_kind_that_the_operator_does_not_watch_is_refused_by_a_condition() -> None:
    answer = answered(backup(READY), watch=Watch())

    assert (kinds(answer), reason(answer)) == ([], "DependencyNotFollowed")
    assert "mybackups/nightly is of a kind that the operator does not watch" in condition(answer)["message"]
    assert condition(answer, "Stalled")["status"] == "True"
    assert answer["status"]["state"] == "Failed"


def test_what_runs_goes_on_when_the_operator_no_longer_watches_a_kind() -> None:
    (made,) = finished(my_resource())

    assert reason(answered(backup(READY), made, watch=Watch())) == "Available"


def test_without_dependencies_there_is_no_condition_of_them() -> None:
    types = {each["type"] for each in sync(my_resource())["status"]["conditions"]}

    assert "DependenciesReady" not in types


def test_of_sixteen_long_names_those_are_said_that_fit() -> None:
    asked = waiting(*({**NIGHTLY, "name": f"{'x' * 240}{number}"} for number in range(16)))

    answer = answered(NONE, parent=asked)

    for message in (condition(answer)["message"], condition(answer, "DependenciesReady")["message"]):
        assert message.count(" does not exist; ") == 2
        assert message.endswith("; and others.")


def test_itself_is_refused() -> None:
    itself = {"apiVersion": "mygroup.example.com/v1alpha1", "resource": "myresources", "name": "web"}
    answer = answered({}, parent=waiting(itself))

    assert reason(answer) == "InvalidSpec"
    assert "dependencies must not name the MyResource itself" in condition(answer)["message"]


def test_a_missing_group_of_a_gone_generation_does_not_hold_the_deletion() -> None:
    assert reason(answered({}, parent=waiting(deleting=True))) == "Terminating"
