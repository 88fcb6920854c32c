"""Time zones, from the package tzdata and not from the node: the replicas of the operator agree on every edge."""

from functools import cache
from importlib.resources import files
from zoneinfo import ZoneInfo


def time_zone(name: str) -> ZoneInfo | None:
    """Return the zone called *name* in the IANA database, such as ``Europe/Berlin``; None if there is none."""
    return _load(name) if name in _names() else None


@cache
def _names() -> frozenset[str]:
    return frozenset(files("tzdata").joinpath("zones").read_text(encoding="utf-8").split())


@cache
def _load(name: str) -> ZoneInfo:
    """Return the zone; all of them take 3 MB of memory."""
    with files("tzdata").joinpath("zoneinfo", *name.split("/")).open("rb") as file:
        return ZoneInfo.from_file(file, key=name)
