"""Canonical forms: objects without what the API server sets anyway, and with one form for one meaning."""

from typing import Any

from app import Json
from app.api.values.names import CONTAINER, GROUP
from app.api.values.quantity import canonical as canonical_quantity
from app.core.child_metadata import RESTARTED_AT
from app.core.desired.manifests.pod_template import pull_policy
from metahook import Deployment

_OPAQUE = {"labels", "annotations", "matchLabels", "nodeSelector", "requests", "limits"}
"""Maps whose keys are the user's."""

_NOT_FALSE = {"allowPrivilegeEscalation", "automountServiceAccountToken", "enableServiceLinks"}
"""Fields that are true by default."""

_TRUE = {"allocateLoadBalancerNodePorts", "enableServiceLinks"}
"""Fields whose value true is no news."""

_ZERO = {"initialDelaySeconds", "minReadySeconds"}
"""Numbers whose default is 0."""

_OF_CONTAINERS = ("runAsUser", "runAsGroup", "runAsNonRoot", "seccompProfile")
"""Fields of the securityContext of a Pod that are defaults for its containers."""

_BOOKKEEPING = {
    "deployment.kubernetes.io/revision",
    "kubectl.kubernetes.io/default-container",
    "kubectl.kubernetes.io/default-logs-container",
    "kubectl.kubernetes.io/last-applied-configuration",
    "kubectl.kubernetes.io/restartedAt",
}
"""Annotations that kubectl and controllers keep for themselves."""

_STEP = {"maxSurge": "25%", "maxUnavailable": "25%"}


def tidy(value: Any, name: str = "") -> Any:  # noqa: ANN401 - any JSON
    """Return *value*, of the field *name*, without nulls, empty values and defaults of the API server."""
    if isinstance(value, list):
        return [tidy(item, name) for item in value if item is not None]
    if not isinstance(value, dict):
        return value
    if name in _OPAQUE:
        return {key: inner for key, inner in value.items() if inner is not None}
    fields = {key: tidy(inner, key) for key, inner in value.items()}
    return {key: inner for key, inner in fields.items() if not _is_default(name, key, inner)}


def _is_default(outer: str, name: str, value: object) -> bool:
    if isinstance(value, bool):
        return name in _TRUE if value else name not in _NOT_FALSE
    if (name, value) == ("procMount", "Default"):
        return True
    if value is None or (value in ({}, [], "") and (outer, name) != ("httpHeaders", "value")):
        return name != "emptyDir"
    values = Deployment.DEFAULTS.values.get(outer, {})
    return (name in values and values[name] == value) or (value == 0 and name in _ZERO)


def kept_annotations(metadata: Json) -> dict[str, str]:
    """Return the annotations in *metadata* that are not for kubectl or controllers alone."""
    given = (metadata.get("annotations") or {}).items()
    return {
        key: value
        for key, value in given
        if key not in _BOOKKEEPING and (key == RESTARTED_AT or not key.startswith(f"{GROUP}/"))
    }


def canonical(spec: Json, main: str) -> Json:
    """Return the *spec* of a Deployment, whose application runs in the container *main*, as its MyResource has it.

    The other containers are sidecars, and what the Pod sets for its containers is in each of them.
    """
    template = spec["template"]
    metadata = template.get("metadata") or {}
    made = {
        **{name: value for name, value in spec.items() if name != "selector"},
        "strategy": _strategy(spec.get("strategy") or {}),
        "template": {
            "metadata": {"labels": metadata.get("labels"), "annotations": kept_annotations(metadata)},
            "spec": _pod(template["spec"], main),
        },
    }
    found: Json = tidy({"spec": made})["spec"]
    return found


def _strategy(strategy: Json) -> Json:
    if strategy.get("type") == "Recreate":
        return strategy
    return {"type": "RollingUpdate", **strategy, "rollingUpdate": {**_STEP, **(strategy.get("rollingUpdate") or {})}}


def _pod(pod: Json, main: str) -> Json:
    security = pod.get("securityContext") or {}
    shared = {name: security[name] for name in _OF_CONTAINERS if name in security}
    account = pod.get("serviceAccountName") or pod.get("serviceAccount")
    containers = [_container(each, shared) for each in pod["containers"]]
    sidecars = [{**each, "restartPolicy": "Always"} for each in containers if each["name"] != main]
    return {
        **{name: value for name, value in pod.items() if name != "serviceAccount"},
        "serviceAccountName": account,
        "securityContext": {name: value for name, value in security.items() if name not in shared},
        "initContainers": [*(_container(each, shared) for each in pod.get("initContainers") or []), *sidecars],
        "containers": [{**each, "name": CONTAINER} for each in containers if each["name"] == main],
        "volumes": [_volume(each, main) for each in pod.get("volumes") or []],
    }


def _container(container: Json, shared: Json) -> Json:
    own = container.get("securityContext") or {}
    security = {**shared, **own, "capabilities": _capabilities(own.get("capabilities") or {})}
    policy = container.get("imagePullPolicy")
    return {
        **container,
        "imagePullPolicy": None if policy == pull_policy(container["image"]) else policy,
        "env": _without_own_name(container.get("env") or [], container["name"]),
        "resources": {
            name: {key: _quantity(amount) for key, amount in value.items()} if name in ("requests", "limits") else value
            for name, value in (container.get("resources") or {}).items()
            if value
        },
        "securityContext": security,
    }


def _capabilities(given: Json) -> Json:
    names = {verb: {name.upper().removeprefix("CAP_") for name in given.get(verb) or []} for verb in ("add", "drop")}
    return {verb: ["ALL"] if "ALL" in found else sorted(found) for verb, found in names.items()}


def _quantity(amount: Any) -> Any:  # noqa: ANN401 - what a user wrote
    try:
        return canonical_quantity(f"0{amount}" if str(amount).startswith(".") else amount)
    except ValueError:
        return amount


def _without_own_name(value: Any, name: str) -> Any:  # noqa: ANN401 - any JSON
    """Return *value* without the name of the container in references to resources of the container *name*."""
    if isinstance(value, list):
        return [_without_own_name(item, name) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: {field: each for field, each in inner.items() if (field, each) != ("containerName", name)}
        if key == "resourceFieldRef" and isinstance(inner, dict)
        else _without_own_name(inner, name)
        for key, inner in value.items()
    }


def _volume(volume: Json, main: str) -> Json:
    sources = {name: value for name, value in volume.items() if value is not None}
    if sources.keys() == {"name"}:
        return {**sources, "emptyDir": {}}
    if sources.get("emptyDir"):
        size = sources["emptyDir"].get("sizeLimit")
        sources["emptyDir"] = {**sources["emptyDir"], "sizeLimit": None if size is None else _quantity(size)}
    named: Json = _without_own_name(sources, main)
    return named
