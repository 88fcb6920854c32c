"""The objects in a request: the children that the parent controls, and those that the rules of customize select.

Metacontroller groups objects by kind (``Deployment.apps/v1``) and keys them, within a group, in a way that depends on
the hook's version. So these keys are ignored here: an object is found by what its own metadata says. Each part of a
child is decoded once, and only if it is asked for; what is decoded is shared, so nobody changes it.

What was last applied to a child is what a response leaves unchanged. Under dynamic-apply Metacontroller records that in
an annotation, and removes it when it begins to apply server-side. From then on the API server records it, in
``managedFields``: the entry of operation Apply that owns the parent's owner reference names the hook's fields, the
object has their values. The items of a list stay in the observed object's order: the record's order is sorted, and
following it would reorder ports and restart Pods. A record is read leniently: one that can't be read is no record.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from enum import Enum
from functools import cache, cached_property
from typing import Any, Generic, NoReturn, TypeVar

import msgspec

from metahook.protocol.bodies import Groups, MalformedRequest, RequestRule, read, try_read
from metahook.protocol.managed_fields import FieldOwner, FieldSet, field_owners, owned_part, owns_reference
from metahook.protocol.objects import (
    Identity,
    Json,
    Manifest,
    Metadata,
    Object,
    Observed,
    identity_of,
    object_or_empty,
    without_nulls,
)
from metahook.protocol.request_limits import UNCOUNTED, DecodedMemory

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


_CONTROLLER_UID = "controller-uid"


def last_applied(child: ObservedChild[Any], owner_uid: str) -> Json:
    """Return what was last applied to *child* for the parent *owner_uid*.

    With no record that is ``{apiVersion, kind, metadata: {name}}``, which removes nothing either.
    """
    try:
        record = object_or_empty(without_nulls(child.record or _from_managed_fields(child, owner_uid)))
    except RecursionError:
        record = {}
    kind = child.object.KIND
    return {
        **{field: value for field, value in record.items() if field != "status"},
        "apiVersion": kind.api_version,
        "kind": kind.kind,
        "metadata": {"name": child.object.metadata.name, **_own_metadata(object_or_empty(record.get("metadata")))},
    }


def _from_managed_fields(child: ObservedChild[Any], owner_uid: str) -> Json:
    applied = (owner.fields for owner in child.owners if owner.operation == "Apply")
    fields = next((fields for fields in applied if owns_reference(fields, owner_uid)), None)
    if not fields:
        return {}
    metadata = child.object.metadata
    named = {"labels": metadata.labels, "annotations": metadata.annotations}
    return object_or_empty(owned_part(fields, {**child.content, "metadata": named}))


def _own_metadata(metadata: Json) -> Json:
    """Return the labels and annotations in *metadata*, less the label that Metacontroller adds."""
    labels = {key: value for key, value in object_or_empty(metadata.get("labels")).items() if key != _CONTROLLER_UID}
    annotations = object_or_empty(metadata.get("annotations"))
    return {**({"labels": labels} if labels else {}), **({"annotations": annotations} if annotations else {})}


K = TypeVar("K", bound=Object)

_KIND = re.compile(r"[A-Z][A-Za-z0-9]{0,62}")


class UndeclaredKind(LookupError):
    """Raised when a hook uses children of a kind that its Controller does not declare. Its text names the remedy."""

    def __init__(self, kind: object) -> None:
        # A hook may take the kind from a user's spec, and other text of a spec must not get into a log.
        name = kind if isinstance(kind, str) and _KIND.fullmatch(kind) else "its kind"
        super().__init__(f"a child of an undeclared kind: add {name} to children= of the Controller")


Place = tuple[str, str]
"""Namespace and name of a child; the namespace of a cluster-scoped one is empty."""


class _Declared(dict[type[Object], dict[Place, ObservedChild[Any]]]):
    """The children of each declared kind, by their places; a look-up of another kind raises UndeclaredKind."""

    def __missing__(self, struct: type[Object]) -> NoReturn:
        raise UndeclaredKind(struct.KIND.kind)


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
        self._by_struct = _Declared()
        self._by_group: dict[str, dict[Place, ObservedChild[Any]]] = {}
        self.unmanaged = {kind for struct in optional if (kind := struct.KIND.group_key) not in groups}
        """The groups of kinds of which Metacontroller manages no children: see :meth:`manages`."""
        for struct in structs:
            group = struct.KIND.group_key
            own = self._by_struct[struct] = self._by_group[group] = {}
            if group not in groups and group not in self.unmanaged:
                rules = _KINDS_OF[path]
                raise MalformedRequest(RequestRule.GROUP, path=path, group=group, rules=rules)
            if observed := groups.get(group):  # most kinds have no child
                at = f"{path}[{group}][*]"
                own.update(_own(_decoded(struct, observed, memory, at), namespace, owner_uid, at))
        self._objects = [child.object for by_place in self._by_struct.values() for child in by_place.values()]

    def __iter__(self) -> Iterator[Object]:
        """Iterate over the children of all kinds."""
        return iter(self._objects)

    def manages(self, struct: type[Object]) -> bool:
        """Tell whether the controller in the cluster lists the kind of *struct*; return no such child if it does not.

        See ``Controller.optional_kinds``.
        """
        return struct.KIND.group_key not in self.unmanaged

    def all(self, struct: type[K]) -> list[K]:
        """Return all children of *struct*, in all namespaces; raise UndeclaredKind."""
        return [child.object for child in self._by_struct[struct].values()]

    def get(self, struct: type[K], name: str, namespace: str | None = None) -> K | None:
        """Return the child of *struct* called *name*, or None; raise UndeclaredKind.

        It is in *namespace*, by default that of the parent; one of a cluster-scoped kind is in none.
        """
        if namespace is None:
            namespace = self.namespace if struct.KIND.namespaced else ""
        child = self._by_struct[struct].get((namespace, name))
        return child.object if child else None

    def observed(self, manifest: Manifest) -> Object | None:
        """Return the child of the kind and name of *manifest*, or None; raise UndeclaredKind."""
        child = self.find(manifest)
        return child.object if child else None

    def find(self, manifest: Manifest) -> ObservedChild[Object] | None:
        """Return the child of the kind and name of *manifest* with its JSON, or None; raise UndeclaredKind."""
        group, namespace, name = identity_of(manifest, self.namespace)
        if group not in self._by_group:
            raise UndeclaredKind(manifest.get("kind"))
        return self._by_group[group].get((namespace, name))

    def identities(self) -> set[Identity]:
        """Return the identity of every child."""
        return {(group, *place) for group, by_place in self._by_group.items() for place in by_place}

    def unlisted(self, manifests: Iterable[Manifest]) -> list[Object]:
        """Return the children that are not among *manifests*, sorted: Metacontroller deletes them."""
        left = self.identities() - {identity_of(manifest, self.namespace) for manifest in manifests}
        return [self._by_group[group][namespace, name].object for group, namespace, name in sorted(left)]

    def last_applied(self, manifest: Manifest) -> Manifest | None:
        """Return what was last applied to the child that *manifest* names, or None; raise UndeclaredKind."""
        child = self.find(manifest)
        return self._kept(child) if child else None

    def kept(self) -> list[Manifest]:
        """Return what was last applied to each child: a response that keeps it changes nothing."""
        return [self._kept(child) for by_place in self._by_struct.values() for child in by_place.values()]

    def _kept(self, child: ObservedChild[Any]) -> Manifest:
        applied = last_applied(child, self.owner_uid)
        namespace = child.object.metadata.namespace or ""
        if namespace != self.namespace:
            applied["metadata"] = {"namespace": namespace, **applied["metadata"]}
        return applied


_KINDS_OF = {"children": "childResources", "attachments": "attachments"}
"""The field of a controller's manifest that has the kinds of the objects in a field of a request."""


def _decoded(
    struct: type[K], group: dict[str, msgspec.Raw], memory: DecodedMemory, path: str
) -> list[ObservedChild[K]]:
    children = []
    for raw in group.values():
        memory.take(raw)
        children.append(ObservedChild(read(raw, struct, path), raw))
    return children


def _own(children: list[ObservedChild[K]], namespace: str, owner_uid: str, path: str) -> dict[Place, ObservedChild[K]]:
    """Return those of *children*, by place, that no other object than *owner_uid* controls.

    They are in *namespace*, or anywhere if it is empty: then the parent is cluster-scoped.
    """
    places = [(child.object.metadata.namespace or "", child.object.metadata.name) for child in children]
    inside = [(place, child) for place, child in zip(places, children, strict=True) if namespace in {"", place[0]}]
    own = dict(inside)
    if "" in {name for _, name in own}:
        raise MalformedRequest(RequestRule.NAME, path=path)
    if len(own) < len(inside):
        raise MalformedRequest(RequestRule.UNIQUE, path=path)
    return {place: child for place, child in inside if not child.object.metadata.has_other_controller(owner_uid)}


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
