"""Repairs a child where Metacontroller alone would not: one more annotation makes it send the whole answer.

Under server-side apply Metacontroller sends an answer only if the answer, or the child's generation, has changed since.
So two things would stay as they are: a label that somebody removed, as that changes no generation; and a value that an
admission policy put in place of ours as it was written. The label needs one write, after which the annotation goes
again. If it is missing beside the annotation, somebody removed it in between: then another annotation is needed, a few
times, as a policy may be what removes it. The value is written anew every ten minutes for as long as it differs, as the
policy may be gone: no timer is set for that, the regular resync of all parents brings the next try. The annotation also
tells whether our writes arrive at all: a value that differs while they do is set by somebody else.
"""

import hashlib

import msgspec

from app.core.child_metadata import REPAIR_ANNOTATION
from app.core.drift import Drift
from app.core.status.facts import Facts
from metahook import Children, Manifest, Object

RETRY = 600
"""Seconds."""

TRIES = 5
"""Annotations, one after the other, for a label that is missing again at once."""

_BETWEEN = "."
"""Between the mark for labels and the mark for a value."""


def repaired(child: Manifest, observed: Object | None, facts: Facts) -> Manifest:
    """Return *child*, with the annotation while *observed* lacks a label of ours or has had another value for long."""
    if observed is None:
        return child
    metadata = child["metadata"]
    before = (observed.metadata.annotation(REPAIR_ANNOTATION) or "").split(_BETWEEN)
    missing = sorted(metadata["labels"].items() - (observed.metadata.labels or {}).items())
    marks = [
        *([_label_mark(missing, before)] if missing else []),
        *([_value_mark(facts)] if facts.is_resending and _is_about(child, facts.drift) else []),
    ]
    if not marks:
        return child
    annotations = {**metadata["annotations"], REPAIR_ANNOTATION: _BETWEEN.join(marks)}
    return {**child, "metadata": {**metadata, "annotations": annotations}}


def has_arrived(desired: list[Manifest], children: Children, facts: Facts) -> bool:
    """Tell whether what was sent again for the drift is found on the observed child: then nobody refuses our writes."""
    observed = next((children.observed(child) for child in desired if _is_about(child, facts.drift)), None)
    marks = ((observed and observed.metadata.annotation(REPAIR_ANNOTATION)) or "").split(_BETWEEN)
    return any(mark.startswith(_of_this_drift(facts)) for mark in marks)


def _label_mark(missing: list[tuple[str, str]], before: list[str]) -> str:
    """Return the mark for labels that are *missing*: the one after that of *before*, up to the last."""
    marks = [_hash([*missing, *range(number)]) for number in range(TRIES)]
    tried = next((number for number, mark in enumerate(marks, 1) if mark in before), 0)
    return marks[min(tried, len(marks) - 1)]


def _value_mark(facts: Facts) -> str:
    """Return the mark for a value that differs: another one in every ten minutes, so that it is sent again."""
    return f"{_of_this_drift(facts)}{int(facts.now.timestamp()) // RETRY}"


def _of_this_drift(facts: Facts) -> str:
    return f"{_hash([str(facts.drift), facts.waiting_since])}-"


def _hash(parts: list[object]) -> str:
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()[:10]


def _is_about(child: Manifest, drift: Drift | None) -> bool:
    """Tell whether *drift* is a value of *child*."""
    name = child["metadata"]["name"]
    return drift is not None and drift.path is not None and (drift.kind, drift.name) == (child["kind"], name)
