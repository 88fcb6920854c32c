"""Manages children: deletes those that the answer does not list, makes or changes those that it lists.

Source: Metacontroller 4.17, pkg/controller/common/manage_children.go.
"""

from collections.abc import Iterable

from app.simulator.apiserver.rules import Refused
from app.simulator.apiserver.store import ApiServer
from app.simulator.metacontroller.apply import Apply
from app.simulator.metacontroller.claims import NAME
from app.simulator.objects import Json, Key, deleting, key_of


def manage(parent: Json, observed: Iterable[Json], desired: Iterable[Json], api: ApiServer, apply: Apply) -> list[str]:
    """Do what the answer says; return what was refused. One child that fails does not stop the others."""
    seen = {key_of(item): item for item in observed}
    wanted = {_identity(item): item for item in desired}
    refusals = [_deleted(key, item, api) for key, item in seen.items() if key not in wanted and not deleting(item)]
    for key, item in sorted(wanted.items(), key=lambda pair: (pair[1]["apiVersion"], pair[0])):
        if not deleting(seen.get(key, item)):
            refusals.append(_applied(item, seen.get(key), parent, apply))
    return [refusal for refusal in refusals if refusal is not None]


def _identity(item: Json) -> Key:
    metadata = item["metadata"]
    return Key(item["kind"], metadata["namespace"], metadata.get("name") or "")


def _deleted(key: Key, item: Json, api: ApiServer) -> str | None:
    try:
        api.delete(key, NAME, uid=item["metadata"]["uid"])
    except Refused as refusal:
        return None if refusal.reason in ("NotFound", "Conflict") else f"can't delete {key}: {refusal}"
    return None


def _applied(item: Json, observed: Json | None, parent: Json, apply: Apply) -> str | None:
    try:
        apply(item, observed, parent)
    except Refused as refusal:
        return f"can't apply {item['kind']} {item['metadata'].get('name', '')}: {refusal}"
    return None
