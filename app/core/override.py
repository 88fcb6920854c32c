"""Overrides: changes of a child that another user or controller makes, and the operator reverts.

The first ones are reverted at once. One that comes again and again, each time within ten minutes, would go on for ever,
and each round creates and deletes Pods. So from the third on it is Overridden: the response has the values that the
other one sets, which changes nothing in the cluster, and the operator reverts them once every ten minutes. All changes
of a MyResource's children count together, so that the bound does not depend on how many fields or writers there are,
or on what else differs.

What was reverted is written on the child, in the same write: the count, the version of the child, and the time of the
change, as the API server recorded it. So a sync with an old status counts on, and one with an old child gives the same
annotation again.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime

from app.core.child_metadata import GENERATION_STAMP, REVERTED
from app.core.drift import Drift
from app.core.previous_status import REPEATED, Override
from app.core.timers import after, format_time, parse_time
from metahook import Object, Parent, generation_stamp

WINDOW = 600
"""Seconds."""

CALM = 60
"""Seconds without another change after which a child that was overridden counts as restored."""

_AHEAD = 86_400
"""Seconds."""

_RECORD = re.compile("(?P<count>[1-9])/(?P<version>[^/]{0,64})/(?P<time>[^/]{20})")


def read_annotation(child: Object, stamp: str) -> Override | None:
    """Return the last change of *child* that was reverted in the generation *stamp*, as its annotation has it."""
    text = child.metadata.annotation(REVERTED)
    record = _RECORD.fullmatch(text) if text else None
    if record is None or child.metadata.annotation(GENERATION_STAMP) != stamp or not parse_time(record["time"]):
        return None
    what = f"{child.KIND.kind} {child.metadata.name}"
    return Override(what, int(record["count"]), record["time"], child_versions=(record["version"],))


def known_overrides(parent: Parent, children: Iterable[Object], stored: Override | None) -> list[Override]:
    """Return the changes that were reverted in this generation, as the status has *stored* them, and the *children*."""
    stamp = generation_stamp(parent)
    annotated = [override for child in children if (override := read_annotation(child, stamp))]
    return [stored, *annotated] if stored else annotated


class Overriding:
    """What the *drifts* tell about other users and controllers, after the *known* overrides of this generation.

    Those are of the previous status, which can be old or lost, and of the annotations of children, which a child that
    was deleted has no longer: the latest one counts. *is_waited_for*: whether the previous status waits for the first
    drift; *was_ready*: whether all children have existed in this generation.
    """

    def __init__(
        self,
        drifts: Sequence[Drift],
        known: Sequence[Override],
        *,
        is_waited_for: bool,
        was_ready: bool,
        now: datetime,
    ) -> None:
        self._now = now
        self.known = known
        self.last = max(filter(self._is_credible, known), key=lambda each: (each.reverted_at, each.count), default=None)
        """The last change that was reverted, which can be one of these drifts."""
        self.is_yielding = False
        """Whether the observed values are left as they are."""
        changed = [drift for drift in drifts if drift.path and drift.overridden_by is not None]
        self.field = changed[0] if changed else None
        """The drift of a field that someone else changed: the first one, whatever else differs."""
        lost = drifts[0] if drifts and not drifts[0].path and drifts[0].overridden_by is not None else None
        # A field was changed again if its child has another version. A child that was deleted has none.
        if self.field and not all(map(self._is_counted, changed)):
            versions = tuple([drift.child_version for drift in changed])
            self._add(self.field, max(drift.changed_at for drift in changed), versions)
        elif lost and not self.field and was_ready and not is_waited_for:
            self._add(lost)

    def _add(self, drift: Drift, changed_at: str = "", versions: tuple[str, ...] = ()) -> None:
        last, time, count = self.last, parse_time(changed_at) or self._now, 1
        if last and drift.path and last.is_repeated and self._is_within(last, WINDOW):
            self.is_yielding = True
            return
        if last:
            # The change that was left for so long is still the same conflict when its time to be reverted comes.
            left = WINDOW if last.is_repeated and drift.path else 0
            before = after(self._reverted_at(last), left) or time
            is_next = (time - before).total_seconds() < (CALM if left else WINDOW)
            count, time = (min(last.count + 1, REPEATED), max(time, before)) if is_next else (1, time)
        self.last = Override(str(drift), count, format_time(time), drift.overridden_by or "", versions)

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

    def _is_credible(self, override: Override) -> bool:
        """Tell whether its time is not so far in the future that no clock explains it."""
        return (self._reverted_at(override) - self._now).total_seconds() < _AHEAD

    def _is_counted(self, drift: Drift) -> bool:
        """Tell whether it is the change that was counted last, whose revert has not been observed yet.

        Then its child has the same version; or, if that counts writes of the status, too, no later write than that.
        """
        last = self.last
        if last is None:
            return False
        is_same = drift.child_version in last.child_versions
        return is_same or (not drift.has_generation and bool(drift.changed_at) and drift.changed_at <= last.reverted_at)

    def _is_within(self, override: Override, seconds: int) -> bool:
        end = after(self._reverted_at(override), seconds)
        return end is None or self._now < end

    def _reverted_at(self, override: Override) -> datetime:
        return parse_time(override.reverted_at) or self._now
