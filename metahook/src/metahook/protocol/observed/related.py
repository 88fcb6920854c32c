"""The related objects of a request: those that the rules of the customize hook select, whoever owns them."""

from collections.abc import Iterator
from enum import Enum
from typing import TypeVar

import msgspec

from metahook.protocol.bodies.bodies import Groups
from metahook.protocol.bodies.reading import try_read
from metahook.protocol.bodies.request_limits import UNCOUNTED, DecodedMemory
from metahook.protocol.objects.object import Metadata, Object, Observed

K = TypeVar("K", bound=Object)


class Absence(Enum):
    """Why a lookup returns no related object."""

    NOT_SELECTED = "no rule of the customize hook selects its kind; rules are cached, so decide nothing from this"
    MISSING = "a rule selects its kind, and no such object exists"
    UNREADABLE = "it exists, and the fields of its kind can't be read"


class Related:
    """The objects that the rules of the customize hook select, whoever owns them.

    Those of a *confined* parent are in its *namespace*. One that can't be read never stops the parent's sync. Each is
    decoded at its lookup, and not cached: there may be many, and large ones.
    """

    def __init__(
        self, groups: Groups, memory: DecodedMemory = UNCOUNTED, *, namespace: str, is_confined: bool = True
    ) -> None:
        self._groups = groups
        self._memory = memory
        self._namespace = namespace
        self._is_confined = is_confined
        self._places: dict[str, dict[tuple[str, str], msgspec.Raw]] = {}

    def get(self, struct: type[K], name: str, group: str | None = None, *, namespace: str | None = None) -> K | Absence:
        """Return the object of *struct* called *name*, or why there is none.

        It is in *namespace*, by default that of the parent; one of a cluster-scoped kind is in none. *group* is for a
        kind that is known only at run time: its key, such as ``MyBackup.example.com/v1``. Its objects are decoded as
        *struct*.
        """
        if namespace is None:
            namespace = self._namespace if group or struct.KIND.namespaced else ""
        group = group or struct.KIND.group_key
        if group not in self._groups:
            return Absence.NOT_SELECTED
        place = (namespace, name)
        # Hook version v2 has this key, and then no other object need be read to find the one of this name.
        keyed = self._groups[group].get(f"{namespace}/{name}" if namespace else name)
        if keyed and (named := self._read(keyed, struct)) and self._place_of(named.metadata) == place:
            return named
        raw = self._by_place(group).get(place)
        if raw is None:
            return Absence.MISSING
        return self._read(raw, struct) or Absence.UNREADABLE

    def all(self, struct: type[K]) -> list[K] | Absence:
        """Return the readable objects of *struct*, or NOT_SELECTED."""
        if struct.KIND.group_key not in self._groups:
            return Absence.NOT_SELECTED
        return list(self._readable(struct))

    def _readable(self, struct: type[K]) -> Iterator[K]:
        """Yield the readable objects of *struct*. Their memory counts together: a hook may keep them all."""
        for raw in self._groups[struct.KIND.group_key].values():
            item = self._read(raw, struct)
            if item and self._place_of(item.metadata):
                self._memory.take(raw, *_unread(item))
                yield item

    def _read(self, raw: msgspec.Raw, struct: type[K]) -> K | None:
        """Return *raw* as *struct*, or None if it can't be read; raise TooMuchMemory if it alone takes too much."""
        self._memory.check(raw)
        return try_read(raw, struct)

    def _place_of(self, metadata: "Metadata | _Identity") -> tuple[str, str] | None:
        """Return the namespace and the name in *metadata*, or None if a confined parent may not see the object."""
        namespace = metadata.namespace or ""
        return None if self._is_confined and namespace != self._namespace else (namespace, metadata.name)

    def _by_place(self, group: str) -> dict[tuple[str, str], msgspec.Raw]:
        if group not in self._places:
            objects = ((try_read(raw, _Named), raw) for raw in self._groups[group].values())
            placed = ((self._place_of(item.metadata), raw) for item, raw in objects if item)
            self._places[group] = {place: raw for place, raw in placed if place}
        return self._places[group]


def _unread(item: Object) -> Iterator[msgspec.Raw]:
    """Yield the parts of *item* that are JSON still."""
    yield item.metadata.managed_fields
    yield from (field for field in msgspec.structs.astuple(item) if isinstance(field, msgspec.Raw))


class _Identity(Observed, frozen=True):
    name: str
    namespace: str | None = None


class _Named(Observed, frozen=True):
    metadata: _Identity
