"""The gap: what separates the observed children from the wanted ones, or None when they carry what is wanted.

Two things must be seen on the Deployment before its status means anything. The ``applied`` annotation says that this
generation was written (it sees what was taken away); the values say that nobody changed them since (they see
``kubectl scale``, and a CRD default that changed without a new generation).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from app.core.identity import APPLIED
from app.hooks import Children, Manifest

_KEYS = ("containerPort", "port", "mountPath", "name", "path")
"""What identifies an item of a list of objects; the order is Metacontroller's."""


_SELECTOR = "spec.selector"
"""Here more is not others' business: a Service whose selector asks for one more label finds no Pods."""


@dataclass(frozen=True)
class Gap:
    """A child that is not as wanted; ``path`` is the field with another value, None if the child was not written."""

    kind: str
    name: str
    path: str | None = None


def first_gap(wanted: list[Manifest], children: Children) -> Gap | None:
    """Return the first gap between *wanted* and the observed *children*."""
    gaps = (_gap(child, children) for child in wanted)
    return next((gap for gap in gaps if gap), None)


def _gap(wanted: Manifest, children: Children) -> Gap | None:
    kind, name = wanted["kind"], wanted["metadata"]["name"]
    observed = children.deployment(name) if kind == "Deployment" else children.service(name)
    if observed is None or observed.metadata.deletion_timestamp:
        return Gap(kind, name)
    mark = wanted["metadata"].get("annotations", {}).get(APPLIED)
    if mark is not None and observed.metadata.annotation(APPLIED) != mark:
        return Gap(kind, name)
    path = difference(wanted["spec"], observed.spec, "spec")
    return Gap(kind, name, path) if path else None


def difference(wanted: object, seen: object, path: str) -> str | None:
    """Return the path of the first value of *wanted* that *seen* does not have; what *seen* has more is others'."""
    if path == _SELECTOR:
        return None if wanted == seen else path
    if isinstance(wanted, dict):
        return _in_object(wanted, seen, path)
    if isinstance(wanted, list):
        return _in_list(wanted, seen, path)
    return None if wanted == seen else path


def _in_object(wanted: dict[str, Any], seen: object, path: str) -> str | None:
    if not isinstance(seen, dict):
        return path
    return _first(difference(value, seen.get(field), f"{path}.{field}") for field, value in wanted.items())


def _in_list(wanted: list[Any], seen: object, path: str) -> str | None:
    if not isinstance(seen, list):
        return path
    key = next((key for key in _KEYS if all(isinstance(item, dict) and key in item for item in wanted)), None)
    if not wanted or key is None:
        return _in_places(wanted, seen, path)
    there = {item[key]: item for item in seen if isinstance(item, dict) and isinstance(item.get(key), str | int)}
    found = _first(difference(item, there.get(item[key]), f"{path}[{item[key]}]") for item in wanted)
    return found or _out_of_order(wanted, list(there), path)


def _in_places(wanted: list[Any], seen: list[Any], path: str) -> str | None:
    if len(wanted) != len(seen):
        return path
    pairs = enumerate(zip(wanted, seen, strict=True))
    return _first(difference(item, other, f"{path}[{place}]") for place, (item, other) in pairs)


def _out_of_order(wanted: list[Any], names: list[Any], path: str) -> str | None:
    """Return *path* if variables that use others stand in another order: ``$(A)`` is replaced only after A."""
    if not path.endswith(".env") or not any("$(" in item.get("value", "") for item in wanted):
        return None
    places = [names.index(item["name"]) for item in wanted]
    return None if places == sorted(places) else path


def _first(paths: Iterable[str | None]) -> str | None:
    return next((path for path in paths if path), None)
