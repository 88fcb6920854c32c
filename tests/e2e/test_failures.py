"""The status explains failures of the Deployment and its Pods, and recovers when the cause is removed."""

import pytest

from tests.e2e.namespace import Namespace
from tests.e2e.statuses import condition


def test_a_rollout_without_progress_fails_until_the_image_changes(here: Namespace) -> None:
    here.make(image="nginx:crash", progressDeadlineSeconds=2)
    here.wait_for_status("Failed", "CrashLooping")
    assert condition(here.get("MyResource"), "Available")["status"] == "False"

    here.change(image="nginx:1.28")

    here.wait_until_ready()


def test_a_quota_on_pods_is_reported_until_it_is_raised(here: Namespace) -> None:
    here.quota(pods="1")
    here.make(replicas=3, progressDeadlineSeconds=5)
    here.wait_for_status("Building", "ReplicaFailure")
    assert "a quota of the namespace is exceeded" in here.message()
    here.wait_for_status("Failed", "ReplicaFailure")

    here.edit("ResourceQuota", {"spec": {"hard": {"pods": "9"}}}, "most")

    here.wait_until_ready()


def test_a_surge_over_a_quota_never_fails_and_ends_by_itself(here: Namespace) -> None:
    strategy = {"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 1}}
    here.ready(replicas=3, strategy=strategy)
    here.quota(pods="3")

    here.change(image="nginx:1.28")

    here.wait_until_ready()
    assert "Failed" not in {state for state, _ in here.history()}


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ("serviceAccountName", "ServiceAccount missing does not exist"),
        ("priorityClassName", "PriorityClass missing does not exist"),
    ],
)
def test_a_missing_object_that_the_spec_names_is_named(here: Namespace, field: str, said: str) -> None:
    """The reason stays after the deadline, while there are still no Pods to describe."""
    here.make(progressDeadlineSeconds=3, **{field: "missing"})

    here.wait_for_status("Building", "ReplicaFailure")
    assert said in here.message()
    here.wait_for_status("Failed", "ReplicaFailure")
    assert said in here.message()


def test_a_limit_range_that_refuses_pods_is_reported_until_memory_is_lowered(here: Namespace) -> None:
    limit = {"type": "Container", "max": {"memory": "100Mi"}}
    metadata = {"name": "most", "namespace": here.name}
    here.client.create({"apiVersion": "v1", "kind": "LimitRange", "metadata": metadata, "spec": {"limits": [limit]}})
    here.make(memory="128Mi")
    here.wait_for_status("Building", "ReplicaFailure")
    assert "a LimitRange of the namespace does not allow these requests and limits" in here.message()

    here.change(memory="64Mi")

    here.wait_until_ready()


@pytest.mark.labels({"pod-security.kubernetes.io/enforce": "restricted"})
def test_a_restricted_namespace_refuses_the_baseline_profile_and_takes_the_restricted_one(here: Namespace) -> None:
    here.make(progressDeadlineSeconds=3)
    here.wait_for_status("Failed", "ReplicaFailure")
    assert "set spec.securityProfile to Restricted" in here.message()

    here.change(securityProfile="Restricted")

    here.wait_until_ready()


def test_a_deployment_paused_after_its_rollout_failed_is_paused(here: Namespace) -> None:
    """The Deployment keeps its condition of the failure while it is paused."""
    here.ready(progressDeadlineSeconds=2)
    here.change(image="nginx:bad")
    here.wait_for_status("Failed", "ImagePullFailed")

    here.edit("Deployment", {"spec": {"paused": True}})

    here.wait_for_status("Failed", "Paused")
    assert "kubectl rollout resume" in here.message()
