"""The related objects of a request: what the customize hook asked for, whoever owns it."""

from collections.abc import Iterator
from enum import Enum
from typing import TypeVar

import msgspec

from metahook.protocol.objects import Object, Observed, try_read
from metahook.protocol.wire import Groups

K = TypeVar("K", bound=Object)


class Absence(Enum):
    """Why a related object is not there."""

    NOT_ASKED = "no rule of the customize hook asked for its kind (rules are cached): nothing is known about it"
    MISSING = "it was asked for, and does not exist"
    UNREADABLE = "it is there, and has not the fields of its kind"


class Related:
    """The objects that the customize hook asked for, in the parent's namespace, whoever owns them.

    They are others' objects: one that can't be read never stops the parent's sync. Each is read when it is asked for,
    and not kept: they may be large, and many.
    """

    def __init__(self, groups: Groups, *, namespace: str) -> None:
        self._groups = groups
        self._namespace = namespace
        self._names: dict[str, dict[str, msgspec.Raw]] = {}

    def get(self, kind: type[K], name: str, group: str | None = None) -> K | Absence:
        """Return the object of *kind* called *name*, or why it is not there.

        *group* is for a kind that is known when the service runs: its key, such as ``MyBackup.example.com/v1``; its
        objects are read as *kind*.
        """
        group = group or kind.KIND.group_key
        if group not in self._groups:
            return Absence.NOT_ASKED
        raw = self._by_name(group).get(name)
        if raw is None:
            return Absence.MISSING
        return try_read(raw, kind) or Absence.UNREADABLE

    def all(self, kind: type[K]) -> Iterator[K] | Absence:
        """Return all objects of *kind* that can be read, one after the other, or that they were not asked for."""
        if kind.KIND.group_key not in self._groups:
            return Absence.NOT_ASKED
        found = (try_read(raw, kind) for raw in self._groups[kind.KIND.group_key].values())
        return (seen for seen in found if seen and seen.metadata.namespace == self._namespace)

    def _by_name(self, group: str) -> dict[str, msgspec.Raw]:
        if group not in self._names:
            found = ((try_read(raw, _Named), raw) for raw in self._groups[group].values())
            here = ((seen.metadata, raw) for seen, raw in found if seen)
            self._names[group] = {seen.name: raw for seen, raw in here if seen.namespace == self._namespace}
        return self._names[group]


class _Identity(Observed, frozen=True):
    name: str
    namespace: str | None = None


class _Named(Observed, frozen=True):
    metadata: _Identity
