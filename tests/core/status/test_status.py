from datetime import timedelta, timezone
from typing import Any

import pytest

from app.core.desired.children import CHILDREN
from app.core.desired.desired_state import DesiredState
from app.core.diagnosis.pod_diagnosis import Diagnosis
from app.core.status.facts.facts import Facts
from app.core.status.facts.previous_status import PreviousStatus
from app.core.status.parent_status import parent_status
from app.core.status.readiness import decide
from metahook import SyncRequest
from metahook.protocol.request_builder import sync_request
from tests.requests.builders import (
    EARLIER_TEXT,
    NOW,
    NOW_TEXT,
    condition,
    finished,
    grouped,
    my_resource,
    reason,
    sent_again,
    sync,
)

Json = dict[str, Any]

MOUNTED: Json = {
    "volumes": [{"name": "data", "emptyDir": {}}],
    "volumeMounts": [{"name": "data", "mountPath": f"/{'a' * 1000}"}],
}


def follow(parent: Json, *children: Json, after: float = 0) -> Json:
    """Return the answer *after* seconds, when the status of the first answer was written."""
    first = sync(parent, *children)
    return sync({**parent, "status": first["status"]}, *children, now=NOW + timedelta(seconds=after))


def test_the_status_says_all_that_is_seen() -> None:
    parent = my_resource(replicas=3)

    assert sync(parent, *finished(parent))["status"] == {
        "state": "Ready",
        "conditions": [
            {
                "type": "Ready",
                "status": "True",
                "reason": "Available",
                "message": "All Pods are updated and available.",
                "observedGeneration": 1,
                "lastTransitionTime": NOW_TEXT,
            },
            {
                "type": "Available",
                "status": "True",
                "reason": "MinimumReplicasAvailable",
                "message": "Enough Pods are available.",
                "observedGeneration": 1,
                "lastTransitionTime": NOW_TEXT,
            },
            {
                "type": "Progressing",
                "status": "True",
                "reason": "RolledOut",
                "message": "The last rollout is complete.",
                "observedGeneration": 1,
                "lastTransitionTime": EARLIER_TEXT,
            },
        ],
        "replicas": 3,
        "readyReplicas": 3,
        "updatedReplicas": 3,
        "selector": "myresource=web",
        "image": "nginx:1.27",
        "readyGeneration": 1,
    }


def test_a_status_that_is_fed_back_stays_the_same_however_late() -> None:
    parent = my_resource()
    children = finished(parent)

    assert follow(parent, *children, after=5000)["status"] == sync(parent, *children)["status"]


def test_a_transition_time_moves_when_the_condition_does() -> None:
    parent = my_resource()
    before = sync(parent)["status"]

    answer = sync({**parent, "status": before}, *finished(parent), now=NOW + timedelta(seconds=7))

    assert condition(answer)["lastTransitionTime"] == "2026-01-31T12:00:07Z"
    assert condition(answer, "Available")["lastTransitionTime"] == "2026-01-31T12:00:07Z"


@pytest.mark.parametrize(
    "time",
    ["yesterday", "2026-01-31", "2026-01-31T12:00:00", "2026-99-31T12:00:00Z", "20260131T120000Z", ""],
)
def test_a_transition_time_that_is_no_time_is_made_anew(time: str) -> None:
    parent = my_resource()
    before = sync(parent)["status"]
    before["conditions"][0]["lastTransitionTime"] = time

    answer = sync({**parent, "status": before})

    assert condition(answer)["lastTransitionTime"] == NOW_TEXT


@pytest.mark.parametrize(
    "status",
    [
        pytest.param("Ready", id="a word"),
        pytest.param({"conditions": "all fine", "state": 5}, id="wrong types"),
        pytest.param({"conditions": [5, None, {"type": "Ready"}, {"status": "True"}]}, id="broken conditions"),
        pytest.param({"conditions": [{"type": 1, "status": [], "lastTransitionTime": {}}]}, id="odd fields"),
    ],
)
def test_an_earlier_status_that_cannot_be_read_was_never_there(status: Any) -> None:
    parent = my_resource()

    assert sync({**parent, "status": status}) == sync(parent)


def test_one_broken_condition_leaves_the_others_readable() -> None:
    parent = my_resource()
    before = sync(parent)["status"]
    before["conditions"] = [{"type": "Broken"}, *before["conditions"]]
    before["conditions"][1]["lastTransitionTime"] = EARLIER_TEXT

    assert condition(sync({**parent, "status": before}))["lastTransitionTime"] == EARLIER_TEXT


def test_available_mirrors_the_deployment_while_a_rollout_goes_wrong() -> None:
    parent = my_resource()
    (made,) = finished(parent)
    made["status"]["conditions"][1] = {
        "type": "Progressing",
        "status": "False",
        "reason": "ProgressDeadlineExceeded",
    }

    answer = sync(parent, made)

    assert condition(answer, "Available")["status"] == "True"
    assert condition(answer, "Progressing")["status"] == "False"
    assert condition(answer, "Stalled")["status"] == "True"
    assert answer["status"]["state"] == "Failed"


@pytest.mark.parametrize(
    ("spec", "types"),
    [
        pytest.param({}, ["Ready", "Available", "Progressing", "Reconciling"], id="reconciling"),
        pytest.param({"image": "no image"}, ["Ready", "Available", "Progressing", "Stalled"], id="stalled"),
    ],
)
def test_reconciling_and_stalled_are_there_only_while_true(spec: Json, types: list[str]) -> None:
    answer = sync(my_resource(**spec))

    assert [item["type"] for item in answer["status"]["conditions"]] == types


@pytest.mark.parametrize(
    ("after", "expected", "again"),
    [
        pytest.param(0, "Building", 60, id="at first"),
        pytest.param(12.4, "Building", 48, id="later"),
        pytest.param(59.9, "Building", 1, id="just before"),
        pytest.param(60, "NotApplied", 60, id="after a minute"),
        pytest.param(150, "NotApplied", 30, id="each minute from then on"),
        pytest.param(-30, "Building", 60, id="a clock that was set back"),
    ],
)
def test_a_child_that_does_not_come_is_not_applied_after_a_minute(after: float, expected: str, again: int) -> None:
    answer = follow(my_resource(), after=after)

    assert (reason(answer), answer.get("resyncAfterSeconds")) == (expected, again)
    assert answer["status"]["waiting"]["since"] == (NOW_TEXT if after >= 0 else "2026-01-31T11:59:30Z")


def test_the_minute_begins_with_the_drift_not_when_ready_was_lost() -> None:
    parent = my_resource()
    (made,) = finished(parent)
    made["status"]["availableReplicas"] = 0
    long_unready = sync(parent, made)["status"]

    answer = sync({**parent, "status": long_unready}, now=NOW + timedelta(hours=1))

    assert reason(answer) == "Building"
    assert answer["resyncAfterSeconds"] == 60


def test_the_minute_begins_anew_for_a_spec_that_was_changed() -> None:
    stuck = follow(my_resource(), after=120)
    changed = my_resource(generation=2, image="nginx:1.28", status=stuck["status"])

    answer = sync(changed, now=NOW + timedelta(seconds=121))
    again = sync({**changed, "status": answer["status"]}, now=NOW + timedelta(seconds=122))

    assert reason(stuck) == "NotApplied"
    assert (reason(answer), answer["resyncAfterSeconds"]) == ("Building", 60)
    assert (reason(again), again["resyncAfterSeconds"]) == ("Building", 59)


def test_the_minute_begins_anew_for_another_child() -> None:
    parent = my_resource(ports=[{"containerPort": 80}])
    (deployment,) = [item for item in finished(parent) if item["kind"] == "Deployment"]
    stuck = follow(parent, after=120)["status"]

    answer = sync({**parent, "status": stuck}, deployment, now=NOW + timedelta(seconds=121))

    assert stuck["waiting"]["what"] == "Deployment web-deployment"
    assert answer["status"]["waiting"] == {"what": "Service web", "since": "2026-01-31T12:02:01Z"}
    assert reason(answer) == "Building"


def test_the_minute_begins_anew_when_an_invalid_spec_is_mended() -> None:
    invalid = sync(my_resource(image="no image"))["status"]

    answer = sync(my_resource(generation=2, status=invalid), now=NOW + timedelta(hours=1))

    assert reason(answer) == "Building"


def test_what_is_waited_for_is_cut_where_the_crd_ends_it_and_still_waited_for() -> None:
    parent = my_resource(**MOUNTED)
    (deployment,) = finished(parent)
    deployment["spec"]["template"]["spec"]["containers"][0]["volumeMounts"] = []
    parent["status"] = sync(parent, deployment)["status"]
    assert len(parent["status"]["waiting"]["what"]) == 1024

    assert reason(sync(parent, sent_again(parent, deployment), now=NOW + timedelta(seconds=60))) == "Overridden"


@pytest.mark.parametrize("since", ["2026-01-31T16:59:00+05:00", "0999-01-31T11:59:00Z"])
def test_a_time_that_another_client_wrote_stays_the_same_time(since: str) -> None:
    parent = my_resource()
    parent["status"] = {**sync(parent)["status"], "waiting": {"what": "Deployment web-deployment", "since": since}}

    again = sync(parent)["status"]["waiting"]["since"]

    assert again == {"2": "2026-01-31T11:59:00Z", "0": since}[since[0]]


@pytest.mark.parametrize("waiting", ["x", {}, {"what": "Deployment web-deployment", "since": "noon"}])
def test_a_record_of_waiting_that_cannot_be_read_was_never_there(waiting: Any) -> None:
    parent = my_resource()
    before = {**sync(parent)["status"], "waiting": waiting}

    assert sync({**parent, "status": before}) == sync(parent)


def test_surplus_pods_of_a_rollout_do_not_move_the_number_of_replicas() -> None:
    parent = my_resource(replicas=3)
    (made,) = finished(parent)

    counts = [sync(parent, {**made, "status": {"replicas": there}})["status"]["replicas"] for there in (2, 3, 4)]

    assert counts == [2, 3, 3]


def test_the_pods_of_a_child_that_is_kept_are_counted_as_they_are() -> None:
    (made,) = finished(my_resource(replicas=3))

    assert sync(my_resource(generation=2, image="no image"), made)["status"]["replicas"] == 3


@pytest.mark.parametrize("replicas", [{}, [], "1", None])
def test_a_child_that_is_kept_may_have_any_value_as_its_number_of_pods(replicas: object) -> None:
    (made,) = finished(my_resource())
    made["spec"]["replicas"] = replicas

    assert sync(my_resource(generation=2, image="no image"), made)["status"]["state"] == "Failed"


LATE = {"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded"}
NO_REPLICA_SET = {"type": "Progressing", "status": "False", "reason": "ReplicaSetCreateError"}
PAUSED = {"type": "Progressing", "status": "Unknown", "reason": "DeploymentPaused"}
DONE = {"type": "Progressing", "status": "True", "reason": "NewReplicaSetAvailable"}
GOING_ON = {"type": "Progressing", "status": "True", "reason": "ReplicaSetUpdated"}


@pytest.mark.parametrize(
    ("seen", "observed_generation", "expected"),
    [
        pytest.param(LATE, 1, ("False", "ProgressDeadlineExceeded"), id="late"),
        pytest.param(NO_REPLICA_SET, 1, ("False", "ReplicaSetCreateError"), id="refused"),
        pytest.param(PAUSED, 1, ("Unknown", "DeploymentPaused"), id="paused"),
        pytest.param(DONE, 1, ("True", "RolledOut"), id="done"),
        pytest.param(GOING_ON, 1, ("True", "RollingOut"), id="going on"),
        pytest.param(LATE, 0, ("Unknown", "NotYetSeen"), id="an old verdict"),
    ],
)
def test_progressing_mirrors_the_deployment_once_it_is_about_this_spec(
    seen: Json, observed_generation: int, expected: tuple[str, str]
) -> None:
    parent = my_resource()
    (made,) = finished(parent)
    made["status"] = {**made["status"], "conditions": [seen], "observedGeneration": observed_generation}
    found = condition(sync(parent, made), "Progressing")

    assert (found["status"], found["reason"]) == expected


def test_the_end_of_the_last_rollout_is_not_taken_for_that_of_this_one() -> None:
    """The Deployment controller reports that it has observed a change before it reports its progress."""
    parent = my_resource()
    (made,) = finished(parent)
    made["status"] = {**made["status"], "updatedReplicas": 0}

    started = sync(parent, made)
    lost = sync({**parent, "status": {**started["status"], "readyGeneration": 1}}, made)

    assert condition(started, "Progressing")["reason"] == "NotYetSeen"
    assert condition(lost, "Progressing")["reason"] == "RolledOut"


def test_a_rollout_back_to_a_template_is_in_progress_while_old_pods_are_there() -> None:
    """The ReplicaSet is there: if it has its Pods at once, the Deployment goes on reporting the last rollout."""
    parent = my_resource()
    (made,) = finished(parent)
    made["status"] = {**made["status"], "replicas": 2, "updatedReplicas": 1, "availableReplicas": 1}

    assert condition(sync(parent, made), "Progressing")["reason"] == "RollingOut"


def test_more_replicas_are_in_progress_while_the_deployment_reports_the_last_rollout() -> None:
    parent = my_resource(replicas=3)
    (made,) = finished(parent)
    made["status"] = {**made["status"], "replicas": 1, "updatedReplicas": 1, "availableReplicas": 1}

    assert condition(sync(parent, made), "Progressing")["reason"] == "RollingOut"


@pytest.mark.parametrize(("kind", "expected"), [("Service", "RolledOut"), ("Deployment", "DeploymentDiffers")])
def test_only_drift_of_the_deployment_hides_its_progress(kind: str, expected: str) -> None:
    parent = my_resource(ports=[{"containerPort": 80}])
    children = finished(parent)
    drifted = next(child for child in children if child["kind"] == kind)
    drifted["spec"] = {**drifted["spec"], "selector": {"another": "value"}}

    answer = sync(parent, *children)

    assert reason(answer) == "Building"
    assert condition(answer, "Progressing")["reason"] == expected


def test_a_time_in_another_zone_is_reported_in_utc() -> None:
    answer = sync(my_resource(), now=NOW.astimezone(timezone(timedelta(hours=5))))

    assert condition(answer)["lastTransitionTime"] == NOW_TEXT


def test_progressing_goes_on_mirroring_when_ready_is_false_for_another_reason() -> None:
    (made,) = finished(my_resource())

    answer = sync(my_resource(generation=2, image="no image"), made)

    assert reason(answer) == "InvalidSpec"
    assert condition(answer, "Progressing")["reason"] == "RolledOut"


@pytest.mark.parametrize(
    "containers",
    [
        None,
        "main",
        [],
        ["main"],
        [{"name": "sidecar", "image": "x"}],
        [{"name": "main"}],
        [{"name": "main", "image": 5}],
    ],
)
def test_an_image_that_is_not_seen_is_not_reported(containers: Any) -> None:
    parent = my_resource()
    (made,) = finished(parent)
    made["spec"] = {**made["spec"], "template": {"spec": {"containers": containers}}}

    assert "image" not in sync(parent, made)["status"]


def test_a_message_is_cut_to_what_the_schema_allows() -> None:
    request = SyncRequest.decode(sync_request(my_resource(), grouped(), {}), CHILDREN)
    facts = Facts(
        request=request,
        deployment=None,
        desired=DesiredState(problem="x" * 2000, is_kept=True),
        drifts=[],
        diagnosis=Diagnosis(),
        previous_status=PreviousStatus(request.parent),
        now=NOW,
    )

    assert len(parent_status(facts, decide(facts), "docs")["conditions"][0]["message"]) == 1024


ROLLS: Json = {"type": "Progressing", "status": "True", "reason": "ReplicaSetUpdated"}
PORT: Json = {"ports": [{"containerPort": 80}]}


def was_ready(**changes: Json) -> str:
    """Return state and reason of what was Ready in this generation, with *changes* of Deployment and Service."""
    parent = my_resource(status={"readyGeneration": 1}, replicas=3, **PORT)
    deployment, service = finished(parent)
    made = {**deployment, "status": {**deployment["status"], **changes.get("status", {})}}
    made["spec"] = {**made["spec"], **changes.get("deployment", {})}
    answer = sync(parent, made, {**service, "spec": {**service["spec"], **changes.get("service", {})}})
    return f"{answer['status']['state']}: {reason(answer)}"


@pytest.mark.parametrize(
    ("changes", "state"),
    [
        pytest.param({}, "Ready: Available", id="nothing"),
        pytest.param({"deployment": {"replicas": 5}}, "Building: Building", id="a Deployment to be updated"),
        pytest.param({"status": {"observedGeneration": 0}}, "Building: RollingOut", id="a Deployment just updated"),
        pytest.param(
            {"status": {"conditions": [ROLLS], "updatedReplicas": 1}},
            "Building: RollingOut",
            id="a rollout in progress",
        ),
        pytest.param({"status": {"availableReplicas": 1}}, "Degraded: ReplicasUnavailable", id="lost Pods"),
        pytest.param({"service": {"type": "NodePort"}}, "Degraded: Building", id="a Service that another user changed"),
    ],
)
def test_an_ordinary_rollout_is_building_and_what_is_lost_without_one_is_degraded(changes: Json, state: str) -> None:
    assert was_ready(**changes) == state


def test_a_deployment_that_was_ready_and_is_gone_is_degraded() -> None:
    assert sync(my_resource(status={"readyGeneration": 1}))["status"]["state"] == "Degraded"


PORTS: Json = {"ports": [{"containerPort": 8080, "servicePort": 80}, {"containerPort": 9090}]}


@pytest.mark.parametrize(
    ("observed", "address"),
    [
        pytest.param({}, "web.default.svc:80", id="the first port of the Service"),
        pytest.param({"clusterIP": "None"}, "web.default.svc:8080", id="of the Pods of a headless one"),
        pytest.param({"ports": []}, None, id="no port"),
        pytest.param({"ports": [{"port": "http"}]}, None, id="no number"),
        pytest.param({"ports": "http"}, None, id="no ports"),
    ],
)
def test_the_address_is_that_of_the_observed_service(observed: Json, address: str | None) -> None:
    parent = my_resource(**PORTS)
    children = finished(parent)
    for each in children:
        if each["kind"] == "Service":
            each["spec"] |= observed

    assert sync(parent, *children)["status"].get("address") == address


def test_without_an_observed_service_there_is_no_address() -> None:
    parent = my_resource(**PORTS)

    assert "address" not in sync(parent)["status"]
    assert "address" not in sync(parent, finished(parent)[0])["status"]
