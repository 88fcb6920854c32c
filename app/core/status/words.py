"""The words that fill the message of a reason."""

from app.core.desired.holders import Holder
from app.core.diagnosis.refusal import refusal
from app.core.drift import Drift
from app.core.listing import listing
from app.core.status.facts import Facts


def words(facts: Facts) -> dict[str, str]:
    """Return all words, by their names in the messages of :mod:`app.core.reasons`."""
    return {
        "name": facts.parent.name,
        "namespace": facts.parent.namespace,
        "uid": facts.parent.uid,
        "problem": facts.problem or "",
        **_of_the_holder(facts.terminating or facts.conflict or Holder("", "")),
        **_of_the_gap(facts.gap or Drift("", "")),
        "waits": listing(facts.waits or [], "; "),
        "missing": listing(facts.missing),
        "refusal": _refusal(facts),
        **(facts.cause.words if facts.cause else {}),
    }


def _of_the_holder(holder: Holder) -> dict[str, str]:
    return {
        "holder": f"{holder.kind} {holder.name}",
        "until": f"its finalizers are removed: {listing(holder.finalizers)}"
        if holder.finalizers
        else "the deletion is complete",
        "handover": f"{holder.kind.lower()} {holder.name}",
        "others": "set spec.service.mode to Disabled" if holder.kind == "Service" else "delete the Deployment",
    }


def _of_the_gap(gap: Drift) -> dict[str, str]:
    return {
        "kind": gap.kind,
        "child": gap.name,
        "path": gap.path or "",
        "fields": gap.removal.fields if gap.removal else "",
        "command": gap.removal.command if gap.removal else "",
        "write": "updated" if gap.is_observed else "created",
        "refusers": "" if gap.is_observed else "another object has its name, or a quota or ",
    }


def _refusal(facts: Facts) -> str:
    said = facts.rollout.status.condition("ReplicaFailure")
    return refusal(said.message if said else None, facts.spec)
