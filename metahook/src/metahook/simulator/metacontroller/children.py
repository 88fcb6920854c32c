"""Manages children: deletes those that the answer does not list, makes or changes those that it lists.

Source: Metacontroller 4.17, pkg/controller/common/manage_children.go.
"""

from collections.abc import Iterable
from typing import NamedTuple

from metahook.protocol import Kind
from metahook.simulator.apiserver.rules import Refused
from metahook.simulator.apiserver.store import ApiServer
from metahook.simulator.apiserver.typed import check_object
from metahook.simulator.metacontroller.apply import Apply
from metahook.simulator.metacontroller.claims import NAME
from metahook.simulator.objects import Json, Key, deleting, key_of

Identity = tuple[str, Key]
"""The API version and the key: a child of another version is another child."""


class Cluster(NamedTuple):
    """Where children live: what stores them, which kinds it serves, and how they are applied."""

    api: ApiServer
    served: frozenset[Kind]
    apply: Apply


def manage(parent: Json, observed: Iterable[Json], desired: Iterable[Json], cluster: Cluster) -> list[str]:
    """Do what the answer says; return what was refused. One child that fails does not stop the others."""
    seen = {(item["apiVersion"], key_of(item)): item for item in observed}
    wanted = {_identity(item): item for item in desired}
    refusals = [
        _deleted(key[1], item, cluster.api) for key, item in seen.items() if key not in wanted and not deleting(item)
    ]
    for key, item in sorted(wanted.items(), key=lambda pair: (pair[0][0].rpartition("/"), pair[0][1])):
        if not deleting(seen.get(key, item)):
            refusals.append(_applied(item, seen.get(key), parent, cluster))
    return [refusal for refusal in refusals if refusal is not None]


def _identity(item: Json) -> Identity:
    metadata, version = item["metadata"], item.get("apiVersion")
    key = Key(item["kind"], metadata["namespace"], metadata.get("name") or "")
    return version if isinstance(version, str) else "", key


def _deleted(key: Key, item: Json, api: ApiServer) -> str | None:
    try:
        api.delete(key, NAME, uid=item["metadata"]["uid"])
    except Refused as refusal:
        return None if refusal.reason in ("NotFound", "Conflict") else f"can't delete {key}: {refusal}"
    return None


def _applied(item: Json, observed: Json | None, parent: Json, cluster: Cluster) -> str | None:
    version = item.get("apiVersion")
    if all((kind.api_version, kind.kind) != (version, item["kind"]) for kind in cluster.served):
        return f"discovery: can't find kind {item['kind']} in apiVersion {version}"
    try:
        check_object(item)
        cluster.apply(item, observed, parent)
    except Refused as refusal:
        return f"can't apply {item['kind']} {item['metadata'].get('name', '')}: {refusal}"
    return None
