"""Validation of MyResources in files: what the API server would refuse or drop, and what kubectl would warn about."""

import difflib
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain
from typing import Any

import msgspec

from app.api.schema.crd import schema
from app.api.schema.reading import InvalidSpec, read
from app.api.schema.structural import Schema
from app.api.values.names import API_VERSION, KIND
from app.cli.files.metadata import name_problems
from metahook.commands import InputError, metadata, with_defaults

Json = dict[str, Any]


def is_my_resource(item: Json) -> bool:
    """Tell whether *item* is a MyResource."""
    return (item.get("apiVersion"), item["kind"]) == (API_VERSION, KIND)


def problems(parent: Json, path: str) -> list[str]:
    """Return a sentence for each unknown field and each invalid value of *parent*, which is in the file *path*.

    Raise InputError if it is not a MyResource, or if the API server would refuse its metadata.
    """
    if not is_my_resource(parent):
        message = f"{path}: {parent['kind']} is not a MyResource; it needs apiVersion {API_VERSION} and kind {KIND}"
        raise InputError(message)
    where = f"{path}: {parent['metadata']['name']}: "
    for problem in chain(metadata.type_problems(parent["metadata"]), name_problems(parent["metadata"])):
        raise InputError(where + problem)
    defaulted = with_defaults(parent.get("spec"), known_fields()["spec"])  # which null gets, too
    spec = read(parent["metadata"]["name"], msgspec.json.encode(defaulted))
    invalid = [spec.problem] if isinstance(spec, InvalidSpec) else []
    return [where + problem for problem in (*_unknown_fields_of(parent), *invalid)]


@cache
def known_fields() -> Schema:
    """Return the schema of a MyResource by field, cached: building it takes longer than checking a MyResource."""
    fields: Schema = schema()["properties"]
    return fields


def _unknown_fields_of(parent: Json) -> Iterator[str]:
    """Yield a sentence for each unknown field, but not of the status, which users do not write."""
    fields = known_fields()
    yield from (problem.removeprefix(".") for problem in _unknown_fields(parent, _any_values(fields), ""))
    yield from _unknown_fields(parent["metadata"], _any_values(metadata.FIELDS), "metadata")
    yield from _unknown_fields(parent.get("spec"), fields["spec"], "spec")


def _any_values(names: Iterable[str]) -> Schema:
    return {"properties": {name: {} for name in names}}


def _unknown_fields(value: object, schema: Schema, path: str) -> Iterator[str]:
    """Yield a sentence for each field of *value* that *schema* does not have; the API server drops them silently."""
    if isinstance(value, dict) and "properties" in schema:
        for name, inner in value.items():
            if name in schema["properties"]:
                yield from _unknown_fields(inner, schema["properties"][name], f"{path}.{name}")
            else:
                close = difflib.get_close_matches(str(name), schema["properties"], n=1)
                yield f"{path}.{name}: unknown field" + (f"; did you mean {close[0]}?" if close else "; remove it")
    elif isinstance(value, list) and "items" in schema:
        for index, inner in enumerate(value):
            yield from _unknown_fields(inner, schema["items"], f"{path}[{index}]")
