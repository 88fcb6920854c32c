"""The names, labels, keys and numbers that an API server accepts, and lists whose items must differ.

Source: Kubernetes 1.36, apimachinery, pkg/util/validation, and pkg/apis/core/validation.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

from metahook.simulator.objects import Json

_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
_SUBDOMAIN = re.compile(r"(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_SEGMENT = re.compile(r"(?!\.\.?$)[^/%]+")
_VALUE = re.compile(r"([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?")
_DATA_KEY = re.compile(r"(?!\.\.?$|\.\.)[-._a-zA-Z0-9]{1,253}")

_PERCENTAGE = re.compile(r"\d{1,9}%")

_COUNTS = ("replicas", "minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds")
"""Fields of the spec of a Deployment or ReplicaSet that are not negative."""

_HIGHEST_PORT = 65535

_NAMES = {
    "Namespace": (_LABEL, "lower case letters, digits and '-', at most 63"),
    "Service": (_LABEL, "lower case letters, digits and '-', at most 63"),
    **dict.fromkeys(
        ("Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding"), (_SEGMENT, "without '/' and '%', not '.' or '..'")
    ),
    "StatefulSet": (_LABEL, "lower case letters, digits and '-', at most 63"),
    "PodDisruptionBudget": (re.compile(".+"), "at least one character"),
}
"""By kind; the names of all others are subdomains."""
_ANY_NAME = (_SUBDOMAIN, "lower case letters, digits, '-' and '.'")


def name_problem(item: Json) -> str | None:
    """Return what is wrong with the name of *item*, or None."""
    pattern, words = _NAMES.get(item["kind"], _ANY_NAME)
    return None if pattern.fullmatch(item["metadata"]["name"]) else f"metadata.name: must be {words}"


def naming_problems(item: Json) -> Iterator[str]:
    """Yield the path of each name, key or number of *item* that is invalid or not unique, and why."""
    metadata = item["metadata"]
    if not _LABEL.fullmatch(metadata.get("namespace") or "default"):
        yield "metadata.namespace: must be lower case letters, digits and '-', at most 63"
    for key in metadata.get("finalizers") or ():
        yield from _key_problems(key, "metadata.finalizers")
    for field in ("labels", "annotations"):
        for key, value in (metadata.get(field) or {}).items():
            yield from _key_problems(key, f"metadata.{field}")
            if field == "labels" and not _VALUE.fullmatch(value or ""):
                yield f"metadata.labels: {key}: must be letters, digits, '-', '_' and '.', at most 63"
    kind = item.get("apiVersion"), item["kind"]
    if kind in _PROBLEMS:
        yield from _PROBLEMS[kind](item)
    if (pod := _pod_of(item)) is not None:
        yield from _pod_problems(pod)
        if item["kind"] != "StatefulSet":  # its volumes are claims, too
            yield from _mount_problems(pod)


def _key_problems(key: str, path: str) -> Iterator[str]:
    prefix, slash, name = key.rpartition("/")
    has_prefix = _SUBDOMAIN.fullmatch(prefix.lower() if path.endswith("annotations") else prefix)
    if not name or not _VALUE.fullmatch(name) or (slash and not has_prefix):
        yield f"{path}: {key}: must be a name of letters, digits, '-', '_' and '.', with or without a prefix and '/'"


def _data_problems(item: Json) -> Iterator[str]:
    for field in ("data", "binaryData", "stringData"):
        if not all(map(_DATA_KEY.fullmatch, item.get(field) or ())):
            yield f"{field}: a key must be letters, digits, '-', '_' and '.'"


def _scaled_problems(item: Json) -> Iterator[str]:
    spec = item.get("spec") or {}
    yield from (f"spec.{field}: must be 0 or more" for field in _COUNTS if (spec.get(field) or 0) < 0)
    for field, share in ((spec.get("strategy") or {}).get("rollingUpdate") or {}).items():
        if not (_PERCENTAGE.fullmatch(share) if isinstance(share, str) else share >= 0):
            yield f"spec.strategy.rollingUpdate.{field}: must be a whole number, or a percentage"


def _port_problems(ports: list[Json], field: str, path: str) -> Iterator[str]:
    if not all(0 < port.get(field, 1) <= _HIGHEST_PORT for port in ports):
        yield f"{path}: {field}: must be a port, between 1 and {_HIGHEST_PORT}"


def _service_problems(item: Json) -> Iterator[str]:
    ports = (item.get("spec") or {}).get("ports") or []
    for field in ("port", "nodePort"):
        yield from _port_problems(ports, field, "spec.ports")
    names = [port.get("name") for port in ports]
    if len(ports) > 1 and None in names:
        yield "spec.ports: each of several ports must have a name"
    yield from _repeated(names, "spec.ports", "name")
    yield from _repeated([(port["port"], port.get("protocol") or "TCP") for port in ports], "spec.ports", "port")


_PROBLEMS: dict[tuple[object, str], Callable[[Json], Iterator[str]]] = {
    ("v1", "ConfigMap"): _data_problems,
    ("v1", "Secret"): _data_problems,
    ("v1", "Service"): _service_problems,
    ("apps/v1", "Deployment"): _scaled_problems,
    ("apps/v1", "ReplicaSet"): _scaled_problems,
}


def _pod_of(item: Json) -> Json | None:
    """Return the spec of the Pods that *item* creates, or of itself; None if it has no Pods."""
    spec = item.get("spec")
    path = _PODS.get(item["kind"])
    for field in path or ():
        spec = (spec or {}).get(field)
    return spec if path is not None and isinstance(spec, dict) else None


_PODS: dict[str, tuple[str, ...]] = {
    "Pod": (),
    **dict.fromkeys(("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job"), ("template", "spec")),
    "CronJob": ("jobTemplate", "spec", "template", "spec"),
}


def _pod_problems(pod: Json) -> Iterator[str]:
    containers = [item for field in ("initContainers", "containers") for item in pod.get(field) or []]
    yield from _repeated([item.get("name") for item in containers], "containers", "name")
    yield from _repeated([item.get("name") for item in pod.get("volumes") or []], "volumes", "name")
    for container in containers:
        if not container.get("image"):
            yield "containers: image: Required value"
        yield from _port_problems(container.get("ports") or [], "containerPort", "ports")
        for name, amount in ((container.get("resources") or {}).get("requests") or {}).items():
            if str(amount).startswith("-"):
                yield f"resources.requests: {name}: must be 0 or more"
        yield from _repeated(
            [item.get("mountPath") for item in container.get("volumeMounts") or []], "volumeMounts", "mountPath"
        )
        yield from _repeated([item.get("name") for item in container.get("ports") or []], "ports", "name")


def _mount_problems(pod: Json) -> Iterator[str]:
    volumes = {volume.get("name") for volume in pod.get("volumes") or []}
    for container in (*(pod.get("initContainers") or ()), *(pod.get("containers") or ())):
        for mount in container.get("volumeMounts") or []:
            if mount.get("name") not in volumes:
                yield f"volumeMounts: name: Not found: {mount.get('name')} is no volume of the Pod"


def _repeated(values: list[Any], path: str, field: str) -> Iterator[str]:
    given = [value for value in values if value is not None]
    if len(set(given)) < len(given):
        yield f"{path}: Duplicate value: two have the same {field}"
