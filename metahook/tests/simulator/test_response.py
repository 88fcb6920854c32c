"""Responses are checked exactly as far as Metacontroller checks them."""

import json
from typing import Any

import pytest

from metahook.simulator.hook import Reply
from metahook.simulator.metacontroller.response import (
    Crash,
    InvalidResponse,
    Response,
    TooManyRequests,
    read_customize,
    read_sync,
)

Json = dict[str, Any]
CHILD = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}
RULE = {"apiVersion": "v1", "resource": "configmaps", "namespace": "default"}


def ok(answer: Any) -> Reply:
    return Reply(200, json.dumps(answer).encode())


@pytest.mark.parametrize("answer", [None, {}, {"status": None, "children": None, "resyncAfterSeconds": None}])
def test_an_empty_response_has_no_children(answer: Any) -> None:
    assert read_sync(ok(answer)) == Response(None, [], 0)


def test_a_full_response_is_read() -> None:
    answer = {"status": {"a": 1}, "children": [CHILD], "resyncAfterSeconds": 1.5, "finalized": False}

    assert read_sync(ok(answer)) == Response({"a": 1}, [CHILD], 1.5)


def test_a_child_without_metadata_has_no_name() -> None:
    (child,) = read_sync(ok({"children": [{"apiVersion": "v1", "kind": "ConfigMap"}]})).children

    assert child["metadata"] == {}


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b'"text"',
        b"{} trailing",
        b"\xff",
        b'{"error": "boom"}',
        b'{"Status": {}}',
        b'{"status": []}',
        b'{"status": ""}',
        b'{"children": {}}',
        b'{"children": [{}]}',
        b'{"children": [1]}',
        b'{"children": [{"kind": 5}]}',
        b'{"children": [], "children": []}',
        b'{"status": {"a": {"b": 1, "b": 1}}}',
        b'{"status": {"a": NaN}}',
        b'{"status": {"a": Infinity}}',
        b'{"status": {"a": 1e400}}',
        b'{"status": {"a": 1' + b"0" * 400 + b"}}",
        b'{"status": {"a": ' + b"[" * 100 + b"]" * 100 + b"}}",
        b'{"status": {"a": ' + b"[" * 5000 + b"]" * 5000 + b"}}",
        b'{"children": [{"kind": "ConfigMap", "metadata": "x"}]}',
        b'{"children": [{"kind": "ConfigMap", "metadata": {"labels": {"a": 1}}}]}',
        b'{"resyncAfterSeconds": "30"}',
        b'{"resyncAfterSeconds": true}',
        b'{"finalized": 1}',
    ],
)
def test_an_unreadable_response_is_an_error(body: bytes) -> None:
    with pytest.raises(InvalidResponse):
        read_sync(Reply(200, body))


def test_a_null_child_crashes_metacontroller() -> None:
    with pytest.raises(Crash):
        read_sync(ok({"children": [CHILD, None]}))


@pytest.mark.parametrize(("retry_after", "seconds"), [(None, 0), (7, 7)])
def test_a_429_carries_its_retry_after(retry_after: float | None, seconds: float) -> None:
    with pytest.raises(TooManyRequests) as raised:
        read_sync(Reply(429, b"no JSON", retry_after))

    assert raised.value.seconds == seconds


def test_rules_are_read() -> None:
    rules = [{**RULE, "names": ["a"]}, {**RULE, "names": [], "labelSelector": {}}]

    assert read_customize(ok({"relatedResources": rules})) == rules
    assert read_customize(ok({})) == []


@pytest.mark.parametrize(
    "answer",
    [
        [],
        {"relatedResources": {}},
        {"relatedResources": [None]},
        {"relatedResources": [{**RULE, "name": "a"}]},
        {"relatedResources": [{**RULE, "names": ["a"], "labelSelector": {}}]},
        {"relatedResources": [{**RULE, "namespace": None, "names": ["a"], "namespaceSelector": {}}]},
        {"relatedResources": [{**RULE, "namespaceSelector": {}}]},
        {"relatedResources": [{**RULE, "namespace": None, "namespaceSelector": []}]},
        {"relatedResources": [{**RULE, "names": 5}]},
        {"relatedResources": [{**RULE, "apiVersion": ["v1"]}]},
        {"relatedResources": [{**RULE, "labelSelector": "x"}]},
        {"relatedResources": [{**RULE, "labelSelector": {"matchLabel": {}}}]},
        {"relatedResources": [{**RULE, "labelSelector": {"matchExpressions": [{"key": "a", "operator": "Is"}]}}]},
        {"relatedResources": [{**RULE, "labelSelector": {"matchExpressions": [{"key": "a", "operator": []}]}}]},
        {"relatedResources": [{**RULE, "labelSelector": {"matchExpressions": [{"key": "a", "operator": "In"}]}}]},
        {"relatedResources": [{**RULE, "labelSelector": {"matchExpressions": [{"operator": "Exists"}]}}]},
        {"rules": []},
    ],
)
def test_unreadable_rules_are_an_error(answer: Any) -> None:
    with pytest.raises(InvalidResponse):
        read_customize(ok(answer))


def test_a_rule_that_has_a_field_twice_is_an_error_in_strict_mode() -> None:
    with pytest.raises(InvalidResponse):
        read_customize(Reply(200, b'{"relatedResources": [{"resource": "pods", "resource": "pods"}]}'))


def test_a_child_may_have_a_field_twice_and_the_last_one_counts() -> None:
    body = b'{"children": [{"kind": "ConfigMap", "metadata": {"name": "a", "name": "b"}}]}'
    (child,) = read_sync(Reply(200, body)).children

    assert child["metadata"] == {"name": "b"}


def test_text_is_decoded_as_go_decodes_it() -> None:
    body = b'{"status": {"half": "\\ud800", "\\udc00": ["\\ud83d\\ude00", "\xff"], "big": 10000000000000000000}}'

    assert read_sync(Reply(200, body)).status == {"half": "\ufffd", "\ufffd": ["\U0001f600", "\ufffd"], "big": 1e19}


@pytest.mark.parametrize(
    ("written", "read"), [(2**63 - 1, 2**63 - 1), (2**63, 2.0**63), (-(2**63), -(2**63)), (-(2**63) - 1, -(2.0**63))]
)
def test_a_whole_number_of_more_than_64_bits_is_a_float(written: int, read: float) -> None:
    assert repr(read_sync(ok({"status": {"a": written}})).status) == repr({"a": read})
