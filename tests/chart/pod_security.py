"""Whether a Pod passes the Pod Security Standard "restricted", by the few fields that ours have: another is refused."""

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
    found = [
        *(field for field in ("hostNetwork", "hostPID", "hostIPC") if pod.get(field)),
        *(volume["name"] for volume in pod.get("volumes", ()) if not set(volume) <= VOLUMES),
        *("hostPort" for each in containers for port in each.get("ports", ()) if "hostPort" in port),
    ]
    for needed, item in ((OF_PODS, pod), *((OF_CONTAINERS, container) for container in containers)):
        context = item.get("securityContext", {})
        found += [field for field in {*needed, *context} - MAY_HAVE if context.get(field) != needed.get(field)]
        found += [field for field in IDS if context.get(field) == 0]
    return found
