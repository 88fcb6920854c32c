"""The plan: which children to list in the answer, and what stands in the way.

What is not listed is deleted. So a child is left out only when the spec does not ask for it, or when its name is
somebody else's and it was never ours; and an invalid spec keeps every observed child as it is.
"""

from dataclasses import dataclass, field

import msgspec

from app.api.reading import InvalidSpec, read
from app.core.deployment import deployment
from app.core.identity import service_name
from app.core.service import service, wants_service
from app.hooks import Absence, Manifest, Service, SyncRequest

MAX_CHILD = 200 * 1024
"""Bytes. Metacontroller's dynamic-apply puts a child into an annotation, and those may have 256 KiB together."""


@dataclass(frozen=True)
class Plan:
    """What to answer with: ``wanted`` children, or ``kept`` ones and the ``problem`` that keeps them."""

    wanted: list[Manifest] = field(default_factory=list)
    kept: list[Manifest] = field(default_factory=list)
    replicas: int = 0
    problem: str | None = None
    service_taken: bool = False


def plan(request: SyncRequest) -> Plan:
    """Return the plan for the parent of *request*."""
    parent, children = request.parent, request.children
    spec = read(parent.name, parent.spec)
    if isinstance(spec, InvalidSpec):
        return Plan(kept=children.kept(), problem=spec.problem)
    taken = wants_service(spec) and _taken(request)
    wanted = [deployment(parent, spec)]
    if wants_service(spec) and not taken:
        wanted.append(service(parent, spec))
    if any(_size(child) > MAX_CHILD for child in wanted):
        return Plan(
            kept=children.kept(), problem="spec: asks for a child over 200 KiB; move long values to a ConfigMap"
        )
    return Plan(
        wanted=wanted,
        replicas=spec.replicas,
        service_taken=taken,
    )


def _size(child: Manifest) -> int:
    """Return how many bytes *child* and its record take among its annotations."""
    return sum(len(msgspec.json.encode(part)) for part in (child, child["metadata"]["annotations"]))


def _taken(request: SyncRequest) -> bool:
    """Tell whether the Service's name belongs to an object that this parent does not control."""
    name = service_name(request.parent)
    if request.children.service(name):
        return False
    holder = request.related.get(Service, name)
    return not isinstance(holder, Absence) and holder.metadata.controller_uid != request.parent.uid
