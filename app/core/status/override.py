"""Overrides: changes of a child that another user or controller makes, and the operator reverts.

The first ones are reverted at once. One that comes again and again, each time within ten minutes, would go on for ever,
and each round creates and deletes Pods. So from the third on it is Overridden: the response has the values that the
other one sets, which changes nothing in the cluster, and the operator reverts them once every ten minutes. All changes
of a MyResource's children count together, so that the bound does not depend on how many fields or writers there are,
or on what else differs.
"""

from collections.abc import Sequence
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
    child_versions: tuple[str, ...] = ()

    @property
    def is_repeated(self) -> bool:
        """Whether changes came so often, one after the other, that others keep making them."""
        return self.count >= REPEATED


class Overriding:
    """What the *drifts* tell about other users and controllers, after the *last* override of this generation.

    *is_waited_for*: whether the previous status waits for the first drift; *was_ready*: whether all children have
    existed in this generation.
    """

    def __init__(
        self,
        drifts: Sequence[Drift],
        last: Override | None,
        *,
        is_waited_for: bool,
        was_ready: bool,
        now: datetime,
    ) -> None:
        self._now = now
        self.last = self._not_in_future(last)
        """The last change that was reverted, which can be one of these drifts."""
        self.is_yielding = False
        """Whether the observed values are left as they are."""
        changed = [drift for drift in drifts if drift.path and drift.overridden_by is not None]
        self.field = changed[0] if changed else None
        """The drift of a field that someone else changed: the first one, whatever else differs."""
        lost = next((drift for drift in drifts[:1] if not drift.path and drift.overridden_by is not None), None)
        versions = tuple(drift.child_version for drift in changed)
        # A field was changed again if its child has another version. A child that was deleted has none.
        if self.field and not (last and set(versions).issubset(last.child_versions)):
            self._add(self.field, versions)
        elif lost and not self.field and was_ready and not is_waited_for:
            self._add(lost)

    def _add(self, drift: Drift, versions: tuple[str, ...] = ()) -> None:
        last = self.last
        is_repeated = last is not None and last.is_repeated
        if last and drift.path and is_repeated and self._is_within(last, WINDOW):
            self.is_yielding = True
            return
        # The change that was left for so long is still the same conflict when its time to be reverted comes.
        is_next = last is not None and self._is_within(last, WINDOW + CALM if is_repeated else WINDOW)
        count = min(last.count + 1, REPEATED) if last and is_next else 1
        self.last = Override(str(drift), count, format_time(self._now), drift.overridden_by or "", versions)

    @property
    def is_overridden(self) -> bool:
        """Whether others keep changing the children, or did until a moment ago."""
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
