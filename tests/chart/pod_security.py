"""Whether a Pod passes the Pod Security Standard "restricted", by the few fields that ours have: another is refused."""

from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]

VOLUMES = {
    *("name", "configMap", "csi", "downwardAPI", "emptyDir", "ephemeral"),
    *("persistentVolumeClaim", "projected", "secret"),
}
OF_PODS: Json = {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}
OF_CONTAINERS: Json = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}
"""What security contexts must have."""
IDS = {"runAsUser", "runAsGroup", "fsGroup"}
MAY_HAVE = IDS | {"readOnlyRootFilesystem"}


def violations(pod: Json) -> list[str]:
    """Return what is wrong with the Pod spec *pod*."""
    containers = [*pod.get("initContainers", ()), *pod["containers"]]
    return [
        *(field for field in ("hostNetwork", "hostPID", "hostIPC") if pod.get(field)),
        *(volume["name"] for volume in pod.get("volumes", ()) if not set(volume) <= VOLUMES),
        *_wrong(pod, OF_PODS),
        *(problem for container in containers for problem in _wrong(container, OF_CONTAINERS)),
        *("hostPort" for each in containers for port in each.get("ports", ()) if "hostPort" in port),
    ]


def _wrong(item: Json, needed: Json) -> Iterator[str]:
    context = item.get("securityContext", {})
    yield from (field for field, value in needed.items() if context.get(field) != value)
    yield from context.keys() - needed.keys() - MAY_HAVE
    yield from (field for field in IDS if context.get(field) == 0)
