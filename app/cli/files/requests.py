"""Requests to the hook for objects in files, as Metacontroller would send them for the same objects in a cluster.

A file has less than a cluster: fields that the API server sets get a value here, and a child without an owner counts
as the parent's.
"""

from datetime import datetime
from typing import Any

import msgspec

from app.api.names import KIND
from app.core.controller import controller
from app.core.desired.children import CHILDREN
from app.core.watch import Watch
from metahook import ConfigMap, CustomizeRequest, MalformedRequest, Object, Pod, RefusedResponse, RelatedRule, Secret
from metahook.cli.errors import InputError
from metahook.protocol.sender import (
    Grouped,
    controller_of,
    customize_request,
    group_of,
    grouped,
    matches,
    qualified_name,
    sync_request,
)

Json = dict[str, Any]

_SELECTED: tuple[type[Object], ...] = (*CHILDREN, ConfigMap, Pod, Secret)
"""Kinds that the hook may select besides dependencies."""

_NO_UID = "00000000-0000-0000-0000-000000000000"


def answer_sync(request: bytes, now: datetime, where: str, watch: Watch) -> bytes:
    """Return the response to the sync *request* for the object at *where* (file and name); raise InputError."""
    try:
        return controller(watch).answer_sync(request, now)
    except MalformedRequest as error:
        raise _unstorable(where, error) from error
    except RefusedResponse as error:
        message = f"{where}: the hook refuses to respond with {error}; make the spec smaller"
        raise InputError(message) from error


def compose_sync(parent: Json, observed: list[Json], others: list[Json], where: str, watch: Watch) -> bytes:
    """Return the sync request for *parent*; raise InputError.

    Its children are the *observed* objects that it owns. Its related objects are those that the rules of customize
    select from *observed* and *others*.
    """
    stored = _as_stored(parent, observed)
    children = [_as_child(item, stored) for item in observed]
    related = _related(stored, [*children, *others], where, watch)
    return sync_request(stored, grouped([item for item in children if _is_of(item, stored)], CHILDREN), related)


def edit_sync(request: Json, parent: Json, others: list[Json], where: str, watch: Watch) -> bytes:
    """Return the sync *request* with *parent* as its parent; raise InputError.

    Those of *others* that the rules of customize select are its related objects too, instead of the recorded ones of
    the same names.
    """
    related = dict(request.get("related") or {})
    for group, selected in _related(parent, others, where, watch).items():
        if selected:  # an absent group means unknown, an empty one that there are none
            names = {item["metadata"]["name"] for item in selected.values()}
            recorded = related.get(group) or {}
            related[group] = {key: item for key, item in recorded.items() if _name(item) not in names} | selected
    return msgspec.json.encode({**request, "parent": parent, "related": related})


def _name(item: Any) -> object:  # noqa: ANN401 - a recorded object may have any shape
    metadata = item.get("metadata") if isinstance(item, dict) else None
    return metadata.get("name") if isinstance(metadata, dict) else None


def _related(parent: Json, objects: list[Json], where: str, watch: Watch) -> Grouped:
    """Return those of *objects* that the rules of customize select for the stored *parent*; raise InputError."""
    try:
        rules = controller(watch).customize(CustomizeRequest.decode(customize_request(parent)))
    except MalformedRequest as error:
        raise _unstorable(where, error) from error
    located = [_in_namespace(parent["metadata"]["namespace"], item) for item in objects]
    kinds = (*(struct.KIND for struct in _SELECTED), *watch.dependencies)
    groups = {(kind.api_version, kind.plural): kind.group_key for kind in kinds}
    related: Grouped = {}
    for rule in rules:
        group = groups[rule["apiVersion"], rule["resource"]]
        selected = [item for item in located if group_of(item) == group and _selects(rule, item)]
        related.setdefault(group, {}).update({qualified_name(item): item for item in selected})
    return related


def _selects(rule: RelatedRule, item: Json) -> bool:
    """Tell whether *rule* selects *item*. Our rules select in one namespace, by name or by labels."""
    metadata = item["metadata"]
    is_named = "names" in rule and metadata["name"] in rule["names"]
    is_labelled = "labelSelector" in rule and matches(rule["labelSelector"], metadata.get("labels"))
    return (is_named or is_labelled) and metadata["namespace"] == rule["namespace"]


def _is_of(child: Json, parent: Json) -> bool:
    """Tell whether *parent* controls *child*. Metacontroller also looks at its labels, which one in a file may lack."""
    own = parent["metadata"]
    return controller_of(child) == own["uid"] and bool(child["metadata"]["namespace"] == own["namespace"])


def _unstorable(where: str, error: MalformedRequest) -> InputError:
    return InputError(f"{where}: no API server would store this object or an observed one: {error}")


def _as_stored(parent: Json, observed: list[Json]) -> Json:
    """Return *parent* with the metadata that the API server sets."""
    servers = {"namespace": "default", "uid": _uid(parent, observed), "generation": 1}
    return {**parent, "metadata": {**servers, **parent["metadata"]}}


def _uid(parent: Json, observed: list[Json]) -> str:
    """Return the uid of *parent* in the owner references of the *observed* children."""
    expected = {"kind": KIND, "name": parent["metadata"]["name"]}.items()
    owners = (owner for item in observed for owner in item["metadata"].get("ownerReferences", []))
    return next((owner["uid"] for owner in owners if expected <= owner.items()), _NO_UID)


def _as_child(item: Json, parent: Json) -> Json:
    """Return *item* as a child of *parent*, unless it has owner references."""
    owner = {"uid": parent["metadata"]["uid"], "controller": True}
    child = {**item, "metadata": {"ownerReferences": [owner], **item["metadata"]}}
    return _in_namespace(parent["metadata"]["namespace"], child)


def _in_namespace(namespace: str, item: Json) -> Json:
    """Return *item* in *namespace*, unless it names one."""
    return {**item, "metadata": {"namespace": namespace, **item["metadata"]}}
