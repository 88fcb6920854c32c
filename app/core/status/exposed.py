"""The condition Exposed, and the address: whether the route of a spec with ``expose`` was accepted.

Ready does not depend on it: it is about the Pods, and who accepts a route is not the operator.
"""

import re
from dataclasses import replace

from app.api.network import GatewayRef
from app.core.desired.children import CHART_VALUES
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
from app.core.status.facts.facts import Facts
from metahook import Condition, HTTPRoute, Ingress

_REASON = re.compile("[A-Za-z]{1,64}")

_REQUIRED = ("Accepted", "ResolvedRefs")
"""The conditions of an HTTPRoute that must be True."""


def exposed(facts: Facts, exposure: Exposure) -> ParentCondition:
    """Return the condition Exposed of a spec that asks for an *exposure*."""
    kind, gateway = exposure.kind.KIND.kind, exposure.expose.gateway
    condition, why = _condition(facts, exposure)
    words = {
        "kind": kind,
        "route": f"{kind} {facts.parent.name}",
        "resource": kind.lower(),
        "name": facts.parent.name,
        "choice": "spec.expose.gateway" if gateway else "spec.expose.className",
        "unwanted": "spec.expose.gateway" if gateway else "spec.expose",
        "gateway": gateway.name if gateway else "",
        "holder": exposure.holder,
        "value": CHART_VALUES[exposure.kind],
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
    if isinstance(route, HTTPRoute) and exposure.expose.gateway:
        return _of_gateway(route, exposure.expose.gateway)
    return (ROUTE_ACCEPTED if isinstance(route, Ingress) and route.is_served else ROUTE_NOT_ADMITTED), ""


def _of_gateway(route: HTTPRoute, gateway: GatewayRef) -> tuple[ParentCondition, str]:
    """Return what the *gateway* says of *route* as it is now; a False of any of its conditions counts first."""
    conditions = _conditions(route, gateway)
    refused = next((each for each in conditions if each.type in _REQUIRED and each.status == "False"), None)
    if refused:
        return ROUTE_NOT_ACCEPTED, _why(refused)
    is_accepted = {each.type for each in conditions if each.status == "True"}.issuperset(_REQUIRED)
    return (ROUTE_ACCEPTED if is_accepted else ROUTE_NOT_ADMITTED), ""


def _conditions(route: HTTPRoute, gateway: GatewayRef) -> list[Condition]:
    """Return the conditions that are about *gateway*, and about this generation of *route*."""
    own = route.metadata.namespace
    wanted = gateway.name, gateway.namespace or own, gateway.section_name
    conditions: list[Condition] = []
    for parent in (route.status and route.status.parents) or []:
        ref = parent.parent_ref
        if (ref.name, ref.namespace or own, ref.section_name) == wanted:
            conditions += parent.conditions or []
    return [each for each in conditions if each.observed_generation in {None, route.metadata.generation}]


def _why(condition: Condition) -> str:
    """Return which *condition* is False, with its reason, which is one word; its message is not ours to repeat."""
    reason = condition.reason or ""
    return f"{condition.type} is False" + (f", {reason}" if _REASON.fullmatch(reason) else "")
