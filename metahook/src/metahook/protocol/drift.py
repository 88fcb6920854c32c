"""Drift: the fields of a desired child whose observed values differ, who changed them, and how they are repaired.

Fields that the hook does not set are others' business: defaults of the API server, injected containers. Metadata is
not compared: Metacontroller puts annotations back, and the repair labels. Write values as the API server stores them
(``1Gi``, not ``1024Mi``), else they differ for ever.

A repair is one more annotation, which makes Metacontroller send the whole child again. Under server-side apply it sends
a child only if the response, or the child's generation, has changed. So two things would stay: a label or an annotation
that another user or controller removed, as that changes no generation of most kinds; and a value that an admission
policy replaced when the child was written. The first needs one write, after which the annotation for repairs is removed
again. If the label is missing while that annotation is there, it was removed once more: then another one is needed, a
few times, as a policy may be what removes it. A value is sent again every ten minutes for as long as it differs, as the
policy may be gone; the regular resync brings the next try. The annotation also tells whether writes arrive: a value
that differs although they do is set by another user or controller.
"""

import hashlib
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from datetime import datetime
from itertools import islice
from typing import Any

import msgspec

from metahook.protocol.managed_fields import is_metacontroller, owns
from metahook.protocol.objects import MERGE_KEYS, Manifest, Object, with_annotations, without_nulls
from metahook.protocol.observed import LAST_APPLIED, Children

_IDENTITY = ("apiVersion", "kind", "metadata")

_MOST = 16
"""Fields whose managers are looked up: each takes as long as the lists of what the managers own."""

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
    return next(_drifted_fields(desired, children), None)


def overridden_field(desired: Manifest, children: Children) -> tuple[str, str] | None:
    """Return the path of the first field as :func:`drifted_field` that another manager changed, and that manager.

    See :func:`overriding_manager`. Only the first 16 fields that differ are looked at. Raise UndeclaredKind.
    """
    return _overridden(desired, _drifted_fields(desired, children), children)


def overriding_manager(desired: Manifest, path: str, children: Children) -> str | None:
    """Return the manager that owns the field *path* of the observed child in place of Metacontroller, or with it.

    *path* is as :func:`drifted_field` returns it. Of several managers it is the one that changed the child last. It is
    ``""`` if nobody owns the field and dynamic-apply recorded its value: then someone removed it. Return None if no one
    changed it: Metacontroller owns it, or *desired* has it for the first time. Server-side apply records no field that
    was removed, so it is None then, too. Raise UndeclaredKind.
    """
    found = _overridden(desired, [path], children)
    return found[1] if found else None


def _drifted_fields(desired: Manifest, children: Children) -> Iterator[str]:
    content = {field: value for field, value in desired.items() if field not in _IDENTITY}
    child = children.find(desired)
    return _differences(content, child.fields(content.keys())) if child else iter(["metadata.name"])


def _overridden(desired: Manifest, paths: Iterable[str], children: Children) -> tuple[str, str] | None:
    child = children.find(desired)
    if child is None or not child.owners:
        return None
    for path in islice(paths, _MOST):
        found = [owner for owner, fields in child.owned if owns(fields, f".{path}")]
        others = [owner for owner in found if not is_metacontroller(owner, children.owner_uid)]
        if others:
            return path, max(others, key=lambda owner: owner.time).manager
        if not found and child.record and _has_value(child.record, desired, path):
            return path, ""
    return None


def _has_value(record: Manifest, desired: Manifest, path: str) -> bool:
    differing = _differences(desired, record)
    return not any(path == other or path.startswith((f"{other}.", f"{other}[")) for other in differing)


def with_observed_values(desired: Manifest, children: Children) -> Manifest:
    """Return *desired* without its values that differ from the observed ones, to leave these to whoever set them.

    Metacontroller's dynamic-apply removes a field that it applied before and that is left out, so the response has the
    observed value. The API server refuses that write if the observed child is old. Server-side apply has no such check,
    and would set an old value: there a field that another manager owns is left out. So the child keeps its content, and
    Metacontroller at most updates its record of what it applied. Raise UndeclaredKind.
    """
    child = children.find(desired)
    if child is None:
        return desired
    content = {field: value for field, value in desired.items() if field not in _IDENTITY}
    owned = child.owned if child.is_applied_server_side else []

    def is_left_out(path: str) -> bool:
        found = [owner for owner, fields in owned if owns(fields, f".{path}")]
        is_own = bool(found) and all(is_metacontroller(owner, children.owner_uid) for owner in found)
        return bool(owned) and not is_own

    observed = child.fields(content.keys())
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


def _differences(desired: object, observed: object, path: str = "") -> Iterator[str]:
    """Yield the paths of the values of *desired*, which is at *path*, that *observed* does not have.

    Most values are the same in each sync, and Python compares them at once, however deep.
    """
    if isinstance(desired, dict) and isinstance(observed, dict) and path != _SELECTOR:
        for field, value in desired.items():
            other = observed.get(field)
            if value != other:
                yield from _differences(value, other, f"{path}.{field}" if path else field)
    elif isinstance(desired, list) and isinstance(observed, list):
        yield from _compare_lists(desired, observed, path)
    else:
        yield path


def _compare_lists(desired: list[Any], observed: list[Any], path: str) -> Iterator[str]:
    key = _merge_key(desired)
    if key is None:
        yield from _compare_by_index(desired, observed, path)
        return
    for item, match in zip(desired, _matches(desired, observed, key), strict=True):
        if item != match:
            yield from _differences(item, match, f"{path}[{item[key]}]")
    if key == "name" and path.endswith(".env") and _has_other_order(desired, observed):
        yield path


def _matches(desired: list[Any], observed: list[Any], key: str) -> list[Any]:
    """Return the item of *observed* to compare with each item of *desired*, None where there is none."""
    by_key: defaultdict[str | int, list[Any]] = defaultdict(list)
    for item in observed:
        if _has_key(item, key):
            by_key[item[key]].append(item)
    return [_match_by_protocol(item, by_key[item[key]]) for item in desired]


def _merge_key(items: list[Any]) -> str | None:
    first = items[0] if items and isinstance(items[0], dict) else {}
    for key in MERGE_KEYS:
        if key in first and all(_has_key(item, key) for item in items):
            return key
    return None


def _has_key(item: object, key: str) -> bool:
    return isinstance(item, dict) and isinstance(item.get(key), (str, int))


def _match_by_protocol(desired: dict[str, Any], same_key: list[Any]) -> object:
    """Return the item of *same_key* to compare with *desired*: the last, as it wins, of its protocol if there is one.

    A port of another protocol, which is TCP by default, is another port, which the hook did not set.
    """
    same = [item for item in same_key if item.get("protocol", "TCP") == desired.get("protocol", "TCP")]
    return next(reversed(same or same_key), None)


def _compare_by_index(desired: list[Any], observed: list[Any], path: str) -> Iterator[str]:
    if len(desired) != len(observed):
        yield path
        return
    for index, (item, other) in enumerate(zip(desired, observed, strict=True)):
        if item != other:
            yield from _differences(item, other, f"{path}[{index}]")


def _has_other_order(desired: list[Any], observed: list[Any]) -> bool:
    """Tell whether a variable and one that it uses have changed order: ``$(A)`` is replaced only after A."""
    if not all(isinstance(item.get("value", ""), str) for item in desired):
        return False  # a list of a custom resource may be called env, too
    uses = [(item["name"], used) for item in desired for used in variable_references(item.get("value", ""))]
    if not uses:
        return False
    desired_index = {item["name"]: index for index, item in enumerate(desired)}
    names = dict.fromkeys([item["name"] for item in observed if _has_key(item, "name")])
    index = {name: index for index, name in enumerate(names)}
    known = [(user, used) for user, used in uses if {user, used} <= index.keys() and used in desired_index]
    return any((desired_index[user] < desired_index[used]) != (index[user] < index[used]) for user, used in known)


def variable_references(value: str) -> set[str]:
    """Return the variables that *value* refers to, as Kubernetes expands it: ``$$(A)`` is the text ``$(A)``.

    What follows the last parenthesis can't be a reference. Without it each ``$(`` finds its end, so the search is
    linear.
    """
    return set(_EXPANSION.findall(value[: value.rfind(")") + 1]))


RETRY = 600
"""Seconds."""

TRIES = 5
"""Annotations, one after the other, for a label or an annotation that is missing again at once."""

_SEPARATOR = "."
"""Between the token for metadata and the token for a value."""


class Resend(msgspec.Struct, frozen=True):
    """A value that is sent again because it differs."""

    drift: str
    """What differs, such as the path of the field: the same text for as long as it does."""
    since: datetime
    now: datetime

    @property
    def prefix(self) -> str:
        """How the tokens for this value begin."""
        return f"{_hash([self.drift, self.since])}-"

    @property
    def token(self) -> str:
        """The token of now: another one every ten minutes, so that Metacontroller sends the child again."""
        return f"{self.prefix}{int(self.now.timestamp()) // RETRY}"


def with_repair(
    desired: Manifest,
    observed: Object | None,
    annotation: str,
    resend: Resend | None = None,
    *,
    restored: Collection[str] = (),
) -> Manifest:
    """Return *desired*, with *annotation* (a key of the hook's) while the *observed* child needs repair.

    It does while it lacks a label of *desired*, or has another value of one, and while a value is to *resend*. Under
    server-side apply it also does while it lacks an annotation of *desired* that is to be *restored*; dynamic-apply
    does that by itself. An annotation that is desired for the first time then costs a second write.
    """
    if observed is None:
        return desired
    metadata = desired["metadata"]
    missing = sorted((metadata.get("labels") or {}).items() - (observed.metadata.labels or {}).items())
    if restored and observed.metadata.annotation(LAST_APPLIED) is None:
        lacking = (metadata.get("annotations") or {}).keys() & set(restored) - (
            observed.metadata.annotations or {}
        ).keys()
        missing += [(key, metadata["annotations"][key]) for key in sorted(lacking)]
    removed = [_removal_token(missing, _tokens(observed, annotation))] if missing else []
    tokens = [*removed, *([resend.token] if resend else [])]
    if not tokens:
        return desired
    return with_annotations(desired, {annotation: _SEPARATOR.join(tokens)})


def was_resent(observed: Object, annotation: str, resend: Resend) -> bool:
    """Tell whether the *observed* child shows that what was to *resend* has arrived: then no policy refuses it."""
    return any(token.startswith(resend.prefix) for token in _tokens(observed, annotation))


def _tokens(observed: Object, annotation: str) -> list[str]:
    return (observed.metadata.annotation(annotation) or "").split(_SEPARATOR)


def _removal_token(missing: list[tuple[str, str]], before: list[str]) -> str:
    """Return the token for metadata that is *missing*: the one after that of *before*, up to the last."""
    tokens = [_hash([*missing, *range(number)]) for number in range(TRIES)]
    tried = next((number for number, token in enumerate(tokens, 1) if token in before), 0)
    return tokens[min(tried, len(tokens) - 1)]


def _hash(parts: list[object]) -> str:
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()[:10]
