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


def test_kubectl_scale_changes_the_replicas(here: Namespace) -> None:
    here.ready()

    here.client.change("MyResource", here.name, "web", {"spec": {"replicas": 3}}, part="/scale")
    here.wait_until_ready()

    assert here.get("Deployment")["spec"]["replicas"] == 3
    assert len(here.pods()) == 3


def test_the_scale_shows_what_an_autoscaler_needs(here: Namespace) -> None:
    here.ready(replicas=2)

    scale = here.client.http.get(f"/apis/mygroup.example.com/v1alpha1/namespaces/{here.name}/myresources/web/scale")

    assert scale.json()["status"] == {"replicas": 2, "selector": "myresource=web"}


def test_a_name_may_have_52_characters(here: Namespace) -> None:
    name = "a" + 50 * "b" + "c"

    here.ready(name, **PORT)

    assert differences(here, name) == []


def test_it_may_have_50_labels(here: Namespace) -> None:
    labels = {f"example.com/label-{number}": "x" * 63 for number in range(50)}
    here.client.create(here.manifest(labels=labels))

    here.wait_until_ready()

    assert here.touched().writes == []
