"""The Deployment and the status of a MyResource, for both operators with kopf."""

import time
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

GROUP, VERSION, PLURAL = "mygroup.example.com", "v1alpha1", "myresources"
MANAGED_BY = {"app.kubernetes.io/managed-by": "myresource-operator"}
GENERATION = f"{GROUP}/generation"

Json = dict[str, Any]


def deployment_of(resource: Mapping[str, Any]) -> Json:
    """Return the Deployment that *resource* asks for, without what ``kopf.adopt`` adds."""
    name, spec = resource["metadata"]["name"], resource["spec"]
    labels = {"myresource": name, "app.kubernetes.io/instance": name, "app.kubernetes.io/name": name, **MANAGED_BY}
    memory = {"memory": spec["memory"]}
    container = {"name": "main", "image": spec["image"], "resources": {"requests": memory, "limits": memory}}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": f"{name}-deployment", "labels": labels},
        "spec": {
            "replicas": spec["replicas"],
            "selector": {"matchLabels": {"myresource": name}},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
        },
    }


def owner_of(meta: Mapping[str, Any]) -> str | None:
    """Return the name of the MyResource that owns an object."""
    owners: Iterable[Json] = meta.get("ownerReferences", ())
    return next((each["name"] for each in owners if each["kind"] == "MyResource" and each.get("controller")), None)


def differs(desired: Json, observed: Mapping[str, Any]) -> bool:
    """Tell whether *observed* lacks labels, annotations or owners of *desired*, or has another spec."""
    return not _has(observed["metadata"], desired["metadata"]) or not _has(observed["spec"], desired["spec"])


def _has(observed: Any, desired: Any) -> bool:
    if isinstance(desired, dict):
        return isinstance(observed, Mapping) and all(
            field in observed
            and (_bytes(observed[field]) == _bytes(value) if field == "memory" else _has(observed[field], value))
            for field, value in desired.items()
        )
    if isinstance(desired, list):
        return len(observed) == len(desired) and all(map(_has, observed, desired))
    return bool(observed == desired)


_UNITS: dict[str, int] = {"": 1} | {f"{unit}i": 2 ** (10 * power) for power, unit in enumerate("KMGTPE", 1)}
_UNITS |= {unit: 10 ** (3 * power) for power, unit in enumerate("kMGTPE", 1)}


def _bytes(quantity: int | str) -> Decimal:
    number = str(quantity).rstrip("kKMGTPEi")
    return Decimal(number) * _UNITS[str(quantity)[len(number) :]]


def status_of(resource: Mapping[str, Any], deployment: Mapping[str, Any]) -> Json:
    """Return the status that *resource* gets from its *deployment*, which has all that it asks for."""
    name, generation = resource["metadata"]["name"], resource["metadata"]["generation"]
    replicas, observed = deployment["spec"]["replicas"], deployment.get("status", {})
    counts = {observed.get(field, 0) for field in ("replicas", "updatedReplicas", "availableReplicas")}
    ready, reason, message = "False", "RollingOut", "The Deployment is starting or replacing Pods."
    if observed.get("observedGeneration", 0) < deployment["metadata"]["generation"]:
        reason, message = "Building", "The Deployment controller has not observed the Deployment yet."
    elif counts == {replicas}:
        ready, reason, message = "True", "Available", "All Pods are updated and available."
    previous: list[Json] = resource.get("status", {}).get("conditions", [])
    since = next(
        (each["lastTransitionTime"] for each in previous if (each["type"], each["status"]) == ("Ready", ready)), None
    )
    return {
        "observedGeneration": generation,
        "state": "Ready" if ready == "True" else "Building",
        "conditions": [
            {
                "type": "Ready",
                "status": ready,
                "reason": reason,
                "message": message,
                "observedGeneration": generation,
                "lastTransitionTime": since or time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            }
        ],
        "replicas": min(observed.get("replicas", 0), replicas),
        "selector": f"myresource={name}",
    }
