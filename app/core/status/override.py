"""Overrides: changes of a child that another user or controller makes, and the operator reverts.

The first ones are reverted at once. One that comes again and again, each time within ten minutes, would go on for ever,
and each round creates and deletes Pods. So from the third on it is Overridden: the response has the values that the
other one sets, which changes nothing in the cluster, and the operator reverts them once every ten minutes. All changes
of a MyResource's children count together, so that the bound does not depend on how many fields or writers there are.
"""

from datetime import datetime

import msgspec
from msgspec.structs import replace

from app.core.drift import Drift
from app.core.timers import after, format_time, parse_time

REPEATED = 3
"""Changes, each within the window after the one before, from which on a child counts as overridden."""

WINDOW = 600
"""Seconds."""

CALM = 60
"""Seconds without another change after which a child that was overridden counts as restored."""


class Override(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """The last change that was reverted, as the status stores it; :mod:`app.api.status` describes the fields."""

    what: str
    count: int
    reverted_at: str
    manager: str = ""
    child_version: str = ""

    @property
    def is_repeated(self) -> bool:
        """Whether the change came again so often that another user or controller keeps making it."""
        return self.count >= REPEATED


class Overriding:
    """What the *drift* tells about other users and controllers, after the *last* override of this generation.

    *is_known*: whether the previous status waits for this drift; *is_complete*: whether all children have existed.
    """

    def __init__(  # noqa: PLR0913 - all that it depends on
        self,
        drift: Drift | None,
        last: Override | None,
        *,
        owner_uid: str,
        is_known: bool,
        is_complete: bool,
        now: datetime,
    ) -> None:
        self._now = now
        self.last = self._not_in_future(last)
        """The last override, which can be this drift."""
        self.is_yielding = False
        """Whether the observed values are left as they are."""
        manager = drift.overriding_manager(owner_uid) if drift else None
        if drift and manager is not None:
            # A value was changed again if its child has another version. A child that was deleted has none.
            is_same = last is not None and (last.what, last.child_version) == (str(drift), drift.child_version)
            if not is_same if drift.path else is_complete and not is_known:
                self._add(drift, manager, is_known=is_known)

    def _add(self, drift: Drift, manager: str, *, is_known: bool) -> None:
        last, what = self.last, str(drift)
        is_recent = last is not None and self._is_within(last, WINDOW)
        if last and last.is_repeated and drift.path:
            self.is_yielding = is_recent
            is_recent = (
                is_recent or is_known
            )  # what was left as it was for so long is reverted once, and still repeated
        if last and self.is_yielding:
            known = last.manager if last.what == what else ""
            self.last = replace(last, what=what, manager=manager or known)
        else:
            count = min(last.count + 1, REPEATED) if last and is_recent else 1
            self.last = Override(what, count, format_time(self._now), manager, drift.child_version)

    @property
    def is_repeated(self) -> bool:
        """Whether a child is overridden, or was until a moment ago."""
        last = self.last
        return self.is_yielding or (last is not None and last.is_repeated and self._is_within(last, CALM))

    def timers(self) -> list[datetime | None]:
        """Return when this changes without an event."""
        if self.last is None or not self.last.is_repeated:
            return []
        return [after(self._reverted_at(self.last), WINDOW if self.is_yielding else CALM)]

    def _not_in_future(self, last: Override | None) -> Override | None:
        is_ahead = last is not None and self._reverted_at(last) > self._now
        return replace(last, reverted_at=format_time(self._now)) if last and is_ahead else last

    def _is_within(self, override: Override, seconds: int) -> bool:
        end = after(self._reverted_at(override), seconds)
        return end is None or self._now < end

    def _reverted_at(self, override: Override) -> datetime:
        return parse_time(override.reverted_at) or self._now
