"""The queue of a controller: it reconciles after a delay, once for several events, and again after an error.

A controller owns the objects that it controls, and adopts the orphans that match its selector.
"""

from collections.abc import Callable, Iterable

from metahook.protocol.request_builder import controller_of
from metahook.simulator.apiserver.store import ApiServer
from metahook.simulator.apiserver.validation import ApiError
from metahook.simulator.clock import Clock, Timer
from metahook.simulator.history import Write
from metahook.simulator.objects import Json, Key, is_deleting, key_of, labels, reference_to, with_metadata


def claim_matching(owner: Json, found: Iterable[Json], api: ApiServer, actor: str) -> list[Json]:
    """Return those of *found* that *owner* controls; *actor* adopts matching orphans that are not being deleted."""
    uid, owned = owner["metadata"]["uid"], []
    for item in found:
        if controller_of(item) == uid:
            owned.append(item)
        elif controller_of(item) is None and not is_deleting(item) and selects(owner, item):
            owners = [*item["metadata"].get("ownerReferences", []), reference_to(owner)]
            owned.append(api.update(with_metadata(item, ownerReferences=owners), actor))
    return owned


def selects(owner: Json, item: Json) -> bool:
    selected: dict[str, str] = (owner["spec"].get("selector") or {}).get("matchLabels") or {}
    is_same_namespace = owner["metadata"]["namespace"] == item["metadata"]["namespace"]
    return is_same_namespace and bool(selected) and selected.items() <= labels(item).items()


RETRY = 5.0
"""Seconds until a refused reconciliation is retried."""


class DelayedQueue:
    """Calls *reconcile* for a key, *delay* seconds after the first of the events that enqueue it.

    While it is paused, it only remembers the keys.
    """

    def __init__(self, clock: Clock, reconcile: Callable[[Key], None], delay: float) -> None:
        self._clock = clock
        self._reconcile = reconcile
        self._delay = delay
        self._is_paused = False
        self._queued: set[Key] = set()
        self._timers: dict[Key, Timer] = {}

    def watch(self, api: ApiServer, kind: str, *, owns: str) -> None:
        """Enqueue each *kind* that changes, and the owners of each object of the kind *owns* that changes.

        An orphan has none: each *kind* that selects it is enqueued, to adopt it.
        """

        def on_write(write: Write) -> None:
            if write.key.kind == kind:
                self.enqueue(write.key)
            elif write.key.kind == owns:
                item = write.after or write.before or {}
                for owner in item["metadata"].get("ownerReferences", []):
                    self.enqueue(Key(kind, write.key.namespace, owner["name"]))
                if controller_of(item) is None:
                    self._enqueue_adopters(api.all(kind), item)

        api.watch(on_write)

    def _enqueue_adopters(self, found: list[Json], item: Json) -> None:
        for owner in found:
            if selects(owner, item):
                self.enqueue(key_of(owner))

    def enqueue(self, key: Key) -> None:
        """Reconcile *key* after the delay."""
        if key not in self._queued:
            self._queued.add(key)
            self._clock.after(self._delay, lambda: self._run(key))

    def enqueue_after(self, key: Key, seconds: float | None, *, idle: bool = False) -> None:
        """Enqueue *key* after *seconds*, in place of an earlier such request; None only cancels that.

        With *idle*, nothing is expected to change (see Timer).
        """
        old = self._timers.pop(key, None)
        if old is not None:
            old.cancelled = True
        if seconds is not None:
            self._timers[key] = self._clock.after(seconds, lambda: self.enqueue(key), idle=idle)

    def pause(self) -> None:
        """Reconcile nothing until ``resume``."""
        self._is_paused = True

    def resume(self) -> None:
        """Reconcile again, first what was enqueued meanwhile."""
        self._is_paused = False
        missed, self._queued = sorted(self._queued), set()
        for key in missed:
            self.enqueue(key)

    def _run(self, key: Key) -> None:
        if self._is_paused:
            return
        self._queued.discard(key)
        try:
            self._reconcile(key)
        except ApiError:
            self._clock.after(RETRY, lambda: self.enqueue(key), idle=True)
