"""The informers: Metacontroller's own copy of the objects, always a little late, and sometimes later than that."""

from collections import deque
from collections.abc import Callable, Iterable

from metahook.simulator.apiserver.store import ApiServer
from metahook.simulator.clock import Clock, Plan
from metahook.simulator.history import Write
from metahook.simulator.objects import Json, Key

Handler = Callable[[Key, Json | None, Json | None], None]
"""Told of a change: the key, the object as it was in the cache, and as it is now."""

REMEMBERED = 3
"""Changes of each kind that can be taken back, by ``behind``."""


class Cache:
    """Objects as Metacontroller knows them; what it gives nobody changes. Each kind has a watch of its own.

    ``late`` is by how many seconds it learns of a change; ``delays`` says so for each, which may also be told of twice,
    or never. ``behind`` is by how many changes of a kind what it gives is old: so is a cache that was filled by an API
    server that lags behind.
    """

    def __init__(self, api: ApiServer, clock: Clock, handler: Handler, late: float = 0.005) -> None:
        self.late = late
        self.delays: Callable[[Write], Iterable[float]] = lambda _: (self.late,)
        self.behind: dict[str, int] = {}
        self._api = api
        self._clock = clock
        self._handler = handler
        self._objects: dict[str, dict[Key, Json]] = {}
        self._changes: dict[str, deque[tuple[Key, Json | None]]] = {}
        self._coming: dict[str, deque[Plan]] = {}
        api.watch(self._told)

    def get(self, key: Key) -> Json | None:
        """Return an object, or None."""
        return self._given(key.kind).get(key)

    def all(self, kind: str, namespace: str | None = None) -> list[Json]:
        """Return the objects of *kind*, those in *namespace* or all, by name."""
        given = self._given(kind)
        return [given[key] for key in sorted(given) if namespace in (None, key.namespace)]

    def relist(self) -> None:
        """Learn everything anew, as a process that starts."""
        for kind in list(self._coming):
            self._end(kind)
        self._changes.clear()
        self._objects.clear()
        for key in self._api.all_keys():
            self._take(key, self._api.get(key))

    def renew(self, kind: str) -> None:
        """Learn what was missed of *kind*, as when a watch that broke is made anew: states in between stay unseen."""
        self._end(kind)
        known = self._objects.get(kind, {})
        for key in dict.fromkeys([*known, *(key for key in self._api.all_keys() if key.kind == kind)]):
            if self._api.get(key) != known.get(key):
                self._take(key, self._api.get(key))

    def _end(self, kind: str) -> None:
        """End the watch of *kind*: what is on its way never comes, as it would be older than what is known then."""
        for plan in self._coming.pop(kind, ()):
            plan.cancelled = True

    def _given(self, kind: str) -> dict[Key, Json]:
        """Return the objects of *kind* as they were so many changes ago as the cache is behind."""
        there = self._objects.get(kind, {})
        behind = self.behind.get(kind)
        if not behind:
            return there
        changes = list(self._changes.get(kind, ()))[-behind:]
        past: dict[Key, Json | None] = {**there, **dict(reversed(changes))}
        return {key: item for key, item in past.items() if item is not None}

    def _told(self, write: Write) -> None:
        """Learn of *write* later, and not before what is on its way already: changes of a kind never overtake."""
        coming = self._coming.setdefault(write.key.kind, deque())
        for delay in self.delays(write):
            moment = max(self._clock.now + delay, coming[-1].at if coming else 0.0)
            coming.append(self._clock.at(moment, lambda: self._learn(write)))

    def _learn(self, write: Write) -> None:
        self._coming[write.key.kind].popleft()
        self._take(write.key, write.after)

    def _take(self, key: Key, item: Json | None) -> None:
        there = self._objects.setdefault(key.kind, {})
        old = there.pop(key, None)
        if old is None and item is None:
            return  # it went, and that is known
        self._changes.setdefault(key.kind, deque(maxlen=REMEMBERED)).append((key, old))
        if item is not None:
            there[key] = item
        self._handler(key, old, item)
