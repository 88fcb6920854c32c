"""Server-side apply by Metacontroller, which always forces conflicts: the merge, and who owns which field.

Metacontroller owns what it applied, and other managers own what they changed by an update. An apply removes a field
that its manager applied before and now leaves out, unless another manager owns it. Each manager's fields are kept as
that part of the object; ``managed_fields`` writes them as FieldsV1. Managers that do not matter to a hook are not
recorded, and neither are times.

Source: Kubernetes, "Server-Side Apply", and the list and map types in its OpenAPI document. A list is known by its name
alone, as it is in an object of any kind.
"""

import json
import re
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from metahook.protocol.managed_fields import APPLIER
from metahook.simulator.apiserver.built_in_kinds import merge_keys
from metahook.simulator.apiserver.validation import ApiError
from metahook.simulator.history import YOU
from metahook.simulator.objects import Json, to_json

Key = tuple[Any, ...]

_LIST_KEYS = {
    **merge_keys("apis.meta.v1.ObjectMeta"),
    **merge_keys("core.v1.PodSpec"),
    **merge_keys("core.v1.Container"),
}
_PORT_KEYS = (_LIST_KEYS["ports"], merge_keys("core.v1.ServiceSpec")["ports"])
ATOMIC = {
    "selector", "labelSelector", "nodeSelector", "configMapKeyRef", "secretKeyRef", "fieldRef", "resourceFieldRef",
    "requiredDuringSchedulingIgnoredDuringExecution", "preference",
}  # fmt: skip
"""Maps that are replaced as a whole. (Pod affinity has lists called required..., which are atomic as well.)"""
_OPEN = {"labels", "annotations", "requests", "limits"}
"""Maps whose entries may have different owners."""
_ATOMIC_ITEMS = {"imagePullSecrets", "ownerReferences"}
"""Lists whose items are atomic maps."""


def read_as_yaml(manifest: Json) -> Json:
    """Return *manifest* as decoded from YAML: it folds U+0085, and raises ApiError for control characters."""
    if re.search("[\x7f-\x84\x86-\x9f\ufffe\uffff]", to_json(manifest)):
        raise ApiError("BadRequest", "control characters are not allowed")
    read: Json = json.loads(to_json(manifest).replace("\x85", " "))
    return read


def list_keys(field: str, items: Any, others: Any = ()) -> Key | None:
    """Return the keys of the list *field*, if the items have them here and in *others*; None if the list is atomic."""
    if not isinstance(items, list) or not isinstance(others, list | tuple):
        return None
    if not all(isinstance(item, dict) for item in (*items, *others)):
        return None
    if field == "ports":
        return _PORT_KEYS[0 if all("containerPort" in item for item in items) else 1]
    return _LIST_KEYS.get(field)


def item_key(item: Json, keys: Key) -> Key:
    """Return the values of *keys* in *item*, which identify it in its list."""
    return tuple(to_json(item.get(key, "TCP" if key == "protocol" else None)) for key in keys)


def apply(live: Any, last: Any, desired: Any, field: str = "") -> Any:
    """Return *live* after its manager, who applied *last* before, applies *desired*."""
    if isinstance(desired, dict) and isinstance(live, dict) and field not in ATOMIC:
        return _apply_object(live, last if isinstance(last, dict) else {}, desired)
    keys = list_keys(field, desired, live)
    if keys is None:
        return desired
    return _apply_list(live, last if list_keys(field, last) else [], desired, keys, field)


def _apply_object(live: Json, last: Json, desired: Json) -> Json:
    dropped = {key: _rest_of_others(live[key], value, key) for key, value in last.items() if key in live}
    left = {key: value for key, value in {**live, **dropped}.items() if value is not None}
    return {**left, **{key: apply(live.get(key), last.get(key), value, key) for key, value in desired.items()}}


def _rest_of_others(live: Any, last: Any, field: str) -> Any:
    """Return what stays of *live* when its manager, who applied *last*, leaves it out; None if nothing does."""
    keys = list_keys(field, last, live)
    if keys is not None:
        dropped = [item_key(item, keys) for item in last]
        return [item for item in live if item_key(item, keys) not in dropped] or None
    if field in _OPEN:
        return {key: value for key, value in live.items() if key not in last} or None
    return None


def _apply_list(live: list[Json], last: list[Json], desired: list[Json], keys: Key, field: str) -> list[Json]:
    """Merge item by item, in the order of *desired*; an item of another manager stays after its predecessor."""
    live_by_key = {item_key(item, keys): item for item in live}
    last_by_key = {item_key(item, keys): item for item in last}
    desired_by_key = {item_key(item, keys): item for item in desired}
    is_atomic = field in _ATOMIC_ITEMS
    merged = {
        key: item if is_atomic else apply(live_by_key.get(key, {}), last_by_key.get(key), item)
        for key, item in desired_by_key.items()
    }
    order = list(desired_by_key)
    for index, key in enumerate(live_by_key):
        if key not in desired_by_key and key not in last_by_key:
            predecessor = next((other for other in reversed(list(live_by_key)[:index]) if other in order), None)
            order.insert(order.index(predecessor) + 1 if predecessor else 0, key)
    return [merged.get(key, live_by_key.get(key)) or {} for key in order]


def still_owned(applied: Any, live: Any, field: str = "") -> Any:
    """Return the part of *applied* that *live* still has; another manager owns what it changed."""
    if isinstance(applied, dict) and isinstance(live, dict) and field not in ATOMIC:
        kept = {key: still_owned(value, live[key], key) for key, value in applied.items() if key in live}
        left: Any = {key: value for key, value in kept.items() if value is not None}
    elif (keys := list_keys(field, applied, live)) is None:
        return applied if applied == live else None
    else:
        live_by_key = {item_key(item, keys): item for item in live}
        owned = [item for item in applied if item_key(item, keys) in live_by_key]
        left = [still_owned(item, live_by_key[item_key(item, keys)]) for item in owned]
    return left if left or not applied else None  # an empty map would own all that is in it


def fields(applied: Any, field: str = "") -> Json:
    if isinstance(applied, dict) and field not in ATOMIC:
        return {f"f:{key}": fields(value, key) for key, value in applied.items()}
    keys = list_keys(field, applied)
    if keys is None:
        return {}
    return {_list_item_key(item, keys): {} if field in _ATOMIC_ITEMS else {".": {}, **fields(item)} for item in applied}


def _list_item_key(item: Json, keys: Key) -> str:
    """Return the key of *item* in FieldsV1, such as ``k:{"name":"main"}``."""
    values = {key: item.get(key, "TCP" if key == "protocol" else None) for key in sorted(keys)}
    return f"k:{json.dumps(values, separators=(',', ':'), ensure_ascii=False)}"


def managed_fields(owned: Json, manager: str = "metacontroller", operation: str = "Apply") -> list[Json]:
    """Return the entry of ``managedFields`` for the *manager* of the part *owned* of an object."""
    rest = {key: value for key, value in owned.items() if key not in ("apiVersion", "kind", "metadata")}
    metadata = {key: value for key, value in owned.get("metadata", {}).items() if key not in ("name", "namespace")}
    return [
        {
            "manager": manager,
            "operation": operation,
            **({"subresource": "scale"} if manager == _CONTROLLERS else {}),
            **{key: owned[key] for key in ("apiVersion",) if key in owned},
            "fieldsType": "FieldsV1",
            "fieldsV1": fields({"metadata": metadata, **rest}),
        }
    ]


SCALER = "autoscaler"
"""An autoscaler, which updates the subresource ``scale``."""
UNDO = "kubectl"
"""The field manager of ``kubectl rollout undo``."""
_CONTROLLERS = "kube-controller-manager"
_MANAGERS = {APPLIER: APPLIER, UNDO: UNDO, YOU: "kubectl-edit", SCALER: _CONTROLLERS}
"""The field managers of the actors whose updates are recorded."""

_METADATA = ("annotations", "labels", "ownerReferences")


class Ownership(Struct, frozen=True):
    """What Metacontroller ``applied`` last and still owns, and what others ``updated``, by field manager."""

    applied: Json | None = None
    updated: dict[str, Json] = field(default_factory=dict)

    def after_update(self, old: Json | None, new: Json, actor: str) -> "Ownership":
        left = {name: still_owned(part, new) or {} for name, part in self.updated.items()}
        if manager := _MANAGERS.get(actor):
            left[manager] = union(left.get(manager, {}), changed_part(_part(old), _part(new)))
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
        """Return ``metadata.managedFields``; None if only one client has updated, which the hook does not read."""
        if self.applied is None and len(self.updated) <= 1:
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
