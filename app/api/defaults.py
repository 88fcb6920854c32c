"""The defaults of the CRD, and whether a stored spec lacks one of them.

The API server adds the defaults of the CRD to each object that it reads, and so to all that it sends. A spec that lacks
one comes from an older CRD. Source: Kubernetes, "Extend the Kubernetes API with CustomResourceDefinitions", Defaulting.
"""

from dataclasses import dataclass
from functools import cache

import msgspec

from app.api.reading import spec_schema
from app.api.structural import Schema

_Fields = dict[str, msgspec.Raw]
_Items = list[msgspec.Raw]


@dataclass(frozen=True)
class Defaults:
    """The defaults at a place of a schema and below it. Why not the schema: the other fields need not be decoded."""

    names: frozenset[str]
    """The fields with a default."""
    fields: dict[str, "Defaults"]
    """The fields that have defaults below them."""
    items: "Defaults | None"
    """Those of each item, if this place is a list."""

    @classmethod
    def of(cls, schema: Schema) -> "Defaults":
        """Return the defaults of *schema*."""
        properties: Schema = schema.get("properties", {})
        below = {name: cls.of(field) for name, field in properties.items()}
        items = cls.of(schema["items"]) if "items" in schema else None
        return cls(
            frozenset(name for name, field in properties.items() if "default" in field),
            {name: defaults for name, defaults in below.items() if defaults.exist},
            items if items and items.exist else None,
        )

    @property
    def exist(self) -> bool:
        """Whether there are any."""
        return bool(self.names or self.fields or self.items)

    def is_missing_in(self, json: bytes | msgspec.Raw) -> bool:
        """Tell whether *json*, the value at this place, lacks a default; one of another type lacks none."""
        try:
            if self.items:
                return any(map(self.items.is_missing_in, msgspec.json.decode(json, type=_Items)))
            fields = msgspec.json.decode(json, type=_Fields)
        except (msgspec.DecodeError, RecursionError):
            return False
        below = ((defaults, fields[name]) for name, defaults in self.fields.items() if name in fields)
        return not self.names <= fields.keys() or any(defaults.is_missing_in(value) for defaults, value in below)


def lacks_default(spec: bytes) -> bool:
    """Tell whether *spec*, the JSON of a stored MyResource's, lacks a default of this version's CRD."""
    return spec_defaults().is_missing_in(spec)


@cache
def spec_defaults() -> Defaults:
    """Return the defaults of the spec."""
    return Defaults.of(spec_schema())
