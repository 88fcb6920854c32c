"""Leftovers: fields of a child that were applied before, are no longer desired, and do not go away by themselves.

After a change of Metacontroller's ``--apply-strategy`` the fields that it wrote in the other way have another owner, so
dropping them from the desired child does not remove them. ``kubectl rollout undo`` brings fields back that server-side
apply then leaves alone. The API server records in ``managedFields`` who owns what: a field is left over if one of these
owns it, nobody else does, and it is not what the API server sets by default.
"""

from collections.abc import Iterator
from typing import Any

import msgspec

from app.core.child_metadata import REPAIR_ANNOTATION
from app.core.defaults import is_default
from metahook import LAST_APPLIED, Children, FieldOwner, FieldSet, Manifest, inside, list_key, owns_reference, union

Key = tuple[tuple[str, Any], ...]
"""What identifies an item of a list, such as ``(("name", "main"),)``."""

Path = tuple[str | Key, ...]
"""Field names and list items, from the outside in."""

APPLIER = "metacontroller"
"""The name that Metacontroller's writes have unless it is configured otherwise."""

_UNDO = "kubectl"
"""The name that ``kubectl rollout undo`` writes as. Other commands of kubectl have longer ones: kubectl-edit."""

_OPEN_MAPS = {"annotations", "labels", "limits", "requests"}
"""Maps of which each entry has its own owner, as with the items of a list."""

_NEVER = {LAST_APPLIED, REPAIR_ANNOTATION, "kubectl.kubernetes.io/restartedAt"}
"""Annotations that come and go with what Metacontroller, the hook or ``kubectl rollout restart`` does."""


def leftovers(desired: Manifest, children: Children) -> list[Path]:
    """Return the outermost fields that are left over on the observed child of the kind and name of *desired*."""
    observed = children.observed(desired)
    if observed is None:
        return []
    annotations = observed.metadata.annotations or {}
    last_applied = annotations.get(LAST_APPLIED)
    owners = children.field_owners(desired)
    if not _suspicious(owners, by_annotation=last_applied is not None):
        return []
    live = {"metadata": {"annotations": annotations}, "spec": getattr(observed, "spec", None)}
    known = [desired, _parsed(last_applied)]
    suspects, others = _split(owners, children.owner_uid, by_annotation=last_applied is not None)
    return sorted(_walk(suspects, others, live, known, ()), key=str)


def _suspicious(owners: list[FieldOwner], *, by_annotation: bool) -> bool:
    """Tell whether there can be leftovers at all: of the other apply strategy, or of an undo. Most children have none.

    Metacontroller's dynamic-apply records in an annotation what it applied, and writes as any other client does.
    """
    other = "Apply" if by_annotation else "Update"
    return any(not each.subresource and (each.operation == other or _is_undo(each)) for each in owners)


def _is_undo(owner: FieldOwner) -> bool:
    return (owner.manager, owner.operation, owner.subresource) == (_UNDO, "Update", None)


def _split(owners: list[FieldOwner], owner_uid: str, *, by_annotation: bool) -> tuple[FieldSet, FieldSet]:
    """Return the fields that may be left over, and those that somebody else owns.

    Without the annotation Metacontroller applies server-side: what its own Apply entry has, its next apply removes.
    """
    every = [(each, each.fields) for each in owners]
    ours = {APPLIER} | {each.manager for each, fields in every if owns_reference(fields, owner_uid)}
    suspects: list[FieldSet] = []
    others: list[FieldSet] = []
    for each, fields in every:
        if _is_undo(each):
            suspects.append({"f:spec": inside(fields, "f:spec")})
        elif each.subresource or each.manager not in ours:
            others.append(fields)
        elif by_annotation or each.operation == "Update":
            suspects.append(fields)
    return _roots(union(suspects)), union(others)


def _roots(fields: FieldSet) -> FieldSet:
    """Return the part of *fields* that the hook decides."""
    annotations = inside(inside(fields, "f:metadata"), "f:annotations")
    return {"f:metadata": {"f:annotations": annotations}, "f:spec": inside(fields, "f:spec")}


def _walk(suspects: FieldSet, others: FieldSet, live: object, known: list[Any], path: Path) -> Iterator[Path]:
    """Yield those of *suspects* that are in *live*, are nobody else's, and are in none of the *known* manifests."""
    seen, wanted = _Items(live), [_Items(each) for each in known]
    for field, fields in suspects.items():
        step, value = seen.find(field)
        if step is None or step in _NEVER:
            continue
        inner = [found for name, found in (each.find(field) for each in wanted) if name is not None]
        theirs = inside(others, field)
        is_open = step in _OPEN_MAPS or (isinstance(value, list) and bool(fields))
        if inner or is_open or theirs.keys() - {"."}:
            yield from _walk(fields, theirs, value, inner, (*path, step))
        elif field not in others and not (isinstance(step, str) and is_default(_field(path), step, value)):
            yield (*path, step)


def _field(path: Path) -> str:
    """Return the name of the field that *path* ends in, or is an item of."""
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
        """Return the item of a list that *key* identifies, or None."""
        if isinstance(key, str) or not key or not isinstance(self._value, list):
            return None
        names = tuple(name for name, _ in key)
        if not self._index:  # the API server identifies all items of a list by the same names
            items = [item for item in self._value if isinstance(item, dict)]
            self._index[names] = {_identity(item, names): item for item in items}
        return self._index.get(names, {}).get(_identity(dict(key), names))


def _identity(item: dict[str, Any], names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(str(item.get(name, "TCP" if name == "protocol" else None)) for name in names)


def _parsed(last_applied: str | None) -> object:
    try:
        return msgspec.json.decode(last_applied) if last_applied else None
    except (msgspec.DecodeError, RecursionError):
        return None
