"""What the API server refuses, and what it counts as another generation."""

import re

from metahook.simulator.objects import Json, text

MOST_ANNOTATIONS = 256 * 1024
"""Characters, keys and values of all annotations together."""

_NAME = re.compile(r"[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?")

WITHOUT_GENERATION = {"Service", "ConfigMap", "Secret", "Pod", "HorizontalPodAutoscaler"}


class Refused(Exception):
    """Raised when a request is refused: *reason* is the API server's word, such as ``AlreadyExists``."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


def check(new: Json, live: Json | None) -> None:
    """Raise Refused if *new* can't be stored in place of *live*."""
    if sum(len(key) + len(value) for key, value in _annotations(new).items()) > MOST_ANNOTATIONS:
        raise Refused("Invalid", f"metadata.annotations: Too long: must have at most {MOST_ANNOTATIONS} bytes")
    if live is None and not _NAME.fullmatch(new["metadata"]["name"]):
        raise Refused("Invalid", "metadata.name: must be lower case letters, digits, '-' and '.'")
    if live is not None and live.get("immutable") is True and _contents(new) != _contents(live):
        raise Refused("Invalid", "data: Forbidden: field is immutable when `immutable` is set")
    if new["kind"] == "Service" and not new["spec"]["ports"] and not _has_no_ports(new["spec"]):
        raise Refused("Invalid", "spec.ports: Required value")
    if new["kind"] != "Deployment":
        return
    selector = new["spec"].get("selector")
    if live is not None and live.get("spec", {}).get("selector") not in (None, selector):
        raise Refused("Invalid", "spec.selector: field is immutable")
    asked = (selector or {}).get("matchLabels", {})
    given = new["spec"].get("template", {}).get("metadata", {}).get("labels", {})
    if not asked.items() <= given.items():
        raise Refused("Invalid", "spec.template.metadata.labels: selector does not match template labels")
    strategy = new["spec"].get("strategy", {})
    if strategy.get("type") == "Recreate" and "rollingUpdate" in strategy:
        raise Refused("Invalid", "spec.strategy.rollingUpdate: may not be specified when strategy type is Recreate")


def _contents(item: Json) -> list[object]:
    return [item.get(name) or {} for name in ("data", "binaryData")] + [item.get("immutable") is True]


def _has_no_ports(service: Json) -> bool:
    return bool(service["type"] == "ExternalName" or service["clusterIP"] == "None")


def check_owner(new: Json, live: Json) -> None:
    """Raise Refused if *new* would be the second controller of *live*."""
    owners = {owner["uid"] for owner in live["metadata"].get("ownerReferences", []) if owner.get("controller")}
    if owners - {owner["uid"] for owner in new["metadata"].get("ownerReferences", [])}:
        raise Refused("Invalid", "metadata.ownerReferences: only one reference can have controller set to true")


def moved(new: Json, live: Json) -> bool:
    """Tell whether *new* is another generation: another spec, or for a Deployment also other annotations."""
    if "generation" not in live["metadata"]:
        return False
    if live["kind"] == "Deployment" and _annotations(live) != _annotations(new):
        return True
    return text(live.get("spec")) != text(new.get("spec"))


def _annotations(item: Json) -> Json:
    return item["metadata"].get("annotations") or {}
