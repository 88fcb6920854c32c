"""Metadata in a file that the API server would refuse is one line, with its path and the remedy."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.cli.command import call
from tests.requests.builders import my_resource

Json = dict[str, Any]

WRONG_NAMES: list[Json] = [
    {"namespace": "a/b"},
    {"namespace": "Shop"},
    {"namespace": "a.b"},
    {"namespace": "a" * 64},
    {"labels": {"a b": "x"}},
    {"labels": {"": "x"}},
    {"labels": {"a": "x y"}},
    {"labels": {"a": "x" * 64}},
    {"labels": {"a": "x\n"}},
    {"annotations": {"/a": "x"}},
    {"annotations": {"x" * 254 + "/a": "x"}},
    {"finalizers": ["not a name"]},
]
VALID: list[Json] = [
    {"namespace": None, "labels": None, "annotations": None, "ownerReferences": None, "creationTimestamp": None},
    {"namespace": "a" * 63},
    {"labels": {"app.kubernetes.io/name": "", "A_b": "x" * 63}},
    {"annotations": {"Example.com/a": "any\ntext \N{WHALE}"}},
]


def with_metadata(metadata: Json) -> Json:
    return {**my_resource(), "metadata": {"name": "web", **metadata}}


@pytest.mark.parametrize("metadata", [{"labels": {"a": 1}}, *WRONG_NAMES], ids=str)
def test_metadata_that_the_api_server_refuses_is_refused(metadata: Json, write: Callable[..., str]) -> None:
    (field,) = metadata

    ended = call("render", "-f", write(with_metadata(metadata)))

    assert (ended.code, ended.out) == (1, "")
    assert {line.split(": ")[3].split(".")[1] for line in ended.err.splitlines()} == {field}


@pytest.mark.parametrize("metadata", VALID, ids=str)
def test_metadata_that_the_api_server_accepts_is_accepted(metadata: Json, write: Callable[..., str]) -> None:
    assert call("render", "-f", write(with_metadata(metadata))).code == 0


@pytest.mark.parametrize("namespace", [None, ""])
def test_a_file_without_a_namespace_matches_any_namespace(namespace: str | None, write: Callable[..., str]) -> None:
    plain = write(with_metadata({"namespace": namespace}), name="plain.yaml")
    other = write(with_metadata({"namespace": "shop"}), name="other.yaml")

    for pair in ((plain, other), (other, plain)):
        assert call("diff", *pair).code == 0


def test_unknown_fields_are_named(write: Callable[..., str]) -> None:
    parent = {**with_metadata({"lables": {}}), "replicas": 3, "spce": {}}

    ended = call("render", "-f", write(parent, name="web.json"))

    assert [line.partition("MyResource web: ")[2] for line in ended.err.splitlines()] == [
        "metadata.lables: unknown field; did you mean labels?",
        "replicas: unknown field; remove it",
        "spce: unknown field; did you mean spec?",
    ]
