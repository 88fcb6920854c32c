"""Metacontroller's dynamic-apply: a three-way merge on the client, which guesses what identifies the items of a list.

Source: Metacontroller 4.17, pkg/dynamic/apply. What was applied last stands in an annotation of the child.
"""

import json
from typing import Any

from metahook.simulator.apiserver.rules import Refused
from metahook.simulator.objects import Json, text

LAST_APPLIED = "metacontroller.k8s.io/last-applied-configuration"

_KEYS = ("containerPort", "port", "mountPath", "name", "uid", "ip", "path")
SYSTEM = (
    "selfLink", "uid", "resourceVersion", "generation", "creationTimestamp",
    "deletionTimestamp", "deletionGracePeriodSeconds", "managedFields",
)  # fmt: skip


def merge(seen: Any, last: Any, desired: Any) -> Any:
    """Return *seen* with the changes that lead from *last* to *desired*."""
    if isinstance(seen, dict):
        return _merge_objects(seen, _object(last), _object(desired))
    if isinstance(seen, list):
        return _merge_lists(seen, _list(last), _list(desired))
    return desired


def _object(value: Any) -> Json:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _merge_objects(seen: Json, last: Json, desired: Json) -> Json:
    left = {key: value for key, value in seen.items() if key not in last or key in desired}
    return {**left, **{key: merge(seen.get(key), last.get(key), value) for key, value in desired.items()}}


def _merge_lists(seen: list[Any], last: list[Any], desired: list[Any]) -> list[Any]:
    key = _common_key([*seen, *last, *desired])
    if key is None:
        return desired
    merged = _merge_objects(*({str(item[key]): item for item in items} for items in (seen, last, desired)))
    there = [str(item[key]) for item in seen]
    new = dict.fromkeys(str(item[key]) for item in desired if str(item[key]) not in there)
    return [merged[name] for name in [*there, *new] if name in merged]


def _common_key(items: list[Any]) -> str | None:
    """Return the first of the known keys that every one of *items* has."""
    if not items or not all(isinstance(item, dict) for item in items):
        return None
    return next((key for key in _KEYS if all(key in item for item in items)), None)


def with_last_applied(child: Json, applied: Json) -> Json:
    """Return *child* with the annotation that records *applied*."""
    metadata = child["metadata"]
    annotations = {**(metadata.get("annotations") or {}), LAST_APPLIED: text(applied)}
    return {**child, "metadata": {**metadata, "annotations": annotations}}


def _last_applied(seen: Json) -> Json:
    """Return what the annotation of *seen* records; raise Refused if somebody wrote something else there."""
    record = (seen["metadata"].get("annotations") or {}).get(LAST_APPLIED)
    try:
        found = json.loads(record) if record else None
    except (ValueError, RecursionError):
        found = ()
    if not isinstance(found, dict | None):
        raise Refused("Invalid", f"the annotation {LAST_APPLIED} can't be read; take it away")
    return found or {}


def updated(seen: Json, desired: Json) -> Json:
    """Return what Metacontroller would write over the child *seen* to make it *desired*; raise Refused."""
    merged = merge(seen, _last_applied(seen), desired)
    metadata = {key: value for key, value in merged["metadata"].items() if key not in SYSTEM}
    system = {key: value for key, value in seen["metadata"].items() if key in SYSTEM}
    status = {"status": seen["status"]} if "status" in seen else {}
    body = {key: value for key, value in merged.items() if key != "status"}
    return with_last_applied({**body, **status, "metadata": {**metadata, **system}}, desired)
