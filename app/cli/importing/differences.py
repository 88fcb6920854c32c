"""How the given object differs from the one that the operator makes, and in which words."""

from collections.abc import Iterator
from enum import Enum
from typing import Any, NamedTuple

Path = tuple[str, ...]

_KEYS = ("containerPort", "port", "mountPath", "name", "ip", "path")
_ENTERED = {"metadata", "labels", "annotations", "securityContext", "capabilities"}
"""Objects that are as good as there: what is in them differs one by one."""

_ABSENT = object()


class Weight(Enum):
    """How much a difference matters."""

    ALWAYS = 0
    """Every MyResource has it."""
    CHANGED = 1
    """The MyResource has a value that the given object does not have."""
    LOST = 2
    """The given object has something that the MyResource can't have."""


class Difference(NamedTuple):
    """A difference at *path*: the names of fields, and keys of items in brackets."""

    path: Path
    given: Any
    made: Any

    @property
    def is_added(self) -> bool:
        """Whether only the made object has something there."""
        return self.given is _ABSENT

    @property
    def is_missing(self) -> bool:
        """Whether only the given object has something there."""
        return self.made is _ABSENT

    @property
    def names(self) -> Path:
        """The path without keys."""
        return tuple(step for step in self.path if not step.startswith("["))

    def __str__(self) -> str:
        """Return the path, such as ``template.spec.containers[web].ports[80].hostPort``."""
        return "".join(step if step.startswith("[") else f".{step}" for step in self.path).removeprefix(".")


def differences(given: Any, made: Any, path: Path = ()) -> Iterator[Difference]:  # noqa: ANN401 - any JSON
    """Yield where *made* is not as *given*, at the highest place that only one of them has."""
    sides = [[] if side is _ABSENT else side for side in (given, made)]
    key = next((key for key in _KEYS if _has_key(key, sides)), None)
    if key or all(isinstance(side, list) for side in (given, made)):
        given, made = (_by_key(side, key) for side in sides)
    if isinstance(given, dict) and isinstance(made, dict):
        for name in dict.fromkeys([*given, *made]):
            absent: Any = {} if name in _ENTERED else _ABSENT
            yield from differences(given.get(name, absent), made.get(name, absent), (*path, name))
    elif given != made:
        yield Difference(path, given, made)


def _has_key(key: str, sides: list[Any]) -> bool:
    """Tell whether the *sides* are lists, and all items of them are objects with this *key*."""
    items = [item for side in sides if isinstance(side, list) for item in side]
    are_lists = all(isinstance(side, list) for side in sides)
    return are_lists and bool(items) and all(isinstance(item, dict) and key in item for item in items)


def _by_key(items: list[Any], key: str | None) -> dict[str, Any]:
    """Return *items* by a step of a path; a second one with the same key has its number, too."""
    found: dict[str, Any] = {}
    for index, item in enumerate(items):
        step = f"[{item[key]}]" if key else f"[{index}]"
        found[step if step not in found else f"[{item[key]}, {index}]" if key else step] = item
    return found


_NODE = "it opens the node to the Pod"
_REASONS = {
    "hostPort": f"{_NODE}; a Service reaches the Pods on each node",
    "hostPath": f"{_NODE}; use a PersistentVolumeClaim",
    "hostNetwork": _NODE,
    "hostPID": _NODE,
    "hostIPC": _NODE,
    "privileged": _NODE,
    "allowPrivilegeEscalation": "no process of a MyResource can get more privileges than its parent",
    "add": "the only capability that a MyResource can add is NET_BIND_SERVICE",
    "drop": "it needs securityProfile Restricted, with which no container runs as root",
    "runAsNonRoot": "it needs securityProfile Restricted, which all containers have or none",
    "runAsUser": "all containers have the same user, and it is not root",
    "runAsGroup": "all containers have the same group, and it is not root",
    "seccompProfile": "the seccomp profile is RuntimeDefault",
    "automountServiceAccountToken": "no token of a ServiceAccount is mounted",
    "serviceAccountToken": "no token of a ServiceAccount is mounted",
    "labels": "the prefixes kubernetes.io and k8s.io are reserved; other objects may select Pods by this label",
    "memory": "no container starts with a limit below 6Mi",
    "volumeMounts": "the MyResource has no volume of that name",
}
"""Why a field is left out, by its name, or by that of one in it or around it."""

_ADDED = {
    "labels": "the Pods have the labels myresource and app.kubernetes.io/instance, managed-by and name",
    "automountServiceAccountToken": "no token of the ServiceAccount is mounted",
    "seccompProfile": "the seccomp profile is RuntimeDefault",
    "allowPrivilegeEscalation": "no process can get more privileges than its parent",
}
_CHANGED = {
    "resources": "request and limit of memory are 128Mi, the default: set memory to what the container needs at most",
    "runAsNonRoot": "the container must not run as root, as securityProfile Restricted asks",
    "capabilities": "the container has no capabilities, as securityProfile Restricted asks",
    "drop": "the container has no capabilities, as securityProfile Restricted asks",
}
"""What a MyResource adds, to all Pods or to some."""


def said(difference: Difference, problems: list[str]) -> tuple[Weight, str]:
    """Return how much a *difference* of two Deployments matters, and the sentence for it.

    *problems* are those of fields that were left out, because a spec with them is not valid.
    """
    names = difference.names
    if difference.is_added and (word := next((name for name in names if name in _ADDED), None)):
        return Weight.ALWAYS, _ADDED[word]
    changed = next((name for name in names if name in _CHANGED), None)
    if changed and (difference.is_added or difference.made == ["ALL"]):
        place = str(difference).partition(f".{changed}")[0]
        return Weight.CHANGED, f"{place}: {_CHANGED[changed]}"
    if difference.is_added:
        return Weight.CHANGED, f"{difference} is {difference.made}"
    return Weight.LOST, f"{difference}: {_reason(difference, problems)}"


def _reason(difference: Difference, problems: list[str]) -> str:
    """Return why a MyResource does not have what the given object has there."""
    inner = [*difference.names, *(difference.given if isinstance(difference.given, dict) else ())]
    for problem in problems:
        path, _, message = problem.partition(": ")
        if any(name in path for name in inner[-3:]) and path != "spec":
            return f"{path} {message}"
    found = [_REASONS[name] for name in reversed(inner) if name in _REASONS]
    return found[0] if found else "a MyResource has no field for it"
