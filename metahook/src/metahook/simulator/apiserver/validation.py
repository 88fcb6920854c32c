"""The rules by which the API server refuses an object, and increments its generation.

They are those for names, labels, keys and numbers, and for lists whose items must differ.
Source: Kubernetes 1.36, apimachinery, pkg/util/validation, and pkg/apis/core/validation.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

from metahook.protocol.request_builder import matches
from metahook.simulator.objects import Json, to_json

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


MOST_ANNOTATIONS = 256 * 1024
"""Characters in the keys and values of all annotations together."""

WITHOUT_GENERATION = {
    "CSINode", "CertificateSigningRequest", "ClusterRole", "ClusterRoleBinding", "ConfigMap", "ControllerRevision",
    "Endpoints", "Event", "HorizontalPodAutoscaler", "Lease", "LimitRange", "Namespace", "Node", "PersistentVolume",
    "PersistentVolumeClaim", "ResourceQuota", "Role", "RoleBinding", "RuntimeClass", "Secret", "Service",
    "ServiceAccount", "StorageClass", "VolumeAttachment",
}  # fmt: skip
"""The built-in kinds whose objects have no generation; Metacontroller compares their resourceVersions."""


class ApiError(Exception):
    """Raised when the API server refuses a request; *reason* is that of its Status, such as ``AlreadyExists``.

    It has one message for all that is found wrong.
    """

    def __init__(self, reason: str, *messages: str) -> None:
        super().__init__("; ".join(messages))
        self.reason = reason
        self.messages = messages


def check(new: Json, live: Json | None) -> None:
    """Raise ApiError if *new* can't be stored in place of *live*."""
    if sum(len(key) + len(value) for key, value in _annotations(new).items()) > MOST_ANNOTATIONS:
        raise ApiError("Invalid", f"metadata.annotations: Too long: must have at most {MOST_ANNOTATIONS} bytes")
    wrong = [problem for problem in (name_problem(new) if live is None else None, *naming_problems(new)) if problem]
    if wrong:
        raise ApiError("Invalid", *wrong)
    if live is not None and live.get("immutable") is True and _contents(new) != _contents(live):
        raise ApiError("Invalid", "data: Forbidden: field is immutable when `immutable` is set")
    if new["kind"] == "Service" and not new["spec"].get("ports") and not _has_no_ports(new["spec"]):
        raise ApiError("Invalid", "spec.ports: Required value")
    if new["kind"] in _SELECTING and "/" in new.get("apiVersion", ""):
        _check_selector(new.get("spec") or {}, (live or {}).get("spec") or {})
    if live is not None:
        _check_fixed(new, live)
    strategy = (new["spec"].get("strategy") or {}) if new["kind"] == "Deployment" else {}
    if strategy.get("type") == "Recreate" and "rollingUpdate" in strategy:
        raise ApiError("Invalid", "spec.strategy.rollingUpdate: may not be specified when strategy type is Recreate")


def _check_fixed(new: Json, live: Json) -> None:
    """Raise ApiError if *new* has another value than *live* where none can change."""
    for field in _FIXED.get((new.get("apiVersion", ""), new["kind"]), ()):
        old, value = ((item.get("spec") or {}).get(field) for item in (live, new))
        if None not in (old, value) and old != value:
            raise ApiError("Invalid", f"spec.{field}: field is immutable")


_FIXED = {
    ("batch/v1", "Job"): ("template",),
    ("apps/v1", "StatefulSet"): ("podManagementPolicy", "serviceName", "volumeClaimTemplates"),
    ("v1", "PersistentVolumeClaim"): ("accessModes", "storageClassName"),
}
"""Fields of a spec that never change once they are set."""

_SELECTING = {"Deployment", "ReplicaSet", "StatefulSet", "DaemonSet"}
"""Kinds whose selector never changes, and matches the labels of their template."""


def _check_selector(spec: Json, live: Json) -> None:
    selector = spec.get("selector")
    if live.get("selector") not in (None, selector):
        raise ApiError("Invalid", "spec.selector: field is immutable")
    if not selector or not any(selector.values()):
        raise ApiError("Invalid", "spec.selector: Required value")
    labels = (((spec.get("template") or {}).get("metadata") or {}).get("labels")) or {}
    if not matches(selector, labels):
        raise ApiError("Invalid", "spec.template.metadata.labels: selector does not match template labels")


def _contents(item: Json) -> list[object]:
    return [item.get(name) or {} for name in ("data", "binaryData")] + [item.get("immutable") is True]


def _has_no_ports(service: Json) -> bool:
    return bool(service["type"] == "ExternalName" or service["clusterIP"] == "None")


def check_owner(new: Json, live: Json) -> None:
    """Raise ApiError if *new* adds a second controller to *live*."""
    owners = {owner["uid"] for owner in live["metadata"].get("ownerReferences", []) if owner.get("controller")}
    if owners - {owner["uid"] for owner in new["metadata"].get("ownerReferences", [])}:
        raise ApiError("Invalid", "metadata.ownerReferences: only one reference can have controller set to true")


def is_new_generation(new: Json, live: Json) -> bool:
    """Tell whether *new* increments the generation: another spec or, for a Deployment, other annotations."""
    if "generation" not in live["metadata"]:
        return False
    if live["kind"] == "Deployment" and _annotations(live) != _annotations(new):
        return True
    return to_json(live.get("spec")) != to_json(new.get("spec"))


def _annotations(item: Json) -> Json:
    return item["metadata"].get("annotations") or {}
