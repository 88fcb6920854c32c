"""The condition Exposed, and the address: whether the route of a spec with ``expose`` was accepted.

Ready does not depend on it: it is about the Pods, and who accepts a route is not the operator.
"""

import re
from dataclasses import replace

from app.api.expose import GatewayRef
from app.core.desired.exposure import Exposure
from app.core.status.conditions import (
    HOST_CLAIMED,
    ROUTE_ACCEPTED,
    ROUTE_NOT_ACCEPTED,
    ROUTE_NOT_ADMITTED,
    ROUTE_NOT_APPLIED,
    ROUTE_NOT_ENABLED,
    ParentCondition,
)
from app.core.status.facts import Facts
from metahook import Condition, HTTPRoute, Ingress

_VALUES = {Ingress: "expose.ingress", HTTPRoute: "expose.gateway"}
"""The values of the chart that let the operator create routes of a kind."""

_REASON = re.compile("[A-Za-z]{1,64}")

_REQUIRED = ("Accepted", "ResolvedRefs")
"""The conditions of an HTTPRoute that must be True."""


def exposed(facts: Facts, exposure: Exposure) -> ParentCondition:
    """Return the condition Exposed of a spec that asks for an *exposure*."""
    kind, gateway = exposure.kind.KIND.kind, exposure.expose.gateway
    condition, why = _condition(facts, exposure)
    field = "gateway" if gateway else "className"
    words = {
        "kind": kind,
        "route": f"{kind} {facts.parent.name}",
        "ref": f"{kind.lower()} {facts.parent.name}",
        "field": (".gateway" if gateway else "") if condition is ROUTE_NOT_ENABLED else field,
        "gateway": gateway.name if gateway else "",
        "holder": exposure.holder,
        "value": _VALUES[exposure.kind],
        "why": why,
    }
    return replace(condition, message=condition.message.format_map(words))


def url(exposure: Exposure) -> str:
    """Return the address that *exposure* asks for."""
    expose = exposure.expose
    return f"http{'s' if expose.tls else ''}://{expose.host}{expose.path}"


def _condition(facts: Facts, exposure: Exposure) -> tuple[ParentCondition, str]:
    """Return the condition, and why the route is not accepted."""
    route = exposure.route
    if not exposure.is_managed:
        return ROUTE_NOT_ENABLED, ""
    if exposure.holder:
        return HOST_CLAIMED, ""
    if route is None or any(drift.kind == exposure.kind.KIND.kind for drift in facts.drifts):
        return ROUTE_NOT_APPLIED, ""
    if isinstance(route, Ingress):
        return (ROUTE_ACCEPTED if route.is_served else ROUTE_NOT_ADMITTED), ""
    return _of_gateway(route, exposure.expose.gateway)


def _of_gateway(route: HTTPRoute, gateway: GatewayRef | None) -> tuple[ParentCondition, str]:
    """Return what the *gateway* says of *route* as it is now; a False of any of its conditions counts first."""
    conditions = _conditions(route, gateway)
    refused = next((each for each in conditions if each.type in _REQUIRED and each.status == "False"), None)
    if refused:
        return ROUTE_NOT_ACCEPTED, _why(refused)
    is_accepted = {each.type for each in conditions if each.status == "True"}.issuperset(_REQUIRED)
    return (ROUTE_ACCEPTED if is_accepted else ROUTE_NOT_ADMITTED), ""


def _conditions(route: HTTPRoute, gateway: GatewayRef | None) -> list[Condition]:
    """Return the conditions that are about *gateway*, and about this generation of *route*."""
    namespace, wanted = route.metadata.namespace, gateway and (gateway.name, gateway.namespace, gateway.section_name)
    name, there, section = wanted or ("", None, None)
    parents = (route.status and route.status.parents) or []
    refs = [
        parent
        for parent in parents
        if (parent.parent_ref.name, parent.parent_ref.namespace or namespace, parent.parent_ref.section_name)
        == (name, there or namespace, section)
    ]
    found = [condition for parent in refs for condition in parent.conditions or []]
    return [each for each in found if each.observed_generation in {None, route.metadata.generation}]


def _why(condition: Condition) -> str:
    """Return which *condition* is False, with its reason, which is one word; its message is not ours to repeat."""
    reason = condition.reason or ""
    return f"{condition.type} is False" + (f", {reason}" if _REASON.fullmatch(reason) else "")
