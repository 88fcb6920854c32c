"""How an object begins: as it is read, and with what the API server gives a new one, whatever its maker says.

That is a name, a uid, a time and a version.
"""

from metahook.simulator.apiserver.rules import WITHOUT_GENERATION
from metahook.simulator.apiserver.stored import without_nulls
from metahook.simulator.apiserver.typed import check_object
from metahook.simulator.objects import Json, Key, with_metadata

SYSTEM = ("uid", "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp", "managedFields")
"""Metadata that nobody but the API server sets."""


def named(item: Json, number: int) -> Json:
    """Return *item* with a name, if it has but the beginning of one; with an empty one if it has neither."""
    metadata = item["metadata"]
    if metadata.get("name"):
        return item
    beginning = metadata.get("generateName")
    return with_metadata(item, name=f"{beginning}{number:05x}" if beginning else "", generateName=None)


def born(item: Json, key: Key, number: int, stamp: str) -> Json:
    """Return *item* as it is once it was made."""
    sent = {name: value for name, value in item["metadata"].items() if name not in SYSTEM}
    given = {"namespace": key.namespace, "creationTimestamp": stamp, "uid": _uid(number)}
    generation = {} if key.kind in WITHOUT_GENERATION else {"generation": 1}
    return {**item, "metadata": {**sent, **given, **generation, "resourceVersion": str(number)}}


def placed(item: Json, live: Json | None, number: int, stamp: str) -> Json:
    """Return *item* as it is once it was placed over *live*: it says itself what it is, but for its version."""
    made = {"uid": _uid(number), "namespace": "default", "creationTimestamp": stamp}
    kept = {"status": live["status"]} if live and "status" in live and "status" not in item else {}
    return {**item, **kept, "metadata": {**made, **item["metadata"], "resourceVersion": str(number)}}


def _uid(number: int) -> str:
    return f"{number:08x}-0000-4000-8000-{number:012x}"


def as_read(item: Json) -> Json:
    """Return *item* as it is read: nulls in metadata are as good as nothing; raise Refused if it is no object."""
    check_object(item)
    return {**item, "metadata": {"name": "", **without_nulls(item["metadata"])}}
