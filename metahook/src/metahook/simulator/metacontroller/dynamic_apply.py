"""Metacontroller's dynamic-apply: a three-way merge on the client, which guesses the merge key of a list.

Source: Metacontroller 4.17, pkg/dynamic/apply. An annotation of the child records the last applied object.
"""

import json
from functools import lru_cache
from typing import Any

from metahook.protocol.objects import object_or_empty
from metahook.protocol.observed import LAST_APPLIED
from metahook.simulator.apiserver.validation import ApiError
from metahook.simulator.objects import Json, to_json

MERGE_KEYS = ("containerPort", "port", "mountPath", "name", "uid", "ip", "path")
"""What identifies an item of a list of objects: the first of them that all items have."""
SYSTEM = (
    "selfLink", "uid", "resourceVersion", "generation", "creationTimestamp",
    "deletionTimestamp", "deletionGracePeriodSeconds", "managedFields",
)  # fmt: skip


def merge(observed: Any, last: Any, desired: Any) -> Any:
    """Return *observed* with the changes from *last* to *desired*."""
    if isinstance(observed, dict):
        return _merge_objects(observed, object_or_empty(last), object_or_empty(desired))
    if isinstance(observed, list):
        return _merge_lists(observed, _list(last), _list(desired))
    return desired


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _merge_objects(observed: Json, last: Json, desired: Json) -> Json:
    kept = {key: value for key, value in observed.items() if key not in last or key in desired}
    return {**kept, **{key: merge(observed.get(key), last.get(key), value) for key, value in desired.items()}}


def _merge_lists(observed: list[Any], last: list[Any], desired: list[Any]) -> list[Any]:
    key = _common_key([*observed, *last, *desired])
    if key is None:
        return desired
    merged = _merge_objects(*({str(item[key]): item for item in items} for items in (observed, last, desired)))
    existing = [str(item[key]) for item in observed]
    new = dict.fromkeys(str(item[key]) for item in desired if str(item[key]) not in existing)
    return [merged[name] for name in [*existing, *new] if name in merged]


def _common_key(items: list[Any]) -> str | None:
    """Return the first of the known merge keys that all *items* have."""
    if not items or not all(isinstance(item, dict) for item in items):
        return None
    return next((key for key in MERGE_KEYS if all(key in item for item in items)), None)


def with_last_applied(child: Json, applied: Json) -> Json:
    """Return *child* with the annotation that records *applied*."""
    metadata = child["metadata"]
    annotations = {**(metadata.get("annotations") or {}), LAST_APPLIED: to_json(applied)}
    return {**child, "metadata": {**metadata, "annotations": annotations}}


def _last_applied(observed: Json) -> Json:
    """Return the last applied object of *observed*; raise ApiError if the annotation is not valid."""
    record = (observed["metadata"].get("annotations") or {}).get(LAST_APPLIED)
    return _recorded(record) if record else {}


@lru_cache  # most children are as at the previous sync
def _recorded(record: str) -> Json:
    """Return the object in *record*, to be treated as read-only; raise ApiError if it is not valid."""
    try:
        found = json.loads(record)
    except (ValueError, RecursionError):
        found = ()
    if not isinstance(found, dict | None):
        raise ApiError("Invalid", f"the annotation {LAST_APPLIED} is not valid; remove it")
    return found or {}


def merged_child(observed: Json, desired: Json) -> Json:
    """Return the update that Metacontroller sends to turn the child *observed* into *desired*; raise ApiError."""
    merged = merge(observed, _last_applied(observed), desired)
    metadata = {key: value for key, value in merged["metadata"].items() if key not in SYSTEM}
    system = {key: value for key, value in observed["metadata"].items() if key in SYSTEM}
    status = {"status": observed["status"]} if "status" in observed else {}
    body = {key: value for key, value in merged.items() if key != "status"}
    return with_last_applied({**body, **status, "metadata": {**metadata, **system}}, desired)
