"""The observed children of a request, and how to look them up.

Metacontroller groups objects by kind (``Deployment.apps/v1``) and keys them, within a group, in a way that depends on
the hook's version. So these keys are ignored here: an object is found by what its own metadata says.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from functools import cache, partial
from typing import Any, TypeVar

import msgspec

from metahook.protocol.bodies.bodies import Groups
from metahook.protocol.bodies.malformed import MalformedRequest, RequestRule
from metahook.protocol.bodies.reading import read, try_read
from metahook.protocol.bodies.request_limits import UNCOUNTED, DecodedMemory
from metahook.protocol.objects.manifest import Identity, Manifest, identity_of
from metahook.protocol.objects.object import Object
from metahook.protocol.observed.last_applied import last_applied
from metahook.protocol.observed.managed_fields import FieldOwner, field_owners

K = TypeVar("K", bound=Object)

Pair = tuple[K, msgspec.Raw]
"""An object with its JSON."""

_KIND = re.compile(r"[A-Z][A-Za-z0-9]{0,62}")


class UndeclaredKind(LookupError):
    """Raised when a hook uses children of a kind that its Controller does not declare. Its text names the remedy."""

    def __init__(self, kind: object) -> None:
        # A hook may take the kind from a user's spec, and other text of a spec must not get into a log.
        name = kind if isinstance(kind, str) and _KIND.fullmatch(kind) else "its kind"
        super().__init__(f"a child of an undeclared kind: add {name} to children= of the Controller")


Place = tuple[str, str]
"""Namespace and name of a child; the namespace of a cluster-scoped one is empty."""


class Children:
    """The children of one parent, as observed: those that no other object controls.

    Those of a parent in a namespace are in the same one, those of a cluster-scoped parent anywhere. A child without any
    controller counts as the parent's: Metacontroller has just adopted it. Each of *structs* needs a group, even an
    empty one: without it nothing is known of them, and a response could delete them. Those that are *optional* may lack
    it: then the controller in the cluster does not list them.
    """

    def __init__(  # noqa: PLR0913 - what there is, whose it is, and where it stands in the body
        self,
        groups: Groups,
        structs: tuple[type[Object], ...],
        memory: DecodedMemory = UNCOUNTED,
        *,
        namespace: str,
        owner_uid: str,
        path: str = "children",
        optional: Collection[type[Object]] = (),
    ) -> None:
        """Read *groups*, which are at *path* of the body."""
        self.namespace = namespace
        self.owner_uid = owner_uid
        self._by_struct: dict[type[Object], dict[Place, Pair[Any]]] = {}
        self._by_group: dict[str, dict[Place, Pair[Any]]] = {}
        self._field_owners: dict[Identity, list[FieldOwner]] = {}
        self.unmanaged = {kind for struct in optional if (kind := struct.KIND.group_key) not in groups}
        """The groups of kinds of which Metacontroller manages no children: see :meth:`manages`."""
        for struct in structs:
            group = struct.KIND.group_key
            if group in self.unmanaged:
                self._by_struct[struct] = self._by_group[group] = {}
                continue
            if group not in groups:
                rules = _KINDS_OF[path]
                raise MalformedRequest(RequestRule.GROUP, path=path, group=group, rules=rules)
            at = f"{path}[{group}][*]"
            pairs = _pairs(struct, groups[group], memory, at)
            self._by_struct[struct] = self._by_group[group] = _own(pairs, namespace, owner_uid, at)

    def __iter__(self) -> Iterator[Object]:
        """Iterate over the children of all kinds."""
        return iter([child for by_place in self._by_struct.values() for child, _ in by_place.values()])

    def manages(self, struct: type[Object]) -> bool:
        """Tell whether the controller in the cluster lists the kind of *struct*; return no such child if it does not.

        See ``Controller.optional_kinds``.
        """
        return struct.KIND.group_key not in self.unmanaged

    def all(self, struct: type[K]) -> list[K]:
        """Return all children of *struct*, in all namespaces; raise UndeclaredKind."""
        return [child for child, _ in self._of(struct).values()]

    def get(self, struct: type[K], name: str, namespace: str | None = None) -> K | None:
        """Return the child of *struct* called *name*, or None; raise UndeclaredKind.

        It is in *namespace*, by default that of the parent; one of a cluster-scoped kind is in none.
        """
        pair = self._of(struct).get((self._namespace_of(struct) if namespace is None else namespace, name))
        return pair[0] if pair else None

    def observed(self, manifest: Manifest) -> Object | None:
        """Return the child of the kind and name of *manifest*, or None; raise UndeclaredKind."""
        return self._find(manifest)[0]

    def content(self, manifest: Manifest) -> dict[str, Any]:
        """Return the JSON of the child of the kind and name of *manifest*, decoded, less its metadata and status.

        It is empty if there is no such child. Raise UndeclaredKind.
        """
        child, raw = self._find(manifest)
        return _content(child, raw) if child else {}

    def fields(self, manifest: Manifest, fields: Collection[str]) -> dict[str, Any] | None:
        """Return the values of the *fields*, such as ``spec``, of the child of the kind and name of *manifest*.

        The value of one that the child has not is None. Return None if there is no such child. Raise UndeclaredKind.
        """
        child, _ = self._find(manifest)
        if child is None:
            return None
        if _whole_fields(type(child)).issuperset(fields):
            return {field: getattr(child, field) for field in fields}
        content = self.content(manifest)
        return {field: content.get(field) for field in fields}

    def field_owners(self, manifest: Manifest) -> list[FieldOwner]:
        """Return who owns fields of the child of the kind and name of *manifest*: read once, also if asked twice.

        There are none if there is no such child. Raise UndeclaredKind.
        """
        identity = identity_of(manifest, self.namespace)
        if identity not in self._field_owners:
            child, _ = self._find(manifest)
            self._field_owners[identity] = field_owners(child.metadata.managed_fields) if child else []
        return self._field_owners[identity]

    def identities(self) -> set[Identity]:
        """Return the identity of every child."""
        return {(group, *place) for group, by_place in self._by_group.items() for place in by_place}

    def unlisted(self, manifests: Iterable[Manifest]) -> list[Object]:
        """Return the children that are not among *manifests*, sorted: Metacontroller deletes them."""
        left = self.identities().difference(identity_of(manifest, self.namespace) for manifest in manifests)
        return [self._by_group[group][namespace, name][0] for group, namespace, name in sorted(left)]

    def kept(self) -> list[Manifest]:
        """Return what was last applied to each child: a response that keeps it changes nothing."""
        pairs = [pair for by_place in self._by_struct.values() for pair in by_place.values()]
        return [self._kept(child, raw) for child, raw in pairs]

    def _kept(self, child: Object, raw: msgspec.Raw) -> Manifest:
        applied = last_applied(child, partial(_content, child, raw), self.owner_uid)
        namespace = child.metadata.namespace or ""
        if namespace != self.namespace:
            applied["metadata"] = {"namespace": namespace, **applied["metadata"]}
        return applied

    def _namespace_of(self, struct: type[Object]) -> str:
        """Return the namespace of a child of *struct* that names none."""
        return self.namespace if struct.KIND.namespaced else ""

    def _of(self, struct: type[K]) -> dict[Place, Pair[K]]:
        """Return the children of *struct* by place; raise UndeclaredKind."""
        if struct not in self._by_struct:
            raise UndeclaredKind(struct.KIND.kind)
        return self._by_struct[struct]

    def _find(self, manifest: Manifest) -> tuple[Object | None, msgspec.Raw]:
        """Return the child and its JSON, or None and null."""
        group, namespace, name = identity_of(manifest, self.namespace)
        if group not in self._by_group:
            raise UndeclaredKind(manifest.get("kind"))
        return self._by_group[group].get((namespace, name), _NO_PAIR)


_KINDS_OF = {"children": "childResources", "attachments": "attachments"}
"""The field of a controller's manifest that has the kinds of the objects in a field of a request."""

_ANY: Any = Any
_NO_PAIR = (None, msgspec.Raw(b"null"))
_WHOLE = (dict[str, Any] | None, dict[str, str] | None)
"""Types of fields that a struct decodes as they are."""


@cache
def _whole_fields(struct: type[Object]) -> frozenset[str]:
    """Return the fields that *struct* decodes as they are, so that they need not be decoded once more."""
    fields = msgspec.structs.fields(struct)
    return frozenset(field.name for field in fields if field.type in _WHOLE and field.name == field.encode_name)


def _content(child: Object, raw: msgspec.Raw) -> dict[str, Any]:
    """Return the JSON of *child*, which is *raw*, decoded, less its metadata and status.

    What is decoded already is not decoded again: it may be large.
    """
    fields, whole = try_read(raw, dict[str, msgspec.Raw]) or {}, _whole_fields(type(child))
    return {
        field: getattr(child, field) if field in whole else try_read(value, _ANY)
        for field, value in fields.items()
        if field not in {"metadata", "status"}
    }


def _pairs(struct: type[K], group: dict[str, msgspec.Raw], memory: DecodedMemory, path: str) -> list[Pair[K]]:
    """Return the objects in *group*, decoded as *struct*, each with its JSON."""
    pairs = []
    for raw in group.values():
        memory.take(raw)
        pairs.append((read(raw, struct, path), raw))
    return pairs


def _own(pairs: Iterable[Pair[K]], namespace: str, owner_uid: str, path: str) -> dict[Place, Pair[K]]:
    """Return those of *pairs*, by place, that no other object than *owner_uid* controls.

    They are in *namespace*, or anywhere if it is empty: then the parent is cluster-scoped.
    """
    places: list[Place] = []
    own: dict[Place, Pair[K]] = {}
    for pair in pairs:
        metadata = pair[0].metadata
        place = (metadata.namespace or "", metadata.name)
        if not namespace or place[0] == namespace:
            places.append(place)
            if not metadata.has_other_controller(owner_uid):
                own[place] = pair
    if any(not name for _, name in places):
        raise MalformedRequest(RequestRule.NAME, path=path)
    if len(set(places)) < len(places):
        raise MalformedRequest(RequestRule.UNIQUE, path=path)
    return own
