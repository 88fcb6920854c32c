"""Builders for MyResources, on top of those of the toolkit: a test of the operator finds all of them here."""

import json
from datetime import datetime, timedelta
from typing import Any

from app.api.names import GROUP
from app.core.controller import controller
from app.core.desired.children import CHILDREN
from app.core.watch import Watch
from metahook import Kind, Object
from metahook.protocol.request_builder import Grouped, sync_request
from metahook.simulator.apiserver.stored_object import stored_object
from toolkit.builders import (
    EARLIER_TEXT,
    NOW,
    NOW_TEXT,
    UID,
    Json,
    by_kind,
    child,
    condition,
    kinds,
    owned,
    reason,
    rolled_out,
    stored_parent,
)

__all__ = [  # and what it defines itself
    "EARLIER_TEXT",
    "NOW",
    "NOW_TEXT",
    "UID",
    "Json",
    "child",
    "condition",
    "kinds",
    "owned",
    "reason",
    "rolled_out",
]

MY_RESOURCE = Kind("mygroup.example.com/v1alpha1", "MyResource", "myresources")
MYRESOURCE = controller(Watch())
"""The controller with the default settings."""

KINDS: dict[str, type[Object]] = {kind.KIND.kind: kind for kind in CHILDREN}


def my_resource(
    name: str = "web",
    *,
    generation: int = 1,
    uid: str = UID,
    status: Json | None = None,
    deleting: bool = False,
    labels: Json | None = None,
    spec: Json | None = None,
    **fields: Any,
) -> Json:
    """Return a MyResource as the API server stores it; *fields* are those of its spec."""
    whole = {"image": "nginx:1.27", **fields} if spec is None else spec
    return stored_parent(
        MY_RESOURCE, whole, name, generation=generation, uid=uid, status=status, deleting=deleting, labels=labels
    )


def grouped(*objects: Json, kinds: tuple[str, ...] = tuple(KINDS)) -> Grouped:
    """Return *objects* by kind, as Metacontroller sends them; every one of *kinds* has a group."""
    return by_kind(*objects, kinds=[KINDS[kind].KIND for kind in kinds])


def sync(
    parent: Json,
    *children: Json,
    related: Grouped | None = None,
    now: datetime = NOW,
    watch: Watch | None = None,
    listed: tuple[str, ...] = tuple(KINDS),
) -> Json:
    """Return the answer for *parent* with the observed *children*, whose kinds the CompositeController has *listed*."""
    asked = controller(watch) if watch else MYRESOURCE
    body = sync_request(parent, grouped(*children, kinds=listed), related or {})
    answer: Json = json.loads(asked.handle_sync(body, now).body)
    return answer


def finished(parent: Json) -> list[Json]:
    """Return the children of *parent* as they are once they were made and rolled out."""
    children = [owned(item, parent) for item in sync(parent)["children"]]
    return [rolled_out(item) if item["kind"] == "Deployment" else item for item in children]


def applied(observed: Json, answer: Json) -> Json:
    """Return the *observed* child once Metacontroller has applied the *answer*: its annotations and its spec."""
    made = child(answer, observed["kind"])
    own = {key: text for key, text in observed["metadata"]["annotations"].items() if GROUP not in key}
    metadata = {**observed["metadata"], "annotations": {**own, **made["metadata"]["annotations"]}}
    return stored_object({**observed, "metadata": metadata, "spec": {**observed["spec"], **made["spec"]}})


def sent_again(parent: Json, deployment: Json) -> Json:
    """Return *deployment*, which differs from *parent*'s spec, as it is once what was sent again has arrived."""
    answer = sync(parent, deployment, now=NOW + timedelta(seconds=30))
    return {**applied(deployment, answer), "spec": deployment["spec"]}
