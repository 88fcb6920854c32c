"""Metadata in a file that the API server would refuse is one line, with its path and the remedy."""

from collections.abc import Callable
from typing import Any

import pytest

from app.cli.files.metadata import name_problems
from app.cli.files.validation import problems
from metahook.cli.errors import InputError
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
def test_problems_include_those_of_the_metadata(metadata: Json) -> None:
    (field,) = metadata

    with pytest.raises(InputError, match=f"^web.yaml: web: metadata.{field}: "):
        problems(with_metadata(metadata), "web.yaml")


@pytest.mark.parametrize("metadata", VALID, ids=str)
def test_metadata_that_the_api_server_accepts_is_accepted(metadata: Json, write: Callable[..., str]) -> None:
    assert [*name_problems(metadata), *problems(with_metadata(metadata), "x")] == []
    assert call("render", "-f", write(with_metadata(metadata))).code == 0


@pytest.mark.parametrize("namespace", [None, ""])
def test_a_file_without_a_namespace_matches_any_namespace(namespace: str | None, write: Callable[..., str]) -> None:
    plain = write(with_metadata({"namespace": namespace}), name="plain.yaml")
    other = write(with_metadata({"namespace": "shop"}), name="other.yaml")

    for pair in ((plain, other), (other, plain)):
        assert call("diff", *pair).code == 0


def test_unknown_fields_are_named() -> None:
    parent = {**with_metadata({"lables": {}}), "replicas": 3, "spce": {}}

    assert problems(parent, "web.yaml") == [
        "web.yaml: web: replicas: unknown field; remove it",
        "web.yaml: web: spce: unknown field; did you mean spec?",
        "web.yaml: web: metadata.lables: unknown field; did you mean labels?",
    ]
