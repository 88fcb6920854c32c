"""The observed children of a request, and how to look them up.

Metacontroller groups objects by kind (``Deployment.apps/v1``) and keys them, within a group, in a way that depends on
the hook's version. So these keys are ignored here: an object is found by what its own metadata says.
"""

import re
from collections.abc import Iterator
from typing import Any, TypeVar

import msgspec

from metahook.protocol.kind import group_key
from metahook.protocol.last_applied import last_applied
from metahook.protocol.malformed import MalformedRequest, Rule
from metahook.protocol.managed_fields import FieldOwner, field_owners
from metahook.protocol.objects import Object
from metahook.protocol.reading import read, try_read
from metahook.protocol.response import Manifest
from metahook.protocol.wire import Groups

K = TypeVar("K", bound=Object)

Identity = tuple[str, str]
"""Group key and name of a child, such as ``("Deployment.apps/v1", "web")``: two API groups may share a word."""

Pairs = list[tuple[K, msgspec.Raw]]
"""Objects of one kind, each with its JSON."""

_KIND = re.compile(r"[A-Z][A-Za-z0-9]{0,62}")


def identity_of(manifest: Manifest) -> Identity:
    """Return the identity of *manifest*."""
    group = group_key(kind=manifest.get("kind", ""), api_version=manifest.get("apiVersion", ""))
    return group, manifest["metadata"]["name"]


class UndeclaredKind(LookupError):
    """Raised when a hook uses children of a kind that its Controller does not declare. Its text names the remedy."""

    def __init__(self, kind: object) -> None:
        # Why the check: a hook may take the kind from a user's spec, and other text of a spec must not get into a log.
        name = kind if isinstance(kind, str) and _KIND.fullmatch(kind) else "its kind"
        super().__init__(f"a child of an undeclared kind: add {name} to children= of the Controller")


class Children:
    """The children of one parent, as observed: those in its namespace that no other object controls.

    A child without any controller counts as the parent's: Metacontroller has just adopted it. Each of *structs* needs a
    group, even an empty one: without it nothing is known of them, and a response could delete them.
    """

    def __init__(self, groups: Groups, structs: tuple[type[Object], ...], *, namespace: str, owner_uid: str) -> None:
        self.namespace = namespace
        self.owner_uid = owner_uid
        self._pairs: dict[type[Object], Pairs[Any]] = {}
        for struct in structs:
            if struct.KIND.group_key not in groups:
                raise MalformedRequest(Rule.GROUP, group=struct.KIND.group_key)
            pairs = _decode(struct, groups[struct.KIND.group_key], namespace)
            own = [(child, raw) for child, raw in pairs if not child.metadata.has_other_controller(owner_uid)]
            self._pairs[struct] = own

    def __iter__(self) -> Iterator[Object]:
        """Iterate over the children of all kinds."""
        return (child for pairs in self._pairs.values() for child, _ in pairs)

    def all(self, struct: type[K]) -> list[K]:
        """Return all children of *struct*; raise UndeclaredKind."""
        if struct not in self._pairs:
            raise UndeclaredKind(struct.KIND.kind)
        return [child for child, _ in self._pairs[struct]]

    def get(self, struct: type[K], name: str) -> K | None:
        """Return the child of *struct* called *name*, or None; raise UndeclaredKind."""
        return next((child for child in self.all(struct) if child.metadata.name == name), None)

    def observed(self, manifest: Manifest) -> Object | None:
        """Return the child of the kind and name of *manifest*, or None; raise UndeclaredKind."""
        child, _ = self._find(manifest)
        return child

    def content(self, manifest: Manifest) -> dict[str, Any]:
        """Return the JSON of the child of the kind and name of *manifest*, decoded, less its metadata and status.

        It is empty if there is no such child. Raise UndeclaredKind.
        """
        _, raw = self._find(manifest)
        fields = try_read(raw, dict[str, msgspec.Raw]) or {}
        return {field: try_read(fields[field], _ANY) for field in fields if field not in {"metadata", "status"}}

    def field_owners(self, manifest: Manifest) -> list[FieldOwner]:
        """Return who owns fields of the child of the kind and name of *manifest*; raise UndeclaredKind."""
        _, raw = self._find(manifest)
        return field_owners(raw)

    def identities(self) -> set[Identity]:
        """Return the identity of every child."""
        return {(child.KIND.group_key, child.metadata.name) for child in self}

    def kept(self) -> list[Manifest]:
        """Return what was last applied to each child: a response that keeps it changes nothing."""
        return [last_applied(child, raw, self.owner_uid) for pairs in self._pairs.values() for child, raw in pairs]

    def _find(self, manifest: Manifest) -> tuple[Object | None, msgspec.Raw]:
        """Return the child and its JSON, or None and null."""
        group, name = identity_of(manifest)
        struct = next((each for each in self._pairs if each.KIND.group_key == group), None)
        if struct is None:
            raise UndeclaredKind(manifest.get("kind"))
        return next(((child, raw) for child, raw in self._pairs[struct] if child.metadata.name == name), (None, _NULL))


_ANY: Any = Any
_NULL = msgspec.Raw(b"null")


def _decode(struct: type[K], group: dict[str, msgspec.Raw], namespace: str) -> Pairs[K]:
    """Return the objects of *struct* in *namespace*."""
    path = f"children[{struct.KIND.group_key}][*]"
    every = [(read(raw, struct, path), raw) for raw in group.values()]
    pairs = [(child, raw) for child, raw in every if child.metadata.namespace == namespace]
    names = {child.metadata.name for child, _ in pairs}
    if "" in names:
        raise MalformedRequest(Rule.NAME, path=path)
    if len(names) < len(pairs):
        raise MalformedRequest(Rule.UNIQUE, path=path)
    return pairs
