"""Metadata in a file that the API server would refuse is one line, with its path and the remedy."""

import json
from pathlib import Path
from typing import Any

import pytest

from metahook.cli.files.metadata import type_problems
from metahook.cli.files.objects import created
from toolkit.cli.command import call, problem
from toolkit.root import ROOT

Json = dict[str, Any]

GREETING = ROOT / "examples/greeting"
HI = str(GREETING / "hi.yaml")
RENDER = ["render", "--hook", str(GREETING / "greetings.py"), "-k", str(GREETING), "-f"]

WRONG_TYPES: list[Json] = [
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


def written(folder: Path, metadata: Json) -> str:
    """Return a file in *folder* that has a ConfigMap with *metadata*."""
    file = folder / "a.json"
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", **metadata}}))
    return str(file)


@pytest.mark.parametrize("metadata", WRONG_TYPES, ids=str)
def test_metadata_of_the_wrong_type_is_one_line(metadata: Json, tmp_path: Path) -> None:
    (field,) = metadata
    file = written(tmp_path, metadata)
    found = f"ConfigMap a: metadata.{field}: "

    assert problem(*RENDER, HI, "-f", file, code=1).startswith(f"{file}:1: {found}")
    assert problem(*RENDER, HI, "--observed", file).startswith(f"{file}:1: {found}")


@pytest.mark.parametrize(
    "metadata",
    [
        {"namespace": None, "labels": None, "annotations": None, "ownerReferences": None, "creationTimestamp": None},
        {"namespace": "", "annotations": {"a": "any\ntext \N{WHALE}"}, "finalizers": ["orphan"], "generation": 1},
        {"ownerReferences": [{"apiVersion": "v1", "kind": "Greeting", "name": "q", "uid": "u", "controller": True}]},
    ],
    ids=str,
)
def test_metadata_that_the_api_server_returns_is_accepted(metadata: Json, tmp_path: Path) -> None:
    ended = call(*RENDER, HI, "--observed", written(tmp_path, metadata))

    assert [*type_problems(metadata)] == []
    assert (ended.code, ended.err) == (0, "")


def test_a_created_object_has_no_status_and_no_metadata_that_the_api_server_sets() -> None:
    users = {"name": "a", "namespace": "shop", "labels": {"a": "b"}, "finalizers": ["example.com/mine"]}
    servers = {"uid": "u", "generation": 7, "resourceVersion": "1", "deletionTimestamp": "2026-01-31T12:00:00Z"}
    own = {"apiVersion": "example.com/v1", "kind": "Greeting", "spec": {"text": "hi"}}
    item = {**own, "metadata": {**users, **servers, "annotations": None, "managedFields": [{}]}, "status": 7}

    new = created(item)

    assert new == {**own, "metadata": users}
    assert created(new) == new
    assert item["status"] == 7
