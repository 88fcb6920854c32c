"""A spec that parses is canonical: it holds what the API server would store in a Deployment, and nothing else."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from app.api.reading import read
from app.api.spec import MyResourceSpec
from tests.api.apiserver import read_stored, refusals, stored
from tests.api.examples.all_rules import numbered
from tests.requests.builders import Json, my_resource

FILES = sorted(Path("examples").glob("*.yaml"))


def _spec(fields: Json) -> MyResourceSpec:
    found = read_stored(my_resource(**fields))
    assert isinstance(found, MyResourceSpec)
    return found


def _again(spec: MyResourceSpec) -> Any:
    return read("web", json.dumps(spec.as_json()).encode())


GOOD = {name: fields for name, _, fields in numbered("good") if "name" not in fields}


def test_a_canonical_spec_reads_as_itself() -> None:
    for name, fields in GOOD.items():
        spec = _spec(fields)

        assert _again(spec) == spec, name
        assert _again(spec).as_json() == spec.as_json(), name


@pytest.mark.parametrize(
    ("fields", "canonical"),
    [
        ({"memory": 1024}, {"memory": "1024"}),
        ({"cpu": 1}, {"cpu": "1"}),
        ({"resources": {"limits": {"cpu": "1000m"}}}, {"resources": {"limits": {"cpu": "1"}}}),
        (
            {"volumes": [{"name": "a", "emptyDir": {"sizeLimit": "0.5Gi"}}]},
            {"volumes": [{"name": "a", "emptyDir": {"sizeLimit": "512Mi"}}]},
        ),
    ],
    ids=str,
)
def test_a_quantity_is_spelled_as_it_will_be_stored(fields: Json, canonical: Json) -> None:
    assert _spec(fields).as_json() == {**_spec({}).as_json(), **canonical}


@pytest.mark.parametrize("fields", [{"unknown": 1}, {"cpu": None, "env": None}, {"service": {"unknown": {}}}], ids=str)
def test_null_and_unknown_fields_are_absent(fields: Json) -> None:
    assert _spec(fields) == _spec({})


@pytest.mark.parametrize("file", [pytest.param(file, id=file.name) for file in FILES])
def test_an_example_is_valid_and_canonical(file: Path) -> None:
    resource = stored(yaml.safe_load(file.read_text(encoding="utf-8")))
    spec = read_stored(resource)

    assert refusals(resource) == []
    assert isinstance(spec, MyResourceSpec)
    assert _again(spec) == spec
