"""The desired state: which children to list in the response, or why to keep the observed ones.

Metacontroller deletes what is not listed. So a child is left out only when the spec does not ask for it, when another
object has its name, or while the first Deployment waits for the spec's dependencies. An invalid spec keeps every
observed child as it is.
"""

from dataclasses import dataclass, field

import msgspec

from app.api.reading import InvalidSpec, read
from app.api.spec import MyResourceSpec
from app.core.child_metadata import GENERATION_STAMP, deployment_name
from app.core.desired.config_hash import Config, config
from app.core.desired.dependencies import Unmet, unmet_dependencies
from app.core.desired.deployment import deployment
from app.core.desired.holders import Holder, deployment_holder, name_holder, terminating_child
from app.core.desired.optional_children import desired_kinds
from app.core.watch import Watch
from metahook import Deployment, Manifest, SyncRequest, with_generation_stamp

MAX_CHILD = 200 * 1024
"""Bytes. Metacontroller's dynamic-apply puts a child into an annotation, and those may have 256 KiB together."""

_ESCAPED = (b"<", b">", b"&", "\u2028".encode(), "\u2029".encode())
"""Go writes each of these as six bytes. Source: encoding/json, ``Marshal``."""


@dataclass(frozen=True)
class DesiredState:
    """The desired ``children``; or those that are ``kept`` as they are, and the ``problem`` of the spec."""

    children: list[Manifest] = field(default_factory=list)
    kept: list[Manifest] = field(default_factory=list)
    spec: MyResourceSpec | None = None
    """None if it is invalid."""
    replicas: int = 0
    problem: str | None = None
    holders: tuple[Holder, ...] = ()
    """The objects that stand in the way of a child: another has its name, or it is being deleted."""
    config: Config = field(default_factory=Config)
    unmet_dependencies: list[Unmet] | None = None
    """None if the spec has no dependencies."""
    is_waiting_for_dependencies: bool = False
    """Whether the first Deployment waits for them."""


def desired_state(request: SyncRequest, watch: Watch, *, was_ever_ready: bool) -> DesiredState:
    """Return the desired state of the parent of *request*, which *was_ever_ready* as its previous status says."""
    parent, children = request.parent, request.children
    spec = read(parent.name, parent.spec)
    if isinstance(spec, InvalidSpec):
        return DesiredState(kept=children.kept(), problem=spec.problem)
    desired = _of_valid_spec(request, spec, watch, was_ever_ready=was_ever_ready)
    if any(_size(child) > MAX_CHILD for child in desired.children):
        problem = "spec: makes a child object larger than 200 KiB; move long values to a ConfigMap"
        return DesiredState(kept=children.kept(), problem=problem)
    return desired


def _of_valid_spec(request: SyncRequest, spec: MyResourceSpec, watch: Watch, *, was_ever_ready: bool) -> DesiredState:
    observed_config = config(request, spec, watch)
    unmet = unmet_dependencies(request, spec, watch)
    # Why not again once it has started: what has run is never stopped because of a dependency.
    has_started = was_ever_ready or request.children.get(Deployment, deployment_name(request.parent)) is not None
    is_waiting = bool(unmet) and not has_started
    taken = deployment_holder(request)
    children = [] if is_waiting or taken else [deployment(request.parent, spec, observed_config.hashes)]
    others, holders = _optional_children(request, spec)
    children = [with_generation_stamp(child, request.parent, GENERATION_STAMP) for child in [*children, *others]]
    return DesiredState(
        children=children,
        spec=spec,
        replicas=spec.replicas,
        holders=tuple(filter(None, (terminating_child(children, request.children), *holders, taken))),
        config=observed_config,
        unmet_dependencies=unmet if spec.dependencies else None,
        is_waiting_for_dependencies=is_waiting,
    )


def _optional_children(request: SyncRequest, spec: MyResourceSpec) -> tuple[list[Manifest], list[Holder]]:
    """Return the children beside the Deployment whose names are free, and who holds those of the others."""
    desired = desired_kinds(spec)
    holders = [name_holder(request, child.kind, child.name(request.parent)) for child in desired]
    free = [child for child, holder in zip(desired, holders, strict=True) if holder is None]
    return [child.manifest(request.parent, spec) for child in free], [holder for holder in holders if holder]


def _size(child: Manifest) -> int:
    """Return how many bytes *child* and its record take among its annotations, as Go writes them."""
    parts = [msgspec.json.encode(part) for part in (child, child["metadata"]["annotations"])]
    return sum(len(part) + sum((6 - len(each)) * part.count(each) for each in _ESCAPED) for part in parts)
