"""The shape of the objects that are read: what has another one is no object that an API server would accept."""

from typing import Any

import msgspec

from app import Json

_Map = dict[str, str] | None


class _Shape(msgspec.Struct, rename="camel"):
    """A part of an object: of its fields, those whose types are relied on."""


class _Metadata(_Shape):
    labels: _Map = None
    annotations: _Map = None


class _Capabilities(_Shape):
    add: list[str] | None = None
    drop: list[str] | None = None


class _Security(_Shape):
    capabilities: _Capabilities | None = None


class _Port(_Shape):
    container_port: int
    name: str | None = None


class _Named(_Shape):
    name: str


class _Resources(_Shape):
    requests: dict[str, int | float | str] | None = None
    limits: dict[str, int | float | str] | None = None


class _Container(_Named, kw_only=True):
    image: str
    security_context: _Security | None = None
    ports: list[_Port] | None = None
    env: list[_Named] | None = None
    resources: _Resources | None = None
    volume_mounts: list[_Named] | None = None


class _Volume(_Named):
    empty_dir: Json | None = None


class _PodSpec(_Shape):
    containers: list[_Container]
    init_containers: list[_Container] | None = None
    volumes: list[_Volume] | None = None
    security_context: Json | None = None


class _Template(_Shape):
    spec: _PodSpec
    metadata: _Metadata | None = None


class _Selector(_Shape):
    match_labels: _Map = None


class _Strategy(_Shape):
    rolling_update: Json | None = None


class _Deployment(_Shape):
    template: _Template
    selector: _Selector | None = None
    strategy: _Strategy | None = None


class _ServicePort(_Shape):
    port: int
    name: str | None = None
    target_port: int | str | None = None


class _Service(_Shape):
    selector: _Map = None
    ports: list[_ServicePort] | None = None


class _ResourceMetric(_Shape):
    target: Json | None = None


class _Metric(_Shape):
    resource: _ResourceMetric | None = None
    container_resource: _ResourceMetric | None = None


class _Autoscaler(_Shape):
    scale_target_ref: Json
    metrics: list[_Metric] | None = None


class _Budget(_Shape):
    selector: _Selector | None = None


class _HttpRule(_Shape):
    backend_refs: list[Json] | None = None


class _Route(_Shape):
    rules: list[_HttpRule] | None = None
    parent_refs: list[Json] | None = None


_SHAPES: dict[str, Any] = {
    "Deployment": _Deployment,
    "Service": _Service,
    "HorizontalPodAutoscaler": _Autoscaler,
    "PodDisruptionBudget": _Budget,
    "Ingress": _Route,
    "HTTPRoute": _Route,
}
KINDS = frozenset(_SHAPES)
"""The kinds that are read."""


def shape_problem(manifest: Json) -> str | None:
    """Return what of *manifest* has another type than its kind asks for; None if all that is read has the right one."""
    try:
        msgspec.convert(manifest.get("metadata"), _Metadata)
        msgspec.convert(manifest.get("spec"), _SHAPES[manifest["kind"]])
    except (msgspec.ValidationError, OverflowError) as error:
        return str(error)
    return None
