"""The types of fields: of any object's metadata, and of the specs that the simulated controllers read.

A value of another type is refused, as the real API server does. Fields that nothing here reads may have any type.
"""

import re
from typing import Any

from metahook.simulator.apiserver.schema import (
    Schema,
    is_whole_number,
    json_problem,
    list_of,
    map_of,
    object_of,
    scalar,
)
from metahook.simulator.apiserver.validation import ApiError
from metahook.protocol.plain_json import Json


_QUANTITY = re.compile(r"\+?(\d{1,30}\.?\d{0,30}|\.\d{1,30})([KMGTPE]i|[mkMGTPEun]|[eE][+-]?\d{1,2})?")


def _is_quantity(value: Any) -> bool:
    return type(value) in (int, float, str) and _QUANTITY.fullmatch(str(value)) is not None


def _is_percentage(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch(r"\d{1,9}%", value) is not None


def _one_of(*words: str) -> Schema:
    return scalar(f"one of {', '.join(words)}", lambda value: value in words)


STRING = scalar("a string", lambda value: isinstance(value, str))
STRINGS = list_of(STRING)
LABELS = map_of(STRING)
_COUNT = scalar("a whole number that is not negative", is_whole_number)
_PORT = scalar("a port, between 1 and 65535", lambda value: is_whole_number(value) and 0 < value < 2**16)
_FLAG = scalar("true or false", lambda value: isinstance(value, bool))
_AMOUNT = scalar("a quantity, such as 64Mi", _is_quantity)
_QUANTITIES = map_of(_AMOUNT)
_SHARE = scalar("a whole number, or a percentage", lambda value: is_whole_number(value) or _is_percentage(value))


IDENTITY_FIELDS = {"name": STRING, "namespace": STRING, "generateName": STRING, "labels": LABELS}
"""The metadata by which Metacontroller identifies children."""

_OWNER = object_of(
    {"apiVersion": STRING, "kind": STRING, "name": STRING, "uid": STRING, "controller": _FLAG},
    required=("kind", "name", "uid"),
)
_METADATA = object_of(
    {**IDENTITY_FIELDS, "annotations": LABELS, "finalizers": STRINGS, "ownerReferences": list_of(_OWNER)}
)
_OBJECT = object_of(
    {"apiVersion": STRING, "kind": STRING, "metadata": _METADATA}, required=("apiVersion", "kind", "metadata")
)
_CONDITIONS = list_of(
    object_of({"type": STRING, "status": STRING, "reason": STRING, "message": STRING}, required=("type",))
)
_STATUS = object_of({"conditions": _CONDITIONS})

_RESOURCE_FIELD = object_of({"divisor": _AMOUNT})
_FROM_POD = object_of({"fieldRef": object_of({}), "resourceFieldRef": _RESOURCE_FIELD})
_PROBE = object_of({"initialDelaySeconds": _COUNT, "httpGet": object_of({}), "grpc": object_of({})})
_HOOK = object_of({"httpGet": object_of({})})
_CONTAINER = object_of(
    {
        "name": STRING,
        "image": STRING,
        "ports": list_of(object_of({"containerPort": _PORT, "protocol": STRING}, required=("containerPort",))),
        "env": list_of(object_of({"name": STRING, "valueFrom": _FROM_POD}, required=("name",))),
        "volumeMounts": list_of(object_of({"name": STRING, "mountPath": STRING}, required=("name", "mountPath"))),
        "resources": object_of({"requests": _QUANTITIES, "limits": _QUANTITIES}),
        "livenessProbe": _PROBE,
        "readinessProbe": _PROBE,
        "startupProbe": _PROBE,
        "lifecycle": object_of({"postStart": _HOOK, "preStop": _HOOK}),
    },
    required=("name", "image"),
)
_SOURCE = object_of({"downwardAPI": object_of({"items": list_of(_FROM_POD)})})
_VOLUME = object_of(
    {
        "name": STRING,
        "emptyDir": object_of({"sizeLimit": _AMOUNT}),
        "configMap": object_of({}),
        "secret": object_of({}),
        "projected": object_of({"sources": list_of(_SOURCE)}),
    },
    required=("name",),
)
_POD = object_of(
    {
        "containers": list_of(_CONTAINER),
        "volumes": list_of(_VOLUME),
        "hostAliases": list_of(object_of({"ip": STRING}, required=("ip",))),
        "serviceAccountName": STRING,
        "serviceAccount": STRING,
    },
    required=("containers",),
)
_SELECTOR = object_of({"matchLabels": LABELS})
_TEMPLATE = object_of(
    {"metadata": object_of({"labels": LABELS, "annotations": LABELS}), "spec": _POD}, required=("spec",)
)
_SCALED: dict[str, Schema] = {
    "replicas": _COUNT, "minReadySeconds": _COUNT, "selector": _SELECTOR, "template": _TEMPLATE,
}  # fmt: skip
_STRATEGY = object_of(
    {
        "type": _one_of("RollingUpdate", "Recreate"),
        "rollingUpdate": object_of({"maxSurge": _SHARE, "maxUnavailable": _SHARE}),
    }
)
_DEPLOYMENT = {
    "strategy": _STRATEGY, "paused": _FLAG, "revisionHistoryLimit": _COUNT, "progressDeadlineSeconds": _COUNT,
}  # fmt: skip
_SERVICE = {
    "type": _one_of("ClusterIP", "NodePort", "LoadBalancer", "ExternalName"),
    "selector": LABELS,
    "ports": list_of(object_of({"port": _PORT, "nodePort": _PORT, "protocol": STRING}, required=("port",))),
}

_SPECS = {
    "Deployment": object_of({**_SCALED, **_DEPLOYMENT}, required=("template",)),
    "ReplicaSet": object_of(_SCALED, required=("template",)),
    "Pod": _POD,
    "Service": object_of(_SERVICE),
}


def check_json(item: Json) -> None:
    """Raise ApiError if *item*, which a user wrote, can't be sent as JSON."""
    why = json_problem(item)
    if why is not None:
        raise ApiError("BadRequest", f"the object {why}")


def check_object(item: Json) -> None:
    """Raise ApiError if *item*, which is JSON, is not a Kubernetes object with metadata of the right types."""
    _refuse(_OBJECT(item, ""))


def check_spec(item: Json) -> None:
    """Raise ApiError if the spec of *item* does not have the types of its kind."""
    shape = _SPECS.get(item["kind"])
    if shape is not None:
        _refuse(shape({} if item.get("spec") is None else item["spec"], "spec"))


def check_status(status: Any) -> None:
    """Raise ApiError if *status* does not have the types of a status."""
    _refuse(_STATUS(status, "status"))


def _refuse(why: str | None) -> None:
    if why is not None:
        raise ApiError("Invalid", why.removeprefix("."))
