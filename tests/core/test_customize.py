import json
from typing import Any

import pytest

from app.core.controller import MYRESOURCE
from app.hooks.sender import customize_request
from tests.build import my_resource

PORTS = [{"containerPort": 80}]
PODS = {
    "apiVersion": "v1",
    "resource": "pods",
    "namespace": "default",
    "labelSelector": {"matchLabels": {"myresource": "web"}},
}


def rules(**spec: Any) -> list[dict[str, Any]]:
    answer = json.loads(MYRESOURCE.answer_customize(customize_request(my_resource(**spec))))
    found: list[dict[str, Any]] = answer["relatedResources"]
    return found


def test_a_wanted_service_is_looked_for_by_name_in_the_parents_namespace() -> None:
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
def test_without_a_wanted_service_only_pods_are_asked_for(spec: dict[str, Any]) -> None:
    assert rules(**spec) == [PODS]


def test_an_invalid_spec_asks_for_nothing() -> None:
    assert rules(ports=PORTS, image="no image") == []
