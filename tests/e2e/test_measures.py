"""Negative controls of the measures behind the verdicts: each detects what it must."""

import json
import math
from pathlib import Path

import pytest

from metahook.simulator.objects import Json, key_of, with_metadata
from tests.e2e.audit import Audit, Done, deleted, stored
from tests.e2e.control_plane import METACONTROLLER
from tests.e2e.ends import comparable, replaced
from tests.e2e.record import Record, Version
from tests.e2e.side_by_side import without_retry
from tests.e2e.test_walk import judged
from tests.e2e.truth import Written, backward, incoherent, moves, times, untrue, written
from tests.requests.builders import finished, my_resource, sync


def statuses(record: Record) -> list[Written]:
    return written(record, since=0)


def recorded(*items: Json) -> Record:
    """Return a record of these successive versions."""
    record = Record()
    for number, item in enumerate(items, start=1):
        record.add(key_of(item), Version(float(number * 10), number, deleted=False, item=item))
    return record


def with_status(parent: Json, *children: Json, **changes: object) -> Json:
    status = sync(parent, *children)["status"]
    return {**parent, "status": {**status, "observedGeneration": 1, **changes}}


PARENT = my_resource()
(DEPLOYMENT,) = finished(PARENT)
READY = with_status(PARENT, DEPLOYMENT)
UNFINISHED = {**DEPLOYMENT, "status": {}}
OLDER = with_metadata(DEPLOYMENT, annotations={"mygroup.example.com/applied": "0-b848bea7"})


@pytest.mark.parametrize(
    ("deployments", "late"),
    [
        pytest.param([DEPLOYMENT], [], id="after its rollout it is true"),
        pytest.param([UNFINISHED], [math.inf], id="before its rollout"),
        pytest.param([OLDER], [math.inf], id="of an older generation"),
        pytest.param([DEPLOYMENT, UNFINISHED], [10.0], id="after its rollout was undone"),
    ],
)
def test_a_status_without_its_rollout_is_found(deployments: list[Json], late: list[float]) -> None:
    record = recorded(PARENT, *deployments, READY)

    assert [each.seconds for each in untrue(record, statuses(record))] == late


def test_a_status_is_early_without_the_pods_that_its_deployment_counts() -> None:
    (found,) = judged(recorded(PARENT, DEPLOYMENT, READY), "default", []).violations

    assert "at most 0 of 1 Pods were available" in found


def at(second: int, image: str = "", **changes: str) -> Json:
    """Return READY with conditions since *second* and with these *changes*, and with another image."""
    changed = {"lastTransitionTime": f"2026-01-31T12:00:{second:02}Z", **changes}
    conditions = [{**item, **changed} for item in READY["status"]["conditions"]]
    return {**READY, "status": {**READY["status"], "conditions": conditions, "image": image or f"nginx:{second}"}}


ALL = {"Ready", "Available", "Progressing"}


@pytest.mark.parametrize(("between", "after"), [([], 10.0), ([at(0, "nginx:other")], 20.0)], ids=["next", "later"])
def test_a_time_that_moves_alone_is_found_with_the_seconds_since_its_status_was_set(
    between: list[Json], after: float
) -> None:
    found = moves(statuses(recorded(PARENT, at(0), *between, at(7))))

    assert {(move.condition, move.after) for move in found} == {(name, after) for name in ALL}


@pytest.mark.parametrize(
    ("later", "found"),
    [
        pytest.param(at(8), set(), id="forward"),
        pytest.param(at(6), ALL, id="back by a second"),
        pytest.param(at(6, status="Unknown"), set(), id="back by a second with its status"),
        pytest.param(at(5, status="Unknown"), ALL, id="back by two with its status"),
    ],
)
def test_a_time_that_goes_back_is_found(later: Json, found: set[str]) -> None:
    record = recorded(PARENT, at(7), later)

    assert {move.condition for move in backward(statuses(record))} == found


def version(number: int, item: Json, second: int) -> Version:
    """Return a version of an object whose status was stored at *second*."""
    numbered = with_metadata(item, resourceVersion=str(number), creationTimestamp="2026-01-31T12:00:00Z")
    at = f"2026-01-31T12:00:{second:02}Z"
    return Version(float(number), number, deleted=False, item=numbered, status_stored_at=at)


@pytest.mark.parametrize(
    ("since", "is_outside"),
    [(5, True), (6, False), (7, False), (20, False), (21, True)],
    ids=["before the last one", "by another clock", "with it", "with the first one", "after it"],
)
def test_a_time_outside_the_statuses_with_the_old_value_and_the_new_one_is_found(
    since: int, *, is_outside: bool
) -> None:
    record = Record()
    items = [(at(5), 5), (at(5, "nginx:other"), 7), (at(since, status="Unknown"), 20)]
    for number, (item, second) in enumerate(items, start=1):
        record.add(key_of(item), version(number, item, second))

    found = times(record, since=0)

    assert (found.changes, len(found.violations)) == (len(ALL), len(ALL) if is_outside else 0)
    assert len(found.from_another_clock) == (len(ALL) if since == 6 else 0)


@pytest.mark.parametrize(("status", "found"), [("False", set()), ("True", {"Available"})])
def test_a_time_that_moves_with_the_condition_of_the_deployment_is_left_out(status: str, found: set[str]) -> None:
    condition = {"type": "Available", "status": status, "lastTransitionTime": "2026-01-31T12:00:07Z"}
    flipped = {**DEPLOYMENT, "status": {**DEPLOYMENT["status"], "conditions": [condition]}}
    record = recorded(PARENT, DEPLOYMENT, at(0), flipped, at(7))

    assert {move.condition for move in moves(statuses(record), record)} == {"Ready", "Progressing"} | found


def test_parts_of_a_status_that_contradict_each_other_are_found() -> None:
    record = recorded(PARENT, with_status(PARENT, DEPLOYMENT, state="Building"))

    assert len(incoherent(statuses(record))) == 1


def event(verb: str, user: str = METACONTROLLER, **more: object) -> Json:
    """Return the audit event of a request about a Deployment, which has version 7 then."""
    target = {"resource": "deployments", "apiGroup": "apps", "namespace": "here", "name": "web-deployment"}
    return {
        "verb": verb,
        "user": {"username": user},
        "objectRef": target,
        "requestURI": "/",
        "responseStatus": {"code": 200},
        "responseObject": {"metadata": {"resourceVersion": "7"}},
        **more,
    }


def audited(folder: Path, *events: Json) -> Audit:
    """Return the audit of *events*."""
    file = folder / "audit.log"
    numbered = ({**event, "auditID": str(number)} for number, event in enumerate(events))
    file.write_text("".join(f"{json.dumps(event)}\n" for event in numbered))
    return Audit(file)


def test_a_request_that_changes_no_version_is_useless_and_no_write(tmp_path: Path) -> None:
    done = Done(audited(tmp_path, event("patch"), event("patch")), "here")
    done.start = 0

    assert done.children == ["patch deployments web-deployment"]
    assert done.useless == ["patch deployments web-deployment"]


@pytest.mark.parametrize(("before", "changed"), [("6", False), ("7", True)], ids=["another's", "our own"])
def test_a_version_that_another_request_wrote_is_not_ours_though_we_are_logged_first(
    tmp_path: Path, before: str, *, changed: bool
) -> None:
    other = event("update", "other", requestObject={"metadata": {"resourceVersion": before}})

    assert [request.changed for request in audited(tmp_path, event("patch"), other).requests] == [changed]


def test_a_request_without_the_right_to_it_and_a_deletion_are_found(tmp_path: Path) -> None:
    forbidden = event("create", responseStatus={"code": 403}, annotations={"authorization.k8s.io/decision": "forbid"})
    requests = audited(tmp_path, forbidden, event("delete"), event("patch")).requests

    assert [request.forbidden for request in requests] == [True, False, False]
    assert deleted(requests) == ["delete deployments web-deployment"]


def test_an_object_that_was_replaced_or_is_gone_is_found() -> None:
    kept, other = with_metadata(DEPLOYMENT, uid="1"), with_metadata(DEPLOYMENT, uid="2")
    gone = recorded(kept)
    gone.add(key_of(kept), Version(20.0, 2, deleted=True, item=kept))

    assert replaced(recorded(kept, with_metadata(kept, labels={})), "Deployment", "default") == []
    assert replaced(recorded(kept, other), "Deployment", "default") == ["web-deployment"]
    assert replaced(gone, "Deployment", "default") == ["web-deployment"]


def test_an_end_is_compared_without_what_chance_decides_and_with_all_else() -> None:
    def end(uid: str, namespace: str, replicas: int) -> Json:
        placed = with_metadata(DEPLOYMENT, namespace=namespace, labels={"controller-uid": uid})
        return comparable("Deployment", {**placed, "spec": {**placed["spec"], "replicas": replicas}}, {uid: "web"})

    assert end("12345678-1", "rough", 2) == end("87654321-2", "calm", 2)
    assert end("12345678-1", "rough", 2) != end("12345678-1", "rough", 3)


def test_what_was_stored_is_read_from_the_audit_log_and_the_watch_in_the_order_of_versions(tmp_path: Path) -> None:
    def version(number: int) -> Json:
        return with_metadata(DEPLOYMENT, resourceVersion=str(number))

    for number, code in ((4, 200), (2, 200), (5, 409)):
        time = {"stageTimestamp": "2026-01-31T12:00:00.000000Z"}
        line = event("update", responseStatus={"code": code}, responseObject=version(number), **time)
        with (tmp_path / "audit.log").open("a") as log:
            log.write(f"{json.dumps(line)}\n")
    watched = Record()
    watched.add(key_of(DEPLOYMENT), Version(0.0, 3, deleted=False, item=version(3)))

    found = stored(tmp_path / "audit.log", watched).of("Deployment", "default", "web-deployment")

    assert [version.number for version in found] == [2, 3, 4]


@pytest.mark.parametrize(
    ("name", "entries", "compared"),
    [
        pytest.param("Deployment", ["2: 1", "3: 1"], ["3: 1"], id="a retry at the beginning"),
        pytest.param("Deployment", ["2: 1"], ["2: 1"], id="the step has no other call"),
        pytest.param("Deployment", ["3: 1", "3: 3"], ["3: 1", "3: 3"], id="the step begins with its event"),
        pytest.param("end", ["2: 1", "3: 1"], ["2: 1", "3: 1"], id="the end"),
    ],
)
def test_a_retry_at_the_beginning_of_a_step_is_not_compared(name: str, entries: list[str], compared: list[str]) -> None:
    assert without_retry(name, entries, ["2: 1"]) == compared
