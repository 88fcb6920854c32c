"""Answers are read as strictly, and as carelessly, as Metacontroller reads them."""

import json
from typing import Any

import pytest

from app.simulator.hook import Reply
from app.simulator.metacontroller.answer import Answer, BadAnswer, Crash, TooMany, read_customize, read_sync

Json = dict[str, Any]
CHILD = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}
RULE = {"apiVersion": "v1", "resource": "configmaps", "namespace": "default"}


def ok(answer: Any) -> Reply:
    return Reply(200, json.dumps(answer).encode())


@pytest.mark.parametrize("answer", [None, {}, {"status": None, "children": None, "resyncAfterSeconds": None}])
def test_an_empty_answer_is_one_without_children(answer: Any) -> None:
    assert read_sync(ok(answer)) == Answer({}, [], 0)


def test_a_full_answer() -> None:
    answer = {"status": {"a": 1}, "children": [CHILD], "resyncAfterSeconds": 1.5, "finalized": False}

    assert read_sync(ok(answer)) == Answer({"a": 1}, [CHILD], 1.5)


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
        b'{"children": [{"kind": "ConfigMap"}]}',
        b'{"resyncAfterSeconds": "30"}',
        b'{"resyncAfterSeconds": true}',
        b'{"finalized": 1}',
    ],
)
def test_an_answer_that_can_not_be_read_is_an_error(body: bytes) -> None:
    with pytest.raises(BadAnswer):
        read_sync(Reply(200, body))


def test_a_null_child_ends_the_process() -> None:
    with pytest.raises(Crash):
        read_sync(ok({"children": [CHILD, None]}))


@pytest.mark.parametrize(("retry_after", "seconds"), [(None, 0), (7, 7)])
def test_a_429_says_when_to_come_back(retry_after: float | None, seconds: float) -> None:
    with pytest.raises(TooMany) as raised:
        read_sync(Reply(429, b"no JSON", retry_after))

    assert raised.value.seconds == seconds


def test_rules() -> None:
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
        {"rules": []},
    ],
)
def test_rules_that_can_not_be_read_are_an_error(answer: Any) -> None:
    with pytest.raises(BadAnswer):
        read_customize(ok(answer))
