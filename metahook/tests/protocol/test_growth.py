"""The CPU of keeping children grows with their size, and no faster. What is quadratic is seen to be caught."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from metahook import Deployment, SyncRequest
from toolkit.builders import Json
from toolkit.growth import is_linear
from toolkit.kept import deployment, managed
from toolkit.widgets import widget

NAME = "n" * 20
LARGE = 30_000


def _fields_of_one_key(number: int) -> Json:
    return {'k:{"name":"v"}': {f"f:{NAME}{each}": {} for each in range(number + 1)}} if number % 500 == 499 else {}


OWNED: dict[str, tuple[Callable[[int], Json], Callable[[int], Any]]] = {
    "items and items": (lambda n: {f'k:{{"name":"v{n}"}}': {"f:name": {}}}, lambda n: {"name": f"v{n}"}),
    "values and values": (lambda n: {f'v:"{NAME}{n}"': {}}, lambda n: f"{NAME}{n}"),
    "keys of other fields": (lambda n: {f'k:{{"x{n}":1}}': {"f:name": {}}}, lambda n: {f"x{n}": 1}),
    "fields, and items of one key": (_fields_of_one_key, lambda _: {"name": "v", "value": NAME}),
}
"""What is owned for each number, and what is there."""


def request(*children: Json) -> bytes:
    group = {f"default/{child['metadata']['name']}": child for child in children}
    return json.dumps({"parent": widget(), "children": {"Deployment.apps/v1": group}}).encode()


def kept(body: bytes) -> list[Json]:
    return SyncRequest.decode(body, (Deployment,)).children.kept()


@pytest.mark.parametrize(("owned", "there"), OWNED.values(), ids=OWNED)
def test_many_owned_fields_and_many_values_cost_no_more_than_their_size(
    owned: Callable[[int], Json], there: Callable[[int], Any]
) -> None:
    def make(size: int) -> bytes:
        numbers = range(size // 40)
        fields = {field: sub for number in numbers for field, sub in owned(number).items()}
        return request(managed({"f:spec": {"f:env": fields}}, spec={"env": [there(number) for number in numbers]}))

    assert kept(make(LARGE))[0]["spec"]["env"]
    assert is_linear(make, kept, LARGE)


def many_children(size: int) -> bytes:
    return request(*(deployment(metadata={"name": f"d{number}"}) for number in range(size // 250)))


def every_pair(body: bytes) -> int:
    """Compare the children with each other."""
    names = list(json.loads(body)["children"]["Deployment.apps/v1"])
    return sum(one == other for one in names for other in names)


def test_many_children_cost_no_more_than_their_size() -> None:
    assert is_linear(many_children, kept, LARGE)
    assert not is_linear(many_children, every_pair, LARGE)
