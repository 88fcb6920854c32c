"""HTTPRoutes of the Gateway API as observed."""

from typing import Any, ClassVar

from metahook.protocol.objects.kind import Kind
from metahook.protocol.objects.object import Conditions, Object, Observed


class ParentReference(Observed, frozen=True):
    """A Gateway, and maybe one of its listeners."""

    name: str
    namespace: str | None = None
    section_name: str | None = None


class RouteParentStatus(Conditions, frozen=True, kw_only=True):
    """What the controller of a Gateway reports about an HTTPRoute."""

    parent_ref: ParentReference


class HTTPRouteStatus(Observed, frozen=True):
    """What the controllers of all its Gateways report."""

    parents: list[RouteParentStatus] | None = None


class HTTPRoute(Object, frozen=True):
    """An observed HTTPRoute. ``spec`` is decoded as it is."""

    KIND: ClassVar[Kind] = Kind("gateway.networking.k8s.io/v1", "HTTPRoute", "httproutes")

    spec: dict[str, Any] | None = None
    status: HTTPRouteStatus | None = None
