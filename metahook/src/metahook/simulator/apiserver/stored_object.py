"""Objects as the API server stores them: with defaults and canonical quantities, without zero values."""

from collections.abc import Callable
from typing import Any

from metahook.simulator.apiserver.deployment_defaults import with_deployment_defaults
from metahook.simulator.apiserver.field_types import check_spec
from metahook.simulator.apiserver.service_defaults import with_service_defaults

Json = dict[str, Any]

_OPEN_MAPS = {"labels", "annotations", "matchLabels", "nodeSelector", "requests", "limits", "httpHeaders", "data"}
"""Maps with free keys: a zero value in them is kept."""
_WITHOUT_ZEROS = {"Deployment", "Service"}
_DROPPED_EMPTY = {"labels", "annotations", "matchLabels", "nodeSelector", "requests", "limits", "selector", "data"}
_DROPPED_ZERO = {
    "value", "subPath", "readOnly", "minReadySeconds", "initialDelaySeconds", "medium", "hostNetwork", "prefix",
}  # fmt: skip


def without_nulls(value: Any) -> Any:
    """Return *value* without nulls, and with a whole float as an integer."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [without_nulls(item) for item in value if item is not None]
    if not isinstance(value, dict):
        return value
    return {name: without_nulls(inner) for name, inner in value.items() if inner is not None}


def _without_zeros(value: Any, field: str = "") -> Any:
    """Return *value*, which has no nulls, without the zero values that Go's ``omitempty`` leaves out."""
    if isinstance(value, list):
        return [_without_zeros(item, field) for item in value]
    if not isinstance(value, dict):
        return value
    kept = {name: _without_zeros(inner, name) for name, inner in value.items()}
    return (
        kept if field in _OPEN_MAPS else {name: inner for name, inner in kept.items() if not _is_omitted(name, inner)}
    )


def _is_omitted(field: str, value: Any) -> bool:
    if isinstance(value, dict):
        return not value and field in _DROPPED_EMPTY
    return value == [] or (field in _DROPPED_ZERO and value in ("", 0))


def _filled_replica_set(spec: Json) -> Json:
    return {"replicas": 1, **spec}


_FILL: dict[str, Callable[[Json], Json]] = {
    "Deployment": with_deployment_defaults,
    "Service": with_service_defaults,
    "ReplicaSet": _filled_replica_set,
    "Pod": dict,
}


def stored_object(manifest: Json) -> Json:
    """Return *manifest* as the API server stores it, without the metadata that it adds.

    Objects of kinds that nothing here reads stay as they are. Raise ApiError for a spec with fields of wrong types.
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
