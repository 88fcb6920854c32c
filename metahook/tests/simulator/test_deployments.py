"""The controller of Deployments: the sizes of ReplicaSets, step by step and in a whole rollout, and the status."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from metahook.simulator.apiserver.store import Admission
from metahook.simulator.apiserver.validation import ApiError
from metahook.simulator.controllers.deployments import REVISION, PodCounts, next_sizes, surge_and_unavailable
from metahook.simulator.controllers.kubelet import Failure
from metahook.simulator.controllers.pod_status import is_ready
from metahook.simulator.objects import Key, is_deleting, key_of
from metahook.simulator.world import World
from toolkit.deployments import count, edited, imaged, started
from toolkit.slow import short_or_whole
from toolkit.worlds import DEPLOYMENT, Answers, deployment, world

Json = dict[str, Any]


def spec(replicas: int, surge: int | str = 1, unavailable: int | str = 0, **more: Any) -> Json:
    rolling = {"maxSurge": surge, "maxUnavailable": unavailable}
    return {"replicas": replicas, "strategy": {"type": "RollingUpdate", "rollingUpdate": rolling}, **more}


def full(name: str, count: int) -> PodCounts:
    return PodCounts(name, count, count, count, count)


@pytest.mark.parametrize(
    ("replicas", "surge", "unavailable", "expected"),
    [
        (4, 1, 0, (1, 0)),
        (4, "25%", "25%", (1, 1)),
        (3, "25%", "25%", (1, 0)),
        (10, "25%", "25%", (3, 2)),
        (3, 0, 0, (0, 1)),
        (3, 0, "10%", (0, 1)),
        (2, "100%", "100%", (2, 2)),
        (0, "25%", "25%", (0, 1)),
    ],
)
def test_max_surge_is_rounded_up_and_max_unavailable_down_and_not_both_are_zero(
    replicas: int, surge: int | str, unavailable: int | str, expected: tuple[int, int]
) -> None:
    assert surge_and_unavailable(spec(replicas, surge, unavailable)) == expected


def test_recreate_has_no_bounds() -> None:
    assert surge_and_unavailable({"replicas": 3, "strategy": {"type": "Recreate"}}) == (0, 0)


@pytest.mark.parametrize(
    ("desired", "new", "old", "step"),
    [
        pytest.param(spec(3), PodCounts("new", 0), [], {"new": 3}, id="nothing-is-there"),
        pytest.param(spec(3), full("new", 3), [], {}, id="nothing-to-do"),
        pytest.param(spec(1), full("new", 3), [], {"new": 1}, id="scaled-down"),
        pytest.param(spec(3), PodCounts("new", 0), [full("old", 3)], {"new": 1}, id="as-far-as-there-may-be-too-many"),
        pytest.param(spec(3), PodCounts("new", 1, 1), [full("old", 3)], {}, id="waits-for-the-new-one"),
        pytest.param(spec(3), full("new", 1), [full("old", 3)], {"old": 2}, id="the-old-ones-make-room"),
        pytest.param(spec(3, 0, 1), PodCounts("new", 0), [full("old", 3)], {"old": 2}, id="no-surge-shrinks-first"),
        pytest.param(
            spec(3, 1, 1),
            PodCounts("new", 1),
            [PodCounts("old", 3, 3, 2, 2)],
            {"old": 2},
            id="sick-old-ones-go-first",
        ),
        pytest.param(
            spec(3, 1, 1),
            PodCounts("new", 1),
            [full("a", 1), PodCounts("b", 2, 2)],
            {"b": 1},
            id="the-sick-of-several",
        ),
        pytest.param(
            spec(3),
            PodCounts("new", 1),
            [PodCounts("old", 3, 3, 2, 2)],
            {},
            id="not-if-too-few-would-be-left",
        ),
        pytest.param(
            spec(3, 0, 3),
            PodCounts("new", 0),
            [full("a", 1), full("b", 2)],
            {"a": 0, "b": 0},
            id="all-may-be-unavailable",
        ),
        pytest.param(spec(5, paused=True), full("new", 3), [], {"new": 5}, id="paused-and-scaled"),
        pytest.param(spec(5, paused=True), None, [full("old", 3)], {"old": 5}, id="paused-before-the-rollout"),
        pytest.param(spec(5, paused=True), full("new", 1), [full("old", 3)], {}, id="paused-within-the-rollout"),
        pytest.param(spec(5, paused=True), None, [], {}, id="paused-from-the-beginning"),
    ],
)
def test_the_next_step_of_a_rollout(
    desired: Json, new: PodCounts | None, old: list[PodCounts], step: dict[str, int]
) -> None:
    assert next_sizes(desired, new, old) == step


def test_recreate_waits_until_the_last_old_pod_is_gone() -> None:
    desired = {"replicas": 2, "strategy": {"type": "Recreate"}}

    assert next_sizes(desired, PodCounts("new", 0), [full("old", 2)]) == {"old": 0}
    assert next_sizes(desired, PodCounts("new", 0), [PodCounts("old", 0, replicas=1)]) == {}
    assert next_sizes(desired, PodCounts("new", 0), [PodCounts("old", 0)]) == {"new": 2}
    assert next_sizes(desired, PodCounts("new", 2), [PodCounts("old", 0)]) == {}


def ready_pods(made: World) -> int:
    return sum(is_ready(pod) and not is_deleting(pod) for pod in made.api.all("Pod"))


def desired_pods(made: World) -> int:
    return sum(item["spec"]["replicas"] for item in made.api.all("ReplicaSet"))


def child(replicas: int, image: str, strategy: Json) -> Json:
    made = deployment(replicas=replicas, strategy=strategy)
    made["metadata"]["namespace"] = "default"
    made["spec"]["template"]["spec"]["containers"][0]["image"] = image
    return made


_shares = st.sampled_from([0, 1, 2, "10%", "25%", "50%", "100%"])


@pytest.mark.slow
@settings(max_examples=short_or_whole(20, 60))
@given(replicas=st.integers(1, 6), surge=_shares, unavailable=_shares, images=st.lists(st.integers(1, 3), max_size=3))
def test_a_rollout_never_has_too_many_pods_or_too_few(
    replicas: int, surge: int | str, unavailable: int | str, images: list[int]
) -> None:
    strategy = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": surge, "maxUnavailable": unavailable}}
    made = world("dynamic-apply", Answers(), child(replicas, "nginx:0", strategy))
    assert made.until_quiet()
    most, least = surge_and_unavailable(made.get(DEPLOYMENT)["spec"])
    wrong: list[tuple[int, int]] = []

    def look() -> bool:
        if desired_pods(made) > replicas + most or ready_pods(made) < replicas - least:
            wrong.append((desired_pods(made), ready_pods(made)))
        return not made.clock.is_busy

    for image in images:
        made.apply(child(replicas, f"nginx:{image}", strategy))
        made.until(look, within=1.5)
    assert made.until(look)

    assert wrong == []
    assert ready_pods(made) == len(made.api.all("Pod")) == replicas
    assert made.get(DEPLOYMENT)["status"]["availableReplicas"] == replicas


@given(replicas=st.integers(1, 4))
@settings(max_examples=4)
def test_recreate_never_runs_two_versions_at_once(replicas: int) -> None:
    made = world("dynamic-apply", Answers(), child(replicas, "nginx:1", {"type": "Recreate"}))
    made.until_quiet()
    versions: set[frozenset[str]] = set()

    def look() -> bool:
        pods = [pod for pod in made.api.all("Pod") if not is_deleting(pod)]
        versions.add(frozenset(pod["spec"]["containers"][0]["image"] for pod in pods))
        return not made.clock.is_busy

    made.apply(child(replicas, "nginx:2", {"type": "Recreate"}))
    assert made.until(look)

    assert versions == {frozenset(), frozenset({"nginx:1"}), frozenset({"nginx:2"})}


QUOTA = ("Forbidden", "exceeded quota")


def says(made: World, kind: str) -> tuple[str, str] | None:
    """Return the status and the reason of a condition of the Deployment."""
    conditions = made.get(DEPLOYMENT).get("status", {}).get("conditions", [])
    return next(((item["status"], item["reason"]) for item in conditions if item["type"] == kind), None)


def refusing(kind: str, when: Callable[[], bool] = lambda: True) -> Admission:
    """Return an admission that refuses new objects of *kind*."""

    def admit(item: Json, live: Json | None) -> Json:
        if live is None and item["kind"] == kind and when():
            raise ApiError(*QUOTA)
        return item

    return admit


def test_a_rollout_progresses_until_its_replica_set_is_available() -> None:
    made = started(replicas=2)
    made.run(0.03)
    assert (says(made, "Progressing"), says(made, "Available")) == (
        ("True", "NewReplicaSetCreated"),
        ("False", "MinimumReplicasUnavailable"),
    )

    made.run(1)
    assert says(made, "Progressing") == ("True", "ReplicaSetUpdated")
    assert count(made, "unavailableReplicas") == 2

    made.until_quiet()
    assert says(made, "Progressing") == ("True", "NewReplicaSetAvailable")
    assert says(made, "Available") == ("True", "MinimumReplicasAvailable")
    assert (count(made, "readyReplicas"), count(made, "unavailableReplicas")) == (2, 0)


def test_one_of_one_is_not_available_before_it_runs_under_recreate_either() -> None:
    made = started(strategy={"type": "Recreate"})
    made.run(0.5)

    assert says(made, "Available") == ("False", "MinimumReplicasUnavailable")


def test_a_rollout_without_progress_exceeds_its_deadline_and_recovers() -> None:
    made = started(replicas=2, progressDeadlineSeconds=30)
    made.until_quiet()
    imaged(made, "nginx:bad")
    made.run(20)
    assert says(made, "Progressing") == ("True", "ReplicaSetUpdated")

    made.run(15)
    assert says(made, "Progressing") == ("False", "ProgressDeadlineExceeded")
    assert says(made, "Available") == ("True", "MinimumReplicasAvailable")
    assert made.until_quiet()

    imaged(made, "nginx:2")
    made.until_quiet()
    assert says(made, "Progressing") == ("True", "NewReplicaSetAvailable")


def test_a_rollout_with_progress_does_not_exceed_its_deadline() -> None:
    made = started(replicas=4, minReadySeconds=20, progressDeadlineSeconds=30)
    made.until_quiet()
    imaged(made, "nginx:2")
    start = made.clock.now
    made.until(lambda: says(made, "Progressing") == ("False", "ProgressDeadlineExceeded"))

    assert says(made, "Progressing") == ("True", "NewReplicaSetAvailable")
    assert made.clock.now - start > 60


def test_scaling_a_finished_deployment_is_not_a_rollout() -> None:
    made = started(replicas=1)
    made.until_quiet()
    edited(made, replicas=3)
    made.run(0.5)

    assert says(made, "Progressing") == ("True", "NewReplicaSetAvailable")
    assert says(made, "Available") == ("False", "MinimumReplicasUnavailable")


def test_a_container_that_fails_later_does_not_restart_the_rollout() -> None:
    made = started(replicas=1)
    made.until_quiet()
    made.kubelet.fail(Failure.CRASH)
    made.until_quiet()

    assert says(made, "Progressing") == ("True", "NewReplicaSetAvailable")
    assert says(made, "Available") == ("False", "MinimumReplicasUnavailable")


def test_a_paused_deployment_is_scaled_but_not_rolled_out() -> None:
    made = started(replicas=2)
    made.until_quiet()
    edited(made, paused=True)
    imaged(made, "nginx:2")
    edited(made, replicas=3)
    made.until_quiet()
    assert says(made, "Progressing") == ("Unknown", "DeploymentPaused")
    assert {pod["spec"]["containers"][0]["image"] for pod in made.api.all("Pod")} == {"nginx:1"}
    assert (count(made, "replicas"), count(made, "updatedReplicas")) == (3, 0)

    edited(made, paused=False)
    made.until_quiet()
    assert says(made, "Progressing") == ("True", "NewReplicaSetAvailable")
    assert {pod["spec"]["containers"][0]["image"] for pod in made.api.all("Pod")} == {"nginx:2"}


def test_refused_pods_are_a_replica_failure_until_they_are_accepted() -> None:
    made = started(replicas=2)
    full = True
    made.api.admission.append(refusing("Pod", lambda: full))
    made.run(60)
    assert says(made, "ReplicaFailure") == ("True", "FailedCreate")
    assert made.api.all("Pod") == []

    full = False
    made.until_quiet()
    assert says(made, "ReplicaFailure") is None
    assert count(made, "availableReplicas") == 2


def test_a_refused_replica_set_is_created_later() -> None:
    made = started()
    full = True
    made.api.admission.append(refusing("ReplicaSet", lambda: full))
    made.run(20)
    assert made.api.all("ReplicaSet") == []

    full = False
    made.run(20)
    assert count(made, "availableReplicas") == 1


def test_a_rollback_is_another_revision_of_the_same_replica_set() -> None:
    made = started()
    for image in ("nginx:2", "nginx:1"):
        made.until_quiet()
        imaged(made, image)
    made.until_quiet()

    assert made.get(DEPLOYMENT)["metadata"]["annotations"][REVISION] == "3"
    revisions = {
        item["metadata"]["annotations"][REVISION]: item["spec"]["replicas"] for item in made.api.all("ReplicaSet")
    }
    assert revisions == {"2": 0, "3": 1}


def test_the_spec_limits_the_old_replica_sets() -> None:
    made = started(revisionHistoryLimit=1)
    for image in ("nginx:2", "nginx:3", "nginx:4"):
        made.until_quiet()
        imaged(made, image)
    made.run(0.5)
    assert len(made.api.all("ReplicaSet")) == 3  # none goes before the rollout is complete

    made.until_quiet()
    revisions = sorted(item["metadata"]["annotations"][REVISION] for item in made.api.all("ReplicaSet"))
    assert revisions == ["3", "4"]


def test_replica_sets_are_updated_only_to_change_them() -> None:
    made = started()
    made.until_quiet()
    imaged(made, "nginx:2")
    made.until_quiet()
    updates = [write for write in made.history.writes() if write.verb == "update" and write.key.kind == "ReplicaSet"]
    assert updates
    assert all(write.changed for write in updates)


def test_a_name_that_is_taken_by_another_replica_set_is_avoided() -> None:
    made = started()
    made.until_quiet()
    (taken,) = made.api.all("ReplicaSet")
    made.delete(DEPLOYMENT, "orphan")
    made.until_quiet()
    made.edit(Key("ReplicaSet", "default", taken["metadata"]["name"]), lambda item: item["metadata"].update(labels={}))

    child = deployment()
    child["metadata"]["namespace"] = "default"
    made.apply(child)
    made.until_quiet()

    assert count(made, "availableReplicas") == 1
    assert len(made.api.all("ReplicaSet")) == 2


def test_an_orphaned_replica_set_and_its_pods_are_adopted() -> None:
    made = started(replicas=2)
    made.until_quiet()
    before = {pod["metadata"]["uid"] for pod in made.api.all("Pod")}
    made.delete(DEPLOYMENT, "orphan")
    made.until_quiet()

    child = deployment(replicas=2)
    child["metadata"]["namespace"] = "default"
    made.apply(child)
    made.until_quiet()
    assert {pod["metadata"]["uid"] for pod in made.api.all("Pod")} == before

    (only,) = made.api.all("ReplicaSet")
    made.delete(key_of(only), "orphan")
    made.until_quiet()
    assert {pod["metadata"]["uid"] for pod in made.api.all("Pod")} == before
    assert count(made, "availableReplicas") == 2


def test_an_object_that_is_being_deleted_is_not_reconciled() -> None:
    made = started()
    made.until_quiet()
    made.edit(DEPLOYMENT, lambda item: item["metadata"].update(finalizers=["example.com/wait"]))
    made.delete(DEPLOYMENT)
    edited(made, replicas=3)
    made.until_quiet()

    assert is_deleting(made.get(DEPLOYMENT))
    assert len(made.api.all("Pod")) == 1


def test_a_status_that_is_refused_is_written_later() -> None:
    made = started()
    made.run(0.01)
    made.api.admission.append(refusing("Pod", lambda: made.clock.now < 5))
    made.until_quiet()

    assert count(made, "availableReplicas") == 1


def test_a_stopped_controller_rolls_out_what_changed_meanwhile_once_it_starts_again() -> None:
    made = started()
    assert made.until_quiet()
    made.deployments.stop()
    imaged(made, "nginx:2")
    made.run(60)
    assert made.get(DEPLOYMENT)["status"]["observedGeneration"] < made.get(DEPLOYMENT)["metadata"]["generation"]

    made.deployments.start()
    assert made.until_quiet()
    assert made.get(DEPLOYMENT)["status"]["observedGeneration"] == made.get(DEPLOYMENT)["metadata"]["generation"]
    assert says(made, "Progressing") == ("True", "NewReplicaSetAvailable")
