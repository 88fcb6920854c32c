"""Is the parent that is shown older than its children? Then its spec is past, and would undo what was applied since.

It happens when Metacontroller starts on a cache that lags behind. The children tell: they carry the generation that
they were made for. The sync that follows once the cache has caught up does what is to be done.
"""

import re

from app.core.identity import APPLIED, CHILDREN
from app.hooks import Children, Parent

_MARK = re.compile(r"([0-9]{1,18})-(.+)")


def outdated(parent: Parent, children: Children) -> bool:
    """Tell whether one of *children* was made for a later generation of *parent* than this."""
    marks = (seen.metadata.annotation(APPLIED) for kind in CHILDREN for seen in children.all(kind))
    return any(_is_later(mark, parent) for mark in marks if mark)


def _is_later(mark: str, parent: Parent) -> bool:
    found = _MARK.fullmatch(mark)
    return found is not None and found[2] == parent.uid[:8] and int(found[1]) > parent.generation
