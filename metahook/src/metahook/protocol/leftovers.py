"""Fields of a child that the hook does not set: leftovers, foreign fields, which others set, and how to remove them.

Leftovers were applied before, are no longer desired, and are not removed by Metacontroller.

After a change of Metacontroller's ``--apply-strategy`` the fields that it wrote in the other way have another owner, so
dropping them from the desired child does not remove them. ``kubectl rollout undo`` brings fields back that server-side
apply then leaves alone. The API server records in ``managedFields`` who owns what: a field is left over if one of these
owns it, no other manager does, and it is not what the API server sets by default.

A field is foreign if another manager owns it, such as ``kubectl edit`` or a sidecar injector that patches the child.
What a webhook or a policy adds at admission is not: on the real API server nobody owns that, no matter whose request it
was added to.

Their removal is a kubectl command that a message names. For built-in kinds it is a strategic merge patch. Such a patch
names items of lists by their keys, so it does not depend on their places, and running it twice does no harm. The API
server takes none for custom resources: there it is a merge patch, which can't delete items of lists.
"""

import json
import shlex
from collections.abc import Collection, Iterable, Iterator
from typing import Any

from msgspec import Struct, field

from metahook.protocol.managed_fields import (
    APPLIER,
    FieldOwner,
    FieldSet,
    is_metacontroller,
    list_key,
    subset,
    union,
)
from metahook.protocol.objects import Defaults, Json, Manifest, Object, identity_of
from metahook.protocol.observed import LAST_APPLIED, Children, ObservedChild

Key = tuple[tuple[str, Any], ...]
"""What identifies an item of a list, such as ``(("name", "main"),)``."""

Path = tuple[str | Key, ...]
"""Field names and list items, from the outside in."""

EVERY_MANAGER = "*"

_UNDO = "kubectl"
"""The field manager of ``kubectl rollout undo``. Other commands of kubectl have longer names: kubectl-edit."""

_OPEN_MAPS = {"annotations", "labels", "limits", "requests"}
"""Maps of which each entry has its own owner, as with the items of a list."""

_WHOLE_MAPS = {"nodeSelector"}
"""Maps with one owner as a whole. Dynamic-apply keeps entries that others add to them."""

_NEVER = {LAST_APPLIED, "controller-uid", "kubectl.kubernetes.io/restartedAt"}
"""Annotations and a label that come and go with what Metacontroller or ``kubectl rollout restart`` does."""


def format_path(path: Path) -> str:
    """Return *path* as a message names it, such as ``spec.template.spec.containers[main].args``."""
    steps = (f".{step}" if isinstance(step, str) else f"[{step[0][1]}]" for step in path)
    return "".join(steps).removeprefix(".")


def leftovers(desired: Manifest, children: Children, ignored: Collection[str] = ()) -> list[Path]:
    """Return the outermost fields that are left over on the observed child of the kind and name of *desired*.

    *ignored* are annotations that the hook sets only at times. Raise UndeclaredKind.
    """
    child = children.find(desired)
    if child is None or not _may_have_leftovers(child):
        return []
    suspects, others = _split(child, children.owner_uid)
    if not suspects:  # to unite the fields of all others takes long
        return []
    metadata = child.object.metadata
    live = {**child.content, "metadata": {"annotations": metadata.annotations or {}, "labels": metadata.labels or {}}}
    walk = _Walk({*_NEVER, *ignored}, child.object.DEFAULTS)
    known = [desired, child.record]
    suspected = _decided_by_the_hook(union(map(_suspected, suspects)))
    return sorted(walk.unknown(suspected, union(owner.fields for owner in others), live, known, ()), key=str)


class ForeignField(Struct, frozen=True):
    """A field that only other managers set."""

    path: Path
    managers: tuple[str, ...]
    """Their names, sorted."""

    def __str__(self) -> str:
        """Return it as a message names it, such as ``spec.template.spec.hostNetwork (kubectl-edit)``."""
        return f"{format_path(self.path)} ({', '.join(self.managers)})"


def foreign_fields(desired: Manifest, children: Children, expected: Collection[str] = ()) -> list[ForeignField]:
    """Return the outermost foreign fields of the observed child of the kind and name of *desired*, sorted.

    They are not in its metadata and its status. Those of the *expected* managers are left out; ``*`` means all. Nothing
    is decoded for a child without other managers. Raise UndeclaredKind.
    """
    child = children.find(desired)
    if child is None or EVERY_MANAGER in expected:
        return []
    if not [owner for owner in child.owners if _may_be_foreign(owner, expected)]:
        return []
    _, others = _split(child, children.owner_uid)
    foreign = sorted((owner for owner in others if _may_be_foreign(owner, expected)), key=lambda owner: owner.manager)
    if not foreign:
        return []
    known = [desired, child.record]
    walk = _Walk(_NEVER, child.object.DEFAULTS)
    found: dict[Path, set[str]] = {}
    for owner in foreign:
        for path in walk.unknown(union([owner.fields]), {}, child.content, known, ()):
            found.setdefault(path, set()).add(owner.manager)
    return [ForeignField(path, tuple(sorted(found[path]))) for path in sorted(found, key=str)]


def _may_be_foreign(owner: FieldOwner, expected: Collection[str]) -> bool:
    """Tell whether *owner* may set fields of its own: not through a subresource, such as an autoscaler."""
    if owner.subresource or owner.manager == APPLIER:  # all owners of most children
        return False
    return owner.manager not in expected and not _is_undo(owner)


def _may_have_leftovers(child: ObservedChild[Object]) -> bool:
    """Tell whether the other apply strategy, or an undo, owns fields: most children have no such owner.

    Metacontroller's dynamic-apply records in an annotation what it applied, and writes as any other client does.
    """
    other = "Update" if child.is_applied_server_side else "Apply"
    return bool(
        [owner for owner in child.owners if not owner.subresource and (owner.operation == other or _is_undo(owner))]
    )


def _is_undo(owner: FieldOwner) -> bool:
    return (owner.manager, owner.operation, owner.subresource) == (_UNDO, "Update", None)


def _split(child: ObservedChild[Object], owner_uid: str) -> tuple[list[FieldOwner], list[FieldOwner]]:
    """Return the owners of fields of *child* that may be left over, and those that are other managers.

    Without the annotation Metacontroller applies server-side: what its own Apply entry has, its next apply removes.
    """
    appliers = {APPLIER} | {owner.manager for owner in child.owners if is_metacontroller(owner, owner_uid)}
    suspects: list[FieldOwner] = []
    others: list[FieldOwner] = []
    for owner in child.owners:
        if _is_undo(owner):
            suspects.append(owner)
        elif owner.subresource or owner.manager not in appliers:
            others.append(owner)
        elif owner.operation == "Update" or not child.is_applied_server_side:
            suspects.append(owner)
    return suspects, others


def _suspected(owner: FieldOwner) -> FieldSet:
    """Return the fields of *owner* that may be left over."""
    return {"f:spec": subset(owner.fields, "f:spec")} if _is_undo(owner) else owner.fields


def _decided_by_the_hook(fields: FieldSet) -> FieldSet:
    metadata = {field: subset(subset(fields, "f:metadata"), field) for field in ("f:annotations", "f:labels")}
    content = {field: below for field, below in fields.items() if field not in {"f:metadata", "f:status"}}
    return {**content, "f:metadata": metadata}


class _Walk(Struct, frozen=True):
    """Goes through field sets, one or several, and the values that they name."""

    ignored: Collection[str]
    defaults: Defaults
    _items: dict[int, "_Items"] = field(default_factory=dict)
    """By the id of the value, which outlives the walk: a list is indexed once, whoever owns items of it."""

    def unknown(self, owned: FieldSet, others: FieldSet, live: object, known: list[Any], path: Path) -> Iterator[Path]:
        """Yield those of *owned* that are in *live*, not in *others*, and in none of the *known* manifests."""
        observed, manifests = self._of(live), [self._of(manifest) for manifest in known]
        for name, below in owned.items():
            step, value = observed.find(name)
            if step is None or step in self.ignored:
                continue
            inner = [found for there, found in (manifest.find(name) for manifest in manifests) if there is not None]
            theirs = subset(others, name)
            is_open = step in _OPEN_MAPS or (isinstance(value, list) and bool(below))
            if inner or is_open or theirs.keys() - {"."}:
                is_whole = step in _WHOLE_MAPS and isinstance(value, dict) and id(value) not in self._items
                entries = {f"f:{key}": {} for key in value} if is_whole else below
                yield from self.unknown(entries, theirs, value, inner, (*path, step))
            elif name not in others and not (isinstance(step, str) and self.defaults.has(_field(path), step, value)):
                yield (*path, step)

    def _of(self, value: object) -> "_Items":
        return self._items.setdefault(id(value), _Items(value))


def _field(path: Path) -> str:
    """Return the name of the field that *path* ends in, or is an item of; ``""`` at the top of the object."""
    return next((step for step in reversed(path) if isinstance(step, str)), "")


class _Items:
    """An object or a list, of which FieldsV1 names a part."""

    def __init__(self, value: object) -> None:
        self._value = value
        self._index: dict[tuple[str, ...], dict[tuple[str, ...], Any]] = {}

    def find(self, field: str) -> tuple[str | Key | None, Any]:
        """Return the step to *field* and its value; no step if it is not there."""
        step: str | Key = field[2:] if field.startswith("f:") else tuple(list_key(field).items())
        value = self._value.get(step) if isinstance(step, str) and isinstance(self._value, dict) else self._item(step)
        return (None, None) if value is None else (step, value)

    def _item(self, key: str | Key) -> object:
        if isinstance(key, str) or not key or not isinstance(self._value, list):
            return None
        names = tuple(name for name, _ in key)
        if not self._index:  # the API server identifies all items of a list by the same names
            items = [item for item in self._value if isinstance(item, dict)]
            self._index[names] = {_identity(item, names): item for item in items}
        return self._index.get(names, {}).get(_identity(dict(key), names))


def _identity(item: dict[str, Any], names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(str(item.get(name, "TCP" if name == "protocol" else None)) for name in names)


Tree = dict[str | Key, Any]
"""The fields to remove: step by step, and None where one ends."""

_ROOM = 700
"""Characters for the command. It removes as many fields as fit; the status after it names the rest."""

_NAMED = 3
"""Fields that the message names beside the command."""

_LONGEST = 160
"""Characters for these names."""

_UNIONS = (
    {"type", "rollingUpdate"},
    {"sessionAffinity", "sessionAffinityConfig"},
    {"value", "valueFrom"},
    {"configMapKeyRef", "fieldRef", "fileKeyRef", "resourceFieldRef", "secretKeyRef"},
    {"exec", "grpc", "httpGet", "sleep", "tcpSocket"},
    {"configMap", "emptyDir", "persistentVolumeClaim", "projected", "secret"},
)
"""Fields that exclude or need one another: the API server refuses, or restores, one that is removed by itself."""


class Removal(Struct, frozen=True):
    """The words for what is to be removed: some of the ``fields``, and the ``command``."""

    fields: str
    command: str


def removal(desired: Manifest, paths: list[Path], children: Children, room: int = _ROOM) -> Removal:
    """Return the removal of *paths* from the one of *children* that has the kind and name of *desired*.

    The command has at most *room* characters.
    """
    named = ", ".join(map(format_path, paths[:_NAMED]))[:_LONGEST]
    return Removal(named + (" and others" if len(paths) > _NAMED else ""), _command(desired, paths, children, room))


def _command(desired: Manifest, paths: list[Path], children: Children, room: int) -> str:
    """Return the command that removes the first of *paths*: as many as there is room for."""
    group = _custom_group(desired)
    _, namespace, name = identity_of(desired, children.namespace)
    place = f" -n {namespace}" if namespace else ""
    target = f"{desired['kind'].lower()}{group and '.'}{group} {name}{place}"
    command = f"kubectl edit {target}"
    if group and any(isinstance(step, tuple) for path in paths for step in path):
        return command
    kind_of_patch = " --type=merge" if group else ""
    ports = _missing_ports(desired, children) if any(map(_is_port, paths)) else []
    for count in range(1, len(paths) + 1):
        patch = _patch(_tree(paths[:count]), desired)
        if ports and not any(map(_is_port, paths[count:])):
            patch["spec"]["ports"] += [port for port in ports if port not in patch["spec"]["ports"]]
        text = json.dumps(patch, separators=(",", ":"), ensure_ascii=False)
        longer = f"kubectl patch {target}{kind_of_patch} --field-manager={APPLIER} -p {shlex.quote(text)}"
        if len(longer) > room:
            break
        command = longer
    return command


def _is_port(path: Path) -> bool:
    """Tell whether *path* is a port of a Service, as a whole."""
    match path:
        case ("spec", "ports", tuple()):
            return True
    return False


def _missing_ports(desired: Manifest, children: Children) -> list[Json]:
    """Return the ports of a desired Service that the observed one lacks, or has under other names.

    They are set together with the removal of the last others: the API server refuses a Service without ports. Nor does
    it add a port while another one has its name, so that Metacontroller could not set them before.
    """
    child = children.find(desired)
    spec = (child and child.content.get("spec")) or {}
    observed = {_named_port(port) for port in spec.get("ports") or [] if isinstance(port, dict)}
    wanted = desired.get("spec", {}).get("ports") or []
    return [port for port in wanted if _named_port(port) not in observed]


def _named_port(port: Json) -> tuple[Any, ...]:
    return port.get("port"), port.get("protocol", "TCP"), port.get("name")


def _custom_group(desired: Manifest) -> str:
    """Return the API group of *desired* if it is that of custom resources, else nothing.

    It has a dot: the groups of built-in kinds have none, or end in ``.k8s.io``.
    """
    group, slash, _ = desired["apiVersion"].partition("/")
    return group if slash and "." in group and not group.endswith(".k8s.io") else ""


def _tree(leftovers: Iterable[Path]) -> Tree:
    tree: Tree = {}
    for *outer, last in leftovers:
        node = tree
        for step in outer:
            node = node.setdefault(step, {})
        node[last] = None
    return tree


def _patch(tree: Tree, desired: object) -> Any:  # noqa: ANN401 - an object, or a list of them
    keys = [key for key in tree if isinstance(key, tuple)]
    if keys:
        items = [item for item in desired if isinstance(item, dict)] if isinstance(desired, list) else []
        return [part for key in keys for part in _items(dict(key), tree[key], items)]
    return _fields(tree, desired if isinstance(desired, dict) else {})


def _fields(tree: Tree, desired: Json) -> Json:
    removed = {field for field, inner in tree.items() if inner is None}
    related = {field for group in _UNIONS if group & removed for field in group & desired.keys() - tree.keys()}
    fields = {str(field): inner and _patch(inner, desired.get(str(field))) for field, inner in tree.items()}
    return {**fields, **{field: desired[field] for field in sorted(related)}}


def _items(key: Json, tree: Tree | None, desired: list[Json]) -> Iterator[Json]:
    """Yield the patch of the item with this *key*.

    Where one is deleted, those that the patch takes for the same (a port of another protocol) are set again.
    """
    if tree is not None:
        item = next((item for item in desired if key.items() <= item.items()), None)
        yield {**key, **_fields(tree, item or {})}
        return
    yield {**key, "$patch": "delete"}
    merge_key, value = next(iter(key.items()))
    yield from (item for item in desired if item.get(merge_key) == value)
