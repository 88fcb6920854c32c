"""The informers: Metacontroller's own copy of the objects, always a little out of date."""

import itertools
from collections import deque
from collections.abc import Callable, Iterable

from metahook.simulator.apiserver.store import ApiServer
from metahook.simulator.clock import Clock, Timer
from metahook.simulator.history import Write
from metahook.simulator.objects import Json, Key

Handler = Callable[[Key, Json | None, Json | None], None]
"""Called with a change: the key, the object as it was in the cache, and as it is now."""

REMEMBERED = 3
"""Changes of each kind that ``behind`` can hide."""


class Cache:
    """Objects as Metacontroller knows them, read-only. Each kind has its own watch.

    ``late`` is the seconds until a change arrives. ``delays`` returns them for one change: none if it is lost, two if
    it arrives twice. ``behind`` is the number of last changes of a kind that are hidden, as with a cache that was
    filled by an API server that lags behind.
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
        self._arriving: dict[str, deque[Timer]] = {}
        api.watch(self._on_write)

    def get(self, key: Key) -> Json | None:
        """Return an object, or None."""
        return self._objects_of(key.kind).get(key)

    def all(self, kind: str, namespace: str | None = None) -> list[Json]:
        """Return the objects of *kind*, in *namespace* or in all, sorted by name."""
        objects = self._objects_of(kind)
        return [objects[key] for key in sorted(objects) if namespace in (None, key.namespace)]

    def relist(self) -> None:
        """List everything again, as a process that starts; a kind that is ``behind`` is listed as it was."""
        past = {kind: self._objects_of(kind) for kind in self.behind}
        for kind in list(self._arriving):
            self._end(kind)
        self._changes.clear()
        self._objects.clear()
        self.behind.clear()
        for key in self._api.all_keys():
            if key.kind not in past:
                self._set(key, self._api.get(key))
        for key, item in itertools.chain.from_iterable(objects.items() for objects in past.values()):
            self._set(key, item)

    def rewatch(self, kind: str) -> None:
        """Restart the watch of *kind*: only the current state of what was missed arrives, no state in between."""
        self._end(kind)
        known = self._objects.get(kind, {})
        for key in dict.fromkeys([*known, *(key for key in self._api.all_keys() if key.kind == kind)]):
            if self._api.get(key) != known.get(key):
                self._set(key, self._api.get(key))

    def _end(self, kind: str) -> None:
        """End the watch of *kind*: events on their way never arrive, as they are older than the next list."""
        for timer in self._arriving.pop(kind, ()):
            timer.cancelled = True

    def _objects_of(self, kind: str) -> dict[Key, Json]:
        """Return the objects of *kind*, without as many of the last changes as the cache is behind."""
        objects = self._objects.get(kind, {})
        behind = self.behind.get(kind)
        if not behind:
            return objects
        changes = list(self._changes.get(kind, ()))[-behind:]
        past: dict[Key, Json | None] = {**objects, **dict(reversed(changes))}
        return {key: item for key, item in past.items() if item is not None}

    def _on_write(self, write: Write) -> None:
        """Let *write* arrive later, but never before an earlier change of its kind."""
        arriving = self._arriving.setdefault(write.key.kind, deque())
        for delay in self.delays(write):
            moment = max(self._clock.now + delay, arriving[-1].at if arriving else 0.0)
            arriving.append(self._clock.at(moment, lambda: self._arrive(write)))

    def _arrive(self, write: Write) -> None:
        self._arriving[write.key.kind].popleft()
        self._set(write.key, write.after)

    def _set(self, key: Key, item: Json | None) -> None:
        objects = self._objects.setdefault(key.kind, {})
        old = objects.pop(key, None)
        if old is None and item is None:
            return  # a deletion that arrives twice is one event
        self._changes.setdefault(key.kind, deque(maxlen=REMEMBERED)).append((key, old))
        if item is not None:
            objects[key] = item
        self._handler(key, old, item)
