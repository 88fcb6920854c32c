"""Every list and map of a spec, as full as its bounds allow, of strings as long as theirs."""

from typing import Any

from app.api.scaling import DAYS
from tests.api.apiserver import SCHEMA, nodes
from tests.requests.builders import Json

NODES = {node.path: node.schema for node in nodes(SCHEMA)}
BOUNDED = {
    path: schema.get("maxItems", schema.get("maxProperties"))
    for path, schema in NODES.items()
    if path.startswith("spec.") and (schema.get("type") == "array" or "additionalProperties" in schema)
}
"""The paths of all lists and maps, with their bounds."""

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def word(index: int, length: int) -> str:
    """Return a name of exactly *length* letters, another one for each *index*."""
    return f"a{index:03}".ljust(length, "x")


def key(index: int) -> str:
    """Return a label key as long as can be."""
    return ".".join(["p" * 63, "r" * 63, "e" * 61]) + f"/{word(index, 63)}"


def address(index: int) -> str:
    """Return an IP address as long as can be."""
    return f"2001:0db8:0000:0000:0000:{index:04}:198.151.100.100"


LABELS = {key(index): word(index, 63) for index in range(64)}
ANNOTATIONS = {key(index): word(index, 1024) for index in range(64)}
AMOUNTS = {key(index): "9" * 15 for index in range(16)}
VALUES = [word(index, 63) for index in range(64)]
EXPRESSIONS = [{"key": key(index), "operator": "In", "values": VALUES} for index in range(16)]
POD_TERM = {"topologyKey": key(0), "labelSelector": {"matchExpressions": EXPRESSIONS[:1]}}
ITEMS = [{"key": word(index, 253), "path": word(index, 1024), "mode": 511} for index in range(64)]
FIELD = {"fieldPath": f"metadata.annotations['{key(0)}']"}
FILES = [{"path": word(index, 1024), "fieldRef": FIELD} for index in range(64)]
VOLUMES = [{"name": word(index, 63), "secret": {"secretName": word(index, 253)}} for index in range(32)]
REF = {"name": word(0, 253), "key": word(0, 253)}

FULL: dict[str, Any] = {
    "resources.limits": AMOUNTS,
    "exec.command": [word(index, 4096) for index in range(64)],
    "spec.command": [word(index, 8192) for index in range(256)],
    "args": [word(index, 8192) for index in range(256)],
    "env": [
        {"name": word(index, 253), **({"value": "x" * 65536} if index == 0 else {"valueFrom": {"secretKeyRef": REF}})}
        for index in range(256)
    ],
    "envFrom": [{"prefix": word(index, 253), "secretRef": {"name": word(index, 253)}} for index in range(32)],
    "ports": [{"name": word(index, 15), "containerPort": 65535 - index} for index in range(32)],
    "capabilities.add": ["NET_BIND_SERVICE"],
    "httpHeaders": [{"name": word(index, 128), "value": word(index, 1024)} for index in range(16)],
    "dependencies": [
        {
            "apiVersion": f"{word(index, 250)}/v1",
            "resource": word(index, 63),
            "name": word(index, 253),
            "condition": word(index, 316),
        }
        for index in range(16)
    ],
    "nameservers": [address(index) for index in range(3)],
    "searches": [word(index, 63) for index in range(32)],
    "dnsConfig.options": [{"name": word(index, 63), "value": "9" * 9} for index in range(16)],
    "hostAliases": [{"ip": address(index), "hostnames": [word(index, 253)]} for index in range(32)],
    "hostnames": [word(index, 253) for index in range(32)],
    "initContainers": [{"name": word(index, 63), "image": word(index, 512)} for index in range(8)],
    "imagePullSecrets": [{"name": word(index, 253)} for index in range(16)],
    "volumes": VOLUMES,
    "downwardAPI.items": FILES,
    "items": ITEMS,
    "sources": [{"secret": {"name": word(index, 253), "items": ITEMS[8 * index :][:8]}} for index in range(8)],
    "propagate.labels": [key(index) for index in range(16)],
    "propagate.annotations": [key(index) for index in range(16)],
    "annotations": ANNOTATIONS,
    "nodeSelector": LABELS,
    "labels": LABELS,
    "matchLabels": LABELS,
    "tolerations": [{"key": key(index), "value": word(index, 63)} for index in range(32)],
    "nodeSelectorTerms": [{"matchExpressions": [EXPRESSIONS[index]]} for index in range(16)],
    f"nodeAffinity.{PREFERRED}": [
        {"weight": 100, "preference": {"matchExpressions": [EXPRESSIONS[index]]}} for index in range(16)
    ],
    REQUIRED: [POD_TERM] * 16,
    PREFERRED: [{"weight": 100, "podAffinityTerm": POD_TERM}] * 16,
    "matchExpressions": EXPRESSIONS,
    "values": VALUES,
    "sleep": [
        {"days": [*DAYS], "from": f"{index:02}:00", "to": f"{index:02}:59", "replicas": 1000} for index in range(16)
    ],
    "days": [*DAYS],
    "except": [f"2026-{1 + index // 28:02}-{1 + index % 28:02}" for index in range(64)],
    "topologySpreadConstraints": [
        {
            "maxSkew": 1,
            "topologyKey": key(index),
            "whenUnsatisfiable": "DoNotSchedule",
            "labelSelector": {"matchLabels": LABELS},
        }
        for index in range(8)
    ],
}
"""The first entry that a path ends in is the one for it."""

TOGETHER: dict[str, Json] = {
    "spec.resources.requests": {"resources": {"requests": AMOUNTS, "limits": AMOUNTS}},
    **{
        f"spec.autoscaling.behavior.{direction}.policies": {
            "autoscaling": {
                "maxReplicas": 1000,
                "targetMemoryUtilizationPercentage": 10000,
                "behavior": {
                    direction: {"policies": [{"type": "Percent", "value": 100000, "periodSeconds": 1800}] * 8}
                },
            }
        }
        for direction in ("scaleUp", "scaleDown")
    },
    "spec.volumeMounts": {
        "volumes": VOLUMES,
        "volumeMounts": [
            {"name": word(index % 32, 63), "mountPath": f"/{word(index, 1023)}", "subPath": word(index, 1024)}
            for index in range(64)
        ],
    },
}
"""Those that need another list."""

INIT = "spec.initContainers[]."

BESIDE: Json = {
    "name": "a",
    "secretName": "a",
    "ip": "192.0.2.1",
    "port": 80,
    "key": "a",
    "operator": "In",
    "weight": 1,
    "maxSkew": 1,
    "topologyKey": "a",
    "whenUnsatisfiable": "DoNotSchedule",
    "sleep": [{"days": ["Mon"], "from": "19:00", "to": "07:00"}],
    "from": "19:00",
    "to": "07:00",
}
"""What an object on the way to a list needs beside it."""


def filled(path: str) -> Json:
    """Return fields of a spec whose list or map at *path* is full."""
    if path.startswith(INIT):
        return _in_init_container(filled(path.replace(INIT, "spec.")))
    if path in TOGETHER:
        return TOGETHER[path]
    value = next(value for end, value in FULL.items() if f".{path}".endswith(f".{end}"))
    steps = path.split(".")
    for depth in range(len(steps) - 1, 0, -1):
        above = NODES[".".join(steps[:depth])] if depth > 1 else {}
        step = steps[depth]
        inner = {step.removesuffix("[]"): [value] if step.endswith("[]") else value}
        value = {name: BESIDE[name] for name in above.get("required", []) if name not in inner} | inner
    return dict(value)


def _in_init_container(fields: Json) -> Json:
    """Return *fields* of a spec with those of a container in a sidecar instead."""
    inside = {name: value for name, value in fields.items() if f"{INIT}{name}" in NODES}
    beside = {name: value for name, value in fields.items() if name not in inside}
    return {"initContainers": [{"name": "a", "image": "a", "restartPolicy": "Always", **inside}], **beside}
