"""Metadata in a file that no API server would take is one line, with its path and the remedy."""

import json
from pathlib import Path
from typing import Any

import pytest

from app.cli.errors import InputError
from app.cli.files.metadata import misnamed, misshapen
from app.cli.files.parents import created, problems
from tests.build import my_resource
from tests.cli.calling import assert_one_line, call

Json = dict[str, Any]

MISSHAPEN: list[Json] = [
    {"namespace": 5},
    {"labels": 5},
    {"labels": {"a": 1}},
    {"labels": {"a": None}},
    {"annotations": [1]},
    {"annotations": {"a": 1}},
    {"finalizers": 7},
    {"finalizers": [7]},
    {"ownerReferences": 3},
    {"ownerReferences": [3]},
    {"ownerReferences": [{}]},
    {"ownerReferences": [{"uid": "x", "controller": "yes"}]},
    {"uid": 5},
    {"generation": "x"},
    {"generation": True},
    {"resourceVersion": []},
    {"deletionTimestamp": False},
    {"managedFields": "x"},
]
MISNAMED: list[Json] = [
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
RIGHT: list[Json] = [
    {},
    {"namespace": None, "labels": None, "annotations": None, "ownerReferences": None, "creationTimestamp": None},
    {"namespace": ""},
    {"namespace": "a" * 63},
    {"labels": {"app.kubernetes.io/name": "", "A_b": "x" * 63}},
    {"annotations": {"Example.com/a": "any\ntext \N{WHALE}"}},
    {"finalizers": ["example.com/mine", "orphan"]},
    {
        "ownerReferences": [
            {"apiVersion": "v1", "kind": "ConfigMap", "name": "q", "uid": "u", "blockOwnerDeletion": True}
        ]
    },
]


def with_metadata(metadata: Json) -> Json:
    return {**my_resource(), "metadata": {"name": "web", **metadata}}


def written(folder: Path, item: Json) -> str:
    file = folder / "web.json"
    file.write_text(json.dumps(item))
    return str(file)


@pytest.mark.parametrize("metadata", [*MISSHAPEN, *MISNAMED], ids=str)
def test_metadata_of_a_myresource_that_no_api_server_takes_is_one_line(metadata: Json, tmp_path: Path) -> None:
    file = written(tmp_path, with_metadata(metadata))
    (field,) = metadata

    assert_one_line(call("render", "-f", file), 2, file, "web: ", f"metadata.{field}: ")
    assert_one_line(call("diff", "-f", file, "--against", "examples/web.yaml"), 2, file, f"metadata.{field}: ")
    assert_one_line(call("diff", "-f", "examples/web.yaml", "--against", file), 2, file, f"metadata.{field}: ")
    assert_one_line(call("simulate", "-f", file), 2, file, f"metadata.{field}: ")


@pytest.mark.parametrize("metadata", MISSHAPEN, ids=str)
def test_metadata_of_other_objects_is_of_the_right_types(metadata: Json, tmp_path: Path) -> None:
    item = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web-deployment", **metadata}}
    file = written(tmp_path, item)
    (field,) = metadata

    for option in ("--observed", "--related"):
        ended = call("render", "-f", "examples/web.yaml", option, file)
        assert_one_line(ended, 2, f"{file}: Deployment web-deployment: metadata.{field}: must be ")
    assert_one_line(call("replay", file), 2, f"{file}: Deployment web-deployment: metadata.{field}: must be ")


@pytest.mark.parametrize("metadata", [*MISSHAPEN, *MISNAMED], ids=str)
def test_problems_are_those_of_the_metadata_too(metadata: Json) -> None:
    (field,) = metadata

    with pytest.raises(InputError, match=f"^web.yaml: web: metadata.{field}: "):
        problems(with_metadata(metadata), "web.yaml")


@pytest.mark.parametrize("metadata", RIGHT, ids=str)
def test_metadata_that_an_api_server_takes_is_taken(metadata: Json, tmp_path: Path) -> None:
    file = written(tmp_path, with_metadata(metadata))

    assert [*misshapen(metadata), *misnamed(metadata), *problems(with_metadata(metadata), "x")] == []
    assert (call("render", "-f", file).code, call("render", "-f", "examples/web.yaml", "--observed", file).code) == (
        0,
        0,
    )


@pytest.mark.parametrize("namespace", [None, ""])
def test_no_namespace_is_any_namespace(namespace: str | None, tmp_path: Path) -> None:
    plain = written(tmp_path, with_metadata({"namespace": namespace}))
    other = tmp_path / "other.json"
    other.write_text(json.dumps(with_metadata({"namespace": "shop"})))

    for pair in ((plain, str(other)), (str(other), plain)):
        assert call("diff", "-f", pair[0], "--against", pair[1]).code == 0


def test_fields_that_a_myresource_does_not_have_are_named() -> None:
    parent = {**with_metadata({"lables": {}}), "replicas": 3, "spce": {}}

    assert problems(parent, "web.yaml") == [
        "web.yaml: web: replicas: no such field; remove it",
        "web.yaml: web: spce: no such field; did you mean spec?",
        "web.yaml: web: metadata.lables: no such field; did you mean labels?",
    ]


def test_what_is_created_has_no_status_and_none_of_the_api_servers_metadata() -> None:
    users = {"name": "web", "namespace": "shop", "labels": {"a": "b"}, "finalizers": ["example.com/mine"]}
    servers = {"uid": "u", "generation": 7, "resourceVersion": "1", "deletionTimestamp": "2026-01-31T12:00:00Z"}
    parent = {**with_metadata({**users, **servers, "annotations": None, "managedFields": [{}]}), "status": 7}

    made = created(parent)

    assert made == {**my_resource(), "metadata": users}
    assert created(made) == made
    assert parent["status"] == 7
