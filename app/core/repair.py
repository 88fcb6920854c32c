"""Repairs a child where Metacontroller alone would not: one more annotation makes it send the whole answer.

Under server-side apply Metacontroller sends an answer only if the answer, or the child's generation, has changed since.
So two things would stay as they are: a label that somebody removed, as that changes no generation; and a value that an
admission policy put in place of ours as it was written. The label needs one write, after which the annotation goes
again. If it is missing beside the annotation, somebody removed it in between: then another annotation is needed, a few
times, as a policy may be what removes it. The value is written anew every ten minutes for as long as it differs, as the
policy may be gone: no timer is set for that, the regular resync of all parents brings the next try.
"""

import hashlib

import msgspec

from app.core.facts import Facts
from app.core.gap import Gap
from app.core.identity import REPAIR
from app.hooks import Manifest, Object

RETRY = 600
"""Seconds."""

TRIES = 5
"""Annotations, one after the other, for a label that is missing again at once."""


def repaired(child: Manifest, observed: Object | None, facts: Facts) -> Manifest:
    """Return *child*, with the annotation while *observed* lacks a label of ours or has had another value for long."""
    if observed is None:
        return child
    metadata = child["metadata"]
    missing = sorted(metadata["labels"].items() - (observed.metadata.labels or {}).items())
    again = int(facts.now.timestamp()) // RETRY if facts.stuck and _has(child, facts.gap) else None
    ills: list[object] = [*missing, *([] if again is None else [again])]
    if not ills:
        return child
    marks = [_mark([*ills, *range(number)]) for number in range(TRIES if missing else 1)]
    before = observed.metadata.annotation(REPAIR)
    number = marks.index(before) + 1 if before in marks else 0
    mark = marks[min(number, len(marks) - 1)]
    return {**child, "metadata": {**metadata, "annotations": {**metadata["annotations"], REPAIR: mark}}}


def _mark(ills: list[object]) -> str:
    return hashlib.sha256(msgspec.json.encode(ills)).hexdigest()[:10]


def _has(child: Manifest, gap: Gap | None) -> bool:
    """Tell whether *gap* is a value of *child*."""
    name = child["metadata"]["name"]
    return gap is not None and gap.path is not None and (gap.kind, gap.name) == (child["kind"], name)
