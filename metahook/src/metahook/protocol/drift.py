"""Drift: the first field of a desired child whose observed value differs.

Fields that the hook does not set are others' business: defaults of the API server, injected containers. Metadata is
not compared: Metacontroller puts annotations back, and :mod:`metahook.protocol.repair` labels. Write values as the API
server stores them (``1Gi``, not ``1024Mi``), else they differ for ever.
"""

import re
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from metahook.protocol.last_applied import LAST_APPLIED, without_nulls
from metahook.protocol.managed_fields import overriding_manager
from metahook.protocol.manifest import Manifest
from metahook.protocol.observed import Children

_IDENTITY = ("apiVersion", "kind", "metadata")

_KEYS = ("containerPort", "port", "mountPath", "name", "uid", "ip", "path")
"""What identifies an item of a list of objects. Source: Metacontroller, pkg/dynamic/apply, ``knownMergeKeys``."""

_SELECTOR = "spec.selector"
"""Here one more entry is drift, too: a Service whose selector has one more label finds no Pods."""

_EXPANSION = re.compile(r"\$(?:\(([^)]*)\)|.)", re.DOTALL)
"""A reference ``$(NAME)``, or a dollar sign with what it escapes.

Source: Kubernetes, third_party/forked/golang/expansion, ``Expand``.
"""


def drifted_field(desired: Manifest, children: Children) -> str | None:
    """Return the path of the first field of *desired* that the observed child does not have, or None.

    A path is such as ``data.text``. That of a child that is not observed is ``metadata.name``. Raise UndeclaredKind.
    """
    content = {field: value for field, value in desired.items() if field not in _IDENTITY}
    observed = children.fields(desired, content.keys())
    if observed is None:
        return "metadata.name"
    for field, value in content.items():
        if value != observed[field] and (drifted := _first_difference(value, observed[field], field)):
            return drifted
    return None


def with_observed_values(desired: Manifest, children: Children) -> Manifest:
    """Return *desired* without its values that differ from the observed ones, to leave these to whoever set them.

    Metacontroller's dynamic-apply removes a field that it applied before and that is left out, so the response has the
    observed value. The API server refuses that write if the observed child is old. Server-side apply has no such check,
    and would set an old value: there a field that another manager owns is left out. So the child keeps its content, and
    Metacontroller at most updates its record of what it applied. Raise UndeclaredKind.
    """
    child = children.observed(desired)
    content = {field: value for field, value in desired.items() if field not in _IDENTITY}
    if child is None:
        return desired

    def is_left_out(path: str) -> bool:
        is_server_side = child.metadata.annotation(LAST_APPLIED) is None
        return is_server_side and overriding_manager(child, path, children.owner_uid) is not None

    observed = children.fields(desired, content.keys()) or {}
    return {**{field: desired[field] for field in _IDENTITY}, **_yielded_fields(content, observed, "", is_left_out)}


def _yielded(desired: Any, observed: Any, path: str, is_left_out: Callable[[str], bool]) -> Any:  # noqa: ANN401 - JSON
    """Return *desired*, at *path*, with the values of *observed*, which differs; None if it is to be left out."""
    if isinstance(desired, list) and isinstance(observed, list) and (key := _merge_key(desired)):
        return _yielded_items(desired, observed, key, path, is_left_out)
    if isinstance(desired, dict) and isinstance(observed, dict) and path != _SELECTOR:
        return _yielded_fields(desired, observed, path, is_left_out)
    return None if observed is None or is_left_out(path) else without_nulls(observed)


def _yielded_fields(desired: Manifest, observed: Manifest, path: str, is_left_out: Callable[[str], bool]) -> Manifest:
    kept: Manifest = {}
    for field, value in desired.items():
        other = observed.get(field)
        below = f"{path}.{field}" if path else field
        kept[field] = value if value == other else _yielded(value, other, below, is_left_out)
    return {field: value for field, value in kept.items() if value is not None}


def _yielded_items(
    desired: list[Any], observed: list[Any], key: str, path: str, is_left_out: Callable[[str], bool]
) -> list[Any]:
    matches = _matches(desired, observed, key)
    pairs = [(item, match) for item, match in zip(desired, matches, strict=True) if match is not None]
    places = {id(item): place for place, item in enumerate(observed)}
    pairs.sort(key=lambda pair: places[id(pair[1])])  # the order can be what differs
    return [_yielded(item, match, f"{path}[{item[key]}]", is_left_out) for item, match in pairs]


def _first_difference(desired: object, observed: object, path: str) -> str | None:
    """Return the path of the first value of *desired* that *observed*, which differs, does not have at *path*.

    The callers compare: most values are the same in each sync, and Python compares them at once, however deep.
    """
    if isinstance(desired, list) and isinstance(observed, list):
        return _compare_lists(desired, observed, path)
    if not isinstance(desired, dict) or not isinstance(observed, dict) or path == _SELECTOR:
        return path
    for field, value in desired.items():
        other = observed.get(field)
        if value != other and (drifted := _first_difference(value, other, f"{path}.{field}")):
            return drifted
    return None


def _compare_lists(desired: list[Any], observed: list[Any], path: str) -> str | None:
    key = _merge_key(desired)
    if key is None:
        return _compare_by_index(desired, observed, path)
    for item, match in zip(desired, _matches(desired, observed, key), strict=True):
        if item != match and (drifted := _first_difference(item, match, f"{path}[{item[key]}]")):
            return drifted
    if key != "name":
        return None
    names = dict.fromkeys(item["name"] for item in observed if _has_key(item, "name"))
    return _order_drift(desired, list(names), path)


def _matches(desired: list[Any], observed: list[Any], key: str) -> list[Any]:
    """Return the item of *observed* to compare with each item of *desired*, None where there is none."""
    by_key: defaultdict[str | int, list[Any]] = defaultdict(list)
    for item in observed:
        if _has_key(item, key):
            by_key[item[key]].append(item)
    return [_match_by_protocol(item, by_key[item[key]]) for item in desired]


def _merge_key(items: list[Any]) -> str | None:
    """Return the first of the keys that all *items* have."""
    for key in _KEYS:
        if items and _has_key(items[0], key) and all(_has_key(item, key) for item in items[1:]):
            return key
    return None


def _has_key(item: object, key: str) -> bool:
    return isinstance(item, dict) and isinstance(item.get(key), str | int)


def _match_by_protocol(desired: dict[str, Any], same_key: list[Any]) -> object:
    """Return the item of *same_key* to compare with *desired*: the last, as it wins, of its protocol if there is one.

    A port of another protocol, which is TCP by default, is another port, which the hook did not set.
    """
    same = [item for item in same_key if item.get("protocol", "TCP") == desired.get("protocol", "TCP")]
    return next(reversed(same or same_key), None)


def _compare_by_index(desired: list[Any], observed: list[Any], path: str) -> str | None:
    if len(desired) != len(observed):
        return path
    for index, (item, other) in enumerate(zip(desired, observed, strict=True)):
        if item != other and (drifted := _first_difference(item, other, f"{path}[{index}]")):
            return drifted
    return None


def _order_drift(desired: list[Any], observed: list[Any], path: str) -> str | None:
    """Return *path* if a variable and one that it uses have changed order: ``$(A)`` is replaced only after A."""
    if not path.endswith(".env") or not all(isinstance(item.get("value", ""), str) for item in desired):
        return None  # a list of a custom resource may be called env, too
    uses = [(item["name"], used) for item in desired for used in variable_references(item.get("value", ""))]
    if not uses:
        return None
    desired_index = {item["name"]: index for index, item in enumerate(desired)}
    index = {name: index for index, name in enumerate(observed)}
    pairs = [(desired_index[user] < desired_index[used], user, used) for user, used in uses if used in desired_index]
    return path if any(is_before != (index[user] < index[used]) for is_before, user, used in pairs) else None


def variable_references(value: str) -> set[str]:
    """Return the variables that *value* refers to, as Kubernetes expands it: ``$$(A)`` is the text ``$(A)``.

    What follows the last parenthesis can't be a reference. Without it each ``$(`` finds its end, so the search is
    linear.
    """
    return set(_EXPANSION.findall(value[: value.rfind(")") + 1]))
