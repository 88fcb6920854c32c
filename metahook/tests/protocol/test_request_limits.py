"""The limits of a request: what no cluster has is refused before it takes memory."""

import tracemalloc

import msgspec
import pytest

from metahook import (
    Absence,
    ConfigMap,
    Controller,
    CustomizeRequest,
    Deployment,
    MalformedRequest,
    Pod,
    SyncRequest,
    SyncResponse,
)
from metahook.protocol import request_limits
from metahook.protocol.request_limits import (
    MAX_DECODED,
    MAX_OBJECTS,
    MAX_PARENT,
    DecodedMemory,
    TooMuchMemory,
    decoded_size,
)
from toolkit.builders import NOW
from toolkit.hooks.minimal import PARENT, sync_body

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


@pytest.mark.parametrize("place", ["attachments", "children", "related"])
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

    monkeypatch.setattr(request_limits, "MAX_OBJECTS", 1_000)

    assert most_memory(body) < unlimited / 4


def with_field(path: str, value: object) -> dict[str, object]:
    """Return a parent with *value* at *path*."""
    outer, _, inner = path.rpartition(".")
    return {**PARENT, **({outer: {**PARENT[outer], inner: value}} if outer else {inner: value})}


FIELDS = ("labels", "annotations", "finalizers", "managedFields")


@pytest.mark.parametrize("path", ["apiVersion", "kind", *(f"metadata.{name}" for name in FIELDS), "spec", "status"])
def test_a_parent_that_no_api_server_takes_is_malformed(path: str) -> None:
    fits, too_large = (with_field(path, {"x": "x" * (MAX_PARENT + more)}) for more in (-8, -7))

    assert decoded(sync_body(parent=fits)) == ""
    assert decoded(sync_body(parent=too_large)) == f"parent.{path} is larger than 3 MiB"


def test_one_value_may_take_as_much_memory_as_all_together(monkeypatch: pytest.MonkeyPatch) -> None:
    json = b"[" + b"{}," * MIB + b"{}]"
    memory = DecodedMemory(len(json))
    memory.check(json)

    monkeypatch.setattr(request_limits, "MAX_DECODED", 1)
    monkeypatch.setattr(request_limits, "_DECODED_FACTOR", 1)

    with pytest.raises(TooMuchMemory):
        DecodedMemory(len(json)).check(json)


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


# How much memory the objects take, decoded

PADDING = "x" * MIB
"""With it the memory of a body is counted."""
TOO_MUCH = "the objects in the body would take more than 192 MiB of memory"
STORED = {
    "node selector terms": (b"{},", 781_250),
    "image pull secrets": (b"{},", 390_625),
    "variables": (b'{"name":"a"},', 223_125),
    "arguments": (b'"a",', 523_125),
    "empty arguments": (b'"",', 781_250),
    "supplemental groups": (b"0,", 781_250),
    "labels": (b'"1d4bf":"",', 120_000),
    "texts that look like JSON": (b"{,", 781_250),
    # From here on computed: with patches an object grows beyond what one request to the API server may have, 3 MiB.
    "preferred terms": (b'{"preference":{},"weight":1},', 262_144),
    "affinity terms": (b'{"labelSelector":{},"namespaceSelector":{},"topologyKey":"a"},', 174_762),
    "projected volumes": (b'{"downwardAPI":{}},', 393_216),
    "a text of colons": (b":", 1_572_864),
}
"""The items of a Deployment of which the API server of Kubernetes 1.36 stores most, and how many with etcd's limit."""


def with_deployment(spec: object) -> bytes:
    """Return a request over 1 MiB with a Deployment with this *spec*."""
    deployment = {"metadata": {"name": "a", "namespace": PARENT["metadata"]["namespace"]}, "spec": spec}
    return sync_body(later=PADDING, children={"Deployment.apps/v1": {"a": deployment}}, related={})


@pytest.mark.parametrize(("item", "count"), STORED.values(), ids=STORED.keys())
def test_the_largest_object_that_an_api_server_stores_is_read(item: bytes, count: int) -> None:
    assert decoded_size(item * count) < MAX_DECODED


def test_an_object_that_takes_more_memory_than_any_stored_one_is_refused_before_it_is_decoded() -> None:
    body = with_deployment([{}] * (MAX_DECODED // 80))

    with pytest.raises(MalformedRequest, match=TOO_MUCH):
        SyncRequest.decode(body, (Deployment,))
    tracemalloc.start()
    with pytest.raises(MalformedRequest):
        SyncRequest.decode(body, (Deployment,))
    assert tracemalloc.get_traced_memory()[1] < MIB
    tracemalloc.stop()


@pytest.mark.parametrize("item", [b"{},", b"[],", b"[[]],", b'{"a":1},', b'"a",', b'{"a":{}},'])
def test_the_memory_of_json_is_not_underestimated(item: bytes) -> None:
    json = b"[" + item * 20_000 + b"0]"
    tracemalloc.start()
    value = msgspec.json.decode(json)
    taken = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()

    assert value
    assert taken < 1.1 * decoded_size(json) < 3 * taken


def pods(count: int, items: int) -> bytes:
    """Return a request with so many Pods with as many finalizers, and with as many items in what is not read."""
    metadata = {"namespace": PARENT["metadata"]["namespace"], "finalizers": ["a"] * items}
    unread: dict[str, list[object]] = {"managedFields": [{}] * 2000}
    made = {str(number): {"metadata": {"name": f"p{number}", **metadata, **unread}} for number in range(count)}
    return sync_body(later=PADDING, related={"Pod.v1": made})


def look_at_all(request: SyncRequest, _: object) -> SyncResponse:
    observed = request.related.all(Pod)
    return SyncResponse(status={"pods": 0 if isinstance(observed, Absence) else len(observed)})


def test_related_objects_count_together_once_a_hook_looks_at_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_limits, "MAX_DECODED", 8 * MIB)
    controller = Controller(look_at_all, (ConfigMap,))

    assert b'"pods":100' in controller.handle_sync(pods(100, 100), NOW).body
    with pytest.raises(MalformedRequest, match="would take more than"):
        controller.handle_sync(pods(100, 4000), NOW)
