"""The effective form of a Deployment: one form for one meaning, whatever an API server stores."""

from typing import Any

from app import Json
from app.api.values.names import GROUP
from app.core.child_metadata import RESTARTED_AT
from app.core.desired.manifests.pod_template import pull_policy

OF_CONTAINERS = ("runAsUser", "runAsGroup", "runAsNonRoot", "seccompProfile")
"""Fields of the securityContext of a Pod that are defaults for its containers."""

_NO_RULE = ("runAsNonRoot", False)
"""What a container has to be root if it likes."""

_BOOKKEEPING = {
    "autoscaling.alpha.kubernetes.io/conditions",
    "autoscaling.alpha.kubernetes.io/current-metrics",
    "deployment.kubernetes.io/revision",
    "kubectl.kubernetes.io/default-container",
    "kubectl.kubernetes.io/default-logs-container",
    "kubectl.kubernetes.io/last-applied-configuration",
    "kubectl.kubernetes.io/restartedAt",
}
"""Annotations that kubectl and controllers keep for themselves; the application's container is the only one, anyway."""

_NO_PODS = {"generateName", "name", "namespace", "ownerReferences"}
"""Metadata of a template that no Pod gets."""


def kept_annotations(metadata: Json) -> dict[str, str]:
    """Return the annotations in *metadata* that are not for kubectl, controllers or the operator alone."""
    given = (metadata.get("annotations") or {}).items()
    return {
        key: value
        for key, value in given
        if key not in _BOOKKEEPING and (key == RESTARTED_AT or not key.startswith(f"{GROUP}/"))
    }


def effective(spec: Json, main: str) -> Json:
    """Return the *spec* of a Deployment, as it is stored, in one form for one meaning.

    What the Pod sets for its containers is in each of them, and a reference has no name of its own container, or in a
    volume that of the application, *main*.
    """
    template = spec["template"]
    metadata, pod = template.get("metadata") or {}, template["spec"]
    kept = {**metadata, "annotations": kept_annotations(metadata)}
    kept = {name: value for name, value in kept.items() if value and name not in _NO_PODS}
    security = pod.get("securityContext") or {}
    shared = {name: security[name] for name in OF_CONTAINERS if name in security}
    account = pod.get("serviceAccountName") or pod.get("serviceAccount")
    made = {
        **{name: value for name, value in pod.items() if name not in ("serviceAccount", "securityContext", "volumes")},
        **({"serviceAccountName": account} if account else {}),
        "securityContext": {name: value for name, value in security.items() if name not in shared},
        "volumes": [_without_own_name(_volume(each), main) for each in pod.get("volumes") or []],
        **{
            group: [_container(each, shared, has_host_ports=pod.get("hostNetwork", False)) for each in pod[group]]
            for group in ("containers", "initContainers")
            if group in pod
        },
    }
    return {
        **{name: value for name, value in spec.items() if name != "selector"},
        "template": {
            "metadata": kept,
            "spec": {name: value for name, value in made.items() if value not in ({}, [])},
        },
    }


def _volume(volume: Json) -> Json:
    return {**volume, "emptyDir": {}} if volume.keys() == {"name"} else volume


def _container(container: Json, shared: Json, *, has_host_ports: bool) -> Json:
    own = container.get("securityContext") or {}
    security = {**shared, **own, "capabilities": _capabilities(own.get("capabilities") or {})}
    security = {name: value for name, value in security.items() if value != {} and (name, value) != _NO_RULE}
    ports = [
        {"hostPort": port["containerPort"], **port} if has_host_ports else port for port in container.get("ports") or []
    ]
    # Of variables with the same name, the last one counts.
    env = {each["name"]: _without_own_name(each, container["name"]) for each in container.get("env") or []}
    made = {**container, "ports": ports, "env": [*env.values()], "securityContext": security}
    if made.get("imagePullPolicy") == pull_policy(str(made.get("image") or "")):
        del made["imagePullPolicy"]
    return {name: value for name, value in made.items() if value not in ({}, [])}


def _capabilities(given: Json) -> Json:
    names = {verb: {name.upper().removeprefix("CAP_") for name in given.get(verb) or []} for verb in ("add", "drop")}
    return {verb: ["ALL"] if "ALL" in found else sorted(found) for verb, found in names.items() if found}


def _without_own_name(value: Any, name: str) -> Any:  # noqa: ANN401 - any JSON
    """Return *value* without the name of the container in references to resources of the container *name*."""
    if isinstance(value, list):
        return [_without_own_name(item, name) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: {part: each for part, each in inner.items() if (part, each) != ("containerName", name)}
        if key == "resourceFieldRef" and isinstance(inner, dict)
        else _without_own_name(inner, name)
        for key, inner in value.items()
    }


def as_given(made: Json, given: Json, main: str) -> Json:
    """Return the *made* spec with the containers called, and in the lists, as in the *given* one."""
    pod = made["template"]["spec"]
    names = [each["name"] for each in given["template"]["spec"]["containers"]]
    sidecars = {each["name"]: each for each in pod.get("initContainers") or [] if each["name"] in names}
    others = [each for each in pod.get("initContainers") or [] if each["name"] not in names]
    (application,) = pod["containers"]
    found = {**sidecars, main: {**application, "name": main}}
    containers = [
        {key: value for key, value in found[name].items() if name == main or key != "restartPolicy"}
        for name in names
        if name in found
    ]
    changed = {**{key: value for key, value in pod.items() if key != "initContainers"}, "containers": containers}
    changed |= {"initContainers": others} if others else {}
    return {**made, "template": {**made["template"], "spec": changed}}
