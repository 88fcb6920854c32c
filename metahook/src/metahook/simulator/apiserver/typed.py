"""Which fields are of which type: of any object's metadata, and of the specs that controllers read.

What is of another type is refused, as by the real one; fields that nobody here reads may be anything.
"""

import re
from typing import Any

from metahook.simulator.apiserver.rules import Refused
from metahook.simulator.apiserver.shape import Shape, entries, fields, items, leaf, not_json, whole

Json = dict[str, Any]

_QUANTITY = re.compile(r"\+?(\d{1,30}\.?\d{0,30}|\.\d{1,30})([KMGTPE]i|[mkMGTPEun]|[eE][+-]?\d{1,2})?")


def _is_quantity(value: Any) -> bool:
    return type(value) in (int, float, str) and _QUANTITY.fullmatch(str(value)) is not None


def _is_percentage(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch(r"\d{1,9}%", value) is not None


def _one_of(*words: str) -> Shape:
    return leaf(f"one of {', '.join(words)}", lambda value: value in words)


TEXT = leaf("a string", lambda value: isinstance(value, str))
TEXTS = items(TEXT)
LABELS = entries(TEXT)
_COUNT = leaf("a whole number that is not negative", whole)
_PORT = leaf("a port, between 1 and 65535", lambda value: whole(value) and 0 < value < 2**16)
_FLAG = leaf("true or false", lambda value: isinstance(value, bool))
_AMOUNT = leaf("a quantity, such as 64Mi", _is_quantity)
_QUANTITIES = entries(_AMOUNT)
_SHARE = leaf("a whole number, or a percentage", lambda value: whole(value) or _is_percentage(value))


NAMES = {"name": TEXT, "namespace": TEXT, "generateName": TEXT, "labels": LABELS}
"""The metadata by which Metacontroller tells children apart."""

_OWNER = fields(
    {"apiVersion": TEXT, "kind": TEXT, "name": TEXT, "uid": TEXT, "controller": _FLAG}, required=("kind", "name", "uid")
)
_METADATA = fields({**NAMES, "annotations": LABELS, "finalizers": TEXTS, "ownerReferences": items(_OWNER)})
_OBJECT = fields({"apiVersion": TEXT, "kind": TEXT, "metadata": _METADATA}, required=("apiVersion", "kind", "metadata"))
_CONDITIONS = items(fields({"type": TEXT, "status": TEXT, "reason": TEXT, "message": TEXT}, required=("type",)))
_STATUS = fields({"conditions": _CONDITIONS})

_RESOURCE_FIELD = fields({"divisor": _AMOUNT})
_FROM_POD = fields({"fieldRef": fields({}), "resourceFieldRef": _RESOURCE_FIELD})
_PROBE = fields({"initialDelaySeconds": _COUNT, "httpGet": fields({}), "grpc": fields({})})
_CONTAINER = fields(
    {
        "name": TEXT,
        "image": TEXT,
        "ports": items(fields({"containerPort": _PORT, "protocol": TEXT}, required=("containerPort",))),
        "env": items(fields({"name": TEXT, "valueFrom": _FROM_POD}, required=("name",))),
        "volumeMounts": items(fields({"name": TEXT, "mountPath": TEXT}, required=("name", "mountPath"))),
        "resources": fields({"requests": _QUANTITIES, "limits": _QUANTITIES}),
        "livenessProbe": _PROBE,
        "readinessProbe": _PROBE,
        "startupProbe": _PROBE,
    },
    required=("name", "image"),
)
_SOURCE = fields({"downwardAPI": fields({"items": items(_FROM_POD)})})
_VOLUME = fields(
    {
        "name": TEXT,
        "emptyDir": fields({"sizeLimit": _AMOUNT}),
        "configMap": fields({}),
        "secret": fields({}),
        "projected": fields({"sources": items(_SOURCE)}),
    },
    required=("name",),
)
_POD = fields(
    {"containers": items(_CONTAINER), "volumes": items(_VOLUME), "serviceAccountName": TEXT, "serviceAccount": TEXT},
    required=("containers",),
)
_SELECTOR = fields({"matchLabels": LABELS})
_TEMPLATE = fields({"metadata": fields({"labels": LABELS, "annotations": LABELS}), "spec": _POD}, required=("spec",))
_SCALED: dict[str, Shape] = {
    "replicas": _COUNT, "minReadySeconds": _COUNT, "selector": _SELECTOR, "template": _TEMPLATE,
}  # fmt: skip
_STRATEGY = fields(
    {
        "type": _one_of("RollingUpdate", "Recreate"),
        "rollingUpdate": fields({"maxSurge": _SHARE, "maxUnavailable": _SHARE}),
    }
)
_DEPLOYMENT = {
    "strategy": _STRATEGY, "paused": _FLAG, "revisionHistoryLimit": _COUNT, "progressDeadlineSeconds": _COUNT,
}  # fmt: skip
_SERVICE = {
    "type": _one_of("ClusterIP", "NodePort", "LoadBalancer", "ExternalName"),
    "selector": LABELS,
    "ports": items(fields({"port": _PORT, "nodePort": _PORT, "protocol": TEXT}, required=("port",))),
}

_SPECS = {
    "Deployment": fields({**_SCALED, **_DEPLOYMENT}, required=("template",)),
    "ReplicaSet": fields(_SCALED, required=("template",)),
    "Pod": _POD,
    "Service": fields(_SERVICE),
}


def check_json(item: Json) -> None:
    """Raise Refused if *item*, which somebody wrote by hand, is nothing that could be sent."""
    why = not_json(item)
    if why is not None:
        raise Refused("BadRequest", f"the object {why}")


def check_object(item: Json) -> None:
    """Raise Refused if *item*, which is JSON, is no object whose metadata can be read."""
    _refuse(_OBJECT(item, ""))


def check_spec(item: Json) -> None:
    """Raise Refused if the spec of *item* is not of its kind's types."""
    shape = _SPECS.get(item["kind"])
    if shape is not None:
        _refuse(shape({} if item.get("spec") is None else item["spec"], "spec"))


def check_status(status: Any) -> None:
    """Raise Refused if *status* can't be read."""
    _refuse(_STATUS(status, "status"))


def _refuse(why: str | None) -> None:
    if why is not None:
        raise Refused("Invalid", why.removeprefix("."))
