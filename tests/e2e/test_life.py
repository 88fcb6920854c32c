"""MyResources are created and changed in each way that a user can, and cause no writes in between."""

from typing import Any, NamedTuple

import pytest

from tests.e2e.fresh import differences
from tests.e2e.namespace import PORT, Namespace
from tests.e2e.test_apply_strategy import CHANGES as OF_FIELDS


class Change(NamedTuple):
    """A change of a spec: the spec before, the changed fields, and whether it replaces Pods."""

    before: dict[str, Any]
    after: dict[str, Any]
    restarts: bool = True


CHANGES = {
    **{
        name: Change(*fields, restarts=name not in ("service-port", "propagated")) for name, fields in OF_FIELDS.items()
    },
    "numbers and the Service": Change(
        {**PORT, "memory": "1Gi", "replicas": 3, "strategy": {"type": "Recreate"}, "service": {"type": "NodePort"}},
        {
            "memory": "1024Mi",
            "replicas": None,
            "strategy": None,
            "service": {"type": None, "sessionAffinity": "ClientIP"},
        },
        restarts=False,
    ),
    "service switched off": Change(PORT, {"service": {"mode": "Disabled"}}, restarts=False),
    "memory to resources": Change(
        {"memory": "64Mi", "cpu": "100m"},
        {"memory": None, "cpu": None, "resources": {"requests": {"cpu": "50m"}, "limits": {"memory": "96Mi"}}},
    ),
    "probes": Change(
        {**PORT, "livenessProbe": {"exec": {"command": ["true"]}}, "startupProbe": {"tcpSocket": {"port": 80}}},
        {"livenessProbe": {"exec": None, "grpc": {"port": 80}}, "startupProbe": None},
    ),
    "security profile": Change({}, {"securityProfile": "Restricted"}),
    "a restart": Change({}, {"restartedAt": "2026-01-31T00:00:00Z"}),
}


@pytest.mark.each_mode
@pytest.mark.parametrize("change", CHANGES.values(), ids=list(CHANGES))
def test_after_a_change_the_children_equal_fresh_ones_and_are_idle(here: Namespace, change: Change) -> None:
    here.ready(labels={"team": "red"}, **change.before)
    pods = here.pods()

    here.change(**change.after)
    here.wait_until_ready()

    assert differences(here) == []
    assert bool(pods & here.pods()) != change.restarts
    assert here.touched().writes == []


def test_an_idle_sync_requests_only_the_parent(here: Namespace) -> None:
    here.ready(**PORT)

    done = here.touched()

    assert {(request.right.verb, request.right.resource) for request in done.requests} == {("get", "myresources")}


def test_the_scale_subresource_scales_one_with_the_longest_name_and_many_labels(here: Namespace) -> None:
    name, labels = "a" + 50 * "b" + "c", {f"example.com/label-{number}": "x" * 63 for number in range(50)}
    here.ready(name, labels=labels, **PORT)

    here.client.change("MyResource", here.name, name, {"spec": {"replicas": 2}}, part="/scale")
    here.wait_until_ready(name)

    scale = here.client.http.get(here.client.path("MyResource", here.name, name) + "/scale").json()
    assert scale["status"] == {"replicas": 2, "selector": f"myresource={name}"}
    assert differences(here, name) == []
    assert here.touched(name).writes == []
