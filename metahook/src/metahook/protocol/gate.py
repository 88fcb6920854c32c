"""The gate: the last check of a response. What it refuses becomes a 500, and a 500 changes nothing in the cluster.

A 200 deletes the children that it does not list. A null child in it kills Metacontroller's process, a child of an
undeclared kind is never deleted, and a child in another namespace is created and deleted for ever.
"""

import math
from typing import NoReturn

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


_LEAVES = {str, int}


class RefusedResponse(Exception):
    """Raised when a response would do damage. Its text names the kind of damage, never a value."""


def kinds_of(*structs: type[Object]) -> Kinds:
    """Return *structs* as the gate compares them."""
    return frozenset((struct.KIND.api_version, struct.KIND.kind) for struct in structs)


def check_sync(response: SyncResponse, parent: Parent, kinds: Kinds) -> None:
    """Raise RefusedResponse if *response* is not safe for *parent*."""
    status: object = response.status
    if not isinstance(status, dict) or not status:
        _refuse("no status")
    if not _is_plain_json(status):
        _refuse("a null, or what JSON can't say, in the status")
    for child in response.children:
        if not isinstance(child, EncodedManifest):
            _check_child(child, parent, kinds)
        elif child.accepted_for != (parent.namespace, kinds):
            # The JSON is what is sent, and nothing can change it. Drift compares the values of the manifest.
            _check_child(msgspec.json.decode(child.json), parent, kinds)
            _check_values(child)
            child.accepted_for = (parent.namespace, kinds)
    for child in response.kept:
        _check_identity(msgspec.json.decode(child.json) if isinstance(child, EncodedManifest) else child, parent, kinds)
    identities = [identity_of(child) for child in (*response.children, *response.kept)]
    if len(set(identities)) < len(identities):
        _refuse("two children of one kind and name")
    if response.resync_after is not None and not 1 <= response.resync_after <= MAX_RESYNC:
        _refuse(f"a resync outside 1 to {MAX_RESYNC} seconds")


def check_kept(response: SyncResponse, children: Children) -> None:
    """Raise RefusedResponse if *response* keeps some of the observed *children*, but not all."""
    if response.kept:
        listed = {identity_of(child) for child in (*response.children, *response.kept)}
        if not children.identities() <= listed:
            _refuse("children kept, but not all that are observed")


def check_customize(rules: list[RelatedRule], parent: Parent) -> None:
    """Raise RefusedResponse if one of *rules* selects outside the namespace of *parent*, or all objects of a kind.

    Source: Metacontroller, pkg/controller/common/customize; it takes empty names for no names.
    """
    for rule in rules:
        if rule.get("namespace") != parent.namespace:
            _refuse("a related rule of another namespace")
        if not rule.get("names") and not rule.get("labelSelector"):
            _refuse("a related rule that selects every object of a kind")


def check_size(encoded: bytes) -> bytes:
    """Return *encoded*; raise RefusedResponse if it is too large to send."""
    if len(encoded) > MAX_RESPONSE:
        _refuse("a response over 1 MiB")
    return encoded


def _refuse(problem: str) -> NoReturn:
    raise RefusedResponse(problem)


def _check_child(child: Manifest, parent: Parent, kinds: Kinds) -> None:
    _check_identity(child, parent, kinds)
    _check_values(child)


def _check_values(child: Manifest) -> None:
    if not _is_plain_json(child):
        _refuse("a null, or what JSON can't say, in a child")


def _check_identity(child: object, parent: Parent, kinds: Kinds) -> None:
    if not isinstance(child, dict) or not isinstance(child.get("metadata"), dict):
        _refuse("a child that is not an object")
    metadata = child["metadata"]
    if not any(map((child.get("apiVersion"), child.get("kind")).__eq__, kinds)):  # which may not be hashable
        _refuse(str(UndeclaredKind(child.get("kind"))))
    if not isinstance(metadata.get("name"), str) or not metadata["name"]:
        _refuse("a child without a name")
    if metadata.get("namespace", parent.namespace) != parent.namespace:
        _refuse("a child in another namespace")
    is_reserved = "status" in child or not RESERVED_METADATA.isdisjoint(metadata)
    if is_reserved or "controller-uid" in (metadata.get("labels") or ()):
        _refuse("a child with a field that only Metacontroller or the API server sets")


def _is_plain_json(value: object) -> bool:
    """Tell whether *value* is JSON throughout, without null, NaN or infinity."""
    if not isinstance(value, (dict, list, tuple)):
        return isinstance(value, (str, int)) or (isinstance(value, float) and math.isfinite(value))
    for inner in value.values() if isinstance(value, dict) else value:
        # Most values are texts and numbers, and a call costs more than the look at the type.
        if type(inner) not in _LEAVES and not _is_plain_json(inner):
            return False
    return True
