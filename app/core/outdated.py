"""Is the parent that is shown older than its children? Then its spec is past, and would undo what was applied since.

It happens when Metacontroller starts on a cache that lags behind. The children tell: they carry the generation that
they were made for. The sync that follows once the cache has caught up does what is to be done.
"""

import re

from app.core.gap import Gap
from app.core.identity import APPLIED, CHILDREN
from metahook import Children, Parent

_MARK = re.compile(r"([0-9]{1,18})-(.+)")


def outdated(parent: Parent, children: Children) -> Gap | None:
    """Return the gap of a child that was made for a later generation of *parent* than this."""
    every = [(kind.__name__, seen.metadata) for kind in CHILDREN for seen in children.all(kind)]
    later = [(kind, seen.name) for kind, seen in every if _is_later(seen.annotation(APPLIED), parent)]
    return Gap(*min(later), later=True) if later else None


def _is_later(mark: str | None, parent: Parent) -> bool:
    found = _MARK.fullmatch(mark or "")
    return found is not None and found[2] == parent.uid[:8] and int(found[1]) > parent.generation
