"""The last image that was Ready comes back past the deadline, and stays until the spec changes."""

import re
from datetime import timedelta
from typing import Any

import pytest

from app.core.child_metadata import EARLIER_FAILURE, READY_IMAGE, ROLLBACK
from app.core.reasons import POD_REASONS
from app.core.response_children import MENDED_BY_IMAGE
from app.core.watch import Watch
from metahook.protocol.request_builder import Grouped
from tests.docs.documents import ROOT
from tests.requests.builders import (
    NOW,
    UID,
    Json,
    applied,
    child,
    condition,
    finished,
    my_resource,
    owned,
    reason,
    rolled_out,
    sync,
)
from tests.requests.pods import (
    HEALTHY,
    LOST,
    UNSCHEDULABLE,
    ago,
    container,
    crashing,
    ended,
    failed,
    pod,
    running,
    shown,
    waiting,
)
from tests.requests.watched_objects import WATCH, config_map, related, secret

GOOD, BAD, FIXED, OTHER = "app:1", "app:2", "app:3", "app:4"
PROBE = {"readinessProbe": {"httpGet": {"port": 80}}}
OF_SECRET = {"env": [{"name": "A", "valueFrom": {"secretKeyRef": {"name": "a", "key": "a"}}}]}
OF_MAP = {"envFrom": [{"configMapRef": {"name": "a"}}]}


def asking(image: str = BAD, *, generation: int = 2, mode: str = "LastReady", **fields: Any) -> Json:
    return my_resource(generation=generation, image=image, rollback={"mode": mode}, **fields)


def annotated(deployment: Json, **annotations: str) -> Json:
    """Return *deployment* with these of our annotations."""
    known = {"ready": READY_IMAGE, "rollback": ROLLBACK}
    more = {known[name]: text for name, text in annotations.items()}
    metadata = deployment["metadata"]
    return {**deployment, "metadata": {**metadata, "annotations": {**metadata["annotations"], **more}}}


def progressing(status: str, why: str, seconds: float) -> Json:
    return {"type": "Progressing", "status": status, "reason": why, "lastUpdateTime": ago(seconds)}


def written(deployment: Json, seconds: float, manager: str = "metacontroller") -> Json:
    """Return *deployment*, which was last written so many *seconds* ago."""
    entry = {"manager": manager, "operation": "Apply", "time": ago(seconds), "fieldsV1": {}}
    status = {**entry, "manager": "kube-controller-manager", "subresource": "status", "time": ago(0)}
    return {**deployment, "metadata": {**deployment["metadata"], "managedFields": [entry, status]}}


def with_spec(deployment: Json, **spec: Any) -> Json:
    return {**deployment, "spec": {**deployment["spec"], **spec}}


def late(parent: Json, *, ready: str = GOOD, seen: Grouped | None = None, **status: Any) -> Json:
    """Return the Deployment of *parent* whose rollout exceeded its deadline ten seconds ago; *seen* is related."""
    made = rolled_out(owned(child(sync(parent, related=seen, watch=WATCH), "Deployment"), parent))
    conditions = [progressing("False", "ProgressDeadlineExceeded", 10), {"type": "Available", "status": "True"}]
    counts = {"replicas": 2, "updatedReplicas": 1, "availableReplicas": 1, "conditions": conditions, **status}
    return written(annotated({**made, "status": {**made["status"], **counts}}, ready=ready), 700)


def image(answer: Json) -> str:
    (main,) = child(answer, "Deployment")["spec"]["template"]["spec"]["containers"]
    found: str = main["image"]
    return found


def remembered(answer: Json) -> dict[str, str]:
    """Return the annotations of the Deployment that rollbacks depend on."""
    annotations = child(answer, "Deployment")["metadata"]["annotations"]
    return {name: annotations[name] for name in (READY_IMAGE, ROLLBACK) if name in annotations}


def taken(answer: Json, observed: Json) -> Json:
    """Return the *observed* Deployment once the Deployment of the *answer* is applied, and rolled out."""
    made = child(answer, "Deployment")
    metadata = {**observed["metadata"], "annotations": made["metadata"]["annotations"]}
    counts = dict.fromkeys(("replicas", "updatedReplicas", "availableReplicas"), made["spec"]["replicas"])
    conditions = [progressing("True", "NewReplicaSetAvailable", 0), {"type": "Available", "status": "True"}]
    status = {**observed["status"], **counts, "conditions": conditions}
    return written({**observed, "metadata": metadata, "spec": made["spec"], "status": status}, 0)


def rolled_back(parent: Json) -> Json:
    """Return the Deployment of *parent* after its rollback."""
    deployment = late(parent)
    return taken(sync(parent, deployment), deployment)


# What was Ready

DONE = [progressing("True", "NewReplicaSetAvailable", 5)]


def complete(parent: Json, conditions: list[Json] | None = None, **annotations: str) -> Json:
    (made,) = finished(parent)
    status = {**made["status"], "conditions": made["status"]["conditions"] if conditions is None else conditions}
    return annotated({**made, "status": status}, **annotations)


def doing(parent: Json, **status: Any) -> Json:
    """Return the Deployment of *parent* once its rollout is done, but for *status*."""
    made = complete(parent, DONE)
    return {**made, "status": {**made["status"], **status}}


FIRST, UPDATED, DISABLED = asking(GOOD), asking(), asking(mode="Disabled")
EARLIER = complete(asking(GOOD, generation=1), DONE, ready=GOOD)


@pytest.mark.parametrize(
    ("parent", "deployment", "expected", "known"),
    [
        pytest.param(FIRST, complete(FIRST, DONE), "RollingOut", GOOD, id="before it is ready"),
        pytest.param(FIRST, complete(FIRST, DONE, ready=GOOD), "Available", GOOD, id="once it is remembered"),
        pytest.param(UPDATED, EARLIER, "Building", GOOD, id="until another one is rolled out"),
        pytest.param(UPDATED, complete(UPDATED, DONE, ready=GOOD), "RollingOut", BAD, id="the next one"),
        pytest.param(asking(replicas=0), complete(asking(replicas=0), DONE), "ScaledToZero", None, id="no Pods"),
        pytest.param(FIRST, doing(FIRST, availableReplicas=0), "RollingOut", None, id="not available"),
        pytest.param(FIRST, doing(FIRST, observedGeneration=0), "RollingOut", None, id="not looked at"),
        pytest.param(DISABLED, complete(DISABLED, DONE), "Available", None, id="disabled"),
    ],
)
def test_the_last_image_that_was_ready_is_remembered(
    parent: Json, deployment: Json, expected: str, known: str | None
) -> None:
    answer = sync(parent, deployment)

    assert (reason(answer), remembered(answer)) == (expected, {READY_IMAGE: known} if known else {})


def test_the_rollout_goes_on_while_the_image_is_written_down_also_where_the_request_has_an_old_status() -> None:
    old = {**FIRST, "status": sync(FIRST)["status"]}

    answer = sync(old, complete(FIRST, DONE))

    assert condition({"status": old["status"]}, "Progressing")["status"] == "Unknown"
    assert (condition(answer, "Progressing")["status"], reason(answer)) == ("True", "RollingOut")


def test_an_image_that_can_not_be_written_down_is_ready_after_a_minute() -> None:
    parent = asking(GOOD)
    deployment = written(complete(parent, [progressing("True", "NewReplicaSetAvailable", 300)]), 20)

    waits = sync(parent, deployment)

    assert (reason(waits), waits["resyncAfterSeconds"]) == ("RollingOut", 40)
    assert reason(sync(parent, deployment, now=NOW + timedelta(seconds=40))) == "Available"
    assert reason(sync(parent, complete(parent))) == "Available"  # no time is known


def test_what_the_status_says_of_this_generation_counts_for_an_older_deployment() -> None:
    """A cache that lags behind the API server shows such a Deployment when Metacontroller starts."""
    parent = asking()
    status = sync(parent, complete(parent, DONE, ready=BAD))["status"]
    older = complete(parent, DONE, ready=GOOD)

    answer = sync({**parent, "status": status}, older)

    assert (reason(answer), remembered(answer)) == ("Available", {READY_IMAGE: BAD})
    assert remembered(sync({**asking(FIXED, generation=3), "status": status}, older)) == {READY_IMAGE: GOOD}
    zero = asking(replicas=0)
    status = sync(zero, complete(zero))["status"]
    assert status["readyGeneration"] == 2
    assert remembered(sync({**zero, "status": status}, complete(zero, ready=GOOD))) == {READY_IMAGE: GOOD}


# The decision


def test_the_last_image_comes_back_past_the_deadline() -> None:
    parent, deployment = asking(), late(asking())

    answer = sync(parent, deployment)

    assert image(answer) == GOOD
    assert remembered(answer)[READY_IMAGE] == GOOD
    assert remembered(answer)[ROLLBACK].startswith(f"2-{UID[:8]}/")
    assert reason(answer) == "ProgressDeadlineExceeded"  # the status reports what is observed
    assert sync(parent, deployment) == answer


def test_the_image_alone_comes_back() -> None:
    parent = asking(image=f"{BAD}@sha256:{'0' * 64}", env=[{"name": "NEW", "value": "1"}])

    answer = sync(parent, late(parent, ready="app"))

    (main,) = child(answer, "Deployment")["spec"]["template"]["spec"]["containers"]
    assert (main["image"], main["env"]) == ("app", [{"name": "NEW", "value": "1"}])
    assert main["imagePullPolicy"] == "Always"  # that of an image without a tag


CAUSES: dict[str, tuple[Json, Json]] = {
    "ImagePullFailed": (pod(container(state=waiting("ErrImagePull"))), {}),
    "RunContainerError": (pod(crashing(128, "StartError")), {}),
    "OOMKilled": (pod(crashing(137, "OOMKilled")), {}),
    "CrashLooping": (pod(crashing(1)), {}),
    "ProbeFailing": (pod(container(state=running(600))), PROBE),
    "ContainerConfigError": (pod(container(state=waiting("CreateContainerConfigError"))), {}),
    "Evicted": (failed("Evicted", "The node was low on resource: memory. "), {}),
    "Preempted": (failed("Preempting"), {}),
    "PodRejected": (failed("OutOfcpu"), {}),
    "NodeLost": (LOST, {}),
    "Unschedulable": (UNSCHEDULABLE, {}),
}


def test_each_cause_is_tried() -> None:
    assert CAUSES.keys() == {cause.name for cause in POD_REASONS}


@pytest.mark.parametrize("cause", CAUSES)
def test_it_comes_back_only_for_what_another_image_can_mend(cause: str) -> None:
    seen, fields = CAUSES[cause]
    parent = asking(**fields)

    answer = sync(parent, late(parent), related=shown(seen))

    assert reason(answer) == cause
    assert image(answer) == (GOOD if cause in {mended.name for mended in MENDED_BY_IMAGE} else BAD)


UNPULLED = container("other", state=waiting("ErrImagePull"))
INIT = {"name": "other", "image": BAD}
SIDECAR = {**INIT, "restartPolicy": "Always"}


@pytest.mark.parametrize(
    ("seen", "fields"),
    [
        pytest.param(pod(HEALTHY, UNPULLED), {}, id="a container of others"),
        pytest.param(pod(init=(UNPULLED,)), {"initContainers": [INIT]}, id="an init container"),
        pytest.param(pod(init=(UNPULLED,), sidecars=("other",)), {"initContainers": [SIDECAR]}, id="a sidecar"),
    ],
)
def test_it_does_not_come_back_for_another_container(seen: Json, fields: Json) -> None:
    parent = asking(**fields)

    answer = sync(parent, late(parent), related=shown(seen))

    assert (reason(answer), image(answer)) == ("ImagePullFailed", BAD)


PAUSED = {"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate"}
LATE = progressing("False", "ProgressDeadlineExceeded", 10)


REFUSED, GOES_ON = progressing("False", "ReplicaSetCreateError", 10), progressing("True", "ReplicaSetUpdated", 10)
UNREPORTED = progressing("True", "ReplicaSetUpdated", 6000)  # so its controller may be down, and the Pods available
TOO_LATE: list[tuple[str, Json, str]] = [
    ("Pods are refused", {"conditions": [LATE, PAUSED]}, "ReplicaFailure"),
    ("not looked at", {"observedGeneration": 0}, "RollingOut"),
    ("the deadline of an earlier rollout", {"updatedReplicas": 0}, "ProgressDeadlineExceeded"),
    ("no ReplicaSet", {"conditions": [REFUSED]}, "ReplicaFailure"),
    ("in time", {"conditions": [GOES_ON]}, "RollingOut"),
    ("nobody reports it", {"conditions": [UNREPORTED]}, "ProgressDeadlineExceeded"),
]


@pytest.mark.parametrize(
    ("parent", "deployment", "expected"),
    [
        pytest.param(DISABLED, late(DISABLED), "ProgressDeadlineExceeded", id="disabled"),
        pytest.param(asking(replicas=0), late(asking(replicas=0)), "ProgressDeadlineExceeded", id="without Pods"),
        *(pytest.param(asking(), late(asking(), **status), expected, id=name) for name, status, expected in TOO_LATE),
        *(
            pytest.param(asking(), late(asking(), ready=ready), "ProgressDeadlineExceeded", id=f"to {ready[:9]}")
            for ready in (BAD, "", "no image", "x" * 513)
        ),
        pytest.param(asking(), with_spec(late(asking()), replicas=5), "Building", id="scaled by hand"),
        pytest.param(asking(), with_spec(late(asking()), paused=True), "Paused", id="paused"),
        pytest.param(asking(), late(asking(generation=1)), "Building", id="of an earlier generation"),
        pytest.param(asking(image="no image"), late(asking()), "InvalidSpec", id="an invalid spec"),
        pytest.param(asking(suspend=True), late(asking()), "Suspended", id="suspended"),
        pytest.param(asking(generation=1), late(asking()), "Building", id="a stale request"),
    ],
)
def test_it_does_not_come_back_for_anything_else(parent: Json, deployment: Json, expected: str) -> None:
    answer = sync(parent, deployment)

    assert reason(answer) == expected
    assert ROLLBACK not in str(answer)
    assert GOOD not in str(answer["children"][0].get("spec"))


@pytest.mark.parametrize(
    ("before", "reported", "expected"),
    [(asking(OTHER), 10, BAD), (asking(nodeSelector={"disk": "none"}), 10, BAD), (asking(OTHER), 5, GOOD)],
    ids=["another image", "another field", "a failure of its own"],
)
def test_a_deadline_that_an_earlier_template_exceeded_does_not_count(
    before: Json, reported: int, expected: str
) -> None:
    """The Deployment controller reports it until an old ReplicaSet that is used again has made progress."""
    earlier = late(before)
    given = applied(earlier, sync(asking(generation=3), earlier))
    reports = [progressing("False", "ProgressDeadlineExceeded", reported), *given["status"]["conditions"][1:]]

    answer = sync(asking(generation=3), {**given, "status": {**given["status"], "conditions": reports}})

    assert image(answer) == expected


@pytest.mark.parametrize("seconds", [11, 10, 5])
def test_what_is_written_to_the_deployment_after_its_deadline_changes_nothing(seconds: int) -> None:
    """A suspended MyResource that is resumed, a valid spec after an invalid one, or an annotation of another user."""
    assert image(sync(asking(), written(late(asking()), seconds))) == GOOD


def test_an_image_that_is_given_back_before_its_failure_is_observed_to_end_is_rolled_back() -> None:
    """The Deployment controller never saw the other image, and reports the same failure for ever."""
    failing = late(asking())
    other = applied(failing, sync(asking(OTHER, generation=3), failing))

    back = applied(other, sync(asking(generation=4), other))

    assert back["metadata"]["annotations"][EARLIER_FAILURE].startswith(ago(10))
    assert image(sync(asking(generation=4), back)) == GOOD


UNSTABLE: Json = {"replicas": 1, "updatedReplicas": 1, "availableReplicas": 1}
ROLLS = [progressing("True", "ReplicaSetUpdated", 5), {"type": "Available", "status": "True"}]


@pytest.mark.parametrize(("made", "expected"), [(630, GOOD), (629, BAD)])
def test_it_comes_back_for_pods_that_never_stay_ready(made: int, expected: str) -> None:
    """The Deployment takes each moment in which such a Pod is ready for progress."""
    parent = asking()
    crashed = container(state=running(), last=ended(1), restarts=5, ready=True)
    seen = pod(crashed, made=ago(made))
    deployment = written(late(parent, **UNSTABLE, conditions=ROLLS), made)

    answer = sync(parent, deployment, related=shown(seen))

    assert (reason(answer), image(answer)) == ("CrashLooping", expected)


# What is not known


@pytest.mark.parametrize(
    ("fields", "watch", "there", "expected"),
    [
        (OF_MAP, Watch(), related(config_map("a")), GOOD),
        (OF_MAP, Watch(), {}, BAD),  # not asked for yet
        (OF_MAP, Watch(), related(), BAD),  # missing
        ({**OF_MAP, "configReload": {"mode": "Disabled"}}, Watch(), {}, BAD),
        (OF_SECRET, Watch(), {}, BAD),
        (OF_SECRET, Watch(secrets=True), related(secret("a", a="")), GOOD),
        ({"envFrom": [{"secretRef": {"name": "a", "optional": True}}]}, Watch(), {}, GOOD),
    ],
)
def test_it_does_not_come_back_for_what_may_be_a_missing_config_map(
    fields: Json, watch: Watch, there: Json, expected: str
) -> None:
    parent = asking(**fields)

    assert image(sync(parent, late(parent, seen=there), related=there, watch=watch)) == expected


# While it holds


def test_it_is_failed_and_names_both_images() -> None:
    parent = asking()

    answer = sync(parent, rolled_back(parent))

    assert (reason(answer), answer["status"]["state"]) == ("RolledBack", "Failed")
    assert condition(answer)["status"] == "False"
    assert condition(answer, "Stalled")["reason"] == "RolledBack"
    assert condition(answer, "Available")["status"] == "True"
    assert condition(answer)["message"].startswith(
        "Image app:2 failed (ProgressDeadlineExceeded), so the Pods use the last image that was Ready: app:1. "
    )
    assert answer["status"]["image"] == GOOD
    assert answer["status"].keys().isdisjoint({"readyGeneration", "updatedReplicas"})


def test_it_holds_whatever_becomes_of_the_last_image() -> None:
    deployment = rolled_back(asking())
    for status in ({"conditions": [LATE, PAUSED]}, {"observedGeneration": 0}, {"availableReplicas": 0}):
        answer = sync(asking(), {**deployment, "status": {**deployment["status"], **status}})
        assert (reason(answer), image(answer)) == ("RolledBack", GOOD)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"image": FIXED}, FIXED),
        ({"env": [{"name": "A", "value": "1"}]}, BAD),
        ({"restartedAt": "2026-01-31T12:00:00Z"}, BAD),
        ({"mode": "Disabled"}, BAD),
        ({"replicas": 5}, GOOD),
        ({"schedule": {"timeZone": "UTC", "sleep": [{"days": ["Mon"], "from": "03:00", "to": "04:00"}]}}, GOOD),
        ({"suspend": False}, GOOD),
        ({"image": GOOD}, GOOD),
    ],
)
def test_it_holds_until_the_spec_changes_other_than_in_its_number_of_pods_or_by_resuming(
    fields: Json, expected: str
) -> None:
    later = asking(generation=3, **fields)

    answer = sync(later, rolled_back(asking()))

    assert image(answer) == expected
    holds = not fields.keys().isdisjoint({"replicas", "schedule", "suspend"})
    assert (ROLLBACK in remembered(answer)) == holds
    assert (READY_IMAGE in remembered(answer)) == (fields.get("mode") != "Disabled")
    if holds:
        assert remembered(answer)[ROLLBACK].startswith("3-")
        assert reason(sync(later, taken(answer, rolled_back(asking())))) == "RolledBack"


def test_a_field_that_a_new_crd_sets_by_default_does_not_end_it() -> None:
    other = asking(configReload={"mode": "Auto"})

    assert image(sync(other, rolled_back(asking()))) == GOOD


@pytest.mark.parametrize("text", ["", "2", "2-b848bea7", f"2-{UID[:8]}/abc/", f"2-{UID[:8]}/{'0' * 16}/No one!"])
def test_another_text_and_that_of_another_myresource_is_no_decision(text: str) -> None:
    deployment = annotated(finished(asking())[0], ready=GOOD, rollback=text)
    other = {**asking(), "metadata": {**asking()["metadata"], "uid": "0" * 36}}

    assert image(sync(asking(), deployment)) == BAD
    assert ROLLBACK not in remembered(sync(other, rolled_back(asking())))


def test_a_decision_holds_though_the_deployment_is_one_from_before_it() -> None:
    """A cache that lags behind the API server shows such a Deployment when Metacontroller starts."""
    parent = asking()
    status = sync(parent, rolled_back(parent))["status"]
    late_ago = late(parent, conditions=[progressing("True", "ReplicaSetUpdated", 5)])

    answer = sync({**parent, "status": status}, late_ago)

    assert image(answer) == GOOD
    assert remembered(answer).keys() == {READY_IMAGE, ROLLBACK}
    assert reason(answer) == "Building"
    assert image(sync({**asking(FIXED, generation=3), "status": status}, late_ago)) == FIXED
    assert image(sync(parent, late_ago)) == BAD  # without the status such a Deployment undoes it


def test_what_others_write_into_a_decision_is_not_repeated() -> None:
    deployment = annotated(rolled_back(asking()), rollback=f"2-{UID[:8]}/{'0' * 16}/Visit")

    assert "(ProgressDeadlineExceeded)" in condition(sync(asking(), deployment))["message"]


def test_the_page_has_the_same_causes() -> None:
    page = (ROOT / "docs/apps/rollback.md").read_text()
    rows = re.findall(r"^\| (.*) \| (yes|no)\b", page, re.MULTILINE)
    verdicts = {cause: verdict for causes, verdict in rows for cause in re.findall("[A-Z][A-Za-z]+", causes)}

    assert {cause.name: verdicts.get(cause.name) for cause in POD_REASONS} == {
        cause.name: "yes" if cause in MENDED_BY_IMAGE else "no" for cause in POD_REASONS
    }
