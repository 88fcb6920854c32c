"""The observed children of a request, and how to look them up.

Metacontroller groups objects by kind (``Deployment.apps/v1``) and keys them, within a group, in a way that depends on
the hook's version. So these keys are ignored here: an object is found by what its own metadata says.
"""

from typing import Any, TypeVar

import msgspec

from metahook.protocol.kept import kept
from metahook.protocol.managed import FieldOwner, field_owners
from metahook.protocol.objects import MalformedRequest, Object, read
from metahook.protocol.response import Manifest
from metahook.protocol.wire import Groups

K = TypeVar("K", bound=Object)

Found = list[tuple[K, msgspec.Raw]]
"""Objects of one kind, each with its JSON."""


def _decoded(kind: type[K], group: dict[str, msgspec.Raw], namespace: str) -> Found[K]:
    """Return the objects of *kind* in *namespace*."""
    found = [(read(raw, kind), raw) for raw in group.values()]
    found = [(seen, raw) for seen, raw in found if seen.metadata.namespace == namespace]
    names = {seen.metadata.name for seen, _ in found}
    if len(names) < len(found) or "" in names:
        message = "two observed objects of one kind have the same name, or one has none"
        raise MalformedRequest(message)
    return found


class Children:
    """The children of one parent, as observed: those in its namespace that nobody else controls.

    A child without any controller counts as the parent's: Metacontroller has just adopted it. Every one of *kinds* must
    have a group, be it empty: without one nothing is known of them, and an answer could delete them.
    """

    def __init__(self, groups: Groups, kinds: tuple[type[Object], ...], *, namespace: str, owner_uid: str) -> None:
        self.owner_uid = owner_uid
        self._found: dict[type[Object], Found[Any]] = {}
        for kind in kinds:
            if kind.KIND.group_key not in groups:
                message = f"no group {kind.KIND.group_key} of children; is it among the childResources?"
                raise MalformedRequest(message)
            found = _decoded(kind, groups[kind.KIND.group_key], namespace)
            nobody_else = (None, owner_uid)
            self._found[kind] = [(seen, raw) for seen, raw in found if seen.metadata.controller_uid in nobody_else]

    def all(self, kind: type[K]) -> list[K]:
        """Return all children of *kind*."""
        return [seen for seen, _ in self._found[kind]]

    def get(self, kind: type[K], name: str) -> K | None:
        """Return the child of *kind* called *name*, or None."""
        return next((seen for seen in self.all(kind) if seen.metadata.name == name), None)

    def observed(self, manifest: Manifest) -> Object | None:
        """Return the child of the kind and name of *manifest*, or None."""
        kind = next(kind for kind in self._found if kind.KIND.kind == manifest["kind"])
        return self.get(kind, manifest["metadata"]["name"])

    def field_owners(self, manifest: Manifest) -> list[FieldOwner]:
        """Return who owns fields of the child of the kind and name of *manifest*."""
        observed = self.observed(manifest)
        every = (pair for found in self._found.values() for pair in found)
        return next((field_owners(raw) for seen, raw in every if seen is observed), [])

    def identities(self) -> set[tuple[str, str]]:
        """Return kind and name of every child."""
        return {(kind.KIND.kind, seen.metadata.name) for kind, found in self._found.items() for seen, _ in found}

    def kept(self) -> list[Manifest]:
        """Return what was last applied to each child: answering with it changes nothing."""
        return [kept(seen, raw, self.owner_uid) for found in self._found.values() for seen, raw in found]
