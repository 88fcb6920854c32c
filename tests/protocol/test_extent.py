"""The extent of a request: what no cluster has is refused before it takes memory."""

import tracemalloc

import pytest

from metahook import ConfigMap, CustomizeRequest, MalformedRequest, SyncRequest
from metahook.protocol import extent
from metahook.protocol.extent import MAX_OBJECTS, MAX_PARENT
from tests.hooks.minimal import PARENT, sync_body

MIB = 1024 * 1024
Groups = dict[str, dict[str, dict[str, str]]]
TOO_MANY = "the body has more than 50,000 groups and objects"


def with_objects(count: int, place: str = "related") -> bytes:
    """Return a sync request over 1 MiB with *count* groups and objects."""
    groups: Groups = {"ConfigMap.v1": {}, "Pod.v1": {str(number): {} for number in range(count - 2)}}
    return sync_body(**{"later": "x" * MIB, "children": {"ConfigMap.v1": {}}, "related": {}, place: groups})


def decoded(body: bytes) -> str:
    """Return "" if *body* can be decoded, and else why not."""
    try:
        SyncRequest.decode(body, (ConfigMap,))
        CustomizeRequest.decode(body)
    except MalformedRequest as error:
        return str(error)
    return ""


def test_a_request_may_have_fifty_thousand_groups_and_objects() -> None:
    assert decoded(with_objects(MAX_OBJECTS - 1)) == ""


@pytest.mark.parametrize("place", ["children", "related"])
def test_a_request_with_more_is_malformed(place: str) -> None:
    assert decoded(with_objects(MAX_OBJECTS + 2, place)) == TOO_MANY


def test_a_request_of_many_groups_is_malformed() -> None:
    groups: Groups = {str(number): {} for number in range(MAX_OBJECTS + 1)}

    assert decoded(sync_body(later="x" * MIB, related=groups)) == TOO_MANY


def most_memory(body: bytes) -> int:
    """Return how many bytes of memory it takes to decode *body*."""
    tracemalloc.start()
    decoded(body)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


def test_many_objects_are_refused_in_little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    body = with_objects(30_000)
    unlimited = most_memory(body)

    monkeypatch.setattr(extent, "MAX_OBJECTS", 1_000)

    assert most_memory(body) < unlimited / 4


@pytest.mark.parametrize("field", ["spec", "status"])
def test_a_parent_that_no_api_server_takes_is_malformed(field: str) -> None:
    fits, too_large = ({**PARENT, field: {"x": "x" * (MAX_PARENT + more)}} for more in (-8, -7))

    assert decoded(sync_body(parent=fits)) == ""
    assert decoded(sync_body(parent=too_large)) == f"parent.{field} is larger than 3 MiB"


def test_a_hundred_thousand_levels_are_refused_in_little_memory() -> None:
    def nested(levels: int) -> bytes:
        return b'{"later":' + b"[" * levels + b"]" * levels + b"," + sync_body()[1:]

    assert decoded(nested(500)) == ""
    assert decoded(nested(100_000)) == "the body is nested too deeply"
    assert most_memory(nested(100_000)) < MIB


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (sync_body(later="x" * MIB)[:-1], "the body is not JSON"),
        (sync_body(later="x" * MIB, children=[]), "children must be an object"),
    ],
    ids=["cut", "another shape"],
)
def test_a_large_body_of_another_shape_breaks_the_rule_that_a_small_one_breaks(body: bytes, message: str) -> None:
    assert decoded(body) == message
