"""A decorator: a Service for each StatefulSet, and a label that says so."""

from datetime import datetime
from typing import Any

from metahook import Decorator, DecoratorFinalizeResponse, DecoratorResponse, Manifest, Service, SyncRequest

LABEL = "example.com/has-service"


def stateful_set(name: str = "db", **metadata: Any) -> Manifest:
    """Return a StatefulSet as it is stored."""
    return {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {"name": name, "namespace": "default", "uid": f"uid-of-{name}", **metadata},
        "spec": {"replicas": 1},
    }


def service(name: str) -> Manifest:
    """Return the Service of a StatefulSet."""
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}, "spec": {"clusterIP": "None"}}


def sync(request: SyncRequest, _: datetime) -> DecoratorResponse:
    """Return a Service, and the label."""
    return DecoratorResponse(children=[service(request.parent.name)], labels={LABEL: "true"})


def finalize(request: SyncRequest, _: datetime) -> DecoratorFinalizeResponse:
    """Remove the label, and let the object go once its Service is gone."""
    return DecoratorFinalizeResponse(labels={LABEL: None}, finalized=not request.children.all(Service))


SERVICES = Decorator(sync, (Service,), finalize=finalize)
