"""What CEL can not judge, or only of a change: an annotation that Kubernetes reads, and headless Services."""

import pytest

from app.api.reading import InvalidSpec
from app.api.spec import MyResourceSpec
from tests.api.apiserver import RULES, SCHEMA, is_transition, read_stored, refusals, stored
from tests.requests.builders import Json, my_resource
from tests.support.rules import holds

RANGES = "service.beta.kubernetes.io/load-balancer-source-ranges"
PROBLEM = InvalidSpec(
    f"spec.service: annotation {RANGES} requires type LoadBalancer and a comma-separated list of networks"
)


def _service(ranges: str, kind: str | None = "LoadBalancer") -> Json:
    return stored(my_resource(service={"type": kind, "annotations": {RANGES: ranges}}))


@pytest.mark.parametrize(
    "ranges",
    [
        "10.0.0.0/8", "0.0.0.0/0", "1.2.3.4/32", " 10.0.0.0/8 , 1.2.3.0/24 ", "10.0.0.0/8\n", "::/0",
        "2001:db8::/32,fd00::/8",
    ],
)  # fmt: skip
def test_networks_are_accepted(ranges: str) -> None:
    assert isinstance(read_stored(_service(ranges)), MyResourceSpec)


@pytest.mark.parametrize(
    "ranges",
    [
        "x", "10.0.0.0", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-8", "10.0.0.0/+8", "10.0.0.0/8,",
        "10.0.0.0/8;1.2.3.0/24", "10.0.0.0/8 1.2.3.0/24", "10.0.0/8", "010.0.0.0/8", "10.0.0.0/08", "10.0.0.1/8",
        "10.0.0.0/255.0.0.0", "10.0.0.0/0.255.255.255", "2001:db8::1/32", "fe80::%eth0/64", "::ffff:1.2.3.0/120",
        "example.com/8",
    ],
)  # fmt: skip
def test_what_the_api_server_would_not_take_as_networks_is_a_problem(ranges: str) -> None:
    assert refusals(_service(ranges)) == []
    assert read_stored(_service(ranges)) == PROBLEM


@pytest.mark.parametrize("kind", [None, "ClusterIP", "NodePort"])
def test_networks_without_a_load_balancer_are_a_problem(kind: str | None) -> None:
    assert read_stored(_service("10.0.0.0/8", kind)) == PROBLEM


HEADLESS: Json = {"clusterIP": "None"}
PORTS: Json = {"ports": [{"containerPort": 80}]}
(TRANSITION,) = [rule["rule"] for rule in SCHEMA["properties"]["spec"][RULES] if is_transition(rule)]


@pytest.mark.parametrize(
    ("before", "after", "is_accepted"),
    [
        ({**PORTS, "service": {}}, {**PORTS, "service": HEADLESS}, False),
        ({**PORTS, "service": HEADLESS}, {**PORTS, "service": {}}, False),
        ({**PORTS, "service": HEADLESS}, {**PORTS, "service": HEADLESS, "replicas": 3}, True),
        ({**PORTS, "service": {}}, {**PORTS, "service": {**HEADLESS, "mode": "Disabled"}}, True),
        ({**PORTS, "service": {**HEADLESS, "mode": "Disabled"}}, {**PORTS, "service": HEADLESS}, True),
        ({**PORTS, "service": {"mode": "Disabled"}}, {**PORTS, "service": HEADLESS}, True),
        ({"service": {}}, {**PORTS, "service": HEADLESS}, True),
    ],
)
def test_a_service_becomes_headless_only_while_there_is_none(before: Json, after: Json, is_accepted: bool) -> None:  # noqa: FBT001 - expected
    old, new = (stored(my_resource(**fields))["spec"] for fields in (before, after))

    assert holds(TRANSITION, new, old) == is_accepted
