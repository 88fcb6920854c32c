"""Metacontroller's control loop: from an event to a sync, and from the hook's response to the API server.

Source: Metacontroller 4.17, pkg/controller/composite/controller.go; the steps have the same order.
"""

from metahook.protocol.kind import group_key
from metahook.protocol.sender import Grouped, controller_of, customize_request, matches, sync_request
from metahook.protocol.wire import RelatedRule
from metahook.simulator.apiserver.store import ApiServer
from metahook.simulator.apiserver.validation import ApiError
from metahook.simulator.clock import Clock
from metahook.simulator.history import Call, Event, Write
from metahook.simulator.hook import Hook, Reply, Unreachable
from metahook.simulator.metacontroller.cache import Cache
from metahook.simulator.metacontroller.children import ChildWriter, applier, manage_children
from metahook.simulator.metacontroller.claims import LABEL, NAME, claim, with_parent_label
from metahook.simulator.metacontroller.customize import Customize
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
from metahook.simulator.objects import Json, Key, is_deleting, key_of, labels, to_json

RESTART = 10.0
"""Seconds until a crashed process has restarted."""


class Metacontroller:
    """One CompositeController. ``hook`` may be replaced at any time, ``settings`` before a restart."""

    def __init__(self, api: ApiServer, clock: Clock, hook: Hook, settings: Settings) -> None:
        self.hook = hook
        self.settings = settings
        self._api = api
        self._clock = clock
        self._queue = WorkQueue(clock, self._work)
        self._customize = Customize(clock, self._call_customize, settings.served)
        self._apply = applier(settings.mode, api)
        self._running = True
        self.cache = Cache(api, clock, self._changed)
        self._clock.after(settings.resync_period, self._resync_all, idle=True)

    def restart(self, after: float = 0) -> None:
        """Restart the process, which forgets everything; the new one starts *after* so many seconds."""
        self._queue.clear()
        self._customize.forget()
        self._apply = applier(self.settings.mode, self._api)
        self._running = False
        self._clock.after(after, self._start)

    def _start(self) -> None:
        self._running = True
        self.cache.relist()

    def _resync_all(self) -> None:
        self._clock.after(self.settings.resync_period, self._resync_all, idle=True)
        for parent in self.cache.all(self.settings.parent.kind):
            self.enqueue(key_of(parent), idle=True)

    def enqueue(self, key: Key, *, idle: bool = False) -> None:
        """Queue the parent *key*, if the process is running."""
        if self._running:
            self._queue.add(key, idle=idle)

    def _changed(self, key: Key, old: Json | None, new: Json | None) -> None:
        """Enqueue every parent that a change affects."""
        item = new or old or {}
        is_resent = old and new and old["metadata"]["resourceVersion"] == new["metadata"]["resourceVersion"]
        if key.kind == self.settings.parent.kind:
            is_ignored = old and new and self.settings.ignore_status_changes and _only_status(old, new)
            if is_resent or not is_ignored:
                self.enqueue(key)
        elif is_resent:
            return
        elif key.kind in {kind.kind for kind in self.settings.children}:
            self._enqueue_owner(controller_of(item) or _adopter_of(new), key.namespace)
        if self._running and self.settings.has_customize and key.kind in {kind.kind for kind in self.settings.served}:
            self._enqueue_related(old, new)

    def _enqueue_owner(self, uid: str | None, namespace: str) -> None:
        for parent in self.cache.all(self.settings.parent.kind, namespace):
            if parent["metadata"]["uid"] == uid:
                self.enqueue(key_of(parent))

    def _enqueue_related(self, old: Json | None, new: Json | None) -> None:
        for parent in self.cache.all(self.settings.parent.kind):
            try:
                if any(item and self._customize.is_related(parent, item) for item in (old, new)):
                    self.enqueue(key_of(parent))
            except (InvalidResponse, TooManyRequests, Unreachable):
                continue  # Metacontroller drops the event, too

    def _work(self, key: Key, idle: bool) -> None:  # noqa: FBT001 - the queue's callback
        """Sync one parent, and queue it again if that fails."""
        parent = self.cache.get(key)
        if parent is None or not matches(self.settings.label_selector, labels(parent)):
            self._queue.forget(key)
            return
        try:
            errors = self._sync(parent, idle=idle)
        except TooManyRequests as busy:
            self._queue.add_after(key, busy.seconds)
        except Crash as crash:
            self._event(key, "Crash", str(crash))
            self.restart(RESTART)
        except (InvalidResponse, Unreachable, ApiError) as error:
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
        kinds, namespace = self.settings.children, parent["metadata"]["namespace"]
        found = (
            item
            for kind in kinds
            for item in self.cache.all(kind.kind, namespace)
            if item["apiVersion"] == kind.api_version
        )
        observed = list(claim(parent, found, self._api))
        related = self._customize.related(parent, self.cache) if self.settings.has_customize else {}
        body = sync_request(parent, self._grouped(observed), related)
        response = read_sync(self._call("sync", key_of(parent), body))
        try:
            return self._apply_response(parent, observed, response)
        finally:  # Metacontroller sets the timer before anything that may fail
            if self._has_written(since):
                idle = False
                self._queue.reset_timers(key_of(parent))
            if response.resync_after > 0:
                self._queue.add_requested(key_of(parent), response.resync_after, idle=idle)

    def _apply_response(self, parent: Json, observed: list[Json], response: Response) -> list[str]:
        """Manage the children and write the status; return the errors of the children."""
        desired = [with_parent_label(child, parent) for child in response.children]
        if any(labels(child)[LABEL] != parent["metadata"]["uid"] for child in desired):
            raise InvalidResponse("a child in the response does not match the selector of its parent")
        writer = ChildWriter(self._api, self.settings.kinds, self._apply, self.settings.on_delete)
        errors = [] if is_deleting(parent) else manage_children(parent, observed, desired, writer)
        self._write_status(parent, response)
        return errors

    def _has_written(self, since: int) -> bool:
        """Tell whether the entries of the history from *since* on include a change."""
        return any(isinstance(entry, Write) and entry.changed for entry in self._api.history.entries[since:])

    def _grouped(self, observed: list[Json]) -> Grouped:
        groups: Grouped = {kind.group_key: {} for kind in self.settings.children}
        for item in observed:
            metadata = item["metadata"]
            group = group_key(kind=item["kind"], api_version=item["apiVersion"])
            groups[group][f"{metadata['namespace']}/{metadata['name']}"] = item
        return groups

    def _write_status(self, parent: Json, response: Response) -> None:
        live = self._api.get(key_of(parent))
        status = {**response.status, "observedGeneration": parent["metadata"]["generation"]}
        is_same = live is not None and live["metadata"]["uid"] == parent["metadata"]["uid"]
        if live is not None and is_same and to_json(live.get("status")) != to_json(status):
            self._api.update_status({**live, "status": status}, NAME)

    def _call_customize(self, parent: Json) -> list[RelatedRule]:
        return read_customize(self._call("customize", key_of(parent), customize_request(parent)))

    def _call(self, hook: str, key: Key, body: bytes) -> Reply:
        try:
            reply = self.hook(hook, body)
        except Unreachable:
            self._api.history.add(Call(self._clock.now, hook, key, body, None, b""))
            raise
        self._api.history.add(Call(self._clock.now, hook, key, body, reply.status, reply.body))
        return reply


def _adopter_of(orphan: Json | None) -> str | None:
    """Return the uid of the parent that may adopt *orphan*, which is None if it was deleted."""
    return None if orphan is None or is_deleting(orphan) else labels(orphan).get(LABEL)


def _only_status(old: Json, new: Json) -> bool:
    """Tell whether ignoreStatusChanges ignores the change."""
    fields = ("generation", "labels", "annotations")
    same = all(old["metadata"].get(field) == new["metadata"].get(field) for field in fields)
    return same and not is_deleting(new)
