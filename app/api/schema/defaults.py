"""The defaults of the CRD, and whether a stored spec lacks one of them.

The API server adds the defaults of the CRD to each object that it stores or reads. So a spec that lacks one comes from
an older CRD. Source: Kubernetes, "Extend the Kubernetes API with CustomResourceDefinitions", section Defaulting.
"""

from functools import cache
from typing import Any

import msgspec

from app.api.schema.reading import spec_schema
from app.api.schema.structural import Schema

_LACKING = "Object missing required field"
"""How the error of msgspec begins. It has no attributes that tell a missing field from one of another type."""


def lacks_default(spec: bytes) -> bool:
    """Tell whether *spec*, the JSON of a stored MyResource's, lacks a default of this version's CRD."""
    try:
        _decoder().decode(spec)
    except (msgspec.DecodeError, RecursionError) as error:
        return str(error).startswith(_LACKING)
    return False


@cache
def _decoder() -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(type_with_defaults(spec_schema()))


def type_with_defaults(schema: Schema) -> Any:  # noqa: ANN401 - a type
    """Return the type of the values of *schema* that have all defaults, at any depth; what has none is not decoded.

    msgspec checks a type while it reads, which takes a microsecond.
    """
    if "items" in schema:
        item = type_with_defaults(schema["items"])
        return item if item is msgspec.Raw else list[item]  # type: ignore[valid-type] # made here
    fields: list[Any] = []
    for name, field in schema.get("properties", {}).items():
        kind = type_with_defaults(field)
        if "default" in field:
            fields.append((name, kind))
        elif kind is not msgspec.Raw:
            fields.append((name, kind | msgspec.UnsetType, msgspec.UNSET))
    return msgspec.defstruct("WithDefaults", fields, kw_only=True) if fields else msgspec.Raw
