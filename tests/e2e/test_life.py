"""MyResources are created and changed in each way that a user can, and cause no writes in between."""

from typing import Any, NamedTuple

import pytest

from tests.e2e.fresh import differences
from tests.e2e.namespace import PORT, Namespace

HTTP = PORT["ports"][0]


class Change(NamedTuple):
    """A change of a spec: the spec before, the changed fields, and whether it replaces Pods."""

    before: dict[str, Any]
    after: dict[str, Any]
    restarts: bool = True


CHANGES = {
    "image": Change({}, {"image": "nginx:1.28"}),
    "memory": Change({"memory": "64Mi"}, {"memory": "128Mi"}),
    "memory to the same amount in other words": Change({"memory": "1Gi"}, {"memory": "1024Mi"}, restarts=False),
    "memory to resources": Change(
        {"memory": "64Mi", "cpu": "100m"},
        {"memory": None, "cpu": None, "resources": {"requests": {"cpu": "50m"}, "limits": {"memory": "96Mi"}}},
    ),
    "replicas up": Change({"replicas": 1}, {"replicas": 3}, restarts=False),
    "replicas left out again": Change({"replicas": 3}, {"replicas": None}, restarts=False),
    "ports added": Change({}, {"ports": [HTTP]}),
    "ports removed": Change({"ports": [HTTP]}, {"ports": None}),
    "port renamed": Change({"ports": [HTTP]}, {"ports": [{"name": "web", "containerPort": 80}]}),
    "port made UDP": Change({"ports": [HTTP]}, {"ports": [{**HTTP, "protocol": "UDP"}]}),
    "one variable removed": Change(
        {"env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]}, {"env": [{"name": "B", "value": "2"}]}
    ),
    "all variables removed": Change({"env": [{"name": "A", "value": "1"}]}, {"env": None}),
    "a variable's value to a reference": Change(
        {"env": [{"name": "A", "value": "1"}]},
        {"env": [{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}]},
    ),
    "strategy to Recreate": Change({}, {"strategy": {"type": "Recreate"}}, restarts=False),
    "strategy to RollingUpdate": Change({"strategy": {"type": "Recreate"}}, {"strategy": None}, restarts=False),
    "probe from HTTP to TCP": Change(
        {**PORT, "readinessProbe": {"httpGet": {"port": "http"}, "periodSeconds": 7}},
        {"readinessProbe": {"httpGet": None, "tcpSocket": {"port": "http"}}},
    ),
    "probe from command to gRPC": Change(
        {**PORT, "livenessProbe": {"exec": {"command": ["true"]}}},
        {"livenessProbe": {"exec": None, "grpc": {"port": 80}}},
    ),
    "probe removed": Change({**PORT, "startupProbe": {"tcpSocket": {"port": 80}}}, {"startupProbe": None}),
    "session affinity on": Change(PORT, {"service": {"sessionAffinity": "ClientIP"}}, restarts=False),
    "session affinity off": Change(
        {**PORT, "service": {"sessionAffinity": "ClientIP"}}, {"service": None}, restarts=False
    ),
    "service switched off": Change(PORT, {"service": {"mode": "Disabled"}}, restarts=False),
    "service to NodePort and back": Change(
        {**PORT, "service": {"type": "NodePort"}}, {"service": None}, restarts=False
    ),
    "volume of another type": Change(
        {"volumes": [{"name": "v", "emptyDir": {}}], "volumeMounts": [{"name": "v", "mountPath": "/v"}]},
        {"volumes": [{"name": "v", "configMap": {"name": "c", "optional": True}}]},
    ),
    "security profile": Change({}, {"securityProfile": "Restricted"}),
    "restart asked for": Change({}, {"restartedAt": "2026-01-31T00:00:00Z"}),
}


@pytest.mark.each_mode
@pytest.mark.parametrize("change", CHANGES.values(), ids=list(CHANGES))
def test_after_a_change_the_children_equal_fresh_ones_and_are_idle(here: Namespace, change: Change) -> None:
    here.ready(**change.before)
    pods = here.pods()

    here.change(**change.after)
    here.wait_until_ready()

    assert differences(here) == []
    assert bool(pods & here.pods()) != change.restarts
    assert here.touched().writes == []


def test_a_second_apply_writes_nothing(here: Namespace) -> None:
    here.ready(**PORT)
    done = here.since()

    here.client.apply(here.manifest(**PORT))
    here.wait_until_quiet()

    assert done.writes == []


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


def test_two_namespaces_have_one_of_the_same_name_each(here: Namespace, elsewhere: Namespace) -> None:
    here.ready(image="nginx:1")
    elsewhere.ready(image="nginx:2")
    done = elsewhere.since()

    here.delete("MyResource")
    here.eventually(lambda: here.find("Deployment") is None)
    elsewhere.wait_until_quiet()

    assert done.writes == []
    assert elsewhere.main()["image"] == "nginx:2"


def test_a_name_may_have_52_characters(here: Namespace) -> None:
    name = "a" + 50 * "b" + "c"

    here.ready(name, **PORT)

    assert differences(here, name) == []


def test_it_may_have_50_labels(here: Namespace) -> None:
    labels = {f"example.com/label-{number}": "x" * 63 for number in range(50)}
    here.client.create(here.manifest(labels=labels))

    here.wait_until_ready()

    assert here.touched().writes == []
