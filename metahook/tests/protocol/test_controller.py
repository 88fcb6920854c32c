import json

import pytest
from msgspec.structs import replace

from metahook import ConfigMap, Controller, MalformedRequest, RefusedResponse, RelatedRule, SyncRequest, SyncResponse
from metahook.protocol.gate import MAX_RESPONSE
from toolkit.builders import NOW, Json
from toolkit.hooks.minimal import PARENT, TINY, config_map, controller, customize_body, sync_body

LAST_APPLIED = "metacontroller.k8s.io/last-applied-configuration"
KEEPER = controller(lambda request: SyncResponse(status={"a": 1}, kept=request.children.kept()))


def nested(levels: int) -> bytes:
    return b"[" * levels + b"]" * levels


def answer(made: SyncResponse) -> bytes:
    return controller(lambda _: made).handle_sync(sync_body(), NOW).body


def with_record(text: str) -> bytes:
    child = {**config_map(), "metadata": {**config_map()["metadata"], "annotations": {LAST_APPLIED: text}}}
    return sync_body(children={"ConfigMap.v1": {"hello": child}})


def test_a_sync_request_becomes_an_answer() -> None:
    assert json.loads(TINY.handle_sync(sync_body(), NOW).body) == {
        "status": {"askedAt": "2026-01-31T12:00:00+00:00"},
        "children": [config_map(data={"word": "good day"})],
        "resyncAfterSeconds": 60,
    }


def test_a_customize_request_becomes_an_answer() -> None:
    assert json.loads(TINY.handle_customize(customize_body()).body) == {
        "relatedResources": [{"apiVersion": "v1", "resource": "configmaps", "namespace": "default", "names": ["hello"]}]
    }


def test_a_controller_without_customize_asks_for_nothing() -> None:
    plain = Controller(sync=TINY.sync, children=TINY.children)

    assert plain.handle_customize(customize_body()).body == b'{"relatedResources":[]}'


def test_the_same_request_at_the_same_time_has_the_same_bytes() -> None:
    assert TINY.handle_sync(sync_body(), NOW).body == TINY.handle_sync(sync_body(), NOW).body


@pytest.mark.parametrize("body", [b"", b"{}", customize_body(), sync_body()[:-1]], ids=["no", "{}", "other", "cut"])
def test_what_is_no_sync_request_is_malformed(body: bytes) -> None:
    with pytest.raises(MalformedRequest):
        TINY.handle_sync(body, NOW)


@pytest.mark.parametrize("body", [b"", b"{}", customize_body()[:-1]], ids=["no", "{}", "cut"])
def test_what_is_no_customize_request_is_malformed(body: bytes) -> None:
    with pytest.raises(MalformedRequest):
        TINY.handle_customize(body)


def test_a_customize_request_needs_no_children_but_may_have_some() -> None:
    assert TINY.handle_customize(sync_body()).body == TINY.handle_customize(customize_body()).body


REFUSED: dict[str, SyncResponse] = {
    "status": SyncResponse(status={}),
    "child": SyncResponse(status={"a": 1}, children=[config_map(data=None)]),
    "kept child": SyncResponse(status={"a": 1}, kept=[config_map(status={})]),
    "kind": SyncResponse(status={"a": 1}, children=[{**config_map(), "kind": "Secret"}]),
    "size": SyncResponse(status={"a": "x" * MAX_RESPONSE}),
}


@pytest.mark.parametrize("refused", REFUSED.values(), ids=REFUSED.keys())
def test_an_answer_that_would_do_damage_is_not_given(refused: SyncResponse) -> None:
    with pytest.raises(RefusedResponse):
        answer(refused)


def test_a_child_of_an_optional_kind_that_the_controller_in_the_cluster_does_not_list_is_not_given() -> None:
    optional = replace(TINY, optional_kinds=frozenset({ConfigMap}))

    with pytest.raises(RefusedResponse, match="does not list"):
        optional.handle_sync(sync_body(children={}), NOW)
    assert optional.handle_sync(sync_body(), NOW).body == TINY.handle_sync(sync_body(), NOW).body


def test_an_answer_may_be_as_large_as_the_gate_says() -> None:
    around = len(answer(SyncResponse(status={"a": "x"}))) - 1
    largest = SyncResponse(status={"a": "x" * (MAX_RESPONSE - around)})

    assert len(answer(largest)) == MAX_RESPONSE


def test_rules_for_other_namespaces_are_not_given() -> None:
    def elsewhere(_: object) -> list[RelatedRule]:
        return [{"apiVersion": "v1", "resource": "configmaps", "namespace": "kube-system"}]

    with pytest.raises(RefusedResponse):
        Controller(sync=TINY.sync, children=(), customize=elsewhere).handle_customize(customize_body())


def test_rules_that_are_too_long_are_not_given() -> None:
    def many(_: object) -> list[RelatedRule]:
        return [{"apiVersion": "v1", "resource": "x" * MAX_RESPONSE, "namespace": "default"}]

    with pytest.raises(RefusedResponse):
        Controller(sync=TINY.sync, children=(), customize=many).handle_customize(customize_body())


def test_a_decision_that_never_ends_is_a_bug_and_no_malformed_request() -> None:
    def deeper(request: SyncRequest) -> SyncResponse:
        return deeper(request)

    with pytest.raises(RecursionError):
        controller(deeper).handle_sync(sync_body(), NOW)


@pytest.mark.parametrize("levels", [2_000, 100_000])
@pytest.mark.parametrize("place", ["skipped", "spec"])
def test_a_request_that_is_too_deep_is_malformed_on_both_hooks(place: str, levels: int) -> None:
    places: Json = {"skipped": {"parent": PARENT, "later": "@"}, "spec": {"parent": {**PARENT, "spec": "@"}}}
    body = sync_body(**places[place]).replace(b'"@"', nested(levels))

    with pytest.raises(MalformedRequest):
        TINY.handle_sync(body, NOW)
    with pytest.raises(MalformedRequest):
        TINY.handle_customize(body)


def test_children_are_kept_as_they_were_applied() -> None:
    record = json.dumps({"data": {"a": "b"}})

    assert json.loads(KEEPER.handle_sync(with_record(record), NOW).body)["children"] == [
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "hello"}, "data": {"a": "b"}}
    ]


def test_an_answer_that_keeps_children_keeps_all_that_are_observed() -> None:
    children = {"ConfigMap.v1": {name: config_map(name) for name in ("hello", "other")}}
    forgetful = controller(lambda request: SyncResponse(status={"a": 1}, kept=request.children.kept()[:1]))

    with pytest.raises(RefusedResponse, match="not all"):
        forgetful.handle_sync(sync_body(children=children), NOW)
    assert KEEPER.handle_sync(sync_body(children=children), NOW).body
