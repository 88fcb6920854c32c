"""Bases of Kubernetes objects as observed: only the fields that are read; everything else is skipped while parsing.

Null means absent. A new kind is a struct with the fields you read and its ``KIND``. :mod:`metahook.kinds`
has some.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

import msgspec

from metahook.protocol.objects.kind import Kind


def object_or_empty(value: object) -> dict[str, Any]:
    """Return *value* if it is a JSON object, else an empty one."""
    return value if isinstance(value, dict) else {}


_NO_RECORDS = msgspec.Raw(b"[]")

Int64 = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
"""A number that goes into the response: the API server stores no larger one, and Metacontroller would change it."""


class Observed(msgspec.Struct, frozen=True, rename="camel", gc=False):
    """Base of everything that is read: frozen, camelCase in JSON.

    The garbage collector skips it, as what is read has no cycles.
    """


class OwnerReference(Observed, frozen=True):
    """One owner of an object."""

    uid: str
    api_version: str | None = None
    kind: str | None = None
    name: str | None = None
    controller: bool | None = None

    @property
    def group(self) -> str:
        """The API group of the owner; empty for the core group."""
        return (self.api_version or "").rpartition("/")[0]


class Metadata(Observed, frozen=True):
    """The metadata that is read of any object."""

    name: str
    namespace: str | None = None
    uid: str | None = None
    generation: Int64 | None = None
    resource_version: str | None = None
    labels: dict[str, str] | None = None
    annotations: dict[str, str] | None = None
    owner_references: list[OwnerReference] | None = None
    finalizers: list[str] | None = None
    creation_timestamp: str | None = None
    deletion_timestamp: str | None = None
    managed_fields: msgspec.Raw = _NO_RECORDS
    """JSON, for :func:`metahook.protocol.observed.managed_fields.field_owners`, which reads it leniently."""

    @property
    def controller(self) -> OwnerReference | None:
        """The owner that controls this object, if one does."""
        for owner in self.owner_references or ():
            if owner.controller:
                return owner
        return None

    def has_other_controller(self, uid: str) -> bool:
        """Tell whether an object other than the one with *uid* controls this one."""
        controller = self.controller
        return controller is not None and controller.uid != uid

    def label(self, key: str) -> str | None:
        """Return the value of the label *key*, or None."""
        return (self.labels or {}).get(key)

    def annotation(self, key: str) -> str | None:
        """Return the value of the annotation *key*, or None."""
        return (self.annotations or {}).get(key)


@dataclass(frozen=True)
class Defaults:
    """What the API server sets in objects of a kind where no user sets a value."""

    values: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """By the name of the field that contains it (``""`` at the top of the object), and by its own name."""
    assigned: Collection[str] = ()
    """Names of fields whose value the API server chooses."""

    def has(self, outer: str, name: str, value: object) -> bool:
        """Tell whether the API server sets the field *name*, inside the field *outer*, to *value*."""
        values = self.values.get(outer, {})
        return name in self.assigned or (name in values and values[name] == value)


class Object(Observed, frozen=True):
    """Any object. A subclass has the fields that are read of one kind."""

    KIND: ClassVar[Kind]
    DEFAULTS: ClassVar[Defaults] = Defaults()
    """Needed where leftovers are looked for: a default is not left over."""

    metadata: Metadata


class Condition(Observed, frozen=True):
    """A condition in the status of an observed object."""

    type: str
    status: str
    reason: str | None = None
    message: str | None = None
    last_transition_time: str | None = None
    last_update_time: str | None = None
    observed_generation: int | None = None


class Conditions(Observed, frozen=True, kw_only=True):
    """A status with conditions."""

    conditions: list[Condition] | None = None
    observed_generation: Any = None
    """The generation that the whole status is about: a number, and with some kinds a text."""

    def condition(self, name: str) -> Condition | None:
        """Return the condition whose type is *name*, or None."""
        for condition in self.conditions or ():
            if condition.type == name:
                return condition
        return None
