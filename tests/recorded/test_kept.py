"""Keeping children as real clusters show them: what is kept is what the recorded hook had applied."""

import json
from typing import ClassVar

import pytest

from metahook import Children, Deployment, Kind, Object, Service, SyncRequest
from tests.recorded.requests import DYNAMIC_APPLY, SERVER_SIDE_APPLY, recorded
from toolkit.builders import Json

LAST_APPLIED = "metacontroller.k8s.io/last-applied-configuration"


class HorizontalPodAutoscaler(Object, frozen=True):
    """A kind that the protocol does not know yet."""

    KIND: ClassVar[Kind] = Kind("autoscaling/v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers")


class PodDisruptionBudget(Object, frozen=True):
    """A kind that the protocol does not know yet."""

    KIND: ClassVar[Kind] = Kind("policy/v1", "PodDisruptionBudget", "poddisruptionbudgets")


KINDS: tuple[type[Object], ...] = (Deployment, Service, HorizontalPodAutoscaler, PodDisruptionBudget)


def children(mode: str, *kinds: type[Object]) -> Children:
    return SyncRequest.decode(json.dumps(recorded(mode)).encode(), kinds).children


def applied(kind: type[Object]) -> Json:
    """Return what the recorded hook applied: what the annotation says, without what Metacontroller added to it."""
    (child,) = recorded(DYNAMIC_APPLY)["children"][kind.KIND.group_key].values()
    record: Json = json.loads(child["metadata"]["annotations"][LAST_APPLIED])
    metadata = record["metadata"]
    labels = {name: value for name, value in metadata["labels"].items() if name != "controller-uid"}
    return {**record, "metadata": {"name": metadata["name"], "labels": labels}}


@pytest.mark.parametrize("mode", [DYNAMIC_APPLY, SERVER_SIDE_APPLY])
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_kept_is_what_was_applied(kind: type[Object], mode: str) -> None:
    assert children(mode, kind).kept() == [applied(kind)]


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_applied_is_less_than_what_is_observed(kind: type[Object]) -> None:
    (observed,) = recorded(SERVER_SIDE_APPLY)["children"][kind.KIND.group_key].values()

    assert {key: observed[key] for key in ("apiVersion", "kind", "metadata", "spec")} != applied(kind)


@pytest.mark.parametrize("mode", [DYNAMIC_APPLY, SERVER_SIDE_APPLY])
def test_several_kinds_are_kept_in_the_order_asked_for(mode: str) -> None:
    assert children(mode, *KINDS).kept() == [applied(kind) for kind in KINDS]


def test_the_values_of_a_server_side_applied_deployment_are_these() -> None:
    (deployment,) = children(SERVER_SIDE_APPLY, Deployment).kept()

    assert deployment["spec"]["template"]["spec"] == {
        "containers": [
            {
                "env": [{"name": "A", "value": "1"}],
                "image": "nginx:1.27",
                "name": "main",
                "ports": [{"containerPort": 8080, "name": "http"}],
                "resources": {"limits": {"memory": "1Gi"}, "requests": {"memory": "1Gi"}},
            }
        ]
    }
