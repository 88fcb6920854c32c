"""Negative controls of the measures behind the verdicts: each detects what it must."""

import json
from pathlib import Path

import pytest

from metahook.simulator.objects import Json, key_of, with_metadata
from tests.e2e.audit import Audit, Done, deleted, drop_incomplete_line, stored
from tests.e2e.control_plane import METACONTROLLER
from tests.e2e.ends import comparable, moved, replaced
from tests.e2e.judged import judged
from tests.e2e.record import Record, Version
from tests.e2e.side_by_side import without_retry
from tests.e2e.truth import Written, backward, incoherent, moves, untrue, written
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


def test_a_status_after_its_rollout_is_true() -> None:
    record = recorded(PARENT, DEPLOYMENT, READY)

    assert untrue(record, statuses(record)) == []


def test_a_status_before_its_rollout_is_early() -> None:
    record = recorded(PARENT, {**DEPLOYMENT, "status": {}}, READY)

    assert [each.early for each in untrue(record, statuses(record))] == [True]


def test_a_status_for_an_older_generations_deployment_is_early() -> None:
    older = with_metadata(DEPLOYMENT, annotations={"mygroup.example.com/applied": "0-b848bea7"})
    record = recorded(PARENT, older, READY)

    assert [each.early for each in untrue(record, statuses(record))] == [True]


def test_a_status_after_its_rollout_was_undone_is_late() -> None:
    record = recorded(PARENT, DEPLOYMENT, {**DEPLOYMENT, "status": {}}, READY)

    assert [(each.early, each.seconds) for each in untrue(record, statuses(record))] == [(False, 10.0)]


def test_a_status_is_early_without_the_pods_that_its_deployment_counts() -> None:
    (found,) = judged(recorded(PARENT, DEPLOYMENT, READY), "default", []).violations

    assert "at most 0 of 1 Pods were available" in found


def at(second: int) -> Json:
    """Return READY with conditions since *second*, and with other messages."""
    since = {"lastTransitionTime": f"2026-01-31T12:00:{second:02}Z"}
    conditions = [{**item, **since} for item in READY["status"]["conditions"]]
    return {**READY, "status": {**READY["status"], "conditions": conditions, "image": f"nginx:{second}"}}


def test_a_time_that_moves_alone_is_found() -> None:
    found = moves(statuses(recorded(PARENT, at(0), at(7))))

    assert {(move.condition, move.seconds, move.after) for move in found} == {
        ("Ready", 7.0, 10.0),
        ("Available", 7.0, 10.0),
        ("Progressing", 7.0, 10.0),
    }


def test_a_time_that_is_earlier_than_the_one_before_is_found_with_and_without_its_status() -> None:
    lost = with_status(PARENT)
    alone, together = recorded(PARENT, at(7), at(0)), recorded(PARENT, at(7), lost, at(0))

    assert {(move.condition, move.seconds) for move in backward(statuses(alone))} == {
        ("Ready", 7.0),
        ("Available", 7.0),
        ("Progressing", 7.0),
    }
    assert backward(statuses(together)) != []
    assert backward(statuses(recorded(PARENT, at(0), at(7)))) == []


def test_a_time_that_moves_alone_long_after_it_was_set_is_told_from_others() -> None:
    again = {**at(0), "status": {**at(0)["status"], "image": "nginx:other"}}

    found = moves(statuses(recorded(PARENT, at(0), again, at(7))))

    assert {move.after for move in found} == {20.0}


@pytest.mark.parametrize(("status", "found"), [("False", set()), ("True", {"Available"})])
def test_a_time_that_moves_with_the_condition_of_the_deployment_is_left_out(status: str, found: set[str]) -> None:
    condition = {"type": "Available", "status": status, "lastTransitionTime": "2026-01-31T12:00:07Z"}
    flipped = {**DEPLOYMENT, "status": {**DEPLOYMENT["status"], "conditions": [condition]}}
    record = recorded(PARENT, DEPLOYMENT, at(0), flipped, at(7))

    assert {move.condition for move in moves(statuses(record), record)} == {"Ready", "Progressing"} | found


def test_parts_of_a_status_that_contradict_each_other_are_found() -> None:
    record = recorded(PARENT, with_status(PARENT, DEPLOYMENT, state="Building"))

    assert len(incoherent(statuses(record))) == 1


def logged(folder: Path, verb: str, version: str, code: int = 200, **annotations: str) -> Audit:
    """Return the audit of two equal requests of Metacontroller for a Deployment."""
    target = {"resource": "deployments", "apiGroup": "apps", "namespace": "here", "name": "web-deployment"}
    event = {
        "verb": verb,
        "user": {"username": METACONTROLLER},
        "objectRef": target,
        "requestURI": "/",
        "responseStatus": {"code": code},
        "responseObject": {"metadata": {"resourceVersion": version}},
        "annotations": annotations,
    }
    return audited(folder, event, event)


def audited(folder: Path, *events: Json) -> Audit:
    """Return the audit of *events*."""
    file = folder / "audit.log"
    file.write_text("")
    audit = Audit(file)
    assert audit.requests == []
    numbered = ({**event, "auditID": str(number)} for number, event in enumerate(events))
    file.write_text("".join(f"{json.dumps(event)}\n" for event in numbered))
    return audit


def test_a_request_that_changes_no_version_is_useless_and_no_write(tmp_path: Path) -> None:
    audit = logged(tmp_path, "patch", "7")
    done = Done(audit, "here")
    done.start = 0

    assert done.children == ["patch deployments web-deployment"]
    assert done.useless == ["patch deployments web-deployment"]


@pytest.mark.parametrize(("before", "changed"), [("6", False), ("7", True)], ids=["another's", "our own"])
def test_a_version_that_another_request_wrote_is_not_ours_though_we_are_logged_first(
    tmp_path: Path, before: str, *, changed: bool
) -> None:
    target = {"resource": "deployments", "apiGroup": "apps", "namespace": "here", "name": "web-deployment"}
    common = {
        "requestURI": "/",
        "responseStatus": {"code": 200},
        "responseObject": {"metadata": {"resourceVersion": "7"}},
    }
    ours = {"verb": "patch", "user": {"username": METACONTROLLER}, "objectRef": target, **common}
    sent = {"metadata": {"resourceVersion": before}}
    other = {"verb": "update", "user": {"username": "other"}, "objectRef": target, "requestObject": sent, **common}

    assert [request.changed for request in audited(tmp_path, ours, other).requests] == [changed]


def test_a_request_without_the_right_to_it_is_found(tmp_path: Path) -> None:
    audit = logged(tmp_path, "create", "7", 403, **{"authorization.k8s.io/decision": "forbid"})

    assert [request.forbidden for request in audit.requests] == [True, True]


def test_a_child_that_metacontroller_deletes_is_found(tmp_path: Path) -> None:
    assert deleted(logged(tmp_path, "patch", "7").requests) == []
    assert deleted(logged(tmp_path, "delete", "7").requests) == 2 * ["delete deployments web-deployment"]


def test_an_object_that_was_replaced_or_is_gone_is_found() -> None:
    kept, other = with_metadata(DEPLOYMENT, uid="1"), with_metadata(DEPLOYMENT, uid="2")
    gone = recorded(kept)
    gone.add(key_of(kept), Version(20.0, 2, deleted=True, item=kept))

    assert replaced(recorded(kept, with_metadata(kept, labels={})), "Deployment", "default") == []
    assert replaced(recorded(kept, other), "Deployment", "default") == ["web-deployment"]
    assert replaced(gone, "Deployment", "default") == ["web-deployment"]


def test_what_was_made_changed_or_removed_in_a_time_of_quiet_is_found() -> None:
    assert list(moved({"a": "1", "b": "2"}, {"a": "1", "b": "2"})) == []
    assert list(moved({"a": "1", "b": "2", "c": "3"}, {"a": "1", "b": "4", "d": "5"})) == ["b", "c", "d"]


def test_an_end_is_compared_without_what_chance_decides_and_with_all_else() -> None:
    def end(uid: str, namespace: str, replicas: int) -> Json:
        spec = {**DEPLOYMENT["spec"], "replicas": replicas}
        labels = {"controller-uid": uid}
        return comparable(
            "Deployment",
            {**with_metadata(DEPLOYMENT, namespace=namespace, labels=labels), "spec": spec},
            {uid: "web"},
        )

    assert end("12345678-1", "rough", 2) == end("87654321-2", "calm", 2)
    assert end("12345678-1", "rough", 2) != end("12345678-1", "rough", 3)


def test_what_was_stored_is_read_from_the_audit_log_and_the_watch_in_the_order_of_versions(tmp_path: Path) -> None:
    log = tmp_path / "audit.log"
    log.write_text(
        "".join(f"{json.dumps(stored_event(number, code))}\n" for number, code in ((4, 200), (2, 200), (5, 409)))
    )
    missed = Version(0.0, 3, deleted=False, item=with_metadata(DEPLOYMENT, resourceVersion="3"))
    watched = Record()
    watched.add(key_of(missed.item), missed)

    found = stored(log, watched).of("Deployment", "default", "web-deployment")

    assert [version.number for version in found] == [2, 3, 4]


def stored_event(number: int, code: int) -> Json:
    """Return the audit event of a request that returned this version of a Deployment."""
    return {
        "requestURI": "/",
        "responseStatus": {"code": code},
        "responseObject": with_metadata(DEPLOYMENT, resourceVersion=str(number)),
        "stageTimestamp": "2026-01-31T12:00:00.000000Z",
    }


def test_a_retry_at_the_beginning_of_a_step_is_not_compared() -> None:
    assert without_retry("Deployment", ["2: 1", "3: 1", "3: 3"], ["2: 2", "2: 1"]) == ["3: 1", "3: 3"]


@pytest.mark.parametrize(
    ("name", "entries"),
    [("Deployment", ["2: 1"]), ("Deployment", ["3: 1", "3: 3"]), ("end", ["2: 1", "3: 1"])],
    ids=["the step has no other call", "the step begins with its event", "the end"],
)
def test_all_else_of_a_step_is_compared(name: str, entries: list[str]) -> None:
    assert without_retry(name, entries, ["2: 1"]) == entries


@pytest.mark.parametrize("whole", ["", '{"auditID": "a"}\n', '{"auditID": "a"}\n{"auditID": "b"}\n'])
@pytest.mark.parametrize("torn", ["", '{"audit'])
def test_a_line_of_a_killed_server_is_dropped_and_whole_lines_stay(tmp_path: Path, whole: str, torn: str) -> None:
    log = tmp_path / "audit.log"
    log.write_text(whole + torn)

    drop_incomplete_line(log)

    assert log.read_text() == whole
