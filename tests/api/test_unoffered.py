"""What a MyResource does not offer of a Pod is dropped by the API server and by the hook."""

import pytest

from app.api.spec import MyResourceSpec
from tests.api.apiserver import read_stored, stored
from tests.api.examples.scheduling import REQUIRED
from tests.requests.builders import Json, my_resource

TERM = {"topologyKey": "zone", "labelSelector": {"matchLabels": {"a": "b"}}}
UNOFFERED: dict[str, tuple[Json, Json]] = {
    "successThreshold of a probe that restarts": (
        {"livenessProbe": {"grpc": {"port": 80}, "successThreshold": 2}},
        {"livenessProbe": {"grpc": {"port": 80}}},
    ),
    "the grace period of a probe that does not restart": (
        {"readinessProbe": {"grpc": {"port": 80}, "terminationGracePeriodSeconds": 2}},
        {"readinessProbe": {"grpc": {"port": 80}}},
    ),
    "another container": (
        {"env": [{"name": "A", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu", "containerName": "x"}}}]},
        {"env": [{"name": "A", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu"}}}]},
    ),
    "the host's file system": (
        {"volumes": [{"name": "a", "emptyDir": {}, "hostPath": {"path": "/"}}]},
        {"volumes": [{"name": "a", "emptyDir": {}}]},
    ),
    "the host's ports": (
        {"ports": [{"containerPort": 80, "hostPort": 80, "hostIP": "127.0.0.1"}]},
        {"ports": [{"containerPort": 80}]},
    ),
    "another host for a hook": (
        {"lifecycle": {"preStop": {"httpGet": {"port": 80, "host": "192.0.2.1"}}}},
        {"lifecycle": {"preStop": {"httpGet": {"port": 80}}}},
    ),
    "the host's namespaces, privilege and a token": (
        {
            "hostNetwork": True,
            "hostPID": True,
            "securityContext": {"privileged": True},
            "automountServiceAccountToken": True,
        },
        {},
    ),
    "another namespace's objects": (
        {"envFrom": [{"secretRef": {"name": "a", "namespace": "kube-system"}}]},
        {"envFrom": [{"secretRef": {"name": "a"}}]},
    ),
    "another namespace's Pods": (
        {"affinity": {"podAffinity": {REQUIRED: [{**TERM, "namespaces": ["kube-system"], "namespaceSelector": {}}]}}},
        {"affinity": {"podAffinity": {REQUIRED: [TERM]}}},
    ),
}
"""Fields of a Pod that a MyResource does not have: with them, and without."""


@pytest.mark.parametrize(("fields", "less"), [pytest.param(*pair, id=what) for what, pair in UNOFFERED.items()])
def test_what_is_not_offered_is_dropped_by_both(fields: Json, less: Json) -> None:
    assert stored(my_resource(**fields)) == stored(my_resource(**less))
    assert read_stored(my_resource(**fields)) == read_stored(my_resource(**less))
    assert isinstance(read_stored(my_resource(**fields)), MyResourceSpec)
