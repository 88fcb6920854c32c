"""The API server's server-side apply, for one manager that always forces: merges an apply, and says who owns what.

Source: Kubernetes, "Server-Side Apply", and the list and map types in its OpenAPI document. What the manager applied
last is kept whole; ``managed_fields`` spells it as FieldsV1.
"""

import json
import re
from typing import Any

from metahook.simulator.apiserver.rules import Refused
from metahook.simulator.objects import Json, text

Key = tuple[Any, ...]

_LIST_KEYS = {
    "containers": ("name",),
    "env": ("name",),
    "volumes": ("name",),
    "volumeMounts": ("mountPath",),
    "imagePullSecrets": ("name",),
    "topologySpreadConstraints": ("topologyKey", "whenUnsatisfiable"),
    "ownerReferences": ("uid",),
}
_PORT_KEYS = (("containerPort", "protocol"), ("port", "protocol"))
ATOMIC = {
    "selector", "labelSelector", "nodeSelector", "configMapKeyRef", "secretKeyRef", "fieldRef", "resourceFieldRef",
    "requiredDuringSchedulingIgnoredDuringExecution", "preference",
}  # fmt: skip
"""Maps that are replaced whole. (Affinity to Pods has lists called required..., which are replaced whole as well.)"""
_OPEN = {"labels", "annotations", "requests", "limits"}
"""Maps of which every entry may have another owner."""
_ATOMIC_ITEMS = {"imagePullSecrets", "ownerReferences"}
"""Lists whose items are such maps."""


def as_yaml(manifest: Json) -> Json:
    """Return *manifest* as an apply reads it: as YAML, which knows no control characters, and folds a next line."""
    if re.search("[\x7f-\x84\x86-\x9f\ufffe\uffff]", text(manifest)):
        raise Refused("BadRequest", "control characters are not allowed")
    read: Json = json.loads(text(manifest).replace("\x85", " "))
    return read


def list_keys(field: str, items: Any, others: Any = ()) -> Key | None:
    """Return what identifies the items of the list *field*, here and in *others*, or None if it is replaced whole."""
    if not isinstance(items, list) or not isinstance(others, list | tuple):
        return None
    if not all(isinstance(item, dict) for item in (*items, *others)):
        return None
    if field == "ports":
        return _PORT_KEYS[0 if all("containerPort" in item for item in items) else 1]
    return _LIST_KEYS.get(field)


def named(item: Json, keys: Key) -> Key:
    """Return the values of *keys* in *item*, by which it is found in a list."""
    return tuple(text(item.get(key, "TCP" if key == "protocol" else None)) for key in keys)


def apply(live: Any, last: Any, desired: Any, field: str = "") -> Any:
    """Return *live* after its manager, who applied *last* before, applies *desired*."""
    if isinstance(desired, dict) and isinstance(live, dict) and field not in ATOMIC:
        return _apply_object(live, last if isinstance(last, dict) else {}, desired)
    keys = list_keys(field, desired, live)
    if keys is None:
        return desired
    return _apply_list(live, last if list_keys(field, last) else [], desired, keys, field)


def _apply_object(live: Json, last: Json, desired: Json) -> Json:
    gone = {key: _of_others(live[key], value, key) for key, value in last.items() if key in live}
    left = {key: value for key, value in {**live, **gone}.items() if value is not None}
    return {**left, **{key: apply(live.get(key), last.get(key), value, key) for key, value in desired.items()}}


def _of_others(live: Any, last: Any, field: str) -> Any:
    """Return what stays of *live* when its manager, who applied *last*, says no more of it, or None."""
    keys = list_keys(field, last, live)
    if keys is not None:
        gone = [named(item, keys) for item in last]
        return [item for item in live if named(item, keys) not in gone] or None
    if field in _OPEN:
        return {key: value for key, value in live.items() if key not in last} or None
    return None


def _apply_list(live: list[Json], last: list[Json], desired: list[Json], keys: Key, field: str) -> list[Json]:
    """Merge item by item, in the order of *desired*; items of others stay behind those that they followed."""
    there = {named(item, keys): item for item in live}
    before = {named(item, keys): item for item in last}
    wanted = {named(item, keys): item for item in desired}
    whole = field in _ATOMIC_ITEMS
    merged = {
        name: item if whole else apply(there.get(name, {}), before.get(name), item) for name, item in wanted.items()
    }
    order = list(wanted)
    for place, name in enumerate(there):
        if name not in wanted and name not in before:
            follows = next((other for other in reversed(list(there)[:place]) if other in order), None)
            order.insert(order.index(follows) + 1 if follows else 0, name)
    return [merged.get(name, there.get(name)) or {} for name in order]


def still_owned(applied: Any, live: Any, field: str = "") -> Any:
    """Return the part of *applied* that *live* still has: what somebody else changed is theirs."""
    if isinstance(applied, dict) and isinstance(live, dict) and field not in ATOMIC:
        kept = {key: still_owned(value, live[key], key) for key, value in applied.items() if key in live}
        return {key: value for key, value in kept.items() if value is not None}
    keys = list_keys(field, applied, live)
    if keys is None:
        return applied if applied == live else None
    there = {named(item, keys): item for item in live}
    owned = [item for item in applied if named(item, keys) in there]
    return [still_owned(item, there[named(item, keys)]) for item in owned]


def fields(applied: Any, field: str = "") -> Json:
    """Return the fields of *applied* as FieldsV1."""
    if isinstance(applied, dict) and field not in ATOMIC:
        return {f"f:{key}": fields(value, key) for key, value in applied.items()}
    keys = list_keys(field, applied)
    if keys is None:
        return {}
    return {_spelled(item, keys): {} if field in _ATOMIC_ITEMS else {".": {}, **fields(item)} for item in applied}


def _spelled(item: Json, keys: Key) -> str:
    """Return the key of *item* as FieldsV1 spells it, such as ``k:{"name":"main"}``."""
    named = {key: item.get(key, "TCP" if key == "protocol" else None) for key in sorted(keys)}
    return f"k:{json.dumps(named, separators=(',', ':'), ensure_ascii=False)}"


def managed_fields(owned: Json, manager: str = "metacontroller", operation: str = "Apply") -> list[Json]:
    """Return the entry of ``managedFields`` of the *manager* that owns the part *owned* of an object."""
    rest = {key: value for key, value in owned.items() if key not in ("apiVersion", "kind", "metadata")}
    metadata = {key: value for key, value in owned.get("metadata", {}).items() if key not in ("name", "namespace")}
    return [
        {
            "manager": manager,
            "operation": operation,
            **{key: owned[key] for key in ("apiVersion",) if key in owned},
            "fieldsType": "FieldsV1",
            "fieldsV1": fields({"metadata": metadata, **rest}),
        }
    ]
