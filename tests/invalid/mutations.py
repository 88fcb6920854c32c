"""Requests to damage: as recorded, with a canary in the spec."""

import json
from typing import Any

from metahook.simulator.metacontroller.settings import MODES
from tests.recorded.traffic import one
from tests.requests.builders import Json
from toolkit.mutations import CANARY, Path, replaced

LAST_APPLIED = "metacontroller.k8s.io/last-applied-configuration"


def recorded_sync(mode: str, **spec: Any) -> Json:
    """Return a request recorded under *mode*, less fields that are not read; *spec* replaces fields of its spec."""
    request = one(f"{mode}/rollout-4-ports-added-rest").content["request"]
    parent = request["parent"]
    marked = {**parent["spec"], "env": [{"name": "WORD", "value": CANARY}], **spec}
    return {"parent": {**parent, "spec": marked}, "children": request["children"], "related": request["related"]}


MADE = recorded_sync(MODES[0])
"""A request whose children the spec decides."""

KEPT_BY_ANNOTATION = recorded_sync(MODES[0], replicas=-1)
"""A request with an invalid spec, whose children stay as the annotation says that they were applied."""

KEPT_BY_MANAGED_FIELDS = recorded_sync(MODES[1], replicas=-1)
REQUESTS = {"made": MADE, "kept": KEPT_BY_MANAGED_FIELDS}
"""The same under server-side apply."""

DEPLOYMENT = ("children", "Deployment.apps/v1", "rollout/web-deployment")
RECORD = (*DEPLOYMENT, "metadata", "annotations", LAST_APPLIED)


def with_record(request: Json, record: str) -> Json:
    """Return *request* whose Deployment carries *record* as what was applied last."""
    changed: Json = replaced(request, RECORD, lambda _: record)
    return changed


def record_of(request: Json) -> Json:
    """Return what was applied last, as the Deployment of *request* says."""
    group, key = RECORD[1], RECORD[2]
    record: Json = json.loads(request["children"][group][key]["metadata"]["annotations"][LAST_APPLIED])
    return record


def with_text(request: Json, path: Path, text: str) -> bytes:
    """Return *request* as JSON, with *text* as it is at *path*."""
    return json.dumps(replaced(request, path, lambda _: "@")).replace('"@"', text).encode()
