"""The plan: which children to list in the answer, and what stands in the way.

What is not listed is deleted. So a child is left out only when the spec does not ask for it, or when its name is
held by another object, or while the first Deployment waits for the spec's dependencies; and an invalid
spec keeps every observed child as it is.
"""

from dataclasses import dataclass, field

import msgspec

from app.api.reading import InvalidSpec, read
from app.api.spec import MyResourceSpec
from app.core.child_metadata import deployment_name
from app.core.desired.config_hash import Config, config
from app.core.desired.dependencies import Unmet, waiting
from app.core.desired.deployment import deployment
from app.core.desired.holders import Holder, deployment_holder, service_holder, terminating_child
from app.core.desired.service import service, wants_service
from app.core.previous_status import Previous
from app.core.watch import Watch
from metahook import Deployment, Manifest, SyncRequest

MAX_CHILD = 200 * 1024
"""Bytes. Metacontroller's dynamic-apply puts a child into an annotation, and those may have 256 KiB together."""

_ESCAPED = (b"<", b">", b"&", "\u2028".encode(), "\u2029".encode())
"""Go writes each of these as six bytes. Source: encoding/json, ``Marshal``."""


@dataclass(frozen=True)
class Plan:
    """What to answer with: ``wanted`` children, or ``kept`` ones and the ``problem`` that keeps them."""

    wanted: list[Manifest] = field(default_factory=list)
    kept: list[Manifest] = field(default_factory=list)
    spec: MyResourceSpec | None = None
    replicas: int = 0
    problem: str | None = None
    holders: tuple[Holder, ...] = ()
    """The objects that stand in the way of a child: another has its name, or it is being deleted."""
    config: Config = field(default_factory=Config)
    waits: list[Unmet] | None = None
    """The dependencies that are not met; None if the spec has none."""
    held: bool = False
    """Whether the first Deployment waits for them."""


def plan(request: SyncRequest, previous: Previous, watch: Watch) -> Plan:
    """Return the plan for the parent of *request*."""
    parent, children = request.parent, request.children
    spec = read(parent.name, parent.spec)
    if isinstance(spec, InvalidSpec):
        return Plan(kept=children.kept(), problem=spec.problem)
    made = _plan(request, spec, previous, watch)
    if any(_size(child) > MAX_CHILD for child in made.wanted):
        return Plan(
            kept=children.kept(),
            problem="spec: makes a child object larger than 200 KiB; move long values to a ConfigMap",
        )
    return made


def _plan(request: SyncRequest, spec: MyResourceSpec, previous: Previous, watch: Watch) -> Plan:
    parent = request.parent
    service_taken = service_holder(request) if wants_service(spec) else None
    deployment_taken = deployment_holder(request)
    found = config(request, spec, watch)
    waits = waiting(request, spec, watch)
    held = bool(waits) and not _has_started(request, previous)
    wanted = [] if held or deployment_taken else [deployment(parent, spec, found.marks)]
    if wants_service(spec) and not service_taken:
        wanted.append(service(parent, spec))
    return Plan(
        wanted=wanted,
        spec=spec,
        replicas=spec.replicas,
        holders=tuple(filter(None, (terminating_child(wanted, request.children), service_taken, deployment_taken))),
        config=found,
        waits=waits if spec.dependencies else None,
        held=held,
    )


def _has_started(request: SyncRequest, previous: Previous) -> bool:
    """Tell whether there is a Deployment, or was one that got Ready: then nothing waits any more."""
    there = request.children.get(Deployment, deployment_name(request.parent))
    return there is not None or previous.ready_generation is not None


def _size(child: Manifest) -> int:
    """Return how many bytes *child* and its record take among its annotations, as Go writes them."""
    parts = [msgspec.json.encode(part) for part in (child, child["metadata"]["annotations"])]
    return sum(len(part) + sum((6 - len(each)) * part.count(each) for each in _ESCAPED) for part in parts)
