"""What answers promise: what they took back, and what is unfinished."""

import json
from dataclasses import replace
from typing import Any

import pytest

from metahook.simulator.history import Call, History
from metahook.simulator.promises import answers, lacks, unfinished
from tests.worlds import DEPLOYMENT, WEB, deployment, parent

Json = dict[str, Any]


@pytest.mark.parametrize(
    ("new", "old", "path"),
    [
        ({"a": 1}, {"a": 2}, None),
        ({"a": 1, "b": 1}, {"a": 1}, None),
        ({"a": {"b": 1}}, {"a": {"b": 1, "c": 1}}, "spec.a.c"),
        ({"a": {"b": {}}, "z": 1}, {"a": {"b": {"c": 1}}, "z": 1}, "spec.a.b.c"),
        ({}, {"a": 1}, "spec.a"),
        ([1], [1, 2], None),
        ("a", {"a": 1}, None),
        (None, None, None),
    ],
)
def test_a_field_that_is_gone_is_named_by_its_path(new: object, old: object, path: str | None) -> None:
    assert lacks(new, old, "spec") == path


def call(answer: bytes, status: int | None = 200) -> Call:
    metadata = {**parent()["metadata"], "uid": "1", "generation": 2}
    request = {"parent": {**parent(), "metadata": metadata}, "children": {"Deployment.apps/v1": {}}}
    return Call(0.0, "sync", WEB, json.dumps(request).encode(), status, answer)


@pytest.mark.parametrize(
    ("answer", "status"), [(b"{}", 500), (b"{}", None), (b"no JSON", 200), (b"[]", 200), (b'{"children": [null]}', 200)]
)
def test_what_is_no_answer_promises_nothing(answer: bytes, status: int | None) -> None:
    assert list(answers(History([call(answer, status)]))) == []


@pytest.mark.parametrize("answer", [b"{}", b"null"])
def test_an_empty_answer_promises_that_nothing_shall_be(answer: bytes) -> None:
    (answered,) = answers(History([call(answer)]))

    assert (answered.children, answered.ready, answered.generation) == ({}, None, 2)


def test_a_parent_owns_what_refers_to_it_or_has_its_label() -> None:
    (answered,) = answers(History([call(json.dumps({"children": [deployment()]}).encode())]))
    labelled: Json = {"metadata": {"labels": {"controller-uid": "1"}}}
    controlled: Json = {"metadata": {"ownerReferences": [{"uid": "1", "controller": True}]}}

    assert answered.keys == {DEPLOYMENT}
    assert answered.owns(labelled)
    assert answered.owns(controlled)
    assert not answered.owns({"metadata": {}})
    assert not answered.owns(None)


def test_an_answer_that_no_api_server_takes_is_unfinished() -> None:
    child = deployment(replicas="x")
    body = json.dumps({"status": {"conditions": ["x"]}, "children": [child]}).encode()
    request = json.loads(call(body).request)
    request["children"]["Deployment.apps/v1"]["default/web-deployment"] = deployment()
    (answered,) = answers(History([replace(call(body), request=json.dumps(request).encode())]))

    assert unfinished(answered) == "Deployment web-deployment is not as the answer says"
    assert answered.ready is None
