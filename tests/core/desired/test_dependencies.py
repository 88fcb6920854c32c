"""The first start waits for dependencies; what runs is never stopped by one."""

from typing import Any

import pytest

from app.core.watch import Watch
from metahook import Kind
from metahook.protocol.request_builder import Grouped
from tests.requests.builders import Json, condition, finished, kinds, my_resource, reason, sync

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


def unlike(**fields: Any) -> Grouped:
    """Return the backup with other *fields*."""
    item = {"metadata": {"name": "nightly", "namespace": "default"}, **fields}
    return {"MyBackup.example.com/v1": {"default/nightly": item}}


ODD: list[Any] = [None, 5, [], {}, {"conditions": None}, {"conditions": {"a": 1}}]
KNOWN: list[Any] = [2, None, "two", {}]  # about the object as it is, or it does not say
UNREADABLE = unlike(metadata={"name": "nightly", "namespace": "default", "labels": 5})
BAD = "exists, but can't be read"
DONE, EXISTS = ({**NIGHTLY, "condition": kind} for kind in ("Done", "Exists"))


@pytest.mark.parametrize(
    ("asked", "related", "why"),
    [
        pytest.param(NIGHTLY, NONE, "does not exist", id="missing"),
        pytest.param(NIGHTLY, {}, "has not been observed yet", id="not asked for"),
        pytest.param(NIGHTLY, backup(), UNMET, id="no condition"),
        pytest.param(NIGHTLY, backup({**READY, "status": "False"}), UNMET, id="False"),
        pytest.param(NIGHTLY, backup({**READY, "status": "Unknown"}), UNMET, id="Unknown"),
        pytest.param(NIGHTLY, backup({**READY, "type": "Other"}), UNMET, id="another"),
        pytest.param(NIGHTLY, backup({**READY, "observedGeneration": 1}), UNMET, id="of old"),
        pytest.param(NIGHTLY, backup(READY, observed=1), UNMET, id="a status of old"),
        pytest.param(NIGHTLY, backup({**READY, "observedGeneration": 0}), UNMET, id="of none"),
        pytest.param(NIGHTLY, backup(READY, observed=0), UNMET, id="a status of none"),
        pytest.param(
            NIGHTLY, backup(READY, deletionTimestamp="2026-01-31T12:00:00Z"), "is being deleted", id="deleted"
        ),
        pytest.param(NIGHTLY, backup(5, "x", None, {"type": "Ready"}), UNMET, id="odd conditions"),
        *(pytest.param(NIGHTLY, unlike(status=status), UNMET, id=f"status {status}") for status in ODD),
        pytest.param(NIGHTLY, UNREADABLE, BAD, id="unreadable"),
        pytest.param(DONE, backup(READY), UNMET.replace("Ready", "Done"), id="another condition is asked for"),
        pytest.param(EXISTS, UNREADABLE, BAD, id="its existence is asked for, unreadable"),
        pytest.param(EXISTS, NONE, "does not exist", id="its existence is asked for, missing"),
    ],
)
def test_the_first_start_waits_and_says_for_what(asked: Json, related: Grouped, why: str) -> None:
    answer = answered(related, parent=waiting(asked))

    assert kinds(answer) == []
    assert reason(answer) == "WaitingForDependencies"
    assert condition(answer)["message"] == f"Waiting for dependencies: mybackups/nightly {why}."
    assert condition(answer, "Reconciling")["status"] == "True"
    assert answer["status"]["state"] == "Building"
    assert "resyncAfterSeconds" not in answer


@pytest.mark.parametrize(
    ("asked", "related"),
    [
        *(
            pytest.param(NIGHTLY, backup({**READY, **more}), id=f"with {more}")
            for more in ({}, {"observedGeneration": 2}, {"observedGeneration": None}, {"more": 1})
        ),
        *(pytest.param(NIGHTLY, backup(READY, observed=observed), id=f"a status of {observed}") for observed in KNOWN),
        pytest.param(
            NIGHTLY, backup({**READY, "observedGeneration": 2}, observed=1), id="a condition newer than its status"
        ),
        pytest.param(NIGHTLY, backup({**READY, "observedGeneration": 0}, generation=None), id="without a generation"),
        pytest.param(DONE, backup({"type": "Done", "status": "True"}), id="another condition"),
        pytest.param(EXISTS, backup(), id="its existence"),
    ],
)
def test_it_starts_when_all_are_met(asked: Json, related: Grouped) -> None:
    answer = answered(related, parent=waiting(asked))

    assert (kinds(answer), reason(answer)) == (["Deployment"], "Building")
    found = condition(answer, "DependenciesReady")
    assert (found["status"], found["reason"]) == ("True", "DependenciesMet")
    assert found["message"] == "All dependencies are met."


@pytest.mark.parametrize(
    ("related", "watch", "expected"),
    [
        pytest.param(NONE, BACKUPS, ("False", "DependenciesNotMet"), id="it is lost"),
        pytest.param({}, BACKUPS, ("Unknown", "DependenciesNotYetSeen"), id="it was not asked for"),
        pytest.param(backup(READY), Watch(), ("False", "DependenciesNotMet"), id="it is not watched any more"),
    ],
)
def test_what_runs_is_not_stopped(related: Grouped, watch: Watch, expected: tuple[str, str]) -> None:
    answer = answered(related, *finished(my_resource()), watch=watch)
    found = condition(answer, "DependenciesReady")

    assert (kinds(answer), reason(answer)) == (["Deployment"], "Available")
    assert (found["status"], found["reason"]) == expected
    assert kinds(answered(NONE, parent=waiting(status={"readyGeneration": 1}))) == ["Deployment"]  # it was deleted


def test_neither_a_service_nor_one_without_dependencies_nor_a_deletion_waits() -> None:
    types = {each["type"] for each in sync(my_resource())["status"]["conditions"]}

    assert "DependenciesReady" not in types
    assert kinds(answered(NONE, parent=waiting(ports=[{"containerPort": 80}]))) == ["Service"]
    assert reason(answered({}, parent=waiting(deleting=True))) == "Terminating"


def test_each_that_is_not_met_is_listed_in_the_order_of_the_spec() -> None:
    asked = waiting(NIGHTLY, {**NIGHTLY, "name": "weekly"}, {**NIGHTLY, "name": "a"})

    message = condition(answered(backup(READY, name="weekly"), parent=asked), "DependenciesReady")["message"]

    assert message == "mybackups/nightly does not exist; mybackups/a does not exist."


def test_a_kind_that_the_operator_does_not_watch_is_refused_by_a_condition() -> None:
    answer = answered(backup(READY), watch=Watch())

    assert (kinds(answer), reason(answer)) == ([], "DependencyNotFollowed")
    assert "mybackups/nightly is of a kind that the operator does not watch" in condition(answer)["message"]
    assert condition(answer, "Stalled")["status"] == "True"
    assert answer["status"]["state"] == "Failed"
