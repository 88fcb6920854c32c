"""A spec that lacks a default of the CRD: each default is removed in turn from a spec that has all of them."""

import json
from collections.abc import Iterator

import pytest
import yaml

from app.api.schema.defaults import lacks_default
from app.api.schema.reading import spec_schema
from app.api.schema.structural import Schema
from metahook.simulator.apiserver.custom_rules import with_defaults
from tests.docs.documents import ROOT
from tests.requests.builders import Json
from toolkit.mutations import Path, without

FULL: Json = yaml.safe_load((ROOT / "examples/full.yaml").read_text())["spec"]
WRITTEN: Json = {
    **FULL,
    "initContainers": FULL["initContainers"][::-1],  # the sidecar first: only it has ports
    "dependencies": [{"apiVersion": "example.com/v1", "resource": "mybackups", "name": "nightly"}],
}
STORED: Json = with_defaults(WRITTEN, spec_schema())
"""A spec with every field, as the API server stores it."""


def lacks(spec: object) -> bool:
    return lacks_default(json.dumps(spec).encode())


def defaults(schema: Schema, path: Path = ()) -> Iterator[Path]:
    """Yield the path of each default of *schema*, in the first item of lists."""
    if "default" in schema:
        yield path
    for name, field in schema.get("properties", {}).items():
        yield from defaults(field, (*path, name))
    for below in ("items", "additionalProperties"):
        if isinstance(schema.get(below), dict):
            yield from defaults(schema[below], (*path, 0 if below == "items" else "*"))


DEFAULTS = [*defaults(spec_schema())]


def test_a_stored_spec_lacks_none_and_a_written_one_does() -> None:
    minimal = {"image": "nginx:1.27"}

    assert not lacks(STORED)
    assert not lacks(with_defaults(minimal, spec_schema()))
    assert lacks(minimal)
    assert lacks({})


@pytest.mark.parametrize("path", DEFAULTS, ids=lambda path: ".".join(map(str, path)))
def test_each_default_of_the_crd_is_missed(path: Path) -> None:
    assert lacks(without(STORED, path))


def test_there_are_defaults_at_each_depth() -> None:
    assert {("memory",), ("service", "mode"), ("ports", 0, "protocol"), ("dependencies", 0, "condition")} < {*DEFAULTS}
