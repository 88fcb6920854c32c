"""How the API server stores what is sent to it: zero values left out, quantities canonical, defaults filled in."""

from collections.abc import Callable
from typing import Any

from metahook.simulator.apiserver.deployment import filled_deployment
from metahook.simulator.apiserver.service import filled_service
from metahook.simulator.apiserver.typed import check_spec

Json = dict[str, Any]

_OPEN_MAPS = {"labels", "annotations", "matchLabels", "nodeSelector", "requests", "limits", "httpHeaders", "data"}
"""Fields whose keys, or whose values, say nothing of a zero value being left out."""
_WITHOUT_ZEROS = {"Deployment", "Service"}
_DROPPED_EMPTY = {"labels", "annotations", "matchLabels", "nodeSelector", "requests", "limits", "selector", "data"}
_DROPPED_ZERO = {
    "value", "subPath", "readOnly", "minReadySeconds", "initialDelaySeconds", "medium", "hostNetwork", "prefix",
}  # fmt: skip


def without_nulls(value: Any) -> Any:
    """Return *value* without nulls; a whole number stays no float."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [without_nulls(item) for item in value if item is not None]
    if not isinstance(value, dict):
        return value
    return {name: without_nulls(inner) for name, inner in value.items() if inner is not None}


def _without_zeros(value: Any, field: str = "") -> Any:
    """Return *value*, which holds no nulls, without what Go leaves out when it writes JSON."""
    if isinstance(value, list):
        return [_without_zeros(item, field) for item in value]
    if not isinstance(value, dict):
        return value
    there = {name: _without_zeros(inner, name) for name, inner in value.items()}
    return there if field in _OPEN_MAPS else {name: inner for name, inner in there.items() if not _zero(name, inner)}


def _zero(field: str, value: Any) -> bool:
    if isinstance(value, dict):
        return not value and field in _DROPPED_EMPTY
    return value == [] or (field in _DROPPED_ZERO and value in ("", 0))


def _filled_replica_set(spec: Json) -> Json:
    return {"replicas": 1, **spec}


_FILL: dict[str, Callable[[Json], Json]] = {
    "Deployment": filled_deployment,
    "Service": filled_service,
    "ReplicaSet": _filled_replica_set,
    "Pod": dict,
}


def stored(manifest: Json) -> Json:
    """Return *manifest* as the API server stores it, less the metadata that it adds; others' kinds stay as they are.

    Raise Refused if its spec is not of the types of its kind.
    """
    check_spec(manifest)
    fill = _FILL.get(manifest["kind"])
    if fill is None:
        return {**manifest, "metadata": without_nulls(manifest["metadata"])}
    clean = _clean(manifest["kind"], manifest)
    return {**clean, "spec": fill(clean.get("spec", {}))}


def stored_status(kind: str, status: Json) -> Json:
    """Return the *status* of an object of this *kind* as the API server stores it."""
    return status if kind not in _FILL else _clean(kind, status)


def _clean(kind: str, value: Json) -> Json:
    clean: Json = without_nulls(value)
    return _without_zeros(clean) if kind in _WITHOUT_ZEROS else clean
