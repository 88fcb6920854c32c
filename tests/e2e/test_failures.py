"""What goes wrong below a MyResource is said, and mended by itself when its cause goes."""

import pytest

from tests.e2e.namespace import Namespace
from tests.e2e.said import condition


@pytest.mark.parametrize(
    ("word", "reason"), [("bad", "ImagePullFailed"), ("crash", "CrashLooping"), ("oom", "OOMKilled")]
)
def test_a_rollout_that_makes_no_progress_fails_and_is_mended_by_another_image(
    here: Namespace, word: str, reason: str
) -> None:
    here.make(image=f"nginx:{word}", progressDeadlineSeconds=2)
    here.is_said("Failed", reason)
    assert condition(here.get("MyResource"), "Available")["status"] == "False"

    here.change(image="nginx:1.28")

    here.is_ready()


def test_during_a_bad_rollout_the_old_pods_serve_on(here: Namespace) -> None:
    here.ready(replicas=2)
    pods = here.pods()

    here.change(image="nginx:bad", progressDeadlineSeconds=2)
    here.is_said("Failed", "ImagePullFailed")

    assert pods & here.pods()
    assert condition(here.get("MyResource"), "Available")["status"] == "True"
    assert here.touched().writes == []


def test_while_pods_start_slowly_it_is_rolling_out(here: Namespace) -> None:
    here.make(image="nginx:slow")

    here.is_said("Building", "RollingOut")
    here.is_still()

    assert here.says() == ("Building", "RollingOut")


def test_a_pod_that_is_lost_makes_it_degraded_until_there_is_another(here: Namespace) -> None:
    here.ready(replicas=2)
    (name, *_) = (item["metadata"]["name"] for item in here.client.all("Pod", here.name))
    unready = [{"type": "Ready", "status": "False"}]

    here.client.change("Pod", here.name, name, {"status": {"conditions": unready}}, part="/status")
    here.is_said("Degraded", "ReplicasUnavailable")
    here.delete("Pod", name)

    here.is_ready()


def test_a_quota_on_pods_is_said_and_mended_when_it_is_raised(here: Namespace) -> None:
    here.quota(pods="1")
    here.make(replicas=3)
    here.is_said("Failed", "ReplicaFailure")

    here.edit("ResourceQuota", {"spec": {"hard": {"pods": "9"}}}, "most")

    here.is_ready()


def test_a_limit_range_that_refuses_pods_is_said_and_mended_by_less_memory(here: Namespace) -> None:
    limit = {"type": "Container", "max": {"memory": "100Mi"}}
    metadata = {"name": "most", "namespace": here.name}
    here.client.create({"apiVersion": "v1", "kind": "LimitRange", "metadata": metadata, "spec": {"limits": [limit]}})
    here.make(memory="128Mi")
    here.is_said("Failed", "ReplicaFailure")

    here.change(memory="64Mi")

    here.is_ready()


@pytest.mark.labels({"pod-security.kubernetes.io/enforce": "restricted"})
def test_a_restricted_namespace_refuses_the_baseline_profile_and_takes_the_restricted_one(here: Namespace) -> None:
    here.make()
    here.is_said("Failed", "ReplicaFailure")

    here.change(securityProfile="Restricted")

    here.is_ready()


def test_a_deployment_paused_by_hand_is_not_ready_until_it_goes_on(here: Namespace) -> None:
    here.ready()
    here.edit("Deployment", {"spec": {"paused": True}})
    here.is_still()

    here.change(image="nginx:1.28")
    here.is_said("Failed", "Paused")
    here.edit("Deployment", {"spec": {"paused": None}})

    here.is_ready()
