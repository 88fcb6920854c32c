"""The Pod template: the container ``main``, its volumes, and the security profile.

It depends on nothing that scaling changes, and on nothing but the spec, the name, and the marks of what the application
reads: another value here restarts Pods.
"""

from collections.abc import Mapping
from typing import Any

from app.api.spec import MyResourceSpec
from app.core.child_metadata import CONTAINER, RESTARTED_AT, labels
from metahook import Parent

Json = dict[str, Any]

_CONTAINER_FIELDS = (
    "image",
    "command",
    "args",
    "envFrom",
    "ports",
    "livenessProbe",
    "readinessProbe",
    "startupProbe",
    "volumeMounts",
)
_POD_FIELDS = (
    "imagePullSecrets",
    "nodeSelector",
    "tolerations",
    "affinity",
    "topologySpreadConstraints",
    "priorityClassName",
    "terminationGracePeriodSeconds",
)


def chosen(wire: Json, fields: tuple[str, ...]) -> Json:
    """Return those *fields* that *wire* has."""
    return {field: wire[field] for field in fields if field in wire}


def pod_template(parent: Parent, spec: MyResourceSpec, marks: Mapping[str, str]) -> Json:
    """Return the Pod template that *spec* asks for, with *marks* among its annotations."""
    wire = spec.wire()
    extra = wire.get("podMetadata", {})
    restart = {RESTARTED_AT: spec.restarted_at} if spec.restarted_at else {}
    annotations = {**extra.get("annotations", {}), **restart, **marks}
    return {
        "metadata": {
            "labels": {**extra.get("labels", {}), **labels(parent)},
            **({"annotations": annotations} if annotations else {}),
        },
        "spec": {
            **chosen(wire, _POD_FIELDS),
            **_service_account(spec),
            **({"volumes": [_volume(volume) for volume in wire["volumes"]]} if "volumes" in wire else {}),
            "automountServiceAccountToken": False,
            "securityContext": _pod_security(spec),
            "containers": [_container(spec, wire)],
        },
    }


def _container(spec: MyResourceSpec, wire: Json) -> Json:
    return {
        "name": CONTAINER,
        **chosen(wire, _CONTAINER_FIELDS),
        **({"env": [_variable(variable) for variable in wire["env"]]} if "env" in wire else {}),
        "imagePullPolicy": spec.image_pull_policy or _pull_policy(spec.image),
        "resources": _resources(spec),
        "securityContext": _container_security(spec),
    }


def _pull_policy(image: str) -> str:
    """Return the policy that Kubernetes takes for *image*. Left to Kubernetes, that of the first image would stay."""
    name, _, digest = image.rpartition("/")[2].partition("@")
    tag = name.partition(":")[2] or ("" if digest else "latest")
    return "Always" if tag == "latest" else "IfNotPresent"


def _service_account(spec: MyResourceSpec) -> Json:
    """Return the account under both its names: from the old one the API server would restore an account we remove."""
    account = spec.service_account_name
    return {"serviceAccountName": account, "serviceAccount": account} if account else {}


def _resources(spec: MyResourceSpec) -> Json:
    """Return requests and limits: those of resources, filled up with memory and cpu where it names neither."""
    given = spec.resources.wire() if spec.resources else {}
    requests, limits = dict(given.get("requests", {})), dict(given.get("limits", {}))
    if "memory" not in requests | limits:
        requests["memory"] = limits["memory"] = spec.memory
    if spec.cpu is not None:
        requests["cpu"] = spec.cpu
    return {name: amounts for name, amounts in (("requests", requests), ("limits", limits)) if amounts}


def _pod_security(spec: MyResourceSpec) -> Json:
    """Source: Pod Security Standards; Baseline here is more than their baseline."""
    restricted = {"runAsNonRoot": True} if spec.security_profile == "Restricted" else {}
    return {"seccompProfile": {"type": "RuntimeDefault"}, **restricted}


def _container_security(spec: MyResourceSpec) -> Json:
    restricted = {"capabilities": {"drop": ["ALL"]}} if spec.security_profile == "Restricted" else {}
    return {"allowPrivilegeEscalation": False, **restricted}


def _variable(variable: Json) -> Json:
    return {**variable, "valueFrom": _whole(variable["valueFrom"])} if "valueFrom" in variable else variable


def _volume(volume: Json) -> Json:
    if "projected" not in volume:
        return volume
    sources = [_source(source) for source in volume["projected"]["sources"]]
    return {**volume, "projected": {**volume["projected"], "sources": sources}}


def _source(source: Json) -> Json:
    if "downwardAPI" not in source:
        return source
    return {"downwardAPI": {"items": [_whole(item) for item in source["downwardAPI"]["items"]]}}


def _whole(source: Json) -> Json:
    """Return *source* with the defaults of its reference to the Pod's own fields.

    Such a reference, and the list of a projected volume's sources, are replaced whole: a default that the API server
    adds to them would be a change.
    """
    if "fieldRef" in source:
        return {**source, "fieldRef": {"apiVersion": "v1", **source["fieldRef"]}}
    if "resourceFieldRef" in source:
        own = {"containerName": CONTAINER, "divisor": "0", **source["resourceFieldRef"]}
        return {**source, "resourceFieldRef": own}
    return source
