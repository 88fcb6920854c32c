"""A small controller: one ConfigMap that holds the word of its parent."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import msgspec

from metahook import (
    Children,
    ConfigMap,
    Controller,
    CustomizeRequest,
    Manifest,
    RelatedRule,
    SyncRequest,
    SyncResponse,
    select_by_name,
)

Json = dict[str, Any]

PARENT: Json = {
    "metadata": {"name": "hello", "namespace": "default", "uid": "uid-of-hello", "generation": 3},
    "spec": {"word": "good day"},
}


class Spec(msgspec.Struct):
    """What a user of the tiny controller writes."""

    word: str = ""


def config_map(name: str = "hello", **fields: Any) -> Manifest:
    """Return a ConfigMap as the tiny controller answers with."""
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "default"}, **fields}


def sync(request: SyncRequest, now: datetime) -> SyncResponse:
    """Return the ConfigMap, and when it was asked for."""
    word = msgspec.json.decode(request.parent.spec, type=Spec).word
    made = config_map(request.parent.name, data={"word": word})
    return SyncResponse(status={"askedAt": now.isoformat()}, children=[made], resync_after=60)


def customize(request: CustomizeRequest) -> list[RelatedRule]:
    """Return the rule for the ConfigMap of the parent's name."""
    return [select_by_name(ConfigMap, request.parent.namespace, request.parent.name)]


TINY = Controller(sync=sync, customize=customize, children=(ConfigMap,))


def controller(answer: Callable[[SyncRequest], SyncResponse]) -> Controller:
    """Return a controller that decides as *answer* does."""
    return Controller(sync=lambda request, _: answer(request), children=(ConfigMap,))


def sync_body(**fields: Any) -> bytes:
    """Return a sync request for the tiny controller; *fields* replace those of the request."""
    return msgspec.json.encode({"parent": PARENT, "children": {"ConfigMap.v1": {}}, "related": {}, **fields})


def customize_body() -> bytes:
    """Return a customize request for the tiny controller."""
    return msgspec.json.encode({"parent": PARENT})


def observed_children(*config_maps: Manifest) -> Children:
    """Return *config_maps* as the tiny controller observes them."""
    group = {child["metadata"]["name"]: child for child in config_maps}
    return SyncRequest.decode(sync_body(children={"ConfigMap.v1": group}), TINY.children).children
