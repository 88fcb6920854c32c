"""Ready: what :mod:`app.core.readiness` decides, in the words of the reason, and when that changes without an event."""

from collections.abc import Callable, Iterable
from datetime import datetime

from app.api.names import API_VERSION
from app.core.child_metadata import deployment_name
from app.core.desired.children import OPTIONAL_CHILDREN
from app.core.desired.desired_state import NameOccupant
from app.core.desired.rollback import Rollback
from app.core.diagnosis.advice import explain_replica_failure
from app.core.drift import Drift
from app.core.facts import Facts
from app.core.readiness import Decision
from app.core.reasons import PROGRESS_DEADLINE_EXCEEDED, REASONS, listing
from app.core.status.condition_type import ACT, ConditionType, ParentCondition
from metahook import Removal, Service

TYPE = ConditionType(
    "Ready",
    "True if the Deployment is fully rolled out for the current generation and all Pods are available. Wait for "
    "this condition: kubectl wait --for=condition=Ready myresource/NAME",
    ACT,
    "`kubectl wait`, health checks, other operators, MyResources that [depend](../apps/dependencies.md) on it",
    is_of_rollout=True,
)


def decide(facts: Facts, decision: Decision) -> ParentCondition:
    """Return whether the MyResource is Ready, and why not."""
    return ParentCondition(TYPE.name, decision.status, decision.reason.name, message(decision, facts))


def changes_at(facts: Facts, decision: Decision) -> Iterable[datetime | None]:
    """Return when another rule holds: what is waited for has taken too long, or the schedule asks for another state."""
    is_left = facts.drift is not None and facts.drift.path and facts.overriding.is_yielding
    return [
        *([] if is_left else facts.wait.timers()),
        *(facts.overriding.timers() if facts.overriding.last else []),
        *facts.deadlines.timers,
        facts.diagnosis.changes_at,
        facts.desired.schedule.next_transition if facts.desired.schedule else None,
        decision.awaits_records_until,
    ]


def message(decision: Decision, facts: Facts) -> str:
    """Return the message of the condition Ready."""
    explained = decision.cause.explanation.words if decision.cause else {}
    words = {name: WORDS[name](facts) for name in decision.reason.words if name not in explained}
    return decision.reason.message.format_map({**explained, **words})


_MOST_OF_IMAGE = 300
"""Characters of an image in a message. It may have 512."""

_NOW_AND_THEN = "the operator now reverts such changes only once every ten minutes"
"""True while such a change is left, and in the minute after one was reverted."""


def _drift(facts: Facts) -> Drift:
    return facts.drift or Drift("", "")


def _occupant(facts: Facts) -> NameOccupant:
    return facts.terminating or facts.conflict or NameOccupant("", "")


def _until(facts: Facts) -> str:
    finalizers = listing(_occupant(facts).finalizers)
    return f"its finalizers are removed: {finalizers}" if finalizers else "the deletion is complete"


def _way_out(facts: Facts) -> str:
    kind, spec = _occupant(facts).kind, facts.desired.spec
    remedies = (child.remedy for child in OPTIONAL_CHILDREN if child.kind.KIND.kind == kind)
    remedy = next(remedies, f"delete the {kind}")
    is_exposed = kind == Service.KIND.kind and spec is not None and spec.expose is not None
    return f"remove spec.expose and {remedy}" if is_exposed else remedy


def _removal(facts: Facts) -> Removal:
    return _drift(facts).removal or Removal("", "")


def _write(facts: Facts) -> str:
    drift = _drift(facts)
    if drift.is_undesired:
        return "deleted"
    return "updated" if drift.observed else "created"


def _awaited(facts: Facts) -> str:
    drift = _drift(facts)
    if facts.was_just_written:
        # As before the write, when a Deployment without an image was not observed.
        write = "updated" if facts.previous_status.image else "created"
        return f"Deployment {deployment_name(facts.parent)} to be {write} and observed"
    if facts.wait.is_keeping_newer_children:
        return f"Metacontroller to send the generation that {drift.kind} {drift.name} was made for"
    if drift.removal:
        return f"the removal of leftover fields of {drift.kind} {drift.name}"
    is_written_for_spec = drift.kind == "Deployment" and not (drift.is_undesired or drift.path)
    return f"{drift.kind} {drift.name} to be {_write(facts)}" + (" and observed" if is_written_for_spec else "")


def _obstacle(facts: Facts) -> str:
    """Return what can keep a child from being created, updated or deleted."""
    drift = _drift(facts)
    if finalizers := _finalizers(drift):
        return f"its finalizers are not removed: {listing(finalizers)}"
    policy = "an admission policy rejects it, or Metacontroller lacks the permission"
    if drift.is_undesired:
        return policy
    return f"a quota or {policy}" if drift.observed else f"another object has its name, or a quota or {policy}"


def _described(facts: Facts) -> str:
    """Return the object whose events tell more: those of a controller that can't remove its finalizer are its own."""
    drift = _drift(facts)
    return f"{drift.kind.lower()} {drift.name}" if _finalizers(drift) else f"myresource {facts.parent.name}"


def _finalizers(drift: Drift) -> list[str]:
    """Return the finalizers that keep a child that is not desired, and is being deleted."""
    metadata = drift.observed.metadata if drift.is_undesired and drift.observed else None
    return metadata.finalizers or [] if metadata and metadata.deletion_timestamp else []


def _override(facts: Facts) -> str:
    """Return what is wrong with a child that another user or controller keeps changing, and the remedy."""
    overriding, drift = facts.overriding, facts.drift
    what, manager = str(drift), ""
    if overriding.field:
        what, manager = str(overriding.field), overriding.field.overridden_by or ""
    elif overriding.is_overridden and overriding.last:
        what, manager = overriding.last.what, overriding.last.manager
    who = f"Field manager {manager}" if manager else "Another user or controller"
    path, _, child = what.rpartition(" of ")
    if not path:
        return (
            f"{who} keeps deleting or changing {what}, which is recreated or updated each time. Stop it from doing so"
        )
    # The path of env itself, and not of a variable in it, means the order of the variables, or that all are missing.
    if path.endswith(".env") and drift and what == str(drift):
        return (
            f"Variables in env of {child} are missing or in another order than in this spec. Rename the variable that "
            f"uses another one, or stop other users and controllers from changing env: {path}"
        )
    remedy = "Set the same value in this spec, or stop it from changing the field"
    if path == "spec.replicas":
        remedy = (
            "If it is an autoscaler, replace it by spec.autoscaling, or set its scaleTargetRef to kind MyResource, "
            f"name {facts.parent.name}, apiVersion {API_VERSION}; otherwise scale this MyResource instead of the "
            "Deployment"
        )
    return f"{who} has changed a field of {child}, and {_NOW_AND_THEN}. {remedy}: {path}"


def _pods(facts: Facts) -> str:
    if facts.rollout.replicas:
        return ", with the number of Pods of its window"
    if facts.rollout.stopping is None:
        return ". Pods that are still stopping are not counted"
    return ", and its last Pods are stopping" if facts.rollout.stopping else ", and no Pods are running"


def _replica_failure(facts: Facts) -> str:
    failure = facts.rollout.failure
    return explain_replica_failure(failure.message if failure else None, facts.desired.spec)


def _image(text: str | None) -> str:
    text = text or ""
    return text if len(text) <= _MOST_OF_IMAGE else f"{text[:_MOST_OF_IMAGE]}..."


def _rollback(facts: Facts) -> Rollback:
    return facts.desired.rollback or Rollback()


def _failure(facts: Facts) -> str:
    """Return the reason for the rollback, as the Deployment has it; others can write it, too."""
    reason = _rollback(facts).failure
    return reason if reason in REASONS else PROGRESS_DEADLINE_EXCEEDED.name


WORDS: dict[str, Callable[[Facts], str]] = {
    "name": lambda facts: facts.parent.name,
    "namespace": lambda facts: facts.parent.namespace,
    "uid": lambda facts: facts.parent.uid,
    "problem": lambda facts: facts.desired.problem or "",
    "dependencies": lambda facts: listing(facts.desired.unmet_dependencies or [], "; "),
    "missing": lambda facts: listing(facts.desired.config.missing),
    "pods": _pods,
    "refusal": _replica_failure,
    "holder": lambda facts: f"{_occupant(facts).kind} {_occupant(facts).name}",
    "until": _until,
    "occupant": lambda facts: f"{_occupant(facts).kind.lower()} {_occupant(facts).name}",
    "way_out": _way_out,
    "unmanaged": lambda facts: facts.desired.unmanaged,
    "kind": lambda facts: _drift(facts).kind,
    "child": lambda facts: _drift(facts).name,
    "override": _override,
    "fields": lambda facts: _removal(facts).fields,
    "command": lambda facts: _removal(facts).command,
    "awaited": _awaited,
    "write": _write,
    "obstacle": _obstacle,
    "described": _described,
    "image": lambda facts: _image(facts.desired.spec.image if facts.desired.spec else None),
    "ready_image": lambda facts: _image(_rollback(facts).ready_image),
    "failure": _failure,
}
"""The words of all messages but those of Pods, which are in :mod:`app.core.diagnosis.advice`."""
