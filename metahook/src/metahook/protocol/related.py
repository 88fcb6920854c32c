"""The related objects of a request: those that the rules of the customize hook select, whoever owns them."""

from collections.abc import Iterator
from enum import Enum
from typing import TypeVar

import msgspec

from metahook.protocol.extent import UNCOUNTED, DecodedMemory
from metahook.protocol.objects import Object, Observed
from metahook.protocol.reading import try_read
from metahook.protocol.wire import Groups

K = TypeVar("K", bound=Object)


class Absence(Enum):
    """Why a lookup returns no related object."""

    NOT_SELECTED = "no rule of the customize hook selects its kind; rules are cached, so decide nothing from this"
    MISSING = "a rule selects its kind, and no such object exists"
    UNREADABLE = "it exists, and the fields of its kind can't be read"


class Related:
    """The objects that the rules of the customize hook select, in the parent's namespace, whoever owns them.

    One that can't be read never stops the parent's sync. Each is decoded at its lookup, and not cached: there may be
    many, and large ones.
    """

    def __init__(self, groups: Groups, memory: DecodedMemory = UNCOUNTED, *, namespace: str) -> None:
        self._groups = groups
        self._memory = memory
        self._namespace = namespace
        self._names: dict[str, dict[str, msgspec.Raw]] = {}

    def get(self, struct: type[K], name: str, group: str | None = None) -> K | Absence:
        """Return the object of *struct* called *name*, or why there is none.

        *group* is for a kind that is known only at run time: its key, such as ``MyBackup.example.com/v1``. Its objects
        are decoded as *struct*.
        """
        group = group or struct.KIND.group_key
        if group not in self._groups:
            return Absence.NOT_SELECTED
        # Hook version v2 has this key, and then no other object need be read to find the one of this name.
        keyed = self._groups[group].get(f"{self._namespace}/{name}")
        if keyed and (named := self._read(keyed, struct)) and self._is_called(named, name):
            return named
        raw = self._by_name(group).get(name)
        if raw is None:
            return Absence.MISSING
        return self._read(raw, struct) or Absence.UNREADABLE

    def all(self, struct: type[K]) -> Iterator[K] | Absence:
        """Return an iterator over the readable objects of *struct*, or NOT_SELECTED."""
        if struct.KIND.group_key not in self._groups:
            return Absence.NOT_SELECTED
        return self._kept(struct)

    def _kept(self, struct: type[K]) -> Iterator[K]:
        """Yield the readable objects of *struct*. Their memory counts together: a hook may keep them all."""
        for raw in self._groups[struct.KIND.group_key].values():
            item = self._read(raw, struct)
            if item and item.metadata.namespace == self._namespace:
                self._memory.take(raw, *_unread(item))
                yield item

    def _read(self, raw: msgspec.Raw, struct: type[K]) -> K | None:
        """Return *raw* as *struct*, or None if it can't be read; raise TooMuchMemory if it alone takes too much."""
        self._memory.check(raw)
        return try_read(raw, struct)

    def _is_called(self, observed: Object, name: str) -> bool:
        return (observed.metadata.namespace, observed.metadata.name) == (self._namespace, name)

    def _by_name(self, group: str) -> dict[str, msgspec.Raw]:
        if group not in self._names:
            objects = ((try_read(raw, _Named), raw) for raw in self._groups[group].values())
            named = ((item.metadata, raw) for item, raw in objects if item)
            self._names[group] = {key.name: raw for key, raw in named if key.namespace == self._namespace}
        return self._names[group]


def _unread(item: Object) -> Iterator[msgspec.Raw]:
    """Yield the parts of *item* that are JSON still."""
    yield item.metadata.managed_fields
    yield from (field for field in msgspec.structs.astuple(item) if isinstance(field, msgspec.Raw))


class _Identity(Observed, frozen=True):
    name: str
    namespace: str | None = None


class _Named(Observed, frozen=True):
    metadata: _Identity
