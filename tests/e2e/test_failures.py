"""The status explains failures of the Deployment and its Pods, and recovers when the cause is removed."""

from collections.abc import Callable

import pytest

from metahook.simulator.objects import Json
from tests.e2e.namespace import Namespace
from tests.e2e.statuses import condition


def test_a_rollout_without_progress_fails_until_the_image_changes(here: Namespace) -> None:
    here.make(image="nginx:crash", progressDeadlineSeconds=2)
    here.wait_for_status("Failed", "CrashLooping")
    assert condition(here.get("MyResource"), "Available")["status"] == "False"

    here.change(image="nginx:1.28")

    here.wait_until_ready()


@pytest.mark.parametrize(
    ("field", "kind"), [("serviceAccountName", "ServiceAccount"), ("priorityClassName", "PriorityClass")]
)
def test_a_missing_object_that_the_spec_names_is_named(here: Namespace, field: str, kind: str) -> None:
    """The reason stays after the deadline, while there are still no Pods to describe."""
    here.make(progressDeadlineSeconds=3, **{field: "missing"})

    for state in ("Building", "Failed"):
        here.wait_for_status(state, "ReplicaFailure")
        assert f"{kind} missing does not exist" in here.message()


def limit(here: Namespace) -> None:
    limits = [{"type": "Container", "max": {"memory": "100Mi"}}]
    here.put({"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "most"}, "spec": {"limits": limits}})


def restrict(here: Namespace) -> None:
    labels = {"pod-security.kubernetes.io/enforce": "restricted"}
    here.client.change("Namespace", "", here.name, {"metadata": {"labels": labels}})


RULES: dict[str, tuple[Callable[[Namespace], None], Json, str, Callable[[Namespace], None]]] = {
    "quota": (
        lambda here: here.quota(pods="1"),
        {"replicas": 3},
        "a quota of the namespace is exceeded",
        lambda here: here.edit("ResourceQuota", {"spec": {"hard": {"pods": "9"}}}, "most"),
    ),
    "LimitRange": (
        limit,
        {"memory": "128Mi"},
        "a LimitRange of the namespace does not allow these requests and limits",
        lambda here: here.change(memory="64Mi"),
    ),
    "Pod security": (
        restrict,
        {},
        "set spec.securityProfile to Restricted",
        lambda here: here.change(securityProfile="Restricted"),
    ),
}
"""A rule of the namespace, a spec whose Pods it refuses, what is said, and what mends it."""


@pytest.mark.parametrize("name", RULES)
def test_pods_that_a_rule_of_the_namespace_refuses_are_explained_until_it_is_mended(here: Namespace, name: str) -> None:
    rule, spec, said, mend = RULES[name]
    rule(here)
    here.make(progressDeadlineSeconds=5, **spec)
    for state in ("Building", "Failed"):
        here.wait_for_status(state, "ReplicaFailure")
        assert said in here.message()

    mend(here)

    here.wait_until_ready()
