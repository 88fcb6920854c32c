"""The measures that the verdicts rest on can fail: each is shown what it must find."""

import json
from pathlib import Path

from app.simulator.objects import Json, key_of, with_metadata
from tests.build import finished, my_resource, sync
from tests.e2e.audit import Audit, Done
from tests.e2e.control_plane import METACONTROLLER
from tests.e2e.record import Record, Version
from tests.e2e.truth import Written, incoherent, lies, moves, written


def statuses(record: Record) -> list[Written]:
    return written(record, since=0)


def recorded(*items: Json) -> Record:
    """Return a record in which these were seen, one after the other."""
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


def test_a_status_after_its_rollout_is_no_lie() -> None:
    record = recorded(PARENT, DEPLOYMENT, READY)

    assert lies(record, statuses(record)) == ([], 0)


def test_a_status_before_its_rollout_is_a_lie() -> None:
    record = recorded(PARENT, {**DEPLOYMENT, "status": {}}, READY)

    assert len(lies(record, statuses(record))[0]) == 1


def test_a_status_for_an_older_generations_deployment_is_a_lie() -> None:
    older = with_metadata(DEPLOYMENT, annotations={"mygroup.example.com/applied": "0-b848bea7"})
    record = recorded(PARENT, older, READY)

    assert len(lies(record, statuses(record))[0]) == 1


def test_a_time_that_moves_alone_is_found() -> None:
    later = [{**item, "lastTransitionTime": "2026-01-31T12:00:07Z"} for item in READY["status"]["conditions"]]
    moved = {**READY, "status": {**READY["status"], "conditions": later}}

    found = moves(statuses(recorded(PARENT, READY, moved)))

    assert {(move.condition, move.seconds) for move in found} == {
        ("Ready", 7.0),
        ("Available", 7.0),
        ("Progressing", 7.0),
    }


def test_parts_of_a_status_that_contradict_each_other_are_found() -> None:
    record = recorded(PARENT, with_status(PARENT, DEPLOYMENT, state="Building"))

    assert len(incoherent(statuses(record))) == 1


def logged(folder: Path, verb: str, version: str, code: int = 200, **annotations: str) -> Audit:
    """Return the audit of two such requests of Metacontroller about one Deployment."""
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
    file = folder / "audit.log"
    file.write_text("")
    audit = Audit(file)
    assert audit.requests == []
    file.write_text(2 * f"{json.dumps(event)}\n")
    return audit


def test_a_request_that_changes_no_version_is_useless_and_no_write(tmp_path: Path) -> None:
    audit = logged(tmp_path, "patch", "7")
    done = Done(audit, "here")
    done.start = 0

    assert done.children == ["patch deployments web-deployment"]
    assert done.useless == ["patch deployments web-deployment"]


def test_a_request_without_the_right_to_it_is_found(tmp_path: Path) -> None:
    audit = logged(tmp_path, "create", "7", 403, **{"authorization.k8s.io/decision": "forbid"})

    assert [request.forbidden for request in audit.requests] == [True, True]
