"""MyResources as users have them in files: what is wrong with one, and the requests that it would make.

A file says less than a cluster does: what the API server adds is filled in, and objects that don't say whose they are
count as the parent's.
"""

from collections.abc import Iterable
from datetime import datetime
from functools import cache
from itertools import chain
from typing import Any

import msgspec

from app.api.crd import schema
from app.api.names import API_VERSION, KIND
from app.api.reading import InvalidSpec, read
from app.api.structural import Schema
from app.cli.errors import InputError
from app.cli.files.metadata import FIELDS, SERVERS, misnamed, misshapen, without_nulls
from app.cli.files.unknown import unknown_fields
from app.core.child_metadata import CHILDREN
from app.core.controller import controller
from app.core.watch import Watch
from metahook import CustomizeRequest, MalformedRequest, RefusedResponse
from metahook.protocol.sender import RelatedKind, children_of, customize_request, related_to, sync_request

Json = dict[str, Any]

_WATCHED: tuple[RelatedKind, ...] = (
    ("v1", "configmaps", "ConfigMap"),
    ("v1", "pods", "Pod"),
    ("v1", "secrets", "Secret"),
)
"""Kinds that are not ours, and that the hook may ask for."""

_NO_UID = "00000000-0000-0000-0000-000000000000"


def is_my_resource(item: Json) -> bool:
    """Tell whether *item* is a MyResource."""
    return (item.get("apiVersion"), item["kind"]) == (API_VERSION, KIND)


def problems(parent: Json, path: str) -> list[str]:
    """Return what kubectl or the API server would say against the fields of *parent*.

    Raise InputError if it is no MyResource, or if its metadata is such that no API server stores it.
    """
    if not is_my_resource(parent):
        message = f"{path}: {parent['kind']} is not a MyResource; it needs apiVersion {API_VERSION} and kind {KIND}"
        raise InputError(message)
    where = f"{path}: {parent['metadata']['name']}: "
    for problem in chain(misshapen(parent["metadata"]), misnamed(parent["metadata"])):
        message = where + problem
        raise InputError(message)
    spec = parent.get("spec")
    unknown = _unknown_fields(parent)
    found = read(parent["metadata"]["name"], msgspec.json.encode(spec))
    return [where + problem for problem in (*unknown, *([found.problem] if isinstance(found, InvalidSpec) else []))]


def _unknown_fields(parent: Json) -> list[str]:
    """Return a sentence for each field that a MyResource does not have; its status is not the user's."""
    known = known_fields()
    return [
        *(sentence.removeprefix(".") for sentence in unknown_fields(parent, _flat(known), "")),
        *unknown_fields(parent["metadata"], _flat(FIELDS), "metadata"),
        *unknown_fields(parent.get("spec"), known["spec"], "spec"),
    ]


@cache
def known_fields() -> Schema:
    """Return the schema of a MyResource by field: building it takes longer than checking a MyResource."""
    known: Schema = schema()["properties"]
    return known


def _flat(names: Iterable[str]) -> Schema:
    return {"properties": {name: {} for name in names}}


def created(parent: Json) -> Json:
    """Return *parent* as it is sent to be created: without a status, and without metadata that is the API server's."""
    metadata = {name: value for name, value in without_nulls(parent["metadata"]).items() if name not in SERVERS}
    return {**{name: value for name, value in parent.items() if name != "status"}, "metadata": metadata}


def answered(request: bytes, now: datetime, whose: str, watch: Watch) -> bytes:
    """Return the answer to the sync *request* for *whose* (a file and a name); raise InputError if there is none."""
    try:
        return controller(watch).answer_sync(request, now)
    except MalformedRequest as error:
        raise _unlike_any(whose, error) from error
    except RefusedResponse as error:
        message = f"{whose}: the hook refuses to answer with {error}; ask for less"
        raise InputError(message) from error


def composed(parent: Json, seen: list[Json], others: list[Json], whose: str, watch: Watch) -> bytes:
    """Return the sync request that Metacontroller would send for *parent*; *seen* are its children, if so they say.

    Customize is asked first: *others* are the objects that it may name. Raise InputError.
    """
    stored = _as_stored(parent, seen)
    namespace = stored["metadata"]["namespace"]
    children = [_as_child(item, stored) for item in seen]
    try:
        rules = controller(watch).customize(CustomizeRequest.decode(customize_request(stored)))
    except MalformedRequest as error:
        raise _unlike_any(whose, error) from error
    owned = children_of(stored, children, *CHILDREN)
    related = related_to(rules, [*children, *(_in(namespace, item) for item in others)], *_kinds(watch))
    return sync_request(stored, owned, related)


def _kinds(watch: Watch) -> list[RelatedKind]:
    """Return the kinds that the hook may ask for."""
    return [
        *((kind.KIND.api_version, kind.KIND.plural, kind.KIND.kind) for kind in CHILDREN),
        *_WATCHED,
        *((kind.api_version, kind.plural, kind.kind) for kind in watch.dependencies),
    ]


def _unlike_any(whose: str, error: MalformedRequest) -> InputError:
    return InputError(f"{whose}: no API server would store this, or what is observed: {error}")


def _as_stored(parent: Json, seen: list[Json]) -> Json:
    """Return *parent* with the metadata that the API server gives it."""
    made = {"namespace": "default", "uid": _uid(parent, seen), "generation": 1}
    return {**parent, "metadata": {**made, **parent["metadata"]}}


def _uid(parent: Json, seen: list[Json]) -> str:
    """Return the uid by which the observed children know *parent*."""
    wanted = {"kind": KIND, "name": parent["metadata"]["name"]}.items()
    owners = (owner for item in seen for owner in item["metadata"].get("ownerReferences", []))
    return next((owner["uid"] for owner in owners if wanted <= owner.items()), _NO_UID)


def _as_child(item: Json, parent: Json) -> Json:
    """Return *item* as a child of *parent*, unless it says itself whose it is."""
    owner = {"uid": parent["metadata"]["uid"], "controller": True}
    return _in(parent["metadata"]["namespace"], {**item, "metadata": {"ownerReferences": [owner], **item["metadata"]}})


def _in(namespace: str, item: Json) -> Json:
    if "namespace" in item["metadata"]:
        return item
    return {**item, "metadata": {"namespace": namespace, **item["metadata"]}}
