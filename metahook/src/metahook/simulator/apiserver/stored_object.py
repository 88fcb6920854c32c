"""Objects as the API server stores them: with its metadata, defaults and canonical quantities, without zero values."""

from base64 import b64encode
from collections.abc import Callable
from typing import Any

from metahook.simulator.apiserver.built_in_kinds import declared_fields
from metahook.simulator.apiserver.defaults import (
    with_autoscaler_defaults,
    with_claim_defaults,
    with_cron_job_defaults,
    with_daemon_set_defaults,
    with_deployment_defaults,
    with_job_defaults,
    with_limit_range_defaults,
    with_network_policy_defaults,
    with_pod_defaults,
    with_replica_set_defaults,
    with_service_defaults,
    with_stateful_set_defaults,
    with_webhook_defaults,
)
from metahook.simulator.apiserver.field_types import check_object
from metahook.simulator.apiserver.validation import WITHOUT_GENERATION
from metahook.simulator.objects import Json, Key, with_metadata

_OPEN_MAPS = {"labels", "annotations", "matchLabels", "nodeSelector", "requests", "limits", "httpHeaders", "data"}
"""Maps with free keys: a zero value in them is kept."""
_DROPPED_ZERO = {
    "effect", "externalName", "hostIP", "hostIPC", "hostNetwork", "hostPID", "hostPort", "hostname",
    "initialDelaySeconds", "key", "loadBalancerIP", "medium", "minReadySeconds", "nodeName", "operator", "paused",
    "prefix", "publishNotReadyAddresses", "readOnly", "stdin", "stdinOnce", "subPath", "subPathExpr", "subdomain",
    "tty", "value", "workingDir",
}  # fmt: skip
"""Fields whose zero value Go can't tell from none."""


def without_nulls(value: Any) -> Any:
    """Return *value* without nulls, and with a whole float as an integer."""
    if isinstance(value, dict):
        return {
            # Most values are texts, and a call costs more than the look at the type.
            name: inner if type(inner) is str else without_nulls(inner)
            for name, inner in value.items()
            if inner is not None
        }
    if isinstance(value, list):
        return [without_nulls(item) for item in value if item is not None]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _without_zeros(value: Any, field: str = "") -> Any:
    """Return *value*, which has no nulls, without the zero values that Go's ``omitempty`` leaves out."""
    if isinstance(value, list):
        return [_without_zeros(item, field) for item in value]
    if not isinstance(value, dict):
        return value
    kept = {name: inner if type(inner) is str else _without_zeros(inner, name) for name, inner in value.items()}
    if field in _OPEN_MAPS:
        return kept
    return {name: inner for name, inner in kept.items() if name not in _DROPPED_ZERO or inner not in ("", 0)}


_FILL: dict[str, Callable[[Json], Json]] = {
    "Deployment": with_deployment_defaults,
    "Service": with_service_defaults,
    "ReplicaSet": with_replica_set_defaults,
    "Pod": with_pod_defaults,
    "StatefulSet": with_stateful_set_defaults,
    "DaemonSet": with_daemon_set_defaults,
    "Job": with_job_defaults,
    "CronJob": with_cron_job_defaults,
    "PersistentVolumeClaim": with_claim_defaults,
    "HorizontalPodAutoscaler": with_autoscaler_defaults,
    "LimitRange": with_limit_range_defaults,
    "NetworkPolicy": with_network_policy_defaults,
}


def _filled_secret(secret: Json) -> Json:
    texts = {name: b64encode(text.encode()).decode() for name, text in (secret.get("stringData") or {}).items()}
    data = {"data": {**(secret.get("data") or {}), **texts}} if texts else {}
    return {"type": "Opaque", **{name: value for name, value in secret.items() if name != "stringData"}, **data}


def _filled_namespace(namespace: Json) -> Json:
    metadata = namespace["metadata"]
    named = {**(metadata.get("labels") or {}), "kubernetes.io/metadata.name": metadata["name"]}
    return {"spec": {"finalizers": ["kubernetes"]}, **namespace, "metadata": {**metadata, "labels": named}}


def _filled_webhooks(configuration: Json) -> Json:
    filled = [with_webhook_defaults(webhook) for webhook in configuration.get("webhooks") or ()]
    if configuration["kind"] == "MutatingWebhookConfiguration":
        filled = [{"reinvocationPolicy": "Never", **webhook} for webhook in filled]
    return {**configuration, "webhooks": filled} if filled else configuration


_FILL_WHOLE: dict[str, Callable[[Json], Json]] = {
    "Namespace": _filled_namespace,
    "Secret": _filled_secret,
    **dict.fromkeys(("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"), _filled_webhooks),
    # Stored in Go, an empty list and none are the same.
    **dict.fromkeys(("Role", "ClusterRole"), lambda role: {**role, "rules": role.get("rules") or None}),
}
"""By kind whose defaults are not in a spec alone."""

_ALWAYS_FULL = ("labels", "annotations", "finalizers", "ownerReferences")
"""Fields of metadata that are not stored if they are empty."""


def stored_object(manifest: Json) -> Json:
    """Return *manifest* as the API server stores it, without the metadata that it adds.

    Raise ApiError for a field with a value of another type.
    """
    manifest = declared_fields(manifest)
    kind = manifest["kind"]
    fill = _FILL.get(kind)
    if fill is None:
        whole = _FILL_WHOLE.get(kind, dict)(manifest)
        return {**whole, "metadata": _without_empty(without_nulls(whole["metadata"]))}
    clean = _clean(manifest)
    return {**clean, "metadata": _without_empty(clean["metadata"]), "spec": fill(clean.get("spec", {}))}


def _without_empty(fields: Json) -> Json:
    return {name: value for name, value in fields.items() if value or name not in _ALWAYS_FULL}


def stored_status(kind: str, status: Json) -> Json:
    """Return the *status* of an object of this *kind* as the API server stores it."""
    return status if kind not in _FILL else _clean(status)


def _clean(value: Json) -> Json:
    clean: Json = _without_zeros(without_nulls(value))
    return clean


SYSTEM = ("uid", "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp", "managedFields")
"""Metadata that only the API server sets."""


def with_generated_name(item: Json, number: int) -> Json:
    """Return *item* with a name made from ``generateName``, or with an empty one if it has neither."""
    metadata = item["metadata"]
    if metadata.get("name"):
        return item
    prefix = metadata.get("generateName")
    return with_metadata(item, name=f"{prefix}{number:05x}" if prefix else "", generateName=None)


def with_system_metadata(item: Json, key: Key, number: int, stamp: str) -> Json:
    """Return the new object *item* with its system metadata; *number* is unique, *stamp* the time."""
    sent = {name: value for name, value in item["metadata"].items() if name not in SYSTEM}
    system = {"creationTimestamp": stamp, "uid": _uid(number)}
    generation = {} if key.kind in WITHOUT_GENERATION else {"generation": 1}
    status = {"status": {"phase": "Active"}} if key.kind == "Namespace" else {}
    return {**item, **status, "metadata": {**sent, **system, **generation, "resourceVersion": str(number)}}


def with_placed_metadata(item: Json, live: Json | None, number: int, stamp: str) -> Json:
    """Return *item* as it replaces *live* unchecked: its own metadata wins, except for the version."""
    defaults = {"uid": _uid(number), "creationTimestamp": stamp}
    kept = {"status": live["status"]} if live and "status" in live and "status" not in item else {}
    return {**item, **kept, "metadata": {**defaults, **item["metadata"], "resourceVersion": str(number)}}


def _uid(number: int) -> str:
    return f"{number:08x}-0000-4000-8000-{number:012x}"


def normalized(item: Json) -> Json:
    """Return *item* without nulls in its metadata; raise ApiError if it is not a Kubernetes object."""
    check_object(item)
    return {**item, "metadata": {"name": "", **without_nulls(item["metadata"])}}
