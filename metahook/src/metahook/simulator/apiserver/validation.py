"""The rules by which the API server refuses an object, and increments its generation."""

from metahook.protocol.request_builder import matches
from metahook.simulator.apiserver.names import name_problem, naming_problems
from metahook.simulator.objects import Json, to_json

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
