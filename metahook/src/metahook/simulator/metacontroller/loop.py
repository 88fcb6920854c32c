"""Metacontroller's control loop: from an event to a sync, and from the hook's response to the API server.

Source: Metacontroller 4.17, pkg/controller/composite/controller.go; the steps have the same order.
"""

from metahook.protocol.bodies import RelatedRule
from metahook.protocol.objects import group_key
from metahook.protocol.request_builder import Grouped, customize_request, qualified_name, sync_request
from metahook.simulator.apiserver.store import ApiServer
from metahook.simulator.apiserver.validation import ApiError
from metahook.simulator.clock import Clock
from metahook.simulator.history import Call, Event, Write
from metahook.simulator.hook import Hook, Reply, Unreachable
from metahook.simulator.metacontroller.cache import Cache
from metahook.simulator.metacontroller.children import ChildWriter, applier
from metahook.simulator.metacontroller.composite import Composite
from metahook.simulator.metacontroller.customize import Customize
from metahook.simulator.metacontroller.decorator import Decorator
from metahook.simulator.metacontroller.finalizer import Finalizer
from metahook.simulator.metacontroller.queue import WorkQueue
from metahook.simulator.metacontroller.response import (
    Crash,
    InvalidResponse,
    Response,
    TooManyRequests,
    read_customize,
    read_sync,
)
from metahook.simulator.metacontroller.settings import Settings
from metahook.simulator.metacontroller.settings.selector import InvalidSelector
from metahook.simulator.objects import Json, Key, is_deleting, key_of

RESTART = 10.0
"""Seconds until a crashed process has restarted."""


class Metacontroller:
    """One controller. ``hook`` may be replaced at any time, ``settings`` before a restart."""

    def __init__(self, api: ApiServer, clock: Clock, hook: Hook, settings: Settings) -> None:
        self.hook = hook
        self.settings = settings
        self._api = api
        self._clock = clock
        self._queue = WorkQueue(clock, self._work)
        self.cache = Cache(api, clock, self._changed)
        self._begin()
        self._clock.after(settings.resync_period, self._resync_all, idle=True)

    def _begin(self) -> None:
        """Begin as a process that starts, which knows nothing but its settings."""
        settings = self.settings
        version = settings.hook("customize").version
        self._customize = Customize(self._clock, self._call_customize, settings.kinds, version)
        self._finalizer = Finalizer(
            f"metacontroller.io/{settings.api}controller-{settings.name}", settings.has_finalize
        )
        writer = ChildWriter(self._api, settings, applier(settings.mode, self._api))
        controller = Decorator if settings.api == "decorator" else Composite
        self._controller = controller(self.cache, self._finalizer, writer)
        self._parents = {parent.kind.kind: parent for parent in settings.parents}
        self._children = frozenset(kind.kind for kind in settings.children)
        self._groups = sorted(kind.group_key for kind in settings.children)
        self._related = frozenset(kind.kind for kind in settings.served) if settings.has_customize else frozenset()
        self._running = True

    def restart(self, after: float = 0) -> None:
        """Restart the process, which forgets everything; the new one starts *after* so many seconds."""
        self._queue.clear()
        self._running = False
        self._clock.after(after, self._start)

    def _start(self) -> None:
        self._begin()
        self.cache.relist()

    def _resync_all(self) -> None:
        self._clock.after(self.settings.resync_period, self._resync_all, idle=True)
        for kind in self._parents:
            for parent in self.cache.all(kind):
                self.enqueue(key_of(parent), idle=True)

    def enqueue(self, key: Key, *, idle: bool = False) -> None:
        """Queue the parent *key*, if the process is running."""
        if self._running:
            self._queue.add(key, idle=idle)

    def _changed(self, key: Key, old: Json | None, new: Json | None) -> None:
        """Enqueue every parent that a change affects."""
        if not self._running:
            return
        is_resent = old and new and old["metadata"]["resourceVersion"] == new["metadata"]["resourceVersion"]
        resource = self._parents.get(key.kind)
        if resource is not None:
            is_ignored = old and new and resource.ignore_status_changes and _only_status(old, new)
            if is_resent or not is_ignored:
                self.enqueue(key)
        if is_resent:
            return
        if key.kind in self._children:
            self._enqueue_parents(key, old, new)
        if key.kind in self._related:
            self._enqueue_related(old, new)

    def _enqueue_parents(self, key: Key, old: Json | None, new: Json | None) -> None:
        """Enqueue the parent that controls a child, or those that may adopt it."""
        item = new or old or {}
        owner = next((each for each in item["metadata"].get("ownerReferences") or () if each.get("controller")), None)
        if owner is None:
            self._enqueue_adopters(key, new)
            return
        resource = self._parents.get(owner["kind"])
        if resource is not None:
            found = Key(owner["kind"], key.namespace if resource.kind.namespaced else "", owner["name"])
            parent = self.cache.get(found)
            if parent is not None and parent["metadata"]["uid"] == owner["uid"]:
                self.enqueue(found)

    def _enqueue_adopters(self, key: Key, orphan: Json | None) -> None:
        """Enqueue the parents that may adopt *orphan*, which is None if it was deleted."""
        if orphan is None or is_deleting(orphan):
            return
        kind = self.settings.parent
        for parent in self.cache.all(kind.kind, key.namespace if kind.namespaced else None):
            try:
                if self._controller.selector(parent)(orphan):
                    self.enqueue(key_of(parent))
            except InvalidSelector:
                continue

    def _enqueue_related(self, old: Json | None, new: Json | None) -> None:
        for parent in [parent for kind in self._parents for parent in self.cache.all(kind)]:
            try:
                if any(item and self._customize.is_related(parent, item, self.cache) for item in (old, new)):
                    self.enqueue(key_of(parent))
            except (InvalidResponse, TooManyRequests, Unreachable):
                continue  # Metacontroller drops the event, too

    def _is_ours(self, parent: Json) -> bool:
        return self._parents[parent["kind"]].matches(parent) or self._finalizer.is_on(parent)

    def _work(self, key: Key, idle: bool) -> None:  # noqa: FBT001 - the queue's callback
        """Sync one parent, and queue it again if that fails."""
        parent = self.cache.get(key)
        if parent is None or not self._is_ours(parent):
            self._queue.forget(key)
            return
        try:
            errors = self._sync(parent, idle=idle)
        except TooManyRequests as busy:
            self._queue.add_after(key, busy.seconds)
        except Crash as crash:
            self._event(key, "Crash", str(crash))
            self.restart(RESTART)
        except (InvalidResponse, InvalidSelector, Unreachable, ApiError) as error:
            self._failed(key, [str(error)])
        else:
            if errors:
                self._failed(key, errors)
            else:
                self._queue.forget(key)

    def _failed(self, key: Key, messages: list[str]) -> None:
        self._event(key, "SyncError", "; ".join(messages))
        self._queue.retry(key)

    def _event(self, key: Key, reason: str, message: str) -> None:
        self._api.history.add(Event(self._clock.now, key, reason, message))

    def _sync(self, parent: Json, *, idle: bool) -> list[str]:
        """Sync *parent*; return the errors of its children."""
        since = len(self._api.history.entries)
        parent = self._finalizer.synced(parent, self._api)
        if not self._is_ours(parent):
            return []
        observed = self._controller.observed(parent)
        related = self._customize.related(parent, self.cache) if self.settings.has_customize else {}
        response = self._response(parent, observed, related)
        try:
            return self._controller.manage(parent, observed, response)
        finally:  # Metacontroller sets the timer before anything that may fail
            if self._has_written(since):
                idle = False
                self._queue.reset_timers(key_of(parent))
            if response.resync_after > 0:
                self._queue.add_requested(key_of(parent), response.resync_after, idle=idle)

    def _response(self, parent: Json, observed: list[Json], related: Grouped) -> Response:
        """Call the hook sync, or finalize for a parent that goes; return its response."""
        settings = self.settings
        is_going = is_deleting(parent) or not self._parents[parent["kind"]].matches(parent)
        hook = "finalize" if settings.has_finalize and is_going else "sync"
        if hook == "sync" and not settings.has_sync:
            raise InvalidResponse("no enabled hooks found: the controller has no sync hook")
        body = sync_request(
            parent,
            self._grouped(observed),
            related,
            controller=settings.manifest,
            finalizing=hook == "finalize",
            version=settings.hook(hook).version,
            api=settings.api,
        )
        return read_sync(self._call(hook, key_of(parent), body), settings.hook(hook), settings.api)

    def _has_written(self, since: int) -> bool:
        """Tell whether the entries of the history from *since* on include a change."""
        return any(isinstance(entry, Write) and entry.changed for entry in self._api.history.entries[since:])

    def _grouped(self, observed: list[Json]) -> Grouped:
        groups: Grouped = {group: {} for group in self._groups}
        for item in observed:
            groups[group_key(kind=item["kind"], api_version=item["apiVersion"])][qualified_name(item)] = item
        return groups

    def _call_customize(self, parent: Json) -> list[RelatedRule]:
        reply = self._call("customize", key_of(parent), customize_request(parent, controller=self.settings.manifest))
        return read_customize(reply, self.settings.hook("customize"))

    def _call(self, hook: str, key: Key, body: bytes) -> Reply:
        try:
            reply = self.hook(hook, body)
        except Unreachable:
            self._api.history.add(Call(self._clock.now, hook, key, body, None, b""))
            raise
        self._api.history.add(Call(self._clock.now, hook, key, body, reply.status, reply.body))
        return reply


def _only_status(old: Json, new: Json) -> bool:
    """Tell whether ignoreStatusChanges ignores the change."""
    fields = ("generation", "labels", "annotations")
    is_same = all(old["metadata"].get(field) == new["metadata"].get(field) for field in fields)
    return is_same and not is_deleting(new)
