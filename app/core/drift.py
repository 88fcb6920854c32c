"""The drift: what separates the observed children from the wanted ones, or None when they carry what is wanted.

Two things must be seen on a child before its status means anything. The ``applied`` annotation says that this
generation was written (it sees what was taken away); the values say that nobody changed them since (they see
``kubectl scale``, and a CRD default that changed without a new generation). Fields that nobody asks for any more and
that do not go away are a drift, too: see :mod:`app.core.leftovers`.

The parent of a request may be older than its children, when Metacontroller starts on a cache that lags behind. Its spec
would undo what was applied since, so it is drift as well: the sync that follows once the cache has caught up decides.
"""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from app.api.status import MAX_MESSAGE
from app.core.child_metadata import CHILDREN, GENERATION_STAMP, is_from_newer_generation
from app.core.leftovers import leftovers
from app.core.removal import Removal, removal
from metahook import Children, Manifest, Parent

_KEYS = ("containerPort", "port", "mountPath", "name", "uid", "ip", "path")
"""What identifies an item of a list of objects. Source: Metacontroller, pkg/dynamic/apply, ``knownMergeKeys``."""

_SELECTOR = "spec.selector"
"""Here more is not others' business: a Service whose selector asks for one more label finds no Pods."""

_EXPANSION = re.compile(r"\$(?:\(([^)]*)\)|.)", re.DOTALL)
"""A reference ``$(NAME)``, or a dollar sign with what it escapes.

Source: Kubernetes, third_party/forked/golang/expansion, ``Expand``.
"""

_LEFTOVER_FIELDS = "removal of leftover fields"
"""The same for all children: who has run the command for one child is told that for the next one at once."""


@dataclass(frozen=True)
class Drift:
    """A child that is not as wanted; ``path`` is the field with another value, None if the child was not written."""

    kind: str
    name: str
    path: str | None = None
    is_from_newer_generation: bool = False
    """Whether the child was made for a newer generation than the parent has, as far as the request shows."""
    is_observed: bool = False
    """Whether there is such a child, so that it is to be updated and not created."""
    removal: Removal | None = None
    """What removes fields that are left over, if some are."""

    def __str__(self) -> str:
        """Return what is waited for, in the words of the status, as far as there is room for them."""
        if self.removal:
            return _LEFTOVER_FIELDS
        what = self.path or ("a later generation" if self.is_from_newer_generation else "")
        return f"{what} of {self.kind} {self.name}"[:MAX_MESSAGE] if what else f"{self.kind} {self.name}"


def first_drift(wanted: list[Manifest], children: Children) -> Drift | None:
    """Return the first drift between *wanted* and the observed *children*; leftovers first, as somebody must act."""
    drifts = [drift for drift in (_drift(child, children) for child in wanted) if drift]
    return next((drift for drift in drifts if drift.removal), next(iter(drifts), None))


def _drift(wanted: Manifest, children: Children) -> Drift | None:
    kind, name = wanted["kind"], wanted["metadata"]["name"]
    observed = children.observed(wanted)
    if observed is None or observed.metadata.deletion_timestamp:
        return Drift(kind, name)
    found = leftovers(wanted, children)
    left_over = Drift(kind, name, removal=removal(wanted, found), is_observed=True) if found else None
    if observed.metadata.annotation(GENERATION_STAMP) != wanted["metadata"]["annotations"][GENERATION_STAMP]:
        return left_over or Drift(kind, name, is_observed=True)
    path = difference(wanted["spec"], getattr(observed, "spec", None), "spec")
    return Drift(kind, name, path, is_observed=True) if path else left_over


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
    there: defaultdict[str | int, list[Any]] = defaultdict(list)
    for item in seen:
        if isinstance(item, dict) and isinstance(item.get(key), str | int):
            there[item[key]].append(item)
    found = _first(difference(item, _meant(item, there[item[key]]), f"{path}[{item[key]}]") for item in wanted)
    return found or _out_of_order(wanted, list(there), path)


def _meant(wanted: dict[str, Any], seen: list[Any]) -> object:
    """Return which of *seen*, all with the key of *wanted*, is meant: the last, as it wins, of its protocol if any is.

    A port of another protocol is another port, and somebody else's.
    """
    same = [item for item in seen if item.get("protocol") == wanted.get("protocol")]
    return next(reversed(same or seen), None)


def _in_places(wanted: list[Any], seen: list[Any], path: str) -> str | None:
    if len(wanted) != len(seen):
        return path
    pairs = enumerate(zip(wanted, seen, strict=True))
    return _first(difference(item, other, f"{path}[{place}]") for place, (item, other) in pairs)


def _out_of_order(wanted: list[Any], seen: list[Any], path: str) -> str | None:
    """Return *path* if a variable stands on the other side of one that it uses: ``$(A)`` is replaced only after A."""
    if not path.endswith(".env"):
        return None
    asked = {item["name"]: place for place, item in enumerate(wanted)}
    there = {name: place for place, name in enumerate(seen)}
    uses = ((item["name"], used) for item in wanted for used in _uses(item.get("value", "")) if used in asked)
    moved = any((asked[a] < asked[b]) != (there[a] < there[b]) for a, b in uses)
    return path if moved else None


def _uses(value: str) -> set[str]:
    """Return the variables that *value* refers to, as Kubernetes expands it: ``$$(A)`` is the text ``$(A)``.

    What follows the last parenthesis can't be a reference. Leaving it out keeps the search linear: each ``$(`` that is
    left finds its end.
    """
    return set(_EXPANSION.findall(value[: value.rfind(")") + 1]))


def _first(paths: Iterable[str | None]) -> str | None:
    return next((path for path in paths if path), None)


def outdated(parent: Parent, children: Children) -> Drift | None:
    """Return the drift of a child that was made for a newer generation of *parent* than this."""
    every = [(kind.KIND.kind, observed.metadata) for kind in CHILDREN for observed in children.all(kind)]
    newer = [(kind, metadata.name) for kind, metadata in every if is_from_newer_generation(metadata, parent)]
    return Drift(*min(newer), is_from_newer_generation=True) if newer else None
