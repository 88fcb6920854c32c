"""The observed children of a request, and how to look them up.

Metacontroller groups objects by kind (``Deployment.apps/v1``) and keys them, within a group, in a way that depends on
the hook's version. So these keys are ignored here: an object is found by what its own metadata says.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from typing import Any, TypeVar

import msgspec

from metahook.protocol.bodies.bodies import Groups
from metahook.protocol.bodies.malformed import MalformedRequest, RequestRule
from metahook.protocol.bodies.reading import read
from metahook.protocol.bodies.request_limits import UNCOUNTED, DecodedMemory
from metahook.protocol.objects.manifest import Identity, Manifest, identity_of
from metahook.protocol.objects.object import Object
from metahook.protocol.observed.child import ObservedChild
from metahook.protocol.observed.last_applied import last_applied

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
        self._by_struct: dict[type[Object], dict[Place, ObservedChild[Any]]] = {}
        self._by_group: dict[str, dict[Place, ObservedChild[Any]]] = {}
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
            children = _decoded(struct, groups[group], memory, at)
            self._by_struct[struct] = self._by_group[group] = _own(children, namespace, owner_uid, at)

    def __iter__(self) -> Iterator[Object]:
        """Iterate over the children of all kinds."""
        return iter([child.object for by_place in self._by_struct.values() for child in by_place.values()])

    def manages(self, struct: type[Object]) -> bool:
        """Tell whether the controller in the cluster lists the kind of *struct*; return no such child if it does not.

        See ``Controller.optional_kinds``.
        """
        return struct.KIND.group_key not in self.unmanaged

    def all(self, struct: type[K]) -> list[K]:
        """Return all children of *struct*, in all namespaces; raise UndeclaredKind."""
        return [child.object for child in self._of(struct).values()]

    def get(self, struct: type[K], name: str, namespace: str | None = None) -> K | None:
        """Return the child of *struct* called *name*, or None; raise UndeclaredKind.

        It is in *namespace*, by default that of the parent; one of a cluster-scoped kind is in none.
        """
        if namespace is None:
            namespace = self.namespace if struct.KIND.namespaced else ""
        child = self._of(struct).get((namespace, name))
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

    def _of(self, struct: type[K]) -> dict[Place, ObservedChild[K]]:
        """Return the children of *struct* by place; raise UndeclaredKind."""
        if struct not in self._by_struct:
            raise UndeclaredKind(struct.KIND.kind)
        return self._by_struct[struct]


_KINDS_OF = {"children": "childResources", "attachments": "attachments"}
"""The field of a controller's manifest that has the kinds of the objects in a field of a request."""


def _decoded(
    struct: type[K], group: dict[str, msgspec.Raw], memory: DecodedMemory, path: str
) -> list[ObservedChild[K]]:
    """Return the objects in *group*, decoded as *struct*."""
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
    inside = {place: child for place, child in zip(places, children, strict=True) if namespace in {"", place[0]}}
    if "" in {name for _, name in inside}:
        raise MalformedRequest(RequestRule.NAME, path=path)
    if len(inside) < len([place for place in places if namespace in {"", place[0]}]):
        raise MalformedRequest(RequestRule.UNIQUE, path=path)
    return {
        place: child for place, child in inside.items() if not child.object.metadata.has_other_controller(owner_uid)
    }
