"""The Pod template: the container ``main``, init containers, volumes, and the security profile.

It depends only on the spec, the name, and the hashes of what the application reads, and on nothing that scaling
changes: another value here restarts Pods. The fields of the spec are written by their names in Python, so
mypy knows them; tests/core/desired/test_every_field.py names a field that was forgotten.
"""

from collections.abc import Mapping, Sequence

from app import Json
from app.api.containers import Container, InitContainer, SidecarPort
from app.api.model import Model
from app.api.names import CONTAINER
from app.api.pods import PodMetadata
from app.api.resources import Resources
from app.api.spec import MyResourceSpec
from app.core.child_metadata import RESTARTED_AT, labels
from metahook import Parent


def present(fields: Mapping[str, object]) -> Json:
    """Return the *fields* that have a value, as JSON has them."""
    return {name: _json(value) for name, value in fields.items() if value is not None}


def _json(value: object) -> object:
    if isinstance(value, list):
        return [_json(item) for item in value]
    return value.as_json() if isinstance(value, Model) else value


def pod_template(parent: Parent, spec: MyResourceSpec, config_hashes: Mapping[str, str]) -> Json:
    """Return the desired Pod template, with *config_hashes* among its annotations."""
    extra = spec.pod_metadata or PodMetadata()
    restart = {RESTARTED_AT: spec.restarted_at} if spec.restarted_at else {}
    annotations = {**(extra.annotations or {}), **restart, **config_hashes}
    return {
        "metadata": present(
            {"labels": {**(extra.labels or {}), **labels(parent)}, "annotations": annotations or None},
        ),
        "spec": _pod_spec(spec),
    }


def _pod_spec(spec: MyResourceSpec) -> Json:
    return present(
        {
            "imagePullSecrets": spec.image_pull_secrets,
            "nodeSelector": spec.node_selector,
            "tolerations": spec.tolerations,
            "affinity": spec.affinity,
            "topologySpreadConstraints": spec.topology_spread_constraints,
            "priorityClassName": spec.priority_class_name,
            "terminationGracePeriodSeconds": spec.termination_grace_period_seconds,
            "dnsConfig": spec.dns_config,
            "hostAliases": spec.host_aliases,
            "serviceAccountName": spec.service_account_name,
            # Under its old name, too: from there the API server would restore an account that was removed.
            "serviceAccount": spec.service_account_name,
            "volumes": None if spec.volumes is None else [_volume(volume.as_json()) for volume in spec.volumes],
            "automountServiceAccountToken": False,
            "securityContext": _pod_security(spec),
            "initContainers": spec.init_containers and [_init_container(each, spec) for each in spec.init_containers],
            "containers": [_container(CONTAINER, spec, spec, spec.ports)],
        }
    )


def _init_container(container: InitContainer, spec: MyResourceSpec) -> Json:
    made = _container(container.name, container, spec, container.ports)
    return {**made, **present({"restartPolicy": container.restart_policy})}


def _container(name: str, container: Container, spec: MyResourceSpec, ports: Sequence[SidecarPort] | None) -> Json:
    env = None if container.env is None else [_variable(variable.as_json(), name) for variable in container.env]
    return present(
        {
            "name": name,
            "image": container.image,
            "command": container.command,
            "args": container.args,
            "envFrom": container.env_from,
            "ports": None if ports is None else [_port(port) for port in ports],
            "livenessProbe": container.liveness_probe,
            "readinessProbe": container.readiness_probe,
            "startupProbe": container.startup_probe,
            "lifecycle": container.lifecycle,
            "volumeMounts": container.volume_mounts,
            "env": env,
            "imagePullPolicy": container.image_pull_policy or pull_policy(container.image),
            "resources": _resources(container),
            "securityContext": _container_security(container, spec),
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
    resources = container.resources or Resources()
    requests, limits = dict(resources.requests or {}), dict(resources.limits or {})
    if not container.is_in_resources("memory"):
        requests["memory"] = limits["memory"] = container.memory
    if container.cpu is not None:
        requests["cpu"] = container.cpu
    return {name: amounts for name, amounts in (("requests", requests), ("limits", limits)) if amounts}


def _pod_security(spec: MyResourceSpec) -> Json:
    """Return the Pod's securityContext. Baseline here is stricter than that of the Pod Security Standards."""
    restricted = {"runAsNonRoot": True} if spec.security_profile == "Restricted" else {}
    ids = {"runAsUser": spec.run_as_user, "runAsGroup": spec.run_as_group, "fsGroup": spec.fs_group}
    return {"seccompProfile": {"type": "RuntimeDefault"}, **restricted, **present(ids)}


def _container_security(container: Container, spec: MyResourceSpec) -> Json:
    added = container.capabilities.as_json() if container.capabilities else {}
    dropped = {"drop": ["ALL"]} if spec.security_profile == "Restricted" else {}
    asked = {
        "capabilities": {**added, **dropped} or None,
        "readOnlyRootFilesystem": container.read_only_root_filesystem,
    }
    return {"allowPrivilegeEscalation": False, **present(asked)}


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
