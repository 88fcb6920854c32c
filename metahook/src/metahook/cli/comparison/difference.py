"""A difference: what another response to the same request changes in the children, the status and the Pods."""

from dataclasses import dataclass, field
from enum import Enum

from metahook.cli.comparison.children import (
    apply_to,
    as_stored,
    has_pods,
    is_bare,
    last_applied_children,
    restart_paths,
)
from metahook.cli.comparison.responses import OK, HookResponse
from metahook.cli.files.recordings import Identity, Recording
from metahook.protocol.objects import Json, Object, changed_paths


class PodsEffect(Enum):
    """What happens to the running Pods."""

    KEEP = "keep"
    RESTART = "restart"
    END = "end"


@dataclass(frozen=True)
class ChildChange:
    """A child that is added, removed, or changed at some paths."""

    change: str
    kind: str
    name: str
    paths: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Difference:
    """What differs between two responses; a field without a difference has its default."""

    codes: tuple[int, int] | None = None
    """Status codes before and after, if one of the two is not 200."""
    children: list[ChildChange] = field(default_factory=list)
    states: tuple[str, str] | None = None
    """State and reason before and after."""
    status: list[str] = field(default_factory=list)
    """Paths in the status."""
    rules: list[str] = field(default_factory=list)
    """Paths in the related rules."""
    resync: bool = False
    pods: PodsEffect = PodsEffect.KEEP

    def __bool__(self) -> bool:
        return self != Difference()


Structs = tuple[type[Object], ...]
"""Structs of the kinds of children that the hook declares."""


def compare_responses(recording: Recording, old: HookResponse, new: HookResponse, structs: Structs) -> Difference:
    """Return how the response *new* differs from *old*."""
    if old.code != new.code or new.code != OK:
        codes = None if old.code == new.code else (old.code, new.code)
        pods = _pods_effect(recording, old, new, structs) if new.code == OK else PodsEffect.KEEP
        return Difference(codes=codes, pods=pods)
    keys = sorted({**old.children, **new.children})
    children = [change for key in keys if (change := _compare_child(key, recording, old, new))]
    return Difference(
        children=children,
        states=(old.state, new.state) if old.state != new.state else None,
        status=changed_paths(old.status, new.status, "status"),
        rules=changed_paths(old.rules, new.rules, "relatedResources"),
        resync=_differs(old.resync, new.resync),
        pods=_pods_effect(recording, old, new, structs) if children else PodsEffect.KEEP,
    )


def compare_with_observed(recording: Recording, new: HookResponse, structs: Structs) -> Difference:
    """Return what the response *new* changes in the observed children, and whether Ready is lost.

    The rest of the status is not compared: during a rollout it changes without a difference between versions.
    """
    if new.code != OK:
        return Difference(codes=(OK, new.code))
    if recording.parent["metadata"].get("deletionTimestamp"):
        return Difference()
    observed, last = recording.observed(), last_applied_children(recording.body, structs)
    keys = {**observed, **new.children}
    changes = [_apply_child(key, observed.get(key), last.get(key, {}), new.children.get(key)) for key in keys]
    status = recording.parent.get("status")
    old_state = HookResponse(OK, status=status if isinstance(status, dict) else {}).state
    is_lost = _is_ready(recording.parent) and old_state != new.state
    return Difference(
        children=[change for change in changes if change],
        states=(old_state, new.state) if is_lost else None,
        pods=_pods_effect(recording, None, new, structs),
    )


def _differs(old: object, new: object) -> bool:
    """Tell whether two times of the next sync differ. The hook counts seconds from a bit later than the recording."""
    if isinstance(old, int) and isinstance(new, int):
        return abs(old - new) > 1
    return old != new


def _compare_child(key: Identity, recording: Recording, old: HookResponse, new: HookResponse) -> ChildChange | None:
    """Return how a child differs. One that is only named stays as it is observed."""
    before, after = old.children.get(key), new.children.get(key)
    if before is None or after is None:
        return ChildChange("added" if after else "removed", *key)
    if is_bare(after):
        return None
    if is_bare(before):
        return _apply_child(key, recording.observed().get(key), {}, after)
    return _changed(key, before, after)


def _apply_child(key: Identity, observed: Json | None, last_applied: Json, desired: Json | None) -> ChildChange | None:
    """Return how the *observed* child changes when *desired* is applied."""
    if observed is None or desired is None:
        return ChildChange("added" if desired else "removed", *key)
    return _changed(key, as_stored(observed), apply_to(observed, last_applied, desired))


def _changed(key: Identity, before: Json, after: Json) -> ChildChange | None:
    paths = changed_paths(before, after, "")
    return ChildChange("changed", *key, paths) if paths else None


def _pods_effect(recording: Recording, old: HookResponse | None, new: HookResponse, structs: Structs) -> PodsEffect:
    """Return what happens to the Pods with *new* that does not happen with *old*."""
    if recording.hook != "sync" or recording.parent["metadata"].get("deletionTimestamp"):
        return PodsEffect.KEEP
    last = last_applied_children(recording.body, structs)
    deployments = {key: child for key, child in recording.observed().items() if key[0] == "Deployment"}
    effects = [_effect_on(key, observed, last, old, new) for key, observed in deployments.items()]
    return next((effect for effect in (PodsEffect.END, PodsEffect.RESTART) if effect in effects), PodsEffect.KEEP)


def _effect_on(
    key: Identity, observed: Json, last: dict[Identity, Json], old: HookResponse | None, new: HookResponse
) -> PodsEffect:
    """Return what happens to the Pods of the *observed* Deployment."""
    if not has_pods(observed):
        return PodsEffect.KEEP
    before = old.children.get(key) if old else None
    after = new.children.get(key)
    if after is None:
        return PodsEffect.END
    last_applied = last.get(key) or (before if before and not is_bare(before) else {})
    now, with_new = as_stored(observed), apply_to(observed, last_applied, after)
    with_old = apply_to(observed, last_applied, before) if before else now
    restarts = restart_paths(now, with_new) and restart_paths(with_old, with_new)
    return PodsEffect.RESTART if restarts else PodsEffect.KEEP


def _is_ready(parent: Json) -> bool:
    """Tell whether Ready is True in the status of *parent*, for its present generation."""
    status = parent.get("status")
    listed = status.get("conditions") if isinstance(status, dict) else None
    conditions = [item for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []
    expected = {"type": "Ready", "status": "True", "observedGeneration": parent["metadata"].get("generation")}
    return any(all(item.get(key) == value for key, value in expected.items()) for item in conditions)
