"""Manages children: deletes those that the response does not list, creates or updates those that it lists.

Source: Metacontroller 4.17, pkg/controller/common/manage_children.go.
"""

from collections.abc import Iterable
from typing import NamedTuple

from metahook.protocol import Kind
from metahook.simulator.apiserver.field_types import check_object
from metahook.simulator.apiserver.store import ApiServer
from metahook.simulator.apiserver.validation import ApiError
from metahook.simulator.metacontroller.apply import Apply
from metahook.simulator.metacontroller.claims import NAME
from metahook.simulator.objects import Json, Key, is_deleting, key_of

Identity = tuple[str, Key]
"""The API version and the key: a child of another API version is another child."""


class Cluster(NamedTuple):
    """The API server of the children, the kinds that it serves, the apply strategy, and the kinds never updated."""

    api: ApiServer
    served: frozenset[Kind]
    apply: Apply
    on_delete: tuple[Kind, ...]


def manage_children(parent: Json, observed: Iterable[Json], desired: Iterable[Json], cluster: Cluster) -> list[str]:
    """Turn the children *observed* into those *desired*; return the errors. One that fails does not stop the others."""
    observed_by_identity = {(item["apiVersion"], key_of(item)): item for item in observed}
    desired_by_identity = {_identity(item): item for item in desired}
    errors = [
        _delete(key[1], item, cluster.api)
        for key, item in observed_by_identity.items()
        if key not in desired_by_identity and not is_deleting(item)
    ]
    for key, item in sorted(desired_by_identity.items(), key=lambda pair: (pair[0][0].rpartition("/"), pair[0][1])):
        if not is_deleting(observed_by_identity.get(key, item)):
            errors.append(_apply(item, observed_by_identity.get(key), parent, cluster))
    return [error for error in errors if error is not None]


def _identity(item: Json) -> Identity:
    metadata, version = item["metadata"], item.get("apiVersion")
    key = Key(item["kind"], metadata["namespace"], metadata.get("name") or "")
    return version if isinstance(version, str) else "", key


def _delete(key: Key, item: Json, api: ApiServer) -> str | None:
    try:
        api.delete(key, NAME, uid=item["metadata"]["uid"])
    except ApiError as refusal:
        return None if refusal.reason in ("NotFound", "Conflict") else f"can't delete {key}: {refusal}"
    return None


def _apply(item: Json, observed: Json | None, parent: Json, cluster: Cluster) -> str | None:
    version = item.get("apiVersion")
    if not _is_among(cluster.served, item):
        return f"discovery: can't find kind {item['kind']} in apiVersion {version}"
    if observed is not None and _is_among(cluster.on_delete, item):
        return None
    try:
        check_object(item)
        cluster.apply(item, observed, parent)
    except ApiError as refusal:
        return f"can't apply {item['kind']} {item['metadata'].get('name', '')}: {refusal}"
    return None


def _is_among(kinds: Iterable[Kind], item: Json) -> bool:
    return any((kind.api_version, kind.kind) == (item.get("apiVersion"), item["kind"]) for kind in kinds)
