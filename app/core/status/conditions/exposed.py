"""Exposed: whether the route of a spec with ``expose`` was accepted, and its address.

Ready does not depend on it: it is about the Pods, and who accepts a route is not the operator.
"""

import re
from operator import attrgetter

from msgspec.structs import replace

from app.api.network import GatewayRef
from app.core.desired.children import CHART_VALUES
from app.core.desired.exposure import Exposure
from app.core.facts import Facts
from app.core.readiness import Decision
from app.core.status.condition_type import ConditionType, ParentCondition
from metahook import Condition, HTTPRoute, Ingress

TYPE = ConditionType(
    "Exposed",
    "True if the Ingress has an address, or the Gateway accepts the HTTPRoute, so that requests from outside of "
    "the cluster can arrive. Present only if the spec has expose. Ready does not depend on it.",
    "If it is not True, do what its message says: kubectl describe myresource NAME",
    "people, `kubectl wait`",
    is_about=attrgetter("desired.exposure"),
)

ROUTE_ACCEPTED = TYPE.says("True", "RouteAccepted", "{route} is accepted.")
ROUTE_NOT_APPLIED = TYPE.says(
    "Unknown",
    "RouteNotApplied",
    "{route} has not been created or updated to this spec yet. If this lasts, the message of Ready says why.",
)
ROUTE_NOT_ADMITTED = TYPE.says(
    "Unknown",
    "NotYetAdmitted",
    "No controller has accepted {route} yet. If this lasts, check {choice}, and run: "
    "kubectl describe {resource} {name}",
    choice="spec.expose.className",
)
ROUTE_NOT_ACCEPTED = TYPE.says(
    "False",
    "NotAccepted",
    "Gateway {gateway} does not accept {route}: {why}. Check spec.expose, and run: kubectl describe {resource} {name}",
    gateway="shared",
    route="HTTPRoute web",
    resource="httproute",
    why="Accepted is False, NotAllowedByListeners",
)
HOST_CLAIMED = TYPE.says(
    "False",
    "HostClaimed",
    "{holder} already has this host and path, so {route} does not get them. Change spec.expose of one of the two.",
    holder="MyResource shop",
)
ROUTE_NOT_ENABLED = TYPE.says(
    "False",
    "NotEnabled",
    "The operator creates no {kind} in this cluster. Ask the cluster administrator to set {value} of the operator's "
    "chart to true, or remove {unwanted}.",
    kind="HTTPRoute",
    value="expose.gateway",
    unwanted="spec.expose.gateway",
)

_REASON = re.compile("[A-Za-z]{1,64}")

_REQUIRED = ("Accepted", "ResolvedRefs")
"""The conditions of an HTTPRoute that must be True."""


def decide(facts: Facts, _: Decision) -> ParentCondition | None:
    """Return whether the route was accepted, and why not."""
    return _says(facts, facts.desired.exposure) if facts.desired.exposure else None


def _says(facts: Facts, exposure: Exposure) -> ParentCondition:
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
