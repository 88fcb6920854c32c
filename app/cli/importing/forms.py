"""The forms in which an autoscaler and a route are compared, and what they become in a spec."""

from typing import Any

from app import Json
from app.api.values.names import CONTAINER
from app.cli.importing.schema import brief

_UTILIZATION = {"cpu": "targetCPUUtilizationPercentage", "memory": "targetMemoryUtilizationPercentage"}


def scaler_form(spec: Json, main: str) -> Json:
    """Return the *spec* of an autoscaler in one form for its versions, by container; *main* is the application's."""
    metrics = [dict(each) for each in spec.get("metrics") or []]
    if spec.get("targetCPUUtilizationPercentage"):
        target = {"type": "Utilization", "averageUtilization": spec["targetCPUUtilizationPercentage"]}
        metrics.append({"type": "Resource", "resource": {"name": "cpu", "target": target}})
    for each in metrics:
        if "resource" in each:
            each["type"], each["containerResource"] = "ContainerResource", {**each.pop("resource"), "container": ""}
        if "containerResource" in each:
            inner = each["containerResource"]
            is_main = inner.get("container") in ("", main, CONTAINER)
            each["containerResource"] = {**inner, "container": CONTAINER if is_main else inner.get("container")}
    kept: Json = {name: spec[name] for name in ("minReplicas", "maxReplicas", "behavior") if name in spec}
    return {**kept, "metrics": sorted(metrics, key=str)}


def route_form(value: Any, ports: dict[str, int]) -> Any:  # noqa: ANN401 - any JSON
    """Return the spec of a route, or a *value* in it, with numbers in place of the names of *ports*."""
    if isinstance(value, list):
        return [route_form(each, ports) for each in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == {"name"} and value["name"] in ports:
        return {"number": ports[value["name"]]}
    return {name: route_form(inner, ports) for name, inner in value.items()}


def autoscaling(scaler: Json) -> Json:
    """Return what an autoscaler, in its form, is in a spec."""
    targets = {}
    for metric in scaler.get("metrics") or []:
        resource = metric.get("containerResource") or {}
        target = (resource.get("target") or {}).get("averageUtilization")
        if resource.get("name") in _UTILIZATION and target:
            targets[_UTILIZATION[resource["name"]]] = target
    bounds: Json = {name: scaler[name] for name in ("minReplicas", "maxReplicas") if name in scaler}
    behavior = brief(scaler.get("behavior") or {}, "#autoscaling.v2.HorizontalPodAutoscalerBehavior")
    bounds = {name: value for name, value in bounds.items() if (name, value) != ("minReplicas", 1)}
    return {**bounds, **targets, **({"behavior": behavior} if behavior else {})}


def leads_to(value: object, service: str, key: str = "") -> bool:
    """Tell whether a backend in *value*, which is at *key* of a route, is *service*."""
    if isinstance(value, list):
        return any(leads_to(each, service, key) for each in value)
    if not isinstance(value, dict):
        return False
    is_backend = key in ("service", "backendRef", "backendRefs")
    return (is_backend and value.get("name") == service) or any(
        leads_to(each, service, inner) for inner, each in value.items()
    )


def ingress_address(spec: Json) -> Json | None:
    """Return what an Ingress of one path has for spec.expose, with its Service; None if it has another form."""
    try:
        (rule,) = spec["rules"]
        (path,) = rule["http"]["paths"]
        service = path["backend"]["service"]
        tls = spec.get("tls") or [None]
        return {
            "host": rule["host"],
            "path": None if path.get("path", "/") == "/" else path["path"],
            "tls": None if tls[0] is None else {name: tls[0][name] for name in ("secretName",) if name in tls[0]},
            "className": spec.get("ingressClassName"),
            "service": service["name"],
            "port": service["port"].get("number", service["port"].get("name")),
        }
    except (KeyError, ValueError, TypeError, AttributeError):
        return None


def route_address(spec: Json) -> Json | None:
    """Return the same of an HTTPRoute."""
    try:
        (gateway,), (host,), (rule,) = spec["parentRefs"], spec["hostnames"], spec["rules"]
        (backend,) = rule["backendRefs"]
        (match,) = rule.get("matches") or [{}]
        path = match.get("path", {}).get("value", "/")
        return {
            "host": host,
            "path": None if path == "/" else path,
            "gateway": {name: gateway[name] for name in ("name", "namespace", "sectionName") if name in gateway},
            "service": backend["name"],
            "port": backend["port"],
        }
    except (KeyError, ValueError, TypeError, AttributeError):
        return None
