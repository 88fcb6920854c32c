"""Repairs labels that somebody removed from a child, where Metacontroller alone would not.

Under server-side apply Metacontroller sends an answer only if the answer, or the child's generation, has changed.
Another value in a child's spec changes its generation; a label that is gone does not. Then one more annotation in the
answer makes Metacontroller send all of it; once the label is back, the annotation goes again. Two writes, then quiet.
"""

import hashlib

import msgspec

from app.core.identity import REPAIR
from app.hooks import Manifest, Object


def repaired(child: Manifest, observed: Object | None) -> Manifest:
    """Return *child*, with the annotation while a label of ours is missing on *observed*."""
    own: dict[str, str] = child["metadata"]["labels"]
    if observed is None or own.items() <= (observed.metadata.labels or {}).items():
        return child
    seen = {key: observed.metadata.label(key) for key in own}
    mark = hashlib.sha256(msgspec.json.encode(seen, order="sorted")).hexdigest()[:10]
    metadata = child["metadata"]
    return {**child, "metadata": {**metadata, "annotations": {**metadata["annotations"], REPAIR: mark}}}
