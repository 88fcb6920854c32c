"""Children to keep: Deployments with a record of what was applied to them last."""

import json
from typing import Any

from metahook import Deployment, SyncRequest
from toolkit.builders import UID, Json
from toolkit.widgets import widget

LAST_APPLIED = "metacontroller.k8s.io/last-applied-configuration"
IDENTITY: Json = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}}
OWNED: Json = {"f:metadata": {"f:ownerReferences": {f'k:{{"uid":"{UID}"}}': {}}}}


def deployment(*, metadata: Json | None = None, **fields: Any) -> Json:
    owner = {"uid": UID, "controller": True}
    made = {"name": "web", "namespace": "default", "ownerReferences": [owner], **(metadata or {})}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": made, **fields}


def annotated(record: object, **fields: Any) -> Json:
    """Return a Deployment whose annotation holds *record*, which is JSON if it is no text."""
    text = record if isinstance(record, str) else json.dumps(record)
    return deployment(metadata={"annotations": {LAST_APPLIED: text}}, **fields)


def managed(fields_owned: Json, *, operation: str = "Apply", **fields: Any) -> Json:
    """Return a Deployment of which we own *fields_owned*, and our owner reference."""
    return deployment(metadata={"managedFields": [entry(fields_owned, operation=operation)]}, **fields)


def entry(fields_owned: Json, *, operation: str = "Apply") -> Json:
    return {"operation": operation, "manager": "metacontroller", "fieldsV1": {**OWNED, **fields_owned}}


def kept(child: Json) -> Json:
    """Return what the parent's children would be answered with to keep *child*."""
    body = {"parent": widget(), "children": {"Deployment.apps/v1": {"default/web": child}}}
    (found,) = SyncRequest.decode(json.dumps(body).encode(), (Deployment,)).children.kept()
    return found
