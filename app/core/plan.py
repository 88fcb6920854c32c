"""The plan: which children to list in the answer, and what stands in the way.

Every observed child is listed: a child that is not listed is deleted. An invalid spec keeps the children as they are.
"""

import hashlib
from dataclasses import dataclass, field
from typing import Any

import msgspec

from app.api.reading import InvalidSpec, read
from app.core.deployment import deployment
from app.core.identity import REPAIR, deployment_name, service_name
from app.core.service import service, wants_service
from app.hooks import Absence, Deployment, Manifest, Object, Service, SyncRequest

MAX_CHILD = 200 * 1024
"""Bytes. Metacontroller's dynamic-apply puts a child into an annotation, and those may have 256 KiB together."""


@dataclass(frozen=True)
class Plan:
    """What to answer with: ``wanted`` children, or ``kept`` ones and the ``problem`` that keeps them."""

    wanted: list[Manifest] = field(default_factory=list)
    kept: list[Manifest] = field(default_factory=list)
    problem: str | None = None
    service_taken: bool = False


def plan(request: SyncRequest) -> Plan:
    """Return the plan for the parent of *request*."""
    parent = request.parent
    spec = read(parent.name, parent.spec)
    if isinstance(spec, InvalidSpec):
        return _keep(request, spec.problem)
    wanted = deployment(parent, spec)
    services = [service(parent, spec)] if wants_service(spec) else []
    if any(_size(child) > MAX_CHILD for child in (wanted, *services)):
        return _keep(request, "spec: asks for a child of more than 200 KiB; move long values to a ConfigMap")
    taken = bool(services) and _taken(request)
    return Plan(
        wanted=[
            _repaired(wanted, request.children.deployment(deployment_name(parent))),
            *(_repaired(child, request.children.service(service_name(parent))) for child in services if not taken),
        ],
        service_taken=taken,
    )


def _size(child: Manifest) -> int:
    """Return how many bytes *child* and its record take among its annotations."""
    return sum(len(msgspec.json.encode(part)) for part in (child, child["metadata"].get("annotations")))


def _keep(request: SyncRequest, problem: str) -> Plan:
    return Plan(kept=request.children.kept(Deployment, Service), problem=problem)


def _taken(request: SyncRequest) -> bool:
    """Tell whether the Service's name belongs to an object that this parent does not control."""
    name = service_name(request.parent)
    if request.children.service(name):
        return False
    holder = request.related.get(Service, name)
    return not isinstance(holder, Absence) and holder.metadata.controller_uid != request.parent.uid


def _repaired(child: Manifest, observed: Object | None) -> Manifest:
    """Return *child*, with one more annotation while a label of ours is missing on *observed*.

    Under server-side apply Metacontroller sends nothing as long as the answer is the same, so a label that somebody
    removed would stay away; a changed annotation makes it send all of it.
    """
    own: dict[str, str] = child["metadata"]["labels"]
    seen: dict[str, Any] = {key: observed.metadata.label(key) for key in own} if observed else own
    if seen == own:
        return child
    mark = hashlib.sha256(msgspec.json.encode(seen, order="sorted")).hexdigest()[:10]
    metadata = child["metadata"]
    return {**child, "metadata": {**metadata, "annotations": {**metadata.get("annotations", {}), REPAIR: mark}}}
