"""The metadata that the API server sets: a generated name, uid, namespace, creation time, generation and version."""

from metahook.simulator.apiserver.field_types import check_object
from metahook.simulator.apiserver.stored_object import without_nulls
from metahook.simulator.apiserver.validation import WITHOUT_GENERATION
from metahook.simulator.objects import Json, Key, with_metadata

SYSTEM = ("uid", "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp", "managedFields")
"""Metadata that only the API server sets."""


def with_generated_name(item: Json, number: int) -> Json:
    """Return *item* with a name made from ``generateName``, or with an empty one if it has neither."""
    metadata = item["metadata"]
    if metadata.get("name"):
        return item
    prefix = metadata.get("generateName")
    return with_metadata(item, name=f"{prefix}{number:05x}" if prefix else "", generateName=None)


def with_system_metadata(item: Json, key: Key, number: int, stamp: str) -> Json:
    """Return the new object *item* with its system metadata; *number* is unique, *stamp* the time."""
    sent = {name: value for name, value in item["metadata"].items() if name not in SYSTEM}
    system = {"namespace": key.namespace, "creationTimestamp": stamp, "uid": _uid(number)}
    generation = {} if key.kind in WITHOUT_GENERATION else {"generation": 1}
    return {**item, "metadata": {**sent, **system, **generation, "resourceVersion": str(number)}}


def with_placed_metadata(item: Json, live: Json | None, number: int, stamp: str) -> Json:
    """Return *item* as it replaces *live* unchecked: its own metadata wins, except for the version."""
    defaults = {"uid": _uid(number), "namespace": "default", "creationTimestamp": stamp}
    kept = {"status": live["status"]} if live and "status" in live and "status" not in item else {}
    return {**item, **kept, "metadata": {**defaults, **item["metadata"], "resourceVersion": str(number)}}


def _uid(number: int) -> str:
    return f"{number:08x}-0000-4000-8000-{number:012x}"


def normalized(item: Json) -> Json:
    """Return *item* without nulls in its metadata; raise ApiError if it is not a Kubernetes object."""
    check_object(item)
    return {**item, "metadata": {"name": "", **without_nulls(item["metadata"])}}
