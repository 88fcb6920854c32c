import re
from datetime import datetime

import msgspec

from metahook import Decorator, DecoratorResponse, Manifest, Parent, Service, SyncRequest, drifted_field, try_read
from metahook.server import Address, serve

PORT = "example.com/service-port"
"""The annotation that asks for a Service."""

ADDRESS, PROBLEM = "example.com/service-address", "example.com/service-problem"
"""The annotations that tell what became of it."""

LABEL = "example.com/has-service"

VALID_PORT = re.compile(r"[1-9][0-9]{0,4}")
VALID_NAME = re.compile(r"[a-z]([-a-z0-9]{0,54}[a-z0-9])?")


class Selector(msgspec.Struct, rename="camel"):
    match_labels: dict[str, str] = {}
    match_expressions: list[object] = []


class StatefulSetSpec(msgspec.Struct):
    selector: Selector


def sync(request: SyncRequest, now: datetime) -> DecoratorResponse:
    """Return the Service that a StatefulSet asks for, and tell its address on the StatefulSet."""
    parent, port = request.parent, request.parent.annotations.get(PORT)
    if port is None:
        return DecoratorResponse(labels={LABEL: None}, annotations={ADDRESS: None, PROBLEM: None})
    if problem := _problem(parent, port):
        return DecoratorResponse(kept=request.children.kept(), annotations={PROBLEM: problem})
    service = _service(parent, int(port))
    is_there = drifted_field(service, request.children) is None
    address = f"{parent.name}-client.{parent.namespace}.svc:{port}"
    return DecoratorResponse(
        children=[service],
        labels={LABEL: "true" if is_there else None},
        annotations={ADDRESS: address if is_there else None, PROBLEM: None},
    )


def _problem(parent: Parent, port: str) -> str | None:
    """Return why a StatefulSet can't have a Service, or None."""
    if not VALID_PORT.fullmatch(port) or int(port) > 65535:
        return f"{PORT} must be a number from 1 to 65535"
    if not VALID_NAME.fullmatch(parent.name):
        return "metadata.name must be a DNS label of at most 56 characters"
    if not _labels(parent):
        return "spec.selector must have matchLabels and no matchExpressions: a Service has labels alone"
    return None


def _labels(parent: Parent) -> dict[str, str]:
    """Return the labels by which the StatefulSet selects its Pods, or none if it selects in another way."""
    spec = try_read(parent.spec, StatefulSetSpec)
    return spec.selector.match_labels if spec and not spec.selector.match_expressions else {}


def _service(parent: Parent, port: int) -> Manifest:
    """Return a Service beside the headless one of ``spec.serviceName``, which has another name."""
    metadata = {"name": f"{parent.name}-client", "namespace": parent.namespace}
    spec = {"selector": _labels(parent), "ports": [{"port": port}]}
    return {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": spec}


SERVICES = Decorator(sync=sync, children=(Service,))

if __name__ == "__main__":
    serve(SERVICES, Address("0.0.0.0", 8080), Address("0.0.0.0", 8081))
