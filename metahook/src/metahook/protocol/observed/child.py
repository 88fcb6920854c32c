"""An observed child: its object, and the rest of its JSON. Each part is decoded once, and only if it is asked for.

What is decoded is shared, so nobody changes it.
"""

from collections.abc import Collection
from functools import cache, cached_property
from typing import Any, Generic, TypeVar

import msgspec

from metahook.protocol.bodies.reading import try_read
from metahook.protocol.objects.object import Object
from metahook.protocol.objects.plain_json import Json
from metahook.protocol.observed.managed_fields import FieldOwner, FieldSet, field_owners

K_co = TypeVar("K_co", bound=Object, covariant=True)

LAST_APPLIED = "metacontroller.k8s.io/last-applied-configuration"
"""The annotation in which Metacontroller's dynamic-apply records what it applied."""

_ANY: Any = Any
_WHOLE = (dict[str, Any] | None, dict[str, str] | None)
"""Types of fields that a struct decodes as they are."""


class ObservedChild(Generic[K_co]):
    """A child as the request has it: its ``object`` has the fields that a hook reads, and *raw* is all of its JSON."""

    def __init__(self, observed: K_co, raw: msgspec.Raw) -> None:
        self.object = observed
        self._raw = raw

    @cached_property
    def content(self) -> Json:
        """Its JSON, less its metadata and status."""
        fields, whole = try_read(self._raw, dict[str, msgspec.Raw]) or {}, _whole_fields(type(self.object))
        return {
            field: getattr(self.object, field) if field in whole else try_read(value, _ANY)
            for field, value in fields.items()
            if field not in {"metadata", "status"}
        }

    def fields(self, names: Collection[str]) -> Json:
        """Return the values of its fields with these *names*, such as ``spec``; None for one that it has not."""
        if _whole_fields(type(self.object)).issuperset(names):
            return {name: getattr(self.object, name) for name in names}
        return {name: self.content.get(name) for name in names}

    @cached_property
    def owners(self) -> list[FieldOwner]:
        """Who owns fields of it."""
        return field_owners(self.object.metadata.managed_fields)

    @cached_property
    def owned(self) -> list[tuple[FieldOwner, FieldSet]]:
        """Its owners, each with the fields that it owns."""
        return [(owner, owner.fields) for owner in self.owners]

    @cached_property
    def record(self) -> Json:
        """What Metacontroller recorded as applied by dynamic-apply; empty if there is no record that can be read."""
        record = self.object.metadata.annotation(LAST_APPLIED)
        return try_read(record.encode(), Json) or {} if record else {}

    @property
    def is_applied_server_side(self) -> bool:
        """Whether Metacontroller applies it server-side: it lacks the annotation of dynamic-apply."""
        return self.object.metadata.annotation(LAST_APPLIED) is None


@cache
def _whole_fields(struct: type[Object]) -> frozenset[str]:
    """Return the fields that *struct* decodes as they are, so that they need not be decoded once more."""
    fields = msgspec.structs.fields(struct)
    return frozenset(field.name for field in fields if field.type in _WHOLE and field.name == field.encode_name)
