"""Evaluates Pods by the Pod Security Standard "restricted", which includes "baseline".

Written from the standard's page. Fields that are not Linux' own (windowsOptions) are refused altogether.
"""

from collections.abc import Callable, Iterator
from typing import Any

Json = dict[str, Any]
Rule = Callable[[Json, Json], bool]
"""A rule for a container; its arguments are the spec of the Pod and the container."""

VOLUMES = {
    "configMap",
    "csi",
    "downwardAPI",
    "emptyDir",
    "ephemeral",
    "image",
    "name",
    "persistentVolumeClaim",
    "projected",
    "secret",
}
SYSCTLS = {
    "kernel.shm_rmid_forced",
    "net.ipv4.ip_local_port_range",
    "net.ipv4.ip_local_reserved_ports",
    "net.ipv4.ip_unprivileged_port_start",
    "net.ipv4.ping_group_range",
    "net.ipv4.tcp_fin_timeout",
    "net.ipv4.tcp_keepalive_intvl",
    "net.ipv4.tcp_keepalive_probes",
    "net.ipv4.tcp_keepalive_time",
    "net.ipv4.tcp_rmem",
    "net.ipv4.tcp_syncookies",
    "net.ipv4.tcp_wmem",
}
SELINUX_TYPES = {"", "container_t", "container_init_t", "container_kvm_t", "container_engine_t"}
PROFILES = {"RuntimeDefault", "Localhost"}


def violations(pod: Json) -> list[str]:
    """Return the names of the controls that the Pod spec *pod* violates."""
    broken = [name for name, holds in POD_RULES.items() if not holds(pod)]
    for container in _containers(pod):
        broken += [f"{name} ({container['name']})" for name, holds in RULES.items() if not holds(pod, container)]
    return broken


def _containers(pod: Json) -> Iterator[Json]:
    for kind in ("initContainers", "containers", "ephemeralContainers"):
        yield from pod.get(kind, [])


def _context(item: Json) -> Json:
    context: Json = item.get("securityContext") or {}
    return context


def _effective(pod: Json, container: Json, field: str) -> Any:
    """Return *field* of the security context of the container, or else of the Pod."""
    return _context(container).get(field, _context(pod).get(field))


def _selinux(item: Json) -> bool:
    options = _context(item).get("seLinuxOptions", {})
    return options.get("type", "") in SELINUX_TYPES and not {"user", "role"} & set(options)


def _capabilities(container: Json, verb: str) -> set[str]:
    return set(_context(container).get("capabilities", {}).get(verb, []))


def _handlers(container: Json) -> Iterator[Json]:
    lifecycle = container.get("lifecycle", {})
    found = [container.get(probe) for probe in ("livenessProbe", "readinessProbe", "startupProbe")]
    for handler in (*found, lifecycle.get("preStop"), lifecycle.get("postStart")):
        yield from (handler[kind] for kind in ("httpGet", "tcpSocket") if handler and kind in handler)


POD_RULES: dict[str, Callable[[Json], bool]] = {
    "host namespaces": lambda pod: not any(pod.get(field) for field in ("hostNetwork", "hostPID", "hostIPC")),
    "volume types": lambda pod: all(set(volume) <= VOLUMES for volume in pod.get("volumes", [])),
    "sysctls": lambda pod: {item["name"] for item in _context(pod).get("sysctls", [])} <= SYSCTLS,
    "SELinux": _selinux,
    "host process": lambda pod: "windowsOptions" not in _context(pod),
    "AppArmor": lambda pod: _context(pod).get("appArmorProfile", {"type": "RuntimeDefault"})["type"] in PROFILES,
    "running as root": lambda pod: _context(pod).get("runAsUser") != 0,
}

RULES: dict[str, Rule] = {
    "privileged": lambda _, container: not _context(container).get("privileged"),
    "privilege escalation": lambda _, container: _context(container).get("allowPrivilegeEscalation") is False,
    "capabilities dropped": lambda _, container: "ALL" in _capabilities(container, "drop"),
    "capabilities added": lambda _, container: _capabilities(container, "add") <= {"NET_BIND_SERVICE"},
    "running as non-root": lambda pod, container: _effective(pod, container, "runAsNonRoot") is True,
    "running as root": lambda _, container: _context(container).get("runAsUser") != 0,
    "seccomp": lambda pod, container: (_effective(pod, container, "seccompProfile") or {}).get("type") in PROFILES,
    "AppArmor": lambda _, box: _context(box).get("appArmorProfile", {"type": "RuntimeDefault"})["type"] in PROFILES,
    "SELinux": lambda _, container: _selinux(container),
    "proc mount": lambda _, container: _context(container).get("procMount", "Default") == "Default",
    "host ports": lambda _, container: not any(port.get("hostPort") for port in container.get("ports", [])),
    "host process": lambda _, container: "windowsOptions" not in _context(container),
    "host of probes": lambda _, container: not any(handler.get("host") for handler in _handlers(container)),
}
