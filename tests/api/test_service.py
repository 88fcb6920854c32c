"""The one annotation of a Service that Kubernetes itself reads; only the hook can judge it."""

import pytest

from app.api.reading import InvalidSpec
from app.api.spec import MyResourceSpec
from tests.api.apiserver import read_stored, refusals, stored
from tests.requests.builders import Json, my_resource

RANGES = "service.beta.kubernetes.io/load-balancer-source-ranges"
PROBLEM = InvalidSpec(
    f"spec.service: annotation {RANGES} requires type LoadBalancer and a comma-separated list of networks"
)


def _service(ranges: str, kind: str | None = "LoadBalancer") -> Json:
    return stored(my_resource(service={"type": kind, "annotations": {RANGES: ranges}}))


@pytest.mark.parametrize(
    "ranges",
    [
        "10.0.0.0/8",
        "0.0.0.0/0",
        "1.2.3.4/32",
        " 10.0.0.0/8 , 1.2.3.0/24 ",
        "10.0.0.0/8\n",
        "::/0",
        "2001:db8::/32,fd00::/8",
    ],
)
def test_networks_are_accepted(ranges: str) -> None:
    assert isinstance(read_stored(_service(ranges)), MyResourceSpec)


@pytest.mark.parametrize(
    "ranges",
    [
        "x",
        "10.0.0.0",
        "10.0.0.0/",
        "10.0.0.0/33",
        "10.0.0.0/-8",
        "10.0.0.0/+8",
        "10.0.0.0/8,",
        "10.0.0.0/8;1.2.3.0/24",
        "10.0.0.0/8 1.2.3.0/24",
        "10.0.0/8",
        "010.0.0.0/8",
        "10.0.0.0/08",
        "10.0.0.1/8",
        "10.0.0.0/255.0.0.0",
        "10.0.0.0/0.255.255.255",
        "2001:db8::1/32",
        "fe80::%eth0/64",
        "::ffff:1.2.3.0/120",
        "example.com/8",
    ],
)
def test_what_the_api_server_would_not_take_as_networks_is_a_problem(ranges: str) -> None:
    assert refusals(_service(ranges)) == []
    assert read_stored(_service(ranges)) == PROBLEM


@pytest.mark.parametrize("kind", [None, "ClusterIP", "NodePort"])
def test_networks_without_a_load_balancer_are_a_problem(kind: str | None) -> None:
    assert read_stored(_service("10.0.0.0/8", kind)) == PROBLEM


def test_any_other_annotation_says_what_it_likes() -> None:
    resource = my_resource(service={"annotations": {"service.beta.kubernetes.io/aws-load-balancer-type": "x"}})

    assert isinstance(read_stored(resource), MyResourceSpec)
