"""The desired Deployment: it sets only the fields that the operator owns; all others belong to other controllers.

Its Pod template depends only on the spec, the name, and the hashes of what the application reads, and on nothing that
scaling changes: another value here restarts Pods. The models say which fields it copies; this module has the rest.
"""

from collections.abc import Mapping
from typing import Any

from app import Json
from app.api.containers import Container, InitContainer, SidecarPort
from app.api.names import CONTAINER
from app.api.pods import PodMetadata
from app.api.resources import Resources
from app.api.rollouts import Strategy
from app.api.spec import MyResourceSpec
from app.core.child_metadata import RESTARTED_AT, labels, manifest_of, present, selector
from app.core.desired.replicas import Replicas
from app.core.desired.rollback import Rollback
from metahook import Deployment, Manifest, Parent, with_annotations

_NO_METADATA, _NO_RESOURCES = PodMetadata.model_construct(), Resources.model_construct()
_DEFAULT_STRATEGY = Strategy.model_construct()


def pod_template(parent: Parent, spec: MyResourceSpec, config_hashes: Mapping[str, str]) -> Json:
    """Return the desired Pod template, with *config_hashes* among its annotations."""
    extra = spec.pod_metadata or _NO_METADATA
    restart = {RESTARTED_AT: spec.restarted_at} if spec.restarted_at else {}
    annotations = {**(extra.annotations or {}), **restart, **config_hashes}
    return {
        "metadata": present(
            {"labels": {**(extra.labels or {}), **labels(parent)}, "annotations": annotations or None},
        ),
        "spec": _pod_spec(spec),
    }


def _pod_spec(spec: MyResourceSpec) -> Json:
    copied = spec.copies("Pod")
    return present(
        {
            **copied,
            # Under its old name, too: from there the API server would restore an account that was removed.
            "serviceAccount": spec.service_account_name,
            "volumes": None if spec.volumes is None else [_volume(volume.as_json()) for volume in spec.volumes],
            "automountServiceAccountToken": False,
            "securityContext": _pod_security(spec, copied),
            "initContainers": spec.init_containers and [_container(each, spec) for each in spec.init_containers],
            "containers": [_container(spec, spec)],
        }
    )


def _container(container: MyResourceSpec | InitContainer, spec: MyResourceSpec) -> Json:
    name = container.name if isinstance(container, InitContainer) else CONTAINER
    copied = container.copies("Container")
    env = [_variable(variable, name) for variable in copied.get("env", [])]
    ports = None if container.ports is None else [_port(port) for port in container.ports]
    return present(
        {
            "name": name,
            **copied,
            "ports": ports,
            "env": env or None,
            "imagePullPolicy": container.image_pull_policy or pull_policy(container.image),
            "resources": _resources(container),
            "securityContext": _container_security(container, spec, copied),
        }
    )


def _port(port: SidecarPort) -> Json:
    return {field: value for field, value in port.as_json().items() if field != "servicePort"}


def pull_policy(image: str) -> str:
    """Return the default of Kubernetes for *image*. If it were not set, that of the first image would stay."""
    name, _, digest = image.rpartition("/")[2].partition("@")
    tag = name.partition(":")[2] or ("" if digest else "latest")
    return "Always" if tag == "latest" else "IfNotPresent"


def _resources(container: Container) -> Json:
    """Return requests and limits: those of resources, filled up with memory and cpu where it names neither."""
    resources = container.resources or _NO_RESOURCES
    requests, limits = dict(resources.requests or {}), dict(resources.limits or {})
    if not container.is_in_resources("memory"):
        requests["memory"] = limits["memory"] = container.memory
    if container.cpu is not None:
        requests["cpu"] = container.cpu
    return {name: amounts for name, amounts in (("requests", requests), ("limits", limits)) if amounts}


def _pod_security(spec: MyResourceSpec, copied: Json) -> Json:
    """Return the Pod's securityContext. Baseline here is stricter than that of the Pod Security Standards."""
    restricted = {"runAsNonRoot": True} if spec.security_profile == "Restricted" else {}
    return {"seccompProfile": {"type": "RuntimeDefault"}, **restricted, **copied.get("securityContext", {})}


def _container_security(container: Container, spec: MyResourceSpec, copied: Json) -> Json:
    added = container.capabilities.as_json() if container.capabilities else {}
    dropped = {"drop": ["ALL"]} if spec.security_profile == "Restricted" else {}
    capabilities = {"capabilities": {**added, **dropped}} if added or dropped else {}
    return {"allowPrivilegeEscalation": False, **capabilities, **copied.get("securityContext", {})}


def _variable(variable: Json, container: str) -> Json:
    return (
        {**variable, "valueFrom": _with_reference_defaults(variable["valueFrom"], container)}
        if "valueFrom" in variable
        else variable
    )


def _volume(volume: Json) -> Json:
    if "projected" not in volume:
        return volume
    sources = [_source(source) for source in volume["projected"]["sources"]]
    return {**volume, "projected": {**volume["projected"], "sources": sources}}


def _source(source: Json) -> Json:
    if "downwardAPI" not in source:
        return source
    return {"downwardAPI": {"items": [_with_reference_defaults(item) for item in source["downwardAPI"]["items"]]}}


def _with_reference_defaults(source: Json, container: str = CONTAINER) -> Json:
    """Return *source* with the defaults of its reference to fields of the Pod, or to resources of *container*.

    Such a reference, and the list of a projected volume's sources, are replaced whole: a default that the API server
    adds to them would be a change.
    """
    if "fieldRef" in source:
        return {**source, "fieldRef": {"apiVersion": "v1", **source["fieldRef"]}}
    if "resourceFieldRef" in source:
        own = {"containerName": container, "divisor": "0", **source["resourceFieldRef"]}
        return {**source, "resourceFieldRef": own}
    return source


_DEFAULT_STEP = "25%"


def deployment(parent: Parent, spec: MyResourceSpec, config_hashes: Mapping[str, str], replicas: Replicas) -> Manifest:
    """Return the desired Deployment of *replicas* Pods, with *config_hashes* as annotations (see config_hash)."""
    fields = {
        **spec.copies("Deployment"),
        "replicas": None if replicas.is_left_out else replicas.desired,
        "selector": {"matchLabels": selector(parent)},
        "strategy": _strategy(spec.strategy or _DEFAULT_STRATEGY),
        "template": pod_template(parent, spec, config_hashes),
    }
    return manifest_of(Deployment, parent, present(fields), annotations=replicas.annotations)


def with_rollback(child: Manifest, spec: MyResourceSpec, rollback: Rollback) -> Manifest:
    """Return the Deployment *child* with what it is to remember, and with the image that comes back, if one does."""
    child = with_annotations(child, rollback.annotations)
    if rollback.image is None:
        return child
    image = {"image": rollback.image, "imagePullPolicy": spec.image_pull_policy or pull_policy(rollback.image)}
    template = child["spec"]["template"]
    containers = [{**each, **image} if each["name"] == CONTAINER else each for each in template["spec"]["containers"]]
    template = {**template, "spec": {**template["spec"], "containers": containers}}
    return {**child, "spec": {**child["spec"], "template": template}}


def _strategy(strategy: Strategy) -> dict[str, Any]:
    """Return the strategy in full.

    A rollingUpdate that the API server set by default would stay beside a later type Recreate, and the API server
    refuses both together.
    """
    if strategy.type == "Recreate":
        return {"type": "Recreate"}
    rolling_update = strategy.rolling_update.as_json() if strategy.rolling_update else {}
    step = {"maxSurge": _DEFAULT_STEP, "maxUnavailable": _DEFAULT_STEP, **rolling_update}
    return {"type": "RollingUpdate", "rollingUpdate": step}
