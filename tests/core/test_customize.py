import json
from typing import Any

import pytest

from app.api.names import SHARD_LABEL
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


def named(resource: str, *names: str, version: str = "v1") -> dict[str, Any]:
    return {"apiVersion": version, "resource": resource, "namespace": "default", "names": list(names)}


CONFIG_MAPS, SERVICE = named("configmaps", "a", "b"), named("services", "web")
MY_BACKUPS = named("mybackups", "one", "two", version="example.com/v1")


@pytest.mark.parametrize(
    ("watch", "spec", "expected"),
    [
        pytest.param(Watch(), {}, [PODS], id="no ports"),
        pytest.param(Watch(pods=False), {}, [], id="no Pods"),
        pytest.param(Watch(), {"ports": PORTS}, [SERVICE, PODS], id="a desired Service"),
        pytest.param(Watch(), {"ports": PORTS, "service": {"mode": "Disabled"}}, [PODS], id="no Service"),
        pytest.param(Watch(), {"ports": PORTS, "image": "no image"}, [], id="an invalid spec"),
        pytest.param(Watch(), USED, [PODS, CONFIG_MAPS], id="neither Secrets nor kinds of others by default"),
        pytest.param(BACKUPS, USED, [PODS, CONFIG_MAPS, named("secrets", "c"), MY_BACKUPS], id="what is watched"),
        pytest.param(
            BACKUPS, {**USED, "configReload": {"mode": "Disabled"}}, [PODS, MY_BACKUPS], id="no configuration"
        ),
    ],
)
def test_each_kind_has_one_rule_with_the_names_that_are_used(
    watch: Watch, spec: dict[str, Any], expected: list[dict[str, Any]]
) -> None:
    answer = json.loads(controller(watch).handle_customize(customize_request(my_resource(**spec))).body)

    assert answer["relatedResources"] == expected
