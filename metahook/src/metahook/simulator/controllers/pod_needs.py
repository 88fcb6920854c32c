"""What a Pod needs before it is stored, and before its containers start: the objects that it names, and keys in them.

Source: Kubernetes, pkg/kubelet/kubelet_pods.go for variables; pkg/volume/configmap, secret and projected;
pkg/scheduler/framework/plugins/volumebinding; and plugin/pkg/admission/serviceaccount and priority.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from metahook.simulator.apiserver.store import Admission
from metahook.simulator.apiserver.validation import ApiError
from metahook.simulator.objects import Json, Key

NEEDED = ("ConfigMap", "Secret", "PersistentVolumeClaim")
"""The kinds of these objects."""

_SOURCES = {"configMap": "ConfigMap", "secret": "Secret"}


class Missing(NamedTuple):
    """What a Pod waits for: a *claim*, without which it fits on no node; an object that a *volume* has files of.

    By the name of each of *containers* that can't be created, it has what the kubelet says. All are empty if nothing is
    missing.
    """

    claim: str
    volume: str
    containers: dict[str, str]


NOTHING = Missing("", "", {})


def pod_admission(get: Callable[[Key], Json | None]) -> Admission:
    """Return the admission that refuses a new Pod without the objects that it names; *get* returns one, or None.

    One with a node, which was stored elsewhere, is accepted.
    """

    def admit(item: Json, live: Json | None) -> Json:
        if item["kind"] == "Pod" and live is None and "nodeName" not in item["spec"]:
            spec, namespace = item["spec"], item["metadata"]["namespace"]
            account, priority = spec.get("serviceAccountName", "default"), spec.get("priorityClassName", "system-")
            if account != "default" and get(Key("ServiceAccount", namespace, account)) is None:
                problem = (
                    f'error looking up service account {namespace}/{account}: serviceaccount "{account}" not found'
                )
                raise ApiError("Forbidden", f"pods is forbidden: {problem}")
            if not priority.startswith("system-") and get(Key("PriorityClass", "", priority)) is None:
                raise ApiError("Forbidden", f"pods is forbidden: no PriorityClass with name {priority} was found")
        return item

    return admit


def missing(pod: Json, get: Callable[[Key], Json | None]) -> Missing:
    """Return which of the objects that *pod* needs are missing; *get* returns one, or None."""
    namespace, spec = pod["metadata"].get("namespace", ""), pod["spec"]

    def lacks(kind: str, name: str, keys: list[str]) -> str:
        """Return what the kubelet says if the object called *name*, or one of *keys* in it, is missing."""
        found = get(Key(kind, namespace, name))
        if found is None:
            return f'{kind.lower()} "{name}" not found'
        present = {**(found.get("data") or {}), **(found.get("binaryData") or {})}
        absent = next((key for key in keys if key not in present), None)
        return f"couldn't find key {absent} in {kind} {namespace}/{name}" if absent is not None else ""

    volumes = spec.get("volumes") or []
    claims = [item["persistentVolumeClaim"]["claimName"] for item in volumes if "persistentVolumeClaim" in item]
    containers = [*(spec.get("initContainers") or []), *spec["containers"]]
    variables = {item["name"]: _first(lacks(*need) for need in _of_variables(item)) for item in containers}
    return Missing(
        _first(lacks("PersistentVolumeClaim", name, []) for name in claims),
        _first(lacks(*need) for volume in volumes for need in _of_volume(volume)),
        {name: message for name, message in variables.items() if message},
    )


def _first(messages: Iterator[str]) -> str:
    return next(filter(None, messages), "")


Need = tuple[str, str, list[str]]
"""A kind, a name, and keys."""


def _of_volume(volume: Json) -> Iterator[Need]:
    yield from _of_files(volume, "secretName")
    for source in (volume.get("projected") or {}).get("sources") or []:
        yield from _of_files(source, "name")


def _of_files(source: Json, name_of_secret: str) -> Iterator[Need]:
    for field, kind in _SOURCES.items():
        found = source.get(field)
        if found and not found.get("optional"):
            name = found.get(name_of_secret if field == "secret" else "name", "")
            yield kind, name, [item["key"] for item in found.get("items") or []]


def _of_variables(container: Json) -> Iterator[Need]:
    for each in container.get("envFrom") or []:
        yield from _of_reference(each, "Ref")
    for each in container.get("env") or []:
        yield from _of_reference(each.get("valueFrom") or {}, "KeyRef")


def _of_reference(source: Json, suffix: str) -> Iterator[Need]:
    for field, kind in _SOURCES.items():
        found = source.get(f"{field}{suffix}")
        if found and not found.get("optional"):
            yield kind, found.get("name", ""), [found["key"]] if "key" in found else []
