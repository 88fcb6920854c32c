"""The words that fill the message of a reason."""

from dataclasses import dataclass

from app.core.desired.holders import Holder
from app.core.diagnosis.replica_failure import explain_replica_failure
from app.core.drift import Drift
from app.core.status.facts import Facts
from app.core.status.listing import listing
from app.core.status.readiness import Decision


@dataclass(frozen=True)
class Words:
    """The words of all messages but those of Pods, which are in :mod:`app.core.diagnosis.words`. Some are empty."""

    name: str
    namespace: str
    uid: str
    problem: str
    dependencies: str
    missing: str
    refusal: str

    holder: str
    until: str
    handover: str
    others: str

    kind: str
    child: str
    path: str
    override: str
    fields: str
    command: str
    write: str
    refusers: str


def message(decision: Decision, facts: Facts) -> str:
    """Return the message of the condition Ready."""
    words = vars(_words(facts))
    return decision.reason.filled({**words, **vars(decision.cause.words)} if decision.cause else words)


def _words(facts: Facts) -> Words:
    holder = facts.terminating or facts.conflict or Holder("", "")
    finalizers = listing(holder.finalizers)
    drift = facts.drift or Drift("", "")
    return Words(
        name=facts.parent.name,
        namespace=facts.parent.namespace,
        uid=facts.parent.uid,
        problem=facts.desired.problem or "",
        dependencies=listing(facts.desired.unmet_dependencies or [], "; "),
        missing=listing(facts.desired.config.missing),
        refusal=_replica_failure(facts),
        holder=f"{holder.kind} {holder.name}",
        until=f"its finalizers are removed: {finalizers}" if finalizers else "the deletion is complete",
        handover=f"{holder.kind.lower()} {holder.name}",
        others="set spec.service.mode to Disabled" if holder.kind == "Service" else f"delete the {holder.kind}",
        kind=drift.kind,
        child=drift.name,
        path=drift.path or "",
        override=_override(drift),
        fields=drift.removal.fields if drift.removal else "",
        command=drift.removal.command if drift.removal else "",
        write="updated" if drift.is_observed else "created",
        refusers="" if drift.is_observed else "another object has its name, or ",
    )


def _override(drift: Drift) -> str:
    """Return what is wrong with a field of the child that was sent again, and the remedy."""
    child = f"{drift.kind} {drift.name}"
    # The path of env itself, and not of a variable in it, means the order of the variables, or that all are missing.
    if drift.path and drift.path.endswith(".env"):
        return (
            f"Variables in env of {child} are missing or in another order than in this spec. Rename the variable that "
            "uses another one, or stop other users and controllers from changing env"
        )
    return (
        f"Another user or controller keeps overwriting a field of {child}. Set the same value in this spec, or stop "
        "them from changing the field"
    )


def _replica_failure(facts: Facts) -> str:
    failure = facts.rollout.status.condition("ReplicaFailure")
    return explain_replica_failure(failure.message if failure else None, facts.desired.spec)
