"""The Deployment controller, and the status of a Deployment during a rollout."""

from collections.abc import Callable
from typing import Any

from metahook.simulator.apiserver.store import Admission
from metahook.simulator.apiserver.validation import ApiError
from metahook.simulator.controllers.deployments import REVISION
from metahook.simulator.controllers.kubelet import Failure
from metahook.simulator.objects import Key, is_deleting, key_of
from metahook.simulator.world import World
from toolkit.deployments import count, edited, imaged, started
from toolkit.worlds import DEPLOYMENT, deployment

Json = dict[str, Any]

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
