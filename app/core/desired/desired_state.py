"""The desired state: which children to list in the response, or why to keep the observed ones.

Metacontroller deletes what is not listed. So a child is left out only when the spec does not ask for it, when another
object has its name, or while the first Deployment waits for the spec's dependencies. An invalid spec keeps every
observed child as it is.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from app.api.reading import InvalidSpec
from app.api.spec import MyResourceSpec
from app.core.child_metadata import deployment_name
from app.core.desired.child_size import MAX_CHILD, is_too_large
from app.core.desired.config_hash import Config, config
from app.core.desired.dependencies import Unmet, unmet_dependencies
from app.core.desired.generation import GenerationMemo, Manifests, manifests, validated_spec
from app.core.desired.holders import Holder, deployment_holder, name_holder, terminating_child
from app.core.desired.optional_children import desired_kinds
from app.core.watch import Watch
from metahook import Deployment, EncodedManifest, Manifest, SyncRequest


@dataclass(frozen=True)
class DesiredState:
    """The desired ``children``; or those that are ``kept`` as they are, and the ``problem`` of the spec."""

    children: Sequence[EncodedManifest] = ()
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


def desired_state(
    request: SyncRequest, watch: Watch, memo: GenerationMemo | None = None, *, was_ever_ready: bool
) -> DesiredState:
    """Return the desired state of the parent of *request*, which *was_ever_ready* as its previous status says."""
    spec = validated_spec(request.parent, memo)
    if isinstance(spec, InvalidSpec):
        return DesiredState(kept=request.children.kept(), problem=spec.problem)
    desired = _of_valid_spec(request, spec, watch, memo, was_ever_ready=was_ever_ready)
    if any(map(is_too_large, desired.children)):
        problem = f"spec: makes a child object larger than {MAX_CHILD // 1024} KiB; move long values to a ConfigMap"
        return DesiredState(kept=request.children.kept(), problem=problem)
    return desired


def _of_valid_spec(
    request: SyncRequest, spec: MyResourceSpec, watch: Watch, memo: GenerationMemo | None, *, was_ever_ready: bool
) -> DesiredState:
    observed_config = config(request, spec, watch, memo)
    made = manifests(request.parent, spec, observed_config.hashes, memo)
    unmet = unmet_dependencies(request, spec, watch)
    # Why not again once it has started: what has run is never stopped because of a dependency.
    has_started = was_ever_ready or request.children.get(Deployment, deployment_name(request.parent)) is not None
    is_waiting = bool(unmet) and not has_started
    taken = deployment_holder(request)
    others, holders = _optional_children(request, spec, made)
    children = others if is_waiting or taken else [made[Deployment], *others]
    return DesiredState(
        children=children,
        spec=spec,
        replicas=spec.replicas,
        holders=tuple(filter(None, (terminating_child(children, request.children), *holders, taken))),
        config=observed_config,
        unmet_dependencies=unmet if spec.dependencies else None,
        is_waiting_for_dependencies=is_waiting,
    )


def _optional_children(
    request: SyncRequest, spec: MyResourceSpec, made: Manifests
) -> tuple[list[EncodedManifest], list[Holder]]:
    """Return the children beside the Deployment whose names are free, and who holds those of the others."""
    desired = desired_kinds(spec)
    holders = [name_holder(request, child.kind, child.name(request.parent)) for child in desired]
    free = [child for child, holder in zip(desired, holders, strict=True) if holder is None]
    return [made[child.kind] for child in free], [holder for holder in holders if holder]
