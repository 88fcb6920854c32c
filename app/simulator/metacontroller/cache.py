"""The informers: Metacontroller's own copy of the objects, always a little late."""

import copy
from collections import deque
from collections.abc import Callable

from app.simulator.apiserver.store import ApiServer
from app.simulator.clock import Clock, Plan
from app.simulator.history import Write
from app.simulator.objects import Json, Key

Handler = Callable[[Key, Json | None, Json | None], None]
"""Told of a change: the key, the object as it was in the cache, and as it is now."""


class Cache:
    """Objects as Metacontroller knows them. ``late`` is by how many seconds it learns of a change."""

    def __init__(self, api: ApiServer, clock: Clock, handler: Handler, late: float = 0.005) -> None:
        self.late = late
        self._api = api
        self._clock = clock
        self._handler = handler
        self._objects: dict[Key, Json] = {}
        self._coming: deque[Plan] = deque()
        api.watch(self._told)

    def get(self, key: Key) -> Json | None:
        """Return an object, or None."""
        return copy.deepcopy(self._objects.get(key))

    def all(self, kind: str, namespace: str | None = None) -> list[Json]:
        """Return the objects of *kind*, those in *namespace* or all, by name."""
        keys = sorted(key for key in self._objects if key.kind == kind and namespace in (None, key.namespace))
        return [copy.deepcopy(self._objects[key]) for key in keys]

    def relist(self) -> None:
        """Learn everything anew, as a process that starts."""
        for plan in self._coming:
            plan.cancelled = True
        self._coming.clear()
        self._objects.clear()
        for key in self._api.all_keys():
            self._take(key, self._api.get(key))

    def _told(self, write: Write) -> None:
        """Learn of *write* later, and not before what is on its way already: changes never overtake each other."""
        moment = max(self._clock.now + self.late, self._coming[-1].at if self._coming else 0.0)
        self._coming.append(self._clock.at(moment, lambda: self._learn(write)))

    def _learn(self, write: Write) -> None:
        self._coming.popleft()
        self._take(write.key, write.after)

    def _take(self, key: Key, item: Json | None) -> None:
        old = self._objects.pop(key, None)
        if item is not None:
            self._objects[key] = item
        self._handler(key, old, item)
