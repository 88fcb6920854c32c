from datetime import timedelta
from typing import Any

import pytest

from tests.requests.builders import (
    EARLIER_TEXT,
    NOW,
    NOW_TEXT,
    Json,
    condition,
    finished,
    my_resource,
    reason,
    sent_again,
    sync,
)

MOUNTED: Json = {
    "volumes": [{"name": "data", "emptyDir": {}}],
    "volumeMounts": [{"name": "data", "mountPath": f"/{'a' * 1000}"}],
}


def follow(parent: Json, *children: Json, after: float = 0) -> Json:
    """Return the answer *after* seconds, when the status of the first answer was written."""
    first = sync(parent, *children)
    return sync({**parent, "status": first["status"]}, *children, now=NOW + timedelta(seconds=after))


BEFORE = sync(my_resource())["status"]
NO_TIMES = ("", "yesterday", "2026-01-31", "2026-01-31T12:00:00", "2026-99-31T12:00:00Z", "20260131T120000Z")


@pytest.mark.parametrize(
    "status",
    [
        pytest.param("Ready", id="a word"),
        pytest.param({"conditions": "all fine", "state": 5}, id="wrong types"),
        pytest.param({"conditions": [5, None, {"type": "Ready"}, {"status": "True"}]}, id="broken conditions"),
        pytest.param({"conditions": [{"type": 1, "status": [], "lastTransitionTime": {}}]}, id="odd fields"),
        *(
            pytest.param(
                {**BEFORE, "conditions": [{**BEFORE["conditions"][0], "lastTransitionTime": time}]}, id=f"time: {time}"
            )
            for time in NO_TIMES
        ),
        *(
            pytest.param({**BEFORE, "waiting": waiting}, id=f"waiting: {waiting}")
            for waiting in ("x", {}, {"what": "Deployment web-deployment", "since": "noon"})
        ),
    ],
)
def test_an_earlier_status_that_cannot_be_read_was_never_there(status: Any) -> None:
    parent = my_resource()

    assert sync({**parent, "status": status}) == sync(parent)


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


def test_a_child_that_is_not_deleted_in_a_minute_names_the_finalizers_that_keep_it() -> None:
    (made,) = finished(my_resource())
    going = {"deletionTimestamp": EARLIER_TEXT, "finalizers": ["example.com/held"], "name": "old"}

    answer = follow(my_resource(), made, {**made, "metadata": {**made["metadata"], **going}}, after=60)

    assert reason(answer) == "NotApplied"
    assert "its finalizers are not removed: example.com/held" in condition(answer)["message"]


def unready() -> Json:
    """Return the status of one that has lost its Pods."""
    (made,) = finished(my_resource())
    made["status"]["availableReplicas"] = 0
    status: Json = sync(my_resource(), made)["status"]
    return status


SERVED = my_resource(ports=[{"containerPort": 80}])
CHANGED = my_resource(generation=2, image="nginx:1.28")
DEPLOYMENT = "Deployment web-deployment"


@pytest.mark.parametrize(
    ("status", "parent", "children", "what"),
    [
        pytest.param(unready(), my_resource(), [], DEPLOYMENT, id="the drift, not the loss of Ready"),
        pytest.param(follow(my_resource(), after=120)["status"], CHANGED, [], DEPLOYMENT, id="a changed spec"),
        pytest.param(follow(SERVED, after=120)["status"], SERVED, finished(SERVED)[:1], "Service web", id="a child"),
        pytest.param(sync(my_resource(image=""))["status"], CHANGED, [], DEPLOYMENT, id="a spec that is valid again"),
    ],
)
def test_the_minute_begins_anew_with_what_is_waited_for(
    status: Json, parent: Json, children: list[Json], what: str
) -> None:
    now = NOW + timedelta(hours=1)

    first = sync({**parent, "status": status}, *children, now=now)
    again = sync({**parent, "status": first["status"]}, *children, now=now + timedelta(seconds=1))

    assert [(reason(each), each["resyncAfterSeconds"]) for each in (first, again)] == [
        ("Building", 60),
        ("Building", 59),
    ]
    assert first["status"]["waiting"] == {"what": what, "since": "2026-01-31T13:00:00Z"}


def test_what_is_waited_for_is_cut_where_the_crd_ends_it_and_still_waited_for() -> None:
    parent = my_resource(**MOUNTED)
    (deployment,) = finished(parent)
    deployment["spec"]["template"]["spec"]["containers"][0]["volumeMounts"] = []
    parent["status"] = sync(parent, deployment)["status"]
    assert len(parent["status"]["waiting"]["what"]) == 1024

    answer = sync(parent, sent_again(parent, deployment), now=NOW + timedelta(seconds=60))

    assert reason(answer) == "Overridden"
    assert len(condition(answer)["message"]) == 1024


LATE = {"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded"}
NO_REPLICA_SET = {"type": "Progressing", "status": "False", "reason": "ReplicaSetCreateError"}
PAUSED = {"type": "Progressing", "status": "Unknown", "reason": "DeploymentPaused"}
DONE = {"type": "Progressing", "status": "True", "reason": "NewReplicaSetAvailable"}
GOING_ON = {"type": "Progressing", "status": "True", "reason": "ReplicaSetUpdated"}

UNSEEN, WAS_READY = {"observedGeneration": 0}, {"readyGeneration": 1}
ROLLS: Json = {"conditions": [GOING_ON], "updatedReplicas": 1}
PART: Json = {"replicas": 2, "updatedReplicas": 1, "availableReplicas": 1}


@pytest.mark.parametrize(
    ("status", "fields", "expected"),
    [
        pytest.param({"conditions": [LATE]}, {}, ("False", "ProgressDeadlineExceeded"), id="late"),
        pytest.param({"conditions": [NO_REPLICA_SET]}, {}, ("False", "ReplicaSetCreateError"), id="refused"),
        pytest.param({"conditions": [PAUSED]}, {}, ("Unknown", "DeploymentPaused"), id="paused"),
        pytest.param({"conditions": [DONE]}, {}, ("True", "RolledOut"), id="done"),
        pytest.param({"conditions": [GOING_ON]}, {}, ("True", "RollingOut"), id="going on"),
        pytest.param({**UNSEEN, "conditions": [LATE]}, {}, ("Unknown", "NotYetSeen"), id="an old verdict"),
        # The Deployment controller reports that it has observed a change before it reports its progress.
        pytest.param({"updatedReplicas": 0}, {}, ("Unknown", "NotYetSeen"), id="the end of the last rollout"),
        pytest.param({"updatedReplicas": 0}, {"status": WAS_READY}, ("True", "RolledOut"), id="Pods are lost"),
        # The ReplicaSet is there: if it has its Pods at once, the Deployment goes on reporting the last rollout.
        pytest.param(PART, {}, ("True", "RollingOut"), id="back to a template, while old Pods are there"),
        pytest.param({**PART, "replicas": 1}, {"replicas": 3}, ("True", "RollingOut"), id="more replicas"),
    ],
)
def test_progressing_mirrors_the_deployment_once_it_is_about_this_spec(
    status: Json, fields: Json, expected: tuple[str, str]
) -> None:
    parent = my_resource(**fields)
    (made,) = finished(parent)
    answer = sync(parent, {**made, "status": {**made["status"], **status}})
    found = condition(answer, "Progressing")

    assert (found["status"], found["reason"]) == expected


@pytest.mark.parametrize(("kind", "expected"), [("Service", "RolledOut"), ("Deployment", "DeploymentDiffers")])
def test_only_drift_of_the_deployment_hides_its_progress(kind: str, expected: str) -> None:
    parent = my_resource(ports=[{"containerPort": 80}])
    children = finished(parent)
    drifted = next(child for child in children if child["kind"] == kind)
    drifted["spec"] = {**drifted["spec"], "selector": {"another": "value"}}

    answer = sync(parent, *children)

    assert reason(answer) == "Building"
    assert condition(answer, "Progressing")["reason"] == expected


WEB = my_resource(generation=2)
OLD = finished(my_resource(image="nginx:1.26"))
(MADE,) = finished(WEB)


@pytest.mark.parametrize(("seconds", "expected"), [(0.5, "Building"), (60, "Building"), (61, "RollingOut")])
@pytest.mark.parametrize(
    ("observed", "shown"), [pytest.param([], {}, id="new"), pytest.param(OLD, MADE["status"], id="changed")]
)
def test_a_written_deployment_is_news_once_it_is_observed_or_after_a_minute(
    observed: list[Json], shown: Json, seconds: float, expected: str
) -> None:
    status = sync(WEB, *observed)["status"]
    parent, now = {**WEB, "status": status}, NOW + timedelta(seconds=seconds)

    generation = 2 if observed else 1
    written = {**MADE, "metadata": {**MADE["metadata"], "generation": generation}}
    answer = sync(parent, {**written, "status": {**shown, "observedGeneration": generation - 1}}, now=now)

    assert reason(answer) == condition(answer, "Reconciling")["reason"] == expected
    assert (answer["status"] == status) == (expected == "Building")
    assert answer["resyncAfterSeconds"] == {0.5: 61, 60: 1, 61: 600}[seconds]
    assert reason(sync(parent, MADE, now=now)) == "Available"


def test_the_deadline_of_a_rollout_begins_after_the_wait_for_the_deployment() -> None:
    hurried = my_resource(progressDeadlineSeconds=20)
    made = {**finished(hurried)[0], "status": UNSEEN}
    waited = {**hurried, "status": sync(hurried)["status"]}

    assert reason(sync(waited, made, now=NOW + timedelta(seconds=30))) == "Building"

    begun = {**hurried, "status": sync(waited, made, now=NOW + timedelta(seconds=61))["status"]}

    assert reason(sync(begun, made, now=NOW + timedelta(seconds=80))) == "RollingOut"
    assert reason(sync(begun, made, now=NOW + timedelta(seconds=81))) == "ProgressDeadlineExceeded"


@pytest.mark.parametrize(
    "last",
    [
        pytest.param({}, id="none"),
        pytest.param(sync(my_resource())["status"], id="of another generation"),
        pytest.param({**sync(WEB)["status"], "waiting": {"what": "Service web", "since": NOW_TEXT}}, id="for another"),
    ],
)
def test_only_the_wait_for_the_deployment_goes_on_until_it_is_observed(last: Json) -> None:
    assert reason(sync({**WEB, "status": last}, {**MADE, "status": UNSEEN})) == "RollingOut"


def test_the_image_is_that_of_main_also_behind_an_injected_sidecar() -> None:
    (made,) = finished(my_resource(image="nginx:1"))
    made["spec"]["template"]["spec"]["containers"].insert(0, {"name": "proxy", "image": "x"})

    assert sync(my_resource(image="nginx:1"), made)["status"]["image"] == "nginx:1"


PORT: Json = {"ports": [{"containerPort": 80}]}


@pytest.mark.parametrize(
    ("changes", "state"),
    [
        pytest.param({}, "Ready: Available", id="nothing"),
        pytest.param({"deployment": {"replicas": 5}}, "Building: Building", id="a Deployment to be updated"),
        pytest.param({"status": UNSEEN}, "Building: RollingOut", id="a Deployment just updated"),
        pytest.param({"status": ROLLS}, "Building: RollingOut", id="rolls out"),
        pytest.param({"status": {"availableReplicas": 1}}, "Degraded: ReplicasUnavailable", id="lost Pods"),
        pytest.param({"service": {"type": "NodePort"}}, "Degraded: Building", id="a Service that another user changed"),
        pytest.param({"gone": True}, "Degraded: Building", id="all children are gone"),
    ],
)
def test_an_ordinary_rollout_is_building_and_what_is_lost_without_one_is_degraded(changes: Json, state: str) -> None:
    parent = my_resource(status=WAS_READY, replicas=3, **PORT)
    deployment, service = finished(parent)
    made = {**deployment, "status": {**deployment["status"], **changes.get("status", {})}}
    made["spec"] = {**made["spec"], **changes.get("deployment", {})}
    seen = [] if changes.get("gone") else [made, {**service, "spec": {**service["spec"], **changes.get("service", {})}}]

    answer = sync(parent, *seen)

    assert f"{answer['status']['state']}: {reason(answer)}" == state


PORTS: Json = {"ports": [{"containerPort": 8080, "servicePort": 80}, {"containerPort": 9090}]}


@pytest.mark.parametrize(
    ("observed", "address"),
    [
        pytest.param({}, "web.default.svc:80", id="the first port of the Service"),
        pytest.param({"clusterIP": "None"}, "web.default.svc:8080", id="of the Pods of a headless one"),
        pytest.param({"ports": []}, None, id="no port"),
        pytest.param(None, None, id="no Service"),
    ],
)
def test_the_address_is_that_of_the_observed_service(observed: Json | None, address: str | None) -> None:
    parent = my_resource(**PORTS)
    deployment, service = finished(parent)
    services = [] if observed is None else [{**service, "spec": {**service["spec"], **observed}}]

    assert sync(parent, deployment, *services)["status"].get("address") == address
