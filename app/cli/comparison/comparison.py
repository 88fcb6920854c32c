"""A comparison: one request, answered by this version, against the answer that there is to compare with."""

from collections.abc import Callable
from datetime import datetime

from app.cli.comparison.answers import MALFORMED, OK, Answer, NotAnAnswer, answer, ours, timeless
from app.cli.comparison.difference import Difference, between, from_observed
from app.cli.comparison.pods import of_file
from app.cli.errors import InputError
from app.cli.files.recordings import Recording
from app.core.watch import Watch

Ask = Callable[[Recording], Answer]
"""Asks another version's hook."""


def difference(recording: Recording, now: datetime, other: Ask | None, watch: Watch) -> Difference | None:
    """Return how answers to *recording* differ, or None if there is nothing to compare with; raise InputError."""
    with of_file(recording.file):
        return _difference(recording, now, other, watch)


def _difference(recording: Recording, now: datetime, other: Ask | None, watch: Watch) -> Difference | None:
    """Compare.

    The *other* version's answer is the new one; else this version's is, and the recorded one, or what is observed, is
    the old one. A recorded answer is compared at the time of then, if that is known.
    """
    if other:
        pair = (ours(recording, now, watch), other(recording))
        return between(recording, *(timeless(said, same_time=False) for said in pair))
    known = recording.time is not None
    mine = timeless(ours(recording, recording.time or now, watch), same_time=known)
    recorded = _recorded(recording)
    if recorded:
        return between(recording, timeless(recorded, same_time=known), mine)
    if mine.code == MALFORMED:
        message = f"{recording.file}: not a hook request; give what serve --record wrote, or a request's body"
        raise InputError(message)
    return from_observed(recording, mine) if recording.hook == "sync" else None


def _recorded(recording: Recording) -> Answer | None:
    if recording.response is None and recording.status in (None, OK):
        return None
    try:
        return answer(recording.hook, recording.status or OK, recording.response)
    except NotAnAnswer as error:
        message = f"{recording.file}: its response is not an answer of a hook; record it anew, or remove the response"
        raise InputError(message) from error
