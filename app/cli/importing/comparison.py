"""What to say of an import: how the Deployment that the operator makes is not as the given one, and why.

Both are compared as an API server stores them, and in one form for one meaning. What is lost has a reason: that of the
leaf that the spec could not have, or else the one of the operator's own template.
"""

from collections.abc import Iterable, Iterator
from enum import Enum

import msgspec

from app import Json
from app.cli.importing.kubernetes import (
    ABSENT,
    OF_CONTAINERS,
    Difference,
    Path,
    differences,
    fields_of,
    format_path,
    kept_annotations,
    quantity,
)
from app.cli.importing.translation import DEFAULT_MEMORY, POD, Leaf

_LOAD_BALANCER = "service.kubernetes.io/load-balancer-cleanup"
"""The finalizer that the controller of load balancers sets."""

_NODE = "it opens the node to the Pod"
_TOKEN = "no token of a ServiceAccount is mounted"  # noqa: S105 - it is a sentence
_REASONS = {
    "containers.ports.hostPort": f"{_NODE}; a Service reaches the Pods on each node",
    "containers.ports.hostIP": f"{_NODE}; a Service reaches the Pods on each node",
    "volumes.hostPath": f"{_NODE}; use a PersistentVolumeClaim",
    "hostNetwork": _NODE,
    "hostPID": _NODE,
    "hostIPC": _NODE,
    "containers.securityContext.privileged": _NODE,
    "containers.securityContext.allowPrivilegeEscalation": (
        "no process of a MyResource can get more privileges than its parent"
    ),
    "containers.securityContext.capabilities.add": "the only capability that a MyResource can add is NET_BIND_SERVICE",
    "containers.securityContext.capabilities.drop": (
        "it needs securityProfile Restricted, with which no container runs as root"
    ),
    "containers.securityContext.runAsNonRoot": "it needs securityProfile Restricted, which all containers have or none",
    "containers.securityContext.runAsUser": "all containers have the same user, and it is not root",
    "containers.securityContext.runAsGroup": "all containers have the same group, and it is not root",
    "containers.securityContext.seccompProfile": "the seccomp profile is RuntimeDefault",
    "automountServiceAccountToken": _TOKEN,
    "volumes.projected.sources.serviceAccountToken": _TOKEN,
    "dnsPolicy": "the policy of a MyResource is ClusterFirst, to which dnsConfig adds",
    "restartPolicy": "a Deployment only allows Always",
}
"""Why a MyResource can't have a field, by the names of the fields that lead to it; those of Pods without theirs."""

_LABELS = "the Pods have the labels myresource and app.kubernetes.io/instance, managed-by and name"
_ALWAYS = {
    "containers.securityContext.seccompProfile": "the seccomp profile is RuntimeDefault",
    "containers.securityContext.allowPrivilegeEscalation": "no process can get more privileges than its parent",
    "automountServiceAccountToken": "no token of the ServiceAccount is mounted",
}
_CHANGED = {
    "containers.securityContext.runAsNonRoot": (
        "the container must not run as root, as securityProfile Restricted asks"
    ),
    "containers.securityContext.capabilities.drop": (
        "the container has no capabilities, as securityProfile Restricted asks"
    ),
}
"""What a MyResource adds, to all Pods or to some."""


class Weight(Enum):
    """How much a difference matters."""

    ALWAYS = 0
    """Every MyResource has it."""
    CHANGED = 1
    """The MyResource has a value that the given object does not have."""
    LOST = 2
    """The given object has something that the MyResource can't have."""


class Report(msgspec.Struct):
    """What to say about an import: sentences by weight."""

    said: dict[Weight, list[str]] = msgspec.field(default_factory=lambda: {weight: [] for weight in Weight})

    def say(self, weight: Weight, sentence: str) -> None:
        if sentence not in self.said[weight]:
            self.said[weight].append(sentence)


def compare(report: Report, given: Json, made: Json, lost: list[Leaf], own: Json) -> None:
    """Say in *report* how the effective Deployment *made* is not as the *given* one.

    *lost* are the leaves that the spec can't have; *own* is the given spec before it became effective.
    """
    for found in differences(given, made, "#apps.v1.DeploymentSpec"):
        path = _origin(found.path, own)
        leaves = [leaf for leaf in lost if not leaf.subject and any(_meets(path, each) for each in leaf.paths)]
        for leaf in leaves:
            report.say(Weight.LOST, sentence(leaf, found))
        if not leaves:
            _say(report, path, found, given)
    made_containers = {each["name"]: each for each in made["template"]["spec"]["containers"]}
    for container in given["template"]["spec"]["containers"]:
        if container["name"] in made_containers:
            path = (*POD, "containers", f"[{container['name']}]")
            _say_memory(report, path, container, made_containers[container["name"]])


def _origin(path: Path, own: Json) -> Path:
    """Return *path*, or that of the field of the Pod from which a container has it."""
    if len(path) > 6 and path[5] == "securityContext" and path[6] in OF_CONTAINERS:  # noqa: PLR2004 - in spec.template.spec.containers[x]
        pod = own["template"]["spec"]
        container: Json = next((each for each in pod[path[3]] if f"[{each['name']}]" == path[4]), {})
        is_of_pod = path[6] in pod.get("securityContext", {}) and path[6] not in container.get("securityContext", {})
        return (*POD, *path[5:]) if is_of_pod else path
    return path


def _meets(path: Path, other: Path) -> bool:
    shorter = min(len(path), len(other))
    return path[:shorter] == other[:shorter]


def sentence(leaf: Leaf, found: Difference | None = None) -> str:
    """Return the sentence for a *leaf* that is lost, which makes the difference *found*."""
    reason = _REASONS.get(_key(leaf.paths[-1]), leaf.reason)
    if leaf.place == ("progressDeadlineSeconds",):
        reason = f"{reason}: there is no value for never"
    elif leaf.paths[0][2:4] == ("metadata", "labels"):
        reason = f"{reason}; other objects may select Pods by this label"
    if found and found.path == leaf.paths[0] and isinstance(found.made, int | str):
        reason = f"{reason}; {in_words(found.made)} applies instead"
    return f"{format_path(leaf.paths[0])}: {reason}"


def in_words(value: object) -> str:
    """Return *value* as YAML has it, in one line."""
    return value if isinstance(value, str) and value else msgspec.json.encode(value).decode()


def _key(path: Path) -> str:
    """Return the key of *path* in the tables: the fields that lead to it, in a Pod if it is in one."""
    if path[:4] == (*POD, "securityContext") and path[4:5] and path[4] in OF_CONTAINERS:
        path = (*POD, "containers", *path[3:])
    return fields_of(path).removeprefix("spec.template.spec.").replace("initContainers", "containers")


def _reason(path: Path) -> str:
    steps = _key(path).split(".")
    keys = (".".join(steps[: count + 1]) for count in reversed(range(len(steps))))
    return next((_REASONS[key] for key in keys if key in _REASONS), "a MyResource has no field for it")


def _say(report: Report, path: Path, found: Difference, given: Json) -> None:
    key = _key(path)
    if found.is_added and key.startswith("spec.template.metadata.labels"):
        report.say(Weight.ALWAYS, _LABELS)
    elif found.is_added and key in _ALWAYS:
        account = given["template"]["spec"].get("serviceAccountName")
        if account and key == "automountServiceAccountToken":
            report.say(Weight.CHANGED, f"no token of ServiceAccount {account} is mounted")
        else:
            report.say(Weight.ALWAYS, _ALWAYS[key])
    elif key in _CHANGED and (found.is_added or found.made == ["ALL"]):
        report.say(Weight.CHANGED, f"{format_path(path[: path.index('securityContext')])}: {_CHANGED[key]}")
    elif key.startswith("containers.resources") and found.is_added:
        return  # there is a sentence for it
    elif found.is_added:
        report.say(Weight.CHANGED, f"{format_path(path)} is {in_words(found.made)}")
    else:
        report.say(Weight.LOST, f"{format_path(path)}: {_reason(path)}")


def _say_memory(report: Report, path: Path, given: Json, made: Json) -> None:
    """Say which limit of memory the container *made* has, if it is not that of the *given* one."""
    limits = [each.get("resources", {}).get("limits", {}).get("memory", ABSENT) for each in (given, made)]
    if limits[0] == limits[1]:
        return
    if limits[1] == quantity(DEFAULT_MEMORY):
        what = f"the memory request and limit default to {DEFAULT_MEMORY}: set memory to the most that it needs"
    else:
        what = "it has no limit of memory" if limits[1] is ABSENT else f"the limit of memory is {limits[1]}"
    report.say(Weight.CHANGED, f"{format_path(path)}: {what}")


def metadata_losses(item: Json, carried: Iterable[str]) -> Iterator[str]:
    """Yield the sentences for metadata of *item* that is lost, where the fields *carried* are not."""
    metadata = item.get("metadata") or {}
    reasons = {
        "finalizers": "its controller only cares about this object",
        "ownerReferences": "an owner of this object does not own the MyResource",
        "labels": "a MyResource has no field for it: see spec.propagate",
        "annotations": "a MyResource has no field for it: see spec.propagate",
    }
    for name, reason in reasons.items():
        values = metadata.get(name) or {}
        if name == "annotations":
            values = kept_annotations(metadata)
        elif name == "finalizers":
            values = [value for value in values if value != _LOAD_BALANCER]
        if name in carried or not values:
            continue
        for key in values if isinstance(values, dict) else [None]:
            yield f"metadata.{name}{f'.{key}' if key else ''}: {reason}"
