"""The gate: the last check of a response. What it refuses becomes a 500, and a 500 changes nothing in the cluster.

A 200 deletes the children that it does not list. A null child in it kills Metacontroller's process, a child of an
undeclared kind is never deleted, and a child in another namespace is created and deleted for ever.
"""

import math
from collections.abc import Iterable, Iterator
from itertools import chain

import msgspec

from metahook.protocol.manifest import EncodedManifest, Manifest, identity_of
from metahook.protocol.objects import Object
from metahook.protocol.observed import Children, UndeclaredKind
from metahook.protocol.request import Parent
from metahook.protocol.response import SyncResponse
from metahook.protocol.wire import MAX_RESYNC, RelatedRule

Kinds = frozenset[tuple[str, str]]
"""API version and kind of the children that a controller may list."""

MAX_RESPONSE = 1024 * 1024

RESERVED_METADATA = {
    "finalizers",
    "generateName",
    "managedFields",
    "ownerReferences",
    "resourceVersion",
    "uid",
}


class RefusedResponse(Exception):
    """Raised when a response would do damage. Its text names the kind of damage, never a value."""


def kinds_of(*structs: type[Object]) -> Kinds:
    """Return *structs* as the gate compares them."""
    return frozenset((struct.KIND.api_version, struct.KIND.kind) for struct in structs)


def check_sync(response: SyncResponse, parent: Parent, kinds: Kinds) -> None:
    """Raise RefusedResponse if *response* is not safe for *parent*."""
    _refuse_first(
        chain(
            _status_problems(response.status),
            (problem for child in response.children for problem in _child_problems(child, parent, kinds)),
            (problem for child in response.kept for problem in _kept_problems(child, parent, kinds)),
            _duplicates([*response.children, *response.kept]),
            _resync_problems(response.resync_after),
        )
    )


def check_kept(response: SyncResponse, children: Children) -> None:
    """Raise RefusedResponse if *response* keeps some of the observed *children*, but not all."""
    if response.kept:  # Why here: most responses keep none
        listed = {identity_of(child) for child in (*response.children, *response.kept)}
        left_out = not children.identities() <= listed
        _refuse_first(["children kept, but not all that are observed"] if left_out else [])


def check_customize(rules: list[RelatedRule], parent: Parent) -> None:
    """Raise RefusedResponse if one of *rules* selects outside the namespace of *parent*, or all objects of a kind."""
    _refuse_first(chain.from_iterable(_rule_problems(rule, parent) for rule in rules))


def check_size(encoded: bytes) -> bytes:
    """Return *encoded*; raise RefusedResponse if it is too large to send."""
    _refuse_first(["a response over 1 MiB"] if len(encoded) > MAX_RESPONSE else [])
    return encoded


def _refuse_first(problems: Iterable[str]) -> None:
    for problem in problems:
        raise RefusedResponse(problem)


def _rule_problems(rule: RelatedRule, parent: Parent) -> Iterator[str]:
    """Source: Metacontroller, pkg/controller/common/customize; it takes empty names for no names."""
    if rule.get("namespace") != parent.namespace:
        yield "a related rule of another namespace"
    if not rule.get("names") and not rule.get("labelSelector"):
        yield "a related rule that selects every object of a kind"


def _status_problems(status: object) -> Iterator[str]:
    if not isinstance(status, dict) or not status:
        yield "no status"
    elif not _is_plain_json(status):
        yield "a null, or what JSON can't say, in the status"


def _child_problems(child: Manifest, parent: Parent, kinds: Kinds) -> Iterator[str]:
    if not isinstance(child, EncodedManifest):
        yield from _manifest_problems(child, parent, kinds)
    elif child.accepted_for != (parent.namespace, kinds):
        # Why the JSON: it is what is sent, and nothing can change it. Why also the manifest: drift compares its values.
        yield from _manifest_problems(msgspec.json.decode(child.json), parent, kinds)
        yield from _value_problems(child)
        child.accepted_for = (parent.namespace, kinds)


def _kept_problems(child: Manifest, parent: Parent, kinds: Kinds) -> Iterator[str]:
    sent = msgspec.json.decode(child.json) if isinstance(child, EncodedManifest) else child
    return _identity_problems(sent, parent, kinds)


def _manifest_problems(child: Manifest, parent: Parent, kinds: Kinds) -> Iterator[str]:
    yield from _identity_problems(child, parent, kinds)
    yield from _value_problems(child)


def _value_problems(child: Manifest) -> Iterator[str]:
    if not _is_plain_json(child):
        yield "a null, or what JSON can't say, in a child"


def _identity_problems(child: object, parent: Parent, kinds: Kinds) -> Iterator[str]:
    if isinstance(child, dict) and isinstance(child.get("metadata"), dict):
        yield from _metadata_problems(child, child["metadata"], parent, kinds)
    else:
        yield "a child that is not an object"


def _metadata_problems(child: Manifest, metadata: Manifest, parent: Parent, kinds: Kinds) -> Iterator[str]:
    if not any(map((child.get("apiVersion"), child.get("kind")).__eq__, kinds)):  # which may not be hashable
        yield str(UndeclaredKind(child.get("kind")))
    if not isinstance(metadata.get("name"), str) or not metadata["name"]:
        yield "a child without a name"
    if metadata.get("namespace", parent.namespace) != parent.namespace:
        yield "a child in another namespace"
    is_reserved = "status" in child or not RESERVED_METADATA.isdisjoint(metadata)
    if is_reserved or "controller-uid" in (metadata.get("labels") or ()):
        yield "a child with a field that only Metacontroller or the API server sets"


def _duplicates(children: list[Manifest]) -> Iterator[str]:
    """Compare identities. Why only valid ones get here: problems are checked in order."""
    identities = [identity_of(child) for child in children]
    if len(set(identities)) < len(identities):
        yield "two children of one kind and name"


def _resync_problems(seconds: int | None) -> Iterator[str]:
    if seconds is not None and not 1 <= seconds <= MAX_RESYNC:
        yield f"a resync outside 1 to {MAX_RESYNC} seconds"


def _is_plain_json(value: object) -> bool:
    """Tell whether *value* is JSON throughout, without null, NaN or infinity."""
    if isinstance(value, (str, int)):
        return True
    if isinstance(value, dict):
        return _are_plain_json(value.values())
    if isinstance(value, list | tuple):
        return _are_plain_json(value)
    return isinstance(value, float) and math.isfinite(value)


def _are_plain_json(values: Iterable[object]) -> bool:
    # Why not texts: most values are, and each call costs more than the look at its type.
    for value in values:  # noqa: SIM110 - a generator costs more than the loop
        if type(value) is not str and not _is_plain_json(value):
            return False
    return True
