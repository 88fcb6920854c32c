"""Which children carry the repair annotation: see :mod:`metahook.protocol.repair`."""

from collections.abc import Sequence

from app.core.child_metadata import REPAIR_ANNOTATION
from app.core.drift import Drift
from app.core.status.facts import Facts
from metahook import Children, Manifest, Object, Resend, was_resent, with_repair


def repaired(child: Manifest, observed: Object | None, facts: Facts) -> Manifest:
    """Return *child*, with the annotation while *observed* lacks a label of ours or has had another value for long."""
    is_resent = facts.is_resending and _is_about(child, facts.drift)
    return with_repair(child, observed, REPAIR_ANNOTATION, _resend(facts) if is_resent else None)


def has_arrived(desired: Sequence[Manifest], children: Children, facts: Facts) -> bool:
    """Tell whether the child with the drift shows that its value was sent again: then no policy refuses our writes."""
    observed = next((children.observed(child) for child in desired if _is_about(child, facts.drift)), None)
    return observed is not None and was_resent(observed, REPAIR_ANNOTATION, _resend(facts))


def _resend(facts: Facts) -> Resend:
    return Resend(str(facts.drift), facts.waiting_since, facts.now)


def _is_about(child: Manifest, drift: Drift | None) -> bool:
    """Tell whether *drift* is a value of *child*."""
    if drift is None or drift.path is None:
        return False
    return (drift.kind, drift.name) == (child["kind"], child["metadata"]["name"])
