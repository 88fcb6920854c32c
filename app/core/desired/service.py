"""The Service of a spec with ports, and its target ports while Pods are replaced.

Each target port leads to a port on which ready Pods listen. The Service is written in the same sync as the Deployment,
and its Pods follow minutes later, or never. The name of a port is resolved for each Pod, so it is the target if all
Pods have it. Otherwise it is a number that old and new Pods have. If there is none, the target stays as it is until as
many new Pods are ready as old ones are left, or none of those is left. So old Pods keep serving while a rollout is
stuck.

Nothing else has to be remembered. What is kept is the target that was applied last, and not the observed one, which can
be another client's. The name of a port in the Service says what its target is in the end, so a Service that is kept,
because the spec is invalid or suspended, follows its Pods, too.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from app import Json
from app.api.containers import Port
from app.api.names import CONTAINER
from app.api.spec import MyResourceSpec
from app.core.child_metadata import GENERATION_STAMP, manifest_of, selector
from app.core.desired.replicas import Replicas
from app.core.rollout import Rollout, in_observed_template
from metahook import Children, Deployment, EncodedManifest, Manifest, Parent, Service

_AFFINITY_SECONDS = 10800


def wants_service(spec: MyResourceSpec) -> bool:
    return bool(spec.ports) and spec.service.mode == "Auto"


def service(parent: Parent, spec: MyResourceSpec, _: Replicas) -> Manifest:
    fields = {
        "type": spec.service.type or "ClusterIP",
        **({"clusterIP": spec.service.cluster_ip} if spec.service.cluster_ip else {}),
        "selector": selector(parent),
        "ports": [_port(port) for port in spec.ports or []],
        **_affinity(spec.service.session_affinity or "None"),
    }
    return manifest_of(Service, parent, fields, annotations=spec.service.annotations or {})


def _port(port: Port) -> dict[str, Any]:
    return {
        "name": port.name or f"{port.protocol.lower()}-{port.container_port}",
        "port": port.in_service,
        "protocol": port.protocol,
        "targetPort": port.name or port.container_port,
    }


def _affinity(kind: str) -> dict[str, Any]:
    """Return the session affinity in full: a timeout that the API server set by default would stay beside ``None``."""
    config = (
        {"sessionAffinityConfig": {"clientIP": {"timeoutSeconds": _AFFINITY_SECONDS}}} if kind == "ClientIP" else {}
    )
    return {"sessionAffinity": kind, **config}


_UNNAMED = re.compile("(?:tcp|udp|sctp)-([0-9]{1,5})")
"""The name that a port without a name gets in the Service."""

_Key = tuple[int, str]
"""Number and protocol of a port of the Service, by which clients know it."""

_Target = int | str


class ServicePorts(NamedTuple):
    """The desired Service as it is ``applied``, which the observed one is compared with, and as it is ``sent``.

    They differ if the target of a port moves on while the one before still leads to ready Pods.
    """

    applied: EncodedManifest
    sent: Manifest


class _Pods:
    """The Pods of the observed *deployment*, as its template and its status show them."""

    def __init__(self, deployment: Deployment) -> None:
        rollout = Rollout(deployment, 0)
        old = rollout.existing - rollout.updated
        self.stamp = deployment.metadata.annotation(GENERATION_STAMP)
        self.are_replaced = not rollout.is_not_yet_observed and old <= 0
        """Whether all Pods are of this template."""
        self.are_half_replaced = not rollout.is_not_yet_observed and rollout.ready - old >= old
        """Whether as many Pods of this template are ready as others are left, even if all of those are ready."""
        containers = _objects(in_observed_template(deployment, "spec", "containers"))
        self._ports = [
            port
            for container in containers
            if container.get("name") == CONTAINER
            for port in _objects(container.get("ports"))
        ]

    def number(self, target: _Target, protocol: str) -> int | None:
        """Return the number of the port to which *target* leads in this template; None if it has no such port."""
        field = "name" if isinstance(target, str) else "containerPort"
        ports = [port for port in self._ports if port.get("protocol", "TCP") == protocol and port.get(field) == target]
        number = ports[0].get("containerPort") if ports else None
        return number if isinstance(number, int) else None


def service_ports(
    desired: EncodedManifest, spec: MyResourceSpec, children: Children, deployment: Deployment | None
) -> ServicePorts:
    """Return the *desired* Service of *spec* with targets that lead to ready Pods of the observed *deployment*."""
    observed, final = children.get(Service, desired["metadata"]["name"]), _targets(desired["spec"])
    if deployment is None or (observed and final.items() <= _targets(observed.spec).items()):
        return ServicePorts(desired, desired)
    record, pods = children.last_applied(desired) or {}, _Pods(deployment)
    last = _targets(record.get("spec"))
    followed = {**last, **_followed(record, pods)}
    # All Pods are known to be of this template only if the Service is from the same sync.
    are_known = pods.are_replaced and pods.stamp == _stamp(record)
    names = {(port.get("name"), protocol) for (_, protocol), port in _ports(record.get("spec"))}
    numbers: dict[_Target, int] = {port.name: port.container_port for port in spec.ports or [] if port.name}
    matches, applied, sent = _matches(final, last), dict(final), dict(final)
    for key, target in final.items():
        before, protocol = matches.get(key), key[1]
        if before is not None and last[before] == target:
            continue
        if pods.stamp != _stamp(desired):
            common = (each for each in (target, numbers.get(target, target)) if pods.number(each, protocol))
            kept = target if before is None else followed[before]
            applied[key] = sent[key] = next(common, kept) if are_known or before is None else kept
        elif before is not None:
            number = pods.number(target, protocol)  # None while another client sets other ports
            # A number that new Pods have, too, is one that was chosen because old Pods have it.
            has_moved = pods.are_replaced or (pods.are_half_replaced and last[before] != number)
            sent[key] = target if has_moved and number is not None else last[before]
            applied[key] = target if pods.are_replaced and number not in {None, last[before]} else last[before]
        elif not pods.are_replaced and (target, protocol) not in names:
            applied[key] = sent[key] = numbers.get(target, target)
    is_final = applied == final
    return ServicePorts(
        desired if is_final else EncodedManifest(_with_targets(desired, applied)), _with_targets(desired, sent)
    )


def follow_pods(kept: Manifest, children: Children, deployment: Deployment | None) -> Manifest:
    """Return the Service *kept* with the targets to which the Pods of the observed *deployment* have moved since.

    A target that another client has set stays.
    """
    record = children.last_applied(kept)
    if record is None or deployment is None:
        return kept
    last, own = _targets(record.get("spec")), _targets(kept.get("spec"))
    followed = _followed(record, _Pods(deployment))
    return _with_targets(kept, {key: target for key, target in followed.items() if own.get(key) == last[key]})


def _followed(record: Manifest, pods: _Pods) -> dict[_Key, _Target]:
    """Return the targets in *record*, a Service that was applied, that lead to *pods* no longer, as they are now."""
    if pods.stamp != _stamp(record):
        return {}
    followed: dict[_Key, _Target] = {}
    for key, port in _ports(record.get("spec")):
        name = str(port.get("name"))
        unnamed = _UNNAMED.fullmatch(name)
        target = int(unnamed[1]) if unnamed else name
        number = pods.number(target, key[1])
        if number not in {None, port["targetPort"]} and (pods.are_replaced or pods.are_half_replaced):
            followed[key] = target
    return followed


def _matches(final: Mapping[_Key, _Target], last: Mapping[_Key, _Target]) -> dict[_Key, _Key]:
    """Return the key in *last* of each port in *final* that was there before.

    If the number of a single port changes, it is the same port still.
    """
    new, gone = final.keys() - last.keys(), last.keys() - final.keys()
    matches = {key: key for key in final.keys() & last.keys()}
    if len(new) == len(gone) == 1:
        matches |= {key: before for key, before in zip(new, gone, strict=True) if key[1] == before[1]}
    return matches


def _with_targets(service: Manifest, targets: Mapping[_Key, _Target]) -> Manifest:
    """Return *service* with these *targets*; itself if it has them."""
    if targets.items() <= _targets(service.get("spec")).items():
        return service
    keys = {id(port): key for key, port in _ports(service["spec"])}
    ports = [
        {**port, "targetPort": targets.get(keys[id(port)], port["targetPort"])} if id(port) in keys else port
        for port in service["spec"]["ports"]
    ]
    return {**service, "spec": {**service["spec"], "ports": ports}}


def _targets(spec: object) -> dict[_Key, _Target]:
    return {key: port["targetPort"] for key, port in _ports(spec)}


def _ports(spec: object) -> Iterator[tuple[_Key, Json]]:
    """Yield the ports in the *spec* of a Service, which can be any JSON, with their keys."""
    for port in _objects(spec.get("ports") if isinstance(spec, dict) else None):
        number, protocol = port.get("port"), port.get("protocol", "TCP")
        if isinstance(number, int) and isinstance(protocol, str) and isinstance(port.get("targetPort"), int | str):
            yield (number, protocol), port


def _objects(items: object) -> list[dict[str, Any]]:
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []


def _stamp(service: Manifest) -> object:
    annotations = service.get("metadata", {}).get("annotations")
    return annotations.get(GENERATION_STAMP) if isinstance(annotations, dict) else None
