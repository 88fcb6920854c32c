import json
from typing import Any

import pytest

from app.api.values.names import SHARD_LABEL
from app.core.controller import controller
from app.core.watch import Watch
from metahook import Kind
from metahook.protocol.request_builder import customize_request
from tests.requests.builders import my_resource

PORTS = [{"containerPort": 80}]
PODS = {
    "apiVersion": "v1",
    "resource": "pods",
    "namespace": "default",
    "labelSelector": {"matchLabels": {"myresource": "web"}},
}


BACKUPS = Watch(secrets=True, dependencies=(Kind("example.com/v1", "MyBackup", "mybackups"),))


def rules(watch: Watch = Watch(), **spec: Any) -> list[dict[str, Any]]:  # noqa: B008 - a frozen value
    answer = json.loads(controller(watch).handle_customize(customize_request(my_resource(**spec))).body)
    found: list[dict[str, Any]] = answer["relatedResources"]
    return found


def test_a_desired_service_is_looked_for_by_name_in_the_parents_namespace() -> None:
    assert rules(ports=PORTS) == [
        {"apiVersion": "v1", "resource": "services", "namespace": "default", "names": ["web"]},
        PODS,
    ]


@pytest.mark.parametrize(
    "spec",
    [
        pytest.param({}, id="no ports"),
        pytest.param({"ports": PORTS, "service": {"mode": "Disabled"}}, id="no service"),
    ],
)
def test_without_a_desired_service_only_pods_are_related(spec: dict[str, Any]) -> None:
    assert rules(**spec) == [PODS]


def test_an_invalid_spec_asks_for_nothing() -> None:
    assert rules(ports=PORTS, image="no image") == []


def test_a_myresource_of_another_shard_has_the_same_rules() -> None:
    parent = my_resource(ports=PORTS)
    parent["metadata"]["labels"] = {SHARD_LABEL: "1"}
    selectors = [{"matchLabels": {SHARD_LABEL: value}} for value in ("1", "2")]
    requests = [
        {"controller": {"spec": {"parentResource": {"labelSelector": each}}}, "parent": parent} for each in selectors
    ]

    own, other = (controller(Watch()).handle_customize(json.dumps(request).encode()).body for request in requests)

    assert own == other
    assert len(json.loads(own)["relatedResources"]) == 2


def waiting(resource: str, name: str) -> dict[str, str]:
    return {"apiVersion": "example.com/v1", "resource": resource, "name": name}


USED: dict[str, Any] = {
    "envFrom": [
        {"configMapRef": {"name": "b"}},
        {"configMapRef": {"name": "a"}},
        {"configMapRef": {"name": "b"}},
        {"secretRef": {"name": "c"}},
    ],
    "dependencies": [waiting("mybackups", "two"), waiting("mybackups", "one"), waiting("others", "three")],
}


def test_each_kind_has_one_rule_by_name() -> None:
    assert rules(BACKUPS, **USED) == [
        PODS,
        {"apiVersion": "v1", "resource": "configmaps", "namespace": "default", "names": ["a", "b"]},
        {"apiVersion": "v1", "resource": "secrets", "namespace": "default", "names": ["c"]},
        {"apiVersion": "example.com/v1", "resource": "mybackups", "namespace": "default", "names": ["one", "two"]},
    ]


def test_by_default_neither_secrets_nor_kinds_of_others_are_asked_for() -> None:
    assert [rule["resource"] for rule in rules(**USED)] == ["pods", "configmaps"]


def test_configuration_that_is_not_watched_is_not_asked_for() -> None:
    assert [rule["resource"] for rule in rules(BACKUPS, **USED, configReload={"mode": "Disabled"})] == [
        "pods",
        "mybackups",
    ]
