"""The generated MyResources are valid, and reach every field that there is."""

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import Phase, find, given, settings
from hypothesis.errors import NoSuchExample

from app.api.generated_schema import schema
from app.api.reading import InvalidSpec, read
from tests.requests.builders import Json
from tests.strategies.my_resources import parents, scheduled_specs, specs
from toolkit.slow import short_or_whole


@pytest.mark.slow
@settings(max_examples=short_or_whole(30, 500))
@given(parents() | parents(scheduled_specs()))
def test_every_generated_parent_is_valid(parent: Json) -> None:
    found = read(parent["metadata"]["name"], json.dumps(parent["spec"]).encode())

    assert not isinstance(found, InvalidSpec), found


def test_every_field_of_the_api_is_generated() -> None:
    missing = set(_fields(schema()["properties"]["spec"]))

    def none_is_missing(spec: Json) -> bool:
        missing.difference_update(_paths(spec))
        return not missing

    with suppress(NoSuchExample):
        find(
            specs() | scheduled_specs(),
            none_is_missing,
            settings=settings(max_examples=3000, phases=[Phase.generate], derandomize=True),
        )

    assert missing == set()


def _paths(value: Any, path: str = "spec") -> Iterator[str]:
    """Yield the paths of *value*; the items of a list share one."""
    yield path
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _paths(inner, f"{path}.{key}")
    if isinstance(value, list):
        for inner in value:
            yield from _paths(inner, path)


def _fields(node: Json, path: str = "spec") -> Iterator[str]:
    """Yield the paths of all fields that *node*, of the CRD's schema, describes."""
    yield path
    yield from (name for key, inner in node.get("properties", {}).items() for name in _fields(inner, f"{path}.{key}"))
    if "items" in node:
        yield from _fields(node["items"], path)
