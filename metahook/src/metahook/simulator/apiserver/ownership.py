"""Field ownership: Metacontroller owns what it applied, and other managers own what they changed by an update.

An apply removes a field that its manager applied before and now leaves out, unless another manager owns it. Each
manager's fields are kept as that part of the object. Managers that do not matter to a hook are not recorded.

Source: Kubernetes, "Server-Side Apply".
"""

from dataclasses import dataclass, field, replace
from typing import Any

from metahook.simulator.apiserver.server_side_apply import (
    ATOMIC,
    apply,
    item_key,
    list_keys,
    managed_fields,
    still_owned,
)
from metahook.simulator.objects import Json

APPLIER = "metacontroller"
UNDO = "kubectl"
"""The field manager of ``kubectl rollout undo``."""

_METADATA = ("annotations", "labels", "ownerReferences")


@dataclass(frozen=True)
class Ownership:
    """What Metacontroller ``applied`` last and still owns, and what others ``updated``, by field manager."""

    applied: Json | None = None
    updated: dict[str, Json] = field(default_factory=dict)

    def after_update(self, old: Json | None, new: Json, actor: str) -> "Ownership":
        """Return the ownership after *actor* updated *old* to *new*."""
        left = {name: still_owned(part, new) or {} for name, part in self.updated.items()}
        if actor in (APPLIER, UNDO):
            left[actor] = union(left.get(actor, {}), changed_part(_part(old), _part(new)))
        return Ownership(still_owned(self.applied, new) if self.applied else None, left)

    def after_apply(self, desired: Json, new: Json) -> "Ownership":
        """Return the ownership after Metacontroller applied *desired*, with the result *new*."""
        return replace(self.after_update(None, new, ""), applied=desired)

    def merged(self, live: Json, desired: Json) -> Json:
        """Return *live* after Metacontroller applies *desired*; dropped fields of other managers stay."""
        merged: Json = apply(live, self.applied, desired)
        for part in self.updated.values():
            merged = union(part, merged)
        return merged

    def managed_fields(self) -> list[Json] | None:
        """Return ``metadata.managedFields``; None if Metacontroller has only updated, which the hook does not read."""
        if self.applied is None and self.updated.keys() <= {APPLIER}:
            return None
        applied = managed_fields(self.applied) if self.applied else []
        updated = [managed_fields(part, name, "Update") for name, part in sorted(self.updated.items()) if part]
        return [*applied, *(entry for entries in updated for entry in entries)]


def _part(item: Json | None) -> Json:
    """Return the part of *item* whose fields have owners."""
    if item is None:
        return {}
    metadata = {name: item["metadata"][name] for name in _METADATA if name in item["metadata"]}
    return {**{name: value for name, value in item.items() if name not in ("kind", "status")}, "metadata": metadata}


def changed_part(old: Any, new: Any, name: str = "") -> Any:
    """Return the part of *new* that differs from *old*; None if nothing does."""
    if old == new:
        return None
    if isinstance(old, dict) and isinstance(new, dict) and name not in ATOMIC:
        parts = {key: changed_part(old.get(key), value, key) for key, value in new.items()}
        return {key: part for key, part in parts.items() if part is not None} or None
    keys = list_keys(name, new, old or ())
    if keys is None:
        return new
    before = {item_key(item, keys): item for item in old or ()}
    pairs = [(item, changed_part(before.get(item_key(item, keys)), item)) for item in new]
    return [{key: item[key] for key in keys if key in item} | part for item, part in pairs if part is not None] or None


def union(one: Any, other: Any, name: str = "") -> Any:
    """Return the union of *one* and *other*; the value of *other* wins."""
    if isinstance(one, dict) and isinstance(other, dict) and name not in ATOMIC:
        return {**one, **{key: union(one.get(key), value, key) for key, value in other.items()}}
    keys = list_keys(name, other, one or ())
    if keys is None or not one:
        return one if other is None else other
    first, second = ({item_key(item, keys): item for item in items} for items in (one, other))
    return [
        *(union(first.get(key), item) for key, item in second.items()),
        *(first[key] for key in first if key not in second),
    ]
