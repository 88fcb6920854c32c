"""The parent of the toolkit's tests: a Widget, which becomes a Deployment, and a Service if it has ports."""

import json
from datetime import datetime
from typing import Any

import msgspec

from metahook import (
    ConfigMap,
    Controller,
    CustomizeRequest,
    Deployment,
    Kind,
    Manifest,
    RelatedRule,
    Service,
    SyncRequest,
    SyncResponse,
    rolled_out,
    select_by_name,
    set_condition,
)
from metahook.protocol.request_builder import Grouped, sync_request
from toolkit import builders
from toolkit.builders import NOW, Json, by_kind, owned, stored_parent

WIDGET = Kind("example.com/v1", "Widget", "widgets")
LABEL = "widget"
"""The label of all that belongs to a Widget: its name."""


class Spec(msgspec.Struct):
    """What a user writes."""

    image: str
    replicas: int = 1
    ports: list[Json] = []


def deployment(name: str, namespace: str, spec: Spec) -> Manifest:
    """Return the Deployment of a Widget."""
    labels = {LABEL: name}
    main = {"name": "main", "image": spec.image, **({"ports": spec.ports} if spec.ports else {})}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": f"{name}-deployment", "namespace": namespace, "labels": labels},
        "spec": {
            "replicas": spec.replicas,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [main]}},
        },
    }


def service(name: str, namespace: str, spec: Spec) -> Manifest:
    """Return the Service of a Widget."""
    ports = [{"port": port["containerPort"]} for port in spec.ports]
    metadata = {"name": name, "namespace": namespace, "labels": {LABEL: name}}
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": metadata,
        "spec": {"selector": {LABEL: name}, "ports": ports},
    }


def sync(request: SyncRequest, now: datetime) -> SyncResponse:
    """Return the children, and a status that says whether all Pods are available."""
    parent = request.parent
    spec = msgspec.json.decode(parent.spec, type=Spec)
    observed = request.children.get(Deployment, f"{parent.name}-deployment")
    is_ready = rolled_out(observed)
    conditions = set_condition(
        parent.conditions,
        "Ready",
        "True" if is_ready else "False",
        "Available" if is_ready else "RollingOut",
        "All Pods are available" if is_ready else "Pods are missing",
        now=now,
        generation=parent.generation,
    )
    status = {
        "state": "Ready" if is_ready else "Building",
        "replicas": (observed and observed.status and observed.status.replicas) or 0,
        "conditions": conditions,
    }
    services = [service(parent.name, parent.namespace, spec)] if spec.ports else []
    return SyncResponse(status, [deployment(parent.name, parent.namespace, spec), *services])


def customize(request: CustomizeRequest) -> list[RelatedRule]:
    """Return the rule for the ConfigMap of the parent's name."""
    return [select_by_name(ConfigMap, request.parent.namespace, request.parent.name)]


WIDGETS = Controller(
    sync,
    (Deployment, Service),
    customize,
    example_spec={"image": "nginx:1.27"},
    reasons=frozenset({"Available", "RollingOut"}),
    parent=WIDGET,
    quick=True,
)


def widget(name: str = "web", *, status: Json | None = None, generation: int = 1, **spec: Any) -> Json:
    """Return a Widget as the API server stores it."""
    return stored_parent(WIDGET, {"image": "nginx:1.27", **spec}, name, status=status, generation=generation)


def grouped(*objects: Json) -> Grouped:
    """Return *objects* by kind, as Metacontroller sends them; every kind of children has a group."""
    return by_kind(*objects, kinds=[kind.KIND for kind in WIDGETS.children])


def synced(parent: Json, *children: Json, now: datetime = NOW) -> Json:
    """Return the answer for *parent* with the observed *children*."""
    answer: Json = json.loads(WIDGETS.handle_sync(sync_request(parent, grouped(*children), {}), now).body)
    return answer


def finished(parent: Json) -> list[Json]:
    """Return the children of *parent* as they are once they were made and rolled out."""
    children = [owned(item, parent) for item in synced(parent)["children"]]
    return [builders.rolled_out(item) if item["kind"] == "Deployment" else item for item in children]


def ready_request() -> bytes:
    """Return a request for a Widget that is ready, and whose status says so."""
    parent = widget()
    children = finished(parent)
    return sync_request({**parent, "status": synced(parent, *children)["status"]}, grouped(*children), {})
