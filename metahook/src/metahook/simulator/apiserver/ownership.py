"""Who owns which fields of an object: Metacontroller by what it applied, and those who update by what they changed.

A field goes when who applied it says no more of it, unless somebody owns it by an update. What is owned is kept as the
part of the object that it is. Owners that the hook makes nothing of are not recorded. Source: Kubernetes, "Server-Side
Apply".
"""

from dataclasses import dataclass, field, replace
from typing import Any

from metahook.simulator.apiserver.server_side_apply import ATOMIC, apply, list_keys, managed_fields, named, still_owned
from metahook.simulator.objects import Json

APPLIER = "metacontroller"
UNDO = "kubectl"
"""Who ``kubectl rollout undo`` writes as."""

_METADATA = ("annotations", "labels", "ownerReferences")


@dataclass(frozen=True)
class Ownership:
    """What Metacontroller ``applied`` last, as far as it still owns it, and what others ``updated``, by their name."""

    applied: Json | None = None
    updated: dict[str, Json] = field(default_factory=dict)

    def after_update(self, old: Json | None, new: Json, actor: str) -> "Ownership":
        """Return who owns what after *actor* made *new* of *old*."""
        left = {name: still_owned(part, new) or {} for name, part in self.updated.items()}
        if actor in (APPLIER, UNDO):
            left[actor] = joined(left.get(actor, {}), changed(_part(old), _part(new)))
        return Ownership(still_owned(self.applied, new) if self.applied else None, left)

    def after_apply(self, desired: Json, new: Json) -> "Ownership":
        """Return who owns what after Metacontroller applied *desired*, which made *new*."""
        return replace(self.after_update(None, new, ""), applied=desired)

    def merged(self, live: Json, desired: Json) -> Json:
        """Return *live* after Metacontroller applies *desired*: what it drops stays if somebody else owns it."""
        merged: Json = apply(live, self.applied, desired)
        for part in self.updated.values():
            merged = joined(part, merged)
        return merged

    def managed_fields(self) -> list[Json] | None:
        """Return ``metadata.managedFields``; None where Metacontroller has only updated, as that tells nothing."""
        if self.applied is None and self.updated.keys() <= {APPLIER}:
            return None
        applied = managed_fields(self.applied) if self.applied else []
        updated = [managed_fields(part, name, "Update") for name, part in sorted(self.updated.items()) if part]
        return [*applied, *(entry for entries in updated for entry in entries)]


def _part(item: Json | None) -> Json:
    """Return the part of *item* that has owners."""
    if item is None:
        return {}
    metadata = {name: item["metadata"][name] for name in _METADATA if name in item["metadata"]}
    return {**{name: value for name, value in item.items() if name not in ("kind", "status")}, "metadata": metadata}


def changed(old: Any, new: Any, name: str = "") -> Any:
    """Return the part of *new* that *old* lacks, or has with another value; None if there is none."""
    if old == new:
        return None
    if isinstance(old, dict) and isinstance(new, dict) and name not in ATOMIC:
        parts = {key: changed(old.get(key), value, key) for key, value in new.items()}
        return {key: part for key, part in parts.items() if part is not None} or None
    keys = list_keys(name, new, old or ())
    if keys is None:
        return new
    before = {named(item, keys): item for item in old or ()}
    pairs = [(item, changed(before.get(named(item, keys)), item)) for item in new]
    return [{key: item[key] for key in keys if key in item} | part for item, part in pairs if part is not None] or None


def joined(one: Any, other: Any, name: str = "") -> Any:
    """Return what is in *one* or in *other*, which wins."""
    if isinstance(one, dict) and isinstance(other, dict) and name not in ATOMIC:
        return {**one, **{key: joined(one.get(key), value, key) for key, value in other.items()}}
    keys = list_keys(name, other, one or ())
    if keys is None or not one:
        return one if other is None else other
    first, second = ({named(item, keys): item for item in items} for items in (one, other))
    return [
        *(joined(first.get(key), item) for key, item in second.items()),
        *(first[key] for key in first if key not in second),
    ]
