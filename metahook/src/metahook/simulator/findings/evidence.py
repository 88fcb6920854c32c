"""What findings are read from: a history, whose responses are decoded once."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from metahook.simulator.findings.claimed_results import AnsweredSync, answered_sync
from metahook.simulator.history import Call, Entry, History, Write
from metahook.simulator.objects import Key

Occurrence = tuple[Key, float, str]
"""The object, the time, and what happened to it."""


@dataclass
class Evidence:
    """A *history*, and the syncs in it that have a usable response."""

    history: History

    @cached_property
    def _answered(self) -> dict[int, AnsweredSync]:
        calls = ((place, entry) for place, entry in enumerate(self.history.entries) if isinstance(entry, Call))
        found = ((place, answered_sync(call)) for place, call in calls if call.hook in ("sync", "finalize"))
        return {place: sync for place, sync in found if sync is not None}

    @property
    def syncs(self) -> list[AnsweredSync]:
        """The syncs with a usable response, in order."""
        return list(self._answered.values())

    def entries(self) -> Iterator[tuple[Entry, AnsweredSync | None]]:
        """Yield all entries, and the sync that a call with a usable response is."""
        answered = self._answered
        for place, entry in enumerate(self.history.entries):
            yield entry, answered.get(place)

    @cached_property
    def parents(self) -> frozenset[Key]:
        """The parents for which a hook was called, or could not be."""
        return frozenset(entry.key for entry in self.history.entries if not isinstance(entry, Write))
