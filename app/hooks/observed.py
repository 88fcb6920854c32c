"""The observed objects of a request, and how to look them up.

Metacontroller groups objects by kind (``Deployment.apps/v1``) and keys them in a way that depends on the hook's
version. So the keys are ignored here: an object is found by what its own metadata says.
"""

from enum import Enum
from typing import Any, TypeVar

import msgspec

from app.hooks.kept import kept
from app.hooks.objects import ConfigMap, Deployment, MalformedRequest, Object, Service, read

K = TypeVar("K", bound=Object)

Groups = dict[str, dict[str, msgspec.Raw] | None]
"""Objects as Metacontroller sends them: kind to key to JSON."""


class Absence(Enum):
    """Why a related object is not there."""

    NOT_ASKED = "no rule of the customize hook asked for its kind (rules are cached): nothing is known about it"
    MISSING = "it was asked for, and does not exist"


def _decoded(kind: type[K], groups: Groups, namespace: str) -> list[tuple[K, msgspec.Raw]]:
    """Return the objects of *kind* in *namespace*, each with its JSON."""
    raws = (groups.get(kind.group()) or {}).values()
    found = [(read(raw, kind), raw) for raw in raws]
    found = [(seen, raw) for seen, raw in found if seen.metadata.namespace == namespace]
    names = {seen.metadata.name for seen, _ in found}
    if len(names) < len(found) or "" in names:
        message = "two observed objects of one kind have the same name, or one has none"
        raise MalformedRequest(message)
    return found


class Children:
    """The children of one parent, as observed: those in its namespace that nobody else controls.

    A child without any controller counts as the parent's: Metacontroller has just adopted it.
    """

    def __init__(self, groups: Groups, *, namespace: str, owner_uid: str) -> None:
        self._groups = groups
        self._namespace = namespace
        self._owner_uid = owner_uid
        self._read: dict[type[Object], list[tuple[Any, msgspec.Raw]]] = {}

    def all(self, kind: type[K]) -> list[K]:
        """Return all children of *kind*."""
        return [seen for seen, _ in self._mine(kind)]

    def get(self, kind: type[K], name: str) -> K | None:
        """Return the child of *kind* called *name*, or None."""
        return next((seen for seen in self.all(kind) if seen.metadata.name == name), None)

    def deployment(self, name: str) -> Deployment | None:
        """Return the Deployment called *name*, or None."""
        return self.get(Deployment, name)

    def service(self, name: str) -> Service | None:
        """Return the Service called *name*, or None."""
        return self.get(Service, name)

    def config_map(self, name: str) -> ConfigMap | None:
        """Return the ConfigMap called *name*, or None."""
        return self.get(ConfigMap, name)

    def kept(self, *kinds: type[Object]) -> list[dict[str, Any]]:
        """Return what was last applied to each child of *kinds*: answering with it changes nothing."""
        return [kept(seen, raw, self._owner_uid) for kind in kinds for seen, raw in self._mine(kind)]

    def _mine(self, kind: type[K]) -> list[tuple[K, msgspec.Raw]]:
        if kind not in self._read:
            found = _decoded(kind, self._groups, self._namespace)
            nobody_else = (None, self._owner_uid)
            self._read[kind] = [(seen, raw) for seen, raw in found if seen.metadata.controller_uid in nobody_else]
        return self._read[kind]


class Related:
    """The objects that the customize hook asked for, in the parent's namespace, whoever owns them."""

    def __init__(self, groups: Groups, *, namespace: str) -> None:
        self._groups = groups
        self._namespace = namespace

    def get(self, kind: type[K], name: str) -> K | Absence:
        """Return the object of *kind* called *name*, or why it is not there."""
        if kind.group() not in self._groups:
            return Absence.NOT_ASKED
        found = _decoded(kind, self._groups, self._namespace)
        return next((seen for seen, _ in found if seen.metadata.name == name), Absence.MISSING)
