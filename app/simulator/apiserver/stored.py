"""How the API server stores what is sent to it: zero values left out, quantities canonical, defaults filled in."""

from typing import Any

from app.simulator.apiserver.deployment import filled_deployment
from app.simulator.apiserver.service import filled_service

Json = dict[str, Any]

_OPEN_MAPS = {"labels", "annotations", "matchLabels", "nodeSelector", "requests", "limits", "httpHeaders", "data"}
"""Fields whose keys, or whose values, say nothing of a zero value being left out."""
_DROPPED_EMPTY = {"labels", "annotations", "matchLabels", "nodeSelector", "requests", "limits", "selector", "data"}
_DROPPED_ZERO = {
    "value", "subPath", "readOnly", "minReadySeconds", "initialDelaySeconds", "medium", "hostNetwork", "prefix",
}  # fmt: skip


def _without_zeros(value: Any, field: str = "") -> Any:
    """Return *value* without what Go leaves out when it writes JSON; a whole number stays no float."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_without_zeros(item, field) for item in value if item is not None]
    if not isinstance(value, dict):
        return value
    there = {name: _without_zeros(inner, name) for name, inner in value.items() if inner is not None}
    return there if field in _OPEN_MAPS else {name: inner for name, inner in there.items() if not _zero(name, inner)}


def _zero(field: str, value: Any) -> bool:
    if isinstance(value, dict):
        return not value and field in _DROPPED_EMPTY
    return value == [] or (field in _DROPPED_ZERO and value in ("", 0))


def stored(manifest: Json) -> Json:
    """Return *manifest* as the API server stores it, less the metadata that it adds; others' kinds stay as they are."""
    fill = {"Deployment": filled_deployment, "Service": filled_service}.get(manifest["kind"])
    if fill is None:
        return manifest
    clean = _without_zeros(manifest)
    return {**clean, "spec": fill(clean.get("spec", {}))}
