"""The Service that a spec asks for when it has ports."""

from typing import Any

from app.api.containers import Port
from app.api.spec import MyResourceSpec
from app.core.child_metadata import manifest_of, selector
from app.core.desired.replicas import Replicas
from metahook import Manifest, Parent, Service

_AFFINITY_SECONDS = 10800


def wants_service(spec: MyResourceSpec) -> bool:
    """Tell whether *spec* asks for a Service."""
    return bool(spec.ports) and spec.service.mode == "Auto"


def service(parent: Parent, spec: MyResourceSpec, _: Replicas) -> Manifest:
    """Return the Service that *spec* asks for."""
    fields = {
        "type": spec.service.type or "ClusterIP",
        **({"clusterIP": spec.service.cluster_ip} if spec.service.cluster_ip else {}),
        "selector": selector(parent),
        "ports": [_port(port) for port in spec.ports or []],
        **_affinity(spec.service.session_affinity or "None"),
    }
    return manifest_of(Service, parent, fields, annotations=spec.service.annotations or {})


def _port(port: Port) -> dict[str, Any]:
    return {
        "name": port.name or f"{port.protocol.lower()}-{port.container_port}",
        "port": port.in_service,
        "protocol": port.protocol,
        "targetPort": port.name or port.container_port,
    }


def _affinity(kind: str) -> dict[str, Any]:
    """Return the session affinity in full: a timeout that the API server set by default would stay beside ``None``."""
    config = (
        {"sessionAffinityConfig": {"clientIP": {"timeoutSeconds": _AFFINITY_SECONDS}}} if kind == "ClientIP" else {}
    )
    return {"sessionAffinity": kind, **config}
