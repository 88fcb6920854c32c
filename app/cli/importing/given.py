"""The shape of the objects that are read: what has another one is no object that an API server would accept."""

from typing import Any

import msgspec

from app import Json

_Map = dict[str, str] | None


class _Metadata(msgspec.Struct):
    labels: _Map = None
    annotations: _Map = None


class _Capabilities(msgspec.Struct):
    add: list[str] | None = None
    drop: list[str] | None = None


class _Security(msgspec.Struct):
    capabilities: _Capabilities | None = None


class _Port(msgspec.Struct):
    containerPort: int  # noqa: N815 - as on the wire
    name: str | None = None


class _Mount(msgspec.Struct):
    name: str


class _Resources(msgspec.Struct):
    requests: dict[str, int | float | str] | None = None
    limits: dict[str, int | float | str] | None = None


class _Reference(msgspec.Struct):
    resourceFieldRef: Json | None = None  # noqa: N815 - as on the wire


class _Variable(msgspec.Struct):
    name: str
    valueFrom: _Reference | None = None  # noqa: N815 - as on the wire


class _Container(msgspec.Struct):
    name: str
    image: str
    securityContext: _Security | None = None  # noqa: N815 - as on the wire
    ports: list[_Port] | None = None
    env: list[_Variable] | None = None
    resources: _Resources | None = None
    volumeMounts: list[_Mount] | None = None  # noqa: N815 - as on the wire


class _Volume(msgspec.Struct):
    name: str
    emptyDir: Json | None = None  # noqa: N815 - as on the wire
    projected: Json | None = None


class _PodSpec(msgspec.Struct):
    containers: list[_Container]
    initContainers: list[_Container] | None = None  # noqa: N815 - as on the wire
    volumes: list[_Volume] | None = None
    securityContext: Json | None = None  # noqa: N815 - as on the wire


class _Template(msgspec.Struct):
    spec: _PodSpec
    metadata: _Metadata | None = None


class _DeploymentSpec(msgspec.Struct):
    template: _Template
    selector: dict[str, Any] | None = None
    strategy: dict[str, Any] | None = None


class _ServicePort(msgspec.Struct):
    port: int
    name: str | None = None
    targetPort: int | str | None = None  # noqa: N815 - as on the wire


class _ServiceSpec(msgspec.Struct):
    selector: _Map = None
    ports: list[_ServicePort] | None = None


_SHAPES: dict[str, Any] = {"Deployment": _DeploymentSpec, "Service": _ServiceSpec}


def shape_problem(manifest: Json) -> str | None:
    """Return what of *manifest* has another type than its kind asks for; None if all that is read has the right one."""
    try:
        msgspec.convert(manifest.get("metadata"), _Metadata)
        msgspec.convert(manifest.get("spec"), _SHAPES.get(manifest["kind"], dict[str, Any]))
    except msgspec.ValidationError as error:
        return str(error)
    return None
