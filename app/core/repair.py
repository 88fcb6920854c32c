"""Repairs a child where Metacontroller alone would not: one more annotation makes it send the whole answer.

Under server-side apply Metacontroller sends an answer only if the answer, or the child's generation, has changed since.
So two things would stay as they are: a label that somebody removed, as that changes no generation; and a value that an
admission policy put in place of ours as it was written. The label needs one write, after which the annotation goes
again. The value is written anew every ten minutes for as long as it differs, as the policy may be gone: no timer is
set for that, the regular resync of all parents brings the next try.
"""

import hashlib

import msgspec

from app.core.gap import Gap
from app.core.identity import REPAIR
from app.core.readiness import Facts
from app.hooks import Manifest, Object

RETRY = 600
"""Seconds."""


def repaired(child: Manifest, observed: Object | None, facts: Facts) -> Manifest:
    """Return *child*, with the annotation while *observed* lacks a label of ours or has had another value for long."""
    metadata = child["metadata"]
    seen = (observed.metadata.labels or {}) if observed else metadata["labels"]
    ills: list[object] = sorted(metadata["labels"].items() - seen.items())
    if facts.stuck and _has(child, facts.gap):
        ills.append(int(facts.now.timestamp()) // RETRY)
    if not ills:
        return child
    mark = hashlib.sha256(msgspec.json.encode(ills)).hexdigest()[:10]
    return {**child, "metadata": {**metadata, "annotations": {**metadata["annotations"], REPAIR: mark}}}


def _has(child: Manifest, gap: Gap | None) -> bool:
    """Tell whether *gap* is a value of *child*."""
    name = child["metadata"]["name"]
    return gap is not None and gap.path is not None and (gap.kind, gap.name) == (child["kind"], name)
